"""A made-up result file with the groups and names that the engine writes, for developing and testing the report.

    synthetic_result.py OUT.h5

The numbers have the size of a large training day but come from sines and random numbers, not from a model.
"""
import contextlib
import hashlib
import json
import sys
from pathlib import Path

import h5py
import numpy as np

START = "2023-07-20 00:00:00"
ITERATION_s = 6.6
SPIKE_s, SPIKE_W = 333.333, 31.7e6  # one bin of 1 ms: it must survive every downsampling


SEAL = b"\ntidewatt result 1 sha256 "


def seal(path):
    """Writes the line with the file's hash behind the HDF5 data, as src/io/verified_file.hpp defines it."""
    data = Path(path).read_bytes()
    at = len(data) - len(SEAL) - 65
    image = (data[:at] if data[max(at, 0) :].startswith(SEAL) else data) + SEAL
    Path(path).write_bytes(image + hashlib.sha256(image).hexdigest().encode() + b"\n")


@contextlib.contextmanager
def edited(path):
    """The file, open to be changed; sealed again afterwards."""
    with h5py.File(path, "a") as file:
        yield file
    seal(path)


class Writer:
    def __init__(self, path):
        self.file = h5py.File(path, "w")

    def group(self, name, dim, scale, **arrays):
        """`arrays`: name = (values, unit[, long name]); `scale`: values of the dimension, or None for a bare one."""
        group = self.file.create_group(name)
        n = len(next(iter(arrays.values()))[0])
        if scale is None:
            group.create_dataset(dim, (n,), ">f4")
            group[dim].make_scale(f"This is a netCDF dimension but not a netCDF variable.{n:10}")
        else:
            self.put(group, dim, scale, "seconds since " + START if dim == "time" else "")
            group[dim].make_scale(dim)
        for key, (values, unit, *long_name) in arrays.items():
            self.put(group, key, values, "seconds since " + START if key == "time" else unit)
            group[key].dims[0].attach_scale(group[dim])
            if long_name:
                group[key].attrs["long_name"] = long_name[0]

    @staticmethod
    def put(group, key, values, unit):
        if len(values) and isinstance(values[0], str):
            group.create_dataset(key, data=list(values), dtype=h5py.string_dtype())
        else:
            group.create_dataset(key, data=np.asarray(values), compression="gzip", compression_opts=1)
        if unit:
            group[key].attrs["units"] = unit


def waveform(rng):
    """Ten minutes in 1 ms bins: start, iterations, checkpoint, evaluation, failure of everything, restart."""
    t = np.arange(600_000) * 1e-3
    phase = t % ITERATION_s
    load = np.where(phase < 5.9, 23.5e6 + 0.5e6 * np.sign(np.sin(2 * np.pi * phase / 0.33)), 13.5e6)
    load = np.where(phase > 6.35, 9.5e6, load)
    for begin, end, level in [(0, 30, 5.2e6), (30, 60, 8.5e6), (240, 251, 10.5e6), (330, 348, 19e6), (420, 480, 5.4e6)]:
        load[(t >= begin) & (t < end)] = level
    load += 4e4 * rng.standard_normal(t.size)
    load[int(round(SPIKE_s * 1000))] = SPIKE_W
    slow = np.convolve(load - load.mean(), np.exp(-np.arange(4000) / 800) / 800, "same")
    return t, load, 1 - 1.2e-9 * (load - 2e7), 60 - 1.1e-9 * slow


