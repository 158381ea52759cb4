"""The coarse answer: the same engine with longer steps, and with shorter windows where every millisecond is computed.

Time in a run goes into iterations whose edges are resolved, once per macro step. With macro steps of up to forty minutes and a
tenfold tolerance of jumps there are half as many. Storage and supplies remember, so the engine plays each millisecond of the
day through them, which takes longer than all else. Then the day is run without them: they do not act on the GPUs, so throughput,
dies and cooling are the day's. Its first half hour is run with them: ramps, steps, verdicts and losses are of that. Half an hour
from the hottest hour on gives the largest power, once its own start is over. GPUs that smooth their power take longer to compute and
leave no edges to a store; then largest power rises from the first half hour's as it does without devices. `scripts/acceptance/serve`
measures how near all of it is.

A store of energy E and rated power P that returns to its charge with gain k (`soc_gain_pu`) lets the connection pay for its loss
rate l only as its charge falls behind: in steady state by l/(k P), with the time constant τ = E/(k P). At time t the connection pays
l (1 − e^(−t/τ)), and never less than what the store cannot cover.
"""
from __future__ import annotations

import concurrent.futures
import copy
import datetime
from typing import Any, Callable, NamedTuple

import numpy as np

from .._catalog import Catalog
from .._engine import run
from .._load import Scenario
from .._result import Result
from .base import tables, tomllib

TOLERANCE_K = 0.5
MACRO_STEP_MAX_s = 2400.0
WINDOW_h = 0.5
FAILS_AFTER_s = 1200.0  # in a window: once packages are warm
SETTLED_s = 900.0  # of a half hour: what comes before is its start
RIPPLE_s = 300.0  # many iterations, in which a store's charge hardly moves
DEVICES = ("rack_storage", "ups", "generators")  # of a site
PEAKS = ("pcc_max_MW", "feeder_loading_max_percent")  # rise with the day
# Figures that the devices change, from the first half hour.
WAVEFORM = ("pcc_min_MW", "pcc_step_1s_max_MW", "pcc_ramp_up_max_MW_per_s", "pcc_ramp_down_max_MW_per_s", "pcc_dominant_Hz", "freq_deviation_max_mHz", "volt_deviation_max_percent",
            "ramp_up_MW_per_s", "ramp_down_MW_per_s", "band_rms_MW", "rainflow_cycles", "flicker_P_st_120V_60Hz", "flicker_P_st_230V_50Hz", "flicker_P_lt_120V_60Hz",
            "flicker_P_lt_230V_50Hz", "compliance")  # fmt: skip
OF_DEVICES = ("battery_", "rack_storage_")  # figures that only the devices have


class Coarse(NamedTuple):
    """Figures, the run whose rules count, the run whose hours count, and what the connection pays for the devices' losses in each of them, MW."""

    summary: dict[str, Any]
    judged: Result
    day: Result
    added_MW: np.ndarray | float


def coarse(scenario: Scenario) -> Scenario:
    """The `scenario` with longer steps; what is longer already stays."""
    own = tables(scenario).get("run", {})
    return scenario.with_set({
        "run.tolerance_K": max(TOLERANCE_K, float(own.get("tolerance_K", 0.0))),
        "run.macro_step_max_s": max(MACRO_STEP_MAX_s, float(own.get("macro_step_max_s", 0.0))),
    })  # fmt: skip


class Parts(NamedTuple):
    """A scenario with devices that remember, for the coarse answer: the day without them, its first half hour and its hottest one with them."""

    day: Scenario
    first: Scenario
    hottest: Callable[[Result], Scenario] | None
    """Of the day's result, which knows the hour; None where the first half hour is enough."""
    stores: list[dict[str, Any]]
    """Those at the connection, with what the catalog says of them."""


def parts(scenario: Scenario) -> Parts | None:
    """The parts of a `scenario` that are coarse answers of their own, with longer steps; None where it stays whole."""
    said = tables(scenario)
    if not _remembers(said) or scenario.duration_s <= 7200.0 * WINDOW_h or not _can_be_split(said):
        return None

    def hottest(day: Result) -> Scenario:
        return coarse(_of(_window(said, scenario, _hottest(day)), scenario))

    smoothed = any(m.get("kind") == "gpu_smoothing" for m in said.get("mitigation", []))
    return Parts(coarse(_of(_without(said), scenario)), coarse(_of(_window(said, scenario, None), scenario)), None if smoothed else hottest, _stores(said))


def _hottest(day: Result) -> int:
    return int(day.array("/hourly/pcc_J").argmax())


def run_coarse(scenario: Scenario, check: Callable[..., None]) -> Coarse:
    """The coarse answer to a `scenario`; `check` is called on the way and may stop it by raising."""
    split = parts(scenario)
    if split is None:
        result = run(coarse(scenario), progress=check)
        return Coarse(result.summary, result, result, 0.0)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        begin = pool.submit(run, split.first, threads=1, progress=check)
        day = run(split.day, progress=check)
        hot = run(split.hottest(day), progress=check) if split.hottest else None
        return _joined(day, begin.result(), hot, split.stores)


