"""Pictures of studies."""
from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from ._figures import text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._fit import Fit
    from ._machines import MachineAnswer
    from ._size import Sizing


def draw_machines(answer: MachineAnswer, ax: Any = None) -> Axes:
    """The curves of an `answer` into `ax` or a new figure's axes: see `MachineAnswer.plot`."""
    kinds = {"worst_period_s": _sweep, "network": _network, "grid": _one_machine}
    return _draw(next((draw for key, draw in kinds.items() if key in answer), _response), answer, ax)


def draw_sizing(sizing: Sizing, ax: Any = None) -> Axes:
    """The costs of a `sizing` into `ax` or a new figure's axes: see `Sizing.plot`."""
    return _draw(_costs, sizing, ax)


def draw_fit(fit: Fit, ax: Any = None) -> Axes:
    """The intervals of a `fit` into `ax` or a new figure's axes: see `Fit.plot`."""
    return _draw(_intervals, fit, ax)


def _draw(paint, subject, ax):
    from .report.style import painted

    return painted(lambda axes: paint(subject, axes), ax)


def _time(answer, ax) -> None:
    """The axis of time of an `answer`: with the date where a run's waveform is played."""
    from .report.style import played, since_start

    series = answer.series
    start = datetime.datetime.fromisoformat(series.attrs["start_time"]) if "start_time" in series.attrs else None
    of_run = "since the start of the run" in series.time_s.attrs["long_name"]
    ax.set(xlabel=since_start(start, "s") if of_run else played(start), xlim=(series.time_s[0], series.time_s[-1]))


def _costs(sizing, ax):
    from .report.style import GREEN, one_panel

    best = sizing.best.sort_values("yearly_USD", ascending=False)
    passing = best[best.passes]
    title = f"The cheapest that passes costs {text(passing.yearly_USD.min() / 1e6)} million USD a year" if len(passing) else "No combination passes"
    axes = one_panel(ax, 9, 1.6 + 0.42 * len(best), title, "cost per year at the catalog's prices; lines: from low to high prices; green: passes the rules")
    low, high = best.yearly_USD - best.yearly_USD_low_prices, best.yearly_USD_high_prices - best.yearly_USD
    places = range(len(best))
    axes.barh(places, best.yearly_USD / 1e6, color=[GREEN if ok else "#C9CED4" for ok in best.passes], height=0.62,
              xerr=[low / 1e6, high / 1e6], error_kw={"lw": 0.8, "capsize": 2})  # fmt: skip
    axes.set_yticks(places, best.portfolio)
    axes.set_xlabel("million USD a year")
    return axes


def _intervals(fit, ax):
    from .report.style import BLUE, one_panel

    frame = fit.frame
    estimated = frame.identified & ~frame.key.isin(fit.at_bound) & (frame.value != 0)
    percent = (50 * (frame.high - frame.low) / frame.value.abs()).where(estimated)
    known = percent[percent > 0]
    best = frame.key[known.idxmin()] if len(known) else ""
    title = f"The log fixes {best} best: to ±{text(known.min(), 2)} %" if best else f"Fitted {fit.kind} “{fit.name}”"
    axes = one_panel(ax, 9, 1.6 + 0.36 * len(frame), title, f"{fit.kind} “{fit.name}”: half-width of the 95 % interval; no bar: no estimate from this log")
    axes.barh(range(len(frame)), percent.where(percent > 0), color=BLUE, height=0.62)
    axes.set_yticks(range(len(frame)), [f"{row.key} = {text(row.value)}" if shown else f"{row.key}: no estimate" for row, shown in zip(frame.itertuples(), estimated | (frame.value == 0))])
    axes.set_ylim(len(frame) - 0.4, -0.6)
    axes.set(xscale="log", xlabel="half-width of the interval (% of the value)")
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    return axes


def _sweep(answer, ax):
    from .report.style import BLUE, VERMILION, one_panel

    title = f"A square wave with a period of {answer['worst_period_s']:.2f} s swings a machine by {text(answer['worst_mHz'])} mHz"
    axes = one_panel(ax, 9, 4.6, title, f"largest swing of any machine, {answer['case']}, bus {answer['bus']:g}; dotted: swing modes")
    period_s = answer.series.period_s.values
    axes.plot(period_s, 1e3 * answer.series.peak_to_peak_Hz.values, color=BLUE)
    for mode in answer["modes"]:
        if period_s[0] < 1 / mode["frequency_Hz"] < period_s[-1]:
            axes.axvline(1 / mode["frequency_Hz"], color=VERMILION, lw=0.8, ls=":")
    axes.set(xscale="log", xlabel="period of the square wave (s)", ylabel="peak to peak (mHz)", xlim=(period_s[0], period_s[-1]))
    ticks = [t for t in (0.5, 1, 2, 3, 4, 5, 6, 10, 20, 50, 100) if period_s[0] <= t <= period_s[-1]]
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    return axes


def _moves(mHz: float) -> str:
    return f"{'falls' if mHz < 0 else 'rises'} by at most {text(abs(mHz))} mHz"


def _network(answer, ax):
    from .report.style import GREY, VERMILION, one_panel

    series = answer.series
    k = int(abs(series.mean_Hz).argmax())
    title = f"The mean frequency {_moves(1e3 * float(series.mean_Hz[k]))}"
    axes = one_panel(ax, 10, 4.6, title, f"bus {answer['bus']:g} of {answer['network'].rpartition('/')[2]}")
    axes.plot(series.time_s, 1e3 * series.frequency_Hz, color=GREY, lw=0.7, alpha=0.6)
    axes.plot([], [], color=GREY, label="machines")
    axes.plot(series.time_s, 1e3 * series.mean_Hz, color=VERMILION, lw=1.2, label="centre of inertia")
    axes.set_ylabel("frequency off nominal (mHz)")
    _time(answer, axes)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=2, borderaxespad=0)
    return axes


def _one_machine(answer, ax):
    from .report.style import VERMILION, one_panel

    series = answer.series
    title = f"The frequency {_moves(answer['extremum_mHz'])}"
    axes = one_panel(ax, 10, 4.6, title, f"{answer['grid']}, reserves: {answer['reserves'] or 'none'}")
    axes.plot(series.time_s, 1e3 * series.mean_Hz, color=VERMILION, lw=1.2)
    axes.set_ylabel("frequency off nominal (mHz)")
    _time(answer, axes)
    return axes


def _response(answer, ax):
    from .report.style import GREY, VERMILION, one_panel

    series = answer.series
    worst = max(answer["machines"], key=lambda m: m["peak_to_peak_mHz"])
    title = f"The machine at bus {worst['bus']:g} moves by {text(worst['peak_to_peak_mHz'])} mHz peak to peak"
    axes = one_panel(ax, 10, 4.6, title, f"window “{answer['window']}” at bus {answer['bus']:g} of {answer['case']}")
    for bus in series.bus.values:
        if bus != worst["bus"]:
            axes.plot(series.time_s, 1e3 * series.frequency_Hz.sel(bus=bus), color=GREY, lw=0.7, alpha=0.6)
    axes.plot(series.time_s, 1e3 * series.frequency_Hz.sel(bus=worst["bus"]), color=VERMILION, lw=1.2, label=f"machine at bus {worst['bus']:g}")
    axes.plot([], [], color=GREY, label="other machines")
    axes.set_ylabel("frequency off nominal (mHz)")
    _time(answer, axes)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=2, borderaxespad=0)
    return axes
