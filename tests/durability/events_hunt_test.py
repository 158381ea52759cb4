#!/usr/bin/python3
"""Every kind of event on five sites, at four times (0 s and the end among them) and for three lengths: every run ends with finite
figures and closed books, or with an error that says where. events_hunt_test.py [--show] [--quick]"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import hunt
import sweeps

TINY = (sweeps.ROOT / "tests" / "scenarios" / "tiny.toml").read_text()
DURATION_S = 112.5
LIQUID = [("hall.a.gpu", "h100_sxm_700W_liquid"), ("hall.a.server", "hgx_h100_liquid"), ("hall.a.plant", "cdu_dry_cooler")]
TURBINES = """
[site.turbines]
catalog = "gas_turbine_50MW"
n_unit = 2
unit_MW = 0.3
dispatch_MW = 0.1
"""
BATTERY = """
[[mitigation]]
name = "battery"
kind = "site_battery"
catalog = "site_battery_10MW"
power_MW = 0.2
energy_MWh = 0.02
standby_kW = 0.3
"""
SMOOTHING = """
[[mitigation]]
name = "smoothing"
kind = "gpu_smoothing"
floor_ratio = 0.6
ramp_up_W_per_s = 200
ramp_down_W_per_s = 200
hysteresis_s = 2
"""
SITES = {
    "bare": ("", []),
    "liquid, smoothed": (SMOOTHING, LIQUID),
    "supplies": ("", [("site.delivery", "layout_480V_ups_diesel"), ("site.generators.n_unit", 1)]),
    "small supplies": ("", [("site.ups.catalog", "ups_double_conversion"), ("site.ups.rating_MW", 0.2), ("site.ups.n_unit", 1),
                            ("site.ups.battery_power_kW", 220), ("site.ups.battery_energy_kJ", 3000)]),
    "turbines, battery": (TURBINES + BATTERY, LIQUID),
}
# kind: what it needs beside its time and length
KINDS = {"failure": 'job = "main"', "planned_stop": 'job = "main"', "pause": 'job = "main"', "power_brake": "", "sag": "voltage_ratio = 0.3",
         "utility_loss": "", "islanding": "", "curtailment": "limit_MW = 0.09\nnotice_s = 0", "fan_wall_out": 'hall = "a"', "cdu_out": 'hall = "a"',
         "pump_out": 'hall = "a"', "rejection_out": 'hall = "a"', "chiller_out": 'hall = "a"', "filter_blocked": 'hall = "a"\nrack = 1'}
TIMES_S = (0, 0.001, 57.3, DURATION_S - 0.001)
LENGTHS_S = (0.001, 20, 300)


def cases(folder):
    for s, (site, (more, sets)) in enumerate(SITES.items()):
        for kind, needs in KINDS.items():
            for at_s in TIMES_S:
                for length_s in LENGTHS_S:
                    event = f'\n[[event]]\nname = "hunted"\nkind = "{kind}"\nat_s = {at_s}\nduration_s = {length_s}\n{needs}\n'
                    path = Path(folder) / f"{s}_{kind}_{at_s}_{length_s}.toml"
                    path.write_text(TINY + more + event)
                    yield f"{site}: {kind} at {at_s} s for {length_s} s", path, sets


def of_schema():
    """The kinds that a scenario may name."""
    schema = json.loads(subprocess.run([sweeps.CLI, "schema"], capture_output=True, text=True, check=True).stdout)
    return set(schema["properties"]["event"]["items"]["properties"]["kind"]["enum"])


def main(show, quick):
    if unhunted := of_schema() ^ set(KINDS):
        print(f"KINDS is not what the schema knows: {', '.join(sorted(unhunted))}")
        return False
    with tempfile.TemporaryDirectory(prefix="tidewatt_events_") as folder:
        tally = hunt.hunt(list(cases(folder))[:: 20 if quick else 1], show)
    print(f"{tally.refused} refused with a finding or an error that says where")
    print(f"scorecard 3: {tally.n} runs with an event, every level: {tally.worst_closure:.1e} at worst")
    print(f"scorecard 4: {tally.n} runs with an event: {tally.worst_input:.1e} at worst")
    print(f"{tally.n} runs, {tally.crashes} crashes, {tally.hangs} hangs, {tally.non_finite} non-finite, worst closure {tally.worst_closure:.1e}")
    return tally.crashes + tally.hangs + tally.non_finite == 0 and tally.worst_closure <= 1e-11 and (quick or tally.n == 780)


if __name__ == "__main__":
    sys.exit(0 if main("--show" in sys.argv, "--quick" in sys.argv) else 1)
