#!/usr/bin/python3
"""Random legal scenarios and what must hold within each and between it and a variant: limits, orders, columns, closed books; renamed,
reordered, doubled, split, capped. metamorphic_hunt_test.py [--cases N] [--first SEED] [--show]"""
import argparse
import collections
import random
import sys
from concurrent.futures import ThreadPoolExecutor

import random_scenarios
import relations
import sweeps

QUICK = 200  # a tenth of the whole hunt


def judge(seed):
    """Returns (relation, what is broken or None, whether the scenario is refused)"""
    rng = random.Random(seed)
    name = rng.choice(list(relations.RELATIONS))
    scenario = random_scenarios.random_scenario(seed)
    try:
        figures, arrays = relations.run(scenario)
    except relations.Refused:
        return name, None, True
    except relations.Broken as error:
        return "within one", str(error), False
    if broken := relations.within_one(scenario, figures, arrays):
        return "within one", broken, False
    try:
        return name, relations.RELATIONS[name](scenario, figures, rng), False
    except relations.Refused:
        return name, None, False
    except relations.Broken as error:
        return name, str(error), False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=QUICK)
    parser.add_argument("--first", type=int, default=0, help="seed of the first case")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    tried, broken, n_refused = collections.Counter(), [], 0
    seeds = range(given.first, given.first + given.cases)
    with ThreadPoolExecutor(sweeps.workers()) as pool:
        for seed, (name, why, refused) in zip(seeds, pool.map(judge, seeds)):
            tried[name] += not refused
            n_refused += refused
            if why:
                broken.append((name, seed))
                print(f"{seed}: {name}: {why}", flush=True)
            elif given.show:
                print(f"{seed}: {name}: {'refused' if refused else 'holds'}", flush=True)
    ordered = [name for name in ("reordering", "splitting", "idle_order", "two_orders", "apart", "more_pause") if tried[name]]
    for row, names in ((23, ordered), (25, ["doubling"]), (26, ["within one"])):
        n_broken = sum(name in names for name, _ in broken)
        n_case = given.cases - n_refused if row == 26 else sum(tried[name] for name in names)
        print(f"scorecard {row}: {n_case} random scenarios, {n_broken} broken")
    print(f"{given.cases} cases, {n_refused} refused, {len(broken)} broken; " + ", ".join(f"{name} {n}" for name, n in sorted(tried.items())))
    if n_refused > 0.3 * given.cases:
        print("too many refused: the scenarios are not legal ones")
        return False
    return not broken


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
