"""Acceptance of what an interconnection engineer files: exports as other programs read them, ride-through verdicts."""
import csv
import hashlib
import json
import math
from pathlib import Path

import export_readers as readers
import product
from product import ROOT

SCENARIOS = ROOT / "scenarios"
WHOLE = {"ascii": 99998, "binary": 32767}


def resolution(form, encoding, values):
    """The step between neighbouring values of a format, and the rounding of a double."""
    largest = max(abs(v) for v in values)
    if encoding in WHOLE:
        return (max(values) - min(values)) / (2 * WHOLE[encoding]) + 1e-15 * largest
    if encoding == "float32":
        return largest * 2**-24 * 1.01
    return 0.0 if form == "csv" else 1e-9 * largest


def compare(report, name, read, values, form, encoding="", step_s=1e-3):
    worst, missing = 0.0, 0
    for own, other in zip(values, read["values"]):
        off = readers.differences(other, own, 0)
        step = resolution(form, encoding, own)
        missing += off["missing"] + abs(len(own) - len(other))
        largest = max(abs(off[key]) for key in ("max", "min", "rms", "at_max"))
        worst = max(worst, largest / step if step > 0 else (largest > 0) * 99)
    off_s = abs(read["time_s"][-1] - read["time_s"][0] - (len(values[0]) - 1) * step_s)
    report.judge(name, worst <= 1 and missing == 0 and off_s < 1e-6,
                 f"max, min, RMS and value at the maximum within {worst:.2f} steps of the format; {missing} of {len(values[0])} samples missing; last time off by {off_s:.1e} s",
                 "1 step; 0; 1e-06 s")


def export(report, result, form, *more):
    report.n_run += 1
    folder = Path(report.folder.name) / f"export_{report.n_run}"
    outcome = product.call([report.binary, "export", result, "--format", form, "--out", folder, *more])
    if outcome.code != 0:
        raise RuntimeError(outcome.stderr)
    return {file.suffix: file for file in sorted(folder.iterdir(), key=lambda f: ("andes.csv" in f.name, f.name))}


def check_exports(report):
    scenario, window = (ROOT / "tests" / "scenarios" / "tiny.toml", "sample") if report.quick else (SCENARIOS / "llama3_405b_transients.toml", "sample")
    result = report.run(scenario).json["result_file"]
    _, values = readers.truth(result, window)
    cut = ("--window", window)  # the whole window
    compare(report, "csv, own reader", readers.csv(export(report, result, "csv", *cut)[".csv"]), values, "csv")
    compare(report, "PSCAD, own reader", readers.pscad(export(report, result, "pscad", *cut)[".txt"]), values, "text")
    elm = [f for f in export(report, result, "powerfactory", *cut)[".txt"].parent.iterdir() if "columns" not in f.name]
    compare(report, "PowerFactory ElmFile, own reader", readers.elmfile(elm[0]), values, "text")
    means = readers.csv(export(report, result, "csv", *cut, "--step", "0.5")[".csv"])["values"]
    report.at_most("means over 0.5 s: energy", abs(sum(means[0]) * 500 / sum(values[0]) - 1), 1e-6)
    if readers.oracles() is None:
        return report.skip("COMTRADE, OpenDSS, ANDES", "no independent readers: scripts/oracles makes them")
    for form, encoding, ending in (("comtrade", "ascii", ".cfg"), ("comtrade", "binary", ".cfg"), ("comtrade2013", "ascii", ".cff"), ("comtrade2013", "binary", ".cff"), ("comtrade2013", "float32", ".cff")):
        file = export(report, result, form, *cut, "--encoding", encoding)[ending]
        for program in ("comtrade", "comtrade_io"):
            if (program, encoding) != ("comtrade_io", "float32"):
                compare(report, f"{form} {encoding} by {program}", readers.third_party(program, file), values, form, encoding)
    compare(report, "OpenDSS LoadShape", readers.third_party("opendss", export(report, result, "opendss", *cut)[".dss"]), [[1e3 * v for v in c] for c in values[:2]], "text")
    # ANDES integrates between the stamps, so it plays half a second of samples and the whole window in steps of 50 ms.
    for name, more, n in (("0.5 s, every sample", ("--length", "0.5"), 500), ("the whole window, means of 50 ms", ("--step", "0.05"), None)):
        series = export(report, result, "andes", *cut, *more)[".csv"].parent
        wanted = [[v / 100 for v in c[:n]] for c in values[:2]]
        if n is None:
            wanted = [[sum(c[i:i + 50]) / 50 for i in range(0, len(c), 50)] for c in wanted]
        compare(report, f"ANDES TimeSeries, {name}", readers.third_party("andes", next(series.glob("*_timeseries.csv")), 1800), wanted, "text", step_s=1e-3 if n else 0.05)


