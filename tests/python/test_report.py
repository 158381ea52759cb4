"""The report on a synthetic result: everything is drawn, nothing is loaded from elsewhere, no spike is lost."""
import json
import re
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import synthetic_result  # noqa: E402
import page_numbers  # noqa: E402
from page_numbers import charts_in  # noqa: E402
from tidewatt import report  # noqa: E402
from tidewatt.report import downsample, fleet, page_data, waveform  # noqa: E402
from tidewatt.report.read import ResultFile  # noqa: E402
from tidewatt.report.style import house_style  # noqa: E402

LONG_TO_DRAW = ("fleet", "iteration", "waveform_transients")
PICTURES = {"day", "waveform_transients", "iteration", "spectrum", "ramps", "fleet", "limiter", "events"}


class Drawn(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.file = Path(cls.folder.name) / "synthetic.h5"
        synthetic_result.write(cls.file)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a warning on a good file is a defect
            cls.paths = report.write(cls.file, Path(cls.folder.name) / "new" / "folder", pictures=True)
        cls.page = cls.paths[0].read_text()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_picture_is_written_in_both_kinds(self):
        names = {path.name for path in self.paths}
        self.assertEqual(names, {f"{p}.{kind}" for p in PICTURES for kind in ("png", "svg")} | {"report.html"})
        for path in self.paths:
            self.assertGreater(path.stat().st_size, 5000, path)
            head = path.read_bytes()[:64]
            self.assertTrue(head.startswith((b"\x89PNG", b"<?xml", b"<!DOCTYPE html>")), path)

    def test_titles_state_the_findings_with_the_summary_s_figures(self):
        for words in ("Hourly throughput swings by 1.13 %, lowest from 15 to 16 h", "moves by up to 18.8 MW over one second",
                      "The power limit holds for 92 % of compute time", "0.152 Hz: the iteration itself"):  # fmt: skip
            self.assertTrue(words in self.page.replace("\u00a0", " "), words)
        svg = (self.paths[0].parent / "day.svg").read_text().replace("\u00a0", " ")
        self.assertTrue("Hourly throughput swings by 1.13 %, lowest from 15 to 16 h" in svg)

    def test_axes_carry_units(self):
        folder = self.paths[0].parent
        for name, units in {"day": ["(°C)", "(MHz)", "(MW)", "tokens/s", "(h)"], "waveform_transients": ["(MW)", "(mHz)", "(pu)"],
                            "spectrum": ["(Hz)", "(kW)"], "ramps": ["(MW/s)"], "limiter": ["(%)"]}.items():  # fmt: skip
            svg = (folder / f"{name}.svg").read_text()
            for unit in units:
                self.assertTrue(unit in svg, (name, unit))

    def test_the_page_is_small_and_loads_nothing(self):
        self.assertLess(len(self.page.encode()), 2_000_000)
        without_scripts = re.sub(r"<script>.*?</script>", "", self.page, flags=re.S)
        self.assertIsNone(re.search(r"""(src|href)\s*=\s*["'](?!#|data:)""", without_scripts))
        self.assertFalse("<script src" in self.page)
        self.assertIn('name="viewport"', self.page)

    def test_texts_from_the_file_cannot_become_markup(self):
        self.assertTrue("synthetic &lt;/script&gt; day" in self.page)
        self.assertTrue("assumed from &lt;public&gt; figures" in self.page)
        self.assertEqual(charts_in(self.page).keys() >= {"chart-events"}, True)

    def test_an_assumed_word_stands_with_the_words_that_it_may_be(self):
        self.assertTrue('<td class="n">none</td><td colspan="3">none or full</td>' in self.page)
        self.assertTrue('<td class="n">90</td><td class="n">60</td>' in self.page)  # numbers as before

    def test_one_bin_of_a_millisecond_survives_in_page_and_picture(self):
        chart = charts_in(self.page)["chart-waveform_transients"]
        power = chart["data"][0]
        k = int(np.argmax(power["y"]))
        self.assertAlmostEqual(power["y"][k], synthetic_result.SPIKE_W / 1e6, places=4)
        self.assertAlmostEqual(power["x"][k], synthetic_result.SPIKE_s, places=2)
        self.assertLess(len(power["y"]), 10_000)
        with ResultFile(self.file) as result, house_style():
            axes = waveform.draw(result, "waveform_transients").axes[0]
        top = max(path.vertices[:, 1].max() for path in axes.collections[0].get_paths())
        self.assertAlmostEqual(top, synthetic_result.SPIKE_W / 1e6, places=6)

    def test_iteration_edges_are_exact(self):
        with ResultFile(self.file) as result:
            edges, load = waveform.iteration_edges(result)
            group = result.group("iteration")
            np.testing.assert_array_equal(edges, group["edge_s"])
            np.testing.assert_array_equal(load, group["load_W"][:-1])
            shown = charts_in(self.page)["chart-iteration"]["data"][0]
            np.testing.assert_allclose(shown["x"], edges - edges[0], rtol=0, atol=1e-6)
            np.testing.assert_allclose(shown["y"][:-1], load / 1e6, rtol=0, atol=1e-5)

    def test_the_boxes_hold_every_gpu_and_its_hottest(self):
        with ResultFile(self.file) as result:
            gpu = result.group("fleet")
            dies, clocks = fleet.groups(result)[0::2], fleet.groups(result)[1::2]
            self.assertEqual([len(group.names) for group in dies], [8, 32, 32])
            k = int(np.argmin(gpu["clock_Hz"]))
            for die, clock, place in zip(dies, clocks, (gpu["slot"], gpu["rack"] % 32, gpu["row"])):
                self.assertEqual(die.extreme.max(), gpu["die_K"].max() - 273.15)
                self.assertEqual(clock.extreme[place[k]], gpu["clock_Hz"][k] / 1e6)
                np.testing.assert_allclose(die.spread[:, 3], np.percentile(gpu["die_K"][place == 3], (5, 25, 50, 75, 95)) - 273.15)

    def test_the_module_runs_as_a_program(self):
        out, file = Path(self.folder.name) / "program", Path(self.folder.name) / "short.h5"
        synthetic_result.write(file, LONG_TO_DRAW)
        command = [sys.executable, "-m", "tidewatt.report", str(file), "--pictures", "--out", str(out)]
        environment = {"PYTHONPATH": str(Path(report.__file__).parents[2]), "PATH": "/usr/bin:/bin", "HOME": self.folder.name}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({Path(line) for line in done.stdout.split()}, set(out.iterdir()))
        self.assertLessEqual({"day.png", "day.svg", "report.html"}, {path.name for path in out.iterdir()})
        command[3] = str(out / "missing.h5")
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("Traceback", done.stderr)


class Incomplete(unittest.TestCase):
    def build(self, leave_out=(), change=None):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "r.h5"
            synthetic_result.write(file, leave_out)
            if change:
                with synthetic_result.edited(file) as f:
                    change(f)
            done = report.build(file, Path(folder) / "out", pictures=True)
            return done, {path.name for path in done.paths}, done.paths[0].read_text()

    def test_missing_groups_are_left_out_with_a_note(self):
        done, names, page = self.build(leave_out=("fleet", "spectrum", "waveform_transients", "iteration", "trust"))
        self.assertFalse(names & {"fleet.png", "spectrum.svg", "iteration.png"})
        self.assertTrue({"day.png", "run_power.png", "limiter.svg"} <= names)
        self.assertIn("fleet: /fleet is not in the file", done.notes)
        self.assertTrue("Not in this file" in page)

    def test_a_spectrum_without_a_line_is_left_out_with_a_note(self):
        def silence(file):
            file["spectrum/pcc_amplitude_W"][...] = 0.0

        done, names, _ = self.build(leave_out=LONG_TO_DRAW, change=silence)
        self.assertFalse(names & {"spectrum.png", "spectrum.svg"})
        self.assertTrue(any(note.startswith("spectrum: ") for note in done.notes))
        self.assertTrue({"day.png", "report.html"} <= names)

    def test_a_file_with_nothing_but_a_summary(self):
        def strip(file):
            for name in list(file):
                del file[name]

        _, names, page = self.build(change=strip)
        self.assertEqual(names, {"report.html"})
        self.assertTrue("16,384" in page)

    def test_an_empty_summary_and_a_job_that_never_iterates(self):
        def change(file):
            file.attrs["summary_json"] = json.dumps({"throughput_swing_percent": None})
            for name in ("throughput_tokens_per_s", "iteration_s"):
                file["day"][name][...] = np.nan
            file["hourly/throughput_tokens_per_s"][...] = np.nan

        _, names, page = self.build(leave_out=("fleet", "iteration"), change=change)
        self.assertTrue({"day.png", "waveform_transients.png", "report.html"} <= names)
        self.assertIsNone(re.search(r"\bnan\b", re.sub(r"<script>.*?</script>", "", page, flags=re.S), re.I))

    def test_a_run_of_minutes_shows_its_own_clock(self):
        def shorten(file):
            for name, item in list(file["day"].items()):
                values, attributes = item[:10], dict(item.attrs)
                del file["day"][name]
                file["day"][name] = values
                file["day"][name].attrs["units"] = attributes.get("units", "")
            summary = json.loads(file.attrs["summary_json"])
            file.attrs["summary_json"] = json.dumps({**summary, "simulated_s": 600.0})

        _, names, page = self.build(leave_out=("fleet", "waveform_transients"), change=shorten)
        self.assertIn("day.png", names)
        self.assertRegex(page, r"time since the start of the run, \d{4}-\d\d-\d\d \d\d:\d\d \(min\)")


class Downsampling(unittest.TestCase):
    def setUp(self):
        self.t = np.arange(123_457) * 1e-3
        self.y = np.random.default_rng(2).standard_normal(self.t.size)

    def test_extremes_survive_wherever_they_are(self):
        for k in (0, 1, 61_111, self.y.size - 1):
            y = self.y.copy()
            y[k], y[k // 2 + 7] = 99.0, -99.0
            for n in (1, 10, 1500):
                x, low, high = downsample.band(self.t, y, y, n)
                self.assertEqual((low.min(), high.max(), len(x)), (-99.0, 99.0, n))
                x, line = downsample.line(self.t, y, n)
                self.assertEqual((line.min(), line.max()), (-99.0, 99.0))
                self.assertEqual(x[line.argmax()], self.t[k])
                self.assertTrue((np.diff(x) > 0).all() and len(x) <= 2 * n)

    def test_few_points_stay_as_they_are(self):
        _, y = downsample.line(self.t[:100], self.y[:100], 50)
        np.testing.assert_array_equal(y, self.y[:100])
        _, low, high = downsample.band(self.t[:7], self.y[:7], self.y[:7], 100)
        np.testing.assert_array_equal(low, self.y[:7])
        np.testing.assert_array_equal(high, self.y[:7])

    def test_means_add_up_and_gaps_stay_gaps(self):
        y = self.y[:120_000]
        self.assertAlmostEqual(downsample.mean(y, 100).mean(), y.mean(), places=12)
        y = y.copy()
        y[:6000] = np.nan
        mean = downsample.mean(y, 100)
        self.assertTrue(np.isnan(mean[:5]).all() and np.isfinite(mean[5:]).all())
        _, low, high = downsample.band(self.t[:120_000], y, y, 100)
        self.assertTrue(np.isnan(low[:5]).all() and np.isfinite(high[5:]).all())

    def test_spectral_lines_keep_frequency_and_height(self):
        f = np.arange(1, 40_000) * 0.0152
        amplitude = np.full(f.size, 1.0)
        amplitude[31_234] = 500.0
        x, y = downsample.log_peaks(f, amplitude, 300)
        self.assertEqual(x[y.argmax()], f[31_234])
        self.assertEqual(y.max(), 500.0)
        self.assertLessEqual(len(x), 300)

    def test_numbers_of_the_page_keep_their_digits_and_their_gaps(self):
        values, many = 1.02 + 1e-5 * np.random.default_rng(3).standard_normal(5000), np.cumsum(self.y[:50_000])
        values[[0, 70, 4999]] = np.nan
        packed = {"a": values, "steps": 7.0 + 0.25 * np.arange(9), "many": many, "one": np.array([np.nan]), "flat": np.full(5, 3.5)}
        out = page_numbers.unpacked(*page_data.packed(packed))
        np.testing.assert_allclose(out["a"], values, rtol=0, atol=np.nanmax(values) * 1e-11)
        np.testing.assert_array_equal(out["steps"], packed["steps"])
        np.testing.assert_allclose(out["many"], many, rtol=0, atol=np.ptp(many) / 65000)
        self.assertTrue(np.isnan(out["one"]).all() and (out["flat"] == 3.5).all())


if __name__ == "__main__":
    unittest.main()
