"""Acceptance of waveform to grid: rows, the full stop, the specification and its remedy, outages, orders, limits, speed."""
import re
import tempfile
from pathlib import Path

import product
from product import ROOT

SCENARIOS = ROOT / "scenarios"


def listed(value):
    """A list figure of the summary as a dictionary, however it is printed."""
    return dict(value) if not isinstance(value, dict) else value


def check_rows(report):
    outcome = product.call([report.binary, "validate", "--json"], timeout_s=1800)
    rows = [r for r in product.json.loads(outcome.stdout)["rows"] if r["id"].startswith("G")]
    passed = [r for r in rows if r["verdict"] == "pass"]
    counted = [r for r in rows if r["verdict"] in ("pass", "fail")]
    report.judge("G rows that pass", len(passed) >= 0.9 * len(counted), f"{len(passed)} of {len(counted)}", "nine in ten")


def check_stop(report):
    figures = report.run(SCENARIOS / "transients_24k.toml").json
    report.within("24,576 H100 stop: largest change over 1 s", figures["pcc_step_1s_max_MW"], 10, 30, "MW")
    report.at_most("24,576 H100 stop: energy closure", figures["energy_closure"], 1e-11)


def check_specification(report):
    bare = report.run(SCENARIOS / "xai_100k_unmitigated.toml").json
    report.judge("hundred thousand GPUs without mitigation against the example specification", bare["compliance"] == "fail",
                 bare["compliance_not_passed"] or "passes", "fail")
    helped = report.run(SCENARIOS / "xai_100k_mitigated.toml").json
    report.judge("the same with the portfolio found", helped["compliance"] == "pass", helped["compliance_not_passed"] or "pass", "pass")
    report.at_most("the same: energy closure", helped["energy_closure"], 1e-11)


def check_size(report):
    if report.quick:
        return report.skip("tidewatt size finds a portfolio that passes", "left out by --quick")
    outcome = product.call([report.binary, "size", SCENARIOS / "xai_100k_unmitigated.toml", "--json", "--quiet"], timeout_s=3600)
    found = outcome.json
    best = found["best"][0]
    report.judge("tidewatt size finds a portfolio that passes", found["found"],
                 f"{best['portfolio']}, {best['yearly_USD'] * 1e-6:.2f} MUSD a year; {found['evaluations']} simulations, {outcome.wall_s:.0f} s", "found")
    report.judge("running that portfolio confirms it", found.get("confirmed") == "pass", found.get("confirmed"), "pass")
    report.judge("ranking at low and high prices", all("yearly_USD_low_prices" in e for e in found["best"]), f"{len(found['best'])} combinations", "shown")
    gpus = product.call([report.binary, "size", SCENARIOS / "llama3_405b_day.toml", "--for", "gpus", "--contract-MW", "15", "--json"]).json
    report.judge("most GPUs within 15 MW, one unit out", gpus["connection_MW"] <= 15.0 and gpus["n_gpu"] > 0, f"{gpus['n_gpu']}, bound by {gpus['binds']}", "within")


def window(file, name="sample"):
    import numpy as np
    group = file["waveform_" + name]
    return {k: np.asarray(group[k]) for k in group}


def check_utility(report):
    import h5py
    figures = report.run(SCENARIOS / "utility_loss.toml").json
    report.at_most("utility loss: load that nobody served", figures["unserved_MWh"], 0.0, "MWh")
    report.judge("utility loss: generators start once", figures["generator_starts"] == 1, figures["generator_starts"], "1")
    report.at_most("utility loss: energy closure", figures["energy_closure"], 1e-11)
    with h5py.File(figures["result_file"], "r") as file:
        w = window(file)
        dark = w["pcc_W"][(w["time"] >= 300) & (w["time"] < 600)]
        report.at_most("utility loss: drawn from the grid meanwhile", float(dark.max()) * 1e-6, 0.0, "MW")
        before = w["pcc_W"][w["time"] < 300].mean()
    # By hand: 3 s + 10 s + 10 s on batteries and half of a walk-in of 15 s. One of 2 x 490 MJ of store lasts long enough.
    given_J = before * (3 + 10 + 10 + 7.5) / 0.96
    store_J = 2 * 490e6 * (2 if before > 2.5e6 else 1)
    by_hand = 1 - given_J / store_J
    report.within("utility loss: lowest charge of the supplies' batteries", figures["ups_soc_min"], by_hand - 0.02, by_hand + 0.02,
                  note=f"{by_hand:.3f} by hand")


def check_island(report):
    figures = report.run(SCENARIOS / "islanding.toml").json
    report.at_most("island: load that nobody served", figures["unserved_MWh"], 0.0, "MWh")
    report.at_most("island: trips", figures["island_trips"], 0)
    report.at_most("island: energy closure", figures["energy_closure"], 1e-11)
    # f0 dP²/(4 H S n r): the mean load of 16.84 MW against 15 MW of dispatch, two units of 20 MW, H 2.5 s, 0.5 MW/s each.
    by_hand = 60 * 1.84**2 / (4 * 2.5 * 40 * 1.0)
    dip = 60 - figures["island_frequency_min_Hz"]
    report.within("island: deepest dip", dip, 0.7 * by_hand, 1.5 * by_hand, "Hz", note=f"{by_hand:.2f} Hz by hand for a lasting step")
    bare = report.run(SCENARIOS / "islanding.toml", {"mitigation.battery.power_MW": 0.001, "mitigation.battery.standby_kW": 0}).json
    report.judge("island without the battery: the iterations trip the turbines", bare["island_trips"] > 0, bare["island_trips"], "trips")


