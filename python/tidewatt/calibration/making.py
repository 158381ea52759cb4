"""Calibration on logs: of one GPU, or of a type and its chips."""
from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from .._fit import _as_file
from .._load import Path
from . import population as _population
from . import sampling
from .density import LogDensity
from .posterior import SCHEMA, Calibration

if TYPE_CHECKING:
    import pandas


def calibrate(
    *files: Path | pandas.DataFrame,
    name: str,
    base: str = "h100_sxm_700W",
    gpu: str = "",
    before_W: float | None = None,
    power_window_s: float = 1.0,
    fan_frac: float = 1.0,
    population: bool = False,
    update: Calibration | Path | None = None,
    draws: int = 2000,
    seed: int = 1,
    limit_s: float = 600.0,
) -> Calibration:
    """Samples the posterior of a GPU's poles and leakage, or those of a type with the scatter of its chips, by emcee. As `tidewatt
    calibrate`.

    Likelihood and priors are those of `fit_gpu`: priors are the base entry's ranges; each log has its own noise, air temperature and power
    before it; the last two are marginalised. Needs the Python package emcee.

    Parameters
    ----------
    *files : path or pandas.DataFrame
        Telemetry of one GPU: files, or tables that a `read_…` function gives.
    name : str
        Name of the catalog entry that `save` writes.
    base : str, default 'h100_sxm_700W'
        Catalog entry of kind gpu: the priors, and all values that logs cannot give.
    gpu : str, optional
        GPU of each file; needed if a file has several and `population` is False.
    before_W : float, optional
        Power of the GPU before each log, W; None: unknown.
    power_window_s : float, default 1
        Averaging window of each power reading, s, 0–30; 0: instantaneous.
    fan_frac : float, default 1
        Fan speed during the logs, 0.05–1.
    population : bool, default False
        Calibrate all GPUs of the logs, identified by their names: the type, and the scatter of resistances and leakage between chips.
    update : Calibration or path, optional
        An earlier calibration: its posterior is the prior. The result is that of all logs at once, within Monte Carlo error.
    draws : int, default 2000
        Number of draws to keep, 200–20000.
    seed : int, default 1
        Seed of the sampler.
    limit_s : float, default 600
        Wall time after which sampling ends, s, per chip of a population; findings report an early end.

    Returns
    -------
    Calibration
        `frame`, `draws`, `chips`, `findings`, `save`, `forecast`.

    Raises
    ------
    ImportError
        emcee is not installed.
    InputError
        The log lacks needed columns or rows, or `update` has another base or fan speed.
    """
    emcee = sampling.need_emcee()
    if not 200 <= draws <= 20000:
        raise _core.InputError(f"draws: {draws} is outside of 200 to 20000")
    earlier = Calibration.load(update) if isinstance(update, (str, os.PathLike)) else update
    if earlier is not None:
        for key, given in (("base", base), ("fan_frac", fan_frac)):
            if earlier._record[key] != given:
                raise _core.InputError(f"update: the earlier calibration has {key} {earlier._record[key]!r}, this one {given!r}")
        if bool(earlier._record.get("chips")) != population:
            raise _core.InputError("update: the earlier calibration is of one GPU and this one of a population, or the other way round")
    before = LogDensity(earlier._z, np.array(earlier._record["log_density"])) if earlier is not None else None
    rested_W = -1.0 if before_W is None else before_W
    with contextlib.ExitStack() as stack:
        paths = [stack.enter_context(_as_file(f)) for f in files]

        def density_of(chosen, name):
            return _core.GpuDensity(chosen, base, name, rested_W, power_window_s, fan_frac)

        if population:
            chips, drawn, logs, prior = _of_chips(emcee, paths, gpu, earlier, before, density_of, base, draws, seed, limit_s)
        else:
            density = density_of(paths, gpu)
            drawn, logs, prior, chips = sampling.sample(emcee, density, before, draws, seed, limit_s), [dict(log) for log in density.logs], density.prior, []
    findings = [f"{log['file']}: leakage comes from elsewhere: {log['no_leakage']}" for log in logs if log["no_leakage"]]
    if earlier is not None:
        logs, findings = earlier.logs + logs, earlier._record["findings"] + findings
        findings += _contradictions(earlier._z, drawn.z, prior)
        chips = earlier._record.get("chips", []) + chips
    record = {"kind": "calibration", "schema": SCHEMA, "name": name, "base": base, "fan_frac": fan_frac, "prior": [list(p) for p in prior], "chips": chips,
              "logs": logs, "findings": findings + drawn.findings, "sampling": drawn.figures, "z": drawn.z.tolist(), "log_density": drawn.log_density.tolist()}  # fmt: skip
    return Calibration(record)


def _of_chips(emcee, paths, gpu, earlier, before, density_of, base, draws, seed, limit_s):
    """A population: first every chip separately, then the common values. The same name in several files is one chip."""
    of_chip: dict[str, list[str]] = {}
    for path in paths:
        for name in _core.gpu_names(path):
            if gpu in ("", name):
                of_chip.setdefault(name, []).append(path)
    if len(of_chip) < 2:
        raise _core.InputError(f"population: the logs hold {len(of_chip)} GPU; a scatter between chips needs 2")
    known = {chip["gpu"] for chip in earlier._record["chips"]} if earlier is not None else set()
    if again := sorted(known & set(of_chip)):
        raise _core.InputError(f"update: GPU {again[0]} is in the earlier population; calibrate all its logs together")
    means, covariances, logs, findings = [], [], [], []
    for name, own in of_chip.items():
        density = density_of(own, name)
        drawn = sampling.sample(emcee, density, None, 1000, seed, limit_s)
        means.append(drawn.z.mean(axis=0)), covariances.append(np.cov(drawn.z.T))
        logs += [dict(log) for log in density.logs]
        findings += [f"GPU {name}: {f}" for f in drawn.findings]
    chips = _population.Chips(density.prior, np.array(means), np.array(covariances), _population.spread_prior(base))
    drawn = _population.sample(emcee, chips, before, draws, seed, limit_s)
    drawn.findings[:0] = findings
    return _population.told_of_chips(chips, drawn, list(of_chip), seed), drawn, logs, chips.prior + chips.spread_prior


def _contradictions(earlier_z, z, prior) -> list[str]:
    """Parameters that moved by more than three of the earlier posterior's standard deviations."""
    moved = np.abs(z.mean(axis=0) - earlier_z.mean(axis=0)) / earlier_z.std(axis=0)
    return [
        f"{p[0]}: the new log moves it by {m:.1f} standard deviations of the earlier posterior: the logs contradict each other; calibrate them together or apart"
        for p, m in zip(prior, moved)
        if m > 3.0
    ]
