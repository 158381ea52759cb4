"""A profile as the job of a scenario: the engine's iteration is the profile's step, at other clocks, under caps and on other numbers of GPUs."""
import pytest
from test_profile_run import profile

import tidewatt as tw
from tidewatt.importers import profile_job

N = 64


def run(settings, folder, n=N, **more):
    """Summary of three minutes of the job on `n` GPUs."""
    size = {"hall.a.n_gpu": n, "job.main.plan.n_gpu": n, "job.main.plan.global_batch_sequences": 64 * n}
    short = {"run.duration_h": 0.05, "record.window.sample.start_s": 150, "record.window.sample.duration_s": 1}
    return tw.run(tw.load("llama3_405b_day", set={**settings, **size, **short, **more}, catalog=folder)).summary


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_engines_iteration_is_the_profiles_step(tmp_path):
    two = profile(world=N)
    settings = two.as_job(tmp_path, "h100_sxm_700W", recorded_clock_MHz=1410, clock_MHz=1410)
    own = run(settings, tmp_path)
    assert own["clock_slowest_MHz"] == pytest.approx(1410) and own["iteration_s"] == pytest.approx(two.step_s(), rel=0.01)
    # Rings of other ranks; a power limit lowers the clock, and only the kernels take longer.
    assert run(settings, tmp_path, 1024)["iteration_s"] == pytest.approx(two.step_s(n_rank=1024), rel=0.01)
    capped = run(settings, tmp_path, **{"hall.a.cap_W": 300})
    assert capped["clock_slowest_MHz"] < 1300 and capped["iteration_s"] > 1.03 * own["iteration_s"] and capped["it_mean_MW"] < 0.9 * own["it_mean_MW"]
    assert capped["iteration_s"] == pytest.approx(two.step_s(clock_ratio=capped["clock_slowest_MHz"] / 1410), rel=0.02)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_another_clock_and_wrong_ones(tmp_path):
    two = profile(world=N)
    slow = run(two.as_job(tmp_path, "h100_sxm_700W", recorded_clock_MHz=1410, clock_MHz=900), tmp_path)
    assert slow["iteration_s"] == pytest.approx(two.step_s(clock_ratio=900 / 1410), rel=0.01)
    with pytest.raises(tw.InputError, match="clock_MHz: 2500 is outside 210 to 1980"):
        two.as_job(tmp_path, "h100_sxm_700W", clock_MHz=2500)
    with pytest.raises(tw.InputError, match="no kernel is on the path"):
        profile(compute_s=two.compute_s * 0, overlap_s=two.overlap_s * 0).as_job(tmp_path, "h100_sxm_700W")


def test_parts_add_up_to_the_step():
    two = profile()
    C, T, H, busy = profile_job.parts(two)
    assert C + T + H == pytest.approx(two.step_s()) and T == pytest.approx(0.008) and C == pytest.approx(0.031) and 0.8 < busy < 1
    alone = profile(together=False)  # its communication holds waiting: no ring changes it
    assert profile_job.parts(alone)[1] == 0