def ride(report, scenario, *more):
    return product.call([report.binary, "ride", scenario, "--rule", "ercot_nogrr282", "--json", *more])


def check_ride(report):
    large, small = SCENARIOS / "xai_100k_unmitigated.toml", ROOT / "tests" / "scenarios" / "tiny.toml"
    sag = ("--voltage", "0.5", "--duration", "0.06")
    bare = ride(report, large, *sag).json
    staying = bare["items"][0]
    report.judge("98,304 GPUs drop off at a 60 ms sag", bare["verdict"] == "fail" and not bare["point"]["stays"] and "band" in staying["why"] and "change site" in staying["why"],
                 f"{bare['verdict']}: {staying['why']}", "fail, with band and setting")
    ups = ("--set", "site.ups=ups_double_conversion", "--current-limit-pu", "1.25")
    with_ups = ride(report, large, *ups, *sag).json
    report.judge("the same behind supplies as shipped", with_ups["verdict"] == "fail", with_ups["items"][0]["why"], "fail")
    changed = ride(report, large, *ups, "--set", "site.ups.low_pu=0", "--set", "site.ups.high_pu=1.25", "--set", "site.ups.lockout_count=0", *sag).json
    report.judge("the same with the settings that the verdict names changed", changed["verdict"] == "passes what could be judged: 9 of 14 bands", changed["verdict"],
                 "every band of voltage; the scenario states no settings for frequency")
    two_thousand = ride(report, small, "--set", "hall.a.n_gpu=2048").json
    report.judge("2,048 GPUs", two_thousand["verdict"] == "does not apply", f"{two_thousand['verdict']}: {two_thousand['why_not']}", "does not apply")
    at = {pu: ride(report, small, "--as-if", "--voltage", pu, "--duration", s).json["point"] for pu, s in (("0.69", "0.021"), ("0.71", "0.5"))}
    report.judge("ITIC-only servers: leave below 0.70 pu past 20 ms, stay from 0.71 pu", not at["0.69"]["stays"] and at["0.71"]["stays"], f"{at['0.69']['left_after_s']} s", "separate")
    free, limited = (ride(report, small, "--as-if", "--voltage", "0.79", "--duration", "0.02", *m).json for m in ((), ("--current-limit-pu", "1.25")))
    item = [{i["name"]: i["verdict"] for i in a["items"]}["current"] for a in (free, limited)]
    report.judge("ITIC-only servers: current at 0.79 pu", item == ["fail", "pass"], f"{free['point']['current_ratio']:.3f}, limited {limited['point']['current_ratio']:.3f}", "above 1.25, 1.25")


