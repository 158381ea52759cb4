"""Relations between runs, and within one, that hold whatever the scenario is. Each relation makes its variants of a random scenario and
says what is broken. A variant that the command refuses (a lower cap than the driver takes, say) drops out of its case."""
import copy
import json
import subprocess
import tempfile
from pathlib import Path

import h5py
import random_scenarios
import sweeps

TIMEOUT_S = 120
CLOSURE = 1e-11
SAME = 1e-9  # relative, of figures that renaming, reordering and splitting must not move: sums in another order
MONOTONE = 1e-3
OVER_HALLS = 0.02  # of a board's limit, in the mean over the work: ballast in halls with different caps keeps one level; without gating, work of
# all ranks lasts as long as at the mean clock
SLOW_RISE = 0.04  # of tokens and of a board's limit: where power may rise by less than 1 kW/s, chips beside the nominal one are followed by planes
WARMER_K = 0.05  # the hottest die's own error against the reference
LOSSES = ("failure", "sag")  # work since the last save is lost
STOPS = ("pause", "curtailment", "planned_stop", *LOSSES)
FIGURES = ("tokens_per_s_mean", "it_mean_MW", "pcc_mean_MW", "pcc_max_MW", "die_max_degC", "n_interruptions_planned", "n_interruptions_unexpected")


class Refused(Exception):
    """The command refuses the scenario, with a finding."""


class Broken(Exception):
    """A run that must not end so: a crash, a hang, books that do not close."""


def run(scenario, *more):
    """`more`: further options of the command.  Returns (figures, {path: array} of rows and jobs)"""
    with tempfile.TemporaryDirectory(prefix="tidewatt_relations_") as folder:
        path = random_scenarios.write(scenario, Path(folder) / "case.toml")
        result = Path(folder) / "case.h5"
        command = [sweeps.CLI, "run", str(path), "--quiet", "--json", "--no-interval", "--threads", "1", "--out", str(result), *more]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise Broken(f"hangs beyond {TIMEOUT_S} s") from None
        if done.returncode in (2, 4):
            raise Refused(done.stderr.strip())
        if done.returncode != 0:
            raise Broken(f"ends with {done.returncode}: {done.stderr.strip()[:200]}")
        figures = json.loads(done.stdout)
        with h5py.File(figures.get("result_file") or result) as file:
            arrays = {name: file[name][()] for name in ("day/time", "day/die_max_K", "day/die_mean_K", "day/it_W", "day/outdoor_drybulb_K", "day/outdoor_wetbulb_K", "events/time", "events/kind")}
            figures["outdoor_mean_K"] = tuple(float(arrays[f"day/outdoor_{bulb}_K"].mean()) for bulb in ("drybulb", "wetbulb"))
            for job in file.get("job", {}):
                arrays |= {f"job/{job}/{name}": file[f"job/{job}/{name}"][()] for name in ("die_max_K", "it_W")}
    return figures, arrays


def jobs_of(scenario):
    return [j["name"] for j in scenario["job"]]


def unlike(a, b, tolerance=SAME, keys=FIGURES):
    """The first figures that differ."""
    for key in keys:
        x, y = a.get(key), b.get(key)
        if (x is None) != (y is None):
            return f"{key}: {x} and {y}"
        if x is not None and abs(x - y) > tolerance * max(abs(x), abs(y), 1e-12):
            return f"{key}: {x!r} and {y!r}"
    return None


def has_event(scenario, *kinds):
    return any(e["kind"] in kinds for e in scenario.get("event", []))


def rises_slowly(scenario):
    return any(m["kind"] == "gpu_smoothing" and m["ramp_up_W_per_s"] < 1000 for m in scenario.get("mitigation", []))


