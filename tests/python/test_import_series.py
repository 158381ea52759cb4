"""Series by the hour, weather and requests."""
import json

import numpy as np
import pandas as pd
import pytest
from import_case import put, read, said, shared

import tidewatt as tw
from tidewatt import importers


def hourly(stamps, values, head="Datetime,Price (EUR/MWh)"):
    return head + "\n" + "\n".join(f"{t},{v}" for t, v in zip(stamps, values)) + "\n"


def test_prices_keep_negatives_and_list_missing_hours(tmp_path):
    stamps = [f"2023-01-01 {h:02}:00:00" for h in (0, 1, 2, 5, 6)]
    table, report = read("price", put(tmp_path, "p.csv", hourly(stamps, [-500, 10, 4191.66, "", 5])))
    assert list(table["price_per_MWh"].dropna()) == [-500, 10, 4191.66, 5] and len(table) == 5 and set(table["currency"]) == {"EUR"}
    assert report.facts["missing"] == ["2023-01-01 03:00:00", "2023-01-01 04:00:00"] and said(report, "2 hours are missing", "not filled")
    assert said(report, "p.csv:5", "no value") and report.facts["negative_hours"] == 1
    kwh, _ = read("price", put(tmp_path, "k.csv", hourly(stamps, [0.1] * 5, "time;Price [€ per kWh]").replace("00,", "00;")))
    assert list(kwh["price_per_MWh"]) == pytest.approx([100] * 5) and set(kwh["currency"]) == {"EUR"}
    with pytest.raises(importers.InputError, match="p2.csv:3.*second, different value"):
        importers.import_logs("price", [put(tmp_path, "p2.csv", hourly([stamps[0], stamps[0]], [1, 2]))])


def test_the_four_dialects_of_time(tmp_path):
    spring = ["2023-03-26 00:00:00", "2023-03-26 01:00:00", "2023-03-26 02:00:00", "2023-03-26 03:00:00"]
    path = put(tmp_path, "de.csv", hourly(spring, [1, 2, 3, 3]))
    table, report = read("price", path, time_zone="Europe/Berlin")
    assert list(table["price_per_MWh"]) == [1, 2, 3] and table["time"].iloc[-1] == pd.Timestamp("2023-03-26T01:00Z")
    assert said(report, "de.csv:4", "does not exist in Europe/Berlin") and report.facts["missing"] == []
    autumn = ["2023-10-29 01:00:00", "2023-10-29 02:00:00", "2023-10-29 03:00:00"]
    table, report = read("price", put(tmp_path, "a.csv", hourly(autumn, [1, 2, 3])), time_zone="Europe/Berlin")
    assert report.facts["missing"] == ["2023-10-29 01:00:00+00:00"] and said(report, "a.csv:3", "comes twice")
    offsets = ["2023-11-05 00:00:00-05:00", "2023-11-05 01:00:00-05:00", "2023-11-05 01:00:00-06:00", "2023-11-05 02:00:00-06:00"]
    table, report = read("price", put(tmp_path, "tx.csv", hourly(offsets, [1, 2, 3, 4])))
    assert list(table["price_per_MWh"]) == [1, 2, 3, 4] and not report.warnings and str(table["time"].dt.tz) == "UTC"
    utc = [f"2023-01-01 {h:02}:00:00" for h in range(5, 9)]
    _, report = read("price", put(tmp_path, "pjm.csv", hourly(utc, [1, 2, 3, 4])))
    assert any("may be UTC" in n for n in report.notes)


def test_dates_of_other_countries(tmp_path):
    """A building's own export: semicolons, decimal commas, the day first; and slashes, whose order the column tells."""
    text = "Zeit;Leistung\n02.03.2026 14:00:01;0,4676\n02.03.2026 14:00:02,5;0,5\n"
    table = tw.read_csv(put(tmp_path, "raum.csv", text), columns={"time": "Zeit", "power": "Leistung"}, units={"power": "kW"}, time_zone="Europe/Berlin")
    assert table["time"].iloc[0] == pd.Timestamp("2026-03-02T13:00:01Z") and list(table["power_W"]) == pytest.approx([467.6, 500])

    def first(*stamps):
        done, report = read("csv", put(tmp_path, "us.csv", "time,power_W\n" + "".join(f"{s},1\n" for s in stamps)))
        return done["time"].iloc[0], report

    assert first("7/14/2026 8:12:53 PM", "7/14/2026 8:12:54 PM")[0] == pd.Timestamp("2026-07-14T20:12:53")
    assert first("14/7/2026 08:12:53", "14/7/2026 08:12:54")[0] == pd.Timestamp("2026-07-14T08:12:53")
    stamp, report = first("3/2/2026 08:12:53", "3/2/2026 08:12:54")
    assert stamp == pd.Timestamp("2026-03-02T08:12:53") and said(report, "us.csv:2", "does not tell")
    with pytest.raises(importers.InputError, match="both first and second"):
        first("14/7/2026", "7/14/2026")
    with pytest.raises(importers.InputError, match="no cell of 'time' is a time"):
        first("yesterday", "today")


