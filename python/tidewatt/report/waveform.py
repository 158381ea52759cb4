"""Power at the connection: the recorded window, its worst second, and one iteration with exact edges."""
from __future__ import annotations

import numpy as np

from . import downsample, findings
from .read import Group, Missing, ResultFile
from .style import BLACK, BLUE, GREEN, GREY, ORANGE, VERMILION, TimeAxis, bin_edges, from_moment, given, new_figure, panels, power_limits, root

N_BUCKETS = 1500
PYRAMID_LEVELS = ["10ms", "100ms", "1s", "10s", "60s"]


def windows(result: ResultFile) -> list[str]:
    """Names of the windows that a `result` recorded. Raises Missing: none was recorded."""
    names = [name for name in result.names("waveform_") if "pcc_W" in result.group(name)]
    if not names:
        raise Missing("no waveform window is in the file")
    return names


def finest_pyramid(result: ResultFile) -> Group:
    """The finest level of a `result`. Raises Missing: it has none."""
    for level in PYRAMID_LEVELS:
        try:
            return result.group("pyramid_" + level)
        except Missing:
            continue
    raise Missing("no pyramid is in the file")


def window_word(name: str) -> str:
    """The `name` "waveform_full_stop" -> "full stop"."""
    return name.removeprefix("waveform_").replace("_", " ")


def has_more_than_windows(result: ResultFile) -> bool:
    """Whether the run of a `result` is longer than its longest recorded window, so that a picture of the whole run says
    more.
    """
    try:
        whole = np.ptp(finest_pyramid(result)["time"])
        return all(np.ptp(result.group(name)["time"]) < 0.95 * whole for name in windows(result))
    except Missing:
        return True


def worst_step(t: np.ndarray, pcc_W: np.ndarray) -> tuple[float, float]:
    """(middle in s, W) of the second over which the power `pcc_W` at the times `t`, s, changes most, shapes (n,); W is
    NaN in a record shorter than a second.
    """
    per_second = max(1, int(round(1.0 / (t[1] - t[0])))) if len(t) > 1 else 1
    if len(t) <= per_second:
        return float(t[len(t) // 2]), float("nan")
    change = np.abs(pcc_W[per_second:] - pcc_W[:-per_second])
    k = int(np.argmax(change))
    return float(t[k] + t[k + per_second]) / 2, float(change[k])


def zoom(t: np.ndarray, middle_s: float, width_s: float) -> slice:
    """The samples of the times `t`, s, within `width_s` around `middle_s`, moved inside the record where it hangs over.
    """
    begin = min(max(middle_s - width_s / 2, t[0]), max(t[0], t[-1] - width_s))
    return slice(int(np.searchsorted(t, begin)), int(np.searchsorted(t, begin + width_s)))


def iteration_edges(result: ResultFile):
    """(edges in s with the end appended, W between them) of the representative iteration of a `result`."""
    group = result.group("iteration")
    edges, load = np.array(group["edge_s"], dtype=float), np.array(group["load_W"], dtype=float)
    end = edges[0] + result.iteration_s
    if np.isfinite(end) and end > edges[-1] + 1e-9:
        return np.append(edges, end), load
    return edges, load[:-1]  # the last edge is the end of the iteration


def paint(result: ResultFile, name: str, axes=None):
    """The window `name` of a `result`, e.g. "waveform_transients", into `axes` or a new figure's: power, frequency and voltage
    where they are recorded, the worst second, one iteration."""
    group = result.group(name)
    t, pcc = group["time"], group["pcc_W"]
    axis = TimeAxis(group.start, bin_edges(t)[-1] - t[0], t[0])
    grid = [row for row in ("frequency_Hz", "bus_pu") if row in group]
    title, subtitle = findings.waveform(result, worst_step(t, pcc)[1] / 1e6)
    if axes is None:
        figure = new_figure(11, 7.6 + 1.1 * len(grid), title, f"window “{window_word(name)}” · {subtitle}")
        outer = figure.add_gridspec(2 + len(grid), 2, height_ratios=[2.4] + [1.1] * len(grid) + [2.4])
        top = figure.add_subplot(outer[0, :])
        rows = [figure.add_subplot(outer[1 + i, :], sharex=top) for i in range(len(grid))]
        drawn = np.array([top, *rows, figure.add_subplot(outer[-1, 0]), figure.add_subplot(outer[-1, 1])])
    else:
        drawn = given(axes, 3 + len(grid), title)
    top, *rows, worst, iteration = drawn
    _whole(top, axis, t, pcc)
    for above, row, key in zip([top, *rows], rows, grid):
        above.tick_params(labelbottom=False)
        (_frequency if key == "frequency_Hz" else _voltage)(row, axis, t, group[key])
        row.set_xlim(axis(t[0]), axis(bin_edges(t)[-1]))
    top.set_xlim(axis(t[0]), axis(bin_edges(t)[-1]))
    axis.dress([top, *rows][-1])
    _worst(worst, group.start, t, pcc)
    _iteration(iteration, group.start, result, t, pcc)
    return drawn


def draw(result: ResultFile, name: str):
    """The same as a separate figure, for the window `name` of a `result`."""
    return root(paint(result, name))


def paint_pyramid(result: ResultFile, axes=None):
    """Power at the connection over the whole run, from the finest pyramid level of a `result`, into `axes` or a new figure's."""
    group = finest_pyramid(result)
    t, low, high = downsample.band(group["time"], group["pcc_min_W"], group["pcc_max_W"], N_BUCKETS)
    mean = downsample.mean(group["pcc_mean_W"], N_BUCKETS)
    end = bin_edges(group["time"])[-1]
    axis = TimeAxis(group.start, end - t[0])
    drawn = panels(axes, 1, (11, 4.6), findings.waveform(result, result.figure("pcc_step_1s_max_MW")))
    axes = drawn[0]
    axes.fill_between(axis(t), low / 1e6, high / 1e6, color=GREY, alpha=0.45, lw=0, step="post", label="smallest to largest")
    axes.step(axis(t), mean / 1e6, where="post", color=BLACK, lw=1, label="mean")
    power_limits(axes, float(np.nanmin(low)) / 1e6, float(np.nanmax(high)) / 1e6)
    axes.set(ylabel="power at the connection (MW)", xlim=(axis(t[0]), axis(end)))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=2, borderaxespad=0)
    axis.dress(axes)
    return drawn


def draw_pyramid(result: ResultFile):
    """The same as a separate figure, for a `result`."""
    return root(paint_pyramid(result))


def _whole(axes, axis, t, pcc):
    x, low, high = downsample.band(t, pcc, pcc, N_BUCKETS)
    axes.fill_between(
        axis(x), low / 1e6, high / 1e6, color=BLUE, alpha=0.55, lw=0.6, step="post", label="smallest to largest"
    )
    axes.step(axis(x), downsample.mean(pcc, N_BUCKETS) / 1e6, where="post", color=BLACK, lw=0.7, label="mean")
    axes.set_ylabel("power (MW)")
    power_limits(axes, float(np.nanmin(low)) / 1e6, float(np.nanmax(high)) / 1e6)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=2, borderaxespad=0)


