"""The coarse answer: the same engine with longer steps, and with shorter windows where every millisecond is computed.

Time in a run goes into iterations whose edges are resolved, once per macro step. With macro steps of up to half an hour and a
tenfold tolerance of jumps there are half as many. Storage and supplies remember, so the engine plays each millisecond of the
day through them, which takes longer than all else. Then the day is run without them: they do not act on the GPUs, so throughput,
dies and cooling are the day's. Its first half hour is run with them: ramps, steps, verdicts and losses are of that. Half an hour
from the hottest hour on gives the largest power, once its own start is over. `scripts/acceptance/serve` measures how near that is.
"""
from __future__ import annotations

import concurrent.futures
import copy
import datetime
from typing import Any, Callable, NamedTuple

from .._engine import run
from .._load import Scenario
from .._result import Result
from .base import tables

TOLERANCE_K = 0.5
MACRO_STEP_MAX_s = 1800.0
WINDOW_h = 0.5
FAILS_AFTER_s = 1200.0  # in a window: once packages are warm
SETTLED_s = 900.0  # of the hottest half hour: its start is not the day's
DEVICES = ("rack_storage", "ups", "generators")  # of a site
PEAKS = ("pcc_max_MW", "feeder_loading_max_percent")  # of the hottest hour
# Figures that the devices change, from the first half hour.
WAVEFORM = ("pcc_min_MW", "pcc_step_1s_max_MW", "pcc_ramp_up_max_MW_per_s", "pcc_ramp_down_max_MW_per_s", "pcc_dominant_Hz", "freq_deviation_max_mHz", "volt_deviation_max_percent",
            "ramp_up_MW_per_s", "ramp_down_MW_per_s", "band_rms_MW", "rainflow_cycles", "flicker_P_st_120V_60Hz", "flicker_P_st_230V_50Hz", "flicker_P_lt_120V_60Hz",
            "flicker_P_lt_230V_50Hz", "compliance")  # fmt: skip
OF_DEVICES = ("battery_", "rack_storage_")  # figures that only the devices have


class Coarse(NamedTuple):
    """Figures, the run whose rules count, and what the devices lose, MW."""

    summary: dict[str, Any]
    judged: Result
    day: Result
    added_MW: float


def coarse(scenario: Scenario) -> Scenario:
    """The `scenario` with longer steps; what is longer already stays."""
    own = tables(scenario).get("run", {})
    return scenario.with_set({
        "run.tolerance_K": max(TOLERANCE_K, float(own.get("tolerance_K", 0.0))),
        "run.macro_step_max_s": max(MACRO_STEP_MAX_s, float(own.get("macro_step_max_s", 0.0))),
        "run.advance": "periodic",
    })  # fmt: skip


class Parts(NamedTuple):
    """A scenario with devices that remember, for the coarse answer: the day without them, its first half hour and its hottest one with them."""

    day: Scenario
    first: Scenario
    hottest: Callable[[Result], Scenario]
    """Of the day's result, which knows the hour."""


def parts(scenario: Scenario) -> Parts | None:
    """The parts of a `scenario` that are coarse answers of their own, with longer steps; None where it stays whole."""
    said = tables(scenario)
    if not _remembers(said) or scenario.duration_s <= 7200.0 * WINDOW_h or not _can_be_split(said):
        return None

    def hottest(day: Result) -> Scenario:
        return coarse(_of(_window(said, scenario, int(day.array("/hourly/pcc_J").argmax())), scenario))

    return Parts(coarse(_of(_without(said), scenario)), coarse(_of(_window(said, scenario, 0), scenario)), hottest)


def run_coarse(scenario: Scenario, check: Callable[..., None]) -> Coarse:
    """The coarse answer to a `scenario`; `check` is called on the way and may stop it by raising."""
    split = parts(scenario)
    if split is None:
        result = run(coarse(scenario), progress=check)
        return Coarse(result.summary, result, result, 0.0)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        begin = pool.submit(run, split.first, threads=1, progress=check)
        day = run(split.day, progress=check)
        peak = run(split.hottest(day), progress=check)
        return _joined(day, begin.result(), peak)


def _joined(day: Result, start: Result, peak: Result) -> Coarse:
    """The figures of a `day` without devices, with what its `start` and its `peak` say of the devices."""
    summary = dict(day.summary)
    summary.update({key: start.summary[key] for key in WAVEFORM if key in start.summary})
    late = peak.array("/pyramid_10s/time") >= SETTLED_s
    hot = float(peak.array("/pyramid_10s/pcc_max_W")[late].max()) * 1e-6 / peak.summary["pcc_max_MW"]
    summary.update({key: _largest(start.summary[key], peak.summary[key], hot) for key in PEAKS if key in start.summary})
    longer = day.summary["simulated_s"] / start.summary["simulated_s"]
    for key, value in start.summary.items():
        if key.startswith(OF_DEVICES):
            summary[key] = value * longer if key.endswith("_MWh") else value
    lost_MW = sum(start.summary.get(key) or 0.0 for key in ("battery_loss_MWh", "rack_storage_loss_MWh")) * 3600.0 / start.summary["simulated_s"]
    summary["pue"] *= 1.0 + lost_MW / summary["pcc_mean_MW"]
    summary["pcc_mean_MW"] += lost_MW
    return Coarse(summary, start, day, lost_MW)


def _largest(start: Any, peak: Any, hot: float) -> Any:
    """A figure of largest power, or one of each stage: of the start, or `hot` times that of the hottest half hour."""
    if isinstance(start, dict):
        return {name: _largest(value, peak[name], hot) for name, value in start.items()}
    return max(start, hot * peak)


def _remembers(said: dict[str, Any]) -> bool:
    """Whether a device between servers and grid has a memory."""
    return any(key in said.get("site", {}) for key in DEVICES) or any(m.get("kind") == "site_battery" for m in said.get("mitigation", []))


def _can_be_split(said: dict[str, Any]) -> bool:
    """Whether nothing ties the devices to the day: no event but a failure of a job, no layout that brings devices, no measured weather."""
    plain = all(e.get("kind") in ("failure", "planned_stop") for e in said.get("event", []))
    return plain and "delivery" not in said.get("site", {}) and not any(key in said.get("weather", {}) for key in ("epw", "csv"))


def _without(said: dict[str, Any]) -> dict[str, Any]:
    out = copy.deepcopy(said)
    for key in DEVICES:
        out.get("site", {}).pop(key, None)
    out["mitigation"] = [m for m in out.get("mitigation", []) if m.get("kind") != "site_battery"]
    out.get("site", {}).pop("rules", None)
    return out


def _window(said: dict[str, Any], scenario: Scenario, hour: int) -> dict[str, Any]:
    """Half an hour from the run's `hour` on: a start, iterations, and the failure where there is one."""
    out = copy.deepcopy(said)
    start = scenario.start + datetime.timedelta(hours=hour)
    out["run"] = {**out.get("run", {}), "start": start.isoformat(), "duration_h": WINDOW_h}
    out.pop("record", None)
    out["event"] = [{**e, "at_s": FAILS_AFTER_s} for e in out.get("event", [])[:1]]
    site = out.setdefault("site", {})
    site["rules_from_s"] = min(site.get("rules_from_s", 0), 900)
    site.pop("rules_until_s", None)
    return out


def _of(said: dict[str, Any], scenario: Scenario) -> Scenario:
    """A scenario of its tables, in the folder of another one."""
    from .._load import _document, _made

    source = scenario._source
    return _made(source._replace(text=_document({key: value for key, value in said.items() if value != []}), set=()), scenario.path)

