"""Logs of GPU tools. Synthetic files follow the tools' published formats; the reference logs are those of NVIDIA's, AMD's and dcgm's users."""
import json

import numpy as np
import pandas as pd
import pytest
from import_case import put, read, said, shared

from tidewatt import importers

CSV = """timestamp, index, name, power.draw [W], temperature.gpu, clocks.current.sm [MHz], utilization.gpu [%], power.limit [W]
2024/05/01 10:00:00.000, 0, NVIDIA H100, 300.50 W, 45, 1980 MHz, 100 %, 700.00 W
2024/05/01 10:00:00.000, 1, NVIDIA H100, [N/A], 46, 1980 MHz, 100 %, 700.00 W
2024/05/01 10:00:01.000, 0, NVIDIA H100, 310.50 W, 46, 1965 MHz, 99 %, 700.00 W
2024/05/01 10:00:01.000, 1, NVIDIA H100, 90.00 W, 46
2024/05/01 10:00:02.000, 1, NVIDIA H100, 95.00 W, 46, 1980 MHz, 0 %, 700.00 W
"""


def test_query_csv_has_units_in_cells_blanks_and_torn_lines(tmp_path):
    table, report = read("nvidia-smi", put(tmp_path, "a.csv", CSV))
    first = table[table["gpu"] == "0"]
    assert list(first["power_W"]) == [300.5, 310.5] and list(first["clock_MHz"]) == [1980, 1965]
    assert list(first["utilization_frac"]) == [1.0, 0.99] and set(table["limit_W"]) == {700}
    other = table[table["gpu"] == "1"]
    assert np.isnan(other["power_W"].iloc[0]) and other["power_W"].iloc[1] == 95
    assert said(report, "mended", "a.csv:3", "power_W") and said(report, "ignored", "a.csv:5", "torn")
    assert report.rows_read == 4 and len(table) == 4


def test_a_log_without_units_and_with_utf16_reads_the_same(tmp_path):
    plain = CSV.replace(" W,", ",").replace(" MHz,", ",").replace(" %,", ",").replace(" W\n", "\n").replace(" [W]", "").replace(" [MHz]", "").replace(" [%]", "")
    a, _ = read("nvidia-smi", put(tmp_path, "a.csv", CSV))
    b, _ = read("nvidia-smi", put(tmp_path, "b.csv", plain.encode("utf-16")))
    pd.testing.assert_frame_equal(a, b)


def test_the_clock_may_stand_still_jump_back_and_fall_back_an_hour(tmp_path):
    head = "timestamp, index, power.draw [W], temperature.gpu\n"
    line = "2024/10/27 {}, 0, {} W, 40\n"
    fold = head + "".join(line.format(t, w) for t, w in [("02:59:58", 1), ("02:59:59", 2), ("02:00:00", 3), ("02:00:01", 4)])
    table, report = read("nvidia-smi", put(tmp_path, "fold.csv", fold))
    assert list(table["power_W"]) == [1, 2, 3, 4] and list(table["time"].diff().dt.total_seconds().dropna()) == [1, 1, 1]
    assert said(report, "fold.csv:4", "summer time")
    coarse = head + "".join(line.format(t, w) for t, w in [("03:00:00", 1), ("03:00:00", 2), ("03:00:01", 3), ("03:00:01", 4)])
    table, report = read("nvidia-smi", put(tmp_path, "coarse.csv", coarse))
    assert list(table["time"].diff().dt.total_seconds().dropna()) == [0.5, 0.5, 0.5] and said(report, "coarse.csv:2", "coarser")
    twice = head + "".join(line.format(f"04:00:0{t}", w) for t, w in [(0, 1), (1, 2), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8), (8, 9), (9, 10)])
    table, report = read("nvidia-smi", put(tmp_path, "twice.csv", twice))
    assert len(table) == 10 and said(report, "twice.csv:4", "same row")
    _, report = read("nvidia-smi", put(tmp_path, "epoch.csv", head + "1970/01/01 00:00:01.000, 0, 5 W, 40\n1970/01/01 00:00:02.000, 0, 5 W, 40\n"))
    assert said(report, "epoch.csv:2", "wrong clock")


