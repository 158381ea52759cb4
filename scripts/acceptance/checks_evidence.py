"""Acceptance of the validation page as evidence."""
import json
import subprocess
import sys
import tempfile
import time

import product
from checks_weather import rows_of

sys.path.insert(0, str(product.ROOT / "scripts"))
import blind_rows

KINDS = {"identity", "conformance", "fit", "half_fit", "bound", "simulator", "blind", "seen"}
KEYS = {"id", "what", "unit", "expected", "got", "error", "tolerance", "tolerance_unit", "pass", "verdict", "kind", "source", "note"}
OF_BLIND = {"first_error", "first_commit", "p05", "p95"}
OF_HEADLINE = {"count", "sources", "median_error", "p90_error", "outside_tolerance", "outside_band"}
NOT_BUILT = ["a reader from outside, for an hour: not a check of a script"]
PACKAGES = {"psychrolib": "X1", "CoolProp": "X2", "CoolProp, liquids": "X3", "pvlib": "X4", "ANDES": "X5", "SALib": "X6", "SciPy": "X7", "CVODE": "X8"}


def answer(report):
    """The whole answer of `validate --json`, asked for once."""
    if not hasattr(report, "evidence"):
        data = product.shared_data(".")
        begin = time.monotonic()
        report.evidence = product.call([report.binary, "validate", "--json", *(["--data", data] if data else [])]).json
        report.evidence_s = time.monotonic() - begin
    return report.evidence


def check_rows(report):
    """Every row says what it can say, and what set a parameter is not counted as a prediction."""
    rows = answer(report)["rows"]
    report.at_most("the whole page without mutation", report.evidence_s, 180.0, "s", ".0f")
    report.judge("rows: keys of the contract", all(KEYS <= set(r) for r in rows), f"{len(rows)} rows", ", ".join(sorted(KEYS)))
    report.judge("rows: a declared kind", all(r["kind"] in KINDS for r in rows), f"{len({r['kind'] for r in rows})} kinds", "all rows")
    fits = [r["id"] for r in rows if r["verdict"] == "calibrated" and r["kind"] != "fit"]
    report.judge("rows: what set a parameter is a fit", not fits, ", ".join(fits) or "all", "all calibrated rows")
    required = [r["id"] for r in rows if r["kind"] in ("identity", "conformance") and r["verdict"] == "fail"]
    report.judge("rows: identities and conformance hold", not required, ", ".join(required) or "all", "all")
    absent = [r["id"] for r in rows if r["verdict"] == "skipped" and r["got"] is not None]
    report.judge("rows: null where data are absent", not absent, ", ".join(absent) or "all", "all skipped rows")


def check_blind(report):
    """The headline: number and spread of blind rows, their bands, and every first error."""
    whole = answer(report)
    rows = blind_rows.blind(whole["rows"])
    report.judge("blind: keys of the contract", all(OF_BLIND <= set(r) for r in rows) and OF_HEADLINE <= set(whole["blind"]), f"{len(rows)} rows", ", ".join(sorted(OF_BLIND | OF_HEADLINE)))
    report.judge("blind: top level counts all rows with data", whole["blind"]["count"] == len(rows), f"{whole['blind']['count']}", f"{len(rows)}")
    sources = len(blind_rows.by_source(rows))
    report.judge("blind rows, at most eight of a source", blind_rows.counting(rows) >= 80 and sources >= 25, f"{blind_rows.counting(rows)} of {sources} sources", "80 of 25")
    banded = [r for r in rows if r["p05"] is not None]
    report.judge("blind: every row has a band", len(banded) == len(rows), f"{len(banded)} of {len(rows)}", "all")
    if banded:
        report.within("blind: inside the 90 % band", 1 - sum(map(blind_rows.outside_band, banded)) / len(banded), 0.83, 0.97, "", ".3f")
        report.at_most("blind: median half-width of the band", blind_rows.quantile(list(map(blind_rows.half_width, banded)), 0.5), 0.12, "", ".3f")
    first = [r for r in rows if r["first_error"] is not None]
    report.judge("blind: every row has a first error and its commit", len(first) == len(rows) and all(r["first_commit"] for r in first), f"{len(first)} of {len(rows)}", "all")
    if first:
        low, high = blind_rows.median_interval(first, "first_error")
        median = blind_rows.quantile(blind_rows.errors(first, "first_error"), 0.5)
        report.judge("blind: median first error is stated (5 % is an aim, no bound)", True, f"{100 * median:.1f} %, {100 * low:.1f} to {100 * high:.1f} %", "stated")


