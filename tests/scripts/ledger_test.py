"""The ledger refuses edits, blind rows without a line, other tolerances, and fits that used a row."""
import json
import pathlib
import subprocess
import tempfile
import unittest

from script import load

HASH, LATER = "a" * 64, "b" * 64


LEDGER = load("ledger")


def row(id, kind="blind", **more):
    return {"id": id, "kind": kind, "source": "paper", "unit": "s", "expected": 2.0, "tolerance": 0.1, "tolerance_unit": "fraction", "got": 2.1, "error": 0.05, "verdict": "pass", **more}


class Ledger(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        for name in ("docs", "scripts/fits"):
            (self.root / name).mkdir(parents=True)
        self.freeze()
        (self.root / "scripts/fits/inputs.toml").write_text('[one]\nrows = ["R9"]\nsources = ["other"]\n')
        self.rows = [row("R1/a"), row("R2"), row("W1", "seen"), row("P1", "seen", got=None)]
        LEDGER.add(self.root, self.rows, [], "c0ffee", "2026-01-01")

    def tearDown(self):
        self.folder.cleanup()

    def freeze(self, *more):
        lines = [f"| 2026-01-01 | `{HASH}` | first |", *(f"| 2026-02-01 | `{LATER}` | {reason} |" for reason in more)]
        (self.root / "docs/frozen_inputs.md").write_text("\n".join(lines) + "\n")

    def lines(self):
        return LEDGER.texts(self.root)

    def findings(self, rows=None):
        return LEDGER.unfit(self.root, self.lines(), self.rows if rows is None else rows)

    def rewrite(self, change):
        path = LEDGER.files(self.root)[0]
        path.write_text("".join(line + "\n" for line in change(self.lines())))

    def test_a_line_says_all_and_is_written_once(self):
        line = json.loads(self.lines()[0])
        self.assertEqual([line[k] for k in ("row", "error", "commit", "date", "catalog", "previous")], ["R1/a", 0.05, "c0ffee", "2026-01-01", HASH, LEDGER.FIRST])
        self.assertEqual(len(self.lines()), 3)  # a row without data has none
        self.assertEqual(LEDGER.add(self.root, self.rows, [], "later", "2026-02-02"), 0)
        self.assertEqual(self.findings(), [])

    def test_an_edited_a_moved_and_a_removed_line_are_refused(self):
        whole = self.lines()
        self.assertEqual(LEDGER.broken(whole), [])
        for change in (lambda x: [x[0].replace("0.05", "0.01"), *x[1:]], lambda x: [x[1], x[0], x[2]], lambda x: x[1:]):
            self.assertEqual(len(LEDGER.broken(change(whole))), 1)

    def test_a_last_line_that_was_committed_stays(self):
        def git(*arguments):
            subprocess.run(["git", "-C", str(self.root), "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True, capture_output=True)

        git("init", "-q")
        git("add", "-A")
        git("commit", "-qm", "x")
        self.assertEqual(LEDGER.rewritten(self.root), [])
        LEDGER.add(self.root, [row("R3")], [], "c0ffee", "2026-01-02")
        self.assertEqual(LEDGER.rewritten(self.root), [])  # more lines are no change
        self.rewrite(lambda x: [*x[:2], x[2].replace("0.05", "0.01")])
        self.assertEqual(LEDGER.broken(self.lines()), [])  # the chain alone does not see its last line
        self.assertEqual(len(LEDGER.rewritten(self.root)), 1)

    def test_a_blind_row_needs_its_line(self):
        self.assertIn("not in the ledger", self.findings([row("R4")])[0])
        self.assertIn("of kind seen", self.findings([row("W1")])[0])

    def test_identities_are_required(self):
        rows = [row("W2", "identity", verdict="fail")]
        LEDGER.add(self.root, rows, [], "c0ffee", "2026-01-02")
        self.assertIn("such rows are required", self.findings(rows)[0])

    def test_figure_and_tolerance_were_declared_before(self):
        for more in ({"tolerance": 0.15}, {"expected": 2.05}, {"source": "another"}):
            self.assertEqual(len(self.findings([row("R2", **more)])), 1)

    def test_a_fit_that_used_the_row_or_its_source_ends_its_blindness(self):
        self.freeze("fitted (`scripts/fits/one`)")
        self.assertEqual(self.findings(), [])
        (self.root / "scripts/fits/inputs.toml").write_text('[one]\nrows = ["R1"]\n')
        self.assertEqual([f.split(":")[0] for f in self.findings()], ["R1/a"])
        (self.root / "scripts/fits/inputs.toml").write_text('[one]\nsources = ["paper"]\n')
        self.assertEqual([f.split(":")[0] for f in self.findings()], ["R1/a", "R2"])
        (self.root / "scripts/fits/inputs.toml").write_text("")
        self.assertIn("nothing about", self.findings()[0])

    def test_a_seen_row_starts_anew_by_a_fit_that_leaves_it_out(self):
        rows = [row("R1/a"), row("R2"), row("W1", error=0.02)]
        self.assertEqual(LEDGER.add(self.root, rows, ["W1=one"], "beef", "2026-03-01"), 1)
        first = LEDGER.firsts(self.lines())
        self.assertEqual(first["W1"]["error"], 0.02)
        self.assertIn("scripts/fits/one", first["W1"]["anew"])
        self.assertEqual(first["R2"]["error"], 0.05)
        self.assertEqual(self.findings(rows), [])
        for inputs in ('[one]\nrows = ["W1"]\n', '[two]\nrows = []\n'):
            (self.root / "scripts/fits/inputs.toml").write_text(inputs)
            self.assertIn("starts anew by no recorded fit", self.findings(rows)[0])

    def test_a_blind_row_never_starts_anew(self):
        with self.assertRaises(ValueError):
            LEDGER.add(self.root, [row("R1/a", error=0.02)], ["R1=one"], "beef", "2026-03-01")
        forged = json.loads(self.lines()[0]) | {"error": 0.02, "anew": "scripts/fits/one", "previous": LEDGER.sha256(self.lines()[-1])}
        self.rewrite(lambda x: [*x, json.dumps(forged)])
        self.assertEqual(LEDGER.broken(self.lines()), [])  # the chain holds
        self.assertIn("R1/a: blind, and started anew", self.findings()[0])

    def test_a_paper_that_gave_a_value_of_the_catalog_ends_the_blindness_of_its_rows(self):
        (self.root / "docs/references.bib").write_text("@misc{paper, title = {A}, eprint = {2301.00001}}\n@misc{other,\n  eprint = {2301.00002}}\n")
        for kind, name, number in (("gpu", "a", "2301.00002"), ("model", "b", "2301.00001")):
            (self.root / "catalog" / kind).mkdir(parents=True)
            (self.root / "catalog" / kind / f"{name}.toml").write_text(f'x = "arXiv {number}"\n')
        self.assertEqual(self.findings(), [])  # another paper, and the shape of a model
        (self.root / "catalog/gpu/a.toml").write_text('x = "abstract of arXiv 2301.00001"\n')
        self.assertEqual([f.split(":")[0] for f in self.findings()], ["R1/a", "R2"])
        self.assertIn("catalog/gpu/a.toml", self.findings()[0])

    def test_a_revision_leaves_the_first_error_and_names_a_fit_that_did_not_know_the_row(self):
        rows = [row("R1/a", error=0.02), row("R2"), row("W1", "seen"), row("R7")]
        self.assertEqual(LEDGER.add(self.root, rows, [], "beef", "2026-03-01", ["R1=one", "W1=one"]), 2)  # R1/a, and R7's first line
        self.assertEqual(LEDGER.firsts(self.lines())["R1/a"]["error"], 0.05)
        self.assertEqual(json.loads(self.lines()[3])["revised"], "scripts/fits/one")
        self.assertEqual(self.findings(), [])
        with self.assertRaises(ValueError):
            LEDGER.add(self.root, rows, [], "beef", "2026-03-01", ["R1=none"])
        (self.root / "scripts/fits/inputs.toml").write_text('[one]\nsources = ["paper"]\n')
        with self.assertRaises(ValueError):
            LEDGER.add(self.root, rows, [], "beef", "2026-03-01", ["R1=one"])
        self.assertIn("revised by scripts/fits/one", self.findings()[0])

    def test_a_file_that_would_be_too_long_is_followed_by_another(self):
        LEDGER.add(self.root, [row(f"R5/{i}") for i in range(200)], [], "c0ffee", "2026-01-02")
        self.assertGreater(len(LEDGER.files(self.root)), 1)
        self.assertTrue(all(p.stat().st_size <= LEDGER.MOST_B for p in LEDGER.files(self.root)))
        self.assertEqual(LEDGER.broken(self.lines()), [])


if __name__ == "__main__":
    unittest.main()
