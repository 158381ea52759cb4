"""scripts/scorecard on a log and a page of a few lines."""
import unittest

from script import load

scorecard = load("scorecard")

LOG = """1/3 Testing: durability.kill
1/3 Test: durability.kill
scorecard 11: 200 kills: 0 lost
scorecard 11: 200 kills of runs: 0 lost
Test Passed.
2/3 Testing: verification.report_interval
row  6  peaks against report interval, relative                            0  (goal 1e-12)
Test Passed.
3/3 Testing: cli.periodic
scorecard 9: hottest die -0.2 K
Test Failed.
"""
PAGE = f"before\n{scorecard.BEGIN}\nold\n{scorecard.END}\nafter\n"


class Scorecard(unittest.TestCase):
    def test_figures_of_a_log(self):
        self.assertEqual(scorecard.collected(LOG), {
            "11": {"durability.kill": "200 kills: 0 lost; 200 kills of runs: 0 lost"},
            "6": {"verification.report_interval": "peaks against report interval, relative 0"},
            "9": {"cli.periodic": "hottest die -0.2 K; **fails**"}})

    def test_page_and_figures_must_agree(self):
        figures = scorecard.collected(LOG)
        self.assertEqual(len(scorecard.findings(PAGE, figures)), 1)
        page = scorecard.with_table(PAGE, figures)
        self.assertEqual(scorecard.findings(page, figures), [])
        self.assertIn("| 11 | ", page)
        self.assertIn("**fails** (`cli.periodic`)", page)
        self.assertTrue(page.startswith("before") and page.endswith("after\n"))
        figures["11"] = {"durability.kill": "200 kills: 1 lost"}
        self.assertEqual(len(scorecard.findings(page, figures)), 1)
        self.assertEqual(len(scorecard.findings(page, {**scorecard.collected(LOG), "77": {}})), 1)


if __name__ == "__main__":
    unittest.main()
