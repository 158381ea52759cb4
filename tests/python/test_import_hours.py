"""Times by the hour: 24:00, hour ending, repeated hours, intervals, zones; and weather of every service on local standard time."""
import json

import pandas as pd
import pytest
from import_case import put, read, said

from tidewatt import importers

AUTUMN = "2026-11-01"  # clocks go back in the United States; in Europe on 2026-10-25


def price(tmp_path, head, rows, zone=None):
    done = importers.import_logs("price", [put(tmp_path, "p.csv", head + "\n" + "\n".join(rows) + "\n")], time_zone=zone)
    return {f"{t:%m-%dT%H:%M}": p for t, p in zip(done.table["time"], done.table["price_per_MWh"])}, done.report


def test_24_o_clock_is_midnight_of_the_next_day(tmp_path):
    text = "time,power_W\n31/12/2026 23:00,1\n31/12/2026 24:00,2\n01/01/2027 01:00,3\n"
    table, _ = read("csv", put(tmp_path, "t.csv", text))
    assert list(table["time"].astype(str)) == ["2026-12-31 23:00:00", "2027-01-01 00:00:00", "2027-01-01 01:00:00"] and list(table["power_W"]) == [1, 2, 3]
    table, _ = read("csv", put(tmp_path, "t.csv", "time,power_W\n2028-02-28T24:00:00Z,2\n2028-02-29T24:00:00Z,3\n"))
    assert list(table["time"].astype(str)) == ["2028-02-29 00:00:00+00:00", "2028-03-01 00:00:00+00:00"]


def test_hour_ending_with_a_marked_repeated_hour(tmp_path):
    rows = [f"11/01/2026 {h}:00{m},{v}" for h, m, v in (("01", "", 1), ("02", "", 2), ("02", " DST", 3), ("03", "", 4), ("24", "", 5))]
    rows.insert(0, "10/13/2026 24:00,0")
    by_hour, report = price(tmp_path, "Hour Ending,LMP ($/MWh)", rows, "America/Chicago")
    # Beginnings of the hours, UTC: 0:00 and 1:00 of CDT, 1:00 and 2:00 of CST.
    assert by_hour == {"10-14T04:00": 0, "11-01T05:00": 1, "11-01T06:00": 2, "11-01T07:00": 3, "11-01T08:00": 4, "11-02T05:00": 5}
    assert any("end of each hour" in n for n in report.notes)
    with pytest.raises(importers.InputError, match="comes twice: --time-zone names the clock"):
        price(tmp_path, "Hour Ending,LMP ($/MWh)", rows)


def test_dst_behind_every_time_is_no_mark_of_a_repeated_hour(tmp_path):
    text = "time,power_W\n" + "".join(f"2026-07-01 0{h}:00 DST,{h}\n" for h in range(3))
    table, report = read("csv", put(tmp_path, "t.csv", text))
    assert list(table["time"].dt.hour) == [0, 1, 2] and said(report, "DST behind the times is not used")


def test_a_meters_hour_ending_stays_the_end(tmp_path):
    text = "Hour Ending,Load (MW)\n11/01/2026 01:00,1\n11/01/2026 02:00,2\n11/01/2026 02:00 DST,3\n11/01/2026 24:00,4\n"
    table, report = read("csv", put(tmp_path, "t.csv", text), time_zone="America/Chicago")
    assert [f"{t:%m-%dT%H:%M}" for t in table["time"]] == ["11-01T06:00", "11-01T07:00", "11-01T08:00", "11-02T06:00"] and list(table["Load_W"]) == [1e6, 2e6, 3e6, 4e6]
    assert any("so is `time`" in n for n in report.notes)


@pytest.mark.parametrize("flag", [True, False])
def test_numbers_of_hours_with_a_flag_or_up_to_25(tmp_path, flag):
    day = [(h, "N") for h in (1, 2)] + [(2, "Y")] + [(h, "N") for h in range(3, 25)] if flag else [(h, "N") for h in range(1, 26)]
    rows = [f"2026-10-31,{h},N,{h}" for h in range(1, 25)] + [f"{AUTUMN},{h},{f},{100 + i}" for i, (h, f) in enumerate(day)]
    by_hour, report = price(tmp_path, "Delivery Date,Hour Ending,Repeated Hour Flag,LMP ($/MWh)", rows, "America/Chicago")
    assert len(by_hour) == 49 and report.facts["missing"] == [] and by_hour["10-31T05:00"] == 1
    assert [by_hour[f"11-01T{h:02}:00"] for h in range(5, 10)] == [100, 101, 102, 103, 104] and by_hour["11-02T05:00"] == 124
    if not flag:
        with pytest.raises(importers.InputError, match="hour 25"):
            price(tmp_path, "Delivery Date,Hour Ending,Repeated Hour Flag,LMP ($/MWh)", rows)


