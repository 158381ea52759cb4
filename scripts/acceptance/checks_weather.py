"""Acceptance of the chain from weather to tokens: rows, swing, plants and their speed, part failures, weather."""
import json
from pathlib import Path

import product
from product import DAY, ROOT

NAMED = ("P2", "T1", "D2", "C1", "C2")
PRESCRIBED = {"hall.a.plant": "prescribed_llama3_day"}
LIQUID = ROOT / "scenarios" / "llama3_405b_liquid.toml"
CASCADE = ROOT / "scenarios" / "llama3_405b_cascade.toml"
MONTE_CARLO = ROOT / "scenarios" / "sweeps" / "swing_monte_carlo.toml"
CLOSED = 1e-11


def rows_of(report, groups):
    data = product.shared_data(".")
    more = ["--data", data] if data else []
    outcome = product.call([report.binary, "validate", "--json", *groups, *more])
    if outcome.code not in (0, 1) or not outcome.stdout:  # 1: rows fail, which is the answer and no error
        raise RuntimeError(outcome.stderr.strip())
    answer = json.loads(outcome.stdout)
    return answer["rows"] if isinstance(answer, dict) else answer


def check_rows(report):
    """Nine predictions in ten of P, T, D and C pass, and every named one; the fits predict what they have not seen."""
    groups = ["power", "thermal", "plant"] + ([] if report.quick else ["diurnal"])
    rows = rows_of(report, groups)
    for kind in "PTDC":
        # Halls on outside air (C6) and fans in steps (T3 without "line") came later, with the issue of the chips, which reports each row.
        own = [r for r in rows if r["id"].startswith(kind) and not r["id"].startswith(("C6/", "T3/fall", "T3/peak")) and r["verdict"] in ("pass", "fail")]
        if not own:
            report.skip(f"{kind} rows", "left out by --quick")
            continue
        failed = [r["id"] for r in own if r["verdict"] == "fail"]
        share = 1.0 - len(failed) / len(own)
        report.judge(f"{kind} rows: nine in ten pass", share >= 0.9, f"{len(own) - len(failed)} of {len(own)}, {100 * share:.0f} %",
                     "at least 90 %" + (f"; failing: {', '.join(failed)}" if failed else ""))
    for name in NAMED:
        own = [r for r in rows if r["id"].split("/")[0] == name and r["verdict"] != "skipped"]
        if not own:
            report.skip(f"named row {name}", "left out by --quick, or without its data")
            continue
        report.judge(f"named row {name}", all(r["verdict"] != "fail" for r in own),
                     ", ".join(f"{r['got']:.4g} {r['unit']}".strip() for r in own), "its row's tolerance")
    power = [r for r in rows if r["id"].startswith("fit/nodes") and r["verdict"] in ("pass", "fail")]
    if power:
        worst = max(abs(r["error"]) for r in power)
        report.at_most("fit on one run, node power of another", 100 * worst, 3.0, "%")
    else:
        report.skip("fit on one run, node power of another", "reference data absent")
    year = [r for r in rows if r["id"] == "fit/temperature" and r["verdict"] in ("pass", "fail")]
    if year:
        report.at_most("fit on one year, temperature of the next, rms", max(r["got"] for r in year), 2.0, "K")
    else:
        report.skip("fit on one year, temperature of the next, rms", "reference data absent")