def script(report, *arguments):
    data = product.shared_data(".")
    done = subprocess.run([sys.executable, "-B", *(str(a) for a in arguments), "--bin", report.binary, *(["--data", str(data)] if data else [])], capture_output=True, text=True, cwd=product.ROOT)
    lines = done.stdout.strip().splitlines() or [done.stderr.strip()[-200:]]
    return done.returncode == 0, lines


def check_ledger(report):
    """Every row ever computed has its line; no line was edited."""
    ok, lines = script(report, product.ROOT / "scripts" / "ledger", "check")
    report.judge("ledger: whole, and every row fits its line", ok, lines[-1] if ok else "; ".join(lines[:3]), "0 findings")


def check_mutation(report):
    """Rows turn red when their main parameter changes; a tenth of them with --quick."""
    begin = time.monotonic()
    ok, lines = script(report, product.ROOT / "scripts" / "row_mutation", *(["--share", "0.1"] if report.quick else []))
    report.judge("mutation: 95 % turn red, survivors are bounds or identities", ok, lines[-1], "0 findings")
    if not report.quick:
        report.at_most("mutation: time", time.monotonic() - begin, 900.0, "s", ".0f")


def check_visible_run(report):
    """The visible 512-GPU run: what the log shows and what follows from the plan, side by side."""
    rows = {r["id"]: r for r in rows_of(report, ["power"])}
    wanted = {"P6/period": "period", "P6/plateau": "plateau", "P6/dip": "depth of the dip", "P6/trough": "trough", "P6/energy": "energy of the dip", "P6/width": "its width",
              "P6/line-1": "first line", "P6/line-2": "second line", "P6/line-3": "third line", "P6/dominant": "dominant line by energy"}  # fmt: skip
    for id, what in wanted.items():
        r = rows.get(id)
        if r is None or r["got"] is None:
            report.skip(f"512-GPU run: {what}", "its log is absent")
        else:
            report.judge(f"512-GPU run: {what}", r["verdict"] == "pass", f"measured {json.dumps(r['expected'])}, model {r['got']:.4g} {r['unit']}", f"{r['tolerance']:g}")


def check_references(report):
    """Independent packages: a row for each, disagreements among them, and the committed figures computed anew where the packages are."""
    rows = [r for r in answer(report)["rows"] if r["id"].startswith("X")]
    for package, prefix in PACKAGES.items():
        of = [r for r in rows if r["id"].startswith(prefix) and r["got"] is not None]
        differ = [r["id"] for r in of if r["verdict"] == "fail"]
        report.judge(f"references: rows of {package}", len(of) > 0, f"{len(of)} rows" + (f", which differ: {', '.join(differ)}" if differ else ", all agree"), "at least one; a disagreement is a row")
    unexplained = [r["id"] for r in rows if r["verdict"] == "fail" and not (r["note"] and r.get("mend"))]
    report.judge("references: every disagreement says why", not unexplained, ", ".join(unexplained) or "all", "all")
    done = subprocess.run([sys.executable, "-B", str(product.ROOT / "scripts" / "references"), "check"], capture_output=True, text=True, cwd=product.ROOT)
    last = (done.stdout.strip().splitlines() or [done.stderr.strip()[-200:]])[-1]
    if done.returncode == 77:
        report.skip("references: computed anew", last)
    else:
        report.judge("references: computed anew, the committed figures are the packages'", done.returncode == 0, last, "0 findings")


def check_run_text(report):
    """A run's text names the blind rows behind its headlines, and the headlines that none backs."""
    with tempfile.TemporaryDirectory() as folder:
        done = product.call([report.binary, "run", product.ROOT / "tests" / "scenarios" / "tiny.toml", "--out", folder, "--quiet", "--no-interval"])
    lines = done.stdout.splitlines()
    at = next((i for i, line in enumerate(lines) if line.startswith("Blind validation rows")), None)
    told = lines[at + 1 :] if at is not None else []
    report.judge("run: names the blind rows behind its headlines", any("throughput" in line and "row" in line for line in told), "; ".join(line.strip() for line in told[:2]), "throughput with rows and errors")
    report.judge("run: names the headlines that no row backs", any("no row backs this:" in line for line in told), next((line.strip() for line in told if "no row" in line), "nothing"), "a list")


def say_open(report):
    for line in NOT_BUILT:
        report.skip(line, "not checked here")
