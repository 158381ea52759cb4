"""Results, in memory or from a file."""
from __future__ import annotations

import copy
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterator, Sequence

from ._chance import summary_with_ends, with_chance
from ._datasets import resampled
from ._given import Figures, unknown
from ._plot import Plot

if TYPE_CHECKING:
    import numpy
    import pandas
    import xarray

    from ._load import Path as AnyPath, Scenario
    from ._machines import MachineAnswer
    from ._study import Answer


class Result:
    """The outcome of a run: figures, and arrays in groups. Made by `run`, `Engine.finish` and `open`; read-only.

    A result can be copied and pickled, hence returned from other processes. `print` shows its summary.

    Examples
    --------
    >>> result.summary["pue"]
    >>> result["day"]  # an xarray.Dataset; `result.groups` names them all
    >>> result.array("/day/pcc_mean_W")  # numpy, SI units
    >>> result.plot.day()
    """

    def __init__(self, source: Any, summary: dict[str, Any], scenario: Scenario | None = None):
        self._source = source
        self._scenario = scenario
        self.summary: dict[str, Any] = Figures(summary)
        """The figures of `tidewatt run --json`; None where one does not apply."""
        self._datasets: dict[str, xarray.Dataset] = {}

    @property
    def groups(self) -> list[str]:
        """Names of the groups of arrays, e.g. `day` (one row per macro step), `hourly`, `fleet`, `waveform_…`."""
        return list(self._source.columns)

    @property
    def provenance(self) -> dict[str, str]:
        """Origin of the result: scenario text, start time, seed, version, weather, run time, threads, compiler."""
        return self._source.provenance

    @property
    def payload_sha256(self) -> str:
        """SHA-256 over all arrays: equal for equal results, on any machine and number of threads."""
        return self._source.payload_sha256

    def array(self, path: str) -> numpy.ndarray:
        """One array as it is stored, e.g. "/day/pcc_mean_W": SI units, time in s since the start; read-only.

        After `run` this is a view of the run's memory, which exists as long as any view does.

        Raises
        ------
        KeyError
            Unknown path.
        """
        try:
            return self._source.values(path)
        except KeyError:
            raise KeyError(unknown("array", path, [f"/{g}/{column.name}" for g, columns in self._source.columns.items() for column in columns])) from None

    def frame(self, group: str) -> pandas.DataFrame:
        """A group as a table, one row per time (or GPU, or frequency).

        Parameters
        ----------
        group : str
            Its name, such as "day" or "fleet".

        Returns
        -------
        pandas.DataFrame
            A column per array; units are in the names.

        Raises
        ------
        KeyError
            Unknown group; the message names the nearest and lists all.
        """
        return self.to_xarray(group).to_dataframe()

    def to_xarray(self, group: str | None = None):
        """A group as xarray.Dataset; without a name all of them, as a dict.

        Variables carry `units` and `long_name`; `time` is datetime64[ns], local standard time; arrays that need no decoding are read-only
        views. The rows of `day` have unequal lengths, `step_s`: weight means with it, or use `resampled`.

        Raises
        ------
        KeyError
            Unknown group.
        InputError
            The file holds what no run writes.
        """
        if group is None:
            return {name: self[name] for name in self.groups}
        if group not in self._source.columns:
            raise KeyError(unknown("group", group, self.groups))
        if group not in self._datasets:
            self._datasets[group] = self._source.dataset(group, self.summary.get("simulated_s"))
        return self._datasets[group].copy(deep=False)

    def resampled(self, step_s: float = 300.0) -> xarray.Dataset:
        """The group `day` as exact means over equal intervals, so that two runs can be subtracted and all rows weigh the same.

        The rows of `day` are macro steps of unequal lengths (`step_s` in the dataset), which differ between runs.

        Parameters
        ----------
        step_s : float, default 300
            Length of the intervals, s; an incomplete last one is left out.

        Returns
        -------
        xarray.Dataset
            Time is the start of each interval, local standard time.

        Raises
        ------
        ValueError
            `step_s` is not above 0, or longer than the run.

        Examples
        --------
        >>> change_W = capped.resampled()["pcc_mean_W"] - result.resampled()["pcc_mean_W"]
        """
        return resampled(self["day"], self._source.values("/day/time"), self.summary["simulated_s"], step_s)

    def __getitem__(self, group: str) -> xarray.Dataset:
        return self.to_xarray(group)

    def __contains__(self, group: object) -> bool:
        return group in self._source.columns

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.groups)

    def __iter__(self) -> Iterator[str]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def plot(self) -> Plot:
        """The report's pictures as matplotlib figures: `result.plot.day()`, `.waveform()`, `.spectrum()`, …"""
        return Plot(self._source.drawing)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the HDF5 file that `tidewatt run` writes, complete or not at all; replaces an existing file.

        Parameters
        ----------
        path : str | os.PathLike[str]
            The file; its folder must exist.

        Raises
        ------
        OutputError
            The file cannot be written.
        """
        self._source.save(os.fspath(path))
        self.summary["result_file"] = os.fspath(path)
        return Path(path)

    def report(self, out_dir: str | os.PathLike[str], pictures: bool = False, only: Sequence[str] = (), *, contract_MW: float | None = None) -> list[Path]:
        """Writes one page that needs no network, and pictures on request, into a folder.

        Parameters
        ----------
        out_dir, pictures, only, contract_MW
            As for `tidewatt.report.write`: the folder; PNG and SVG too; parts instead of all; a contract on the hottest hour.

        Returns
        -------
        list[Path]
            The paths written, the page (`report.html`) first.
        """
        from . import report

        return report.write(self._source._core, out_dir, pictures, only, contract_MW=contract_MW)

    def export(
        self,
        format: str,
        out: AnyPath | None = None,
        *,
        window: str = "",
        begin_s: float | None = None,
        length_s: float | None = None,
        step_s: float = 0.0,
        peaks: bool = False,
        encoding: str = "binary",
        station: str = "",
        load: str = "PQ_1",
        base_MVA: float = 100.0,
        settings: str = "",
        catalog: str = "",
        bus: int = 1,
        program: str = "",
        drives_only: bool = False,
    ) -> list[Path]:
        """Writes a recorded window, or model records of the load, for another program. As `tidewatt export`.

        Parameters
        ----------
        format : {'comtrade', 'comtrade2013', 'pscad', 'powerfactory', 'opendss', 'andes', 'csv', 'perc1', 'cmpldw', 'linjbl'}
            What to write.
        out : path, optional
            Folder. None: beside the result's file, or the current folder if it has none.
        window : str, optional
            Name of the recorded window; empty: the first.
        begin_s, length_s : float, optional
            Part of the window: first sample since the start of the run, and length, s.
        step_s : float, default 0
            Means over this many seconds; 0: every sample.
        peaks : bool, default False
            Smallest and largest sample of each step instead of its mean.
        encoding : {'binary', 'ascii', 'float32'}
            COMTRADE only.
        station : str, optional
            COMTRADE only: station name; empty: the result's name.
        load, base_MVA : str, float
            ANDES only: idx of the PQ load, and base of the system.
        settings, catalog : str, optional
            perc1, cmpldw only: settings of the load (of kind load_settings, or a file; empty: the scenario's); your folder of catalog files.
        bus, program, drives_only : int, str, bool
            Model records only: the load's bus; program that reads them ('psse36', …); cmpldw: drives alone, beside perc1 (else instead of it).

        Returns
        -------
        list of pathlib.Path
            The files written.

        Raises
        ------
        InputError
            Unknown format or window; the message names the nearest and lists all.
        RefusedError
            Model records differ from the site by more than the limits; no file is written.
        OutputError
            A file could not be written.

        Examples
        --------
        >>> result.export("comtrade", "out")
        """
        from . import _core

        beside = self._source.path is not None
        options = dict(format=format, window=window, folder="" if out is None and beside else os.fspath(out or "."), begin_s=begin_s,
                       length_s=length_s, step_s=step_s, peaks=peaks, encoding=encoding, station=station, load=load,
                       base_MVA=base_MVA, settings=settings, catalog=catalog, bus=bus, program=program, drives_only=drives_only)  # fmt: skip
        with self._source.file() as path:
            files, warned = _core.export_window(path, options)
        for text in warned:
            warnings.warn(text, stacklevel=2)
        return [Path(file) for file in files]

    def machines(self, case: str = "kundur_two_area", **options: Any) -> MachineAnswer:
        """This result's waveform on a power system of several machines.

        Parameters
        ----------
        case : str, default 'kundur_two_area'
            Catalog entry of kind grid_case.
        **options
            As for `tidewatt.machines`: `bus`, `window`, `begin_s`, `length_s`, …

        Returns
        -------
        MachineAnswer
            As `tidewatt.machines`.
        """
        from ._machines import machines

        return machines(self, case=case, **options)

    def interval(self, *, draws: int = 32, progress: Callable[[], object] | None = None) -> Result:
        """Finds where the headlines lie over other fleets, instants of events, inputs and days: see `tidewatt.interval`.

        Afterwards `summary` has `K_p05`, `K_p50` and `K_p95` of each headline K; `print`, pictures and reports show them, and `save` keeps
        them beside the file, as `tidewatt run` does.

        Parameters
        ----------
        draws, progress
            As for `tidewatt.interval`: runs with all assumed inputs drawn; called every 50 ms.

        Returns
        -------
        Result
            This one.

        Raises
        ------
        TypeError, ValueError
            The result was read from a file, which holds no scenario (`tidewatt.interval` takes one); `draws` is outside 2 to 4096.

        Examples
        --------
        >>> result = tw.run("llama3_405b_day").interval()
        >>> result.summary["throughput_swing_percent_p95"]
        """
        from ._study import chance_of

        self._source.chance = chance_of(None, self, draws, progress)
        self.summary = Figures(summary_with_ends(self.summary, self._source.chance))
        return self

    def text(self, key: str, digits: int = 0) -> str:
        """A figure of the summary in words: its value, unit and, after `interval`, the ends of its 90 % interval in brackets.

        Parameters
        ----------
        key, digits
            Of `summary`; significant digits, 0: the figure's own.

        Raises
        ------
        KeyError
            Unknown key; the message names the nearest.

        Examples
        --------
        >>> result.text("throughput_swing_percent", 2)
        '1.2 % (0.98 to 3.5)'
        """
        from ._look import in_words

        return in_words(self.summary, key, digits)

    def explain(self, scenario: Scenario | AnyPath | None = None, **options: Any) -> Answer:
        """Why throughput changes over this run, and what would help.

        Parameters
        ----------
        scenario : Scenario or path, optional
            Scenario of the run; needed for a result read from a file.
        **options
            As for `tidewatt.explain`: `fleets`, `threads`, `progress`.

        Returns
        -------
        Answer
            As `tidewatt.explain`.

        Raises
        ------
        InputError
            The run has fewer than two hours with 15 iterating minutes.
        TypeError
            The result was read from a file, and no scenario is given.
        """
        from ._study import explain

        return explain(scenario, self, **options)

    def __copy__(self) -> Result:
        return Result(self._source, dict(self.summary), self._scenario)

    def __deepcopy__(self, memo: dict[int, Any]) -> Result:
        return Result(self._source, copy.deepcopy(self.summary, memo), self._scenario)  # arrays never change

    def __reduce__(self):
        return Result, (self._source, self.summary)

    def __repr__(self) -> str:
        from ._look import result_repr

        return result_repr(self.summary, self.groups)

    def __str__(self) -> str:
        return with_chance(self._source) or repr(self)

    def _repr_html_(self) -> str:
        from ._look import result_html

        return result_html(self.summary, {name: [c.name for c in columns] for name, columns in self._source.columns.items()})
