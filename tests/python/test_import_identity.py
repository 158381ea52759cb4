"""One GPU is one series: by UUID, bus id, host and number, file and number, over files, tools and exporters."""
import json

import pandas as pd
import pytest
from import_case import put, read, said

from tidewatt import importers

HEAD = "timestamp, index, uuid, power.draw [W], temperature.gpu\n"


def smi(watts, uuid, minute=0, index=0, n=3):
    return HEAD + "".join(f"2026/04/01 08:{minute:02}:{s:02}.000, {index}, GPU-{uuid}, {watts + s} W, 50\n" for s in range(n))


def by_gpu(table, column="power_W"):
    return {gpu: part[column].tolist() for gpu, part in table.groupby("gpu", sort=False)}


def test_two_nodes_with_the_same_numbers_are_two_gpus(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    a.mkdir(), b.mkdir()
    one, two = put(a, "gpu.csv", smi(600, "x")), put(b, "gpu.csv", smi(80, "y"))  # equal names of files, too
    assert by_gpu(read("nvidia-smi", one, two)[0]) == {"a/gpu:0": [600, 601, 602], "b/gpu:0": [80, 81, 82]}
    bare = lambda text: text.replace(" uuid,", "").replace(" GPU-x,", "").replace(" GPU-y,", "")
    one, two = put(a, "gpu.csv", bare(smi(600, "x"))), put(b, "gpu.csv", bare(smi(80, "y")))
    assert by_gpu(read("nvidia-smi", one, two)[0]) == {"a/gpu:0": [600, 601, 602], "b/gpu:0": [80, 81, 82]}
    # Files that follow each other are one log, rotated.
    two = put(b, "gpu.csv", bare(smi(80, "y", minute=5)))
    table, report = read("nvidia-smi", one, two)
    assert by_gpu(table) == {"0": [600, 601, 602, 80, 81, 82]} and any("follow each other" in n for n in report.notes)


def test_hosts_in_a_column_or_before_each_line(tmp_path):
    """A collector's own column, and what pdsh writes."""
    rows = [("n1", "600 W"), ("n2", "80 W")]
    column = "timestamp, hostname, index, power.draw [W], temperature.gpu\n" + "".join(f"2026/04/01 08:00:0{s}.000, {h}, 0, {w}, 50\n" for s in (0, 1) for h, w in rows)
    prefix = "".join(f"{h}: timestamp, index, power.draw [W], temperature.gpu\n" for h, _ in rows) + "".join(f"{h}: 2026/04/01 08:00:0{s}.000, 0, {w}, 50\n" for s in (0, 1) for h, w in rows)
    for text in (column, prefix):
        table, _ = read("nvidia-smi", put(tmp_path, "a.csv", text))
        assert by_gpu(table) == {"n1:0": [600, 600], "n2:0": [80, 80]} and table["time"].nunique() == 2


def test_one_uuid_is_one_gpu_whatever_its_number(tmp_path):
    """After a restart the driver numbers GPUs anew."""
    first, later = put(tmp_path, "a.csv", smi(600, "x", index=0)), put(tmp_path, "b.csv", smi(700, "x", minute=9, index=3))
    assert by_gpu(read("nvidia-smi", first, later)[0]) == {"0": [600, 601, 602, 700, 701, 702]}


def test_a_uuid_that_was_blanked_is_none(tmp_path):
    zero = "00000000-0000-0000-0000-000000000000"
    text = smi(600, zero) + "".join(smi(80, zero, index=1).splitlines(keepends=True)[1:])
    assert by_gpu(read("nvidia-smi", put(tmp_path, "a.csv", text))[0]) == {"0": [600, 601, 602], "1": [80, 81, 82]}


def test_a_log_by_bus_id_has_a_series_for_each_bus(tmp_path):
    rows = [f"2026/04/01 08:00:{s:02}.00{g}, 00000000:{g}B:00.0, {100 * g + s} W, 40" for s in range(3) for g in (1, 4)]
    table, _ = read("nvidia-smi", put(tmp_path, "bus.csv", "timestamp, pci.bus_id, power.draw [W], temperature.gpu\n" + "\n".join(rows) + "\n"))
    assert by_gpu(table) == {"00000000:1B:00.0": [100, 101, 102], "00000000:4B:00.0": [400, 401, 402]}


def test_tables_of_any_program_tell_gpus_apart_likewise(tmp_path):
    rows = [f"2026-04-01T08:00:0{s}Z,{h},{g},{w + s}" for s in range(3) for h, g, w in (("n1", 0, 600), ("n2", 0, 80))]
    table, _ = read("csv", put(tmp_path, "t.csv", "time,hostname,gpu_id,power_w\n" + "\n".join(rows) + "\n"))
    assert by_gpu(table) == {"n1:0": [600, 601, 602], "n2:0": [80, 81, 82]}
    files = [put(tmp_path, f"{n}.csv", "time,power_W\n" + "".join(f"2026-04-01T08:00:0{s}Z,{w + s}\n" for s in range(3))) for n, w in (("r1", 10), ("r2", 20))]
    table, _ = read("csv", *files)
    assert table.groupby("node")["power_W"].sum().to_dict() == {"r1": 33, "r2": 63}
    with pytest.raises(importers.InputError, match="overlap in time.*each by itself"):
        importers.import_logs("power", files)


def test_exporters_that_restart_and_mig_instances(tmp_path):
    pytest.importorskip("prometheus_client")

    def series(name, values, **labels):
        return {"metric": {"__name__": name, "UUID": "GPU-a", "gpu": "0", **labels}, "values": [[1770000000 + 15 * i, str(v)] for i, v in values]}

    def answer(*series):
        return put(tmp_path, "a.json", json.dumps({"status": "success", "data": {"resultType": "matrix", "result": series}}))

    power = "DCGM_FI_DEV_POWER_USAGE"
    table, _ = read("prometheus", answer(series(power, [(0, 500), (1, 510)], Hostname="exporter-x1"), series(power, [(2, 520), (3, 530)], Hostname="exporter-k9")))
    assert list(table["power_W"]) == [500, 510, 520, 530] and table["gpu"].nunique() == 1
    table, report = read("prometheus", answer(series(power, [(0, 500)], instance="p1"), series(power, [(0, 505)], instance="p2")))
    assert list(table["power_W"]) == [500] and said(report, "several exporters")
    active = "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"
    parts = [series(active, [(0, v)], GPU_I_ID=str(i), GPU_I_PROFILE=f"{g}g.{10 * g}gb") for i, v, g in ((1, 0.7, 1), (2, 0.35, 4))]
    table, report = read("prometheus", answer(*parts, *(series(power, [(0, 300)], GPU_I_ID=str(i)) for i in (1, 2))))
    assert len(table) == 1 and table["activity_frac"].iloc[0] == pytest.approx(0.1 + 0.2) and table["power_W"].iloc[0] == 300 and said(report, "MIG")
    named = {"metric": {"gpu": "0"}, "value": [1770000000, "61"]}
    path = put(tmp_path, "v.json", json.dumps({"status": "success", "data": {"resultType": "vector", "result": [named]}}))
    assert importers.import_logs("prometheus", [path], units={"temperature": "C"}).table["temperature_degC"].iloc[0] == 61
    with pytest.raises(importers.InputError, match="without a metric's name"):
        importers.import_logs("auto", [path])
    with pytest.raises(importers.InputError, match="does nothing here"):
        importers.import_logs("prometheus", [answer(series(power, [(0, 500)]))], units={"power": "W"})
    # A metric's name says quantity, unit and scale; it is refused where it says nothing, and where it is none.
    counter = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"
    assert importers.import_logs("auto", [path], metric=counter).table["energy_J"].iloc[0] == pytest.approx(0.061)
    for match, given in (("--metric does nothing here", {"metric": power}), ("close to it: DCGM_FI_DEV_POWER_USAGE", {"metric": "DCGM_FI_DEV_POWER_USAG"}),
                         ("leave --unit out", {"metric": power, "units": {"power": "W"}})):  # fmt: skip
        with pytest.raises(importers.InputError, match=match):
            importers.import_logs("prometheus", [answer(series(power, [(0, 500)]))], **given)
    with pytest.raises(importers.InputError, match="--metric does nothing for csv; it is for prometheus"):
        importers.import_logs("csv", [put(tmp_path, "t.csv", "time,power_W\n2026-01-01T00:00:00Z,1\n")], metric=power)


def test_stamps_of_openmetrics_are_seconds_and_of_the_older_format_milliseconds(tmp_path):
    pytest.importorskip("prometheus_client")
    line = 'DCGM_FI_DEV_GPU_TEMP{{gpu="0",UUID="GPU-a"}} {} {}\n'
    for stamps, end in ((("1770000000.5", "1770000060.5"), "# EOF\n"), (("1770000000500", "1770000060500"), "")):
        table, report = read("prometheus", put(tmp_path, "m.txt", "# TYPE DCGM_FI_DEV_GPU_TEMP gauge\n" + line.format(40, stamps[0]) + line.format(41, stamps[1]) + end))
        assert list(table["temperature_degC"]) == [40, 41] and str(table["time"].iloc[1]) == "2026-02-02 02:41:00.500000+00:00" and not report.warned
    _, report = read("prometheus", put(tmp_path, "m.txt", "# TYPE DCGM_FI_DEV_GPU_TEMP gauge\n" + line.format(40, "1770000000")))
    assert said(report, "read in s, because in ms they are no times")


TABLE = """Wed Apr  1 08:00:{s:02} 2026
+---------------------------------------------------------------------------------------+
| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15    CUDA Version: 12.4     |
|-----------------------------------------+----------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |         Memory-Usage | GPU-Util  Compute M. |
|=========================================+======================+======================|
|   0  NVIDIA H100 80GB HBM3          On  | 00000000:1B:00.0 Off |                    0 |
| N/A   {t}C    P0             6{t}W / 700W |  70000MiB / 81559MiB |     97%      Default |
|                                         |                      |             Disabled |
+-----------------------------------------+----------------------+----------------------+
"""


def test_what_tools_print_for_people(tmp_path):
    table, _ = read("nvidia-smi", put(tmp_path, "l.txt", TABLE.format(s=0, t=51) + TABLE.format(s=5, t=52)))
    assert list(table["power_W"]) == [651, 652] and list(table["temperature_degC"]) == [51, 52] and table["limit_W"].iloc[0] == 700
    assert list(table["utilization_frac"]) == [0.97] * 2 and str(table["time"].iloc[1]) == "2026-04-01 08:00:05"
    text = "n7   Wed Apr  1 08:00:00 2026  550.54\n[0] NVIDIA H100 | 61'C,  98 %,  650 / 700 W | 70000 / 81559 MB | a(1M)\n[1] NVIDIA H100 | 40'C,   0 %,   ?? / 700 W |     0 / 81559 MB |\n"
    table, _ = read("nvidia-smi", put(tmp_path, "g.txt", text))
    assert list(table["temperature_degC"]) == [61, 40] and table["power_W"].iloc[0] == 650 and pd.isna(table["power_W"].iloc[1]) and set(table["host"]) == {"n7"}
    gpu = {"index": 1, "uuid": "GPU-q", "name": "H100", "temperature.gpu": 55, "power.draw": 402, "utilization.gpu": 50, "fan.speed": None}
    answers = [json.dumps({"hostname": "n7", "query_time": f"2026-04-01T08:00:0{s}.5", "gpus": [{**gpu, "power.draw": 402 + s}]}) for s in (0, 1)]
    table, _ = read("nvidia-smi", put(tmp_path, "g.json", "\n".join(answers)))
    assert list(table["power_W"]) == [402, 403] and table["uuid"].iloc[0] == "GPU-q" and table["utilization_frac"].iloc[0] == 0.5
    dcgmi = "#Entity   POWER      TMPTR  SMCLK\nID                   W      C    MHz\nGPU 0     650.12     61     1755\nGPU 1     N/A        40     345\n"
    table, _ = read("nvidia-smi", put(tmp_path, "d.txt", dcgmi))
    assert table["power_W"].iloc[0] == 650.12 and pd.isna(table["power_W"].iloc[1]) and list(table["clock_MHz"]) == [1755, 345]


def test_dmon_with_times_of_day_counts_over_midnight(tmp_path):
    text = "#Time        gpu    pwr  gtemp\n#HH:MM:SS    Idx      W      C\n 23:59:59      0    655     65\n 00:00:00      0    656     65\n 00:00:01      0    657     66\n"
    table, report = read("nvidia-smi", put(tmp_path, "d.txt", text))
    assert list(table["time_s"]) == [86399, 86400, 86401] and list(table["power_W"]) == [655, 656, 657] and said(report, "no date")


def test_xml_of_a_loop_that_was_cut(tmp_path):
    one = '<?xml version="1.0" ?>\n<nvidia_smi_log><timestamp>Wed Apr  1 08:00:0{} 2026</timestamp><gpu id="00000000:1B:00.0"><uuid>GPU-a</uuid>' \
        '<gpu_power_readings><power_draw>50{}.5 W</power_draw></gpu_power_readings></gpu></nvidia_smi_log>\n'
    table, report = read("nvidia-smi", put(tmp_path, "x.xml", one.format(0, 0) + one.format(5, 5) + one.format(9, 9)[:150]))
    assert list(table["power_W"]) == [500.5, 505.5] and said(report, "document 3", "cut")


def test_amd_smi_as_csv_and_json(tmp_path):
    csv = "timestamp,gpu,power_usage,hotspot_temperature,memory_temperature,gfx_clk,gfx,mem\n1770000000,0,700,66,N/A,2100,99,45\n1770000001,0,702,67,55,2100,99,45\n"
    table, _ = read("rocm-smi", put(tmp_path, "a.csv", csv))
    assert list(table["power_W"]) == [700, 702] and list(table["temperature_degC"]) == [66, 67] and list(table["utilization_frac"]) == [0.99] * 2
    assert pd.isna(table["memory_temperature_degC"].iloc[0]) and table["memory_temperature_degC"].iloc[1] == 55  # `mem` is a load here
    unit = lambda value, unit: {"value": value, "unit": unit}
    gpu = {"gpu": 0, "usage": {"gfx_activity": unit(98, "%")}, "power": {"socket_power": unit(741, "W")}, "clock": {"gfx_0": {"clk": unit(1650, "MHz")}},
           "temperature": {"edge": "N/A", "hotspot": unit(71, "C"), "mem": unit(60, "C")}}  # fmt: skip
    table, _ = read("rocm-smi", put(tmp_path, "m.json", json.dumps([gpu, {**gpu, "gpu": 1}])))
    assert list(table["gpu"]) == ["0", "1"] and tuple(table.iloc[0][["power_W", "clock_MHz", "temperature_degC", "memory_temperature_degC"]]) == (741, 1650, 71, 60)


def test_no_header_and_no_quantity_are_findings(tmp_path):
    for kind in ("nvidia-smi", "auto"):
        with pytest.raises(importers.InputError, match="no header: write the log with --format=csv"):
            importers.import_logs(kind, [put(tmp_path, "n.csv", "2026/04/01 08:00:00.000, 0, 650.10 W, 61\n")])
    with pytest.raises(importers.InputError, match="no GPU has a power, a temperature or a clock.*utilization_frac"):
        importers.import_logs("auto", [put(tmp_path, "u.csv", "timestamp, index, utilization.gpu [%], utilization.memory [%]\n2026/04/01 08:00:00.000, 0, 98 %, 40 %\n")])
    with pytest.raises(importers.InputError, match="neither a power nor a temperature"):
        importers.import_logs("csv", [put(tmp_path, "f.csv", "time,load [%]\n2026-04-01T08:00:00Z,98\n")])


def test_exports_of_influxdb_and_weights_and_biases(tmp_path):
    head = "#group,false,false,true,true,false,false,true,true,true\n#datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,dateTime:RFC3339,double,string,string,string\n#default,_result,,,,,,,,\n"
    names = ",result,table,_start,_stop,_time,_value,_field,host,index\n"
    rows = "".join(f",,{t},2026-04-01T07:00:00Z,2026-04-01T09:00:00Z,2026-04-01T08:00:0{s}Z,{v + s},{f},n{h},0\n" for t,
                   (f, h, v) in enumerate((("power_draw", 1, 600), ("temperature_gpu", 1, 50), ("power_draw", 2, 80), ("temperature_gpu", 2, 30))) for s in range(3))
    table, _ = read("csv", put(tmp_path, "i.csv", head + names + rows))
    assert by_gpu(table) == {"n1:0": [600, 601, 602], "n2:0": [80, 81, 82]} and by_gpu(table, "temperature_degC")["n2:0"] == [30, 31, 32]
    rows = "".join(f"nvidia_smi,{1770000000 + s}000000000,n1,{g},{w + s},50\n" for s in range(2) for g, w in ((0, 600), (1, 80)))
    table, _ = read("csv", put(tmp_path, "v1.csv", "name,time,host,index,power_draw,temperature_gpu\n" + rows))
    assert by_gpu(table) == {"0": [600, 601], "1": [80, 81]} and str(table["time"].iloc[0]) == "2026-02-02 02:40:00+00:00"
    wandb = '"Relative Time (Process)","r1 - system/gpu.0.powerWatts","r1 - system/gpu.0.powerWatts__MIN","r1 - system/gpu.1.powerWatts","r1 - system/gpu.0.temp","r1 - system/gpu.1.temp"\n'
    table, _ = read("csv", put(tmp_path, "w.csv", wandb + "".join(f"{15 * i},{600 + i},1,{300 + i},60,40\n" for i in range(3))))
    both = "_runtime,system.gpu.0.powerWatts,system.gpu.process.0.powerWatts\n0,600,600\n15,601,601\n"
    assert by_gpu(read("csv", put(tmp_path, "p.csv", both))[0]) == {"0": [600, 601]}
    assert by_gpu(table) == {"0": [600, 601, 602], "1": [300, 301, 302]} and list(table["time_s"].unique()) == [0, 15, 30] and table["temperature_degC"].max() == 60


def test_values_that_no_gpu_has_are_blank_in_tables_too(tmp_path):
    table, report = read("csv", put(tmp_path, "t.csv", "time,gpu,power_W,utilization_frac,temp_c\n2026-04-01T08:00:00Z,0,650,98,61\n2026-04-01T08:00:01Z,0,651,0.98,3000\n"))
    assert table["utilization_frac"].isna().tolist() == [True, False] and table["temperature_degC"].isna().tolist() == [False, True] and said(report, "t.csv:3", "outside -40 to 150")