def check_swing(report):
    """The swing at the catalog's values, and its distribution over all assumed ranges."""
    size = product.fleet(2048) if report.quick else {}
    r = report.run(DAY, {**PRESCRIBED, **size}).json
    report.within("D1: swing of hourly throughput", r["throughput_swing_percent"], 0.7, 2.5, "%")
    report.at_most("D1: energy closure", r["energy_closure"], CLOSED, form=".1e")
    out = Path(report.folder.name) / "monte_carlo"
    text = MONTE_CARLO.read_text(encoding="utf-8")
    spec = Path(report.folder.name) / "monte_carlo.toml"
    spec.write_text(text.replace("n_case = 200", f"n_case = {20 if report.quick else 100}"), encoding="utf-8")
    outcome = product.call([report.binary, "sweep", spec, "--scenario", DAY, "--out", out])
    if outcome.code != 0:
        raise RuntimeError(outcome.stderr.strip())
    low, middle, high = quantiles(out / "table.csv", "throughput_swing_percent")
    report.judge("Monte Carlo over the assumed ranges overlaps 1-2 %", low <= 2.0 and high >= 1.0,
                 f"median {middle:.2f} %, 5-95 % {low:.2f} to {high:.2f} %", "5-95 % overlaps 1 to 2 %")


def quantiles(table, column):
    import csv
    with open(table, newline="", encoding="utf-8") as file:
        values = sorted(float(r[column]) for r in csv.DictReader(file) if r[column])
    at = [values[round(share * (len(values) - 1))] for share in (0.05, 0.5, 0.95)]
    return tuple(at)


def check_explain(report):
    size = product.fleet(1024) if report.quick else {}
    o = report.run(DAY, size, "--explain", "swing")
    e = o.json["explain"]["swing"]
    causes = {c["name"]: c for c in e["causes"]}
    wanted = {"leakage", "thermal limiter", "spread", "gating", "fans", "plant set points"}
    report.judge("explain: every link switched off in turn", wanted <= set(causes),
                 ", ".join(f"{c['name']} {c['adds_points']:+.2f}" for c in e["causes"]), "points of swing")
    levers = {lever["name"]: lever["tokens_percent"] for lever in e["levers"]}
    report.judge("explain: levers with their tokens", {"coolant -3 K", "cap 90 %", "liquid"} <= set(levers),
                 ", ".join(f"{k} {v:+.2f} %" for k, v in levers.items()), "tokens")
    hot = e["hottest"][0]
    report.judge("explain: the hottest GPU is named", hot["die_degC"] > 40,
                 f"row {hot['row']} rack {hot['rack']} slot {hot['slot']}, {hot['die_degC']:.1f} degC", "row, rack, slot")
    flat = report.run(DAY, {**product.fleet(1024), **PRESCRIBED, "hall.a.plant.min_degC": 24, "hall.a.plant.max_degC": 24},
                      "--explain", "swing").json["explain"]["swing"]
    worst = max(flat["causes"], key=lambda c: abs(c["adds_points"]))
    report.at_most("explain: the flat twin has nothing to explain", abs(worst["adds_points"]) / e["swing_over_fleets_percent"], 0.05, "of the day's swing",
                   note=f"{worst['name']} {worst['adds_points']:+.4f} points: the hour in which the fleet warms up")


def check_plants(report):
    size = product.fleet(2048) if report.quick else {}
    for plant, more in (("outside_air_evaporative", {}), ("crah_chilled_water", {})):
        r = report.run(DAY, {"hall.a.plant": plant, **more, **size}).json
        report.judge(f"hall on {plant}", r["energy_closure"] <= CLOSED,
                     f"PUE {r['pue']:.3f}, {r['wue_L_per_kWh']:.2f} L/kWh, margin {r['capacity_margin_min_percent']:.0f} %, "
                     f"closure {r['energy_closure']:.1e}", f"closure at most {CLOSED:g}")
    r = report.run(LIQUID, size).json
    report.judge("hall on cold plates, CDUs and dry coolers", r["energy_closure"] <= CLOSED,
                 f"{r['tflops_per_gpu']:.1f} TFLOP/s, die {r['die_mean_degC']:.1f} degC, PUE {r['pue']:.3f}, "
                 f"closure {r['energy_closure']:.1e}", f"closure at most {CLOSED:g}")
    reuse = {"hall.a.plant.reuse_W_per_K": 50000, "hall.a.plant.reuse_degC": 25, "hall.a.plant.reuse_max_kW": 300}
    r = report.run(LIQUID, {**reuse, **size}).json
    report.judge("heat reuse as a sink", r["heat_reused_MWh"] > 0 and r["energy_closure"] <= CLOSED,
                 f"{r['heat_reused_MWh']:.1f} MWh in a day, closure {r['energy_closure']:.1e}", f"closure at most {CLOSED:g}")


