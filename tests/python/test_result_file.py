"""A file that the library wrote, read by h5py, xarray and scripts/hash_result.

    test_result_file.py --writer BUILD/tests/unit/io/write_sample_result
"""
import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np
import xarray

ROOT = Path(__file__).resolve().parents[2]
WRITER = None


def recomputed_hash(path):
    done = subprocess.run([ROOT / "scripts/hash_result", path], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


class ResultFile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "sample.h5")
        subprocess.run([WRITER, cls.path], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def open(self, group):
        return xarray.open_dataset(self.path, group=group, engine="h5netcdf")

    def test_xarray_opens_groups_with_units_and_calendar_time(self):
        with self.open("day") as day:
            self.assertEqual(dict(day.sizes), {"time": 1440})
            self.assertEqual(str(day.time.values[0]), "2023-07-20T00:00:00.000000000")
            self.assertEqual(str(day.time.values[-1]), "2023-07-20T23:59:00.000000000")
            self.assertEqual(day.die_max_K.attrs["units"], "K")
            self.assertEqual(day.die_max_K.attrs["long_name"], "hottest die")
            self.assertEqual(day.die_max_K.dims, ("time",))
            self.assertEqual(day.job_state.dtype, np.int64)

    def test_milliseconds_text_scales_and_empty_dimensions(self):
        with self.open("waveform_start") as wave:
            self.assertEqual(wave.time.values[123456], np.datetime64("2023-07-20T00:02:03.456000000"))
        with self.open("energy") as energy:
            self.assertEqual(list(energy.level.values), ["node", "site: é μ"])
            self.assertEqual(float(energy.in_J.sel(level="site: é μ")), 2.0)
        with self.open("events") as events:
            self.assertEqual(dict(events.sizes), {"event": 0})
        with self.open("stage") as stage:
            self.assertEqual(stage.work_frac.dims, ("time", "stage"))
        with self.open("trust") as trust:
            self.assertEqual(list(trust.note.values), ["", "a", "line\nbreak"])
        with self.open("/") as root:
            self.assertEqual(root.one_s.dtype, np.float64)  # seconds stay a number
            self.assertEqual(float(root.one_s), 6.5)

    def test_special_values_keep_their_bits(self):
        with h5py.File(self.path) as file:
            die = file["day/die_max_K"][:]
            state = file["day/job_state"][:2]
        self.assertTrue(math.isnan(die[3]))
        self.assertTrue(die[4] == 0 and np.signbit(die[4]))
        self.assertEqual([*die[5:9]], [math.inf, -math.inf, 5e-324, 0.1 + 0.2])
        self.assertEqual([*state], [-(2**63), 2**63 - 1])

    def test_every_number_array_has_a_checksum_and_every_dimension_a_scale(self):
        def visit(name, item):
            if not isinstance(item, h5py.Dataset) or item.size in (0, 1):
                return
            if item.dtype in (np.float64, np.int64):
                self.assertTrue(item.fletcher32, name)
                self.assertEqual(item.compression, "gzip" if item.nbytes > 1024 else None, name)
            if item.attrs.get("CLASS") != b"DIMENSION_SCALE":
                for dimension in item.dims:
                    self.assertEqual(len(dimension), 1, name)

        with h5py.File(self.path) as file:
            file.visititems(visit)

    def test_summary_and_provenance(self):
        with h5py.File(self.path) as file:
            summary = json.loads(file.attrs["summary_json"])
            self.assertEqual(
                summary,
                {
                    "schema_version": 1,
                    "simulated_s": 86400.0,
                    "freq_deviation_max_mHz": None,
                    "limiter_share": {"power": 0.9, "none": 0.1},
                    "result_file": "day.h5",
                    "jobs": [],
                },
            )
            self.assertEqual(file.attrs["simulated_s"], 86400.0)
            self.assertNotIn("freq_deviation_max_mHz", file.attrs)
            self.assertEqual(file["provenance"].attrs["seed"], "0")
            self.assertEqual(len(file["provenance/scenario"].asstr()[()]), 100012)

    def test_the_script_and_the_library_agree_on_the_hash(self):
        with h5py.File(self.path) as file:
            self.assertEqual(recomputed_hash(self.path), file.attrs["payload_sha256"])

    def copy(self, name):
        path = os.path.join(self.folder.name, name)
        Path(path).write_bytes(Path(self.path).read_bytes())
        return path

    def test_the_script_sees_one_last_bit_in_each_array(self):
        original = recomputed_hash(self.path)
        with h5py.File(self.path) as file:
            names = []
            file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
            bare = [n for n in names if str(file[n].attrs.get("NAME", b"")).find("not a netCDF variable") >= 0]
        self.assertEqual(sorted(bare), ["events/event", "iteration/edge", "stage/stage", "trust/input"])
        changed = 0
        for name in names:
            path = self.copy("changed.h5")
            with h5py.File(path, "r+") as file:
                dataset = file[name]
                if name in bare or name.startswith("provenance") or dataset.size == 0:
                    continue
                array = np.array(dataset[()], ndmin=1)
                if array.dtype == object:
                    text = bytearray(array.flat[-1] or b"\0")
                    text[-1] ^= 1
                    array.flat[-1] = bytes(text)
                else:
                    array.view(np.uint64).flat[-1] ^= np.uint64(1)
                dataset[...] = array.reshape(dataset.shape)
            self.assertNotEqual(recomputed_hash(path), original, name)
            changed += 1
        self.assertEqual(changed, 12)  # all of them; two are empty

    def test_provenance_and_attributes_do_not_enter_the_hash(self):
        path = self.copy("provenance.h5")
        with h5py.File(path, "r+") as file:
            file["provenance"].attrs["wall_s"] = "3.2"
            file["provenance/scenario"][()] = "other"
            file["day/die_max_K"].attrs["long_name"] = "other"
        self.assertEqual(recomputed_hash(path), recomputed_hash(self.path))

    def test_flipped_bits_and_cut_files_are_noticed_or_harmless(self):
        """Reading either fails, or gives another hash, or the flip lies where no value comes from."""
        code = (
            "import runpy,sys\nh=runpy.run_path(sys.argv[1])['payload_sha256']\n"
            "for line in sys.stdin:\n"
            "    try: print(h(line.strip()), flush=True)\n"
            "    except Exception: print('error', flush=True)\n"
        )
        image = Path(self.path).read_bytes()
        choose = random.Random(1)
        paths, original = [], recomputed_hash(self.path)
        for k in range(120):
            damaged = bytearray(image)
            if k % 4 == 0:
                del damaged[choose.randrange(len(image)) :]
            else:
                damaged[choose.randrange(len(image))] ^= 1 << choose.randrange(8)
            paths.append(os.path.join(self.folder.name, f"damaged{k}.h5"))
            Path(paths[-1]).write_bytes(damaged)
        answers, crashes = [], 0
        while len(answers) < len(paths):
            done = subprocess.run(
                [sys.executable, "-c", code, ROOT / "scripts/hash_result"],
                input="\n".join(paths[len(answers) :]), capture_output=True, text=True,
            )  # fmt: skip
            answers += done.stdout.split()
            if done.returncode != 0:  # the HDF5 library itself crashes on some flips: reading failed
                self.assertLess(done.returncode, 0, done.stderr)
                crashes += 1
                answers.append("error")
        self.assertEqual(len(answers), len(paths))
        self.assertLessEqual(crashes, 2, "crashes of the library are rare")
        self.assertEqual(set(answers[::4]), {"error"}, "every cut file fails to open")
        noticed = sum(answer != original for answer in answers)
        print(f"damaged files noticed: {noticed} of {len(answers)}, the rest read the same values")
        self.assertGreater(noticed, len(answers) // 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--writer", required=True)
    args, rest = parser.parse_known_args()
    WRITER = args.writer
    unittest.main(argv=[sys.argv[0], *rest])