def test_a_gap_is_listed_and_never_filled(tmp_path):
    rows = "".join(f"2024/05/01 10:00:{s:02}, 0, 100 W, 40\n" for s in (0, 1, 2, 3, 20, 21))
    table, report = read("nvidia-smi", put(tmp_path, "gap.csv", "timestamp, index, power.draw [W], temperature.gpu\n" + rows))
    assert len(table) == 6 and said(report, "1 gaps", "17 s") and report.facts["gaps"][0]["seconds"] == 17


def test_an_energy_counter_that_wraps_or_restarts_keeps_counting(tmp_path):
    counts = [2**32 - 3000, 2**32 - 1000, 1000, 3000, 200, 2200]
    rows = "".join(f"2024/05/01 10:00:{i:02}, 0, 100 W, 40, {c} mJ\n" for i, c in enumerate(counts))
    text = "timestamp, index, power.draw [W], temperature.gpu, total_energy_consumption [mJ]\n" + rows
    table, report = read("nvidia-smi", put(tmp_path, "energy.csv", text))
    assert np.allclose(table["energy_J"].diff().dropna(), [2.0, 2.0, 2.0, 0.2, 2.0])
    assert said(report, "wrapped at") and said(report, "restarted")


def test_dmon_with_and_without_times(tmp_path):
    text = "# gpu   pwr  gtemp  mtemp     sm    mem   mclk   pclk\n# Idx     W      C      C      %      %    MHz    MHz\n    0   100     40      -     50      3   2619   1500\n    1   110     41     50     51      4   2619\n"
    table, report = read("nvidia-smi", put(tmp_path, "dmon.txt", text))
    assert list(table["power_W"]) == [100] and list(table["clock_MHz"]) == [1500] and "memory_temperature_degC" not in table
    assert said(report, "dmon.txt:4", "torn") and any("no times" in n for n in report.notes)
    timed = text.replace("# gpu", "#Date       Time        gpu").replace("# Idx", "#YYYYMMDD   HH:MM:SS    Idx").replace("    0   100", " 20240501 10:00:00 0 100")
    table, _ = read("nvidia-smi", put(tmp_path, "timed.txt", timed), time_zone="UTC")
    assert table["time"].iloc[0] == pd.Timestamp("2024-05-01T10:00:00Z")


def test_q_and_xml_of_old_and_new_drivers(tmp_path):
    q = """==============NVSMI LOG==============

Timestamp                                              : Wed May  1 10:00:00 2024
Attached GPUs                                          : 2
GPU 00000000:01:00.0
    Product Name                                       : Tesla V100
    Temperature
        GPU Current Temp                               : 50 C
    Power Readings
        Power Draw                                     : 200.00 W
        Power Limit                                    : 250.00 W
    Clocks
        SM                                             : 1380 MHz
GPU 00000000:02:00.0
    Product Name                                       : Tesla V100
    Temperature
        GPU Current Temp                               : 51 C
    GPU Power Readings
        Average Power Draw                             : N/A
        Power Draw                                     : 210.00 W
    Clocks
        SM                                             : 1380 MHz
    Max Clocks
        SM                                             : 1530 MHz
"""
    table, _ = read("nvidia-smi", put(tmp_path, "q.txt", q))
    assert list(table["temperature_degC"]) == [50, 51] and list(table["clock_MHz"]) == [1380, 1380] and list(table["gpu"]) == ["0", "1"]
    assert table["power_W"].iloc[0] == 200 and table["limit_W"].iloc[0] == 250
    xml = """<?xml version="1.0" ?><nvidia_smi_log><timestamp>Wed May  1 10:00:00 2024</timestamp><gpu id="1"><product_name>X</product_name>
    <temperature><gpu_temp>50 C</gpu_temp><memory_temp>N/A</memory_temp></temperature>{}<clocks><sm_clock>1380 MHz</sm_clock></clocks></gpu></nvidia_smi_log>"""
    for readings in ("<power_readings><power_draw>200.00 W</power_draw></power_readings>",
                     "<gpu_power_readings><average_power_draw>200.00 W</average_power_draw></gpu_power_readings>"):  # fmt: skip
        table, _ = read("nvidia-smi", put(tmp_path, "x.xml", xml.format(readings)))
        assert table["power_W"].iloc[0] == 200 and "memory_temperature_degC" not in table
    with pytest.raises(importers.InputError, match="complete XML"):
        importers.import_logs("nvidia-smi", [put(tmp_path, "torn.xml", xml.format("")[:200])])


