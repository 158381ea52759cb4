"""The demo's words say the figures of the result, and say when there are none."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import h5py
import numpy as np

SAY = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "say_answers"
DAY = {
    "simulated_s": 86400.0, "wall_s": 41.0, "n_gpu": 16384, "iteration_s": 6.5432, "tflops_per_gpu": 400.1,
    "mfu_percent": 40.44, "tokens_per_s_mean": 2564000.0, "throughput_swing_percent": 1.234, "throughput_min_hour": 15,
    "clock_mean_MHz": 1500.0, "clock_slowest_MHz": 1425.0, "die_max_degC": 81.5, "die_mean_degC": 64.2,
    "limiter_share": {"none": 0.0, "thermal": 0.021, "power": 0.979}, "it_mean_MW": 15.0, "pcc_mean_MW": 15.75,
    "pcc_max_MW": 17.6, "pcc_min_MW": 5.9, "pcc_step_1s_max_MW": 10.3, "pcc_ramp_up_max_MW_per_s": 40.4,
    "pcc_ramp_down_max_MW_per_s": 44.5, "pcc_dominant_Hz": 0.4585, "freq_deviation_max_mHz": 1.48,
    "volt_deviation_max_percent": 0.1, "pue": 1.05, "wue_L_per_kWh": 0.33, "n_interruptions_unexpected": 1,
    "n_interruptions_planned": 0, "energy_closure": 2e-15, "input_energy_error": 1e-16,
}


class SayAnswers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def result(self, failure_s):
        """A window of 20 s at 16 MW that falls to 6 MW at 10 s; a failure event at `failure_s`."""
        path = self.folder / "result.h5"
        with h5py.File(path, "w") as file:
            file["events/time"] = [1.0, failure_s]
            file.create_dataset("events/kind", data=["checkpoint", "failure"], dtype=h5py.string_dtype())
            time = np.arange(20000) * 1e-3
            file["waveform_sample/time"] = time
            file["waveform_sample/pcc_W"] = np.where(time < 10.0, 16e6, 6e6)
            frequency = np.arange(4000) / 65.536
            file["spectrum/frequency_Hz"] = frequency
            file["spectrum/pcc_amplitude_W"] = 1e6 * (np.abs(frequency - 0.1528) < 0.01) + 2e6 * (np.abs(frequency - 0.4585) < 0.01)
        return str(path)

    def say(self, failure_s=10.0, **changed):
        figures = {**DAY, **changed, "result_file": self.result(failure_s)}
        path = self.folder / "run.json"
        path.write_text(json.dumps(figures), encoding="utf-8")
        done = subprocess.run(["/usr/bin/python3", str(SAY), str(path), str(path)], capture_output=True, text=True, check=False,
                              env={**os.environ, "LC_ALL": "C.UTF-8"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return re.sub(r"\s+", " ", done.stdout)

    def test_figures(self):
        text = self.say()
        for part in ["6.54 s", "1.23 %", "begins at 15:00", "1,500 MHz", "1,425 MHz", "5.0 % less", "2.56 million tokens",
                     "the board power limit 97.9 %, the temperature limit 2.1 %", "every 6.54 s: a fundamental of 0.153 Hz with an amplitude of 1.00 MW",
                     "0.459 Hz, harmonic 3 of it, with 2.00 MW", "+40.4 and -44.5 MW/s", "1.48 mHz", "falls by 10.0 MW within a second"]:
            self.assertIn(part, text)
        self.assertNotIn("nothing", text)

    def test_the_drop_is_measured_at_the_failure(self):
        self.assertIn("falls by 0.00 MW", self.say(failure_s=5.0))
        self.assertIn("No failure lies inside", self.say(failure_s=100.0))

    def test_the_largest_line_is_named_for_what_it_is(self):
        self.assertIn("It is the largest line", self.say(pcc_dominant_Hz=0.1534))
        self.assertIn("not a harmonic", self.say(pcc_dominant_Hz=0.23))

    def test_the_reason_follows_the_limiter(self):
        self.assertIn("they leak more", self.say())
        self.assertIn("below the temperature limit", self.say(limiter_share={"thermal": 0.6, "power": 0.4}))
        self.assertIn("weather hardly enters", self.say(limiter_share={"clock": 1.0, "power": 0.0}))

    def test_what_does_not_apply_is_a_dash(self):
        text = self.say(throughput_swing_percent=None, throughput_min_hour=None, pcc_dominant_Hz=None, clock_slowest_MHz=None)
        self.assertIn("swings by – %", text)
        self.assertNotIn("None", text)
        self.assertNotIn("nan", text)


if __name__ == "__main__":
    unittest.main()
