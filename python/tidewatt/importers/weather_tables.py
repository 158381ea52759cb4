"""Weather of PVGIS (JSON and CSV) and NSRDB, and Open-Meteo's CSV: columns as `weather.read` gives them."""

from __future__ import annotations

import io
import json
import re
from typing import Optional

import numpy as np
import pandas as pd

from .report import ImportReport, InputError
from .text import column_numbers

HOUR = pd.Timedelta(hours=1)
TYPICAL_YEAR = 2001  # none of a leap year: months of a typical year come from many years
_UNIT = re.compile(r"^(.*?)\s*\(([^()]*)\)$")


def open_meteo_csv(text: str, file: str) -> dict:
    """Open-Meteo's CSV as its JSON answer: a line of names and one of values for the place, a blank line, the hourly table.

    `text`: the file; `file`: for the error. Raises InputError: several places, or no hourly table
    """
    lines = [line for line in text.split("\n") if line.strip()]
    begin = [i for i, line in enumerate(lines) if line.startswith("time,")]
    if len(lines) < 3 or not begin or begin[0] != 2 or lines[0].startswith("location_id"):
        raise InputError(f"{file}: answers for several places, or none: ask Open-Meteo for one place")
    place = dict(zip(lines[0].split(","), lines[1].split(",")))
    hourly = next((i for i in begin if "temperature_2m" in lines[i]), 2)
    end = next((i for i in begin if i > hourly), None)
    table = pd.read_csv(io.StringIO("\n".join(lines[hourly:end])), dtype={"time": str})
    answer: dict = {k: float(place[k]) for k in ("latitude", "longitude", "elevation", "utc_offset_seconds") if k in place}
    answer |= {"timezone": place.get("timezone", "GMT"), "hourly": {}, "hourly_units": {}}
    for column in table:
        match = _UNIT.match(column)
        name = match[1] if match else column
        values = table[column].tolist()
        if name == "time" and all(str(v).isdigit() for v in values):
            values = [int(v) for v in values]
        answer["hourly"][name] = [None if v != v else v for v in values]
        answer["hourly_units"] |= {name: match[2]} if match else {}
    return answer


def is_pvgis(text: str) -> bool:
    """Whether a file is of PVGIS. `text`: its beginning"""
    return '"tmy_hourly"' in text or '"outputs"' in text and '"T2m"' in text or "PVGIS" in text or bool(re.search(r"^time\(UTC\),", text, re.MULTILINE))


def pvgis(text: str, file: str, report: ImportReport, zone: Optional[str]) -> pd.DataFrame:
    """A typical year or hourly series of PVGIS: UTC, °C, %, Pa.

    Parameters
    ----------
    text
        JSON or CSV.
    file
        For the places.
    report
        Takes remarks and facts.
    zone
        IANA name of the place, else its longitude tells the hour.

    Raises
    ------
    InputError
        No hours, or no humidity (only the typical year has it).
    """
    place, cells = (_pvgis_json if text.lstrip()[:1] == "{" else _pvgis_csv)(text, file, report)
    names = {"drybulb_degC": "T2m", "rh_pct": "RH", "pressure_Pa": "SP"}
    if "T2m" not in cells or "RH" not in cells:
        raise InputError(f"{file}: no T2m or no RH; ask PVGIS for the typical year (TMY), which has temperature and humidity")
    time = next(c for c in cells if c.startswith("time"))
    utc = pd.to_datetime(cells[time], format="%Y%m%d:%H%M", errors="coerce")
    if utc.isna().any():
        i = int(np.flatnonzero(utc.isna())[0])
        raise InputError(f"{file}:{cells['row'].iloc[i]}: '{cells[time].iloc[i]}' is no time of PVGIS")
    out = pd.DataFrame({"time": utc} | {n: column_numbers(cells[c], c, cells["row"].tolist(), file, report) for n, c in names.items() if c in cells})
    longitude = float(place.get("longitude", 0.0))
    report.facts.update(latitude_deg=float(place.get("latitude", np.nan)), longitude_deg=longitude, altitude_m=float(place.get("elevation", 0.0)), source="PVGIS")
    return _local(out, standard_offset_h(zone, longitude), file, report)


def _pvgis_json(text: str, file: str, report: ImportReport) -> tuple[dict, pd.DataFrame]:
    try:
        answer = json.loads(text)
        hours = next(v for k, v in answer["outputs"].items() if k in ("tmy_hourly", "hourly"))
        return answer["inputs"]["location"], pd.DataFrame(hours).astype(str).assign(row=range(1, len(hours) + 1))
    except (ValueError, KeyError, TypeError, StopIteration) as error:
        raise InputError(f"{file}: no answer of PVGIS with hourly values ({error})") from error


def _pvgis_csv(text: str, file: str, report: ImportReport) -> tuple[dict, pd.DataFrame]:
    lines = text.split("\n")
    place = {m[1].lower(): m[2] for line in lines if (m := re.match(r"^(Latitude|Longitude|Elevation)\b[^:]*:\s*(-?[\d.]+)", line))}
    begin = next((i for i, line in enumerate(lines) if line.startswith("time")), None)
    if begin is None:
        raise InputError(f"{file}: no line of names that begins with time")
    return place, _table(lines[begin].strip().split(","), [(line, i) for i, line in enumerate(lines, 1) if re.match(r"^\d{8}:\d{4},", line)], file, report)