def check_ride_jobs(report):
    """Sags that repeat, an instant of the iteration, and what follows with the job."""
    small = ROOT / "tests" / "scenarios" / "tiny.toml"
    six = ("--as-if", "--voltage", "0.3", "--duration", "0.05", "--settings", "own_supply", "--repeat", "6", "--every")
    close, far = (ride(report, small, *six, s).json["point"] for s in ("16.4", "31"))
    report.judge("six sags, a counter of three in a minute", close["left_in"] == 3 and close["away_MW"] > 0 and far["stays"],
                 f"every 16.4 s: leaves in sag {close['left_in']}, {close['away_MW']:.3f} MW away; every 31 s: {'stays' if far['stays'] else 'leaves'}", "third, away; stays")
    drop = ("--as-if", "--voltage", "0.5", "--duration", "0.06")
    jobs = [ride(report, small, *drop, "--instant", f"{0.07 * i:.2f}").json["point"]["job"] for i in range(10)]
    before = [j["before_MW"] for j in jobs]
    mean = jobs[0]["mean_MW"]
    run = report.run(small).json
    report.within("the job's servers before a run against the run's mean", mean / run["it_mean_MW"], 0.7, 1.5, note=f"{mean:.4f}, {run['it_mean_MW']:.4f} MW; the run has a start, its fans are slower")
    # While the pipeline fills the load doubles within a sag, so the loss is compared with the iteration's loads, not with the last one before it.
    loss = [j["electrical_loss_MW"] for j in jobs]
    report.judge("instants of an iteration", max(loss) > 1.02 * min(loss) and min(before) < min(loss) and max(loss) < 1.02 * max(before),
                 f"{min(before):.4f} to {max(before):.4f} MW before the sag, mean {mean:.4f}, lost {min(loss):.4f} to {max(loss):.4f} MW",
                 "the loss hangs on the instant, within the iteration's loads")
    what = [p["what"] for p in jobs[0]["phases"]]
    report.judge("servers without supplies: the job stops, waits, is idle, starts again", what == ["sags", "waiting", "idle", "initialise", "load", "warm up", "iterating"] and jobs[0]["dropped_frac"] > 0.999,
                 "; ".join(f"{p['what']} {p['from_s']:.2f} to {p['until_s']:.2f} s {p['mean_MW']:.4f} MW" for p in jobs[0]["phases"]), "in this order")
    goes_on = ride(report, small, *drop, "--settings", "ups_central").json["point"]
    report.judge("behind supplies with a battery the job goes on", goes_on["job"]["stops_after_s"] is None and goes_on["job"]["electrical_loss_MW"] > 0,
                 f"{goes_on['job']['electrical_loss_MW']:.4f} MW on batteries, back after {goes_on['job']['recovery_s']:.1f} s", "no stop")
    late = ride(report, small, *drop, "--instant", "1000")
    report.judge("an instant outside the iteration", late.code == 2 and "outside the iteration" in late.stderr, late.stderr.strip(), "exit 2")


OVERLAP = """title = "mine"
date = "2026"
[ride]
voltage = [ { low_pu = 0.0, high_pu = 0.6, stay_s = 0.2 }, { low_pu = 0.5, high_pu = 0.9, stay_s = 1 }, { low_pu = 0.9, duty = "continuous" } ]
"""


def check_input(report):
    """Bad input: exit 2, one message that names it, and no file."""
    tiny = ROOT / "tests" / "scenarios" / "tiny.toml"
    result = report.run(tiny).json["result_file"]
    folder = Path(report.folder.name)
    (folder / "mine.toml").write_text(OVERLAP)
    out = folder / "not_written"
    cases = {
        "ride, unknown rule": (("ride", tiny, "--rule", "ercot_nogrr283"), "ercot_nogrr282"),
        "rules check, unknown rule": (("rules", "check", "ieso_2025", result), "ieso_2026"),
        "file, unknown rule": (("file", tiny, result, "--for", "ercot_nogrr283", "--out", out), "ercot_nogrr282"),
        "ride, overlapping bands": (("ride", tiny, "--rule", folder / "mine.toml"), "overlaps"),
        "file, overlapping bands": (("file", tiny, result, "--for", folder / "mine.toml", "--out", out), "overlaps"),
        "export, window outside the result": (("export", result, "--format", "comtrade", "--begin", "500", "--out", out), "90"),
        "export, no such window": (("export", result, "--format", "csv", "--window", "noon", "--out", out), "sample"),
        "rules check, no such window": (("rules", "check", "ieso_2026", result, "--window", "noon"), "sample"),
        "file, no such window": (("file", tiny, result, "--for", "ieso_2026", "--window", "noon", "--as-if", "--out", out), "sample"),
        "export, unknown program": (("export", result, "--format", "perc1", "--program", "psse99", "--out", out), "psse36"),
        "export, record that the program does not read": (("export", result, "--format", "perc1", "--program", "psse33", "--out", out), "psse36"),
        "ride, sags that overlap": (("ride", tiny, "--rule", "itic", "--voltage", "0.5", "--duration", "0.1", "--repeat", "3", "--every", "0.05"), "every 0.05 s"),
        "ride, settings that are not there": (("ride", tiny, "--rule", "itic", "--settings", "ups_centrl"), "ups_central"),
    }
    for name, (arguments, wanted) in cases.items():
        outcome = product.call([report.binary, *arguments])
        said = (outcome.stderr or outcome.stdout).strip()
        report.judge(name, outcome.code == 2 and wanted in said and not outcome.stdout and not out.exists(), f"exit {outcome.code}: {said[:200]}", f"exit 2, names {wanted}, no file")


