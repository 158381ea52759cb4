"""Tables to CSV, Parquet and workload entries."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from .._write import parquet, whole
from . import Imported
from .report import InputError
from .times import as_text


def write(done: Imported, out) -> list[Path]:
    """Writes a table to `.csv` or `.parquet`, a workload entry to `.toml`; further tables go beside it as `OUT_events.csv`. Each
    file is written whole or not at all.

    `done`: of `import_logs`; `out`: the path. Returns what was written.
    Raises InputError: another ending, no entry in this kind of log, or Parquet without pyarrow. Raises OSError: it cannot be written.
    """
    path = Path(out)
    if path.suffix == ".toml":
        if done.entry is None:
            raise InputError(f"{path}: a log of kind {done.report.kind} gives no workload entry; write .csv or .parquet")
        whole(path, done.entry)
        return [path]
    if path.suffix not in (".csv", ".parquet"):
        raise InputError(f"{path}: ends in none of .csv, .parquet, .toml")
    written = [path]
    _table(done.table, path)
    for name, table in done.more.items():
        written.append(path.with_name(f"{path.stem}_{name}{path.suffix}"))
        _table(table, written[-1])
    return written


def _table(table: pd.DataFrame, path: Path) -> None:
    if path.suffix == ".parquet":
        try:
            parquet(path, table)
        except ImportError as error:
            raise InputError(
                f"{path}: Parquet needs the Python package pyarrow (pip install pyarrow; Debian 12 has no package of it); write .csv"
            ) from error
        return
    whole(path, csv_text(table))


def csv_text(table: pd.DataFrame) -> str:
    """A table as CSV: times as ISO 8601, whole numbers as they were written. `table`: of a reader"""
    table = table.copy()
    for name in table:
        if pd.api.types.is_datetime64_any_dtype(table[name]):
            table[name] = as_text(table[name])
        elif pd.api.types.is_float_dtype(table[name]) and table[name].notna().all() and (table[name] % 1 == 0).all() and table[name].abs().max() < 1e15:
            table[name] = table[name].astype("int64")  # whole numbers as they were written
    return table.to_csv(index=False)
