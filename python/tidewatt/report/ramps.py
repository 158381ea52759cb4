"""The steepest ramps of power at the connection, by the window they are measured over."""
from __future__ import annotations

import numpy as np

from . import findings
from .read import ResultFile
from .style import BLUE, VERMILION, panels, root


def tables(result: ResultFile):
    """(window in s, rise, fall) of a `result`, shapes (n,), both as positive W/s."""
    group = result.group("ramps")
    return group["window_s"], np.abs(group["up_W_per_s"]), np.abs(group["down_W_per_s"])


def on_log(ramp: np.ndarray) -> np.ndarray:
    """`ramp` without what a logarithmic axis cannot show: NaN where nothing moved."""
    return np.where(ramp > 0, ramp, np.nan)


def steepest(result: ResultFile) -> tuple[float, float, float]:
    """(window in s, rise, fall) of a `result` where the larger of the two is largest, W/s."""
    window, up, down = tables(result)
    k = int(np.nanargmax(np.fmax(up, down)))
    return float(window[k]), float(up[k]), float(down[k])


def paint(result: ResultFile, axes=None):
    """The steepest ramps of a `result` by their window, into `axes` or a new figure's."""
    window, up, down = tables(result)
    drawn = panels(axes, 1, (9, 4.8), findings.ramps(result, *steepest(result)))
    axes = drawn[0]
    for values, label, colour, marker in [(up, "rising", BLUE, "^"), (down, "falling", VERMILION, "v")]:
        axes.plot(window, on_log(values) / 1e6, marker + "-", color=colour, label=label, ms=7)
    axes.set(xscale="log", yscale="log", xlabel="window", ylabel="steepest ramp (MW/s)")
    axes.set_xticks(window, [findings.duration(w) for w in window])
    axes.minorticks_off()
    axes.legend(loc="upper right")
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
    return drawn


def draw(result: ResultFile):
    """The same as a figure of its own, for a `result`."""
    return root(paint(result))
