"""A result as plain numpy arrays: what the pictures are drawn from."""
from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import Callable

import numpy as np

from .. import _core
from .._chance import chance_beside


class Missing(Exception):
    """The result lacks data for a picture; the message names it."""


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

    Raises
    ------
    CorruptFileError
        The file is not as it was written.
    InputError
        The file cannot be read, or is no result.
    """

    def __init__(self, source: str | os.PathLike[str] | _core.RunResult | _core.ResultFile):
        core = _core.ResultFile(os.fspath(source)) if isinstance(source, (str, os.PathLike)) else source
        self.path = Path(getattr(core, "path", ""))
        self.summary: dict = core.summary
        self.payload_sha256: str = core.payload_sha256
        self.provenance: dict[str, str] = core.provenance
        self.chance: dict = chance_beside(getattr(core, "path", ""), self.payload_sha256)
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
        """The group `name`. @raises Missing: no such group, or nothing in it."""
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