def check_models(report):
    """Model records: the shipped transients and three layouts of supplies export, a counter is said, instants do not matter."""
    scenario = ROOT / "tests" / "scenarios" / "tiny.toml" if report.quick else SCENARIOS / "llama3_405b_transients.toml"
    result = report.run(scenario).json["result_file"]

    def records(*more, form="perc1"):
        report.n_run += 1
        folder = Path(report.folder.name) / f"model_{report.n_run}"
        outcome = product.call([report.binary, "export", result, "--format", form, "--out", folder, *more])
        file = next(folder.glob("*.dyr"), None) if folder.exists() else None
        return outcome, file

    for settings in ((), ("--settings", "ups_central"), ("--settings", "ups_spread"), ("--settings", "ups_mixed")):
        outcome, file = records(*settings)
        read = readers.dyr(file) if file else {"records": []}
        broken = readers.dyr_findings(read)
        report.judge(f"PERC1 of {settings[1] if settings else scenario.stem}, own reader", outcome.code == 0 and read["records"] and not broken,
                     f"{len(read['records'])} records, {broken or 'every rule kept'}; {next(iter(outcome.stdout.splitlines()), outcome.stderr)}", "exported, every rule of the format kept")
    outcome, _ = records("--settings", "ups_counter")
    report.judge("PERC1 of a site with a counter", outcome.code == 0 and "no state for its counter" in outcome.stderr or outcome.code == 5, outcome.stderr.strip(), "warned or refused")
    same = {file.read_bytes() for _, file in (records(), records("--begin", "3.21", "--length", "1.5"), records("--begin", "4.7"))}
    report.judge("PERC1 at three instants", len(same) == 1, f"{len(same)} different files", "1")
    for form in ("cmpldw", "linjbl"):
        settings = ("--settings", "ups_spread") if form == "cmpldw" else ()
        outcome, file = records(*settings, form=form)
        broken = readers.dyr_findings(readers.dyr(file)) if file else [outcome.stderr]
        report.judge(f"{form}, own reader", not broken, str(broken or "every rule kept"), "every rule of the format kept")
    tests = Path(report.binary).parent / "test_grid"
    if not tests.exists():
        return report.skip("random sags", "no unit tests beside the command")
    n = "50" if report.quick else "1000"
    played = product.call(["/usr/bin/env", f"TIDEWATT_SAGS={n}", tests, "random sags*"])
    for line in played.stdout.splitlines():
        if line.startswith("ups_"):
            report.judge(f"{n} random sags, {line.split(':')[0]}", played.code == 0, line.split(": ", 1)[1], "95 % within, 90 % equal, 2 %, 50 ms")
    if "ups_" not in played.stdout:
        report.judge("random sags", False, played.stderr or played.stdout, "")


