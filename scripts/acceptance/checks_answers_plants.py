"""Acceptance of right answers to legal input, plants and devices: lowest power limits, approach of dry coolers, two water loops, thin air."""
import json
import math
import tomllib
from pathlib import Path

import product
from product import ROOT

BASE = """schema = 1
[run]
duration_h = 0.1
[[hall]]
name = "a"
n_gpu = 128
gpu = "{gpu}"
{more}
[[job]]
name = "main"
model = "llama3_8b"
[job.plan]
n_gpu = 128
tp = 8
pp = 1
"""


def entry(kind, name):
    return tomllib.loads((ROOT / "catalog" / kind / f"{name}.toml").read_text(encoding="utf-8"))


def scenario(report, name, gpu="h100_sxm_700W", more=""):
    file = Path(report.folder.name) / f"{name}.toml"
    file.write_text(BASE.format(gpu=gpu, more=more), encoding="utf-8")
    return file


def check_limits(report):
    """Every GPU names its driver's lowest power limit or says that none is published; lower caps are refused with their range."""
    for gpu, least_W in (("h100_sxm_700W", 200), ("h200_sxm_700W", 200)):
        file = scenario(report, gpu, gpu)
        below = product.call([report.binary, "check", file, "--set", f"hall.a.cap_W={least_W - 1}"])
        at = product.call([report.binary, "check", file, "--set", f"hall.a.cap_W={least_W}"])
        said = below.stdout + below.stderr
        report.judge(f"{gpu}: {least_W - 1} W refused, {least_W} W taken", below.code != 0 and at.code == 0 and f"{least_W} to 700 W" in said and "cap_W" in said,
                     " ".join(said.split())[:150], "finding with key, value, range")
    without = [p.stem for p in sorted((ROOT / "catalog" / "gpu").glob("*.toml"))
               if "power_limit_min_W" not in tomllib.loads(p.read_text(encoding="utf-8"))["power"]]
    report.judge("every GPU has the key", not without, ", ".join(without) or "all", "power_limit_min_W")
    low = product.call([report.binary, "size", scenario(report, "cap"), "--for", "cap", "--lowest-cap-frac", "0.2"])
    report.judge("size --for cap refuses 140 W", low.code != 0 and "driver" in low.stderr, " ".join(low.stderr.split())[:150], "names the driver's limit")


def check_dry_coolers(report):
    """Dry coolers leave 6 K above the dry bulb at their rating: Q = UA times the logarithmic mean difference."""
    for name in ("cdu_dry_cooler", "cdu_dry_cooler_45C", "xai_memphis_like"):
        p = entry("plant", name)
        heat_W = 1e3 * p["reference_it_kW"]
        liquid_K, air_K = heat_W / (p["reject_flow_kg_per_s"] * 3790.0), heat_W / (p["dry_air_kg_per_s"] * 1006.0)
        low, high = 0.1, 30.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            warm, cold = middle + liquid_K - air_K, middle
            mean_K = cold if abs(warm - cold) < 1e-9 else (warm - cold) / math.log(warm / cold) if warm > 0 else 0.0
            low, high = (low, middle) if p["dry_W_per_K"] * mean_K > heat_W else (middle, high)
        report.within(f"approach of {name}", low, 5.9, 6.1, "K")


def check_water_loops(report):
    """The liquid's water follows its set point; a set point below its facility water is a finding."""
    rack = ROOT / "scenarios" / "gb200_nvl72_row.toml"
    for key, value in (("air_set_degC", 28), ("loop_set_degC", 28)):
        said = product.call([report.binary, "check", rack, "--set", f"hall.a.plant.{key}={value}"])
        text = said.stdout + said.stderr
        report.judge(f"{key} below the facility water", said.code != 0 and f"hall.a.plant.{key}" in text and "allowed" in text, " ".join(text.split())[:150], "finding with key and range")
    for plant, low, high in (("cdu_dry_cooler_45C", 1.03, 1.075), ("cdu_dry_cooler", 1.03, 1.15)):
        year = product.call([report.binary, "plant", plant, "--climate", "phoenix_az", "--year", "typical", "--json"])
        report.within(f"PUE of {plant}, a typical year in Phoenix", json.loads(year.stdout)["year"]["pue"] if year.code == 0 else None, low, high, "", ".4f")


def check_altitude(report):
    """Thin air warms front-row dies: 17 % less density, 16 % more resistance from sink to air."""
    sets = {"hall.a.plant": "prescribed_llama3_day", "hall.a.plant.min_degC": 26, "hall.a.plant.max_degC": 26}
    file = scenario(report, "altitude")
    low = report.run(file, {**sets, "weather.climate": "portland_or"}).json
    high = report.run(file, {**sets, "weather.climate": "amarillo_tx"}).json
    report.within("dies at 1,100 m less those at sea level, same inlet", high["die_mean_degC"] - low["die_mean_degC"], 0.5, 4.0, "K")


GROUPS = {"limits": check_limits, "dry_coolers": check_dry_coolers, "water_loops": check_water_loops, "altitude": check_altitude}
