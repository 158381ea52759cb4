"""Acceptance of your own telemetry without reference data: inputs made by hand, and fits to truths that are known."""
import os
import subprocess
import sys
from pathlib import Path

import checks_telemetry
import product
from product import ROOT

EMPTY_LISTS = {"sacct": "JobID|State|Elapsed|AllocTRES|NodeList\n", "squeue": "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n", "sinfo": "NODELIST NODES PARTITION STATE\n"}
# Made by hand: kind, text, exit code, exit code with --strict, a word of standard error, lines of the table.
AWKWARD = {
    "decimal commas, Windows-1252, an empty cell, one stamp twice": ("power",
        "Zeit;Leistung [kW];Temperatur [\xb0C]\n"
        "03.02.2026 10:00:00;1.234,5;45,2\n03.02.2026 10:00:01;;45,3\n03.02.2026 10:00:01;1.235,0;45,3\n03.02.2026 10:00:03;1.236,0;45,4\n", 0, 2, ":3:", 5),
    "a clock that was not set": ("power", "timestamp,power_W\n1970-01-01 00:00:05,100\n1970-01-01 00:00:06,101\n1970-01-01 00:00:07,102\n", 0, 2, ":2: wrong clock", 4),
    "a torn last line and [N/A]": ("nvidia-smi", "timestamp, index, power.draw [W], temperature.gpu\n2024/05/17 18:00:00.123, 0, 543.21 W, 55\n2024/05/17 18:00:01.123, 0, [N/A], 55\n2024/05/17 18:00:01.12", 0, 2, ":4:", 3),
    "a clock that steps back": ("power", "time_s,power_W\n0,100\n1,200\n0.5,150\n2,300\n", 0, 2, ":4:", 5),
    "an energy counter that restarts": ("csv", "time_s,gpu,energy_J,power_W\n" + "".join(f"{t},0,{5000 + 100 * t if t < 60 else 100 * (t - 60)},100\n" for t in range(120)), 0, 2, "restarted", 121),
    "a header without rows": ("power", "timestamp,power_W\n", 2, 2, "no row", 0),
    "an empty file": ("auto", "", 2, 2, "no format", 0),
    "a binary file": ("auto", "\0\1\2binary", 2, 2, "no format", 0),
}  # fmt: skip


def check_awkward(report):
    """Inputs made by hand, so that they need no reference data: exit codes, the row that is named, the table that is left."""
    folder = Path(report.folder.name)
    for kind, text in EMPTY_LISTS.items():
        file, out = folder / f"empty.{kind}", folder / "empty.csv"
        file.write_text(text, encoding="utf-8")
        done = checks_telemetry.run_import(report, kind, [file], out)
        lines = out.read_text(encoding="utf-8").count("\n") if out.exists() else -1
        report.judge(f"{kind} without one line: an empty table, a warning, 0", done.code == 0 and "empty" in done.stderr and lines == 1, f"{done.code}, {lines} line", "0, the header")
    for name, (kind, text, code, strict_code, word, lines) in AWKWARD.items():
        file, out = folder / "awkward.csv", folder / "made.csv"
        out.unlink(missing_ok=True)
        file.write_bytes(text.encode("cp1252"))
        done, strict = checks_telemetry.run_import(report, kind, [file], out), checks_telemetry.run_import(report, kind, [file], folder / "strict.csv", "--strict")
        found = out.read_text(encoding="utf-8").count("\n") if out.exists() else 0
        ok = (done.code, strict.code, found) == (code, strict_code, lines) and word in done.stderr and "Traceback" not in done.stderr
        report.judge(f"{name}", ok, f"{done.code}, --strict {strict.code}, {found} lines; {done.stderr.strip().splitlines()[0][:70]}", f"{code}, {strict_code}, {lines}, '{word}'")
    done = checks_telemetry.run_import(report, "power", [folder / "awkward.csv"], folder / "out.xyz")
    report.judge("an output of an unknown kind", done.code == 2, f"{done.code}", "2")


