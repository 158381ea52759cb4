"""The controllers in examples/controllers beat their stated baselines, each in the same run. Two of them here with an eighth of their
GPUs and of their limit; `scripts/acceptance/ports` has them whole."""
import sys

import pytest
from tiny_case import ROOT

sys.path.insert(0, str(ROOT / "examples" / "controllers"))
import precool
import site_limit
import two_campuses

import tidewatt as tw

SHARE = 8
SMALL = {"hall.a.n_gpu": 16384 // SHARE, "job.main.plan.n_gpu": 16384 // SHARE, "job.main.plan.global_batch_sequences": 2048 // SHARE}

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def test_a_site_controller_holds_the_limit_with_more_tokens_than_the_best_fixed_cap():
    limit_W = site_limit.LIMIT_W / SHARE
    gain, fixed_W, moved_W = site_limit.main(tw.load(site_limit.DAY, set=SMALL), limit_W)
    assert fixed_W <= limit_W and moved_W <= limit_W
    assert gain >= 0.01


def test_pre_cooling_lowers_the_hottest_die_of_a_hot_hour_and_a_false_alarm_does_no_harm():
    cooler_K, harm_K, power_ratio = precool.main()
    assert cooler_K > 0.2  # 0.34 K; steps are accurate to 0.05 K
    assert harm_K <= 0.05  # the accuracy of steps
    assert power_ratio < 1.02  # what a false alarm costs


def test_two_campuses_share_a_limit_in_either_order(monkeypatch):
    monkeypatch.setattr(two_campuses, "LIMIT_W", two_campuses.LIMIT_W / SHARE)
    gain, fixed_W, shared_W, hashes, swapped = two_campuses.main(two_campuses.campus().with_set(SMALL))
    assert fixed_W <= two_campuses.LIMIT_W and shared_W <= two_campuses.LIMIT_W
    assert gain > 0.0
    assert hashes == swapped
