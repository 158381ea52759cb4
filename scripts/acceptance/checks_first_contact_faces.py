"""Acceptance of Python, notebooks and documentation: each line is a test of the repository, run as everybody runs it."""
import os
import subprocess
import sys
from pathlib import Path

from product import ROOT

# pytest file -> what it holds
PYTHON_TESTS = {
    "test_every_command.py": "Python has every command and option, with the same figures",
    "test_copies.py": "scenarios and results are copied, pickled and sent to other processes; pictures take ax",
    "test_docs_code.py": "code in README and docs runs; commands name options that exist",
    "test_notebooks.py": "stored outputs of the notebooks are those of a run",
}
NAMES = ["run", "sweep", "size", "compare", "machines", "plant", "validate", "explain", "new", "schema", "Engine", "Catalog", "fit_gpu",
         "fit_nodes", "fit_fans", "fit_overhead"]  # fmt: skip


def environment(report):
    build = Path(report.binary).parents[1]
    return {**os.environ, "PYTHONPATH": str(build / "python"), "TIDEWATT_CLI": report.binary, "PYTHONDONTWRITEBYTECODE": "1"}


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def python(report):
    code = f"import tidewatt as tw; print(sorted(set({NAMES!r}) - set(tw.__all__)), [n for n in ('export', 'plot', 'frame', 'machines', 'explain') if not hasattr(tw.Result, n)])"
    done = subprocess.run([sys.executable, "-c", code], env=environment(report), capture_output=True, text=True)
    report.judge("tw.__all__ and Result cover the contract", done.stdout.strip() == "[] []", done.stdout.strip() or done.stderr[-300:], "nothing absent")
    for file, what in PYTHON_TESTS.items():
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "tests" / "python" / file],
                              env=environment(report), capture_output=True, text=True)  # fmt: skip
        report.judge(what, done.returncode == 0, last_line(done.stdout), "all pass")


def prose(report):
    done = subprocess.run([ROOT / "scripts" / "prose_figures", "--bin", report.binary, *([] if report.quick else ["--long"])],
                          capture_output=True, text=True)  # fmt: skip
    report.judge("figures in the prose are those of the runs", done.returncode == 0, last_line(done.stdout), "none says otherwise")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    report.judge("README: one screen and a half", text.count("\n") <= 90 and len(text) <= 4500, f"{text.count(chr(10))} lines, {len(text)} characters", "90 lines, 4,500 characters")


def site(report):
    done = subprocess.run([sys.executable, "-B", ROOT / "tests" / "scripts" / "docs_test.py"], env=environment(report), capture_output=True, text=True)
    if done.returncode == 77:
        report.skip("the site builds without network and without a warning", last_line(done.stdout))
        return
    report.judge("the site builds without network and without a warning", done.returncode == 0, last_line(done.stdout + done.stderr), "no warning")


GROUPS = {"python": python, "prose": prose, "site": site}
