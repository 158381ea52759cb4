"""What a dashboard's legends and long tables say: metric, labels, the GPU in a column's name, one series per row."""

from __future__ import annotations

import re
from typing import Optional

import pandas as pd

from . import nvidia_words, units
from .prometheus import METRICS
from .report import InputError

ABSENT = "\u2205"  # a series that was not read at this instant; no blank of the file
_LEGEND = re.compile(r"^([A-Za-z_:][\w:]*)?\s*\{(.*)\}$")
_LABEL = re.compile(r"(\w+)\s*[=:]\s*\"?([^\",]*)\"?")
_GPU = re.compile(r"(?:^|[\s_.:/|-])(?:gpu|accelerator|sxm|oam)[\s_#:.-]*(\d+)(?=$|[\s_.:/|()\[\]-])", re.IGNORECASE)
# System metrics of Weights & Biases: `system.gpu.0.powerWatts`, perhaps behind the name of a run.
_WANDB = re.compile(r"^(?:(.*\S) - )?system[./]gpu\.(?:process\.)?(\d+)\.(\w+)$")
_WANDB_WORDS = {"powerWatts": ("power_W", 1.0), "enforcedPowerLimitWatts": ("limit_W", 1.0), "temp": ("temperature_degC", 1.0), "memoryTemp": ("memory_temperature_degC", 1.0),
                "smClock": ("clock_MHz", 1.0), "memoryClock": ("memory_clock_MHz", 1.0), "gpu": ("utilization_frac", 0.01)}  # fmt: skip
# Fields of Telegraf's plugin nvidia_smi have `_` for nvidia-smi's `.`.
_TELEGRAF = {name.replace(".", "_"): name for name in nvidia_words.CSV}
_OF_TELEGRAF = {"temperature_gpu", "utilization_gpu", "clocks_current_sm"}  # names that only it gives
_OF_INFLUX = ("result", "table", "_start", "_stop", "_measurement")  # columns that say nothing about a reading
_SERIES = ("series", "metric", "sensor", "sensor name", "legend", "tag", "tagname", "point", "signal", "variable", "field", "_field", "parameter", "channel", "name")
_VALUE = ("value", "_value", "reading", "val", "wert", "messwert", "valeur", "valor", "measurement")
_UNIT = ("unit", "units", "reading units", "einheit", "unité", "unidad")
# Words of a GPU's column, by the unit: the first that its name holds decides; "" for any name.
_QUANTITY = {
    "W": (("mem|hbm|vram", "memory_power_W"), ("limit|cap", "limit_W"), ("instant", "power_instant_W"), ("", "power_W")),
    "degC": (("mem|hbm|vram", "memory_temperature_degC"), ("inlet|intake|ambient", "inlet_degC"), ("", "temperature_degC")),
    "MHz": (("mem|hbm|vram", "memory_clock_MHz"), ("", "clock_MHz")),
    "frac": (("fan", "fan_frac"), ("tensor|activity", "activity_frac"), ("dram|mem|hbm|vram", "dram_activity_frac"), ("", "utilization_frac")),
    "J": (("", "energy_J"),),
}


def labels(column: str) -> Optional[tuple[str, dict[str, str]]]:
    """Metric and labels of a legend such as `DCGM_FI_DEV_GPU_TEMP{gpu="0", Hostname="node7"}`; None for any other name.

    `column`: its name, perhaps with a unit behind it
    """
    match = _LEGEND.match(units.split(column)[0]) or _LEGEND.match(column)
    found = dict(_LABEL.findall(match[2])) if match else {}
    return (match[1] or found.get("__name__", ""), found) if match and found else None


def metric(column: str) -> Optional[tuple[str, float]]:
    """(column of a GPU table, factor) of a name or legend of a metric of DCGM, of its exporters or of nvidia-smi, or None. `column`: its name"""
    wandb, said = _WANDB.match(column), labels(column)
    if wandb:
        return _WANDB_WORDS.get(wandb[3])
    name = said[0] if said else units.split(column)[0]
    return METRICS.get(name) or nvidia_words.CSV.get(name)


def is_repeated(column: str, columns) -> bool:
    """Whether a metric of a GPU's process repeats the GPU's own, as Weights & Biases has them. `column`: its name; `columns`: all names"""
    return "gpu.process." in column and column.replace("gpu.process.", "gpu.") in columns


def gpu_of(column: str) -> Optional[tuple[str, str]]:
    """(host or "", number) of the GPU that a column's name or legend says, or None. `column`: its name"""
    said = labels(column)
    if said:
        found = said[1]
        gpu = found.get("gpu") or found.get("index") or found.get("GPU") or found.get("minor_number")
        host = found.get("Hostname") or found.get("hostname") or found.get("host") or found.get("node") or found.get("instance") or ""
        return (host, gpu) if gpu is not None else None
    if wandb := _WANDB.match(column):
        return wandb[1] or "", wandb[2]
    match = _GPU.search(column)
    if match is None:
        return None
    before = re.split(r"[\s_.:/|]+", column[: match.start()].strip())
    return (before[-1] if re.search(r"\d", before[-1]) else "", match[1])


