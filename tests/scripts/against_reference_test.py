"""The page that compares runs with their reference names each figure that misses its aim, with its cause, and no other."""
import unittest
from types import SimpleNamespace

from script import load

AGAINST = load("against_reference").reference_runs


def answers(**changed):
    return {AGAINST.TOKENS: 100.0, AGAINST.STEP: 10.0, AGAINST.RISE: 20.0, AGAINST.FALL: -30.0} | changed


def run_of(fast, slow):
    """Answers the usual runs with one, those with --reference with the other."""
    return lambda cases: [SimpleNamespace(json=slow if "--reference" in more else fast) for _, _, more in cases]


class AgainstReference(unittest.TestCase):
    def test_equal_runs_miss_nothing(self):
        all_of = AGAINST.differences(["islanding", "power_brake"], run_of(answers(), answers()))
        self.assertEqual({key: set(of.values()) for key, of in all_of.items()}, {"islanding": {0.0}, "power_brake": {0.0}})
        self.assertIn("0 of 6 steps and ramps", AGAINST.page(all_of))
        self.assertNotIn("Why figures miss", AGAINST.page(all_of))

    def test_signs_are_those_of_the_run_over_its_reference(self):
        of = AGAINST.differences(["islanding"], run_of(answers(**{AGAINST.STEP: 10.1, AGAINST.FALL: -29.7}), answers()))["islanding"]
        self.assertAlmostEqual(of[AGAINST.STEP], 1.0)
        self.assertAlmostEqual(of[AGAINST.FALL], -1.0)

    def test_a_miss_has_its_cause_or_none(self):
        all_of = AGAINST.differences(["islanding"], run_of(answers(**{AGAINST.STEP: 10.1, AGAINST.RISE: 20.3}), answers()))
        self.assertEqual(AGAINST.misses("islanding", all_of["islanding"]), {AGAINST.STEP: "sensors", AGAINST.RISE: None})
        page = AGAINST.page(all_of)
        self.assertIn("2 of 3 steps and ramps", page)
        self.assertIn("**+1.00** | **+1.50** | +0.00", page)
        self.assertIn("not known, sensors", page)
        self.assertIn(AGAINST.CAUSES["sensors"], page)
        self.assertNotIn(AGAINST.CAUSES["phase"], page)

    def test_no_number_is_a_miss(self):
        self.assertIn(AGAINST.TOKENS, AGAINST.misses("islanding", {AGAINST.TOKENS: float("nan")}))

    def test_every_scenario_is_shipped_and_every_cause_is_told(self):
        for name in AGAINST.SCENARIOS:
            self.assertTrue((AGAINST.product.ROOT / "scenarios" / f"{name}.toml").is_file(), name)
        self.assertEqual({name for name, _ in AGAINST.MISSES} - set(AGAINST.SCENARIOS), set())
        self.assertEqual(set(AGAINST.MISSES.values()), set(AGAINST.CAUSES))


if __name__ == "__main__":
    unittest.main()
