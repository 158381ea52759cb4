"""Prometheus: exposition text (dcgm-exporter, nvidia_gpu_exporter) and answers of the HTTP API (vector and matrix)."""

from __future__ import annotations

import difflib
import json
import re
from typing import Iterator, Optional

import pandas as pd

from .gpu_table import NUMBERS, finish
from .nvidia_words import meanings
from .report import ImportReport, InputError
from .text import is_blank, read_text
from .times import epoch_unit
from .units import UNITS, known

# Metric → (column, factor). Of several metrics for one column the first that is there holds.
METRICS = meanings({
    "power_W": "DCGM_FI_DEV_POWER_USAGE, nvidia_smi_power_draw_average_watts, nvidia_smi_power_draw_watts",
    "power_instant_W": "DCGM_FI_DEV_POWER_USAGE_INSTANT, nvidia_smi_power_draw_instant_watts",
    "temperature_degC": "DCGM_FI_DEV_GPU_TEMP, nvidia_smi_temperature_gpu",
    "memory_temperature_degC": "DCGM_FI_DEV_MEMORY_TEMP, nvidia_smi_temperature_memory",
    "clock_MHz": "DCGM_FI_DEV_SM_CLOCK, nvidia_smi_clocks_current_sm_clock_hz*1e-06",
    "memory_clock_MHz": "DCGM_FI_DEV_MEM_CLOCK, nvidia_smi_clocks_current_memory_clock_hz*1e-06",
    "limit_W": "DCGM_FI_DEV_ENFORCED_POWER_LIMIT, DCGM_FI_DEV_POWER_MGMT_LIMIT, nvidia_smi_enforced_power_limit_watts, nvidia_smi_power_limit_watts",
    "default_limit_W": "nvidia_smi_power_default_limit_watts",
    "min_limit_W": "nvidia_smi_power_min_limit_watts",
    "max_limit_W": "nvidia_smi_power_max_limit_watts",
    "utilization_frac": "DCGM_FI_DEV_GPU_UTIL, nvidia_smi_utilization_gpu_ratio*1",
    "memory_utilization_frac": "DCGM_FI_DEV_MEM_COPY_UTIL, nvidia_smi_utilization_memory_ratio*1",
    "activity_frac": "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE*1",
    "dram_activity_frac": "DCGM_FI_PROF_DRAM_ACTIVE*1",
    "energy_J": "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
})
_ORDER = {name: i for i, name in enumerate(METRICS)}
# A sample, its stamp and an exemplar: the labels of each are in braces, their values in quotes.
_SAMPLE = re.compile(r'^(\w+(?:\{(?:[^{}"]|"(?:\\.|[^"\\])*")*\})?\s+\S+)(?:\s+(-?[\d.]+(?:[eE][+-]?\d+)?))?(?:\s+#\s.*)?$')
_SLICES = re.compile(r"^(\d+)g\.")


