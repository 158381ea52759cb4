"""tidewatt.load: what comes in, what is refused, and how it is told."""
import ast
import datetime
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import tidewatt as tw
from tiny_case import DAY, ROOT, tiny


def test_overrides_reach_the_scenario_in_every_form():
    forms = [{"run.duration_h": 2, "run.seed": 7}, {"run": {"duration_h": 2.0, "seed": np.int64(7)}},
             ["run.duration_h=2", "run.seed=7"]]  # fmt: skip
    for form in forms:
        scenario = tw.load(DAY, set=form)
        assert (scenario.duration_s, scenario.seed) == (7200.0, 7)


def test_what_a_file_is_read_by_cannot_be_set():
    for key in ("base", "schema"):
        with pytest.raises(tw.InputError, match=f"{key}: cannot be set"):
            tw.load(DAY, set={key: "/etc/passwd"})


def test_values_that_are_nested_too_deeply_are_refused():
    lists, tables = 1, 1
    for _ in range(1500):
        lists, tables = [lists], {"a": tables}
    for given in ({"hall.a.cap_W": lists}, tables):
        with pytest.raises(tw.InputError, match="nested more than 64 deep"):
            tw.load(DAY, set=given)


def test_text_stays_text_and_truth_values_are_toml():
    assert tw.load(DAY, set={"weather.climate": "phoenix_az", "run.spread": False}).duration_s == 86400
    with pytest.raises(tw.InputError, match="run.seed"):
        tw.load(DAY, set={"run.seed": "7"})
    with pytest.raises(TypeError, match="run.seed"):
        tw.load(DAY, set={"run.seed": object()})


def test_what_a_scenario_says_about_itself():
    scenario = tiny(30)
    assert scenario.n_gpu == 512
    assert scenario.start == datetime.datetime(2024, 7, 20)
    assert scenario.halls == [{"name": "a", "n_gpu": 512, "plant": "outside_air", "lowest_cap_W": 200.0, "cap_W": 700.0, "clock_lock_Hz": 1.98e9}]
    assert scenario.jobs == [{"name": "main", "n_gpu": 512, "model": "llama3_405b"}]
    assert "512 GPUs" in repr(scenario) and "0.5 h" in repr(scenario)
    assert "<table>" in scenario._repr_html_() and "[[job]]" in scenario._repr_html_()
    assert 'server = "grand_teton_h100"' in scenario.text


def test_the_cap_of_a_hall_is_the_limit_in_force():
    """A module's limit leaves each GPU less than its board: 2,500 W less a CPU of 300 W, over two GPUs."""
    scenario = tw.load("gb200_nvl72_row", set={"hall.a.module_limit_W": 2500, "run.duration_h": 0.1})
    assert scenario.halls[0]["cap_W"] == tw.Engine(scenario).read("hall.a.cap_W") == 1100.0


def test_assumed_inputs_come_with_their_ranges():
    assumed = tiny().assumed
    assert list(assumed.columns) == ["key", "value", "low", "high", "source", "words"]
    assert (assumed.words == "").all()
    assert len(assumed) > 10
    assert (assumed.low <= assumed.high).all()
    key, value = assumed.key[0], assumed.value[0]
    assert np.isfinite(value) and "." in key


def test_assumed_words_come_as_words():
    tables = {"hall": [{"n_gpu": 64, "gpu": "h100_sxm_700W"}], "job": [{"model": "llama3_8b", "plan": {"tp": 8, "pp": 2}}]}
    assumed = tw.load(tables).assumed.set_index("key")
    row = assumed.loc["job.main.plan.recompute"]
    assert row.value == "none" and row.words == "none, selective or full"
    assert np.isnan(row.low) and np.isnan(row.high)
    assert assumed.loc["job.main.plan.sharding"].words == "none, zero1 or fsdp"


def test_all_findings_come_at_once_with_their_keys():
    with pytest.raises(tw.InputError) as caught:
        tw.load(DAY, set={"run.duration_hours": 1, "hall.a.n_gpu": -4})
    error = caught.value
    assert isinstance(error, ValueError) and isinstance(error, tw.Error)
    found = {key: message for _, key, message in error.findings}
    assert {"run.duration_hours", "hall.a.n_gpu"} <= set(found)
    assert "duration_h" in found["run.duration_hours"]
    assert all(f.message in str(error) for f in error.findings)


def test_findings_say_where_in_the_file(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(DAY.read_text().replace("seed = 1", "seeed = 1"))
    with pytest.raises(tw.InputError) as caught:
        tw.load(path)
    line = 1 + path.read_text().splitlines().index("seeed = 1")
    assert any(f"bad.toml:{line}" in f.place for f in caught.value.findings)


@pytest.mark.parametrize("options", [{"path": ROOT / "no_such.toml"}, {"path": DAY, "weather": "no_such.epw"}])
def test_a_missing_file_is_bad_input_before_anything_runs(options):
    with pytest.raises(tw.InputError, match="no_such") as caught:
        tw.Engine(tw.load(**options))
    assert caught.value.findings


def test_too_large_is_refused():
    with pytest.raises((tw.RefusedError, tw.InputError), match="n_gpu"):
        tw.load(DAY, set={"hall.a.n_gpu": 10**9, "job.main.plan.n_gpu": 10**9})


def test_drawing_needs_neither_the_extension_nor_xarray():
    code = (
        "import sys, tidewatt, tidewatt.report\n"
        "heavy = {'tidewatt._core', 'xarray', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "assert 'load' in dir(tidewatt)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_public_name_is_listed():
    """What can be imported is in __all__ and in dir, and what type checkers see is the same."""
    source = pathlib.Path(tw.__file__).read_text()
    typed = source.split("if TYPE_CHECKING:")[1].split("\n_READERS")[0]
    seen = {name for line in ast.parse("if True:" + typed).body[0].body for name in (alias.name for alias in line.names)}
    public = (set(tw._HOME) | {"report"}) - {"__version__"}
    assert public == set(tw.__all__) and public <= set(dir(tw))
    assert seen == public | {"__version__"}
    assert {"interval", "conditioned", "Conditioned"} <= public and len(tw.__all__) == len(public)


def test_a_result_or_a_newer_file_in_place_of_a_scenario(tmp_path):
    (tmp_path / "day.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(64))
    with pytest.raises(tw.InputError, match="day.h5: is a result"):
        tw.load(tmp_path / "day.h5")
    (tmp_path / "newer.toml").write_text("schema = 9\nbase = 'llama3_405b_day'\nno_such_key = 1\n")
    with pytest.raises(tw.InputError, match="1 finding .*\n.*newer.toml:1:.*schema: 9: written by a newer tidewatt"):
        tw.load(tmp_path / "newer.toml")


def test_every_public_name_is_there_and_described():
    for name in tw.__all__:
        assert getattr(tw, name).__doc__, name
    with pytest.raises(AttributeError, match="no_such"):
        tw.no_such
