"""Damaged logs: an import names the file and the place, or leaves the value blank and says so. It never ends in another program's error."""
import json
import random
import re

import numpy as np
import pytest
from import_case import importers, put

GPU = "timestamp, index, power.draw [W], temperature.gpu, clocks.current.sm [MHz]\n" + "".join(
    f"2026/07/14 08:12:{s:02}.353, {g}, {300 + s}.5 W, {60 + g}, 1980 MHz\n" for s in range(20) for g in range(2)
)  # fmt: skip
TABLE = "time;power_W;note\n" + "".join(f'2026-07-14 08:{m:02}:00;{1000 + m},5;"a, {m}"\n' for m in range(30))
PRICE = "Datetime (UTC),Price (EUR/MWh)\n" + "".join(f"2026-07-14 {h:02}:00:00,{40 + h}.2\n" for h in range(24))
METER = json.dumps({"@odata.type": "#Sensor.v1_2_0.Sensor", "@odata.id": "/redfish/v1/Chassis/1/Sensors/P", "Id": "P", "Name": "Power", "Reading": 123.5, "ReadingUnits": "W", "ReadingType": "Power"})
OPEN_METEO = json.dumps({"elevation": 100.0, "utc_offset_seconds": 0, "timezone": "GMT", "hourly_units": {"temperature_2m": "°C", "relative_humidity_2m": "%"},
                         "hourly": {"time": [f"2026-07-14T{h:02}:00" for h in range(24)], "temperature_2m": [15.0 + h for h in range(24)], "relative_humidity_2m": [50] * 24}})  # fmt: skip
TRACE = json.dumps({"status": "success", "data": {"resultType": "matrix", "result": [{"metric": {"__name__": "DCGM_FI_DEV_POWER_USAGE", "gpu": "0", "Hostname": "n1"}, "values": [[1784016000 + 15 * i, str(300 + i)] for i in range(9)]}]}})
LOGS = {"nvidia-smi": ("gpu.csv", GPU), "csv": ("table.csv", TABLE), "price": ("price.csv", PRICE), "redfish": ("meter.json", METER), "weather": ("weather.json", OPEN_METEO), "prometheus": ("trace.json", TRACE)}


def refusal(kind, path):
    with pytest.raises(importers.InputError) as error:
        importers.import_logs(kind, [path])
    return str(error.value)


def test_the_logs_themselves_are_read(tmp_path):
    for kind, (name, text) in LOGS.items():
        assert len(importers.import_logs(kind, [put(tmp_path, name, text)]).table), kind


@pytest.mark.parametrize("kind", ["nvidia-smi", "csv", "price"])
def test_a_carriage_return_alone_ends_a_line(tmp_path, kind):
    name, text = LOGS[kind]
    whole = importers.import_logs(kind, [put(tmp_path, name, text)]).table
    old = importers.import_logs(kind, [put(tmp_path, name, text.replace("\n", "\r"))])  # as old Macintosh programs wrote
    assert old.table.equals(whole) and any(f"{name}:1" in line and "carriage return" in line for line in old.report.warnings)
    lines = text.split("\n")
    torn = importers.import_logs(kind, [put(tmp_path, name, "\n".join([*lines[:5], lines[5][:9] + "\r" + lines[5][9:], *lines[6:]]))])
    assert any(f"{name}:6" in line for line in torn.report.warnings)


def test_a_cell_without_an_end_is_named_with_its_place(tmp_path):
    lines = PRICE.split("\n")
    text = "\n".join([*lines[:4], '2026-07-14 03:00:00,"' + "x" * 200_000, *lines[5:]])
    assert "price.csv:5: cannot be read as a row" in refusal("price", put(tmp_path, "price.csv", text))


@pytest.mark.parametrize("stamp", ['"2026-99-14T00:00"', '"no time"', "null", "1e400", "{}"])
def test_a_time_of_weather_that_is_none_is_named(tmp_path, stamp):
    path = put(tmp_path, "weather.json", OPEN_METEO.replace('"2026-07-14T05:00"', stamp))
    assert "weather.json: hourly.time[5]" in refusal("weather", path)


@pytest.mark.parametrize("number", ["1e400", "-1e400"])
def test_no_table_has_an_infinite_value(tmp_path, number):
    for kind, good in [("redfish", "123.5"), ("weather", "20.0"), ("csv", "1007,5"), ("price", "45.2"), ("prometheus", '"304"'), ("nvidia-smi", "304.5")]:
        name, text = LOGS[kind]
        assert good in text
        done = importers.import_logs(kind, [put(tmp_path, name, text.replace(good, f'"{number}"' if '"' in good else number))])
        assert not np.isinf(done.table.select_dtypes("number").to_numpy(float)).any(), kind
        assert any(name in line and "blank" in line for line in done.report.warnings), (kind, done.report.warnings)


def test_broken_gzip_is_named(tmp_path):
    assert "trace.json.gz: cannot be read" in refusal("prometheus", put(tmp_path, "trace.json.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + bytes(range(60))))


def damaged(text, draw):
    """The bytes of a log after one to four accidents."""
    data = bytearray(text.encode())
    for _ in range(draw.choice([1, 1, 2, 4])):
        at, kind = draw.randrange(len(data) + 1), draw.randrange(5)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << draw.randrange(8)
        elif kind == 1:
            data[at:at] = draw.choice([b"\r", b"\x00", b'"', b",", b"\n", b"\xff", b"[", b"{", b"1e400", b"-", b"inf"])
        elif kind == 2:
            del data[at : at + draw.randrange(1, 30)]
        elif kind == 3:
            del data[at:]
        elif found := list(re.finditer(rb"\d+(\.\d+)?|\"[^\"]*\"", bytes(data))):
            old = draw.choice(found)
            data[old.start() : old.end()] = draw.choice([b"1e400", b"9" * 30, b"nan", b"", b"-1", b"null", b'"x"', b"[]", b"{}", b"true"])
    return bytes(data)


def test_three_hundred_damaged_logs(tmp_path):
    draw = random.Random(1)
    for _ in range(300):
        kind, (name, text) = draw.choice(list(LOGS.items()))
        path = put(tmp_path, name, damaged(text, draw))
        try:
            table = importers.import_logs(draw.choice([kind, kind, "auto"]), [path]).table
        except importers.InputError as error:
            assert name in str(error)
            continue
        assert not np.isinf(table.select_dtypes("float").to_numpy()).any()
