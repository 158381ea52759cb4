"""Detects the kind of a log from its content."""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path

from . import amd_smi, hourly, jobcomp, nvidia_smi, plain, rates, requests, sacct, sacct_json, weather_tables
from .report import InputError

_JSON = (
    ("traceEvents", "kineto"),
    ("@odata.", "redfish"),
    ('"resultType"', "prometheus"),
    ('"accelerators_per_node"', "mllog"),
    ('"card0"', "rocm-smi"),
    ('"input_length"', "requests"),
    ('"PowerConsumedWatts"', "redfish"),
    ('"ReadingCelsius"', "redfish"),
)
_WATTS = re.compile(r"(^|[,;\t\"])[^,;\t]*([_ (\[](m|k|M)?W[)\]]?|power[^,;\t]*)\"?\s*($|[,;\t])", re.IGNORECASE)


def head(path, n: int = 1 << 17) -> str:
    """The first characters of a file, unpacked if it is gzip.

    @param path: its path; @param n: how many bytes. @raises InputError: it cannot be read.
    """
    try:
        with open(path, "rb") as file:
            raw = file.read(2)
        with (gzip.open if raw == b"\x1f\x8b" else open)(path, "rb") as file:
            raw = file.read(n)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error
    return raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "replace").replace(
        "\r\n", "\n"
    ).replace("\r", "\n")


def kind_of(path) -> str:
    """One of the kinds, or "csv" for a table of none of them. @param path: file or folder. @raises InputError: no format is recognised."""
    if Path(path).is_dir():
        return "redfish"
    if Path(path).suffix.lower() == ".parquet":
        return "csv"
    text = head(path)
    if amd_smi.is_log(text):
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
    raise InputError(f"{path}: JSON of no known kind; name the kind instead of auto")


def _table_kind(text: str, path) -> str:
    first = next((line for line in text.split("\n") if line.strip()), "")
    names = [c.strip().strip('"') for c in re.split(r"[,;\t]", first)]
    upper = first.upper()
    if sacct.dialect(text) or jobcomp.is_line(first):
        return "sacct"
    if "|#" in first or "JOBID" in upper:
        return "squeue"
    if re.search(r"\|\s*gpu:", first) or ("NODELIST" in upper and "STATE" in upper):
        return "sinfo"
    if text.startswith(("LOCATION,", "latitude,longitude,")) or weather_tables.is_nsrdb(text) or weather_tables.is_pvgis(text) or "drybulb_degC" in names:
        return "weather"
    if any(map(hourly.is_price, names)):
        return "price"
    if (
        any(re.search(r"avg_?CI|carbon|gCO[2₂]", n, re.IGNORECASE) or rates.carbon_factor(n) for n in names)
        or len(set(names) & set(hourly.CARBON_G_PER_KWH)) > 2
    ):
        return "carbon"
    if set(names) & set(requests._INPUT) and set(names) & set(requests._OUTPUT):
        return "requests"
    if _WATTS.search(first) and len(names) > 1 and not re.search(r"temp|clock", first, re.IGNORECASE):
        return "power"
    found = plain.suffixes(text)
    if not found and len(names) < 2:
        raise InputError(f"{path}: no format is recognised; name the kind instead of auto")
    return "power" if found == {"W"} else "csv"
