"""Logs of your own as pandas tables: what `tidewatt import` writes, with its report in `table.attrs["report"]`."""

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
    """A log whose kind its content tells.

    @param files: one path or several of one kind; @param time_zone: IANA name of the clock that wrote times without an offset.
    @raises InputError: no kind is recognised, nothing usable was read, or the input contradicts itself.
    """
    return _read("auto", files, time_zone=time_zone)


def read_mllog(files: Paths, *, align: Optional[float] = None) -> pandas.DataFrame:
    """MLCommons logs: node power [W] by polling round, or, from a training log alone, its events.

    @param files: node logs, training log, system file; @param align: node clocks on the first one's: iteration time in s, 0 finds it.
    @raises InputError: no record, or power outside the run.
    """
    return _read("mllog", files, align=align)


def read_nvidia_smi(files: Paths, *, time_zone: Optional[str] = None) -> pandas.DataFrame:
    """nvidia-smi's CSV, dmon, -q or XML: one row per reading and GPU, units in the names.

    @param files: logs; @param time_zone: IANA name of the node's clock. @raises InputError: none of the dialects.
    """
    return _read("nvidia-smi", files, time_zone=time_zone)


def read_prometheus(files: Paths) -> pandas.DataFrame:
    """Exposition text of dcgm-exporter or nvidia_gpu_exporter, or answers of the HTTP API. @param files: scrapes or answers.

    @raises InputError: neither, an error of the server, or no metric of a GPU.
    """
    return _read("prometheus", files)


def read_rocm_smi(files: Paths) -> pandas.DataFrame:
    """`rocm-smi --json`: one row per card. @param files: answers. @raises InputError: no card."""
    return _read("rocm-smi", files)


def read_redfish(files: Paths) -> pandas.DataFrame:
    """Redfish resources: one row per reading, with sensor, quantity and value in SI. @param files: files or folders.

    @raises InputError: no JSON, or no reading.
    """
    return _read("redfish", files)


def read_kineto(files: Paths) -> pandas.DataFrame:
    """PyTorch profiler traces: one row per rank [ms]: busy, idle, compute, communication, waiting, transfer, kernel classes.

    @param files: one trace per rank. @raises InputError: no trace, nothing on a GPU, or a rank twice.
    """
    return _read("kineto", files)


def read_profile(path: Union[str, os.PathLike]):
    """The workload entry of a profile (`tidewatt import kineto … -o entry.toml`), with `step_s(clock_ratio, n_rank)`.

    @param path: the entry. @raises InputError: it is none.
    """
    from .importers import profile

    return profile.load(path)


def read_sacct(files: Paths, *, time_zone: Optional[str] = None) -> pandas.DataFrame:
    """Jobs of `sacct --parsable2`, steps left out. @param files: tables; @param time_zone: IANA name of the cluster's clock.

    @raises InputError: no header of sacct.
    """
    return _read("sacct", files, time_zone=time_zone)


def read_squeue(files: Paths, *, time_zone: Optional[str] = None) -> pandas.DataFrame:
    """Jobs of `squeue`. @param files: lists or JSON; @param time_zone: IANA name of the cluster's clock. @raises InputError: no known form."""
    return _read("squeue", files, time_zone=time_zone)


def read_sinfo(files: Paths) -> pandas.DataFrame:
    """Nodes of `sinfo` with their GPUs. @param files: lists or JSON. @raises InputError: no known form."""
    return _read("sinfo", files)


def job_occupancy(jobs: pandas.DataFrame) -> pandas.DataFrame:
    """Jobs, nodes and GPUs at work over time, one row per change. @param jobs: of `read_sacct` or `read_squeue`."""
    from .importers import sacct

    return sacct.occupancy(jobs)


def read_price(
    files: Paths, *, time_zone: Optional[str] = None, columns: Optional[dict[str, str]] = None
) -> pandas.DataFrame:
    """Prices per MWh by the hour; missing hours are listed in the report, never filled.

    @param files: tables; @param time_zone: IANA name of local times without an offset; @param columns: `time` and `price`.
    @raises InputError: no price, or two prices for one hour.
    """
    return _read("price", files, time_zone=time_zone, columns=columns)


def read_carbon(
    files: Paths, *, time_zone: Optional[str] = None, columns: Optional[dict[str, str]] = None
) -> pandas.DataFrame:
    """Carbon intensity [g/kWh] and generation [MW] by the hour, doubtful rows flagged.

    @param files: tables; @param time_zone: IANA name of local times without an offset; @param columns: `time` and `carbon`.
    @raises InputError: no intensity, or two values for one hour.
    """
    return _read("carbon", files, time_zone=time_zone, columns=columns)


def read_weather(files: Paths) -> pandas.DataFrame:
    """Open-Meteo JSON, EPW or the product's CSV as `run --weather` takes it: local standard time, °C, %, Pa. @param files: of one place.

    @raises InputError: none of the formats, or times that do not rise.
    """
    return _read("weather", files)


def read_requests(
    files: Paths, *, time_zone: Optional[str] = None, columns: Optional[dict[str, str]] = None
) -> pandas.DataFrame:
    """Requests of a language-model service: arrival [s] and tokens.

    @param files: logs; @param time_zone: IANA name; @param columns: `time`, `input_tokens`, `output_tokens`. @raises InputError: no request.
    """
    return _read("requests", files, time_zone=time_zone, columns=columns)


def offered_load(requests: pandas.DataFrame, step_s: float = 60.0) -> pandas.DataFrame:
    """Requests, prefill and decode tokens per second by intervals. @param requests: of `read_requests`; @param step_s: length, s, above 0."""
    from .importers import requests as reader

    return reader.offered_load(requests, step_s)


def read_power(files: Paths, *, columns: Optional[dict[str, str]] = None, units: Optional[dict[str, str]] = None, time_zone: Optional[str] = None,
               align: Optional[float] = None) -> pandas.DataFrame:  # fmt: skip
    """Any CSV or Parquet with a time and watts.

    @param files: tables; @param columns: name here → column there; @param units: W, kW or MW by name; @param time_zone: IANA name;
    @param align: node clocks on the first one's: iteration time in s, 0 finds it. @raises InputError: no time or no watts.
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

    @param files: tables; @param columns: name here (`time`, `power`, `temperature`, `clock`, `gpu`, …) → column there; @param units: by name;
    @param time_zone: IANA name. @raises InputError: with everything missing.
    """
    return _read("csv", files, columns=columns, units=units, time_zone=time_zone)
