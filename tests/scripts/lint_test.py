"""scripts/lint with replaced linters: which files they get, where a finding in a page's script is, and what happens without them."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = {
    "python/tidewatt/report/page.js": "// one\n  //include plot.js\n// three\n",
    "python/tidewatt/report/plot.js": "// a\n// b\n",
    "python/tidewatt/planner/page.js": "//include ../report/plot.js\n",
    "scripts/tool": "#!/usr/bin/python3\n",
    "scripts/other": "#!/bin/bash\n",
    "a.pyi": "",
}


class Lint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.linters = pathlib.Path(folder.name) / "tree", pathlib.Path(folder.name) / "linters"
        for name, text in FILES.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        shutil.copy(ROOT / "scripts" / "lint", self.root / "scripts" / "lint")
        shutil.copy(ROOT / "python/tidewatt/report/page_files.py", self.root / "python/tidewatt/report/page_files.py")
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
        subprocess.run(["git", "add", "-A"], cwd=self.root, check=True)
        (self.linters / "bin").mkdir(parents=True)
        wanted = re.search(r"^LINTERS = (.*)$", (ROOT / "scripts" / "lint").read_text(), re.M)[1]
        (self.linters / "packages").write_text(" ".join(json.loads(wanted)))

    def linted(self, ruff, line=None):
        diagnostics = [] if line is None else [{"message": "wrong", "code": "x", "labels": [{"span": {"line": line}}]}]
        for name, body in (("ruff", ruff), ("oxlint", f"echo '{json.dumps({'diagnostics': diagnostics})}'")):
            path = self.linters / "bin" / name
            path.write_text(f"#!/bin/bash\n{body}\n")
            path.chmod(0o755)
        done = subprocess.run([self.root / "scripts" / "lint"], env={**os.environ, "TIDEWATT_LINTERS": str(self.linters)}, capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()

    def test_modules_stubs_and_scripts_of_python_are_checked(self):
        code, lines = self.linted('echo "$@"')
        self.assertEqual(code, 0)
        self.assertEqual([word for word in lines[0].split() if "." in word or "/" in word], ["a.pyi", "python/tidewatt/report/page_files.py", "scripts/lint", "scripts/tool"])

    def test_findings_fail(self):
        self.assertEqual(self.linted("exit 1")[0], 1)
        for line, places in ((1, ["report/page.js:1", "report/plot.js:1"]), (2, ["report/plot.js:1", "report/plot.js:2"]), (3, ["report/plot.js:2"])):
            if line == 3:  # the planner's page has two lines
                (self.root / "python/tidewatt/planner/page.js").write_text("\n\n//include ../report/plot.js\n")
            code, lines = self.linted("true", line)
            self.assertEqual(code, 1)
            for place in places:
                self.assertIn(f"python/tidewatt/{place}: x: wrong", lines)

    def test_without_linters_it_is_skipped(self):
        (self.linters / "packages").unlink()
        (self.linters / "bin").rmdir()
        self.linters.rmdir()
        self.linters.write_text("no folder can be here")
        done = subprocess.run([self.root / "scripts" / "lint"], env={**os.environ, "TIDEWATT_LINTERS": str(self.linters)}, capture_output=True, text=True)
        self.assertEqual((done.returncode, "cannot be installed" in done.stdout), (77, True))


if __name__ == "__main__":
    unittest.main()
