"""Controllers and plants of a user's own: what they may do, what they see, and that the books close with them."""
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import tidewatt as tw
from tiny_case import tiny

MINUTE = {"run.macro_step_s": 60, "run.macro_step_max_s": 60}


def run(scenario, control=None):
    engine = tw.Engine(scenario)
    while not engine.done:
        if control:
            control(engine)
        engine.step()
    return engine.finish()


def test_a_cap_moved_on_the_way_lowers_power_and_clocks_from_there():
    free = run(tiny(12, **MINUTE))
    capped = run(tiny(12, **MINUTE), lambda engine: engine.write("hall.a.cap_W", 500.0 if engine.time_s >= 360 else 700.0))
    t_s = (free["day"].time.values - free["day"].time.values[0]) / np.timedelta64(1, "s")
    before, after = (t_s > 120) & (t_s < 300), t_s > 480
    power = capped["day"].pcc_mean_W.values / free["day"].pcc_mean_W.values
    clock = capped["day"].clock_slowest_Hz.values / free["day"].clock_slowest_Hz.values
    assert np.allclose(power[before], 1.0, atol=1e-12) and (power[after] < 0.9).all()
    assert np.allclose(clock[before], 1.0, atol=1e-12) and (clock[after] < 0.9).all()
    assert capped.summary["energy_closure"] < 1e-11 and capped.summary["input_energy_error"] < 1e-12


def test_a_limit_set_at_the_start_is_that_of_the_scenario():
    by_hand = run(tiny(6, **MINUTE), lambda engine: engine.write("hall.a.cap_W", 600.0))
    by_key = run(tiny(6, **MINUTE, **{"hall.a.cap_W": 600}))
    # The fleet spins up before the first step, without the hand's limit: the start is not the same to the bit.
    assert by_hand.summary["iteration_s"] == pytest.approx(by_key.summary["iteration_s"], rel=1e-3)


def test_a_clock_lock_holds_and_what_is_seen_has_shapes():
    engine = tw.Engine(tiny(6, **MINUTE))
    engine.write("hall.a.clock_lock_Hz", 1.2e9)
    while not engine.done:
        engine.step()
        assert engine.clock_Hz.shape == engine.die_K.shape == (512,) and engine.inlet_K.shape == (64,)
        assert engine.clock_Hz.max() <= 1.2e9 * (1 + 1e-12)
    # What has been seen cannot be changed by mistake.
    seen = tw.Engine(tiny()).die_K
    with pytest.raises(ValueError):
        seen[0] = 0.0


@pytest.mark.parametrize("key, value", [("cap_W", 1e6), ("cap_W", -1.0), ("clock_lock_Hz", 1e6), ("cap_W", float("nan"))])
def test_limits_that_the_gpu_does_not_have_are_refused(key, value):
    with pytest.raises(tw.InputError, match="within"):
        tw.Engine(tiny()).write(f"hall.a.{key}", value)


def test_ports_are_listed_read_and_written_by_name():
    engine = tw.Engine(tiny(6))
    ports = {p["name"]: p for p in engine.ports()}
    assert ports["hall.a.cap_W"]["direction"] == "read and write" and ports["pcc_W"]["direction"] == "read"
    assert engine.read("pcc_W") is None  # a mean over no time
    engine.advance_to(120.0)
    assert 0 < engine.read("it_W") < engine.read("pcc_W") and isinstance(engine.read("job.main.state"), str)
    with pytest.raises(tw.InputError, match="hall.a.cap_W"):
        engine.read("hall.a.capp_W")
    with pytest.raises(tw.InputError, match="read only"):
        engine.write("pcc_W", 1.0)


def test_a_saved_engine_goes_on_to_the_same_bits_and_questions_change_nothing():
    scenario = tiny(12)
    plain = tw.run(scenario)
    engine = tw.Engine(scenario)
    for t_s in (33.001, 100.5, 333.333):
        engine.advance_to(t_s)
        engine.read("hall.a.die_max_K")
    again = tw.Engine(scenario)
    again.restore(engine.save())
    assert again.time_s == engine.time_s == 333.333
    assert again.finish().payload_sha256 == plain.payload_sha256


def drive(engine, to_s, step_s=37.001):
    """A controller whose cap follows the hottest die."""
    while engine.time_s + step_s <= to_s:
        engine.advance_to(round(engine.time_s + step_s, 3))
        # A number of the die's last bits: two engines that differ at all part here.
        engine.write("hall.a.cap_W", 500.0 + engine.read("hall.a.die_max_K") * 1e6 % 100.0)


GOES_ON = """
import sys
import tidewatt as tw
sys.path[:0] = [{folder!r}]
from test_own_control import drive
from tiny_case import tiny
engine = tw.Engine(tiny(12))
engine.restore(open({saved!r}, "rb").read())
drive(engine, 700.0)
print(engine.finish().payload_sha256)
"""


