"""`amd-smi metric` and `amd-smi monitor`, as CSV or JSON: one row per reading and GPU."""

from __future__ import annotations

import re
from typing import Iterator, Optional

import numpy as np
import pandas as pd

from . import header
from .gpu_table import finish
from .nvidia_words import put
from .report import ImportReport, InputError
from .text import json_documents, read_text
from .times import parse_times

# Column, or the path in JSON → (column of the table, factor). Of several for one column the first with a value holds.
KEYS = {
    "socket_power": ("power_W", 1.0),
    "current_socket_power": ("power_W", 1.0),
    "average_socket_power": ("power_W", 1.0),
    "power_usage": ("power_W", 1.0),
    "hotspot": ("temperature_degC", 1.0),
    "hotspot_temperature": ("temperature_degC", 1.0),
    "edge": ("temperature_degC", 1.0),
    "gpu_temp": ("temperature_degC", 1.0),
    "mem": ("memory_temperature_degC", 1.0),
    "memory_temperature": ("memory_temperature_degC", 1.0),
    "mem_temp": ("memory_temperature_degC", 1.0),
    "gfx_0_clk": ("clock_MHz", 1.0),
    "gfx_clk": ("clock_MHz", 1.0),
    "gfx_clock": ("clock_MHz", 1.0),
    "mem_0_clk": ("memory_clock_MHz", 1.0),
    "mem_clk": ("memory_clock_MHz", 1.0),
    "mem_clock": ("memory_clock_MHz", 1.0),
    "gfx_activity": ("utilization_frac", 0.01),
    "gfx": ("utilization_frac", 0.01),
    "gfx_util": ("utilization_frac", 0.01),
    "umc_activity": ("memory_utilization_frac", 0.01),
    "mem_util": ("memory_utilization_frac", 0.01),
    "total_energy_consumption": ("energy_J", 1.0),
    "max_power": ("limit_W", 1.0),
    "power_limit": ("limit_W", 1.0),
}


def is_log(text: str) -> bool:
    """Whether a file is a log of amd-smi. @param text: its beginning"""
    if text.lstrip()[:1] in ("[", "{"):
        return bool(re.search(r'"gpu"\s*:\s*\d', text) and re.search(r'"(socket_power|power_usage|gfx_activity|hotspot(_temperature)?)"', text))
    names = {n.strip() for n in text.split("\n", 1)[0].split(",")}
    return "gpu" in names and len(names & set(KEYS)) > 1


def read(paths, report: ImportReport, zone: Optional[str] = None) -> pd.DataFrame:
    """Readings of GPUs in the columns of `gpu_table.COLUMNS`; `timestamp` is Unix time in s.

    @param paths: logs; @param report: takes the remarks; @param zone: IANA name of the node's clock, where times carry no offset.
    @raises InputError: no complete JSON, or no GPU with a power, a temperature or a clock.
    """
    rows: list[dict] = []
    for path in paths:
        text, file = read_text(path, report), report.name_of(path)
        found = list((_json if text.lstrip()[:1] in ("[", "{") else _csv)(text, file, report))
        stamps = [r["time"] for r in found]
        times = parse_times(stamps, [r["row"] for r in found], file, report, zone, [r["gpu"] for r in found]) if any(stamps) else [pd.NaT] * len(found)
        rows += [{**row, "time": time, "file": file} for row, time in zip(found, times)]
    report.rows_read += len(rows)
    timed = any(row["time"] is not pd.NaT for row in rows)
    if rows and not timed:
        report.note("the log has no times (`amd-smi monitor --watch 1 --csv` prints them); rows are in the order of files and GPUs")
    return finish(rows, report, has_time=timed)


def _csv(text: str, file: str, report: ImportReport) -> Iterator[dict]:
    names: list[str] = []
    for row, _, cells in header.records(text, ",", file):
        cells = [c.strip() for c in cells]
        if "gpu" in cells:  # also again, where a loop wrote it
            names = cells
        elif len(cells) != len(names):
            report.ignore(f"{file}:{row}", f"{len(cells)} cells, the header has {len(names)} (a torn line)")
        else:
            yield _row(dict(zip(names, cells)), row, file, report)


def _json(text: str, file: str, report: ImportReport) -> Iterator[dict]:
    n = 0
    for document in json_documents(text, file):
        gpus = document.get("gpu_data", document) if isinstance(document, dict) else document
        for gpu in gpus if isinstance(gpus, list) else [gpus]:
            n += 1
            if not isinstance(gpu, dict) or "gpu" not in gpu:
                raise InputError(f"{file}, entry {n}: no GPU of amd-smi")
            yield _row(dict(_flat(gpu)), n, file, report)


def _flat(tree: dict, before: str = "") -> Iterator[tuple[str, str]]:
    """Leaves by their own name and by their parent's and own, such as `gfx_0_clk`; {"value": 741, "unit": "W"} is `741 W`."""
    for name, value in tree.items():
        if isinstance(value, dict) and "value" in value:
            value = f"{value['value']} {value.get('unit', '')}".strip()
        if isinstance(value, dict):
            yield from _flat(value, name)
        elif not isinstance(value, list):
            yield name, str(value)
            yield f"{before}_{name}", str(value)


def _row(cells: dict[str, str], at: int, file: str, report: ImportReport) -> dict:
    row = {"row": at, "time": cells.get("timestamp", ""), "gpu": cells["gpu"], "uuid": cells.get("uuid", ""), "bus": cells.get("bdf", "")}
    monitor = "memory_temperature" in cells  # whose `mem` is a load
    for name, (key, scale) in KEYS.items():
        if name in cells and pd.isna(row.get(key, np.nan)) and not (name == "mem" and monitor):
            row.pop(key, None)
            put(row, key, cells[name], scale, file, report)
    return row
