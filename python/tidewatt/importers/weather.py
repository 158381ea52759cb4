"""Weather as `run --weather` reads it: Open-Meteo, EPW, PVGIS, NSRDB, or the product's own CSV; local standard time, dry bulb, humidity, pressure."""

from __future__ import annotations

import json
import re
from typing import Optional

import numpy as np
import pandas as pd

from . import plain, weather_tables
from .report import ImportReport, InputError
from .text import column_numbers, read_text
from .times import epoch_unit, parse_times, to_utc

HOUR = pd.Timedelta(hours=1)
RANGES = {"drybulb_degC": (-70.0, 70.0), "rh_pct": (0.0, 110.0), "pressure_Pa": (31000.0, 120000.0)}
# Columns of the product's own CSV: column of the table = (value + offset) × factor.
OWN = {
    "drybulb_degC": ("drybulb_degC", 1.0, 0.0), "drybulb_degF": ("drybulb_degC", 5 / 9, -32.0), "rh_pct": ("rh_pct", 1.0, 0.0),
    "rh_frac": ("rh_pct", 100.0, 0.0), "pressure_Pa": ("pressure_Pa", 1.0, 0.0), "pressure_hPa": ("pressure_Pa", 100.0, 0.0),
}  # fmt: skip
# EPW writes these where a value is missing: dry bulb, relative humidity, pressure.
EPW_MISSING = {"drybulb_degC": 99.9, "rh_pct": 999.0, "pressure_Pa": 999999.0}


def standard_pressure_Pa(altitude_m: float) -> float:
    """p = 101325 (1 − 2.25577e-5 z)^5.2559 Pa (standard atmosphere, ASHRAE Fundamentals ch. 1). `altitude_m`: −500 to 11,000 m."""
    return 101325.0 * (1.0 - 2.25577e-5 * altitude_m) ** 5.2559


def read(paths, report: ImportReport, zone: Optional[str] = None) -> pd.DataFrame:
    """`time` (local standard time), `drybulb_degC`, `rh_pct`, `pressure_Pa`; facts: place, altitude, means, warmest month.

    `paths`: one place, one or several files in order of time; `report`: takes the remarks; `zone`: IANA name of the place, for
    formats in UTC that do not say it (PVGIS).
    Raises InputError: a file is none of the formats, or its units are not °C and %.
    """
    parts = []
    for path in paths:
        text, file = read_text(path, report), report.name_of(path)
        if weather_tables.is_pvgis(text[:20000]):
            parts.append(weather_tables.pvgis(text, file, report, zone))
        elif weather_tables.is_nsrdb(text):
            parts.append(weather_tables.nsrdb(text, file, report))
        elif text.lstrip()[:1] in ("{", "["):
            parts.append(_open_meteo(_answer(text, file), file, report))
        elif text.startswith(("latitude,longitude,", "location_id,")):
            parts.append(_open_meteo(weather_tables.open_meteo_csv(text, file), file, report))
        elif text.startswith("LOCATION,"):
            parts.append(_epw(text, file, report))
        else:
            parts.append(_own(path, report))
    if zone and report.facts.get("source") != "PVGIS":
        raise InputError(f"{report.name_of(paths[0])}: --time-zone does nothing here: the file says its place's time, and the table has its standard time")
    table = pd.concat(parts, ignore_index=True)
    report.rows_read += len(table)
    _check(table, report.name_of(paths[0]), report)
    return table


def _answer(text: str, file: str) -> dict:
    """The answer for one place."""
    try:
        answer = json.loads(text)
    except ValueError as error:
        raise InputError(f"{file}: no answer of Open-Meteo with hourly values ({error})") from error
    if not isinstance(answer, list):
        return answer
    if len(answer) != 1:
        raise InputError(f"{file}: answers for {len(answer)} places; ask Open-Meteo for one place, or keep one of the list")
    return answer[0]


