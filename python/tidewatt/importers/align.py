"""Clocks of several nodes on one, by cross-correlation of their power."""

from __future__ import annotations

import dataclasses
from typing import Optional

import numpy as np

N_BLOCK = 8


@dataclasses.dataclass(frozen=True)
class ClockOffset:
    """By how much a node's clock is ahead of the reference, s, with its 95 % interval; `refused` says why it is not applied."""

    name: str
    offset_s: float
    low_s: float
    high_s: float
    correlation: float
    second_peak: float
    refused: str = ""


def clock_offset(time_s, reference, values, iteration_s: float, name: str = "", event_offset_s: Optional[float] = None) -> ClockOffset:
    """The lag at which `values` follow `reference` best: the peak of the normalised cross-correlation.

    The search reaches half an iteration to either side, of zero or of `event_offset_s`, the offset that events of both logs give: a
    periodic load looks the same one iteration later. A second peak within 10 % of the first refuses the offset. The interval is
    that of the mean over eight blocks of the record, and no narrower than a sampling step: an edge may lie anywhere between two samples.

    Parameters
    ----------
    time_s
        Instants of both, s, rising.
    reference, values
        Power at these instants, W.
    iteration_s
        Iteration time, s.
    name
        Of the node.
    event_offset_s
        s, where events of both logs are known.

    Raises
    ------
    ValueError
        Fewer than 16 samples.
    """
    t, a, b = (np.asarray(x, dtype=float) for x in (time_s, reference, values))
    good = np.isfinite(t) & np.isfinite(a) & np.isfinite(b)
    t, a, b = t[good], a[good], b[good]
    if t.size < 2 * N_BLOCK:
        raise ValueError("at least 16 samples are needed")
    centre, step = event_offset_s or 0.0, float(np.median(np.diff(t)))
    lags = centre + np.linspace(-iteration_s / 2, iteration_s / 2, 201)
    curve = _correlation(t, a, b, lags)
    at = int(np.nanargmax(curve))
    second = _second_peak(curve, at)
    blocks = [_peak(t[part], a[part], b[part], lags) for part in np.array_split(np.arange(t.size), N_BLOCK)]
    half = max(1.96 * float(np.std(blocks, ddof=1)) / np.sqrt(N_BLOCK), step)
    refused = ""
    if np.array_equal(a, b):
        half = 0.0
    elif not curve[at] > 0.3:
        refused = f"the series do not move together (correlation {curve[at]:.2f})"
    elif second > 0.9 * curve[at]:
        refused = f"a second peak of {second:.2f} is within 10 % of the first, {curve[at]:.2f}"
    elif at in (0, len(lags) - 1):
        refused = "the best lag is at half an iteration; without events a larger offset is not believed"
    return ClockOffset(name, float(lags[at]), float(lags[at] - half), float(lags[at] + half), float(curve[at]), float(second), refused)


def _correlation(t, a, b, lags) -> np.ndarray:
    out = np.full(len(lags), np.nan)
    for i, lag in enumerate(lags):
        inside = (t + lag >= t[0]) & (t + lag <= t[-1])
        if inside.sum() < 8:
            continue
        x, y = a[inside], np.interp(t[inside] + lag, t, b)
        x, y = x - x.mean(), y - y.mean()
        scale = np.sqrt((x @ x) * (y @ y))
        out[i] = (x @ y) / scale if scale > 0 else 0.0
    return out


def _peak(t, a, b, lags) -> float:
    curve = _correlation(t, a, b, lags)
    return float(lags[int(np.nanargmax(curve))]) if np.isfinite(curve).any() else 0.0


def _second_peak(curve, at) -> float:
    """Height of the highest other local maximum, beyond the valley beside the first."""
    local = [i for i in range(1, len(curve) - 1) if curve[i] >= curve[i - 1] and curve[i] >= curve[i + 1] and i != at]
    beyond = [curve[i] for i in local if np.nanmin(curve[min(i, at) : max(i, at) + 1]) < 0.98 * curve[i]]
    return max(beyond, default=-1.0)


def iteration_s(time_s, values, low_s: float = 1.0, high_s: float = 120.0) -> Optional[float]:
    """Iteration time by the first high peak of the autocorrelation, s; None where no lag exceeds 0.3.

    `time_s`: instants, s; `values`: power, W; `low_s`, `high_s`: where to look; at least two sampling steps.
    """
    t, y = np.asarray(time_s, dtype=float), np.asarray(values, dtype=float)
    good = np.isfinite(y)
    t, y = t[good], y[good]
    step = float(np.median(np.diff(t)))
    y = y - y.mean()
    lags = np.arange(max(low_s, 2 * step), min(high_s, (t[-1] - t[0]) / 4), step / 4)
    if lags.size < 3:
        return None
    curve = _correlation(t, y, y, lags)
    peaks = [i for i in range(1, len(lags) - 1) if curve[i] > curve[i - 1] and curve[i] >= curve[i + 1] and curve[i] > 0.3]
    best = max((curve[i] for i in peaks), default=None)
    return None if best is None else float(next(lags[i] for i in peaks if curve[i] > 0.9 * best))


def align(table, time: str, report, iteration: Optional[float] = None):
    """A wide table of node power with every column on the first one's clock; refused columns stay as they are.

    Parameters
    ----------
    table
        DataFrame with `time` in ms or s and columns that end with `_W`.
    time
        Name of the time column.
    report
        Takes offsets and refusals.
    iteration
        Iteration time, s; by default that of the sum of all nodes.
    """
    scale = 1e-3 if time.endswith("_ms") else 1.0
    seconds = ((table[time] - table[time].iloc[0]).dt.total_seconds() if hasattr(table[time], "dt") else (table[time] - table[time].iloc[0]) * scale)
    nodes = [c for c in table if c.endswith("_W")]
    iteration = iteration or iteration_s(seconds, table[nodes].mean(axis=1))
    if iteration is None:
        report.warn("clocks", "no iteration is visible in the power, so clocks are not aligned; --align ITERATION_S gives its length")
        return table
    out, offsets = table.copy(), []
    for name in nodes[1:]:
        found = clock_offset(seconds, table[nodes[0]], table[name], iteration, name)
        offsets.append(dataclasses.asdict(found))
        if found.refused:
            report.warn(name, f"its clock is not aligned: {found.refused}")
        elif found.low_s > 0 or found.high_s < 0:
            out[name] = np.interp(seconds + found.offset_s, seconds, table[name])
            report.mend(name, f"its clock was moved by {-found.offset_s:.3g} s ({-found.high_s:.3g} to {-found.low_s:.3g}, 95 %)")
    report.facts.update(iteration_s=iteration, clock_offsets=offsets)
    return out
