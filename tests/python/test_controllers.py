"""The controllers in examples/controllers beat their stated baselines, each in the same run."""
import sys

import pytest
from tiny_case import ROOT

sys.path.insert(0, str(ROOT / "examples" / "controllers"))
import precool  # noqa: E402
import site_limit  # noqa: E402
import two_campuses  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def test_a_site_controller_holds_the_limit_with_more_tokens_than_the_best_fixed_cap():
    gain, fixed_W, moved_W = site_limit.main()
    assert fixed_W <= site_limit.LIMIT_W and moved_W <= site_limit.LIMIT_W
    assert gain >= 0.01


def test_pre_cooling_lowers_the_hottest_die_of_a_hot_hour_and_a_false_alarm_does_no_harm():
    cooler_K, harm_K, power_ratio = precool.main()
    assert cooler_K > 0.2
    assert harm_K <= 0.05  # the accuracy of steps
    assert power_ratio < 1.02  # what a false alarm costs


def test_two_campuses_share_a_limit_in_either_order():
    gain, fixed_W, shared_W, hashes, swapped = two_campuses.main()
    assert fixed_W <= two_campuses.LIMIT_W and shared_W <= two_campuses.LIMIT_W
    assert gain > 0.0
    assert hashes == swapped
