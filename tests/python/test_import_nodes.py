"""Power of nodes: MLCommons logs, Redfish, plain tables; clocks of several nodes on one."""
import json

import numpy as np
import pandas as pd
import pytest
from import_case import put, read, said, shared

from tidewatt import importers
from tidewatt.importers import align, times


def record(ms, key, value, kind="POINT_IN_TIME", metadata=None):
    return ":::MLLOG " + json.dumps({"namespace": "", "time_ms": ms, "event_type": kind, "key": key, "value": value, "metadata": metadata or ""})


def node_log(watts, shift=0):
    return "\n".join([record(1000 + shift, "power_measurement_start", None), *(record(1000 + shift + 2000 * i, "power_reading", w) for i, w in enumerate(watts))])


def test_mllog_merges_rounds_names_twins_and_refuses_another_runs_power(tmp_path):
    watts = [500, 900, 700, 900]
    a, b, c = (put(tmp_path, f"node_{i}.txt", node_log(w, s)) for i, w, s in ((1, watts, 0), (2, watts, 400), (10, [400, 800, None, 810], -300)))
    train = "\n".join(["+ srun", " 0: " + record(0, "run_start", None, "INTERVAL_START", {"file": "x.py", "lineno": 3}),
                       " 0: " + record(4, "global_batch_size", 8), " 0: :::MLLOG {\"time_ms\": 12, \"key",
                       " 0: " + record(9000, "run_stop", None, "INTERVAL_END", {"samples_count": 80, "status": "success"})])  # fmt: skip
    result = put(tmp_path, "result.txt", train)
    done = importers.import_logs("mllog", [result, c, a, b])
    table, report = done.table, done.report
    assert list(table) == ["time_ms", "node1_W", "node2_W", "node10_W"] and list(table["time_ms"]) == [1000, 3000, 5000, 7000]
    assert np.isnan(table["node10_W"].iloc[2]) and said(report, "node_10.txt:4", "without a number")
    assert said(report, "node1 = node2", "identical") and report.facts["identical_series"] == [["node1", "node2"]]
    assert report.facts["steps"] == 10 and report.facts["duration_s"] == 9.0 and report.facts["energy_J"]["node1"] == 2 * (500 / 2 + 900 + 700 + 900 / 2)
    assert said(report, "result.txt:4", "torn") and list(done.more["events"]["metadata"])[-1] == "samples_count=80;status=success"
    with pytest.raises(importers.InputError, match="outside the run"):
        importers.import_logs("mllog", [result, put(tmp_path, "late.txt", node_log(watts, 10**7))])


def test_redfish_report_wrong_clock_stale_values_and_false_readings(tmp_path):
    def value(sensor, number, when, stale=False):
        return {"MetricProperty": f"/redfish/v1/Chassis/C/Sensors/{sensor}", "MetricValue": number, "Timestamp": when, "Oem": {"X": {"MetricValueStale": stale}}}

    metrics = [value(f"HGX_GPU_SXM_{i}_Power_0", f"{70 + i}.5", "2020-12-11T16:40:46.7+00:00", i == 2) for i in (1, 2)]
    metrics += [value("HGX_GPU_SXM_1_Energy_0", "5000", "2020-12-11T16:40:46.7+00:00"), value("HGX_GPU_SXM_1_TEMP_0", "bad", "2020-12-11T16:40:46.7+00:00")]
    report_json = {"@odata.type": "#MetricReport.v1_3_0.MetricReport", "@odata.id": "/redfish/v1/x", "Id": "R", "MetricValues": metrics}
    table, report = read("redfish", put(tmp_path, "report.json", json.dumps(report_json)))
    power = table[table["quantity"] == "power_W"]
    assert list(power["value"]) == [71.5, 72.5] and list(power["flag"]) == ["", "stale"] and table[table["quantity"] == "energy_J"]["value"].iloc[0] == 5000
    assert said(report, "report.json:1", "wrong clock") and said(report, "stale") and said(report, "TEMP_0", "left blank")
    week = {"@odata.type": "#MetricReport.v1_4_0.MetricReport", "Id": "MinPowerConsumptionDay", "MetricValues": [
        {"MetricId": "MinPowerConsumptionDay", "MetricValue": str(w), "Timestamp": f"2023-11-30T{20 - i}:00:00Z", "MetricProperty": "/redfish/v1/Chassis/1/Power#/PowerControl/0"}
        for i, w in enumerate([2100, 66, 2150, 2140, 2120, 2130])]}  # fmt: skip
    table, report = read("redfish", put(tmp_path, "week.json", json.dumps(week)))
    assert table["time"].is_monotonic_increasing and list(table["flag"]).count("false reading") == 1 and set(table["statistic"]) == {"min"}
    assert said(report, "2023-11-30T19:00Z", "false reading")