def _open_meteo(answer: dict, file: str, report: ImportReport) -> pd.DataFrame:
    try:
        hourly, units = answer["hourly"], answer.get("hourly_units", {})
        stamps = hourly["time"]
    except (AttributeError, KeyError, TypeError) as error:
        raise InputError(f"{file}: no answer of Open-Meteo with hourly values ({error})") from error
    names = {"drybulb_degC": ("temperature_2m", "°C"), "rh_pct": ("relative_humidity_2m", "%")}
    names["rh_pct"] = ("relativehumidity_2m", "%") if "relativehumidity_2m" in hourly else names["rh_pct"]
    missing = [n for n, _ in names.values() if n not in hourly]
    if missing:
        raise InputError(f"{file}: no hourly {' and '.join(missing)}; ask for temperature_2m and relative_humidity_2m")
    wrong = [f"{n} in {units[n]}, not {unit}" for n, unit in names.values() if units.get(n, unit) != unit]
    if wrong:
        raise InputError(f"{file}: {'; '.join(wrong)}")
    times = _stamps(stamps, file)
    times = _standard_time(times, answer, file, report)
    out = pd.DataFrame({"time": times, **{name: pd.to_numeric(pd.Series(hourly[n]), errors="coerce") for name, (n, _) in names.items()}})
    elevation = _number(answer, "elevation", file)
    if "surface_pressure" in hourly and units.get("surface_pressure", "hPa") == "hPa":
        out["pressure_Pa"] = pd.to_numeric(pd.Series(hourly["surface_pressure"]), errors="coerce") * 100.0
    else:
        out["pressure_Pa"] = round(standard_pressure_Pa(elevation), 1)
        report.note(f"no pressure in the file: the standard atmosphere at its {elevation:g} m")
    report.facts.update(latitude_deg=answer.get("latitude"), longitude_deg=answer.get("longitude"), altitude_m=elevation, source="Open-Meteo")

    return out  # fmt: skip


def _stamps(stamps, file: str) -> pd.Series:
    """Times of Open-Meteo: ISO 8601, or Unix time, which is UTC. Raises InputError: one of them is none; the message names it"""
    if not isinstance(stamps, list) or not stamps:
        raise InputError(f"{file}: hourly.time is no list of times")
    unix = isinstance(stamps[0], (int, float))
    times = pd.to_datetime(pd.Series(stamps), unit=(epoch_unit(stamps[0]) or "s") if unix else None, utc=unix, errors="coerce")
    if times.isna().any():
        i = int(np.flatnonzero(times.isna().to_numpy())[0])
        raise InputError(f"{file}: hourly.time[{i}]: {str(stamps[i])[:40]!r} is no time")
    return times


def _number(answer: dict, name: str, file: str) -> float:
    """A number of the place. Raises InputError: it is absent or no number"""
    value = pd.to_numeric(answer.get(name), errors="coerce")
    if value is None or not np.isfinite(value):
        given = f"{answer[name]!r} and no number" if name in answer else "absent"
        raise InputError(f"{file}: {name} is {given}; ask Open-Meteo for the whole answer of one place")
    return float(value)


def _standard_time(times: pd.Series, answer: dict, file: str, report: ImportReport) -> pd.Series:
    """Open-Meteo's local times at the zone's standard offset, all the year round."""
    offset_s, zone = _number(answer, "utc_offset_seconds", file), answer.get("timezone", "GMT")
    standard_s = offset_s
    try:
        year = times.iloc[0].year
        standard_s = min(pd.Timestamp(year, month, 1).tz_localize(zone).utcoffset().total_seconds() for month in (1, 7))
    except Exception:  # a zone that pandas does not know: the file's own offset holds
        report.note(f"time zone '{zone}' is unknown here; the file's offset of {offset_s / 3600:g} h is taken as standard time")
    if times.dt.tz is not None:
        return (times + pd.Timedelta(seconds=standard_s)).dt.tz_localize(None)
    steps = times.diff().dropna()
    if (steps == steps.iloc[0]).all():  # one offset throughout
        shift = pd.Timedelta(seconds=offset_s - standard_s)
        if shift:
            report.note(f"the file is in summer time all through; shifted by {-shift / HOUR:g} h to standard time")
        return times - shift
    utc = to_utc(times, zone, range(1, len(times) + 1), file, report)
    return (utc + pd.Timedelta(seconds=standard_s)).dt.tz_localize(None)


def _epw(text: str, file: str, report: ImportReport) -> pd.DataFrame:
    lines = text.split("\n")
    place = lines[0].split(",")
    begin = next((i for i, line in enumerate(lines) if re.match(r"^\d{4},\d{1,2},\d{1,2},\d{1,2},", line)), None)
    if begin is None or len(place) < 10:
        raise InputError(f"{file}: an EPW file without hours or without its LOCATION")
    data = _epw_rows(lines[begin:], begin + 1, file, report)
    year = _epw_year(data)
    days = pd.to_datetime({"year": year, "month": data["month"], "day": data["day"]}, errors="coerce")
    if days.isna().any():
        raise InputError(f"{file}:{data[plain.ROW][days.isna()].iloc[0]}: no day of the year {year}")
    several = re.match(r"^DATA PERIODS,[^,]*,\s*(\d+)", next((line for line in lines[:begin] if line.startswith("DATA PERIODS")), ""))
    within = data["minute"] - 60 if several and int(several[1]) > 1 else 0  # several records an hour: each ends at its minute
    times = days + pd.to_timedelta(data["hour"], unit="h") + pd.to_timedelta(within, unit="min")
    try:
        where = [float(place[i]) for i in range(6, 10)]
    except ValueError as error:
        raise InputError(f"{file}:1: LOCATION without latitude, longitude, zone and altitude ({error})") from error
    report.note(f"hour h of an EPW file ends at h o'clock; the typical year's times are those of {year}")
    report.facts.update(latitude_deg=where[0], longitude_deg=where[1], utc_offset_h=where[2], altitude_m=where[3], source="EPW")
    return pd.DataFrame({"time": times, **{n: data[n] for n in EPW_MISSING}})