def within_one(scenario, figures, arrays):
    """What holds within every run: energy balance, columns, limits."""
    if figures["energy_closure"] > CLOSURE:
        return f"the energy balance closes to {figures['energy_closure']:.1e}, not to {CLOSURE:.0e}"
    n_server = sum(h["n_gpu"] for h in scenario["hall"]) // 8
    if not 0.0 <= figures["it_mean_MW"] <= figures["pcc_max_MW"] or (n_server and figures["pue"] is not None and figures["pue"] < 1.0):
        return f"IT {figures['it_mean_MW']} MW of at most {figures['pcc_max_MW']} MW, PUE {figures['pue']}"
    for job in jobs_of(scenario):
        if (arrays["day/die_max_K"] < arrays[f"job/{job}/die_max_K"] - 1e-9).any():
            return f"a row's hottest die is cooler than that of job {job}"
    if (arrays["day/die_max_K"] < arrays["day/die_mean_K"] - 1e-9).any():
        return "a row's hottest die is cooler than the mean one"
    slow = rises_slowly(scenario)
    over_W = (figures["cap_over_max_W"] or 0.0) * (figures["cap_over_percent"] or 0.0) / 100.0
    board_W = random_scenarios.board_W(scenario["hall"][0]["gpu"])
    uneven = len({h.get("cap_W") for h in scenario["hall"]}) > 1 or not scenario["run"]["gating"]
    if over_W > (SLOW_RISE if slow else OVER_HALLS if uneven else MONOTONE) * board_W:
        return f"boards are {figures['cap_over_max_W']:.3g} W above their caps in {figures['cap_over_percent']:.3g} % of the work"
    total = sum(j["it_mean_MW"] for j in figures["jobs"])
    if total > figures["it_mean_MW"] * (1.0 + SAME):
        return f"jobs draw {total} MW of the site's {figures['it_mean_MW']} MW"
    return None


def renamed(scenario, rng):
    out = copy.deepcopy(scenario)
    names = {x["name"]: x["name"] + "_x" for x in out["hall"] + out["job"]}
    for x in out["hall"] + out["job"] + out.get("event", []):
        for key in ("name", "hall", "job"):
            if x.get(key) in names:
                x[key] = names[x[key]]
    return out


def renaming(scenario, figures, rng):
    return unlike(figures, run(renamed(scenario, rng))[0])


def reordering(scenario, figures, rng):
    """Events are a set."""
    if len(scenario.get("event", [])) < 2:
        return None
    out = copy.deepcopy(scenario)
    rng.shuffle(out["event"])
    return unlike(figures, run(out)[0])


def doubling(scenario, figures, rng):
    """The same event twice is the event once, where it asks for a state; a second failure counts."""
    states = [e for e in scenario.get("event", []) if e["kind"] in ("pause", "curtailment", "power_brake", "fan_wall_out", "pump_out", "cdu_out", "rejection_out")]
    if not states:
        return None
    out = copy.deepcopy(scenario)
    out["event"].append({**rng.choice(states), "name": "again"})
    return unlike(figures, run(out)[0])


def splitting(scenario, figures, rng):
    """A pause or a power brake in two parts that touch is the whole."""
    whole = [e for e in scenario.get("event", []) if e["kind"] in ("pause", "fan_wall_out", "pump_out", "cdu_out", "rejection_out") and e["duration_s"] > 10]
    if not whole:
        return None
    out = copy.deepcopy(scenario)
    name = rng.choice(whole)["name"]
    event = next(e for e in out["event"] if e["name"] == name)
    first_s = round(event["duration_s"] * rng.uniform(0.3, 0.7))
    out["event"].append({**event, "name": "rest", "at_s": event["at_s"] + first_s, "duration_s": event["duration_s"] - first_s})
    event["duration_s"] = first_s
    # The steps end at the part's edge as well: within what steps cost.
    return unlike(figures, run(out)[0], SLOW_RISE if rises_slowly(scenario) else MONOTONE, ("tokens_per_s_mean", "it_mean_MW", "n_interruptions_planned"))


def lower_cap(scenario, figures, rng):
    """A tenth lower cap everywhere: not more tokens, energy, or temperature."""
    out = copy.deepcopy(scenario)
    for hall in out["hall"]:
        hall["cap_W"] = round(0.9 * hall.get("cap_W", random_scenarios.board_W(hall["gpu"])))
    if has_event(scenario, *STOPS):
        return None  # iterations end elsewhere, and with them stops
    now = run(out)[0]
    slow = rises_slowly(scenario)
    for key in ("tokens_per_s_mean", "it_mean_MW"):
        if now[key] is not None and figures[key] is not None and now[key] > (1.0 + (SLOW_RISE if slow else MONOTONE)) * figures[key]:
            return f"{key}: {now[key]} under the lower cap, {figures[key]} before"
    if now["die_max_degC"] > figures["die_max_degC"] + 0.5 and not slow:
        return f"hottest die {now['die_max_degC']} under the lower cap, {figures['die_max_degC']} before"
    return None


def hotter(scenario, figures, rng):
    """An extreme day instead of a typical one: dies and plants no cooler."""
    if has_event(scenario, *STOPS):
        return None  # iterations end elsewhere, and with them stops
    out = copy.deepcopy(scenario)
    day = {"typical": "hot", "hot": "extreme"}[scenario["weather"]["day"]]
    out["weather"]["day"] = day
    now = run(out)[0]
    if any(a < b for a, b in zip(now["outdoor_mean_K"], figures["outdoor_mean_K"])):
        return None  # at this hour it is not, or drier
    if now["die_max_degC"] < figures["die_max_degC"] - WARMER_K:
        return f"hottest die {now['die_max_degC']} on the {day} day, {figures['die_max_degC']} before"
    return None