def read(paths, report: ImportReport, units: Optional[dict[str, str]] = None, metric: Optional[str] = None) -> pd.DataFrame:
    """Readings of GPUs in the columns of `gpu_table.COLUMNS`, matched by labels and never by order.

    Parameters
    ----------
    paths
        Exposition texts and API answers; several scrapes or queries make one table.
    report
        Takes the remarks.
    metric
        Name of series without one, such as DCGM_FI_DEV_POWER_USAGE.
    units
        Or their one quantity and its unit, such as {"power": "W"}.

    Raises
    ------
    InputError
        a file is neither, an answer is an error, no metric of a GPU is in them, or series have no name and none is given.
    """
    cells: dict[tuple, dict] = {}
    unused: set[str] = set()
    info: dict[str, dict] = {}
    told, unnamed = _told(units, metric), 0
    for path in paths:
        text, file = read_text(path, report), report.name_of(path)
        samples = _answer(text, file, report) if text.lstrip().startswith("{") else _exposition(text, file, report)
        for row, name, labels, value, stamp in samples:
            report.rows_read += 1
            name = name.removesuffix("_total")  # OpenMetrics counters
            unnamed += not name
            if name not in METRICS and not (told and not name):
                info.update({labels.get("uuid", ""): labels} if name == "nvidia_smi_gpu_info" else {})
                unused.update({name} if name else ())
                continue
            _place(cells, row, file, name, labels, value, stamp, told if not name else METRICS[name], report)
    if unnamed and not told:
        raise InputError(
            f"{unnamed} values are of series without a metric's name, which functions such as avg_over_time drop: say which metric they are, such as --metric DCGM_FI_DEV_POWER_USAGE, or their quantity and unit, such as --unit power=W"
        )
    if told and not unnamed:
        raise InputError(f"{'--metric' if metric else '--unit'} does nothing here: every series has a metric's name")
    if unused:
        report.note(f"{len(unused)} other metrics were left out, such as {', '.join(sorted(unused)[:3])}")
    rows = list(cells.values())
    for row in rows:  # nvidia_gpu_exporter names a GPU's number and model in a metric of its own
        row["gpu"] = info.get(row["gpu"], {}).get("index", row["gpu"])
        row["model"] = row["model"] or info.get(row["uuid"], {}).get("name", "")
    _join_instances(rows, report)
    timed = any(r["time"] is not pd.NaT for r in rows)
    if rows and not timed:
        report.note("exposition text carries no sample times: one scrape, its time is empty")
    _fill_holes(rows, report)
    return finish([{k: v for k, v in r.items() if k not in ("from", "labels", "parts")} for r in rows], report, has_time=timed)


def _told(units: Optional[dict[str, str]], metric: Optional[str]) -> Optional[tuple[str, float]]:
    """(column, factor) of the one metric or quantity that the caller names."""
    if metric and units:
        raise InputError("--metric says quantity and unit: leave --unit out")
    if metric and metric not in METRICS:
        close = difflib.get_close_matches(metric, METRICS, 3)
        raise InputError(f"--metric {metric}: no metric of a GPU that is read; {'close to it: ' if close else 'such as '}{', '.join(close or list(METRICS)[:3])}")
    if metric:
        return METRICS[metric]
    if not units:
        return None
    quantity, unit = next(iter(units.items()))
    suffix, factor, offset = UNITS.get(known(unit), ("", 1.0, 0.0))
    column = f"{quantity}_{suffix}"
    if len(units) > 1 or column not in NUMBERS or offset:
        raise InputError(f"--unit {quantity}={unit}: one quantity of a GPU and its unit is needed, such as power=W, temperature=C or clock=MHz")
    return column, factor


def _place(cells, row, file, name, labels, value, stamp, meaning, report) -> None:
    """One sample into the row of its GPU and time."""
    uuid = labels.get("UUID") or labels.get("uuid", "")
    gpu = labels.get("gpu") or labels.get("index") or uuid
    host = labels.get("Hostname") or labels.get("hostname") or labels.get("instance") or ""
    key, scale = meaning
    time = pd.Timestamp(round(stamp * 1e3), unit="ms", tz="UTC") if stamp is not None else pd.NaT
    # A GPU is its UUID, whichever exporter reads it. Without sample times each file is one scrape.
    new = {"row": row, "file": file, "time": time, "host": host, "gpu": gpu, "uuid": uuid, "model": labels.get("modelName", ""), "from": {}, "labels": {}, "parts": {}}
    at = cells.setdefault((uuid or (host, gpu), stamp if stamp is not None else file), new)
    if is_blank(value):
        report.mend(f"{file}:{row}", f"{name}: DCGM's blank value {value:g}, left blank")
        value = float("nan")
    if key == "memory_temperature_degC" and value == 0.0:
        report.mend(f"{file}:{row}", "a memory temperature of 0 °C means no sensor, left blank")
        value = float("nan")
    if labels.get("GPU_I_ID") and key.endswith("_frac"):
        at["parts"].setdefault(key, {})[labels["GPU_I_ID"]] = (value * scale, labels.get("GPU_I_PROFILE", ""))
        return
    if key in at and _ORDER.get(name, 0) >= _ORDER.get(at["from"][key], 0):
        if name == at["from"][key] and at[key] != value * scale and value == value:
            if at["labels"][key] == labels:
                raise InputError(f"{file}:{row}: {name or key} of GPU {gpu} has two values ({at[key] / scale:g}, {value:g}) at one time")
            report.warn(f"{file}:{row}", f"{name or key} of GPU {gpu} comes from several exporters or instances with different values; the first is kept")
        return
    at[key] = value * scale
    at["from"][key], at["labels"][key] = name, labels


