"""Your logs as pandas tables, as `tidewatt import` writes them; the report is in `table.attrs["report"]`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Optional, Sequence, Union

if TYPE_CHECKING:
    import pandas

Paths = Union[str, os.PathLike, Sequence[Union[str, os.PathLike]]]


def _read(kind: str, files: Paths, **options) -> pandas.DataFrame:
    from . import importers

    paths = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    done = importers.import_logs(kind, paths, **options)
    table = done.table
    table.attrs["report"] = done.report.as_dict()
    return table


def read_auto(files: Paths, *, time_zone: Optional[str] = None) -> pandas.DataFrame:
    """Reads a log and detects its kind from the content.

    Parameters
    ----------
    files : Paths
        One path or several of one kind
    time_zone : Optional[str], optional
        IANA name of the clock that wrote times without an offset.

    Raises
    ------
    InputError
        No kind is recognised, nothing usable was read, or the input contradicts itself.
    """
    return _read("auto", files, time_zone=time_zone)


def read_mllog(files: Paths, *, align: Optional[float] = None) -> pandas.DataFrame:
    """MLCommons logs: node power [W] by polling round, or, from a training log alone, its events.

    Parameters
    ----------
    files : Paths
        Node logs, training log, system file
    align : Optional[float], optional
        Shifts the clocks of all nodes to that of the first: iteration time, s; 0: estimated.

    Raises
    ------
    InputError
        No record, or power outside the run.
    """
    return _read("mllog", files, align=align)


def read_nvidia_smi(files: Paths, *, time_zone: Optional[str] = None) -> pandas.DataFrame:
    """nvidia-smi's CSV, dmon, -q or XML: one row per reading and GPU, units in the names.

    Parameters
    ----------
    files : Paths
        Logs
    time_zone : Optional[str], optional
        IANA name of the node's clock.

    Raises
    ------
    InputError
        None of the dialects.
    """
    return _read("nvidia-smi", files, time_zone=time_zone)


def read_prometheus(files: Paths) -> pandas.DataFrame:
    """Exposition text of dcgm-exporter or nvidia_gpu_exporter, or answers of the HTTP API.

    Parameters
    ----------
    files : Paths
        Scrapes or answers.

    Raises
    ------
    InputError
        Neither, an error of the server, or no metric of a GPU.

    Notes
    -----
    """
    return _read("prometheus", files)


def read_rocm_smi(files: Paths) -> pandas.DataFrame:
    """`rocm-smi --json`: one row per card.

    Parameters
    ----------
    files : Paths
        Answers.

    Raises
    ------
    InputError
        No card.
    """
    return _read("rocm-smi", files)


def read_redfish(files: Paths) -> pandas.DataFrame:
    """Redfish resources: one row per reading, with sensor, quantity and value in SI.

    Parameters
    ----------
    files : Paths
        Files or folders.

    Raises
    ------
    InputError
        No JSON, or no reading.

    Notes
    -----
    """
    return _read("redfish", files)


def read_kineto(files: Paths) -> pandas.DataFrame:
    """PyTorch profiler traces: one row per rank [ms]: busy, idle, compute, communication, waiting, transfer, kernel classes.

    Parameters
    ----------
    files : Paths
        One trace per rank.

    Raises
    ------
    InputError
        No trace, nothing on a GPU, or a rank twice.
    """
    return _read("kineto", files)


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


def read_sacct(files: Paths, *, time_zone: Optional[str] = None) -> pandas.DataFrame:
    """Jobs of `sacct --parsable2`, steps left out.

    Parameters
    ----------
    files : Paths
        Tables
    time_zone : Optional[str], optional
        IANA name of the cluster's clock.

    Raises
    ------
    InputError
        No header of sacct.

    Notes
    -----
    """
    return _read("sacct", files, time_zone=time_zone)


def read_squeue(files: Paths, *, time_zone: Optional[str] = None) -> pandas.DataFrame:
    """Jobs of `squeue`.

    Parameters
    ----------
    files : Paths
        Lists or JSON
    time_zone : Optional[str], optional
        IANA name of the cluster's clock.

    Raises
    ------
    InputError
        No known form.
    """
    return _read("squeue", files, time_zone=time_zone)


def read_sinfo(files: Paths) -> pandas.DataFrame:
    """Nodes of `sinfo` with their GPUs.

    Parameters
    ----------
    files : Paths
        Lists or JSON.

    Raises
    ------
    InputError
        No known form.
    """
    return _read("sinfo", files)


def job_occupancy(jobs: pandas.DataFrame) -> pandas.DataFrame:
    """Jobs, nodes and GPUs at work over time, one row per change.

    Parameters
    ----------
    jobs : pandas.DataFrame
        Of `read_sacct` or `read_squeue`.
    """
    from .importers import sacct

    return sacct.occupancy(jobs)


def read_price(
    files: Paths, *, time_zone: Optional[str] = None, columns: Optional[dict[str, str]] = None
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

    Raises
    ------
    InputError
        No price, or two prices for one hour.
    """
    return _read("price", files, time_zone=time_zone, columns=columns)


def read_carbon(
    files: Paths, *, time_zone: Optional[str] = None, columns: Optional[dict[str, str]] = None
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

    Raises
    ------
    InputError
        No intensity, or two values for one hour.
    """
    return _read("carbon", files, time_zone=time_zone, columns=columns)


def read_weather(files: Paths) -> pandas.DataFrame:
    """Open-Meteo JSON, EPW or the product's CSV as `run --weather` takes it: local standard time, °C, %, Pa.

    Parameters
    ----------
    files : Paths
        Of one place.

    Raises
    ------
    InputError
        None of the formats, or times that do not rise.

    Notes
    -----
    """
    return _read("weather", files)


def read_requests(
    files: Paths, *, time_zone: Optional[str] = None, columns: Optional[dict[str, str]] = None
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

    Raises
    ------
    InputError
        No request.
    """
    return _read("requests", files, time_zone=time_zone, columns=columns)


def offered_load(requests: pandas.DataFrame, step_s: float = 60.0) -> pandas.DataFrame:
    """Requests, prefill and decode tokens per second by intervals.

    Parameters
    ----------
    requests : pandas.DataFrame
        Of `read_requests`
    step_s : float, default 60.0
        Length, s, above 0.
    """
    from .importers import requests as reader

    return reader.offered_load(requests, step_s)


def read_power(files: Paths, *, columns: Optional[dict[str, str]] = None, units: Optional[dict[str, str]] = None, time_zone: Optional[str] = None,
               align: Optional[float] = None) -> pandas.DataFrame:  # fmt: skip
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

    Raises
    ------
    InputError
        No time or no watts.
    """
    return _read("power", files, columns=columns, units=units, time_zone=time_zone, align=align)


def read_csv(
    files: Paths,
    *,
    columns: Optional[dict[str, str]] = None,
    units: Optional[dict[str, str]] = None,
    time_zone: Optional[str] = None,
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

    Raises
    ------
    InputError
        With everything missing.
    """
    return _read("csv", files, columns=columns, units=units, time_zone=time_zone)
