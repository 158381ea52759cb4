"""Acceptance of racks: catalog, fits, published runs, supplies; what is not built is printed as a failure."""
import itertools
import math
import re
import statistics
import sys
import tempfile
import tomllib
from pathlib import Path

import product
from checks_weather import rows_of

RACKS = ["gb200_nvl72", "gb300_nvl72", "gb200_nvl36x2", "vera_rubin_nvl72", "rubin_ultra_kyber"]
CHAINS = ["chain_480V_ups", "chain_480V_rack_storage", "chain_800V_power_rack", "chain_800V_row_centre", "chain_800V_solid_state"]
PAIRS = [("gpu", "server"), ("server", "network"), ("server", "plant"), ("rack", "plant"), ("rack", "feeder"), ("rack", "network")]


def asked(report, *arguments):
    return product.call([report.binary, "catalog", *arguments, "--json"]).json


def check_catalog(report):
    """Every rack of the contract is there, and its parts add up inside the vendors' range."""
    for name in RACKS:
        rack = asked(report, "rack", name)
        low, high = rack["vendor_W"]
        watts, parts = rack["nominal"]["input_W"], sum(v for k, v in rack["nominal"].items() if k != "input_W")
        spread = f"{1e-3 * watts:.1f} kW, spread {1e-3 * rack['low']['input_W']:.1f} to {1e-3 * rack['high']['input_W']:.1f}"
        report.judge(f"{name}: sum of parts", low <= watts <= high and math.isclose(watts, parts, rel_tol=1e-12), spread,
                     f"{1e-3 * low:.0f} to {1e-3 * high:.0f} kW")


def check_fits(report):
    """Every pair is answered: it fits, or the reason and what fits instead are named."""
    names, kind = {}, ""
    for line in product.call([report.binary, "catalog", "list"]).stdout.splitlines():
        if line.startswith("  "):
            names.setdefault(kind, []).append(line.strip())
        else:
            kind = line.strip()
    for one, other in PAIRS:
        fit, silent = 0, []
        pairs = list(itertools.product(names[one], names[other]))
        for a, b in pairs:
            answer = asked(report, "fits", f"--{one}", a, f"--{other}", b)
            fit += answer["fits"]
            silent += [f"{a} {b}"] if not answer["fits"] and not all(f["message"] for f in answer["findings"]) else []
        report.judge(f"{one} x {other}: checked", fit > 0 and not silent, f"{len(pairs)} pairs, {fit} fit, {len(pairs) - fit} refused with a reason", "each")


def check_new(report):
    """`tidewatt new --rack`: each rack of the contract gives a scenario of whole scale-up domains that runs."""
    for name in RACKS:
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/rack.toml"
            product.call([report.binary, "new", "--rack", name, "--model", "llama3_405b", "--hours", "0.05", file])
            figures = product.call([report.binary, "run", file, "--quiet", "--json", "--no-interval", "--out", folder]).json
            gpus = tomllib.loads((product.ROOT / "catalog" / "rack" / f"{name}.toml").read_text(encoding="utf-8"))["power"]
            domain = gpus["n_compute_tray"] * gpus["gpus_per_tray"]
            report.judge(f"new --rack {name}", figures["n_gpu"] % domain == 0 and figures["tokens_per_s_mean"] > 0, f"{figures['n_gpu']} GPUs", f"domains of {domain}, runs")


def check_figures(report):
    """Machines and tokens per joule: the same from the command and from Python, cabinets counted."""
    product.use_built(report.binary)
    import tidewatt as tw

    keys = ("n_rack", "scale_up_gpus", "peak_FLOP_per_s", "precision", "tokens_per_J")
    for name, cabinets in (("gb200_nvl72", 1), ("gb200_nvl36x2", 2), ("gb300_nvl72", 1)):
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/rack.toml"
            product.call([report.binary, "new", "--rack", name, "--n-gpu", "144", "--model", "llama3_8b", "--hours", "0.05", file])
            figures = product.call([report.binary, "run", file, "--quiet", "--json", "--no-interval", "--out", folder]).json
            summary, shown = tw.run(tw.load(file)).summary, product.call([report.binary, "run", file, "--show", "iteration"]).stdout
            energy_J = figures["pcc_mean_MW"] * 1e6 * figures["simulated_s"]
            closes = math.isclose(figures["tokens_per_J"], sum(j["tokens"] for j in figures["jobs"]) / energy_J, rel_tol=1e-12)
            counted = figures["n_rack"] == 2 * cabinets and figures["scale_up_gpus"] == 72 and shown.startswith(f"{2 * cabinets} racks")
            report.judge(f"figures of {name}", closes and counted and all(figures[k] == summary[k] for k in keys),
                         ", ".join(f"{k} {figures[k]}" for k in keys), "two domains of 72; the same in Python and --show")


