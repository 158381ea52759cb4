"""A freeze holds the catalog's hashes and values: changed values need a fit, added keys a reason, old tables of results are refused."""
import pathlib
import tempfile
import unittest

from script import load

ENTRY = """schema = 1
kind = "gpu"
name = "x"
[power]
tdp_W = 700
[sources]
"power.tdp_W" = "[R] data sheet; scripts/fits/one"
"""
DRAWS = 'schema = 1\nkind = "draws"\nname = "x_draws"\nentry = "x"\nentry_sha256 = "00"\n[values]\n"power.tdp_W" = [690, 710]\n'


FREEZE = load("freeze")


class Freeze(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.put("catalog/gpu/x.toml", ENTRY)
        self.put("catalog/draws/x_draws.toml", DRAWS)
        self.put("scripts/fits/one", "")
        self.put("docs/validation.md", "")
        self.assertEqual(self.freeze("first"), [])

    def put(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def freeze(self, reason, fit=None, today="2026-01-02"):
        found = FREEZE.freeze(self.root, reason, fit, today)
        if not found:
            self.put("docs/validation.md", f"SHA-256 `{FREEZE.whole_hash(FREEZE.catalog(self.root))}`")
        return found

    def found(self):
        return FREEZE.check(self.root)

    def assert_some(self, *words):
        found = self.found()
        for word in words:
            self.assertTrue(any(word in f for f in found), (word, found))

    def test_what_was_frozen_passes(self):
        self.assertEqual(self.found(), [])

    def test_a_changed_value_is_refused_and_needs_a_fit(self):
        self.put("catalog/gpu/x.toml", ENTRY.replace("700", "650"))
        self.assert_some("power.tdp_W is 650, frozen as 700", "hash is not the frozen one", "drawn for another x")
        before = self.text("docs/frozen_inputs.md")
        self.assertIn("--fit", self.freeze("other watts")[-1])
        self.assertIn("no such script", self.freeze("other watts", "scripts/fits/none")[-1])
        self.assertEqual(self.text("docs/frozen_inputs.md"), before)
        self.assertEqual(self.freeze("other watts", "scripts/fits/one"), [])
        # Its draws stay those of the entry before: they are to be drawn again.
        self.assertEqual(self.found(), ["catalog/draws/x_draws.toml: drawn for another x"])
        self.assertIn("| other watts (`scripts/fits/one`) |", self.text("docs/frozen_inputs.md"))

    def test_an_added_key_needs_a_reason_and_renews_the_draws(self):
        self.put("catalog/gpu/x.toml", ENTRY.replace("tdp_W = 700", "tdp_W = 700\nboard_W = 60"))
        self.assert_some("hash is not the frozen one", "another catalog")
        self.assertEqual(self.freeze("a key", today="2026-03-04"), [])
        self.assertEqual(self.found(), [])
        page = self.text("docs/frozen_inputs.md")
        self.assertIn("2026-01-02", page)
        self.assertRegex(page, r"`gpu/x.toml` \| `[0-9a-f]{64}` \| 2026-03-04 \| R 1; `scripts/fits/one` \|")

    def test_a_removed_key_or_file_is_refused(self):
        self.put("catalog/gpu/x.toml", ENTRY.replace("tdp_W = 700\n", ""))
        self.assert_some("frozen key power.tdp_W is gone")
        (self.root / "catalog/gpu/x.toml").rename(self.root / "catalog/gpu/y.toml")
        self.assert_some("x.toml: frozen and no longer there", "y.toml: newer than the freeze")

    def test_keys_that_went_into_a_file_beside_the_entry_are_named(self):
        self.put("catalog/gpu/x.toml", ENTRY.replace("tdp_W = 700\n", ""))
        self.put("catalog/gpu/x.raw", "// a comment\n700 / limit\n")
        self.assertIn("--fit", self.freeze("into a file")[-1])
        self.assertEqual(FREEZE.freeze(self.root, "into a file", None, "2026-01-03", ["gpu/x.toml"]), [])
        self.put("catalog/gpu/x.raw", "// a comment\n650 / limit\n")
        self.assert_some("catalog/gpu/x.raw: lines is", "hash is not the frozen one")

    def test_a_table_of_results_from_another_catalog_is_refused(self):
        self.put("docs/validation.md", f"SHA-256 `{'0' * 64}`")
        self.assert_some("docs/validation.md: computed with another catalog")


if __name__ == "__main__":
    unittest.main()
