"""Several chips of one type: their common values and scatter, from the posterior of each."""
from __future__ import annotations

import time
from typing import Any, Mapping, Sequence

import numpy as np

try:
    import tomllib
except ModuleNotFoundError:  # Python before 3.11
    import tomli as tomllib

from .._catalog import Catalog
from .density import LogDensity, prior_value
from .sampling import CHUNK, WALKERS, Drawn, keep, walk

SPREADS = ("resistance_sigma_ratio", "leakage_sigma_ratio")
"""Keys of a gpu entry's [spread] that chips tell of, in the order of their coordinates behind the type's."""
MOVES = {"resistance_sigma_ratio": ("fast_K_per_W", "slow_K_per_W"), "leakage_sigma_ratio": ("leakage_W",)}
"""Parameters of a chip that one ratio moves: a package keeps its time constants, as in a simulated fleet."""
USUAL = {"resistance_sigma_ratio": (0.03, 0.20), "leakage_sigma_ratio": (0.10, 0.25)}
"""95 % of the prior where the base entry gives no range; the same as those of `fit gpu`."""


class Chips:
    """The likelihood of a type and its scatter, the chips themselves averaged out.

    Chip i has z_i = μ + B(σ) x_i, x_i ~ N(0, 1): x counts standard deviations of its ratios of resistance and leakage. Its own posterior is taken
    as normal in z, so that with Λ_i, w_i of its likelihood

        ln L_i(μ, σ) = −½ μᵀΛμ + wᵀμ + ½ gᵀH⁻¹g − ½ ln det H,   H = 1 + BᵀΛB,   g = Bᵀ(w − Λμ)

    Parameters
    ----------
    prior : sequence
        Of the type, as `GpuDensity.prior`; coordinates are standard deviations of it.
    means, covariances : arrays
        Of each chip's posterior, shapes (n_chip, n_parameter) and (n_chip, n_parameter, n_parameter).
    spread_prior : sequence
        Of each of SPREADS, as `prior`.
    """

    def __init__(self, prior: Sequence, means: np.ndarray, covariances: np.ndarray, spread_prior: Sequence):
        self.prior, self.spread_prior = list(prior), list(spread_prior)
        self.start, self.start_sigma = np.append(np.mean(means, axis=0), [0.0, 0.0]), np.ones(len(self.prior) + len(SPREADS))
        precision = np.linalg.inv(covariances)
        # Information of the chip's log beyond the prior; sampling noise must not make it negative.
        values, vectors = np.linalg.eigh(precision - np.eye(len(self.prior)))
        self._precision = np.einsum("cik,ck,cjk->cij", vectors, np.maximum(values, 0.0), vectors)
        self._weighted = np.einsum("cij,cj->ci", precision, means)
        keys = [p[0] for p in self.prior]
        self._moves = np.zeros((len(SPREADS), len(keys)))
        for row, spread in enumerate(SPREADS):
            for key in MOVES[spread]:
                _, low, high, logarithmic = self.prior[keys.index(key)]
                if not logarithmic:
                    raise ValueError(f"{key}: a ratio needs a prior of its logarithm")
                self._moves[row, keys.index(key)] = 2 * 1.959963984540054 / np.log(high / low)

    def _parts(self, z: np.ndarray):
        """H and g of every chip at points z, shapes (n_point, n_chip, 2, 2) and (n_point, n_chip, 2)."""
        n = len(self.prior)
        mean = z[:, :n]
        sigma = np.stack([prior_value(p, z[:, n + k]) for k, p in enumerate(self.spread_prior)], axis=1)
        B = sigma[:, :, None] * self._moves[None]
        H = np.eye(len(SPREADS)) + np.einsum("pai,cij,pbj->pcab", B, self._precision, B, optimize=True)
        left = self._weighted[None] - np.einsum("cij,pj->pci", self._precision, mean)
        return H, np.einsum("pai,pci->pca", B, left)

    def log_likelihood(self, z: np.ndarray) -> np.ndarray:
        """ln of it at points z of type and scatter, without a constant.

        Parameters
        ----------
        z : array
            Shape (n_point, n_parameter + 2).
        """
        mean = z[:, : len(self.prior)]
        H, g = self._parts(z)
        x = np.linalg.solve(H, g[..., None])[..., 0]
        own = -0.5 * np.einsum("pi,cij,pj->pc", mean, self._precision, mean, optimize=True) + mean @ self._weighted.T
        return (own + 0.5 * (g * x).sum(axis=-1) - 0.5 * np.log(np.linalg.det(H))).sum(axis=1)

    def ratios(self, z: np.ndarray, random: np.random.RandomState) -> np.ndarray:
        """A draw of every chip's ratios to the type for each draw of the type, shape (n_draw, n_chip, 2).

        Parameters
        ----------
        z : array
            Draws of type and scatter, shape (n_draw, n_parameter + 2).
        random : numpy.random.RandomState
            Source of the draws.
        """
        H, g = self._parts(z)
        x = np.linalg.solve(H, g[..., None])[..., 0]
        x = x + np.einsum("pcij,pcj->pci", np.linalg.cholesky(np.linalg.inv(H)), random.standard_normal(x.shape))
        sigma = np.stack([prior_value(p, z[:, len(self.prior) + k]) for k, p in enumerate(self.spread_prior)], axis=1)
        return np.exp(x * sigma[:, None, :])


