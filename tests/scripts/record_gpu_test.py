"""scripts/record_gpu against a fake driver: the square wave, the columns, what is not supported, how it ends."""
import csv
import json
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE.parents[1] / "scripts" / "record_gpu"


@unittest.skipUnless(shutil.which("cc"), "no C compiler for the fake driver")
class RecordGpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.folder.name)
        cls.fake = cls.root / "libfake.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", cls.fake, HERE / "fake_gpu.c"], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def command(self, *more):
        out = self.root / "run.csv"
        out.unlink(missing_ok=True)
        return out, ["/usr/bin/python3", str(RECORD), "--out", str(out), "--nvml", str(self.fake), "--cudart", str(self.fake),
                     "--cublas", str(self.fake), "--size", "32", "--sample", "0.02", "--low", "0.5", "--high", "0.5", "--cycles", "2", *more]

    def rows(self, *more):
        out, command = self.command(*more)
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def mean(self, rows, load):
        watts = [float(r["power_W"]) for r in rows if r["load"] == load]
        return sum(watts) / len(watts)

    def test_square_wave(self):
        rows = self.rows()
        self.assertGreater(len(rows), 2 * 60)  # 2.5 s of 0.02 s for two GPUs; a busy machine may be late
        self.assertGreater(self.mean(rows, "1"), 500)
        self.assertLess(self.mean(rows, "0"), 250)
        switches = sum(a["load"] != b["load"] for a, b in zip(rows, rows[1:]))
        self.assertEqual(switches, 4)
        times = [float(r["time_s"]) for r in rows if r["gpu"] == "0"]
        self.assertEqual(times, sorted(times))

    def test_columns(self):
        rows = self.rows("--load", "none", "--cycles", "1")
        self.assertEqual(rows[0]["clock_MHz"], "1980")
        self.assertEqual(rows[0]["memory_clock_MHz"], "2619")
        self.assertEqual(rows[0]["reasons"], "idle")
        self.assertEqual({r["energy_J"] for r in rows if r["gpu"] == "0"}, {"5.0"})
        self.assertEqual({r["energy_J"] for r in rows if r["gpu"] == "1"}, {""})  # not supported: empty, not zero
        about = json.loads((self.root / "run.csv.json").read_text(encoding="utf-8"))
        self.assertEqual(about["gpus"], {"0": "Fake GPU", "1": "Fake GPU"})

    def test_flags_under_load(self):
        reasons = {r["reasons"] for r in self.rows("--gpu", "1")}
        self.assertIn("power_cap+sw_thermal", reasons)

    def test_own_command_is_paused_and_continued(self):
        log = self.root / "beats"
        log.write_text("", encoding="utf-8")
        script = self.root / "beat.sh"
        script.write_text(f"while true; do date +%s.%N >> {log}; sleep 0.02; done\n", encoding="utf-8")
        rows = self.rows("--command", f"bash {script}")
        beats = [float(b) for b in log.read_text(encoding="utf-8").split()]
        on = [float(r["time_s"]) for r in rows if r["load"] == "1"]
        off = [float(r["time_s"]) for r in rows if r["load"] == "0"]
        within = sum(any(abs(b - t) < 0.05 for t in on) for b in beats)
        self.assertGreater(within, 10)
        middle = [t for t in off if all(abs(t - u) > 0.15 for u in on)]
        # Before its first pause the command may have beaten once.
        self.assertLessEqual(sum(any(abs(b - t) < 0.02 for t in middle) for b in beats), 2)

    def test_ctrl_c_keeps_the_record(self):
        out, command = self.command("--cycles", "50")
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, err)
        with open(out, newline="", encoding="utf-8") as file:
            self.assertGreater(len(list(csv.DictReader(file))), 20)

    def test_refusals(self):
        for more, word in ((["--gpu", "5"], "2 GPUs"), (["--nvml", "no.so"], "no NVML"), (["--cublas", "no.so"], "load does not start")):
            _, command = self.command(*more)
            done = subprocess.run(command, capture_output=True, text=True, timeout=30)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
