"""The headline counts first errors, caps the rows of a source and says what lies outside its band."""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import blind_rows  # noqa: E402


def row(id, source="one", first=0.05, **more):
    return {"id": id, "kind": "blind", "source": source, "area": "training time", "device": "h100", "expected": 2.0, "got": 2.1, "error": 0.02, "tolerance": 0.1,
            "tolerance_unit": "fraction", "first_error": first, "p05": 1.9, "p95": 2.3, **more}  # fmt: skip


class BlindRows(unittest.TestCase):
    def text(self, rows):
        return "\n".join(blind_rows.headline(rows))

    def test_the_first_error_counts(self):
        text = self.text([row("a", first=0.2), row("b", "two", first=0.04), row("c", "three", first=-0.06)])
        self.assertIn("| 3 blind rows of 3 sources |", text)
        self.assertIn("| median absolute error | 6.0 % ", text)
        self.assertIn("| 2.0 % |", text)
        self.assertIn("| outside their tolerance | 1 | 0 |", text)

    def test_eight_rows_of_a_source_and_no_one_sided_or_generous_one_count(self):
        rows = [row(str(i)) for i in range(20)] + [row("x", "two", tolerance=0.2), row("y", "two", expected=[1, 3]), row("z", "two", tolerance_unit="K")]
        self.assertEqual(blind_rows.counting(rows), 8)

    def test_a_band_is_left_on_either_side(self):
        self.assertFalse(blind_rows.outside_band(row("a")))
        self.assertTrue(blind_rows.outside_band(row("a", p05=2.05)))
        self.assertTrue(blind_rows.outside_band(row("a", p95=1.95)))
        self.assertFalse(blind_rows.outside_band(row("a", expected=[1.0, 1.95])))
        self.assertTrue(blind_rows.outside_band(row("a", expected=[1.0, 1.8])))
        self.assertFalse(blind_rows.outside_band(row("a", p05=None, p95=None)))

    def test_the_first_prediction_has_a_band_too(self):
        self.assertFalse(blind_rows.outside_at_first(row("a")))  # 2.1 around 2.0, within 1.9 to 2.3 of 2.1
        self.assertTrue(blind_rows.outside_at_first(row("a", first=0.2)))  # 2.4: from 2.17
        self.assertTrue(blind_rows.outside_at_first(row("a", first=-1.0)))
        self.assertFalse(blind_rows.outside_at_first(row("a", p05=None, p95=None)))
        self.assertIn("| outside their 90 % band | 1 (66.7 % inside) | 0 (100.0 % inside) |", self.text([row("a", first=0.2), row("b", "two"), row("c", "three")]))

    def test_rows_beside_a_fit_of_their_publication_are_told_apart(self):
        rows = [row("a", first=0.02), row("b", "two", first=0.2), row("c", "two", first=0.1), row("d", "three", first=0.4)]
        self.assertNotIn("sets a parameter", self.text(rows))
        text = self.text([*rows, row("f", kind="fit", verdict="calibrated"), row("s", "two", kind="seen", verdict="pass")])
        self.assertIn("Of 1 rows another row of the same publication (1 of them) sets a parameter, for another device, model or format: median first error 2.0 %. "
                      "Of the 3 rows of all other publications (2): 20.0 %.", text)  # fmt: skip

    def test_rows_whose_figures_were_at_hand_are_told_apart(self):
        self.assertTrue(blind_rows.at_hand("R5/8b-h100") and blind_rows.at_hand("E2/rest-h100-41") and blind_rows.at_hand("E4/opt-fleet"))
        self.assertFalse(blind_rows.at_hand("E2/rest-a100-28") or blind_rows.at_hand("E1/ibm-7b-h100") or blind_rows.at_hand("E1/eosin"))
        text = self.text([row("R1/a", first=0.02), row("E1/a", "two", first=0.2), row("E6/a", "two", first=0.4)])
        self.assertIn("The figures of 1 rows were at hand while the models were written (R1, ", text)
        self.assertIn("median first error 2.0 %. Those of the other 2 were looked up afterwards: 30.0 %.", text)

    def test_the_interval_of_the_median_is_over_sources(self):
        same = [row(str(i), first=0.05) for i in range(8)]
        self.assertEqual(blind_rows.median_interval(same, "first_error"), (0.05, 0.05))
        low, high = blind_rows.median_interval(same + [row(f"t{i}", "two", first=0.2) for i in range(8)], "first_error")
        self.assertEqual((low, high), (0.05, 0.2))

    def test_rows_without_data_or_of_another_kind_are_left_out(self):
        self.assertEqual(self.text([row("a", got=None), row("b", kind="seen")]), "No row is blind.")

    def test_a_row_without_a_line_is_said(self):
        self.assertIn("1 blind rows have no line", self.text([row("a"), row("b", first=None)]))

    def test_bands_by_class_say_whether_the_aim_can_be_reached(self):
        rows = [row(f"a{i}", str(i), first=0.01 * i, band_class="near") for i in range(10)]
        lines = list(blind_rows.band_lines(rows + [row("b", p05=None, p95=None, band_class="none")]))
        self.assertIn("| near | 10 | 10 | 9.5 % | 0 | 7.5 % | 8.1 % |", lines)
        self.assertIn("median half-width of 7.5 %", lines[-1])  # as narrow as is aimed at: nothing is missing
        wide = list(blind_rows.band_lines([{**r, "first_error": 0.3, "p05": 2.05} for r in rows]))
        self.assertIn("| near | 10 | 10 | 6.0 % | 10 | 30.0 % | 30.0 % |", wide)
        self.assertIn("need smaller errors", wide[-1])
        revised = list(blind_rows.band_lines([{**r, "band_error": 0.02} for r in rows]))
        self.assertIn("| near | 10 | 10 | 9.5 % | 0 | 2.0 % | 2.0 % |", revised)  # bands rest on revised errors
        self.assertEqual(list(blind_rows.band_lines([])), ["No row has a band."])

    def test_what_a_band_as_narrow_as_is_aimed_at_lacks(self):
        rows = [row("a", p05=1.0, p95=3.0, error=0.3, mend="a trace", band_class="far"), row("b", "two", p05=1.0, p95=3.0, error=0.2, mend="a trace", band_class="far"),
                row("c", "three", p05=1.0, p95=3.0, mend="a plan", band_class="far"), row("d", "four", band_class="near")]  # fmt: skip
        lines = list(blind_rows.missing_lines(rows))
        self.assertIn("goes with a median error of 4.2 %; that of all rows is 11.0 % now. 1 of 4 rows", lines[0])
        self.assertIn("| far | 3 | 47.6 % | 20.0 % | 2 | a trace (2 rows); a plan (1 row) |", lines)
        self.assertIn("| near | 1 | 9.5 % | 2.0 % | 0 | – |", lines)
        self.assertEqual(list(blind_rows.missing_lines([row("d", band_class="near")])), [])
        self.assertEqual(list(blind_rows.band_lines(rows))[-1], lines[-1])

    def test_a_table_by_device(self):
        lines = list(blind_rows.split_lines([row("a"), row("b", device="")], "device", "device"))
        self.assertIn("| largest first error | outside tolerance now |", lines[0])
        self.assertEqual(lines[2:], ["| h100 | 1 | 1 | 5.0 % | 5.0 % | 0 | 0 |", "| other | 1 | 1 | 5.0 % | 5.0 % | 0 | 0 |"])


if __name__ == "__main__":
    unittest.main()