def _epw_rows(lines: list[str], first: int, file: str, report: ImportReport) -> pd.DataFrame:
    """Hours of an EPW file with their line numbers; its words for no value are blank."""
    rows = []
    for at, line in enumerate(lines, first):
        cells = line.split(",")
        if len(cells) < 10:
            if line.strip():
                report.ignore(f"{file}:{at}", f"{len(cells)} fields, an hour has 35")
            continue
        if not all(c.strip().isdigit() for c in cells[1:4]):
            report.ignore(f"{file}:{at}", "no month, day and hour in fields 2 to 4")
            continue
        month, day, hour = (int(c) for c in cells[1:4])
        minute = int(cells[4]) if cells[4].strip().isdigit() else 60
        rows.append([int(cells[0]), month, day, hour, minute, *(pd.to_numeric(cells[i], errors="coerce") for i in (6, 8, 9)), at])
    data = pd.DataFrame(rows, columns=["year", "month", "day", "hour", "minute", *EPW_MISSING, plain.ROW])
    for name, blank in EPW_MISSING.items():
        for i in np.flatnonzero((data[name] == blank).to_numpy()):
            report.mend(f"{file}:{data[plain.ROW].iloc[i]}", f"{name}: EPW's blank value, left blank")
        data[name] = data[name].mask(data[name] == blank)
    return data


def _epw_year(data: pd.DataFrame) -> int:
    """The year of an EPW file's times: 2001 for a typical year, a leap year where 29 February is in it, its own if all rows have one."""
    if not ((data["month"] == 2) & (data["day"] == 29)).any():
        return weather_tables.TYPICAL_YEAR
    years = data["year"].unique()
    return int(years[0]) if len(years) == 1 and pd.Timestamp(int(years[0]), 1, 1).is_leap_year else weather_tables.TYPICAL_YEAR + 3


def _own(path, report: ImportReport) -> pd.DataFrame:
    cells, file = plain.texts(path, report), report.name_of(path)
    if {"dewpoint_degC", "dewpoint_degF", "wetbulb_degC"} & set(cells):
        raise InputError(f"{file}: `run --weather` reads dew points and wet bulbs as they are; import makes tables with rh_pct")
    made = {OWN[name][0] for name in OWN if name in cells}
    if "time" not in cells or not {"drybulb_degC", "rh_pct"} <= made:
        raise InputError(f"{file}: none of Open-Meteo, EPW, PVGIS and NSRDB, and no CSV with time, drybulb_degC and rh_pct")
    rows, out = cells[plain.ROW].tolist(), {}
    out["time"] = parse_times(cells["time"], rows, file, report)
    for name, (column, factor, offset) in OWN.items():
        if name in cells:
            out[column] = (column_numbers(cells[name], name, rows, file, report) + offset) * factor
    return pd.DataFrame(out)


def _check(table: pd.DataFrame, file: str, report: ImportReport) -> None:
    for name, (low, high) in RANGES.items():
        if name not in table:
            continue
        wrong = (table[name] < low) | (table[name] > high)
        for i in np.flatnonzero(wrong.to_numpy()):
            report.mend(f"{file}, {table['time'].iloc[i]}", f"{name} = {table[name].iloc[i]:g} is outside {low:g} to {high:g}, left blank")
        table.loc[wrong, name] = np.nan
        if table[name].isna().any():
            report.warn(file, f"{int(table[name].isna().sum())} hours without {name}; they are not filled")
    over = table["rh_pct"] > 100.0
    if over.any():
        report.mend(file, f"{int(over.sum())} hours with more than 100 % relative humidity, set to 100 %")
        table.loc[over, "rh_pct"] = 100.0
    step = table["time"].diff().dropna()
    if not (step > pd.Timedelta(0)).all():
        raise InputError(f"{file}: the times do not rise")
    if len(step) and (step != step.median()).any():
        report.warn(file, f"{int((step != step.median()).sum())} steps differ from the usual {step.median()}; `run --weather` needs even ones")
    degC = table["drybulb_degC"]
    report.facts.update(
        rows=len(table),
        drybulb_min_degC=float(degC.min()),
        drybulb_mean_degC=float(degC.mean()),
        drybulb_max_degC=float(degC.max()),
        rh_mean_pct=float(table["rh_pct"].mean()),
        pressure_mean_Pa=float(table["pressure_Pa"].mean()) if "pressure_Pa" in table else None,
        warmest_month=int(degC.groupby(table["time"].dt.month).mean().idxmax()),
    )
