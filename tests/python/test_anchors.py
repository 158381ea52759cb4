"""Draws of a catalog GPU on its measured powers: they meet the anchors, hold what belongs together, and narrow a forecast."""
import numpy as np
import pytest
import tidewatt as tw
from tiny_case import tiny
from tidewatt import _core


@pytest.fixture(scope="module")
def draws():
    return tw.conditioned("h100_sxm_700W")


def test_the_draws_meet_every_anchor(draws):
    off = (draws.anchors["mean_W"] - draws.anchors["measured_W"]) / draws.anchors["sigma_W"]
    assert (off.abs() < 2).all() and draws.findings == []
    assert draws.effective_draws >= 200 and len(draws.draws) == 1000
    assert (draws.anchors["sd_W"] < 1.2 * draws.anchors["sigma_W"]).all()
    assert "effective" in str(draws) and "measured 698.0" in str(draws)
    assert draws.draws.equals(tw.conditioned("h100_sxm_700W").draws)  # the same seed


def test_without_the_anchors_the_values_do_not_hold_together(draws):
    """Switching power and the voltage that it belongs to, board and leakage: one anchor each holds their sum."""
    corr = draws.draws.corr()
    assert corr["power.dynamic_W"]["power.voltage_ref_V"] > 0.6 and corr["power.board_W"]["power.leakage_W"] < -0.4
    # The same ranges without anchors: a GEMM's watts scatter several times as far.
    random, columns = np.random.default_rng(1), list(draws.draws)
    free = np.column_stack([random.permutation(draws.draws[c]) for c in columns])
    gemm = [[1.567e9, 333.15, 1.0, 0.25, 1, 0]]
    together, apart = (np.std(_core.states_W("h100_sxm_700W", columns, x.tolist(), gemm)) for x in (draws.draws.to_numpy(), free))
    assert together < 0.6 * apart


def test_a_forecast_draws_them_all(draws):
    outputs = ["pcc_mean_MW", "die_max_degC"]
    forecast = draws.forecast(tiny(), n=6, outputs=outputs, set={"run.duration_h": 0.01}, workers=1)
    assert forecast.n_failed == 0 and set(forecast.frame["figure"]) == set(outputs)
    assert {c.split(".gpu.")[1] for c in forecast.table if ".gpu." in c} == set(draws.draws)
    assert (forecast.frame["spread"] > 0).all()


def test_a_gpu_without_anchors_is_refused():
    with pytest.raises(tw.InputError, match="there are anchors of h100_sxm_700W"):
        tw.conditioned("a100_sxm_400W")
    with pytest.raises(tw.InputError, match="40 to 5000"):
        tw.conditioned(draws=10)
