"""The map of GPU temperatures and clocks by row and rack, and by place in the node."""
from __future__ import annotations

import numpy as np

from . import findings
from .day import ZERO_degC_K
from .read import ResultFile
from .style import BLACK, VERMILION, given, new_figure, root


class Map:
    """GPUs gathered by (row, rack in its row): `mean`, `largest`, `smallest` of any per-GPU array as (row, rack) tables."""

    def __init__(self, row: np.ndarray, rack: np.ndarray):
        self.rows = np.unique(row)
        y = np.searchsorted(self.rows, row)
        # Racks may be numbered within the row or through the hall: their order within the row is what is drawn.
        x = np.empty_like(y)
        for k in range(len(self.rows)):
            here = y == k
            x[here] = np.unique(rack[here], return_inverse=True)[1]
        self.shape = (len(self.rows), int(x.max()) + 1)
        self._cell = y * self.shape[1] + x

    def _gather(self, values, function, start):
        table = np.full(self.shape[0] * self.shape[1], start, dtype=float)
        function.at(table, self._cell, values)
        return table.reshape(self.shape)

    def mean(self, values):
        """Mean of the `values`, shape (n_gpu,), by (row, rack); NaN where there is no GPU."""
        count = self._gather(np.ones(len(values)), np.add, 0.0)
        total = self._gather(values, np.add, 0.0)
        return np.divide(total, count, out=np.full(self.shape, np.nan), where=count > 0)

    def largest(self, values):
        """Largest of the `values`, shape (n_gpu,), by (row, rack); NaN where there is no GPU."""
        table = self._gather(values, np.fmax, -np.inf)
        return np.where(np.isfinite(table), table, np.nan)

    def smallest(self, values):
        """Smallest of the `values`, shape (n_gpu,), by (row, rack); NaN where there is no GPU."""
        return -self.largest(-values)


def tables(result: ResultFile):
    """(rows, [(title, unit, table, colour map)]) of the four maps of a `result`."""
    fleet = result.group("fleet")
    place = Map(fleet["row"], fleet["rack"])
    die, clock = fleet["die_K"] - ZERO_degC_K, fleet["clock_Hz"] / 1e6
    return place.rows, [
        ("Die temperature, mean of the rack", "°C", place.mean(die), "cividis"),
        ("Die temperature, hottest in the rack", "°C", place.largest(die), "cividis"),
        ("Clock, mean of the rack", "MHz", place.mean(clock), "cividis_r"),
        ("Clock, slowest in the rack", "MHz", place.smallest(clock), "cividis_r"),
    ]


def extremes(result: ResultFile):
    """(hottest, mean) die in °C and (slowest, mean) clock in MHz of a `result`."""
    fleet = result.group("fleet")
    die, clock = fleet["die_K"] - ZERO_degC_K, fleet["clock_Hz"] / 1e6
    return float(np.nanmax(die)), float(np.nanmean(die)), float(np.nanmin(clock)), float(np.nanmean(clock))


def paint(result: ResultFile, axes=None):
    """Temperatures and clocks of all GPUs of a `result`, into six `axes` or a new figure's: four maps by row and rack, two
    pictures by place in the node."""
    rows, maps = tables(result)
    tall = 2.2 + 0.07 * len(rows)
    title, subtitle = findings.fleet(result, *extremes(result))
    subtitle += " · boxes: quartiles, whiskers: 5th and 95th percentile"
    if axes is None:
        figure = new_figure(11, 2 * min(tall, 5.5) + 3.6, title, subtitle)
        upper, lower = figure.subfigures(2, 1, height_ratios=[2 * min(tall, 5.5), 2.8])
        drawn = np.concatenate([upper.subplots(2, 2, sharex=True, sharey=True).ravel(), lower.subplots(1, 2)])
    else:
        drawn = given(axes, 6, title)
    for panel, (word, unit, table, colours) in zip(drawn, maps):
        _heat(panel.figure, panel, rows, word, unit, table, colours)
    for panel in drawn[2:4]:
        panel.set_xlabel("rack in its row")
    for panel in drawn[0:4:2]:
        panel.set_ylabel("row")
    _by_slot(drawn[4:], result)
    return drawn


def draw(result: ResultFile):
    """The same as a figure of its own, for a `result`."""
    return root(paint(result))


def _heat(figure, axes, rows, title, unit, table, colours):
    image = axes.imshow(table, aspect="auto", cmap=colours, interpolation="nearest", origin="upper")
    axes.grid(False)
    axes.set_title(title)
    step = max(1, -(-len(rows) // 12))
    axes.set_yticks(range(0, len(rows), step), [str(r) for r in rows[::step]])
    figure.colorbar(image, ax=axes, label=unit, fraction=0.05, pad=0.02)


def _by_slot(panels, result):
    fleet = result.group("fleet")
    slots = np.unique(fleet["slot"])
    for axes, values, unit, extreme, word in [
        (panels[0], fleet["die_K"] - ZERO_degC_K, "die (°C)", np.nanmax, "hottest"),
        (panels[1], fleet["clock_Hz"] / 1e6, "clock (MHz)", np.nanmin, "slowest"),
    ]:
        groups = [values[fleet["slot"] == slot] for slot in slots]
        axes.boxplot(groups, whis=(5, 95), showfliers=False, widths=0.55, medianprops={"color": BLACK})
        axes.plot(range(1, len(slots) + 1), [extreme(g) for g in groups], "D", color=VERMILION, ms=5, label=word)
        axes.set_xticks(range(1, len(slots) + 1), [str(s) for s in slots])
        axes.set(xlabel="GPU's place in its node", ylabel=unit)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0)
