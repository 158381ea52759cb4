"""MLCommons training logs (`:::MLLOG {json}`) and the power logs of their nodes, as published with the results."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .report import ImportReport, InputError
from .series import report_twins
from .text import read_text

MARK = ":::MLLOG"
EVENT_COLUMNS = ["time_ms", "event_type", "key", "value", "metadata"]
_TRAILING_NUMBER = re.compile(r"^(.*?)[_-]?(\d+)$")


def read(paths, report: ImportReport) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Node power as one wide table (`time_ms`, then `<node>_W`), events as a second one; events alone if no file holds power.

    `paths`: training log, node logs (`power_reading`, one file per node) and system description, in any order;
    `report`: takes the remarks, and as facts the run's times, steps and energies.
    Raises InputError: no file holds a record.
    """
    events: list[dict] = []
    readings: dict[str, pd.Series] = {}
    names = _node_names(paths)
    for path in paths:
        text = read_text(path, report)
        if MARK not in text:
            if not _system(text, report):
                report.ignore(report.name_of(path), f"no line holds {MARK}")
            continue
        records = _records(text, report.name_of(path), report)
        power = [r for r in records if r["key"] == "power_reading"]
        if power:
            readings[names[str(path)]] = _power(power, report.name_of(path), report)
        else:
            events += [r for r in records if not _declared(r, report.name_of(path), report)]
    if not readings and not events and not report.ignored:
        raise InputError(f"no file holds a record {MARK}")
    return _tables(readings, events, report)


def _tables(readings, events, report) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    events.sort(key=lambda r: r["time_ms"])
    table = pd.DataFrame(
        [[r["time_ms"], r["event_type"], r["key"], _value(r["value"]), _metadata(r["metadata"])] for r in events],
        columns=EVENT_COLUMNS,
    )
    if events:
        _run_facts(events, report)
    if not readings:
        if not events:
            raise InputError("no file holds a power reading or a training event")
        return table, {}
    _energy_facts(readings, report)
    wide = _rounds({name: readings[name] for name in sorted(readings, key=_natural)}, report)
    _check_span(wide, events, report)
    wide.columns = [f"{name}_W" for name in wide.columns]
    return wide.rename_axis("time_ms").reset_index(), {"events": table} if events else {}


def _records(text: str, file: str, report: ImportReport) -> list[dict]:
    records = []
    for row, line in enumerate(text.split("\n"), 1):
        at = line.find(MARK)
        if at < 0:
            continue
        report.rows_read += 1
        try:
            record, _ = json.JSONDecoder().raw_decode(line[at + len(MARK) :].lstrip())
            own = {"event_type": record.get("event_type") or "", "value": record.get("value"), "metadata": record.get("metadata") or {}}
            records.append({"time_ms": int(record["time_ms"]), "key": record["key"], "row": row, **own})
        except (ValueError, KeyError, TypeError, OverflowError, AttributeError):
            report.ignore(f"{file}:{row}", "a torn record (no complete JSON with time_ms and key)")
    report.facts["records"] = report.facts.get("records", 0) + len(records)
    return records


def _power(records, file: str, report: ImportReport) -> pd.Series:
    times, watts = [], []
    for r in records:
        value = r["value"]
        if isinstance(value, str):
            value = pd.to_numeric(value.replace("W", "").strip(), errors="coerce")
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not abs(value) < np.inf:
            report.mend(f"{file}:{r['row']}", "power_reading without a number, left blank")
            value = np.nan
        if times and r["time_ms"] <= times[-1]:
            same = r["time_ms"] == times[-1]
            report.ignore(f"{file}:{r['row']}", "a second reading at the same time" if same else "the clock went back; the reading is left out")
            continue
        times.append(r["time_ms"])
        watts.append(value)
    return pd.Series(watts, index=times)


def _declared(record: dict, file: str, report: ImportReport) -> bool:
    """Constants that a submitter declares among measurements."""
    if not record["key"].endswith("_power_est"):
        return False
    when = pd.Timestamp(record["time_ms"], unit="ms").date()
    report.ignore(f"{file}:{record['row']}", f"{record['key']} = {record['value']} W, dated {when}: a declared constant, not a measurement")
    report.facts.setdefault("declared_W", {})[Path(file).stem] = record["value"]
    return True