PROM = """# HELP DCGM_FI_DEV_POWER_USAGE Power draw (in W).
# TYPE DCGM_FI_DEV_POWER_USAGE gauge
DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-a",Hostname="n1"} 100.5
DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-b",Hostname="n2"} 9223372036854775794
DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="GPU-a",Hostname="n1"} 40
DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="GPU-b",Hostname="n2"} 41
DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu="0",UUID="GPU-a",Hostname="n1"} 5000000
DCGM_FI_DEV_MEMORY_TEMP{gpu="0",UUID="GPU-a",Hostname="n1"} 0
DCGM_FI_DEV_SM_CLOCK{gpu="0",UUID="GPU-a
something_else 3
"""


def test_exposition_text_is_matched_by_labels_and_knows_dcgms_blanks(tmp_path):
    pytest.importorskip("prometheus_client")
    table, report = read("prometheus", put(tmp_path, "a.prom", PROM))
    a, b = (table[table["uuid"] == u].iloc[0] for u in ("GPU-a", "GPU-b"))
    assert (a["power_W"], a["energy_J"], b["temperature_degC"]) == (100.5, 5000.0, 41) and np.isnan(b["power_W"])
    assert set(table["gpu"]) == {"n1:0", "n2:0"} and "memory_temperature_degC" not in table
    assert said(report, "a.prom:4", "DCGM's blank") and said(report, "a.prom:9", "torn") and said(report, "a.prom:8", "no sensor")


def test_cells_hold_numbers_units_or_words_for_no_value():
    from tidewatt.importers.text import number

    assert number("631.95 W") == (631.95, "W") and number("(1402Mhz)") == (1402, "Mhz") and number("-8 C") == (-8, "C")
    for blank in ("[N/A]", "N/A", "", "9223372036854775794", "140737488355330", "2147483632", "[Requested functionality has been deprecated]"):
        assert np.isnan(number(blank)[0]), blank
    with pytest.raises(importers.InputError):
        number("1,5")  # a decimal comma is no unit


def test_api_answers_come_in_any_order_and_errors_are_errors(tmp_path):
    def answer(kind, key, value):
        series = [{"metric": {"__name__": "DCGM_FI_DEV_POWER_USAGE", "gpu": g, "Hostname": "n1"}, key: value(g)} for g in ("1", "0")]
        return json.dumps({"status": "success", "data": {"resultType": kind, "result": series}})

    vector = put(tmp_path, "v.json", answer("vector", "value", lambda g: [1714557600.25, f"{100 + int(g)}"]))
    table, _ = read("prometheus", vector)
    assert list(table.set_index("gpu")["power_W"].sort_index()) == [100, 101] and table["time"].iloc[0] == pd.Timestamp("2024-05-01T10:00:00.25Z")
    matrix = put(tmp_path, "m.json", answer("matrix", "values", lambda g: [[1714557600 + i, f"{100 * int(g) + i}"] for i in range(3)]))
    table, _ = read("prometheus", matrix)
    assert list(table[table["gpu"] == "1"]["power_W"]) == [100, 101, 102]
    with pytest.raises(importers.InputError, match="bad_data"):
        importers.import_logs("prometheus", [put(tmp_path, "e.json", '{"status": "error", "error": "bad_data", "data": {"resultType": ""}}')])


