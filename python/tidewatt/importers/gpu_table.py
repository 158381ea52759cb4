"""One table for GPU logs of every tool, with the same columns; `tidewatt fit gpu` reads it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .report import ImportReport, InputError
from .series import check_clock, list_gaps, tidy, unwrap_counter

# Column: what it means. Power is the tool's mean (NVIDIA: 1 s from Ampere on), power_instant_W the instant.
COLUMNS = {
    "time": "when",
    "host": "node",
    "gpu": "number on its node; host:number where there are several hosts",
    "uuid": "",
    "model": "",
    "power_W": "mean",
    "power_instant_W": "",
    "memory_power_W": "",
    "temperature_degC": "die",
    "memory_temperature_degC": "",
    "clock_MHz": "SM clock",
    "memory_clock_MHz": "",
    "limit_W": "cap in force",
    "default_limit_W": "",
    "min_limit_W": "",
    "max_limit_W": "",
    "utilization_frac": "share of time with a kernel running",
    "memory_utilization_frac": "",
    "activity_frac": "tensor pipe active",
    "dram_activity_frac": "",
    "energy_J": "since the driver was loaded",
    "fan_frac": "",
    "throttle": "reasons, bit mask or words",
}
NUMBERS = [c for c in COLUMNS if c.rsplit("_", 1)[-1] in ("W", "degC", "MHz", "frac", "J")]
RANGES = {"W": (0.0, 5000.0), "degC": (-40.0, 150.0), "MHz": (0.0, 10000.0), "frac": (0.0, 1.0), "J": (0.0, np.inf)}


def finish(rows: list[dict], report: ImportReport, has_time: bool = True) -> pd.DataFrame:
    """Checks ranges, unwraps counters, orders in time and drops columns without a value.

    @param rows: one dict per reading, with keys of COLUMNS and `row`, `file`; @param report: takes the remarks;
    @param has_time: false where the tool prints none. @raises InputError: no row has a number.
    """
    if not rows:
        raise InputError("no GPU in the input")
    table = pd.DataFrame(rows)
    for name in NUMBERS:
        if name in table:
            table[name] = pd.to_numeric(table[name], errors="coerce")
            _check_range(table, name, report)
    table = _tell_gpus_apart(table)
    have = [c for c in COLUMNS if c in table and table[c].notna().any() and not (table[c].astype(str) == "").all()]
    if not any(c in NUMBERS for c in have):
        raise InputError("no GPU has a number")
    table = table[[*have, "row", "file"]]
    if has_time and "time" in table:
        check_clock(table["time"], table["row"].tolist(), str(table["file"].iloc[0]), report)
        table = tidy(table, ["gpu"] if "gpu" in table else [], report, place="row")
        for gpu, part in table.groupby("gpu", sort=False) if "gpu" in table else [("", table)]:
            list_gaps(part["time"], f"gpu {gpu}", report)
            if "energy_J" in table:
                table.loc[part.index, "energy_J"] = unwrap_counter(
                    part["energy_J"].to_numpy(),
                    f"gpu {gpu} energy",
                    report,
                    [w * 1e-3 for w in (2.0**32, 2.0**48, 2.0**64)],
                )
    else:
        table = table.drop(columns="row")
    return table.drop(columns="file")


def _check_range(table: pd.DataFrame, name: str, report: ImportReport) -> None:
    low, high = RANGES[name.rsplit("_", 1)[-1]]
    wrong = (table[name] < low) | (table[name] > high)
    for i in np.flatnonzero(wrong.to_numpy()):
        report.mend(
            f"{table['file'].iloc[i]}:{table['row'].iloc[i]}",
            f"{name} = {table[name].iloc[i]:g} is outside {low:g} to {high:g}, left blank",
        )
    table.loc[wrong, name] = np.nan
    if name == "memory_temperature_degC":
        zero = table[name] == 0.0
        for i in np.flatnonzero(zero.to_numpy()):
            report.mend(
                f"{table['file'].iloc[i]}:{table['row'].iloc[i]}",
                "a memory temperature of 0 °C means no sensor, left blank",
            )
        table.loc[zero, name] = np.nan


def _tell_gpus_apart(table: pd.DataFrame) -> pd.DataFrame:
    """`gpu` names one GPU of the whole log, so that nobody merges GPU 0 of two nodes."""
    if "host" in table and "gpu" in table and table["host"].nunique() > 1:
        table["gpu"] = table["host"].astype(str) + ":" + table["gpu"].astype(str)
    return table