def check_filing(report):
    """Filing packs of a small and a large site: time without the runs, files, manifest, a figure, method and input per field."""
    tiny = ROOT / "tests" / "scenarios" / "tiny.toml"
    sites = {"2,048 GPUs": (tiny, {"hall.a.n_gpu": 2048}, "ieso_2026")}
    if not report.quick:
        sites["98,304 GPUs"] = (SCENARIOS / "xai_100k_unmitigated.toml", {}, "ercot_nogrr282")
    for name, (scenario, sets, rule) in sites.items():
        result = report.run(scenario, sets=sets).json["result_file"]
        folder = Path(report.folder.name) / f"filing_{name.split()[0]}"
        more = [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]
        outcome = product.call([report.binary, "file", scenario, result, "--for", rule, "--out", folder, "--settings", "ups_spread", "--as-if", *more])
        if outcome.code != 0:
            report.judge(f"filing of {name}", False, outcome.stderr, "written")
            continue
        report.at_most(f"filing of {name}: seconds without the run", outcome.wall_s, 120)
        manifest = json.loads((folder / "manifest.json").read_text())
        wrong = [f["name"] for f in manifest["files"] if hashlib.sha256((folder / f["name"]).read_bytes()).hexdigest() != f["sha256"]]
        missing = {"report.html", "datasheet.csv"} - {f["name"] for f in manifest["files"]}
        report.judge(f"filing of {name}: manifest", not wrong and not missing, f"{len(manifest['files'])} files, wrong: {wrong or 'none'}", "every hash right")
        with open(folder / "datasheet.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        bare = [r["field"] for r in rows if not (r["value"] and r["method"] and r["input"])]
        report.judge(f"filing of {name}: data sheet", rows and not bare, f"{len(rows)} fields, {sum(r['value'] == 'open' for r in rows)} open, without figure, method or input: {bare or 'none'}", "none")


NETWORKS = ROOT / "scenarios" / "networks"


def network_step(report, name, bus, MW, length_s, loads):
    report.n_run += 1
    out = Path(report.folder.name) / f"network_{report.n_run}.csv"
    outcome = product.call([report.binary, "machines", "--raw", NETWORKS / f"{name}.raw", "--dyr", NETWORKS / f"{name}.dyr", "--bus", bus, f"--step-MW={MW}", "--length-s", length_s,
                            "--loads", loads, "--site", loads, "--shaft", "torque", "--out", out, "--json"])
    if outcome.code != 0:
        raise RuntimeError(outcome.stderr)
    with open(out, newline="") as file:
        rows = list(csv.DictReader(file))
    return outcome.json, {key: [float(r[key]) for r in rows] for key in rows[0]}


def check_collapse(report, name, bus, MW, loads):
    """A step that the network cannot carry at constant power: neither program finds a solution to the end."""
    what = f"{name}, {MW:g} MW gained, constant power"
    try:
        network_step(report, name, bus, MW, "60", loads)
        own = "plays 60 s"
    except RuntimeError as error:
        own = str(error).strip()
    if readers.oracles() is None:
        return report.skip(f"{what} in ANDES", "no independent programs: scripts/oracles makes them")
    try:
        readers.andes_step(NETWORKS / f"{name}.raw", NETWORKS / f"{name}.dyr", bus, MW, 60, loads)
        theirs = "plays 60 s"
    except RuntimeError as error:
        theirs = str(error).strip().splitlines()[-1]
    report.judge(f"{what}: the voltage collapses in both", "does not converge" in own and "could not play" in theirs, f"{own}; {theirs}", "neither has a solution to the end")


def at_times(times, x, wanted):
    """Linear between rows; behind a jump where two rows have one time."""
    out, k = [], 0
    for t in wanted:
        while k + 2 < len(times) and times[k + 1] <= t + 1e-9:
            k += 1
        span = times[k + 1] - times[k]
        out.append(x[k] + (x[k + 1] - x[k]) * (min(max((t - times[k]) / span, 0), 1) if span > 0 else 1))
    return out


def extremum(times, x):
    k = max(range(len(x)), key=lambda i: abs(x[i]))
    return times[k] - 1, x[k]


def check_networks(report):
    """Steps of load on networks with controls: slope and signs, then the same files and step in ANDES."""
    cases = [("kundur_two_area", 7, -10.6), ("kundur_two_area", 7, -200.0), ("ieee39", 20, -10.6), ("ieee39", 39, -1000.0)]
    cases += [(name, bus, -MW) for name, bus, MW in cases]
    cases = [(*case, loads) for loads in ("impedance", "power") for case in cases] + [("kundur_two_area", 7, 180.0, "power")]
    for name, bus, MW, loads in cases[:2] if report.quick else cases:
        if (name, MW, loads) == ("kundur_two_area", 200.0, "power"):
            check_collapse(report, name, bus, MW, loads)
            continue
        what = f"{name}, {abs(MW):g} MW {'lost' if MW < 0 else 'gained'}" + (", constant power" if loads == "power" else "")
        figures, series = network_step(report, name, bus, MW, "60", loads)
        sign = -1 if MW > 0 else 1
        report.judge(f"{what}: nothing moves before", figures["before_mHz"] < 1e-6, f"{figures['before_mHz']:.1e} mHz", "1e-06 mHz")
        report.judge(f"{what}: mean of 2 s", all(sign * m["first_2s_mHz"] > 0 for m in figures["machines"]) and sign * figures["first_2s_mHz"] > 0,
                     f"mean {figures['first_2s_mHz']:+.2f} mHz, machines {min(m['first_2s_mHz'] for m in figures['machines']):+.2f} to {max(m['first_2s_mHz'] for m in figures['machines']):+.2f}",
                     "every machine rises" if sign > 0 else "every machine falls")
        report.at_most(f"{what}: first slope against f0 dP/(2 sum HS)", abs(figures["rocof_Hz_per_s"] / figures["expected_rocof_Hz_per_s"] - 1), 0.01, note=f"{figures['rocof_Hz_per_s']:+.4f} Hz/s")
        if readers.oracles() is None:
            report.skip(f"{what} in ANDES", "no independent programs: scripts/oracles makes them")
            continue
        other = readers.andes_step(NETWORKS / f"{name}.raw", NETWORKS / f"{name}.dyr", bus, MW, 60, loads)
        weight = sum(other["stored_MJ"])
        mean = [sum(m * s for m, s in zip(other["stored_MJ"], column)) / weight for column in zip(*other["speed_Hz"])]
        times = other["time_s"]
        own = at_times(series["time_s"], series["mean_Hz"], times)
        (t_own, own_peak), (t_other, other_peak) = extremum(times, own), extremum(times, mean)
        report.at_most(f"{what}: extremum against ANDES", abs(own_peak / other_peak - 1), 0.02, note=f"{1e3 * own_peak:+.3f}, {1e3 * other_peak:+.3f} mHz")
        report.at_most(f"{what}: its time", abs(t_own / t_other - 1), 0.02, note=f"{t_own:.3f}, {t_other:.3f} s")
        last = [sum(x[-600:]) / 600 for x in (own, mean)]
        report.at_most(f"{what}: settled", abs(last[0] / last[1] - 1), 0.02, note=f"{1e3 * last[0]:+.3f}, {1e3 * last[1]:+.3f} mHz")
        worst = max(max(abs(a - b) for a, b in zip(at_times(series["time_s"], series[f"unit_{unit}_Hz"], times), speed)) for unit, speed in zip(other["names"], other["speed_Hz"]))
        report.at_most(f"{what}: largest difference of a machine's speed, share of the extremum", worst / abs(other_peak), 0.05)


def command(report, *arguments):
    outcome = product.call([report.binary, *arguments, "--json"])
    if outcome.code != 0:
        raise RuntimeError(outcome.stderr)
    return outcome.json


def rate(mode):
    """Of a mode or a ring-down, 1/s: its frequency and damping as one complex number."""
    damping, angular = mode["damping_percent"] / 100, 2 * math.pi * mode["frequency_Hz"]
    return complex(-angular * damping / math.sqrt(1 - damping**2), angular) if angular > 0 else complex(mode.get("real_per_s", 0.0), 0.0)


LINK_S = 0.0125  # fitted to 23 Hz, with gain and short-circuit power


def check_stability(report):
    """A site behind an impedance: eigenvalues against a simulation, and the event of Texas 2024 as a fit."""
    folder = Path(report.folder.name)
    worst = {"frequency": 0.0, "damping": 0.0, "onset": 0.0}
    cases = [(200, 1200, 3.0), (320, 1040, 2.8)] if report.quick else [(MW, MVA, gain) for MW in (120, 240, 360) for MVA in (1000, 1600, 4000) for gain in (0.8, 1.9, 2.8, 3.5)]
    n_onset = n_unlike = 0
    for MW, MVA, gain in cases:
        found = command(report, "stability", "--load-MW", MW, "--rating-MW", 400, "--short-circuit-MVA", MVA, "--gain", gain, "--out", folder / "stability")
        simulated = found["simulated"]
        # A dip need not move the rightmost mode: the simulation must show one of them, and grow where the rightmost does.
        mode = min(found["modes"], key=lambda m: abs(rate(m) - rate(simulated)))
        n_unlike += (found["modes"][0]["damping_percent"] < 0) != (simulated["damping_percent"] < 0)
        worst["frequency"] = max(worst["frequency"], abs(simulated["frequency_Hz"] / mode["frequency_Hz"] - 1) if mode["frequency_Hz"] > 0.05 else 0.0)
        worst["damping"] = max(worst["damping"], abs(simulated["damping_percent"] - mode["damping_percent"]) / 100)
        n_onset += found["onset"]["ends_by"] == "oscillates"
        worst["onset"] = max(worst["onset"], abs(found["onset_simulated"]["load_MW"] / found["onset"]["load_MW"] - 1))
    report.at_most(f"supplies behind an impedance, {len(cases)} sites: frequency, eigenvalues against simulation", worst["frequency"], 0.02)
    report.at_most("same: damping ratio", worst["damping"], 0.005)
    report.at_most("same: sites that grow in one and decay in the other", n_unlike, 0)
    report.at_most(f"same: onset of the load ({n_onset} oscillate)", worst["onset"], 0.02)
    points = 8 if report.quick else 24
    fit = command(report, "stability", "--load-MW", 320, "--rating-MW", 400, "--short-circuit-MVA", 1600, "--map", "--points", points, "--fit-stable-MW", 300,
                  "--fit-unstable-MW", 320, "--fit-Hz", 23, "--link-filter-s", LINK_S, "--out", folder / "map")
    report.judge("map of the onset", len(fit["map"]) == points**2 and (folder / "map.svg").stat().st_size > 1000, f"{len(fit['map'])} cells", f"{points**2}, and a picture")
    rows = fit["fit"]["rows"]
    said = f"{len(rows)} loop gains fit; " + (f"{rows[0]['loop_Hz']:.1f} Hz, {rows[0]['short_circuit_low_MVA']:.0f} to {rows[0]['short_circuit_high_MVA']:.0f} MVA" if rows else "")
    report.judge("23 Hz from 320 MW, none at 300 MW, as a fit", report.quick or rows, said, "one pair or more")


def check_reserves(report):
    """Deadband, fast reserve and under-frequency stages against closed forms, through the command."""
    out = Path(report.folder.name) / "frequency.csv"
    bare = command(report, "machines", "--grid", "ercot_like_60GVA", "--step-MW", 5000, "--length-s", 120, "--out", out)
    held = command(report, "machines", "--grid", "ercot_like_60GVA", "--reserves", "three_stages", "--step-MW", 5000, "--length-s", 120, "--out", out)
    # Settled: droop of 8 % and damping of 1 on 60 GVA.
    report.at_most("no reserves: settled against f0 dP/(S (D + 1/R))", abs(bare["settled_mHz"] / (-60e3 * 5 / 60 / 13.5) - 1), 1e-3)
    shed = sum(s["shed_MW"] for s in held["stages"] if s["open_s"] is not None)
    left = 5000 - shed - 450
    wanted = 60e3 * (left / 60e3 + (17e-3 / 60 / 0.08 if left > 0 else -17e-3 / 60 / 0.08)) / 13.5
    report.at_most("with reserves: settled, deadband included", abs(held["settled_mHz"] / -wanted - 1), 0.02, note=f"{held['settled_mHz']:+.1f} mHz, {shed:.0f} MW shed")
    report.judge("fast reserve asked before a stage opens", held["fast_from_s"] is not None and all(s["open_s"] is None or s["open_s"] > held["fast_from_s"] for s in held["stages"]), f"{held['fast_from_s']} s", "in this order")


def check_events(report):
    """Rows V1 to V12 of the validation: which say what was published and what was chosen."""
    rows = [r for r in command(report, "validate", "grid", "--data", "/nonexistent")["rows"] if r["id"].startswith("V")]
    numbers = {r["id"].split("/")[0] for r in rows}
    report.judge("rows V1 to V12", numbers == {f"V{i}" for i in range(1, 13)}, f"{len(rows)} rows of {len(numbers)}", "12")
    wrong = [r["id"] for r in rows if r["verdict"] not in ("pass", "calibrated")]
    report.judge("each passes, or is a fit", not wrong, f"fail: {wrong or 'none'}; fits: {[r['id'] for r in rows if r['verdict'] == 'calibrated']}", "no failure")
    silent = [r["id"] for r in rows if "published:" not in r["note"] or "chosen:" not in r["note"]]
    report.judge("each says what is published and what was chosen", not silent, f"silent: {silent or 'none'}", "none")