def nominal_Hz(frequency: np.ndarray) -> float:
    """Nominal frequency, 50 or 60 Hz, of a `frequency` record, Hz, shape (n,)."""
    return 50.0 if np.nanmedian(frequency) < 55 else 60.0


def _frequency(axes, axis, t, frequency):
    x, y = downsample.line(t, frequency, N_BUCKETS)
    nominal = nominal_Hz(frequency)
    axes.plot(axis(x), (y - nominal) * 1e3, color=GREEN, lw=1)
    axes.set_ylabel(f"off {nominal:.0f} Hz\n(mHz)")


def _voltage(axes, axis, t, bus):
    x, y = downsample.line(t, bus, N_BUCKETS)
    axes.plot(axis(x), y, color=ORANGE, lw=1)
    axes.ticklabel_format(axis="y", useOffset=False)  # 1.01985, not 8.5 on top of 1e−5 + 1.019
    axes.set_ylabel("bus voltage\n(pu)")


def _worst(axes, start, t, pcc):
    middle, step_W = worst_step(t, pcc)
    part = zoom(t, middle, 6.0)
    x, y = downsample.line(t[part], pcc[part], 2 * N_BUCKETS)
    axes.step(x - middle, y / 1e6, where="post", color=VERMILION, lw=1)
    axes.set(ylabel="power (MW)", xlabel=from_moment(start, middle, "s"))
    power_limits(axes, float(np.nanmin(y)) / 1e6, float(np.nanmax(y)) / 1e6)
    axes.set_title("The largest change over one second" + (f": {findings.number(step_W / 1e6)} MW" if np.isfinite(step_W) else ""))


def _iteration(axes, start, result, t, pcc):
    try:
        edges, load = iteration_edges(result)
        drawn = np.append(load, load[-1]) / 1e6
        axes.step(edges - edges[0], drawn, where="post", color=BLUE, lw=1.2)
        axes.set_title("One iteration, at its exact edges")
        axes.set(xlabel="time in the iteration (s)", ylabel="load of the servers (MW)", xlim=(0, edges[-1] - edges[0]))
    except Missing:
        width = result.iteration_s
        width = width if np.isfinite(width) else 10.0
        part = zoom(t, t[len(t) // 2], width)
        drawn = pcc[part] / 1e6
        axes.step(t[part] - t[part][0], drawn, where="post", color=BLUE, lw=1)
        axes.set_title("As long as one iteration, in the middle of the window")
        axes.set(xlabel=from_moment(start, t[part][0], "s"), ylabel="power (MW)")
    power_limits(axes, float(np.nanmin(drawn)), float(np.nanmax(drawn)))