def check_order(report):
    for by in ("cap", "pause", "storage"):
        scenario = SCENARIOS / ("curtailment_storage.toml" if by == "storage" else "curtailment_cap.toml")
        figures = report.run(scenario, {"event.order.by": by}).json
        kept = listed(figures["order_kept"])
        # A battery holds the mean at the order itself; what its controller has not answered at the end is one excess of 50 ms.
        late_MW = kept["most_over_MW"] * 0.05 / 1800.0 if by == "storage" else 0.0
        report.at_most(f"order of 2 MW by {by}: largest mean over its half hour", kept["mean_MW"], 2.0 + late_MW, "MW",
                       note=f"largest 1 ms {kept['max_MW']:.3f} MW, {kept['over_MWh'] * 1e3:.2f} kWh over")
        report.at_most(f"order by {by}: energy closure", figures["energy_closure"], 1e-11)


def check_limits(report):
    tight = report.run(SCENARIOS / "islanding.toml", {"mitigation.battery.energy_MWh": 0.01, "mitigation.battery.power_MW": 1,
                                                      "run.duration_h": 0.1}).json
    limited = listed(tight["battery_limited"])
    report.judge("a store asked for the impossible is limited and counted", limited["power"] > 0, f"{limited}", "counted")
    report.judge("state of charge within its bounds", 0.1 - 1e-12 <= tight["battery_soc_min"] and tight["battery_soc_max"] <= 0.9 + 1e-12,
                 f"{tight['battery_soc_min']:.4f} to {tight['battery_soc_max']:.4f}", "0.1 to 0.9")
    report.at_most("the same: energy closure", tight["energy_closure"], 1e-11)


def check_speed(report):
    arguments = [report.binary, "bench", "--json", "--grid-only"] + (["--quick"] if report.quick else [])
    figures = product.call(arguments, timeout_s=3600).json
    report.within("a day of a 100,000-GPU waveform at 1 ms, one core", figures["grid_times_real_time_core"], 2000, 1e9, "x real time", ".0f")
    report.at_most("the same: growth of memory", figures["grid_memory_growth_MB"], 8, "MB")


def rewritten(folder, name, base, more):
    """A scenario of the tree with tables behind it; it stands beside a copy of what it inherits from."""
    for file in SCENARIOS.glob("*.toml"):
        (Path(folder) / file.name).write_bytes(file.read_bytes())
    path = Path(folder) / name
    path.write_text(f'schema = 1\nbase = "{base}"\n{more}')
    return path


SMOOTHING = """
[run]
start = "2024-07-20T15:00:00"
duration_h = 0.09
[[record.window]]
name = "start"
start_s = 240
duration_s = 80
[[mitigation]]
name = "smoothing"
kind = "gpu_smoothing"
floor_ratio = 0.65
ramp_up_W_per_s = 100
ramp_down_W_per_s = 100
hysteresis_s = 10
"""

BALLAST = """
[[mitigation]]
name = "ballast"
kind = "ballast"
catalog = "ballast_firefly"
level_ratio = 0.85
"""

MONEY = """
[economics]
tariff = "time_of_use_example"
footprint = "footprint_example"
"""


