"""Your logs as pandas tables, as `tidewatt import` writes them; the report is in `table.attrs["report"]`."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Optional, Sequence, Union

if TYPE_CHECKING:
    import pandas

Paths = Union[str, os.PathLike, Sequence[Union[str, os.PathLike]]]


def _read(kind: str, files: Paths, strict: bool = False, **options) -> pandas.DataFrame:
    """Each warning of the command line is one of Python, in the same words."""
    from . import importers

    paths = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    done = importers.import_logs(kind, paths, **options)
    lines = done.report.warnings
    if strict and lines:
        raise importers.InputError(f"{len(lines)} warnings and strict=True: " + "; ".join(lines))
    for line in lines:
        warnings.warn(line, stacklevel=3)
    table = done.table
    table.attrs["report"] = done.report.as_dict()
    return table


def read_auto(files: Paths, *, time_zone: Optional[str] = None, strict: bool = False) -> pandas.DataFrame:
    """Reads a log and detects its kind from the content.

    Parameters
    ----------
    files : Paths
        One path or several of one kind
    time_zone : Optional[str], optional
        IANA name of the clock that wrote times without an offset.
    strict : bool, optional
        A warning is an error, and nothing is returned.

    Raises
    ------
    InputError
        No kind is recognised, nothing usable was read, or the input contradicts itself.
    """
    return _read("auto", files, time_zone=time_zone, strict=strict)


def read_mllog(files: Paths, *, align: Optional[float] = None, strict: bool = False) -> pandas.DataFrame:
    """MLCommons logs: node power [W] by polling round, or, from a training log alone, its events.

    Parameters
    ----------
    files : Paths
        Node logs, training log, system file
    align : Optional[float], optional
        Shifts the clocks of all nodes to that of the first: iteration time, s; 0: estimated.
    strict : bool, optional
        A warning is an error, and nothing is returned.

    Raises
    ------
    InputError
        No record, or power outside the run.
    """
    return _read("mllog", files, align=align, strict=strict)


def read_nvidia_smi(files: Paths, *, time_zone: Optional[str] = None, strict: bool = False) -> pandas.DataFrame:
    """nvidia-smi's CSV, dmon, -q or XML: one row per reading and GPU, units in the names.

    Parameters
    ----------
    files : Paths
        Logs
    time_zone : Optional[str], optional
        IANA name of the node's clock.
    strict : bool, optional
        A warning is an error, and nothing is returned.

    Raises
    ------
    InputError
        None of the dialects.
    """
    return _read("nvidia-smi", files, time_zone=time_zone, strict=strict)


def read_prometheus(files: Paths, *, units: Optional[dict[str, str]] = None, metric: Optional[str] = None, strict: bool = False) -> pandas.DataFrame:
    """Exposition text of dcgm-exporter or nvidia_gpu_exporter, or answers of the HTTP API.

    Parameters
    ----------
    files : Paths
        Scrapes or answers.
    units : Optional[dict[str, str]], optional
        Quantity and unit of series without a metric's name, such as {"power": "W"}.
    metric : Optional[str], optional
        Or their metric's name, such as "DCGM_FI_DEV_POWER_USAGE".
    strict : bool, optional
        A warning is an error, and nothing is returned.

    Raises
    ------
    InputError
        Neither, an error of the server, or no metric of a GPU.
    """
    return _read("prometheus", files, units=units, metric=metric, strict=strict)


def read_rocm_smi(files: Paths, *, time_zone: Optional[str] = None, strict: bool = False) -> pandas.DataFrame:
    """`rocm-smi --json`: one row per card.

    Parameters
    ----------
    files : Paths
        Answers.
    time_zone : Optional[str], optional
        IANA name of the clock that wrote times without an offset.
    strict : bool, optional
        A warning is an error, and nothing is returned.

    Raises
    ------
    InputError
        No card.
    """
    return _read("rocm-smi", files, time_zone=time_zone, strict=strict)


def read_redfish(files: Paths, *, strict: bool = False) -> pandas.DataFrame:
    """Redfish resources: one row per reading, with sensor, quantity and value in SI.

    Parameters
    ----------
    files : Paths
        Files or folders.
    strict : bool, optional
        A warning is an error, and nothing is returned.

    Raises
    ------
    InputError
        No JSON, or no reading.
    """
    return _read("redfish", files, strict=strict)


def read_kineto(files: Paths, *, strict: bool = False) -> pandas.DataFrame:
    """PyTorch profiler traces: one row per rank [ms]: busy, idle, compute, communication, waiting, transfer, kernel classes.

    Parameters
    ----------
    files : Paths
        One trace per rank.
    strict : bool, optional
        A warning is an error, and nothing is returned.

    Raises
    ------
    InputError
        No trace, nothing on a GPU, or a rank twice.
    """
    return _read("kineto", files, strict=strict)


def read_profile(path: Union[str, os.PathLike]):
    """The workload entry of a profile (`tidewatt import kineto … -o entry.toml`), with `step_s(clock_ratio, n_rank)`.

    Parameters
    ----------
    path : Union[str, os.PathLike]
        The entry.

    Raises
    ------
    InputError
        It is none.
    """
    from .importers import profile

    return profile.load(path)


def read_sacct(files: Paths, *, time_zone: Optional[str] = None, strict: bool = False) -> pandas.DataFrame:
    """Jobs of `sacct --parsable2`, steps left out.

    Parameters
    ----------
    files : Paths
        Tables
    time_zone : Optional[str], optional
        IANA name of the cluster's clock.
    strict : bool, optional
        A warning is an error, and nothing is returned.

    Raises
    ------
    InputError
        No header of sacct.
    """
    return _read("sacct", files, time_zone=time_zone, strict=strict)


def read_squeue(files: Paths, *, time_zone: Optional[str] = None, strict: bool = False) -> pandas.DataFrame:
    """Jobs of `squeue`.

    Parameters
    ----------
    files : Paths
        Lists or JSON
    time_zone : Optional[str], optional
        IANA name of the cluster's clock.
    strict : bool, optional
        A warning is an error, and nothing is returned.

    Raises
    ------
    InputError
        No known form.
    """
    return _read("squeue", files, time_zone=time_zone, strict=strict)


def read_sinfo(files: Paths, *, strict: bool = False) -> pandas.DataFrame:
    """Nodes of `sinfo` with their GPUs.

    Parameters
    ----------
    files : Paths
        Lists or JSON.
    strict : bool, optional
        A warning is an error, and nothing is returned.

    Raises
    ------
    InputError
        No known form.
    """
    return _read("sinfo", files, strict=strict)


def read_price(
    files: Paths, *, time_zone: Optional[str] = None, columns: Optional[dict[str, str]] = None, units: Optional[dict[str, str]] = None, strict: bool = False
) -> pandas.DataFrame:
    """Prices per MWh by the hour; missing hours are listed in the report, never filled.

    Parameters
    ----------
    files : Paths
        Tables
    time_zone : Optional[str], optional
        IANA name of local times without an offset
    columns : Optional[dict[str, str]], optional
        `time` and `price`.
    units : Optional[dict[str, str]], optional
        {"price": "EUR/MWh"}, where the column's name says no unit or another.
    strict : bool, optional
        A warning is an error, and nothing is returned.

    Raises
    ------
    InputError
        No price, or two prices for one hour.
    """
    return _read("price", files, time_zone=time_zone, columns=columns, units=units, strict=strict)


def read_carbon(
    files: Paths, *, time_zone: Optional[str] = None, columns: Optional[dict[str, str]] = None, units: Optional[dict[str, str]] = None, strict: bool = False
) -> pandas.DataFrame:
    """Carbon intensity [g/kWh] and generation [MW] by the hour, doubtful rows flagged.

    Parameters
    ----------
    files : Paths
        Tables
    time_zone : Optional[str], optional
        IANA name of local times without an offset
    columns : Optional[dict[str, str]], optional
        `time` and `carbon`.
    units : Optional[dict[str, str]], optional
        {"carbon": "lb/MWh"}, where the column's name says no unit or another.
    strict : bool, optional
        A warning is an error, and nothing is returned.

    Raises
    ------
    InputError
        No intensity, or two values for one hour.
    """
    return _read("carbon", files, time_zone=time_zone, columns=columns, units=units, strict=strict)


def read_weather(files: Paths, *, time_zone: Optional[str] = None, strict: bool = False) -> pandas.DataFrame:
    """Open-Meteo JSON, EPW or the product's CSV as `run --weather` takes it: local standard time, °C, %, Pa.

    Parameters
    ----------
    files : Paths
        Of one place.
    time_zone : Optional[str], optional
        IANA name of the place, for formats in UTC that do not say it (PVGIS).
    strict : bool, optional
        A warning is an error, and nothing is returned.

    Raises
    ------
    InputError
        None of the formats, or times that do not rise.
    """
    return _read("weather", files, time_zone=time_zone, strict=strict)


def read_requests(
    files: Paths, *, time_zone: Optional[str] = None, columns: Optional[dict[str, str]] = None, strict: bool = False
) -> pandas.DataFrame:
    """Requests of a language-model service: arrival [s] and tokens.

    Parameters
    ----------
    files : Paths
        Logs
    time_zone : Optional[str], optional
        IANA name
    columns : Optional[dict[str, str]], optional
        `time`, `input_tokens`, `output_tokens`.
    strict : bool, optional
        A warning is an error, and nothing is returned.

    Raises
    ------
    InputError
        No request.
    """
    return _read("requests", files, time_zone=time_zone, columns=columns, strict=strict)


def read_power(files: Paths, *, columns: Optional[dict[str, str]] = None, units: Optional[dict[str, str]] = None, time_zone: Optional[str] = None,
               align: Optional[float] = None, strict: bool = False) -> pandas.DataFrame:  # fmt: skip
    """Any CSV or Parquet with a time and watts.

    Parameters
    ----------
    files : Paths
        Tables
    columns : Optional[dict[str, str]], optional
        Name here → column there
    units : Optional[dict[str, str]], optional
        W, kW or MW by name
    time_zone : Optional[str], optional
        IANA name
    align : Optional[float], optional
        Shifts the clocks of all nodes to that of the first: iteration time, s; 0: estimated.
    strict : bool, optional
        A warning is an error, and nothing is returned.

    Raises
    ------
    InputError
        No time or no watts.
    """
    return _read("power", files, columns=columns, units=units, time_zone=time_zone, align=align, strict=strict)


def read_csv(
    files: Paths,
    *,
    columns: Optional[dict[str, str]] = None,
    units: Optional[dict[str, str]] = None,
    time_zone: Optional[str] = None,
    strict: bool = False,
) -> pandas.DataFrame:
    """Any CSV or Parquet, in SI units.

    Parameters
    ----------
    files : Paths
        Tables
    columns : Optional[dict[str, str]], optional
        Name here (`time`, `power`, `temperature`, `clock`, `gpu`, …) → column there
    units : Optional[dict[str, str]], optional
        By name
    time_zone : Optional[str], optional
        IANA name.
    strict : bool, optional
        A warning is an error, and nothing is returned.

    Raises
    ------
    InputError
        With everything missing.
    """
    return _read("csv", files, columns=columns, units=units, time_zone=time_zone, strict=strict)
