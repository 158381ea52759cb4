"""The coarse answer: the same engine with longer steps, and the figures that those give to 1 %.

Time in a run goes into iterations whose edges are resolved, once per macro step. With macro steps of up to an hour and a tenfold
tolerance of jumps there are fewer. Storage and supplies have memory, and the engine may have to compute each millisecond of
the day
through them, which takes longer than all else. Then the day is run without them: they do not act on the GPUs, so throughput, dies and
cooling are the day's. What they lose is that of the first half hour with them.

The effect of devices on single edges is left out, and the answer says so. A store's controller commands at intervals, and edges fall
between
two commands at any moment, so the largest of a day's iterations is up to 3 % above that of half an hour's. Events and interruptions leave
out the same figures: step and ramp depend on the time within the iteration. `scripts/acceptance/serve` measures the error of the rest.

A store of energy E and rated power P that returns to its charge with gain k (`soc_gain_pu`) lets the connection pay for its loss
rate l only as its charge falls behind: in steady state by l/(k P), with the time constant τ = E/(k P). At time t the connection pays
l (1 − e^(−t/τ)), and never less than what the store cannot cover.
"""
from __future__ import annotations

import concurrent.futures
import copy
from typing import Any, Callable, NamedTuple

import numpy as np

from .._catalog import Catalog
from .._engine import run
from .._load import Scenario
from .._result import Result
from .base import tables, tomllib

TOLERANCE_K = 0.5
MACRO_STEP_MAX_s = 3600.0
WINDOW_h = 0.5
DEVICES = ("rack_storage", "ups", "generators")  # of a site
# Figures of single edges at the connection.
WAVEFORM = ("pcc_max_MW", "pcc_min_MW", "pcc_step_1s_max_MW", "pcc_ramp_up_max_MW_per_s", "pcc_ramp_down_max_MW_per_s", "pcc_dominant_Hz", "freq_deviation_max_mHz",
            "volt_deviation_max_percent", "ramp_up_MW_per_s", "ramp_down_MW_per_s", "band_rms_MW", "rainflow_cycles", "flicker_P_st_120V_60Hz", "flicker_P_st_230V_50Hz",
            "flicker_P_lt_120V_60Hz", "flicker_P_lt_230V_50Hz", "feeder_loading_max_percent", "feeder_loading_mean_max_percent", "compliance")  # fmt: skip
SMOOTHED = ("pcc_ramp_down_max_MW_per_s",)  # with smoothing of the GPUs: set by the one iteration whose hold ends worst
OF_DEVICES = ("battery_", "rack_storage_")  # figures that only the devices have


class Coarse(NamedTuple):
    """Figures, those left out (None among the figures), the run whose rules and hours count, and what its connection pays for the devices' losses in each hour, MW."""

    summary: dict[str, Any]
    left_out: list[str]
    day: Result
    added_MW: np.ndarray | float


def coarse(scenario: Scenario) -> Scenario:
    """The `scenario` with longer steps; steps that are longer already are unchanged."""
    own = tables(scenario).get("run", {})
    return scenario.with_set({
        "run.tolerance_K": max(TOLERANCE_K, float(own.get("tolerance_K", 0.0))),
        "run.macro_step_max_s": max(MACRO_STEP_MAX_s, float(own.get("macro_step_max_s", 0.0))),
    })  # fmt: skip


class Parts(NamedTuple):
    """A scenario with devices that remember, for the coarse answer: the day without them, and its first half hour with them."""

    day: Scenario
    first: Scenario
    stores: list[dict[str, Any]]
    """Those at the connection, with what the catalog says of them."""


def parts(scenario: Scenario) -> Parts | None:
    """The parts of a `scenario` that are coarse answers of their own, with longer steps; None where it stays whole."""
    said = tables(scenario)
    if not _remembers(said) or scenario.duration_s <= 7200.0 * WINDOW_h or not _can_be_split(said):
        return None
    day = coarse(_of(_without_devices(said), scenario))
    if _smooths(said):
        # Groups spread edges, which are left out. Smoothed power hardly has any: its mean moves by less than 0.1 %, by 0.5 % without smoothing.
        day = day.with_set({"run.replica_groups": 1})
    return Parts(day, coarse(_of(_begin(said), scenario)), _stores(said))