def test_carbon_checks_the_mix_and_the_neighbours(tmp_path):
    head = "timestamp,WND,SUN,WAT,OIL,NG,COL,NUC,OTH,avg_CI"
    mix = lambda ng: f"1000,0,0,0,{ng},0,1000,0,{(1000 * 11 + ng * 490 + 1000 * 12) / (2000 + ng)}"
    rows = [f"2022-01-01 {h:02}:00:00+00:00,{mix(2000 + h)}" for h in range(24)]
    rows[5] = "2022-01-01 05:00:00+00:00,,,,,,,,,"
    rows[9] = "2022-01-01 09:00:00+00:00,30,0,0,0,5,0,0,0,79"
    rows[12] = rows[12].rsplit(",", 1)[0] + ",100"
    table, report = read("carbon", put(tmp_path, "c.csv", head + "\n" + "\n".join(rows) + "\n"))
    assert table["flag"].to_dict() == {**dict.fromkeys(range(24), ""), 5: "sources missing", 9: "implausible", 12: "not its mix"}
    assert said(report, "c.csv:7", "empty cells") and said(report, "c.csv:11", "implausible") and said(report, "c.csv:14", "not that of the row's sources")
    assert np.isnan(table["carbon_g_per_kWh"].iloc[5]) and report.facts["incomplete_rows"] == 1


def open_meteo(tmp_path, degC, zone="Australia/Sydney", offset=36000, elevation=1600.0, start="2023-01-01", name="m.json", units="°C", **more):
    times = [f"{t:%Y-%m-%dT%H:%M}" for t in pd.date_range(start, periods=len(degC), freq="h")]
    return put(tmp_path, name, json.dumps({"latitude": -33.9, "longitude": 151.2, "utc_offset_seconds": offset, "timezone": zone, "elevation": elevation,
                                           "hourly_units": {"temperature_2m": units, "relative_humidity_2m": "%"},
                                           "hourly": {"time": times, "temperature_2m": degC, "relative_humidity_2m": [50] * len(degC), **more}}))  # fmt: skip


def test_open_meteo_in_the_south_and_at_altitude(tmp_path):
    hours = np.arange(8760)
    degC = (18 + 6 * np.cos(2 * np.pi * hours / 8760)).round(1).tolist()
    table, report = read("weather", open_meteo(tmp_path, degC))
    assert report.facts["warmest_month"] in (1, 12) and report.facts["latitude_deg"] < 0
    assert table["pressure_Pa"].iloc[0] == pytest.approx(83524, abs=30)  # standard atmosphere at 1,600 m
    summer, note = read("weather", open_meteo(tmp_path, degC, offset=39600))
    assert (summer["time"] - table["time"]).iloc[0] == pd.Timedelta(hours=-1) and any("summer time" in n for n in note.notes)
    given, _ = read("weather", open_meteo(tmp_path, [20.0, 21.0], surface_pressure=[900.0, 901.0]))
    assert list(given["pressure_Pa"]) == [90000, 90100]
    gaps, report = read("weather", open_meteo(tmp_path, [20.0, None, 200.0]))
    assert gaps["drybulb_degC"].isna().sum() == 2 and said(report, "200") and said(report, "2 hours without drybulb_degC")
    with pytest.raises(importers.InputError, match="in °F, not °C"):
        importers.import_logs("weather", [open_meteo(tmp_path, [70.0, 71.0], units="°F")])


def test_epw_with_blanks(tmp_path):
    hour = "2009,1,1,{h},60,?9,{t},10.0,{rh},{p},0\n"
    head = "LOCATION,Quito,-,ECU,X,840710,-0.18,-78.49,-5.0,2812.0\nDESIGN CONDITIONS,0\nDATA PERIODS,1\n"
    text = head + hour.format(h=1, t=12.5, rh=80, p=72000) + hour.format(h=2, t=99.9, rh=999, p=999999)
    table, report = read("weather", put(tmp_path, "q.epw", text))
    assert table["drybulb_degC"].iloc[0] == 12.5 and table.iloc[1, 1:].isna().all() and said(report, "q.epw:5", "EPW's blank")
    assert report.facts["altitude_m"] == 2812 and (table["time"].iloc[0].hour, len(table)) == (1, 2)


