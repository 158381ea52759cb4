"""The grid's side of the command line: verdicts beside the result, sizes that pass."""
import json
import pathlib
import tomllib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "acceptance"))
import product  # noqa: E402

TINY = ROOT / "tests" / "scenarios" / "tiny.toml"
BINARY = product.find_binary()
RULE = ('site.rules={title="t",date="d",rule={swing={title="s",figure="band_rms",low_Hz=0.1,high_Hz=1.0,limit_MW=0.004}}}')


class Grid(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.figures = product.run(BINARY, TINY, cls.folder.name, {"site.rules": "power_stabilization_example"}).json

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def call(self, *arguments):
        return product.call([BINARY, *arguments])

    def test_each_rule_set_has_its_verdict_as_text_page_and_json(self):
        self.assertIn(self.figures["compliance"], ("pass", "fail", "undecided", "not measured"))
        stem = pathlib.Path(self.folder.name) / "tiny_power_stabilization_example"
        self.assertIn("Dynamic range", stem.with_suffix(".txt").read_text())
        self.assertIn("<svg", stem.with_suffix(".html").read_text())
        rules = json.loads(stem.with_suffix(".json").read_text())
        self.assertEqual(len(rules["outcomes"]), 4)

    def test_what_cannot_be_exported_is_said(self):
        self.assertEqual(self.call("export", TINY, "--format", "csv").code, 2)

    def test_a_network_of_files_answers_a_loss_of_load_and_names_unknown_models(self):
        stem = ROOT / "scenarios" / "networks" / "kundur_two_area"
        out = pathlib.Path(self.folder.name) / "step.csv"
        files = ("--raw", f"{stem}.raw", "--dyr", f"{stem}.dyr")
        found = self.call("machines", *files, "--bus", "7", "--step-MW", "-200", "--length-s", "10", "--out", out, "--json").json
        self.assertAlmostEqual(found["rocof_Hz_per_s"] / found["expected_rocof_Hz_per_s"], 1, delta=0.01)
        self.assertTrue(all(m["first_2s_mHz"] > 0 and m["lowest_mHz"] > -1e-6 for m in found["machines"]))
        self.assertEqual(len(out.read_text().splitlines()[0].split(",")), 2 + 2 * 4 + 1)
        unknown = pathlib.Path(self.folder.name) / "unknown.dyr"
        unknown.write_text(pathlib.Path(f"{stem}.dyr").read_text().replace("2 'TGOV1'", "2 'WSIEG1'"))
        outcome = self.call("machines", "--raw", f"{stem}.raw", "--dyr", unknown, "--step-MW", "-200")
        self.assertEqual(outcome.code, 2)
        self.assertRegex(outcome.stderr, r"unknown\.dyr:11:0: WSIEG1: model of unit 1 at bus 2 is not known")
        self.assertEqual(self.call("machines", "--raw", f"{stem}.raw", "--step-MW", "-200").code, 2)

    def test_a_waveform_plays_on_a_network_of_files(self):
        stem = ROOT / "scenarios" / "networks" / "kundur_two_area"
        result = self.figures["result_file"]
        outcome = self.call("machines", result, "--raw", f"{stem}.raw", "--dyr", f"{stem}.dyr", "--bus", "7", "--dispatch-s", "2", "--length-s", "10", "--json")
        self.assertEqual(outcome.code, 0, outcome.stderr)
        self.assertGreater(outcome.json["dispatch_MW"], 0)
        self.assertGreater(max(m["highest_mHz"] for m in outcome.json["machines"]), 0)

    def test_supplies_behind_an_impedance_have_modes_an_onset_and_files(self):
        stem = pathlib.Path(self.folder.name) / "stability"
        site = ("stability", "--load-MW", "200", "--rating-MW", "400", "--short-circuit-MVA", "1200", "--gain", "3", "--out", stem)
        found = self.call(*site, "--json").json
        self.assertTrue(found["stable"])
        self.assertAlmostEqual(found["onset_simulated"]["load_MW"] / found["onset"]["load_MW"], 1, delta=0.02)
        self.assertEqual([pathlib.Path(f).suffix for f in found["files"]], [".csv", ".svg"])
        self.assertIn("onset by eigenvalues: oscillates from", self.call(*site).stdout)
        self.assertEqual(self.call(*site, "--control", "psu").code, 2)
        self.assertIn("--short-circuit-MVA", self.call("stability", "--load-MW", "200").stderr)

    def test_one_machine_with_reserves_and_orders_without_any(self):
        out = pathlib.Path(self.folder.name) / "frequency.csv"
        held = self.call("machines", "--grid", "ercot_like_60GVA", "--reserves", "three_stages", "--step-MW", "6000", "--out", out, "--json").json
        self.assertIsNotNone(held["stages"][0]["open_s"])
        self.assertEqual(self.call("machines", "--reserves", "three_stages", "--step-MW", "6000").code, 2)
        outcome = self.call("orders", TINY, self.figures["result_file"])
        self.assertEqual(outcome.code, 2)
        self.assertIn("no order of the utility", outcome.stderr)

    def test_size_without_rules_says_what_is_missing(self):
        outcome = self.call("size", TINY)
        self.assertEqual(outcome.code, 2)
        self.assertIn("site.rules", outcome.stderr)

    def test_gpus_of_a_new_site_are_written_as_a_scenario_that_holds_the_contract(self):
        first, found = (str(pathlib.Path(self.folder.name) / name) for name in ("rack.toml", "found.toml"))
        self.assertEqual(self.call("new", "--rack", "gb200_nvl72", "--model", "llama3_8b", "--hours", "0.3", first).code, 0)
        size = ["size", first, "--for", "gpus", "--contract-MW", "1", "--new-site", "--write", found]
        outcome = self.call(*size)
        self.assertEqual(outcome.code, 0, outcome.stderr)
        self.assertIn("bound by contract", outcome.stdout)
        self.assertIn("whole units of 72 GPUs", outcome.stdout)
        answer = self.call(*size, "--json").json
        whole = product.run(BINARY, found, self.folder.name).json
        self.assertEqual((whole["n_gpu"], whole["n_rack"]), (answer["n_gpu"], answer["n_rack"]))
        self.assertEqual(whole["n_gpu"] % 72, 0)
        self.assertLess(whole["pcc_mean_MW"], 1.0)

    def test_a_scenario_written_with_overrides_has_them(self):
        first, found = (str(pathlib.Path(self.folder.name) / name) for name in ("small.toml", "kept.toml"))
        self.assertEqual(self.call("new", "--racks", "2", "--hours", "0.3", first).code, 0)
        size = ["size", first, "--for", "gpus", "--contract-MW", "0.3", "--write", found, "--json"]
        answer = self.call(*size, "--set", "hall.a.cap_W=500", "--set", "weather.climate=phoenix_az", "--set", "hall.a.n_gpu=128").json
        whole = tomllib.loads(pathlib.Path(found).read_text(encoding="utf-8"))
        self.assertEqual(whole["hall"][0]["cap_W"], 500)
        self.assertEqual(whole["weather"], {"climate": "phoenix_az", "day": "extreme"})
        self.assertEqual(whole["hall"][0]["n_gpu"], answer["n_gpu"])  # what was found, not what was given
        self.assertEqual(self.call("check", found).code, 0)

    def test_the_gpus_proposed_are_a_number_that_the_plan_takes(self):
        first, found = (str(pathlib.Path(self.folder.name) / name) for name in ("moe.toml", "moe_found.toml"))
        self.assertEqual(self.call("new", "--rack", "gb300_nvl72", "--racks", "24", "--model", "deepseek_v3_like", "--hours", "0.3", first).code, 0)
        outcome = self.call("size", first, "--for", "gpus", "--contract-MW", "6", "--new-site", "--peak", "--write", found)
        self.assertEqual(outcome.code, 0, outcome.stderr)
        self.assertEqual(self.call("check", found).code, 0)

    def test_caps_are_compared_at_one_contract_with_a_reason(self):
        outcome = self.call("size", TINY, "--for", "cap", "--caps", "3", "--lowest-cap-frac", "0.7", "--set", "run.duration_h=0.05")
        self.assertEqual(outcome.code, 0, outcome.stderr)
        self.assertIn("best cap:", outcome.stdout)
        self.assertIn("why not lower:", outcome.stdout)
        self.assertEqual(self.call("size", TINY, "--for", "cap", "--write", "x.toml").code, 2)

    def test_the_cheapest_portfolio_passes_when_run_as_a_whole(self):
        found = self.call("size", TINY, "--json", "--quiet", "--evaluations", "6", "--set", RULE, "--set", "site.rules_from_s=40").json
        self.assertTrue(found["found"])
        self.assertEqual(found["confirmed"], "pass")
        passing = [e["yearly_USD"] for e in found["best"] if e["passes"]]
        self.assertEqual(passing, sorted(passing))
        self.assertEqual(found["fleet_runs"], 3)


if __name__ == "__main__":
    unittest.main()
