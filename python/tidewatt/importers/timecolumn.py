"""The column of times: by its name, by its cells, or a date and a clock in two columns; and its values."""

from __future__ import annotations

import re
from typing import Optional

import numpy as np
import pandas as pd

from . import hours
from .report import ImportReport, InputError
from .times import KNOWN, epoch_unit, parse_times

_DATE = re.compile(r"^(\d{1,4}([./-])\d{1,2}\2\d{1,4}|\d{1,2}[- ][A-Za-z]{3,9}[- ,]+\d{2,4})$")
_CLOCK = re.compile(r"^\d{1,2}[:.]\d\d([:.]\d\d([.,]\d+)?)?( ?[AaPp]\.?[Mm]\.?)?$")
_TIMELIKE = re.compile(r"\d[./:-]\d|\d[- ][A-Za-z]{3}[- ]\d")
_WORDS = re.compile(
    r"^(date ?/? ?time|time ?stamp|timestamp|time|date|zeit(stempel|punkt)?|datum( ?/? ?(uhr)?zeit)?|horodatage|fecha( y hora)?|tijd(stip)?|hour[ _]?ending|MTU"
    r"|sample ?time|relative time|_timestamp|_runtime|_time|seconds|elapsed( time)?|epoch|unix ?time)$",
    re.IGNORECASE,
)
_BEGIN = re.compile(r"^((period|valid|interval|delivery)[ _]?)?(from|start|begin)([ _]?(time|timestamp|date))?\b", re.IGNORECASE)  # of two times of a row
_IN_BRACKETS = re.compile(r"^(.*?)[_ ]*[\[(]\s*([^\[\]()]+?)\s*[\])]\s*$")
_SECONDS = {"s": 1.0, "sec": 1.0, "seconds": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "min": 60.0, "h": 3600.0}
_EXCEL_DAY_0 = pd.Timestamp("1899-12-30")


def find(cells: pd.DataFrame, chosen, row: str, file: str, report: ImportReport, names, zone: Optional[str] = None) -> Optional[str]:
    """Name of the column of times; a date and a clock become a column of their own in `cells`. None, with a warning, where several may be it.

    Parameters
    ----------
    cells
        Texts.
    chosen
        What is already known: name → column.
    row
        Column of line numbers.
    file
        For the remarks.
    report
        Takes them.
    names
        Words that mean time.
    zone
        Of the clock.
    """
    columns = [c for c in cells.columns.drop(row) if c not in [v for k, v in chosen.items() if k != "time"]]
    named = chosen.get("time") or next((c for c in columns if _WORDS.match(_bare(c)) or c.lower() in names), None)
    some = {c: [t for t in cells[c].iloc[:200] if t][:20] for c in columns}
    dates = [c for c in columns if _most(_DATE.match(t) for t in some[c])]
    clocks = [c for c in columns if _most(_CLOCK.match(t) for t in some[c])]
    return _joined(cells, row, dates, clocks, named, zone, file, report) or named or _timelike(cells[row].iloc[0], some, file, report)


def _timelike(row: int, some: dict[str, list[str]], file: str, report: ImportReport) -> Optional[str]:
    """The one column whose cells are times, by some cells of each."""
    quiet = ImportReport(report.kind)
    found = [c for c, texts in some.items() if _most(_TIMELIKE.search(t) for t in texts)]
    found = [c for c in found if _most(parse_times(some[c], [0] * len(some[c]), file, quiet).notna())]
    if len(found) == 1:
        report.note(f"{file}: '{found[0]}' is taken as the time")
        return found[0]
    if found:
        report.warn(f"{file}:{row}", f"'{found[0]}' looks like the time and is not taken, because '{found[1]}' does too: name it, --column time='{found[0]}'")
    return None


def _joined(cells: pd.DataFrame, row: str, dates, clocks, named, zone, file: str, report: ImportReport) -> Optional[str]:
    """A date and a clock, or a date and the number of an hour, as a column of their own in `cells`; None without such a pair."""
    numbers = [c for c in cells.columns.drop(row) if hours.NUMBER.match(c) and hours.of_day(cells[c]).between(0, 25).all()]
    clock = next(iter(numbers if len(numbers) == 1 and not clocks else clocks), None)
    if len(dates) != 1 or clock is None or len(clocks) > 1 or named not in (None, dates[0], clock):
        return None
    flag = next((c for c in cells if hours.FLAG.match(c)), None)
    of_hour = hours.of_day(cells[clock]) if clock in numbers else None
    ending = bool(hours.ENDING.search(clock)) or of_hour is not None and of_hour.min() > 0 and of_hour.max() >= 24
    joined = f"{dates[0]} {clock}{' (hour ending)' if ending and not hours.ENDING.search(clock) else ''}"
    if of_hour is not None:
        cells[joined] = hours.numbered(cells[dates[0]], of_hour, cells[flag] if flag else None, zone, ending)
    else:
        marks = cells[flag].str.upper().isin(("Y", "YES", "TRUE", "1")).map({True: " DST", False: ""}) if flag else ""
        cells[joined] = cells[dates[0]] + " " + cells[clock] + marks
    cells.drop(columns=[dates[0], clock], inplace=True)
    report.note(f"{file}: '{dates[0]}' and '{clock}' together are the time")
    return joined


