"""The guard rails with replaced tools: what a finding, an absent tool and another version of a tool lead to."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

GUARDS = pathlib.Path(__file__).resolve().parents[2] / ".ci" / "guards"
TOOLS = ["awk", "bash", "cat", "dirname", "git", "grep", "mkdir", "nproc", "sed", "sort", "wc", "xargs"]
FINDING = "echo 'src/a.cpp:1:2: warning: code should be clang-formatted [-Wclang-format-violations]' >&2"


class Guards(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.bin = pathlib.Path(folder.name) / "tree", pathlib.Path(folder.name) / "bin"
        (self.root / ".ci").mkdir(parents=True)
        self.bin.mkdir()
        shutil.copy(GUARDS, self.root / ".ci" / "guards")
        (self.root / "src").mkdir()
        (self.root / "src" / "a.cpp").write_text("int  a;\n")
        for tool in TOOLS:
            os.symlink(shutil.which(tool), self.bin / tool)
        for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"]):
            subprocess.run(["git", *words], cwd=self.root, check=True)

    def tool(self, name, body, version="19.1.7"):
        path = self.bin / name
        path.write_text(f'#!/bin/bash\nif [ "$1" = --version ]; then echo "{name} version {version}"; exit; fi\n{body}\n', encoding="utf-8")
        path.chmod(0o755)

    def guards(self, *stages):
        done = subprocess.run(["bash", self.root / ".ci" / "guards", *stages], env={"PATH": str(self.bin)}, capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()

    def test_a_finding_fails_and_names_the_file(self):
        self.tool("clang-format-19", FINDING)
        code, lines = self.guards("format")
        self.assertEqual(code, 1)
        self.assertIn("src/a.cpp", lines)
        self.assertRegex(lines[-2], r"^format: FAILED, \d+ s, \d+ s of processor$")
        self.assertEqual(lines[-1], "guards: FAILED: 1 of 1 stages")

    def test_no_finding_passes(self):
        self.tool("clang-format", "true")
        code, lines = self.guards("format")
        self.assertEqual((code, lines[-1]), (0, "guards: no stage failed"))

    def test_an_absent_tool_skips_in_one_line(self):
        code, lines = self.guards("format", "tidy")
        self.assertEqual(code, 77)
        self.assertEqual([line.split(",")[:2] for line in lines[-3:-1]], [["format: skipped", " no clang-format 19"], ["tidy: skipped", " no clang-tidy 19"]])

    def test_lint_fails_passes_and_is_skipped_as_its_script(self):
        (self.root / "scripts").mkdir()
        for code, said in ((0, "passed"), (1, "FAILED"), (77, "skipped, the linters could not be installed")):
            (self.root / "scripts" / "lint").write_text(f"#!/bin/bash\nexit {code}\n")
            (self.root / "scripts" / "lint").chmod(0o755)
            got, lines = self.guards("lint")
            self.assertEqual(got, code)
            self.assertTrue(lines[-2].startswith(f"lint: {said}, "), lines)

    def test_another_version_counts_as_absent(self):
        self.tool("clang-format", FINDING, version="14.0.6")
        self.assertEqual(self.guards("format")[0], 77)

    def test_a_stage_runs_after_one_that_failed(self):
        self.tool("clang-format-19", FINDING)
        self.tool("clang-tidy-19", "true")
        self.tool("clang++-19", "true")
        code, lines = self.guards("format", "tidy")
        self.assertEqual(code, 1)
        self.assertRegex(lines[-3], "^format: FAILED")
        self.assertRegex(lines[-2], "^tidy: skipped, no commit HEAD~1")

    def test_an_unknown_stage_is_refused(self):
        self.assertEqual(self.guards("formats")[0], 2)


if __name__ == "__main__":
    unittest.main()
