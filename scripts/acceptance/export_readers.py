"""Reads exported files back and compares them with the result: independent programs where they are installed, and readers
of our own for formats that have none. Shares no code with the writer."""
import json
import math
import os
import subprocess
from pathlib import Path

import product

READER = Path(__file__).resolve().parent / "third_party_reader.py"


def oracles():
    """The Python of scripts/oracles, or None where it was not made."""
    python = Path(os.environ.get("TIDEWATT_ORACLES") or product.ROOT / "build" / "oracles") / "bin" / "python"
    return python if python.exists() else None


def third_party(program, file, timeout_s=300):
    done = subprocess.run([oracles(), READER, program, file], capture_output=True, text=True, timeout=timeout_s)
    if done.returncode != 0:
        raise RuntimeError(f"{program} cannot read {file}: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout[done.stdout.index('{"names"'):])


def pscad(file):
    """Blank-separated; the first line is blank or a comment; the first column is time, from 0; at most 11 columns."""
    lines = Path(file).read_text().splitlines()
    if lines[0].strip() and not lines[0].startswith("!"):
        raise ValueError("the first line must be blank or a comment")
    rows = [[float(word) for word in line.split()] for line in lines[1:]]
    if any(len(row) != len(rows[0]) for row in rows) or len(rows[0]) > 11 or rows[0][0] != 0:
        raise ValueError("rows must have one length of at most 11 and begin at t = 0")
    return {"comment": lines[0], "time_s": [r[0] for r in rows], "values": [list(c) for c in zip(*rows)][1:]}


def elmfile(file):
    """First row: the number of variables without time; then time and values; one length; no empty or over-long line."""
    lines = Path(file).read_text().split("\n")
    if lines[-1] == "":
        lines.pop()
    n = int(lines[0])
    if not 1 <= n <= 24 or any(not line.strip() or len(line) > 1024 or "," in line for line in lines[1:]):
        raise ValueError("1 to 24 variables; no empty line, none above 1,024 characters, a point as decimal sign")
    rows = [[float(word) for word in line.split()] for line in lines[1:]]
    if any(len(row) != n + 1 for row in rows):
        raise ValueError(f"every row must hold the time and {n} values")
    return {"time_s": [r[0] for r in rows], "values": [list(c) for c in zip(*rows)][1:]}


def csv(file):
    lines = Path(file).read_text().splitlines()
    notes = [line for line in lines if line.startswith("#")]
    names = lines[len(notes)].split(",")
    rows = [[float(word) for word in line.split(",")] for line in lines[len(notes) + 1:]]
    return {"notes": notes, "names": names, "time_s": [r[0] for r in rows], "values": [list(c) for c in zip(*rows)][1:]}


def truth(result, window):
    """P in MW, Q in Mvar, voltage in pu and frequency in Hz of a result's window, and the times of the samples."""
    import h5py
    with h5py.File(result, "r") as file:
        group = file[f"waveform_{window}"]
        scale = {"pcc_W": 1e-6, "pcc_var": 1e-6, "bus_pu": 1.0, "frequency_Hz": 1.0}
        return list(group["time"][:]), [(group[key][:] * by).tolist() for key, by in scale.items()]


def rms(values):
    return math.sqrt(math.fsum(v * v for v in values) / len(values))


def differences(read, expected, step_s):
    """How far a read channel is off: extremes, RMS, the value at our time of the maximum, samples that are missing."""
    at = max(range(len(expected)), key=expected.__getitem__)
    missing = len(expected) - sum(1 for v in read if math.isfinite(v))
    return {"max": max(read) - max(expected), "min": min(read) - min(expected), "rms": rms(read) - rms(expected),
            "at_max": read[at] - max(expected), "missing": missing, "step_s": step_s}
