"""The chance of a result's headlines: what `tidewatt run` leaves beside the result's file, or `Result.interval` has found."""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Mapping


def chance_beside(path: str | os.PathLike[str] | None, payload_sha256: str) -> dict[str, Any]:
    """The chance that lies beside a result's file.

    Parameters
    ----------
    path
        The result's file; None or empty for a result that has none.
    payload_sha256
        Of the result: the chance of an earlier result under the same name does not count.

    Returns
    -------
    dict
        `figures` {K: {p05, p50, p95}}, `text` and `interval`; empty where there is none.
    """
    if not path or not os.fspath(path):
        return {}
    try:
        found = json.loads(file_beside(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and found.get("payload_sha256") == payload_sha256 and _is_whole(found) else {}


def _is_whole(chance: dict[str, Any]) -> bool:
    """Whether a `chance` from outside holds what tidewatt writes."""
    figures = chance.get("figures")
    return (
        isinstance(figures, dict)
        and isinstance(chance.get("text"), str)
        and isinstance(chance.get("interval"), dict)
        and all(isinstance(ends, dict) and all(isinstance(ends.get(key), (int, float)) for key in ("p05", "p50", "p95")) for ends in figures.values())
    )


def file_beside(path: str | os.PathLike[str]) -> Path:
    """Where the chance of the result at `path` lies."""
    return Path(f"{os.path.splitext(path)[0]}_chance.json")


def headline_ends(chance: Mapping[str, Any]) -> dict[str, float]:
    """`K_p05`, `K_p50`, `K_p95`, and where events set K `K_event_p50` and `K_event_max`, of each headline K of a `chance`."""
    return {f"{key}_{end}": x for key, ends in chance.get("figures", {}).items() for end, x in ends.items()}


def summary_with_ends(summary: Mapping[str, Any], chance: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of a `summary`, each headline followed by the ends that its `chance` gives it: the keys of `tidewatt run --json`."""
    out: dict[str, Any] = {}
    for key, value in summary.items():
        out[key] = value
        out |= headline_ends({"figures": {key: chance["figures"][key]}} if key in chance.get("figures", {}) else {})
    return out


def with_chance(source: Any) -> str:
    """The summary of a `source` (where a result's arrays come from) in words, followed by its headlines' chance where it is known."""
    return "\n\n".join(part.rstrip("\n") for part in (source.summary_text, source.chance.get("text", "")) if part)
