"""Pre-cools a liquid-cooled site before a hot hour.

    python precool.py

For one hour of a hot afternoon the wind blows the dry coolers' exhaust back at them: their air is at 45 degC instead of 33 degC, and the
plant cannot hold its coolant. The forecast says so two hours ahead. A tank in the facility water holds three hours of flow. The controller
asks for colder coolant from then on, so that the plant's spare capacity fills the tank with cold; the baseline does not. The site's dry
coolers are larger than the catalog's (an approach of 3.5 K): with those of 6 K there is no spare capacity, and pre-cooling does harm.

It pays for a short time only: once the plant is at its limit, what was stored decays with C/UA of tank and coolers, a little over an hour.
"""
from pathlib import Path

import tidewatt as tw

LIQUID = Path(__file__).resolve().parents[2] / "scenarios" / "llama3_405b_liquid.toml"
SITE = {"run.start": "2024-07-20T12:00:00", "run.duration_h": 6, "hall.a.n_gpu": 2048, "job.main.plan.n_gpu": 2048,
        "job.main.plan.global_batch_sequences": 256, "hall.a.plant.facility_tank_m3": 100, "hall.a.plant.dry_W_per_K": 260e3, "hall.a.plant.n_chiller": 1, "hall.a.plant.chiller_capacity_kW": 300,
        "weather.day": "typical"}  # per MW  # fmt: skip
HOT_S = (3 * 3600.0, 4 * 3600.0)
HOT_K = 318.15
AHEAD_S = 2 * 3600.0
COLDER_K = 8.0
BACK_K_PER_S = 0.5 / 300.0  # slower than the plant's loops, which overshoot behind a step
LOOK_S = 300.0


def afternoon(forecast, happens):
    """An afternoon in which a hot hour is forecast or not, and happens or not. Returns the hottest die after the first hour, the mean power
    and the result."""
    engine = tw.Engine(tw.load(LIQUID, set=SITE))
    hottest_K, energy_J, set_K = 0.0, 0.0, None
    for k in range(1, round(engine.scenario.duration_s / LOOK_S) + 1):
        t_s = k * LOOK_S
        engine.advance_to(t_s)
        energy_J += engine.read("pcc_W") * LOOK_S
        if t_s >= 3600.0:
            hottest_K = max(hottest_K, engine.read("hall.a.die_max_K"))
        if happens and t_s == HOT_S[0]:
            engine.write("outdoor_drybulb_K", HOT_K)
        if happens and t_s == HOT_S[1]:
            engine.release("outdoor_drybulb_K")
        if forecast and t_s == HOT_S[0] - AHEAD_S:
            set_K = engine.read("hall.a.supply_K")
            engine.write("hall.a.supply_K", set_K - COLDER_K)
        if forecast and HOT_S[1] <= t_s < HOT_S[1] + COLDER_K / BACK_K_PER_S:
            engine.write("hall.a.supply_K", set_K - COLDER_K + BACK_K_PER_S * (t_s - HOT_S[1]))
        if forecast and t_s == HOT_S[1] + COLDER_K / BACK_K_PER_S:
            engine.release("hall.a.supply_K")
    return hottest_K, energy_J / t_s, engine.finish()


def main():
    """Returns by how much pre-cooling lowers the hottest die of a hot hour; by how much a false alarm on a cool afternoon raises it, and the
    connection's mean power over that afternoon without."""
    runs = {(forecast, happens): afternoon(forecast, happens) for forecast in (False, True) for happens in (False, True)}
    for (forecast, happens), (die_K, power_W, _) in runs.items():
        what = f"{'hot hour' if happens else 'cool'}, {'pre-cooled' if forecast else 'without'}"
        print(f"{what:>22}: hottest die {die_K - 273.15:.2f} degC, {power_W / 1e6:.4f} MW")
    (cool_K, cool_W, _), (alarm_K, alarm_W, _) = runs[False, False], runs[True, False]
    return runs[False, True][0] - runs[True, True][0], alarm_K - cool_K, alarm_W / cool_W


if __name__ == "__main__":
    main()
