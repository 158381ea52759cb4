"""Where a result's arrays come from: the memory of a run, or a file whose hash has been checked."""
from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator

import numpy as np

from . import _core
from ._chance import chance_beside, file_beside
from ._datasets import Column, dataset, with_step_s
from .report.read import ResultFile, figures_of, reading

if TYPE_CHECKING:
    import xarray


class Source:
    """`core`: the finished run or the opened file; views into it keep it alive."""

    def __init__(self, core: _core.RunResult | _core.ResultFile):
        self._core = core
        self.chance: dict[str, Any] = chance_beside(getattr(core, "path", ""), core.payload_sha256)
        """Of the headlines, as it lies beside the file or a study has found it: see `chance_beside`; empty where it is not known."""
        self.columns: dict[str, list[Column]] = {}
        for path, dims, unit, long_name in core.arrays:
            group, _, name = path[1:].rpartition("/")
            self.columns.setdefault(group, []).append(Column(name, dims, unit, long_name))

    @property
    def path(self) -> str | None:
        """The result's file, as long as it is there; None for a run that has just ended."""
        path = getattr(self._core, "path", "")
        return path if path and os.path.exists(path) else None

    @property
    def provenance(self) -> dict[str, str]:
        """What the run was made from: name to text."""
        return self._core.provenance

    @property
    def summary_text(self) -> str:
        """What `tidewatt run` prints: sentences, then a table."""
        return self._core.summary_text

    @property
    def payload_sha256(self) -> str:
        """SHA-256 over all arrays."""
        return self._core.payload_sha256

    def values(self, path: str) -> np.ndarray:
        """The array at `path`, such as "/day/pcc_mean_W": a read-only view. Raises KeyError: none there."""
        return self._core.values(path)

    @property
    def figures(self) -> dict[str, Any]:
        """The summary by key. Raises InputError: the file has figures that no run writes."""
        return figures_of(self._core)

    def dataset(self, group: str, end_s: float | None) -> xarray.Dataset:
        """A `group` with units and calendar time; rows of `day` also have their lengths, the last one until `end_s`.

        Parameters
        ----------
        group, end_s
            Its name; end of the run, s since its start.

        Raises
        ------
        InputError
            The file holds what no run writes.
        """
        with reading(self.path or ""):
            made = dataset(group, self.columns[group], self.values, self.provenance.get("start_time"))
            return with_step_s(made, self.values("/day/time"), end_s) if group == "day" else made

    def save(self, path: str) -> None:
        """Writes the HDF5 file at `path`, completely or not at all, and the chance of the headlines beside it where it is known.
        Raises OutputError: it cannot be written."""
        self._core.save(path)
        if self.chance:
            file_beside(path).write_text(json.dumps(self.chance, indent=1) + "\n", encoding="utf-8")

    def __reduce__(self):
        with self.file() as path:
            return unpickled, (Path(path).read_bytes(), self.chance)

    @contextlib.contextmanager
    def file(self) -> Iterator[str]:
        """A file of it: its own, or one that lasts as long as it is needed."""
        if self.path is not None:
            yield self.path
            return
        with in_a_folder() as path:
            self.save(path)
            yield path

    @contextlib.contextmanager
    def drawing(self) -> Iterator[ResultFile]:
        """What the report's drawing functions read from."""
        yield ResultFile(self._core, self.chance)


@contextlib.contextmanager
def in_a_folder() -> Iterator[str]:
    """Where a result's file may be, for a moment."""
    with tempfile.TemporaryDirectory(prefix="tidewatt-") as folder:
        yield os.path.join(folder, "result.h5")


def unpickled(content: bytes, chance: dict[str, Any]) -> Source:
    """A source that comes back from a pickle.

    Parameters
    ----------
    content, chance
        Bytes of its file; the chance of its headlines.
    """
    with in_a_folder() as path:
        Path(path).write_bytes(content)
        source = Source(_core.ResultFile(path))  # decoded from memory: the file may go
    source.chance = chance
    return source
