"""Acceptance of the engine: kernel, 54 days, accuracy against the resolved advance, scaling, pulse hunt."""
import os
from pathlib import Path

import product
import reference_runs
from product import DAY, ROOT

DAYS54 = ROOT / "scenarios" / "llama3_405b_54days.toml"
# Hours spread over a day and a season: where the weather drifts fastest, where it is hottest, and nights.
SAMPLED_HOURS = ("2024-07-20T05:00:00", "2024-07-20T09:00:00", "2024-07-20T15:00:00", "2024-07-20T21:00:00",
                 "2024-07-20T00:00:00", "2024-07-20T12:00:00")


def check_bench(report):
    """`tidewatt bench --json`: the kernel, its references and the figures of scale."""
    more = ["--quick"] if report.quick else []
    outcome = product.call([report.binary, "bench", "--json", "--scenarios", ROOT / "scenarios", *more])
    b = outcome.json
    wide = "avx512f" in Path("/proc/cpuinfo").read_text(encoding="utf-8") if os.path.exists("/proc/cpuinfo") else False
    inf = float("inf")
    if wide:
        report.within("kernel, second order, one core", b["kernel_gpu_steps_per_s_core"] / 1e9, 0.2, inf, "1e9 GPU-steps/s",
                      note="beyond: 0.3")
    else:
        report.skip("kernel, second order, one core", "no AVX-512 here")
    report.within("CVODE on the same equations, one core", b["cvode_gpu_steps_per_s_core"] / 1e6, 1.5, inf, "1e6 GPU-steps/s")
    report.within("kernel over CVODE, simulated time at 0.05 K", b["kernel_over_cvode"], 40, inf, "", note="beyond: 100")
    report.within("kernel: share of the multiply-add peak", b["kernel_fraction_of_fma_peak"], 0.0, 1.0)
    report.at_most("kernel: largest die error of production steps", b["kernel_error_production_K"], 0.05, "K")
    if report.quick:
        return report.skip("days, 100,000 GPUs, marginal cost", "left out by --quick")
    report.at_most("100,000 GPUs for a day", b["day_100k_wall_s"], 30, "s", ".1f")
    report.at_most("marginal cost per GPU, 1M over 16k", b["per_gpu_cost_ratio_1M_over_16k"], 1.15)


def check_days54(report):
    if not DAYS54.exists():
        return report.skip("54 days", "scenarios/llama3_405b_54days.toml is absent")
    if report.quick:
        return report.skip("54 days", "left out by --quick")
    o = report.run(DAYS54, {}, "--threads", 2)
    b = o.json
    report.at_most("54 days: wall time, 2 threads", o.wall_s, 60, "s", ".1f", f"beyond: 20 s; CPU {o.cpu_s:.0f} s")
    report.at_most("54 days: peak memory", o.rss_B / 1e9, 4.0, "GB", ".2f")
    report.at_most("54 days: energy closure", b["energy_closure"], 1e-11, form=".1e")
    report.at_most("54 days: input energy error", b["input_energy_error"], 1e-12, form=".1e")
    # 466 interruptions are expected; a draw lies within four standard deviations of a Poisson count.
    report.within("54 days: interruptions drawn", b["n_interruptions_unexpected"], 466 - 4 * 466**0.5, 466 + 4 * 466**0.5, "", "d")
    one = report.run(DAYS54, {"run.duration_h": 24}, "--threads", 2)
    report.at_most("54 days over 54 times one day", o.cpu_s / (54 * one.cpu_s), 1.0, "CPU time", note="no faster than linear")


def check_accuracy(report):
    """Periodic against resolved over six sampled hours: every GPU's die temperature, the job's throughput."""
    import h5py
    import numpy as np
    size = product.fleet(2048) if report.quick else {}
    hours = SAMPLED_HOURS[:2] if report.quick else SAMPLED_HOURS
    die_K, throughput = 0.0, 0.0
    for start in hours:
        # Fans on a line: in steps, an instant may lie on the other side of one.
        sets = {**size, "run.start": start, "run.duration_h": 1, "hall.a.server": "dgx_h100"}
        outcomes = report.runs([(DAY, sets, more) for more in ([], ["--reference"])])
        with h5py.File(outcomes[0].json["result_file"]) as fast, h5py.File(outcomes[1].json["result_file"]) as slow:
            die_K = max(die_K, float(np.max(np.abs(fast["fleet/die_K"][()] - slow["fleet/die_K"][()]))))
        a, b = (o.json["tokens_per_s_mean"] for o in outcomes)
        throughput = max(throughput, 100.0 * abs(a / b - 1.0))
    report.at_most(f"periodic = resolved, {len(hours)} hours: every die", die_K, 0.05, "K", ".2g")
    report.at_most(f"periodic = resolved, {len(hours)} hours: throughput", throughput, 0.02, "%", ".2g")


def check_edges(report):
    """Jumps against the resolved advance in whole scenarios: throughput, and the site's largest step and steepest ramps.

    A figure whose obstacle scripts/against_reference names is unmet, not failed, as long as the page shows it.
    """
    all_of = reference_runs.differences(reference_runs.SCENARIOS, report.runs)
    for name, of in all_of.items():
        missed = reference_runs.misses(name, of)
        for key, percent in of.items():
            what = f"{name}: {reference_runs.FIGURES[key]} against the reference"
            if missed.get(key):
                report.unmet(what, f"{percent:+.2g} %", f"{reference_runs.AIM_percent[key]:g} %; in the way: {missed[key]}")
            else:
                report.at_most(what, abs(percent), reference_runs.AIM_percent[key], "%", ".2g")
    page = ROOT / "docs" / "against_reference.md"
    report.judge("the page shows these figures", page.read_text(encoding="utf-8") == reference_runs.page(all_of), page.name, "as written anew")


def check_verification(report):
    """The verification executables beside the command: each prints its rows and fails by its exit code."""
    beside = Path(report.binary).parent  # a preset's programs stand there, others in their own folder
    programs = sorted(p for folder in (beside, beside.parent / "tests" / "verification") for p in folder.glob("verify_*")
                      if os.access(p, os.X_OK) and p.is_file())
    if not programs:
        return report.skip("verification rows", "the tests are not built")
    for p in programs:
        o = product.call([p])
        # A figure of the scorecard, or a parameter's coverage over 400 logs.
        rows = [line.strip() for line in o.stdout.splitlines() if line.startswith("row") or ", covered " in line]
        report.judge(p.name, o.code == 0 and rows, f"{len(rows)} figures", "exit code 0")
        for row in rows:
            print(f"      {row}")
