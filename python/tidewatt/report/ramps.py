"""The steepest ramps of power at the connection, by the window they are measured over."""
from __future__ import annotations

import numpy as np

from . import findings, rule_limits
from .read import ResultFile
from .style import BLACK, BLUE, VERMILION, panels, root


def tables(result: ResultFile):
    """(window in s, rise, fall) of a `result` over the part that rules look at, shapes (n,), both as positive W/s."""
    group = result.group("grid_ramps")
    return group["window_s"], np.abs(group["up_W_per_s"]), np.abs(group["down_W_per_s"])


def fits(result: ResultFile, window_s: float) -> bool:
    """Whether two windows of `window_s` are in the part of a `result` that rules look at."""
    from_s, until_s = findings.rules_part(result)
    return not 2 * window_s > until_s - from_s


def on_log(ramp: np.ndarray) -> np.ndarray:
    """`ramp` for a logarithmic axis: NaN instead of 0."""
    return np.where(ramp > 0, ramp, np.nan)


def steepest(result: ResultFile) -> tuple[float, float, float]:
    """(window in s, rise, fall) of a `result` where the larger of the two is largest, W/s."""
    window, up, down = tables(result)
    k = int(np.nanargmax(np.fmax(up, down)))
    return float(window[k]), float(up[k]), float(down[k])


def paint(result: ResultFile, axes=None):
    """The steepest ramps of a `result` by their window, into `axes` or a new figure's."""
    window, up, down = tables(result)
    limits = rule_limits.of_ramps(result)
    drawn = panels(axes, 1, (9, 4.8), findings.ramps(result, *steepest(result)))
    axes = drawn[0]
    # Each window is a separate figure: adjacent marks without a line between them.
    known = sorted({*window.tolist(), *(limit.window_s for limit in limits)})
    places = np.array([known.index(w) for w in window.tolist()])
    for values, label, colour, marker, aside in [(up, "rising", BLUE, "^", -0.08), (down, "falling", VERMILION, "v", 0.08)]:
        axes.plot(places + aside, on_log(values) / 1e6, marker, color=colour, label=label, ms=8)
    for k, limit in enumerate(limits):
        at = known.index(limit.window_s)
        axes.hlines(limit.limit / 1e6, at - 0.4, at + 0.4, color=BLACK, ls=(0, (4, 2)), lw=1.6, label=None if k else "limit, named below its window")
    axes.set(yscale="log", xlabel="window", ylabel="steepest ramp (MW/s)", xlim=(-0.6, len(known) - 0.4))
    axes.set_xticks(range(len(known)), [_tick(result, w, limits) for w in known])
    axes.minorticks_off()
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=3, borderaxespad=0)
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
    return drawn


def _tick(result: ResultFile, window_s: float, limits: list[rule_limits.RampLimit]) -> str:
    """Words below a window: its length, that a run is too short for it, or its limits, the highest first."""
    here = sorted((limit for limit in limits if limit.window_s == window_s), key=lambda limit: -limit.limit)
    return "\n".join([findings.duration(window_s), *([] if fits(result, window_s) else ["(run too short)"]), *(f"{limit.way} ≤ {findings.number(limit.limit / 1e6)} MW/s" for limit in here)])


def draw(result: ResultFile):
    """The same as a separate figure, for a `result`."""
    return root(paint(result))
