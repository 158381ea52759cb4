"""Acceptance of the fleet part of a run's interval: medians of the day with this part alone, as `--all` prints them, against complete runs of
forty seeds, and their errors. The total's median has those of inputs, weather and model too, which forty fleets of one day do not have."""
import statistics

import product
from product import DAY

SEEDS = range(1, 41)
SIZES = (16384, 2048, 512)
# Key, unit, largest distance of the medians: points of swing, shares of the others.
KEYS = (("throughput_swing_percent", "points", 0.1), ("clock_slowest_MHz", "MHz", 0.002), ("tokens_per_s_mean", "1/s", 0.001))
ERROR_points = 0.03
NEAR = {"throughput_swing_percent": 0.05, "clock_slowest_MHz": 0.002, "tokens_per_s_mean": 0.001}


def allowed(key, limit, value):
    return limit if key == "throughput_swing_percent" else limit * value


def medians_of_runs(report, n_gpu):
    """Medians over complete runs of all seeds, by key."""
    cases = [(DAY, {**product.fleet(n_gpu), "run.seed": seed}, []) for seed in SEEDS]
    runs = [o.json for o in report.runs(cases)]
    return {key: statistics.median(r[key] for r in runs) for key, _, _ in KEYS}


def check_medians(report):
    for n_gpu in SIZES[1:] if report.quick else SIZES:
        wanted = medians_of_runs(report, n_gpu)
        found = report.run(DAY, product.fleet(n_gpu), "--threads", 1, interval=True).json
        fleet = found["interval"]["parts"]["fleet"]
        report.judge(f"{n_gpu} GPUs: fleets drawn", fleet["n_draw"] >= 200 and fleet["n_failed"] == 0,
                     f"{fleet['n_draw']}, {fleet['n_failed']} failed", "at least 200, none failed")
        for key, unit, limit in KEYS:
            ends = [fleet[f"{key}_{p}"] for p in ("p05", "p50", "p95")]
            report.judge(f"{n_gpu} GPUs: {key} in order", ends == sorted(ends), " ".join(f"{x:.6g}" for x in ends), "p05, p50, p95")
            off = abs(ends[1] - wanted[key])
            report.at_most(f"{n_gpu} GPUs: {key}, median", off, allowed(key, limit, wanted[key]), unit, note=f"{ends[1]:.6g}, runs {wanted[key]:.6g}")
        error = fleet["median_error"]["throughput_swing_percent"] * fleet["throughput_swing_percent_p50"]
        report.at_most(f"{n_gpu} GPUs: standard error of the swing's median", error, ERROR_points, "points")


def check_seeds(report):
    """Nine of ten pairs of runs of different seeds have almost the same medians."""
    n_gpu = 2048 if report.quick else 16384
    runs = [o.json["interval"]["parts"]["fleet"] for o in report.runs([(DAY, {**product.fleet(n_gpu), "run.seed": seed}, []) for seed in range(1, 21)], interval=True)]
    for key, near in NEAR.items():
        medians = [r[f"{key}_p50"] for r in runs]
        pairs = zip(medians[::2], medians[1::2])
        n = sum(abs(a - b) <= allowed(key, near, a) for a, b in pairs)
        report.judge(f"{n_gpu} GPUs: {key}, pairs of seeds", n >= 9, f"{n} of 10", "at least 9")


GROUPS = {"fleet-medians": check_medians, "fleet-seeds": check_seeds}
SLOW = ["fleet-seeds"]
