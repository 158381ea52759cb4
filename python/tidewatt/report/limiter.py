"""The limiters of the clocks over time."""
from __future__ import annotations

import numpy as np

from . import day as day_picture
from . import findings
from .read import Missing, ResultFile
from .style import LIMITER_WORDS, LIMITERS, TimeAxis, panels, root

ORDER = ["power", "thermal", "clock", "slowdown", "brake", "memory", "none"]


def shares(result: ResultFile):
    """{limiter: share of compute time per macro step, 0–1} of a `result` in stacking order, without limiters that were never active.

    Raises Missing: it holds none.
    """
    day = result.group("day")
    found = {name: day[f"limiter_{name}_frac"] for name in ORDER if f"limiter_{name}_frac" in day}
    if not found:
        raise Missing("no limiter share is in /day")
    return {name: share for name, share in found.items() if np.nanmax(share, initial=0.0) > 0}


def only(result: ResultFile) -> bool:
    """Whether one limiter set the clocks of a `result` for all of its compute time: its share over time is then a rectangle."""
    found = [share for share in shares(result).values() if np.nanmean(share) >= 5e-4]
    return len(found) == 1 and "clock_mean_Hz" in result.group("day")


def paint(result: ResultFile, axes=None):
    """Draws the limiters of the clocks of a `result` over time, into `axes` or a new figure's; if it is always the same one, the clocks
    that it left."""
    day, found = result.group("day"), shares(result)
    edges = result.edges("day")
    axis = TimeAxis(day.start, edges[-1] - edges[0])
    drawn = panels(axes, 1, (10, 4.4), findings.limiter(result))
    axes = drawn[0]
    if only(result):
        day_picture.clocks(axes, day, axis(edges), axis, result)
        axes.set_xlim(axis(edges[0]), axis(edges[-1]))
        axis.dress(axes)
        return drawn
    bottom = np.zeros(len(edges) - 1)
    for name, share in found.items():
        top = bottom + 100 * np.nan_to_num(share)
        axes.stairs(top, axis(edges), baseline=bottom, fill=True, color=LIMITERS[name], label=LIMITER_WORDS[name])
        bottom = top
    axes.set(ylabel="share of compute time (%)", ylim=(0, 100), xlim=(axis(edges[0]), axis(edges[-1])))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=4, borderaxespad=0)
    axis.dress(axes)
    return drawn


def draw(result: ResultFile):
    """The same as a separate figure, for a `result`."""
    return root(paint(result))
