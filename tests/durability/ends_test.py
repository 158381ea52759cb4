#!/usr/bin/python3
"""How commands end: signals leave a checkpoint, outputs are tried before the first step, closed standard files and size
limits are errors and not deaths, a report's Python ends with its parent, and what is written is whole."""
import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import sweeps

LONG = ["--set", "run.duration_h=9000"]  # minutes: whatever refuses it at once did not simulate it
MEDIUM = ["--set", "run.duration_h=48"]


def limited(n_byte):
    """A size limit on files, in a child only."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n_byte, n_byte))


def as_in_a_terminal():
    """Signals with their default action, in a child only: a test started by nohup or in the background inherits ignored ones."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


class Command(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="tidewatt_ends_")
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name)

    def start(self, *more, out=None, **keywords):
        command = [sweeps.CLI, "run", sweeps.TINY, "--quiet", "--out", out or self.folder / "r.h5", *more]
        keywords.setdefault("preexec_fn", as_in_a_terminal)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **keywords)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def run_it(self, *more, timeout=120, **keywords):
        process = self.start(*more, **keywords)
        process.wait(timeout)
        return process.returncode, process.stderr.read()

    def whole(self, path):
        return subprocess.run([sweeps.CLI, "verify", path], capture_output=True).returncode == 0

    def left(self):
        return sorted(p.name for p in self.folder.rglob("*") if p.is_file())

    def wait_for(self, met, seconds=60):
        until = time.monotonic() + seconds
        while not met():
            self.assertLess(time.monotonic(), until, "waited too long")
            time.sleep(0.01)


class Run(Command):
    def test_a_signal_leaves_a_checkpoint_and_says_so(self):
        state = self.folder / "state"
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number.name):
                process = self.start("--checkpoint", state, "--checkpoint-every-h", "24", *LONG)
                self.wait_for(state.exists)  # the first one: it runs
                state.unlink()
                process.send_signal(number)
                self.assertEqual(process.wait(60), 128 + number)
                self.assertTrue(self.whole(state))
                self.assertIn(f"--resume {state}", process.stderr.read())
                self.assertEqual(self.left(), ["state"])  # no result, no temporary file
                state.unlink()

    def test_a_stopped_run_goes_on_to_the_same_bits(self):
        digests, state = [], self.folder / "state"
        for resumed in (False, True):
            command = [sweeps.CLI, "run", sweeps.TINY, "--quiet", "--json", "--no-interval", "--out", self.folder / "r.h5", *MEDIUM]
            if resumed:
                process = self.start("--checkpoint", state, "--checkpoint-every-h", "6", *MEDIUM)
                self.wait_for(state.exists)
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(60), 128 + signal.SIGTERM)
                command += ["--resume", state]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            digests.append(json.loads(done.stdout)["payload_sha256"])
        self.assertEqual(*digests)

    def test_nohup_is_respected(self):
        state = self.folder / "state"
        process = self.start("--checkpoint", state, "--checkpoint-every-h", "24", *LONG,
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))  # fmt: skip
        self.wait_for(state.exists)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 128 + signal.SIGTERM)

    def test_outputs_are_tried_before_the_first_step(self):
        blocked = self.folder / "file"
        blocked.write_text("no folder")
        cases = {"a checkpoint's folder is missing": (["--checkpoint", self.folder / "missing" / "state"], {}, "missing"),
                 "a file where the folder should be": ([], {"out": blocked / "r.h5"}, "file"),
                 "a place that takes no files": ([], {"out": "/proc/r.h5"}, "/proc"),
                 "nothing may be written": ([], {"preexec_fn": limited(0)}, "r.h5"),
                 "a full disk": (["--checkpoint", self.folder / "state"], {"preexec_fn": limited(1000)}, "r.h5")}  # fmt: skip
        for name, (arguments, keywords, word) in cases.items():
            with self.subTest(name):
                code, text = self.run_it(*LONG, *arguments, timeout=30, **keywords)
                self.assertEqual(code, 74, text)
                self.assertIn(word, text)
                self.assertEqual(self.left(), ["file"])

    def test_a_size_limit_is_an_error_and_leaves_no_half_result(self):
        code, text = self.run_it(preexec_fn=limited(70_000))  # enough for the trial, not for the result
        self.assertEqual(code, 74, text)
        self.assertIn("too large", text)
        self.assertEqual(self.left(), [])

    def test_closed_standard_files_do_not_kill_or_spoil_the_result(self):
        for closed in ("0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"):
            with self.subTest(closed):
                command = f'exec "$0" run "$1" --quiet --out "$2" {closed}'
                done = subprocess.run(["/bin/sh", "-c", command, sweeps.CLI, sweeps.TINY, self.folder / "r.h5"], capture_output=True)
                # The figures that standard output should carry are lost: that is an error, after the result is written.
                self.assertEqual(done.returncode, 74 if "1>" in closed else 0)
                self.assertTrue(self.whole(self.folder / "r.h5"))
                (self.folder / "r.h5").unlink()

    def test_what_a_dead_process_left_is_removed(self):
        dead = subprocess.Popen(["true"])
        dead.wait()
        (self.folder / f"r.h5.tmp-{dead.pid}-0").write_text("half a result")
        code, text = self.run_it()
        self.assertEqual((code, self.left()), (0, ["r.h5"]), text)


