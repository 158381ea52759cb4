"""Pictures of a sweep: what decides an output."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ._figures import text
from ._given import unknown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._sweep import SweepTable

MOST_BARS = 15


def draw(table: SweepTable, output: str, ax: Any = None) -> Axes:
    """The picture of one `output` of a `table`, into `ax` or a new figure's axes: see `SweepTable.plot`.

    Raises
    ------
    KeyError
        Unknown column, or one with the same value in all cases.
    """
    from .report.style import painted

    if output not in table.frame:
        raise KeyError(unknown("column", output, table.frame))
    paint = {"tornado": _tornado, "sobol_indices": _indices, "monte_carlo": _distribution}.get(table.mode, _scatter)
    return painted(lambda axes: paint(table, output, axes), ax)


def _rows(table: SweepTable, output: str):
    found = table.analysis[table.analysis.output == output]
    if found.empty:
        raise KeyError(f"{output} is the same in every case")
    return found


def _tornado(table, output, ax):
    from .report.style import BLUE, VERMILION, one_panel

    rows = _rows(table, output).head(MOST_BARS)
    first = rows.iloc[0]
    base = first.at_base
    axes = one_panel(ax, 9, 1.6 + 0.36 * len(rows), f"{first.variable} moves {output} most: from {text(min(first.at_low, first.at_high))} to "
                        f"{text(max(first.at_low, first.at_high))}", "each input alone at the low (blue) and at the high end (orange) of its range, the others as they are")  # fmt: skip
    for y, row in enumerate(rows.itertuples()):
        for value, colour in [(row.at_low, BLUE), (row.at_high, VERMILION)]:
            axes.barh(y, value - base, left=base, color=colour, height=0.62)
    words = [f"{row.variable}  {_shown(row.low)} … {_shown(row.high)}" for row in rows.itertuples()]
    axes.set_yticks(range(len(rows)), words)
    axes.invert_yaxis()
    axes.axvline(base, color="black", lw=0.8)
    axes.set_xlabel(output)
    _dress(axes)
    return axes


def _shown(end) -> str:
    """An end of a range: a number, or a name."""
    return text(float(end)) if isinstance(end, (int, float)) else str(end)


def _dress(axes) -> None:
    """Numbers with commas that do not run into one another."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.10g}".replace("-", "−"))


def _indices(table, output, ax):
    from .report.style import BLUE, ORANGE, one_panel

    rows = _rows(table, output).sort_values("total", ascending=False).head(MOST_BARS)
    first = rows.iloc[0]
    axes = one_panel(ax, 9, 1.6 + 0.5 * len(rows), f"{first.variable} explains {100 * first['first']:.0f} % of the variance of {output}",
                        "Sobol indices with 95 % intervals; alone, and with all interactions")  # fmt: skip
    for k, (name, colour, word) in enumerate([("first", BLUE, "alone"), ("total", ORANGE, "with interactions")]):
        low, high = (rows[name] - rows[f"{name}_low"]).clip(lower=0), (rows[f"{name}_high"] - rows[name]).clip(lower=0)
        places = [y + 0.36 * (k - 0.5) for y in range(len(rows))]
        axes.barh(places, rows[name], xerr=[low, high], height=0.33, color=colour, label=word, error_kw={"lw": 1})
    axes.set_yticks(range(len(rows)), rows.variable)
    axes.invert_yaxis()
    axes.set(xlabel=f"share of the variance of {output}", xlim=(min(0, axes.get_xlim()[0]), None))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=2, borderaxespad=0)
    return axes


def _distribution(table, output, ax):
    from matplotlib.ticker import MaxNLocator

    from .report.style import BLACK, BLUE, one_panel

    row = _rows(table, output).iloc[0]
    axes = one_panel(ax, 9, 3.8, f"{output}: {text(row.q50)}, between {text(row.q05)} and {text(row.q95)} in nine cases of ten",
                        f"{int(row.n)} cases; {_related(table, row)}")  # fmt: skip
    values = table.frame[output].dropna()
    axes.hist(values, bins=max(8, min(60, int(len(values) ** 0.5) * 2)), color=BLUE)
    for x in (row.q05, row.q50, row.q95):
        axes.axvline(x, color=BLACK, lw=1, ls="--")
    axes.set(xlabel=output, ylabel="cases")
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    _dress(axes)
    return axes


def _related(table, row) -> str:
    """Which input an output goes with most, if the rank correlation is beyond chance: 5 % for all inputs together."""
    from statistics import NormalDist

    n, n_input = int(row.n), max(1, list(table.frame.columns).index("case"))
    beyond = math.tanh(NormalDist().inv_cdf(1 - 0.025 / n_input) / math.sqrt(max(1, n - 3)))
    words = f"{row.most_related_variable} (rank correlation {row.rank_correlation:+.2f})"
    return f"goes most with {words}" if abs(row.rank_correlation) > beyond else f"no input is related beyond chance; nearest {words}"


def _scatter(table, output, ax):
    from .report.style import BLUE, one_panel

    frame = table.frame
    key = frame.columns[0]
    failed = f", {len(table.failed)} of them failed" if len(table.failed) else ""
    axes = one_panel(ax, 9, 3.8, f"{output} over {key}", f"{len(frame)} cases{failed}")
    axes.plot(frame[key], frame[output], "o", ms=4, color=BLUE)
    axes.set(xlabel=key, ylabel=output)
    return axes
