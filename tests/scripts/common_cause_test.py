"""An input that is wrong for all rows is found, and by other sources; scatter without a cause is not."""
import unittest

import numpy as np

from script import load


CAUSE = load("common_cause")
RANGE = [(-0.5, 0.5)]


def row(id, got=2.2, unit="s", **more):
    return {"id": id, "what": "llama, 8 x h100, fp8", "device": "h100", "unit": unit, "got": got, "expected": 2.0, "source": id, "band_class": "training time, other software", **more}


class CommonCause(unittest.TestCase):
    def test_a_common_cause_is_found_by_other_sources(self):
        slopes = np.linspace(-0.4, -0.1, 20)[:, None]
        errors = -0.3 * slopes[:, 0]  # the input is exp(0.3) too small everywhere
        self.assertAlmostEqual(CAUSE.best(errors, slopes, RANGE)[0], 0.3, places=9)
        self.assertLess(np.abs(CAUSE.by_others(errors, slopes, RANGE, [str(i % 5) for i in range(20)])).max(), 1e-9)

    def test_scatter_has_no_cause_that_holds_for_other_sources(self):
        draw = np.random.default_rng(1)
        slopes, errors = draw.normal(0, 0.1, (60, 3)), draw.normal(0, 0.1, 60)
        sources = [str(i // 6) for i in range(60)]
        self.assertLess(np.abs(errors + slopes @ CAUSE.best(errors, slopes, 3 * RANGE)).mean(), np.abs(errors).mean())
        self.assertGreater(np.abs(CAUSE.by_others(errors, slopes, 3 * RANGE, sources)).mean(), 0.95 * np.abs(errors).mean())

    def test_steps_stay_in_their_range(self):
        slopes = -np.ones((5, 1))
        self.assertAlmostEqual(CAUSE.best(np.full(5, 2.0), slopes, RANGE)[0], 0.5)

    def test_what_the_fit_row_takes_up_is_taken_off(self):
        base = {id: row(id) for id in ("a", "fit")}
        times = lambda a, fit: {"a": row("a", 2.2 * a), "fit": row("fit", 2.2 * fit)}
        slope = CAUSE.sensitivities([base["a"]], base, times(0.95, 0.95), [(times(0.9, 0.9), 1.1)], {("fp8", "h100_sxm"): "fit"})
        self.assertAlmostEqual(slope[0, 0], 0.0)  # both rows move alike: the efficiency follows
        slope = CAUSE.sensitivities([base["a"]], base, times(0.95, 0.95), [(times(0.9, 1.0), 1.1)], {("fp8", "h100_sxm"): "fit"})
        self.assertAlmostEqual(slope[0, 0], np.log(0.9) / np.log(1.1))

    def test_a_slow_rate_errs_as_a_long_time(self):
        self.assertAlmostEqual(CAUSE.time_error(row("a", 2.0 / 1.1, "tokens/s")), CAUSE.time_error(row("a", 2.2)))

    def test_only_the_keys_change(self):
        self.assertEqual(CAUSE.changed("a = 2\nab = 2\n[sources]\na = 2\n", ["a"], 1.5), "a = 3\nab = 2\n[sources]\na = 2\n")

    def test_each_fitted_format_has_its_row(self):
        fits = CAUSE.fit_rows()
        self.assertEqual(CAUSE.fit_row(fits, row("a")), "R1/h100-512")
        self.assertEqual(CAUSE.fit_row(fits, row("a", what="gpt, bf16")), "W9")
        self.assertEqual(CAUSE.fit_row(fits, row("a", device="a100", what="gpt, bf16")), "W1")

    def test_the_page_has_a_line_for_each_class(self):
        rows = [row(str(i)) for i in range(10)]
        text = CAUSE.page(rows, np.full(10, 0.1), -0.5 * np.ones((10, 1)), RANGE, ["memory bandwidth"])
        self.assertIn("| other software | 10 | 10.0 % | memory bandwidth: 0.0 % | 0.0 % | 0.0 % |", text)


if __name__ == "__main__":
    unittest.main()
