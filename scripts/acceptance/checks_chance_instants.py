"""Acceptance of the chance of an event's instant: what `run` says of it is what whole runs with a moved event give."""
import statistics

import product
from product import ROOT

SCENARIOS = ROOT / "scenarios"
KEYS = ("pcc_max_MW", "pcc_step_1s_max_MW", "pcc_ramp_up_max_MW_per_s", "pcc_ramp_down_max_MW_per_s")
EVENTS = {"power_brake": ("brake", 1200.5), "curtailment_tiers": ("order", 3600.0), "llama3_405b_transients": ("host_failure", 423.0)}
SMALL = 0.03  # of the figure: a spread below it is none


def quantile(values, share):
    """By the line between neighbours, as numpy does."""
    x = sorted(values)
    at = share * (len(x) - 1)
    low = int(at)
    return x[low] + (at - low) * (x[min(low + 1, len(x) - 1)] - x[low])


def part_of(report, scenario):
    """The figures of `run`, the ends of its instant part {key: (p05, p95)}, and the largest {key: K_event_max}."""
    out = product.run(report.binary, SCENARIOS / f"{scenario}.toml", f"{report.folder.name}/{scenario}.h5", interval=True, more=["--threads", 1])
    run = out.json
    part = run["interval"]["parts"]["instant"]
    ends = {k: (part.get(f"{k}_p05") or run[k], part.get(f"{k}_p95") or run[k]) for k in KEYS}
    return run, part, ends, {k: run.get(f"{k}_event_max") or run[k] for k in KEYS}


def moved_runs(report, scenario, iteration_s, n):
    event, at_s = EVENTS[scenario]
    cases = [(SCENARIOS / f"{scenario}.toml", {f"event.{event}.at_s": round(at_s + iteration_s * i / n, 3)}, []) for i in range(n)]
    return [r.json for r in report.runs(cases)]


def compare(report, scenario):
    n = 10 if report.quick else 40
    run, part, ends, most = part_of(report, scenario)
    report.judge(f"{scenario}: every instant was replayed", part["n_draw"] >= 20 and part["n_failed"] == 0, f"{part['n_draw']}, {part['n_failed']} failed", "at least 20, none failed")
    iteration_s = max(job["iteration_s"] for job in run["jobs"])
    runs = moved_runs(report, scenario, iteration_s, n)
    for k in KEYS:
        values = [r[k] for r in runs]
        low, high = quantile(values, 0.05), quantile(values, 0.95)
        width, own = high - low, ends[k][1] - ends[k][0]
        alike = abs(own - width) <= 0.3 * width or max(own, width) <= SMALL * statistics.median(values)
        report.judge(f"{scenario}: {k}, spread", alike, f"{ends[k][0]:.4g} to {ends[k][1]:.4g}", f"{low:.4g} to {high:.4g} of {n} runs ± 30 %, or both below {100 * SMALL:g} %")
        report.within(f"{scenario}: {k}, largest", most[k] / max(values), 0.98, 1.5, form=".3f", note=f"{most[k]:.4g} and {max(values):.4g}")


def brake(report):
    compare(report, "power_brake")


def order(report):
    compare(report, "curtailment_tiers")


def failure(report):
    compare(report, "llama3_405b_transients")


def one_run(report):
    """What one run prints of an event is one draw: its largest figure is well above."""
    run, _, _, most = part_of(report, "power_brake")
    up = "pcc_ramp_up_max_MW_per_s"
    report.judge("power_brake: the largest rise is not the printed one", most[up] > 1.2 * run[up], f"{most[up]:.1f} and {run[up]:.1f} MW/s", "20 % above")


GROUPS = {"instants_brake": brake, "instants_order": order, "instants_failure": failure, "instants_largest": one_run}
SLOW = ["instants_order"]
