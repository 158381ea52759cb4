"""What once was read in silence, by kind of fault: each is read rightly, or a warning or refusal names it."""
import json

import pandas as pd
import pytest
from import_case import put, read, said

from tidewatt import importers

SMI = "timestamp, uuid, power.draw [W]\n2026/03/02 10:00:00.000, GPU-1, {}\n2026/03/02 10:00:01.000, GPU-1, {}\n"
DAY = "time,{}\n2026-03-02T10:00:00Z,{}\n2026-03-02T11:00:00Z,{}\n"


@pytest.mark.parametrize("cells", [("700.1 W", "0.6999 kW"), ("700100 mW", "699.9"), ("700.1", "699.9 Watts")])
def test_a_cell_has_its_own_unit(cells, tmp_path):
    table, _ = read("nvidia-smi", put(tmp_path, "gpu.csv", SMI.format(*cells)))
    assert table["power_W"].tolist() == pytest.approx([700.1, 699.9])


def test_the_unit_in_a_header_counts(tmp_path):
    table, _ = read("nvidia-smi", put(tmp_path, "gpu.csv", SMI.replace("[W]", "[mW]").format(700100, 699900)))
    assert table["power_W"].tolist() == pytest.approx([700.1, 699.9])
    dmon = "# gpu    pwr  gtemp\n# Idx     mW      C\n    0  700100     45\n"
    assert read("nvidia-smi", put(tmp_path, "dmon.txt", dmon))[0]["power_W"].tolist() == [700.1]


def test_a_unit_of_another_quantity_leaves_the_cell_blank(tmp_path):
    table, report = read("nvidia-smi", put(tmp_path, "gpu.csv", SMI.format("700.1 W", "45 C")))
    assert table["power_W"].isna().tolist() == [False, True] and said(report, "gpu.csv:3", "power_W", "'C' is no unit of it")
    table, report = read("csv", put(tmp_path, "t.csv", DAY.format("pump_W", 120, "1 hp")))
    assert table["pump_W"].isna().tolist() == [False, True] and said(report, "t.csv:3", "'hp' is no unit of it")


@pytest.mark.parametrize("name", ["powerKiloWatts", "powerMegaWatts", "rack_kW", "lb_per_MWh"])
def test_units_in_names(name, tmp_path):
    path = put(tmp_path, "t.csv", DAY.format(f"pump_W,{name}", "1,2", "1,2"))
    table = importers.import_logs("csv", [str(path)]).table
    expected = {"powerKiloWatts": ("power_W", 2e3), "powerMegaWatts": ("power_W", 2e6), "rack_kW": ("rack_W", 2e3)}.get(name)
    assert set(table) == {"time", "pump_W"} | ({expected[0]} if expected else set())
    assert expected is None or table[expected[0]].tolist() == [expected[1]] * 2


def test_times_of_which_some_have_an_offset(tmp_path):
    path = put(tmp_path, "t.csv", "time,pump_W\n2026-03-02T10:00:00+01:00,1\n2026-03-02 11:00:00,2\n")
    table, report = read("csv", path)
    assert table["time"].dt.hour.tolist() == [9, 11] and said(report, "t.csv:3", "carry no offset")
    table, report = read("csv", path, time_zone="Europe/Berlin")
    assert table["time"].dt.hour.tolist() == [9, 10] and said(report, "Europe/Berlin")


def test_unix_times_of_two_scales(tmp_path):
    table, report = read("csv", put(tmp_path, "t.csv", "time,pump_W\n1772445600,1\n1772445601000,2\n0,3\n"))
    assert table["time"].tolist() == [pd.Timestamp("2026-03-02T10:00:00Z"), pd.Timestamp("2026-03-02T10:00:01Z")]
    assert said(report, "t.csv:2", "no Unix time in ms") and said(report, "t.csv:4", "without a time")


def test_stamps_of_the_api_in_ms(tmp_path):
    result = [{"metric": {"__name__": "DCGM_FI_DEV_POWER_USAGE", "gpu": "0", "UUID": "GPU-1"}, "value": [1772445600000, "452"]}]
    table, report = read("prometheus", put(tmp_path, "a.json", json.dumps({"status": "success", "data": {"resultType": "vector", "result": result}})))
    assert table["time"].tolist() == [pd.Timestamp("2026-03-02T10:00:00Z")] and said(report, "stamps are read in ms")


def test_a_missing_line_end_is_told(tmp_path):
    assert said(read("csv", put(tmp_path, "t.csv", DAY.format("pump_W", 120, 12).rstrip("\n")))[1], "t.csv:3", "no line end")
    assert not read("csv", put(tmp_path, "t.csv", DAY.format("pump_W", 120, 12)))[1].warnings


@pytest.mark.parametrize("above", ["Export of the market\n", "sep=;\n"])
def test_a_title_above_changes_no_kind(above, tmp_path):
    text = "Datum;Preis (EUR/MWh)\n2026-03-02 10:00;21,5\n2026-03-02 11:00;22,5\n"
    table, _ = read("price", put(tmp_path, "p.csv", above + text))
    assert table["price_per_MWh"].tolist() == [21.5, 22.5]