def run_coarse(scenario: Scenario, check: Callable[..., None]) -> Coarse:
    """The coarse answer to a `scenario`; `check` is called on the way and may stop it by raising."""
    split = parts(scenario)
    if split is None:
        result = run(coarse(scenario), progress=check)
        if tables(scenario).get("event") or _interrupted(result):
            return _without(dict(result.summary), WAVEFORM, result, 0.0)
        return _without(dict(result.summary), SMOOTHED if _smooths(tables(scenario)) else (), result, 0.0)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        begin = pool.submit(run, split.first, threads=1, progress=check)
        day = run(split.day, progress=check)
        return _joined(day, begin.result(), split.stores)


def _interrupted(result: Result) -> bool:
    return result.summary["n_interruptions_unexpected"] + result.summary["n_interruptions_planned"] > 0


def _joined(day: Result, start: Result, stores: list[dict[str, Any]]) -> Coarse:
    """The figures of a `day` without devices, plus the devices' losses in the half hour of its `start`; `stores`: devices at the
    connection."""
    summary = {**dict.fromkeys(key for key in start.summary if key.startswith(OF_DEVICES)), **day.summary}
    day_s, start_s = day.summary["simulated_s"], start.summary["simulated_s"]
    # Losses, as far as the connection and not the charge of a store covers them.
    racks_MW, stores_MW = ((start.summary.get(key) or 0.0) * 3600.0 / start_s for key in ("rack_storage_loss_MWh", "battery_loss_MWh"))

    def paid_MW(t_s: Any) -> Any:
        return racks_MW + stores_MW * _paid(stores, np.asarray(t_s), stores_MW)

    summary["pue"] *= 1.0 + (racks_MW + stores_MW) / summary["pcc_mean_MW"]
    summary["pcc_mean_MW"] += float(np.mean(paid_MW(np.linspace(0.0, day_s, 1441))))
    return _without(summary, WAVEFORM, day, paid_MW(3600.0 * (np.arange(day.array("/hourly/pcc_J").size) + 0.5)))


def _without(summary: dict[str, Any], figures: tuple[str, ...], day: Result, added_MW: np.ndarray | float) -> Coarse:
    """The answer with some `figures` left out of its `summary`, and with those of single edges the figures of devices."""
    left_out = [key for key in summary if key in figures or figures is WAVEFORM and key.startswith(OF_DEVICES)]
    return Coarse({**summary, **dict.fromkeys(left_out)}, left_out, day, added_MW)


def _stores(said: dict[str, Any]) -> list[dict[str, Any]]:
    """The stores at the connection, with their catalog values."""
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


def _smooths(said: dict[str, Any]) -> bool:
    """Whether a mitigation smooths the power of GPUs."""
    return any(m.get("kind") == "gpu_smoothing" for m in said.get("mitigation", []))


def _remembers(said: dict[str, Any]) -> bool:
    """Whether a device between servers and grid has a memory."""
    return any(key in said.get("site", {}) for key in DEVICES) or any(m.get("kind") == "site_battery" for m in said.get("mitigation", []))


def _can_be_split(said: dict[str, Any]) -> bool:
    """Whether nothing ties the devices to the day: no event but a failure of a job, no layout that brings devices, no measured weather."""
    plain = all(e.get("kind") in ("failure", "planned_stop") for e in said.get("event", []))
    return plain and "delivery" not in said.get("site", {}) and not any(key in said.get("weather", {}) for key in ("epw", "csv"))


def _without_devices(said: dict[str, Any]) -> dict[str, Any]:
    out = copy.deepcopy(said)
    for key in DEVICES:
        out.get("site", {}).pop(key, None)
    out["mitigation"] = [m for m in out.get("mitigation", []) if m.get("kind") != "site_battery"]
    out.get("site", {}).pop("rules", None)
    return out


def _begin(said: dict[str, Any]) -> dict[str, Any]:
    """The first half hour, without the events of the day and their effects."""
    out = copy.deepcopy(said)
    out["run"] = {**out.get("run", {}), "duration_h": WINDOW_h}
    for key in ("record", "event"):
        out.pop(key, None)
    out.get("site", {}).pop("rules", None)
    return out


def _of(said: dict[str, Any], scenario: Scenario) -> Scenario:
    """A scenario of its tables, in the folder of another one."""
    from .._load import _document, _made

    source = scenario._source
    return _made(source._replace(text=_document({key: value for key, value in said.items() if value != []}), set=()), scenario.path)

