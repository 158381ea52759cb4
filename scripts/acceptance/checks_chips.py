"""Acceptance of chips, limiter and air as measured."""
import csv
import sys
import tempfile
from pathlib import Path

import product
from checks_weather import rows_of

TRANSIENTS, RACKS = (product.ROOT / "scenarios" / name for name in ("llama3_405b_transients.toml", "gb200_nvl72_row.toml"))
TERMS = ["leakage", "gated share", "fast limit", "own clocks", "staircase", "spread's tail", "spread of a stop", "host gap", "saturating pads", "air density"]
TERMS_EVENT = '\n[[event]]\nname = "host"\nkind = "failure"\njob = "main"\nat_s = 5400.3\n'
TERMS_SETS = {"run.start": "2024-07-20T12:00:00", "run.duration_h": 3, "run.macro_step_s": 300, "hall.a.gpu.compute.host_gap_s": 0.12,
              "job.main.life.tear_down_s": 3, "job.main.life.detect_s": 8}  # fmt: skip
BINS = ["47-58", "58-62", "62-66", "66-70", "70-74", "74-83"]
NOT_BUILT = []
BOUNDED = ["throughput_swing_percent", "pcc_mean_MW", "pcc_step_1s_max_MW", "pcc_ramp_down_max_MW_per_s", "pue"]


def chips(report):
    """Rows of `validate chips` by id."""
    if not hasattr(report, "chips"):
        report.chips = {r["id"]: r for r in rows_of(report, ["chips"])}
    return report.chips


def check_longhorn(report):
    """390 V100, regressed as their log was: bins and slowest within the measurement's errors; the pooled slope sets the leakage."""
    rows = chips(report)
    if rows["longhorn_slope/pooled"]["verdict"] == "skipped":
        return report.skip("Longhorn", "reference data absent")
    chi2 = 0.0
    for name in BINS:
        row = rows[f"longhorn_slope/{name}"]
        low, high = row["expected"]
        middle, error = 0.5 * (low + high), 0.25 * (high - low)
        chi2 += ((row["got"] - middle) / error) ** 2
        report.judge(f"Longhorn {name} degC", row["pass"], f"{row['got']:.3f} %/K", f"{middle:.3f} +- {error:.3f}, two errors")
    report.at_most("Longhorn: chi2 of six bins", chi2, 12.6, "", ".1f")
    row = rows["longhorn_slope/pooled"]
    report.judge("Longhorn: pooled slope", row["pass"], f"{row['got']:.4f} %/K", "two errors; the entry's leakage is set by it")
    row = rows["longhorn_slowest"]
    report.judge("Longhorn: slowest of 390", row["pass"], f"{row['got']:.2f} sigma", "-3.9 to -2.3")
    row = rows["longhorn_memory"]
    report.at_most("Longhorn: spread of the time of memory-bound work", row["got"], 0.5, "%", ".3f")


def check_leakage(report):
    row = chips(report)["k20_sweep"]
    report.judge("K20: third clock", row["pass"], f"{row['got']:.2f} W", "two errors of 1 W")
    row = chips(report)["h100_idle_slope"]
    report.judge("H100: idle slope", row["pass"], f"{row['got']:.2f} W/K", "0.29 to 0.35")


def check_fans(report):
    """Tables exact at every threshold; the number of controllers is that of the catalog."""
    rows = [r for r in chips(report).values() if r["id"].startswith("fan_table/")]
    if not rows:
        return report.skip("fan tables", "reference data absent")
    shipped = list((product.ROOT / "catalog" / "fan_controller").glob("*.toml"))
    report.judge("fan tables: a row for each controller", len(rows) == len(shipped), f"{len(rows)} of {len(shipped)}", "all")
    for row in rows:
        report.judge(row["id"], row["got"] == 0, f"{row['got']:.0f} wrong; {row['note']}", "none")
    table = product.shared_data("grand_teton_fans")
    if table:
        with open(f"{table}/threshold_tables.csv", encoding="utf-8") as lines:
            steps = sum(r["controller"] == "gt_h100_700W_v9" for r in csv.DictReader(lines))
        said = next(r["note"] for r in rows if r["id"].endswith("h100_700W"))
        report.judge("fan tables: every step of the file is looked at", said.startswith(f"{steps} steps"), said, f"{steps} steps")