def test_requests_of_both_forms_and_offered_load(tmp_path):
    csv = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,100,10\n2023-11-16 18:18:04.9799600,200,20\n2023-11-16 18:17:34.9799600,,5\n"
    table, report = read("requests", put(tmp_path, "a.csv", csv))
    assert list(table["time_s"]) == [0, 61] and list(table["input_tokens"]) == [100, 200] and said(report, "a.csv:4", "input_tokens")
    load = tw.offered_load(table)
    assert list(load["prefill_tokens_per_s"]) == [100 / 60, 200 / 60] and list(load["decode_tokens_per_s"]) == [10 / 60, 20 / 60]
    lines = [{"timestamp": 1000 * i, "input_length": 10, "output_length": 2, "hash_ids": [0, i]} for i in range(4)]
    table, report = read("requests", put(tmp_path, "b.jsonl", "\n".join(map(json.dumps, lines)) + '\n{"timestamp": 1'))
    assert len(table) == 4 and report.facts["reusable_prefix_frac"] == pytest.approx(1 - 4 / 8) and said(report, "b.jsonl:5", "no JSON")


def test_price_truths():
    folder = shared("electricity_price")
    truth = {"US-TEX-ERCO": (55.94, -0.07, 4191.66, 8760), "US-MIDA-PJM": (35.78, -4.85, 704.00, 8736), "DE-LU": (95.18, -500, 524.27, 8760), "SG": (247.57, 73.46, 4500, 8760)}
    for name, (mean, low, high, n) in truth.items():
        table, report = read("price", folder / f"{name}_2023.csv")
        assert (len(table), report.facts["missing"]) == (n, []) and [report.facts[k] for k in ("mean", "min", "max")] == pytest.approx([mean, low, high], abs=0.006)
        if name == "US-MIDA-PJM":
            assert said(report, "24 h before a whole year") and any("may be UTC" in x for x in report.notes)
        if name == "US-TEX-ERCO":
            assert report.facts["max_at"] == "2023-08-26 00:00:00+00:00"
        if name == "DE-LU":
            assert report.facts["negative_hours"] == 301 and report.facts["min_at"] == "2023-07-02 14:00:00"
    table, report = read("price", folder / "DE-LU_2023.csv", time_zone="Europe/Berlin")
    assert said(report, ":2020", "does not exist") and report.facts["missing"] == ["2023-10-29 01:00:00+00:00"] and len(table) == 8759


def test_carbon_truths():
    folder = shared("carbon_intensity")
    for name, truth in (("ERCO", (347.2, 110.7, 516.7)), ("PJM", (362.6, 42.7, 449.2))):
        table, report = read("carbon", folder / f"{name}_NG_avgCI.csv")
        assert len(table) == 8760 and [report.facts[k] for k in ("mean", "min", "max")] == pytest.approx(truth, abs=0.05)
        assert any("weighted" in n for n in report.notes) and (table["flag"] == "not its mix").sum() == 0
        if name == "ERCO":
            assert table["carbon_g_per_kWh"].iloc[0] == pytest.approx(334.2056, abs=1e-4) and not report.warnings
        else:
            assert report.facts["incomplete_rows"] == 23 and report.facts["first_incomplete"].startswith("2022-03-13 07:00")
            assert "2022-10-02 04:00:00" in " ".join(map(str, table[table["flag"] == "implausible"]["time"]))


def test_weather_truths():
    folder = shared("weather_world")
    truth = {"openmeteo_SG_2023.json": (22.4, 27.26, 33.4, 82.5), "openmeteo_IN-WE_2023.json": (14.7, 27.16, 37.8, 71.6), "openmeteo_DE-LU_2023.json": (-6.2, 12.09, 35.0, 74.9),
             "openmeteo_GB_2023.json": (-4.7, 11.62, 31.3, 79.7), "SGP_SG_Changi.Intl.AP.486980_TMYx.epw": (22.7, 27.59, 34.1, None)}  # fmt: skip
    for name, (low, mean, high, rh) in truth.items():
        table, report = read("weather", folder / name)
        assert len(table) == 8760 and not report.warnings and table.notna().all().all()
        assert [report.facts[f"drybulb_{k}_degC"] for k in ("min", "mean", "max")] == pytest.approx([low, mean, high], abs=0.006)
        assert rh is None or report.facts["rh_mean_pct"] == pytest.approx(rh, abs=0.06)


def test_request_truths():
    folder = shared("inference_requests")
    _, report = read("requests", folder / "azure_2023_code.csv")
    assert [report.facts[k] for k in ("requests", "input_tokens", "output_tokens")] == [8819, 18059974, 245896] and round(report.facts["duration_s"]) == 3436
    assert report.facts["peak_minute_over_mean"] > 2
    _, report = read("requests", folder / "mooncake_conversation_first4000.jsonl")
    assert [report.facts[k] for k in ("requests", "input_tokens", "output_tokens", "duration_s")] == [4000, 53249359, 1388321, 1301.999]
    assert (report.facts["prefix_blocks"], report.facts["distinct_prefix_blocks"], round(report.facts["reusable_prefix_frac"], 3)) == (105904, 71424, 0.326)
