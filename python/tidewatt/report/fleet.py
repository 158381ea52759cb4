"""How die temperatures and clocks of all GPUs spread: by place in the node, by rack in its row, by row."""
from __future__ import annotations

import dataclasses

import numpy as np

from . import findings
from .day import ZERO_degC_K
from .read import ResultFile
from .style import BLACK, BLUE, VERMILION, panels, root

MOST_BOXES = 24  # above, bands replace them
PERCENTILES = (5, 25, 50, 75, 95)


@dataclasses.dataclass(frozen=True)
class Groups:
    """One quantity of all GPUs, gathered by their place.

    `where`, `word`: the kind of place as an axis and before a number; `names`: the places, shape (n,); `title`: quantity with its unit;
    `spread`: percentiles 5, 25, 50, 75, 95, shape (5, n); `extreme`: the hottest or slowest GPU of each, shape (n,).
    """

    where: str
    word: str
    names: np.ndarray
    title: str
    spread: np.ndarray
    extreme: np.ndarray
    extreme_word: str

    @property
    def many(self) -> bool:
        """Whether there are too many places for boxes."""
        return len(self.names) > MOST_BOXES

    def ticks(self) -> list[tuple[float, int]]:
        """(place on the axis, name) of at most 16 evenly chosen places."""
        step = max(1, -(-len(self.names) // 16))
        return [(float(k), int(self.names[k])) for k in range(0, len(self.names), step)]


def in_row(row: np.ndarray, rack: np.ndarray) -> np.ndarray:
    """Position of each GPU's rack in its row, from 0: racks may be numbered within the row or through the hall."""
    out = np.empty_like(rack)
    for k in np.unique(row):
        here = row == k
        out[here] = np.unique(rack[here], return_inverse=True)[1]
    return out


def _spread(values: np.ndarray, place: np.ndarray, extreme) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(places, percentiles of the `values` at each, shape (5, n), `extreme` of each); `values` and `place` have one entry per GPU."""
    order = np.argsort(place, kind="stable")
    names, first = np.unique(place[order], return_index=True)
    parts = np.split(values[order], first[1:])
    return names, np.array([np.nanpercentile(part, PERCENTILES) for part in parts]).T, np.array([extreme(part) for part in parts])


def groups(result: ResultFile) -> list[Groups]:
    """The six pictures of a `result`: dies and clocks, each by place in the node, rack in its row, and row."""
    fleet = result.group("fleet")
    row, rack = fleet["row"], fleet["rack"]
    out = []
    for where, word, place in [("GPU's place in its node", "place", fleet["slot"]), ("rack in its row", "rack", in_row(row, rack)), ("row", "row", row)]:
        for title, values, extreme, extreme_word in [("die (°C)", fleet["die_K"] - ZERO_degC_K, np.nanmax, "hottest"),
                                                     ("clock (MHz)", fleet["clock_Hz"] / 1e6, np.nanmin, "slowest")]:  # fmt: skip
            names, spread, most = _spread(values, place, extreme)
            out.append(Groups(where, word, names, title, spread, most, extreme_word))
    return out


def explained(result: ResultFile) -> dict[str, float]:
    """How much of the variance of a `result`'s die temperatures each kind of place explains, 0–1, beyond what chance would."""
    fleet = result.group("fleet")
    die = fleet["die_K"]
    total = float(np.nansum((die - np.nanmean(die)) ** 2))
    if not total > 0:
        return {}
    out = {}
    for word, place in [("the place in the node", fleet["slot"]), ("the rack in its row", in_row(fleet["row"], fleet["rack"])), ("the row", fleet["row"])]:
        _, index = np.unique(place, return_inverse=True)
        count = np.bincount(index)
        between = float(np.sum(count * (np.bincount(index, die) / count - np.nanmean(die)) ** 2))
        within = (total - between) / max(1, len(die) - len(count))
        out[word] = min(1.0, max(0.0, (between - (len(count) - 1) * within) / (total + within)))
    return out


def extremes(result: ResultFile):
    """(hottest, mean) die in °C and (slowest, mean) clock in MHz of a `result`."""
    fleet = result.group("fleet")
    die, clock = fleet["die_K"] - ZERO_degC_K, fleet["clock_Hz"] / 1e6
    return float(np.nanmax(die)), float(np.nanmean(die)), float(np.nanmin(clock)), float(np.nanmean(clock))


def words(result: ResultFile) -> tuple[str, str]:
    """(title, subtitle) of the picture of a `result`."""
    return findings.fleet(result, *extremes(result), explained(result))


def paint(result: ResultFile, axes=None):
    """Temperatures and clocks of all GPUs of a `result` by their place, into six `axes` or a new figure's."""
    title, subtitle = words(result)
    drawn = panels(axes, 6, (11, 10.5), (title, subtitle + " · boxes: quartiles, lines to the 5th and 95th percentile"), columns=2)
    for panel, group in zip(drawn, groups(result)):
        _draw(panel, group)
    return drawn


def draw(result: ResultFile):
    """The same as a separate figure, for a `result`."""
    return root(paint(result))


def _draw(axes, group: Groups):
    at = np.arange(len(group.names))
    low, first, middle, third, high = group.spread
    if group.many:
        axes.fill_between(at, low, high, color=BLUE, alpha=0.18, lw=0, label="5th to 95th percentile")
        axes.fill_between(at, first, third, color=BLUE, alpha=0.35, lw=0, label="quartiles")
        axes.plot(at, middle, color=BLACK, label="median")
        axes.plot(at, group.extreme, color=VERMILION, lw=1, label=group.extreme_word)
    else:
        axes.vlines(at, low, high, color=BLACK, lw=1)
        axes.bar(at, third - first, bottom=first, width=0.6, color="#A8CBE5", edgecolor=BLACK, lw=0.8, zorder=3)
        axes.hlines(middle, at - 0.3, at + 0.3, color=BLACK, lw=1.8, zorder=4)
        axes.plot(at, group.extreme, "D", color=VERMILION, ms=5, label=group.extreme_word)
    axes.set_xticks(*zip(*group.ticks()))
    axes.set(xlabel=group.where, ylabel=group.title, xlim=(-0.7, len(at) - 0.3))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=4, borderaxespad=0, fontsize=8, handlelength=1.2, columnspacing=1.2)
