"""Logs of a facility as tables: from GPUs, controllers, schedulers, profilers, markets and weather services.

    from tidewatt import importers
    done = importers.import_logs("nvidia-smi", ["gpu.csv"])
    done.table, done.report.warnings

One module per format; `tidewatt import` and `tw.read_…` both use it.
"""

from __future__ import annotations

import dataclasses
import importlib
from pathlib import Path
from typing import Optional

import numpy as np
import pandas as pd

from .report import ImportReport, InputError

__all__ = ["KINDS", "ImportReport", "Imported", "InputError", "import_logs"]

# Kind → its reader and the options that it takes.
READERS = {
    "mllog": "mllog.read", "nvidia-smi": "nvidia_smi.read zone", "prometheus": "prometheus.read units metric", "rocm-smi": "rocm_smi.read zone",
    "redfish": "redfish.read", "kineto": "kineto.read name", "sacct": "sacct.read zone", "squeue": "squeue.read zone", "sinfo": "sinfo.read",
    "price": "hourly.read_price columns units zone", "carbon": "hourly.read_carbon columns units zone", "weather": "weather.read zone",
    "requests": "requests.read columns zone", "power": "power.read columns units zone", "csv": "plain.read columns units zone",
}  # fmt: skip
KINDS = (*READERS, "auto")
_OPTIONS = {"columns": "--column", "units": "--unit", "metric": "--metric", "zone": "--time-zone", "name": "--name"}


@dataclasses.dataclass(frozen=True)
class Imported:
    """A table, further tables by name (`events` of a training log), a workload entry where the log gives one, and the report."""

    table: pd.DataFrame
    report: ImportReport
    more: dict[str, pd.DataFrame] = dataclasses.field(default_factory=dict)
    entry: Optional[str] = None


def import_logs(
    kind: str, paths, *, columns: Optional[dict[str, str]] = None, units: Optional[dict[str, str]] = None, metric: Optional[str] = None,
    time_zone: Optional[str] = None, align: Optional[float] = None, name: str = "profile",
) -> Imported:
    """Reads logs of one kind.

    Parameters
    ----------
    kind
        One of `KINDS`; `auto` tells it from the content.
    paths
        Files, or folders of them.
    columns
        Name here → column in the file.
    units
        Unit by name.
    metric
        Name of series that have none.
    time_zone
        IANA name of the clock that wrote times without an offset.
    align
        Puts node clocks on the first one's; iteration time in s, 0 to find it.
    name
        Of the workload entry.

    Raises
    ------
    InputError
        Nothing usable was read, or the input contradicts itself.
    """
    from . import align as clocks
    from . import detect

    paths = [str(p) for p in paths]
    if kind not in KINDS:
        raise InputError(f"kind '{kind}' is none of {', '.join(KINDS)}")
    if not paths:
        raise InputError("no file")
    kind, paths, left = detect.kind_and_files(kind, paths)
    report = ImportReport(kind, files=paths)
    for path, why in left:
        report.ignore(path, why)
    options = {"columns": columns, "units": units, "metric": metric, "zone": time_zone, "name": name}
    _check_options(kind, options)
    names = ", ".join(map(report.name_of, paths[:4])) + (" …" if len(paths) > 4 else "")
    try:
        table, more, entry = _read(kind, paths, report, options)
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


def _check_options(kind: str, options: dict) -> None:
    """An option that a kind does not use is refused, so that nobody takes it for used."""
    for option, given in options.items():
        if given and given != "profile" and option not in READERS[kind].split():
            use = ", ".join(k for k, reader in READERS.items() if option in reader.split())
            raise InputError(f"{_OPTIONS[option]} does nothing for {kind}; it is for {use}")


def _finite(table: pd.DataFrame, report: ImportReport) -> None:
    """Values that are infinite, such as 1e400, are left blank; no table has them."""
    for column in table.select_dtypes("float"):
        infinite = np.isinf(table[column].to_numpy())
        for i in np.flatnonzero(infinite):
            where = str(table["file"].iloc[i]) if "file" in table else ", ".join(Path(f).name for f in report.files)
            report.mend(f"{where}, row {i + 1} of the table", f"{column}: too large for a number, left blank")
        if infinite.any():
            table[column] = table[column].mask(infinite)


def _read(kind: str, paths, report: ImportReport, options: dict):
    """(table, further tables, entry) of one kind."""
    function, *names = READERS[kind].split()
    module, _, name = function.partition(".")
    done = getattr(importlib.import_module(f".{module}", __package__), name)(paths, report, **{n: options[n] for n in names})
    if kind == "mllog":
        return *done, None
    if kind == "kineto":
        table, collectives, entry = done
        return table, {"collectives": collectives} if len(collectives) else {}, entry
    return done, {}, None
