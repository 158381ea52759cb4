"""tidewatt.Result: views, units, calendar time, files and pictures."""
import gc
import json
import re
import subprocess
import weakref

import h5py
import matplotlib.pyplot as plt
import numpy as np
import pytest
import tidewatt as tw
import xarray
from tidewatt.report.style import root
from tiny_case import ROOT, tiny


@pytest.fixture(scope="module")
def result():
    return tw.run(tiny(), threads=2)


@pytest.fixture(scope="module")
def saved(result, tmp_path_factory):
    return result.save(tmp_path_factory.mktemp("saved") / "tiny.h5")


def test_groups_behave_like_a_mapping(result):
    assert {"day", "hourly", "fleet", "events", "energy", "trust", "waveform_sample"} <= set(result.groups)
    assert "day" in result and "night" not in result and list(result) == result.groups and len(result) == len(result.groups)
    assert set(result.to_xarray()) == set(result.groups)
    assert result._ipython_key_completions_() == result.groups  # result["<TAB> in a notebook
    with pytest.raises(KeyError, match="night.*day"):
        result["night"]
    with pytest.raises(KeyError, match="no_such"):
        result.array("/day/no_such")


def test_variables_carry_units_names_and_dimensions(result):
    for group in result.groups:
        for name, variable in result[group].data_vars.items():
            assert variable.attrs["long_name"], f"{group}/{name}"
            if name != "time":
                assert variable.attrs["units"], f"{group}/{name}"
    day = result["day"]
    assert day.pcc_mean_W.attrs["units"] == "W" and day.die_max_K.attrs["units"] == "K"
    assert day.pcc_mean_W.dims == ("time",)
    assert result["fleet"].sizes["gpu"] == 512


def test_time_is_local_calendar_time_to_the_nanosecond(result):
    day, wave = result["day"].time, result["waveform_sample"].time
    assert day.dtype == "datetime64[ns]"
    assert day.values[0] == np.datetime64("2024-07-20T00:00:00")
    seconds = result.array("/day/time")
    assert ((day.values - day.values[0]) / np.timedelta64(1, "ns") == np.rint((seconds - seconds[0]) * 1e9)).all()
    assert wave.values[0] == np.datetime64("2024-07-20T00:02:30")
    assert (np.diff(wave.values) == np.timedelta64(1, "ms")).all()
    assert len(wave) == 30_000
    assert result["events"].time.dtype == "datetime64[ns]"


def test_arrays_are_views_that_nobody_can_write_to(result):
    raw = result.array("/day/pcc_mean_W")
    assert not raw.flags.owndata and np.shares_memory(raw, result.array("/day/pcc_mean_W"))
    assert np.shares_memory(raw, result["day"].pcc_mean_W.values)
    for attempt in [lambda: raw.__setitem__(0, 1.0), lambda: raw.setflags(write=True),
                    lambda: result["day"].pcc_mean_W.values.__setitem__(0, 1.0)]:  # fmt: skip
        with pytest.raises(ValueError):
            attempt()


def test_a_view_keeps_the_run_alive_and_the_last_one_lets_it_go():
    run = tw.run(tiny(3), threads=1)
    core = weakref.ref(run._source._core)
    view = run["waveform_sample"].pcc_W.values
    copy = view.copy()
    del run
    gc.collect()
    assert core() is not None
    noise = [np.full(len(copy), -1.0) for _ in range(50)]
    assert (view == copy).all() and len(noise) == 50
    del view
    gc.collect()
    assert core() is None


def test_changing_a_dataset_leaves_the_result_alone(result):
    day = result["day"]
    day["more"] = day.pcc_mean_W * 2
    day.attrs["note"] = "mine"
    assert "more" not in result["day"] and "note" not in result["day"].attrs


def test_arrays_agree_with_the_figures(result):
    day, figures = result["day"], result.summary
    assert float(day.die_max_K.max()) - 273.15 == pytest.approx(figures["die_max_degC"], abs=1e-9)
    hourly_J = float(result["hourly"].pcc_J.sum())
    assert hourly_J / figures["simulated_s"] / 1e6 == pytest.approx(figures["pcc_mean_MW"], rel=1e-9)
    wave = result["waveform_sample"].pcc_W
    assert figures["pcc_min_MW"] * 1e6 <= float(wave.min()) < float(wave.max()) <= figures["pcc_max_MW"] * 1e6


def test_saved_and_opened_is_the_same_result(result, saved):
    again = tw.open(saved)
    assert set(again.groups) == set(result.groups)
    for group in result.groups:
        xarray.testing.assert_identical(again[group], result[group])
    assert again.payload_sha256 == result.payload_sha256 == result.summary["payload_sha256"]
    assert again.provenance == result.provenance
    assert again.summary == {key: value for key, value in result.summary.items() if key != "wall_s"}
    with pytest.raises(ValueError):
        again.array("/day/pcc_mean_W")[0] = 0.0


