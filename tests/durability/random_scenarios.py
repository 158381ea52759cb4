"""Random scenarios that a user could write: one to three halls, one or two jobs, plants, caps, smoothing, ballast, a battery, events."""
import random
from pathlib import Path

AIR = {"h100_sxm_700W": ("dgx_h100", "llama3_roce"), "a100_sxm_400W": ("dgx_a100", "dgx_a100_hdr"), "h200_sxm_700W": ("hgx_h200", "llama3_roce"),
       "b200_sxm_1000W": ("dgx_b200", "dgx_b200_ndr"), "mi300x_750W": ("mi300x_8gpu", "mi300x_8gpu"), "b300_sxm_1100W": ("dgx_b300", "dgx_b300_xdr")}
LIQUID = {"h100_sxm_700W_liquid": ("hgx_h100_liquid", "llama3_roce"), "b200_sxm_1000W_liquid": ("hgx_b200_liquid", "dgx_b200_ndr")}
AIR_PLANTS = ("outside_air_evaporative", "crah_chilled_water", "prescribed_llama3_day")
LIQUID_PLANTS = ("cdu_dry_cooler", "cdu_dry_cooler_45C")
CLIMATES = ("portland_or", "phoenix_az", "singapore_sg")
WATTS = {"a100": 400, "h100": 700, "h200": 700, "b200": 1000, "b300": 1100, "mi300x": 750}  # boards
LOWEST_SHARE = 0.5  # of the board's limit: caps above what every driver takes and every job needs
PLANT_EVENTS = {"air": ("fan_wall_out", "filter_blocked"), "liquid": ("pump_out", "cdu_out", "rejection_out")}


def board_W(gpu):
    return WATTS[gpu.split("_")[0]]


def random_hall(rng, name, gpu, server, plant, n_gpu):
    hall = {"name": name, "n_gpu": n_gpu, "gpu": gpu, "server": server, "plant": plant, "servers_per_rack": rng.choice((2, 4)), "racks_per_row": 4}
    if rng.random() < 0.3:
        hall["cap_W"] = round(board_W(gpu) * rng.uniform(LOWEST_SHARE, 1.0))
    if rng.random() < 0.5:
        hall["recirculation_frac"] = round(rng.uniform(0.0, 0.15), 3)
    return hall


def random_job(rng, name, n_gpu, network):
    tp = rng.choice((4, 8))
    pp = rng.choice([p for p in (1, 2, 4) if n_gpu % (tp * p) == 0 and (tp * p) % 8 == 0 and (tp == 8 or p == 2)] or [1])
    if tp * pp < 8 or (tp == 4 and pp > 1):
        tp = 8
    dp = n_gpu // (tp * pp)
    plan = {"n_gpu": n_gpu, "tp": tp, "pp": pp, "micro_batch_sequences": 1, "global_batch_sequences": dp * rng.choice((4, 8, 16, 64)),
            "sequence_tokens": 8192, "tp_overlap_frac": round(rng.uniform(0.0, 0.9), 2), "sharding": rng.choice(("fsdp", "zero1")),
            "rank_order": "tp-cp-dp-pp" if pp == 1 or rng.random() < 0.5 else "tp-cp-pp-dp"}  # fmt: skip
    life = {"start_s": rng.choice((0, 5, 30)), "initialise_base_s": 2, "arrive_s": rng.choice((0, 4)), "load_per_gpu_GB_per_s": 2, "storage_GB_per_s": 2000,
            "warm_up_s": 2, "checkpoint_interval_s": rng.choice((0, 0, 47, 90)), "checkpoint_base_s": 1, "checkpoint_per_gpu_GB_per_s": 2,
            "copy_link_frac": 0.02, "detect_s": 10, "replace_s": 10, "planned_stop_s": 40}  # fmt: skip
    if rng.random() < 0.15:
        life |= {"soft_start_s": 20, "soft_stop_s": 10, "soft_stages": 4, "soft_style": rng.choice(("replicas", "clock")), "soft_clock_frac": 0.5}
    return {"name": name, "model": "llama3_8b", "network": network, "plan": plan, "life": life}


