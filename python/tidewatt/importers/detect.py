"""Detects the kind of a log from its content."""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path
from typing import Optional

from . import amd_smi, header, hourly, jobcomp, nvidia_smi, plain, ptdaemon, rates, requests, rocm_smi, sacct, sacct_json, weather_tables
from .report import InputError

_JSON = (
    ("traceEvents", "kineto"), ("@odata.", "redfish"), ('"resultType"', "prometheus"), ('"accelerators_per_node"', "mllog"), ('"card0"', "rocm-smi"),
    ('"input_length"', "requests"), ('"PowerConsumedWatts"', "redfish"), ('"ReadingCelsius"', "redfish"),
)  # fmt: skip
_WATTS = re.compile(r"[_ (\[](m|k|M)?W[)\]]?$|power(?![ _]?factor)", re.IGNORECASE)


def head(path, n: int = 1 << 17) -> str:
    """The first characters of a file, unpacked if it is gzip.

    `path`: its path; `n`: how many bytes. Raises InputError: it cannot be read.
    """
    try:
        with open(path, "rb") as file:
            raw = file.read(2)
        with (gzip.open if raw == b"\x1f\x8b" else open)(path, "rb") as file:
            raw = file.read(n)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error
    return raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")


# Kinds whose files nobody takes for another: a reader that is asked for one of them refuses files of another.
_CERTAIN = frozenset(("mllog", "nvidia-smi", "prometheus", "rocm-smi", "redfish", "kineto", "sacct", "squeue", "sinfo", "weather"))
# Output that no reader takes, and what to record instead.
_INSTEAD = (
    (r"^GPU: \d+\s*$|SOCKET_POWER:|^GPU +(XCP +)?POWER ", "amd-smi's text; record `amd-smi metric --csv` or `amd-smi monitor --csv`"),
    (r"Instantaneous power reading:", "ipmitool's text; record Redfish's Power or Sensor resources, or write lines of a time and watts below the names time,power_W"),
    (r'^\s*\[?\s*\{\s*"device_name"', "nvtop's JSON, which has no times; record `nvidia-smi --query-gpu=timestamp,uuid,power.draw,temperature.gpu,clocks.sm --format=csv -l 1`"),
    (r"ROCm System Management Interface|^=+ ROCm", "rocm-smi's table; record `rocm-smi --showpower --showtemp --showclocks --json`"),
    (r"^ *JobID .*\n *-{3,} ", "sacct's table, which cuts its fields; record `sacct --parsable2` or `sacct --json`"),
    (r"^\w+(,\w+=\S+)+ \w+=\S+ \d{10,}$", "InfluxDB's line protocol; write CSV with `influx query --raw`"),
    (r"^nvtop|Device 0 \[", "nvtop's screen; record `nvidia-smi --query-gpu=timestamp,uuid,power.draw,temperature.gpu,clocks.sm --format=csv -l 1`"),
    (r"^Slurm data parser|^JobId=\d+ JobName=", "scontrol's text; record `squeue --json` or `sacct --parsable2`"),
)


def kind_and_files(kind: str, paths: list[str]) -> tuple[str, list[str], list[tuple[str, str]]]:
    """(kind, files, files of folders that are left out with the reason). `kind`: a kind or auto; `paths`: files and folders.
    Raises InputError: the files are of several kinds, or of another one than the kind"""
    if kind == "redfish":
        return kind, paths, []
    kinds: list[tuple[str, Optional[str]]] = []
    left: list[tuple[str, str]] = []
    for path in paths:
        if Path(path).is_dir():
            kinds += _of_folder(kind, path, left)
        else:
            kinds.append((path, kind_of(path) if kind == "auto" else _certain_kind(path)))
    files = [path for path, _ in kinds]
    if kind == "auto":
        if len({k for _, k in kinds}) > 1:
            raise InputError("the files are of several kinds: " + "; ".join(f"{p}: {k}" for p, k in kinds) + "; import each kind by itself")
        return str(kinds[0][1]), files, left
    if kind in _CERTAIN and (instead := next(((p, w) for p in files if (w := _instead(head(p, 4096)))), None)):
        raise InputError(f"{instead[0]}: this is {instead[1]}")
    other = next(((p, k) for p, k in kinds if k and k != kind and kind in _CERTAIN), None)
    if other:
        raise InputError(f"{other[0]}: this is a log of kind {other[1]}, not {kind}; import it as {other[1]} or with auto")
    return kind, files, left


def _of_folder(kind: str, folder: str, left: list[tuple[str, str]]) -> list[tuple[str, Optional[str]]]:
    """The files of a folder that are of the kind, or, for auto, of any; the others go to `left`. A folder of Redfish resources is one."""
    inside = sorted(str(f) for f in Path(folder).rglob("*") if f.is_file() and not any(x.startswith(".") for x in f.relative_to(folder).parts))
    if not inside:
        raise InputError(f"{folder}: no file in it")
    found = {f: _kind_or_none(f) if kind == "auto" else _certain_kind(f) for f in inside}
    known = {k for k in found.values() if k}
    if kind == "auto" and (not known or "redfish" in known):
        return [(folder, "redfish")]
    wanted = known if kind == "auto" else {kind} & known or {None}
    left += [(f, "no log of a known kind" if k is None else f"a log of kind {k}") for f, k in found.items() if k not in wanted]
    return [(f, k) for f, k in found.items() if k in wanted]