def test_the_files_hash_recomputed_by_other_means(result, saved):
    done = subprocess.run([ROOT / "scripts/hash_result", saved], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == result.payload_sha256


def test_a_dataset_survives_netcdf(result, tmp_path):
    path = tmp_path / "day.nc"
    result["day"].to_netcdf(path, engine="h5netcdf")
    with xarray.open_dataset(path, engine="h5netcdf", decode_times=False) as again:
        np.testing.assert_allclose(again.time.values, result.array("/day/time"), rtol=0, atol=1e-9)
        assert again.time.attrs["units"].startswith("seconds since 2024-07-20")
        assert (again.pcc_mean_W.values == result.array("/day/pcc_mean_W")).all()


def test_files_that_cannot_be_written_or_read(result, saved, tmp_path):
    for source in (result, tw.open(saved)):
        with pytest.raises(tw.OutputError, match="no_such_folder") as caught:
            source.save(tmp_path / "no_such_folder" / "x.h5")
        assert isinstance(caught.value, OSError)
    with pytest.raises(OSError):
        tw.open(tmp_path / "no_such.h5")
    h5py.File(tmp_path / "other.h5", "w").close()
    with pytest.raises(tw.InputError, match="other.h5: not a result"):
        tw.open(tmp_path / "other.h5")


def test_a_copy_of_a_saved_result(result, saved, tmp_path):
    copy = tw.open(tw.open(saved).save(tmp_path / "copy.h5"))
    assert copy.payload_sha256 == result.payload_sha256


def test_pictures_from_memory_and_from_the_file_are_the_same(result, saved):
    opened = tw.open(saved)
    for name in ["day", "waveform", "power", "iteration", "spectrum", "ramps", "fleet", "limiter", "events"]:
        pixels = []
        for source in (result, opened):
            figure = root(getattr(source.plot, name)())
            figure.canvas.draw()
            pixels.append(np.asarray(figure.canvas.buffer_rgba()))
            plt.close(figure)
        assert (pixels[0] == pixels[1]).all(), name
        assert pixels[0].std() > 5, name  # not a blank sheet
    assert "spectrum" in repr(result.plot)


def test_report_is_drawn_without_a_file_of_ones_own(result, tmp_path):
    paths = result.report(tmp_path / "report", pictures=True)
    assert paths[0].name == "report.html" and all(path.stat().st_size > 1000 for path in paths)
    assert {"day.png", "spectrum.svg"} <= {path.name for path in paths}


def test_looks(result):
    assert "pcc_mean_MW" in repr(result) and "groups: " in repr(result)
    page = result._repr_html_()
    assert "<table" in page and "waveform_sample" in page and "&lt;" not in page
    assert "<code" in page and "pcc_mean_MW" in page  # words, values with units, and the key
    shown = page.replace("\u00a0", " ")
    assert f"GPUs {result.summary['n_gpu']:,} · mean power " in shown and " MW · iteration " in shown
    assert all(f">{key}<" in page for key in result.summary if result.summary[key] is not None and key != "jobs")
    json.dumps(result.summary)  # plain values only


def test_the_interval_of_a_run_reaches_words_pictures_and_files(tmp_path):
    own = tw.run(tiny(), threads=2)
    assert "in brackets" not in drawn_words(own) and "(" not in own.text("pcc_max_MW")
    assert own.interval(draws=2) is own
    low, high = own.summary["pcc_max_MW_p05"], own.summary["pcc_max_MW_p95"]
    assert 0 < low < high and list(own.summary)[list(own.summary).index("pcc_max_MW") + 1] == "pcc_max_MW_p05"
    value, *ends = (float(x) for x in re.fullmatch(r"([\d.]+)\u00a0MW \(([\d.]+) to ([\d.]+)\)", own.text("pcc_max_MW", 4)).groups())
    assert value == pytest.approx(own.summary["pcc_max_MW"], rel=5e-4) and ends == pytest.approx([low, high], rel=5e-3)
    assert "Headlines with their chance" in str(own) and "in brackets: 90 % interval" in drawn_words(own) and "in brackets" in own._repr_html_()
    # A study of its own says the same; the file keeps it, and gives it back.
    assert tw.interval(result=own, draws=2)["pcc_max_MW_p95"] == high
    again = tw.open(own.save(tmp_path / "own.h5"))
    assert again.summary["pcc_max_MW_p95"] == high and "Headlines with their chance" in str(again) and "in brackets" in drawn_words(again)
    with pytest.raises(KeyError, match="pcc_max_MW"):
        own.text("pcc_max_MV")


def drawn_words(result):
    """All words above the picture of the waveform's whole course."""
    figure = root(result.plot.waveform())
    words = " ".join(text.get_text() for text in figure.texts).replace("\n", " ")
    plt.close("all")
    return words
