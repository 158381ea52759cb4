"""Bayesian calibration of a GPU on its own logs: a posterior as draws, a catalog entry, and forecasts with bands."""
from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path as _FilePath
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np

from .. import _core
from .._fit import _as_file
from .._load import Overrides, Path, Scenario
from .._write import whole
from . import sampling
from .density import LogDensity, prior_value

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from .forecast import Forecast

SCHEMA = 1
IDENTIFIED_SIGMA = 0.8
"""Above this share of the prior's standard deviation the logs say too little of a parameter."""
BEYOND_Z = 3.3
"""A median this many standard deviations from the prior's middle (1 in 1,000) contradicts the prior."""


class Calibration:
    """Poles and leakage of one GPU as draws of a posterior. Made by `calibrate` and `Calibration.load`; `print` shows it in words."""

    def __init__(self, record: Mapping[str, Any]):
        self._record = dict(record)
        self._z = np.array(record["z"], dtype=float)

    @classmethod
    def load(cls, path: Path) -> Calibration:
        """A calibration that `save` wrote.

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
        """Name of the catalog entry that it makes."""
        return self._record["name"]

    @property
    def base(self) -> str:
        """Catalog gpu that gives what logs cannot, and the priors."""
        return self._record["base"]

    @property
    def logs(self) -> list[dict[str, Any]]:
        """Every log so far: file, GPU, number of samples, what its powers are, its noise, and why its watts tell nothing of leakage."""
        return [dict(log) for log in self._record["logs"]]

    @property
    def sampling(self) -> dict[str, Any]:
        """How the draws came about: walkers, steps, autocorrelation, effective draws, acceptance, seed."""
        return dict(self._record["sampling"])

    @property
    def keys(self) -> list[str]:
        """Parameters; their ends name the unit."""
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
        """Parameters of which the logs say too little: they keep about the prior's interval."""
        return [key for key, known in zip(self.frame["key"], self.frame["identified"]) if not known]

    @property
    def findings(self) -> list[str]:
        """What the draws rest on or contradict."""
        out = list(self._record["findings"])
        for i, p in enumerate(self._record["prior"]):
            middle = float(np.median(self._z[:, i]))
            if abs(middle) > BEYOND_Z:
                out.append(f"{p[0]}: the logs want {prior_value(p, middle):.3g}, beyond what the base entry '{self.base}' allows for ({p[1]:.3g} to {p[2]:.3g})")
        return out

    def catalog_values(self, n: int | None = None, seed: int = 1) -> pandas.DataFrame:
        """Values of the catalog keys that the draws decide, a row per draw.

        Parameters
        ----------
        n : int, optional
            So many draws, chosen by `seed` without repetition; None: all.
        seed : int, default 1
            Of the choice.

        Raises
        ------
        InputError
            There are not so many draws.
        SolverError
            More than one draw in a hundred has poles that no package has.
        """
        import pandas

        draws = self.draws.to_numpy()
        if n is not None:
            if not 1 <= n <= len(draws):
                raise _core.InputError(f"{n} draws asked for; there are 1 to {len(draws)}")
            draws = draws[np.random.default_rng(seed).permutation(len(draws))]
        keys, rows = _core.catalog_values(self.base, self._record["fan_frac"], draws if n is None else draws[: n + n // 50 + 2])
        table = pandas.DataFrame(rows, columns=keys or None)
        good = table.dropna()
        if len(good) < 0.99 * len(table) - 1:
            raise _core.SolverError(f"no package of die, base and sink has the poles of {len(table) - len(good)} of {len(table)} draws")
        return good.iloc[:n].reset_index(drop=True)

    @property
    def entry(self) -> str:
        """The catalog entry (TOML): medians, with 95 % of the draws as the range of each value. What is not identified stays the base's."""
        table = self.catalog_values(min(500, len(self._z)))
        open_keys = {f"power.{key}" for key in self.undetermined}
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
            It could not be written.
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

    def forecast(
        self,
        scenario: Scenario | Path,
        *,
        n: int = 40,
        others: bool = False,
        set: Overrides | None = None,
        outputs: list[str] | None = None,
        halls: list[str] | None = None,
        out: Path | None = None,
        workers: int = 0,
        seed: int = 1,
        progress: Any = None,
    ) -> Forecast:
        """A site with this GPU, one run per draw: figures with bands.

        Parameters
        ----------
        scenario : Scenario or path
            The site. Its halls take the draws' values; chips scatter around them as the scenario says.
        n : int, default 40
            Draws; a 90 % band needs 40 at least.
        others : bool, default False
            Also draw everything else that the scenario assumes, within its range (docs/sweeps.md).
        set : Overrides, optional
            Overrides of every run.
        outputs : list of str, optional
            Figures of the summary; None: all.
        halls : list of str, optional
            Halls that have this GPU; None: all.
        out : path, optional
            Folder of the runs, which continues when called again; None: one that is removed.
        workers : int, default 0
            Processes; 0: one per core.
        seed : int, default 1
            Of the choice of draws.
        progress : optional
            As for `tidewatt.run`.

        Raises
        ------
        InputError
            With every finding.
        """
        from .forecast import _forecast

        return _forecast(self, scenario, n, others, set, outputs, halls, out, workers, seed, progress)

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
        import matplotlib.pyplot as plt

        ax = ax or plt.subplots(figsize=(6.4, 3.2), constrained_layout=True)[1]
        rows = np.arange(len(self.keys))[::-1]
        ax.barh(rows, 2 * 1.96, left=-1.96, height=0.5, color="0.88", label="before the logs, 95 %")
        low, middle, high = np.quantile(self._z, [0.025, 0.5, 0.975], axis=0)
        ax.barh(rows, high - low, left=low, height=0.3, color="tab:blue", label="after, 95 %")
        ax.plot(middle, rows, "k|", ms=10)
        for row, text in zip(rows, self._value_words()):
            ax.annotate(text, (1.0, row), xycoords=("axes fraction", "data"), xytext=(6, 0), textcoords="offset points", va="center", fontsize=8)
        ax.set_yticks(rows, self.keys)
        ax.set(xlabel="standard deviations of the prior", title=f"What the logs tell of GPU {self.name}")
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncol=2, fontsize=8, frameon=False)
        return ax

    def _value_words(self) -> list[str]:
        return [f"{r.value:.4g} ({r.low:.4g} to {r.high:.4g})" for r in self.frame.itertuples()]

    def __str__(self) -> str:
        s = self._record["sampling"]
        lines = [f"GPU {self.name} on {self.base}: {len(self.logs)} log{'s' if len(self.logs) > 1 else ''}, {sum(log['samples'] for log in self.logs)} samples"]
        for key, words, known in zip(self.keys, self._value_words(), self.frame["identified"]):
            lines.append(f"  {key:<20} {words}{'' if known else '   not identified by the logs'}")
        lines.append(
            f"emcee: {s['walkers']} walkers, {s['steps']} steps, autocorrelation {s['autocorrelation_steps']:.0f} steps, "
            f"{s['effective_draws']:.0f} effective draws, acceptance {100 * s['acceptance_frac']:.0f} %"
        )
        return "\n".join([*lines, *(f"finding: {f}" for f in self.findings)])

    def __repr__(self) -> str:
        return f"<tidewatt.Calibration: gpu {self.name!r} on {self.base!r}, {len(self.logs)} logs, {len(self._z)} draws>"


def calibrate(
    *files: Path | pandas.DataFrame,
    name: str,
    base: str = "h100_sxm_700W",
    gpu: str = "",
    before_W: float | None = None,
    power_window_s: float = 1.0,
    fan_frac: float = 1.0,
    update: Calibration | Path | None = None,
    draws: int = 2000,
    seed: int = 1,
    limit_s: float = 600.0,
) -> Calibration:
    """The posterior of one GPU's poles and leakage, sampled by emcee. As `tidewatt calibrate`.

    Likelihood and priors are those of `fit_gpu`: priors are the base entry's ranges; each log has its own noise, air temperature and
    power before it, and the last two are averaged out. Needs the Python package emcee.

    Parameters
    ----------
    *files : path or pandas.DataFrame
        Telemetry of one GPU: files, or tables that a `read_…` function gives.
    name : str
        Name of the catalog entry that `save` writes.
    base : str, default 'h100_sxm_700W'
        Catalog entry of kind gpu that gives what logs cannot, and the priors.
    gpu : str, optional
        Which GPU of each file; needed where a file has several.
    before_W : float, optional
        Power at which the GPU rested before each log, W; None: unknown.
    power_window_s : float, default 1
        Trailing mean behind each power reading, s, 0–30; 0 for instants.
    fan_frac : float, default 1
        Fan speed during the logs, 0.05–1.
    update : Calibration or path, optional
        An earlier calibration: its posterior is the prior. The result is that of all logs at once, within Monte Carlo error.
    draws : int, default 2000
        Draws to keep, 200–20000.
    seed : int, default 1
        Of the sampler.
    limit_s : float, default 600
        Wall time after which sampling ends with what it has, s; then findings say so.

    Returns
    -------
    Calibration
        `frame`, `draws`, `findings`, `save`, `forecast`.

    Raises
    ------
    ImportError
        Without emcee.
    InputError
        The log lacks what is needed, or `update` belongs to another base or fan speed.
    """
    emcee = sampling.need_emcee()
    if not 200 <= draws <= 20000:
        raise _core.InputError(f"draws: {draws} is outside of 200 to 20000")
    earlier = Calibration.load(update) if isinstance(update, (str, os.PathLike)) else update
    if earlier is not None:
        for key, given in (("base", base), ("fan_frac", fan_frac)):
            if earlier._record[key] != given:
                raise _core.InputError(f"update: the earlier calibration has {key} {earlier._record[key]!r}, this one {given!r}")
    with contextlib.ExitStack() as stack:
        paths = [stack.enter_context(_as_file(f)) for f in files]
        density = _core.GpuDensity(paths, base, gpu, -1.0 if before_W is None else before_W, power_window_s, fan_frac)
    before = LogDensity(earlier._z, np.array(earlier._record["log_density"])) if earlier is not None else None
    drawn = sampling.sample(emcee, density, before, draws, seed, limit_s)
    findings = [f"{log['file']}: leakage comes from elsewhere: {log['no_leakage']}" for log in density.logs if log["no_leakage"]]
    logs = [dict(log) for log in density.logs]
    if earlier is not None:
        logs, findings = earlier.logs + logs, earlier._record["findings"] + findings
        findings += _contradictions(earlier._z, drawn.z, density)
    record = {"kind": "calibration", "schema": SCHEMA, "name": name, "base": base, "fan_frac": fan_frac, "prior": [list(p) for p in density.prior],
              "logs": logs, "findings": findings + drawn.findings, "sampling": drawn.figures, "z": drawn.z.tolist(), "log_density": drawn.log_density.tolist()}  # fmt: skip
    return Calibration(record)


def _contradictions(earlier_z, z, density) -> list[str]:
    """Parameters that moved by more than three of the earlier posterior's standard deviations."""
    moved = np.abs(z.mean(axis=0) - earlier_z.mean(axis=0)) / earlier_z.std(axis=0)
    return [
        f"{p[0]}: the new log moves it by {m:.1f} standard deviations of the earlier posterior: the logs contradict each other; calibrate them together or apart"
        for p, m in zip(density.prior, moved)
        if m > 3.0
    ]
