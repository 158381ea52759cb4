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


def andes_step(raw, dyr, bus, step_MW, length_s, loads="impedance", timeout_s=1800):
    """A step of load on a network in ANDES: times, names, speeds, stored energies."""
    done = subprocess.run([oracles(), READER.with_name("andes_step.py"), raw, dyr, str(bus), str(step_MW), str(length_s), loads], capture_output=True, text=True, timeout=timeout_s)
    if done.returncode != 0:
        raise RuntimeError(f"ANDES cannot play {raw}: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout[done.stdout.index('{"time_s"'):])


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


PERC1 = ("Lfm QPratio Dbfl Dbfh Kdroop Kvp Tvp Kvq Tvq Tap Tbp Taq Tbq nP nQ Ipmax Ipmin Iqmax Iqmin Fcease Vcease Tcease Tdelay Vrecon "
         "Trecon Tramp Frecon Tt Tv Tf").split()
# Whole numbers and values of each user model: NI and NC of its header must be these.
USER_MODELS = {"LINJBL": (4, 8), "CMLDBLU2": (2, 133), "CMLDBLU1": (0, 132)}


def dyr_words(text):
    """Words of a record; blanks or commas between them, a blank within quotes belongs to its word."""
    import re
    return [quoted if quoted else word for quoted, word in re.findall(r"'([^']*)'|([^\s,]+)", text)]


def dyr(file):
    """Records of a .dyr file by the rules of its format: free format, each ends with '/'; 30 values for PERC1, NI and NC for a
    user model (bus 'USRLOD' id 'NAME' IC IT NI NC NS NV …). Comment lines begin with '//'."""
    lines = Path(file).read_text().splitlines()
    notes = [line[2:].strip() for line in lines if line.startswith("//")]
    body = "\n".join(line for line in lines if not line.startswith("//")).strip()
    if not body.endswith("/"):
        raise ValueError("the file must end with '/'")
    records = []
    for text in body[:-1].split("/"):
        words = dyr_words(text)
        if words[1] == "USRLOD":
            name, (n_icon, n_con) = words[3], USER_MODELS[words[3]]
            if [int(w) for w in words[4:6]] != [12, 1] or (int(words[6]), int(words[7])) != (n_icon, n_con):
                raise ValueError(f"{name}: IC 12, IT 1, NI {n_icon}, NC {n_con} expected, not {words[4:8]}")
            # What follows NI, NC, NS and NV in the header depends on the model; the constants stand at the end.
            values = [float(w) for w in words[-n_con:]]
            icons = [int(w) for w in words[-n_con - n_icon:-n_con]]
            records.append({"bus": int(words[0]), "id": words[2].strip(), "name": name, "icons": icons, "values": values, "n_header": len(words) - n_con - n_icon})
        else:
            values = [float(w) for w in words[3:]]
            if words[1] != "PERC1" or len(values) != 30:
                raise ValueError(f"a PERC1 record has 30 values, not {len(values)} of {words[1]}")
            records.append({"bus": int(words[0]), "id": words[2].strip(), "name": "PERC1", "values": dict(zip(PERC1, values))})
    return {"notes": notes, "records": records}


def dyr_findings(read):
    """What the tables of the formats say about values and this file's records break."""
    found = []
    ids = [(r["bus"], r["id"]) for r in read["records"]]
    if len(set(ids)) != len(ids):
        found.append("two records have one bus and load id")
    if sum(r["name"] == "PERC1" for r in read["records"]) > 8:
        found.append("more than eight PERC1 records")
    for r in read["records"]:
        v, say = r["values"], lambda text, r=r: found.append(f"{r['name']} {r['id']}: {text}")
        if r["name"] == "PERC1":
            for test, text in ((v["Lfm"] >= 0.001, "Lfm below 0.001"), (v["Vrecon"] >= v["Vcease"], "Vrecon below Vcease"), (0 <= v["Fcease"] <= 1, "Fcease"), (0 <= v["Frecon"] <= 1, "Frecon"),
                               (min(v[k] for k in ("Tcease", "Tdelay", "Trecon", "Tramp", "Tt", "Tv", "Tf")) >= 0, "a time below 0"), (v["Ipmax"] >= v["Lfm"], "Ipmax below the current at start"),
                               (v["nP"] in (0, 1, 2) and v["nQ"] in (0, 1, 2), "nP or nQ")):
                if not test:
                    say(text)
        elif r["name"] == "LINJBL":
            start, duty, _, hertz, _, n, height, _ = v
            if not (start >= 0 and 0 < duty < 1 and hertz > 0 and n >= 1 and n == int(n) and height > 0 and r["icons"] == [0, 0, 0, 0]):
                say(f"values {v}")
        elif not (v[0] > 0 and sum(v[18:23]) <= 1 and 0 <= v[25] <= v[24] and (len(v) == 132 or 0 <= v[132] <= 1)):
            say("MVA, shares, Vd1 and Vd2 or Frcel")
    return found


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
