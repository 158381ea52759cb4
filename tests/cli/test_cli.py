#!/usr/bin/python3
"""The command `tidewatt` as a user calls it: contract of `run --json`, overrides, exit codes and messages."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "acceptance"))
import product  # noqa: E402

SCENARIOS = ROOT / "tests" / "scenarios"
TINY = SCENARIOS / "tiny.toml"
BINARY = product.find_binary()

NUMBER, WHOLE, TEXT, TABLE, LIST = (int, float), int, str, dict, list
CONTRACT = {
    "schema_version": WHOLE, "simulated_s": NUMBER, "wall_s": NUMBER, "n_gpu": WHOLE, "n_rack": WHOLE, "scale_up_gpus": WHOLE, "iteration_s": NUMBER,
    "tflops_per_gpu": NUMBER, "mfu_percent": NUMBER, "mfu_bf16_percent": NUMBER, "hfu_percent": NUMBER, "utilisation_peak_TF": NUMBER,
    "utilisation_precision": TEXT, "mfu_attention": TEXT, "hfu_attention": TEXT, "peak_FLOP_per_s": NUMBER, "precision": TEXT,
    "tokens_per_s_mean": NUMBER, "tokens_per_J": NUMBER, "throughput_swing_percent": NUMBER, "throughput_swing_floor_percent": NUMBER, "throughput_min_hours": LIST, "clock_mean_MHz": NUMBER, "clock_slowest_MHz": NUMBER,
    "clock_alone_MHz": NUMBER, "slowest_behind_percent": NUMBER, "straggler_loss_percent": NUMBER, "die_max_degC": NUMBER, "die_mean_degC": NUMBER, "memory_mean_degC": NUMBER, "memory_max_degC": NUMBER,
    "limiter_share": TABLE, "stops_failure": TABLE, "stops_kill": TABLE, "stops_power_loss": TABLE, "fan_cycling_nodes": WHOLE, "it_mean_MW": NUMBER, "pcc_mean_MW": NUMBER, "pcc_max_MW": NUMBER,
    "pcc_min_MW": NUMBER, "pcc_step_1s_max_MW": NUMBER, "pcc_ramp_up_max_MW_per_s": NUMBER,
    "pcc_ramp_down_max_MW_per_s": NUMBER, "pcc_dominant_Hz": NUMBER, "pcc_dominant_MW": NUMBER, "rules_from_s": NUMBER, "rules_until_s": NUMBER, "freq_deviation_max_mHz": NUMBER,
    "volt_deviation_max_percent": NUMBER, "pue": NUMBER, "wue_L_per_kWh": NUMBER, "capacity_margin_min_percent": NUMBER, "capacity_margin_part": TEXT,
    "heat_reused_MWh": NUMBER, "n_interruptions_unexpected": WHOLE,
    "n_interruptions_thermal": WHOLE, "n_interruptions_planned": WHOLE, "effective_time_percent": NUMBER, "energy_closure": NUMBER,
    "input_energy_error": NUMBER, "payload_sha256": TEXT, "result_file": TEXT, "jobs": LIST, "weather_from": TABLE,
}
# What has no meaning while no job has trained.
OF_TRAINING = ("iteration_s", "tflops_per_gpu", "mfu_percent", "hfu_percent", "tokens_per_s_mean", "throughput_swing_percent",
               "mfu_bf16_percent", "clock_mean_MHz", "clock_slowest_MHz", "clock_alone_MHz", "slowest_behind_percent", "straggler_loss_percent", "pcc_dominant_Hz", "pcc_dominant_MW")
# Refusals take well under a second; CPU time, because other work on a machine must not fail a test.
REFUSAL_CPU_S = 0.5


def check(path, *more):
    return product.call([BINARY, "check", path, *more])


class RunsOnce(unittest.TestCase):
    """One run of the tiny case, looked at from all sides."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = cls.folder.name
        cls.outcome = product.run(BINARY, TINY, cls.out)
        cls.figures = cls.outcome.json

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_key_of_the_contract_is_there_with_its_type(self):
        for key, kind in CONTRACT.items():
            with self.subTest(key):
                self.assertIn(key, self.figures)
                if self.figures[key] is not None:
                    self.assertIsInstance(self.figures[key], kind)
                    self.assertNotIsInstance(self.figures[key], bool)

    def test_every_key_is_listed(self):
        scope = {row["key"]: row["scope"] for row in json.loads(product.call([BINARY, "figures", "--json"]).stdout)}
        self.assertEqual([{scope[key] for key in keys} for keys in (set(self.figures) - {"jobs", "defaults"}, self.figures["jobs"][0])], [{"site", "both"}, {"job", "both"}])

    def test_headlines_have_intervals_that_change_nothing_else(self):
        with tempfile.TemporaryDirectory() as out:
            f = product.run(BINARY, TINY, out, interval=True).json
        self.assertEqual(f["payload_sha256"], self.figures["payload_sha256"])
        self.assertFalse({"interval", "pue_p05"} & set(self.figures))
        parts = f["interval"]["parts"]
        self.assertEqual(list(parts), ["fleet", "instant", "inputs", "weather", "model"])
        self.assertEqual(f["interval"]["n_draw"], sum(p["n_draw"] for p in parts.values()))
        self.assertEqual((parts["inputs"]["n_draw"], parts["inputs"]["n_failed"]), (32, 0))
        for key in ("pcc_mean_MW", "pcc_step_1s_max_MW", "pcc_ramp_down_max_MW_per_s", "pue"):
            with self.subTest(key):
                self.assertLess(f[key + "_p05"], f[key + "_p95"])
                self.assertGreater(f["interval"]["monte_carlo_error"][key]["p05"], 0.0)
                keys = list(f)
                self.assertEqual(keys[keys.index(key) + 1 : keys.index(key) + 4], [key + "_p05", key + "_p50", key + "_p95"])
        self.assertIsNone(f["throughput_swing_percent_p05"])

    def test_stdout_is_one_object_and_nothing_else(self):
        self.assertEqual(len(self.outcome.stdout.strip().splitlines()), 1)
        self.assertEqual(self.outcome.stderr, "")

    def test_figures_agree_with_each_other(self):
        f = self.figures
        self.assertEqual(f["simulated_s"], 112.5)
        self.assertEqual(f["n_gpu"], 128)
        self.assertAlmostEqual(f["mfu_percent"], 100 * f["tflops_per_gpu"] / 989.4, delta=1e-3 * f["mfu_percent"])
        self.assertEqual((f["n_rack"], f["scale_up_gpus"], f["precision"], f["peak_FLOP_per_s"]), (8, 8, "bf16", 989.4e12))
        self.assertAlmostEqual(f["tokens_per_J"] * f["pcc_mean_MW"] * 1e6 * f["simulated_s"] / f["jobs"][0]["tokens"], 1.0, places=12)
        self.assertAlmostEqual(f["tokens_per_s_mean"] * f["iteration_s"], 64 * 8192, delta=1e-3 * 64 * 8192)
        self.assertLessEqual(f["clock_slowest_MHz"], f["clock_mean_MHz"])
        self.assertLess(f["die_mean_degC"], f["die_max_degC"])
        self.assertLess(f["pcc_min_MW"], f["pcc_mean_MW"])
        self.assertLess(f["pcc_mean_MW"], f["pcc_max_MW"])
        self.assertAlmostEqual(f["pue"], f["pcc_mean_MW"] / f["it_mean_MW"], places=12)
        self.assertLessEqual(f["pcc_step_1s_max_MW"], f["pcc_max_MW"] - f["pcc_min_MW"])
        self.assertAlmostEqual(sum(f["limiter_share"].values()), 1.0, places=9)
        self.assertLessEqual(f["energy_closure"], 1e-11)
        self.assertLessEqual(f["input_energy_error"], 1e-12)

    def test_an_hour_with_little_training_has_no_swing(self):
        self.assertIsNone(self.figures["throughput_swing_percent"])
        self.assertEqual(self.figures["throughput_min_hours"], [])

    def test_jobs_are_listed_with_the_figures_of_the_top(self):
        job, = self.figures["jobs"]
        self.assertEqual(job["name"], "main")
        for key in ("iteration_s", "tokens_per_s_mean", "mfu_percent", "mfu_bf16_percent", "clock_mean_MHz", "clock_slowest_MHz",
                    "straggler_loss_percent", "it_mean_MW"):
            self.assertAlmostEqual(job[key] / self.figures[key], 1.0, places=9)
        self.assertEqual(job["tokens"], 64 * 8192 * job["n_iterations"])

    def test_result_file_is_where_it_says_with_the_hash_it_says(self):
        file = Path(self.figures["result_file"])
        self.assertEqual(file.parent, Path(self.out))
        try:
            import h5py  # noqa: F401
        except ImportError:
            self.skipTest("h5py is not installed")
        recomputed = product.call([sys.executable, ROOT / "scripts" / "hash_result", file, "--check"])
        self.assertEqual(recomputed.code, 0, recomputed.stderr)
        self.assertEqual(recomputed.stdout.strip(), self.figures["payload_sha256"])

    def test_threads_and_repetition_do_not_change_a_bit(self):
        for more in (["--threads", 1], ["--threads", 2], ["--threads", 3]):
            with self.subTest(more), tempfile.TemporaryDirectory() as out:
                again = product.run(BINARY, TINY, out, more=more).json
                self.assertEqual(again["payload_sha256"], self.figures["payload_sha256"])

    def test_seed_draws_other_chips(self):
        with tempfile.TemporaryDirectory() as out:
            other = product.run(BINARY, TINY, out, more=["--seed", 2]).json
            same = product.run(BINARY, TINY, out, {"run.seed": 2}).json
        self.assertNotEqual(other["payload_sha256"], self.figures["payload_sha256"])
        self.assertNotEqual(other["clock_slowest_MHz"], self.figures["clock_slowest_MHz"])
        self.assertEqual(other["payload_sha256"], same["payload_sha256"])

    def test_set_reaches_scenario_and_catalog_values(self):
        with tempfile.TemporaryDirectory() as out:
            capped = product.run(BINARY, TINY, out, {"hall.a.cap_W": 400}).json
            leaky = product.run(BINARY, TINY, out, {"hall.a.gpu.power.leakage_W": 140}).json
        self.assertLess(capped["clock_mean_MHz"], self.figures["clock_mean_MHz"])
        self.assertGreater(capped["iteration_s"], self.figures["iteration_s"])
        self.assertLess(leaky["clock_slowest_MHz"], self.figures["clock_slowest_MHz"])

    def test_all_names_every_figure(self):
        with tempfile.TemporaryDirectory() as out:
            plain = product.call([BINARY, "run", TINY, "--quiet", "--all", "--out", out])
        self.assertEqual(plain.code, 0, plain.stderr)
        for key, value in self.figures.items():
            if key not in ("jobs", "defaults", "wall_s") and value is not None:
                self.assertIn(f"\n{key} ", plain.stdout)

    def test_the_summary_is_sentences_then_a_table(self):
        with tempfile.TemporaryDirectory() as out:
            plain = product.call([BINARY, "run", TINY, "--quiet", "--out", out])
        self.assertEqual(plain.code, 0, plain.stderr)
        first = plain.stdout.splitlines()[0]
        self.assertIn("128 GPUs process", first)
        self.assertTrue(first.endswith("."))
        self.assertIn("\nPower at the connection\n", plain.stdout)
        self.assertNotIn("energy_closure", plain.stdout)


