"""One table for GPU logs of every tool, with the same columns; `tidewatt fit gpu` reads it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .report import ImportReport, InputError
from .series import ordered
from .text import NO_VALUE

# Column: what it means. Power is the tool's mean (NVIDIA: 1 s from Ampere on), power_instant_W the instant.
COLUMNS = {
    "time": "when", "host": "node", "gpu": "number on its node, or its bus id; host:number or file:number where there are several nodes", "uuid": "",
    "model": "", "power_W": "mean", "power_instant_W": "", "memory_power_W": "", "temperature_degC": "die", "memory_temperature_degC": "",
    "clock_MHz": "SM clock", "memory_clock_MHz": "", "limit_W": "cap in force", "default_limit_W": "", "min_limit_W": "", "max_limit_W": "",
    "utilization_frac": "share of time with a kernel running", "memory_utilization_frac": "", "activity_frac": "tensor pipe active",
    "dram_activity_frac": "", "energy_J": "since the driver was loaded", "fan_frac": "", "throttle": "reasons, bit mask or words",
}  # fmt: skip
NUMBERS = [c for c in COLUMNS if c.rsplit("_", 1)[-1] in ("W", "degC", "MHz", "frac", "J")]
RANGES = {"W": (0.0, 5000.0), "degC": (-40.0, 150.0), "MHz": (0.0, 10000.0), "frac": (0.0, 1.0), "J": (0.0, np.inf)}


_ANONYMOUS = r"^(GPU-)?0{8}[0-]+$"  # a UUID that somebody blanked


def finish(rows: list[dict], report: ImportReport, has_time: bool = True) -> pd.DataFrame:
    """Checks ranges, unwraps counters, orders in time and drops columns without a value.

    `rows`: one dict per reading, with keys of COLUMNS and `row`, `file`; `report`: takes the remarks;
    `has_time`: false where the tool prints none. Raises InputError: no row has a number.
    """
    if not rows:
        raise InputError("no GPU in the input")
    table = pd.DataFrame(rows)
    of_day = "time_s" in table  # times of day without a date
    if of_day:
        table["time"] = pd.to_timedelta(table["time_s"], unit="s")
    for name in NUMBERS:
        if name in table:
            table[name] = pd.to_numeric(table[name], errors="coerce")
            check_range(table, name, report)
    table = name_gpus(table, report)
    have = [c for c in COLUMNS if c in table and table[c].notna().any() and not (table[c].astype(str) == "").all()]
    if not any(c.rsplit("_", 1)[-1] in ("W", "J", "degC", "MHz") for c in have):
        others = ", ".join(c for c in have if c in NUMBERS)
        raise InputError(f"no GPU has a power, a temperature or a clock{'; the log holds ' * bool(others)}{others}; record at least one of them")
    table = table[[*have, "row", "file"]]
    if has_time and "time" in table:
        table = ordered(table, ["gpu"] if "gpu" in table else [], ["energy_J"] if "energy_J" in table else [], "gpu ", report, "row")
    else:
        table = table.drop(columns=["row", "file"])
    if of_day:
        table = table.assign(time=table["time"].dt.total_seconds()).rename(columns={"time": "time_s"})
    return table


def check_range(table: pd.DataFrame, name: str, report: ImportReport, place: str = "row") -> None:
    """Blanks values that no GPU has, in place.

    Parameters
    ----------
    table
        With `file`.
    name
        Of the column.
    report
        Takes the places.
    place
        The column of line numbers.
    """
    low, high = RANGES[name.rsplit("_", 1)[-1]]
    wrong = (table[name] < low) | (table[name] > high)
    for i in np.flatnonzero(wrong.to_numpy()):
        report.mend(f"{table['file'].iloc[i]}:{table[place].iloc[i]}", f"{name} = {table[name].iloc[i]:g} is outside {low:g} to {high:g}, left blank")
    table.loc[wrong, name] = np.nan
    if name == "memory_temperature_degC":
        zero = table[name] == 0.0
        for i in np.flatnonzero(zero.to_numpy()):
            report.mend(f"{table['file'].iloc[i]}:{table[place].iloc[i]}", "a memory temperature of 0 °C means no sensor, left blank")
        table.loc[zero, name] = np.nan


def name_gpus(table: pd.DataFrame, report: ImportReport) -> pd.DataFrame:
    """`gpu` names one GPU of the whole log, by its strongest identity: UUID, bus id, host and number, file and number.

    `table`: with `file` and some of `uuid`, `bus`, `host`, `gpu`, `time`; `report`: takes a note where files tell GPUs apart
    """
    uuid, bus, host, number = (_texts(table, c) for c in ("uuid", "bus", "host", "gpu"))
    if not any(c.any() for c in (uuid, bus, number)):
        return table
    local = number.where(number != "", bus)
    node = host.where(host != "", _file_of_node(table.assign(_local=local.mask((uuid != "") | (host != ""), "")), report))
    key = ("uuid " + uuid).where(uuid != "", node + " " + bus.where(bus != "", number))
    bare = local.where(local != "", uuid)
    label = (host + ":" + bare).where(host != "", bare) if host[host != ""].nunique() > 1 else bare
    names = label.groupby(key, sort=False).first()  # the same UUID is one GPU, whatever its number and host are later
    if names.duplicated().any():
        stem = table["file"].astype(str).str.replace(r"\.\w+$", "", regex=True).groupby(key, sort=False).first()
        longer = stem + ":" + names
        unique = ~longer.duplicated(keep=False)
        names = longer if unique.all() else names + " " + names.index.str.replace("uuid ", "")
        report.note("GPUs of several nodes have the same number: `gpu` is the file and the number" if unique.all() else "`gpu` is the number and the UUID")
    table["gpu"] = key.map(names)
    return table


def _texts(table: pd.DataFrame, column: str) -> pd.Series:
    """A column of labels; empty where it is absent or holds a word for no value."""
    if column not in table:
        return pd.Series("", index=table.index)
    texts = table[column].fillna("").astype(str).str.strip()
    return texts.mask(texts.str.lower().isin(NO_VALUE) | texts.str.match(_ANONYMOUS), "")


def _file_of_node(table: pd.DataFrame, report: ImportReport) -> pd.Series:
    """The file where a number means another GPU in each file: the files overlap in time, or have no times and several rows of one GPU each."""
    none = pd.Series("", index=table.index)
    if table["file"].nunique() < 2 or not table["_local"].any():
        return none
    timed = table["time"].notna().any() if "time" in table else False
    for _, part in table[table["_local"] != ""].groupby("_local"):
        files = part.groupby("file", sort=False)
        if timed:
            spans = files["time"].agg(["min", "max"]).dropna().sort_values("min")
            apart = (spans["min"].iloc[1:].to_numpy() <= spans["max"].cummax().iloc[:-1].to_numpy()).any()
        else:
            apart = len(files) > 1 and files.size().min() > 1
        if apart:
            return table["file"].astype(str)
    report.note("files that follow each other hold the same GPUs, by their numbers; a UUID or a host in the log would tell")
    return none
