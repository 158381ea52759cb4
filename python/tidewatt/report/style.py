"""Style of all pictures: colours for colour-blind readers, display units, local hours."""
from __future__ import annotations

import contextlib
import contextvars
import datetime
import textwrap
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

if TYPE_CHECKING:  # the page needs no matplotlib, which takes half a second to load
    from matplotlib.figure import Figure

# Okabe and Ito's palette, by meaning.
BLACK, ORANGE, SKY, GREEN, YELLOW = "#222222", "#E69F00", "#56B4E9", "#009E73", "#F0E442"
BLUE, VERMILION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#8A8A8A"

LIMITERS = {"power": BLUE, "thermal": VERMILION, "clock": GREEN, "slowdown": "#8C2D04", "brake": PURPLE, "memory": ORANGE,
            "none": "#C9CED4", "idle": "#EEEEEE"}  # fmt: skip
LIMITER_WORDS = {
    "power": "power limit",
    "thermal": "temperature limit",
    "clock": "clock limit",
    "slowdown": "thermal slowdown",
    "brake": "power brake",
    "memory": "memory temperature limit",
    "none": "none: at the highest clock",
    "idle": "idle",
}
# In the order of /day/job_state.
STATE_COLOUR = {
    "queued": "#EEEEEE", "initialise": PURPLE, "load": YELLOW, "warm up": "#F7E9A0", "iterate": SKY, "evaluate": GREEN,
    "checkpoint": ORANGE, "detect": VERMILION, "replace": "#8C2D04", "maintenance": BLUE, "done": "#C9CED4",
    "ramp up": "#9BD0B8", "ramp down": "#D9B7A0", "wait for a spare": "#5B1A00",
    "run out": "#7FA8C9", "tear down": "#B04A2F",
}  # fmt: skip
STATES = list(STATE_COLOUR)

RC = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E3E6EA",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.edgecolor": "#6B7280",
    "axes.labelcolor": "#374151",
    "xtick.color": "#374151",
    "ytick.color": "#374151",
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.6,
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "text.parse_math": False,  # names and paths may contain "$": they are text, not formulas
    "svg.fonttype": "none",
    "svg.hashsalt": "tidewatt",
    "path.simplify_threshold": 0.2,
}


# Settings for the destination of a picture, not its style.
NOT_STYLE = ("backend", "interactive", "toolbar", "webagg", "tk.", "keymap", "macosx")


@contextlib.contextmanager
def house_style():
    """All pictures are drawn inside; the reader's own matplotlib settings are left alone, the backend among them."""
    import matplotlib

    plain = {key: value for key, value in matplotlib.rcParamsDefault.items() if not key.startswith(NOT_STYLE)}
    with matplotlib.rc_context({**plain, **RC}):
        yield


# What makes an empty figure: matplotlib's class, or pyplot's function where the reader expects pyplot to show it.
_make_figure: contextvars.ContextVar[Callable[..., Figure] | None] = contextvars.ContextVar("make_figure", default=None)


@contextlib.contextmanager
def through_pyplot():
    """New figures inside are pyplot's: `plt.show()` and notebooks show them."""
    import matplotlib.pyplot as plt

    token = _make_figure.set(plt.figure)
    try:
        yield
    finally:
        _make_figure.reset(token)


def painted(paint: Callable[..., Any], axes: Any = None):
    """What `paint` draws into the reader's `axes`, or in this style into a new figure of pyplot's. Returns its matplotlib axes"""
    if axes is not None:
        return paint(axes)
    with house_style(), through_pyplot():
        drawn = paint(None)
        root([drawn]).draw_without_rendering()
    return drawn


def new_figure(width: float, height: float, title: str, subtitle: str = "") -> Figure:
    """An empty figure of a `width` and `height` in inches whose `title` states the finding, with a `subtitle` below it.
    """
    from matplotlib.figure import Figure

    figure = (_make_figure.get() or Figure)(figsize=(width, height), constrained_layout=True)
    chars = int(width * 8.2)
    lines = textwrap.wrap(title, chars)
    small = textwrap.wrap(subtitle, int(width * 13.2))
    top = 1 - (0.34 * len(lines) + 0.21 * len(small) + 0.1) / height
    # Text at fixed distances from the top edge; the axes are below.
    y = 1 - 0.1 / height
    for text in lines:
        figure.text(0.012, y, text, fontsize=14, fontweight="bold", color=BLACK, va="top")
        y -= 0.3 / height
    for text in small:
        figure.text(0.012, y, text, fontsize=9.5, color="#4B5563", va="top")
        y -= 0.21 / height
    figure.get_layout_engine().set(w_pad=0.06, h_pad=0.06, rect=(0, 0, 1, top))
    return figure