def gpu_hours(outcome):
    """Hourly means of a run with --gpu-hours: dies [hour, gpu], and what their servers' fans did [hour, node]."""
    import h5py
    with h5py.File(outcome.json["result_file"]) as f:
        at = {name: array[()] for name, array in f["gpu_hours"].items()}
    n_hour = len(at["fan_J"])
    return {name: x.reshape(n_hour, -1) for name, x in at.items()}


def check_staircase(report):
    """Fans in steps: the fleet's closed form against --reference, which follows every cycle, over the day from its start on."""
    import numpy as np
    sets = {**product.fleet(1024), "run.start": "2024-07-20T08:00:00", "run.duration_h": 6 if report.quick else 13}
    outcomes = report.runs([(product.DAY, sets, more) for more in (["--gpu-hours"], ["--gpu-hours", "--reference"])])
    fast, slow = map(gpu_hours, outcomes)
    apart = np.abs(fast["die_K"] - slow["die_K"])
    # A cycle is two steps of 5 % within the hour; a PID term that sets in or is cleared is one of 3.5 % or more.
    cycles = (fast["fan_cycled_s"] > 0) | (slow["fan_moved_frac"] > 0.095)
    inside = np.repeat(cycles, apart.shape[1] // cycles.shape[1], axis=1)
    outside = np.where(inside, 0.0, apart)
    hour, gpu = np.unravel_index(np.argmax(outside), outside.shape)
    report.at_most("staircase: each GPU's hourly mean, outside cycling servers", outside[hour, gpu], 0.05, "K", ".3f",
                   f"hour {hour}, server {gpu // 8}; {np.mean(outside[~inside] > 0.05):.2%} of {np.sum(~inside)} above")
    report.at_most("staircase: inside cycling servers", np.max(np.where(inside, apart, 0.0)), 0.3, "K", ".3f", f"{np.sum(cycles)} server-hours")
    for name, of in {"hottest GPU": np.max, "mean": np.mean}.items():
        report.at_most(f"staircase: the hall's {name}, hourly", np.max(np.abs(of(fast["die_K"], axis=1) - of(slow["die_K"], axis=1))), 0.05, "K", ".3f")
    a, b = (o.json["tokens_per_s_mean"] for o in outcomes)
    report.at_most("staircase: throughput", 100 * abs(a / b - 1), 0.02, "%", ".4f")
    report.at_most("staircase: fan energy of an hour", 100 * np.max(np.abs(fast["fan_J"] / slow["fan_J"] - 1)), 0.1, "%", ".3f")


def check_b300(report):
    """One B300 under caps and locked, and under a square wave: fitted at two points each, the others are predicted."""
    rows = chips(report)
    for name, bound in {"b300_cap/550": "clock within 4 %", "b300_cap/700": "clock within 4 %", "b300_cap/locked": "watts within 1 %",
                        "b300_duty/50": "peak over cap within 0.1", "b300_duty/500": "peak over cap within 0.1",
                        "b300_duty/50-mean": "at or below the cap", "b300_duty/500-mean": "at or below the cap"}.items():  # fmt: skip
        row = rows[name]
        report.judge(f"B300: {row['id'].split('/', 1)[1]}", row["pass"], f"{row['got']:.4g} {row['unit']} for {row['expected']}", bound)


def check_terms(report):
    """Each new term has its line in --explain swing and --explain power, which says what it is worth: none is worth nothing."""
    with tempfile.TemporaryDirectory() as out:
        scenario = Path(out) / "hot_afternoon.toml"
        scenario.write_text((product.ROOT / "tests" / "scenarios" / "tiny.toml").read_text(encoding="utf-8") + TERMS_EVENT, encoding="utf-8")
        swing, power = (product.run(report.binary, scenario, out, TERMS_SETS, ["--explain", what]).json["explain"][what]["causes"] for what in ("swing", "power"))
    swing, power = ({c["name"]: c for c in causes} for causes in (swing, power))
    for name in TERMS:
        c = {**swing.get(name, {}), **power.get(name, {})}
        keys = ("adds_points", "adds_MW", "adds_ramp_MW_per_s")
        worth = name in swing and name in power and any(c[key] for key in keys)
        said = "{:+.4f} points, {:+.6f} MW, fall {:+.3f} MW/s".format(*(c[key] for key in keys)) if worth else "no line, or nothing"
        report.judge(f"term: {name}", worth, said, "a line that is not zero")


def check_day(report):
    """D1 is reported; the hours and signs of D2 and D3 hold."""
    for row in rows_of(report, ["diurnal"]):
        if row["id"].split("/")[0] in ("D2", "D3"):
            report.judge(row["id"], row["pass"], f"{row['got']:.4g}; {row['note']}", f"{row['expected']}")


def check_air(report):
    """A hall on outside air against the PUE that operators publish; pads and dampers are unit tests of cooling."""
    rows = {r["id"]: r for r in rows_of(report, ["plant"]) if r["id"].startswith("C6/")}
    for row in rows.values():
        report.judge(f"outside air: {row['id']}", row["pass"], f"PUE {row['got']:.4f} for {row['expected']}", "2 %")


def check_frozen(report):
    """Catalog and table of results are those of the last freeze."""
    o = product.call([sys.executable, "-B", product.ROOT / "scripts" / "freeze", "--check"])
    report.judge("frozen inputs: hashes, values, table of results", o.code == 0, o.stdout.strip().splitlines()[-1], "none")


def check_interval(report):
    """The day with its intervals, as they come out: D1b is reported, not passed."""
    with tempfile.TemporaryDirectory() as out:
        o, bare = (product.run(report.binary, product.DAY, out, {}, ["--threads", 2], interval=on) for on in (True, False))
    f, interval = o.json, o.json["interval"]
    swing = [f["throughput_swing_percent" + end] for end in ("", "_p05", "_p95")]
    report.judge("D1b: published 1-2 %", True, f"{swing[0]:.2f} %, 90 % interval {swing[1]:.2f} to {swing[2]:.2f} %, {interval['n_draw']} draws", "reported")
    for key in BOUNDED:
        low, high, error = f[key + "_p05"], f[key + "_p95"], interval["monte_carlo_error"][key]
        report.judge(f"interval: {key}", 0 < low <= high and error["p05"] >= 0, f"{low:.4g} to {high:.4g} +- {error['p05']:.2g}, {error['p95']:.2g}; {f[key]:.4g}", "in order, with its Monte Carlo error")
    names = list(interval["parts"])
    report.judge("interval: parts", names == ["fleet", "instant", "inputs", "weather", "model"], ", ".join(names), "five, by name")
    report.judge("interval: same payload without", bare.json["payload_sha256"] == f["payload_sha256"] and "interval" not in bare.json, f["payload_sha256"][:12], "equal")
    spent, bound = o.cpu_s - bare.cpu_s, max(8.0, 4.0 * bare.cpu_s)
    report.at_most("interval: processor time", spent, bound, "s", ".2f", f"run {bare.cpu_s:.1f} s")


def check_climates(report):
    """Seven climates and 54 days with their intervals, as they come out."""
    def said(f):
        return "{:.2f} %, {:.2f} to {:.2f} %, slowest from {} h; {} draws".format(
            *(f["throughput_swing_percent" + end] for end in ("", "_p05", "_p95")), f["throughput_min_hours"], f["interval"]["n_draw"])

    def judge(name, f):
        low, high = f["throughput_swing_percent_p05"], f["throughput_swing_percent_p95"]
        report.judge(f"swing of {name}", low is not None and 0 <= low < high, said(f), "reported, with its interval")

    with tempfile.TemporaryDirectory() as out:
        for climate in product.CLIMATES:
            judge(f"the hot day, {climate}", product.run(report.binary, product.DAY, out, {"weather.climate": climate}, interval=True).json)
        if report.quick:
            return report.skip("swing of 54 days", "quick")
        judge("54 days", product.run(report.binary, product.ROOT / "scenarios" / "llama3_405b_54days.toml", out, {}, interval=True).json)


def check_stops(report):
    """Failures by host and by switch, and the watchdog's end of all processes: no edge of theirs is steeper than an iteration's."""
    ramps = ("pcc_ramp_down_max_MW_per_s", "pcc_ramp_up_max_MW_per_s")

    def judge(name, scenario, calm, failing):
        without, with_one = (report.run(scenario, sets, "--no-interval").json for sets in (calm, failing))
        assert with_one["n_interruptions_unexpected"] > 0
        for key in ramps:
            report.at_most(f"failure by {name}: {key}", with_one[key], 1.1 * without[key], "MW/s", ".2f", f"an iteration's {without[key]:.2f}")

    size = product.fleet(2048) if report.quick else {}
    never = 3e7
    for at_s in (421.0, 423.0, 425.0):  # plateau, edge and trough
        judge(f"host at {at_s:.0f} s, with the watchdog {15} s later", TRANSIENTS, {**size, "event.host_failure.at_s": never}, {**size, "event.host_failure.at_s": at_s})
    # The day as shipped, with a failure by hand and with those drawn from the published causes: hosts, switches and cables, watchdogs.
    hour = {**size, "run.duration_h": 1, "record.window.sample.start_s": 0, "record.window.sample.duration_s": 1}
    with tempfile.TemporaryDirectory() as folder:
        failing = Path(folder) / "day.toml"
        failing.write_text('schema = 1\nbase = "llama3_405b_day"\n[[event]]\nname = "host_failure"\nkind = "failure"\njob = "main"\nat_s = 3003\n', encoding="utf-8")
        judge("host in the day", failing, {**hour, "event.host_failure.at_s": never}, hour)
    days = {**size, "run.duration_h": 192 if report.quick else 24}  # a small fleet fails less often
    judge("drawn causes in the day", product.DAY, days, {**days, "job.main.failures": "llama3_405b"})
    rates = "job.main.failures.switch_tray_rate_per_day"
    rack = {"job.main.failures": "gb200_nvl72"}
    judge("switch trays of racks", RACKS, {**rack, rates: "[0]"}, {**rack, rates: "[0.5]"})
    check_stops_apart(report, hour)


def check_stops_apart(report, hour):
    """A scheduler's kill and a loss of power: no bound, but listed apart with the spread that is assumed."""
    def listed(name, f, key, *parts):
        stops = f[key] or {}
        text = ", ".join(f"{part} {stops[part]:g}" for part in stops)
        report.judge(f"{name}, apart", stops.get("n") == 1 and all(part in stops for part in parts), text or "not listed", "listed with " + ", ".join(parts))

    spread, seen = "job.main.life.tear_down_s", ("spread_s", "ramp_down_max_MW_per_s")
    kill = {**hour, "event.kill.kind": "planned_stop", "job.main.life.catalog": "llama3_405b",
            "job.main.life.planned_stop": "at_once", "job.main.life.planned_stop_s": 30,
            "record.window.sample.start_s": 3000, "record.window.sample.duration_s": 10}  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        killed, dark = Path(folder) / "day.toml", Path(folder) / "tiny.toml"
        killed.write_text('schema = 1\nbase = "llama3_405b_day"\n[[event]]\nname = "kill"\nkind = "planned_stop"\njob = "main"\nat_s = 3003\n', encoding="utf-8")
        listed("a scheduler's kill", report.run(killed, kill, "--no-interval").json, "stops_kill", *seen, "spread_low_s", "spread_high_s")
        for end in (0.04, 30):
            listed(f"a scheduler's kill over {end:g} s", report.run(killed, {**kill, spread: end}, "--no-interval").json, "stops_kill", *seen)
        text = (product.ROOT / "tests" / "scenarios" / "tiny.toml").read_text(encoding="utf-8")
        dark.write_text(text + '\n[[event]]\nname = "e"\nkind = "utility_loss"\nat_s = 60\nduration_s = 20\n', encoding="utf-8")
        listed("a loss of power", report.run(dark, {}, "--no-interval").json, "stops_power_loss", "spread_s")


# Shorter than shipped, since the figures are of one iteration; runs of minutes whole. Two jobs of xai_230k begin after half an hour.
VIEW_H = {"islanding": None, "utility_loss": None, "llama3_405b_transients": None, "transients_24k": None, "xai_230k": 1.5}


def check_show_gpu(report):
    """Hottest and slowest GPU of every shipped scenario: `run` against the sampled governor."""
    bounds = {"clock_MHz": 1.0, "board_W": 1.0, "board_step_1s_W": 3.0}
    for path in sorted((product.ROOT / "scenarios").glob("*.toml")):
        for which in ("hottest", "slowest"):
            with tempfile.TemporaryDirectory() as out:
                hours = VIEW_H.get(path.stem, 0.5)
                o = product.run(report.binary, path, out, {"run.duration_h": hours} if hours else {}, ["--show", "gpu", "--gpu", which])
            view = o.json["gpu_view"]
            for key, bound in bounds.items():
                sampled, run = view[key]["sampled"], view[key]["run"]
                apart = 100.0 * (sampled / run - 1.0)
                report.judge(f"{path.stem}, {which}: {key}", abs(apart) <= bound, f"{sampled:.1f} sampled, {run:.1f} run: {apart:+.2f} %", f"{bound:g} %")


def say_open(report):
    for line in NOT_BUILT:
        report.skip(line, "not built yet")
