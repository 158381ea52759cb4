"""Acceptance of failures and heat: a hall whose cooling fails stays within its limits, or the run says so first.

The matrix is every shipped plant x every plant event x half and all of its parts x outages of 1, 8 and 48 h: 512 GPUs in air or two
racks in liquid. By default some cases run; `failure_matrix` runs them all.
"""
import itertools
import tomllib
from pathlib import Path

import product
from product import ROOT

EVENTS = ("fan_wall_out", "cdu_out", "pump_out", "rejection_out", "chiller_out", "filter_blocked")
BEGIN_H, AFTER_H = 0.5, 1.0
QUICK = [("outside_air_evaporative", "fan_wall_out", 1.0, 48), ("crah_chilled_water", "pump_out", 1.0, 8),
         ("cdu_dry_cooler", "pump_out", 1.0, 48), ("cdu_dry_cooler", "rejection_out", 1.0, 48),
         ("cdu_dry_cooler", "cdu_out", 0.5, 8), ("xai_memphis_like", "rejection_out", 1.0, 8)]


def entry(kind, name):
    return tomllib.loads((ROOT / "catalog" / kind / f"{name}.toml").read_text(encoding="utf-8"))


def plants():
    return [path.stem for path in sorted((ROOT / "catalog" / "plant").glob("*.toml"))]


def takes_liquid(plant):
    return entry("plant", plant).get("liquid_frac", 0.0) > 0.0


def fleet_of(plant):
    """What `new` is asked for, and the GPU that it brings."""
    if plant == "frontier_like_tower":  # its air takes the heat of racks that are all in liquid only
        return ["--rack", "vera_rubin_nvl72", "--n-gpu", 144], "rubin_2300W", "rubin_tray"
    if takes_liquid(plant):
        return ["--rack", "gb300_nvl72", "--n-gpu", 144], "gb300_1400W", "gb300_tray"
    return ["--n-gpu", 512], "h100_sxm_700W", "grand_teton_h100"


def scenario(report, plant, event, frac, hours):
    """A scenario as `new` writes it, with one event of the plant."""
    folder = Path(report.folder.name)
    base = folder / f"{plant}.toml"
    if not base.exists():
        made = product.call([report.binary, "new", base, *fleet_of(plant)[0], "--plant", plant])
        if made.code != 0:
            raise RuntimeError(made.stderr.strip())
    file = folder / f"{plant}_{event}_{frac}_{hours}.toml"
    text = base.read_text(encoding="utf-8") + (f'\n[[event]]\nname = "outage"\nkind = "{event}"\nhall = "a"\nat_s = {BEGIN_H * 3600}\n'
                                               f"duration_s = {hours * 3600}\nout_frac = {frac}\n")
    file.write_text(text, encoding="utf-8")
    return file


def warmest_K(outcome, column):
    import h5py
    import numpy as np
    with h5py.File(outcome.json["result_file"], "r") as file:
        values = np.asarray(file[f"/day/{column}"])
    values = values[np.isfinite(values)]
    return float(values.max()) if values.size else 0.0


def faults(outcome, plant):
    """What is wrong with a run of a plant's outage."""
    if outcome.code != 0:
        return [f"ends with {outcome.code}: {outcome.stderr.strip()[:200]}"]
    _, gpu, server = fleet_of(plant)
    figures, limits, wrong = outcome.json, entry("server", server), []
    most_degC = entry("gpu", gpu)["governor"]["shutdown_degC"] + 3.0
    if figures["die_max_degC"] > most_degC:
        wrong.append(f"a die at {figures['die_max_degC']:.1f} °C")
    if figures["n_interruptions_thermal"] > 3:  # the first one ends no restart
        wrong.append(f"{figures['n_interruptions_thermal'] - 1} restarts into a hot hall")
    if figures["energy_closure"] > 1e-11:
        wrong.append(f"energy open by {figures['energy_closure']:.1e}")
    for column, limit_degC in (("supply_K", limits["air"]["inlet_max_degC"]),
                               ("liquid_supply_K", limits.get("liquid", {}).get("liquid_max_degC", 1e9))):
        degC = warmest_K(outcome, column) - 273.15
        if degC > limit_degC and not figures["out_of_range"]:
            wrong.append(f"{column} at {degC:.0f} °C without a word")
    return wrong


def judge(report, cases):
    refused, todo = [], []
    for case in cases:
        file = scenario(report, *case)
        check = product.call([report.binary, "check", file])
        if check.code != 0:
            refused.append(f"{case[0]}/{case[1]}")
            continue
        todo.append((case, file, {"run.duration_h": BEGIN_H + case[3] + AFTER_H, "record.window": "[]"}))
    outcomes = report.runs([(file, sets, ()) for _, file, sets in todo])
    for (case, _, _), outcome in zip(todo, outcomes):
        wrong = faults(outcome, case[0])
        name = f"{case[0]} {case[1]} {100 * case[2]:.0f} % {case[3]} h"
        figures = outcome.json if outcome.code == 0 else {}
        report.judge(name, not wrong, "; ".join(wrong) or f"dies to {figures['die_max_degC']:.1f} °C, {figures['n_interruptions_thermal']} "
                     f"interruptions by heat, {outcome.cpu_s:.1f} s", "dies, restarts, fluids, energy")
    for pair in sorted(set(refused)):
        print(f"      refused by check: {pair}", flush=True)
    return refused


def failures(report):
    judge(report, QUICK)


def overlapping(report):
    """Outages of the same parts: the larger holds, so half and then more than half is as more than half alone."""
    file = scenario(report, "cdu_dry_cooler", "cdu_out", 0.8, 0.05)
    both = file.with_name("overlapping.toml")
    both.write_text(file.read_text(encoding="utf-8") + '\n[[event]]\nname = "also"\nkind = "cdu_out"\nhall = "a"\n'
                    f"at_s = {BEGIN_H * 3600}\nduration_s = 180\nout_frac = 0.5\n", encoding="utf-8")
    alone, together = (r.json for r in report.runs([(f, {"run.duration_h": 0.7, "record.window": "[]"}, ()) for f in (file, both)]))
    report.judge("overlapping outages do not multiply", alone["die_max_degC"] == together["die_max_degC"],
                 f"dies to {together['die_max_degC']:.2f} and {alone['die_max_degC']:.2f} °C", "equal")


def saturated(report):
    """Chillers at their limit say so: the margin is below 0 and names them."""
    figures = report.run("gb300_nvl72_row", {"run.duration_h": 1}).json
    report.judge("saturated chillers are named", figures["capacity_margin_min_percent"] < 0 and figures["capacity_margin_part"] == "chillers",
                 f"{figures['capacity_margin_min_percent']:.3g} % of {figures['capacity_margin_part']}", "below 0, chillers")


def state_codes(report):
    """The column of job states names every code that it holds."""
    import h5py
    with h5py.File(report.run(scenario(report, *QUICK[0]), {"run.duration_h": 3, "record.window": "[]"}).json["result_file"]) as file:
        column = file["/day/job_state"]
        told, held = str(column.attrs["long_name"]), sorted(set(column[:].tolist()))
    report.judge("job_state names its codes", all(f" {code} " in told for code in held), f"{held}", told.split(":")[-1].strip())


def failure_matrix(report):
    # A hall without water has no parts for most events; those pairs are refused.
    judge(report, list(itertools.product(plants(), EVENTS, (0.5, 1.0), (1, 8, 48))))


GROUPS = {"failures": failures, "overlapping": overlapping, "saturated": saturated, "state_codes": state_codes,
          "failure_matrix": failure_matrix}
SLOW = ["failure_matrix"]
