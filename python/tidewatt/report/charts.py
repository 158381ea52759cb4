"""The page's interactive charts, as what its script draws: traces (`data`) in `panels` over one `x` axis."""
from __future__ import annotations

import numpy as np

from . import downsample, events, fleet, grid_case, ramps, rule_limits, spectrum, waveform
from .findings import duration
from .read import ResultFile
from .style import BLACK, BLUE, GREEN, ORANGE, VERMILION, TimeAxis, bin_edges, from_moment, since_start

N_POINTS = 1500  # buckets of a line: more than a screen has columns


def trace(x, y, name, colour, **more) -> dict:
    """A line through `x` and `y`, shapes (n,), with its `name` and `colour`; `more`: `panel`, `width`, `step`, `marks`, …"""
    return {"x": np.asarray(x, dtype=float), "y": np.asarray(y, dtype=float), "name": name, "colour": colour, **more}


def band(x, low, high, name, colour, **more) -> dict:
    """A filled band between `low` and `high` over `x`, shapes (n,), with a `name` and a `colour`; NaN leaves a gap."""
    arrays = {"x": x, "low": low, "high": high}
    return {**{key: np.asarray(v, dtype=float) for key, v in arrays.items()}, "name": name, "colour": colour, "step": True, **more}


def rectangles(x0, x1, y0, y1, name, colour, **more) -> dict:
    """Bars from `x0` to `x1` and from `y0` to `y1`, shapes (n,), with a `name` and a `colour`; `hover`: a text for each."""
    arrays = {"x0": x0, "x1": x1, "y0": y0, "y1": y1}
    return {**{key: np.asarray(v, dtype=float) for key, v in arrays.items()}, "name": name, "colour": colour, **more}


def chart(data: list[dict], titles: list[str], x: dict | str, height: int, **panel) -> dict:
    """A chart of the traces `data` with one panel for each of its `titles`, all with the settings `panel` (`zero`, `log`, `range`, …).

    `x`: title of the x axis, or its settings: `title`, `unit`, `log`, `range`, `clock`, `ticks`.
    `height`: of all panels together, pixels.
    """
    x = {"title": x} if isinstance(x, str) else x
    return {"data": data, "panels": [{"title": title, **panel} for title in titles], "x": x, "height": height}


def time_axis(axis: TimeAxis, edges: np.ndarray):
    """(function from s since the run's start to the x axis, settings of that axis over the `edges`): the clock on local time."""
    if axis.local:
        at = lambda t_s: np.asarray(t_s, dtype=float)
        settings = {"title": f"local standard time, {axis.start:%Y-%m-%d}", "clock": axis.start.isoformat()}
    else:
        at, settings = axis, {"title": axis.label, "unit": axis.unit}
    return at, {**settings, "range": [float(at(edges[0])), float(at(edges[-1]))]}


def seconds(start) -> dict:
    """Settings of an axis in seconds since the `start` of a run."""
    return {"title": since_start(start, "s"), "unit": "s"}


def window(result: ResultFile, name: str) -> dict:
    """Power, frequency and voltage of the recorded window `name` of a `result`."""
    group = result.group(name)
    t, data, titles = group["time"], [], []
    # As in the picture, a window of hours later has its own zero.
    late = t[0] > bin_edges(t)[-1] - t[0] and group.start is not None
    x_axis = {"title": from_moment(group.start, t[0], "s"), "unit": "s"} if late else seconds(group.start)
    for key, title, label, colour in [("pcc_W", "power (MW)", "power", BLUE), ("frequency_Hz", "off nominal (mHz)", "frequency", GREEN),
                                      ("bus_pu", "bus voltage (pu)", "bus voltage", ORANGE)]:  # fmt: skip
        if key not in group:
            continue
        values = group[key]
        if key == "pcc_W":
            values = values / 1e6
        elif key == "frequency_Hz":
            values = (values - waveform.nominal_Hz(values)) * 1e3
        x, y = downsample.line(t, values, N_POINTS)
        data.append(trace(x - t[0] if late else x, y, label, colour, panel=len(titles), step=key == "pcc_W", width=1, legend=False))
        titles.append(title)
    out = chart(data, titles, x_axis, 240 + 200 * (len(titles) - 1))
    out["panels"][0]["zero"] = True
    return out


def worst(result: ResultFile, name: str) -> dict:
    """Six seconds around the largest change of the window `name` of a `result`."""
    group = result.group(name)
    t, pcc = group["time"], group["pcc_W"] / 1e6
    middle = waveform.worst_step(t, pcc)[0]
    part = waveform.zoom(t, middle, 6.0)
    x, y = downsample.line(t[part], pcc[part], N_POINTS)
    data = [trace(x - middle, y, "power", VERMILION, step=True, width=1.2, legend=False)]
    return chart(data, ["power (MW)"], {"title": from_moment(group.start, middle, "s"), "unit": "s"}, 320, zero=True)


