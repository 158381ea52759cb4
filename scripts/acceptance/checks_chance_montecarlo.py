"""Acceptance of Monte Carlo sweeps: no drawn case fails, and the nominal run lies among its draws."""
import csv
import sys
from pathlib import Path

import product

sys.path.insert(0, str(product.ROOT / "scripts"))
from blind_rows import quantile

N_CASE = 32
LONGEST_S = 2.0  # of a nominal run on one thread: longer scenarios are left out
MOST_FAILED = 0.02
# The nominal value of what decides a figure is near an end of its range (docs/sweeps.md, limits).
ONE_SIDED = {("islanding", "pcc_max_MW"): "the battery's response of 30 ms is near the fast end of its 20 to 200 ms"}
HEADLINES = ["tokens_per_s_mean", "pcc_mean_MW", "pcc_max_MW", "pue"]
SHIPPED = ["gb200_nvl72_row", "gb300_nvl72_row", "islanding", "llama3_405b_day", "llama3_405b_transients", "megatron_175b_superpod",
           "meta_24k_infiniband", "meta_24k_roce", "power_brake", "transients_24k", "utility_loss", "xai_100k_mitigated",
           "xai_100k_unmitigated"]  # fmt: skip


def sweep(report, name):
    """The rows of a Monte Carlo of a shipped scenario."""
    folder = Path(report.folder.name)
    spec = folder / "monte_carlo.toml"
    spec.write_text(f'schema = 1\nmode = "monte_carlo"\nn_case = {N_CASE}\n', encoding="utf-8")
    out = folder / name
    product.call([report.binary, "sweep", spec, "--scenario", product.ROOT / "scenarios" / f"{name}.toml", "--out", out, "--quiet"])
    with open(out / "table.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def scenario(report, name):
    nominal = product.call([report.binary, "run", product.ROOT / "scenarios" / f"{name}.toml", "--json", "--no-interval", "--threads", 1]).json
    if nominal["wall_s"] > LONGEST_S:
        report.skip(f"{name}: Monte Carlo", f"its run takes {nominal['wall_s']:.1f} s here")
        return
    rows = sweep(report, name)
    failed = [r for r in rows if r["status"] == "failed"]
    report.at_most(f"{name}: share of cases that failed", len(failed) / len(rows), MOST_FAILED, form=".3f",
                   note=f"{len(failed)} of {len(rows)}" + (f", {failed[0]['error'][:80]}" if failed else ""))
    for key in HEADLINES:
        values = [float(r[key]) for r in rows if r.get(key)]
        if key not in nominal or nominal[key] is None or not values:
            continue
        low, high = quantile(values, 0.05), quantile(values, 0.95)
        inside, bound = low <= nominal[key] <= high, f"{low:.5g} to {high:.5g}, 5 to 95 % of {len(values)}"
        if not inside and (name, key) in ONE_SIDED:
            report.unmet(f"{name}: nominal {key}", f"{nominal[key]:.5g}: {ONE_SIDED[name, key]}", bound)
        else:
            report.judge(f"{name}: nominal {key}", inside, f"{nominal[key]:.5g}", bound)


def monte_carlo(report):
    for name in SHIPPED:
        scenario(report, name)


GROUPS = {"montecarlo": monte_carlo}
SLOW = ["montecarlo"]
