"""Acceptance of racks as a planner uses them: power caps, the sites of a hundred thousand and more, racks behind a contract in Phoenix."""
import csv
import math
import re
import tempfile
import time
import tomllib
from itertools import pairwise
from pathlib import Path

import product
from checks_weather import rows_of

SCENARIOS = product.ROOT / "scenarios"
ROWS = {"gb200": 1200.0, "gb300": 1400.0}
CONTRACT_MW, DOMAIN = 50.0, 72
XAI, BARE, MIXED = (SCENARIOS / f"xai_{name}.toml" for name in ("100k", "100k_unmitigated", "230k"))
TEN_MINUTES_s, DAY_s = 600.0, 30.0


def swept(report, name, folder):
    """The shipped sweep of a row's caps: its table, the highest cap first."""
    sweep, row = SCENARIOS / "sweeps" / f"{name}_caps.toml", SCENARIOS / f"{name}_nvl72_row.toml"
    done = product.call([report.binary, "sweep", sweep, "--scenario", row, "--out", folder, "--quiet"])
    if done.code != 0:
        raise RuntimeError(done.stderr.strip())
    with open(Path(folder) / "table.csv", encoding="utf-8") as file:
        rows = [{k: float(v) for k, v in row.items() if k not in ("status", "error")} for row in csv.DictReader(file)]
    return sorted(rows, key=lambda r: -r["cap"])


def best_of(table, power):
    """Cap with the most useful tokens per joule, from the table's own columns."""
    return max(table, key=lambda r: r["tokens_per_s_mean"] * r["effective_time_percent"] / r[power])["cap"]


def check_caps(report):
    """Caps from 100 to 60 % of the limit: what must be monotone, the best cap and fleet behind a contract, and why it is not lower."""
    for name, limit_W in ROWS.items():
        with tempfile.TemporaryDirectory() as folder:
            table = swept(report, name, folder)
        caps = [r["cap"] / limit_W for r in table]
        report.judge(f"{name}: caps", len(caps) >= 9 and math.isclose(caps[0], 1.0) and math.isclose(caps[-1], 0.6), f"{len(caps)} from {100 * caps[0]:.0f} to {100 * caps[-1]:.0f} %", "100 to 60 %")
        for key in ("tokens_per_s_mean", "pcc_mean_MW", "it_mean_MW", "clock_slowest_MHz"):
            falls = all(a[key] > b[key] for a, b in pairwise(table))
            report.judge(f"{name}: {key} falls with the cap", falls, f"{table[0][key]:.4g} to {table[-1][key]:.4g}", "at every step")
        study = product.call([report.binary, "size", SCENARIOS / f"{name}_nvl72_row.toml", "--for", "cap", "--contract-MW", CONTRACT_MW, "--json"]).json
        points = study["caps"]
        same = len(points) == len(table) and all(math.isclose(p["connection_MW"], r["pcc_mean_MW"], rel_tol=1e-9) and math.isclose(p["cap_W"], r["cap"], rel_tol=1e-9) for p, r in zip(points, table))
        report.judge(f"{name}: study and sweep agree", same, f"{len(points)} caps", "1e-9")
        for p, r in zip(points, table):
            print(f"      {p['cap_percent']:3.0f} % {p['cap_W']:6.0f} W  {p['tokens_per_s']:9.0f} tokens/s  {p['connection_MW']:.3f} MW  {p['tokens_per_J']:.4f} tokens/J  PUE {r['pue']:.3f}"
                  f"  {p['n_rack']:4d} racks at {CONTRACT_MW:g} MW  {1e-6 * p['fleet_tokens_per_s']:.2f} Mtokens/s")
        gpus = next(int(n) for n in re.findall(r"n_gpu = (\d+)", (SCENARIOS / "gb200_nvl72_row.toml").read_text(encoding="utf-8")))
        domain_MW = [p["connection_MW"] / gpus * DOMAIN for p in points]
        fits = all(p["n_gpu"] % DOMAIN == 0 and p["n_gpu"] / DOMAIN * MW <= CONTRACT_MW < (p["n_gpu"] / DOMAIN + 1) * MW for p, MW in zip(points, domain_MW))
        report.judge(f"{name}: fleets of whole domains fill the contract", fits, f"{points[0]['n_rack']} to {points[-1]['n_rack']} racks", "one more is too many")
        report.judge(f"{name}: the fleet grows as the cap falls", all(a["n_gpu"] < b["n_gpu"] for a, b in pairwise(points)), f"{points[0]['n_gpu']} to {points[-1]['n_gpu']} GPUs", "at every step")
        best = best_of(table, "pcc_mean_MW")
        report.judge(f"{name}: best cap", math.isclose(study["best_cap_W"], best, rel_tol=1e-9), f"{study['best_cap_W']:.0f} W, {study['n_rack']} racks", f"{best:.0f} W by the sweep's table")
        # The reason: what the study blames must move the best cap when it is left out.
        inner = best_of(table, "it_mean_MW")
        boundary = {b["name"]: b for b in study["boundaries"]}
        moved = boundary["boards"]["best_cap_percent"] < study["best_cap_percent"]
        blamed = study["knee"] in ("servers", "connection") if moved else study["knee"] in ("none", "boards", "voltage_floor")
        agrees = math.isclose(boundary["servers"]["best_cap_percent"], 100 * inner / limit_W, rel_tol=1e-9)
        report.judge(f"{name}: knee explained by what limits", blamed and agrees and bool(study["knee_text"]), study["knee"], "the boundary that moves it")
        for line in study["knee_text"].strip().splitlines():
            print(f"      {line}")


