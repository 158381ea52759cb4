"""scripts/setup on machines that have everything, lack packages, have no root, or are too old."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SETUP = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "setup"
TOOLS = ["bash", "dirname", "env", "dpkg"]  # what the script needs besides the replaced programs


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.bin = pathlib.Path(folder.name)
        self.log = self.bin / "log"
        for tool in TOOLS:
            os.symlink(subprocess.check_output(["which", tool], text=True).strip(), self.bin / tool)
        self.program("apt-get", f'echo "apt-get $*" >> {self.log}; exit "${{APT_EXIT:-0}}"')
        self.machine()

    def program(self, name, body):
        (self.bin / name).write_text(f"#!/bin/bash\n{body}\n", encoding="utf-8")
        (self.bin / name).chmod(0o755)

    def machine(self, missing=(), root=False, sundials="6.4.1"):
        absent = "|".join(missing) or "-"
        self.program("id", f"echo {0 if root else 1000}")
        # dpkg-query -W -f=FORMAT PACKAGE; an unknown package is an error on stderr and exit code 1
        self.program("dpkg-query", f'case "$3" in {absent}) echo unknown >&2; exit 1;; esac\n'
                                   f'case "$2" in *Version*) echo {sundials};; *) printf installed;; esac')

    def run_setup(self, *arguments, **env):
        done = subprocess.run(["bash", str(SETUP), *(arguments or ["--packages"])], env={"PATH": str(self.bin), **env}, capture_output=True,
                              text=True, check=False)
        self.said = done.stdout
        return done.returncode, done.stderr

    def test_arguments_are_its_own(self):
        self.assertEqual(self.run_setup("--packages")[0], 0)
        self.assertEqual(self.run_setup("--help"), (0, ""))
        self.assertIn("scripts/setup [--packages] [-- CMAKE ARGUMENT...]", self.said)
        self.assertIn("SUNDIALS_DIR", self.said)
        code, error = self.run_setup("-DCMAKE_BUILD_TYPE=Debug")
        self.assertEqual(code, 2)
        self.assertIn("no argument '-DCMAKE_BUILD_TYPE=Debug'", error)

    def calls(self):
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []

    def test_nothing_missing_needs_neither_root_nor_network(self):
        self.assertEqual(self.run_setup(), (0, ""))
        self.assertEqual(self.calls(), [])

    def test_without_root_the_line_to_run_and_exit_3(self):
        self.machine(missing=["libhdf5-dev", "catch2"])
        code, text = self.run_setup()
        self.assertEqual(code, 3)
        line = re.search(r"^  (apt-get update && apt-get install .*)$", text, re.MULTILINE).group(1)
        self.assertEqual(line, "apt-get update && apt-get install -y --no-install-recommends libhdf5-dev catch2")
        self.assertEqual(self.calls(), [])

    def test_the_printed_line_runs(self):
        self.machine(missing=["catch2"])
        line = re.search(r"^  (apt-get .*)$", self.run_setup()[1], re.MULTILINE).group(1)
        subprocess.run(["bash", "-c", line], env={"PATH": str(self.bin)}, check=True)
        self.assertEqual(len(self.calls()), 2)

    def test_root_installs_only_what_is_missing(self):
        self.machine(missing=["catch2"], root=True)
        self.assertEqual(self.run_setup()[0], 0)
        self.assertEqual(self.calls(), ["apt-get update -q", "apt-get install -y -q --no-install-recommends catch2"])

    def test_failed_installation_is_exit_3(self):
        self.machine(missing=["catch2"], root=True)
        code, text = self.run_setup(APT_EXIT="100")
        self.assertEqual(code, 3)
        self.assertIn("Missing: catch2", text)

    def test_removed_package_counts_as_missing(self):
        self.program("dpkg-query", 'case "$2" in *Version*) echo 6.4.1;; *) [ "$3" = catch2 ] && printf config-files || '
                                   'printf installed;; esac')
        code, text = self.run_setup()
        self.assertEqual(code, 3)
        self.assertIn("catch2", text)

    def test_old_sundials_is_named(self):
        self.machine(sundials="5.7.0")
        code, text = self.run_setup()
        self.assertEqual(code, 3)
        self.assertIn("5.7.0", text)
        self.assertEqual(self.run_setup(SUNDIALS_DIR="/opt/sundials")[0], 0)

    def test_other_distributions_are_told_what_is_needed(self):
        (self.bin / "dpkg-query").unlink()
        code, text = self.run_setup()
        self.assertEqual(code, 3)
        self.assertIn("libhdf5-dev", text)

    def test_more_packages(self):
        self.machine(missing=["shellcheck"])
        self.assertEqual(self.run_setup()[0], 0)
        self.assertEqual(self.run_setup(TIDEWATT_MORE_PACKAGES="shellcheck")[0], 3)


if __name__ == "__main__":
    unittest.main()
