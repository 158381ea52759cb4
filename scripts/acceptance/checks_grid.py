"""Acceptance of waveform to grid: rows, the full stop, the specification and its remedy, outages, orders, limits, speed."""
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
    report.within("24,576 H100 stop: largest change within 1 s", figures["pcc_step_1s_max_MW"], 10, 30, "MW")
    report.at_most("24,576 H100 stop: energy closure", figures["energy_closure"], 1e-11)


def check_specification(report):
    bare = report.run(SCENARIOS / "xai_100k_unmitigated.toml").json
    report.judge("hundred thousand GPUs without remedies against the example specification", bare["compliance"] == "fail",
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
    # f0 dP²/(4 H S n r): the mean load of 15.84 MW against 14 MW of dispatch, two units of 20 MW, H 2.5 s, 0.5 MW/s each.
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
        report.at_most(f"order of 2 MW by {by}: largest mean over its half hour", kept["mean_MW"], 2.0, "MW",
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


def check_exports(report):
    with tempfile.TemporaryDirectory() as folder:
        run = product.call([report.binary, "run", SCENARIOS / "utility_loss.toml", "--json", "--out", folder])
        result = run.json["result_file"]
        for form, suffix in (("comtrade", ".cfg"), ("comtrade-ascii", ".dat"), ("csv", ".csv"), ("psse", "_psse.csv"), ("pscad", "_pscad.txt"), ("perc1", "_perc1.txt")):
            stem = Path(folder) / form
            done = product.call([report.binary, "export", result, "--format", form, "--out", stem])
            file = Path(str(stem) + suffix)
            report.judge(f"export as {form}", done.code == 0 and file.stat().st_size > 100, f"{file.stat().st_size if file.exists() else 0} bytes {done.stdout.splitlines()[-1] if form == 'perc1' else ''}", "written")
