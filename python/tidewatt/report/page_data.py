"""The numbers of the page's charts as one compressed block: 24 bits a value, 16 where a level of the zoom has many."""
from __future__ import annotations

import base64
import json
import zlib

import numpy as np


class Block:
    """Consecutive arrays. Each becomes fractions of its own range, their differences, and planes of equal bytes, which
    deflate well; the page's script undoes this."""

    def __init__(self):
        self._planes: list[bytes] = []
        self._at = 0

    def add(self, values: np.ndarray, planes: int = 3) -> dict:
        """Adds the `values`, shape (n,), at 8 bits times `planes` a value. Returns where they are and how to read them: `from`
        and `step` of equal steps, else `at`, `planes`, `low` and `range`; the largest share stands for NaN."""
        values = np.asarray(values, dtype=float)
        n, finite = len(values), values[np.isfinite(values)]
        if n > 2 and finite.size == n:
            step = (values[-1] - values[0]) / (n - 1)
            if np.abs(values[0] + step * np.arange(n) - values).max() <= 1e-7 * abs(step):
                return {"n": n, "from": float(values[0]), "step": float(step)}
        low = float(finite.min()) if finite.size else 0.0
        span = (float(finite.max()) - low if finite.size else 0.0) or 1.0
        top = 256**planes - 1
        shares = np.full(n, top, dtype=np.int64)
        np.rint((values - low) / span * (top - 1), out=shares, where=np.isfinite(values), casting="unsafe")
        moved = np.diff(shares, prepend=0).astype("<i4").view(np.uint8).reshape(-1, 4)[:, :planes]
        self._planes.append(np.ascontiguousarray(moved.T).tobytes())
        out = {"n": n, "at": self._at, "planes": planes, "low": low, "range": span}
        self._at += n * planes
        return out

    def text(self) -> str:
        """Everything added, deflated, as base64."""
        return base64.b64encode(zlib.compress(b"".join(self._planes), 6)).decode()


def packed(charts: dict) -> tuple[str, str]:
    """(JSON of the `charts` with each array replaced by where it is, the arrays as text), both safe inside a script element."""
    block = Block()

    def walk(item):
        if isinstance(item, np.ndarray):
            return block.add(item, 2 if len(item) > 20_000 else 3)
        if isinstance(item, dict):
            return {key: walk(value) for key, value in item.items()}
        if isinstance(item, (list, tuple)):
            return [walk(value) for value in item]
        return item

    # "<" must not be in a script element's data: a text with "</script>" would end it.
    text = json.dumps(walk(charts), separators=(",", ":"), allow_nan=False, ensure_ascii=False).replace("<", "\\u003c")
    return text, block.text()
