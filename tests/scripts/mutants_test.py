"""scripts/mutants on lists that are wrong in one way each."""
import pathlib
import tempfile
import unittest

from script import load

mutants = load("mutants")

GOOD = {"name": "sign", "file": "a.cpp", "before": "x + y", "after": "x - y", "why": "energy is lost", "tests": ["unit.power | closes*"]}


class Findings(unittest.TestCase):
    def found(self, text="double f = x + y;", **change):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "a.cpp").write_text(text)
            return mutants.findings([{**GOOD, **change}], root, {"unit.power", "cli.command"})

    def test_a_good_one(self):
        self.assertEqual(self.found(), [])

    def test_text_that_is_gone_or_stands_twice(self):
        self.assertIn("0 times", self.found(text="")[0])
        self.assertIn("2 times", self.found(text="x + y; x + y")[0])
        self.assertIn("0 times", self.found(file="gone.cpp")[0])

    def test_no_change_no_reason_no_test(self):
        self.assertEqual(len(self.found(after="x + y")), 1)
        self.assertEqual(len(self.found(why="")), 1)
        self.assertEqual(len(self.found(tests=[])), 1)
        self.assertIn("no test unit.powers", self.found(tests=["unit.powers"])[0])

    def test_names_of_this_repository_are_known(self):
        known = mutants.known_tests()
        self.assertLessEqual({"unit.sim", "unit.io", "durability.kill", "cli.command"}, known)
        self.assertEqual(mutants.targets_of(["unit.io | a*", "durability.kill"]), {"test_io", "tidewatt_cli", "tidewatt_fail_shim"})


if __name__ == "__main__":
    unittest.main()
