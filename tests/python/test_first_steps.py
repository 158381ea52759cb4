"""What a first hour with Python meets: wrong arguments are named, scenarios travel as files, rows can be weighted and subtracted."""
import datetime

import numpy as np
import pytest
import tidewatt as tw
from tiny_case import DAY, SETTINGS, tiny


@pytest.fixture(scope="module")
def result():
    return tw.run(tiny(60), threads=2)


@pytest.mark.parametrize("arguments, keys, said", [
    ((1024,), {}, "n_gpu=1024"),
    ((), {"n_gpu": "2048"}, "n_gpu is a whole number"),
    ((), {"n_gpu": 2048.5}, "n_gpu is a whole number"),
    ((), {"duration_h": "24h"}, "duration_h is a number"),
    ((), {"modell": "llama3_8b"}, "did you mean 'model'"),
    ((), {"gpu": 3}, "gpu is the name of a catalog entry"),
])  # fmt: skip
def test_new_names_the_wrong_argument(arguments, keys, said):
    with pytest.raises(TypeError, match=said):
        tw.new(*arguments, **keys)


@pytest.mark.parametrize("n_gpu", [0, -8, 10**15])
def test_new_refuses_numbers_of_gpus_that_no_site_has(n_gpu):
    with pytest.raises(tw.InputError, match=f"n_gpu: {n_gpu} is outside 1 to"):
        tw.new(n_gpu=n_gpu)


def test_new_chooses_only_without_a_number():
    assert tw.new(duration_h=0.1).n_gpu >= 128
    assert tw.new(n_gpu=128.0, duration_h=0.1).n_gpu == 128


def test_a_changed_scenario_is_saved_with_its_changes(tmp_path):
    changed = tw.load("llama3_405b_day").with_set({"hall.a.cap_W": 600, "run.start": datetime.date(2024, 7, 20)})
    changed.save(tmp_path / "b.toml")
    again = tw.load(tmp_path / "b.toml")
    assert again.halls[0]["cap_W"] == changed.halls[0]["cap_W"] == 600
    assert again.n_gpu == changed.n_gpu and again.start == changed.start
    assert tw.load(again.toml).toml == again.toml


def test_scenarios_are_compared_and_swept_like_files(tmp_path):
    base = tiny(3)
    keys, figures = tw.compare(base, base.with_set({"hall.a.cap_W": 650}), alone=False)
    assert list(keys.key) == ["hall.a.cap_W"] and len(figures) > 3
    same, none = tw.compare(base, base, alone=False)
    assert same.empty and list(none.columns) == ["name", "before", "after"]
    caps = {"mode": "grid", "variable": [{"key": "hall.a.cap_W", "values": np.arange(600, 701, 100)}], "outputs": ["pcc_mean_MW"]}
    made = tw.new(n_gpu=128, duration_h=0.02)
    for scenario in (base, made):
        table = tw.sweep(caps, scenario=scenario, out=tmp_path / str(scenario.n_gpu), workers=1, progress=False)
        assert list(table.frame["hall.a.cap_W"]) == [600, 700] and table.failed.empty


def test_whole_numbers_may_come_as_floats():
    assert tiny(3).with_set({"hall.a.n_gpu": 512.0, "job.main.plan.n_gpu": np.float64(512)}).n_gpu == 512


def test_rows_of_the_day_carry_their_weight(result):
    day = result["day"]
    weighted = float(day.pcc_mean_W.weighted(day.step_s).mean())
    assert weighted == pytest.approx(1e6 * result.summary["pcc_mean_MW"], rel=1e-6)
    assert float(day.step_s.sum()) == pytest.approx(3600)
    assert len(set(np.round(day.step_s.to_numpy(), 3))) > 1  # why the weight matters


def test_equal_intervals_keep_the_mean_and_can_be_subtracted(result):
    regular = result.resampled(300)
    assert regular.sizes["time"] == 12
    assert float(regular.pcc_mean_W.mean()) == pytest.approx(1e6 * result.summary["pcc_mean_MW"], rel=1e-6)
    capped = tw.run(tiny(60, **{"hall.a.cap_W": 600}), threads=2)
    change = regular.pcc_mean_W - capped.resampled(300).pcc_mean_W
    assert change.sizes["time"] == 12
    assert float(change.mean()) * 1e-6 == pytest.approx(result.summary["pcc_mean_MW"] - capped.summary["pcc_mean_MW"], rel=1e-6)
    assert regular.pcc_mean_W.attrs["units"] == "W"
    for wrong in (0, -1, 1e6):
        with pytest.raises(ValueError, match="step_s"):
            result.resampled(wrong)


def test_an_opened_result_is_explained_with_its_scenario(tmp_path):
    settings = {**SETTINGS, "run.duration_h": 2.2, "run.macro_step_s": 900}
    scenario = tw.load(DAY, set=settings)
    fresh = tw.run(scenario, threads=2)
    saved = tw.open(fresh.save(tmp_path / "r.h5"))
    assert saved.explain(scenario, fleets=1)["swing_percent"] == pytest.approx(fresh.summary["throughput_swing_percent"])


def test_misspelt_names_are_answered_with_the_nearest(result):
    with pytest.raises(KeyError, match="did you mean 'pcc_mean_MW'"):
        result.summary["pcc_men_MW"]
    with pytest.raises(AttributeError, match="did you mean 'waveform'"):
        result.plot.wavform()


def test_what_has_no_effect_is_a_warning():
    with pytest.warns(UserWarning, match="begins at"):
        tw.run(tiny(2), threads=2)


def test_a_controllers_wrong_value_names_the_port():
    engine = tw.Engine(tiny(3), threads=1)
    with pytest.raises(TypeError, match="hall.a.cap_W is a number, not '600 W'"):
        engine.write("hall.a.cap_W", "600 W")
    with pytest.raises(TypeError, match="t_s is a number"):
        engine.advance_to("60")
    with pytest.raises(TypeError, match="threads is a whole number"):
        tw.run(tiny(3), threads="2")


def test_a_table_goes_straight_into_a_fit():
    import pandas

    power = np.arange(1000.0, 5000.0, 80.0)
    fit = tw.fit_overhead(pandas.DataFrame({"gpu_sum_W": power, "node_W": 1500 + 1.05 * power}), name="mine")
    assert list(fit.frame.value.round(4)) == [1500.0, 1.05]
