"""Controllers that read and write at random: whatever they do, what they read and what comes out stays physical."""
import math
import random

import pytest
from tiny_case import ROOT

import tidewatt as tw

SMALL = {"hall.a.n_gpu": 1024, "job.main.plan.n_gpu": 1024, "job.main.plan.global_batch_sequences": 128, "run.duration_h": 0.4}
WRITES = {  # port: low, high
    "hall.a.cap_W": (450.0, 700.0),
    "hall.a.clock_lock_Hz": (1.2e9, 1.98e9),
    "hall.a.supply_K": (290.0, 302.0),
    "outdoor_drybulb_K": (265.0, 312.0),
    "outdoor_wetbulb_K": (260.0, 295.0),
    "voltage_pu": (0.95, 1.05),
    "frequency_Hz": (59.5, 60.5),
}
WAITS_s = (0.013, 0.4, 1.7, 7.3, 33.0, 120.0)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def driven(scenario, seed):
    """Ports as read at random times, and the run's result."""
    draw, engine, t_s, seen = random.Random(seed), tw.Engine(scenario), 0.0, []
    ports = {p["name"] for p in engine.ports()}
    writes = [name for name in WRITES if name in ports]
    while True:
        t_s = round(t_s + draw.choice(WAITS_s) * draw.uniform(0.5, 1.5), 3)
        if t_s >= 3600.0 * SMALL["run.duration_h"]:
            return seen, engine.finish()
        engine.advance_to(t_s)
        seen.append({name: engine.read(name) for name in ports})
        if draw.random() < 0.6:
            port = draw.choice(writes)
            engine.write(port, draw.uniform(*WRITES[port]))
            if draw.random() < 0.3:
                engine.release(port)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["llama3_405b_day", "llama3_405b_smoothed"])
def test_what_random_controllers_read_and_get_stays_physical(name, seed):
    seen, result = driven(tw.load(ROOT / "scenarios" / f"{name}.toml", set=SMALL), seed)
    summary = result.summary
    assert len(seen) > 30
    assert summary["energy_closure"] < 1e-11
    assert summary["die_max_degC"] < 90.0  # the thermal target is 87
    for read in seen:
        assert all(math.isfinite(v) for v in read.values() if isinstance(v, float))
        assert summary["pcc_min_MW"] * 0.999e6 <= read["pcc_W"] <= summary["pcc_max_MW"] * 1.001e6
        assert 0.0 < read["it_W"] < 1024 * 1500.0
        assert 280.0 < read["hall.a.die_max_now_K"] < 273.15 + 90.0
    # At 450 W, 1.2 GHz or a warm inlet an iteration takes up to 8.7 s, while smoothing waits for it 10.
    longest_s = max(read["job.main.iteration_s"] or 0.0 for read in seen)
    assert 6.3 < longest_s < 11.0
