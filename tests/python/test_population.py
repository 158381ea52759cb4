"""Populations of chips: type and scatter come back with their intervals, and forecasts carry both."""
import numpy as np
import pandas as pd
import pytest
import tidewatt as tw
from test_calibration import TRUTH, log
from tiny_case import tiny
from tidewatt.calibration import population, sampling
from tidewatt.calibration.density import prior_value

emcee = pytest.importorskip("emcee", reason="calibration needs the Python package emcee")
PRIOR = [("fast_K_per_W", 0.007, 0.04, True), ("fast_s", 0.3, 2.5, True), ("slow_K_per_W", 0.009, 0.063, True), ("slow_s", 7.0, 68.0, True),
         ("leakage_W", 60.0, 140.0, True), ("leakage_frac_per_K", 0.008, 0.015, True)]  # fmt: skip
SPREAD = [("resistance_sigma_ratio", 0.03, 0.2, True), ("leakage_sigma_ratio", 0.1, 0.25, True)]


def chips(random, truth, n_chip, noise):
    """Posteriors of chips whose z scatter as the model says; each log tells z with the noise of its own, in prior's standard deviations."""
    moves = population.Chips(PRIOR, np.zeros((1, 6)), np.eye(6)[None] * 0.5, SPREAD)._moves
    sigma = [prior_value(p, truth[6 + k]) for k, p in enumerate(SPREAD)]
    means, covariances = [], []
    for _ in range(n_chip):
        z = truth[:6] + (np.array(sigma) * random.standard_normal(2)) @ moves
        measured = z + noise * random.standard_normal(6)
        precision = np.diag(1 / noise**2) + np.eye(6)
        covariances.append(np.linalg.inv(precision))
        means.append(covariances[-1] @ (measured / noise**2))
    return population.Chips(PRIOR, np.array(means), np.array(covariances), SPREAD)


def test_truths_drawn_from_the_prior_lie_in_their_intervals(monkeypatch):
    """24 populations of 12 chips, 8 parameters: 90 % intervals hold the truth in 90 %, within four standard deviations of a coin."""
    monkeypatch.setattr(sampling, "ENOUGH_TIMES", 15.0)  # 500 effective draws are enough for a quantile
    random, noise, inside, narrower = np.random.default_rng(5), np.array([0.1, 0.2, 0.1, 0.2, 0.3, 0.6]), np.zeros(8), []
    for _ in range(24):
        truth = random.standard_normal(8)
        drawn = population.sample(emcee, chips(random, truth, 12, noise), None, 400, 1, 60.0)
        low, high = np.quantile(drawn.z, [0.05, 0.95], axis=0)
        inside += (low <= truth) & (truth <= high)
        narrower.append(drawn.z.std(axis=0))
    assert abs(inside.sum() / 192 - 0.9) < 4 * np.sqrt(0.9 * 0.1 / 192), inside / 24
    assert (inside >= 24 * 0.9 - 4 * np.sqrt(24 * 0.09)).all(), inside / 24
    assert (np.mean(narrower, axis=0)[[0, 2, 6]] < 0.75).all()  # resistances and their scatter are told


def test_without_the_scatter_the_type_would_be_too_certain(monkeypatch):
    """The same chips as one chip with twelve logs: its interval shrinks below the scatter and misses the truth."""
    monkeypatch.setattr(sampling, "ENOUGH_TIMES", 15.0)
    random, truth, noise = np.random.default_rng(6), np.array([0, 0, 0, 0, 0, 0, 1.5, 0.0]), np.full(6, 0.05)
    many = chips(random, truth, 12, noise)
    with_scatter = population.sample(emcee, many, None, 400, 1, 60.0).z[:, 0].std()
    many._moves = many._moves * 0.0
    assert population.sample(emcee, many, None, 400, 1, 60.0).z[:, 0].std() < 0.5 * with_scatter


def test_logs_of_several_gpus_give_a_type_its_chips_and_a_forecast(tmp_path):
    scales = [0.9, 1.0, 1.12]
    table = pd.concat([log(20 + i, 300, scale).assign(gpu=f"n1:{i}") for i, scale in enumerate(scales)])
    told = tw.calibrate(table, name="type", population=True, draws=500)
    frame = told.frame.set_index("key")
    assert list(frame.index[-2:]) == list(population.SPREADS) and len(told.logs) == 3
    for key, true in TRUTH.items():
        assert frame["low"][key] < true * 1.08 and frame["high"][key] > true / 1.08, key
    ratio = told.chips.set_index("gpu")["resistance_ratio"]
    assert ratio["n1:0"] < ratio["n1:1"] < ratio["n1:2"] and 1.08 < ratio["n1:2"] / ratio["n1:0"] < 1.35
    assert "leakage_sigma_ratio" in told.undetermined and "chip n1:2" in str(told)
    values = told.catalog_values(50)
    assert values["spread.resistance_sigma_ratio"].between(0.02, 0.3).all()
    forecast = told.forecast(tiny(), n=3, outputs=["die_max_degC"], set={"run.duration_h": 0.01}, workers=1)
    assert forecast.n_failed == 0 and "hall.a.gpu.spread.resistance_sigma_ratio" in forecast.table
    again = tw.Calibration.load(told.save(tmp_path))
    assert str(again) == str(told) and "resistance_sigma_ratio = " in again.entry
    with pytest.raises(tw.InputError, match="GPU n1:0 is in the earlier"):
        tw.calibrate(table[table.gpu != "n1:2"], name="type", population=True, update=told)
    with pytest.raises(tw.InputError, match="needs 2"):
        tw.calibrate(table, name="type", population=True, gpu="n1:0")
