"""Tables of any program: CSV with comma, semicolon or tab, or Parquet, as texts with their line numbers."""

from __future__ import annotations

import difflib
import re
import shlex
from pathlib import Path
from typing import Optional

import numpy as np
import pandas as pd

from . import header, legends, ptdaemon, timecolumn
from .cells import plain_numbers, unit_in, units_in
from .cells import split as split_cell
from .gpu_table import NUMBERS, check_range, name_gpus
from .report import ImportReport, InputError
from .series import ordered, report_twins
from .text import column_numbers, read_bytes, read_text
from .units import UNITS, digits, is_doubtful, known, split

ROW = "_row"
QUANTITIES = {
    "power": "W", "power_instant": "W", "memory_power": "W", "limit": "W", "temperature": "degC", "memory_temperature": "degC", "inlet": "degC",
    "clock": "MHz", "memory_clock": "MHz", "utilization": "frac", "activity": "frac", "fan": "frac", "energy": "J",
}  # fmt: skip
LABELS = ("gpu", "host", "node", "uuid", "bus", "throttle")
NAMING = LABELS[:5]  # labels that tell series apart
# Words for quantities in names without a unit, and the unit that the warning suggests.
_UNTOLD = tuple((re.compile(rf"(^|[_ .])({words})($|[_ .])", re.IGNORECASE), unit) for words, unit in (("power|watts?", "W"), ("temp(erature)?", "degC"), ("energy", "J"), ("clocks?", "MHz")))
TIMES = tuple("time timestamp datetime date time_s time_ms relative_time_s elapsed_s seconds ts t".split())
# The same words in other languages and other tools' spelling.
SYNONYMS = {"temp": "temperature", "temp.": "temperature", "temperatur": "temperature", "température": "temperature", "leistung": "power",
            "puissance": "power", "potencia": "power", "power draw": "power", "hostname": "host", "instance": "host",
            "gpu_id": "gpu", "gpu id": "gpu", "gpuid": "gpu", "gpu_index": "gpu", "device_id": "gpu", "gpu_uuid": "uuid", "bus_id": "bus", "pci_bus_id": "bus", "gpu_bus_id": "bus"}  # fmt: skip


def texts(path, report: ImportReport) -> pd.DataFrame:
    """All cells as text, numbers with a decimal point; column `_row` has the line of each record. Torn lines are ignored with their number.

    `path`: CSV (`,`, `;` or tab; lines before the header are ignored, a second line of names or units belongs to it) or Parquet;
    `report`: takes the remarks. Raises InputError: empty, no table, doubled names, or Parquet without pyarrow.
    """
    path = Path(path)
    if path.suffix.lower() == ".parquet":
        return _parquet(path)
    text, delimiter, n_cell = _text_and_layout(path, report)
    if ptdaemon.is_log(text):
        return ptdaemon.cells(text, ROW, report.name_of(path), report)
    names, rows, line = _records(text, delimiter, n_cell, report.name_of(path), report)
    readings = [n for n in names if UNITS.get(known(split_cell(n)[1]), ("frac",))[0] != "frac"]
    values = [n for n in names if re.match(r"^[+-]?\d[\d.,:/ TZ-]*$", n)] + readings
    if readings or len(values) > 0.5 * len(names):
        raise InputError(f"{report.name_of(path)}: the first line has values, no names ('{values[-1]}'); put a line with the names of the columns above it")
    if not rows:
        raise InputError(f"{report.name_of(path)}: no row below the names of the columns")
    table = plain_numbers(legends.of_influx(_table(names, rows, report.name_of(path))), report, path.name, delimiter, ROW)
    table.attrs["header"] = f"line {line} was taken as the header; "
    return table


def pick(names, words) -> Optional[str]:
    """The first of some words that is a column's name, in any case, as it is written; None without one. `names`: of columns; `words`: in order"""
    known = {n.lower(): n for n in names}
    return next((known[w.lower()] for w in words if w.lower() in known), None)


