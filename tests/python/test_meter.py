"""A waveform through a meter: closed forms of a square dip, intervals that hold the truth, beats, and what is not identified."""
import numpy as np
import pandas as pd
import pytest
import tidewatt as tw

T, WIDTH, DEPTH, PLATEAU = 6.37, 1.6, 3000.0, 6000.0


def square(span_s, step_s=0.001, period_s=T, depth_W=DEPTH):
    t = step_s * (1 + np.arange(int(span_s / step_s)))
    return pd.DataFrame({"time_s": t, "power_W": PLATEAU - depth_W * ((t - 0.5 * step_s) % period_s < WIDTH)})


def log(window_s, sample_s, noise_W, seed, span_s=900.0, **more):
    table = tw.through_meter(square(span_s, 0.01, **more), window_s=window_s, sample_s=sample_s)
    return table.assign(power_W=table["power_W"] + noise_W * np.random.default_rng(seed).standard_normal(len(table)))


def line_W(k, window_s, period_s=T, depth_W=DEPTH):
    """Harmonic of a square dip behind a trailing mean: 2 D/(πk) |sin πk d/T| · |sinc(k w/T)|."""
    return 2 * depth_W / (np.pi * k) * abs(np.sin(np.pi * k * WIDTH / period_s)) * abs(np.sinc(k * window_s / period_s))


def test_a_meter_keeps_energy_and_shows_means():
    meter = tw.through_meter(square(T * 20), window_s=1.0, sample_s=0.01)
    assert meter["power_W"].min() == pytest.approx(PLATEAU - DEPTH) and meter["power_W"].max() == pytest.approx(PLATEAU)
    assert meter["power_W"].iloc[: int(10 * T / 0.01)].mean() == pytest.approx(PLATEAU - DEPTH * WIDTH / T, rel=1e-3)
    wide = tw.through_meter(square(T * 20), window_s=3.2, sample_s=0.01)
    assert wide["power_W"].min() == pytest.approx(PLATEAU - DEPTH * WIDTH / 3.2, rel=1e-6)
    instant = tw.through_meter(square(20.0), window_s=0.0, sample_s=0.5)
    assert set(instant["power_W"]) == {PLATEAU, PLATEAU - DEPTH}
    stamped = square(20.0).set_index(pd.to_datetime(1_700_000_000_000 + 1000 * square(20.0)["time_s"], unit="ms"))[["power_W"]]
    assert np.allclose(tw.through_meter(stamped, window_s=0.0, sample_s=0.5)["power_W"], instant["power_W"])
    with pytest.raises(tw.InputError, match="needs time_s"):
        tw.through_meter(square(20.0)[["power_W"]], window_s=1.0, sample_s=1.0)
    with pytest.raises(tw.InputError, match="lasts"):
        tw.through_meter(square(2.0), window_s=5.0, sample_s=1.0)


def test_figures_of_a_square_dip_are_the_closed_forms():
    done = tw.compare_waveforms(square(60.0), log(1.0, 0.5, 20.0, 1), window_s=1.0)
    frame = done.frame.set_index("figure")
    assert done["iteration_s"] == pytest.approx(T, rel=2e-3) and done["model_iteration_s"] == pytest.approx(T, rel=2e-3)
    assert frame["model"]["dip_energy_J"] == pytest.approx(DEPTH * WIDTH, rel=0.05)  # a meter keeps a dip's energy
    assert frame["log"]["mean_W"] == pytest.approx(PLATEAU - DEPTH * WIDTH / T, rel=0.01)
    assert frame["log"]["trough_W"] == pytest.approx(PLATEAU - DEPTH, abs=200)
    for k in (1, 2, 3):
        assert frame["log"][f"line_{k}_W"] == pytest.approx(line_W(k, 1.0), rel=0.03, abs=10), k
        assert frame["model"][f"line_{k}_W"] == pytest.approx(line_W(k, 1.0), rel=0.03, abs=10), k
    assert frame["agrees"].sum() >= len(frame) - 2 and "95 % of the log" in str(done)


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    inside = []
    for seed in range(20):
        frame = tw.compare_waveforms(square(30.0), log(1.0, 1.0, 300.0, seed, span_s=1500.0), window_s=1.0, iteration_s=T, model_iteration_s=T, seed=seed).frame.set_index("figure")
        for figure, true in [("mean_W", PLATEAU - DEPTH * WIDTH / T), ("line_1_W", line_W(1, 1.0)), ("line_2_W", line_W(2, 1.0))]:
            inside.append(frame["log_low"][figure] <= true <= frame["log_high"][figure])
    assert 0.85 <= np.mean(inside) <= 0.99  # 95 %; blocks are few, so the bootstrap is a little narrow


