"""The chance of a result's headlines, which `tidewatt run` leaves beside the result's file."""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


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
    file = Path(f"{os.path.splitext(path)[0]}_chance.json")
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and found.get("payload_sha256") == payload_sha256 else {}


def with_chance(source: Any) -> str:
    """The summary of a `source` (the core's result or result file) in words, followed by the chance that lies beside its file."""
    chance = chance_beside(getattr(source, "path", ""), source.payload_sha256)
    return "\n\n".join(part.rstrip("\n") for part in (source.summary_text, chance.get("text", "")) if part)
