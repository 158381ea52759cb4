#!/usr/bin/python3
"""Every GPU x server or rack x network x plant of the catalog is checked; what fits runs for 60 s in a pairwise covering set, what does not
is refused with what fits instead. combinations_test.py [--list]"""
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tidewatt as tw

BINARY = os.environ["TIDEWATT"]
KINDS = ("gpu", "house", "network", "plant")  # a house is a server or a rack
# Start-up is cut short: within 60 s every job is to train.
SHORT = {"run.duration_h": 60 / 3600, "job.main.life.initialise_base_s": 1, "job.main.life.arrive_s": 0, "job.main.life.warm_up_s": 1, "record.window.sample.start_s": 40,
         "record.window.sample.duration_s": 10}
MOST_PUE, MOST_CLOSURE, LIMIT_S = 2.5, 1e-9, 300.0
POSITIVE = ("iteration_s", "tokens_per_s_mean", "tokens_per_J", "tflops_per_gpu", "clock_slowest_MHz", "it_mean_MW", "pcc_mean_MW", "pcc_min_MW",
            "n_rack", "scale_up_gpus", "peak_FLOP_per_s")
MAY_BE_NEGATIVE = ("capacity_margin_min_percent",)


def hardware_of(combination):
    gpu, (kind, name), network, plant = combination
    return {"gpu": gpu, kind: name, "network": network, "plant": plant}


def checked(catalog):
    """All combinations: those that fit, the number of those refused, and those refused without saying what fits."""
    houses = [(kind, name) for kind in ("server", "rack") for name in catalog.names(kind)]
    fit, n_refused, silent = [], 0, []
    for combination in itertools.product(catalog.names("gpu"), houses, catalog.names("network"), catalog.names("plant")):
        wrong = catalog.misfits(**hardware_of(combination))
        if not wrong:
            fit.append(combination)
            continue
        n_refused += 1
        if not all(any(word in message for word in ("what fits:", "of the catalog fits", " holds ")) for _, message in wrong):
            silent.append((combination, wrong))
    return fit, n_refused, silent


def pairs_of(combination):
    return {(i, combination[i], j, combination[j]) for i, j in itertools.combinations(range(len(KINDS)), 2)}


def covering(fit):
    """Few of the combinations that fit, so that each two entries that occur together in any of them do so in one of these (greedy)."""
    left = set().union(*map(pairs_of, fit))
    chosen = []
    while left:
        best = max(fit, key=lambda c: len(pairs_of(c) & left))
        chosen.append(best)
        left -= pairs_of(best)
    return chosen


def numbers(value, path=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from numbers(inner, f"{path}[{i}]")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value


def nonsense(figures):
    """What no site can have."""
    out = [f"{path} = {x}" for path, x in numbers(figures) if not math.isfinite(x)]
    out += [f"{path} = {x}" for path, x in numbers(figures) if x < 0 and path.split(".")[0] not in MAY_BE_NEGATIVE and "order" not in path]
    out += [f"{key} = {figures.get(key)}" for key in POSITIVE if not (figures.get(key) or 0) > 0]
    if not 1.0 <= (figures.get("pue") or 0.0) <= MOST_PUE:
        out.append(f"pue = {figures.get('pue')}")
    if not figures["energy_closure"] <= MOST_CLOSURE:
        out.append(f"energy_closure = {figures['energy_closure']}")
    return out


def run(combination, folder, number):
    """What is wrong with it, and its figures."""
    file = Path(folder) / f"case_{number}.toml"
    try:
        tw.new(**hardware_of(combination), model="llama3_8b").with_set(SHORT).save(file)
    except tw.InputError as error:
        return [f"fits, yet cannot be written: {error}"], {}
    done = subprocess.run([BINARY, "run", file, "--json", "--no-interval", "--quiet", "--threads", "1", "--out", folder], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return [f"ends with {done.returncode}: {done.stderr.strip()[:300]}"], {}
    figures = json.loads(done.stdout)
    Path(figures["result_file"]).unlink()
    figures.pop("defaults")
    return nonsense(figures), figures


def spent_s():
    """Processor time of this test and of the runs that have ended, s: a busy machine does not change it."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main(show):
    begin_s = spent_s()
    catalog = tw.Catalog()
    fit, n_refused, silent = checked(catalog)
    checked_s = spent_s() - begin_s
    chosen = covering(fit)
    failures = [f"refused without what fits: {combination}: {wrong}" for combination, wrong in silent[:10]]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda item: run(item[1], folder, item[0]), enumerate(chosen)))
    pue, closure = [], [0.0]
    for combination, (wrong, figures) in zip(chosen, outcomes):
        failures += [f"{combination}: {', '.join(wrong)}"] if wrong else []
        if figures:
            pue.append(figures["pue"])
            closure.append(figures["energy_closure"])
        if show:
            print(combination, figures.get("pue"), figures.get("iteration_s"), figures.get("tokens_per_J"))
    total_s = spent_s() - begin_s
    for failure in failures:
        print(failure)
    covered = {name for combination in chosen for name in combination}
    left_out = [name for kind in ("gpu", "server", "rack", "network", "plant") for name in catalog.names(kind)
                if name not in covered and (kind, name) not in covered]
    print(f"in no combination that fits: {', '.join(left_out) or 'none'}")
    print(f"{len(fit) + n_refused} combinations checked in {checked_s:.1f} s of processor: {len(fit)} fit, {n_refused} refused, {len(silent)} of them without what fits")
    print(f"{len(chosen)} runs of 60 s cover every pair; PUE {min(pue, default=0):.3f} to {max(pue, default=0):.3f}, energy closes to {max(closure):.1e}; "
          f"{len(failures)} defects, {total_s:.0f} s of processor")
    return not failures and total_s <= LIMIT_S


if __name__ == "__main__":
    sys.exit(0 if main("--list" in sys.argv) else 1)
