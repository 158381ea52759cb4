"""A result file as plain numpy arrays: what the pictures are drawn from."""
from __future__ import annotations

import datetime
import json
from pathlib import Path

import h5py
import numpy as np


class Missing(Exception):
    """A picture needs something that the file does not hold; the message says what."""


class Group:
    """The arrays of one group by name, each with its unit. Asking for one that is absent or empty raises Missing."""

    def __init__(self, name: str, source: h5py.Group):
        self.name = name
        self.units: dict[str, str] = {}
        self._source = source
        self._cache: dict[str, np.ndarray] = {}
        for key, item in source.items():
            if isinstance(item, h5py.Dataset) and not _is_bare(item):
                self.units[key] = str(item.attrs.get("units", ""))

    def __contains__(self, key: str) -> bool:
        return key in self.units

    def __getitem__(self, key: str) -> np.ndarray:
        if key not in self.units:
            raise Missing(f"/{self.name}/{key} is not in the file")
        if key not in self._cache:
            item = self._source[key]
            is_text = h5py.check_string_dtype(item.dtype) is not None
            self._cache[key] = item.asstr()[()] if is_text else item[()]
        if self._cache[key].size == 0:
            raise Missing(f"/{self.name}/{key} holds no values")
        return self._cache[key]

    @property
    def start(self) -> datetime.datetime | None:
        """Local time of second 0, from the CF units of `time`."""
        _, _, text = self.units.get("time", "").partition(" since ")
        try:
            return datetime.datetime.fromisoformat(text.strip()).replace(tzinfo=None)
        except ValueError:
            return None


class ResultFile:
    """Read-only view of one result file; groups are read when first asked for. Use as a context manager."""

    def __init__(self, path):
        self.path = path if hasattr(path, "read") else Path(path)  # or a file in memory
        self._file = h5py.File(self.path, "r")
        self.summary: dict = json.loads(_text(self._file.attrs.get("summary_json", "{}")))
        self.payload_sha256: str = _text(self._file.attrs.get("payload_sha256", ""))
        self.provenance = self._read_provenance()
        self._groups = {k: Group(k, g) for k, g in self._file.items() if isinstance(g, h5py.Group)}
        self._groups.pop("provenance", None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

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

    def figure(self, key: str) -> float:
        """The number `key` of the summary; NaN where it is null or absent."""
        value = self.summary.get(key)
        return float(value) if isinstance(value, (int, float)) else float("nan")

    def _read_provenance(self) -> dict[str, str]:
        group = self._file.get("provenance")
        if group is None:
            return {}
        out = {key: _text(value) for key, value in group.attrs.items()}
        for key, item in group.items():
            if isinstance(item, h5py.Dataset) and item.shape == () and h5py.check_string_dtype(item.dtype):
                out[key] = item.asstr()[()]
        return out


def _text(value) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _is_bare(item: h5py.Dataset) -> bool:
    return _text(item.attrs.get("NAME", b"")).startswith("This is a netCDF dimension but not a netCDF variable")
