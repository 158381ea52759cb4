"""Intervals of a variant's figures: all inputs that the scenario assumes drawn within their ranges, as `tidewatt sweep --monte-carlo`
does, at the coarse answer's steps."""
from __future__ import annotations

import contextlib
import tempfile
from typing import Any, Callable

import numpy as np

from .. import _core
from .._sweep import sweep
from .base import Base
from .coarse import coarse

LOW, MIDDLE, HIGH = 5, 50, 95  # percentiles


def interval(base: Base, set: dict[str, Any], n_draw: int, check: Callable[..., None]) -> tuple[dict[str, list[float]], int, str]:
    """(figure -> its 5th, 50th and 95th percentile, draws that ran, a note) of the `base` with `set`.

    @param n_draw: draws, a Latin hypercube. @param check: called on the way; what it raises stops the draws
    """
    scenario = coarse(base.scenario(set))
    if not scenario._core.assumed:
        return {}, 0, "the scenario assumes nothing: there is no range to draw from"
    with tempfile.TemporaryDirectory(prefix="tidewatt-serve-") as folder:
        try:
            table = sweep({"mode": "monte_carlo", "n_case": n_draw}, scenario=scenario, out=folder, progress=check)
        except _core.InputError as error:
            return {}, 0, f"no interval: {error}"
        columns = dict(table._columns)
        done = np.array([status != "failed" for status in columns["status"]])
        drawn = list(columns)[: list(columns).index("case")]
        note = "" if done.all() else f"{np.count_nonzero(~done)} of {n_draw} draws failed and are left out"
        out = {}
        for key, values in columns.items():
            if key in drawn:
                continue
            with contextlib.suppress(TypeError, ValueError):
                numbers = np.asarray(values, dtype=float)[done]
                if numbers.size > 2 and np.isfinite(numbers).all():
                    out[key] = [float(x) for x in np.percentile(numbers, [LOW, MIDDLE, HIGH])]
    return out, int(done.sum()), note
