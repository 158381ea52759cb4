"""Two campuses share 30 MW: every minute a coordinator divides them by power caps.

    python two_campuses.py

The one in the south stops for three quarters of an hour of maintenance. Meanwhile the one in the north may use what the south leaves. The baseline
gives each campus half of the limit for good: the highest fixed cap, in whole watts, with which both together hold the limit in every minute.

A campus answers a cap with P = a + b cap, where b is its number of GPUs: one watt of cap is one watt of every GPU. What the other one
leaves unused is known only while it stands. So a campus that starts has its half back before its processes load.
"""
from pathlib import Path

import tidewatt as tw

DAY = Path(__file__).resolve().parents[2] / "scenarios" / "llama3_405b_day.toml"
LIMIT_W = 30e6
PERIOD_S = 60.0
MAINTENANCE_S = (2700.0, 5400.0)
# A minute holds nine iterations and a part of one: the mean of each campus is uncertain by about that part's share of its swing [assumed].
MARGIN_FRAC = 0.015


def campus(hours=2):
    """16,384 GPUs on a hot afternoon."""
    return tw.load(DAY, set={"run.start": "2024-07-20T12:00:00", "run.duration_h": hours})


def minutes_W(result):
    """Minute means of the connection's power."""
    return result["pyramid_60s"].pcc_mean_W.values


def fixed_cap(scenario, limit_W, low_W=400, high_W=700):
    """The highest fixed cap in whole watts that holds the limit in every minute."""
    best = low_W
    while low_W <= high_W:
        cap_W = (low_W + high_W) // 2
        if minutes_W(tw.run(scenario.with_set({"hall.a.cap_W": cap_W}))).max() <= limit_W:
            best, low_W = cap_W, cap_W + 1
        else:
            high_W = cap_W - 1
    return best


def stands(engine):
    return engine.read("job.main.state") in ("queued", "maintenance", "done")


def drive(scenario, cap_W, coordinated, first=0):
    """Both campuses to their end, minute by minute; `first` is advanced first.

    Returns tokens, the largest minute of both together, and the payload hashes of north and south.
    """
    north, south = campuses = [tw.Engine(scenario), tw.Engine(scenario)]
    n_gpu = sum(hall["n_gpu"] for hall in scenario.halls)
    most_W = next(p for p in north.ports() if p["name"] == "hall.a.cap_W")["high"]
    for engine in campuses:
        engine.write("hall.a.cap_W", cap_W)
    largest_W, caps_W = 0.0, [float(cap_W), float(cap_W)]
    for k in range(1, round(scenario.duration_s / PERIOD_S) + 1):
        for i in (first, 1 - first):
            campuses[i].advance_to(k * PERIOD_S)
        drawn_W = [engine.read("pcc_W") for engine in campuses]
        largest_W = max(largest_W, sum(drawn_W))
        south.write("job.main.paused", float(MAINTENANCE_S[0] <= k * PERIOD_S < MAINTENANCE_S[1]))
        if not coordinated:
            continue
        for i, engine in enumerate(campuses):
            other = campuses[1 - i]
            if stands(other) and engine.read("job.main.state") == "iterate":
                left_W = (1.0 - MARGIN_FRAC) * LIMIT_W - drawn_W[1 - i] - drawn_W[i]
                caps_W[i] = min(most_W, max(cap_W, caps_W[i] + left_W / n_gpu))
            else:
                caps_W[i] = float(cap_W)
            engine.write("hall.a.cap_W", caps_W[i])
    tokens = sum(engine.read("job.main.tokens") for engine in campuses)
    return tokens, largest_W, [engine.finish().payload_sha256 for engine in campuses]


def main(scenario=None):
    """Returns the coordinated campuses' tokens over the baseline's, the largest minute of either, and both orders' hashes."""
    scenario = scenario or campus()
    cap_W = fixed_cap(scenario, 0.5 * LIMIT_W)
    fixed, fixed_W, _ = drive(scenario, cap_W, coordinated=False)
    while fixed_W > LIMIT_W:  # the restart after the maintenance draws more than an undisturbed run
        cap_W -= 1
        fixed, fixed_W, _ = drive(scenario, cap_W, coordinated=False)
    # Minutes cut the iterations elsewhere once the caps have moved: the coordinated campuses may need another watt less.
    own_W = cap_W
    shared, shared_W, hashes = drive(scenario, own_W, coordinated=True)
    while shared_W > LIMIT_W:
        own_W -= 1
        shared, shared_W, hashes = drive(scenario, own_W, coordinated=True)
    _, _, swapped = drive(scenario, own_W, coordinated=True, first=1)
    gain = shared / fixed - 1.0
    print(f"half each, {cap_W} W per GPU: at most {fixed_W / 1e6:.2f} MW in a minute, {fixed:.4g} tokens")
    print(f"coordinated: at most {shared_W / 1e6:.2f} MW in a minute, {shared:.4g} tokens, {100 * gain:+.2f} %")
    return gain, fixed_W, shared_W, hashes, swapped


if __name__ == "__main__":
    main()
