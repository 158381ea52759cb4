"""Where a saved result's arrays come from: its HDF5 file."""
from __future__ import annotations

import contextlib
import shutil
from typing import Iterator

import h5py
import numpy as np

from . import _core
from ._datasets import Column
from .report.read import Missing, ResultFile


class SavedSource:
    """@param path: the file; opened for reading only while something is read."""

    def __init__(self, path: str):
        self.path = path
        self.columns: dict[str, list[Column]] = {}
        with ResultFile(path) as file, h5py.File(path, "r") as tree:
            self.provenance = file.provenance
            self.payload_sha256 = file.payload_sha256
            if not file.payload_sha256:
                raise _core.InputError(f"{path}: not a result of tidewatt")
            self.summary_json = tree.attrs.get("summary_json", "{}")
            for name in file.names(""):
                with contextlib.suppress(Missing):  # an empty group
                    self.columns[name] = [_column(tree[name][key]) for key in file.group(name).units]
        self._cache: dict[str, np.ndarray] = {}

    def values(self, path: str) -> np.ndarray:
        """The array at `path`, such as "/day/pcc_mean_W", read once and kept, read-only.

        @raises KeyError: none there.
        """
        if path not in self._cache:
            with h5py.File(self.path, "r") as tree:
                item = tree[path]
                is_text = h5py.check_string_dtype(item.dtype) is not None
                data = item.asstr()[()] if is_text else item[()]
            data.setflags(write=False)
            self._cache[path] = data
        return self._cache[path]

    def save(self, path: str) -> None:
        """Copies the file to `path`. @raises OutputError: if it cannot be written."""
        try:
            shutil.copyfile(self.path, path)
        except OSError as error:
            raise _core.OutputError(f"{path}: {error.strerror or error}") from error

    @contextlib.contextmanager
    def drawing(self) -> Iterator[ResultFile]:
        """What the report's drawing functions read from, open meanwhile."""
        with ResultFile(self.path) as file:
            yield file


def _column(item: h5py.Dataset) -> Column:
    dims = tuple(dim[0].name.rpartition("/")[2] if len(dim) else dim.label for dim in item.dims)
    name = item.name.rpartition("/")[2]
    if h5py.h5ds.is_scale(item.id):
        dims = (name,)
    return Column(name, dims, str(item.attrs.get("units", "")), str(item.attrs.get("long_name", "")))