def test_redfish_power_sensor_and_folder(tmp_path):
    power = {"@odata.type": "#Power.v1_5_0.Power", "@odata.id": "/redfish/v1/Chassis/S/Power", "PowerControl": [{"Name": "Sys", "PowerConsumedWatts": 429,
             "PowerMetrics": {"AverageConsumedWatts": 426, "MinConsumedWatts": 425, "MaxConsumedWatts": 436, "IntervalInMin": 1}}]}  # fmt: skip
    sensor = {"@odata.type": "#Sensor.v1_2_0.Sensor", "Id": "E", "Reading": 2.0, "ReadingUnits": "kW.h"}
    put(tmp_path, "a.json", json.dumps(power))
    put(tmp_path, "b.json", json.dumps(sensor))
    put(tmp_path, "c.json", '{"@odata.type": "#SensorCollection.SensorCollection", "Members": []}')
    table, report = read("redfish", tmp_path)
    assert dict(zip(table["statistic"], table["value"]))["mean"] == 426 and set(table["interval_s"].dropna()) == {60}
    assert table[table["quantity"] == "energy_J"]["value"].iloc[0] == 7.2e6 and any("1 resources hold no reading" in n for n in report.notes)
    with pytest.raises(importers.InputError, match="no Redfish resource"):
        importers.import_logs("redfish", [put(tmp_path, "c.json", '{"@odata.type": "#X.v1.X"}')])


def test_plain_tables_take_names_units_zones_and_decimal_commas(tmp_path):
    text = "Zeit;Leistung;Temp\n2024-07-01 12:00:00;1,5;25,5\n2024-07-01 12:00:05;1,75;\n2024-07-01 12:00:10;xx;26,0\n"
    path = put(tmp_path, "pdu.csv", text)
    columns = {"time": "Zeit", "power": "Leistung", "temperature": "Temp"}
    table, report = read("csv", path, columns=columns, units={"power": "kW", "temperature": "degC"}, time_zone="Europe/Berlin")
    assert list(table["power_W"].iloc[:2]) == [1500, 1750] and table["time"].iloc[0] == pd.Timestamp("2024-07-01T10:00:00Z") and list(table["temperature_degC"].iloc[[0, 2]]) == [25.5, 26]
    assert said(report, "pdu.csv:3", "no value") and said(report, "pdu.csv:4", "not a number")
    with pytest.raises(importers.InputError, match="names no unit.*--unit power=UNIT"):
        importers.import_logs("csv", [path], columns=columns)
    with pytest.raises(importers.InputError, match="no column 'Watt'"):
        importers.import_logs("csv", [path], columns={"power": "Watt"})
    with pytest.raises(importers.InputError, match="no such zone"):
        importers.import_logs("csv", [path], columns=columns, units={"power": "kW", "temperature": "degC"}, time_zone="Mars/Base")
    record = put(tmp_path, "note.csv", 'time_s,power_W,note\n0,1,"a\nb"\n1,2,c\n2,3\n')
    table, report = read("power", record)
    assert list(table["power_W"]) == [1, 2] and said(report, "note.csv:2", "several lines") and said(report, "note.csv:5", "2 cells")
    with pytest.raises(importers.InputError, match="needs a time and watts"):
        importers.import_logs("power", [put(tmp_path, "no.csv", "power_W,b\n1,2\n")])


def test_parquet_says_what_it_needs(tmp_path):
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        with pytest.raises(importers.InputError, match="pyarrow"):
            importers.import_logs("power", [put(tmp_path, "a.parquet", b"PAR1")])
        return
    path = tmp_path / "a.parquet"
    pd.DataFrame({"time": pd.date_range("2024-05-01", periods=3, freq="s", tz="UTC"), "power_W": [1.0, 2.0, 3.0]}).to_parquet(path)
    assert list(read("power", path)[0]["power_W"]) == [1, 2, 3]


