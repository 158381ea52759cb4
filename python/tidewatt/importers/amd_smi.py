"""`amd-smi metric` and `amd-smi monitor`, as CSV or JSON: one row per reading and GPU."""

from __future__ import annotations

import re
from typing import Iterator, Optional

import pandas as pd

from . import header
from .gpu_table import finish
from .nvidia_words import meanings, take
from .report import ImportReport, InputError
from .text import json_documents, read_text
from .times import parse_times

# Column, or the path in JSON → (column of the table, factor). Of several for one column the first with a value holds.
KEYS = meanings({
    "power_W": "socket_power, current_socket_power, average_socket_power, power_usage",
    "temperature_degC": "hotspot, hotspot_temperature, edge, gpu_temp",
    "memory_temperature_degC": "mem, memory_temperature, mem_temp",
    "clock_MHz": "gfx_0_clk, gfx_clk, gfx_clock",
    "memory_clock_MHz": "mem_0_clk, mem_clk, mem_clock",
    "utilization_frac": "gfx_activity, gfx, gfx_util",
    "memory_utilization_frac": "umc_activity, mem_util",
    "energy_J": "total_energy_consumption*1",
    "limit_W": "max_power, power_limit",
})


def is_log(text: str) -> bool:
    """Whether a file is a log of amd-smi. `text`: its beginning"""
    if text.lstrip()[:1] in ("[", "{"):
        return bool(re.search(r'"gpu"\s*:\s*\d', text) and re.search(r'"(socket_power|power_usage|gfx_activity|hotspot(_temperature)?)"', text))
    names = {n.lower() for n in header.names(text)}
    return "gpu" in names and len(names & set(KEYS)) > 1


def read(paths, report: ImportReport, zone: Optional[str] = None) -> pd.DataFrame:
    """Readings of GPUs in the columns of `gpu_table.COLUMNS`; `timestamp` is Unix time in s.

    `paths`: logs; `report`: takes the remarks; `zone`: IANA name of the node's clock, where times carry no offset.
    Raises InputError: no complete JSON, or no GPU with a power, a temperature or a clock.
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
    for row, cells in header.named(text, file, report, lambda cells: "gpu" in map(str.lower, cells)):  # also again, where a loop wrote it
        yield _row({name.lower(): cell for name, cell in cells.items()}, row, file, report)


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
    if "memory_temperature" in cells:  # of the monitor, whose `mem` is a load
        cells = {name: cell for name, cell in cells.items() if name != "mem"}
    take(row, cells, KEYS, file, report)
    return row
