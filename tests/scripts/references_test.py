"""Reference values: the committed file is whole, a changed value is found, and a package that is not there leaves out its own cases."""
import tomllib
import unittest

from script import load


REFERENCES = load("references")
import reference_cases  # noqa: E402  its folder is on the path since


class References(unittest.TestCase):
    def setUp(self):
        self.kept = tomllib.loads(REFERENCES.FILE.read_text(encoding="utf-8"))

    def test_the_file_has_every_package_and_list(self):
        self.assertEqual(set(self.kept["versions"]), set(reference_cases.PACKAGES))
        self.assertEqual(len(self.kept["psychrolib_air"]), len(reference_cases.AIR_STATES))
        for name, tables in self.kept.items():
            with self.subTest(name):
                self.assertTrue(name == "versions" or len(tables) > 0)

    def test_text_and_reading_are_inverse(self):
        lists = {name: tables for name, tables in self.kept.items() if name != "versions"}
        again = tomllib.loads(REFERENCES.text(self.kept["versions"], lists))
        self.assertEqual(again, self.kept)
        self.assertEqual(REFERENCES.differences(self.kept, lists, dict.fromkeys(lists, 0.0)), [])

    def test_a_changed_value_is_found(self):
        lists = {"coolprop_water": [dict(t) for t in self.kept["coolprop_water"]]}
        lists["coolprop_water"][2]["cp_J_per_kg_K"] *= 1.0 + 1e-6
        found = REFERENCES.differences(self.kept, lists, {"coolprop_water": 1e-7})
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith("coolprop_water[2].cp_J_per_kg_K:"))
        self.assertEqual(len(REFERENCES.differences(self.kept, {"coolprop_water": []}, {"coolprop_water": 0.0})), 1)

    def test_a_package_that_is_not_there_says_so(self):
        said, before = [], reference_cases.PACKAGES
        reference_cases.PACKAGES = {"none": ("no_such_module_25", "none", None, 0.0)}
        try:
            self.assertEqual(REFERENCES.computed(None, said.append), ({}, {}, {}))
        finally:
            reference_cases.PACKAGES = before
        self.assertIn("none is not installed here", said[0])


if __name__ == "__main__":
    unittest.main()
