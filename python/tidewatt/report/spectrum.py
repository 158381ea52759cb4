"""The spectrum of power at the connection."""
from __future__ import annotations

import numpy as np

from . import downsample, findings
from .read import Missing, ResultFile
from .style import BLUE, GREY, VERMILION, panels, plain_decades, root

LOWEST_Hz = 0.02  # slower changes are drift, not lines


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
    """The strongest line (Hz, W) of a `result`; its frequency is the summary's interpolated one where that lies beside
    it.
    """
    f, amplitude = lines(result)
    k = int(np.argmax(np.where(f >= LOWEST_Hz, amplitude, -1)))
    told = result.figure("pcc_dominant_Hz")
    step = f[min(k + 1, len(f) - 1)] - f[max(k - 1, 0)]
    return (told if abs(told - f[k]) <= step else float(f[k])), float(amplitude[k])


def paint(result: ResultFile, axes=None):
    """The spectrum of a `result` with its strongest line, into `axes` or a new figure's."""
    f, amplitude = lines(result)
    line_Hz, line_W = dominant(result)
    drawn = panels(axes, 1, (10, 5.4), findings.spectrum(result, line_Hz, line_W))
    axes = drawn[0]
    x, y = downsample.log_peaks(f, amplitude, 1200)
    axes.loglog(x, y / 1e3, color=BLUE, lw=1)
    plain_decades(axes)
    for k in range(2, 6):
        if line_Hz * k < f[-1]:
            axes.axvline(line_Hz * k, color=GREY, lw=0.8, ls=":")
    axes.plot([line_Hz], [line_W / 1e3], "o", color=VERMILION, ms=8, mfc="none", mew=2)
    axes.annotate(
        f"{findings.number(line_Hz)} Hz\n{findings.number(line_W / 1e6)} MW",
        (line_Hz, line_W / 1e3),
        xytext=(-12, 2),
        textcoords="offset points",
        ha="right",
        va="center",
        color=VERMILION,
        fontweight="bold",
    )
    positive = y[y > 0] / 1e3
    axes.set_ylim(max(positive.min(), line_W / 1e3 * 1e-6), line_W / 1e3 * 3)
    axes.set_xlim(x[0], x[-1])
    axes.set(xlabel="frequency (Hz)", ylabel="amplitude (kW)")
    axes.text(0.995, 0.985, "dotted: multiples of the strongest line", transform=axes.transAxes, ha="right", va="top",
              fontsize=9, color=GREY)  # fmt: skip
    return drawn


def draw(result: ResultFile):
    """The same as a figure of its own, for a `result`."""
    return root(paint(result))
