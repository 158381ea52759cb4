"""The report's pictures as matplotlib axes."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, ContextManager

from .report.read import Missing

if TYPE_CHECKING:
    import numpy

    from .report.read import ResultFile


class Plot:
    """Pictures of a result: `result.plot.day()`.

    Each method draws one picture of the report and returns its axes, an array of `matplotlib.axes.Axes`, one per panel.
    Without `ax` it makes a figure with pyplot, which a notebook shows and `plt.show()` too. With `ax` it draws into yours: one
    `Axes`, or as many as the picture has panels.

    Raises
    ------
    KeyError
        The result lacks data for the picture; the message names it.
    ValueError
        The number of axes in `ax` differs from the number of panels; the message names it.

    Examples
    --------
    >>> axes = result.plot.day()
    >>> fig, ax = plt.subplots()
    >>> result.plot.power(ax=ax)
    """

    def __init__(self, drawing: Callable[[], ContextManager[ResultFile]]):
        self._drawing = drawing

    def day(self, *, ax: Any = None) -> numpy.ndarray:
        """Air, dies, clocks, throughput and power over the run: five panels. Parameter `ax`: see `Plot`."""
        return self._draw("day", ax)

    def waveform(self, window: str | None = None, *, ax: Any = None) -> numpy.ndarray:
        """Power, frequency and voltage at the connection in a recorded window, its worst second, and one iteration: five panels.

        Parameters
        ----------
        window : str, optional
            Its name in the scenario, `record.window`; None: the first one.
        ax : array of matplotlib.axes.Axes, optional
            Where to draw; None: a new figure.

        Raises
        ------
        KeyError
            Unknown window; the message lists the available ones.
        """
        with self._drawing() as result:
            from ._given import unknown
            from .report.waveform import windows

            try:
                known = [name.removeprefix("waveform_") for name in windows(result)]
            except Missing as missing:
                raise KeyError(str(missing)) from None
        if window is not None and window not in known:
            raise KeyError(unknown("recorded window", window, known))
        return self._draw("waveform", ax, "paint", f"waveform_{window or known[0]}")

    def power(self, *, ax: Any = None) -> numpy.ndarray:
        """Power at the connection over the whole run: means between their extremes, one panel. Parameter `ax`: see `Plot`."""
        return self._draw("waveform", ax, "paint_pyramid")

    def iteration(self, *, ax: Any = None) -> numpy.ndarray:
        """One iteration at its exact edges: pipeline stages and power, two panels. Parameter `ax`: see `Plot`."""
        return self._draw("pipeline", ax)

    def spectrum(self, *, ax: Any = None) -> numpy.ndarray:
        """The spectrum of the power at the connection while iterating, one panel. Parameter `ax`: see `Plot`."""
        return self._draw("spectrum", ax)

    def ramps(self, *, ax: Any = None) -> numpy.ndarray:
        """The steepest rises and falls, by window, one panel. Parameter `ax`: see `Plot`."""
        return self._draw("ramps", ax)

    def grid_case(self, *, ax: Any = None) -> numpy.ndarray:
        """Frequencies of the machines and voltage at the site's bus, if the scenario names `grid.case`: two panels.
        Parameter `ax`: see `Plot`."""
        return self._draw("grid_case", ax)

    def fleet(self, *, ax: Any = None) -> numpy.ndarray:
        """Temperatures and clocks of all GPUs after the step with the warmest inlet, by place in the node, rack in its row, and row:
        six panels. Parameter `ax`: see `Plot`."""
        return self._draw("fleet", ax)

    def limiter(self, *, ax: Any = None) -> numpy.ndarray:
        """The limiters that set the clocks, one panel; the clocks if it is always the same limiter. Parameter `ax`: see `Plot`."""
        return self._draw("limiter", ax)

    def events(self, *, ax: Any = None) -> numpy.ndarray:
        """States of the jobs and events, one panel. Parameter `ax`: see `Plot`."""
        return self._draw("events", ax)

    def _draw(self, module: str, ax: Any, function: str = "paint", *more: str) -> numpy.ndarray:
        from importlib import import_module

        paint = getattr(import_module(f".report.{module}", __package__), function)
        try:
            if ax is not None:
                with self._drawing() as result:
                    return paint(result, *more, ax)
            from .report.style import house_style, root, through_pyplot

            with house_style(), through_pyplot(), self._drawing() as result:
                axes = paint(result, *more)
                root(axes).draw_without_rendering()  # ticks take their style when first drawn
            return axes
        except Missing as missing:
            raise KeyError(str(missing)) from None

    def __getattr__(self, name: str) -> Any:
        from ._given import unknown

        raise AttributeError(unknown("picture", name, [n for n in dir(type(self)) if not n.startswith("_")]))

    def __repr__(self) -> str:
        names = [name for name in dir(type(self)) if not name.startswith("_")]
        return f"<pictures: {', '.join(names)}>"
