#!/usr/bin/python3
"""Weather files, climates and the catalog as the commands take and find them."""
import datetime
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "acceptance"))
import product  # noqa: E402

TINY = ROOT / "tests" / "scenarios" / "tiny.toml"
BINARY = product.find_binary()


class Catalog(unittest.TestCase):
    def test_an_entry_by_its_kind_and_name(self):
        texts = {product.call([BINARY, "catalog", "show", *words]).stdout for words in (["server/gb300_tray"], ["server", "gb300_tray"])}
        self.assertEqual(len(texts), 1)
        self.assertIn('name = "gb300_tray"', texts.pop())
        for words, say in ((["servr", "gb300_tray"], "did you mean 'server'"), (["server", "gb300_tay"], "did you mean 'gb300_tray'"),
                           (["climate", "frankfurt"], "did you mean 'frankfurt_de'"), (["climate", "tokyo"], "did you mean 'tokyo_jp'")):
            outcome = product.call([BINARY, "catalog", "show", *words])
            self.assertEqual(outcome.code, 2)
            self.assertIn(say, outcome.stderr)

    def test_keys_are_found_in_any_case_and_by_kind(self):
        keys = {word: product.call([BINARY, "schema", "--keys", word]).stdout for word in ("CDU", "cdu", "cdu_out", "FAN_WALL_OUT")}
        self.assertEqual(keys["CDU"], keys["cdu"])
        self.assertIn("cdu_W_per_K", keys["CDU"])
        for word in ("cdu_out", "FAN_WALL_OUT"):
            self.assertIn("[[event]]", keys[word])
        self.assertEqual(product.call([BINARY, "schema", "--keys", "no_such_word"]).code, 2)


class Weather(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.csv = Path(cls.folder.name) / "year.csv"
        first = datetime.datetime(2023, 1, 1)
        hours = [first + datetime.timedelta(hours=k) for k in range(8760)]  # °C: the month; 30 July is hot
        rows = [f"{t:%Y-%m-%dT%H:00},{40 if (t.month, t.day) == (7, 30) else t.month},50" for t in hours]
        cls.csv.write_text("time,drybulb_degC,rh_pct\n" + "\n".join(rows) + "\n", encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_date_of_the_run_is_the_date_of_the_air(self):
        outcome = product.call([BINARY, "run", TINY, "--weather", self.csv, "--set", "run.start=2023-01-10T12:00:00", "--json", "--quiet", "--no-interval",
                                "--out", self.folder.name])
        self.assertEqual(outcome.json["weather_from"], {"file": "year.csv", "day": "2023-01-10", "kind": "dated"})
        self.assertIn("'hot' is of the weather that the file replaces", outcome.stderr)

    def test_files_are_told_by_their_content_and_a_date_begins_at_midnight(self):
        other = Path(self.folder.name) / "year.txt"
        other.write_bytes(b"\xef\xbb\xbf" + self.csv.read_bytes() + b"\x1a\x1a")
        check = [BINARY, "check", TINY, "--set", "run.start=2023-01-10", "--weather"]
        outcome = product.call([BINARY, "run", TINY, "--weather", other, "--set", "run.start=2023-01-10", "--set", "run.duration_h=0.01", "--json", "--quiet",
                                "--no-interval", "--out", self.folder.name])  # fmt: skip
        self.assertEqual(outcome.json["weather_from"]["day"], "2023-01-10")
        self.assertIn("weather: no pressure column: standard atmosphere at 0 m", outcome.stderr)
        other.write_text('{"hourly": {"time": []}}', encoding="utf-8")
        refused = product.call([*check, other])
        self.assertEqual(refused.code, 2)
        self.assertIn("tidewatt import weather FILE -o weather.csv", refused.stderr)

    def test_a_plant_takes_measured_weather_for_a_year(self):
        answer = product.call([BINARY, "plant", "crah_chilled_water", "--weather", self.csv, "--step-s", 3600, "--json"]).json
        self.assertEqual(len(answer["months"]), 12)
        self.assertGreater(answer["months"][6]["pue"], answer["months"][0]["pue"])
        self.assertTrue(any("standard atmosphere at 0" in note for note in answer["weather_notes"]))

    def test_sizes_take_the_hottest_day_of_measured_weather(self):
        size = [BINARY, "size", TINY, "--for", "gpus", "--weather", self.csv, "--contract-MW", 0.2, "--set", "run.start=2023-01-10T12:00:00", "--set", "run.duration_h=0.3", "--json", "--quiet"]
        self.assertEqual(product.call(size).json["weather_from"], {"file": "year.csv", "day": "2023-07-30", "kind": "extreme"})
        self.assertEqual(product.call([*size, "--set", "weather.day=dated"]).json["weather_from"]["day"], "2023-01-10")


if __name__ == "__main__":
    unittest.main()
