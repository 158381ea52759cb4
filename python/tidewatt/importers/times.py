"""Times of every dialect as pandas timestamps: UTC where the file or the caller names an offset, else as written."""

from __future__ import annotations

import datetime
import re
from typing import Optional

import numpy as np
import pandas as pd

from . import hours
from .report import ImportReport, InputError

EARLIEST = pd.Timestamp("2005-01-01")  # before it no log of a GPU or a data centre of today was written
_NUMERIC = re.compile(r"^-?\d+(\.\d+)?$")
_SLASHES = re.compile(r"^(\d{4})/(\d\d)/(\d\d)")
_DAY_FIRST = re.compile(r"^(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2}(?=[ T]|$))(?:[ T]+|$)")
_DOTTED = re.compile(r"^(\d{4}-\d{1,2}-\d{1,2}) (\d{1,2})\.(\d\d)(?:\.(\d\d))?$")
_EITHER_FIRST = re.compile(r"^(\d{1,2})/(\d{1,2})/(\d{4}|\d{2}(?=[ T,]|$))(?:[ T,]+|$)")
_MONTH_NAME = re.compile(r"^(?:[A-Z][a-z]{2,8},? )?(?:\d{1,2}[- ][A-Za-z]{3,9}[- ,]+\d{2,4}|[A-Za-z]{3,9} \d{1,2},? \d{4})\b")
_ZONE_WORD = re.compile(r"\s*\(?\b([A-Z]{2,5})\)?$")
KNOWN = "ISO 8601, 14-Jul-2026 08:12:53, 2026/07/14 08:12:53, 14.07.2026 08:12:53 or 08.12.53, 7/14/2026 8:12:53 AM, Tue Jul 14 08:12:53 2026, Unix time in s, ms, µs or ns"
# Zones of the United States, which write 7/14/2026.
_MONTH_FIRST = re.compile(
    r"US/|America/(New_York|Detroit|Chicago|Denver|Phoenix|Los_Angeles|Anchorage|Boise|Menominee|Indiana|Kentucky|North_Dakota|Juneau|Adak)|Pacific/Honolulu|Asia/Manila|[ECMP]ST"
)
_CTIME = "%a %b %d %H:%M:%S %Y"


def epoch_unit(value: float) -> str:
    """Unit of Unix time in this century, by its size: s, ms, us or ns; "" for smaller counts. `value`: the number."""
    for unit, least in (("ns", 1e17), ("us", 1e14), ("ms", 1e11), ("s", 1e9)):
        if abs(value) >= least:
            return unit
    return ""


def parse_times(
    cells, rows, file: str, report: ImportReport, zone: Optional[str] = None, series=None, comma: bool = False, ending: Optional[pd.Timedelta] = None
) -> pd.Series:
    """A column of times; rows that hold none become NaT and are reported.

    Parameters
    ----------
    cells
        Texts or numbers: ISO 8601, `2026/07/14 08:12:53.353`, `14.07.2026 08:12:53` (day first), `7/14/2026 8:12:53 AM` (the column's own
        numbers tell which comes first), `Tue Jul 14 08:12:53 2026`, or Unix time in s, ms, µs or ns.
    rows
        Line number of each.
    file
        For the places.
    report
        Takes the remarks.
    zone
        IANA name of the clock that wrote times without an offset.
    series
        Whose reading each row is, where there are several (GPUs): an hour that comes twice is told apart in each.
    comma
        The file has decimal commas.
    ending
        The times are the ends of intervals, at most this long.

    Raises
    ------
    InputError
        There is no such zone, days come first and second, an hour is marked as the second one and no zone is known, or ends do not exist.
    """
    texts = [str(c).strip() for c in cells]
    if texts and all(_NUMERIC.match(t) for t in texts if t) and (unix := _unix(texts, rows, file, report)) is not None:
        return unix
    texts, days, second = hours.plain(texts)
    parsed = [_one(t) for t in _year_first(texts, rows, file, report, zone, comma)]
    parsed = [s if s is pd.NaT or not d else s + pd.Timedelta(days=1) for s, d in zip(parsed, days)]
    for i, stamp in enumerate(parsed):
        if stamp is pd.NaT:
            report.warn(f"{file}:{rows[i]}", f"'{texts[i][:40]}' is no time")
    if any(s is not pd.NaT and s.tzinfo is not None for s in parsed):
        return _with_offsets(parsed, rows, file, report, zone)
    naive = pd.Series(parsed, dtype="datetime64[ns]")
    if second.any() and not zone:
        i = int(np.argmax(second))
        raise InputError(f"{file}:{rows[i]}: '{list(cells)[i]}' is an hour that comes twice: --time-zone names the clock")
    if not zone:
        return naive
    return to_utc(naive, zone, rows, file, report, series, second) if ending is None else _ends(naive, min(hours.step(naive, ending), pd.Timedelta(hours=1)), zone, rows, file, report, series, second)


