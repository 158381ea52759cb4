"""Bayesian calibration: truths come back with their intervals, a second log updates, entries and forecasts carry the draws."""
import json
import os
import subprocess

import numpy as np
import pandas as pd
import pytest
import tidewatt as tw
from tiny_case import tiny

pytest.importorskip("emcee", reason="calibration needs the Python package emcee")
CLI = os.environ["TIDEWATT_CLI"]
TRUTH = {"fast_K_per_W": 0.020, "fast_s": 1.2, "slow_K_per_W": 0.030, "slow_s": 30.0}


def log(seed, n_s=600, scale=1.0):
    """A GPU of two poles under loads of random level and length, 27 °C and 150 W before; 1 s means, whole kelvins, noise and drift."""
    random, step_s = np.random.default_rng(seed), 0.1
    n, power = int(n_s / step_s), []
    while len(power) < n:
        power += [80 + 620 * random.random()] * int(20 * 30 ** random.random())
    power = np.array(power[:n])
    fast, slow = (scale * TRUTH[f"{pole}_K_per_W"] for pole in ("fast", "slow"))
    kept = [np.exp(-step_s / tau) for tau in (TRUTH["fast_s"], TRUTH["slow_s"], 120.0)]
    x, die_degC = np.array([fast * 150, slow * 150, 0.4 * random.standard_normal()]), np.empty(n)
    for i, P in enumerate(power):
        x[:2] = (fast * P, slow * P) + (x[:2] - (fast * P, slow * P)) * kept[:2]
        x[2] = kept[2] * x[2] + 0.4 * np.sqrt(1 - kept[2] ** 2) * random.standard_normal()
        die_degC[i] = 27 + x.sum()
    at = np.arange(9, n, 10)
    mean_W = power.reshape(-1, 10).mean(axis=1)
    return pd.DataFrame({"time_s": (at + 1) * step_s, "gpu": "0", "power_W": mean_W, "temperature_degC": np.round(die_degC[at] + 0.2 * random.standard_normal(len(at)))})


@pytest.fixture(scope="module")
def first():
    return tw.calibrate(log(1), name="mine", draws=1000)


def test_the_posterior_holds_the_truth_and_agrees_with_the_fit(first):
    frame = first.frame.set_index("key")
    assert first.undetermined == ["leakage_W", "leakage_frac_per_K"]  # the log has no clocks
    assert any("clocks" in f for f in first.findings)
    assert frame["low"]["leakage_W"] == pytest.approx(34, rel=0.1) and frame["high"]["leakage_W"] == pytest.approx(62, rel=0.1)
    fit = tw.fit_gpu(log(1), name="mine").frame.set_index("key")
    for key, true in TRUTH.items():
        half = frame["high"][key] - frame["low"][key]
        assert abs(frame["value"][key] - true) < half, key  # twice the 95 % half width: 1 in 10,000
        assert frame["value"][key] == pytest.approx(fit["value"][key], abs=0.15 * half)
        assert half == pytest.approx(fit["high"][key] - fit["low"][key], rel=0.2)
    assert 1000 < first.sampling["effective_draws"] and "effective draws" in str(first)


def test_an_update_equals_the_fit_of_both_logs(first):
    """Within Monte Carlo error: four standard errors of means, and of spreads."""
    both = tw.calibrate(log(1), log(2), name="mine", draws=1000, seed=2)
    update = tw.calibrate(log(2), name="mine", update=first, draws=1000, seed=3)
    one, two, before = (np.array(c._record["z"]) for c in (both, update, first))
    n_eff = min(1000, both.sampling["effective_draws"], update.sampling["effective_draws"])
    assert np.abs((one.mean(0) - two.mean(0)) / one.std(0)).max() < 4 * np.sqrt(2 / n_eff)
    assert np.abs(np.log(two.std(0) / one.std(0))).max() < 4 * np.sqrt(1 / n_eff)
    assert (one.std(0)[:4] < 0.85 * before.std(0)[:4]).all()  # the second log did tell something
    assert len(update.logs) == 2 and update.sampling["earlier_density_rms"] < 0.01
    with pytest.raises(tw.InputError, match="fan_frac"):
        tw.calibrate(log(2), name="mine", update=first, fan_frac=0.5)


def test_a_log_of_another_gpu_contradicts(first):
    other = tw.calibrate(log(3, scale=1.3), name="mine", update=first, draws=300)
    assert any("contradict" in f for f in other.findings)


def test_saved_draws_and_entries_come_back(first, tmp_path):
    path = first.save(tmp_path)
    again = tw.Calibration.load(path)
    assert again.draws.equals(first.draws) and str(again) == str(first)
    entry = tw.Catalog(tmp_path).text("gpu/mine")
    assert entry == first.entry and "posterior of 588 samples of table.csv" in entry
    assert "leakage_W = 46.5" in entry  # not identified: the base's stays
    values = first.catalog_values(100)
    # The package's resistances are those of the poles.
    total = values["package.die_base_K_per_W"] + values["package.base_sink_K_per_W"] + values["package.sink_air_K_per_W"]
    assert total.mean() == pytest.approx((first.draws["fast_K_per_W"] + first.draws["slow_K_per_W"]).mean(), rel=0.01)
    (tmp_path / "broken.calibration.json").write_text("{}")
    with pytest.raises(tw.InputError, match="not a calibration"):
        tw.Calibration.load(tmp_path / "broken.calibration.json")


def test_a_forecast_carries_the_draws(first):
    outputs = ["die_max_degC", "pcc_mean_MW"]
    forecast = first.forecast(tiny(), n=6, outputs=outputs, set={"run.duration_h": 0.01}, workers=1)
    frame = forecast.frame.set_index("figure")
    assert forecast.n_failed == 0 and list(frame.index) == outputs
    # Hotter where the package resists more.
    resistance = forecast.table[[c for c in forecast.table if c.endswith("K_per_W")]].sum(axis=1)
    assert np.corrcoef(resistance, forecast.table["die_max_degC"])[0, 1] > 0.8
    assert frame["low"]["die_max_degC"] < frame["median"]["die_max_degC"] < frame["high"]["die_max_degC"]
    wide = first.forecast(tiny(), n=6, others=True, outputs=outputs, set={"run.duration_h": 0.01}, workers=1)
    assert wide.frame["spread"][1] > 3 * forecast.frame["spread"][1]  # watts depend on what the log does not tell
    assert "90 % band" in str(wide)


def test_the_command(tmp_path):
    log(1).to_csv(tmp_path / "log.csv", index=False)
    arguments = [CLI, "calibrate", str(tmp_path / "log.csv"), "--name", "mine", "--out", str(tmp_path), "--draws", "200", "--json"]
    done = subprocess.run(arguments, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [v["identified"] for v in told["values"]] == [True] * 4 + [False] * 2 and os.path.exists(told["file"])
    # Without the sampler: one line that says what to install.
    (tmp_path / "emcee.py").write_text("raise ImportError('none')\n")
    none = subprocess.run(arguments, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ['PYTHONPATH']}"})
    assert none.returncode == 2 and none.stderr.count("\n") == 1 and "python3-emcee" in none.stderr
    two = pd.concat([log(1, 60), log(2, 60).assign(gpu="1")])
    two.to_csv(tmp_path / "two.csv", index=False)
    both = subprocess.run([*arguments[:2], str(tmp_path / "two.csv"), *arguments[3:]], capture_output=True, text=True)
    assert both.returncode == 2 and "choose one of '0', '1'" in both.stderr
