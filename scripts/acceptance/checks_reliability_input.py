"""Acceptance of hostile input: names and texts in reports and tables, parsers at their limits, bombs, defective files, fuzzing."""
import csv
import re
import shutil
import subprocess
from pathlib import Path

import product
from product import ROOT

TINY = ROOT / "tests" / "scenarios" / "tiny.toml"
OWNED = "document.documentElement.setAttribute('data-owned',1)"
HOSTILE = f'$\\frac$"><img src=q onerror="{OWNED}">'
NAMES = ["a/b", "../x", "$\\\\frac$", HOSTILE.replace("\\", "\\\\").replace('"', '\\"'), "=1+1", "a,b", "x" * 65, ""]
TABLES = {"record.window": "start_s = 0\nduration_s = 1", "event": 'kind = "pause"\njob = "main"\nat_s = 1\nduration_s = 1',
          "mitigation": 'kind = "job_stagger"\nperiod_s = 10.0', "site.neighbour": 'kind = "replay"'}


def folder(report, name):
    path = Path(report.folder.name) / name
    path.mkdir(parents=True, exist_ok=True)
    return path


def check(report, path, *more):
    return product.call([report.binary, "check", path, *more])


def check_names(report):
    """Every kind of name with every hostile text: refused at its own line."""
    here, text, bad, n = folder(report, "names"), TINY.read_text(), [], 0
    line = text.count("\n") + 2
    for table, rest in TABLES.items():
        for name in NAMES:
            path = here / "case.toml"
            path.write_text(f'{text}[[{table}]]\nname = "{name}"\n{rest}\n')
            o = check(report, path)
            n += 1
            if o.code != 2 or not re.search(rf"case\.toml:{line}:1: {re.escape(table)}\.\d+\.name: .*is not a name", o.stderr):
                bad.append(f"{table} {name[:20]!r}: exit {o.code}, {o.stderr.strip()[-120:]}")
    for key in ("hall.a", "job.main"):
        o = check(report, TINY, "--set", f'{key}.name="a/b"')
        n += 1
        if o.code != 2 or "--set: " not in o.stderr:
            bad.append(key)
    report.judge("hostile names are findings at their line", not bad, bad[0] if bad else f"{n} of {n}", "all")


def check_parsers(report):
    """Mends of the readers: one finding each, placed where the cause is."""
    here = folder(report, "parsers")
    outside = folder(report, "outside")
    shutil.copy(ROOT / "tests" / "scenarios" / "weather.csv", outside / "weather.csv")
    shutil.copy(TINY, here / "tiny.toml")
    (here / "link.csv").symlink_to(outside / "weather.csv")
    (here / "dots.toml").write_text("a." * 30_000 + "a = 1\n" + TINY.read_text())
    (here / "brackets.toml").write_text("a = " + "[" * 30_000 + "\n" + TINY.read_text())
    for k in range(10):
        (here / f"{k}.toml").write_text(f'base = "{f"{k + 1}.toml" if k < 9 else "tiny.toml"}"\n')
    (here / "a.toml").write_text('base = "b.toml"\n')
    (here / "b.toml").write_text('\nbase = "a.toml"\n')
    empty = folder(report, "empty")
    link = ["--set", 'weather.csv="link.csv"', "--set", 'weather.climate=""', "--set", 'weather.day="dated"']
    cases = [("a key of 30,000 dots", 2, [here / "dots.toml"], r"dots\.toml:1:\d+: tables are nested more than 64 deep"),
             ("30,000 open brackets", 2, [here / "brackets.toml"], r"brackets\.toml:1:\d+: tables are nested more than 64 deep"),
             ("a link that leads out", 2, [here / "tiny.toml", *link], r"--set: weather\.csv: 'link\.csv' must be a file below the scenario's folder"),
             ("ten bases", 0, [here / "0.toml"], r"ok \(128 GPUs"),
             ("a circle of bases", 2, [here / "a.toml"], r'b\.toml:2:1: base: "a\.toml" closes a circle'),
             ("a catalog folder without an entry", 2, [TINY, "--catalog", empty], r"empty: the catalog folder holds no entry"),
             ("an altitude beside a climate", 2, [TINY, "--set", "weather.altitude_m=100"], r"--set: weather\.altitude_m: belongs to a CSV file"),
             ("an override that does not fit", 2, [TINY, "--set", "hall.a.n_gpu=7"], r"--set: hall\.a\.n_gpu: 7 is not a multiple")]
    for name, code, arguments, words in cases:
        o = check(report, *arguments)
        text = o.stdout + o.stderr
        report.judge(name, o.code == code and re.search(words, text) is not None and ":1:1: hall" not in text, text.strip().splitlines()[-1].strip()[-110:], words)
    o = product.call([report.binary, "run", TINY, "--threads", "-1"])
    report.judge("--threads -1", o.code == 2 and "-1 is outside 0 to 1024" in o.stderr, (o.stderr.strip() or "ran").splitlines()[0], "exit 2, range")


