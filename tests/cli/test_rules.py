"""Rules and ride-through verdicts from the command line: lists, words, bad files, what applies, what fails and why."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "acceptance"))
import product  # noqa: E402

TINY = ROOT / "tests" / "scenarios" / "tiny.toml"
BINARY = product.find_binary()
NAMES = ("ercot_nogrr282 ercot_variation_2026 ercot_nprr1191 caiso_straw_2026 spp_hill ieso_2026 eirgrid_mpid345 aemo_2026 aeso_2025 southern atc "
         "lipa dominion prc_029 prc_024 itic semi_f47 ieee_1668_1 ieee_1668_3").split()


def ride(*arguments):
    return product.call([BINARY, "ride", TINY, "--json", *arguments])


class Rules(unittest.TestCase):
    def test_every_rule_is_listed_with_its_status_and_can_be_shown(self):
        listed = {r["name"]: r for r in product.call([BINARY, "rules", "list", "--json"]).json}
        self.assertLessEqual(set(NAMES), set(listed))
        self.assertFalse({"ercot_public", "nerc_public"} & set(listed))
        self.assertFalse(listed["caiso_straw_2026"]["binding"])
        self.assertTrue(listed["ercot_nogrr282"]["binding"])
        self.assertIn("proposal, 2026-06-15: not binding", product.call([BINARY, "rules", "show", "caiso_straw_2026"]).stdout)
        for name in NAMES:
            self.assertEqual(product.call([BINARY, "rules", "show", name]).code, 0, name)

    def test_a_file_of_one_s_own_is_read_and_refused_alike(self):
        with tempfile.TemporaryDirectory() as folder:
            own = pathlib.Path(folder) / "own.toml"
            own.write_text('title="t"\ndate="d"\nstatus="current"\n[ride]\nvoltage=[{low_pu=0.0,high_pu=0.9,stay_s=0.2},{low_pu=0.9,duty="continuous"}]\n')
            self.assertEqual(ride("--rule", own).json["rule"], "own")
            own.write_text(own.read_text().replace("low_pu=0.9", "low_pu=0.8"))
            outcome = ride("--rule", own)
            self.assertEqual(outcome.code, 2)
            self.assertIn("overlaps", outcome.stderr)
        outcome = ride("--rule", "ercot_nogrr28")
        self.assertEqual(outcome.code, 2)
        self.assertIn("did you mean 'ercot_nogrr282'?", outcome.stderr)

    def test_a_small_site_is_told_that_the_rule_does_not_apply_unless_forced(self):
        answer = ride("--rule", "ercot_nogrr282").json
        self.assertEqual((answer["verdict"], answer["applies"]), ("does not apply", False))
        forced = ride("--rule", "ercot_nogrr282", "--as-if").json
        self.assertEqual((forced["verdict"], forced["forced"]), ("fail", True))
        self.assertIn("below 75 MW", forced["why_not"])

    def test_itic_servers_leave_below_070_past_20_ms_and_current_is_judged_apart(self):
        for pu, s, stays in ((0.69, 0.02, True), (0.69, 0.021, False), (0.71, 0.5, True)):
            point = ride("--rule", "ercot_nogrr282", "--as-if", "--voltage", pu, "--duration", s).json["point"]
            self.assertEqual(point["stays"], stays, (pu, s))
        self.assertGreater(ride("--rule", "ercot_nogrr282", "--as-if", "--voltage", 0.79, "--duration", 0.1).json["point"]["current_ratio"], 1.25)
        limited = ride("--rule", "ercot_nogrr282", "--as-if", "--current-limit-pu", 1.25).json
        self.assertEqual({i["name"]: i["verdict"] for i in limited["items"]}["current"], "pass")

    def test_an_unread_band_is_never_a_pass(self):
        sets = ("--set", "site.ups=ups_double_conversion", "--set", "site.ups.low_pu=0", "--set", "site.ups.high_pu=1.9", "--set", "site.ups.lockout_count=0", "--current-limit-pu", 1.25)
        # No settings for frequency: its five bands are counted and not judged.
        answer = ride("--rule", "ercot_nogrr282", "--as-if", *sets).json
        self.assertEqual((answer["verdict"], answer["n_judged"], answer["n_band"]), ("passes what could be judged: 9 of 14 bands", 9, 14))
        self.assertEqual({b["verdict"] for b in answer["frequency"]}, {"not judged"})
        self.assertRegex(ride("--rule", "spp_hill", "--as-if", *sets).json["verdict"], "passes what could be judged: 1 of 9 bands")
        self.assertIn("not judged", ride("--rule", "eirgrid_mpid345", "--as-if", *sets).json["verdict"])

    def test_a_measured_voltage_is_played(self):
        with tempfile.TemporaryDirectory() as folder:
            cfg = pathlib.Path(folder) / "sag.cfg"
            cfg.write_text("s,d,1999\n1,1A,0D\n1,V,,,pu,0.01,0,0,0,200,1,1,P\n60\n1\n1000,1000\n01/01/2026,00:00:00.000000\n01/01/2026,00:00:00.000000\nASCII\n1\n")
            (pathlib.Path(folder) / "sag.dat").write_text("".join(f"{i + 1},{1000 * i},{50 if 200 <= i < 260 else 100}\n" for i in range(1000)))
            answer = ride("--rule", "ercot_nogrr282", "--as-if", "--sag", cfg).json["record"]
        self.assertEqual((answer["lowest_pu"], answer["verdict"]), (0.5, "fail"))
        self.assertAlmostEqual(answer["below_0.9_s"], 0.06)
        self.assertIn("leave at 0.220 s", answer["why"])

    def test_a_window_is_checked_and_its_limits_are_said(self):
        with tempfile.TemporaryDirectory() as folder:
            result = product.run(BINARY, TINY, folder).json["result_file"]
            check = product.call([BINARY, "rules", "check", "lipa", result, "--json"]).json
            self.assertEqual(check["verdict"], "pass")
            self.assertEqual([r["limit_MW"] for r in sorted(check["rules"], key=lambda r: r["limit_MW"])], [3.5, 10.0])
            self.assertEqual(product.call([BINARY, "rules", "check", "southern", result, "--json"]).json["verdict"], "does not apply")
            self.assertEqual(product.call([BINARY, "rules", "check", "lipa", result, "--window", "none"]).code, 2)
        refused = product.call([BINARY, "check", TINY, "--set", "site.rules=ercot_nogrr282"])
        self.assertIn("tidewatt ride", refused.stderr)


if __name__ == "__main__":
    unittest.main()