class Report(Command):
    def setUp(self):
        super().setUp()
        if subprocess.run(["/usr/bin/python3", "-c", "import tidewatt._core, matplotlib"], capture_output=True).returncode != 0:
            self.skipTest("the Python package or what it draws with is not there")
        self.result = self.folder / "r.h5"
        self.assertEqual(self.run_it()[0], 0)
        self.out = self.folder / "drawn"

    def report(self, *more, **keywords):
        return subprocess.run([sweeps.CLI, "report", self.result, "--pictures", "--out", self.out, *more], capture_output=True, text=True, **keywords)

    def test_the_target_is_blamed_and_not_the_input(self):
        self.out.write_text("no folder")
        done = self.report()
        self.assertEqual(done.returncode, 74, done.stderr)
        self.assertIn("drawn", done.stderr)
        self.assertNotIn("not a result", done.stderr)

    def test_a_disk_that_fills_leaves_whole_files_or_none(self):
        sizes = {}
        self.assertEqual(self.report().returncode, 0)
        for path in self.out.iterdir():
            sizes[path.name] = path.stat().st_size
            path.unlink()
        for at in (2, 3, 5):
            env = {**os.environ, "LD_PRELOAD": os.environ["TIDEWATT_SHIM"], "TIDEWATT_FAIL": "write", "TIDEWATT_FAIL_AT": str(at),
                   "TIDEWATT_FAIL_FOR_EVER": "1", "TIDEWATT_FAIL_BELOW": str(self.out)}  # fmt: skip
            done = self.report(env=env)
            self.assertEqual(done.returncode, 74, done.stderr)
            self.assertIn("No space left", done.stderr)
            left = {path.name: path.stat().st_size for path in self.out.iterdir()}
            self.assertEqual(len(left), at - 2)  # the trial, and what was written before
            self.assertTrue(all(size == sizes[name] for name, size in left.items()), left)

    def test_python_does_not_outlive_the_command(self):
        process = subprocess.Popen([sweeps.CLI, "report", self.result, "--pictures", "--out", self.out], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        drawing = []

        def found():  # not the first child: that one only tries whether the file can be read
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            for child in (Path("/proc") / number for number in children):
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    if b"tidewatt.report" in (child / "cmdline").read_bytes():
                        drawing.append(child)
            return drawing

        self.wait_for(found)
        child = drawing[0]
        process.kill()
        process.wait()
        self.wait_for(lambda: not child.exists() or "Z" in (child / "stat").read_text().rpartition(")")[2].split()[:1], 10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