def check_tables(report):
    """Texts of a sweep arrive in its CSV once quoted, and never as a formula."""
    here = folder(report, "sweep")
    shutil.copy(TINY, here / "tiny.toml")
    words = ['=cmd|"x",y.csv', "+1 z.csv", "-z.csv", "@z.csv", 'say "a,b".csv']
    for word in [*words, "weather.csv"]:
        shutil.copy(ROOT / "tests" / "scenarios" / "weather.csv", here / word)
    values = ", ".join('"' + w.replace('"', '\\"') + '"' for w in words)
    (here / "sweep.toml").write_text('schema = 1\nscenario = "tiny.toml"\nmode = "grid"\nset = ["weather.csv=\\"weather.csv\\"", "weather.climate=\\"\\"", "weather.day=\\"dated\\""]\n'
                                     f'[[variable]]\nkey = "weather.csv"\nvalues = [{values}]\n')
    o = product.call([report.binary, "sweep", here / "sweep.toml", "--out", here / "out", "--quiet", "--workers", "2"])
    if o.code:
        return report.judge("texts in a sweep's CSV", False, o.stderr.strip(), "exit 0")
    with open(here / "out" / "table.csv", newline="") as file:
        got = [row["weather.csv"] for row in csv.DictReader(file)]
    want = ["'" + w if w[0] in "=+-@" else w for w in words]
    report.judge("texts in a sweep's CSV", got == want, got, want)


def check_report_page(report):
    """A report whose path and whose assumed inputs' sources carry markup and formulas, in a browser."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        return report.skip("no text of a report runs as a script", "no Chromium: apt-get install chromium")
    here = folder(report, f"page {HOSTILE}".replace("/", ""))
    path = here / f"{HOSTILE}.toml"
    shutil.copy(TINY, path)
    own = folder(report, "catalog")
    entry = product.call([report.binary, "catalog", "show", "h100_sxm_700W"]).stdout
    source = (HOSTILE + f"</script><script>{OWNED}</script>").replace("\\", "\\\\").replace('"', '\\"')
    (own / "gpu.toml").write_text(re.sub(r'= "\[K\][^"]*"', lambda _: f'= "{source}"', entry))
    ran = product.call([report.binary, "run", path, "--quiet", "--out", here / "out", "--catalog", own])
    drawn = product.call([report.binary, "report", next((here / "out").glob("*.h5"), "none"), "--out", here / "drawn"])
    page = folder(report, "plain") / "page.html"
    if ran.code or drawn.code:
        return report.judge("a report with hostile texts is drawn", False, (ran.stderr + drawn.stderr).strip()[-200:], "exit 0")
    page.write_bytes((here / "drawn" / "report.html").read_bytes())
    dom = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                          "--disable-component-update", "--disable-sync", f"--user-data-dir={page.parent / 'profile'}", "--virtual-time-budget=6000",
                          "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=300).stdout  # fmt: skip
    top = dom.split("<script", 1)[0]
    report.judge("no text of a report runs as a script", "data-drawn=" in dom and "data-owned=" not in top and "<img" not in top,
                 "drawn, nothing ran" if "data-owned=" not in top else "a script ran", "drawn, nothing ran")


def check_bombs(report):
    o = product.call(["/usr/bin/env", f"TIDEWATT={report.binary}", "/usr/bin/python3", ROOT / "tests" / "durability" / "bombs_test.py"], timeout_s=1800)
    product.keep_figures(report, "durability.bombs", o.stdout)
    report.judge("bombs (row 15)", o.code == 0, o.stdout.strip().splitlines()[-1], "all refused within 100 ms, 64 MiB")


def check_fuzz(report):
    """Row 14; with --quick a hundredth of the inputs."""
    o = product.call([ROOT / "scripts" / "fuzz", 1000 if report.quick else 100_000], timeout_s=6 * 3600)
    if o.code == 3:
        return report.skip("fuzzing (row 14)", o.stderr.strip())
    lines = o.stdout.strip().splitlines() or [o.stderr.strip()[-200:]]
    product.keep_figures(report, "scripts/fuzz", o.stdout)
    report.judge("fuzzing (row 14)", o.code == 0, lines[-1], "0 findings")


GROUPS = {"names": check_names, "parsers": check_parsers, "tables": check_tables, "page": check_report_page, "bombs": check_bombs, "fuzz": check_fuzz}
