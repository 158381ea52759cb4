"""Draws of a catalog GPU's assumed values that agree with its measured powers, without a log."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

try:
    import tomllib
except ModuleNotFoundError:  # Python before 3.11
    import tomli as tomllib

from .. import _core
from .._catalog import Catalog
from .forecasting import Forecasting
from .sampling import chosen

if TYPE_CHECKING:
    import pandas

LEAST_EFFECTIVE = 200.0
"""Draws with weights are refused below this effective number."""
WITHIN_SIGMA = 2.0
"""An anchor further from the draws' mean, in its own standard errors, is a finding."""
BATCH = 20000
MOST_BATCHES = 50


class Conditioned(Forecasting):
    """Draws of the assumed values of a GPU entry, conditioned on its anchors. Made by `conditioned`; `print` shows a text."""

    name: str
    """Catalog entry of kind gpu."""
    draws: pandas.DataFrame
    """A row per draw, all of equal weight: the entry's keys, in its units."""
    anchors: pandas.DataFrame
    """A row per anchor: `measured_W`, `sigma_W`, the draws' mean and standard deviation, and what the entry itself gives."""
    effective_draws: float
    """Of the weighted draws from which `draws` are chosen: (Σ w)² / Σ w²."""
    wide: list[str]
    """Keys whose own standard deviation stays above 80 % of that of their range. They are drawn too, because anchors hold them together with others."""
    undetermined: tuple[str, ...] = ()

    def __init__(self, name, draws, anchors, effective_draws, wide):
        self.name, self.draws, self.anchors = name, draws, anchors
        self.effective_draws, self.wide = effective_draws, wide

    @property
    def findings(self) -> list[str]:
        """Anchors more than two standard errors from the mean of the draws."""
        off = (self.anchors["mean_W"] - self.anchors["measured_W"]) / self.anchors["sigma_W"]
        return [f"anchor {a}: the draws' mean is {x:+.1f} standard errors off" for a, x in off.items() if abs(x) > WITHIN_SIGMA]

    def catalog_values(self, n: int | None = None, seed: int = 1) -> pandas.DataFrame:
        """Values of the catalog keys, a row per draw.

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
        """
        if n is None:
            return self.draws
        return self.draws.iloc[chosen(len(self.draws), n, seed)[:n]].reset_index(drop=True)

    def __str__(self) -> str:
        lines = [f"GPU {self.name}: {len(self.draws)} draws on {len(self.anchors)} anchors, {self.effective_draws:.0f} effective"]
        for name, a in self.anchors.iterrows():
            lines.append(f"  {name:<10} measured {a.measured_W:.1f} ± {a.sigma_W:.1f} W, draws {a.mean_W:.1f} ± {a.sd_W:.1f}, the entry {a.entry_W:.1f}")
        for key in self.draws:
            x = self.draws[key]
            open_words = "   as its range" if key in self.wide else ""
            lines.append(f"  {key:<28} {x.median():.4g} ({x.quantile(0.025):.4g} to {x.quantile(0.975):.4g}){open_words}")
        return "\n".join([*lines, *(f"finding: {f}" for f in self.findings)])

    def __repr__(self) -> str:
        return f"<tidewatt.Conditioned: gpu {self.name!r}, {len(self.draws)} draws>"


def _values(table: dict, prefix: str = "") -> dict[str, Any]:
    """Dotted keys of a table of tables."""
    out: dict[str, Any] = {}
    for key, value in table.items():
        out.update(_values(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value})
    return out


def conditioned(gpu: str = "h100_sxm_700W", *, draws: int = 1000, seed: int = 1) -> Conditioned:
    """Draws of a gpu entry's assumed values that agree with its measured powers, by importance sampling.

    Values are drawn uniformly from the entry's ranges and weighted by the likelihood of its anchors (catalog entry GPU_anchors), each
    normal with its own standard error. Sampling continues until the effective number of draws is sufficient; `draws` of them are then
    chosen by their weights.

    Parameters
    ----------
    gpu : str, default 'h100_sxm_700W'
        Catalog entry of kind gpu that has anchors.
    draws : int, default 1000
        Number of draws to choose, 40–5000.
    seed : int, default 1
        Seed of the draws.

    Returns
    -------
    Conditioned
        `draws`, `anchors`, `effective_draws`, `forecast`.

    Raises
    ------
    InputError
        The entry has no anchors.
    SolverError
        Too few values in the ranges agree with the anchors.
    """
    import pandas

    if not 40 <= draws <= 5000:
        raise _core.InputError(f"draws: {draws} is outside of 40 to 5000")
    catalog = Catalog()
    if gpu not in (known := [name.removesuffix("_anchors") for name in catalog.names("anchors")]):
        raise _core.InputError(f"gpu '{gpu}' has no anchors; there are anchors of {', '.join(known)}")
    entry = tomllib.loads(catalog.text(f"gpu/{gpu}"))
    of_entry, ranges = _values({"power": entry["power"]}), entry["assumed"]
    states = {name: s for name, s in tomllib.loads(catalog.text(f"anchors/{gpu}_anchors")).items() if isinstance(s, dict) and "power_W" in s}
    keys = [key for key in _core.anchor_keys() if key in ranges]
    low, high = np.array([ranges[key] for key in keys], dtype=float).T
    rows = [[s["clock_MHz"] * 1e6, s["die_degC"] + 273.15, s["matrix_frac"], s["hbm_frac"], s["context"], s.get("waiting", False)] for s in states.values()]
    measured, sigma = (np.array([s[key] for s in states.values()]) for key in ("power_W", "sigma_W"))

    random = np.random.default_rng(seed)
    x, W, log_weight = np.empty((0, len(keys))), np.empty((0, len(rows))), np.empty(0)
    for _ in range(MOST_BATCHES):
        more = low + (high - low) * random.random((BATCH, len(keys)))
        of_more = np.array(_core.states_W(gpu, keys, more.tolist(), rows))
        x, W = np.concatenate([x, more]), np.concatenate([W, of_more])
        log_weight = np.append(log_weight, -0.5 * (((of_more - measured) / sigma) ** 2).sum(axis=1))
        weight = np.exp(log_weight - log_weight.max())
        weight /= weight.sum()
        effective = 1 / (weight**2).sum()
        if effective >= max(LEAST_EFFECTIVE, 0.5 * draws):
            break
    if effective < LEAST_EFFECTIVE:
        raise _core.SolverError(f"gpu '{gpu}': {len(x)} draws from its ranges are worth {effective:.0f} on its anchors; {LEAST_EFFECTIVE:.0f} are needed")
    chosen = random.choice(len(x), size=draws, p=weight)
    mean = weight @ W
    anchors = pandas.DataFrame({"measured_W": measured, "sigma_W": sigma, "mean_W": mean, "sd_W": np.sqrt(weight @ (W - mean) ** 2),
                                "entry_W": _core.states_W(gpu, keys, [[of_entry[key] for key in keys]], rows)[0]}, index=list(states))  # fmt: skip
    spread = np.sqrt(weight @ (x - weight @ x) ** 2) / ((high - low) / np.sqrt(12))
    wide = [key for key, s in zip(keys, spread) if s > 0.8]
    return Conditioned(gpu, pandas.DataFrame(x[chosen], columns=keys), anchors, float(effective), wide)
