"""Draws of a posterior by emcee's affine-invariant ensemble [@foreman_mackey_2013]."""
from __future__ import annotations

import dataclasses
import time

import numpy as np

from .. import _core

WALKERS = 32
CHUNK = 500
ENOUGH_TIMES = 50.0
"""Steps over the autocorrelation time from which emcee's estimate of it is trusted."""


@dataclasses.dataclass(frozen=True)
class Drawn:
    """Draws in standard deviations of the prior, shape (n_draw, n_parameter), ln p of each, and how they came about."""

    z: np.ndarray
    log_density: np.ndarray
    figures: dict
    findings: list


def need_emcee():
    """The sampler's module.

    Raises
    ------
    ImportError
        With what to install.
    """
    try:
        import emcee
    except ImportError as error:
        raise ImportError("calibration needs the Python package emcee: apt install python3-emcee, or pip install emcee") from error
    return emcee


def sample(emcee, density, before, n_draw: int, seed: int, limit_s: float) -> Drawn:
    """Draws of prior × likelihood, until the chain is 50 autocorrelation times long and has enough of them.

    Parameters
    ----------
    emcee : module
        The sampler.
    density : GpuDensity
        Likelihood of the logs.
    before : LogDensity or None
        Log density before the logs; None: N(0, 1) in every coordinate.
    n_draw : int
        Draws to keep.
    seed : int
        Of walkers and moves.
    limit_s : float
        Wall time, s.
    """
    begun = time.monotonic()
    random = np.random.RandomState(seed)

    def log_density(z):
        prior = before(z) if before is not None else -0.5 * (z**2).sum(axis=1)
        return prior + density.log_likelihood(z)

    sampler, tau, _ = walk(emcee, log_density, _start(density, before, log_density, random), random, CHUNK, n_draw, begun + limit_s)
    steps = sampler.iteration
    drawn = keep(emcee, sampler, tau, max(steps // 5, int(5 * tau) if 5 * tau < steps else 0), n_draw, random, seed)
    effective = drawn.figures["effective_draws"]
    if steps < ENOUGH_TIMES * tau or effective < 0.5 * n_draw:
        drawn.findings.append(f"sampling ended after {limit_s:.0f} s with {steps} steps of {tau:.0f} steps' autocorrelation: {effective:.0f} effective draws")
    if before is not None:
        drawn.figures["earlier_density_rms"] = before.rms
    return drawn


def walk(emcee, log_density, start, random, chunk: int, n_draw: int, until_s: float):
    """The sampler, its longest autocorrelation in steps, and whether the chain is long enough for `n_draw` draws.

    Parameters
    ----------
    emcee : module
        The sampler.
    log_density : callable
        Of points, shape (walkers, coordinates).
    start : numpy.ndarray
        Walkers, shape (walkers, coordinates).
    random : numpy.random.RandomState
        Of the moves.
    chunk : int
        Steps between two looks at the chain.
    n_draw : int
        Draws to keep.
    until_s : float
        Moment on the monotonic clock at which sampling ends in any case, s.
    """
    sampler = emcee.EnsembleSampler(WALKERS, start.shape[1], log_density, vectorize=True)
    state = emcee.State(start, random_state=random.get_state())
    while True:
        state = sampler.run_mcmc(state, chunk, skip_initial_state_check=True)
        steps = sampler.iteration
        tau = float(np.max(sampler.get_autocorr_time(discard=steps // 5, tol=0)))
        enough = steps > ENOUGH_TIMES * tau / 0.8 and WALKERS * 0.8 * steps / tau >= n_draw
        if enough or time.monotonic() > until_s:
            return sampler, tau, enough


def chosen(n_draw: int, n: int, seed: int) -> np.ndarray:
    """Indices of `n_draw` draws in the order in which `n` or more of them are taken.

    Parameters
    ----------
    n_draw : int
        Draws that there are.
    n : int
        Draws asked for.
    seed : int
        Of the order.

    Raises
    ------
    InputError
        There are fewer draws.
    """
    if not 1 <= n <= n_draw:
        raise _core.InputError(f"{n} draws asked for; there are 1 to {n_draw}")
    return np.random.default_rng(seed).permutation(n_draw)


def keep(emcee, sampler, tau: float, cut: int, n_draw: int, random, seed: int) -> Drawn:
    """Draws from the chain without its first `cut` steps, and figures of the sampling.

    Parameters
    ----------
    emcee : module
        The sampler's.
    sampler : emcee.EnsembleSampler
        As `walk` left it.
    tau : float
        Autocorrelation, steps.
    cut : int
        Steps to leave out.
    n_draw : int
        Draws to keep.
    random : numpy.random.RandomState
        Seed of the choice.
    seed : int
        That the figures name.
    """
    chain, values = sampler.get_chain(discard=cut, flat=True), sampler.get_log_prob(discard=cut, flat=True)
    at = np.sort(random.permutation(len(chain))[:n_draw])  # even steps would follow single walkers
    figures = {"walkers": WALKERS, "steps": sampler.iteration, "discarded_steps": cut, "autocorrelation_steps": tau,
               "effective_draws": len(chain) / tau, "acceptance_frac": float(np.mean(sampler.acceptance_fraction)), "seed": seed,
               "emcee": emcee.__version__}  # fmt: skip
    return Drawn(chain[at], values[at], figures, [])


def _start(density, before, log_density, random) -> np.ndarray:
    """Walkers around the first log's own fit; after an earlier calibration around the best of its draws."""
    n = len(density.prior)
    middle, sigma = np.array(density.start), np.array(density.start_sigma)
    if before is not None:
        some = before.draws(400, random)
        best = some[np.argsort(log_density(some))[-WALKERS:]]
        middle, sigma = best.mean(axis=0), best.std(axis=0) + 1e-3
    z = middle + 0.5 * sigma * random.standard_normal((8 * WALKERS, n))
    values = log_density(z)
    return z[np.argsort(values)[-4 * WALKERS :]][random.permutation(4 * WALKERS)[:WALKERS]]