class Nulls(unittest.TestCase):
    def test_what_does_not_apply_is_null_and_nothing_is_nan(self):
        with tempfile.TemporaryDirectory() as out:
            outcome = product.run(BINARY, TINY, out, {"job.main.life.start_s": 100000})
        figures = outcome.json
        for key in OF_TRAINING:
            with self.subTest(key):
                self.assertIsNone(figures[key])
        json.loads(outcome.stdout, parse_constant=lambda word: self.fail(f"{word} is not JSON"))
        self.assertGreater(figures["it_mean_MW"], 0)


class BadInput(unittest.TestCase):
    def test_unexpected_arguments_are_named_as_they_were_typed(self):
        outcome = product.call([BINARY, "new", "x.toml", "--rakcs", "24"])
        self.assertEqual(outcome.code, 2)
        self.assertIn("--rakcs 24", outcome.stderr)
        self.assertIn("did you mean '--racks'", outcome.stderr)

    def test_all_mistakes_of_a_new_scenario_come_at_once(self):
        outcome = product.call([BINARY, "new", "-", "--climate", "frankfurt", "--model", "moe", "--racks", "1", "--n-gpu", "8"])
        self.assertEqual(outcome.code, 2)
        for word in ("'frankfurt'", "'moe'", "racks: give the size once"):
            self.assertIn(word, outcome.stderr)

    def refused(self, outcome, code, *words, findings=1):
        self.assertEqual(outcome.code, code, outcome.stderr)
        self.assertEqual(outcome.stdout, "")
        self.assertLess(outcome.cpu_s, REFUSAL_CPU_S)
        for word in words:
            self.assertIn(word, outcome.stderr)
        if code == 2 and findings:
            self.assertIn(f"{findings} finding{'s' if findings > 1 else ''} in the input", outcome.stderr)
            self.assertEqual(len(outcome.stderr.strip().splitlines()), 1 + findings)

    def run_file(self, name, *more):
        with tempfile.TemporaryDirectory() as out:
            outcome = product.run(BINARY, SCENARIOS / name, out, more=more)
            self.assertEqual(os.listdir(out), [], "a refused run leaves nothing behind")
            return outcome

    def test_words_that_a_plan_does_not_say_are_named_as_words(self):
        text = 'schema = 1\n[run]\nduration_h = 0.02\n[[hall]]\nn_gpu = 64\ngpu = "h100_sxm_700W"\n[[job]]\nmodel = "llama3_70b"\n[job.plan]\ntp = 8\npp = 1\n'
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "minimal.toml"
            path.write_text(text, encoding="utf-8")
            outcome = check(path)
            self.assertIn('default: job.main.plan.recompute = "none"; intervals draw none, selective or full', outcome.stdout)
            self.assertIn("note: job.main.plan.sharding = none is not drawn: one GPU of stage 0 needs", outcome.stderr)
            said = product.run(BINARY, path, folder).json["defaults"]["job.main.plan.recompute"]
            self.assertEqual((said["value"], said["drawn_from"]), ('"none"', "none, selective or full"))
            path.write_text(text + '[[assumed]]\nkey = "job.main.plan.recompute"\nwords = ["none", "ful"]\nsource = "x"\n', encoding="utf-8")
            self.refused(check(path), 2, "minimal.toml:14:9: assumed.1.words: 'ful'", "none, selective, operators, full", "did you mean 'full'?")

    def test_misspelt_key_names_place_and_nearest_key(self):
        self.refused(self.run_file("misspelt_key.toml"), 2, "misspelt_key.toml:4:1:", "duraton_h", "duration_h")

    def test_wrong_unit_names_the_right_one(self):
        self.refused(self.run_file("wrong_unit.toml"), 2, "wrong_unit.toml:7:1:", "tdp_kW", "'tdp_W'")

    def test_negative_power(self):
        self.refused(self.run_file("negative_power.toml"), 2, "negative_power.toml:5:1:", "cap_W", "-700")

    def test_duplicate_key(self):
        self.refused(self.run_file("duplicate_key.toml"), 2, "duplicate_key.toml:5:", "seed")

    def test_missing_keys_and_tables(self):
        self.refused(self.run_file("missing_key.toml"), 2, "hall: missing", "job: missing", findings=None)

    def test_a_billion_gpus_are_refused(self):
        self.refused(self.run_file("too_many_gpus.toml"), 4, "1000000000", "n_gpu", "memory")
        self.refused(product.call([BINARY, "run", TINY, "--set", "hall.a.n_gpu=1000000000"]), 4, "n_gpu")

    def test_two_jobs_need_room(self):
        self.refused(self.run_file("two_jobs.toml"), 2, "the jobs ask for", findings=None)

    def test_missing_file(self):
        self.refused(self.run_file("not_there.toml"), 2, "not_there.toml", "no such file")
        self.refused(self.run_file("tiny.toml", "--weather", SCENARIOS / "not_there.epw"), 2, "not_there.epw", "no such file")

    def test_truncated_weather(self):
        outcome = self.run_file("tiny.toml", "--weather", SCENARIOS / "truncated.epw")
        self.refused(outcome, 2, "truncated.epw:12:", "truncated", findings=None)

    def test_plan_that_does_not_fit_says_the_numbers(self):
        outcome = product.call([BINARY, "check", TINY, "--set", "job.main.plan.pp=5"])
        self.refused(outcome, 2, "job.main.plan", findings=None)
        outcome = product.call([BINARY, "check", TINY, "--set", "job.main.model=llama3_405b"])
        self.refused(outcome, 2, "job.main.plan", findings=None)

    def test_bad_overrides(self):
        self.refused(check(TINY, "--set", "run.duraton_h=3"), 2, "--set", "duraton_h", "duration_h")
        self.refused(check(TINY, "--set", "hall.b.n_gpu=8"), 2, "--set", "no item named 'b'")
        self.refused(check(TINY, "--set", "nonsense"), 2, "key=value")
        self.refused(check(TINY, "--set", "hall.a.gpu.catalog=h100_sxm_70W"), 2, "h100_sxm_700W", findings=None)

    def test_all_findings_at_once_with_line_and_column(self):
        outcome = check(SCENARIOS / "many_faults.toml")
        self.assertEqual(outcome.code, 2)
        for place, key in (("5:1", "duraton_h"), ("6:1", "seed"), ("9:1", "weather.day"), ("13:1", "cap_W"),
                           ("14:1", "h100_sxm_700W"), ("20:1", "plan.pp"), ("21:1", "plan.recompute"),
                           ("24:1", "start_min"), ("25:1", "detect_s")):
            with self.subTest(key):
                lines = [line for line in outcome.stderr.splitlines() if f"many_faults.toml:{place}: " in line]
                self.assertTrue(any(key in line for line in lines), outcome.stderr)

    def test_a_syntax_error_hides_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "broken.toml"
            path.write_text(TINY.read_text(encoding="utf-8").replace("seed = 1", "seed = = 1").replace('day = "hot"', 'day = "hto"'), encoding="utf-8")
            self.refused(check(path), 2, "broken.toml:7:", "weather.day", findings=2)

    def test_a_quantity_with_its_unit(self):
        self.refused(check(TINY, "--set", "hall.a.cap_W=600 W"), 2, "write 600: the unit is in the key")

    def test_arguments(self):
        self.assertEqual(product.call([BINARY, "run"]).code, 2)
        self.assertEqual(product.call([BINARY, "rnu", TINY]).code, 2)
        self.assertEqual(product.call([BINARY, "run", TINY, "--sed", "1"]).code, 2)
        self.assertEqual(product.call([BINARY, "--help"]).code, 0)

    def test_an_option_outside_its_range_names_option_and_range(self):
        for arguments, *words in (
            (["run", TINY, "--threads", "-1"], "--threads", "-1 is outside 0 to 1024"),
            (["run", TINY, "--threads=99999999999999999999"], "--threads", "outside 0 to 1024"),
            (["run", TINY, "--threads", "1.5"], "--threads", "'1.5' is not a whole number"),
            (["run", TINY, "--checkpoint-every-h", "nan"], "--checkpoint-every-h", "nan is outside"),
            (["size", TINY, "--threads", "-1"], "--threads", "-1 is outside"),
            (["size", TINY, "--contract-MW", "nan"], "--contract-MW", "nan is outside"),
            (["sweep", TINY, "--tornado", "--workers", "-2"], "--workers", "-2 is outside 0 to 1024"),
            (["plant", "xai_memphis_like", "--it-MW", "nan"], "--it-MW", "nan is outside 0.001 to 10000"),
            (["fit", "gpu", TINY, "--name", "../x"], "--name", "'../x' is not a name"),
        ):
            with self.subTest(arguments):
                outcome = product.call([BINARY, *arguments])
                self.assertEqual(outcome.code, 2, outcome.stderr)
                for word in words:
                    self.assertIn(word, outcome.stderr)

    def test_a_catalog_folder_without_an_entry(self):
        with tempfile.TemporaryDirectory() as empty:
            self.refused(check(TINY, "--catalog", empty), 2, f"{empty}: ", "holds no entry")