def wave(t, period=10.0):
    """A plateau with a dip each iteration, and a step change of load half way: as a training job draws."""
    return 5000.0 - 2000.0 * ((t % period) < 1.5) + 300.0 * (t > 150)


def test_clock_offsets_are_found_with_an_interval_and_refused_when_ambiguous():
    rng = np.random.default_rng(1)
    t = np.arange(0, 300, 0.5)
    reference = wave(t) + rng.normal(0, 30, t.size)
    found = align.clock_offset(t, reference, wave(t - 1.7) + rng.normal(0, 30, t.size), 10.0, "b")
    assert not found.refused and found.low_s <= 1.7 <= found.high_s and found.high_s - found.low_s <= 1.5
    noise = align.clock_offset(t, reference, rng.normal(0, 30, t.size), 10.0)
    assert noise.refused
    fast = align.clock_offset(t, np.sin(2 * np.pi * t / 3) + 0.01 * reference / 5000, np.sin(2 * np.pi * t / 3), 10.0)
    assert "second peak" in fast.refused  # repeats after 3 s, although the given iteration is 10 s
    far = align.clock_offset(t, reference, wave(t - 7.0) + rng.normal(0, 30, t.size), 10.0)
    assert abs(far.offset_s) <= 5.0  # never more than half an iteration by itself
    told = align.clock_offset(t, reference, wave(t - 7.0) + rng.normal(0, 30, t.size), 10.0, event_offset_s=6.0)
    assert not told.refused and told.low_s <= 7.0 <= told.high_s
    assert align.iteration_s(t, reference) == pytest.approx(10.0, abs=0.3)


def test_align_moves_a_late_node_and_says_so(tmp_path):
    t = np.arange(0, 300, 0.5)
    rng = np.random.default_rng(2)
    rows = [f"{x},{a:.1f},{b:.1f}" for x, a, b in zip(t, wave(t) + rng.normal(0, 20, t.size), wave(t - 2.0) + rng.normal(0, 20, t.size))]
    table, report = read("power", put(tmp_path, "two.csv", "time_s,a_W,b_W\n" + "\n".join(rows)), align=0.0)
    assert said(report, "b_W", "clock was moved") and report.facts["iteration_s"] == pytest.approx(10.0, abs=0.3)
    assert np.corrcoef(table["a_W"][:-10], table["b_W"][:-10])[0, 1] > 0.95


def test_an_hour_that_comes_twice_is_told_apart_in_order():
    from tidewatt.importers.report import ImportReport

    local = ["2023-10-29 01:30:00", "2023-10-29 02:00:00", "2023-10-29 02:30:00", "2023-10-29 02:00:00", "2023-10-29 02:30:00", "2023-10-29 03:00:00"]
    report = ImportReport("csv")
    utc = times.parse_times(local, range(2, 8), "a", report, "Europe/Berlin")
    assert list(utc.diff().dropna().dt.total_seconds()) == [1800] * 5 and not report.warned


def test_mllog_of_the_published_run_equals_the_derived_tables():
    folder, derived = shared("mlperf_raw_h100_8node_llama2"), shared("mlperf_h100_8node_llama2")
    run = "result_5740-240517044141819407406_10"
    for sensor, megajoules, kilowatts in (("ac", 14.739, 46.52), ("dc", 14.565, 45.97)):
        done = importers.import_logs("mllog", [folder / f"{run}.txt", *sorted((folder / f"{sensor}_power").glob("*.txt")), *folder.glob("system*.json")])
        facts = done.report.facts
        expected = pd.read_csv(derived / f"{run}_{sensor}.csv")
        assert list(done.table) == list(expected) and (done.table == expected).all().all()
        assert facts["total_energy_J"] / 1e6 == pytest.approx(megajoules, abs=5e-4) and facts["mean_total_W"] / 1e3 == pytest.approx(kilowatts, abs=5e-3)
        assert facts["span_s"] == 316.823 and facts["identical_series"] == [["node1", "node2"], ["node3", "node7"], ["node4", "node5"], ["node6", "node8"]]
        assert (facts["run_start_ms"], facts["run_stop_ms"], facts["status"]) == (1715898649339, 1715898968253, "success")
        assert (facts["duration_s"], facts["steps"], facts["evaluations"], facts["system"]["number_of_nodes"]) == (318.914, 384, 5, 8)
        assert said(done.report, "sw_0.txt:1", "declared constant") and facts["declared_W"] == {"sw_0": 16100}
    events = importers.import_logs("mllog", [folder / f"{run}.txt"])
    assert len(events.table) == 52 and events.report.facts["records"] == 52
    published = pd.read_csv(derived / f"{run}_events.csv", dtype=str, keep_default_na=False)
    mine = events.table.astype(str)
    merged = published.merge(mine, on=["time_ms", "key", "value", "metadata", "event_type"], how="left", indicator=True)
    assert (merged["_merge"] == "both").all()


