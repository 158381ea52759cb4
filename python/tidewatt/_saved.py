"""Where a saved result's arrays come from: its HDF5 file."""
from __future__ import annotations

import contextlib
import io
import pathlib
import shutil
from typing import Iterator

import h5py
import numpy as np

from . import _core
from ._datasets import Column
from .report.read import Missing, ResultFile


class SavedSource:
    """A file, opened for reading only while something is read.

    Parameters
    ----------
    file : str or bytes
        Its path, or its content, as a pickled result brings it along.
    """

    def __init__(self, file: str | bytes):
        self.path = file if isinstance(file, str) else None
        self._content = file if isinstance(file, bytes) else None
        self.columns: dict[str, list[Column]] = {}
        with ResultFile(self._readable()) as read, h5py.File(self._readable(), "r") as tree:
            self.provenance = read.provenance
            self.payload_sha256 = read.payload_sha256
            if not read.payload_sha256:
                raise _core.InputError(f"{self.path or 'a pickled result'}: not a result of tidewatt")
            self.summary_json = tree.attrs.get("summary_json", "{}")
            for name in read.names(""):
                with contextlib.suppress(Missing):  # an empty group
                    self.columns[name] = [_column(tree[name][key]) for key in read.group(name).units]
        self._cache: dict[str, np.ndarray] = {}

    def values(self, path: str) -> np.ndarray:
        """The array at `path`, such as "/day/pcc_mean_W", read once and kept, read-only.

        Raises
        ------
        KeyError
            None there.
        """
        if path not in self._cache:
            with h5py.File(self._readable(), "r") as tree:
                item = tree[path]
                is_text = h5py.check_string_dtype(item.dtype) is not None
                data = item.asstr()[()] if is_text else item[()]
            data.setflags(write=False)
            self._cache[path] = data
        return self._cache[path]

    def save(self, path: str) -> None:
        """Copies the file to `path`.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
        try:
            if self.path is not None:
                shutil.copyfile(self.path, path)
            else:
                pathlib.Path(path).write_bytes(self._content)
        except OSError as error:
            raise _core.OutputError(f"{path}: {error.strerror or error}") from error

    @contextlib.contextmanager
    def drawing(self) -> Iterator[ResultFile]:
        """What the report's drawing functions read from, open meanwhile."""
        with ResultFile(self._readable()) as file:
            yield file

    def _readable(self) -> str | io.BytesIO:
        return self.path if self.path is not None else io.BytesIO(self._content)


def _column(item: h5py.Dataset) -> Column:
    dims = tuple(dim[0].name.rpartition("/")[2] if len(dim) else dim.label for dim in item.dims)
    name = item.name.rpartition("/")[2]
    if h5py.h5ds.is_scale(item.id):
        dims = (name,)
    return Column(name, dims, str(item.attrs.get("units", "")), str(item.attrs.get("long_name", "")))
