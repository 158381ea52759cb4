"""Draws of a posterior by emcee's affine-invariant ensemble [@foreman_mackey_2013]."""
from __future__ import annotations

import dataclasses
import time

import numpy as np

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

    start = _start(density, before, log_density, random)
    sampler = emcee.EnsembleSampler(WALKERS, start.shape[1], log_density, vectorize=True)
    state, tau = emcee.State(start, random_state=random.get_state()), np.inf
    while True:
        state = sampler.run_mcmc(state, CHUNK, skip_initial_state_check=True)
        steps = sampler.iteration
        tau = float(np.max(sampler.get_autocorr_time(discard=steps // 5, tol=0)))
        effective = WALKERS * 0.8 * steps / tau
        if steps > ENOUGH_TIMES * tau / 0.8 and effective >= n_draw or time.monotonic() - begun > limit_s:
            break
    cut = max(steps // 5, int(5 * tau) if 5 * tau < steps else 0)
    chain, values = sampler.get_chain(discard=cut, flat=True), sampler.get_log_prob(discard=cut, flat=True)
    at = np.sort(random.permutation(len(chain))[:n_draw])  # even steps would follow single walkers
    effective = len(chain) / tau
    findings = []
    if steps < ENOUGH_TIMES * tau or effective < 0.5 * n_draw:
        findings.append(f"sampling ended after {limit_s:.0f} s with {steps} steps of {tau:.0f} steps' autocorrelation: {effective:.0f} effective draws")
    figures = {"walkers": WALKERS, "steps": steps, "discarded_steps": cut, "autocorrelation_steps": tau, "effective_draws": effective,
               "acceptance_frac": float(np.mean(sampler.acceptance_fraction)), "seed": seed, "emcee": emcee.__version__}  # fmt: skip
    if before is not None:
        figures["earlier_density_rms"] = before.rms
    return Drawn(chain[at], values[at], figures, findings)


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