def test_redfish_truths():
    folder = shared("redfish_bmc")
    table, report = read("redfish", folder / "dgx_h100" / "MetricReports_HGX_PlatformEnvironmentMetrics_0.json")
    value = lambda pattern: table[table["sensor"].str.fullmatch(pattern)]["value"]
    assert len(table) == 93 and value(r"HGX_GPU_SXM_\d_Power_0").sum() == pytest.approx(591.58) and value(".*TotalGPU_Power_0").iloc[0] == 586
    assert value(r".*HSC_\d_Power_0|.*StandbyHSC_0_Power_0").sum() == pytest.approx(825.825) and value(".*TotalHSC_Power_0").iloc[0] == 825.825
    assert said(report, "wrong clock", "2020-12-11") and (table[table["sensor"].str.contains("Energy")]["quantity"] == "energy_J").all()
    folder_table, folder_report = read("redfish", folder / "dgx_h100")
    sensors = folder_table[folder_table["resource"] == "Sensor"].set_index("sensor")["value"]
    assert sensors["PWR_SYSTEM"] == 1950 and sum(sensors[f"PWR_PSU{i}"] for i in range(6)) == 3 * 351 + 3 * 312
    assert said(folder_report, "wrong clock", "other resources")
    drive = folder_table[folder_table["sensor"] == "PWR_U.2_NVME"].iloc[0]  # without unit and type
    assert (drive["quantity"], drive["value"], drive["flag"]) == ("power_W", 28, "quantity from the name")
    for name, n, mean, low, high in (("AvgPowerConsumptionHour", 12, 2278, 2150, 2794), ("AvgPowerConsumptionDay", 24, 2168, 2156, 2270)):
        table, _ = read("redfish", folder / "supermicro" / f"MetricReports_{name}.json")
        assert (len(table), round(table["value"].mean()), table["value"].min(), table["value"].max()) == (n, mean, low, high)
    assert read("redfish", folder / "supermicro" / "MetricReports_MaxPowerConsumptionWeek.json")[0]["value"].max() == 3144
    table, _ = read("redfish", folder / "supermicro" / "MetricReports_MinPowerConsumptionWeek.json")
    assert set(table[table["value"].between(47, 66)]["flag"]) == {"false reading"} and (table[table["value"] > 500]["flag"] == "").all()
    for path in sorted((folder / "other").glob("*.json")):
        assert len(read("redfish", path)[0]) > 0, path.name
    dell = read("redfish", folder / "other" / "telegraf_dell_power.json")[0]
    dell = dell[(dell["quantity"] == "power_W") & dell["sensor"].str.contains("Control")].set_index("statistic")["value"]
    assert dict(dell) == {"instant": 429, "mean": 426, "min": 425, "max": 436}


def test_inference_power_quantiles():
    folder = shared("inference_power_h100")
    for model, gpus, b, mean in (("Llama-3.1-70B", 4, 8, 1766), ("Llama-3.1-70B", 4, 1536, 2695), ("Llama-3.1-8B", 1, 64, 609), ("Qwen3-30B-A3B", 2, 512, 972)):
        _, report = read("power", folder / f"{model}_num_gpus_{gpus}_max_num_seqs_{b}.csv")
        facts = report.facts["power_total_W"]
        assert round(facts["mean_W"]) == mean
        if b == 8:
            assert [facts[k] for k in ("p05_W", "median_W", "p95_W")] == pytest.approx([1686, 1749, 1875], abs=1)