def spread_prior(base: str) -> list[tuple]:
    """Priors of SPREADS: the base entry's assumed ranges.

    Parameters
    ----------
    base : str
        Catalog entry of kind gpu.
    """
    ranges = tomllib.loads(Catalog().text(f"gpu/{base}")).get("assumed", {})
    return [(key, *map(float, ranges.get(f"spread.{key}", USUAL[key])), True) for key in SPREADS]


def sample(emcee: Any, chips: Chips, before: LogDensity | None, n_draw: int, seed: int, limit_s: float) -> Drawn:
    """Draws of type and scatter, as `sampling.sample`.

    Parameters
    ----------
    emcee : module
        The sampler.
    chips : Chips
        Likelihood of all chips.
    before : LogDensity or None
        Log density of an earlier population; None: N(0, 1) in every coordinate.
    n_draw : int
        Draws to keep.
    seed : int
        Of walkers and moves.
    limit_s : float
        Wall time, s.
    """
    random = np.random.RandomState(seed)
    begun, n = time.monotonic(), len(chips.start)

    def log_density(z):
        return (before(z) if before is not None else -0.5 * (z**2).sum(axis=1)) + chips.log_likelihood(z)

    start = chips.start + 0.1 * random.standard_normal((WALKERS, n))
    sampler, tau, enough = walk(emcee, log_density, start, random, 2 * CHUNK, n_draw, begun + limit_s)
    drawn = keep(emcee, sampler, tau, sampler.iteration // 5, n_draw, random, seed)
    if not enough:
        drawn.findings.append(f"sampling of the population ended after {limit_s:.0f} s with {drawn.figures['effective_draws']:.0f} effective draws")
    return drawn


def told_of_chips(chips: Chips, drawn: Drawn, names: Sequence[str], seed: int) -> list[Mapping[str, Any]]:
    """Per chip its name, and median and 95 % interval of its ratios to the type.

    Parameters
    ----------
    chips : Chips
        The likelihood.
    drawn : Drawn
        Draws of type and scatter.
    names : sequence of str
        Of the chips.
    seed : int
        Of the chips' draws.
    """
    ratios = chips.ratios(drawn.z, np.random.RandomState(seed + 1))
    low, middle, high = np.quantile(ratios, [0.025, 0.5, 0.975], axis=0)
    words = [key.replace("_sigma_ratio", "_ratio") for key in SPREADS]
    return [{"gpu": name, **{w: float(middle[i, k]) for k, w in enumerate(words)}, **{f"{w}_low": float(low[i, k]) for k, w in enumerate(words)},
             **{f"{w}_high": float(high[i, k]) for k, w in enumerate(words)}} for i, name in enumerate(names)]  # fmt: skip
