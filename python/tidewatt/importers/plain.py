"""Tables of any program: CSV with comma, semicolon or tab, or Parquet, as texts with their line numbers."""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections import Counter
from pathlib import Path
from typing import Optional

import numpy as np
import pandas as pd

from .report import ImportReport, InputError
from .series import check_clock, list_gaps, report_twins, tidy
from .text import column_numbers, read_bytes, read_text
from .times import KNOWN, epoch_unit, parse_times

ROW = "_row"
# Suffix of a column, or unit given by the caller → (suffix in the table, factor, offset).
UNITS = {
    "W": ("W", 1.0, 0.0),
    "mW": ("W", 1e-3, 0.0),
    "kW": ("W", 1e3, 0.0),
    "MW": ("W", 1e6, 0.0),
    "J": ("J", 1.0, 0.0),
    "mJ": ("J", 1e-3, 0.0),
    "kWh": ("J", 3.6e6, 0.0),
    "degC": ("degC", 1.0, 0.0),
    "C": ("degC", 1.0, 0.0),
    "°C": ("degC", 1.0, 0.0),
    "degF": ("degC", 5 / 9, -32.0),
    "K": ("degC", 1.0, -273.15),
    "MHz": ("MHz", 1.0, 0.0),
    "GHz": ("MHz", 1e3, 0.0),
    "Hz": ("MHz", 1e-6, 0.0),
    "frac": ("frac", 1.0, 0.0),
    "%": ("frac", 0.01, 0.0),
    "pct": ("frac", 0.01, 0.0),
}
QUANTITIES = {
    "power": "W",
    "power_instant": "W",
    "memory_power": "W",
    "limit": "W",
    "temperature": "degC",
    "memory_temperature": "degC",
    "inlet": "degC",
    "clock": "MHz",
    "memory_clock": "MHz",
    "utilization": "frac",
    "activity": "frac",
    "fan": "frac",
    "energy": "J",
}
LABELS = ("gpu", "host", "node", "throttle")
TIMES = (
    "time",
    "timestamp",
    "datetime",
    "date",
    "time_s",
    "time_ms",
    "relative_time_s",
    "elapsed_s",
    "seconds",
    "ts",
    "t",
)
_UNIT_IN_NAME = re.compile(r"(?:_|\s*[\[(]\s*)(mW|kW|MW|W|kWh|mJ|J|degC|degF|°C|C|K|MHz|GHz|Hz|frac|pct|%)\s*[\])]?$")


def texts(path, report: ImportReport) -> pd.DataFrame:
    """All cells as text; column `_row` has the line of each record. Torn lines are ignored with their number.

    @param path: CSV (`,`, `;` or tab; lines before the header are ignored) or Parquet; @param report: takes the remarks.
    @raises InputError: empty, no table, doubled names, or Parquet without pyarrow.
    """
    path = Path(path)
    if path.suffix.lower() == ".parquet":
        return _parquet(path)
    text, delimiter, n_cell = _text_and_layout(path, report)
    records = csv.reader(io.StringIO(text), delimiter=delimiter)
    header: list[str] = []
    rows, before = [], 0
    for cells in records:
        row, before = before + 1, records.line_num
        if not any(c.strip() for c in cells):
            continue
        if not header and len(cells) != n_cell:
            report.ignore(f"{path.name}:{row}", "before the header")
            continue
        if not header:
            header = [c.strip() for c in cells]
            header = header if header[-1] or len(header) == 1 else header[:-1]
            continue
        if len(cells) == len(header) + 1 and not cells[-1].strip():
            cells = cells[:-1]  # a delimiter at the end of each row
        if len(cells) != len(header):
            report.ignore(f"{path.name}:{row}", f"{len(cells)} cells, the header has {len(header)}")
            continue
        if records.line_num > row:
            report.mend(f"{path.name}:{row}", "a record over several lines was joined")
        rows.append([*(c.strip() for c in cells), row])
    if len(set(header)) < len(header):
        raise InputError(f"{path.name}: column '{next(h for h in header if header.count(h) > 1)}' twice")
    table = pd.DataFrame(rows, columns=[*header, ROW])
    return table if delimiter == "," else _decimal_points(table, report, path.name)


def _text_and_layout(path: Path, report: ImportReport) -> tuple[str, str, int]:
    """The file, its delimiter and the cells of its header. A header that is no UTF-8 tells that the whole file is Windows-1252."""
    text = read_text(path, ImportReport(report.kind))
    delimiter, n_cell, header = _layout(text)
    if not n_cell:
        raise InputError(f"{path.name}: is empty")
    if "\ufffd" not in header:
        return read_text(path, report), delimiter, n_cell
    report.note(f"{path.name}: read as Windows-1252, because its header is no UTF-8")
    return read_bytes(path).decode("cp1252", "replace").replace("\r\n", "\n"), delimiter, n_cell


