"""Variants of a scenario: sweeps, sensitivity and comparison; and new scenarios."""
from __future__ import annotations

import concurrent.futures
import os
import tempfile
from pathlib import Path as _FilePath
from typing import TYPE_CHECKING, Any, Mapping, Optional

from . import _core
from ._given import number, unknown, whole_number
from ._load import Overrides, Path, Scenario, _absolute, _assignments, _toml, load
from ._progress import Progress, reporter
from ._sweep_executor import map_cases
from ._sweep_worker import Job
from ._write import anew, parquet, whole

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


NEW_NAMES = ("rack", "gpu", "server", "plant", "climate", "model", "network", "feeder", "grid")


class SweepTable:
    """Result of a sweep: one row per case, the varied keys first. Made by `tidewatt.sweep`."""

    def __init__(self, columns: list[tuple[str, Any]], refusal: str, folder: str, mode: str):
        self._columns = columns
        self._refusal = refusal
        self.folder = folder
        """Folder of the cases, `table.csv`, `table.h5` and, for some modes, `analysis.csv`."""
        self.mode = mode
        """How the cases were chosen."""

    @property
    def frame(self) -> pandas.DataFrame:
        """The table, shape (n_case, n_column). Headings end with the unit; a figure of a failed case is NaN."""
        import pandas

        return pandas.DataFrame(dict(self._columns))

    @property
    def analysis(self) -> Optional[pandas.DataFrame]:
        """Sobol indices, tornado bars or Monte Carlo intervals of every output, by the mode; None for other modes.

        Raises
        ------
        RefusedError
            More than 2 % of the cases of a monte_carlo or sobol_indices sweep failed.
        """
        import pandas

        if self._refusal:
            raise _core.RefusedError(self._refusal)
        path = os.path.join(self.folder, "analysis.csv")
        return pandas.read_csv(path, dtype={"variable": str}) if os.path.exists(path) else None

    def plot(self, output: str, *, ax: Any = None) -> Axes:
        """Plots an output. By the mode of the sweep: bars of a tornado, Sobol indices with intervals, the distribution of a Monte Carlo
        sweep, or the output over the first varied key.

        Parameters
        ----------
        output : str
            Column in `frame`.
        ax : matplotlib.axes.Axes, optional
            Where to draw; None: a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes of the picture.

        Raises
        ------
        KeyError
            Unknown column; the message names the nearest and lists all.
        """
        from ._sweep_plot import draw

        return draw(self, output, ax)

    @property
    def failed(self) -> pandas.DataFrame:
        """The rows of failed cases, with their `error`."""
        frame = self.frame
        return frame[frame["status"] == "failed"]

    def to_parquet(self, path: Path) -> None:
        """Writes the table as a Parquet file.

        Parameters
        ----------
        path : Path
            The file.

        Raises
        ------
        ImportError
            Neither pyarrow nor fastparquet is installed.
        OutputError
            The file cannot be written.
        """
        parquet(path, self.frame)

    def __len__(self) -> int:
        return len(self._columns[0][1])

    def __repr__(self) -> str:
        failed = sum(s == "failed" for s in dict(self._columns)["status"])
        return f"<tidewatt.SweepTable: {self.mode}, {len(self)} cases, {failed} failed, in {self.folder}>"

    def _repr_html_(self) -> str:
        import html

        failed = self.failed
        words = f"{self.mode}, {len(self)} cases, {len(failed)} failed" + (f": {failed['error'].iloc[0]} …" if len(failed) else "")
        return f"<p>{html.escape(words)}</p>" + self.frame.to_html(max_rows=20)


