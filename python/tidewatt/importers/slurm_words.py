"""Slurm's own notations: node lists, TRES, durations, states."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Optional

import pandas as pd

from .report import ImportReport, InputError
from .times import parse_times

_BRACKETS = re.compile(r"\[([^\]]*)\]")
_GPU = re.compile(r"(?<![\w.])gpu(?!\w)(?::(?!\d+(?:$|[,(]))([\w.+\-]+))?(?:[:=](\d+))?")
_SLICES = re.compile(r"(?:^|[_\-.])(?:(\d)c\.)?(\d)g\.\d+gb", re.IGNORECASE)  # a MIG profile: 3g.40gb has 3 of a GPU's 7 slices, 1c.3g.40gb 1
STATES = {
    "BF": "BOOT_FAIL", "CA": "CANCELLED", "CD": "COMPLETED", "CF": "CONFIGURING", "CG": "COMPLETING", "DL": "DEADLINE", "F": "FAILED", "NF": "NODE_FAIL",
    "OOM": "OUT_OF_MEMORY", "PD": "PENDING", "PR": "PREEMPTED", "R": "RUNNING", "RD": "RESV_DEL_HOLD", "RF": "REQUEUE_FED", "RH": "REQUEUE_HOLD",
    "RQ": "REQUEUED", "RS": "RESIZING", "RV": "REVOKED", "SE": "SPECIAL_EXIT", "SI": "SIGNALING", "SO": "STAGE_OUT", "ST": "STOPPED", "S": "SUSPENDED",
    "TO": "TIMEOUT",
}  # fmt: skip


def expand_nodes(text: str) -> list[str]:
    """Names of a compressed list: `node[1-2,07],login1` is node1, node2, node07, login1. `text`: the list; blanks give none."""
    names: list[str] = []
    if text.strip().lower() in ("", "none", "(null)", "none assigned", "n/a", "unknown"):
        return names
    for part in _split(text):
        match = _BRACKETS.search(part)
        if match is None:
            names.append(part.strip())
            continue
        before, after = part[: match.start()], part[match.end() :]
        for piece in match[1].split(","):
            low, _, high = piece.strip().partition("-")
            for number in range(int(low), int(high or low) + 1):
                for rest in expand_nodes(after) if "[" in after else [after]:
                    names.append(f"{before}{number:0{len(low)}d}{rest}")
    return names


def _split(text: str) -> list[str]:
    """At commas outside brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "[") - (c == "]")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [p for p in [*parts, text[start:]] if p.strip()]


def tres(text: str) -> dict[str, str]:
    """`cpu=8,gres/gpu=2,node=1` as a dictionary. `text`: the list."""
    return dict(part.split("=", 1) for part in text.split(",") if "=" in part)


def gpus(text: str) -> float:
    """GPUs in a TRES or GRES list; NaN where it names none, or shares of GPUs whose size it does not tell (shards).

    Types are not counted beside their sum. A MIG slice is its part of a GPU: `gpu:1g.10gb=7` is one GPU.
    `text`: such as `gres/gpu=8`, `gpu:ampere:8(S:0-1)`, `gres/gpu:a100=8,gres/gpu=8`, `PER_NODE:gpu:8`.
    """
    whole, sliced, n_slice = 0.0, 0.0, 0.0
    found = _GPU.findall(text)
    for kind, count in found:
        if not kind:
            continue
        slices, n = _SLICES.search(kind), float(count or 1)
        whole += 0.0 if slices else n
        sliced += n * int(slices[1] or slices[2]) / 7.0 if slices else 0.0
        n_slice += n if slices else 0.0
    sums = [float(count or 1) for kind, count in found if not kind]
    if not found:
        return math.nan
    # A sum holds the typed ones and the slices, each slice as one.
    return (max(sum(sums), whole + n_slice) if sums else whole + n_slice) - n_slice + sliced