def test_a_day_of_23_hours_counts_the_hours_that_passed(tmp_path):
    rows = [f"2026-03-08,{h},{h}" for h in range(1, 24)] + [f"2026-03-09,{h},{100 + h}" for h in range(1, 25)]
    by_hour, report = price(tmp_path, "Date,HE,LMP ($/MWh)", rows, "America/Chicago")
    assert report.facts["missing"] == [] and len(by_hour) == 47 and by_hour["03-08T06:00"] == 1 and by_hour["03-09T04:00"] == 23 and by_hour["03-09T05:00"] == 101


def test_intervals_of_entso_e_and_words_of_the_zone(tmp_path):
    rows = [f'25/10/2026 {a} - 25/10/2026 {b},{v}' for a, b, v in (("01:00:00 (CEST)", "02:00:00 (CEST)", 1), ("02:00:00 (CEST)", "02:00:00 (CET)", 2), ("02:00:00 (CET)", "03:00:00 (CET)", 3), ("03:00:00 (CET)", "04:00:00 (CET)", 4))]
    by_hour, report = price(tmp_path, "MTU (CET/CEST),Day-ahead Price (EUR/MWh)", rows)
    assert by_hour == {"10-24T23:00": 1, "10-25T00:00": 2, "10-25T01:00": 3, "10-25T02:00": 4} and report.facts["missing"] == []
    rows = [f"05.01.2026 {h:02}:00 - 05.01.2026 {h + 1:02}:00,{h}" for h in range(3)]
    assert list(price(tmp_path, "MTU (UTC),Day-ahead Price [EUR/MWh]", rows)[0]) == ["01-05T00:00", "01-05T01:00", "01-05T02:00"]
    rows = [f"2026-11-01 01:{m}:00 {z},{w}" for z, w in (("CDT", 1), ("CST", 2)) for m in ("00", "30")]
    table, _ = read("csv", put(tmp_path, "z.csv", "time,power_W\n" + "\n".join(rows) + "\n"), time_zone="America/Chicago")
    assert [f"{t:%H:%M}" for t in table["time"]] == ["06:00", "06:30", "07:00", "07:30"] and list(table["power_W"]) == [1, 1, 2, 2]


def test_of_two_times_in_a_row_the_beginning_is_taken(tmp_path):
    rows = [f"{1770000000000 + 1800000 * i},{1770001800000 + 1800000 * i},{i}" for i in range(3)]
    assert list(price(tmp_path, "start_timestamp,end_timestamp,marketprice [Eur/MWh]", rows)[0]) == ["02-02T02:40", "02-02T03:10", "02-02T03:40"]
    rows = [f"2026-01-05T0{i}:00Z,2026-01-05T0{i + 1}:00Z,{i}" for i in range(3)]
    assert list(price(tmp_path, "Period from,Period to,Rate (p/kWh)", rows)[0]) == ["01-05T00:00", "01-05T01:00", "01-05T02:00"]


def test_steps_of_half_an_hour_that_lack_are_counted_as_such(tmp_path):
    rows = [f"2026-01-05T{i // 2:02}:{30 * (i % 2):02}Z,{i}" for i in range(10) if i != 4]
    report = price(tmp_path, "time,Price (GBP/MWh)", rows)[1]
    assert report.facts["missing"] == ["2026-01-05 02:00:00+00:00"] and said(report, "1 steps of 1800 s are missing")


def curve(n=48):
    return [20.0 + (10 if h % 24 == 15 else 0) + h % 24 / 10 for h in range(n)]


def meteo(tmp_path, stamps, zone, offset_s, **units):
    answer = {"latitude": 20.0, "longitude": 78.0, "elevation": 300.0, "utc_offset_seconds": offset_s, "timezone": zone, "hourly_units": {"temperature_2m": "°C", "relative_humidity_2m": "%"},
              "hourly": {"time": stamps, "temperature_2m": curve(len(stamps)), "relative_humidity_2m": [50] * len(stamps)}}  # fmt: skip
    return put(tmp_path, "m.json", json.dumps(answer))


@pytest.mark.parametrize("zone,offset_h,standard_h", [("Asia/Kolkata", 5.5, 5.5), ("America/New_York", -4, -5), ("GMT", 0, 0)])
def test_unix_time_of_open_meteo_is_utc(tmp_path, zone, offset_h, standard_h):
    local = pd.date_range("2026-07-01", periods=48, freq="h")
    stamps = [int((t - pd.Timedelta(hours=offset_h)).timestamp()) for t in local]
    table, _ = read("weather", meteo(tmp_path, stamps, zone, int(3600 * offset_h)))
    iso, _ = read("weather", meteo(tmp_path, [f"{t:%Y-%m-%dT%H:%M}" for t in local], zone, int(3600 * offset_h)))
    pd.testing.assert_frame_equal(table, iso)
    assert table["time"].iloc[0] == local[0] + pd.Timedelta(hours=standard_h - offset_h)