def _join_instances(rows, report) -> None:
    """MIG instances are parts of a GPU: tensor activity is summed by their shares of its 7 slices (4 of an A30), other shares are unknown."""
    dropped: set[str] = set()
    for row in rows:
        for key, parts in row["parts"].items():
            slices = [_SLICES.match(profile) for _, profile in parts.values()]
            if key in row or key != "activity_frac" or not all(slices):
                dropped |= {key} - set(row)
                continue
            row[key] = sum(value * int(n[1]) for (value, _), n in zip(parts.values(), slices)) / (4 if "A30" in row["model"] else 7)
            row["from"][key] = "instances"
    if any(row["parts"] for row in rows):
        lost = f"; {', '.join(sorted(dropped))} of the whole GPU is unknown" if dropped else ""
        report.warn(rows[0]["file"], f"MIG: instances of a GPU are parts of it; its activity is their sum by slices{lost}")


def _fill_holes(rows, report) -> None:
    """Says which GPUs lack a metric that others of the same scrape have."""
    for key in {k for r in rows for k in r["from"]}:
        lack = [f"{r['host']}:{r['gpu']}" for r in rows if key not in r]
        if lack and len(lack) < len(rows):
            report.warn(f"{rows[0]['file']}", f"{key} is missing for {len(lack)} of {len(rows)} GPUs ({', '.join(lack[:4])})")


def _exposition(text: str, file: str, report: ImportReport) -> Iterator[tuple]:
    try:
        from prometheus_client.parser import text_string_to_metric_families
    except ImportError as error:
        raise InputError("exposition text needs the Python package prometheus_client (Debian: python3-prometheus-client)") from error
    open_metrics = bool(re.search(r"^# EOF\s*$", text, re.MULTILINE))
    for row, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _SAMPLE.match(line.strip())
        try:
            if match is None:
                raise ValueError(line)
            samples = [s for family in text_string_to_metric_families(match[1] + "\n") for s in family.samples]
            stamp = _stamp_s(match[2], open_metrics, f"{file}:{row}", report) if match[2] else None
        except (ValueError, OverflowError):
            report.ignore(f"{file}:{row}", "no sample of the exposition format (a torn line)")
            continue
        for sample in samples:
            yield row, sample.name, sample.labels, sample.value, stamp


def _stamp_s(text: str, open_metrics: bool, place: str, report: ImportReport) -> float:
    """Stamps of OpenMetrics and of the API are seconds, those of the older text format milliseconds; their size contradicts a wrong one."""
    value = float(text)
    seconds = epoch_unit(value) in ("s", "") if epoch_unit(value) else open_metrics
    round(value)  # raises OverflowError: no time is infinite
    if seconds != open_metrics:
        given, taken = ("ms", "s") if seconds else ("s", "ms")
        report.warn(place, f"stamps are read in {taken}, because in {given} they are no times of this century")
    return value if seconds else value * 1e-3


def _answer(text: str, file: str, report: ImportReport) -> Iterator[tuple]:
    try:
        answer = json.loads(text)
    except ValueError as error:
        raise InputError(f"{file}: not complete JSON ({error})") from error
    if answer.get("status") != "success":
        raise InputError(f"{file}: the server answered '{answer.get('status')}': {answer.get('error', 'no data')}")
    data = answer.get("data", {})
    if data.get("resultType") not in ("vector", "matrix"):
        raise InputError(f"{file}: resultType '{data.get('resultType')}' holds no series; ask for a vector or a matrix")
    for i, series in enumerate(data["result"], 1):
        labels = {k: str(v) for k, v in series["metric"].items()}
        for stamp, value in series.get("values") or [series["value"]]:
            try:
                reading = float(value), _stamp_s(str(stamp), True, f"{file}, series {i}", report)
            except (TypeError, ValueError, OverflowError):
                report.ignore(f"{file}, series {i}", f"no value and time: {value!r:.40}, {stamp!r:.40}")
                continue
            yield i, labels.get("__name__", ""), labels, *reading