def sweep(
    file: Path | Mapping[str, Any],
    *,
    out: Path,
    scenario: Scenario | Path | None = None,
    mode: str = "",
    set: Overrides | None = None,
    weather: Path | None = None,
    catalog: Path | None = None,
    executor: concurrent.futures.Executor | None = None,
    workers: int = 0,
    retry_failed: bool = False,
    progress: Progress = None,
) -> SweepTable:
    """Runs all unfinished cases of a sweep and writes the table.

    Each finished case is a file. Call `sweep` again to continue after a stop or a crash. The table has the same bits for any number of
    workers.

    Parameters
    ----------
    file : Path | Mapping[str, Any]
        A sweep file (TOML, docs/sweeps.md), the same as a mapping (then `scenario` names the base), or with
        `mode` a scenario file: a sweep over all its assumed inputs.
    out : Path
        Folder of the cases and the table; made if needed.
    scenario : Scenario or path, optional
        Base scenario; replaces that of the file. A scenario from `new` or from text is first written into `out`.
    mode : str, default ''
        Replaces that of the file: grid, list, latin_hypercube, sobol, sobol_indices, tornado, monte_carlo.
    set : Overrides, optional
        Overrides of every case, as for `tidewatt.load`.
    weather : Path, optional
        An EPW or CSV file; replaces the scenario's weather.
    catalog : Path, optional
        A folder of catalog files that add to or replace the built-in ones.
    executor : concurrent.futures.Executor, optional
        Any `concurrent.futures.Executor` whose workers can access `out` and import tidewatt: Dask's
        `Client.get_executor()`, `mpi4py.futures.MPIPoolExecutor`, a process pool. None: processes of this
        machine. A case whose worker is lost is sent again twice; then it is a row with its error. A process pool that breaks is
        replaced by processes of this machine.
    workers : int, default 0
        Processes if `executor` is None or a broken process pool; 0: one per core.
    retry_failed : bool, default False
        Run failed cases again.
    progress : Progress, optional
        As for `tidewatt.run`.

    Raises
    ------
    InputError
        With every finding; also if `out` has another sweep.
    OutputError
        A file could not be written; finished cases are kept.
    KeyboardInterrupt
        On Ctrl-C, within 0.2 s; finished cases are kept.

    Examples
    --------
    >>> caps = {"mode": "grid", "variable": [{"key": "hall.a.cap_W", "values": [600, 700]}]}
    >>> table = tw.sweep(caps, scenario="my.toml", out="out/caps")
    >>> len(table.frame)
    2
    """
    folder = os.path.abspath(os.fspath(out))
    base, own = _base(scenario, folder)
    job = Job(
        _as_file(file, folder), base, mode, (*own, *_assignments(set)), _absolute(weather), _absolute(catalog), folder
    )
    core = job.open()
    with reporter(progress) as report:
        show = (lambda done, total, *_: report(done / total if total else 1.0)) if report else None
        if executor is None:
            core.run(folder, workers, 0, 1, retry_failed, show)
        elif not map_cases(core, job, executor, retry_failed, report):
            core.run(folder, workers, 0, 1, False, show)
    return SweepTable(*core.merge(folder), folder, core.mode)


def compare(
    before: Scenario | Path,
    after: Scenario | Path,
    *,
    set: Overrides | None = None,
    weather: Path | None = None,
    catalog: Path | None = None,
    alone: bool = True,
) -> tuple[pandas.DataFrame, pandas.DataFrame]:
    """Compares two scenarios: the keys that differ, and their effect on the figures.

    Parameters
    ----------
    before, after : Scenario or path
        Scenarios or their files.
    set, weather, catalog : Overrides, optional
        For both scenarios, as for `tidewatt.load`.
    alone : bool, default True
        Also run `before` with each single change of `after`; each gets a column of its effect.

    Returns
    -------
    tuple[pandas.DataFrame, pandas.DataFrame]
        Keys (`key`, `before`, `after`, `behind_name`) and figures (`name` with its unit, `before`, `after`,
        and a column per key with its effect alone; the rest is the interaction of the changes).

    Raises
    ------
    InputError
        With every finding of either.
    SolverError
        A numerical method failed.
    """
    import pandas

    with tempfile.TemporaryDirectory(prefix="tidewatt-") as folder:
        one, other = (_file(scenario, os.path.join(folder, f"{name}.toml")) for name, scenario in (("before", before), ("after", after)))
        keys, figures, _ = _core.compare(one, other, _assignments(set), _absolute(weather), _absolute(catalog), alone)
    return (pandas.DataFrame(keys, columns=["key", "before", "after", "behind_name"]),
            pandas.DataFrame(figures, columns=list(figures[0]) if figures else ["name", "before", "after"]))  # fmt: skip