def _records(text: str, delimiter: str, n_cell: int, file: str, report: ImportReport):
    """Names of the columns, the rows with their line numbers, and the header's line."""
    records = list(header.records(text, delimiter, file))
    filled = lambda cells: sum(bool(c.strip()) for c in cells)
    wide = any(filled(cells) > 1 for _, _, cells in records if len(cells) == n_cell)
    names: list[str] = []
    rows, head, line = [], [], header.line(records, n_cell)
    if line:
        report.note(f"{file}:{line}: taken as the header, because rows with times follow it")
    for row, last, cells in records:
        # 1. Titles stand above the header, perhaps with the table's own number of delimiters.
        if not names and (row < line or len(cells) != n_cell or (wide and filled(cells) == 1)):
            if not header.SEP.match(delimiter.join(cells)):
                report.ignore(f"{file}:{row}", "before the header")
            continue
        if not names:
            names, head, line = [c.strip() for c in cells], cells, row
            last_used = names[-1] or len(names) == 1 or any(c[-1].strip() for _, _, c in records[:40] if len(c) == n_cell)
            names = names if last_used else names[:-1]
            continue
        # 2. Rows; the first may belong to the header.
        if len(cells) == len(names) + 1 and not cells[-1].strip():
            cells = cells[:-1]  # a delimiter at the end of each row
        if len(cells) != len(names) or cells == head:
            report.ignore(f"{file}:{row}", "the header again" if cells == head else f"{len(cells)} cells, the header has {len(names)}")
            continue
        if not rows and header.is_more(names, cells):
            names = header.joined(names, cells)
            continue
        if last > row:
            report.mend(f"{file}:{row}", "a record over several lines was joined")
        rows.append([*(c.strip() for c in cells), row])
    return names, rows, line


def _table(names: list[str], rows: list[list], file: str) -> pd.DataFrame:
    """Rows under their names. A column without a name is left out if it is empty, and numbered if not."""
    empty = {i for i, n in enumerate(names) if not n and not any(r[i] for r in rows)}
    names = [n or f"column {i + 1}" for i, n in enumerate(names)]
    kept = [n for i, n in enumerate(names) if i not in empty]
    if len(set(kept)) < len(kept):
        raise InputError(f"{file}: column '{next(h for h in kept if kept.count(h) > 1)}' twice")
    return pd.DataFrame([[c for i, c in enumerate(r) if i not in empty] for r in rows], columns=[*kept, ROW])


def _text_and_layout(path: Path, report: ImportReport) -> tuple[str, str, int]:
    """The file, its delimiter and the cells of its header. A header that is no UTF-8 tells that the whole file is Windows-1252."""
    text = legends.without_annotations(read_text(path, ImportReport(report.kind)), report.name_of(path))
    delimiter, n_cell, head = header.layout(text, report.name_of(path))
    if not n_cell:
        raise InputError(f"{report.name_of(path)}: is empty")
    if not any("\ufffd" in line and (line == head or header.of_units(line.split(delimiter))) for line in [head, *text.split("\n", 10)[:10]]):
        return legends.without_annotations(read_text(path, report), report.name_of(path)), delimiter, n_cell
    report.note(f"{report.name_of(path)}: read as Windows-1252, because its header is no UTF-8")
    return read_bytes(path).decode("cp1252", "replace").replace("\r\n", "\n").replace("\r", "\n"), delimiter, n_cell


def suffixes(text: str) -> set[str]:
    """Units of the columns that `read` would take from a table without being told: `W`, `degC`, … `text`: its beginning"""
    quiet = ImportReport("csv")
    try:
        text = legends.without_annotations(text, "")
        delimiter, n_cell, _ = header.layout(text)
        names, rows, _ = _records(text, delimiter, n_cell, "", quiet)
        cells = plain_numbers(legends.of_influx(_table(names, rows[:200], "")), quiet, "", delimiter, ROW)
        form = legends.is_long(cells.columns.drop(ROW))
        chosen = _guess(legends.widened(cells, form, ROW) if form else cells)
    except (InputError, ValueError):
        return set()
    return {name.rsplit("_", 1)[-1] for name in chosen if name not in ("time", *LABELS)}


