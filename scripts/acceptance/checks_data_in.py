"""Acceptance of data from outside: public cases, mutated logs, files read as before, sizes of the readers, their faces."""
import ast
import fnmatch
import io
import json
import re
import subprocess
import tarfile
import tempfile
import tokenize
from pathlib import Path

import product
from durability_runs import durability, run
from product import ROOT

BEFORE = "f4511968"  # the version whose readers the issue compares with
PYTHON = "/usr/bin/python3"
READERS = ("python/tidewatt/importers/*.py", "src/workload/*_log.[ch]pp", "src/study/fit_*log*.[ch]pp", "src/study/replay_log*.[ch]pp", "src/io/read_*.[ch]pp")
MOST_LINES, MOST_COMPLEX = 1.1, 15
# Files of the reference data that are read otherwise than before, and why.
OTHERWISE = {
    "public_cases/*": "a public case: its truth is in tests/python/public_cases.toml",
    "flicker_iec61000_4_15/table5_*.csv": "only shares: no power, temperature or clock, so the table is refused with the way out",
    "grand_teton_fans/controllers.csv": "only shares, as above",
    "grand_teton_fans/pid_terms.csv": "kp_percent_per_degC is no temperature and is left out",
    "gpu_tools_output/dcgm_exporter/h100_2node_util_instant_query.json": "only utilization: no power, temperature or clock",
    "slurm_jobs/squeue_json_rivos.json": "estimated starts of pending jobs and time limits of running ones are empty",
}