def _file(scenario: Scenario | Path, path: str) -> str:
    """The file of a scenario: its own, or `path`, into which it is written with its overrides."""
    if not isinstance(scenario, Scenario):
        return os.fspath(scenario)
    source = scenario._source
    if source is not None and source.text is None and not (source.set or source.weather or source.catalog or source.recordings or source.plants):
        return source.path
    scenario.save(path)
    return path


def new(path: Path | None = None, *, n_gpu: int | None = None, racks: int | None = None, duration_h: float = 1.0, supply_degC: float | None = None, **catalog_names: str) -> Scenario:
    """A commented scenario that runs as it is. As `tidewatt new`.

    Parameters
    ----------
    path : path, optional
        File to write; it must not exist. None: no file; `text` of the scenario has the content.
    n_gpu : int, optional
        Number of GPUs, 1 to 1e8 (whole servers, or whole scale-up domains of a rack); None: the smallest of 128, 256, 512, … (domains: 1, 2,
        4, …) that fits the model.
    racks : int, optional
        Number of racks instead of `n_gpu`, at least 1: whole racks of `rack`, or two servers each; None: not given.
    duration_h : float, default 1.0
        Simulated time, h.
    supply_degC : float, optional
        Liquid (air, where the plant has no loop) that the plant is set to supply, °C; facility water moves with it. None: the
        plant's own.
    **catalog_names : str
        rack, gpu, server, plant, climate, model, network, feeder, grid: names of catalog entries; absent: chosen to fit. A rack
        brings its GPU, server and network.

    Returns
    -------
    Scenario
        Checked and ready to run.

    Raises
    ------
    InputError
        `n_gpu` or `racks` does not fit, both are given, or no such entry: every finding at once.
    TypeError
        An argument of the wrong type; the message names it.
    FileExistsError
        The file exists.
    OutputError
        The file cannot be written.

    Examples
    --------
    >>> scenario = tw.new(n_gpu=256, climate="phoenix_az")
    >>> scenario.n_gpu
    256
    """
    if path is not None and not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path is a file to write, not {path!r}; for a number of GPUs write n_gpu={path!r}")
    for name, value in catalog_names.items():
        if name not in NEW_NAMES:
            raise TypeError(unknown("argument", name, ("path", "n_gpu", "racks", "duration_h", "supply_degC", *NEW_NAMES)))
        if not isinstance(value, str):
            raise TypeError(f"{name} is the name of a catalog entry, not {value!r}")
    text = _core.new_scenario(None if n_gpu is None else whole_number("n_gpu", n_gpu), None if racks is None else whole_number("racks", racks),
                              number("duration_h", duration_h), None if supply_degC is None else number("supply_degC", supply_degC), catalog_names)
    if path is None:
        return load(text)
    anew(path, text)
    return load(path)


def _base(scenario: Scenario | Path | None, folder: str) -> tuple[str, tuple[str, ...]]:
    """The path of a base scenario and its own overrides; text goes into the sweep's folder, where every worker finds it."""
    if not isinstance(scenario, Scenario):
        path = os.fspath(scenario) if scenario else ""
        return (_absolute(path) if os.path.exists(path) else path), ()
    source = scenario._source
    if source is None or source.plants:
        _ = scenario.toml  # says why
    if source.weather or source.catalog or source.recordings:
        raise TypeError("this scenario was loaded with weather, catalog or recordings: give these to `sweep` and its file as scenario")
    if source.text is None:
        return source.path, source.set
    path = _FilePath(folder) / "scenario.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = scenario.toml
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        whole(path, text)
    return str(path), ()


def _as_file(file: Path | Mapping[str, Any], folder: str) -> str:
    """The sweep's file; a mapping is written into the sweep's folder, where every worker finds it."""
    if not isinstance(file, Mapping):
        return _absolute(file)
    spec = {"schema": 1, **file}
    lines = [f"{key} = {_toml(value, key)}" for key, value in spec.items() if key not in ("variable", "case")]
    for kind in ("variable", "case"):
        for item in spec.get(kind, []):
            lines += [f"[[{kind}]]", *(f"{key} = {_toml(value, key)}" for key, value in item.items())]
    path = _FilePath(folder) / "sweep.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(lines) + "\n"
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        whole(path, text)
    return str(path)