def day_arrays(rng):
    n = 1440
    t = np.arange(n) * 60.0
    sun = np.sin((t / 3600 - 9) * np.pi / 12)
    outdoor = 301 + 7 * sun + 0.3 * np.cumsum(rng.standard_normal(n)) / 30
    inlet = 296.5 + 2.6 * np.maximum(sun, -0.4)
    clock = 1.66e9 - 3.2e6 * (inlet - 297)
    iteration = ITERATION_s * 1.66e9 / (clock - 30e6) + 0.002 * rng.standard_normal(n)
    tokens = 16 * 1024 * 1024 / iteration
    stopped = (t > 11.2 * 3600) & (t < 11.5 * 3600)
    state = np.where(stopped, 7, 4)
    state[:6] = [0, 1, 1, 2, 2, 2]
    state[200::240] = 6
    idle = state != 4
    power = np.where(idle, 9e6, 20.9e6 + 6e4 * (inlet - 297)) + 3e4 * rng.standard_normal(n)
    limiter = np.clip(0.93 - 0.01 * (inlet - 297) + 0.01 * rng.standard_normal(n), 0, 1) * ~idle
    thermal = 0.02 * np.maximum(sun, 0) * ~idle
    return {
        "time": (t, ""),
        "outdoor_drybulb_K": (outdoor, "K"),
        "outdoor_wetbulb_K": (outdoor - 9 - 2 * sun, "K"),
        "supply_K": (inlet - 0.8, "K"),
        "inlet_mean_K": (inlet, "K"),
        "hot_aisle_K": (inlet + 14, "K"),
        "clock_mean_Hz": (clock, "Hz"),
        "clock_slowest_Hz": (clock - 62e6, "Hz"),
        "clock_p05_Hz": (clock - 28e6, "Hz"),
        "clock_p95_Hz": (clock + 25e6, "Hz"),
        "die_mean_K": (inlet + 33, "K"),
        "die_max_K": (inlet + 46, "K"),
        "throughput_tokens_per_s": (np.where(idle, np.nan, tokens), "1/s"),
        "iteration_s": (np.where(idle, np.nan, iteration), "s"),
        "it_W": (power, "W"),
        "pcc_mean_W": (power * 1.08, "W"),
        "pcc_min_W": (power * 0.45, "W"),
        "pcc_max_W": (power * 1.19, "W"),
        "plant_W": (power * 0.05 + 1e5 * sun, "W"),
        "water_kg_per_s": (np.maximum(0, 3.5 * sun), "kg/s"),
        "server_fan_frac": (0.5 + 0.15 * sun, "1"),
        "limiter_none_frac": ((1 - idle) * 0.03, "1"),
        "limiter_power_frac": (limiter, "1"),
        "limiter_thermal_frac": (thermal, "1"),
        "limiter_clock_frac": (np.maximum(0, 0.97 * ~idle - limiter - thermal), "1"),
        "job_state": (state, "1", "0 queued 1 initialise 2 load 3 warm_up 4 iterate 5 evaluate 6 checkpoint 7 detect 8 replace 9 maintenance 10 done"),
    }  # fmt: skip