def _ends(naive: pd.Series, step: pd.Timedelta, zone: str, rows, file: str, report: ImportReport, series, second) -> pd.Series:
    """Ends of intervals on UTC. Tables label them as the beginning plus the step or as the clock reads at the end: what the clock's changes allow holds."""
    tries = []
    for shift in (step, pd.Timedelta(0)):
        told = ImportReport(report.kind)
        ends = to_utc(naive, zone, rows, file, told, series, second, shift)
        tries.append((len(told.ignored), len(told.warned) - ends.nunique(), len(tries), ends, told))
    lost, _, _, ends, told = min(tries)
    if lost:
        wrong = told.ignored[0]
        raise InputError(f"{wrong.place}: {wrong.what}, neither as the end of an {hours.interval(step)} nor as its beginning and the step: "
                         "leave out rows of an hour that was not, or say --time-zone Etc/GMT+6, for example, if the clock never changes")
    report.warned += told.warned
    return ends


def _unix(texts, rows, file: str, report: ImportReport) -> Optional[pd.Series]:
    """Unix times in the unit that their size tells, None where it tells none. A column of several units is a finding."""
    values = pd.to_numeric(pd.Series(texts), errors="coerce")
    units, usual = values.map(epoch_unit), epoch_unit(values.abs().max())
    other = values.notna() & (units != usual)
    if not usual:
        return None
    if not other.any():
        exact = values.astype("int64") if values.notna().all() and not any("." in t for t in texts) else values
        return pd.to_datetime(exact, unit=usual, utc=True)
    i = int(np.argmax(other))
    report.warn(f"{file}:{rows[i]}", f"'{texts[i]}' is no Unix time in {usual} as others of the column ({int(other.sum())} rows); each is read by its size, and is no time below 1e9")
    parts = [pd.to_datetime(values[units == unit], unit=unit, utc=True) for unit in units.unique() if unit]
    return pd.concat(parts).reindex(values.index)


def _with_offsets(parsed, rows, file: str, report: ImportReport, zone: Optional[str]) -> pd.Series:
    """Times with an offset on UTC; those without one are of the zone, or, with a warning, UTC."""
    bare = [i for i, s in enumerate(parsed) if s is not pd.NaT and s.tzinfo is None]
    if bare:
        report.warn(f"{file}:{rows[bare[0]]}", f"{len(bare)} times carry no offset and others do; they are read as times of {zone or 'UTC (--time-zone names another clock)'}")
        local = to_utc(pd.Series([parsed[i] for i in bare]), zone or "UTC", [rows[i] for i in bare], file, report)
        for i, stamp in zip(bare, local):
            parsed[i] = stamp
    return pd.Series([s if s is pd.NaT else s.tz_convert("UTC") for s in parsed], dtype="datetime64[ns, UTC]")


def _year_first(texts, rows, file: str, report: ImportReport, zone: Optional[str] = None, comma: bool = False):
    """Dates of dots (day first) and of slashes with the year first. Where no number tells, the clock's country or a decimal comma does."""
    texts = [re.sub(r"^(\d{1,2})-(\d{1,2})-(?=\d{4})", r"\1/\2/", t) for t in texts]
    slashed = [m for m in map(_EITHER_FIRST.match, texts) if m]
    day_first = any(int(m[1]) > 12 for m in slashed)
    if slashed and day_first and any(int(m[2]) > 12 for m in slashed):
        raise InputError(f"{file}: dates such as '{slashed[0][0].strip()}' have days both first and second")
    if slashed and not day_first and not any(int(m[2]) > 12 for m in slashed):
        day_first = not _MONTH_FIRST.match(zone) if zone is not None else comma
        usual = f"as usual in {zone}" if zone is not None else "as usual with decimal commas"
        first = f"day is taken to come first, {usual}" if day_first else "month is taken to come first"
        report.warn(f"{file}:{rows[0]}", f"'{slashed[0][0].strip()}': the {first}; the file does not tell")
    order = (r"\3-\2-\1 ", r"\3-\2-\1 " if day_first else r"\3-\1-\2 ")
    full = lambda t: re.sub(r"^(\d\d)-(?=\d{1,2}-\d{1,2} )", r"20\1-", t)
    dated = [full(_EITHER_FIRST.sub(order[1], _DAY_FIRST.sub(order[0], t))).strip() for t in _without_zones(texts, rows, file, report, zone)]
    return [_DOTTED.sub(lambda m: f"{m[1]} {m[2]}:{m[3]}:{m[4] or '00'}", t) for t in dated]  # 08.12.53, as in Finland


