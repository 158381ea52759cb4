"""What the page lets a planner move: found in the base scenario, with the keys that each control sets."""
from __future__ import annotations

import contextlib
import math
from typing import Any

from .. import _core, _figures
from .._catalog import Catalog
from ..report import contract
from .base import Base, tables, tomllib

# Set points of a plant that a supply temperature moves, by type (study::explain_swing shifts the same ones).
SET_POINTS = ("supply_low_degC", "supply_high_degC", "air_set_degC", "loop_set_degC", "facility_set_degC", "min_degC", "max_degC")
SHIFT_K = 6.0


# What tiles and tables show; `hour_max_MW` is of the answer, not of its summary.
FIGURES = ("tokens_per_s_mean", "throughput_swing_percent", "pcc_mean_MW", "hour_max_MW", "pcc_max_MW", "pcc_step_1s_max_MW", "pcc_ramp_up_max_MW_per_s",
           "pcc_ramp_down_max_MW_per_s", "pue", "wue_L_per_kWh", "die_max_degC", "effective_time_percent", "smoothing_burn_MWh")  # fmt: skip


def _picked(key: str) -> tuple[str, str, str, float]:
    """(`key`, words, unit, scale) of a figure for the page's script."""
    listed = _figures.listed()["pcc_mean_MW" if key == "hour_max_MW" else key]
    return key, contract.WORDS if key == "hour_max_MW" else listed["words"], listed["shown_unit"], listed["scale"]


def describe(base: Base) -> dict[str, Any]:
    """The `base` for the page: `controls` in order, lists of tables that some of them rewrite, and the rules there are."""
    scenario = base.scenario({})
    said = tables(scenario)
    found = [*_gpus(base, scenario, said), *_cap(base, scenario, said), *_supply(said), *_weather(said), *_smoothing(said), *_storage(said), *_failure(scenario, said), *_rated(said)]
    return {"name": base.name, "toml": base.text, "controls": found, "lists": {key: said.get(key, []) for key in ("mitigation", "event")},
            "rules": _rules(base, said), "assumed": len(scenario._core.assumed), "hours": scenario.duration_s / 3600.0,
            "start": scenario.start.isoformat(), "notes": scenario.notes,
            "figures": [_picked(key) for key in FIGURES]}  # fmt: skip


def _entry(kind: str, name: str) -> dict[str, Any]:
    return tomllib.loads(Catalog().text(f"{kind}/{name}"))


def _range(id: str, group: str, label: str, unit: str, low: float, high: float, step: float, value: float, keys: list[dict], **more) -> dict[str, Any]:
    return {"id": id, "group": group, "kind": "range", "label": label, "unit": unit, "min": low, "max": high, "step": step, "value": value, "keys": keys, **more}


def _choice(id: str, group: str, label: str, options: list[tuple[str, str]], value: str, keys: list[dict], **more) -> dict[str, Any]:
    return {"id": id, "group": group, "kind": "choice", "label": label, "options": options, "value": value, "keys": keys, **more}


def _named(tables_of: list[dict], kind: str) -> list[tuple[str, dict]]:
    """(name, table) of a list of tables; one that has no name has its kind's usual one."""
    return [(table.get("name", kind), table) for table in tables_of]


