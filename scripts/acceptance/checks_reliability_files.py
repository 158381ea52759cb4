"""Acceptance of files and ends: damaged results and checkpoints through every reader, what a checkpoint knows of its inputs,
signals, full disks, closed standard files. The tests in tests/durability do the work; here their figures are judged."""
import os
import re
import subprocess
from pathlib import Path

from product import ROOT, keep_figures

DURABILITY = ROOT / "tests" / "durability"


def run_test(report, name, *arguments, timeout_s=3600):
    """A durability test against the command under check. Returns exit code, standard output and error together"""
    build = Path(report.binary).parents[1]
    shim = next(build.rglob("libtidewatt_fail_shim.so"), None)
    environment = {**os.environ, "TIDEWATT": str(report.binary), "PYTHONPATH": str(build / "python")}
    if shim:
        environment["TIDEWATT_SHIM"] = str(shim)
    done = subprocess.run(["/usr/bin/python3", "-B", DURABILITY / f"{name}_test.py", *map(str, arguments)], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout_s)  # fmt: skip
    keep_figures(report, f"durability.{name}" + ("" if report.quick or name not in ("readers", "damage") else "_all"), done.stdout)
    return done.returncode, done.stdout


def last_line(text):
    return text.strip().splitlines()[-1] if text.strip() else "no output"


def check_readers(report):
    """2,000 one-bit flips and 500 truncations of a result and of a checkpoint through every reader; --quick: a tenth."""
    code, text = run_test(report, "readers", *((100, 25) if report.quick else (2000, 500)))
    counts = re.search(r"(\d+) readings: (\d+) silent, (\d+) crashes", text)
    report.judge("damaged results and checkpoints, every reader", code == 0 and counts is not None and counts[2] == counts[3] == "0",
                 last_line(text), "0 silent, 0 crashes")  # fmt: skip


def check_sweep_files(report):
    """The same for the files of a sweep, by sweep --verify."""
    code, text = run_test(report, "damage", 200 if report.quick else 2000)
    report.judge("damaged files of a sweep", code == 0, last_line(text), "0 undetected")


def check_units(report, name, what):
    """A durability test that is a set of cases."""
    code, text = run_test(report, name)
    ran = re.search(r"Ran (\d+) tests?", text)
    skipped = re.search(r"skipped=(\d+)", text)
    got = f"{ran[1] if ran else 0} cases, {skipped[1] if skipped else 0} skipped, exit code {code}"
    failed = re.findall(r"^(?:FAIL|ERROR): (\S+)", text, re.M)
    report.judge(what, code == 0 and ran is not None, got + (f": {', '.join(failed)}" if failed else ""), "all pass")


def check_resume(report):
    """--resume refuses by name what changed."""
    check_units(report, "resume", "a checkpoint knows its inputs")


def check_ends(report):
    """Signals, tried outputs, closed standard files, reports on a failing disk."""
    check_units(report, "ends", "how commands end")


def check(report):
    for part in (check_readers, check_sweep_files, check_resume, check_ends):
        part(report)
