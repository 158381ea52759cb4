"""Results, in memory or from a file, behind one face."""
from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator

from ._datasets import dataset
from ._plot import Plot

if TYPE_CHECKING:
    import numpy
    import xarray

    from . import _core
    from ._load import Scenario


class Result:
    """What a run leaves behind: figures, and arrays in groups. Made by `run`, `Engine.finish` and `open`; read-only.

        result.summary["pue"]
        result["day"]                      # an xarray.Dataset; `result.groups` names them all
        result.array("/day/pcc_mean_W")    # numpy, SI units
        result.plot.day()
    """

    def __init__(self, source: Any, summary: dict[str, Any]):
        self._source = source
        self.summary: dict[str, Any] = summary
        """The figures of `tidewatt run --json`; None where one does not apply."""
        self._datasets: dict[str, xarray.Dataset] = {}

    @property
    def groups(self) -> list[str]:
        """Names of the groups of arrays, e.g. `day` (one row per macro step), `hourly`, `fleet`, `waveform_…`."""
        return list(self._source.columns)

    @property
    def provenance(self) -> dict[str, str]:
        """Where it comes from: scenario text, start time, seed, version, weather, wall time, threads, compiler."""
        return self._source.provenance

    @property
    def payload_sha256(self) -> str:
        """SHA-256 over all arrays: equal for equal results, whatever machine or thread count made them."""
        return self._source.payload_sha256

    def array(self, path: str) -> numpy.ndarray:
        """One array as it is stored, e.g. "/day/pcc_mean_W": SI units, time in s since the start; read-only.

        After `run` this is a view into the run's memory, which lives as long as any view does.
        @raises KeyError: if there is none of that path.
        """
        return self._source.values(path)

    def to_xarray(self, group: str | None = None):
        """A group as xarray.Dataset; without a name all of them, as a dict.

        Variables carry `units` and `long_name`; `time` is datetime64[ns], local standard time; arrays are read-only
        views where nothing had to be decoded.
        @raises KeyError: if there is no such group.
        """
        if group is None:
            return {name: self[name] for name in self.groups}
        if group not in self._source.columns:
            raise KeyError(f"no group {group!r}; there are {', '.join(self.groups)}")
        if group not in self._datasets:
            columns = self._source.columns[group]
            self._datasets[group] = dataset(group, columns, self._source.values, self.provenance.get("start_time"))
        return self._datasets[group].copy(deep=False)

    def __getitem__(self, group: str) -> xarray.Dataset:
        return self.to_xarray(group)

    def __contains__(self, group: object) -> bool:
        return group in self._source.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def plot(self) -> Plot:
        """The report's pictures as matplotlib figures: `result.plot.day()`, `.waveform()`, `.spectrum()`, …"""
        return Plot(self._source.drawing)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the HDF5 file that `tidewatt run` writes, whole or not at all; an older one is replaced.

        @param path: in a folder that exists.
        @raises OutputError: if it cannot be written.
        """
        self._source.save(os.fspath(path))
        self.summary["result_file"] = os.fspath(path)
        return Path(path)

    def report(self, out_dir: str | os.PathLike[str]) -> list[Path]:
        """Draws everything into a folder: PNG, SVG and one page that needs no network.

        @param out_dir: the folder; made if needed.
        @returns the paths written, the page (`report.html`) first.
        """
        from . import report

        return report.write(self._source._core, out_dir)

    def __repr__(self) -> str:
        figures = "\n".join(f"  {key:<32} {_shown(value)}" for key, value in self.summary.items())
        return f"<tidewatt.Result>\n{figures}\n  groups: {', '.join(self.groups)}"

    def _repr_html_(self) -> str:
        from ._look import result_html

        return result_html(self.summary, {name: [c.name for c in columns] for name, columns in self._source.columns.items()})


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_shown(item)}" for key, item in value.items())
    if isinstance(value, list):
        return "; ".join(_shown(item) for item in value)
    return str(value)


def from_memory(core: _core.RunResult, scenario: Scenario) -> Result:
    """The result of a run that has just ended. Its summary has the keys of `run --json`.

    @param core: the finished run.
    @param scenario: what was run.
    """
    from ._source import Source

    figures = list(core.summary.items())
    figures.insert(2, ("wall_s", core.wall_s))
    summary = dict(figures)
    summary["result_file"] = None
    summary["jobs"] = summary.pop("jobs")  # last, as the command prints it
    return Result(Source(core), summary)


def open(path: str | os.PathLike[str]) -> Result:
    """A saved result, with the same face as a fresh one. The file's hash is checked before anything else reads it; arrays are
    decoded when first asked for, from memory; the file is not kept open.

    @param path: an HDF5 file that `tidewatt run` or `Result.save` wrote.
    @raises FileNotFoundError: if it is not there.
    @raises CorruptFileError: if it is not, bit for bit, what tidewatt wrote.
    @raises InputError: if it cannot be read.
    """
    from . import _core
    from ._source import Source

    os.stat(path)
    core = _core.ResultFile(os.fspath(path))
    return Result(Source(core), core.summary)