def test_a_header_that_comes_again(tmp_path):
    lines = DAY.format("pump_W", 120, 121).splitlines(True)
    table, report = read("csv", put(tmp_path, "t.csv", "".join([*lines[:2], lines[0], *lines[2:]])))
    assert table["pump_W"].tolist() == [120, 121] and said(report, "t.csv:3", "the header again")


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_nvidia_smi_as_spreadsheets_save_it(delimiter, tmp_path):
    text = "sep=;\n" * (delimiter == ";") + '"Timestamp";"UUID";"Power.Draw [W]"\n"2026/03/02 10:00:00.000";"GPU-1";"700.1 W"\n"2026/03/02 10:00:01.000";"GPU-1";"699.9 W"\n'
    assert read("nvidia-smi", put(tmp_path, "gpu.csv", text.replace(";", delimiter)))[0]["power_W"].tolist() == [700.1, 699.9]


def test_gbp_in_small_letters_may_be_pence(tmp_path):
    assert said(read("price", put(tmp_path, "p.csv", DAY.format("price gbp/kwh", 21.4, 21.4)))[1], "pence", "--unit price=GBp/kWh")


def test_a_job_that_is_listed_twice_counts_once(tmp_path):
    job = {"job_id": 7, "job_state": ["RUNNING"], "node_count": {"set": True, "number": 1}, "start_time": 1772445600, "tres_alloc_str": "node=1,gres/gpu=8"}
    table, report = read("squeue", put(tmp_path, "q.json", json.dumps({"meta": {}, "jobs": [job, job, {**job, "job_id": "?"}]})))
    assert table["gpus"].tolist() == [8] and said(report, "job 7 again") and said(report, "job 3", "no job_id")
    table, _ = read("squeue", put(tmp_path, "q.json", json.dumps({"meta": {}, "jobs": [{**job, "node_count": "fault"}]})))
    assert table["nodes"].isna().all()


def test_redfish_numbers_in_quotes(tmp_path):
    fan = {"@odata.id": "/redfish/v1/Chassis/a/ThermalSubsystem/Fans/1", "@odata.type": "#Fan.v1_0_0.Fan", "Id": "1", "SpeedPercent": {"Reading": "45"}}
    assert read("redfish", put(tmp_path, "fan.json", json.dumps(fan)))[0]["value"].tolist() == [0.45]
    table, report = read("redfish", put(tmp_path, "fan.json", json.dumps({**fan, "SpeedPercent": {"Reading": "fault"}})))
    assert table["value"].isna().all() and said(report, "without a number")


def test_rocm_smi_as_csv(tmp_path):
    text = "device,Temperature (Sensor junction) (C),Average Graphics Package Power (W),sclk clock speed:\ncard0,41.0,92.0,(132Mhz)\ncard1,43.0,95.0,(140Mhz)\n\n"
    table, _ = read("rocm-smi", put(tmp_path, "r.csv", text))
    assert table[["gpu", "power_W", "clock_MHz"]].values.tolist() == [["0", 92.0, 132.0], ["1", 95.0, 140.0]]


def test_a_place_without_its_numbers_is_refused(tmp_path):
    hourly = {"time": ["2026-03-02T10:00", "2026-03-02T11:00"], "temperature_2m": [10, 11], "relative_humidity_2m": [50, 51]}
    with pytest.raises(importers.InputError, match="utc_offset_seconds is absent"):
        read("weather", put(tmp_path, "w.json", json.dumps({"latitude": 50, "longitude": 8, "elevation": 100, "timezone": "Europe/Berlin", "hourly": hourly})))


def test_a_stamp_of_another_century_fills_no_list(tmp_path):
    text = "time,price EUR/MWh\n" + "".join(f"2026-03-02T{h:02d}:00Z,{h}\n" for h in range(10)) + "2199-03-02T10:00Z,1\n"
    with pytest.raises(importers.InputError, match="a stamp is wrong"):
        read("price", put(tmp_path, "p.csv", text))


@pytest.mark.parametrize("name, text, way", [("i.txt", "Instantaneous power reading:   6520 Watts\n", "ipmitool"), ("n.json", '[{"device_name":"H100","power_draw":"512W"}]', "nvtop"),
                                             ("p.csv", "time,LMP\n2026-03-02T10:00Z,21.4\n", "--unit price="), ("q.json", '[{"power_w":512.1}]', "as CSV")])  # fmt: skip
def test_output_that_no_reader_takes(name, text, way, tmp_path):
    with pytest.raises(importers.InputError, match=way):
        read("auto", put(tmp_path, name, text))


@pytest.mark.parametrize("last", ["1.", "1.01 ", "1.01 k", "12;"])
def test_a_cut_last_cell_is_told_whatever_it_ends_with(last, tmp_path):
    report = read("csv", put(tmp_path, "t.csv", "time;load\n2026-03-02T10:00:00Z;1.02 kW\n2026-03-02T10:00:01Z;1.01 kW\n2026-03-02T10:00:02Z;" + last))[1]
    assert said(report, "t.csv:4", "no line end behind the last line")


@pytest.mark.parametrize("kind", ["csv", "power"])
def test_a_header_of_readings_is_refused(kind, tmp_path):
    rows = "".join(f"2026-03-02 10:00:0{i},60{i} W,1.0{i} kW,good\n" for i in range(4))
    with pytest.raises(importers.InputError, match=r"t.csv: the first line has values, no names \('1.00 kW'\); put a line with the names"):
        read(kind, put(tmp_path, "t.csv", rows))


def test_names_that_begin_with_a_number_are_no_readings(tmp_path):
    table, report = read("csv", put(tmp_path, "t.csv", DAY.format("5 min,load_W", "1,2", "3,4")))
    assert table["load_W"].tolist() == [2, 4] and not report.warnings
