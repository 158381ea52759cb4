#!/usr/bin/python3
"""Boards' limits and caps, together with everything else that holds a board's power: smoothing, ballast, storage, an order, a module's limit,
a hall with a limit of its own; H100, B200, GB300. limits_test.py [--quick]

Each of them runs under several caps. What a GPU draws in any step of work is at most a thousandth of its board's limit above its cap, and
throughput falls with the cap, to a thousandth. Steps in which an order moves a cap may be further above it, in at most half a percent of the work."""
import sys
from concurrent.futures import ThreadPoolExecutor

import relations
import sweeps

KEPT = MONOTONE = 1e-3
BRIEF_PERCENT = 0.5  # of the work: steps in which an order moves a cap, or in which a job over two halls settles
SHARES = (1.0, 0.9, 0.8, 0.7, 0.6)  # caps, of the board's limit
DURATION_S = 270.0
LIFE = {"start_s": 0, "initialise_base_s": 2, "arrive_s": 2, "load_per_gpu_GB_per_s": 2, "storage_GB_per_s": 2000, "warm_up_s": 2, "checkpoint_interval_s": 90,
        "checkpoint_base_s": 1, "checkpoint_per_gpu_GB_per_s": 2, "copy_link_frac": 0.02, "detect_s": 10, "replace_s": 10, "planned_stop_s": 40}  # fmt: skip
PLAN = {"pp": 1, "micro_batch_sequences": 1, "sequence_tokens": 8192, "sharding": "fsdp"}
SITES = {  # board's limit in W; hall; network; plan; feeder
    "H100": (700, {"n_gpu": 64, "gpu": "h100_sxm_700W", "server": "dgx_h100", "plant": "outside_air_evaporative", "servers_per_rack": 2}, "llama3_roce",
             {"tp": 8, "replica_batch_sequences": 8}, "hall_480V"),
    "B200": (1000, {"n_gpu": 64, "gpu": "b200_sxm_1000W", "server": "dgx_b200", "plant": "crah_chilled_water", "servers_per_rack": 2}, "dgx_b200_ndr",
             {"tp": 8, "replica_batch_sequences": 8}, "hall_480V"),
    "GB300": (1400, {"n_gpu": 72, "gpu": "gb300_1400W", "server": "gb300_tray", "rack": "gb300_nvl72", "plant": "cdu_dry_cooler", "servers_per_rack": 18}, "gb300_nvl72",
              {"tp": 1, "replica_batch_sequences": 4, "precision": "nvfp4"}, "hall_480V_liquid_rack")}  # fmt: skip
FLOOR = {"name": "floor", "kind": "gpu_smoothing", "floor_ratio": 0.6, "ramp_up_W_per_s": 2000, "ramp_down_W_per_s": 500, "hysteresis_s": 1}
SLOW_FALLS = {"name": "slow", "kind": "gpu_smoothing", "floor_ratio": 0.0, "ramp_up_W_per_s": 700, "ramp_down_W_per_s": 50, "hysteresis_s": 0}
BALLAST = {"name": "ballast", "kind": "ballast", "catalog": "ballast_firefly"}
BATTERY = {"name": "battery", "kind": "site_battery", "catalog": "site_battery_10MW", "power_MW": 0.05, "energy_MWh": 0.005, "standby_kW": 0.1}
HELD = {"alone": [], "floor": [FLOOR], "slow falls": [SLOW_FALLS], "ballast": [BALLAST], "floor and ballast": [FLOOR, BALLAST], "battery": [BATTERY]}
ORDERED = 0.85  # of what the site draws without the order
OTHERS = ("order", "order and ballast", "order and floor", "another hall", "module")


def scenario_of(site, held, share, usual_MW=1.0):
    """`usual_MW`: of the connection, without an order.  Returns the scenario, or None where the site has no such thing"""
    board_W, hall, network, plan, feeder = SITES[site]
    n_gpu = hall["n_gpu"]
    hall = {"name": "a", "racks_per_row": 4, **hall, "cap_W": round(share * board_W)}
    out = {"run": {"start": "2024-07-20T14:00:00", "duration_h": DURATION_S / 3600.0, "macro_step_s": 10}, "weather": {"climate": "portland_or", "day": "hot"},
           "site": {"feeder": feeder}, "grid": {"catalog": "ercot_like_60GVA"}, "hall": [hall],
           "job": [{"name": "main", "model": "llama3_8b", "network": network, "plan": {"n_gpu": n_gpu, **PLAN, **plan}, "life": LIFE}]}  # fmt: skip
    if held == "module":
        if site != "GB300":
            return None
        hall["module_limit_W"] = 2600  # a CPU with two GPUs
    elif held == "another hall":
        out["hall"].append({**hall, "name": "b", "cap_W": round(0.65 * board_W)})
        out["job"][0]["plan"]["n_gpu"] = 2 * n_gpu
    elif held.startswith("order"):
        out["event"] = [{"name": "order", "kind": "curtailment", "by": "cap", "at_s": 90.0, "duration_s": 100.0, "limit_MW": ORDERED * usual_MW, "notice_s": 0}]
        out["mitigation"] = {"order and ballast": [BALLAST], "order and floor": [FLOOR]}.get(held, [])
    else:
        out["mitigation"] = HELD[held]
    return {key: x for key, x in out.items() if x != []}


def run(case):
    site, held, share = case
    try:
        usual_MW = relations.run(scenario_of(site, "alone", share))[0]["pcc_mean_MW"] if held.startswith("order") else 1.0
        scenario = scenario_of(site, held, share, usual_MW)
        if scenario is None:
            return None
        return relations.run(scenario)[0]
    except relations.Refused as why:
        return str(why)


def main():
    shares = SHARES[::2] if "--quick" in sys.argv else SHARES
    cases = [(site, held, share) for site in SITES for held in (*HELD, *OTHERS) for share in shares]
    with ThreadPoolExecutor(sweeps.workers()) as pool:
        figures = dict(zip(cases, pool.map(run, cases)))
    n_run = n_over = n_long = n_rise = 0
    worst, rise = (0.0, "none"), 0.0
    for site in SITES:
        for held in (*HELD, *OTHERS):
            before = None
            for share in shares:
                f = figures[site, held, share]
                if f is None:
                    continue
                if isinstance(f, str):
                    print(f"{site}, {held}, {share}: refused: {f}")
                    continue
                n_run += 1
                over, name = (f["cap_over_max_W"] or 0.0) / SITES[site][0], f"{site}, {held}, cap of {share:.0%}"
                if over > KEPT:
                    n_over += 1
                    n_long += f["cap_over_percent"] > BRIEF_PERCENT
                    print(f"{name}: {over:.2%} of the board's limit above the cap in {f['cap_over_percent']:.2g} % of the work")
                worst = max(worst, (over, name))
                if before is not None and f["tokens_per_s_mean"] > (1.0 + MONOTONE) * before:
                    n_rise += 1
                    print(f"{name}: {f['tokens_per_s_mean']:.0f} tokens/s, {before:.0f} under the cap above")
                if before is not None:
                    rise = max(rise, f["tokens_per_s_mean"] / before - 1.0)
                before = f["tokens_per_s_mean"]
    print(f"scorecard 21: {n_run} combinations: {n_over} above their cap by more than 0.1 % of the board's limit, at most {worst[0]:.2%} ({worst[1]}); {n_long} for more than "
          f"{BRIEF_PERCENT} % of the work")
    print(f"scorecard 22: {n_run} combinations: {n_rise} with more than 0.1 % more throughput under a lower cap, at most {rise:+.3%}")
    return n_long == n_rise == 0 and n_run >= 40


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