def set_times(table: pd.DataFrame, report: ImportReport, zone: Optional[str]) -> None:
    """Texts of `start` and `end` as times, in place; what begins with no digit (Unknown, N/A) is none.

    `table`: with `row` and `file`; `report`: takes the remarks; `zone`: IANA name of the cluster's clock
    """
    texts = pd.concat([table["start"], table["end"]], ignore_index=True).fillna("").astype(str)
    some = texts[texts.str[:1].str.isdigit()]
    rows = [*table["row"], *table["row"]]
    times = parse_times(some, [rows[i] for i in some.index], str(table["file"].iloc[0]), report, zone, some.index).set_axis(some.index).reindex(texts.index)
    table["start"], table["end"] = (times.iloc[part].set_axis(table.index) for part in (slice(len(table)), slice(len(table), None)))


def names_gpus(text: str) -> bool:
    """Whether a TRES or GRES list names GPUs, slices or shards of them. `text`: the list"""
    return bool(_GPU.search(text) or "shard" in text)


def duration_s(text: str) -> float:
    """`1-02:03:04`, `02:03:04`, `03:04` or `03:04.5` as seconds; NaN for anything else. `text`: the duration."""
    days, dash, rest = text.strip().rpartition("-")
    try:
        parts = [float(p) for p in rest.split(":")]
        if len(parts) < 2 or len(parts) > 3:
            return math.nan
        return (int(days) * 86400.0 if dash else 0.0) + sum(p * 60.0**i for i, p in enumerate(reversed(parts)))
    except ValueError:
        return math.nan


def plain(value: Any) -> Any:
    """A number of Slurm's JSON, None where it is none: newer versions write {"set": …, "infinite": …, "number": …}. `value`: as read."""
    if isinstance(value, dict):
        value = value.get("number") if value.get("set") and not value.get("infinite") else None
    if isinstance(value, str) and value.isdigit():
        value = int(value)
    return value if isinstance(value, (int, float)) and math.isfinite(value) else None


def iso(seconds: Optional[float]) -> str:
    """Unix time as ISO 8601; "" for none. `seconds`: s"""
    return pd.Timestamp(int(seconds), unit="s").isoformat() + "Z" if seconds else ""


def once(rows: list[dict], name: str, report: ImportReport) -> list[dict]:
    """Rows without those that repeat an earlier one but for their line. `rows`: with `row` and `file`; `name`: what the remark calls
    them by; `report`: takes the remarks"""
    seen, out = set(), []
    for row in rows:
        key = tuple(str(v) for k, v in row.items() if k != "row")
        if key in seen:
            report.ignore(f"{row['file']}:{row['row']}", f"job {row.get(name, '')} again")
        else:
            seen.add(key)
            out.append(row)
    return out


def state(text: str) -> str:
    """`CANCELLED by 1000`, `CANCELLED+`, `CA` and `["RUNNING"]` as one word. `text`: the state."""
    if isinstance(text, list):
        text = text[0] if text else ""
    word = re.split(r"[ +]", text.strip())[0] if text.strip() else ""
    return STATES.get(word, word)

def json_list(text: str, key: str, file: str, proof: str, report: ImportReport) -> list[tuple[int, dict]]:
    """The list `key` of an answer of Slurm, counted from 1; entries without a number or name of their own are ignored.

    Parameters
    ----------
    text
        JSON.
    key
        `jobs` or `nodes`.
    file
        For errors.
    proof
        a field that every entry of the wanted kind has.
    report
        Takes the remarks.

    Raises
    ------
    InputError
        No such list, or its entries are of another command.
    """
    try:
        answer = json.loads(text)
    except ValueError as error:
        raise InputError(f"{file}: not complete JSON ({error})") from error
    if not isinstance(answer, dict) or not isinstance(answer.get(key), list):
        raise InputError(f"{file}: no `{key}` in the answer")
    entries = answer[key]
    if entries and not any(isinstance(e, dict) and proof in e for e in entries):
        other = {"time": "squeue", "job_state": "sacct"}.get(proof, "another command")
        raise InputError(f"{file}: the {key} have no `{proof}`: this is an answer of {other}, import it as that")
    out = []
    for i, e in enumerate(entries, 1):
        named = isinstance(e, dict) and isinstance(e.get(proof), (str, dict, list)) and (key == "nodes" or plain(e.get("job_id")) is not None)
        if named:
            out.append((i, e))
        else:
            report.ignore(f"{file}, {key[:-1]} {i}", f"no {'name' if key == 'nodes' else f'job_id or {proof}'}")
    return out