def _without_zones(texts, rows, file: str, report: ImportReport, zone: Optional[str] = None):
    """UTC, GMT and the words of the clock's own zone as offsets; others (EST, CET) are left out with a warning, because several zones share them."""
    out, words, own = [], {}, hours.offsets(zone)
    found = [m[1] for m in map(_ZONE_WORD.search, texts) if m]
    if len(found) < sum(map(bool, texts)):  # rows without a word have the clock's time
        own = {}
    for row, text in zip(rows, texts):
        match = _ZONE_WORD.search(text)
        if match and match[1] not in ("AM", "PM") and len(text) > len(match[0]):
            if match[1] in ("UTC", "GMT"):
                text = text[: match.start()] + "+00:00"
            elif match[1] in own:
                text = text[: match.start()] + own[match[1]]
            else:
                words.setdefault(match[1], row)
                text = text[: match.start()]
        out.append(text)
    if words:
        report.warn(f"{file}:{min(words.values())}", f"{', '.join(words)} behind the times is not used: several zones share such a word; name the clock with --time-zone")
    return out


def _one(text: str):
    try:
        if _MONTH_NAME.match(text):
            return pd.Timestamp(text)
        if text[:3].isalpha() and text[-4:].isdigit():
            return pd.Timestamp(datetime.datetime.strptime(text, _CTIME))
        return pd.Timestamp(_SLASHES.sub(r"\1-\2-\3", text)) if len(text) >= 8 and text[:4].isdigit() else pd.NaT
    except (ValueError, OverflowError):
        return pd.NaT


def to_utc(naive: pd.Series, zone: str, rows, file: str, report: ImportReport, series=None, second=None, shift=pd.Timedelta(0)) -> pd.Series:
    """Local times on UTC. Hours that a clock change skips become NaT. An hour that comes twice: where the clock steps back, and in hourly
    tables where a stamp comes again, its second one begins.

    Parameters
    ----------
    naive
        Local times.
    zone
        IANA name.
    rows
        Line numbers.
    file
        For the places.
    report
        Takes the remarks.
    series
        Whose reading each row is; None: all of one.
    second
        Rows that the file marks as the second of an hour that comes twice.
    shift
        From the clock's reading to what is in `naive`.

    Raises
    ------
    InputError
        There is no such zone.
    """
    change = naive.diff().dt.total_seconds()
    if (change < 0).sum() > 9 * (change > 0).sum() + 1:  # newest first
        series, second = (None if x is None else list(x)[::-1] for x in (series, second))
        return to_utc(naive[::-1], zone, list(rows)[::-1], file, report, series, second, shift)[::-1]
    written, naive = naive, naive - shift
    try:
        first = naive.dt.tz_localize(zone, nonexistent="NaT", ambiguous=np.ones(len(naive), dtype=bool))
        later = naive.dt.tz_localize(zone, nonexistent="NaT", ambiguous=np.zeros(len(naive), dtype=bool))
    except (KeyError, ValueError, TypeError) as error:
        raise InputError(f"time zone '{zone}': no such zone ({error})") from error
    # The clock jumps back once, and from there on the second reading holds. Two readings of one second are no jump.
    of = pd.Series(0, index=naive.index) if series is None else pd.Series(list(series), index=naive.index)
    step = naive.groupby(of, sort=False).diff()
    hourly = step[step > pd.Timedelta(0)].median() >= pd.Timedelta(minutes=15)
    jumped = (step <= pd.Timedelta(0)) if hourly else (step < pd.Timedelta(0))
    back = jumped.astype(int).groupby(of, sort=False).cumsum()
    ambiguous = (first != later) & first.notna()
    folded = ambiguous & (back > back.where(~ambiguous).groupby(of, sort=False).ffill().fillna(0))
    marked = np.zeros(len(naive), dtype=bool) if second is None else np.asarray(second)
    folded |= ambiguous & marked
    for i in np.flatnonzero((naive.notna() & first.isna()).to_numpy()):
        report.ignore(f"{file}:{rows[i]}", f"{written.iloc[i]} does not exist in {zone} (clocks go forward)")
    lone = ambiguous & ~naive.duplicated(keep=False) & ~marked & ~folded
    if lone.any():
        i = int(np.flatnonzero(lone.to_numpy())[0])
        report.warn(f"{file}:{rows[i]}", f"{written.iloc[i]} comes twice in {zone} and the file has it once; read as the first")
    return first.where(~folded, later).dt.tz_convert("UTC") + shift


def as_text(times: pd.Series) -> pd.Series:
    """ISO 8601 with `Z` for UTC, without it for times whose zone is unknown; empty for NaT. `times`: timestamps."""
    fraction = times.notna() & (times.dt.microsecond + times.dt.nanosecond > 0)
    digits = 0 if not fraction.any() else 3 if (times.dropna().dt.microsecond % 1000 == 0).all() and (times.dropna().dt.nanosecond == 0).all() else 6
    z = "Z" if times.dt.tz is not None else ""
    text = times.dt.strftime("%Y-%m-%dT%H:%M:%S")
    if digits:
        text += "." + (times.dt.microsecond // 10 ** (6 - digits)).fillna(0).astype(int).astype(str).str.zfill(digits)
    return (text + z).where(times.notna(), "")