def test_open_meteos_csv_and_lists(tmp_path):
    rows = "\n".join(f"2026-07-01T{h:02}:00,{v},50" for h, v in enumerate(curve(24)))
    text = "latitude,longitude,elevation,utc_offset_seconds,timezone,timezone_abbreviation\n" \
        "20,78,300,19800,Asia/Kolkata,GMT+5:30\n\ntime,temperature_2m (°C),relative_humidity_2m (%)\n" + rows + "\n\ntime,temperature_2m_max (°C)\n2026-07-01,31\n"
    table, report = read("weather", put(tmp_path, "m.csv", text))
    assert len(table) == 24 and table["time"][table["drybulb_degC"].idxmax()].hour == 15 and report.facts["altitude_m"] == 300
    with pytest.raises(importers.InputError, match="°F, not °C"):
        importers.import_logs("weather", [put(tmp_path, "f.csv", text.replace("temperature_2m (°C)", "temperature_2m (°F)"))])
    one = json.loads(meteo(tmp_path, ["2026-07-01T00:00", "2026-07-01T01:00"], "GMT", 0).read_text())
    assert len(read("weather", put(tmp_path, "l.json", json.dumps([one])))[0]) == 2
    with pytest.raises(importers.InputError, match="answers for 2 places"):
        importers.import_logs("auto", [put(tmp_path, "l.json", json.dumps([one, one]))])


def test_pvgis_is_utc_and_a_typical_year_is_one_year(tmp_path):
    hours = pd.date_range("2001-01-01", periods=8760, freq="h")
    stamp = lambda t: f"{2005 + t.month:04}{t:%m%d:%H%M}"
    cells = [(stamp(t), 30 if t.hour == 14 else 10, 60, 97000) for t in hours]
    head = "Latitude (decimal degrees): 45.0\nLongitude (decimal degrees): 8.0\nElevation (m): 250\nmonth,year\n1,2006\n\ntime(UTC),T2m,RH,SP\n"
    table, report = read("weather", put(tmp_path, "p.csv", head + "".join(",".join(map(str, c)) + "\n" for c in cells) + "\nT2m: 2-m air temperature\nPVGIS (c) European Union\n"))
    answer = {"inputs": {"location": {"latitude": 45.0, "longitude": 8.0, "elevation": 250}}, "outputs": {"tmy_hourly": [{"time(UTC)": t, "T2m": a, "RH": h, "SP": p} for t, a, h, p in cells]}}
    pd.testing.assert_frame_equal(table, read("weather", put(tmp_path, "p.json", json.dumps(answer)))[0])
    assert len(table) == 8760 and table["time"].iloc[0] == pd.Timestamp("2001-01-01") and table["time"][table["drybulb_degC"].idxmax()].hour == 15
    assert report.facts["altitude_m"] == 250 and any("UTC+1 h" in n for n in report.notes) and table["pressure_Pa"].iloc[0] == 97000
    answer["outputs"] = {"hourly": [{"time": "20200101:0010", "T2m": 5.0}]}
    with pytest.raises(importers.InputError, match="ask PVGIS for the typical year"):
        importers.import_logs("weather", [put(tmp_path, "p.json", json.dumps(answer))])


def test_nsrdb_in_local_time_or_utc(tmp_path):
    names = "Source,Location ID,Latitude,Longitude,Time Zone,Elevation,Local Time Zone,Temperature Units,Pressure Units\n"
    rows = "Year,Month,Day,Hour,Minute,Temperature,Relative Humidity,Pressure\n" + "".join(f"2020,7,1,{h},30,{20 + h},50,970\n" for h in range(24))
    for own, hour in ((-7, 0), (0, 17)):
        table, report = read("weather", put(tmp_path, "n.csv", names + f"NSRDB,1,33.4,-112.0,{own},331,-7,c,mbar\n" + rows))
        assert table["time"].iloc[0].hour == hour and table["pressure_Pa"].iloc[0] == 97000 and len(table) == 24 and report.facts["utc_offset_h"] == -7
    with pytest.raises(importers.InputError, match="Pressure in atm"):
        importers.import_logs("weather", [put(tmp_path, "n.csv", names + "NSRDB,1,33.4,-112.0,-7,331,-7,c,atm\n" + rows)])


