"""`rocm-smi --json` and `--csv`: one object or row per card; the keys change between versions of ROCm. Its successor is in `amd_smi`."""

from __future__ import annotations

import json
from typing import Optional

import pandas as pd

from . import amd_smi, header
from .gpu_table import finish
from .nvidia_words import meanings, take
from .report import ImportReport, InputError
from .text import read_text

# Key → (column, factor). ROCm 5.7 and 6.0 average the package's power; MI300 under ROCm 6 names the socket's current power.
KEYS = meanings({
    "power_W": "Average Graphics Package Power (W), Current Socket Graphics Package Power (W)",
    "temperature_degC": "Temperature (Sensor junction) (C), Temperature (Sensor edge) (C)",
    "memory_temperature_degC": "Temperature (Sensor memory) (C)",
    "clock_MHz": "sclk clock speed:",
    "memory_clock_MHz": "mclk clock speed:",
    "limit_W": "Max Graphics Package Power (W)",
    "utilization_frac": "GPU use (%)",
    "fan_frac": "Fan speed (%)",
})


def read(paths, report: ImportReport, zone: Optional[str] = None) -> pd.DataFrame:
    """Readings of cards in the columns of `gpu_table.COLUMNS`; rocm-smi prints no times.

    `paths`: answers, one per reading, or logs of amd-smi; `report`: takes the remarks; `zone`: IANA name of the clock of
    amd-smi's times. Raises InputError: no complete JSON, or no card in it.
    """
    if all(amd_smi.is_log(read_text(path, ImportReport(report.kind))) for path in paths):
        return amd_smi.read(paths, report, zone)
    rows = []
    for path in paths:
        text, file = read_text(path, report), report.name_of(path)
        cards = _of_table(text, file, report) if is_table(text) else _of_json(text, file)
        report.rows_read += len(cards)
        rows += [_card(name, values, file, report) for name, values in cards]
    report.note("rocm-smi prints no times; rows are in the order of files and cards")
    return finish(rows, report, has_time=False)


def is_table(text: str) -> bool:
    """Whether a file is `rocm-smi --csv`. `text`: its beginning"""
    names = header.names(text)
    return "device" in names and bool(set(names) & set(KEYS))


def _of_table(text: str, file: str, report: ImportReport) -> list[tuple[str, dict]]:
    """(name, values) of each card."""
    return [(cells["device"], cells) for _, cells in header.named(text, file, report, lambda cells: "device" in cells)]


def _of_json(text: str, file: str) -> list[tuple[str, dict]]:
    try:
        answer = json.loads(text[text.find("{") :] if "{" in text else text)  # warnings may precede the JSON
    except ValueError as error:
        raise InputError(f"{file}: not complete JSON ({error})") from error
    cards = [(name, values) for name, values in answer.items() if name.startswith("card") and isinstance(values, dict)]
    if not cards:
        raise InputError(f"{file}: no card in it")
    return cards


def _card(name: str, values: dict, file: str, report: ImportReport) -> dict:
    unique = str(values.get("Unique ID", ""))
    row = {
        "row": name, "file": file, "gpu": name.removeprefix("card"), "uuid": "" if unique == "N/A" else unique,
        "model": values.get("Card series") or values.get("Card Series") or "", "time": pd.NaT,
    }  # fmt: skip
    take(row, {key: str(value) for key, value in values.items()}, KEYS, file, report, say_blank=True)
    return row
