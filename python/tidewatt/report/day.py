"""The day: air, dies, clocks, throughput and power over shared local hours."""
from __future__ import annotations

import numpy as np

from . import events, findings
from .read import Group, Missing, ResultFile
from .style import BLACK, BLUE, GREEN, GREY, ORANGE, SKY, STATES, VERMILION, TimeAxis, panels, root

ZERO_degC_K = 273.15
POWERS = {"pcc_mean_W": ("mean at the connection", BLACK), "it_W": ("IT", BLUE), "plant_W": ("cooling plant", ORANGE)}
NOT_COMPUTING = [STATES.index(word) for word in ("queued", "initialise", "load", "detect", "replace", "maintenance", "done", "wait for a spare", "tear down")]


def hourly_steps(result: ResultFile):
    """(edges in s, shape (n + 1,); mean in tokens/s, shape (n,)) of the hourly throughput of a `result`; hours with
    under 15 iterating minutes are NaN.
    """
    hourly = result.group("hourly")
    value = np.array(hourly["throughput_tokens_per_s"], dtype=float)
    if "iterating_s" in hourly:
        value[hourly["iterating_s"] < 900] = np.nan
    return result.edges("hourly"), value


def throughput_limits(day: Group) -> tuple[float, float] | None:
    """Axis limits in tokens/s for the group `day`, None without values: single minutes around stops must not squeeze
    the daily course into a line.
    """
    value = day["throughput_tokens_per_s"]
    value = value[np.isfinite(value)]
    if not value.size:
        return None
    low, high = np.percentile(value, [1, 99])
    margin = max(0.15 * (high - low), 2e-4 * high)
    return float(low - margin), float(high + margin)


def held(y: np.ndarray) -> np.ndarray:
    """The values `y`, shape (n,), at the steps' starts, and the last one once more at the run's end."""
    return np.append(y, y[-1])


def as_steps(t: np.ndarray, *values: np.ndarray) -> list[np.ndarray]:
    """The edges `t` and the `values` from each on, shapes (n,), as corners of steps, shapes (2 n − 2,): matplotlib's own steps of a
    filled band leave the last one before a gap out."""
    return [np.repeat(t, 2)[1:-1], *(np.repeat(value[:-1], 2) for value in values)]


def over_iterations(result: ResultFile, edges: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(edges in s, shape (m + 1,); means, shape (m,)) of a `result` from the means `values`, shape (n,), of the steps between the
    `edges`, shape (n + 1,): a step shorter than an iteration shows a part of it, so it is joined to those that follow until an iteration
    has passed, a value begins or ends to be known, or the run ends."""
    least_s = result.iteration_s
    if not least_s > 0 or np.diff(edges).min() >= least_s:
        return edges, values
    known, begins, of_J = np.isfinite(values), [], np.concatenate([[0.0], np.cumsum(np.where(np.isfinite(values), values, 0.0) * np.diff(edges))])
    for k in range(len(values)):
        if not begins or edges[k] - edges[begins[-1]] >= least_s or known[k] != known[begins[-1]]:
            begins.append(k)
    if len(begins) > 1 and edges[-1] - edges[begins[-1]] < least_s and known[begins[-1]] == known[begins[-2]]:
        begins.pop()
    at = np.append(begins, len(values))
    return edges[at], np.where(known[begins], np.diff(of_J[at]) / np.diff(edges[at]), np.nan)


def running(result: ResultFile, key: str) -> tuple[np.ndarray, np.ndarray]:
    """(edges in s, values of /day/`key` from each on, shapes (n,)) of a `result`, NaN while its job does not compute: a step with the end
    of the initialisation has a clock only from there on. Several jobs: whenever one of them computes."""
    group, steps = result.group("day"), result.edges("day")
    if "job_state" not in group or len(result.summary.get("jobs") or []) > 1:
        return steps, held(group[key])
    edges, state = events.states(result)
    t = np.union1d(steps, edges)
    before = lambda at: np.clip(np.searchsorted(at, t[:-1], "right") - 1, 0, len(at) - 2)
    value = np.where(np.isin(state[before(edges)], NOT_COMPUTING), np.nan, group[key][before(steps)])
    return t, held(value)


def paint(result: ResultFile, axes=None):
    """The day of a `result`: air, dies, clocks, throughput and power, into five `axes` or a new figure's."""
    day = result.group("day")
    edges = result.edges("day")
    axis = TimeAxis(day.start, edges[-1] - edges[0])
    t = axis(edges)
    drawn = panels(axes, 5, (10, 12.2), findings.day(result), sharex=True, height_ratios=[1, 1, 1.1, 1.1, 1.1])
    for part, panel in zip((_air, _dies, clocks, _throughput, _power), drawn):
        part(panel, day, t, axis, result)
    drawn[-1].set_xlim(axis(edges[0]), axis(edges[-1]))
    axis.dress(drawn[-1])
    if axes is None:
        drawn[0].figure.align_ylabels(drawn)
    return drawn


def draw(result: ResultFile):
    """The same as a separate figure, for a `result`."""
    return root(paint(result))


def _lines(axes, day, t, names, offset=0.0, scale=1.0, computing=None):
    """Each of `names`: key -> (label, colour, style), means over their steps; those that the file lacks are left out.

    `computing`: (axis, result): only while the job computes."""
    drawn = 0
    for key, (label, colour, style) in names.items():
        if key in day:
            x, y = (t, held(day[key])) if computing is None else running(computing[1], key)
            axes.plot(x if computing is None else computing[0](x), (y - offset) * scale, style, color=colour, label=label, drawstyle="steps-post")
            drawn += 1
    if drawn:
        _legend(axes)


def _legend(axes):
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncol=5, borderaxespad=0, handlelength=1.6, columnspacing=1.6)


