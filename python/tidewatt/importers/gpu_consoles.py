"""What GPU tools print for people: the plain table of nvidia-smi, gpustat (text and JSON), `dcgmi dmon`."""

from __future__ import annotations

import re

from . import nvidia_words
from .report import ImportReport
from .text import json_documents

_CTIME = re.compile(r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}")
_NAME_LINE = re.compile(r"^\|\s+(\d+)\s+(\S.*?)\s+(?:On|Off|N/A)?\s*\|\s*([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f])\s")
_VALUE_LINE = re.compile(r"^\|\s*(\d+%|N/A|ERR!)\s+(\d+C|N/A|ERR!)\s+\S+\s+(\S+)\s*/\s*(\S+)\s*\|[^|]*\|\s*(\d+%|N/A|ERR!)")
_GPUSTAT = re.compile(r"^\[(\d+)\]\s*(.*?)\s*\|\s*(\S+?)\s*['°]C\s*,\s*(?:(\S+) %\s*,\s*)?(\S+) %\s*(?:,\s*(\S+)\s*/\s*(\S+) W)?\s*\|")
_DCGMI_ROW = re.compile(r"^\s*GPU[ -]?(\d+)\s+(\S.*)$")

_WORDS = nvidia_words.meanings({"temperature_degC": "temp", "fan_frac": "fan", "utilization_frac": "gpu", "power_W": "power", "limit_W": "limit"})


def dialect(text: str) -> str:
    """ "table", "gpustat", "gpustat-json", "dcgmi", or "" for none of them. `text`: the file's beginning or all of it."""
    if text.lstrip()[:1] == "{":
        return "gpustat-json" if '"query_time"' in text and '"gpus"' in text else ""
    if re.search(r"^#\s*Entity\s", text, re.MULTILINE):
        return "dcgmi"
    if re.search(r"^\| NVIDIA-SMI ", text, re.MULTILINE):
        return "table"
    return "gpustat" if any(map(_GPUSTAT.match, text.split("\n", 40))) else ""


def table(text: str, file: str, report: ImportReport) -> list[dict]:
    """Readings of the plain table, which `nvidia-smi -l` repeats. `text`: the log; `file`: for the places; `report`: takes the remarks"""
    rows: list[dict] = []
    stamp, begun = "", None
    for at, line in enumerate(text.split("\n"), 1):
        if time := _CTIME.search(line):
            stamp = time[0]
        elif name := _NAME_LINE.match(line):
            begun = {"row": at, "time": stamp, "gpu": name[1], "bus": name[3]}
            begun |= {} if name[2].endswith("...") else {"model": name[2]}  # cut
        elif begun and (values := _VALUE_LINE.match(line)):
            nvidia_words.take(begun, dict(zip(("fan", "temp", "power", "limit", "gpu"), (v.rstrip("WC%") for v in values.groups()))), _WORDS, file, report)
            rows.append(begun)
            begun = None
    return rows


def gpustat(text: str, file: str, report: ImportReport) -> list[dict]:
    """Readings of gpustat's lines; watts are there with `-P`. `text`: the log; `file`: for the places; `report`: takes the remarks"""
    rows: list[dict] = []
    stamp, host = "", ""
    for at, line in enumerate(text.split("\n"), 1):
        if time := _CTIME.search(line):
            stamp, host = time[0], line[: time.start()].strip()
        elif match := _GPUSTAT.match(line):
            row = {"row": at, "time": stamp, "host": host, "gpu": match[1], "model": match[2]}
            cells = {n: c.replace("??", "") for n, c in zip(("temp", "fan", "gpu", "power", "limit"), match.groups()[2:]) if c is not None}
            nvidia_words.take(row, cells, _WORDS, file, report)
            rows.append(row)
    return rows


def gpustat_json(text: str, file: str, report: ImportReport) -> list[dict]:
    """Readings of `gpustat --json`, one answer or several. `text`: the log; `file`: for the places; `report`: takes the remarks"""
    rows = []
    for i, answer in enumerate(json_documents(text, file), 1):
        for gpu in answer.get("gpus", []):
            row = {"row": i, "time": str(answer.get("query_time", "")), "host": answer.get("hostname", "")}
            row |= {key: str(gpu[name]) for name, key in nvidia_words.CSV_TEXT.items() if gpu.get(name) is not None}
            nvidia_words.take(row, {n: str(c) for n, c in gpu.items() if c is not None}, nvidia_words.CSV, file, report)
            rows.append(row)
    return rows


def dcgmi(text: str, file: str, report: ImportReport) -> list[dict]:
    """Readings of `dcgmi dmon`, which prints no times. `text`: the log; `file`: for the places; `report`: takes the remarks"""
    names: list[str] = []
    rows, unused = [], set()
    for at, line in enumerate(text.split("\n"), 1):
        if re.match(r"^#\s*Entity\s", line):
            names = line.lstrip("# ").split()[1:]
            unused |= set(names) - set(nvidia_words.DCGMI)
            continue
        match = _DCGMI_ROW.match(line)
        if match is None:
            continue
        cells = match[2].split()
        if len(cells) != len(names):
            report.ignore(f"{file}:{at}", f"{len(cells)} cells, the header has {len(names)} (a torn line)")
            continue
        row = {"row": at, "gpu": match[1]}
        nvidia_words.take(row, dict(zip(names, cells)), nvidia_words.DCGMI, file, report)
        rows.append(row)
    if unused:
        report.note(f"{file}: columns without a use here: {', '.join(sorted(unused))}")
    return rows