class LeaveOneOut(unittest.TestCase):
    def test_each_training_row_with_the_others_efficiency(self):
        outcome = product.call([BINARY, "validate", "--leave-one-out", "--json"])
        self.assertEqual(outcome.code, 0, outcome.stderr)
        devices = {d["device"]: d for d in json.loads(outcome.stdout)["leave_one_out"]}
        self.assertEqual(set(devices), {"a100_sxm4_80GB", "h100_sxm"})
        rows = {r["id"]: r for d in devices.values() for r in d["rows"]}
        self.assertIn("W10", rows)
        for name, row in rows.items():
            self.assertGreater(row["expected_s"], 0, name)
            self.assertLess(abs(row["left_out_error_frac"]), 0.12, name)

    def test_each_blind_row_beside_the_first_errors_of_its_class(self):
        rows = {r["row"]: r for r in product.call([BINARY, "validate", "--model-errors", "--json"]).json["model_errors"]}
        self.assertEqual((rows["R4/h100-256"]["class"], rows["R4/h100-256"]["inside"]), ("training time, h100, fp8, dense, steps", True))


class Plant(unittest.TestCase):
    def test_a_plant_alone_gives_its_figures_by_month(self):
        outcome = product.call([BINARY, "plant", "crah_chilled_water", "--climate", "chicago_il", "--days", 40, "--json"])
        answer = outcome.json
        self.assertEqual(len(answer["months"]), 2)
        self.assertLess(answer["energy_closure"], 1e-11)
        self.assertGreater(answer["year"]["pue"], 1.02)
        self.assertIn("Jan", product.call([BINARY, "plant", "cdu_dry_cooler", "--days", 1]).stdout)

    def test_a_prescribed_inlet_has_no_machines(self):
        outcome = product.call([BINARY, "plant", "prescribed_llama3_day"])
        self.assertEqual(outcome.code, 2)
        self.assertIn("prescribed_inlet", outcome.stderr)



