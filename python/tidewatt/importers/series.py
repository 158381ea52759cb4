"""Defects that time series of every format share: wrong clocks, steps of the clock, repeated stamps, gaps, counters, twins."""

from __future__ import annotations

import hashlib
from typing import Optional, Sequence

import numpy as np
import pandas as pd

from .report import ImportReport
from .times import EARLIEST

HOUR = pd.Timedelta(hours=1)
GAP_STEPS = 3.0  # a pause this many times the median step is a gap
WRAPS = tuple(2.0**bits for bits in (16, 24, 32, 48, 64))


def check_clock(times: pd.Series, rows, file: str, report: ImportReport) -> None:
    """Warns of clocks that cannot be right: before 2005, or after now.

    Parameters
    ----------
    times
        Stamps.
    rows
        Their lines.
    file
        For the places.
    report
        Takes the warnings.
    """
    if not pd.api.types.is_datetime64_any_dtype(times):
        return
    plain = times.dt.tz_localize(None) if times.dt.tz is not None else times
    now = pd.Timestamp.now(tz="UTC").tz_localize(None) + pd.Timedelta(days=1)
    for wrong, why in ((plain < EARLIEST, "too early, so the clock was not set"), (plain > now, "in the future")):
        at = np.flatnonzero(wrong.to_numpy())
        if at.size:
            report.warn(f"{file}:{rows[at[0]]}", f"wrong clock: {times.iloc[at[0]]} is {why} ({at.size} rows); only differences of these times mean anything")


def tidy(table: pd.DataFrame, keys: Sequence[str], report: ImportReport, file: str = "", place: str = "row") -> pd.DataFrame:
    """Puts each series of a long table in order of time.

    A step of the clock back by an hour is undone, other steps back are sorted; equal rows are ignored; of different values at
    one stamp the last stays, unless the stamps are too coarse for the samples: then these are spread evenly to the next stamp.

    Parameters
    ----------
    table
        With a column `time` and, in `place`, line numbers.
    keys
        Columns that name a series.
    report
        Takes the remarks.
    file
        For the places.
    place
        Column of line numbers, removed at the end.
    """
    parts = []
    groups = (table.groupby(keys[0] if len(keys) == 1 else list(keys), sort=False, dropna=False) if keys else [("", table)])
    for _, part in groups:
        parts.append(_tidy_one(part.copy(), report, file, place) if part["time"].notna().all() else part)
    out = pd.concat(parts) if parts else table
    return out.sort_values(["time", *keys], kind="stable").drop(columns=place).reset_index(drop=True)


def ordered(table: pd.DataFrame, labels: Sequence[str], counters: Sequence[str], word: str, report: ImportReport, place: str, falls_frac: float = 1.0) -> pd.DataFrame:
    """Each series in order of time, its pauses listed and its counters of energy continued; clocks that cannot be right are told.

    Parameters
    ----------
    table
        With `time`, `file` and line numbers.
    labels
        Columns that name a series, the first one in the remarks.
    counters
        Columns in J.
    word
        Before a series' name.
    report
        Takes the remarks.
    place
        Column of line numbers.
    falls_frac
        a column that falls in more than this share of its steps is no counter.
    """
    file = str(table["file"].iloc[0])
    check_clock(table["time"], table[place].tolist(), file, report)
    table = tidy(table, labels, report, file, place)
    for name, part in table.groupby(labels[0], sort=False) if labels else [("series", table)]:
        list_gaps(part["time"], f"{word}{name}", report)
        for column in counters:
            values = part[column].to_numpy(float)
            steps = np.diff(values[np.isfinite(values)])
            if 0 < (steps < 0.0).sum() <= max(1, falls_frac * len(steps)):
                table.loc[part.index, column] = unwrap_counter(values, f"{word}{name} {column}", report, [w * 1e-3 for w in (2.0**32, 2.0**48, 2.0**64)])
    return table.drop(columns="file")


