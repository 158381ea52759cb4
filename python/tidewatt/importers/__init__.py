"""Logs of a facility as tables: from GPUs, controllers, schedulers, profilers, markets and weather services.

    from tidewatt import importers
    done = importers.import_logs("nvidia-smi", ["gpu.csv"])
    done.table, done.report.warnings

One module per format; `tidewatt import` and `tw.read_…` both use it.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Optional

import numpy as np
import pandas as pd

from .report import ImportReport, InputError

__all__ = ["KINDS", "ImportReport", "Imported", "InputError", "import_logs"]

KINDS = (
    "mllog",
    "nvidia-smi",
    "prometheus",
    "rocm-smi",
    "redfish",
    "kineto",
    "sacct",
    "squeue",
    "sinfo",
    "price",
    "carbon",
    "weather",
    "requests",
    "power",
    "csv",
    "auto",
)
TAKES_COLUMNS = ("csv", "power", "price", "carbon", "requests")
TAKES_UNITS = ("csv", "power", "price", "carbon", "prometheus")


@dataclasses.dataclass(frozen=True)
class Imported:
    """A table, further tables by name (`events` of a training log), a workload entry where the log gives one, and the report."""

    table: pd.DataFrame
    report: ImportReport
    more: dict[str, pd.DataFrame] = dataclasses.field(default_factory=dict)
    entry: Optional[str] = None


def import_logs(
    kind: str,
    paths,
    *,
    columns: Optional[dict[str, str]] = None,
    units: Optional[dict[str, str]] = None,
    time_zone: Optional[str] = None,
    align: Optional[float] = None,
    name: str = "profile",
) -> Imported:
    """Reads logs of one kind.

    @param kind: one of `KINDS`; `auto` tells it from the content; @param paths: files, or folders of them;
    @param columns: name here → column in the file; @param units: unit by name; @param time_zone: IANA name of the clock that wrote times
    without an offset; @param align: puts node clocks on the first one's; iteration time in s, 0 to find it; @param name: of the workload entry.
    @raises InputError: nothing usable was read, or the input contradicts itself.
    """
    from . import detect
    from . import align as clocks

    paths = [str(p) for p in paths]
    if kind not in KINDS:
        raise InputError(f"kind '{kind}' is none of {', '.join(KINDS)}")
    if not paths:
        raise InputError("no file")
    kind, paths, left = detect.kind_and_files(kind, paths)
    report = ImportReport(kind, files=paths)
    for path, why in left:
        report.ignore(path, why)
    for option, given, use in (("--column", columns, TAKES_COLUMNS), ("--unit", units, TAKES_UNITS)):
        if given and kind not in use:
            raise InputError(f"{option} does nothing for {kind}; it is for {', '.join(use)}")
    names = ", ".join(map(report.name_of, paths[:4])) + (" …" if len(paths) > 4 else "")
    try:
        table, more, entry = _read(kind, paths, report, columns, units, time_zone, name)
    except InputError as error:
        where = "" if any(Path(p).name in str(error) for p in paths) else f"{names}: "
        raise InputError(f"{where}{error}{detect.way_out(kind, paths)}") from error
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        # A reader checks what it knows; of what is left, at least the file is named.
        raise InputError(f"{names}: cannot be read as a log of kind {kind} ({type(error).__name__}: {error})") from error
    for part in (table, *more.values()):
        _finite(part, report)
    if align is not None:
        time = next((c for c in ("time_ms", "time", "time_s") if c in table), None)
        if time is None or sum(c.endswith("_W") for c in table) < 2:
            raise InputError("--align needs a table of times and the power of several nodes")
        table = clocks.align(table, time, report, align or None)
    report.rows_written = len(table)
    return Imported(table, report, more, entry)


def _finite(table: pd.DataFrame, report: ImportReport) -> None:
    """Values that are infinite, such as 1e400, are left blank; no table has them."""
    for column in table.select_dtypes("float"):
        infinite = np.isinf(table[column].to_numpy())
        for i in np.flatnonzero(infinite):
            where = str(table["file"].iloc[i]) if "file" in table else ", ".join(Path(f).name for f in report.files)
            report.mend(f"{where}, row {i + 1} of the table", f"{column}: too large for a number, left blank")
        if infinite.any():
            table[column] = table[column].mask(infinite)


def _read(kind, paths, report, columns, units, zone, name):
    """(table, further tables, entry) of one kind."""
    if kind == "mllog":
        from . import mllog

        return *mllog.read(paths, report), None
    if kind == "nvidia-smi":
        from . import nvidia_smi

        return nvidia_smi.read(paths, report, zone), {}, None
    if kind == "prometheus":
        from . import prometheus

        return prometheus.read(paths, report, units), {}, None
    if kind in ("rocm-smi", "redfish"):
        from . import redfish, rocm_smi

        return rocm_smi.read(paths, report, zone) if kind == "rocm-smi" else redfish.read(paths, report), {}, None
    if kind == "kineto":
        from . import kineto

        table, collectives, entry = kineto.read(paths, report, name)
        return table, {"collectives": collectives} if len(collectives) else {}, entry
    if kind == "sacct":
        from . import sacct

        return sacct.read(paths, report, zone), {}, None
    if kind in ("squeue", "sinfo"):
        from . import sinfo, squeue

        return squeue.read(paths, report, zone) if kind == "squeue" else sinfo.read(paths, report), {}, None
    if kind in ("price", "carbon"):
        from . import hourly

        return (hourly.read_price if kind == "price" else hourly.read_carbon)(paths, report, columns, units, zone), {}, None
    if kind == "weather":
        from . import weather

        return weather.read(paths, report, zone), {}, None
    if kind == "requests":
        from . import requests

        return requests.read(paths, report, columns, zone), {}, None
    from . import plain, power

    return (power if kind == "power" else plain).read(paths, report, columns, units, zone), {}, None