class ShowsOneGpu(unittest.TestCase):
    def test_figures_series_and_picture_of_the_hottest_and_of_a_named_one(self):
        with tempfile.TemporaryDirectory() as out:
            for which, slot in (((), None), (("--gpu", "3/5"), "server 3, slot 5")):
                outcome = product.call([BINARY, "run", TINY, "--quiet", "--out", out, "--show", "gpu", *which])
                self.assertEqual(outcome.code, 0, outcome.stderr)
                self.assertIn("board power, mean W", outcome.stdout)
                if slot:
                    self.assertIn(slot, outcome.stdout)
            view = product.run(BINARY, TINY, out, {}, ["--show", "gpu"]).json["gpu_view"]
            for key in ("clock_MHz", "board_W", "die_degC", "board_step_1s_W"):
                self.assertEqual(set(view[key]), {"sampled", "run"})
            self.assertAlmostEqual(view["clock_MHz"]["sampled"] / view["clock_MHz"]["run"], 1.0, delta=0.01)
            lines = (Path(out) / "tiny_gpu.csv").read_text().splitlines()
            self.assertEqual(lines[0], "time_s,clock_MHz,power_W,shown_W,die_degC,shown_degC,held")
            self.assertGreater(len(lines), 1000)
            self.assertTrue((Path(out) / "tiny_gpu.svg").read_text().startswith("<svg"))

    def test_a_gpu_that_is_not_there_is_refused(self):
        with tempfile.TemporaryDirectory() as out:
            for which in ("99/0", "3", "fast"):
                outcome = product.call([BINARY, "run", TINY, "--quiet", "--out", out, "--show", "gpu", "--gpu", which])
                self.assertEqual(outcome.code, 2, which)


class Output(unittest.TestCase):
    def test_a_folder_that_cannot_be_made(self):
        outcome = product.run(BINARY, TINY, TINY / "below_a_file")
        self.assertEqual(outcome.code, 74, outcome.stderr)
        self.assertIn("below_a_file", outcome.stderr)
        self.assertLess(outcome.cpu_s, REFUSAL_CPU_S)

    def test_a_result_that_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as out:
            os.makedirs(Path(out) / "tiny.h5" / "full")
            outcome = product.run(BINARY, TINY, out)
            self.assertEqual(outcome.code, 74, outcome.stderr)
            self.assertEqual(os.listdir(out), ["tiny.h5"], "no half-written result stays")

    def test_full_stdout_is_not_success(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        with tempfile.TemporaryDirectory() as out, open("/dev/full", "w") as full:
            code = subprocess.call([BINARY, "run", TINY, "--json", "--quiet", "--out", out], stdout=full,
                                   stderr=subprocess.DEVNULL)
        self.assertEqual(code, 74)


if __name__ == "__main__":
    unittest.main()