def _gpus(base, scenario, said):
    """One hall with one job on all of its GPUs: their number, in steps that plan, racks and domains allow, with the batch that goes with it."""
    halls, jobs = said.get("hall", []), said.get("job", [])
    if len(halls) != 1 or len(jobs) != 1:
        return
    plan, (hall, table), (job, _) = jobs[0].get("plan", {}), _named(halls, "a")[0], _named(jobs, "main")[0]
    n, step = table.get("n_gpu"), scenario._core.gpu_step
    if not isinstance(n, int) or plan.get("n_gpu", "all") not in (n, "all") or n % step:
        return
    keys = [{"key": f"hall.{hall}.n_gpu", "factor": 1}]
    if plan.get("n_gpu", "all") != "all":
        keys.append({"key": f"job.{job}.plan.n_gpu", "factor": 1})
    batch = plan.get("global_batch_sequences")
    if batch is not None:
        keys.append({"key": f"job.{job}.plan.global_batch_sequences", "factor": batch / n})
    least = step  # the smallest number that fits the model
    while least < n and not _holds(base, {k["key"]: round(least * k["factor"]) for k in keys}):
        least += step * max(1, n // step // 64)
    least = min(least, n)
    if (n - least) % step:
        return
    yield _range("gpus", "Load", "GPUs", "", least, 2 * n, step, n, keys, whole=True, note=f"in steps of {step:,}, which plan and racks allow")


def _holds(base: Base, set: dict[str, Any]) -> bool:
    try:
        base.scenario(set)
    except _core.InputError:
        return False
    return True


def _cap(base, scenario, said):
    """A power cap per GPU, the same in all halls."""
    names = [name for name, _ in _named(said.get("hall", []), "a")]
    free = base.scenario({f"hall.{name}.cap_W": 0 for name in names})
    board = min(hall["cap_W"] for hall in free.halls)
    now = min(hall["cap_W"] for hall in scenario.halls)
    lowest = 5 * math.ceil(max(hall["lowest_cap_W"] for hall in free.halls) / 5)
    if lowest >= board:
        return
    yield _range("cap", "Load", "Power cap per GPU", "W", lowest, board, 5, now, [{"key": f"hall.{name}.cap_W"} for name in names])


def _supply(said):
    """The plants' set points, moved together."""
    keys, words = [], []
    for name, hall in _named(said.get("hall", []), "a"):
        plant = hall.get("plant", {})
        plant = plant if isinstance(plant, dict) else {"catalog": plant}
        with contextlib.suppress(_core.InputError):
            values = {**(_entry("plant", plant["catalog"]) if "catalog" in plant else {}), **plant}
            found = {key: values[key] for key in SET_POINTS if isinstance(values.get(key), (int, float))}
            keys += [{"key": f"hall.{name}.plant.{key}", "add": value} for key, value in found.items()]
            words = words or _supplied(values, found)
    if keys:
        yield _range("supply", "Cooling and weather", "Supply temperature", "K", -SHIFT_K, SHIFT_K, 0.5, 0.0, keys, note=f"moves the plant's set points, now {' to '.join(words)} °C")


def _supplied(values, found):
    """What a plant supplies now, in words: liquid where it has a loop, else air."""
    if values.get("type") == "hydronic":
        liquid = values.get("liquid_frac", 0) > 0
        return [f"liquid {found['loop_set_degC']:g}" if liquid else f"air {found['air_set_degC']:g}"]
    return [f"{value:g}" for value in found.values()]


def _weather(said):
    """Climate and day of the catalog; a scenario with a weather file keeps it."""
    weather = said.get("weather", {})
    if "epw" in weather or "csv" in weather:
        return
    names = Catalog().names("climate")
    now = weather.get("climate", "portland_or")
    if now in names:
        yield _choice("climate", "Cooling and weather", "Climate", [(name, name.replace("_", " ")) for name in names], now, [{"key": "weather.climate"}])
    day = weather.get("day", "typical")
    days = [("typical", "typical"), ("hot", "hot"), ("extreme", "extreme")]
    if day in dict(days):
        yield _choice("day", "Cooling and weather", "Day", days, day, [{"key": "weather.day"}])


def _first(said, kind):
    return next((m for m in said.get("mitigation", []) if m.get("kind") == kind), None)


def _smoothing(said):
    now = _first(said, "gpu_smoothing") or {}
    of = {"list": "mitigation", "item": "gpu_smoothing"}
    usual = {key: value for key, value in _entry("gpu_smoothing", "default_profile").items() if key in ("floor_ratio", "ramp_up_W_per_s", "ramp_down_W_per_s", "hysteresis_s")}
    now = {**usual, **now} if now else {}
    at = now or usual
    yield _choice("smoothing", "Mitigation", "GPU power smoothing", [("off", "off"), ("on", "on")], "on" if now else "off", [],
                  **of, fresh={"name": "smoothing", "kind": "gpu_smoothing", **usual})  # fmt: skip
    yield _range("floor", "Mitigation", "Floor, share of the board limit", "", 0.3, 0.9, 0.05, at["floor_ratio"], [], **of, field="floor_ratio", needs="smoothing")
    yield _range("rise", "Mitigation", "Rise of each GPU at most", "W/s", 50, 1000, 50, at["ramp_up_W_per_s"], [], **of, field="ramp_up_W_per_s", needs="smoothing")
    yield _range("fall", "Mitigation", "Fall of each GPU at most", "W/s", 50, 1000, 50, at["ramp_down_W_per_s"], [], **of, field="ramp_down_W_per_s", needs="smoothing")


def _storage(said):
    catalog = Catalog()
    rack = said.get("site", {}).get("rack_storage", "none")
    rack = rack.get("catalog", "own") if isinstance(rack, dict) else rack
    per = {"gpu_capacitor_65J": "gpu", "rack_supercapacitor_20kW": "rack"}
    options = [("none", "none")] + [(name, name.replace("_", " ")) for name in catalog.names("rack_storage") if name in per]
    if rack in dict(options):
        if rack != "none":
            options = options[1:]  # what the scenario has can be replaced, not taken away by a key
        yield _choice("rack", "Mitigation", "Storage in the racks", options, rack, [], tables={name: {"site.rack_storage.catalog": name, "site.rack_storage.per": word} for name, word in per.items()})
    now = _first(said, "site_battery") or {}
    of = {"list": "mitigation", "item": "site_battery"}
    entries = {name: _entry("storage", name) for name in ("site_battery_10MW", "site_supercapacitor_10MW")}
    usual = {name: {"store_power": e["power_MW"], "store_energy": e["energy_MWh"], "store_smoothing": e.get("smoothing_s", 30)} for name, e in entries.items()}
    chosen = now.get("catalog", "off")
    if chosen not in ("off", *entries):
        return  # a store of the scenario's own: the page does not know its sizes
    yield _choice("store", "Mitigation", "Storage at the connection", [("off", "none"), ("site_battery_10MW", "battery"), ("site_supercapacitor_10MW", "supercapacitor")],
                  chosen, [], **of, field="catalog", fresh={"name": "store", "kind": "site_battery"}, usual=usual)  # fmt: skip
    entry = entries.get(chosen, entries["site_battery_10MW"])
    power, energy = now.get("power_MW", entry["power_MW"]), now.get("energy_MWh", entry["energy_MWh"])
    yield _range("store_power", "Mitigation", "Its power", "MW", 0.5, max(40, 2 * power), 0.5, power, [], **of, field="power_MW", needs="store")
    yield _range("store_energy", "Mitigation", "Its energy", "MWh", 0.01, max(40, 2 * energy), 0.01, energy, [], **of, field="energy_MWh", needs="store", log=True)
    yield _range("store_smoothing", "Mitigation", "Its smoothing time", "s", 1, 300, 1, now.get("smoothing_s", entry.get("smoothing_s", 30)), [], **of, field="smoothing_s", needs="store", log=True)


def _failure(scenario, said):
    """A failure that stops the first job, at a time of the run."""
    job = scenario.jobs[0]["name"] if scenario.jobs else ""
    if not job:
        return
    now = next((e for e in said.get("event", []) if e.get("kind") == "failure"), {})
    of = {"list": "event", "item": "failure"}
    half_h = scenario.duration_s / 7200.0
    unit, scale = ("h", 3600.0) if half_h >= 1 else ("s", 1.0)
    longest = scenario.duration_s / scale
    at = now.get("at_s", scenario.duration_s / 2) / scale
    yield _choice("failure", "Failure", "A failure stops the job", [("off", "no"), ("on", "yes")], "on" if now else "off", [], **of,
                  fresh={"name": "planner_failure", "kind": "failure", "job": job, "at_s": scenario.duration_s / 2})  # fmt: skip
    yield _range("failure_at", "Failure", "It happens after", unit, 0, round(longest, 2), 0.1 if unit == "h" else 1, round(at, 2), [], **of, field="at_s", scale=scale, needs="failure")


def _rated(said):
    now = said.get("site", {}).get("rules_from_s", 0)
    yield _range("rated", "Rules", "Rules look at the run from", "s", 0, 1800, 10, now, [{"key": "site.rules_from_s"}])


def _rules(base: Base, said) -> dict[str, Any]:
    """Rule files: `run`, with which a run is compared; `window`, judged on its recorded window; `filing`, for which packs can be made."""
    run, window, filing = [], [], []
    for name in Catalog().names("rules"):
        title = _entry("rules", name).get("title", name)
        try:
            base.scenario({"site.rules": name})
            run.append((name, title))
        except _core.InputError as error:
            if "recorded window" in str(error) and said.get("record", {}).get("window"):
                window.append((name, title))
        filing.append((name, title))
    now = said.get("site", {}).get("rules", [])
    return {"run": run, "window": window, "filing": filing, "now": [now] if isinstance(now, (str, dict)) else now}
