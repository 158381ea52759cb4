#!/usr/bin/python3
"""A checkpoint knows its inputs: --resume refuses by name what changed since, and accepts what only moved."""
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import sweeps

SET = ["--set", "run.duration_h=0.05", "--set", "run.macro_step_s=30"]


class Resume(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="tidewatt_resume_")
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name)
        text = sweeps.TINY.read_text()
        weather = '[weather]\nclimate = "portland_or"\nday = "hot"\n'
        self.assertIn(weather, text)
        (self.folder / "common.toml").write_text(text.replace(weather, '[weather]\ncsv = "site.csv"\n'))
        (self.folder / "case.toml").write_text('base = "common.toml"\nschema = 1\n[run]\nseed = 3\n')
        self.hot(0.0)
        overlay = self.folder / "overlay" / "gpu"
        overlay.mkdir(parents=True)
        shown = subprocess.run([sweeps.CLI, "catalog", "show", "gpu/h100_sxm_700W"], capture_output=True, text=True, check=True).stdout
        (overlay / "h100_sxm_700W.toml").write_text(shown)
        self.run_with("--checkpoint", self.folder / "c", "--checkpoint-every-h", "0.02", code=0)

    def hot(self, more_K):
        rows = [f"2024-07-20T{h:02}:00,{25.0 + 5.0 * (h > 12) + more_K:.1f},50,1006" for h in range(24)]
        (self.folder / "site.csv").write_text("\n".join(["time,drybulb_degC,rh_pct,pressure_hPa", *rows]) + "\n")

    def run_with(self, *more, code, file="case.toml", sets=SET):
        done = subprocess.run([sweeps.CLI, "run", self.folder / file, "--quiet", "--json", "--no-interval", "--out", self.folder / "out.h5", "--catalog", self.folder / "overlay",
                               *sets, *more], capture_output=True, text=True)  # fmt: skip
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def resume(self, code, **keywords):
        return self.run_with("--resume", self.folder / "c", code=code, **keywords)

    def refused(self, *words, findings=1, **keywords):
        text = self.resume(2, **keywords).stderr
        for word in words:
            self.assertIn(word, text)
        self.assertIn(f"{findings} finding", text)

    def test_nothing_changed(self):
        whole = self.run_with(code=0).stdout
        again = self.resume(0)
        digest = re.compile(r'"payload_sha256": ?"([0-9a-f]{64})"')
        self.assertEqual(digest.search(whole)[1], digest.search(again.stdout)[1])
        # The same bits come from a run that begins at zero: it must say that it did not.
        self.assertGreaterEqual(int(re.search(r"continues .* at (\d+) s of 180 s", again.stderr)[1]), 72)

    def test_a_weather_file_5_K_hotter_is_refused_by_name(self):
        self.hot(5.0)
        self.refused("weather", "site.csv", "contents")

    def test_a_weather_file_that_only_moved_is_accepted(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        shutil.copy(self.folder / "site.csv", elsewhere / "site.csv")
        self.run_with("--resume", self.folder / "c", "--weather", elsewhere / "site.csv", code=0)

    def test_a_base_file_that_changed(self):
        path = self.folder / "common.toml"
        path.write_text(path.read_text().replace("recirculation_frac = 0.05", "recirculation_frac = 0.06"))
        self.refused("base file common.toml", "recirculation_frac = 0.06")

    def test_the_scenario_itself(self):
        path = self.folder / "case.toml"
        path.write_text(path.read_text().replace("seed = 3", "seed = 4"))
        self.refused("scenario file", "seed = 4", "seed = 3")

    def test_an_override(self):
        self.refused("override of run.macro_step_s", sets=SET[:2])

    def test_a_catalog_file(self):
        path = self.folder / "overlay" / "gpu" / "h100_sxm_700W.toml"
        path.write_text(path.read_text() + "# another day\n")
        self.refused("catalog file gpu/h100_sxm_700W.toml", "contents changed")

    def test_hourly_means_of_every_gpu(self):
        self.assertIn("--gpu-hours", self.run_with("--resume", self.folder / "c", "--gpu-hours", code=2).stderr)
        digest = re.compile(r'"payload_sha256": ?"([0-9a-f]{64})"')
        whole = self.run_with("--gpu-hours", "--checkpoint", self.folder / "c", "--checkpoint-every-h", "0.02", code=0).stdout
        again = self.run_with("--resume", self.folder / "c", "--gpu-hours", code=0).stdout
        self.assertEqual(digest.search(whole)[1], digest.search(again)[1])  # the first hour is that of the whole run
        self.refused("--gpu-hours")  # its hours would be lost

    def test_all_changes_at_once(self):
        self.hot(5.0)
        self.refused("weather", "override of run.macro_step_s", findings=2, sets=SET[:2])

    def test_another_version(self):
        path = self.folder / "c"
        head, digest, body = path.read_bytes().split(b"\n", 2)
        self.assertEqual(digest.decode(), hashlib.sha256(body).hexdigest())
        body = b"9.9.9\n" + body.partition(b"\n")[2]
        path.write_bytes(b"\n".join([head, hashlib.sha256(body).hexdigest().encode(), body]))
        self.refused("written by version 9.9.9")

    def test_the_result_names_its_inputs(self):
        import h5py

        with h5py.File(self.folder / "out.h5") as file:
            inputs = file["provenance"]["inputs"].asstr()[()].splitlines()
        digest = hashlib.sha256((self.folder / "site.csv").read_bytes()).hexdigest()
        self.assertIn(f"weather site.csv sha256={digest}", inputs)
        self.assertTrue(any(line.startswith("catalog gpu/h100_sxm_700W.toml sha256=") for line in inputs))


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
