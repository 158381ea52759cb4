"""The log density behind a set of draws, so that a posterior can be the next log's prior."""
from __future__ import annotations

import itertools
from typing import Sequence

import numpy as np


def prior_value(prior: Sequence, z: np.ndarray | float) -> np.ndarray | float:
    """A parameter at z standard deviations from its prior's middle, in its unit.

    Parameters
    ----------
    prior : sequence
        Key, low and high of 95 %, whether the logarithm is normal.
    z : array or float
        Dimensionless.
    """
    _, low, high, logarithmic = prior
    a, b = (np.log(low), np.log(high)) if logarithmic else (low, high)
    x = 0.5 * (a + b) + z * 0.5 * (b - a) / 1.959963984540054
    return np.exp(x) if logarithmic else x


class LogDensity:
    """A smooth log density through draws whose own log density is known, without a constant.

    In u, the draws freed of mean and covariance:

        ln p(u) = −½ |u|² + q(u s),   s = min(1, R / |u|)

    q is a polynomial of fourth order by least squares through the draws, which have no noise; beyond the radius R that holds 99 % of the draws
    it stays as it is there, so that the tails are those of a normal distribution.

    Parameters
    ----------
    z : array
        Draws, shape (n_draw, n_parameter); six parameters need 1,000 draws for fourth order, else the order is lower.
    log_density : array
        ln p of each draw, up to a constant, shape (n_draw,).
    """

    def __init__(self, z: np.ndarray, log_density: np.ndarray):
        self._mean = z.mean(axis=0)
        self._factor = np.linalg.inv(np.linalg.cholesky(np.cov(z.T)))
        u = (z - self._mean) @ self._factor.T
        radius = np.linalg.norm(u, axis=1)
        self._radius = float(np.quantile(radius, 0.99))
        n = z.shape[1]
        self._powers = [()]
        for order in (1, 2, 3, 4):
            more = list(itertools.combinations_with_replacement(range(n), order))
            if 4 * (len(self._powers) + len(more)) < len(z):
                self._powers += more
        inside = radius <= self._radius
        left = log_density + 0.5 * radius**2
        self._weights, *_ = np.linalg.lstsq(self._columns(u[inside]), left[inside], rcond=None)
        missed = left[inside] - self._columns(u[inside]) @ self._weights
        self.rms = float(np.sqrt((missed**2).mean()))
        """What the polynomial misses of ln p at the draws, root mean square."""

    def draws(self, n: int, random: np.random.RandomState) -> np.ndarray:
        """Draws of the normal part, shape (n, n_parameter).

        Parameters
        ----------
        n : int
            Count.
        random : numpy.random.RandomState
            Its source.
        """
        return self._mean + random.standard_normal((n, len(self._mean))) @ np.linalg.inv(self._factor).T

    def _columns(self, u: np.ndarray) -> np.ndarray:
        return np.stack([np.prod(u[:, list(p)], axis=1) if p else np.ones(len(u)) for p in self._powers], axis=1)

    def __call__(self, z: np.ndarray) -> np.ndarray:
        u = (z - self._mean) @ self._factor.T
        radius = np.linalg.norm(u, axis=1)
        near = u * np.minimum(1.0, self._radius / np.maximum(radius, 1e-12))[:, None]
        return -0.5 * radius**2 + self._columns(near) @ self._weights