def check_speed(report):
    """Processor time of the plant alone, so that other work on the machine does not count."""
    def alone(*more):
        return product.call([report.binary, "plant", "frontier_like_tower", "--climate", "atlanta_ga", "--it-MW", 20, "--json", *more]).json
    best = max((alone("--days", 10 if report.quick else 54, "--step-s", 60) for _ in range(3)), key=lambda r: r["times_real_time"])
    report.within("plant alone, steps of 60 s", best["times_real_time"], 4e5, float("inf"), "times real time", ".0f",
                  f"54 days in {54 * 86400 / best['times_real_time']:.1f} s")
    year = product.call([report.binary, "plant", "crah_chilled_water", "--climate", "chicago_il", "--json"]).json
    months = year["months"]
    report.judge("a year gives PUE and water by month", len(months) == 12 and months[6]["pue"] > months[0]["pue"],
                 f"PUE January {months[0]['pue']:.3f}, July {months[6]['pue']:.3f}; water {year['year']['water_L_per_kWh']:.2f} L/kWh",
                 "twelve months, July above January")
    report.at_most("plant alone: energy closure of every step", max(year["energy_closure"], best["energy_closure"]), CLOSED, form=".1e")


def check_cascade(report):
    """Fan walls fail and come back: heat, throttling, lost throughput, recovery. Servers may draw more: fans and leakage against clocks."""
    import h5py
    import numpy as np
    size = product.fleet(2048) if report.quick else {}
    r = report.run(CASCADE, size).json
    with h5py.File(r["result_file"], "r") as file:
        day = {k: file["day"][k][()] for k in ("time", "supply_K", "limiter_thermal_frac", "it_W", "throughput_tokens_per_s")}
    t = day["time"]
    def mean(key, start_s, end_s):
        return float(np.nanmean(day[key][(t >= start_s) & (t < end_s)]))
    warmer = mean("supply_K", 2800, 3000) - mean("supply_K", 1800, 2400)
    held = mean("limiter_thermal_frac", 2800, 3000)
    back = mean("it_W", 5400, 7200) / mean("it_W", 1800, 2400)
    fell = 1.0 - mean("throughput_tokens_per_s", 2800, 3000) / mean("throughput_tokens_per_s", 1800, 2400)
    more = mean("it_W", 2800, 3000) / mean("it_W", 1800, 2400) - 1.0
    report.judge("fan walls out: heat, throttle, throughput, recovery", warmer > 5 and held > 0.2 and fell > 0.02 and abs(back - 1) < 0.02,
                 f"supply +{warmer:.1f} K, {100 * held:.0f} % held by heat, throughput -{100 * fell:.1f} %, power {100 * more:+.1f} %, back at {100 * back:.1f} %",
                 "all four")
    report.at_most("fan walls out: energy closure", r["energy_closure"], CLOSED, form=".1e")


def check_weather(report):
    names = sorted(p.stem for p in (ROOT / "catalog" / "climate").glob("*.toml"))
    report.within("climates of AI regions in the catalog", len(names), 12, float("inf"), "", "d")
    days = ("typical", "hot", "extreme", "typical_year", "hot_year", "extreme_year")
    bad = [f"{name} {day}" for name in names for day in days
           if product.call([report.binary, "check", DAY, "--set", f"weather.climate={name}", "--set", f"weather.day={day}"]).code != 0]
    report.judge("typical, hot and extreme days and years of each", not bad, ", ".join(bad) or f"{len(names) * len(days)} accepted", "all")