def check_combinations(report):
    """Every combination is checked; what fits runs in a pairwise covering set, what does not is refused with what fits."""
    paths = {"TIDEWATT": report.binary, "PYTHONPATH": str(Path(report.binary).resolve().parents[1] / "python")}
    done = product.call(["env", *(f"{k}={v}" for k, v in paths.items()), sys.executable, "-B", product.ROOT / "tests/hardware/combinations_test.py"])
    report.judge("every combination", done.code == 0, "; ".join(done.stdout.strip().splitlines()[-2:]), "no defect, 300 s")


def check_rows(report):
    """Published runs: what the list calls blind, as it comes out. The line holds when all is printed."""
    listed = tomllib.loads((product.ROOT / "src" / "validate" / "racks_rows.toml").read_text(encoding="utf-8"))["row"]
    rows = {r["id"]: r for r in rows_of(report, ["racks"])}
    blind = [rows[r["id"]] for r in listed if r["role"] == "blind"]
    errors = sorted(abs(r["error"]) for r in blind)
    share = sum(r["pass"] for r in blind) / len(blind)
    report.judge("blind rows", len(blind) >= 30, f"{len(blind)}, {len(listed) - len(blind)} fitted", "at least 30")
    report.judge("blind rows: printed", len(rows) == len(listed),
                 f"{100 * share:.0f} % within tolerance, median {100 * statistics.median(errors):.1f} %, 90 % within {100 * errors[math.ceil(0.9 * len(errors)) - 1]:.1f} %",
                 "whatever the share is; aim 80 %")
    left_out = sorted(abs(float(m[1])) for r in rows.values() if (m := re.search(r"left out, .* give ([+-][\d.]+) %", r["note"])))
    report.judge("leave-one-out: printed", len(left_out) > 0,
                 f"{len(left_out)} rows with others of their device and format: median {statistics.median(left_out):.1f} %, largest {left_out[-1]:.1f} %", "")
    for r in blind:
        if not r["pass"]:
            print(f"      miss {r['id']:<22} {100 * r['error']:+.1f} %  {r['note']}")
    silent = [r["id"] for r in blind if not r["pass"] and "likely" not in r["note"] and "run refuses this plan" not in r["note"]]
    report.judge("each miss with its likely cause", not silent, f"{len(silent)} without", "none")
    for source in ("fit", "blind"):
        tolerance = {r["id"]: r["tolerance_frac"] for r in listed if r["role"] == source}
        report.judge(f"tolerances of {source} rows as listed", all(rows[i]["tolerance"] == t for i, t in tolerance.items()), f"{len(tolerance)} rows", "unchanged")


def check_supplies(report):
    """16 racks behind five supplies: losses add up, and the gain of 800 V is upstream."""
    rack = asked(report, "rack", "gb300_nvl72")["nominal"]
    load_W = 16 * (rack["input_W"] - rack["shelf_loss_W"])
    chains = {name: asked(report, "chain", name, "--load-W", f"{load_W:.3f}") for name in CHAINS}
    for name, c in chains.items():
        gap = abs(c["connection_W"] - c["load_W"] - sum(s["loss_W"] for s in c["stages"])) / c["connection_W"]
        report.at_most(f"{name}: books", gap, 1e-12, "", ".1e", note=f"{100 * c['efficiency_frac']:.2f} % of {1e-3 * c['connection_W']:.0f} kW")
        for s in c["stages"]:
            print(f"      {s['name']:<26} {1e-3 * s['loss_W']:8.2f} kW  {s['n_unit']:4d} units at {100 * s['loading_frac']:.0f} %")

    def part(chain, *stages):
        return math.prod(s["output_W"] / s["input_W"] for s in chains[chain]["stages"] if s["name"] in stages)

    shelf = part("chain_480V_ups", "shelf_54V")
    two = part("chain_800V_power_rack", "power_rack_rectifier", "brick_800V_50V")
    report.judge("480 V to 50 V: two conversions lose more than one shelf", two < shelf, f"{100 * two:.1f} % against {100 * shelf:.1f} %", "chain A: 96.1 % against 97.5 %")
    gain = chains["chain_800V_power_rack"]["efficiency_frac"] - chains["chain_480V_ups"]["efficiency_frac"]
    report.judge("the gain is upstream: the UPS that is no more", 0 < gain < 1 - part("chain_480V_ups", "ups"),
                 f"{100 * gain:+.1f} points, the UPS alone loses {100 - 100 * part('chain_480V_ups', 'ups'):.1f}", "above 0, below the UPS's loss")
