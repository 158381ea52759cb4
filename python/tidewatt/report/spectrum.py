"""The spectrum of power at the connection."""
from __future__ import annotations

import numpy as np

from . import downsample, findings, rule_limits
from .read import Missing, ResultFile
from .style import BLACK, BLUE, GREY, VERMILION, panels, plain_decades, root

MOST_MULTIPLES = 10  # of the iteration's frequency: higher ones are too close to distinguish in a picture
HEAD = 12  # times the highest line: what the words above the lines take


def lines(result: ResultFile):
    """(Hz, W) of a `result`, shapes (n,), without the constant part.

    Raises
    ------
    Missing
        No interval of the run was long enough for a spectrum.
    """
    group = result.group("spectrum")
    f, amplitude = group["frequency_Hz"], group["pcc_amplitude_W"]
    keep = (f > 0) & np.isfinite(amplitude)
    if not np.any(amplitude[keep] > 0):
        raise Missing("spectrum: no uninterrupted training is long enough for one")
    return f[keep], amplitude[keep]


def dominant(result: ResultFile) -> tuple[float, float]:
    """The strongest line (Hz, W) of a `result`, as its summary gives it; NaN if no line stands out."""
    return result.figure("pcc_dominant_Hz"), result.figure("pcc_dominant_MW") * 1e6


def multiples(result: ResultFile, highest_Hz: float) -> list[float]:
    """The first `MOST_MULTIPLES` multiples of the iteration's frequency of a `result`, Hz, up to `highest_Hz`; none without an iteration."""
    iteration_s = result.iteration_s
    if not iteration_s > 0:
        return []
    return [k / iteration_s for k in range(1, MOST_MULTIPLES + 1) if k / iteration_s <= highest_Hz]


def bands(result: ResultFile, f: np.ndarray) -> list[tuple[float, float, str]]:
    """(lowest, highest frequency in Hz, words) of the bands in which a `result` gives the power's root mean square, inside the spectrum's
    frequencies `f`."""
    try:
        group = result.group("grid_bands")
        rows = list(zip(group["low_Hz"].tolist(), group["high_Hz"].tolist(), group["rms_W"].tolist()))
    except Missing:
        return []
    return [(low, high, f"{low:g}–{high:g} Hz: {findings.number(rms / 1e6)} MW rms") for low, high, rms in sorted(rows) if low < f[-1] and high > f[0]]


def paint(result: ResultFile, axes=None):
    """The spectrum of a `result` with its strongest line, into `axes` or a new figure's."""
    f, amplitude = lines(result)
    line_Hz, line_W = dominant(result)
    drawn = panels(axes, 1, (10, 5.4), findings.spectrum(result, line_Hz, line_W))
    axes = drawn[0]
    x, y = downsample.log_peaks(f, amplitude, 1200)
    axes.loglog(x, y / 1e3, color=BLUE, lw=1)
    plain_decades(axes)
    marks = multiples(result, f[-1])
    highest = max(line_W if np.isfinite(line_W) else float(amplitude.max()), *(limit_W for _, _, limit_W, _ in rule_limits.of_lines(result, f, amplitude)), 0) / 1e3
    # Words have the room above the lines for themselves.
    for at_Hz in marks:
        axes.plot([at_Hz, at_Hz], [1e-9, highest * 1.25], color=GREY, lw=0.8, ls=":")
    top = highest * HEAD
    for k, (low, high, words) in enumerate(bands(result, f)):
        axes.axvspan(max(low, x[0]), min(high, x[-1]), color=BLACK, alpha=0.1 if k % 2 else 0.045, lw=0)
        axes.text(np.sqrt(max(low, x[0]) * min(high, x[-1])), top / 1.25, words.replace(": ", "\n"), fontsize=8.5, color="#4B5563", ha="center", va="top")
    for low, high, limit_W, words in rule_limits.of_lines(result, f, amplitude):
        axes.hlines(limit_W / 1e3, low, min(high, x[-1]), color=VERMILION, ls=(0, (6, 3)), lw=1.6)
        axes.annotate(words, (min(high, x[-1]), limit_W / 1e3), xytext=(0, 3), textcoords="offset points", fontsize=9, color=VERMILION, ha="right")
    if np.isfinite(line_Hz):
        axes.plot([line_Hz], [line_W / 1e3], "o", color=VERMILION, ms=8, mfc="none", mew=2)
        axes.annotate(
            f"{findings.number(line_Hz)} Hz, {findings.number(line_W / 1e6)} MW",
            (line_Hz, highest * 1.25),
            xytext=(0, 2),
            textcoords="offset points",
            ha="center",
            va="bottom",
            color=VERMILION,
            fontweight="bold",
        )
    positive = y[y > 0] / 1e3
    axes.set_ylim(max(positive.min(), highest * 1e-6), top)
    axes.set_xlim(x[0], x[-1])
    axes.set(xlabel="frequency (Hz)", ylabel="amplitude (kW)")
    return drawn


def draw(result: ResultFile):
    """The same as a separate figure, for a `result`."""
    return root(paint(result))
