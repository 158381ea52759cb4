"""Series by the hour: electricity prices and carbon intensity. Missing hours are listed and never filled."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Optional

import numpy as np
import pandas as pd

from . import plain, rates, timecolumn
from .report import ImportReport, InputError
from .series import tidy
from .text import column_numbers

HOUR = pd.Timedelta(hours=1)
_INTENSITY = re.compile(r"avg_?CI|carbon|intensity|CO[2₂]|emission|MOER", re.IGNORECASE)
_IN_G = re.compile(r"^(avg_?CI|carbon_g_per_kWh)$", re.IGNORECASE)  # published files whose intensities are in g/kWh
# g CO2 per kWh of each source, as the published files weight them; order of the columns of the US EIA.
CARBON_G_PER_KWH = {"WND": 11, "SUN": 41, "WAT": 24, "OIL": 650, "NG": 490, "COL": 820, "NUC": 12, "OTH": 230}


def read_price(paths, report: ImportReport, columns: Optional[dict[str, str]] = None, units: Optional[dict[str, str]] = None, zone: Optional[str] = None) -> pd.DataFrame:
    """`time` (an interval's beginning), `price_per_MWh`, `currency`. Negative prices and spikes stay.

    Parameters
    ----------
    paths
        Tables with a time and a column such as `Price (EUR/MWh)`.
    report
        Takes the remarks and lists missing hours.
    columns
        `time` and `price`, where they are not found by themselves.
    units
        {"price": "EUR/MWh"} where the column's name says none, or another.
    zone
        IANA name of local times without an offset.

    Raises
    ------
    InputError
        No price, no unit, or two prices for one hour.
    """
    parts = []
    for cells, file, rows, time in _tables(paths, columns, report, zone):
        named = columns or {}
        price = named.get("price") or next((c for c in cells if is_price(c)), None)
        price = price or (units and next((c for c in cells if re.search("price|preis|tarif", c, re.IGNORECASE)), None))
        if time is None or price is None or price not in cells:
            raise InputError(
                f"{file}: no time or no price such as 'Price (EUR/MWh)'; columns: {', '.join(cells.columns.drop(plain.ROW))}; name them, --column price=COLUMN --unit price=EUR/MWh"
            )
        unit = _price_unit(price, units, f"{' '.join(map(str, cells.columns))} {file} {zone or ''}", file, report)
        value = column_numbers(cells[price], price, rows, file, report) * unit.per_MWh
        times = timecolumn.begin_of_hours(cells[time], time, rows, file, report, zone)
        parts.append(pd.DataFrame({"time": times, "price_per_MWh": value, "currency": unit.currency, plain.ROW: rows, "file": file}))
    table = _by_hour(pd.concat(parts, ignore_index=True), report, zone)
    if table["currency"].nunique() > 1:
        raise InputError(f"prices in {' and '.join(sorted(table['currency'].unique()))}: import each by itself")
    price = table["price_per_MWh"]
    if price.isna().all():
        raise InputError(f"{report.name_of(paths[0])}: no row has a price")
    report.facts.update(
        mean=float(price.mean()), min=float(price.min()), max=float(price.max()), min_at=str(table["time"][price.idxmin()]),
        max_at=str(table["time"][price.idxmax()]), negative_hours=int((price < 0).sum()), currency=str(table["currency"].iloc[0]),
    )  # fmt: skip
    return table


def _tables(paths, columns: Optional[dict[str, str]], report: ImportReport, zone: Optional[str]):
    """(cells, file, line numbers, column of times or None) of each file."""
    for path in paths:
        cells, file = plain.texts(path, report), report.name_of(path)
        report.rows_read += len(cells)
        time = timecolumn.of_hours(cells, (columns or {}).get("time"), plain.ROW, file, report, zone)
        yield cells, file, cells[plain.ROW].tolist(), time


def is_price(column: str) -> bool:
    """Whether a column's name says a price of energy. `column`: its name"""
    return rates.price_unit(column) is not None and rates.carbon_factor(column) is None


def _price_unit(column: str, units, words: str, file: str, report: ImportReport) -> rates.PriceUnit:
    """The caller's unit, or that of the column's name."""
    said = rates.told(units, "price", column, file)
    unit = rates.price_unit(said or column)
    if unit is None or not unit.currency:
        what = f"--unit price={said} is" if said else f"column '{column}' names"
        raise InputError(f"{file}: {what} no currency and energy; say --unit price=EUR/MWh, c€/kWh or GBp/kWh, for example")
    if unit.doubt:
        report.warn(file, unit.doubt)
    if unit.currency != "$":
        return unit
    dollars = rates.dollars_of(words)
    if not dollars:
        report.warn(file, "'$' is taken as USD; other countries write it, too (--unit price=AUD/MWh)")
    return unit._replace(currency=dollars or "USD")


def _carbon_column(cells: pd.DataFrame, columns, units, file: str, report: ImportReport) -> tuple[Optional[str], float]:
    """The column of an intensity and its factor to g/kWh; one that says its unit goes first, and a percentage is none."""
    named = [c for c in cells.columns.drop(plain.ROW) if _INTENSITY.search(c) or rates.carbon_factor(c)]
    shares = [c for c in named if rates.carbon_factor(c) is None and rates.PERCENT.search(c)]
    carbon = (columns or {}).get("carbon") or next((c for c in sorted(named, key=lambda c: rates.carbon_factor(c) is None) if c not in shares), None)
    if carbon is None and shares:
        raise InputError(f"{file}: '{shares[0]}' is a percentage, and no carbon intensity in g/kWh follows from it")
    if carbon is None:
        return None, 1.0
    others = [c for c in named if c != carbon and rates.carbon_factor(c)]
    if others and not (columns or {}).get("carbon"):
        report.note(f"{file}: '{carbon}' is taken, and not {', '.join(others)} (--column carbon=COLUMN)")
    said = rates.told(units, "carbon", carbon, file)
    factor = rates.carbon_factor(said or carbon) if said or not _IN_G.match(carbon) else 1.0
    if factor is None:
        what = f"--unit carbon={said}" if said else f"column '{carbon}'"
        raise InputError(f"{file}: {what} names no mass per energy; say --unit carbon=g/kWh, lb/MWh or t/MWh, for example")
    return carbon, factor


def read_carbon(paths, report: ImportReport, columns: Optional[dict[str, str]] = None, units: Optional[dict[str, str]] = None, zone: Optional[str] = None) -> pd.DataFrame:
    """`time`, `carbon_g_per_kWh`, generation by source in MW, and `flag` for rows that contradict their neighbours.

    Parameters
    ----------
    paths
        Tables with a time, an intensity (`avg_CI`, `carbon_intensity`, …) and, if they have them, the sources of `CARBON_G_PER_KWH`.
    report
        Takes the remarks.
    columns
        `time` and `carbon`.
    units
        {"carbon": "lb/MWh"} where the column's name says none, or another.
    zone
        IANA name.

    Raises
    ------
    InputError
        No time, no unit, a percentage, neither intensity nor sources, or two values for one hour.
    """
    parts = []
    for cells, file, rows, time in _tables(paths, columns, report, zone):
        carbon, factor = _carbon_column(cells, columns, units, file, report)
        sources = {s: c for s in CARBON_G_PER_KWH if (c := plain.pick(cells, [s]))}
        if time is None or (carbon is None and not sources):
            raise InputError(f"{file}: no time, or neither an intensity nor generation by source; columns: {', '.join(cells.columns.drop(plain.ROW))}")
        part = {"time": timecolumn.begin_of_hours(cells[time], time, rows, file, report, zone)}
        quiet = ImportReport("carbon")  # empty cells are told row by row, not cell by cell
        part["carbon_g_per_kWh"] = (column_numbers(cells[carbon], carbon, rows, file, quiet) * factor if carbon else np.full(len(cells), np.nan))
        part |= {f"{s}_MW": column_numbers(cells[c], c, rows, file, quiet) for s, c in sources.items()}
        for place in dict.fromkeys(remark.place for remark in quiet.mended):
            report.mend(place, "empty cells, left blank")
        parts.append(pd.DataFrame({**part, "flag": "", plain.ROW: rows, "file": file}))
    table = pd.concat(parts, ignore_index=True)
    _check_mix(table, report)
    _check_neighbours(table, report)
    table = _by_hour(table, report, zone)
    value = table["carbon_g_per_kWh"]
    report.facts.update(mean=float(value.mean()), min=float(value.min()), max=float(value.max()), flagged=int((table["flag"] != "").sum()))
    return table


def _by_hour(table: pd.DataFrame, report: ImportReport, zone: Optional[str]) -> pd.DataFrame:
    """In order of time, one row per hour; what is missing goes to the report."""
    lost = table["time"].isna()
    file = str(table["file"].iloc[0]) if len(table) else ", ".join(Path(f).name for f in report.files)
    table = table[~lost]
    if table.empty:
        raise InputError(f"{file}: no row has a time")
    table = table.drop_duplicates([c for c in table if c not in (plain.ROW, "file")])
    twice = table[table.duplicated("time")]
    if len(twice):
        raise InputError(
            f"{twice['file'].iloc[0]}:{twice[plain.ROW].iloc[0]}: a second, different value for {twice['time'].iloc[0]}"
            + "; if a column tells several series apart (an area, a sequence), keep the rows of one"
            + ("" if zone else " (local times? --time-zone tells hours that come twice apart)")
        )
    table = tidy(table, [], report, file, plain.ROW).drop(columns="file")
    first, last = table["time"].iloc[0], table["time"].iloc[-1]
    steps = table["time"].diff().dropna().mode()
    step = steps.iloc[0] if len(steps) else pd.NaT
    if pd.notna(step) and (last - first) / step > 100 * len(table) + 1e4:
        raise InputError(f"{file}: {len(table)} rows from {first} to {last} at steps of {step.total_seconds():g} s: a stamp is wrong")
    missing = (pd.date_range(first, last, freq=step).difference(pd.DatetimeIndex(table["time"])) if pd.notna(step) else [])
    report.facts.update(first=str(first), last=str(last), rows=len(table), step_s=step.total_seconds() if pd.notna(step) else None, missing=[str(t) for t in missing])
    if len(missing):
        report.warn(
            file,
            f"{len(missing)} {'hours' if step == HOUR else f'steps of {step.total_seconds():g} s'} are missing, the first {missing[0]}; they are listed in the report and not filled",
        )
    year_h = 8784 if pd.Timestamp(f"{first.year}-12-31").is_leap_year else 8760
    short = year_h - ((last - first) / HOUR + 1)
    if step == HOUR and 0 < short < 0.05 * year_h:
        report.warn(file, f"ends {short:g} h before a whole year is over (last {last})")
        report.facts["short_of_a_year_h"] = float(short)
    if table["time"].dt.tz is None:
        hint = "; it does not begin at midnight, so they may be UTC" if first.hour else ""
        report.note(f"times carry no offset and are kept as written{hint}; --time-zone ZONE puts them on UTC")
    return table


def _check_mix(table: pd.DataFrame, report: ImportReport) -> None:
    """The intensity must be the mean of its sources' weights."""
    sources = [s for s in CARBON_G_PER_KWH if f"{s}_MW" in table]
    if len(sources) < 3:
        return
    mix = table[[f"{s}_MW" for s in sources]]
    mean = (mix * [CARBON_G_PER_KWH[s] for s in sources]).sum(axis=1) / mix.sum(axis=1)
    given = table["carbon_g_per_kWh"].notna()
    whole = mix.notna().all(axis=1)
    off = given & whole & ((mean - table["carbon_g_per_kWh"]).abs() > 0.01 * mean)
    if (given & whole).any() and not off.any():
        report.note("every complete row's intensity is its mix weighted with the sources' own (g/kWh: " + ", ".join(f"{s} {CARBON_G_PER_KWH[s]}" for s in sources) + ")")
    for i in np.flatnonzero(off.to_numpy()):
        report.warn(f"{table['file'].iloc[i]}:{table[plain.ROW].iloc[i]}", "the intensity is not that of the row's sources")
        table.loc[table.index[i], "flag"] = "not its mix"
    holes = ~whole
    if holes.any():
        report.facts.update(incomplete_rows=int(holes.sum()), first_incomplete=str(table["time"][holes].iloc[0]))
        table.loc[holes, "flag"] = "sources missing"


def _check_neighbours(table: pd.DataFrame, report: ImportReport) -> None:
    """A grid does not lose 40 % of its generation for an hour, nor a source that carried a tenth of it; summer peaks reach 140 %."""
    sources = [c for c in table if c.endswith("_MW")]
    if not sources:
        return
    total = table[sources].sum(axis=1, min_count=len(sources))
    usual = total.rolling(25, center=True, min_periods=6).median()
    bad = (total / usual < 0.6) | (total / usual > 1.6)
    for name in sources:
        around = table[name].rolling(25, center=True, min_periods=6).median()
        bad |= (around > 0.1 * usual) & (table[name] < 0.05 * around) & (name != "SUN_MW")
    for i in np.flatnonzero(bad.to_numpy()):
        table.loc[table.index[i], "flag"] = "implausible"
        report.warn(f"{table['file'].iloc[i]}:{table[plain.ROW].iloc[i]} ({table['time'].iloc[i]})", "generation far from the hours around it; flagged as implausible")