def test_another_process_goes_on_to_the_same_bits(tmp_path):
    first = tw.Engine(tiny(12))
    drive(first, 300.0)
    first.advance_to(311.0)  # a question inside a step, which the other process never asked
    saved = tmp_path / "engine.state"
    saved.write_bytes(first.save())
    code = GOES_ON.format(folder=str(Path(__file__).parent), saved=str(saved))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    drive(first, 700.0)
    assert done.stdout.strip() == first.finish().payload_sha256


@pytest.mark.parametrize("bad", [b"", b"no state", b"x" * 1000])
def test_bytes_that_are_no_state_are_refused_and_change_nothing(bad):
    engine = tw.Engine(tiny())
    engine.advance_to(33.0)
    with pytest.raises(tw.InputError, match="not what save"):
        engine.restore(bad)
    with pytest.raises(tw.InputError, match="not as when the state was saved"):
        engine.restore(tw.Engine(tiny(7)).save())
    assert engine.time_s == 33.0
    assert engine.finish().payload_sha256 == tw.run(tiny()).payload_sha256


@pytest.mark.parametrize("t_s, words", [(99.0, "past"), (100.0005, "milliseconds"), (1e9, "end"), (float("nan"), "milliseconds")])
def test_times_that_cannot_be_are_refused_and_change_nothing(t_s, words):
    engine = tw.Engine(tiny())
    engine.advance_to(100.0)
    with pytest.raises((tw.InputError, ValueError), match=words):
        engine.advance_to(t_s)
    assert engine.time_s == 100.0
    assert engine.finish().payload_sha256 == tw.run(tiny()).payload_sha256


def test_engines_in_two_threads_know_nothing_of_each_other():
    def alone(minutes):
        engine = tw.Engine(tiny(minutes))
        drive(engine, 60.0 * minutes)
        return engine.finish().payload_sha256

    expected = [alone(6), alone(8)]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(alone, [6, 8])) == expected


def test_an_unknown_hall_is_named():
    with pytest.raises(tw.InputError, match="hall.b.cap_W"):
        tw.Engine(tiny()).write("hall.b.cap_W", 600)
    with pytest.raises(KeyError, match="there are a"):
        tiny().with_plant("b", lambda now: {})


def test_a_plant_in_python_sets_the_inlets_and_its_electricity_counts():
    asked = []

    def plant(now):
        asked.append(now)
        return {"supply_K": 295.0, "electric_W": 0.1 * now["heat_W"]}

    scenario = tiny(6, **MINUTE, **{"hall.a.recirculation_frac": 0.0})
    result = tw.run(scenario.with_plant("a", plant))
    assert np.allclose(result["day"].inlet_mean_K, 295.0)
    assert {"t0_s", "t1_s", "heat_W", "flow_m3_per_s", "outdoor_drybulb_K", "outdoor_wetbulb_K", "outdoor_pressure_Pa",
            "powered", "state"} == set(asked[0])  # fmt: skip
    # What the servers give to the air is what they draw, once they are warm.
    assert (result["day"].plant_W / result["day"].it_W).values[-1] == pytest.approx(0.1, rel=0.02)
    assert result.summary["energy_closure"] < 1e-11
    assert "a plant in Python" in result.provenance["scenario"]
    assert scenario.halls[0]["plant"] != "python"  # the scenario itself is as it was


def test_a_plant_remembers_what_it_keeps_in_its_state():
    def plant(now):
        now["state"][0] += now["t1_s"] - now["t0_s"]
        return {"supply_K": 293.0 + 0.001 * now["state"][0]}

    result = tw.run(tiny(6, **MINUTE, **{"hall.a.recirculation_frac": 0.0}).with_plant("a", plant, initial=[0.0]))
    assert (np.diff(result["day"].inlet_mean_K.values) > 0).all()


@pytest.mark.parametrize("answer, words", [({}, "supply_K"), ({"supply_K": 20.0}, "200 to 400"), ({"supply_K": 290.0, "fan_W": 1.0}, "fan_W"),
                                           ({"supply_K": 290.0, "electric_W": -1.0}, "negative"), (None, "plant in Python")])  # fmt: skip
def test_a_plant_s_wrong_answer_ends_the_run_with_the_reason(answer, words):
    with pytest.raises(tw.SolverError, match=words):
        tw.run(tiny(6).with_plant("a", lambda now: answer))


def test_what_a_plant_raises_is_told():
    def plant(now):
        raise RuntimeError("the pump stands still")

    with pytest.raises(tw.SolverError, match="the pump stands still"):
        tw.run(tiny(6).with_plant("a", plant))
