#!/usr/bin/python3
"""All pairs of bounds of a small scenario's keys, and each shipped scenario at the bounds of its own keys: every run ends, refused
with a finding or with finite figures. bounds_pairs_test.py [--show] [--quick]"""
import itertools
import sys

import hunt
import sweeps

TINY = sweeps.ROOT / "tests" / "scenarios" / "tiny.toml"
SHORT = [("run.duration_h", 0.004), ("record.window.sample.start_s", 1), ("record.window.sample.duration_s", 5)]
# Sizes and lengths alone set how long a run takes: they are not hunted here (admission refuses what is too large).
KEYS = ["run.macro_step_s", "run.macro_step_max_s", "run.tolerance_K", "run.replica_groups", "run.seed",
        "hall.a.servers_per_rack", "hall.a.racks_per_row", "hall.a.recirculation_frac", "hall.a.recirculation_sigma_ratio",
        "hall.a.cap_W", "hall.a.clock_lock_MHz", "hall.a.gpu.governor.cap_margin_W", "hall.a.gpu.governor.thermal_target_degC",
        "hall.a.gpu.governor.window_s", "job.main.plan.tp_overlap_frac", "job.main.life.start_s", "job.main.life.warm_up_s",
        "job.main.life.checkpoint_interval_s", "job.main.life.detect_s", "job.main.life.soft_start_s", "job.main.life.soft_stages",
        "site.rules_from_s", "site.rules_until_s", "record.window.sample.start_s"]


def at_bounds(scenario, keys):
    for key in keys:
        allowed = hunt.bounds(scenario, key)
        for value in allowed or ():
            yield key, value


def pairs():
    singles = list(at_bounds(TINY, KEYS))
    for key, value in singles:
        yield f"{key}={value}", TINY, [*SHORT, (key, value)]
    for one, other in itertools.combinations(singles, 2):
        if one[0] != other[0]:
            yield f"{one[0]}={one[1]} {other[0]}={other[1]}", TINY, [*SHORT, one, other]


def shipped():
    for scenario in sorted((sweeps.ROOT / "scenarios").glob("*.toml")):
        short = [("run.duration_h", 0.004)]
        yield scenario.stem, scenario, short
        for key, value in at_bounds(scenario, KEYS):
            yield f"{scenario.stem} {key}={value}", scenario, [*short, (key, value)]


def main(show, quick):
    cases = list(pairs())
    n_pair = len(cases)
    if not quick:
        cases += shipped()
    tally = hunt.hunt(cases[:: 40 if quick else 1], show)
    print(f"of these {tally.n - n_pair if not quick else 0} are shipped scenarios at bounds; {tally.refused} refused")
    print(f"{tally.n} pairs, {tally.crashes} crashes, {tally.hangs} hangs, {tally.non_finite} non-finite")
    return tally.crashes + tally.hangs + tally.non_finite == 0 and (quick or n_pair >= 576)


if __name__ == "__main__":
    sys.exit(0 if main("--show" in sys.argv, "--quick" in sys.argv) else 1)
