"""Acceptance of one answer: what run, --show, orders, Python and summary say of one thing is the same, and is the site's."""
import os
import re
import subprocess
import sys
from pathlib import Path

import product
from product import ROOT

SCENARIOS, TESTS = ROOT / "scenarios", ROOT / "tests" / "scenarios"


def words(report, *arguments):
    return product.call([report.binary, *arguments]).stdout


def listed(value):
    return dict(value) if isinstance(value, list) else value


def jobs(report):
    """Line 3."""
    f = report.run(TESTS / "two_jobs.toml", {"hall.a.n_gpu": 192}).json
    own = {job["name"]: job for job in f["jobs"]}
    total = sum(job["tokens_per_s_mean"] for job in own.values())
    report.judge("two jobs: the site's throughput is their sum", abs(f["tokens_per_s_mean"] / total - 1) < 1e-9,
                 f"{f['tokens_per_s_mean']:,.0f} of {total:,.0f} tokens/s", "equal")
    for key in ("iteration_s", "mfu_percent", "clock_mean_MHz"):
        low, high = sorted(job[key] for job in own.values())
        report.judge(f"two jobs: {key} lies between theirs", low < f[key] < high, f"{low:.4g} < {f[key]:.4g} < {high:.4g}", "between")
    report.judge("two jobs: the slowest clock is the lower one", f["clock_slowest_MHz"] == min(job["clock_slowest_MHz"] for job in own.values()),
                 f"{f['clock_slowest_MHz']:.0f} MHz", "minimum")
    said = words(report, "run", TESTS / "two_jobs.toml", "--set", "hall.a.n_gpu=192", "--no-interval", "--out", f"{report.folder.name}/said.h5").splitlines()[0]
    report.judge("two jobs: the first sentence names both", all(name in said for name in own) and "1.09 million" in said, said[:60] + "…", "both")


def options(report):
    """Line 4."""
    for name, sets in {"slow hosts": {"job.main.life.slow_host_frac": 0.5, "job.main.life.slow_host_slowdown_frac": 0.3},
                       "scatter": {"job.main.life.jitter_sigma_frac": 0.05}}.items():  # fmt: skip
        ran = report.run(TESTS / "tiny.toml", sets).json["iteration_s"]
        given = [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]
        shown = float(re.search(r"iteration ([\d.]+) s", words(report, "run", TESTS / "tiny.toml", *given, "--show", "iteration"))[1])
        report.at_most(f"--show iteration has the run's {name}", abs(shown / ran - 1), 0.01, form=".2g", note=f"{shown:.4f} and {ran:.4f} s")


def caps(report):
    """Line 5."""
    code = ("import tidewatt as tw; s = tw.load('gb200_nvl72_row', set={'hall.a.module_limit_W': 2500, 'run.duration_h': 0.1});"
            "e = tw.Engine(s); print(s.halls[0]['cap_W'], e.read('hall.a.cap_W'))")  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(Path(report.binary).parents[1] / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    report.judge("a module's limit is the cap in Python and engine", done.stdout.split() == ["1100.0", "1100.0"], done.stdout.strip() or done.stderr[-200:], "1,100 W twice")


def utilisation(report):
    """Line 6."""
    f = report.run(SCENARIOS / "gb300_nvl72_row.toml", {"run.duration_h": 0.5}).json
    report.judge("MFU is of the format in use and names it", f["utilisation_precision"] == "nvfp4" and f["mfu_percent"] < 100, f"{f['mfu_percent']:.1f} % in {f['utilisation_precision']}", "below 100 % in nvfp4")
    peak_percent = 100 * f["tflops_per_gpu"] / f["utilisation_peak_TF"]
    report.at_most("MFU is the arithmetic over that peak", abs(f["mfu_percent"] / peak_percent - 1), 1e-9)
    report.judge("the bf16 figure stands beside it", f["mfu_bf16_percent"] > 100, f"{f['mfu_bf16_percent']:.1f} %", "above 100 %")


def causes(report):
    """Line 7."""
    out = ("--no-interval", "--out", f"{report.folder.name}/said.h5")
    for name, scenario, sets in (("ten minutes", "gb300_nvl72_row", ["run.duration_h=0.17"]), ("an order", "curtailment_cap", [])):
        said = words(report, "run", SCENARIOS / f"{scenario}.toml", *(w for s in sets for w in ("--set", s)), *out)
        report.judge(f"{name}: no cause is put on the weather", "leak more" not in said and "follows the" not in said, "none", "none")
    for scenario, medium in (("llama3_405b_day", "air at the servers' fronts"), ("gb300_nvl72_row", "liquid at the cold plates")):
        said = words(report, "run", SCENARIOS / f"{scenario}.toml", *(("--set", "run.duration_h=24") if "row" in scenario else ()), *out)
        report.judge(f"{scenario}: the day's cause names its medium", f"Throughput follows the {medium}" in said, medium, "named")


def orders(report):
    """Line 8."""
    run = report.run(SCENARIOS / "curtailment_cap.toml").json
    kept = listed(run["order_kept"])
    said = words(report, "orders", SCENARIOS / "curtailment_cap.toml", run["result_file"])
    report.judge("run and orders count the same means", f"means of 5 min: {kept['n_over_5min']:.0f} of {kept['n_means_5min']:.0f} over" in said and f"means of 15 min: {kept['n_over_15min']:.0f} of {kept['n_means_15min']:.0f} over" in said,
                 f"{kept['n_over_5min']:.0f} of {kept['n_means_5min']:.0f}, {kept['n_over_15min']:.0f} of {kept['n_means_15min']:.0f}", "the same")
    report.judge("both say met, by metered means", (kept["short_MW"] == 0) == (": met by metered means" in said), said.splitlines()[0], "the same verdict")


def stragglers(report):
    """Line 9."""
    day = SCENARIOS / "llama3_405b_day.toml"
    waits, free = report.run(day).json, report.run(day, {"run.gating": "false"}).json
    report.within("the slowest GPU is below what GPUs do alone by", waits["slowest_behind_percent"], 5.0, 6.5, "%")
    gained = 100 * (1 - waits["tokens_per_s_mean"] / free["tokens_per_s_mean"])
    report.at_most("the tokens lost to waiting are what a run without waiting gains", abs(waits["straggler_loss_percent"] / gained - 1), 0.03,
                   note=f"{waits['straggler_loss_percent']:.2f} and {gained:.2f} %")  # fmt: skip


GROUPS = {"jobs": jobs, "options": options, "caps": caps, "utilisation": utilisation, "causes": causes, "orders": orders, "stragglers": stragglers}