def _parquet(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_parquet(path)
    except ImportError as error:
        raise InputError(f"{path.name}: Parquet needs the Python package pyarrow (pip install pyarrow; Debian 12 has no package of it)") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path.name}: cannot be read as Parquet ({error})") from error
    table = table.reset_index() if table.index.name else table
    out = pd.DataFrame({str(c): table[c].map(lambda v: "" if pd.isna(v) else v.isoformat() if isinstance(v, pd.Timestamp) else str(v)) for c in table})
    return out.assign(**{ROW: range(1, len(out) + 1)})


def read(paths, report: ImportReport, columns: Optional[dict[str, str]] = None, units: Optional[dict[str, str]] = None, zone: Optional[str] = None) -> pd.DataFrame:
    """A table with the columns that the caller names, in SI units.

    `paths`: CSV or Parquet; `report`: takes the remarks; `columns`: name here → column in the file: `time`, `gpu`, `host`,
    a quantity (`power`, `temperature`, `clock`, `energy`, …) or a name of yours that ends with a unit (`rack7_W`); without it, columns
    that have such names are taken; `units`: unit by name where the column's name does not end with one; `zone`: IANA name.
    Raises InputError: with everything missing: columns, units, numbers.
    """
    parts = []
    for path in paths:
        cells = texts(path, report)
        report.rows_read += len(cells)
        form = legends.is_long(cells.columns.drop(ROW))
        if form and not set((columns or {}).values()) - {"time"} <= set(cells.columns) or form and not columns:
            cells = legends.widened(cells, form, ROW)
            report.note(f"{report.name_of(path)}: one series per row ('{form[0]}'); each became a column")
        parts.append(_one(cells, report.name_of(path), report, columns or {}, units or {}, zone).assign(file=report.name_of(path)))
    table = pd.concat(parts, ignore_index=True)
    values = [c for c in table if c.rsplit("_", 1)[-1] in ("W", "J", "degC", "MHz", "frac")]
    if not columns and not any(c.rsplit("_", 1)[-1] != "frac" and table[c].notna().any() for c in values):
        raise InputError("neither a power nor a temperature nor a clock is in the table; name others that you need, such as --column utilization=COLUMN")
    if set(table.columns) & {"gpu", "uuid", "bus"}:
        table = name_gpus(table, report)
        for name in set(values) & set(NUMBERS):
            check_range(table, name, report, ROW)
    empty = [c for c in values if table[c].isna().all()]
    if len(empty) == len(values) or columns and empty:
        raise InputError(f"{', '.join(map(report.name_of, paths))}: {', '.join(empty)}: not one row has a value that can be used; name another column")
    labels = [c for c in NAMING if c in table] or _node_of_file(table, report)
    if "time" in table and table["time"].notna().any():
        table = _in_order(table, values, labels, report)
    else:
        table = table.drop(columns=[ROW, "file"])
    report_twins({c: table[c].to_numpy() for c in values}, report)
    return table


def _in_order(table: pd.DataFrame, values: list[str], labels: list[str], report: ImportReport) -> pd.DataFrame:
    """Rows in order of time, counters continued, gaps listed; times that are no calendar's as `time_s`."""
    without = table["time"].isna()
    for i in table.index[without]:
        report.ignore(f"{table['file'][i]}:{table[ROW][i]}", "a row without a time, such as a sum below the table")
    table = table[~without].reset_index(drop=True)
    if not pd.api.types.is_datetime64_any_dtype(table["time"]):
        table["time"] = pd.to_timedelta(table["time"], unit="s")
    table = ordered(table, labels, [c for c in values if c.endswith("_J")], "", report, ROW, 0.02)
    if pd.api.types.is_timedelta64_dtype(table["time"]):
        table = table.assign(time=table["time"].dt.total_seconds()).rename(columns={"time": "time_s"})
    return table