def quantity(column: str, suffix: str) -> str:
    """A GPU table's column for a column's words and unit. `column`: its name; `suffix`: `W`, `degC`, `MHz`, `frac` or `J`"""
    said = labels(column)
    words = said[0] if said else _GPU.sub(" ", column)
    return next(name for pattern, name in _QUANTITY[suffix] if re.search(pattern, words, re.IGNORECASE))


def is_long(names) -> Optional[tuple[str, str, str]]:
    """(series, value, unit or "") of a table with one series per row, or None. `names`: of its columns"""
    lower = {n.lower(): n for n in names}
    series, value, unit = (next((lower[w] for w in words if w in lower), "") for words in (_SERIES, _VALUE, _UNIT))
    return (series, value, unit) if series and value else None


def is_unit(column: str) -> bool:
    """Whether a column's name says that its cells are units. `column`: its name"""
    return column.lower() in _UNIT


def of_influx(table: pd.DataFrame) -> pd.DataFrame:
    """A table of InfluxDB's export without its own columns, fields of Telegraf by nvidia-smi's names. Other tables stay as they are.

    `table`: of texts
    """
    fields = set(table["_field"]) if {"_field", "_value"} <= set(table.columns) else set(table.columns)
    of_telegraf = bool(fields & _OF_TELEGRAF)
    if fields != set(table.columns):
        table = table.drop(columns=[c for c in _OF_INFLUX if c in table])
        table["_field"] = table["_field"].replace(_TELEGRAF) if of_telegraf else table["_field"]
    words = _TELEGRAF | ({"index": "gpu"} if "gpu" not in table else {})
    return table.rename(columns=words) if of_telegraf else table


def without_annotations(text: str, file: str) -> str:
    """InfluxDB's annotated CSV as one table: lines of annotations and repeated headers are blank. `text`: the file; `file`: for the error.
    Raises InputError: its tables have different columns"""
    if not text.lstrip("\ufeff").startswith(("#group,", "#datatype,", "#default,")):
        return text
    lines = ["" if line.startswith("#") else line for line in text.split("\n")]
    heads = [i for i, line in enumerate(lines) if re.match(r"^,?(result|error),", line)]
    if len({lines[i] for i in heads}) > 1:
        raise InputError(f"{file}: the answer of InfluxDB has tables with different columns; end the query with `|> group()` and keep() the columns that you need")
    return "\n".join("" if i in heads[1:] else line for i, line in enumerate(lines))


def widened(table: pd.DataFrame, form: tuple[str, str, str], row: str) -> pd.DataFrame:
    """A column per series, named as it is, with its unit; rows are the instants. The n-th reading of an instant stays the n-th.

    `table`: of texts; `form`: of `is_long`; `row`: the column of line numbers
    """
    series, value, unit = form
    name = table[series].str.strip()
    if unit:
        name = name.where(table[unit].str.strip() == "", name + " [" + table[unit].str.strip() + "]")
    keys = [c for c in table.columns if c not in (series, value, unit, row)]
    wide = table.assign(**{series: name})
    wide["_again"] = wide.groupby([*keys, series], sort=False).cumcount()
    lines = wide.groupby([*keys, "_again"], sort=False)[row].min()
    out = wide.pivot(index=[*keys, "_again"], columns=series, values=value).reindex(lines.index).fillna(ABSENT)
    out = out[list(dict.fromkeys(name))]
    out.columns.name = None
    return out.assign(**{row: lines}).reset_index().drop(columns="_again")


def by_gpu(table: pd.DataFrame, columns: dict[str, str], row: str) -> Optional[pd.DataFrame]:
    """A row per instant and GPU from a column per GPU and quantity; None unless each GPU's columns are told apart.

    `table`: of numbers; `columns`: name in the table → column in the file; `row`: the column of line numbers.
    The value of a column that names no GPU is repeated for every GPU.
    """
    places: dict[tuple[str, str], dict[str, str]] = {}
    for name, column in columns.items():
        gpu = gpu_of(column)
        if gpu is None:
            continue
        key = (metric(column) or (quantity(column, name.rsplit("_", 1)[-1]), 1.0))[0]
        if key in places.setdefault(gpu, {}):
            return None
        places[gpu][key] = name
    if not places or any(set(p) & set(table.columns) - set(columns) for p in places.values()):
        return None
    taken = [name for place in places.values() for name in place.values()]
    parts = []
    for (host, gpu), place in places.items():
        label = {"host": host, "gpu": gpu} if host else {"gpu": gpu}
        parts.append(table.drop(columns=taken).assign(**label, **{key: table[name] for key, name in place.items()}))
    out = pd.concat(parts, ignore_index=True)
    first = [c for c in ("time", "host", "gpu") if c in out]
    return out[[*first, *(c for c in out.columns if c not in (*first, row)), row]]
