"""Results whose hash fits but which no run has written: an error of tidewatt's own names the file, whatever is wrong in it."""
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import synthetic_result
import tidewatt as tw
from tidewatt import report

CLI = os.environ["TIDEWATT_CLI"]
WHOLE = "the whole summary"
FORGED = [(WHOLE, "no json"), (WHOLE, "[]"), (WHOLE, "null"), (WHOLE, "{}"), (WHOLE, "7"), (WHOLE, "[" * 5000), ("simulated_s", "long"), ("simulated_s", 0.0), ("simulated_s", []),
          ("jobs", 3), ("jobs", {}), ("jobs", [1]), ("jobs", [{}]), ("jobs", [{"name": None}]), ("limiter_share", []), ("limiter_share", {"power": "all"}), ("limiter_share", {}),
          ("throughput_min_hours", 15), ("throughput_min_hours", ["x"]), ("throughput_min_hours", []), ("pcc_mean_MW", "much"), ("pue", {}), ("pue", "x"), ("iteration_s", []),
          ("n_gpu", "x"), ("n_gpu", None), ("out_of_range", 3), ("schema_version", "x")]  # fmt: skip


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "good.h5"
    synthetic_result.write(path)
    return path


def forged(good, path, change):
    path.write_bytes(good.read_bytes())
    with synthetic_result.edited(path) as file:
        change(file)
    return path


def use(path, folder):
    """Opens and reports; only errors of tidewatt's own may come out of it, with the file's name."""
    for act in (lambda: tw.open(path).to_xarray(), lambda: report.write(path, folder), lambda: report.compare(path, path, folder)):
        try:
            act()
        except tw.InputError as error:
            assert path.name in str(error), error


def with_summary(key, value):
    def change(file):
        if key == WHOLE:
            file.attrs["summary_json"] = value
        else:
            file.attrs["summary_json"] = json.dumps({**json.loads(file.attrs["summary_json"]), key: value})

    return change


@pytest.mark.parametrize("key, value", FORGED, ids=[f"{key}={str(value)[:12]}" for key, value in FORGED])
def test_forged_figures(good, tmp_path, key, value):
    use(forged(good, tmp_path / "forged.h5", with_summary(key, value)), tmp_path / "page")


@pytest.mark.parametrize("value", ["no json", "[]", "[" * 5000])
def test_a_summary_without_figures_is_refused(good, tmp_path, value):
    path = forged(good, tmp_path / "forged.h5", with_summary(WHOLE, value))
    with pytest.raises(tw.InputError, match="forged.h5"):
        tw.open(path)
    done = subprocess.run([CLI, "report", path, "--out", tmp_path / "page"], capture_output=True, text=True)
    assert done.returncode == 2 and "forged.h5" in done.stderr and "Traceback" not in done.stderr


def test_a_figure_of_another_type_is_named(good, tmp_path):
    path = forged(good, tmp_path / "forged.h5", with_summary("pcc_mean_MW", "much"))
    with pytest.raises(tw.InputError, match="pcc_mean_MW: 'much' is no number"):
        tw.open(path)


def test_forged_arrays(good, tmp_path):
    draw = random.Random(1)
    for number in range(20):
        def change(file):
            name = draw.choice([f"{group}/{key}" for group in file if hasattr(file[group], "keys") for key in file[group]])
            kind = draw.randrange(4)
            if kind == 0:
                del file[name]
            elif kind == 1:
                file[name].attrs["units"] = draw.choice(["seconds since never", "", "furlong"])
            elif kind == 2 and file[name].dtype.kind == "f":
                file[name][...] = draw.choice([float("nan"), float("inf"), -1.0, 0.0, 1e300])
            else:
                file["provenance"].attrs["start_time"] = draw.choice(["never", "", "9999-99-99 00:00:00"])

        use(forged(good, tmp_path / f"forged{number}.h5", change), tmp_path / "page")
