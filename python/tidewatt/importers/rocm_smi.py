"""`rocm-smi --json`: one object per card; the keys change between versions of ROCm. Its successor is in `amd_smi`."""

from __future__ import annotations

import json
from typing import Optional

import pandas as pd

from . import amd_smi
from .gpu_table import finish
from .report import ImportReport, InputError
from .text import number, read_text

# Key → (column, factor). ROCm 5.7 and 6.0 average the package's power; MI300 under ROCm 6 names the socket's current power.
KEYS = {
    "Average Graphics Package Power (W)": ("power_W", 1.0),
    "Current Socket Graphics Package Power (W)": ("power_W", 1.0),
    "Temperature (Sensor junction) (C)": ("temperature_degC", 1.0),
    "Temperature (Sensor edge) (C)": ("temperature_degC", 1.0),
    "Temperature (Sensor memory) (C)": ("memory_temperature_degC", 1.0),
    "sclk clock speed:": ("clock_MHz", 1.0),
    "mclk clock speed:": ("memory_clock_MHz", 1.0),
    "Max Graphics Package Power (W)": ("limit_W", 1.0),
    "GPU use (%)": ("utilization_frac", 0.01),
    "Fan speed (%)": ("fan_frac", 0.01),
}


def read(paths, report: ImportReport, zone: Optional[str] = None) -> pd.DataFrame:
    """Readings of cards in the columns of `gpu_table.COLUMNS`; rocm-smi prints no times.

    @param paths: answers, one per reading, or logs of amd-smi; @param report: takes the remarks; @param zone: IANA name of the clock of
    amd-smi's times. @raises InputError: no complete JSON, or no card in it.
    """
    if all(amd_smi.is_log(read_text(path, ImportReport(report.kind))) for path in paths):
        return amd_smi.read(paths, report, zone)
    rows = []
    for path in paths:
        text, file = read_text(path, report), report.name_of(path)
        try:
            answer = json.loads(text[text.find("{") :] if "{" in text else text)  # warnings may precede the JSON
        except ValueError as error:
            raise InputError(f"{file}: not complete JSON ({error})") from error
        cards = {
            name: values for name, values in answer.items() if name.startswith("card") and isinstance(values, dict)
        }
        if not cards:
            raise InputError(f"{file}: no card in it")
        for name, values in cards.items():
            report.rows_read += 1
            rows.append(_card(name, values, file, report))
    report.note("rocm-smi prints no times; rows are in the order of files and cards")
    return finish(rows, report, has_time=False)


def _card(name: str, values: dict, file: str, report: ImportReport) -> dict:
    unique = str(values.get("Unique ID", ""))
    row = {
        "row": name,
        "file": file,
        "gpu": name.removeprefix("card"),
        "uuid": "" if unique == "N/A" else unique,
        "model": values.get("Card series") or values.get("Card Series") or "",
        "time": pd.NaT,
    }
    for key, (column, scale) in KEYS.items():
        if key not in values or column in row:
            continue
        try:
            value, _ = number(str(values[key]))
        except InputError as error:
            report.mend(f"{file}:{name}", f"{key}: {error}, left blank")
            continue
        if value == value:
            row[column] = value * scale
        elif column in ("power_W", "temperature_degC"):
            report.mend(f"{file}:{name}", f"{key}: '{values[key]}', left blank")
    return row
