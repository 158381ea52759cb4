"""A result as plain numpy arrays: what the pictures are drawn from."""
from __future__ import annotations

import contextlib
import datetime
import math
import os
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np

from .. import _core
from .._chance import chance_beside


UNITS = ("W", "MW", "MWh", "s", "K", "degC", "Hz", "MHz", "mHz", "percent", "kg", "USD")  # a figure with one at its end is no text


class Missing(Exception):
    """The result lacks data for a picture; the message names it."""


@contextlib.contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[None]:
    """Lays what goes wrong in its block to the file at `path`. A hash that fits does not tell who wrote a file: whoever edits one can
    compute its hash anew. A run in memory has no path, and its errors are ours.

    Raises
    ------
    InputError
        In the place of Python's own errors.
    """
    try:
        yield
    except (_core.Error, Missing):
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, StopIteration, TypeError, ValueError) as error:
        if not os.fspath(path):
            raise
        raise _core.InputError(f"{os.fspath(path)}: holds figures or arrays that no run writes ({type(error).__name__}: {error})") from error


def figures_of(core: _core.RunResult | _core.ResultFile) -> dict[str, Any]:
    """The figures of a finished run or a file.

    Parameters
    ----------
    core : _core.RunResult | _core.ResultFile
        The run or the file.

    Raises
    ------
    InputError
        A file has no figures, or such as no run writes; the message names the key.
    """
    path = getattr(core, "path", "")
    with reading(path):
        figures = core.summary
    if not path:
        return figures
    if not isinstance(figures, dict):
        raise _core.InputError(f"{path}: summary_json holds no figures by name")
    checks = {
        "simulated_s": lambda x: _is_number(x) and 0.0 < x < math.inf,
        "jobs": lambda x: isinstance(x, list) and all(isinstance(job, dict) for job in x),
        "limiter_share": lambda x: isinstance(x, dict) and all(map(_is_number, x.values())),
        "throughput_min_hours": lambda x: isinstance(x, list) and all(map(_is_number, x)),
    }
    for key, fits in checks.items():
        if figures.get(key) is not None and not fits(figures[key]):
            raise _core.InputError(f"{path}: {key}: {str(figures[key])[:60]!r} is no such figure of a run")
    for key, value in figures.items():
        if key.rpartition("_")[2] in UNITS and isinstance(value, (str, bool)):
            raise _core.InputError(f"{path}: {key}: {str(value)[:60]!r} is no number")
    return figures


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class Group:
    """The arrays of one group by name, each with its unit. Asking for one that is absent or empty raises Missing."""

    def __init__(self, name: str, units: dict[str, str], values: Callable[[str], np.ndarray]):
        self.name = name
        self.units = units
        self._values = values

    def __contains__(self, key: str) -> bool:
        return key in self.units

    def __getitem__(self, key: str) -> np.ndarray:
        if key not in self.units:
            raise Missing(f"/{self.name}/{key} is not in the file")
        values = self._values(f"/{self.name}/{key}")
        if values.size == 0:
            raise Missing(f"/{self.name}/{key} holds no values")
        return values

    @property
    def start(self) -> datetime.datetime | None:
        """Local time of second 0, from the CF units of `time`."""
        _, _, text = self.units.get("time", "").partition(" since ")
        try:
            return datetime.datetime.fromisoformat(text.strip()).replace(tzinfo=None)
        except ValueError:
            return None


class ResultFile:
    """Read-only view of one result; arrays are read when first used. Use as a context manager.

    Parameters
    ----------
    source : path or finished run
        A result file, which is read only if its hash fits, or a run in memory.
    chance : dict, optional
        Of its headlines, as `chance_beside` gives it; None: what lies beside the file.

    Raises
    ------
    CorruptFileError
        The file is not as it was written.
    InputError
        The file cannot be read, or is no result.
    """

    def __init__(self, source: str | os.PathLike[str] | _core.RunResult | _core.ResultFile, chance: dict[str, Any] | None = None):
        core = _core.ResultFile(os.fspath(source)) if isinstance(source, (str, os.PathLike)) else source
        self.path = Path(getattr(core, "path", ""))
        self.summary: dict = figures_of(core)
        self.payload_sha256: str = core.payload_sha256
        self.provenance: dict[str, str] = core.provenance
        self.chance: dict = chance_beside(getattr(core, "path", ""), self.payload_sha256) if chance is None else chance
        units: dict[str, dict[str, str]] = {}
        for path, _, unit, _ in core.arrays:
            group, _, name = path[1:].rpartition("/")
            is_time = name == "time" and "start_time" in self.provenance
            units.setdefault(group, {})[name] = f"seconds since {self.provenance['start_time']}" if is_time else unit
        self._groups = {name: Group(name, of_group, core.values) for name, of_group in units.items()}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def group(self, name: str) -> Group:
        """The group `name`. Raises Missing: no such group, or nothing in it."""
        group = self._groups.get(name)
        if group is None or not group.units:
            raise Missing(f"/{name} is not in the file")
        return group

    def edges(self, name: str) -> np.ndarray:
        """Edges in s, shape (n + 1,), of the steps or hours of the group `name`; the last one ends with the run."""
        t, end_s = self.group(name)["time"], self.figure("simulated_s")
        if not end_s > t[-1]:
            end_s = t[-1] + (t[-1] - t[-2] if len(t) > 1 else 1.0)
        return np.append(t, end_s)

    def names(self, prefix: str) -> list[str]:
        """Names of the groups that begin with a `prefix`."""
        return [name for name in self._groups if name.startswith(prefix)]

    @property
    def iteration_s(self) -> float:
        """Length of an iteration of the first job, s, which pictures mark: the mean over several jobs is no job's. NaN without one."""
        jobs = self.summary.get("jobs") or [{}]
        value = jobs[0].get("iteration_s", self.summary.get("iteration_s"))
        return float(value) if isinstance(value, (int, float)) else float("nan")

    def figure(self, key: str) -> float:
        """The number `key` of the summary; NaN where it is null or absent."""
        value = self.summary.get(key)
        return float(value) if isinstance(value, (int, float)) else float("nan")
