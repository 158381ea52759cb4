#!/usr/bin/python3
"""`run --explain`: causes and levers over drawn fleets, as JSON, and what it refuses."""
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "acceptance"))
import product  # noqa: E402

TINY = ROOT / "tests" / "scenarios" / "tiny.toml"
BINARY = product.find_binary()


class Explain(unittest.TestCase):
    SETS = {"run.start": "2024-07-20T09:00:00", "run.duration_h": 3, "run.macro_step_s": 300, "hall.a.plant": "prescribed_llama3_day"}

    def test_swing_as_json_and_text(self):
        with tempfile.TemporaryDirectory() as out:
            swing = product.run(BINARY, TINY, out, self.SETS, ["--explain", "swing", "--fleets", "3"]).json["explain"]["swing"]
        self.assertLessEqual({"leakage", "thermal limiter", "spread", "gating", "fans", "coolant", "staircase", "own clocks", "fast limit", "gated share", "spread's tail", "air density"}, {c["name"] for c in swing["causes"]})
        self.assertEqual(len(swing["hottest"]), 5)
        self.assertEqual(swing["n_fleet"], 3)
        for cause in swing["causes"]:
            self.assertAlmostEqual(cause["adds_points"], swing["swing_over_fleets_percent"] - cause["without_percent"], places=9)
            self.assertGreaterEqual(cause["adds_points_se"], 0)

    def test_one_fleet_has_no_standard_errors(self):
        with tempfile.TemporaryDirectory() as out:
            power = product.run(BINARY, TINY, out, self.SETS, ["--explain", "power", "--fleets", "1"]).json["explain"]["power"]
        for cause in power["causes"]:
            self.assertEqual(cause["adds_MW"], power["pcc_mean_MW"] - cause["without_MW"])
            self.assertNotIn("adds_MW_se", cause)

    def test_a_number_of_fleets_needs_something_to_explain(self):
        with tempfile.TemporaryDirectory() as out:
            for more in (["--fleets", "3"], ["--explain", "swing", "--fleets", "0"], ["--explain", "swing", "--fleets", "65"]):
                self.assertEqual(product.run(BINARY, TINY, out, self.SETS, more).code, 2, more)

    def test_only_what_can_be_explained(self):
        with tempfile.TemporaryDirectory() as out:
            self.assertEqual(product.run(BINARY, TINY, out, {}, ["--explain", "swing"]).code, 2)
            self.assertEqual(product.run(BINARY, TINY, out, {}, ["--explain", "weather"]).code, 2)


if __name__ == "__main__":
    unittest.main()