def fleet_arrays(rng, rows=32, racks=32, nodes=2, slots=8):
    row, rack, node, slot = (a.ravel() for a in np.indices((rows, racks, nodes, slots)))
    n = row.size
    inlet = 298.5 + 1.5 * np.sin(rack / racks * np.pi) + 0.8 * (row % 4 == 3) + 0.4 * node + 0.2 * rng.standard_normal(n)
    leakage = np.exp(np.clip(0.12 * rng.standard_normal(n), -0.36, 0.36))
    resistance = np.exp(np.clip(0.04 * rng.standard_normal(n), -0.12, 0.12))
    die = inlet + 11 * (slot >= 4) + 27 * resistance + 6 * (leakage - 1)
    clock = 1.66e9 - 2.2e6 * (die - 330) - 60e6 * (leakage - 1) + 8e6 * rng.standard_normal(n)
    die[5000] += 14
    clock[5000] -= 90e6
    return {
        "row": (row, "1"), "rack": (row * racks + rack, "1"), "node": ((row * racks + rack) * nodes + node, "1"),
        "slot": (slot, "1"), "stage": (np.arange(n) // 8 % 16, "1"), "replica": (np.arange(n) // 128, "1"),
        "die_K": (die, "K"), "clock_Hz": (clock, "Hz"), "inlet_K": (inlet, "K"), "leakage_ratio": (leakage, "1"),
        "resistance_ratio": (resistance, "1"), "limiter": ((die > 347).astype(np.int64) + 1, "1"),
    }  # fmt: skip


def summary(day, t, load):
    return {
        "schema_version": 1, "simulated_s": 86400.0, "n_gpu": 16384, "iteration_s": ITERATION_s, "tflops_per_gpu": 402.1,
        "mfu_percent": 40.6, "tokens_per_s_mean": 2.54e6, "throughput_swing_percent": 1.13, "throughput_min_hours": [15],
        "clock_mean_MHz": 1655.2, "clock_slowest_MHz": 1578.0, "die_max_degC": 71.9, "die_mean_degC": 57.3,
        "limiter_share": {"power": 0.92, "thermal": 0.01, "clock": 0.04, "none": 0.03}, "it_mean_MW": 20.9,
        "pcc_mean_MW": 22.6, "pcc_max_MW": SPIKE_W / 1e6, "pcc_min_MW": 5.1, "pcc_step_1s_max_MW": 18.2,
        "pcc_ramp_up_max_MW_per_s": 41.0, "pcc_ramp_down_max_MW_per_s": 88.0, "pcc_dominant_Hz": 1 / ITERATION_s, "pcc_dominant_MW": 2.2,
        "freq_deviation_max_mHz": 11.2, "volt_deviation_max_percent": 1.4, "pue": 1.081, "wue_L_per_kWh": 0.31,
        "n_interruptions_unexpected": 1, "n_interruptions_planned": 0, "effective_time_percent": 97.2,
        "energy_closure": 3.1e-13, "input_energy_error": 4e-15, "payload_sha256": None, "result_file": "synthetic.h5",
    }  # fmt: skip


def spectrum_of(load):
    """Mean amplitude spectrum over Hann windows of 2^16 samples of 1 ms."""
    n = 2**16
    window = np.hanning(n)
    pieces = [load[k : k + n] for k in range(60_000, 240_000 - n, n // 2)]
    lines = [np.abs(np.fft.rfft((p - p.mean()) * window)) * 2 / window.sum() for p in pieces]
    return np.fft.rfftfreq(n, 1e-3)[1:], np.mean(lines, axis=0)[1:]


def write(path, leave_out=()):
    """`leave_out`: names of groups to omit."""
    rng = np.random.default_rng(0)
    writer = Writer(path)

    def add(name, dim, scale, **arrays):
        if name not in leave_out:
            writer.group(name, dim, scale, **arrays)

    day = day_arrays(rng)
    t_day = day.pop("time")[0]
    add("day", "time", t_day, **day)
    hours = np.arange(24) * 3600.0
    tokens = np.nanmean(day["throughput_tokens_per_s"][0].reshape(24, 60), axis=1)
    add("hourly", "time", hours, throughput_tokens_per_s=(tokens, "1/s"), iterating_s=(np.full(24, 3500.0), "s"),
        it_J=(np.full(24, 7e10), "J"), pcc_J=(np.full(24, 7.6e10), "J"), water_kg=(np.full(24, 5e3), "kg"),
        inlet_mean_K=(day["inlet_mean_K"][0].reshape(24, 60).mean(axis=1), "K"))  # fmt: skip
    t, load, bus, frequency = waveform(rng)
    add("waveform_transients", "time", t, pcc_W=(load, "W"), bus_pu=(bus, "1"), frequency_Hz=(frequency, "Hz"))
    for level, bins in [("100ms", 100), ("1s", 1000)]:
        blocks = load.reshape(-1, bins)
        add("pyramid_" + level, "time", t[::bins], pcc_min_W=(blocks.min(axis=1), "W"),
            pcc_mean_W=(blocks.mean(axis=1), "W"), pcc_max_W=(blocks.max(axis=1), "W"))  # fmt: skip
    lines, amplitude = spectrum_of(load)
    add("spectrum", "frequency_Hz", lines, pcc_amplitude_W=(amplitude, "W"))
    windows = np.array([0.02, 0.1, 0.5, 1, 5, 10, 60, 300])
    add("grid_ramps", "window_s", windows, up_W_per_s=(18e6 / (windows + 0.4), "W/s"),
        down_W_per_s=(18e6 / (windows + 0.2), "W/s"))  # fmt: skip
    edges = np.sort(np.concatenate([np.arange(0, 5.9, 0.165), [5.9, 6.1, 6.35, ITERATION_s]]))
    level = np.where(edges < 5.9, 23.5e6 + 5e5 * (-1.0) ** np.arange(edges.size), np.where(edges < 6.35, 13.5e6, 9.5e6))
    add("iteration", "edge", None, edge_s=(edges, "s"), load_W=(level, "W"))
    add("fleet", "gpu", None, **fleet_arrays(rng))
    add("events", "event", None, time=([0.0, 40320.0, 41400.0], ""), kind=(["start", "failure", "restart"], ""),
        entity=(["job main", "node 312", "job main"], ""),
        text=(["job starts", "GPU fell off the bus: everything stops", "resumes from the checkpoint of 11:00"], ""))  # fmt: skip
    add("energy", "level", ["gpu", "node", "feeder", "hall", "site"], in_J=(np.array([1.5, 1.8, 1.81, 1.8, 1.95]) * 1e12, "J"),
        out_J=(np.array([1.4999, 1.8, 1.81, 1.7998, 1.95]) * 1e12, "J"), stored_J=(np.array([1e8, 0, 0, 2e8, 0]), "J"),
        closure=(np.array([1e-13, 2e-13, 0, 3.1e-13, 1e-14]), "1"))  # fmt: skip
    add("trust", "input", None, key=(["gpu.leakage_60degC_W", "gpu.leakage_spread_ratio", "job.main.plan.recompute"], ""),
        value=([90.0, 0.12, np.nan], ""), low=([60.0, 0.08, np.nan], ""), high=([120.0, 0.2, np.nan], ""), word=(["", "", "none"], ""),
        words=(["", "", "none or full"], ""), source=(["[K] assumed from <public> figures", "[K] assumed", "not said"], ""))  # fmt: skip
    writer.file.attrs["summary_json"] = json.dumps(summary(day, t, load))
    writer.file.attrs["payload_sha256"] = "0" * 64
    provenance = writer.file.create_group("provenance")
    provenance.attrs.update(start_time=START, seed="0", version="0.1.0")
    provenance["scenario"] = 'schema = 1\n[run]\nname = "synthetic </script> day"\n' + "# padding\n" * 40
    writer.file.close()
    seal(path)


if __name__ == "__main__":
    write(sys.argv[1])
