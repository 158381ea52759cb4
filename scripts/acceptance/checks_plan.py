"""Acceptance from training plan to waveform and job life: published rows, a measured log, speed, properties, the mission's runs."""
import json
import re

import product
from product import ROOT

NAMED = ["W2", "W10", "W12", "W13", "F3"]
# Scenario -> (iteration in s as its paper prints it or None, allowed share). The papers' iteration times; where a row of
# docs/validation.md holds the plan against it, the row's tolerance.
MISSION = {
    "llama3_405b_day": (6.46, 0.06), "llama3_405b_54days": (6.46, 0.06), "llama3_405b_transients": (None, 0.0),
    "llama3_405b_smoothed": (None, 0.0), "megatron_175b_superpod": (32.0, 0.08), "megascale_175b_12288": (6.34, 0.12),
    "meta_24k_roce": (None, 0.0), "meta_24k_infiniband": (None, 0.0), "transients_24k": (None, 0.0), "xai_100k": (None, 0.0),
}
PROPERTIES = {
    "total work is independent of the schedule": "total work is the same under any schedule,work done does not depend*",
    "halving bandwidth never speeds anything up": "half of any bandwidth*,no plan gains from slower hardware",
    "every rank class's phases sum to the iteration": "every class adds up to the period*",
    "a GPU slower by x % costs x % of its elastic share": "a slower clock costs its elastic share at least",
    "replicas that scatter lengthen the iteration by the slowest's excess": "replicas that scatter*",
}


def validate_rows(report, *groups):
    data = product.shared_data(".")
    more = ["--data", data] if data else []
    return product.call([report.binary, "validate", *groups, "--json", *more]).json["rows"]


def check_rows(report):
    """W and F rows: nine in ten, and every named one; what the others make of each."""
    rows = [r for r in validate_rows(report, "workload") if r["pass"] is not None]
    passed = sum(r["pass"] for r in rows)
    report.within("W and F rows that pass", 100.0 * passed / len(rows), 90, 100, "%", ".1f", f"{passed} of {len(rows)}")
    for name in NAMED:
        mine = [r for r in rows if re.match(rf"{name}(/|$)", r["id"])]
        report.judge(f"row {name}", bool(mine) and all(r["pass"] for r in mine), f"{len(mine)} rows", "all pass")
    for row in rows:
        if not row["pass"]:
            report.judge(f"failing row {row['id']} says why", bool(row["note"]), f"error {row['error']:.3g}", "a reason")
    table = json.loads(product.call([report.binary, "validate", "--leave-one-out", "--json"]).stdout)
    left = [r for device in table["leave_one_out"] for r in device["rows"]]
    worst = max(abs(r["left_out_error_frac"]) for r in left)
    report.judge("leave-one-out table", len(left) > 20, f"{len(left)} rows, largest error {100 * worst:.1f} %", "one set per device")


def check_log(report):
    """P5 and P6: 512 H100 training GPT-3."""
    rows = [r for r in validate_rows(report, "power") if re.match(r"P[56](/|$)", r["id"])]
    for row in rows:
        if row["pass"] is None:
            report.skip(row["id"], row["note"])
        else:
            report.judge(f"{row['id']}: {row['what']}", row["pass"], f"{row['got']:.4g} {row['unit']}", f"{row['expected']} within {row['tolerance']}")


def unit_test(report, *arguments):
    """Runs the workload's unit tests where they are built beside the command. Returns the outcome or None."""
    from pathlib import Path
    binary = Path(report.binary)
    places = [binary.parent / "test_workload", binary.parents[1] / "tests" / "unit" / "workload" / "test_workload"]
    test = next((p for p in places if p.exists()), None)
    return product.call([test, *arguments]) if test else None


def check_speed(report):
    timed = unit_test(report, "[benchmark]")
    if timed is None:
        return report.skip("schedule, 54 days of events", "test_workload is not built beside the command")
    ms = {int(n): float(x) for n, x in re.findall(r"(\d+) groups: ([\d.]+) ms", timed.stdout)}
    report.at_most("16 stages x 8 chunks x 128 replicas, all different", ms[128], 10.0, "ms", ".1f")
    walk = unit_test(report, "54 days of events walk in under a second")
    report.at_most("54 days of events, test and all", walk.wall_s if walk.code == 0 else float("inf"), 1.0, "s", ".2f")


def check_properties(report):
    for what, tests in PROPERTIES.items():
        outcome = unit_test(report, tests)
        if outcome is None:
            report.skip(what, "test_workload is not built beside the command")
        else:
            counted = re.search(r"\((\d+) assertions? in (\d+) test", outcome.stdout)
            report.judge(what, outcome.code == 0 and counted is not None, counted.group(0) if counted else "no test", "passes")


def check_product(report):
    """What a user sees: the timeline, each job's figures, neighbours on the same feeders."""
    shown = product.call([report.binary, "run", product.DAY, "--show", "iteration"])
    strips = re.findall(r"^group \d+ stage +\d+ \|(.+)\|$", shown.stdout, re.MULTILINE)
    report.judge("run --show iteration", shown.code == 0 and len(strips) == 16, f"{len(strips)} stages", "one strip per stage")
    tests = ROOT / "tests" / "scenarios"
    two = report.run(tests / "two_jobs.toml", {"hall.a.n_gpu": 192}).json
    ours = [j["iteration_s"] for j in two["jobs"]]
    report.judge("two jobs have figures of their own", len(ours) == 2 and ours[1] > 1.5 * ours[0], f"{ours} s", "own iteration times")
    refused = product.call([report.binary, "check", product.DAY, "--set", "job.main.plan.pp=12"])
    report.judge("an impossible plan is refused with numbers", refused.code == 2 and "12" in refused.stderr, " ".join(refused.stderr.split())[:80], "exit 2")


def check_mission(report):
    """Every scenario of the mission for a short while: it runs, its books close, its iteration is the paper's."""
    quick_h = 0.08 if report.quick else 0.25
    for name, (paper_s, share) in MISSION.items():
        hours = max(quick_h, 0.25 if paper_s and paper_s > 20 else 0.0)  # one slow iteration and its start must fit
        outcome = report.run(ROOT / "scenarios" / f"{name}.toml", {"run.duration_h": hours, "job.main.life.start_s": 0})
        if outcome.code != 0:
            report.judge(name, False, outcome.stderr.strip()[:120], "runs")
            continue
        f = outcome.json
        figures = f"{f['iteration_s']:.3f} s, {f['mfu_percent']:.1f} % MFU, {f['pcc_mean_MW']:.1f} MW" if f["iteration_s"] else "no iteration yet"
        report.judge(f"{name}: runs, books close", f["energy_closure"] <= 1e-11, figures, "1e-11")
        if paper_s and f["iteration_s"]:
            report.within(f"{name}: iteration against the paper", f["iteration_s"], paper_s * (1 - share), paper_s * (1 + share), "s")
