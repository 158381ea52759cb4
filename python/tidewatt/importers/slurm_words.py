"""Slurm's own notations: node lists, TRES, durations, states."""

from __future__ import annotations

import math
import re
from typing import Any

_BRACKETS = re.compile(r"\[([^\]]*)\]")
_GPU = re.compile(r"(?:gres/)?gpu(?::[\w.\-]+)?[:=](\d+)")


def expand_nodes(text: str) -> list[str]:
    """Names of a compressed list: `node[1-2,07],login1` is node1, node2, node07, login1. @param text: the list; blanks give none."""
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
    """`cpu=8,gres/gpu=2,node=1` as a dictionary. @param text: the list."""
    return dict(part.split("=", 1) for part in text.split(",") if "=" in part)


def gpus(text: str) -> float:
    """GPUs in a TRES or GRES list; NaN where it names none. Types are not counted beside their sum.

    @param text: such as `gres/gpu=8`, `gpu:ampere:8(S:0-1)`, `gres/gpu:a100=8,gres/gpu=8`, `PER_NODE:gpu:8`.
    """
    plain = tres(text)
    if "gres/gpu" in plain and plain["gres/gpu"].isdigit():
        return float(plain["gres/gpu"])
    counts = [int(n) for n in _GPU.findall(text)]
    return float(sum(counts)) if counts else math.nan


def duration_s(text: str) -> float:
    """`1-02:03:04`, `02:03:04`, `03:04` or `03:04.5` as seconds; NaN for anything else. @param text: the duration."""
    days, dash, rest = text.strip().rpartition("-")
    try:
        parts = [float(p) for p in rest.split(":")]
        if len(parts) < 2 or len(parts) > 3:
            return math.nan
        return (int(days) * 86400.0 if dash else 0.0) + sum(p * 60.0**i for i, p in enumerate(reversed(parts)))
    except ValueError:
        return math.nan


def plain(value: Any) -> Any:
    """A number of Slurm's JSON: newer versions write {"set": …, "infinite": …, "number": …}. @param value: as read."""
    if isinstance(value, dict) and "number" in value:
        return value["number"] if value.get("set") and not value.get("infinite") else None
    return value


def state(text: str) -> str:
    """`CANCELLED by 1000`, `CANCELLED+` and `["RUNNING"]` as one word. @param text: the state."""
    if isinstance(text, list):
        text = text[0] if text else ""
    return re.split(r"[ +]", text.strip())[0] if text.strip() else ""