def test_lines_beyond_half_the_sampling_rate_are_found_by_their_phases():
    """Readings every 2 s of an iteration of 2.7 s: the second line lies at 0.74 Hz, beyond 0.25 Hz."""
    record = log(0.2, 2.0, 30.0, 2, span_s=3000.0, period_s=2.7)
    done = tw.compare_waveforms(square(30.0, period_s=2.7), record, window_s=0.2, iteration_s=2.7)
    frame = done.frame.set_index("figure")
    for k in (1, 2):
        assert frame["log"][f"line_{k}_W"] == pytest.approx(line_W(k, 0.2, 2.7), rel=0.05)
    assert any("meet all phases" in f for f in done.findings)
    few = tw.compare_waveforms(square(30.0), log(1.0, 0.5, 20.0, 1, period_s=6.5), window_s=1.0, iteration_s=6.5, model_iteration_s=T)
    assert any("at 13 phases only" in f for f in few.findings)


def test_a_deeper_dip_differs_and_none_is_not_identified():
    deeper = tw.compare_waveforms(square(60.0, depth_W=1.2 * DEPTH), log(1.0, 0.5, 50.0, 3), window_s=1.0).frame.set_index("figure")
    assert not deeper["agrees"]["line_1_W"] and not deeper["agrees"]["dip_energy_J"]
    assert deeper["difference"]["line_1_W"] == pytest.approx(0.2 * line_W(1, 1.0), rel=0.1)
    flat = tw.compare_waveforms(square(60.0), log(1.0, 0.5, 400.0, 4, depth_W=0.0), window_s=1.0, iteration_s=T)
    assert any("not identified" in f for f in flat.findings) and flat.frame.set_index("figure")["log"].isna()["dip_energy_J"]
    with pytest.raises(tw.InputError, match="give iteration_s"):
        tw.compare_waveforms(square(60.0), log(1.0, 0.5, 400.0, 4, depth_W=0.0), window_s=1.0)
    with pytest.raises(tw.InputError, match="three are needed"):
        tw.compare_waveforms(square(60.0), log(1.0, 0.5, 1.0, 5, span_s=30.0), window_s=1.0)


def test_a_site_is_not_compared_with_a_node():
    """Eight nodes and their mean have one shape: only the level says that they are not the same servers."""
    record = log(1.0, 0.5, 20.0, 1)
    site = square(60.0).assign(power_W=lambda t: 8 * t["power_W"]).rename(columns={"power_W": "pcc_W"})
    with pytest.raises(tw.InputError, match=r"the model \('pcc_W', mean 4[12]\.\d+ kW\) is 7\.9\d* times|the model \('pcc_W', mean \S+ kW\) is 8\.?\d* times") as refused:
        tw.compare_waveforms(site, record, window_s=1.0)
    assert "a node" in str(refused.value)
    with pytest.raises(tw.InputError, match="the log .* times the model"):
        tw.compare_waveforms(square(60.0), record.assign(power_W=16 * record["power_W"]), window_s=1.0)
    with pytest.raises(tw.InputError, match="is not the model|is not the log"):
        tw.compare_waveforms(square(60.0).assign(power_W=0.0), record, window_s=1.0)
    # A model of the same servers may be far off, and is compared.
    assert len(tw.compare_waveforms(square(60.0).assign(power_W=lambda t: 1.3 * t["power_W"]), record, window_s=1.0).frame)
