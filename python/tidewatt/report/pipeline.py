"""One iteration as a pipeline diagram: what every stage of the slowest replicas does, and the site's power under it."""
from __future__ import annotations

import numpy as np

from . import findings
from .read import Missing, ResultFile
from .style import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, panels, root
from .waveform import iteration_edges

# (word, colour, beginnings of the kinds' names); the last takes what no other does.
PHASES = [
    ("forward", SKY, ("forward",)),
    ("backward", BLUE, ("backward",)),
    ("waiting", "#E8EAED", ("bubble",)),
    ("gradient exchange", VERMILION, ("gradient_sync",)),
    ("optimizer", PURPLE, ("optimizer",)),
    ("weight gather", ORANGE, ("param_gather",)),
    ("other", GREEN, ("",)),
]
N_COLUMNS = 2400


def raster(result: ResultFile, end_s: float, n_columns: int = N_COLUMNS) -> np.ndarray:
    """Of a `result`, the table (stage, `n_columns`) of indices into PHASES, at the middles of equal spans of the iteration
    that ends at `end_s`, s.

    Raises Missing: the file has no phases.
    """
    group = result.group("iteration")
    stage, begin, kind = group["phase_stage"], group["phase_begin_s"], group["phase_kind"]
    phase_of = np.array([next(i for i, (_, _, starts) in enumerate(PHASES) if name.startswith(starts)) for name in group["kind_name"]])
    middles = (np.arange(n_columns) + 0.5) * end_s / n_columns
    table = np.empty((int(stage.max()) + 1, n_columns), dtype=int)
    for s in range(len(table)):
        here = stage == s
        table[s] = phase_of[kind[here]][np.searchsorted(begin[here], middles, side="right") - 1]
    return table


def paint(result: ResultFile, axes=None):
    """The representative iteration of a `result`, into `axes` or a new figure's: stages over time, then power at its exact edges. Files without phases: power alone."""
    edges, load = iteration_edges(result)
    length = edges[-1] - edges[0]
    try:
        table = raster(result, length)
    except Missing:
        table = None
    tall = 0.0 if table is None else min(4.5, 1.2 + 0.18 * len(table))
    heights = [3.0] if table is None else [tall, 3.0]
    drawn = panels(axes, len(heights), (11, 4.0 + tall), findings.iteration(result, load), sharex=True, height_ratios=heights)
    power = drawn[-1]
    if table is not None:
        _stages(drawn[0], table, length)
    power.step(edges - edges[0], np.append(load, load[-1]) / 1e6, where="post", color=BLUE, lw=1.2)
    power.set(xlabel="time in the iteration (s)", ylabel="load of the servers (MW)", xlim=(0, length))
    power.set_ylim(bottom=0)
    return drawn


def draw(result: ResultFile):
    """The same as a separate figure, for a `result`."""
    return root(paint(result))


def _stages(axes, table, length):
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    colours = ListedColormap([colour for _, colour, _ in PHASES])
    axes.imshow(table, aspect="auto", cmap=colours, vmin=-0.5, vmax=len(PHASES) - 0.5, interpolation="nearest",
                extent=(0, length, len(table) - 0.5, -0.5))  # fmt: skip
    axes.grid(False)
    axes.set_ylabel("pipeline stage")
    step = max(1, -(-len(table) // 8))
    axes.set_yticks(range(0, len(table), step))
    shown = [Patch(color=colour, label=word) for i, (word, colour, _) in enumerate(PHASES) if (table == i).any()]
    axes.legend(handles=shown, loc="lower left", bbox_to_anchor=(0, 1), ncol=len(shown), borderaxespad=0.2)
