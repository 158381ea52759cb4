"""The report's pictures as matplotlib figures."""
from __future__ import annotations

import functools
import io
from typing import TYPE_CHECKING, Callable, ContextManager

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .report.read import ResultFile


class Plot:
    """Each method draws one picture of the report. @raises tidewatt.report.read.Missing: if the result lacks the data."""

    def __init__(self, drawing: Callable[[], ContextManager[ResultFile]]):
        self._drawing = drawing

    def day(self) -> Figure:
        """Air, dies, clocks, throughput and power over the run."""
        return self._draw("day")

    def waveform(self, window: str = "sample") -> Figure:
        """Power, voltage and frequency at the connection in a recorded window.

        @param window: its name in the scenario, `record.window`.
        """
        return self._draw("waveform", "draw", f"waveform_{window}")

    def power(self) -> Figure:
        """Power at the connection over the whole run: means between their extremes."""
        return self._draw("waveform", "draw_pyramid")

    def iteration(self) -> Figure:
        """One iteration at its exact edges."""
        return self._draw("pipeline", "draw")

    def spectrum(self) -> Figure:
        """The spectrum of the power at the connection while iterating."""
        return self._draw("spectrum")

    def ramps(self) -> Figure:
        """The steepest rises and falls, by window."""
        return self._draw("ramps")

    def grid_case(self) -> Figure:
        """Frequencies of the machines and voltage at the site's bus, where the scenario names `grid.case`."""
        return self._draw("grid_case")

    def fleet(self) -> Figure:
        """Temperatures and clocks of all GPUs by row and rack, at the hottest hour."""
        return self._draw("fleet")

    def limiter(self) -> Figure:
        """Which limiter held the clocks."""
        return self._draw("limiter")

    def events(self) -> Figure:
        """What the jobs did, and what happened to them."""
        return self._draw("events")

    def _draw(self, module: str, function: str = "draw", *more: str) -> Figure:
        from importlib import import_module

        from matplotlib.backends.backend_agg import FigureCanvasAgg

        from .report.style import house_style

        draw = getattr(import_module(f".report.{module}", __package__), function)
        with house_style(), self._drawing() as result:
            figure = draw(result, *more)
            FigureCanvasAgg(figure).draw()  # ticks take their style when first drawn
        # A notebook shows it as a cell's value also where nobody has said `%matplotlib inline`.
        figure._repr_png_ = functools.partial(_png, figure)
        return figure

    def __repr__(self) -> str:
        names = [name for name in dir(type(self)) if not name.startswith("_")]
        return f"<pictures: {', '.join(names)}>"


def _png(figure: Figure) -> bytes:
    out = io.BytesIO()
    figure.savefig(out, format="png")
    return out.getvalue()
