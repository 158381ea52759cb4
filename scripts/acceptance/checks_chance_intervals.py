"""Intervals exist, rest on a fixed number of draws that all ran, and are the same on any number of threads."""
import tempfile
from pathlib import Path

import product

# Those whose chance takes at most about a minute of processor time; the others are in the slow group.
QUICK = ("llama3_405b_day", "llama3_405b_transients", "power_brake", "gb200_nvl72_row", "megatron_175b_superpod")
SLOW_ONES = ("curtailment_tiers", "gb300_nvl72_row", "islanding", "utility_loss", "meta_24k_roce", "xai_100k", "llama3_405b_54days")
PARTS = ["fleet", "instant", "inputs", "weather", "model"]
LEAST_DRAWS = 32
MINIMAL = """schema = 1
[run]
duration_h = 0.5
[[hall]]
name = "a"
n_gpu = 512
gpu = "h100_sxm_700W"
[[job]]
name = "main"
model = "llama3_70b"
[job.plan]
tp = 8
pp = 4
"""


def quantiles(figures):
    return {key: x for key, x in figures.items() if key.endswith(("_p05", "_p50", "_p95", "_event_p50", "_event_max"))}


def judge(report, name, scenario, out, least_power_percent=0.0):
    f = product.run(report.binary, scenario, out, {}, ["--threads", 2], interval=True).json
    inputs = f["interval"]["parts"]["inputs"]
    report.judge(f"{name}: parts", list(f["interval"]["parts"]) == PARTS, ", ".join(f["interval"]["parts"]), "five, by name")
    report.judge(f"{name}: draws of inputs", inputs["n_draw"] >= LEAST_DRAWS and inputs["n_failed"] == 0, f"{inputs['n_draw']}, {inputs['n_failed']} failed, {f['interval']['cpu_s']:.1f} s", f"at least {LEAST_DRAWS}, none failed")
    failed = {part: x["n_failed"] for part, x in f["interval"]["parts"].items() if x["n_failed"]}
    report.judge(f"{name}: other parts", not failed, f"{failed or 'none failed'}", "none failed")
    if f["throughput_swing_percent"] is None:
        why = f["interval"].get("without", {}).get("throughput_swing_percent")
        report.judge(f"{name}: no swing", f["throughput_swing_percent_p50"] is None and bool(why), why, "null, with a reason")
    width = 100.0 * (f["pcc_mean_MW_p95"] / f["pcc_mean_MW_p05"] - 1.0)
    report.judge(f"{name}: width of mean power", width > least_power_percent, f"{width:.1f} %", f"above {least_power_percent} %")
    return f


def check_shipped(report, names=QUICK):
    """Shipped scenarios have intervals from all their draws."""
    with tempfile.TemporaryDirectory() as out:
        for name in names:
            judge(report, name, product.ROOT / "scenarios" / f"{name}.toml", out)


def check_shipped_slow(report):
    """The dearer ones."""
    check_shipped(report, SLOW_ONES)


def check_minimal(report):
    """A scenario that names only hall, GPU, model, tp and pp draws its devices all the same."""
    with tempfile.TemporaryDirectory() as out:
        path = Path(out) / "minimal.toml"
        path.write_text(MINIMAL, encoding="utf-8")
        judge(report, "minimal", path, out, 1.0)


def check_new(report):
    """What `new` writes for racks and for more than 512 GPUs has intervals."""
    with tempfile.TemporaryDirectory() as out:
        for what in (["--rack", "gb300_nvl72", "--racks", "24"], ["--gpus", "1024"]):
            path = Path(out) / "new.toml"
            made = product.call([report.binary, "new", *what, "--force", path])
            report.judge(f"new {' '.join(what)}", made.code == 0, made.stderr.strip()[:80], "written")
            if made.code == 0:
                judge(report, f"new {' '.join(what)}", path, out)


def check_threads(report):
    """One and two threads give the same intervals."""
    with tempfile.TemporaryDirectory() as out:
        runs = [quantiles(product.run(report.binary, product.ROOT / "scenarios" / "power_brake.toml", out, {}, ["--threads", n], interval=True).json) for n in (1, 2)]
        report.judge("power_brake on 1 and 2 threads", runs[0] == runs[1] and len(runs[0]) > 20, f"{len(runs[0])} quantiles", "the same bits")


GROUPS = {"shipped": check_shipped, "shipped_slow": check_shipped_slow, "minimal": check_minimal, "new": check_new, "threads": check_threads}
SLOW = ["shipped_slow"]