FITS = ("fit_node_power", "fit_rests", "fit_clocks", "fit_clock_table", "fit_limiter", "fit_levels", "fit_rows", "fit_plant", "fit_rates", "fit_tables")


def check_fits(report):
    """Each fit: truths drawn from its prior, readings by the engine's own models, and what is not identified is marked; and as a user calls it."""
    program = Path(report.binary).with_name("test_study")
    if not program.exists():
        report.skip("fits: synthetic truths", "test_study is not built")
        return
    for tag in FITS:
        done = product.call([program, f"[{tag}]"], 600)
        report.judge(f"fits: {tag}, truths within their intervals", done.code == 0, done.stdout.strip().splitlines()[-1] if done.stdout else f"{done.code}", "all pass")
    build = Path(report.binary).resolve().parents[1]
    environment = {**os.environ, "PYTHONPATH": str(build / "python"), "TIDEWATT_CLI": str(report.binary), "PYTHONDONTWRITEBYTECODE": "1"}
    fake = build / "tests" / "python" / "libfake_gpu.so"
    tests = [("fit_tables", "from frames and files, as command and in Python")]
    if fake.exists() and not report.quick:
        environment["TIDEWATT_FAKE_GPU_LIBRARY"] = str(fake)
        tests.append(("recorder", "records, and settings come back after Ctrl-C, signals and a crash, on a GPU of software"))
    for name, what in tests:
        ran = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "tests" / "python" / f"test_{name}.py"], env=environment, capture_output=True, text=True)  # fmt: skip
        report.judge(f"{name}: {what}", ran.returncode == 0, ran.stdout.strip().splitlines()[-1], "all pass")
    check_public(report)


def check_public(report):
    """The same fits on public records, against what the catalog has by other ways."""
    import csv
    import json

    folder, report_folder = product.shared_data("longhorn_v100_sgemm"), Path(report.folder.name)
    if folder is None:
        report.skip("fits: public records", "reference data absent")
        return
    points = report_folder / "v100.csv"
    with (folder / "sgemm_longhorn.csv").open(encoding="utf-8") as lines, points.open("w", encoding="utf-8") as to:
        to.write("gpu,power_W,clock_MHz,temperature_degC,limit_W,load\n")
        for row in csv.DictReader(lines):
            if float(row["pwr"]) > 285.0:
                to.write(f"{row['uuid']},{row['pwr']},{row['freq']},{row['temp']},300,sgemm\n")
    done = product.call([report.binary, "fit", "clocks", points, "--base", "v100_sxm2_300W", "--name", "v100", "--out", report_folder, "--json"], 600)
    if done.code != 0:
        raise RuntimeError(done.stderr.strip())
    found = json.loads(done.stdout)
    values = {v["key"]: v for v in found["values"]}
    v = values["leakage_W"]  # the catalog's is from the clock's slope over all 390 GPUs
    report.judge("fits: leakage of V100 under one limit, W", v["identified"] and v["low"] <= 32.5 <= v["high"], f"{v['low']:.3g} to {v['high']:.3g} from {len(found['gpus'])} GPUs", "identified; holds the catalog's 32.5")
    counts = product.shared_data("failures") / "llama3_405b_interruptions_54d.csv"
    events = report_folder / "failures.csv"
    with counts.open(encoding="utf-8") as lines, events.open("w", encoding="utf-8") as to:
        to.write("cause\n" + "".join(f"{row['category']}\n" * int(row["count"]) for row in csv.DictReader(lines)))
    done = product.call([report.binary, "fit", "failures", events, "--base", "llama3_405b", "--nodes", 2048, "--days", 54, "--name", "llama", "--out", report_folder, "--json"], 60)
    rates = {v["key"]: v for v in json.loads(done.stdout)["values"]}
    total = sum(v["value"] for v in rates.values()) * 2048
    report.within("fits: interruptions a day of Llama 3 405B", total, 7.55, 7.97, "", ".3g")  # 419 in 54 days
