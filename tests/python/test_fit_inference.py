"""Power of an inference service against its batch: known processes come back, and records predict one another."""
import numpy as np
import pandas as pd
import pytest
from import_case import shared

import tidewatt as tw
from tidewatt import importers
from tidewatt._fit_inference import sample_autocorrelation


def process(mean_W, n=20000, a=(0.9, -0.3), sd_W=50.0, seed=0):
    """An autoregression of second order as a table of read_power, 0.1 s."""
    rng = np.random.default_rng(seed)
    x = np.zeros(n)
    for k in range(2, n):
        x[k] = a[0] * x[k - 1] + a[1] * x[k - 2] + rng.standard_normal()
    x *= sd_W / x.std()
    return pd.DataFrame({"time_s": 0.1 * np.arange(n), "power_W": mean_W + x - x.mean()})


def test_a_known_process_comes_back():
    fit = tw.fit_inference_power({8: process(500.0), 64: process(700.0, seed=1)})
    assert fit.mean_W == pytest.approx([500, 700], abs=2) and fit.sd_W == pytest.approx([50, 50], rel=0.03)
    assert fit.ar[0] == pytest.approx([0.9, -0.3] + [0] * 6, abs=0.04)
    assert fit.mean_at(8 * np.sqrt(8)) == pytest.approx(600, abs=3) and fit.mean_at(4) == fit.mean_W[0]
    true = [1.0, 0.9 / 1.3]
    while len(true) < 20:
        true.append(0.9 * true[-1] - 0.3 * true[-2])
    assert fit.autocorrelation(8, 20) == pytest.approx(np.array(true), abs=0.05)
    drawn = fit.draw(64, 2000.0, seed=3)
    assert drawn.mean() == pytest.approx(700, abs=5) and drawn.std() == pytest.approx(50, rel=0.05)
    assert sample_autocorrelation(drawn, 3) == pytest.approx(np.array(true[:3]), abs=0.05)


def test_the_interval_of_a_mean_counts_independent_samples():
    """95 % of the intervals hold the truth although neighbours are correlated; taking samples as independent would hold far fewer."""
    inside = naive = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        x = np.zeros(800)
        for k in range(1, 800):
            x[k] = 0.9 * x[k - 1] + rng.standard_normal()
        table = pd.DataFrame({"time_s": 0.1 * np.arange(600), "power_W": 500.0 + x[200:]})
        fit = tw.fit_inference_power({8: table}, ends_s=0.0)
        inside += fit.low_W[0] <= 500.0 <= fit.high_W[0]
        naive += abs(fit.mean_W[0] - 500.0) < 1.96 * fit.sd_W[0] / np.sqrt(600)
    assert 0.85 <= inside / 200 <= 0.99 and naive / 200 < 0.6


def test_what_cannot_be_fitted_is_refused():
    with pytest.raises(importers.InputError, match="tells no batch"):
        tw.fit_inference_power(["power.csv"])
    with pytest.raises(importers.InputError, match="160 are needed"):
        tw.fit_inference_power({8: process(500.0, n=100)})
    uneven = process(500.0)
    uneven.loc[50:, "time_s"] += 3.0
    with pytest.raises(importers.InputError, match="not evenly spaced"):
        tw.fit_inference_power({8: uneven})


def test_records_of_70B_predict_one_another():
    files = sorted(shared("inference_power_h100").glob("Llama-3.1-70B*.csv"))
    fit = tw.fit_inference_power(files)
    assert list(fit.batch) == [8, 32, 64, 128, 256, 512, 1024, 1536]
    for batch, mean in zip(fit.batch, fit.mean_W):
        assert fit.without(batch).mean_at(batch) == pytest.approx(mean, rel=0.10), batch
    for path in files:
        batch = int(path.stem.rsplit("_", 1)[1])
        recorded = sample_autocorrelation(tw.read_power(path)["power_total_W"].to_numpy()[20:-20], 21)  # to 2 s
        left = recorded - fit.autocorrelation(batch, 21)
        assert 1 - (left**2).sum() / ((recorded - recorded.mean()) ** 2).sum() >= 0.9, batch
