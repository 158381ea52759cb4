"""Intervals of a variant's figures: all inputs that the scenario assumes drawn within their ranges, as `tidewatt sweep --monte-carlo`
does, at the coarse answer's steps; where that has parts, each of them is drawn and gives the figures that the coarse answer takes
from it.
"""
from __future__ import annotations

import contextlib
import tempfile
from typing import Any, Callable

import numpy as np

from .. import _core
from .._engine import run
from .._load import Scenario
from .._result import Result
from .._sweep import sweep
from .base import tables
from .coarse import WAVEFORM, coarse, parts

LOW, MIDDLE, HIGH = 5, 50, 95  # percentiles
LEAST_DRAWS = 3  # with fewer, percentiles are meaningless
SLOW_DRAWS = 20  # at most, of GPU smoothing with storage: each takes three times as long
LOSSES = ("battery_loss_MWh", "rack_storage_loss_MWh")


def interval(scenario: Scenario, result: Result, n_draw: int, check: Callable[..., None]) -> tuple[dict[str, list[float]], int, str]:
    """(figure -> its 5th, 50th and 95th percentile, draws that ran, a note) of a `scenario` whose `result` is known.

    @param n_draw: draws, a Latin hypercube. @param check: called meanwhile; an exception from it stops the draws
    """
    if not scenario._core.assumed:
        return {}, 0, "the scenario assumes nothing: there is no range to draw from"
    split = parts(scenario)
    if split is not None and any(m.get("kind") == "gpu_smoothing" for m in tables(scenario).get("mitigation", [])):
        n_draw = min(n_draw, SLOW_DRAWS)
    try:
        if split is None:
            drawn, n, note = _drawn(coarse(scenario), n_draw, check)
            return _percentiles(drawn), n, note
        day, n, note = _drawn(split.day, n_draw, check)
        first, n_first, note_first = _drawn(split.first, n_draw, check)
        if min(n, n_first) < LEAST_DRAWS:
            return {}, 0, f"no interval: {note if n < LEAST_DRAWS else note_first}"
        note = note or note_first
        nominal = run(split.first, progress=check)
    except _core.InputError as error:
        return {}, 0, f"no interval: {error}"
    out = _percentiles(day)
    # What the devices make of single edges: the day's is as far from the first half hour's as without draws.
    for key in {*out, *first}:
        if key.split(".")[0] in WAVEFORM:
            out.pop(key, None)
            of_day, of_first = _figure(result, key), _figure(nominal, key)
            if key in first and of_first and of_day is not None:
                out.update(_percentiles({key: first[key] * (of_day / of_first)}))
    _add_losses(out, first)
    return out, n, note


def _figure(result: Result, key: str) -> float | None:
    """A figure of a `result`'s summary, or one of its parts: `key` as in a sweep's table."""
    value = result.summary
    for word in key.split("."):
        value = value.get(word) if isinstance(value, dict) else None
    return value if isinstance(value, (int, float)) else None


def _drawn(scenario: Scenario, n_draw: int, check: Callable[..., None]) -> tuple[dict[str, np.ndarray], int, str]:
    """(figure -> one value per draw, draws that ran, a note on those that did not)."""
    with tempfile.TemporaryDirectory(prefix="tidewatt-serve-") as folder:
        columns = dict(sweep({"mode": "monte_carlo", "n_case": n_draw}, scenario=scenario, out=folder, progress=check)._columns)
    done = np.array([status != "failed" for status in columns["status"]])
    names = list(columns)
    out = {}
    for key in names[names.index("error") + 1 :]:
        with contextlib.suppress(TypeError, ValueError):
            out[key] = np.asarray(columns[key], dtype=float)[done]
    failed = [error for error in columns["error"] if error]
    return out, int(done.sum()), f"{len(failed)} of {n_draw} draws failed and are left out: {failed[0]}" if failed else ""


def _percentiles(drawn: dict[str, np.ndarray]) -> dict[str, list[float]]:
    usable = {key: values for key, values in drawn.items() if values.size >= LEAST_DRAWS and np.isfinite(values).all()}
    return {key: [float(x) for x in np.percentile(values, [LOW, MIDDLE, HIGH])] for key, values in usable.items()}


def _add_losses(out: dict[str, list[float]], first: dict[str, np.ndarray]) -> None:
    """Adds what the devices lose, the median of the draws of the `first` half hour, to means at the connection."""
    lost_MW = sum(float(np.median(first[key])) for key in LOSSES if key in first and np.isfinite(first[key]).all()) / float(np.median(first["simulated_s"])) * 3600.0
    mean_MW = out.get("pcc_mean_MW")
    if mean_MW:
        out["pue"] = [x * (1.0 + lost_MW / mean_MW[1]) for x in out["pue"]]
        out["pcc_mean_MW"] = [MW + lost_MW for MW in mean_MW]