def plain_decades(axes) -> None:
    """Writes the decades of the logarithmic matplotlib `axes` as numbers; matplotlib's own labels are formulas."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        axis.set_minor_formatter(NullFormatter())


def panels(axes, n: int, size: tuple[float, float], words: tuple[str, str], columns: int = 1, **grid) -> np.ndarray:
    """Room for a picture of `n` panels, one below the other or in `columns`: the caller's `axes`, or those of a new figure.

    `size`: width and height of a new figure, inches.
    `words`: title and subtitle; the caller's first panel gets the title.
    `grid`: for `Figure.subplots`.
    Raises ValueError: not as many axes as the picture has panels.
    """
    if axes is None:
        return np.atleast_1d(new_figure(*size, *words).subplots(n // columns, columns, **grid)).ravel()
    return given(axes, n, words[0])


def power_limits(axes, low: float, high: float) -> None:
    """Limits of the matplotlib `axes` for a course between `low` and `high`: from zero, unless the course is so flat that it would be a
    line."""
    flat = 0 < low and high - low <= 0.2 * high
    bottom = low - 0.08 * (high - low or 0.1 * high) if flat else min(0.0, low)
    if np.isfinite(low) and high > bottom:
        axes.set_ylim(bottom, high + 0.06 * (high - bottom))


def one_panel(axes, width: float, height: float, title: str, subtitle: str = ""):
    """As `panels` with one panel: the caller's `axes`, or those of a new figure of a `width` and `height` in inches with a
    `title` and `subtitle`."""
    return panels(axes, 1, (width, height), (title, subtitle))[0]


def given(axes, n: int, title: str) -> np.ndarray:
    """The caller's `axes` as an array of `n` panels, the first with a `title`. Raises ValueError: not `n` of them."""
    out = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
    if len(out) != n:
        raise ValueError(f"this picture has {n} panel{'s' if n > 1 else ''}: ax must hold {n} axes, not {len(out)}")
    figure, box = root(out), out[0].get_position()
    wide = max(24, int(8.2 * figure.get_size_inches()[0] * min(1.0, box.width + 0.12)))  # characters that fit above the panel
    out[0].set_title(textwrap.fill(title, min(80, wide)), pad=24)  # above a legend
    return out


def root(drawn: np.ndarray) -> Figure:
    """The whole figure of the panels `drawn`."""
    from matplotlib.figure import SubFigure

    figure = drawn[0].figure
    while isinstance(figure, SubFigure):
        figure = figure._parent
    return figure


class TimeAxis:
    """Seconds since the start of the run as local hours (runs of hours) or minutes or seconds since the start."""

    def __init__(self, start, span_s: float, begin_s: float = 0.0):
        """`begin_s`: begin of the axis, s since the run's `start`: a window of hours later has its own zero"""
        self.local = start is not None and span_s > 2 * 3600
        self.offset_s = (start.hour * 60 + start.minute) * 60 + start.second if self.local else 0.0
        self.unit_s, word = next(
            (unit, word)
            for limit, unit, word in [(180, 1, "s"), (7200, 60, "min"), (72 * 3600, 3600, "h"), (np.inf, 86400, "days")]
            if span_s <= limit
        )
        self.start = start
        self.label, self.unit = since_start(start, word), word
        if self.local and word == "h":
            self.label = f"local standard time, {start:%Y-%m-%d} (h)"
        elif self.local:
            self.label = f"days since {start:%Y-%m-%d}, local midnight"
        elif start is not None and begin_s > span_s:
            self.offset_s, self.label = -begin_s, from_moment(start, begin_s, word)
        self.hours = self.local and word == "h"
        self.span, self.end_h = span_s / self.unit_s, (self.offset_s + span_s) / 3600

    def __call__(self, t_s):
        return (np.asarray(t_s, dtype=float) + self.offset_s) / self.unit_s

    def dress(self, axes):
        """Labels and ticks of the x axis of matplotlib's `axes`."""
        axes.set_xlabel(self.label)
        if self.hours:
            from matplotlib.ticker import FuncFormatter, MultipleLocator

            step = next(s for s in (1, 2, 3, 6, 12) if self.span / s <= 13)
            axes.xaxis.set_major_locator(MultipleLocator(step))
            axes.xaxis.set_major_formatter(FuncFormatter(lambda h, _: self._hour(round(h))))

    def _hour(self, h: int) -> str:
        """The hour `h` since the first midnight as a tick; later midnights with their date."""
        if h <= 0 or h % 24 or h == 24 and self.end_h <= 24:
            return f"{h if h == 24 else h % 24}"
        return f"0\n{self.start + datetime.timedelta(days=h // 24):%m-%d}"


def since_start(start: datetime.datetime | None, unit: str) -> str:
    """The label of an axis in `unit`s since the `start` of a run, with the date where it is known."""
    when = "" if start is None else f", {start:%Y-%m-%d %H:%M}" + (f":{start:%S}" if start.second else "")
    return f"time since the start of the run{when} ({unit})"


def from_moment(start: datetime.datetime | None, at_s: float, unit: str) -> str:
    """The label of an axis in `unit`s from the time `at_s` of a run with this `start`."""
    if start is None:
        return f"time from {at_s:.1f} s of the run ({unit})"
    moment = start + datetime.timedelta(seconds=round(at_s, 1))
    return f"time from {moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 100_000} ({unit})"


def played(start: datetime.datetime | None) -> str:
    """The label of an axis in s since playing began, at the moment `start` of a run; None: no run is played."""
    return "time since the beginning (s)" if start is None else from_moment(start, 0.0, "s")


def grouped(x: float) -> str:
    """`x` with commas: 16384 -> 16,384."""
    return f"{x:,.0f}"


def spans(mask: np.ndarray, edges: np.ndarray):
    """[(begin, end)] of the runs of true in `mask`; `edges` has one more entry than it."""
    change = np.flatnonzero(np.diff(np.concatenate(([0], mask.astype(np.int8), [0]))))
    return [(edges[a], edges[b]) for a, b in zip(change[::2], change[1::2])]


def bin_edges(t: np.ndarray) -> np.ndarray:
    """Edges of bins, shape (n + 1,), from their starts `t`, shape (n,); the last bin is as long as the one before."""
    step = t[-1] - t[-2] if len(t) > 1 else 1.0
    return np.append(t, t[-1] + step)