def _table(names: list[str], lines: list[tuple[str, int]], file: str, report: ImportReport) -> pd.DataFrame:
    """Lines under their names, with their numbers as `row`; torn ones are ignored."""
    whole = []
    for line, i in lines:
        cells = line.split(",")[: len(names)]
        if len(cells) == len(names):
            whole.append([*cells, i])
        else:
            report.ignore(f"{file}:{i}", f"{len(cells)} cells, the header has {len(names)}")
    return pd.DataFrame(whole, columns=[*names, "row"])


def standard_offset_h(zone: Optional[str], longitude_deg: float) -> float:
    """Hours of a place's standard time before UTC, h: those of the zone in winter, else by its longitude.

    `zone`: IANA name or None; `longitude_deg`: east positive. Raises InputError: there is no such zone
    """
    if zone is None:
        return float(round(longitude_deg / 15.0))
    try:
        return min(pd.Timestamp(2025, month, 1, tz=zone).utcoffset().total_seconds() for month in (1, 7)) / 3600.0
    except (KeyError, ValueError, TypeError) as error:
        raise InputError(f"time zone '{zone}': no such zone ({error})") from error


def _local(out: pd.DataFrame, offset_h: float, file: str, report: ImportReport) -> pd.DataFrame:
    """UTC on local standard time; a typical year, whose months are of several years, is one year round."""
    if out["time"].dt.year.nunique() > 1 and not out["time"].is_monotonic_increasing or len(out) in (8760, 8784) and out["time"].dt.year.nunique() > 1:
        out["time"] = _one_year(out["time"])
        out["time"] += pd.Timedelta(hours=offset_h)
        out["time"] = _one_year(out["time"])
        out = out.sort_values("time", kind="stable").reset_index(drop=True)
    else:
        out["time"] += pd.Timedelta(hours=offset_h)
    report.note(f"{file}: times are UTC; put on the standard time of UTC{offset_h:+g} h (--time-zone names another)")
    return out


def _one_year(times: pd.Series) -> pd.Series:
    year = TYPICAL_YEAR if not ((times.dt.month == 2) & (times.dt.day == 29)).any() else TYPICAL_YEAR + 3
    return pd.to_datetime({"year": year, "month": times.dt.month, "day": times.dt.day, "hour": times.dt.hour, "minute": times.dt.minute})


def is_nsrdb(text: str) -> bool:
    """Whether a file is of the NSRDB. `text`: its beginning"""
    return text.startswith("Source,Location ID,")


def nsrdb(text: str, file: str, report: ImportReport) -> pd.DataFrame:
    """A year of the NSRDB: two lines of the place, a line of names, rows with Year, Month, Day, Hour, Minute.

    `text`: CSV; `file`: for the places; `report`: takes remarks and facts. Raises InputError: no temperature or humidity, or other units
    """
    lines = text.rstrip("\n").split("\n")
    if len(lines) < 4:
        raise InputError(f"{file}: no hours below the place")
    place = dict(zip(lines[0].split(","), lines[1].split(",")))
    names = [n.strip() for n in lines[2].split(",") if n.strip()]
    table = _table(names, [(line, i) for i, line in enumerate(lines[3:], 4)], file, report)
    columns = {"drybulb_degC": ("Temperature", 1.0), "rh_pct": ("Relative Humidity", 1.0), "pressure_Pa": ("Pressure", 100.0)}
    lacking = [c for c, _ in list(columns.values())[:2] if c not in table]
    if lacking:
        raise InputError(f"{file}: no {' and '.join(lacking)}; ask the NSRDB for temperature and relative humidity")
    units = {"Temperature": ("c",), "Relative Humidity": ("%",), "Pressure": ("mbar", "millibar", "hpa")}
    wrong = [f"{c} in {u}" for c, known in units.items() if (u := place.get(f"{c} Units", known[0])).lower() not in known]
    if wrong:
        raise InputError(f"{file}: {'; '.join(wrong)}; needed are c, % and mbar")
    stamp = table[["Year", "Month", "Day", "Hour", "Minute"]].apply(pd.to_numeric, errors="coerce")
    times = pd.to_datetime(stamp.rename(columns=str.lower), errors="coerce")
    out = pd.DataFrame({"time": times} | {n: column_numbers(table[c], c, table["row"].tolist(), file, report) * f for n, (c, f) in columns.items() if c in table})
    own, local = float(place.get("Time Zone", 0.0)), float(place.get("Local Time Zone", place.get("Time Zone", 0.0)))
    report.facts.update(latitude_deg=float(place["Latitude"]), longitude_deg=float(place["Longitude"]), utc_offset_h=local, altitude_m=float(place.get("Elevation", 0.0)), source="NSRDB")
    if own != local:
        return _local(out, local - own, file, report)
    out["time"] = _one_year(times) if times.dt.year.nunique() > 1 and len(out) >= 8760 else times
    return out