def random_event(rng, i, scenario, cooling, duration_s):
    kind = rng.choice(("pause", "pause", "curtailment", "curtailment", "planned_stop", "failure", "power_brake", "sag", *PLANT_EVENTS[cooling]))
    event = {"name": f"e{i}", "kind": kind, "at_s": round(rng.choice((0.0, rng.uniform(0, duration_s), rng.uniform(20, 0.8 * duration_s))), 1)}
    if kind in ("pause", "planned_stop", "failure"):
        event["job"] = rng.choice(scenario["job"])["name"]
    if kind in PLANT_EVENTS[cooling]:
        event["hall"] = rng.choice(scenario["hall"])["name"]
        event["out_frac"] = round(rng.uniform(0.05, 0.3), 2)
        if kind == "filter_blocked":
            event["rack"] = 0
    if kind == "sag":
        event |= {"voltage_ratio": round(rng.uniform(0.3, 0.95), 2), "duration_s": round(rng.uniform(0.02, 0.5), 2)}
    elif kind not in ("planned_stop", "failure"):
        event["duration_s"] = round(rng.uniform(5, 0.5 * duration_s), 1)
    if kind == "curtailment":
        n_gpu = sum(h["n_gpu"] for h in scenario["hall"])
        event |= {"by": rng.choice(("cap", "pause")), "limit_MW": round(n_gpu * 1.9e-6 * board_W(scenario["hall"][0]["gpu"]) * rng.uniform(0.55, 1.2), 5),
                  "notice_s": rng.choice((0, min(10, event["at_s"])))}  # fmt: skip
    return event


def random_mitigations(rng):
    out = []
    if rng.random() < 0.25:
        out.append({"name": "smoothing", "kind": "gpu_smoothing", "floor_ratio": round(rng.uniform(0.0, 0.8), 2), "ramp_up_W_per_s": rng.choice((200, 700, 3000)),
                    "ramp_down_W_per_s": rng.choice((50, 300, 3000)), "hysteresis_s": rng.choice((0, 1, 5))})  # fmt: skip
    if rng.random() < 0.12:
        out.append({"name": "ballast", "kind": "ballast", "catalog": "ballast_firefly"})
    if rng.random() < 0.12:
        out.append({"name": "battery", "kind": "site_battery", "catalog": "site_battery_10MW", "power_MW": 0.2, "energy_MWh": 0.02, "standby_kW": 0.3})
    return out


def random_scenario(seed, most_s=300.0):
    """Returns a scenario as nested tables; equal seeds give equal scenarios. `most_s`: longest run"""
    rng = random.Random(seed)
    cooling = "liquid" if rng.random() < 0.25 else "air"
    gpu, (server, network) = rng.choice(list((LIQUID if cooling == "liquid" else AIR).items()))
    plants = LIQUID_PLANTS if cooling == "liquid" else AIR_PLANTS
    duration_s = 4.5 * rng.randrange(20, int(most_s / 4.5))  # whole milliseconds in hours, too
    halls = [random_hall(rng, name, gpu, server, rng.choice(plants), rng.choice((64, 128))) for name in "abc"[: rng.choice((1, 1, 2, 3))]]
    left = sum(h["n_gpu"] for h in halls)
    jobs = []
    for name in ("main", "second")[: rng.choice((1, 1, 2))]:
        n_gpu = rng.choice([n for n in (64, 128, 256) if n <= left] or [left])
        if left >= 64:
            jobs.append(random_job(rng, name, n_gpu, network))
            left -= n_gpu
    scenario = {"run": {"start": "2024-07-20T14:00:00", "duration_h": duration_s / 3600.0, "seed": rng.randrange(1, 1000),
                        "macro_step_s": rng.choice((10, 60)), "gating": rng.random() > 0.05},
                "weather": {"climate": rng.choice(CLIMATES), "day": rng.choice(("hot", "typical"))},
                "site": {"feeder": "hall_480V"}, "grid": {"catalog": "ercot_like_60GVA"}, "hall": halls, "job": jobs}  # fmt: skip
    if mitigations := random_mitigations(rng):
        scenario["mitigation"] = mitigations
    if events := [random_event(rng, i, scenario, cooling, duration_s) for i in range(rng.choice((0, 0, 1, 2, 4)))]:
        scenario["event"] = events
    return scenario


def toml_value(x):
    if isinstance(x, bool):
        return str(x).lower()
    return f'"{x}"' if isinstance(x, str) else repr(x)


def toml_text(scenario):
    """A scenario file."""
    lines = ["schema = 1"]

    def table(head, values):
        lines.extend(["", head, *(f"{key} = {toml_value(x)}" for key, x in values.items() if not isinstance(x, dict))])
        for key, x in values.items():
            if isinstance(x, dict):
                table(f"[{head.strip('[]')}.{key}]", x)

    for key, x in scenario.items():
        for item in x if isinstance(x, list) else [x]:
            table(f"[[{key}]]" if isinstance(x, list) else f"[{key}]", item)
    return "\n".join(lines) + "\n"


def write(scenario, path):
    Path(path).write_text(toml_text(scenario), encoding="utf-8")
    return Path(path)