def said(outcome):
    """Figures of a day: useful time, interruptions, swing, steps, storage."""
    f = outcome.json
    store = f"; store charged {f['battery_charged_MWh']:.0f} MWh, charge {100 * f['battery_soc_min']:.0f} to {100 * f['battery_soc_max']:.0f} %" if f.get("battery_charged_MWh") else ""
    return (f"{f['effective_time_percent']:.1f} % useful, {f['n_interruptions_unexpected']} + {f['n_interruptions_planned']} interruptions, mean {f['pcc_mean_MW']:.1f} MW, "
            f"{f['pcc_min_MW']:.1f} to {f['pcc_max_MW']:.1f}, step {f['pcc_step_1s_max_MW']:.1f} MW/s, 0.1-1 Hz {f['band_rms_MW']['0.1-1Hz']:.1f} MW rms{store}")


def check_xai(report):
    """A day of 98,304 H100 on plates with failures, restarts and storage."""
    rates = tomllib.loads((product.ROOT / "catalog" / "failures" / "llama3_405b.toml").read_text(encoding="utf-8"))
    scenario = tomllib.loads(XAI.read_text(encoding="utf-8"))
    per_gpu = sum(rates["rate_per_node_day"]) / 8
    planned = scenario["job"][0]["failures"]["planned_rate_per_day"][0]
    report.within("unexpected interruptions a day, 100,000 GPUs", 1e5 * per_gpu, 46, 48, "", ".1f")
    report.within("with planned ones", 1e5 * (per_gpu + planned / 98304), 52, 54, "", ".1f")
    f6 = [r for r in rows_of(report, ["workload"]) if r["id"].split("/")[0] == "F6"]
    report.judge("row F6", bool(f6) and all(r["pass"] for r in f6), "; ".join(f"{r['got']:.3g} {r['unit']}" for r in f6), "passes")
    hours = {"run.duration_h": 2} if report.quick else {}
    expected = 98304 * per_gpu * (2 if report.quick else 24) / 24
    least = min((report.run(XAI, hours) for _ in range(1 if report.quick else 2)), key=lambda o: o.wall_s)
    day, drawn = least, least.json["n_interruptions_unexpected"]
    report.judge("a day as shipped", day.json["energy_closure"] <= 1e-11, said(day), "energy closure at most 1e-11")
    report.within("its unexpected interruptions", drawn, math.floor(max(0.0, expected - 3 * expected**0.5)), math.ceil(expected + 3 * expected**0.5), "", ".0f", f"{expected:.1f} in the mean")
    if report.quick:
        report.skip("a day's wall time", "left out by --quick")
    else:
        report.at_most("a day, wall time on two cores", day.wall_s, DAY_s, "s", ".1f", f"{day.cpu_s:.1f} s of processor")
    bare = report.run(BARE, {**hours, "run.duration_h": hours.get("run.duration_h", 24), "run.start": "2024-07-20T00:00:00", "site.rules": "[]", "job.main.life": "xai_100k",
                             "job.main.failures": "llama3_405b", "job.main.failures.planned_rate_per_day": f"[{planned}]"})
    report.judge("without storage", bare.json["band_rms_MW"]["0.1-1Hz"] > 2 * day.json["band_rms_MW"]["0.1-1Hz"], said(bare), "the store takes half of the swing of 0.1 to 1 Hz")
    slow = report.run(XAI, {**hours, "job.main.life": "llama3_405b"})
    timeout = report.run(XAI, {**hours, "job.main.life": "llama3_405b", "job.main.life.detect_s": 600})
    useful = [o.json["effective_time_percent"] for o in (day, slow, timeout)]
    report.judge("with the restarts of 16,384 GPUs", useful[0] > useful[1], said(slow), "less useful time than with fast recovery")
    report.judge("with time-outs of ten minutes", useful[1] > useful[2], said(timeout), "less still")