def check_public_cases(report):
    line = [PYTHON, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", ROOT / "tests" / "python" / "test_public_cases.py"]
    run(report, "inputs in the shapes of public bug reports", "all pass", line, r"\d+ (passed|skipped|failed)", test="python.public_cases")


def check_mutations(report):
    durability(report, "mutated logs", "harmless >= 95 % the same; 0 wrong in silence; 0 tracebacks", "import_mutations", *([] if report.quick else ["--long"]))


# --- as before ---


def _show(path):
    done = subprocess.run(["git", "show", f"{BEFORE}:{path}"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def _has_before():
    return subprocess.run(["git", "cat-file", "-e", BEFORE], cwd=ROOT, capture_output=True).returncode == 0


def _read_all(package, files):
    done = subprocess.run([PYTHON, "-B", Path(__file__).with_name("import_all.py"), package, *files], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def check_as_before(report):
    name, data = "files that were read are read to the same digits", product.shared_data("")
    if data is None or not _has_before():
        return report.skip(name, "no reference data" if data is None else f"no commit {BEFORE}")
    files = sorted(str(p) for p in data.rglob("*") if p.is_file() and p.suffix not in (".md", ".yaml", ".dyr"))[:: 10 if report.quick else 1]
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", BEFORE, "python"], cwd=ROOT, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(folder)
        before = {f: r for f, r in _read_all(Path(folder) / "python", files).items() if len(r) == 2}
    now = _read_all(Path(report.binary).parents[1] / "python", before)
    other = [str(Path(f).relative_to(data)) for f in before if now[f] != before[f]]
    listed = [f for f in other if any(fnmatch.fnmatch(f, pattern) for pattern in OTHERWISE)]
    unlisted = [f for f in other if f not in listed]
    report.judge(name, bool(before) and not unlisted, f"{len(before)} files, {len(listed)} otherwise as listed; not listed: {', '.join(unlisted) or 'none'}", "none")


# --- sizes ---


def code_lines(path, text):
    """Lines with code: neither blank nor comment nor docstring."""
    if not path.endswith(".py"):
        text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
        return sum(bool(line.strip()) for line in re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL).splitlines())
    skipped = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    lines = {n for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type not in skipped for n in range(t.start[0], t.end[0] + 1)}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines)


def complexity(function):
    """McCabe's number: 1, and 1 for each branch, loop, handler and comprehension."""
    return 1 + sum(isinstance(n, (ast.If, ast.For, ast.While, ast.ExceptHandler, ast.comprehension)) for n in ast.walk(function))


def check_sizes(report):
    paths = sorted(str(p.relative_to(ROOT)) for pattern in READERS for p in ROOT.glob(pattern))
    if not _has_before():
        report.skip("code lines of the readers", f"no commit {BEFORE}")
    else:
        listed = subprocess.run(["git", "ls-tree", "-r", "--name-only", BEFORE], cwd=ROOT, capture_output=True, text=True).stdout.split()
        before = [p for p in listed if any(fnmatch.fnmatch(p, pattern) for pattern in READERS)]
        n_before, n_now = sum(code_lines(p, _show(p)) for p in before), sum(code_lines(p, (ROOT / p).read_text(encoding="utf-8")) for p in paths)
        report.at_most("code lines of the readers against before", n_now / n_before, MOST_LINES, note=f"{n_now} and {n_before}")
    numbers = [(complexity(f), f"{Path(p).stem}.{f.name}") for p in paths if p.endswith(".py")
               for f in ast.walk(ast.parse((ROOT / p).read_text(encoding="utf-8"))) if isinstance(f, ast.FunctionDef)]  # fmt: skip
    most, where = max(numbers)
    report.at_most("most complex function of the readers", most, MOST_COMPLEX, note=f"{where}, of {len(numbers)}")


# --- faces ---

GPU_LOG = "timestamp, uuid, power.draw [W]\n2026/03/02 10:00:00.000, GPU-1, 700.1 W\n2026/03/02 10:00:01.000, GPU-1, fault\n2026/03/02 10:00:02.000, GPU-1, 0.6999 kW\n"


def _line(text):
    return " ".join(text.split())


def _import(report, folder, text, *options, kind="auto"):
    """(exit code, standard error, table's text or "", report) of `tidewatt import`."""
    log, out, told = folder / "log.csv", folder / "out.csv", folder / "report.json"
    for old in (out, told):
        old.unlink(missing_ok=True)
    log.write_text(text, encoding="utf-8")
    done = product.call([report.binary, "import", kind, log, "-o", out, "--report", told, *options])
    return done.code, _line(done.stderr), _line(out.read_text()) if out.exists() else "", json.loads(told.read_text()) if told.exists() else {}


def check_faces(report):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        code, said, table, told = _import(report, folder, GPU_LOG)
        report.judge("a cell that is no number: a warning with place and value", code == 0 and "log.csv:3" in said and "fault" in said, said[-110:], "log.csv:3, fault")
        report.judge("cells in W and kW", "700.1" in table and "699.9" in table, table[-90:], "700.1 and 699.9 W")
        report.judge("--report has the remark", any("fault" in m["what"] for m in told.get("mended", [])), str(told.get("mended"))[:110], "mended")
        code, said, table, _ = _import(report, folder, GPU_LOG, "--strict")
        report.judge("--strict: exit code 2 and no file", code == 2 and not table, f"{code}: {said[-70:]}", "2")
        code, said, *_ = _import(report, folder, "time,leistung\n2026-03-02T10:00:00Z,3\n2026-03-02T10:00:01Z,4\n")
        report.judge("watts or kilowatts: the unit is asked for", code == 2 and "--unit" in said, said[-110:], "--unit")
        code, said, table, _ = _import(report, folder, "time,leistung\n2026-03-02T10:00:00Z,3\n2026-03-02T10:00:01Z,4\n", "--unit", "leistung=kW", kind="csv")
        report.judge("--unit says it", code == 0 and ",3000" in table, f"{code}: {(table or said)[-70:]}", "3000 W")
        code, said, *_ = _import(report, folder, GPU_LOG, "--unit", "power=kW", kind="nvidia-smi")
        report.judge("--unit where no unit is missing", code == 2 and "does nothing" in said, said[-110:], "refused")
        answer = {"status": "success", "data": {"resultType": "vector", "result": [{"metric": {"gpu": "0", "UUID": "GPU-1"}, "value": [1700000000, "452"]}]}}
        code, said, *_ = _import(report, folder, json.dumps(answer))
        report.judge("a series without a metric's name", code == 2 and "--unit power=W" in said, said[-110:], "--unit power=W")
        code, said, table, _ = _import(report, folder, json.dumps(answer), "--unit", "power=W", kind="prometheus")
        report.judge("the metric said by --unit", code == 0 and "452" in table, f"{code}: {(table or said)[-70:]}", "452 W")
        _check_python(report, folder)


def _check_python(report, folder):
    """Warnings and the report in Python."""
    (folder / "gpu.csv").write_text(GPU_LOG, encoding="utf-8")
    code = ("import json, sys, warnings, tidewatt as tw\nwith warnings.catch_warnings(record=True) as found:\n    warnings.simplefilter('always')\n"
            "    table = tw.read_auto(sys.argv[1])\nprint(json.dumps([[str(w.message) for w in found], [m['what'] for m in table.attrs['report']['mended']]]))")  # fmt: skip
    done = product.call(["/usr/bin/env", f"PYTHONPATH={Path(report.binary).parents[1] / 'python'}", PYTHON, "-B", "-c", code, folder / "gpu.csv"])
    said, told = json.loads(done.stdout) if done.code == 0 else ([], [])
    report.judge("Python warns in the same words", any("fault" in w for w in said), str(said or done.stderr)[-110:], "fault")
    report.judge('attrs["report"] has the remark', any("fault" in w for w in told), str(told)[:110], "fault")


GROUPS = {"public_cases": check_public_cases, "mutations": check_mutations, "as_before": check_as_before, "sizes": check_sizes, "faces": check_faces}

__all__ = ["GROUPS"]
