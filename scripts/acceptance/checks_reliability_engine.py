"""Acceptance of reliability in the engine: bounds that crash together, figures that are finite, sites that lose their power."""
import os
import re
import subprocess
import sys
from pathlib import Path

from product import ROOT, keep_figures

TINY = ROOT / "tests" / "scenarios" / "tiny.toml"
DURABILITY = ROOT / "tests" / "durability"


def last_line(report, script, *more):
    """The last line of a hunt with this command; it prints its figures there."""
    environment = {**os.environ, "TIDEWATT": report.binary}
    done = subprocess.run([sys.executable, "-B", DURABILITY / script, *more], capture_output=True, text=True, env=environment, check=False)
    keep_figures(report, f"durability.{script.removesuffix('_test.py')}_{'quick' if report.quick else 'long'}", done.stdout)
    lines = done.stdout.strip().splitlines()
    return done.returncode, lines[-1] if lines else done.stderr.strip()[-200:]


def check_hunts(report):
    """All pairs of bounds, and every kind of event at every time; with --quick a few of each."""
    more = ["--quick"] if report.quick else []
    for name, script in (("pairs of bounds", "bounds_pairs_test.py"), ("events", "events_hunt_test.py")):
        code, line = last_line(report, script, *more)
        clean = re.search(r"\b0 crashes, 0 hangs, 0 non-finite", line) is not None
        report.judge(f"hunt: {name}", code == 0 and clean, line, "0 crashes, 0 hangs, 0 non-finite")


def tiny_run(report, more, sets):
    """The tiny scenario with more tables behind it."""
    path = Path(report.folder.name) / f"reliability_{report.n_run}.toml"
    path.write_text(TINY.read_text(encoding="utf-8") + more, encoding="utf-8")
    return report.run(path, sets)


def check_black_out(report):
    """400 s without power in a run of 600 s against what its parts give alone."""
    event = '\n[[event]]\nname = "e"\nkind = "utility_loss"\nat_s = 100\nduration_s = 400\n'
    dark = tiny_run(report, event, {"run.duration_h": 600 / 3600}).json
    part = {"run.duration_h": 100 / 3600}
    before = tiny_run(report, "", part).json
    after = tiny_run(report, "", {**part, "job.main.life.start_s": 10}).json  # the 10 s of detection replace the queue
    energy = [x["it_mean_MW"] * x["simulated_s"] for x in (dark, before, after)]
    tokens = [x["jobs"][0]["tokens"] for x in (dark, before, after)]
    drawn = [x["pcc_mean_MW"] * x["simulated_s"] for x in (before, after)]
    per_iteration = 64 * 8192
    pue = sum(drawn) / (energy[1] + energy[2])
    worked_s = after["jobs"][0]["iterating_s"]
    report.at_most("black-out: IT energy against its parts", abs(energy[0] / (energy[1] + energy[2]) - 1), 0.005, "relative", ".2g")
    report.at_most("black-out: tokens against its parts", abs(tokens[0] - tokens[1] - tokens[2]) / per_iteration, 1.0, "iterations", ".2f")
    report.at_most("black-out: PUE against its parts", abs(dark["pue"] / pue - 1), 0.02, "relative", ".2g")
    # Kept work: all iterating after the return, the cut iteration at the end included.
    iteration_s = before["iteration_s"]
    report.within("black-out: effective time", dark["effective_time_percent"] * 595 / 100 - worked_s, -1e-6, iteration_s, "s beyond whole iterations")
    report.within("black-out: interruptions by power", dark["n_interruptions_power"], 1, 1, "", "d")
    report.within("black-out: time without power", dark["power_lost_s"], 400, 400, "s", ".3f")
    report.at_most("black-out: energy closure", dark["energy_closure"], 1e-11, form=".1e")


CHECKS = {"hunts": check_hunts, "black_out": check_black_out}
