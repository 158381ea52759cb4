"""Prometheus: exposition text (dcgm-exporter, nvidia_gpu_exporter) and answers of the HTTP API (vector and matrix)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Iterator

import pandas as pd

from .gpu_table import finish
from .report import ImportReport, InputError
from .text import is_blank, read_text

# Metric → (column, factor). Of several metrics for one column the first that is there holds.
METRICS = {
    "DCGM_FI_DEV_POWER_USAGE": ("power_W", 1.0),
    "nvidia_smi_power_draw_average_watts": ("power_W", 1.0),
    "nvidia_smi_power_draw_watts": ("power_W", 1.0),
    "DCGM_FI_DEV_POWER_USAGE_INSTANT": ("power_instant_W", 1.0),
    "nvidia_smi_power_draw_instant_watts": ("power_instant_W", 1.0),
    "DCGM_FI_DEV_GPU_TEMP": ("temperature_degC", 1.0),
    "nvidia_smi_temperature_gpu": ("temperature_degC", 1.0),
    "DCGM_FI_DEV_MEMORY_TEMP": ("memory_temperature_degC", 1.0),
    "nvidia_smi_temperature_memory": ("memory_temperature_degC", 1.0),
    "DCGM_FI_DEV_SM_CLOCK": ("clock_MHz", 1.0),
    "nvidia_smi_clocks_current_sm_clock_hz": ("clock_MHz", 1e-6),
    "DCGM_FI_DEV_MEM_CLOCK": ("memory_clock_MHz", 1.0),
    "nvidia_smi_clocks_current_memory_clock_hz": ("memory_clock_MHz", 1e-6),
    "DCGM_FI_DEV_ENFORCED_POWER_LIMIT": ("limit_W", 1.0),
    "DCGM_FI_DEV_POWER_MGMT_LIMIT": ("limit_W", 1.0),
    "nvidia_smi_enforced_power_limit_watts": ("limit_W", 1.0),
    "nvidia_smi_power_limit_watts": ("limit_W", 1.0),
    "nvidia_smi_power_default_limit_watts": ("default_limit_W", 1.0),
    "nvidia_smi_power_min_limit_watts": ("min_limit_W", 1.0),
    "nvidia_smi_power_max_limit_watts": ("max_limit_W", 1.0),
    "DCGM_FI_DEV_GPU_UTIL": ("utilization_frac", 0.01),
    "nvidia_smi_utilization_gpu_ratio": ("utilization_frac", 1.0),
    "DCGM_FI_DEV_MEM_COPY_UTIL": ("memory_utilization_frac", 0.01),
    "nvidia_smi_utilization_memory_ratio": ("memory_utilization_frac", 1.0),
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": ("activity_frac", 1.0),
    "DCGM_FI_PROF_DRAM_ACTIVE": ("dram_activity_frac", 1.0),
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": ("energy_J", 1e-3),
}
_ORDER = {name: i for i, name in enumerate(METRICS)}
_SAMPLE = re.compile(r"^\w+(\{.*\})?\s+\S+(\s+-?\d+)?$")


def read(paths, report: ImportReport) -> pd.DataFrame:
    """Readings of GPUs in the columns of `gpu_table.COLUMNS`, matched by labels and never by order.

    @param paths: exposition texts and API answers; several scrapes or queries make one table; @param report: takes the remarks.
    @raises InputError: a file is neither, an answer is an error, or no metric of a GPU is in them.
    """
    cells: dict[tuple, dict] = {}
    unused: set[str] = set()
    info: dict[str, dict] = {}
    for path in paths:
        text, file = read_text(path, report), Path(path).name
        samples = _answer(text, file, report) if text.lstrip().startswith("{") else _exposition(text, file, report)
        for row, name, labels, value, stamp in samples:
            report.rows_read += 1
            if name not in METRICS:
                info.update({labels.get("uuid", ""): labels} if name == "nvidia_smi_gpu_info" else {})
                unused.add(name)
                continue
            _place(cells, row, file, name, labels, value, stamp, report)
    if unused:
        report.note(f"{len(unused)} other metrics were left out, such as {', '.join(sorted(unused)[:3])}")
    rows = list(cells.values())
    for row in rows:  # nvidia_gpu_exporter names a GPU's number and model in a metric of its own
        row["gpu"] = info.get(row["gpu"], {}).get("index", row["gpu"])
        row["model"] = row["model"] or info.get(row["uuid"], {}).get("name", "")
    timed = any(r["time"] is not pd.NaT for r in rows)
    if rows and not timed:
        report.note("exposition text carries no sample times: one scrape, its time is empty")
    _fill_holes(rows, report)
    return finish([{k: v for k, v in r.items() if k != "from"} for r in rows], report, has_time=timed)


def _place(cells, row, file, name, labels, value, stamp, report) -> None:
    gpu = labels.get("gpu") or labels.get("index") or labels.get("uuid") or labels.get("UUID") or ""
    host = labels.get("Hostname") or labels.get("hostname") or labels.get("instance") or ""
    key, scale = METRICS[name]
    time = pd.Timestamp(round(stamp * 1e3), unit="ms", tz="UTC") if stamp is not None else pd.NaT
    # Without sample times each file is one scrape.
    at = cells.setdefault(
        (host, gpu, labels.get("UUID") or labels.get("uuid", ""), stamp if stamp is not None else file),
        {
            "row": row,
            "file": file,
            "time": time,
            "host": host,
            "gpu": gpu,
            "uuid": labels.get("UUID") or labels.get("uuid", ""),
            "model": labels.get("modelName", ""),
            "from": {},
        },
    )
    if is_blank(value):
        report.mend(f"{file}:{row}", f"{name}: DCGM's blank value {value:g}, left blank")
        value = float("nan")
    if key == "memory_temperature_degC" and value == 0.0:
        report.mend(f"{file}:{row}", "a memory temperature of 0 °C means no sensor, left blank")
        value = float("nan")
    if key in at and _ORDER[name] >= _ORDER[at["from"][key]]:
        if name == at["from"][key] and at[key] != value * scale and value == value:
            raise InputError(
                f"{file}:{row}: {name} of GPU {gpu} has two values ({at[key] / scale:g}, {value:g}) at one time"
            )
        return
    at[key] = value * scale
    at["from"][key] = name


def _fill_holes(rows, report) -> None:
    """Says which GPUs lack a metric that others of the same scrape have."""
    for key in {k for r in rows for k in r["from"]}:
        lack = [f"{r['host']}:{r['gpu']}" for r in rows if key not in r]
        if lack and len(lack) < len(rows):
            report.warn(
                f"{rows[0]['file']}", f"{key} is missing for {len(lack)} of {len(rows)} GPUs ({', '.join(lack[:4])})"
            )


def _exposition(text: str, file: str, report: ImportReport) -> Iterator[tuple]:
    try:
        from prometheus_client.parser import text_string_to_metric_families
    except ImportError as error:
        raise InputError(
            "exposition text needs the Python package prometheus_client (Debian: python3-prometheus-client)"
        ) from error
    for row, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            if not _SAMPLE.match(line.strip()):
                raise ValueError(line)
            samples = [s for family in text_string_to_metric_families(line + "\n") for s in family.samples]
        except ValueError:
            report.ignore(f"{file}:{row}", "no sample of the exposition format (a torn line)")
            continue
        for sample in samples:
            yield row, sample.name, sample.labels, sample.value, sample.timestamp


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
                reading = float(value), float(stamp)
            except (TypeError, ValueError, OverflowError):
                report.ignore(f"{file}, series {i}", f"no value and time: {value!r:.40}, {stamp!r:.40}")
                continue
            yield i, labels.get("__name__", ""), labels, *reading