def inlet_words(day) -> tuple[str, str]:
    """What the servers of a `day` take in, and the axis of its temperatures: the liquid where cold plates have any, else air."""
    liquid = "liquid_supply_K" in day and np.isfinite(day["liquid_supply_K"]).any()
    return ("liquid at the cold plates", "air and liquid (°C)") if liquid else ("GPU server inlet", "air (°C)")


def _air(axes, day, t, axis, result):
    inlet, label = inlet_words(day)
    _lines(
        axes,
        day,
        t,
        {
            "outdoor_drybulb_K": ("outdoor dry bulb", ORANGE, "-"),
            "outdoor_wetbulb_K": ("wet bulb", SKY, "-"),
            "inlet_mean_K": (inlet, BLUE, "-"),
            "hot_aisle_K": ("hot aisle", VERMILION, "--"),
        },
        offset=ZERO_degC_K,
    )
    axes.set_ylabel(label)


def _dies(axes, day, t, axis, result):
    _lines(
        axes,
        day,
        t,
        {"die_max_K": ("hottest die", VERMILION, "-"), "die_mean_K": ("mean die", BLACK, "-")},
        offset=ZERO_degC_K,
    )
    axes.set_ylabel("GPU die (°C)")


def clocks(axes, day, t, axis, result):
    """The clocks of the group `day` of a `result` while its job computes, into matplotlib's `axes`; `t`: its edges on the time `axis`."""
    if "clock_p05_Hz" in day and "clock_p95_Hz" in day:
        x, low = running(result, "clock_p05_Hz")
        low, high = low / 1e6, running(result, "clock_p95_Hz")[1] / 1e6
        axes.fill_between(*as_steps(axis(x), low, high), color=SKY, alpha=0.35, lw=0, label="5th to 95th percentile")
    _lines(
        axes,
        day,
        t,
        {"clock_mean_Hz": ("mean", BLUE, "-"), "clock_slowest_Hz": ("slowest GPU, which gates the job", VERMILION, "-")},
        scale=1e-6,
        computing=(axis, result),
    )
    axes.set_ylabel("clock (MHz)")


def powers(result: ResultFile) -> list[tuple[str, str, np.ndarray, np.ndarray]]:
    """(label, colour, edges in s, W from each on, shapes (n,)) of the mean powers that a `result` has, over whole iterations."""
    day, found = result.group("day"), []
    for key, (label, colour) in POWERS.items():
        if key in day:
            edges, mean_W = over_iterations(result, result.edges("day"), day[key])
            found.append((label, colour, edges, held(mean_W)))
    return found


def throughput(result: ResultFile) -> tuple[np.ndarray, np.ndarray]:
    """(edges in s, tokens/s from each on, shapes (n,)) of a `result` while its job computes, over whole iterations."""
    t, value = running(result, "throughput_tokens_per_s")
    t, value = over_iterations(result, t, value[:-1])
    return t, held(value)


def _throughput(axes, day, t, axis, result):
    x, value = throughput(result)
    axes.plot(axis(x), value / 1e6, color=GREEN, lw=1, alpha=0.7, label="each step", drawstyle="steps-post")
    steps = day["throughput_tokens_per_s"] / 1e6
    reference = np.nanmean(steps) if np.isfinite(steps).any() else np.nan
    try:
        edges, hourly = hourly_steps(result)
        if np.isfinite(hourly).any():
            axes.stairs(hourly / 1e6, axis(edges), color=BLACK, lw=2, baseline=None, label="hourly mean")
            reference = np.nanmean(hourly) / 1e6
    except Missing:
        pass
    _legend(axes)
    limits = throughput_limits(day)
    if limits:
        axes.set_ylim(limits[0] / 1e6, limits[1] / 1e6)
    axes.set_ylabel("throughput\n(million tokens/s)")
    if np.isfinite(reference):
        percent = axes.secondary_yaxis(
            "right", functions=(lambda y: 100 * (y / reference - 1), lambda p: reference * (1 + p / 100))
        )
        percent.set_ylabel("against the mean (%)")


def _power(axes, day, t, axis, result):
    if "pcc_min_W" in day and "pcc_max_W" in day:
        low, high = held(day["pcc_min_W"]) / 1e6, held(day["pcc_max_W"]) / 1e6
        axes.fill_between(*as_steps(t, low, high), color=GREY, alpha=0.3, lw=0, label="extremes at the connection")
    for label, colour, edges, mean_W in powers(result):
        axes.plot(axis(edges), mean_W / 1e6, color=colour, label=label, drawstyle="steps-post")
    _legend(axes)
    axes.set_ylabel("power (MW)")
    axes.set_ylim(bottom=0)