def orderable(scenario, rng):
    """A scenario whose jobs may give up something, each its own, and the means of an order."""
    out = copy.deepcopy(scenario)
    by = rng.choice(("cap", "pause", "tiers"))
    for i, job in enumerate(out["job"]):
        if by == "tiers":
            job["curtailment"] = {"tier": i + 1, "may": rng.choice(("cap", "pause"))}
    return out, by


def idle_order(scenario, figures, rng):
    """An order above all that the site can draw does nothing."""
    if has_event(scenario, *LOSSES) or not scenario["job"]:
        return None  # its edges end steps: another iteration may be the one that is lost
    out, by = orderable(scenario, rng)
    out.setdefault("event", []).append({"name": "idle", "kind": "curtailment", "by": by, "at_s": 30.0, "duration_s": 40.0, "limit_MW": 100.0})
    # Its edges end steps.
    return unlike(figures, run(out)[0], SLOW_RISE if rises_slowly(scenario) else MONOTONE, ("tokens_per_s_mean", "it_mean_MW", "n_interruptions_planned", "n_interruptions_unexpected"))


def two_orders(scenario, figures, rng):
    """Of two overlapping orders the lower limit acts, wherever each is listed."""
    if not scenario["job"] or not figures["pcc_mean_MW"]:
        return None
    out, by = orderable(scenario, rng)
    first_s = round(rng.uniform(10, 40), 1)
    lower, higher = (round(figures["pcc_mean_MW"] * share, 5) for share in (rng.uniform(0.6, 0.75), rng.uniform(0.85, 0.95)))
    orders = [{"name": name, "kind": "curtailment", "by": by, "at_s": at_s, "duration_s": 45.0, "limit_MW": limit}
              for name, at_s, limit in (("lower", first_s, lower), ("higher", first_s + 10.0, higher))]  # fmt: skip

    def with_orders(orders):
        return run({**out, "event": [*out.get("event", []), *orders]})[0]

    return unlike(with_orders(orders), with_orders(orders[::-1]))


def apart(scenario, figures, rng):
    """Two pauses with a gap between them leave the job its gap: at least the tokens of the one that covers both, and as many stops as
    begin while it trains."""
    if not scenario["job"] or has_event(scenario, *STOPS):
        return None
    job = rng.choice(jobs_of(scenario))

    def with_pauses(*spans):
        events = [{"name": f"p{i}", "kind": "pause", "job": job, "at_s": a, "duration_s": b - a} for i, (a, b) in enumerate(spans)]
        out = run({**copy.deepcopy(scenario), "event": [*scenario.get("event", []), *events]})
        of_job = next(j for j in out[0]["jobs"] if j["name"] == job)
        return of_job["tokens"], out[0]["n_interruptions_planned"]

    duration_s = scenario["run"]["duration_h"] * 3600.0
    first = (round(0.3 * duration_s), round(0.3 * duration_s) + 4)
    second = (round(0.8 * duration_s), round(0.8 * duration_s) + 4)
    (both, n_both), (covered, n_covered), (one, n_one) = with_pauses(first, second), with_pauses((first[0], second[1])), with_pauses(first)
    if both < covered:
        return f"{both} tokens with two pauses, {covered} with one over both and their gap"
    # Where the first pause leaves more than the cover, the job trains in the gap, and there is a second stop.
    if one > covered and n_one and both <= covered and n_both <= n_covered:
        return f"{n_both} stops and {both} tokens with two pauses as with one over both, {one} with the first alone"
    return None


def more_pause(scenario, figures, rng):
    """Another pause of a job: not more tokens."""
    if not scenario["job"]:
        return None
    out = copy.deepcopy(scenario)
    out.setdefault("event", []).append({"name": "more", "kind": "pause", "job": rng.choice(jobs_of(out)), "at_s": round(rng.uniform(0, 80), 1), "duration_s": 25.0})
    now = run(out)[0]
    before, after = (sum(j["tokens"] for j in f["jobs"]) for f in (figures, now))
    # A stop saves, so a later failure loses less.
    if after > 1.001 * before and not has_event(scenario, *LOSSES):
        return f"{after} tokens with a pause more, {before} before"
    return None


RELATIONS = {f.__name__: f for f in (renaming, reordering, doubling, splitting, lower_cap, hotter, idle_order, two_orders, apart, more_pause)}
