"""A calibrated GPU: a posterior as draws, a catalog entry, and forecasts with bands."""
from __future__ import annotations

import json
import os
from pathlib import Path as _FilePath
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np

from .. import _core
from .._load import Path
from .._write import whole
from .density import prior_value
from .forecasting import Forecasting
from .sampling import chosen

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

SCHEMA = 1
IDENTIFIED_SIGMA = 0.8
"""Above this share of the prior's standard deviation the logs say too little of a parameter."""
OUTLIER_SIGMA = 3.0
"""A chip this many standard deviations of its population from the type is named."""
BEYOND_Z = 3.3
"""A median this many standard deviations from the prior's middle (1 in 1,000) contradicts the prior."""


class Calibration(Forecasting):
    """Poles and leakage of one GPU, or of a type with the scatter of its chips, as draws of a posterior. Made by `calibrate` and `Calibration.load`; `print` shows it in words."""

    def __init__(self, record: Mapping[str, Any]):
        self._record = dict(record)
        self._z = np.array(record["z"], dtype=float)

    @classmethod
    def load(cls, path: Path) -> Calibration:
        """Reads a calibration that `save` wrote.

        Parameters
        ----------
        path : path
            A file `NAME.calibration.json`.

        Raises
        ------
        InputError
            It is none.
        """
        try:
            record = json.loads(_FilePath(path).read_text(encoding="utf-8"))
            if (record["kind"], record["schema"]) == ("calibration", SCHEMA) and len(record["z"]) == len(record["log_density"]):
                return cls(record)
            error: Exception = ValueError("its schema is another one")
        except (OSError, ValueError, KeyError, TypeError) as reason:
            error = reason
        raise _core.InputError(f"{os.fspath(path)}: not a calibration: {error}")

    @property
    def name(self) -> str:
        """Name of its catalog entry."""
        return self._record["name"]

    @property
    def base(self) -> str:
        """Catalog entry of kind gpu: the priors, and all values that logs cannot give."""
        return self._record["base"]

    @property
    def logs(self) -> list[dict[str, Any]]:
        """All logs: file, GPU, number of samples, type of power readings, noise, and why its watts do not identify leakage."""
        return [dict(log) for log in self._record["logs"]]

    @property
    def chips(self) -> pandas.DataFrame | None:
        """A population's chips: `gpu`, and median and 95 % interval of the ratio of its resistances and its leakage to the type's. None: one GPU."""
        import pandas

        return pandas.DataFrame(self._record["chips"]) if self._record.get("chips") else None

    @property
    def sampling(self) -> dict[str, Any]:
        """Figures of the sampling: walkers, steps, autocorrelation, effective draws, acceptance, seed."""
        return dict(self._record["sampling"])

    @property
    def keys(self) -> list[str]:
        """Names of the parameters; they end with the unit."""
        return [p[0] for p in self._record["prior"]]

    @property
    def draws(self) -> pandas.DataFrame:
        """Draws of the posterior, shape (n_draw, n_parameter), in the units of the columns' names."""
        import pandas

        return pandas.DataFrame({p[0]: prior_value(p, self._z[:, i]) for i, p in enumerate(self._record["prior"])})

    @property
    def frame(self) -> pandas.DataFrame:
        """A row per parameter: median, 95 % interval `low` to `high`, `identified`, and the prior's interval."""
        import pandas

        draws = self.draws
        rows = [
            (p[0], draws[p[0]].median(), *draws[p[0]].quantile([0.025, 0.975]), self._z[:, i].std() < IDENTIFIED_SIGMA, p[1], p[2])
            for i, p in enumerate(self._record["prior"])
        ]
        return pandas.DataFrame(rows, columns=["key", "value", "low", "high", "identified", "before_low", "before_high"])

    @property
    def undetermined(self) -> list[str]:
        """Parameters that the logs do not identify: they have about the prior's interval."""
        return [key for key, known in zip(self.frame["key"], self.frame["identified"]) if not known]

    @property
    def findings(self) -> list[str]:
        """Assumptions and contradictions of the draws."""
        out = list(self._record["findings"])
        for i, p in enumerate(self._record["prior"]):
            middle = float(np.median(self._z[:, i]))
            if abs(middle) > BEYOND_Z:
                out.append(f"{p[0]}: the logs want {prior_value(p, middle):.3g}, beyond what the base entry '{self.base}' allows for ({p[1]:.3g} to {p[2]:.3g})")
        for word in ("resistance_ratio", "leakage_ratio"):
            for chip in self._record.get("chips", []):
                away = np.log(chip[word]) / self.frame.set_index("key")["value"][word.replace("_ratio", "_sigma_ratio")]
                if abs(away) > OUTLIER_SIGMA:
                    out.append(f"GPU {chip['gpu']}: its {word} of {chip[word]:.3f} lies {abs(away):.1f} standard deviations from the type: a chip apart, or a bad contact")
        return out

    def catalog_values(self, n: int | None = None, seed: int = 1) -> pandas.DataFrame:
        """Values of the catalog keys that the draws set, one row per draw.

        Parameters
        ----------
        n : int, optional
            Number of draws, chosen by `seed` without repetition; None: all.
        seed : int, default 1
            Seed of the choice.

        Raises
        ------
        InputError
            There are fewer draws.
        SolverError
            More than one draw in a hundred has poles that no package has.
        """
        import pandas

        draws = self.draws.to_numpy()
        if n is not None:
            draws = draws[chosen(len(draws), n, seed)[: n + n // 50 + 2]]
        own = 6 if self._record.get("chips") else draws.shape[1]
        keys, rows = _core.catalog_values(self.base, self._record["fan_frac"], draws[:, :own])
        table = pandas.DataFrame(rows, columns=keys or None)
        for key, values in zip(self.keys[own:], draws[:, own:].T):
            table[f"spread.{key}"] = values
        good = table.dropna()
        if len(good) < 0.99 * len(table) - 1:
            raise _core.SolverError(f"no package of die, base and sink has the poles of {len(table) - len(good)} of {len(table)} draws")
        return good.iloc[:n].reset_index(drop=True)

    @property
    def entry(self) -> str:
        """The catalog entry (TOML): medians, with 95 % of the draws as the range of each value. Values that are not identified are those of
        the base."""
        table = self.catalog_values(min(500, len(self._z)))
        open_keys = {f"{table_name}.{key}" for key in self.undetermined for table_name in ("power", "spread")}
        n_sample = sum(log["samples"] for log in self.logs)
        source = f"posterior of {n_sample} samples of {self.logs[0]['file']}" + (f" and {len(self.logs) - 1} more" if len(self.logs) > 1 else "")
        values = [(key, float(table[key].median()), *map(float, table[key].quantile([0.025, 0.975]))) for key in table if key not in open_keys]
        return _core.gpu_entry(self.base, self.name, values, source)

    def save(self, folder: Path) -> _FilePath:
        """Writes `folder/gpu/NAME.toml`, which `load(…, catalog=folder)` finds, and `folder/NAME.calibration.json`, which `update` takes.

        Parameters
        ----------
        folder : path
            A catalog folder; made if needed.

        Returns
        -------
        pathlib.Path
            The calibration's file.

        Raises
        ------
        OutputError
            The file could not be written.
        """
        folder = _FilePath(folder)
        entry = self.entry
        path = folder / f"{self.name}.calibration.json"
        try:
            (folder / "gpu").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _core.OutputError(f"{folder}: {error.strerror}") from error
        whole(folder / "gpu" / f"{self.name}.toml", entry)
        whole(path, json.dumps(self._record) + "\n")
        return path

    def plot(self, *, ax: Any = None) -> Axes:
        """The 95 % interval of every parameter before and after the logs, in standard deviations of the prior.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None: a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes of the picture.
        """
        from ..report.style import painted

        return painted(self._paint, ax)

    def _paint(self, ax):
        from ..report.style import BLACK, BLUE, one_panel

        ax = one_panel(ax, 9, 1.6 + 0.36 * len(self.keys), f"What the logs tell of GPU {self.name}", "numbers: median and 95 % interval after the logs")
        rows = np.arange(len(self.keys))[::-1]
        ax.barh(rows, 2 * 1.96, left=-1.96, height=0.62, color="#C9CED4", label="before the logs, 95 %")
        low, middle, high = np.quantile(self._z, [0.025, 0.5, 0.975], axis=0)
        ax.barh(rows, high - low, left=low, height=0.36, color=BLUE, label="after, 95 %")
        ax.plot(middle, rows, "|", color=BLACK, ms=10)
        for row, text in zip(rows, self._value_words()):
            ax.annotate(text, (1.0, row), xycoords=("axes fraction", "data"), xytext=(6, 0), textcoords="offset points", va="center", fontsize=8)
        ax.set_yticks(rows, self.keys)
        ax.set_xlabel("standard deviations of the prior")
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=2, borderaxespad=0)
        return ax

    def _value_words(self) -> list[str]:
        return [f"{r.value:.4g} ({r.low:.4g} to {r.high:.4g})" for r in self.frame.itertuples()]

    def __str__(self) -> str:
        s = self._record["sampling"]
        chips = f"{len(self._record['chips'])} chips, " if self._record.get("chips") else ""
        lines = [f"GPU {self.name} on {self.base}: {chips}{len(self.logs)} log{'s' if len(self.logs) > 1 else ''}, {sum(log['samples'] for log in self.logs)} samples"]
        for key, words, known in zip(self.keys, self._value_words(), self.frame["identified"]):
            lines.append(f"  {key:<22} {words}{'' if known else '   not identified by the logs'}")
        lines.append(
            f"emcee: {s['walkers']} walkers, {s['steps']} steps, autocorrelation {s['autocorrelation_steps']:.0f} steps, "
            f"{s['effective_draws']:.0f} effective draws, acceptance {100 * s['acceptance_frac']:.0f} %"
        )
        for chip in self._record.get("chips", []):
            lines.append("  chip {gpu:<15} resistances {resistance_ratio:.3f} ({resistance_ratio_low:.3f} to {resistance_ratio_high:.3f}) of the type's, "
                         "leakage {leakage_ratio:.2f} ({leakage_ratio_low:.2f} to {leakage_ratio_high:.2f})".format(**chip))  # fmt: skip
        return "\n".join([*lines, *(f"finding: {f}" for f in self.findings)])

    def __repr__(self) -> str:
        return f"<tidewatt.Calibration: gpu {self.name!r} on {self.base!r}, {len(self.logs)} logs, {len(self._z)} draws>"
