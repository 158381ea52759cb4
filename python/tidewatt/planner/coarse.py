"""The coarse answer: the same engine with longer steps.

Time in a run goes into iterations whose edges are resolved, once per macro step. With macro steps of up to half an hour and a
tenfold tolerance of jumps there are half as many. `scripts/acceptance/serve` measures what that changes.
"""
from __future__ import annotations

from .._load import Scenario
from .base import tables

TOLERANCE_K = 0.5
MACRO_STEP_MAX_s = 1800.0


def coarse(scenario: Scenario) -> Scenario:
    """The `scenario` with longer steps; what is longer already stays."""
    run = tables(scenario).get("run", {})
    return scenario.with_set({
        "run.tolerance_K": max(TOLERANCE_K, float(run.get("tolerance_K", 0.0))),
        "run.macro_step_max_s": max(MACRO_STEP_MAX_s, float(run.get("macro_step_max_s", 0.0))),
        "run.advance": "periodic",
    })  # fmt: skip
