"""Scenarios and results travel: text and mappings become scenarios, scenarios change, and both are copied and pickled."""
import concurrent.futures
import copy
import json
import multiprocessing
import pickle

import matplotlib.pyplot as plt
import numpy as np
import pytest
import tidewatt as tw
from tiny_case import DAY, SETTINGS, tiny


@pytest.fixture(scope="module")
def result():
    return tw.run(tiny(3), threads=1)


def test_a_scenario_from_text_or_a_mapping_is_the_file():
    text = DAY.read_text()
    from_text = tw.load(text, set=SETTINGS)
    import tomllib

    from_mapping = tw.load(tomllib.loads(text), set=SETTINGS)
    from_file = tw.load(DAY, set=SETTINGS)
    assert from_text.text == from_file.text
    assert from_mapping.halls == from_file.halls and from_mapping.jobs == from_file.jobs
    assert list(from_mapping.assumed.key) == list(from_file.assumed.key)


def test_findings_of_text_say_where():
    with pytest.raises(tw.InputError) as caught:
        tw.load(DAY.read_text().replace("seed = 1", "seeed = 1"))
    assert any(f.place.startswith("(text):") for f in caught.value.findings)


def test_with_set_changes_a_copy():
    base = tiny(3)
    more = base.with_set({"run.duration_h": 1}).with_set(run={"seed": 7})
    assert (more.duration_s, more.seed, more.n_gpu) == (3600, 7, 512)
    assert (base.duration_s, base.seed) == (180, 1)
    with pytest.raises(tw.InputError, match="duration_h"):
        base.with_set({"run.duration_hours": 1})


def test_a_plant_in_python_survives_with_set():
    own = tiny(3).with_plant("a", plant_of_a_module).with_set({"run.seed": 3})
    assert own.halls[0]["plant"] == "python" and own.seed == 3
    assert pickle.loads(pickle.dumps(own)).halls[0]["plant"] == "python"


def plant_of_a_module(now):
    return {"supply_K": 295.0, "electric_W": 0.03 * now["heat_W"]}


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_a_copied_scenario_runs_to_the_same_bits(make, result):
    scenario = make(tiny(3))
    assert scenario.text == tiny(3).text
    assert tw.run(scenario, threads=1).payload_sha256 == result.payload_sha256


def test_a_scenario_whose_file_changed_is_refused(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(DAY.read_text())
    data = pickle.dumps(tw.load(path))
    path.write_text(DAY.read_text() + "\n# changed\n")
    with pytest.raises(tw.InputError, match="own.toml"):
        pickle.loads(data)


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))])
def test_a_copied_result_is_the_same(make, result, tmp_path):
    again = make(result)
    assert again.summary == result.summary and again.payload_sha256 == result.payload_sha256
    assert (again.array("/day/pcc_mean_W") == result.array("/day/pcc_mean_W")).all()
    assert again["day"].identical(result["day"])
    again.summary["pue"] = None
    assert result.summary["pue"] is not None
    assert tw.open(again.save(tmp_path / "again.h5")).payload_sha256 == result.payload_sha256
    json.dumps(again.summary)


def test_runs_go_to_other_processes_and_results_come_back(result):
    scenarios = [tiny(3), tiny(3).with_set({"run.seed": 5})]
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        first, second = pool.map(tw.run, scenarios)
    assert first.payload_sha256 == result.payload_sha256 != second.payload_sha256
    assert first.plot.power()[0].lines or first.plot.power()[0].collections
    plt.close("all")


def test_errors_come_back_from_other_processes():
    with pytest.raises(tw.InputError) as caught:
        tw.load(DAY, {"run.duration_hours": 1})
    error = caught.value
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.findings == error.findings


def test_an_engine_is_not_pickled():
    with pytest.raises(TypeError):
        pickle.dumps(tw.Engine(tiny(3)))


def test_pictures_go_into_axes_of_ones_own(result):
    figure, axes = plt.subplots(2, 1)
    drawn = result.plot.power(ax=axes[0])
    result.plot.spectrum(ax=axes[1]) if result.summary["pcc_dominant_Hz"] else None
    assert drawn[0] is axes[0] and drawn[0].figure is figure and drawn[0].get_ylabel()
    with pytest.raises(ValueError, match="5 axes, not 1"):
        result.plot.day(ax=axes[0])
    with pytest.raises(KeyError, match="did you mean 'sample'"):
        result.plot.waveform("smple")
    with pytest.raises(KeyError, match="there is none|not in"):
        result.plot.grid_case()
    plt.close("all")


def test_frame_and_nearest_names(result):
    frame = result.frame("day")
    assert "pcc_mean_W" in frame and len(frame) == result["day"].sizes["time"]
    for ask, near in [(lambda: result["days"], "'day'"), (lambda: result.array("/day/pcc_mean_w"), "'/day/pcc_mean_W'"),
                      (lambda: tw.Catalog().names("gpus"), "'gpu'"), (lambda: tiny(3).with_plant("b", plant_of_a_module), "a")]:  # fmt: skip
        with pytest.raises(KeyError, match=near):
            ask()
    with pytest.raises(AttributeError, match="did you mean 'machines'"):
        tw.machine
    assert np.isfinite(frame.pcc_mean_W).all()


def test_a_new_scenario_is_loaded_and_written(tmp_path):
    scenario = tw.new(n_gpu=64, climate="phoenix_az")
    assert scenario.n_gpu == 64 and 'climate = "phoenix_az"' in scenario.text
    path = tmp_path / "my.toml"
    again = tw.new(path, n_gpu=64, climate="phoenix_az")
    assert again.text == scenario.text and scenario.text.startswith(path.read_text())  # behind it: hashes of the inputs
    with pytest.raises(FileExistsError):
        tw.new(path)