def _node_of_file(table: pd.DataFrame, report: ImportReport) -> list[str]:
    """Files without labels that overlap in time are of several nodes; `node` is then the file."""
    if table["file"].nunique() < 2 or "time" not in table:
        return []
    spans = table.groupby("file", sort=False)["time"].agg(["min", "max"]).dropna().sort_values("min")
    if not (spans["min"].iloc[1:].to_numpy() <= spans["max"].cummax().iloc[:-1].to_numpy()).any():
        return []
    if report.kind == "power":
        raise InputError(f"{', '.join(spans.index[:3])} overlap in time, so they are of several meters: import each by itself, or all as kind csv")
    report.note("files overlap in time, so they are of several nodes: `node` is the file")
    table.insert(0, "node", table["file"].str.replace(r"\.\w+$", "", regex=True))
    return ["node"]


def _one(cells: pd.DataFrame, file: str, report: ImportReport, columns, given, zone) -> pd.DataFrame:
    """One file's columns in SI units, a row per GPU where columns name GPUs."""
    chosen = dict(columns) or _guess(cells, given)
    _check_units(given, chosen, cells, file)
    if "time" not in chosen or not columns:
        time = timecolumn.find(cells, chosen, ROW, file, report, TIMES, zone)
        chosen = {"time": time, **{n: c for n, c in chosen.items() if n != "time"}} if time else chosen
    if not columns and "time" in chosen and not set(chosen) & set(NAMING):
        chosen |= _series_column(cells, chosen, file, report)
    wrong = [f"no column '{c}' for {name}{_near(c, cells)}" for name, c in chosen.items() if c not in cells]
    out: dict = {}
    for name, column in chosen.items():
        try:
            out |= _column(name, column, chosen, cells, file, report, given, zone) if column in cells else {}
        except _Wrong as error:
            wrong.append(str(error))
    left = [c for c in cells.columns.drop(ROW) if c not in chosen.values()]
    untold = _untold(cells, left, chosen) if not columns else []
    if not wrong and not any(k not in ("time", *LABELS) for k in out):
        hint = f" ({'; '.join(why for _, why in untold)})" if untold else ""
        columns = ", ".join(cells.columns.drop(ROW)[:12])
        wrong.append(f"no column of a known quantity{hint}; {cells.attrs.get('header', '')}--unit \"COLUMN=kW\" alone says a column's unit, or name columns, such as --column power=COLUMN (columns: {columns})")
    if wrong:
        raise InputError(f"{file}: " + "; ".join(wrong))
    for _, why in untold:
        report.warn(f"{file}:{cells[ROW].iloc[0]}", f"left out: {why}")
    if left:
        report.note(f"{file}: columns without a use here: {', '.join(left[:8])}{' …' if len(left) > 8 else ''}")
    table = pd.DataFrame({**out, ROW: cells[ROW]})
    values = {n: c for n, c in chosen.items() if n in out and n not in ("time", *LABELS)}
    long = None if columns or report.kind == "power" or "gpu" in out else legends.by_gpu(table, values, ROW)
    return table if long is None else long


class _Wrong(ValueError):
    """What is missing for one column; the error names all of them."""


def _column(name: str, column: str, chosen, cells: pd.DataFrame, file: str, report: ImportReport, given, zone) -> dict:
    """One column of the table: its times, its labels, or its numbers in SI under the name with its unit."""
    if name == "time":
        labels = [c for n, c in chosen.items() if n in NAMING and c in cells]
        series = cells[labels].agg("|".join, axis=1).tolist() if labels else None
        return {"time": timecolumn.read(cells[column], column, cells[ROW].tolist(), file, report, zone, series, cells.attrs.get("decimal_comma", False))}
    if name in LABELS:
        return {name: cells[column]}
    bare, unit, several = _name_and_unit(name, column, cells, given)
    if unit not in UNITS:
        raise _Wrong(f"{name}: column '{column}' names no unit; say --unit {name}=UNIT ({', '.join(UNITS)})")
    suffix, factor, offset = UNITS[unit]
    if QUANTITIES.get(bare, suffix) != suffix:
        own = next(q for q, of in QUANTITIES.items() if of == suffix)
        raise _Wrong(f"{name}: {unit} is no unit of it; it is {own}: --column {shlex.quote(f'{own}={column}')} --unit {own}={unit}")
    values = column_numbers(cells[column], column, cells[ROW].tolist(), file, report, unit, several) + offset
    return {f"{bare}_{suffix}": values if factor == 1.0 and not offset else np.array([digits(v) for v in values * factor])}