def _layout(text: str) -> tuple[str, int, str]:
    """Delimiter, number of cells and line of the header. Reports put a title or remarks above it: then the rows tell."""
    lines = [line for line in text.split("\n", 200)[:200] if line.strip()][:60]
    if not lines:
        return ",", 0, ""

    def usual(delimiter: str) -> tuple[int, int]:
        return Counter(len(cells) for cells in csv.reader(lines, delimiter=delimiter)).most_common(1)[0]

    def cells_of(line: str, delimiter: str) -> int:
        return len(next(csv.reader([line], delimiter=delimiter)))

    first = max(",;\t", key=lines[0].count)
    own = cells_of(lines[0], first)
    ends = sum(line.rstrip().endswith(first) for line in lines[1:]) > 0.5 * len(lines)  # each row ends with a delimiter
    if own == 1 or usual(first)[0] not in (own, own + 1 if ends else own):
        for delimiter in ";\t,":
            n, times = usual(delimiter)
            if n > 1 and times >= 0.5 * len(lines):
                return delimiter, n, next(line for line in lines if cells_of(line, delimiter) == n)
    return first, own, lines[0]


def _decimal_points(table: pd.DataFrame, report: ImportReport, file: str) -> pd.DataFrame:
    comma = re.compile(r"^-?\d+,\d+$")
    for name in table.columns.drop(ROW):
        hits = table[name].str.match(comma)
        if hits.any() and not table[name].str.match(r"^-?\d+\.\d+$").any():
            table[name] = table[name].str.replace(",", ".", regex=False)
            report.note(f"{file}: '{name}' has decimal commas")
    return table


def _parquet(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_parquet(path)
    except ImportError as error:
        raise InputError(
            f"{path.name}: Parquet needs the Python package pyarrow (pip install pyarrow; Debian 12 has no package of it)"
        ) from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path.name}: cannot be read as Parquet ({error})") from error
    table = table.reset_index() if table.index.name else table
    out = pd.DataFrame(
        {
            str(c): table[c].map(
                lambda v: "" if pd.isna(v) else v.isoformat() if isinstance(v, pd.Timestamp) else str(v)
            )
            for c in table
        }
    )
    return out.assign(**{ROW: range(1, len(out) + 1)})


def read(
    paths,
    report: ImportReport,
    columns: Optional[dict[str, str]] = None,
    units: Optional[dict[str, str]] = None,
    zone: Optional[str] = None,
) -> pd.DataFrame:
    """A table with the columns that the caller names, in SI units.

    @param paths: CSV or Parquet; @param report: takes the remarks; @param columns: name here → column in the file: `time`, `gpu`, `host`,
    a quantity (`power`, `temperature`, `clock`, `energy`, …) or a name of yours that ends with a unit (`rack7_W`); without it, columns
    that have such names are taken; @param units: unit by name where the column's name does not end with one; @param zone: IANA name.
    @raises InputError: with everything missing: columns, units, numbers.
    """
    parts = []
    for path in paths:
        cells = texts(path, report)
        report.rows_read += len(cells)
        parts.append(_one(cells, Path(path).name, report, columns or {}, units or {}, zone))
    table = pd.concat(parts, ignore_index=True)
    values = [c for c in table if c.rsplit("_", 1)[-1] in ("W", "J", "degC", "MHz", "frac")]
    if table[values].notna().sum().sum() == 0:
        raise InputError("no column has a number")
    labels = [c for c in LABELS[:3] if c in table]
    if "time" in table and table["time"].notna().any():
        if pd.api.types.is_datetime64_any_dtype(table["time"]):
            check_clock(table["time"], table[ROW].tolist(), Path(paths[0]).name, report)
        else:
            table["time"] = pd.to_timedelta(table["time"], unit="s")
        table = tidy(table, labels, report, Path(paths[0]).name, ROW)
        for name, part in table.groupby(labels[0], sort=False) if labels else [("series", table)]:
            list_gaps(part["time"], str(name), report)
        if pd.api.types.is_timedelta64_dtype(table["time"]):
            table = table.assign(time=table["time"].dt.total_seconds()).rename(columns={"time": "time_s"})
    else:
        table = table.drop(columns=ROW)
    report_twins({c: table[c].to_numpy() for c in values}, report)
    return table


