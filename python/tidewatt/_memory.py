"""Where a fresh result's arrays come from: the run's own memory."""
from __future__ import annotations

import contextlib
from typing import Iterator

import numpy as np

from . import _core
from ._datasets import Column
from .report.read import Group, Missing, ResultFile


class MemorySource:
    """

    Parameters
    ----------
    core
        The finished run; views into it keep it alive.
    """

    def __init__(self, core: _core.RunResult):
        self._core = core
        self.columns: dict[str, list[Column]] = {}
        for path, dims, unit, long_name in core.arrays:
            group, _, name = path[1:].rpartition("/")
            self.columns.setdefault(group, []).append(Column(name, dims, unit, long_name))

    @property
    def provenance(self) -> dict[str, str]:
        """What the run was made from: name to text."""
        return self._core.provenance

    @property
    def payload_sha256(self) -> str:
        """SHA-256 over all arrays."""
        return self._core.payload_sha256

    def values(self, path: str) -> np.ndarray:
        """The array at `path`, such as "/day/pcc_mean_W": a read-only view.

        Raises
        ------
        KeyError
            None there.
        """
        return self._core.values(path)

    def save(self, path: str) -> None:
        """Writes the HDF5 file at `path`, whole or not at all.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
        self._core.save(path)

    @contextlib.contextmanager
    def drawing(self) -> Iterator[ResultFile]:
        """What the report's drawing functions read from."""
        yield _MemoryFile(self)


class _MemoryFile(ResultFile):
    """Looks to the report's drawing functions like the file that the result would be saved as."""

    def __init__(self, source: MemorySource):
        self.summary = source._core.summary
        self.payload_sha256 = source.payload_sha256
        self.provenance = source.provenance
        self._groups = {name: _MemoryGroup(name, source) for name in source.columns}

    def __exit__(self, *_):
        pass


class _MemoryGroup(Group):
    def __init__(self, name: str, source: MemorySource):
        self.name = name
        self.units = {column.name: column.unit for column in source.columns[name]}
        if "time" in self.units:
            self.units["time"] = f"seconds since {source.provenance['start_time']}"
        self._values = source.values

    def __getitem__(self, key: str) -> np.ndarray:
        if key not in self.units:
            raise Missing(f"/{self.name}/{key} is not in the result")
        return self._values(f"/{self.name}/{key}")
