#!/usr/bin/python3
"""The hottest die of short random runs against the same runs in the reference, which plays every segment; and each job's hottest die, row
by row. A row has the hottest die of all steps with a part in it, so it may be as hot as its neighbours within one iteration.
hottest_die_test.py [--cases N] [--first SEED] [--show]"""
import argparse
import sys
from concurrent.futures import ThreadPoolExecutor

import random_scenarios
import relations
import sweeps

QUICK = 20
# Goals; beyond them, what is known to be missed in the first minutes after a start, while dies rise by 1 to 2 K/s.
LOW_K, ROW_LOW_K = 0.05, 0.1
MOST_LOW_K, MOST_ROW_LOW_K, MOST_OF_RUNS = 0.3, 1.0, 0.2
PARTED = 5e-3  # of tokens: a stop that falls into another iteration makes two runs that are not the same


def judge(seed):
    """Returns None where the two are not the same run; else (K of the run's hottest die above the reference's, the most that a row of a job
    is below the reference's, and above)"""
    scenario = random_scenarios.random_scenario(seed)
    try:
        fast, rows = relations.run(scenario)
        slow, reference = relations.run(scenario, "--reference")
    except relations.Refused:
        return None
    tokens = [sum(j["tokens"] for j in f["jobs"]) for f in (fast, slow)]
    if abs(tokens[0] - tokens[1]) > PARTED * max(tokens) or fast["die_max_degC"] is None:
        return None
    near_s = max(j["iteration_s"] or 0.0 for j in fast["jobs"]) + rows["day/time"][1]
    names = [name for name in rows if name.endswith("/die_max_K")]
    apart = [rows_apart_K(rows["day/time"], rows[name], reference["day/time"], reference[name], near_s) for name in names]
    return fast["die_max_degC"] - slow["die_max_degC"], max((low for low, _ in apart), default=0.0), max((high for _, high in apart), default=0.0)


def rows_apart_K(time_s, row_K, reference_s, reference_K, near_s):
    """Returns the most that a row is below the reference's hottest die at that time, and above its hottest nearby"""
    low = high = 0.0
    for at_s, K in zip(time_s, row_K):
        here = reference_K[abs(reference_s - at_s) < 1e-6]
        if here.size:
            low = max(low, float(here.max() - K))
            high = max(high, float(K - reference_K[abs(reference_s - at_s) <= near_s].max()))
    return low, high


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=QUICK, help="runs that the reference can be compared with")
    parser.add_argument("--first", type=int, default=0, help="seed of the first run")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    found, seed, most_refused = {}, given.first, 3 * given.cases + 10
    with ThreadPoolExecutor(sweeps.workers()) as pool:
        while len(found) < given.cases:
            if seed - given.first - len(found) > most_refused:
                print("too many runs are refused, or unlike their reference")
                return False
            seeds = range(seed, seed + given.cases - len(found))
            for s, judged in zip(seeds, pool.map(judge, seeds)):
                if judged:
                    found[s] = judged
                    if given.show or judged[0] < -LOW_K or judged[1] > ROW_LOW_K:
                        print(f"{s}: hottest die {judged[0]:+.3f} K; rows at most {judged[1]:.3f} K below, {judged[2]:.3f} K above", flush=True)
            seed = seeds.stop
    over, below, above = zip(*found.values())
    n_low, n_row = sum(x < -LOW_K for x in over), sum(x > ROW_LOW_K for x in below)
    print(f"scorecard 24: {len(found)} runs of 1.5 to 5 minutes against the reference: hottest die {min(over):+.3f} to {max(over):+.3f} K, {n_low} more than "
          f"{LOW_K} K below; rows of a job at most {max(below):.3f} K below, {n_row} by more than {ROW_LOW_K} K, at most {max(above):.3f} K above")
    return min(over) >= -MOST_LOW_K and max(below) <= MOST_ROW_LOW_K and n_low <= MOST_OF_RUNS * len(found)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
