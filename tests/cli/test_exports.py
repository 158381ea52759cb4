"""Exports as other programs read them: every sample, extremes, RMS, times; means that keep the energy; peaks; bad input.

Third-party readers run in the environment of scripts/oracles; without it their tests skip. PSCAD and ElmFile have no reader
to be had: their tests use readers of this repository, written from the formats' rules.
"""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "acceptance"))
import export_readers as readers  # noqa: E402
import product  # noqa: E402

TINY = ROOT / "tests" / "scenarios" / "tiny.toml"
BINARY = product.find_binary()


class Exports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            import h5py  # noqa: F401
        except ImportError:
            raise unittest.SkipTest("h5py is not installed") from None
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.result = product.run(BINARY, TINY, cls.folder, {"record.window.sample.start_s": 40, "record.window.sample.duration_s": 10}).json["result_file"]
        cls.time_s, cls.values = readers.truth(cls.result, "sample")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def export(self, name, *arguments):
        outcome = product.call([BINARY, "export", self.result, "--out", self.folder / name, *arguments])
        self.assertEqual(outcome.code, 0, outcome.stderr)
        return outcome

    def compare(self, read, resolution_of, channels=4, values=None, start_s=40.0):
        values = values or self.values
        for k in range(channels):
            step = resolution_of(values[k])
            off = readers.differences(read["values"][k], values[k], step)
            self.assertEqual(off["missing"], 0)
            self.assertEqual(len(read["values"][k]), len(values[k]))
            for key in ("max", "min", "rms", "at_max"):
                self.assertLessEqual(abs(off[key]), step, (k, key, off))
        for t, own in zip(read["time_s"], self.time_s):
            self.assertAlmostEqual(t + start_s, own, places=9)

    @staticmethod
    def whole_numbers(most):
        return lambda x: (max(x) - min(x)) / (2 * most) + 1e-15 * max(abs(v) for v in x)

    def third_party(self, program, file):
        if readers.oracles() is None:
            self.skipTest("no independent readers here: scripts/oracles makes them")
        return readers.third_party(program, file)

    def test_comtrade_is_read_by_two_programs(self):
        float32 = lambda x: max(abs(v) for v in x) * 2**-24 * 1.01
        for form, encoding, ending, resolution in (
                ("comtrade", "ascii", "cfg", self.whole_numbers(99998)), ("comtrade", "binary", "cfg", self.whole_numbers(32767)),
                ("comtrade2013", "ascii", "cff", self.whole_numbers(99998)), ("comtrade2013", "binary", "cff", self.whole_numbers(32767)),
                ("comtrade2013", "float32", "cff", float32)):
            name = f"{form}_{encoding}"
            self.export(name, "--format", form, "--encoding", encoding)
            for program in ("comtrade", "comtrade_io"):
                if (program, encoding) == ("comtrade_io", "float32"):
                    continue  # it reads the bits as whole numbers
                with self.subTest(name, program=program):
                    read = self.third_party(program, self.folder / name / f"tiny_sample.{ending}")
                    self.compare(read, resolution)
                    self.assertEqual(read["start"], "2024-07-20T14:00:40")
                    if program == "comtrade":
                        self.assertEqual((read["station"], read["units"]), ("tiny", ["MW", "Mvar", "pu", "Hz"]))

    def test_no_comtrade_value_is_the_mark_of_a_missing_one(self):
        self.export("marks", "--format", "comtrade", "--encoding", "ascii")
        stored = [int(x) for line in (self.folder / "marks" / "tiny_sample.dat").read_text().split() for x in line.split(",")[2:]]
        self.assertEqual((max(stored), min(stored)), (99998, -99998))

    def test_open_dss_reads_both_powers(self):
        self.export("dss", "--format", "opendss")
        read = self.third_party("opendss", self.folder / "dss" / "tiny_sample.dss")
        self.assertTrue(read["actual"])
        in_kW = [[1e3 * v for v in c] for c in self.values]
        self.compare(read, lambda x: 1e-9 * max(abs(v) for v in x), 2, in_kW)

    def test_andes_plays_every_sample(self):
        self.export("andes", "--format", "andes", "--begin", "40", "--length", "0.2", "--load", "PQ_7")
        read = self.third_party("andes", self.folder / "andes" / "tiny_sample_andes_timeseries.csv")
        in_pu = [[v / 100 for v in c[:200]] for c in self.values]
        self.compare(read, lambda x: 1e-9 * max(abs(v) for v in x), 2, in_pu)

    def test_pscad_and_elmfile_by_their_rules(self):
        ten_digits = lambda x: 1e-9 * max(abs(v) for v in x)
        self.export("pscad", "--format", "pscad")
        read = readers.pscad(self.folder / "pscad" / "tiny_sample_pscad.txt")
        self.compare(read, ten_digits)
        self.assertIn("pcc_P_MW pcc_Q_Mvar bus_V_pu frequency_Hz", read["comment"])
        self.export("elm", "--format", "powerfactory")
        self.compare(readers.elmfile(self.folder / "elm" / "tiny_sample_elmfile.txt"), ten_digits)

    def test_csv_reads_back_to_the_same_bits_and_says_where_it_is_from(self):
        self.export("csv", "--format", "csv")
        read = readers.csv(self.folder / "csv" / "tiny_sample.csv")
        self.assertEqual(read["values"], self.values)
        self.assertEqual(read["time_s"][:2], [40.0, 40.001])
        self.assertIn("scenario sha256", "".join(read["notes"]))

    def test_means_keep_the_energy_and_peaks_the_extremes(self):
        self.export("means", "--format", "csv", "--step", "0.25")
        means = readers.csv(self.folder / "means" / "tiny_sample.csv")["values"]
        self.assertEqual(len(means[0]), 40)
        for k in range(2):
            self.assertAlmostEqual(sum(means[k]) * 0.25 / (sum(self.values[k]) * 0.001), 1.0, delta=1e-12)
        self.export("peaks", "--format", "csv", "--step", "0.25", "--peaks")
        read = readers.csv(self.folder / "peaks" / "tiny_sample.csv")
        for own, peaks in zip(self.values, read["values"]):
            self.assertEqual((max(peaks), min(peaks)), (max(own), min(own)))
            for s in range(40):
                step = own[250 * s:250 * s + 250]
                first, last = (min(step), max(step)) if step.index(min(step)) <= step.index(max(step)) else (max(step), min(step))
                self.assertEqual(peaks[2 * s:2 * s + 2], [first, last])
        self.assertIn("RMS and energy are not kept", "".join(read["notes"]))

    def dyr(self, name, *arguments):
        self.export(name, *arguments)
        return next((self.folder / name).glob("*.dyr"))

    def test_perc1_is_the_same_file_for_every_window_and_instant_and_keeps_its_rules(self):
        files = [self.dyr(f"perc1_{i}", "--format", "perc1", *cut) for i, cut in enumerate(((), ("--begin", "41.3", "--length", "2"), ("--window", "sample", "--begin", "47")))]
        self.assertEqual(len({f.read_bytes() for f in files}), 1)
        read = readers.dyr(files[0])
        self.assertEqual(readers.dyr_findings(read), [])
        notes = "\n".join(read["notes"])
        for words in ("scenario sha256", "remainder without a record", "check: ", "below 0.8 pu for longer than 0.5 s", "tidewatt"):
            self.assertIn(words, notes)
        self.assertEqual([r["values"]["Vcease"] for r in read["records"]], [0.7])

    def test_records_of_spread_settings_are_cut_into_equal_shares(self):
        read = readers.dyr(self.dyr("spread", "--format", "perc1", "--settings", "ups_spread", "--bus", "42"))
        self.assertEqual(readers.dyr_findings(read), [])
        self.assertEqual({r["bus"] for r in read["records"]}, {42})
        levels = [r["values"]["Vcease"] for r in read["records"]]
        self.assertEqual(len(levels), 8)
        self.assertAlmostEqual(sum(levels) / 8, 0.85, places=9)

    def test_a_counter_is_said_and_a_site_that_no_record_holds_is_refused_as_unfit(self):
        self.assertIn("no state for its counter", self.export("counter", "--format", "perc1", "--settings", "ups_counter").stderr)
        own = self.folder / "motors.toml"
        own.write_text("[group.pumps]\nof = 'plant'\nshare_frac = 1\nkind = 'motor'\n")
        for form in ("perc1", "cmpldw"):
            outcome = product.call([BINARY, "export", self.result, "--format", form, "--settings", own, "--out", self.folder / "unfit"])
            self.assertEqual(outcome.code, 5, outcome.stderr)
            self.assertIn("refused as unfit", outcome.stderr)
        self.assertFalse((self.folder / "unfit").exists())

    def test_composite_and_repeating_records_keep_their_rules(self):
        composite = readers.dyr(self.dyr("composite", "--format", "cmpldw", "--settings", "ups_spread"))
        self.assertEqual(readers.dyr_findings(composite), [])
        self.assertEqual(len(composite["records"]), 2)
        repeating = readers.dyr(self.dyr("repeating", "--format", "linjbl"))
        self.assertEqual(readers.dyr_findings(repeating), [])

    def test_drives_beside_perc1_share_no_load_id_with_it(self):
        site = ("--settings", "ups_central")
        supplies, drives, alone = (readers.dyr(self.dyr(f"set_{i}", "--format", form, *site, *more))
                                   for i, (form, more) in enumerate((("perc1", ()), ("cmpldw", ("--drives-only",)), ("cmpldw", ()))))
        self.assertEqual(readers.dyr_findings({"records": supplies["records"] + drives["records"]}), [])
        self.assertEqual([(len(r["records"])) for r in (supplies, drives, alone)], [1, 1, 2])
        self.assertIn("complete alternative to PERC1", "".join(alone["notes"]))
        self.assertIn("drives only", "".join(drives["notes"]))

    def test_a_second_pack_takes_the_first_one_s_files_away_and_leaves_the_rest(self):
        folder = self.folder / "pack"

        def pack(*more):
            return product.call([BINARY, "file", TINY, self.result, "--for", "ieso_2026", "--as-if", "--no-pdf", "--out", folder, *more])

        first = pack("--settings", "ups_central")
        self.assertEqual(first.code, 0, first.stderr)
        # The result has a window of its own, so it is of another scenario.
        self.assertIn(f"{self.result} is of another scenario than {TINY}", first.stderr)
        records = [readers.dyr(f)["records"] for f in sorted(folder.glob("*.dyr"))]
        self.assertEqual(readers.dyr_findings({"records": [r for some in records for r in some]}), [])
        self.assertTrue((folder / "tiny_cmpldw.dyr").exists())
        (folder / "notes.txt").write_text("mine")
        second = pack("--current-limit-pu", "1.25")
        self.assertEqual(second.code, 0, second.stderr)
        self.assertFalse((folder / "tiny_cmpldw.dyr").exists())
        self.assertTrue((folder / "notes.txt").exists())
        self.assertIn("removed, of the older pack: tiny_cmpldw.dyr", second.stdout)
        self.assertIn("left in the folder: notes.txt", second.stdout)

    def test_committed_samples_keep_every_rule_and_the_reader_sees_what_breaks_one(self):
        for file in sorted((pathlib.Path(__file__).parent / "samples").glob("*.dyr")):
            with self.subTest(file.name):
                self.assertEqual(readers.dyr_findings(readers.dyr(file)), [])
        text = (pathlib.Path(__file__).parent / "samples" / "perc1.dyr").read_text()
        broken = self.folder / "broken.dyr"
        for change in (lambda t: t.rstrip()[:-1], lambda t: t.replace(" 0.8 0.66", " 0.66", 1)):
            broken.write_text(change(text))
            self.assertRaises(ValueError, readers.dyr, broken)
        broken.write_text(text.replace(" 0.85 0 0 0.9 ", " 0.95 0 0 0.9 "))
        self.assertEqual(readers.dyr_findings(readers.dyr(broken)), ["PERC1 1: Vrecon below Vcease"])

    def test_sizes_are_said_before_and_are_right(self):
        said = self.export("sizes", "--format", "comtrade").stdout
        for file in (self.folder / "sizes").iterdir():
            self.assertIn(f"{file}: {file.stat().st_size} bytes", said)

    def test_bad_input_is_one_message_and_writes_nothing(self):
        for arguments, words in ((("csv", "--begin", "20"), ("begin", "40 to 50 s")), (("csv", "--length", "99"), ("length", "40 to 50 s")),
                                 (("csv", "--step", "0.3"), ("step", "--length 9.9")), (("csv", "--step", "0.0005"), ("step", "whole number")),
                                 (("csv", "--peaks",), ("peaks", "--step")), (("comtrade", "--encoding", "float32"), ("comtrade2013",)),
                                 (("csv", "--encoding", "ascii"), ("--encoding", "comtrade")), (("csv", "--window", "other"), ("sample",)),
                                 (("perc1", "--window", "other"), ("sample",)), (("perc1", "--settings", "ups_spred"), ("ups_spread",)), (("csv", "--settings", "ups_spread"), ("--settings", "perc1")),
                                 (("csv", "--bus", "3"), ("--bus", "perc1")), (("perc1", "--drives-only"), ("--drives-only", "cmpldw")), (("perc1", "--program", "psse37"), ("psse37", "psse36", "powerworld24")),
                                 (("nothing",), ("nothing",))):
            with self.subTest(arguments):
                outcome = product.call([BINARY, "export", self.result, "--out", self.folder / "bad", "--format", *arguments])
                self.assertEqual(outcome.code, 2, outcome.stderr)
                for word in words:
                    self.assertIn(word, outcome.stderr)
                self.assertFalse((self.folder / "bad").exists())


if __name__ == "__main__":
    unittest.main()