def _check_units(given, chosen, cells: pd.DataFrame, file: str) -> None:
    """Each unit of the caller is known and is that of a column in use. Raises InputError: one is not"""
    for key, unit in given.items():
        if not known(unit):
            raise InputError(f"{file}: --unit {key}={unit}: {unit} is none of {', '.join(UNITS)}")
        if not any(key in (name, column, name.rsplit("_", 1)[0]) for name, column in chosen.items()):
            raise InputError(f"{file}: --unit {key}={unit} does nothing: {key} is no column in use among {', '.join(cells.columns.drop(ROW)[:12])}")


def _untold(cells: pd.DataFrame, columns, used) -> list[tuple[str, str]]:
    """(column, what to say) of columns of power, energy, temperature or clock, or like one in use, that say no unit, or one of two."""
    out = []
    alike = {_digitless(c): name.rsplit("_", 1)[-1] for name, c in used.items() if name not in ("time", *LABELS)}
    for column in columns:
        unit = next((u for pattern, u in _UNTOLD if pattern.search(SYNONYMS.get(column.lower(), column))), "") or alike.get(_digitless(column), "")
        if split(column)[1] or not (unit or is_doubtful(column)):
            continue
        if pd.to_numeric(cells[column].map(lambda c: split_cell(c)[0]), errors="coerce").notna().mean() > 0.5:
            why = "may be mW or MW" if is_doubtful(column) else "names no unit"
            say = shlex.quote(f"{column}={'mW' if is_doubtful(column) else unit}")
            out.append((column, f"'{column}' {why}: --unit {say} says which"))
    return out


def _digitless(column: str) -> str:
    """A column's name without its unit and without what numbers its like: `GPU 0` and `GPU 1`, `Feed A` and `Feed B`."""
    return re.sub(r"\d+|\b[A-Z]$", "#", split(column)[0])


def _series_column(cells: pd.DataFrame, chosen, file: str, report: ImportReport) -> dict[str, str]:
    """The column that tells readings of one instant apart, where most instants come several times; as `gpu` if it says so, else `node`."""
    time = chosen["time"]
    if time not in cells or cells[time].duplicated(keep=False).mean() < 0.5:
        return {}
    left = [c for c in cells.columns.drop(ROW) if c not in chosen.values()]
    telling = [c for c in left if 1 < (n := cells[c].nunique()) < 0.5 * len(cells) and (cells.groupby(time)[c].nunique() == n).mean() > 0.5]
    if len(telling) != 1:
        return {}
    some = [telling[0], *cells[telling[0]].head(20)]
    label = "gpu" if any("gpu" in t.lower() for t in some) else "node"
    report.warn(f"{file}:{cells[ROW].iloc[0]}", f"'{telling[0]}' tells readings of one instant apart and is taken as {label}; name it, --column gpu='{telling[0]}', if that is wrong")
    return {label: telling[0]}


def _name_and_unit(name: str, column: str, cells: pd.DataFrame, given) -> tuple[str, str, bool]:
    """Name without its suffix; the unit: the caller's, that of the column's name, its cells' or its metric's; whether it is one of several of the cells."""
    of_metric = legends.metric(column)
    if of_metric and not {name, column, name.rsplit("_", 1)[0]} & set(given):
        return name.rsplit("_", 1)[0] if name not in QUANTITIES else name, _metric_unit(*of_metric), False
    told = given.get(name) or given.get(column) or given.get(name.rsplit("_", 1)[0], "")
    for own in _file_units(column, cells) if told else ():
        if UNITS[own] != UNITS[known(told)]:
            raise _Wrong(f"{name}: --unit says {told} and the file says {own} of '{column}'; say {own}, or correct the file")
    unit = known(told) or split(column)[1]
    several = not unit and len(units_in(cells[column]) - {""}) > 1
    unit = unit or unit_in(cells[column]) or (split(name)[1] if name not in QUANTITIES else "")
    return split(name)[0] if name not in QUANTITIES else name, unit, several


