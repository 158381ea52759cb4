"""Notations of hours: 24:00, hour ending 1 to 25, an hour that comes twice marked by a word or a flag, intervals, names of zones."""

from __future__ import annotations

import re
from typing import Optional

import numpy as np
import pandas as pd

from .report import InputError

ENDING = re.compile(r"(hour|period|interval)[ _-]?end|\bHE\b", re.IGNORECASE)
NUMBER = re.compile(r"^(HE|hour([ _-]?(ending|number|no\.?))?|hr|(opr|delivery)[ _]?(hr|hour))$", re.IGNORECASE)
FLAG = re.compile(r"^(DST[ _]?flag|repeated[ _]?hour([ _]?flag)?)$", re.IGNORECASE)
_MARK = re.compile(r"(?<=\d)\s*\(?(DST|repeated|second|2nd)\)?$", re.IGNORECASE)
_MIDNIGHT = re.compile(r"(?<=[ T])24:00(:00(\.0+)?)?(?=$|[ Z+-])")
_INTERVAL = re.compile(r"^(\S.*\d:\d\d.*?)\s+(?:-|–|to)\s+\S.*\d:\d\d|^(\S+T\S+)/\S+T\S+$")


def ending(column: str) -> Optional[pd.Timedelta]:
    """The longest interval whose ends a column of times has, None where its name says no end. `column`: its name"""
    match = ENDING.search(column)
    return match and pd.Timedelta(hours=1 if (match[1] or "hour").lower() == "hour" else 24 * 31)


def step(times: pd.Series, longest: pd.Timedelta) -> pd.Timedelta:
    """The usual distance of a table's times; 1 h where there is none. `times`: of the rows; `longest`: of `ending`"""
    steps = times.diff().abs()
    return min([*steps[steps > pd.Timedelta(0)].mode()[:1], longest, pd.Timedelta(hours=1)][:2])


def interval(length: pd.Timedelta) -> str:
    """An interval in words. `length`: of it"""
    return "hour" if length == pd.Timedelta(hours=1) else f"interval of {length / pd.Timedelta(minutes=1):g} min"


def plain(texts: list[str]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """(texts, days to add, whether it is the second of an hour that comes twice): intervals by their beginning, 24:00 as 0:00 of the next day.

    `texts`: of a column of times
    """
    texts = [(match[1] or match[2]).strip() if (match := _INTERVAL.match(text)) else text for text in texts]
    bare = [_MARK.sub("", text) for text in texts]
    second = np.array([text != short for text, short in zip(texts, bare)], dtype=bool)
    # A mark is one only if the same hour comes without it, too; else DST is the name of a zone's time.
    alone = {text for text, marked in zip(texts, second) if not marked}
    if all(short in alone for short, marked in zip(bare, second) if marked):
        texts = bare
    else:
        second[:] = False
    days = np.array([bool(_MIDNIGHT.search(text)) for text in texts], dtype=int)
    return [_MIDNIGHT.sub("00:00", text) if day else text for text, day in zip(texts, days)], days, second


def offsets(zone: Optional[str]) -> dict[str, str]:
    """What a zone calls its times (CST, CDT) and their offset, such as `-06:00`; empty for a zone that is unknown. `zone`: IANA name"""
    try:
        some = [pd.Timestamp(2025, month, 1, tz=zone) for month in (1, 7)] if zone else []
    except (KeyError, ValueError, TypeError):
        return {}
    return {t.tzname(): f"{t:%z}"[:3] + ":" + f"{t:%z}"[3:] for t in some if t.tzname().isalpha()}


def of_day(texts: pd.Series) -> pd.Series:
    """Numbers of hours, written `1` or `HE01`; NaN for anything else. `texts`: the cells"""
    return pd.to_numeric(texts.str.replace(r"^HE ?", "", regex=True), errors="coerce")


def numbered(dates: pd.Series, numbers: pd.Series, flags: Optional[pd.Series], zone: Optional[str], ending: bool) -> list[str]:
    """Texts of times from dates and numbers of hours; on a day of 23 or 25 hours a last number of 23 or 25 counts the hours that passed.

    Parameters
    ----------
    dates
        Texts.
    numbers
        0 to 23, or 1 to 25 where they are of hours' ends.
    flags
        Y where an hour comes the second time.
    zone
        IANA name of the clock.
    ending
        The numbers are of hours' ends.

    Raises
    ------
    InputError
        Hour 25 without a zone.
    """
    last = numbers.groupby(dates).transform("max")
    if (numbers > 24).any() and not zone:
        raise InputError("an hour 25 is the day on which clocks go back: --time-zone names the clock")
    out = []
    for i, (date, hour) in enumerate(zip(dates, numbers.astype(int))):
        mark = flags is not None and str(flags.iloc[i]).strip().upper() in ("Y", "YES", "TRUE", "1")
        if ending and zone and last.iloc[i] in (23, 25):
            hour, mark = _of_long_day(date, hour, int(last.iloc[i]), zone)
        out.append(f"{date} {hour:02d}:00{' DST' if mark else ''}")
    return out


def _of_long_day(date: str, hour: int, last: int, zone: str) -> tuple[int, bool]:
    """The clock's hour that ends, and whether it is the second one, for the n-th hour of a day with `last` hours."""
    day = pd.to_datetime(date, errors="coerce")
    if pd.isna(day):
        return hour, False
    midnight = day.tz_localize(zone)
    if ((day + pd.Timedelta(days=1)).tz_localize(zone) - midnight) != pd.Timedelta(hours=last):
        return hour, False
    begin = midnight + pd.Timedelta(hours=hour - 1)
    return begin.hour + 1, bool(begin.fold)