def test_epw_of_a_leap_year_and_with_half_hours(tmp_path):
    head = "LOCATION,X,-,X,X,1,10,10,0,100\nDATA PERIODS,1,{n},Data,Sunday,1/1,12/31\n"
    row = "{y},{m},{d},{h},{min},?9,{t},5.0,50,97000\n"
    leap = "".join(row.format(y=2028, m=m, d=d, h=h, min=60, t=h) for m, d in ((2, 28), (2, 29), (3, 1)) for h in range(1, 25))
    table, _ = read("weather", put(tmp_path, "l.epw", head.format(n=1) + leap))
    assert len(table) == 72 and table["time"].iloc[24] == pd.Timestamp("2028-02-29T01:00") and table["time"].iloc[-1] == pd.Timestamp("2028-03-02")
    half = "".join(row.format(y=2001, m=1, d=1, h=h, min=m, t=h) for h in (1, 2) for m in (30, 60))
    table, _ = read("weather", put(tmp_path, "h.epw", head.format(n=2) + half))
    assert list(table["time"].dt.strftime("%H:%M")) == ["00:30", "01:00", "01:30", "02:00"]


def _ends(day, style, minutes, zone="America/Chicago"):
    """(texts of the ends, their instants) of 12 hours around a day's 2:00, as the clock reads at the end or as the beginning and the step."""
    step, begin = pd.Timedelta(minutes=minutes), pd.Timestamp(f"{day} 02:00Z")
    ends = [begin + step * (i + 1) for i in range(12 * 60 // minutes)]
    read = [(e if style == "clock" else e - step).tz_convert(zone).tz_localize(None) + (0 if style == "clock" else 1) * step for e in ends]
    return [f"{t:%m/%d/%Y,%H:%M}" for t in read], ends


@pytest.mark.parametrize("minutes", [15, 60])
@pytest.mark.parametrize("style", ["clock", "beginning + step"])
@pytest.mark.parametrize("day", ["2025-11-02", "2026-03-08"])
def test_ends_of_intervals_where_the_clock_changes(day, style, minutes, tmp_path):
    texts, ends = _ends(day, style, minutes)
    for head in ("Interval Ending", "Hour Ending"):
        path = put(tmp_path, "t.csv", f"Read Date,{head},Demand (kW)\n" + "".join(f"{t},{i}\n" for i, t in enumerate(texts)))
        table, report = read("csv", path, time_zone="America/Chicago")
        assert list(table["time"]) == ends and not said(report, "comes twice") and not said(report, "does not exist")
        assert any(("each hour" if minutes == 60 else "each interval of 15 min") in n for n in report.notes)
        table, report = read("csv", path)  # without the zone no row is lost
        assert len(table) == len(ends) and not report.ignored


def test_prices_of_quarter_hours_begin_a_quarter_before_their_end(tmp_path):
    texts, _ = _ends("2025-11-02", "clock", 15)
    by_hour, report = price(tmp_path, "Date,Interval Ending,LMP ($/MWh)", [f"{t},{i}" for i, t in enumerate(texts)], "America/Chicago")
    assert len(by_hour) == 48 and by_hour["11-02T02:00"] == 0 and report.facts["missing"] == []


def test_ends_that_the_clock_never_shows_are_refused(tmp_path):
    rows = [f"03/08/2026,{h:02}:{m:02},1" for h in range(1, 4) for m in (0, 15, 30, 45)]
    path = put(tmp_path, "t.csv", "Date,Interval Ending,Demand (kW)\n" + "\n".join(rows) + "\n")
    with pytest.raises(importers.InputError, match="t.csv:7: 2026-03-08 02:15:00 does not exist.*neither.*interval of 15 min.*Etc/GMT"):
        read("csv", path, time_zone="America/Chicago")
    assert len(read("csv", path, time_zone="Etc/GMT+6")[0]) == 12


def test_days_that_end_at_midnight_end_there_where_the_clock_changes(tmp_path):
    path = put(tmp_path, "t.csv", "Period Ending,Demand (kW)\n" + "".join(f"2025-11-0{d} 00:00,{d}\n" for d in range(1, 6)))
    table, report = read("csv", path, time_zone="America/Chicago")
    assert list(table["time"].dt.tz_convert("America/Chicago").dt.hour) == [0] * 5 and any("interval of 1440 min" in n for n in report.notes)


def test_a_table_with_the_newest_row_first_has_both_hours(tmp_path):
    texts, ends = _ends("2025-11-02", "clock", 15)
    path = put(tmp_path, "t.csv", "Date,Interval Ending,Demand (kW)\n" + "".join(f"{t},{i}\n" for i, t in reversed(list(enumerate(texts)))))
    table, report = read("csv", path, time_zone="America/Chicago")
    assert list(table["time"]) == ends and list(table["Demand_W"]) == [1000 * i for i in range(48)] and not report.ignored