def test_rocm_smi_keys_of_several_versions(tmp_path):
    cards = {"card0": {"Average Graphics Package Power (W)": "39.0", "Temperature (Sensor junction) (C)": "34.0", "sclk clock speed:": "(300Mhz)", "GPU use (%)": "7"},
             "card1": {"Current Socket Graphics Package Power (W)": "140.0", "Temperature (Sensor edge) (C)": "N/A"}, "system": {"Driver version": "6"}}  # fmt: skip
    table, report = read("rocm-smi", put(tmp_path, "r.json", json.dumps(cards)))
    assert list(table["power_W"]) == [39, 140] and table["clock_MHz"].iloc[0] == 300 and table["utilization_frac"].iloc[0] == 0.07
    assert said(report, "card1", "left blank")
    with pytest.raises(importers.InputError, match="no card"):
        importers.import_logs("rocm-smi", [put(tmp_path, "none.json", '{"system": {}}')])


TRUTH = {("h100-80gb-hbm3", "idle"): (69.85, 69.62, 41, 48, 345), ("h100-80gb-hbm3", "load"): (631.95, 625.68, 59, 54, 1980),
         ("h200", "idle"): (77.71, 78.21, 28, 32, 345), ("h200", "load"): (627.40, 626.26, 52, 40, 1980)}  # fmt: skip


@pytest.mark.parametrize("gpu,state", TRUTH)
def test_one_reading_comes_out_of_csv_q_and_metrics(gpu, state):
    folder = shared("gpu_tools_output", "nvidia_smi")
    stem = f"linux-x86_64__nvidia-{gpu}__590.48.01__{state}"
    columns = ["power_W", "power_instant_W", "temperature_degC", "memory_temperature_degC", "clock_MHz"]
    limits = ["limit_W", "default_limit_W", "min_limit_W", "max_limit_W"]
    for name in (f"{stem}__query-gpu.csv", f"{stem}.metrics"):
        table, _ = read("prometheus" if name.endswith("metrics") else "nvidia-smi", folder / name)
        assert tuple(table[columns].iloc[0]) == pytest.approx(TRUTH[gpu, state]) and list(table[limits].iloc[0]) == [700, 700, 200, 700]
    table, _ = read("nvidia-smi", folder / f"{stem}__q.txt")
    assert table["temperature_degC"].iloc[0] == TRUTH[gpu, state][2] and table["power_W"].iloc[0] == pytest.approx(TRUTH[gpu, state][0], abs=3)
    if (gpu, state) == ("h100-80gb-hbm3", "load"):
        assert (table["power_W"].iloc[0], table["power_instant_W"].iloc[0]) == (629.45, 588.39)
        dmon, _ = read("nvidia-smi", folder / f"{stem}__dmon.txt")
        assert list(dmon["power_W"].iloc[[0, -1]]) == [631, 636] and list(dmon["temperature_degC"].iloc[[0, -1]]) == [63, 65] and len(dmon) == 5


def test_reference_exposition_and_answers():
    folder = shared("gpu_tools_output", "dcgm_exporter")
    table, report = read("prometheus", folder / "h100_8gpu_exposition.prom")
    assert len(table) == 8 and table["power_W"].iloc[0] == 113.611 and said(report, "memory_utilization_frac", "2 of 8")
    table, _ = read("prometheus", *folder.glob("h100_2node_power*.json"))
    assert len(table) == 16 and table["host"].nunique() == 2 and table.set_index("gpu")["power_W"]["gpu-node-1:1"] == 68.347
    assert len(read("prometheus", folder / "l40s_full_exposition.prom")[0]) == 1


