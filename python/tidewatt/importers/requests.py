"""Request logs of language-model services: arrivals and token counts (CSV of Azure's traces, JSON lines of Mooncake)."""

from __future__ import annotations

import json
from typing import Optional

import numpy as np
import pandas as pd

from . import plain
from .report import ImportReport, InputError
from .text import column_numbers, read_text
from .times import parse_times

INPUT = ("ContextTokens", "input_length", "input_tokens", "prompt_tokens", "num_prefill_tokens")
OUTPUT = ("GeneratedTokens", "output_length", "output_tokens", "completion_tokens", "num_decode_tokens")
_TIME = ("TIMESTAMP", "timestamp", "time", "arrival_time", "arrived_at", "time_s")


def read(paths, report: ImportReport, columns: Optional[dict[str, str]] = None, zone: Optional[str] = None) -> pd.DataFrame:
    """`time_s` from the first request, `time` where the log has a calendar, `input_tokens`, `output_tokens`.

    Parameters
    ----------
    paths
        Logs.
    report
        Takes the remarks, and as facts totals, peak minute ÷ mean and reusable prefix blocks.
    columns
        `time`, `input_tokens`, `output_tokens` where they are not found by themselves.
    zone
        IANA name.

    Raises
    ------
    InputError
        No request, or a needed column is missing.
    """
    parts, blocks = [], []
    for path in paths:
        text, file = read_text(path, report), report.name_of(path)
        if text.lstrip().startswith("{"):
            part, own = _json_lines(text, file, report)
            blocks += own
        else:
            part = _csv(path, file, report, columns or {}, zone)
        parts.append(part)
    table = pd.concat(parts, ignore_index=True)
    for name in ("input_tokens", "output_tokens"):
        wrong = table[name].isna() | (table[name] < 0)
        for i in np.flatnonzero(wrong.to_numpy()):
            report.ignore(f"{table['file'].iloc[i]}:{table[plain.ROW].iloc[i]}", f"{name} is missing or negative")
        table = table[~wrong]
    if table.empty:
        raise InputError("no request in the input")
    out_of_order = int((table["time_s"].diff() < 0).sum())
    if out_of_order:
        report.note(f"{out_of_order} requests stand before earlier ones; sorted by time")
    table = table.sort_values("time_s", kind="stable").reset_index(drop=True)
    table["time_s"] -= table["time_s"].iloc[0]
    _facts(table, blocks, report)
    return table[[c for c in ("time_s", "time", "input_tokens", "output_tokens") if c in table]]


def offered_load(requests: pd.DataFrame, step_s: float = 60.0) -> pd.DataFrame:
    """Requests, prefill and decode tokens per second, by intervals of `step_s` (s, above 0); empty intervals are 0.

    `requests`: a table of `read_requests`; `step_s`: length of an interval.
    """
    bins = (requests["time_s"] // step_s).astype(int)
    sums = pd.DataFrame({"requests": 1.0, "prefill_tokens": requests["input_tokens"], "decode_tokens": requests["output_tokens"]}).groupby(bins).sum()
    sums = sums.reindex(range(int(bins.max()) + 1), fill_value=0.0) / step_s
    sums.columns = [f"{c}_per_s" for c in sums.columns]
    return sums.rename_axis("interval").reset_index(drop=True).assign(time_s=np.arange(len(sums)) * step_s)


def _csv(path, file: str, report: ImportReport, columns, zone) -> pd.DataFrame:
    cells = plain.texts(path, report)
    report.rows_read += len(cells)
    rows = cells[plain.ROW].tolist()
    time, given, made = (columns.get(n) or plain.pick(cells, words) for n, words in (("time", _TIME), ("input_tokens", INPUT), ("output_tokens", OUTPUT)))
    missing = [name for name, column in (("time", time), ("input_tokens", given), ("output_tokens", made)) if column not in cells]
    if missing:
        raise InputError(f"{file}: no column for {', '.join(missing)} (columns: {', '.join(cells.columns.drop(plain.ROW))}); name them with --column")
    numbers = {name: column_numbers(cells[column], column, rows, file, report) for name, column in (("input_tokens", given), ("output_tokens", made))}
    out = pd.DataFrame({**numbers, plain.ROW: rows, "file": file})
    seconds = pd.to_numeric(cells[time], errors="coerce")
    if seconds.notna().all() and seconds.max() < 1e9:
        out["time_s"] = seconds
    else:
        out["time"] = parse_times(cells[time], rows, file, report, zone)
        out = out[out["time"].notna()]
        out["time_s"] = (out["time"] - out["time"].min()).dt.total_seconds()
    return out


def _json_lines(text: str, file: str, report: ImportReport) -> tuple[pd.DataFrame, list]:
    rows, blocks = [], []
    for at, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        report.rows_read += 1
        try:
            record = json.loads(line)
            rows.append([record["timestamp"] / 1e3, record["input_length"], record["output_length"], at, file])
            blocks += [int(block) for block in record.get("hash_ids", [])]
        except (ValueError, KeyError, TypeError, OverflowError):
            report.ignore(f"{file}:{at}", "no JSON with timestamp (ms), input_length and output_length")
    return pd.DataFrame(rows, columns=["time_s", "input_tokens", "output_tokens", plain.ROW, "file"]), blocks


def _facts(table: pd.DataFrame, blocks: list, report: ImportReport) -> None:
    duration_s = float(table["time_s"].iloc[-1])
    per_minute = table.groupby((table["time_s"] // 60).astype(int)).size()
    whole = per_minute.reindex(range(max(int(duration_s // 60), 1)), fill_value=0)
    report.facts.update(
        requests=len(table), input_tokens=int(table["input_tokens"].sum()), output_tokens=int(table["output_tokens"].sum()), duration_s=duration_s,
        peak_minute_over_mean=float(whole.max() / whole.mean()) if whole.mean() > 0 else None,
    )  # fmt: skip
    if blocks:
        report.facts.update(prefix_blocks=len(blocks), distinct_prefix_blocks=len(set(blocks)), reusable_prefix_frac=1 - len(set(blocks)) / len(blocks))