def _run_facts(events, report: ImportReport) -> None:
    last: dict[str, Any] = {r["key"]: r for r in events}
    facts = report.facts
    if "run_start" in last and "run_stop" in last:
        stop = last["run_stop"]
        facts.update(
            run_start_ms=last["run_start"]["time_ms"], run_stop_ms=stop["time_ms"], status=stop["metadata"].get("status", ""),
            duration_s=(stop["time_ms"] - last["run_start"]["time_ms"]) / 1e3,
        )  # fmt: skip
        samples, batch = stop["metadata"].get("samples_count"), last.get("global_batch_size", {}).get("value")
        if samples and batch:
            facts.update(samples=samples, global_batch_size=batch, steps=samples // batch)
    elif "run_start" in last:
        report.warn("events", "run_start without run_stop: the run did not end, or the log is torn")
    facts["evaluations"] = sum(r["key"] == "eval_stop" for r in events)


def _rounds(readings: dict[str, pd.Series], report: ImportReport) -> pd.DataFrame:
    """One row per polling round, stamped by the first node: nodes are read one after the other, within a part of a step."""
    base = next(iter(readings.values())).index.to_numpy()
    half_step = np.median(np.diff(base)) / 2 if len(base) > 1 else 0.0
    columns, spread = {}, 0.0
    for name, series in readings.items():
        stamps = series.index.to_numpy()
        nearest = np.clip(np.searchsorted((base[1:] + base[:-1]) / 2, stamps), 0, len(base) - 1)
        fits = (np.abs(base[nearest] - stamps) <= half_step) & ~pd.Series(nearest).duplicated().to_numpy()
        spread = max(spread, float(np.abs(base[nearest] - stamps)[fits].max(initial=0.0)))
        columns[name] = pd.Series(series.to_numpy(), index=np.where(fits, base[nearest], stamps))
        if not fits.all():
            report.note(f"{name}: {int((~fits).sum())} readings fall between the rounds of the first node and have rows of their own")
    if spread > 0:
        report.note(f"rows are polling rounds, stamped by the first node; the other nodes were read up to {spread / 1e3:.2f} s before or after")
    return pd.DataFrame({n: c.groupby(level=0).last() for n, c in columns.items()}).sort_index()


def _energy_facts(readings: dict[str, pd.Series], report: ImportReport) -> None:
    energy, mean = {}, {}
    for name, series in readings.items():
        known = series.dropna()
        span_s = (known.index[-1] - known.index[0]) / 1e3 if len(known) > 1 else 0.0
        energy[name] = float(np.trapz(known.to_numpy(dtype=float), known.index.to_numpy() / 1e3))
        mean[name] = energy[name] / span_s if span_s > 0 else None
    report.facts.update(energy_J=energy, total_energy_J=sum(energy.values()), mean_W=mean, mean_total_W=sum(m for m in mean.values() if m))
    report_twins({name: series.to_numpy(dtype=float) for name, series in readings.items()}, report)


def _check_span(wide: pd.DataFrame, events, report: ImportReport) -> None:
    report.facts["span_s"] = float(wide.index[-1] - wide.index[0]) / 1e3
    start, stop = report.facts.get("run_start_ms"), report.facts.get("run_stop_ms")
    if not events or start is None:
        return
    if wide.index[-1] < start or wide.index[0] > (wide.index[0] if stop is None else stop):
        raise InputError("the power readings lie outside the run: another run's logs, or a wrong clock")
    ends = f" and end {(stop - wide.index[-1]) / 1e3:.1f} s before run_stop" if stop is not None else ""
    report.note(
        f"readings begin {(wide.index[0] - start) / 1e3:.1f} s after run_start{ends}; "
        "energies reach from the first to the last reading (trapezoid rule)"
    )


def _system(text: str, report: ImportReport) -> bool:
    try:
        system = json.loads(text)
    except ValueError:
        return False
    if not isinstance(system, dict) or "accelerators_per_node" not in system:
        return False
    keys = ("system_name", "number_of_nodes", "accelerators_per_node", "accelerator_model_name", "cooling")
    report.facts["system"] = {k: int(system[k]) if str(system.get(k, "")).isdigit() else system.get(k, "") for k in keys}
    return True


def _node_names(paths) -> dict[str, str]:
    stems = [Path(p).stem for p in paths]
    out = {}
    for path, stem in zip(paths, stems):
        match = _TRAILING_NUMBER.match(stem)
        name = match[1] + match[2] if match else stem
        out[str(path)] = name if stems.count(stem) == 1 else f"{Path(path).resolve().parent.name}_{name}"
    return out


def _natural(name: str):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def _value(value) -> str:
    if value is None:
        return ""
    return ";".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else str(value)


def _metadata(metadata) -> str:
    if not isinstance(metadata, dict):
        return str(metadata)
    return ";".join(f"{k}={v}" for k, v in metadata.items() if k not in ("file", "lineno"))