def _one(cells: pd.DataFrame, file: str, report: ImportReport, columns, units, zone) -> pd.DataFrame:
    chosen = dict(columns) or _guess(cells)
    if "time" not in chosen:
        _find_time(cells.drop(columns=list(set(chosen.values()) & set(cells.columns))), file, report)
    wrong = [f"no column '{c}' for {name}{_near(c, cells)}" for name, c in chosen.items() if c not in cells]
    out = {}
    for name, column in chosen.items():
        if column not in cells:
            continue
        if name == "time":
            labels = [c for n, c in chosen.items() if n in LABELS[:3] and c in cells]
            series = cells[labels].agg("|".join, axis=1).tolist() if labels else None
            out["time"] = _time(cells[column], column, cells[ROW].tolist(), file, report, zone, series)
        elif name in LABELS:
            out[name] = cells[column]
        else:
            unit = units.get(name) or _unit(column) or (_unit(name) if name not in QUANTITIES else "")
            bare = _UNIT_IN_NAME.sub("", name)
            if unit not in UNITS:
                wrong.append(f"{name}: column '{column}' names no unit; say --unit {name}=UNIT ({', '.join(UNITS)})")
                continue
            suffix, factor, offset = UNITS[unit]
            if QUANTITIES.get(bare, suffix) != suffix:
                wrong.append(f"{name}: {unit} is no unit of it")
                continue
            out[f"{bare}_{suffix}"] = (
                column_numbers(cells[column], column, cells[ROW].tolist(), file, report) + offset
            ) * factor
    if not wrong and not any(k not in ("time", *LABELS) for k in out):
        wrong.append(
            f"no column of a known quantity; name them, such as --column power=COLUMN (columns: {', '.join(cells.columns.drop(ROW)[:12])})"
        )
    if wrong:
        raise InputError(f"{file}: " + "; ".join(wrong))
    left = [c for c in cells.columns.drop(ROW) if c not in chosen.values()]
    if left:
        report.note(f"{file}: columns without a use here: {', '.join(left[:8])}{' …' if len(left) > 8 else ''}")
    return pd.DataFrame({**out, ROW: cells[ROW]})


def _near(column: str, cells: pd.DataFrame) -> str:
    """The nearest name of a column, as a question."""
    known = {c.lower(): c for c in cells.columns.drop(ROW)}
    near = difflib.get_close_matches(column.lower(), known, n=1)
    return f"; did you mean '{known[near[0]]}'?" if near else f" among {', '.join(list(known.values())[:12])}"


def _find_time(cells: pd.DataFrame, file: str, report: ImportReport) -> None:
    """Warns of a column that holds times and has no name that says so."""
    for column in cells.columns.drop(ROW):
        some = cells[column].iloc[:20]
        if some.str.contains(r"\d[./:-]\d").all() and parse_times(some, cells[ROW].tolist(), file, ImportReport(report.kind)).notna().all():
            report.warn(f"{file}:{cells[ROW].iloc[0]}", f"'{column}' looks like the time and is not taken: name it, --column time='{column}'")
            return


def _unit(name: str) -> str:
    match = _UNIT_IN_NAME.search(name)
    return match[1] if match else ""


def _guess(cells: pd.DataFrame) -> dict[str, str]:
    """Columns whose names say quantity and unit, a time and labels."""
    chosen = {}
    lower = {c.lower(): c for c in cells.columns.drop(ROW)}
    for name in TIMES:
        if name in lower:
            chosen["time"] = lower[name]
            break
    for name in LABELS:
        if name in lower:
            chosen[name] = lower[name]
    for column in cells.columns.drop(ROW):
        if column not in chosen.values() and _unit(column) in UNITS:
            chosen[re.sub(r"\W+", "_", _UNIT_IN_NAME.sub("", column)).strip("_") + "_" + UNITS[_unit(column)][0]] = (
                column
            )
    return chosen


def _time(cells: pd.Series, column: str, rows, file: str, report: ImportReport, zone, series) -> pd.Series:
    """Calendar times, or seconds from any origin."""
    values = pd.to_numeric(cells, errors="coerce")
    if values.notna().mean() > 0.5 and not epoch_unit(values.abs().max()):
        for i in np.flatnonzero(values.isna().to_numpy()):
            report.warn(f"{file}:{rows[i]}", f"{column}: '{cells.iloc[i]}' is no time")
        return values * (1e-3 if column.endswith("_ms") else 1.0)
    times = parse_times(cells, rows, file, report, zone, series)
    if len(times) and times.isna().all():
        raise InputError(f"{file}: no cell of '{column}' is a time, such as '{str(cells.iloc[0])[:40]}'; known: {KNOWN}")
    return times
