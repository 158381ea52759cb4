"""A small repository of its own for each test of the structure checks."""
import contextlib
import io
import pathlib
import tempfile
import unittest


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def put(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def found(self, check, *more):
        with contextlib.redirect_stdout(io.StringIO()):
            return check.check(self.root, *more)

    def assert_one(self, findings, *words):
        self.assertEqual(len(findings), 1, findings)
        for word in words:
            self.assertIn(word, findings[0])
