"""Fits to telemetry: catalog entries with a 95 % interval for every value."""
from __future__ import annotations

import contextlib
import json
import os
import tempfile
import warnings
from pathlib import Path as _FilePath
from typing import TYPE_CHECKING, Any, Iterator

from . import _core
from ._load import Path, _absolute
from ._write import whole

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


class Fit:
    """A catalog entry fitted to a log. Made by the `fit_…` functions; `print` shows the fit in words."""

    def __init__(self, entry: dict[str, Any]):
        self._entry = entry
        if self.undetermined:
            warnings.warn(f"this log does not identify {', '.join(self.undetermined)}: the interval is the one given before the fit", stacklevel=3)
        if self.at_bound:
            warnings.warn(f"{', '.join(self.at_bound)}: the best value is an end of the search and no estimate", stacklevel=3)

    @property
    def kind(self) -> str:
        """Catalog kind of the entry."""
        return self._entry["kind"]

    @property
    def name(self) -> str:
        """Name of the entry."""
        return self._entry["name"]

    @property
    def undetermined(self) -> list[str]:
        """Keys that the log does not identify: their 95 % interval is that of the prior. The fit warns of them."""
        return list(self._entry["undetermined"])

    @property
    def at_bound(self) -> list[str]:
        """Keys whose best value is at the edge of the search range, hence not an estimate. `save` refuses them without `force`."""
        return list(self._entry["at_bound"])

    @property
    def details(self) -> dict[str, Any]:
        """All figures as `tidewatt fit … --json` prints them, with each GPU's own values, residuals and their spectrum."""
        return json.loads(self._entry["json"])

    @property
    def text(self) -> str:
        """The entry's file (TOML), values with source and interval."""
        return self._entry["toml"]

    @property
    def rms(self) -> float:
        """Root mean square of the residuals, in the unit of the measurement."""
        return self._entry["rms"]

    @property
    def frame(self) -> pandas.DataFrame:
        """The fitted values: columns `key` (ends with the unit), `value`, `low` and `high` of the 95 % interval, and `identified`."""
        import pandas

        return pandas.DataFrame(self._entry["values"], columns=["key", "value", "low", "high", "identified"])

    def save(self, folder: Path, *, force: bool = False) -> _FilePath:
        """Writes `folder/kind/name.toml`, which `load(…, catalog=folder)` then finds.

        Parameters
        ----------
        folder : path
            A catalog folder; made if needed.
        force : bool, default False
            Write the entry even if a value is at the edge of its search range.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        InputError
            A value is at the edge of its search range.
        OutputError
            The file could not be written.
        """
        return _FilePath(_core.write_entry(self._entry, os.fspath(folder), force))

    def plot(self, *, ax: Any = None) -> Axes:
        """The 95 % interval of every fitted value, in percent of the value.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None: a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes of the picture.
        """
        from ._study_plot import draw_fit

        return draw_fit(self, ax)

    def __str__(self) -> str:
        return self._entry["text"].rstrip("\n")

    def __repr__(self) -> str:
        return f"<tidewatt.Fit: {self.kind} {self.name!r}, residual {self.rms:.3g} rms>"


@contextlib.contextmanager
def _as_file(log: Path | pandas.DataFrame) -> Iterator[str]:
    """A log's file: its own, or a table's as CSV, as long as it is needed."""
    if not hasattr(log, "to_csv"):
        yield _absolute(log)
        return
    from .importers.output import csv_text

    with tempfile.TemporaryDirectory(prefix="tidewatt-") as folder:
        path = os.path.join(folder, "table.csv")
        whole(path, csv_text(log))
        yield path


def fit_gpu(
    *files: Path | pandas.DataFrame,
    name: str,
    base: str = "h100_sxm_700W",
    gpu: str = "",
    before_W: float | None = None,
    power_window_s: float = 1.0,
    fan_frac: float = 1.0,
) -> Fit:
    """Thermal poles and leakage of GPUs from nvidia-smi, DCGM or imported tables. As `tidewatt fit gpu`.

    Several records give the values of the type and the scatter of its chips.

    Parameters
    ----------
    *files : path or pandas.DataFrame
        Telemetry: time, power, temperature, clock; files, or tables of a `read_…` function. An energy counter (`energy_J`) is used if
        available.
    name : str
        Name of the new entry.
    base : str, default 'h100_sxm_700W'
        Catalog entry of kind gpu: the middle of the priors, and all values that telemetry cannot give.
    gpu : str, optional
        GPU of each file; empty: all.
    before_W : float, optional
        Power of the GPUs before the record, W; None: fitted.
    power_window_s : float, default 1
        Averaging window of each power reading, s, 0–30; 0: instantaneous.
    fan_frac : float, default 1
        Fan speed during the record, 0.05–1.

    Returns
    -------
    Fit
        An entry of kind gpu.

    Raises
    ------
    InputError
        The log lacks needed columns or rows; the message names file and line.
    SolverError
        No network of heat capacities has the fitted poles.
    """
    with contextlib.ExitStack() as stack:
        paths = [stack.enter_context(_as_file(f)) for f in files]
        return Fit(_core.fit_gpu(paths, name, base, gpu, -1.0 if before_W is None else before_W, power_window_s, fan_frac))


def fit_nodes(
    file: Path | pandas.DataFrame, *, name: str, events: Path | None = None, meter_period_s: float = 2.0, iterations_per_token: float = 0.0
) -> Fit:
    """Power levels, dips and notches of nodes from power logs. As `tidewatt fit nodes`.

    Parameters
    ----------
    file : path or pandas.DataFrame
        Power log: time_ms or time_s, then one column of watts per node.
    name : str
        Name of the new entry.
    events : path, optional
        Job events: time_ms, type, key, value, metadata; None: the whole log is training.
    meter_period_s : float, default 2
        Time between the meters' publications, s, 0.01–60.
    iterations_per_token : float, default 0
        Iterations of a block ÷ its tokens; 0: iterations are not resolved.

    Returns
    -------
    Fit
        An entry of kind node_levels.

    Raises
    ------
    InputError
        Wrong input; the message names file and line.
    """
    with _as_file(file) as path:
        return Fit(_core.fit_nodes(path, name, _absolute(events), meter_period_s, iterations_per_token))


def fit_fans(file: Path | pandas.DataFrame, *, name: str) -> Fit:
    """Air, resistances and fan loop from temperatures at rest or hourly means. As `tidewatt fit fans`.

    Parameters
    ----------
    file : path or pandas.DataFrame
        Columns power_mean_W, power_min_W, power_max_W, temperature_mean_degC.
    name : str
        Name of the new entry.

    Returns
    -------
    Fit
        An entry of kind fan_loop.

    Raises
    ------
    InputError
        Wrong input; the message names file and line.
    """
    with _as_file(file) as path:
        return Fit(_core.fit_fans(path, name))


def fit_overhead(file: Path | pandas.DataFrame, *, name: str) -> Fit:
    """A node's power against the sum of its GPUs. As `tidewatt fit overhead`.

    Parameters
    ----------
    file : path or pandas.DataFrame
        Columns gpu_sum_W, node_W.
    name : str
        Name of the new entry.

    Returns
    -------
    Fit
        An entry of kind node_overhead.

    Raises
    ------
    InputError
        Wrong input; the message names file and line.
    """
    with _as_file(file) as path:
        return Fit(_core.fit_overhead(path, name))