def check_remedies(report):
    """Remedies on GPUs and jobs: what they do to the waveform, and that it costs."""
    import h5py
    with tempfile.TemporaryDirectory() as folder:
        figures = product.call([report.binary, "run", rewritten(folder, "smooth.toml", "xai_100k_unmitigated.toml", SMOOTHING), "--json", "--no-interval", "--quiet", "--out", folder], timeout_s=1800).json
        with h5py.File(figures["result_file"], "r") as file:
            w = window(file, "start")
            training = w["pcc_W"][w["time"] >= 251]
        means = training[: len(training) // 250 * 250].reshape(-1, 250).mean(axis=1)
        steepest = float(abs(means[1:] - means[:-1]).max()) / 0.25 * 1e-6
        report.at_most("98,304 GPUs smoothed at 9.8 MW/s: steepest ramp through 0.25 s", steepest, 1.7 * 9.83, "MW/s")
        report.at_most("the same: energy closure", figures["energy_closure"], 1e-11)
        plain = report.run(SCENARIOS / "llama3_405b_transients.toml").json
        filled = product.call([report.binary, "run", rewritten(folder, "ballast.toml", "llama3_405b_transients.toml", BALLAST), "--json", "--no-interval", "--quiet", "--out", folder], timeout_s=1800).json
        report.judge("ballast: burned energy, warmer dies, a slower job", filled["smoothing_burn_MWh"] > 0 and filled["die_mean_degC"] > plain["die_mean_degC"]
                     and filled["iteration_s"] > plain["iteration_s"],
                     f"{filled['smoothing_burn_MWh']:.3f} MWh, {filled['die_mean_degC'] - plain['die_mean_degC']:+.2f} K, {100 * (filled['iteration_s'] / plain['iteration_s'] - 1):+.2f} %", "all three")
        report.at_most("ballast: energy closure", filled["energy_closure"], 1e-11)


def check_money(report):
    """Costs of a day by hand, wear and transformers in its figures."""
    with tempfile.TemporaryDirectory() as folder:
        more = MONEY + '[site]\nhall_transformer = "transformer_oil_distribution"\nsite_transformer = "transformer_oil_substation"\n' \
            + '[[mitigation]]\nname = "store"\nkind = "site_battery"\ncatalog = "site_battery_10MW"\nwear = "wear_lithium_iron_phosphate"\n'
        figures = product.call([report.binary, "run", rewritten(folder, "money.toml", "llama3_405b_day.toml", more), "--json", "--no-interval", "--quiet", "--out", folder], timeout_s=1800).json
    MWh = figures["pcc_mean_MW"] * 24
    cost = listed(figures["cost_USD"])
    report.within("a Saturday's energy at 45 USD/MWh", cost["energy"], 0.999 * 45 * MWh, 1.001 * 45 * MWh, "USD")
    report.within("demand charge: 15 USD/kW of the largest quarter of an hour, a day's share of a month", cost["demand"],
                  0.999 * 15e3 * figures["demand_charged_MW"] * 12 / 365.25, 1.001 * 15e3 * figures["demand_charged_MW"] * 12 / 365.25, "USD")
    hot = listed(figures["transformer_hot_spot_max_degC"])
    report.judge("transformers: hot spots below their limit, life lost known", all(30 < x < 110 for x in hot.values()),
                 f"{hot}, {listed(figures['transformer_life_lost_h'])} h of life", "30 to 110 degC")
    report.judge("battery: full cycles of the day", figures["battery_full_cycles"] > 0.5, f"{figures['battery_full_cycles']:.2f}", "counted")


def check_machines(report):
    """The site's waveform on power systems of several machines."""
    with tempfile.TemporaryDirectory() as folder:
        result = product.call([report.binary, "run", SCENARIOS / "llama3_405b_transients.toml", "--json", "--no-interval", "--quiet", "--out", folder]).json["result_file"]
        # By hand: the stop of 10.6 MW less its mean over the last 20 s, twice, leaves the mean speed f0/(2 E) * 5.52 s * dP off, E the
        # stored energy: the integral of 1 - 2x + x^2/2 over x = t/20 s up to its zero. The machines' own swings come on top.
        # The calculation leaves out that loads answer the voltage. The 39-bus case's loads, all constant impedance, take half of the
        # loss (11.1 mHz); they draw constant active power here.
        for case, machines, stored_J in (("kundur_two_area", 4, 22.8e9), ("ieee9", 3, 3.3e9), ("ieee39", 10, 78.3e9)):
            text = (product.ROOT / "catalog" / "grid_case" / f"{case}.toml").read_text(encoding="utf-8")
            if case == "ieee39":
                text = re.sub(r"(?m)^active_power_frac = 0$", "active_power_frac = 1", text)
            (Path(folder) / "catalog" / "grid_case").mkdir(parents=True, exist_ok=True)
            (Path(folder) / "catalog" / "grid_case" / f"{case}.toml").write_text(text, encoding="utf-8")
            answer = product.call([report.binary, "machines", result, "--case", case, "--catalog", Path(folder) / "catalog", "--begin-s", "410", "--length-s", "30", "--json", "--out", Path(folder) / f"{case}.csv"], timeout_s=1800).json
            worst = max(m["peak_to_peak_mHz"] for m in answer["machines"])
            by_hand = 1e3 * 60 * 5.52 * 10.6e6 / (2 * stored_J)
            report.within(f"a failure of 16,384 GPUs on {case}: {machines} machines", worst if len(answer["machines"]) == machines else 0.0, 0.7 * by_hand, 1.6 * by_hand, "mHz",
                          note=f"{by_hand:.1f} mHz by hand without swings, {len(answer['modes'])} swing modes")
            if case == "ieee9":
                own = report.run(SCENARIOS / "llama3_405b_transients.toml", {"grid.case": case, "grid.case_begin_s": 410, "grid.case_length_s": 30}).json
                report.within("the same as the run's own grid.case", own["grid_case_machine_swing_mHz"], worst * (1 - 1e-6), worst * (1 + 1e-6), "mHz", note=own["grid_case"])
        sweep = product.call([report.binary, "machines", "--case", "kundur_two_area", "--bus", "7", "--swing-MW", "66.7", "--json", "--out", Path(folder) / "sweep"]).json
        nearest = min(abs(sweep["worst_period_s"] * m["frequency_Hz"] - 1) for m in sweep["modes"])
        report.at_most("sweep: worst period against the nearest mode's", 100 * nearest, 5.0, "%")
        report.judge("sweep: picture", (Path(folder) / "sweep.svg").stat().st_size > 1000, "sweep.svg", "written")