def _file_units(column: str, cells: pd.DataFrame) -> list[str]:
    """The units that a line of units or the header (but a mere `_kW`), every cell, or a column of units behind it say of a column."""
    behind = cells.columns[cells.columns.get_loc(column) + 1 :][:1]
    said = [{"" if re.search(r"_[^\s_]+$", column) else split(column)[1]}, units_in(cells[column]), *({known(u) for u in cells[c] if u.strip()} for c in behind if legends.is_unit(c))]
    return [unit for units in said if len(units) == 1 for unit in units if unit]


def _metric_unit(key: str, factor: float) -> str:
    """The unit in which a metric's numbers are written, from its column here and its factor."""
    suffix = key.rsplit("_", 1)[-1]
    return next(u for u, (s, f, offset) in UNITS.items() if s == suffix and f == factor and not offset)


def _near(column: str, cells: pd.DataFrame) -> str:
    """The nearest name of a column, as a question."""
    known = {c.lower(): c for c in cells.columns.drop(ROW)}
    near = difflib.get_close_matches(column.lower(), known, n=1)
    return f"; did you mean '{known[near[0]]}'?" if near else f" among {', '.join(list(known.values())[:12])}"


def _guess(cells: pd.DataFrame, given=None) -> dict[str, str]:
    """Columns whose names, legends, cells or the caller's units say quantity and unit, a time and labels."""
    chosen = {}
    lower = {c.lower(): c for c in cells.columns.drop(ROW)}
    for name in TIMES:
        if name in lower:
            chosen["time"] = lower[name]
            break
    for name, column in lower.items():
        name = SYNONYMS.get(name, name)
        if name in LABELS:
            chosen.setdefault(name, column)
    chosen |= _told(cells, lower, given or {})
    for column in cells.columns.drop(ROW):
        if column in chosen.values() or legends.is_repeated(column, cells):
            continue
        of_metric = legends.metric(column)
        bare, unit = split(column)
        if unit == "C" and {f"{bare}_A", f"{bare}_B"} & set(cells.columns):
            bare, unit = column, ""  # of three phases
        unit = unit or unit_in(cells[column])
        if of_metric and not legends.gpu_of(column) and not legends.labels(column) and of_metric[0] not in chosen:
            chosen[of_metric[0]] = column  # of one GPU, or of the one in the row's label
        elif of_metric:
            chosen.setdefault(f"{_word(column)}_{of_metric[0].rsplit('_', 1)[-1]}", column)
        elif unit in UNITS:
            word = SYNONYMS.get(bare.lower(), bare.lower())
            chosen.setdefault(f"{word if word in QUANTITIES else _word(bare)}_{UNITS[unit][0]}", column)
    return chosen


def _told(cells: pd.DataFrame, lower: dict[str, str], given: dict[str, str]) -> dict[str, str]:
    """Columns whose unit the caller says, by their quantity."""
    chosen = {}
    for key, unit in given.items():
        column = key if key in cells else lower.get(key.lower()) or next((c for n, c in lower.items() if SYNONYMS.get(n, n) == key), None)
        if column is not None and known(unit):
            stem = re.sub(r"[_ ]*[\[(]?mw[\])]?$", "", split(column)[0], flags=re.IGNORECASE)
            bare = SYNONYMS.get(stem.lower(), stem.lower())
            chosen[f"{bare if bare in QUANTITIES else _word(stem)}_{UNITS[known(unit)][0]}"] = column
    return chosen


def _word(name: str) -> str:
    return re.sub(r"\W+", "_", name).strip("_")