def test_reference_xml_and_rocm():
    folder = shared("gpu_tools_output")
    watts = {"a100-sxm4-v12.xml": 67.03, "rtx-3080-v12.xml": 22.78, "tesla-t4.xml": 26.78}
    tables = {n: read("nvidia-smi", folder / "nvidia_smi_xml" / n) for n in watts}
    assert {n: table["power_W"].tolist() for n, (table, _) in tables.items()} == {n: [w] for n, w in watts.items()}
    assert said(tables["a100-sxm4-v12.xml"][1], "4 GPUs are attached, the file holds 1")
    assert [len(read("rocm-smi", folder / "rocm_smi" / n)[0]) for n in ("mi100_rocm571.json", "mi100_rocm602.json", "vega-20-WKS-GL-XE.json")] == [6, 4, 1]


def test_a_building_systems_table_in_another_code_and_a_repeated_hour(tmp_path):
    """Windows-1252, two title lines, decimal commas, times with dots, four GPUs a stamp, clocks that go back on 25 October at 04:00."""
    lines = ["Raportti: Kaappi 12, GPU-seuranta", "Luotu 25.10.2026", "", "Aikaleima;Näytönohjain;Teho (kW);Lämpötila (°C);Tila;"]
    for minute in range(0, 150, 10):  # 03:00 to 03:50 twice, then on to 04:20
        hour, second = divmod(minute if minute < 60 else minute - 60, 60)
        stamp = f"25.10.2026 {3 + hour:02d}.{second:02d}.00"
        lines += [f"{stamp};n4/{g};0,{500 + minute + g};{50 + g},5;OK;" for g in range(4)]
    path = tmp_path / "kaappi.csv"
    path.write_bytes("\n".join(lines).encode("cp1252"))
    unnamed = importers.import_logs("csv", [path])
    columns = {"time": "Aikaleima", "gpu": "Näytönohjain", "power": "Teho (kW)", "temperature": "Lämpötila (°C)"}
    done = importers.import_logs("csv", [path], columns=columns, time_zone="Europe/Helsinki")
    one = done.table[done.table["gpu"] == "n4/2"]
    assert one["time"].diff().dropna().eq(pd.Timedelta(minutes=10)).all() and len(one) == 15
    assert str(one["time"].iloc[0]) == "2026-10-25 00:00:00+00:00"
    assert one["power_W"].tolist() == [502 + m for m in range(0, 150, 10)] and (one["temperature_degC"] == 52.5).all()
    told = done.report.as_dict()
    assert [i["place"] for i in told["ignored"]] == ["kaappi.csv:1", "kaappi.csv:2"] and "Windows-1252" in str(told)
    with pytest.raises(importers.InputError, match="did you mean 'Teho .kW.'"):
        importers.import_logs("csv", [path], columns={"power": "Teho (kw)"})
    # Tabs with decimal commas, twelve hours, and a date that the clock's country decides.
    path.write_text("Fecha\tNodo\tPotencia [kW]\n02/03/2026 01:59:30 p. m.\tn1\t4,5\n02/03/2026 01:59:32 p. m.\tn1\t4,75\n", encoding="utf-8-sig")
    for zone, date in (("Europe/Madrid", "2026-03-02 12:59:30+00:00"), ("America/Chicago", "2026-02-03 19:59:30+00:00")):
        spanish = importers.import_logs("csv", [path], columns={"time": "Fecha", "host": "Nodo", "power": "Potencia [kW]"}, time_zone=zone)
        assert str(spanish.table["time"].iloc[0]) == date and spanish.table["power_W"].tolist() == [4500, 4750]
        assert any("the file does not tell" in w for w in spanish.report.warnings)
    # Without names the one column of times is taken, and so is, with a warning, the one that tells the GPUs apart.
    assert "'Aikaleima' is taken as the time" in str(unnamed.report.notes) and any("'Näytönohjain' tells readings" in w for w in unnamed.report.warnings)
    assert unnamed.table["node"].nunique() == 4 and len(unnamed.table) == 60 and "Teho_W" in unnamed.table