def _tidy_one(part: pd.DataFrame, report: ImportReport, file: str, place: str) -> pd.DataFrame:
    where = lambda i: f"{_file(part, i, file)}:{part[place].iloc[i]}"
    values = [c for c in part.columns if c not in (place, "file")]
    # 1. The clock goes back; a table by the hour then has an hour of a Sunday's night twice.
    step, naive = part["time"].diff(), getattr(part["time"].dt, "tz", "none") is None
    usual = max(step.fillna(pd.Timedelta(0)).median(), pd.Timedelta(0))
    back = step < pd.Timedelta(0)
    if naive and usual == HOUR:
        back |= (step == pd.Timedelta(0)) & (part["time"].dt.dayofweek == 6) & (part["time"].dt.hour < 4) & ~part.duplicated(values)
    for i in np.flatnonzero(back.to_numpy()):
        if naive and min(abs(step.iloc[i] + HOUR), abs(step.iloc[i] + HOUR - usual)) < pd.Timedelta(seconds=90):
            part.iloc[i:, part.columns.get_loc("time")] += HOUR
            report.mend(where(i), "the clock went back by an hour (summer time); an hour was added from here on")
        else:
            report.mend(where(i), f"the clock went back by {-step.iloc[i].total_seconds():g} s; rows were sorted by time")
    part = part.sort_values("time", kind="stable")
    # 2. The same row twice.
    twice = part.duplicated(values).to_numpy()
    for i in np.flatnonzero(twice):
        report.ignore(where(i), "the same row as before")
    part = part[~twice]
    # 3. One stamp, several values.
    repeated = part.duplicated("time", keep=False)
    if not repeated.any():
        return part
    if repeated.mean() > 0.2 and part["time"].nunique() > 1:
        report.mend(
            where(int(np.flatnonzero(repeated.to_numpy())[0])),
            f"stamps are coarser than the samples ({int(repeated.sum())} rows share one); spread evenly to the next stamp",
        )
        return _spread(part)
    early = part.duplicated("time", keep="last").to_numpy()
    for i in np.flatnonzero(early):
        report.ignore(where(i), "another value at the same time follows; the last one is kept")
    return part[~early]


def _file(part: pd.DataFrame, i: int, file: str) -> str:
    return str(part["file"].iloc[i]) if "file" in part.columns else file


def _spread(part: pd.DataFrame) -> pd.DataFrame:
    stamps = part["time"].drop_duplicates().reset_index(drop=True)
    width = stamps.diff().shift(-1)
    width = width.fillna(width.median())
    size = part.groupby("time")["time"].transform("size")
    order = part.groupby("time").cumcount()
    part["time"] = part["time"] + part["time"].map(dict(zip(stamps, width))) * (order / size)
    return part


def list_gaps(times: pd.Series, name: str, report: ImportReport) -> list[dict]:
    """Pauses longer than three median steps; they are listed and never filled.

    `times`: of one series, rising; `name`: of the series; `report`: takes a warning and the list `gaps`.
    """
    times = times.dropna().reset_index(drop=True)
    step = times.diff().dt.total_seconds()
    if len(times) < 3 or not step.median() > 0:
        return []
    gaps = [
        {"series": name, "begin": str(times[i - 1]), "end": str(times[i]), "seconds": float(step[i])}
        for i in np.flatnonzero((step > GAP_STEPS * step.median()).to_numpy())
    ]
    if gaps:
        report.warn(name, f"{len(gaps)} gaps, the longest {max(g['seconds'] for g in gaps):g} s; listed in the report, not filled")
        report.facts.setdefault("gaps", []).extend(gaps)
    return gaps


def unwrap_counter(values: np.ndarray, name: str, report: ImportReport, wraps: Sequence[float] = WRAPS) -> np.ndarray:
    """A counter that never falls. A fall from near 2^n to near 0 is a wrap and adds 2^n; any other fall is a restart.

    Parameters
    ----------
    values
        Readings in raw counts; NaN are passed over.
    name
        Of the counter.
    report
        Takes the remarks.
    wraps
        Possible ranges, in counts.

    Returns
    -------
    Readings whose differences are what was counted.
    """
    out = np.array(values, dtype=float)
    known = np.flatnonzero(~np.isnan(out))
    add, rises = 0.0, []
    for before, at in zip(known[:-1], known[1:]):
        rise = values[at] - values[before]
        if rise >= 0:
            rises.append(rise)
        else:
            usual = max(rises, default=0.0)
            full = next((w for w in wraps if values[before] < w and w + rise <= max(10 * usual, 0.01 * w)), None)
            add += full if full is not None else values[before]
            what = (f"wrapped at {full:g}" if full is not None else "restarted; what it counted between the two readings is lost")
            report.mend(f"{name}, reading {at + 1}", f"the counter {what}")
        out[at] = values[at] + add
    return out


def report_twins(columns: dict[str, np.ndarray], report: ImportReport) -> list[list[str]]:
    """Groups of series that repeat each other value for value: one measurement, not several.

    `columns`: values by name; `report`: takes a warning per group and the fact `identical_series`.
    """
    by_content: dict[str, list[str]] = {}
    for name, values in columns.items():
        values = np.asarray(values, dtype=float)
        if np.isfinite(values).sum() > 2 and np.nanstd(values) > 0:
            by_content.setdefault(hashlib.sha256(values.tobytes()).hexdigest(), []).append(name)
    twins = [names for names in by_content.values() if len(names) > 1]
    for names in twins:
        report.warn(" = ".join(names), "identical series: one measurement published several times; count it once")
    if twins:
        report.facts["identical_series"] = twins
        report.facts["distinct_series"] = len(by_content)
    return twins


def median_step_s(times: pd.Series) -> Optional[float]:
    """Median time between samples, s; None for fewer than two. `times`: rising stamps."""
    step = times.diff().dt.total_seconds().median()
    return None if pd.isna(step) else float(step)
