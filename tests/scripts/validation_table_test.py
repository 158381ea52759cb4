"""The validation page says what the rows say: verdicts, failures with their reasons, what is missing; and always the same."""
import pathlib
import tempfile
import unittest

from script import load


TABLE = load("validation_table")


def row(id, verdict="pass", **more):
    known = verdict != "skipped"
    return {"id": id, "what": "inputs", "unit": "s", "expected": 32.0 if known else None, "got": 30.7047 if known else None,
            "error": -0.0404767 if known else None, "tolerance": 0.08 if known else None, "tolerance_unit": "fraction",
            "pass": (verdict != "fail") if known else None, "verdict": verdict, "kind": "fit" if verdict == "calibrated" else "seen", "source": "llama3", "area": "training time", "device": "", "note": "", **more}


GROUPS = {
    "workload": [row("W1"), row("W2"), row("W8/block", "fail", unit="points", error=-1.7645, tolerance=1.5,
                                           tolerance_unit="points", note="the published step holds more", mend="times of kernels"),
                 row("W8/tp"), row("W9", "calibrated")],
    "thermal": [row("T1/mean", expected=[54.0, 72.0], error=0.0, tolerance=0.0, what="a|b"), row("T9", "skipped", note="no file")],
}


class ValidationTable(unittest.TestCase):
    def setUp(self):
        self.page = TABLE.page(GROUPS, "abc", {"llama3"})

    def lines(self, start):
        return [line for line in self.page.splitlines() if line.startswith(start)]

    def test_a_row_says_its_figures(self):
        self.assertEqual(self.lines("| W1 |"), ["| W1 | seen | inputs | s | 32 | 30.7 | −4 % | 8 % | pass | [@llama3] |  |"])
        self.assertEqual(self.lines("| W8/block |")[0].split(" | ")[6:9], ["−1.8 points", "±1.5 points", "**fail**"])
        self.assertEqual(self.lines("| T1/mean |"), ["| T1/mean | seen | a\\|b | s | 54 … 72 | 30.7 | 0 | inside | pass | [@llama3] |  |"])
        self.assertEqual(self.lines("| T9 |"), ["| T9 | seen | inputs | s | – | – | – | – | skipped | [@llama3] | no file |"])

    def test_counts_leave_out_what_is_no_prediction(self):
        self.assertEqual(self.lines("| workload |"), ["| workload | 3 | 1 | 1 | 0 | 3 of 4, 75 % | 2 of 3 |"])
        self.assertEqual(self.lines("| thermal |"), ["| thermal | 1 | 0 | 0 | 1 | 1 of 1, 100 % | 1 of 1 |"])
        self.assertEqual(self.lines("| **all** |"), ["| **all** | 4 | 1 | 1 | 1 | 4 of 5, 80 % | 3 of 4 |"])

    def test_a_required_result_is_judged_by_all_its_rows(self):
        self.assertEqual(self.lines("| W2 | pass"), ["| W2 | pass | 1 |"])
        self.assertEqual(self.lines("| D2 |")[0].split(" | ")[1], "not in this command")
        self.assertIn("first_light", self.lines("| D2 |")[0])
        broken = {"workload": [row("W10"), row("W10/util", "fail")]}
        self.assertIn("| W10 | **fail** | 2 |", TABLE.page(broken, "abc", set()))

    def test_failures_are_named_with_their_reason(self):
        failures = self.lines("* **")
        self.assertEqual(len(failures), 1)
        self.assertIn("**W8/block**", failures[0])
        self.assertTrue(failures[0].endswith("the published step holds more. To mend it: times of kernels."), failures[0])
        silent = TABLE.page({"plant": [row("C1", "fail")]}, "abc", set())
        self.assertIn("The reason is not known.", silent)

    def test_numbers_keep_their_size(self):
        for value, text in [(46800.0, "46800"), (4511.0, "4511"), (2.66e-15, "2.66e−15"), (-0.16991934, "−0.1699"), (0.0, "0")]:
            self.assertEqual(TABLE.figure(value), text)

    def test_the_readme_keeps_all_but_its_counts(self):
        text = "before\n<!-- written by scripts/validation_table -->\nearlier counts\n<!-- end -->\nafter\n"
        once = TABLE.readme_with_counts(text, GROUPS)
        self.assertIn("| a measurement whose figure was known while the model was made | 6 | 1 |", once)
        self.assertIn("Of the 5 known measurements half come out within 4.0 %", once)  # one has no data
        self.assertNotIn("earlier counts", once)
        self.assertTrue(once.startswith("before\n") and once.endswith("<!-- end -->\nafter\n"))
        self.assertEqual(once, TABLE.readme_with_counts(once, GROUPS))
        with self.assertRaises(SystemExit):
            TABLE.readme_with_counts("no mark", GROUPS)

    def test_a_run_counts_once_and_shares_are_those_of_the_headline(self):
        rows = [row("W7", error=0.02), row("W7/util", error=0.1), row("W7/days", error=0.1), row("W6", error=0.04)]
        self.assertEqual(TABLE.percent_error(rows, 0.5), "3.0 %")
        self.assertEqual(TABLE.percent_error(rows, 0.9), "3.8 %")
        known = TABLE.readme_with_counts("<!-- written by scripts/validation_table -->\n<!-- end -->\n", {"workload": rows})
        self.assertIn("Of the 2 known measurements half come out within 3.0 %", known)

    def test_the_same_rows_give_the_same_page(self):
        self.assertEqual(self.page, TABLE.page(GROUPS, "abc", {"llama3"}))

    def test_the_catalog_hash_sees_names_and_contents(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "a.toml").write_text("x = 1\n", encoding="utf-8")
            (root / "b.toml").write_text("x = 2\n", encoding="utf-8")
            first = TABLE.catalog_sha256(root)
            (root / "b.toml").write_text("x = 3\n", encoding="utf-8")
            second = TABLE.catalog_sha256(root)
            (root / "b.toml").rename(root / "c.toml")
            self.assertEqual(len({first, second, TABLE.catalog_sha256(root)}), 3)


if __name__ == "__main__":
    unittest.main()