def machines(result: ResultFile) -> dict:
    """Frequencies of the machines of a `result` with a grid case, and the voltage at the site's bus."""
    t, machine_mHz, bus, site_mHz, site_pu = grid_case.series(result)
    most = grid_case.most_moved(machine_mHz)
    data = []
    for k in [k for k in range(len(bus)) if k != most] + [most]:
        colour, word = (VERMILION, f"machine at bus {bus[k]}") if k == most else ("#9AA0A8", "other machines")
        data.append(trace(*downsample.line(t, machine_mHz[:, k], N_POINTS // 2), word, colour, width=1.2 if k == most else 0.7))
    data.append(trace(*downsample.line(t, site_mHz, N_POINTS), "the site's bus, over 100 ms", BLACK, width=1.2))
    data.append(trace(*downsample.line(t, site_pu, N_POINTS), "voltage at the site's bus", ORANGE, panel=1, width=1))
    return chart(data, ["off nominal (mHz)", "voltage (pu)"], seconds(result.group("grid_case").start), 500)


def iteration(result: ResultFile) -> dict:
    """The representative iteration of a `result` at its exact edges."""
    edges, load = waveform.iteration_edges(result)
    data = [trace(edges - edges[0], np.append(load, load[-1]) / 1e6, "load of the servers", BLUE, step=True, legend=False)]
    return chart(data, ["load of the servers (MW)"], {"title": "time in the iteration (s)", "unit": "s"}, 320, zero=True)


def lines(result: ResultFile) -> dict:
    """The spectrum of a `result` with its strongest line, the iteration's multiples, the bands of the figures, and rules' limits."""
    f, amplitude = spectrum.lines(result)
    line_Hz, line_W = spectrum.dominant(result)
    data = [trace(*downsample.log_peaks(f, amplitude / 1e3, N_POINTS), "amplitude", BLUE, width=1, legend=False)]
    if np.isfinite(line_Hz):
        data.append(trace([line_Hz], [line_W / 1e3], "strongest line", VERMILION, marksOnly="ring"))
    out = chart(data, ["amplitude (kW)"], {"title": "frequency (Hz)", "unit": "Hz", "log": True}, 440, log=True, head=4)
    panel = out["panels"][0]
    panel["verticals"] = [{"x": at_Hz} for at_Hz in spectrum.multiples(result, f[-1])]
    panel["shades"] = [{"from": low, "to": high, "word": word} for low, high, word in spectrum.bands(result, f)]
    panel["limits"] = [{"from": low, "to": high, "y": limit_W / 1e3, "word": word} for low, high, limit_W, word in rule_limits.of_lines(result, f, amplitude)]
    return out


def ramp_marks(result: ResultFile) -> dict:
    """The steepest ramps of a `result` at each window, with rules' limits."""
    window_s, up, down = ramps.tables(result)
    limits = rule_limits.of_ramps(result)
    known = sorted({*window_s.tolist(), *(limit.window_s for limit in limits)})
    at = {w: float(k) for k, w in enumerate(known)}
    places = np.array([at[w] for w in window_s.tolist()])
    data = [trace(places - 0.08, ramps.on_log(up) / 1e6, "rising", BLUE, marksOnly="up"), trace(places + 0.08, ramps.on_log(down) / 1e6, "falling", VERMILION, marksOnly="down")]
    x = {"title": "window", "word": "over ", "ticks": [[at[w], duration(w) + ("" if ramps.fits(result, w) else ": –")] for w in known], "range": [-0.5, len(known) - 0.5]}
    out = chart(data, ["steepest ramp (MW/s)"], x, 380, log=True, head=2.5)
    out["panels"][0]["limits"] = [{"from": at[limit.window_s] - 0.4, "to": at[limit.window_s] + 0.4, "y": limit.limit / 1e6, "word": f"limit, {limit.way}"} for limit in limits]
    return out


def strip(result: ResultFile) -> dict:
    """What the first job of a `result` was doing, with marks where something happened."""
    group, happened = result.group("day"), events.log(result)
    edges = result.edges("day")
    at, x_axis = time_axis(TimeAxis(group.start, edges[-1] - edges[0]), edges)
    data = []
    for k, pieces in events.state_spans(result):
        word, colour = events.state_look(k)
        begin, end = at([a for a, _ in pieces]), at([b for _, b in pieces])
        data.append(rectangles(begin, end, np.zeros(len(pieces)), np.ones(len(pieces)), word, colour, hover=[word] * len(pieces)))
    if happened:
        times = at([e[0] for e in happened])
        data.append(trace(times, np.full(len(happened), 0.5), "event", BLACK, marksOnly="line", texts=[events.spoken(e) for e in happened]))
    return chart(data, [""], x_axis, 130, range=[0, 1], bare=True)


def fleet_boxes(result: ResultFile) -> list[dict]:
    """Dies and clocks of a `result`'s GPUs by their place: in the node, in the row, by row."""
    out = []
    for panel in fleet.groups(result):
        x = {"title": panel.where, "word": panel.word + " ", "ticks": [[k, str(word)] for k, word in panel.ticks()], "range": [-0.7, len(panel.names) - 0.3]}
        keys = ("p05", "q25", "q50", "q75", "p95")
        if panel.many:
            at = np.arange(len(panel.names), dtype=float)
            data = [band(at, panel.spread[0], panel.spread[4], "5th to 95th percentile", BLUE, opacity=0.18, step=False),
                    band(at, panel.spread[1], panel.spread[3], "quartiles", BLUE, opacity=0.35, step=False),
                    trace(at, panel.spread[2], "median", BLACK), trace(at, panel.extreme, panel.extreme_word, VERMILION, width=1)]  # fmt: skip
        else:
            data = [{"x": np.arange(len(panel.names), dtype=float), **dict(zip(keys, panel.spread)), "extreme": panel.extreme,
                     "name": "quartiles and median, 5th to 95th percentile", "extremeWord": panel.extreme_word, "colour": BLUE}]  # fmt: skip
            data.append(trace([-9.0], [np.nan], panel.extreme_word, VERMILION))
        out.append(chart(data, [panel.title], x, 250))
    return out
