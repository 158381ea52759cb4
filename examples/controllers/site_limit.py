"""Holds a site's quarter-hour means below a limit by moving every GPU's power cap.

    python site_limit.py [SCENARIO.toml]

The baseline is the highest fixed cap, in whole watts, that holds the limit in every quarter hour. It has to hold it in the hottest
one, so it leaves power unused in all others. The controller spends what is left of each quarter hour's energy.

The site answers a cap with P = a + b cap. b is known: one watt of cap on every GPU is one watt of every GPU at work, through the
servers' and the feeder's efficiency. a is whatever the weather makes of it, and is measured anew in every control period.
"""
import sys
from pathlib import Path

import tidewatt as tw

DAY = Path(__file__).resolve().parents[2] / "scenarios" / "llama3_405b_day.toml"
LIMIT_W = 14.5e6
WINDOW_S = 900.0
PERIOD_S = 300.0
# Of a quarter hour: the meter's class [assumed], and what one iteration more or less at its end moves, or a step of the servers' fans.
MARGIN_FRAC = 1.5e-3


def windows_W(result):
    """Quarter-hour means of the connection's power."""
    minutes = result["pyramid_60s"].pcc_mean_W.values
    return minutes[: len(minutes) // 15 * 15].reshape(-1, 15).mean(axis=1)


def tokens(result):
    """Of the whole run."""
    hours = result["hourly"]
    return float((hours.throughput_tokens_per_s * hours.iterating_s).sum())


def fixed_cap(scenario, limit_W, low_W, high_W):
    """The highest fixed cap in whole watts that holds the limit in every quarter hour, and its run."""
    best = None
    while low_W <= high_W:
        cap_W = (low_W + high_W) // 2
        result = tw.run(scenario.with_set({"hall.a.cap_W": cap_W}))
        if windows_W(result).max() <= limit_W:
            best, low_W = (cap_W, result), cap_W + 1
        else:
            high_W = cap_W - 1
    return best


def controlled(scenario, limit_W):
    """The same day with the controller."""
    engine = tw.Engine(scenario)
    cap = next(p for p in engine.ports() if p["name"] == "hall.a.cap_W")
    watts_per_cap_watt = sum(hall["n_gpu"] for hall in scenario.halls)
    cap_W, energy_J = cap["low"], 0.0
    engine.write("hall.a.cap_W", cap_W)
    for k in range(1, round(scenario.duration_s / PERIOD_S) + 1):
        t_s = k * PERIOD_S
        engine.advance_to(t_s)
        measured_W = engine.read("pcc_W")
        energy_J += measured_W * PERIOD_S
        left_s = WINDOW_S - t_s % WINDOW_S
        if left_s == WINDOW_S:
            energy_J = 0.0
        allowed_W = ((1.0 - MARGIN_FRAC) * limit_W * WINDOW_S - energy_J) / left_s
        # While the job loads or waits its power says nothing about the cap.
        if engine.read("job.main.state") == "iterate":
            cap_W = min(cap["high"], max(cap["low"], cap_W + (allowed_W - measured_W) / watts_per_cap_watt))
            engine.write("hall.a.cap_W", cap_W)
    return engine.finish()


def main(scenario=None, limit_W=LIMIT_W):
    """Returns the tokens of the controller over those of the fixed cap, and either run's largest quarter hour."""
    scenario = scenario or tw.load(DAY)
    cap_W, fixed = fixed_cap(scenario, limit_W, 400, 700)
    moved = controlled(scenario, limit_W)
    gain = tokens(moved) / tokens(fixed) - 1.0
    for name, run in ((f"fixed cap of {cap_W} W", fixed), ("controller", moved)):
        w = windows_W(run)
        print(f"{name:>20}: quarter hours at most {w.max() / 1e6:.3f} MW, {w.mean() / 1e6:.3f} MW on average, "
              f"{tokens(run):.4g} tokens")  # fmt: skip
    print(f"{'controller':>20}: {100 * gain:+.2f} % tokens")
    return gain, windows_W(fixed).max(), windows_W(moved).max()


if __name__ == "__main__":
    main(tw.load(sys.argv[1]) if len(sys.argv) > 1 else None)