def of_hours(cells: pd.DataFrame, named: Optional[str], row: str, file: str, report: ImportReport, zone: Optional[str]) -> Optional[str]:
    """Name of the column of times of a table by the hour, one of UTC first; None without one.

    Parameters
    ----------
    cells
        Texts.
    named
        By the caller.
    row
        Column of line numbers.
    file
        For the remarks.
    report
        Takes them.
    zone
        Of the clock.
    """
    if named:
        return named if named in cells else None
    whole = [c for c in cells if is_time(c) and not _is_part(cells[c])]
    exact = next((c for c in whole if _bare(c) == c), None)
    found = exact or next((c for c in whole if "UTC" in c), next(iter(whole), None))  # `Datetime (UTC)`, `Datetime (Local)`
    found = found or next((c for c in cells if _BEGIN.match(c) and not _is_part(cells[c])), None)
    return found or find(cells, {}, row, file, report, (), zone)


def _is_part(texts: pd.Series) -> bool:
    """Whether cells are dates, clocks or numbers of hours, which are times only together."""
    some = [t for t in texts.iloc[:50] if t]
    return any(_most(form.match(t) for t in some) for form in (_DATE, _CLOCK, re.compile(r"^(HE ?)?\d{1,2}$")))


def begin_of_hours(texts: pd.Series, column: str, rows, file: str, report: ImportReport, zone: Optional[str]) -> pd.Series:
    """Times of a table by the hour, as the beginnings of the hours.

    Parameters
    ----------
    texts
        The cells.
    column
        Its name.
    rows
        Line numbers.
    file
        For the remarks.
    report
        Takes them.
    zone
        Of the clock.
    """
    ending = hours.ending(column)
    times = parse_times(texts, rows, file, report, zone_in(column) or zone, ending=ending)
    if ending is None:
        return times
    step = hours.step(times, ending)
    report.note(f"{file}: '{column}' is the end of each {hours.interval(step)}; `time` is its beginning")
    return times - step


def _most(these) -> bool:
    """More than half; a sum or a remark may stand below a table."""
    these = [bool(t) for t in these]
    return sum(these) > 0.5 * len(these)


def is_time(column: str) -> bool:
    """Whether a column's name, without what is in brackets behind it, means time. `column`: its name"""
    return bool(_WORDS.match(_bare(column)))


def zone_in(column: str) -> Optional[str]:
    """The zone that a column's name ends with, such as `Datetime (UTC)`; None without one. `column`: its name"""
    match = _IN_BRACKETS.match(column)
    behind = match[2] if match else ""
    if behind in ("CET/CEST", "EET/EEST", "WET/WEST"):
        return behind.partition("/")[0]
    if not re.match(r"^(UTC|GMT|Z|[A-Z][a-z]+/[A-Z]\w+)$", behind):
        return None
    return "UTC" if behind in ("UTC", "GMT", "Z") else behind


def _bare(column: str) -> str:
    match = _IN_BRACKETS.match(column)
    return (match[1] if match else column).strip()


def read(texts: pd.Series, column: str, rows, file: str, report: ImportReport, zone, series, comma: bool = False) -> pd.Series:
    """Calendar times, or seconds from any origin.

    Parameters
    ----------
    texts
        The cells.
    column
        Its name, which may end with a unit (`_ms`, `[ms]`) or a zone (`(UTC)`).
    rows
        Line numbers.
    file
        For the remarks.
    report
        Takes them.
    zone
        Of the clock.
    series
        Whose reading each row is.
    comma
        The file has decimal commas, so the day comes first.

    Raises
    ------
    InputError
        No cell is a time.
    """
    match = _IN_BRACKETS.match(column)
    behind = match[2] if match else ""
    if zone is None and zone_in(column):
        zone = zone_in(column)
        report.note(f"{file}: '{column}' names the zone of its times")
    values = pd.to_numeric(texts, errors="coerce")
    if values.notna().mean() > 0.5 and not epoch_unit(values.abs().max()):
        for i in np.flatnonzero(values.isna().to_numpy()):
            report.warn(f"{file}:{rows[i]}", f"{column}: '{texts.iloc[i]}' is no time")
        if _is_excel(values, column, behind):
            report.note(f"{file}: '{column}' counts days since 1900, as spreadsheets do")
            days = _EXCEL_DAY_0 + pd.to_timedelta((values * 86400e3).round(), unit="ms")
            return parse_times(days.dt.strftime("%Y-%m-%dT%H:%M:%S.%f").where(values.notna(), ""), rows, file, ImportReport(report.kind), zone, series)
        scale = 1e-3 if column.endswith("_ms") else _SECONDS.get(behind.lower(), 1.0)
        return values * scale
    ending = hours.ending(column)
    times = parse_times(texts, rows, file, report, zone, series, comma, ending)
    if ending is not None:
        report.note(f"{file}: '{column}' is the end of each {hours.interval(hours.step(times, ending))}, and so is `time`")
    if len(times) and times.isna().all():
        raise InputError(f"{file}: no cell of '{column}' is a time, such as '{str(texts.iloc[0])[:40]}'; known: {KNOWN}")
    return times


def _is_excel(values: pd.Series, column: str, behind: str) -> bool:
    """Days since 1899-12-30 between 2000 and 2100, in a column that names no other unit and moves by minutes rather than by seconds."""
    step = values.diff().median()
    within = values.between(36526, 73050).mean() > 0.99
    return bool(within and behind.lower() not in _SECONDS and not re.search(r"_(s|ms)$|seconds|elapsed", column, re.IGNORECASE) and 0 < step < 0.005)