def _kind_or_none(path: str):
    try:
        return kind_of(path)
    except InputError:
        return None


def _certain_kind(path: str):
    """The kind of a file if it can be no other, else None."""
    found = _kind_or_none(path)
    return found if found in _CERTAIN else None


def _instead(text: str) -> str:
    return next((words for pattern, words in _INSTEAD if re.search(pattern, text, re.MULTILINE)), "")


def way_out(kind: str, paths) -> str:
    """What to do with files that a reader refused: another kind, or another output of the tool; "" where nothing is known.

    `kind`: of the reader; `paths`: its files
    """
    for path in paths:
        try:
            instead = _instead(head(path, 4096))
        except InputError:
            continue
        if instead:
            return f" (this is {instead})"
        other = _kind_or_none(path) or kind
        if other not in (kind, "csv", "power"):
            return f" (this looks like a log of kind {other})"
    return ""


def kind_of(path) -> str:
    """One of the kinds, or "csv" for a table of none of them. `path`: file or folder. Raises InputError: no format is recognised."""
    if Path(path).is_dir():
        return "redfish"
    if Path(path).suffix.lower() == ".parquet":
        return "csv"
    text = head(path)
    if amd_smi.is_log(text) or rocm_smi.is_table(text):
        return "rocm-smi"
    if text.lstrip()[:1] in ("{", "[") and not nvidia_smi.dialect(text):
        return _json_kind(text, path)
    if ":::MLLOG" in text:
        return "mllog"
    if nvidia_smi.dialect(text) or nvidia_smi.without_header(text):
        return "nvidia-smi"
    if re.search(r"^# (HELP|TYPE) ", text, re.MULTILINE) or re.search(r"^\w+\{\w+=\"", text, re.MULTILINE):
        return "prometheus"
    return _table_kind(text, path)


def _json_kind(text: str, path) -> str:
    if weather_tables.is_pvgis(text) or '"hourly"' in text and '"latitude"' in text:
        return "weather"
    for word, kind in _JSON:
        if word in text:
            return kind
    if sacct_json.is_answer(text):
        return "sacct"
    if re.search(r'"jobs"\s*:\s*\[', text) and ('"meta"' in text or '"job_state"' in text):
        return "squeue"
    if re.search(r'"nodes"\s*:\s*\[', text) and ('"meta"' in text or '"alloc_cpus"' in text):
        return "sinfo"
    if instead := _instead(text[:4096]):
        raise InputError(f"{path}: this is {instead}")
    raise InputError(f"{path}: JSON of no known kind; name the kind instead of auto, or write it as CSV below a line of names such as time,power_W")


def _table_kind(text: str, path) -> str:
    """By the first line, by the names of the header, then by their units."""
    if instead := _instead(text[:4096]):
        raise InputError(f"{path}: this is {instead}")
    names = header.names(text)
    first = next((line for line in text.split("\n") if line.strip()), "")
    kind = next((kind for kind, is_kind in _BY_FIRST_LINE if is_kind(text, first)), "") or next((kind for kind, is_kind in _BY_NAMES if is_kind(names)), "")
    if kind:
        return kind
    found = plain.suffixes(text)
    if not found and len(names) < 2:
        raise InputError(f"{path}: no format is recognised; name the kind instead of auto")
    return "power" if found == {"W"} else "csv"


def _is_carbon(names: list[str]) -> bool:
    return any(re.search(r"avg_?CI|carbon|gCO[2₂]", n, re.IGNORECASE) or rates.carbon_factor(n) for n in names) or len(set(map(str.upper, names)) & set(hourly.CARBON_G_PER_KWH)) > 2


_BY_FIRST_LINE = (
    ("power", lambda text, first: ptdaemon.is_log(text)),
    ("sacct", lambda text, first: sacct.dialect(text) or jobcomp.is_line(first)),
    ("squeue", lambda text, first: "|#" in first or "JOBID" in first.upper()),
    ("sinfo", lambda text, first: re.search(r"\|\s*gpu:", first) or re.search(r"(?=.*NODELIST)(?=.*STATE)", first.upper())),
    ("weather", lambda text, first: first.startswith(("LOCATION,", "latitude,longitude,")) or weather_tables.is_nsrdb(text) or weather_tables.is_pvgis(text)),
)
_BY_NAMES = (
    ("weather", lambda names: "drybulb_degC" in names),
    ("price", lambda names: any(map(hourly.is_price, names)) or "LMP" in names),
    ("carbon", _is_carbon),
    ("requests", lambda names: plain.pick(names, requests.INPUT) and plain.pick(names, requests.OUTPUT)),
    ("power", lambda names: len(names) > 1 and any(map(_WATTS.search, names)) and not re.search(r"temp|clock", " ".join(names), re.IGNORECASE)),
)
