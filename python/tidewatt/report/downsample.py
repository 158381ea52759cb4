"""Fewer points that show the same extremes: buckets keep their minimum and maximum, so that no spike is lost."""
from __future__ import annotations

import numpy as np


def buckets(n: int, n_buckets: int) -> np.ndarray:
    """First index of each of at most `n_buckets` nearly equal buckets over `n` samples."""
    k = max(1, min(n, n_buckets))
    return np.arange(k, dtype=np.int64) * n // k


def band(x: np.ndarray, low: np.ndarray, high: np.ndarray, n_buckets: int):
    """(x of each of at most `n_buckets` buckets' start, minimum of `low`, maximum of `high`); a bucket of NaN only
    stays NaN. All of one shape (n,).
    """
    if len(x) == 0:
        return x, low, high
    first = buckets(len(x), n_buckets)
    return x[first], np.fmin.reduceat(low, first), np.fmax.reduceat(high, first)


def mean(y: np.ndarray, n_buckets: int) -> np.ndarray:
    """Mean of `y`, shape (n,), in each of at most `n_buckets` buckets, those of `band`; NaN samples are left out."""
    if len(y) == 0:
        return y
    first = buckets(len(y), n_buckets)
    held = ~np.isnan(y)
    count = np.add.reduceat(held.astype(float), first)
    total = np.add.reduceat(np.where(held, y, 0.0), first)
    return np.divide(total, count, out=np.full(len(first), np.nan), where=count > 0)


def line(x: np.ndarray, y: np.ndarray, n_buckets: int):
    """(x, y) of a line with at most two points in each of `n_buckets` buckets, its minimum and maximum, in the order in
    which they come.
    """
    if len(x) <= 2 * n_buckets:
        return x, y
    first = buckets(len(x), n_buckets)
    last = np.append(first[1:], len(x))
    keep = []
    for a, b in zip(first, last):
        piece = y[a:b]
        if np.isnan(piece).all():
            keep.append(a)
            continue
        keep.extend(sorted({a + int(np.nanargmin(piece)), a + int(np.nanargmax(piece))}))
    index = np.array(keep)
    return x[index], y[index]


def log_peaks(x: np.ndarray, y: np.ndarray, n_buckets: int):
    """The largest `y` of each of `n_buckets` buckets of equal width in log `x` > 0: a spectrum that keeps its lines."""
    if len(x) <= n_buckets:
        return x, y
    position = np.log(x / x[0]) / np.log(x[-1] / x[0])
    bucket = np.minimum((position * n_buckets).astype(np.int64), n_buckets - 1)
    first = np.flatnonzero(np.diff(bucket, prepend=-1))
    last = np.append(first[1:], len(x))
    index = np.array([a + int(np.argmax(y[a:b])) for a, b in zip(first, last)])
    return x[index], y[index]