def _joined(day: Result, start: Result, hot: Result | None, stores: list[dict[str, Any]]) -> Coarse:
    """The figures of a `day` without devices, with what its `start`, its `hot` half hour and its `stores` say of the devices."""
    summary = dict(day.summary)
    summary.update({key: start.summary[key] for key in WAVEFORM if key in start.summary})
    day_s, start_s = day.summary["simulated_s"], start.summary["simulated_s"]
    for key, value in start.summary.items():
        if key.startswith(OF_DEVICES):
            summary[key] = value * day_s / start_s if key.endswith("_MWh") else value
    # Losses, as far as the connection and not the charge of a store covers them.
    racks_MW, stores_MW = ((start.summary.get(key) or 0.0) * 3600.0 / start_s for key in ("rack_storage_loss_MWh", "battery_loss_MWh"))

    def paid_MW(t_s: Any) -> Any:
        return racks_MW + stores_MW * _paid(stores, np.asarray(t_s), stores_MW)

    summary["pue"] *= 1.0 + (racks_MW + stores_MW) / summary["pcc_mean_MW"]
    summary["pcc_mean_MW"] += float(np.mean(paid_MW(np.linspace(0.0, day_s, 1441))))
    hours_s = 3600.0 * (np.arange(day.array("/hourly/pcc_J").size) + 0.5)
    higher = max(1.0, _largest_MW(day, start, hot, float(paid_MW(hours_s[_hottest(day)]))) / start.summary["pcc_max_MW"])
    summary.update({key: _times(start.summary[key], higher) for key in PEAKS if key in start.summary})
    return Coarse(summary, start, day, paid_MW(hours_s))


def _largest_MW(day: Result, start: Result, hot: Result | None, paid_MW: float) -> float:
    """Largest power of a `day` with devices once it has settled, MW, of which the connection pays `paid_MW` for losses in the hottest hour."""
    of = hot or start
    failed = hot is None and start.summary["n_interruptions_unexpected"] + start.summary["n_interruptions_planned"] > 0
    end_s = FAILS_AFTER_s if failed else of.summary["simulated_s"]
    spans = [(s, s + RIPPLE_s) for s in np.arange(SETTLED_s, end_s - 1.0, RIPPLE_s)]
    ripple_MW = max(_within(of, "max", *span).max() - _within(of, "mean", *span).mean() for span in spans)
    if hot:
        return float(ripple_MW + day.array("/hourly/pcc_J").max() / 3600e6 + paid_MW)
    rise_MW = _within(day, "max", SETTLED_s, day.summary["simulated_s"]).max() - _within(day, "max", SETTLED_s, end_s).max()
    return float(ripple_MW + _within(day, "mean", SETTLED_s, end_s).mean() + rise_MW + paid_MW)


def _within(result: Result, what: str, from_s: float, to_s: float) -> np.ndarray:
    """Power at the connection of a `result` in buckets of 10 s, MW: `what` is min, mean or max."""
    t_s = result.array("/pyramid_10s/time")
    return result.array(f"/pyramid_10s/pcc_{what}_W")[(t_s >= from_s) & (t_s < to_s)] * 1e-6


def _times(figure: Any, factor: float) -> Any:
    """A figure, or one of each stage, times a `factor`."""
    return {name: value * factor for name, value in figure.items()} if isinstance(figure, dict) else figure * factor


def _stores(said: dict[str, Any]) -> list[dict[str, Any]]:
    """The stores at the connection, with what the catalog says of them."""
    found = [m for m in said.get("mitigation", []) if m.get("kind") == "site_battery"]
    return [{**(tomllib.loads(Catalog().text("storage/" + m["catalog"])) if "catalog" in m else {}), **m} for m in found]


def _paid(stores: list[dict[str, Any]], t_s: np.ndarray, lost_MW: float) -> np.ndarray:
    """Share of what the `stores` lose, `lost_MW`, that the connection pays at `t_s` of the run."""
    energy_MWh = sum(m.get("energy_MWh", 0.0) for m in stores)
    gain_MW = sum(m.get("soc_gain_pu", 0.0) * m.get("power_MW", 0.0) for m in stores)
    usable_MWh = sum(m.get("energy_MWh", 0.0) * max(0.0, m.get("soc_initial_frac", 0.5) - m.get("soc_min_frac", 0.0)) for m in stores)
    if gain_MW <= 0.0:  # nothing restores the charge: the connection pays once the store is empty
        return np.where(lost_MW * t_s / 3600.0 > usable_MWh, 1.0, 0.0)
    return 1.0 - np.exp(-t_s * gain_MW / (3600.0 * energy_MWh))


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


def _window(said: dict[str, Any], scenario: Scenario, hour: int | None) -> dict[str, Any]:
    """Half an hour: from the run's `hour` on, or its first one (None), which has the failure where there is one."""
    out = copy.deepcopy(said)
    start = scenario.start + datetime.timedelta(hours=hour or 0)
    out["run"] = {**out.get("run", {}), "start": start.isoformat(), "duration_h": WINDOW_h}
    out.pop("record", None)
    out["event"] = [{**e, "at_s": FAILS_AFTER_s} for e in out.get("event", [])[:1] if hour is None]
    site = out.setdefault("site", {})
    site["rules_from_s"] = min(site.get("rules_from_s", 0), 900)
    site.pop("rules_until_s", None)
    return out


def _of(said: dict[str, Any], scenario: Scenario) -> Scenario:
    """A scenario of its tables, in the folder of another one."""
    from .._load import _document, _made

    source = scenario._source
    return _made(source._replace(text=_document({key: value for key, value in said.items() if value != []}), set=()), scenario.path)

