"""Unions and lengths of time intervals, as arrays [n, 2] of begin and end in any unit."""

from __future__ import annotations

import numpy as np


def union(spans: np.ndarray) -> np.ndarray:
    """Disjoint intervals in order that cover the same. `spans`: [n, 2]. Returns [m, 2]"""
    spans = np.asarray(spans, dtype=float).reshape(-1, 2)
    if not len(spans):
        return spans
    spans = spans[np.argsort(spans[:, 0], kind="stable")]
    reach = np.maximum.accumulate(spans[:, 1])
    first = np.concatenate([[True], spans[1:, 0] > reach[:-1]])
    return np.column_stack([spans[first, 0], np.maximum.reduceat(spans[:, 1], np.flatnonzero(first))])


def length(spans: np.ndarray) -> float:
    """Sum of lengths, unit of the ends. `spans`: disjoint, [n, 2]"""
    return float((spans[:, 1] - spans[:, 0]).sum()) if len(spans) else 0.0


def within(spans: np.ndarray, begin: float, end: float) -> float:
    """Length of the parts inside [begin, end]. `spans`: disjoint and in order, [n, 2]; `begin`, `end`: same unit."""
    if end <= begin or not len(spans):
        return 0.0
    first, last = np.searchsorted(spans[:, 1], begin, "right"), np.searchsorted(spans[:, 0], end, "left")
    return length(np.clip(spans[first:last], begin, end))