def check_mixed(report):
    """230,000 GPUs: racks and servers on one site, a job each."""
    run = report.run(MIXED, {"run.duration_h": 0.25})
    f = run.json
    jobs = {j["name"]: j for j in f["jobs"]}
    report.judge("230,000 GPUs", abs(f["n_gpu"] - 230_000) < 1000 and abs(jobs["racks"]["n_gpu"] - 30_000) < DOMAIN and jobs["racks"]["n_gpu"] % DOMAIN == 0,
                 ", ".join(f"{n}: {j['n_gpu']} GPUs, iteration {j['iteration_s']:.2f} s, {j['tflops_per_gpu']:.0f} TFLOP/s" for n, j in jobs.items()), "30,000 GB200 in whole racks, the rest H100")
    report.judge("each job trains at its own pace", all(j["tokens"] > 0 for j in jobs.values()) and f["energy_closure"] <= 1e-11, f"{f['pcc_mean_MW']:.0f} MW, closure {f['energy_closure']:.0e}",
                 "tokens from each, energy closure at most 1e-11")


def check_phoenix(report):
    """The planner's question, with the planner's commands: how many GB300 racks behind 50 MW at 45 degC in Phoenix, and what does the grid see?"""
    product.use_built(report.binary)
    import matplotlib.image

    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        first, found, out = f"{folder}/phoenix.toml", f"{folder}/phoenix_50MW.toml", f"{folder}/out"
        steps = [["new", "--rack", "gb300_nvl72", "--model", "llama3_405b", "--climate", "phoenix_az", "--plant", "cdu_dry_cooler_45C", "--hours", "24", first],
                 ["size", first, "--for", "gpus", "--contract-MW", CONTRACT_MW, "--new-site", "--write", found],
                 ["run", found, "--quiet", "--out", out], ["report", f"{out}/phoenix_50MW.h5", "--contract-MW", CONTRACT_MW, "--pictures"]]
        answers = [product.call([report.binary, *step]) for step in steps]
        for step, answer in zip(steps, answers):
            report.judge(f"tidewatt {step[0]}", answer.code == 0, answer.stderr.strip().splitlines()[-1] if answer.code else f"{answer.wall_s:.1f} s", "ends with 0")
        sized, grid = answers[1].stdout, answers[2].stdout
        racks, supply = (re.search(p, sized) for p in (r"racks: (\d+)", r"liquid at the servers: at most ([\d.]+)"))
        design = re.search(r"([\d.]+) MW drawn in its mean", sized)
        n_rack, MW = int(racks[1]), float(design[1])
        report.judge("how many racks", n_rack > 0 and "bound by contract" in sized, f"{n_rack} racks, {MW:.1f} MW in the design hour, supply up to {supply[1]} degC", "held by the contract")
        report.judge("one more would be too many", MW <= CONTRACT_MW < MW * (n_rack + 1) / n_rack, f"{MW * (n_rack + 1) / n_rack:.2f} MW", f"above {CONTRACT_MW:g} MW")
        report.within("liquid supply", float(supply[1]), 44, 47, "degC", ".1f")  # set for 45 degC; dry coolers leave 6 K above a dry bulb of 41 degC
        sentences = [line for line in grid.splitlines() if re.search(r"connection moves between|repeats with the iteration|moves the grid's frequency", line)]
        report.judge("what the grid sees", len(sentences) == 3, f"{len(sentences)} sentences", "swing, spectral line, frequency and voltage")
        for line in sentences:
            print(f"      {line}")
        whole = product.call([report.binary, "run", found, "--quiet", "--json", "--no-interval", "--out", f"{folder}/again"]).json
        report.judge("the run has these racks", whole["n_rack"] == n_rack and whole["n_gpu"] == n_rack * DOMAIN, f"{whole['n_rack']} racks, {whole['n_gpu']} GPUs", "whole domains")
        pictures = sorted(Path(out).rglob("*.png"))
        blank = [p.name for p in pictures if matplotlib.image.imread(p)[..., :3].std() < 0.01]
        names = {p.stem.split("_")[0] for p in pictures}
        report.judge("pictures", {"day", "waveform", "spectrum", "ramps", "iteration"} <= names and not blank, f"{len(pictures)}: {', '.join(p.stem for p in pictures)}", "day, waveform, spectrum, ramps, iteration; none blank")
    report.at_most("from `new` to the answer", time.monotonic() - begin, TEN_MINUTES_s, "s", ".0f", "of the machine's time")


__all__ = ["check_caps", "check_mixed", "check_phoenix", "check_xai"]
