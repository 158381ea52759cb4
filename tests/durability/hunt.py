"""What the hunts share: cases of the command run side by side, each judged by how it ended and whether its figures are finite."""
import json
import math
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import sweeps

TIMEOUT_S = 60
MOST = 1e30
REFUSED = (2, 3, 4)  # wrong input, an error of the engine that says where, too large
# Figures that every run has; any other may be null.
ALWAYS = ("simulated_s", "it_mean_MW", "pcc_mean_MW", "pcc_max_MW", "pcc_min_MW", "die_max_degC", "energy_closure")


class Tally:
    """Counts over a hunt, and the cases behind them."""

    def __init__(self):
        self.n = self.crashes = self.hangs = self.non_finite = self.refused = 0
        self.worst_closure = self.worst_input = 0.0
        self.found = []

    def add(self, name, outcome):
        self.n += 1
        code, text, figures, broken = outcome
        if code is None:
            self.hangs += 1
            self.found.append(f"{name}: hangs beyond {TIMEOUT_S} s")
        elif code in REFUSED and text.strip():
            self.refused += 1
            if re.search(r"\bnan\b|\binf\b", text, re.IGNORECASE) and not re.search(r"hall\.|event\.|site\.|job\.", text):
                self.non_finite += 1
                self.found.append(f"{name}: an error without a place: {text.strip()[:200]}")
        elif code != 0:
            self.crashes += 1
            self.found.append(f"{name}: ends with {code}: {text.strip()[:200]}")
        elif broken:
            self.non_finite += 1
            self.found.append(f"{name}: {', '.join(broken[:5])}")
        if figures:
            self.worst_closure = max(self.worst_closure, figures.get("energy_closure") or 0.0)
            self.worst_input = max(self.worst_input, figures.get("input_energy_error") or 0.0)


def numbers(value, path):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from numbers(inner, f"{path}[{i}]")
    elif isinstance(value, float):
        yield path, value


def broken_figures(figures, result):
    """What is not finite or beyond 1e30, in the summary and the arrays; NaN in an array marks a missing value."""
    out = [f"{path} = {x}" for path, x in numbers(figures, "") if not math.isfinite(x) or abs(x) > MOST]
    out += [f"{key} is null" for key in ALWAYS if figures.get(key) is None]
    try:
        import h5py
        import numpy as np
    except ImportError:
        return out
    with h5py.File(result) as file:
        def visit(name, item):
            if isinstance(item, h5py.Dataset) and item.dtype.kind == "f":
                x = item[()]
                if np.isinf(x).any() or (np.abs(x[np.isfinite(x)]) > MOST).any():
                    out.append(f"/{name} holds infinities or more than 1e30")
        file.visititems(visit)
    return out


def run_case(scenario, sets):
    """(exit code or None after a minute, stderr, figures, what is broken) of one run."""
    with tempfile.TemporaryDirectory(prefix="tidewatt_hunt_") as scratch:
        result = Path(scratch) / "result.h5"
        command = [sweeps.CLI, "run", str(scenario), "--quiet", "--json", "--no-interval", "--threads", "1", "--out", str(result)]
        for key, value in sets:
            command += ["--set", f"{key}={value}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return None, "", {}, []
        if done.returncode != 0:
            return done.returncode, done.stderr, {}, []
        figures = json.loads(done.stdout)
        return 0, done.stderr, figures, broken_figures(figures, figures.get("result_file") or result)


def hunt(cases, show=False):
    """Runs (name, scenario, sets) over all cores."""
    tally = Tally()
    workers = sweeps.workers()
    cases = list(cases)
    with ThreadPoolExecutor(workers) as pool:
        for (name, _, _), outcome in zip(cases, pool.map(lambda c: run_case(c[1], c[2]), cases)):
            before = len(tally.found)
            tally.add(name, outcome)
            if show or len(tally.found) > before:
                print(f"{name}: {tally.found[-1] if len(tally.found) > before else outcome[0]}", flush=True)
    return tally


def bounds(scenario, key):
    """The allowed range of a number, as `check` says it; None if the scenario has no such key."""
    said = subprocess.run([sweeps.CLI, "check", str(scenario), "--set", f"{key}=-1e300"], capture_output=True, text=True, errors="replace").stderr
    match = re.search(re.escape(key) + r": \S+ is outside (\S+) to (\S+)", said)
    if match is None:
        said = subprocess.run([sweeps.CLI, "check", str(scenario), "--set", f"{key}=-9000000000000000"], capture_output=True, text=True, errors="replace").stderr
        match = re.search(re.escape(key) + r": \S+ is outside (\S+) to (\S+)", said)
    return (match.group(1).rstrip(","), match.group(2).rstrip(",")) if match else None
