"""The report names the blind rows behind each headline, or says that there is none."""
import math
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import synthetic_result
from tidewatt import _core
from tidewatt.report import evidence
from tidewatt.report.read import Missing, ResultFile


@pytest.fixture
def result(tmp_path):
    path = tmp_path / "synthetic.h5"
    synthetic_result.write(path)
    with ResultFile(path) as file:
        yield file


def test_rows_of_the_run_s_devices_come_with_their_first_error():
    (tokens,) = [b for b in _core.backing('gpu = "h100_sxm_700W"', ["hall.a.gpu.power.board_W", "hall.a.plant.fan_lag_s"]) if b["headline"] == "tokens_per_s_mean"]
    assert {r["device"] for r in tokens["rows"]} == {"h100"} and tokens["n_other_device"] > 0
    assert tokens["assumed"] == ["hall.a.gpu.power.board_W"]
    (row,) = [r for r in tokens["rows"] if r["row"] == "R6/8b-tp8"]
    assert row["source"] == "torchtitan" and row["first_error"] == pytest.approx(-0.276, abs=1e-3)


def test_the_largest_errors_come_first_and_none_is_an_answer():
    rows = [{"row": f"R{i}", "first_error": 0.01 * i, "unit": ""} for i in range(10)]
    assert evidence.rows_text({"rows": rows, "fitted": [], "n_other_device": 3}).startswith("R9 +9.0 %, R8 +8.0 %")
    assert evidence.rows_text({"rows": rows, "fitted": [], "n_other_device": 3}).endswith("2 more; 3 blind rows on other devices")
    assert evidence.rows_text({"rows": [], "fitted": [], "n_other_device": 0}) == "no row backs this on these devices"
    since = {"rows": [], "fitted": [{"row": "E7/x", "first_error": -0.09, "unit": ""}], "n_other_device": 0}
    assert evidence.rows_text(since) == "no row backs this on these devices; fitted since, first error: E7/x −9.0 %"
    assert evidence.error({"first_error": -1.5, "unit": "degC"}) == "−1.5 degC"


def test_a_section_has_a_line_per_headline_of_the_run(result):
    title, _, inner = evidence.section(result)
    n = len(evidence.backing(result))
    assert n > 0 and title.endswith(f"of {n} headlines")
    assert inner.count("<tr>") == n + 1


def test_a_run_without_those_headlines_says_so(result):
    result.summary.clear()
    with pytest.raises(Missing):
        evidence.section(result)


def test_inputs_that_move_no_headline_are_left_out_and_the_strongest_come_first():
    trust = {"key": ["weak", "strong", "unknown", "some"], "largest_effect_frac": np.array([1e-4, 0.2, math.nan, 1e-3])}
    assert [trust["key"][k] for k in evidence.that_count(trust)] == ["unknown", "strong", "some"]
    assert evidence.that_count({"key": ["a", "b"]}) == [0, 1]  # a result from before they were known
    assert [evidence.percent(x) for x in (1.0, 0.0012, math.nan)] == ["100 %", "0.12 %", "not known"]
