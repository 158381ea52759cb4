"""Processor time of the engine's named runs, against the commit before its redesign on the same machine in the same minutes."""
import re
import shutil
import subprocess
from pathlib import Path

import product

BASE = "5d62fc3"  # its command, built in a clone of its own, is what --base names
DAY = "llama3_405b_day.toml"
RUNS = {  # scenario, overrides, seconds asked and seconds that BASE took where both were measured
    "days54_16384": ("llama3_405b_54days.toml", {}, 60.0, 143.0),
    "year_128": ("year_128.toml", {}, 15.0, 59.0),
    "smoothing_15min_16384": ("smoothing_fast.toml", {}, 6.0, 19.6),
    "island_10min_16384": ("islanding.toml", {}, 0.5, 2.35),
    "day_983040": (DAY, product.fleet(983040), 40.0, 73.5),
}
HOURS_asked_s, HOURS_before_s = 200.0, 273.0
VARIABLES = re.compile(r'^(HOUR|VARIABLES) = """(.*?)"""', re.M | re.S)


def scenarios(binary, folder):
    """The scenarios of the clone that built a command, with today's for timing only, which it may lack, beside them."""
    root = Path(binary).resolve().parents[3]
    shutil.copytree(root / "scenarios", folder)
    for file in (product.ROOT / "scenarios" / "bench").glob("*.toml"):
        shutil.copy(file, folder)
    return folder


def least_s(commands, files, sets, times, out):
    """Least processor time of each command on its file, run in turn."""
    seen = {name: [] for name in commands}
    for _ in range(times):
        for name, command in commands.items():
            done = product.run(command, files[name], out, sets)
            if done.code != 0:
                raise RuntimeError(f"{name}: {done.stderr.strip()[-200:]}")
            seen[name].append(done.cpu_s)
    return {name: min(s) for name, s in seen.items()}


def hours_s(command, folder, n, out):
    """Processor time of n cases of an hour, 1,024 GPUs each, on two workers: the sweep of that commit's own scripts/acceptance/studies."""
    text = dict(VARIABLES.findall((Path(command).resolve().parents[3] / "scripts" / "acceptance" / "studies").read_text(encoding="utf-8")))
    sweep = Path(out) / "hours.toml"
    sweep.write_text(text["HOUR"].format(n=n) + text["VARIABLES"], encoding="utf-8")
    shutil.rmtree(Path(out) / "hours", ignore_errors=True)
    done = product.call([command, "sweep", sweep, "--scenario", folder / DAY, "--out", Path(out) / "hours", "--workers", 2, "--quiet"])
    if done.code != 0:
        raise RuntimeError(done.stderr.strip()[-200:])
    return done.cpu_s


def check(report):
    if not report.base:
        return report.skip("processor times", f"no command of commit {BASE}: --base")
    commands = {"now": report.binary, "base": str(Path(report.base).resolve())}
    root = Path(commands["base"]).parents[3]
    commit = subprocess.run(["git", "-C", root, "rev-parse", "--short=7", "HEAD"], capture_output=True, text=True).stdout.strip()
    if commit != BASE:
        return report.judge("processor times", False, f"{root} is at {commit or 'no commit'}", f"a clone of {BASE}")
    out, times = Path(report.folder.name), 1 if report.quick else 3
    folders = {name: scenarios(command, out / f"scenarios_{name}") for name, command in commands.items()}

    def judge(name, seconds, asked_s, before_s):
        report.at_most(f"{name}: of {BASE}'s time", seconds["now"] / seconds["base"], asked_s / before_s, "", ".3f",
                       f"{seconds['now']:.2f} for {seconds['base']:.2f} s of processor")

    for name, (file, sets, asked_s, before_s) in RUNS.items():
        judge(name, least_s(commands, {n: f / file for n, f in folders.items()}, sets, times, out / "run"), asked_s, before_s)
    n = 32 if report.quick else 200
    turns = [{name: hours_s(command, folders[name], n, out) for name, command in commands.items()} for _ in range(times)]
    judge(f"hours of 1,024 GPUs, {n}", {name: min(t[name] for t in turns) for name in commands}, HOURS_asked_s, HOURS_before_s)
