"""A profile's step on a catalog GPU: the recorded step, power limits, clocks, ranks, and as a load of a scenario."""
import dataclasses

import numpy as np
import pytest
from tiny_case import SETTINGS

import tidewatt as tw
from tidewatt.importers import profile_run
from tidewatt.importers.profile import Profile


def profile(**changes):
    """Two ranks, two collectives: 30 and 26 ms of kernels, 2 ms of the host, 8 ms of transfers."""
    two = Profile("two", 1, 2, ("all_reduce", "all_to_all"), np.array([[0.020, 0.010, 0.0], [0.016, 0.010, 0.0]]), np.array([[0.0, 0.001, 0.0]] * 2),
                  np.array([[0.002, 0.0, 0.0]] * 2), np.array([[0.005, 0.003, 0.0]] * 2), True, 0.7, 0.1)  # fmt: skip
    return dataclasses.replace(two, **changes)


def run(p=None, **settings):
    return (p or profile()).run("h100_sxm_700W", recorded_clock_MHz=1980, **settings)


def test_at_the_recorded_clock_a_step_lasts_as_recorded():
    one = run(clock_MHz=1980)
    assert one.step_s == pytest.approx(0.040) == profile().step_s() and not one.limited
    assert one.edge_s[0] == 0 and len(one.level_W) == len(one.edge_s) - 1 and one.low_W < 200 < one.mean_W < one.high_W
    # The rank that is early waits: 4 ms of one of two ranks at the power of waiting instead of computing.
    even = run(profile(compute_s=np.array([[0.020, 0.010, 0.0]] * 2)), clock_MHz=1980)
    assert even.step_s == pytest.approx(one.step_s) and even.mean_W > one.mean_W + 20


def test_only_kernels_scale_with_the_clock():
    half, full = run(clock_MHz=990), run(clock_MHz=1980)
    stretched = profile().step_s(clock_ratio=0.5)
    assert half.step_s == pytest.approx(stretched) and 0.060 < stretched < 0.075 and half.mean_W < 0.7 * full.mean_W
    host = profile(compute_s=np.zeros((2, 3)), overlap_s=np.zeros((2, 3)))
    assert run(host, clock_MHz=990).step_s == pytest.approx(run(host, clock_MHz=1980).step_s) == pytest.approx(0.010)


def test_a_power_limit_holds_the_clock_and_other_ranks_stretch_transfers():
    free, capped = run(), run(cap_W=400)
    assert capped.limited and 388 < capped.mean_W < 392 and capped.step_s > free.step_s  # 400 less 8 W of margin, for the highest second
    assert capped.step_s == pytest.approx(profile().step_s(clock_ratio=capped.clock_MHz / 1980))
    wide = run(clock_MHz=1980, n_rank=1024)
    assert wide.step_s - 0.040 == pytest.approx(0.008 * ((1023 / 1024) / 0.5 - 1)) and wide.mean_W < run(clock_MHz=1980).mean_W
    # A step longer than the governor's window is held by its hottest second, not by its mean.
    slow = profile(compute_s=profile().compute_s * 100, rest_s=profile().rest_s * 1000)
    assert run(slow, cap_W=400).mean_W < 380
    with pytest.raises(tw.InputError, match="still draws"):
        profile().run("b200_sxm_1000W", cap_W=100)  # its driver's lowest limit is not published
    with pytest.raises(tw.InputError, match="cap_W: 199 is outside 200 to 700"):
        run(cap_W=199)
    with pytest.raises(tw.InputError, match="clock_MHz: 3000 is outside 210 to 1980; cap_W: 900 is outside"):
        run(clock_MHz=3000, cap_W=900)
    assert "does not hold its clock" in profile().run("h100_sxm_700W").findings[0] and "above the" in run(clock_MHz=1980, cap_W=300).findings[0]


def test_the_largest_mean_over_a_window():
    edge, level = np.array([0.0, 1.0, 3.0]), np.array([100.0, 400.0])
    assert profile_run.highest_mean(edge, level, 1.0) == pytest.approx(400) and profile_run.highest_mean(edge, level, 3.0) == pytest.approx(300)
    assert profile_run.highest_mean(edge, level, 2.5) == pytest.approx((2 * 400 + 0.5 * 100) / 2.5)
    assert profile_run.highest_mean(edge, level, 300.0) == pytest.approx(300)


def test_a_scenario_takes_the_step_as_a_load(tmp_path):
    step = run(cap_W=400)
    step.frame(n_gpu=8).to_csv(tmp_path / "step.csv", index=False)
    (tmp_path / "site.toml").write_text('base = "llama3_405b_day"\n[[site.neighbour]]\nname = "profiled"\nkind = "replay"\nfile = "step.csv"\ntime_column = "time_ns"\n'
                                        'time_format = "ns"\nunit = "W"\ngap_s = 1\nn_copy = 512\nrepeat = true\n')  # fmt: skip
    with pytest.warns(UserWarning):
        result = tw.run(tw.load(tmp_path / "site.toml", set={**SETTINGS, "run.duration_h": 0.05}))
    assert result.summary["neighbours_mean_MW"] == pytest.approx(step.mean_W * 4096e-6, rel=1e-4)
