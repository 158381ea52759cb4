"""A site with a calibrated GPU: one run per draw, figures with bands."""
from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._load import Scenario, load
from .._sweep import SweepTable, sweep
from .._sweep_worker import Job

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from . import Calibration

HEADLINES = ("throughput_swing_percent", "tflops_per_gpu", "pcc_mean_MW", "pcc_max_MW", "pcc_step_1s_max_MW", "pcc_ramp_up_max_MW_per_s",
             "pcc_ramp_down_max_MW_per_s", "die_max_degC", "clock_slowest_MHz", "pue")  # fmt: skip


class Forecast:
    """Figures of a site with bands. Made by `Calibration.forecast`; `frame` has all figures, `print` shows the main ones."""

    def __init__(self, name: str, table: pandas.DataFrame, keys: list[str]):
        self.name = name
        """Of the calibrated GPU."""
        self.table = table
        """A row per run: its draw's values, `status`, `error`, and the figures."""
        self._keys = keys

    @property
    def n_failed(self) -> int:
        """Runs without figures; `table` has their errors."""
        return int((self.table["status"] != "ok").sum())

    @property
    def frame(self) -> pandas.DataFrame:
        """A row per figure: `median`, 90 % band `low` to `high`, `spread` (standard deviation)."""
        import pandas

        good = self.table[self.table["status"] == "ok"]
        rows = []
        for figure in self.table:
            x = pandas.to_numeric(good[figure], errors="coerce").dropna() if figure not in (*self._keys, "case", "status", "error") else []
            if len(x):
                rows.append((figure, x.median(), *x.quantile([0.05, 0.95]), x.std()))
        return pandas.DataFrame(rows, columns=["figure", "median", "low", "high", "spread"])

    def plot(self, figures: list[str] | None = None, *, ax: Any = None) -> Axes:
        """The 90 % bands of figures, each over its median.

        Parameters
        ----------
        figures : list of str, optional
            Rows of `frame`; None: those that `print` shows.
        ax : matplotlib.axes.Axes, optional
            Where to draw; None: a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes of the picture.

        Raises
        ------
        KeyError
            No such figure, with those there are.
        """
        from .._given import unknown
        from ..report.style import painted

        frame = self.frame.set_index("figure")
        chosen = figures or [f for f in HEADLINES if f in frame.index and frame["median"][f]]
        for figure in chosen:
            if figure not in frame.index:
                raise KeyError(unknown("figure", figure, frame.index))
        return painted(lambda axes: self._paint(frame, chosen, axes), ax)

    def _paint(self, frame, chosen, ax):
        from ..report.style import BLACK, BLUE, one_panel

        ax = one_panel(ax, 9, 1.3 + 0.4 * len(chosen), f"Forecast with GPU {self.name}: {len(self.table) - self.n_failed} runs", "bars: 90 % band; numbers: median and band")
        for row, figure in enumerate(reversed(chosen)):
            r = frame.loc[figure]
            low, high = (100 * (r[end] / r["median"] - 1) for end in ("low", "high"))
            ax.barh(row, high - low, left=low, height=0.62, color=BLUE)
            text = "{} ({} to {})".format(*_words(r))
            ax.annotate(text, (1.0, row), xycoords=("axes fraction", "data"), xytext=(6, 0), textcoords="offset points", va="center", fontsize=8)
        ax.axvline(0, color=BLACK, lw=0.8)
        ax.use_sticky_edges = False  # no bar ends at the frame
        ax.margins(x=0.05)
        ax.set_yticks(range(len(chosen)), list(reversed(chosen)))
        ax.set_xlabel("90 % band (% of the median)")
        return ax

    def __str__(self) -> str:
        frame = self.frame.set_index("figure")
        lines = [f"{len(self.table) - self.n_failed} runs with draws of GPU {self.name}{f', {self.n_failed} failed' if self.n_failed else ''}: median, 90 % band"]
        lines += ["  {:<28} {:>10}   {} to {}".format(f, *_words(frame.loc[f])) for f in HEADLINES if f in frame.index]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<tidewatt.Forecast: GPU {self.name!r}, {len(self.table)} runs, {self.n_failed} failed>"


def _words(row) -> list[str]:
    """Median and both ends, with as many decimals as show two digits of the band's width."""
    width = row["high"] - row["low"]
    if not width > 1e-9 * abs(row["median"]):
        return [f"{row[key]:.4g}" for key in ("median", "low", "high")]
    decimals = max(0, 1 - int(np.floor(np.log10(width))))
    return [f"{row[key]:.{decimals}f}" for key in ("median", "low", "high")]


def _forecast(calibration: Calibration, scenario, n, others, set, outputs, halls, out, workers, seed, progress) -> Forecast:
    base = scenario if isinstance(scenario, Scenario) else load(scenario)
    known = [hall["name"] for hall in base.halls]
    for hall in halls or []:
        if hall not in known:
            from .._given import unknown

            raise _core.InputError(unknown("hall", hall, known))
    values = calibration.catalog_values(n, seed)
    # What the logs do not identify stays as the scenario has it, or is drawn with the others.
    values = values[[k for k in values if k.removeprefix("power.").removeprefix("spread.") not in calibration.undetermined]]
    keys = [f"hall.{hall}.gpu.{key}" for hall in halls or known for key in values]
    cases = [[f"{key}={v!r}" for key, v in zip(keys, map(float, np.tile(row, len(halls or known))))] for row in values.to_numpy()]
    with tempfile.TemporaryDirectory(prefix="tidewatt-") as folder:
        folder = os.path.abspath(os.fspath(out)) if out is not None else folder
        if others:
            more = _others(scenario, set, len(cases), seed, keys, folder)
            cases = [own + rest for own, rest in zip(cases, more)]
            keys = [assignment.split("=", 1)[0] for assignment in cases[0]]
        spec: dict[str, Any] = {"mode": "list", "case": [{"set": case} for case in cases]}
        if outputs is not None:
            spec["outputs"] = list(outputs)
        table: SweepTable = sweep(spec, scenario=scenario, out=folder, set=set, workers=workers, progress=progress)
        return Forecast(calibration.name, table.frame, keys)


def _others(scenario, set, n, seed, keys, folder) -> list[list[str]]:
    """Draws of everything else that the scenario assumes, as `tidewatt sweep --monte-carlo` makes them; seed and events stay."""
    from .._sweep import _as_file, _assignments, _base

    path, own = _base(scenario, folder)
    spec = _as_file({"mode": "monte_carlo", "n_case": n, "seed": seed}, os.path.join(folder, "others"))
    core = Job(spec, path, "", (*own, *_assignments(set)), "", "", folder).open()
    held = {*keys, "run.seed"}
    return [[a for a in core.assignments(i) if (key := a.split("=", 1)[0]) not in held and not key.startswith("event.")] for i in range(n)]
