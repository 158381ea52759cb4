"""The page's interactive charts, as plain Plotly figures: {"data": [...], "layout": {...}}."""
from __future__ import annotations

import math
from html import escape

import numpy as np

from . import downsample, events, fleet, grid_case, limiter, ramps, spectrum, waveform
from .read import ResultFile
from .style import (
    BLACK, BLUE, GREEN, LIMITER_WORDS, LIMITERS, ORANGE, VERMILION, TimeAxis,
)  # fmt: skip

N_POINTS = 3000


def numbers(values, digits: int = 6) -> list:
    """The `values`, shape (n,), rounded to so many significant `digits`, None for NaN: what a page can carry."""
    return [float(f"{x:.{digits}g}") if math.isfinite(x) else None for x in np.asarray(values, dtype=float).tolist()]


def plain(text: str) -> str:
    """The `text` for Plotly, which reads some HTML in names and hover texts, and `%{…}` in templates."""
    return escape(text, quote=False)


def trace(x, y, name, colour, **more):
    """A line through `x` and `y`, shapes (n,), with its `name` and `colour`; `digits` of `y` if six are too few."""
    line = {"color": colour, "width": 1.6, **more.pop("line", {})}
    return {"type": "scatter", "mode": "lines", "x": numbers(x, 9), "y": numbers(y, more.pop("digits", 6)), "name": plain(name), "line": line, **more}


def band(x, low, high, name, colour, **more):
    """A filled band between `low` and `high` over `x`, shapes (n,), with a `name` and a `colour`: per unbroken stretch
    a closed outline of two traces, the second filling to the first.
    """
    edge = {"line": {"width": 0, "shape": "hv"}, "hoverinfo": "skip", "legendgroup": name, **more}
    known = np.isfinite(np.asarray(low, float)) & np.isfinite(np.asarray(high, float))
    starts = np.flatnonzero(known & ~np.r_[False, known[:-1]])
    ends = np.flatnonzero(known & ~np.r_[known[1:], False]) + 1
    out = []
    for i, (a, b) in enumerate(zip(starts, ends)):
        out.append(trace(x[a:b], low[a:b], name, colour, **{**edge, "showlegend": False}))
        out.append(trace(x[a:b], high[a:b], name, colour, fill="tonexty", fillcolor=colour, **{"showlegend": i == 0, **edge}))
    return out


def stacked(n: int, titles: list[str], x_title: str, height: int) -> dict:
    """Layout of `n` panels above one another with their `titles`, a shared `x_title`, and a `height` in pixels."""
    gap = 0.06
    each = (1 - gap * (n - 1)) / n
    layout = {"height": height, "xaxis": {"title": x_title, "anchor": f"y{n}" if n > 1 else "y"}}
    for k, title in enumerate(titles):
        top = 1 - k * (each + gap)
        layout[f"yaxis{k + 1}" if k else "yaxis"] = {"domain": [max(0.0, top - each), top], "title": title}
    return layout


def hours(axis: TimeAxis) -> dict:
    """Marks every three hours, where the axis shows hours."""
    return {"dtick": 3} if axis.hours else {}


def window(result: ResultFile, name: str) -> dict:
    """Power, frequency and voltage of the recorded window `name` of a `result`."""
    group = result.group(name)
    t, pcc = group["time"], group["pcc_W"] / 1e6
    data = []
    for key, y, label, colour, offset, scale in [
        ("pcc", "y", "power", BLUE, 0.0, 1.0),
        ("frequency_Hz", "y2", "frequency", GREEN, None, 1e3),
        ("bus_pu", "y3", "bus voltage", ORANGE, 0.0, 1.0),
    ]:
        if key != "pcc" and key not in group:
            continue
        values = pcc if key == "pcc" else group[key]
        offset = waveform.nominal_Hz(values) if offset is None else offset
        x, values = downsample.line(t, (values - offset) * scale, N_POINTS)
        shape = {"shape": "hv", "width": 1} if key == "pcc" else {"width": 1}
        data.append(trace(x, values, label, colour, yaxis=y, digits=6 if key == "pcc" else 8, line=shape))
    titles = ["power (MW)", "off nominal (mHz)", "bus voltage (pu)"]
    layout = stacked(3, titles, "time since the start of the run (s)", 640)
    layout["yaxis"]["rangemode"] = "tozero"
    layout["showlegend"] = False
    return {"data": data, "layout": layout}


def worst(result: ResultFile, name: str) -> dict:
    """Six seconds around the largest change of the window `name` of a `result`."""
    group = result.group(name)
    t, pcc = group["time"], group["pcc_W"] / 1e6
    middle = waveform.worst_step(t, pcc)[0]
    part = waveform.zoom(t, middle, 6.0)
    x, y = downsample.line(t[part], pcc[part], N_POINTS)
    layout = stacked(1, ["power (MW)"], f"time from {middle:.1f} s of the run (s)", 340)
    layout["yaxis"]["rangemode"] = "tozero"
    return {"data": [trace(x - middle, y, "power", VERMILION, line={"shape": "hv", "width": 1.2})], "layout": layout}


def machines(result: ResultFile) -> dict:
    """Frequencies of the machines of a `result` with a grid case, and the voltage at the site's bus."""
    t, machine_mHz, bus, site_mHz, site_pu = grid_case.series(result)
    most = grid_case.most_moved(machine_mHz)
    data = []
    for k in [k for k in range(len(bus)) if k != most] + [most]:
        colour, word = (VERMILION, f"machine at bus {bus[k]}") if k == most else ("#B4B9C0", "other machines")
        x, y = downsample.line(t, machine_mHz[:, k], N_POINTS // 4)
        data.append(trace(x, y, word, colour, line={"width": 1.2 if k == most else 0.7}, legendgroup=word, showlegend=k == most or k == (most == 0)))
    data.append(trace(*downsample.line(t, site_mHz, N_POINTS), "the site's bus, over 100 ms", BLACK, line={"width": 1.2}))
    data.append(trace(*downsample.line(t, site_pu, N_POINTS), "voltage at the site's bus", ORANGE, yaxis="y2", digits=9, line={"width": 1}))
    return {"data": data, "layout": stacked(2, ["off nominal (mHz)", "voltage (pu)"], "time since the start of the run (s)", 520)}


def iteration(result: ResultFile) -> dict:
    """The representative iteration of a `result` at its exact edges."""
    edges, load = waveform.iteration_edges(result)
    layout = stacked(1, ["load of the servers (MW)"], "time in the iteration (s)", 340)
    layout["yaxis"]["rangemode"] = "tozero"
    y = np.append(load, load[-1]) / 1e6
    return {"data": [trace(edges - edges[0], y, "power", BLUE, line={"shape": "hv"})], "layout": layout}


def lines(result: ResultFile) -> dict:
    """The spectrum of a `result` with its strongest line."""
    f, amplitude = spectrum.lines(result)
    x, y = downsample.log_peaks(f, amplitude / 1e3, N_POINTS)
    line_Hz, line_W = spectrum.dominant(result)
    mark = {"type": "scatter", "mode": "markers", "x": [line_Hz], "y": [line_W / 1e3], "name": "strongest line",
            "marker": {"color": VERMILION, "size": 12, "symbol": "circle-open", "line": {"width": 2.5}}}  # fmt: skip
    layout = stacked(1, ["amplitude (kW)"], "frequency (Hz)", 420)
    layout["xaxis"].update(type="log", exponentformat="none", dtick=1)
    layout["yaxis"].update(type="log", exponentformat="none", dtick=1)
    return {"data": [trace(x, y, "amplitude", BLUE, line={"width": 1}), mark], "layout": layout}


def ramp_lines(result: ResultFile) -> dict:
    """The steepest ramps of a `result` over their windows."""
    window_s, up, down = ramps.tables(result)
    data = [
        trace(window_s, ramps.on_log(up) / 1e6, "rising", BLUE, mode="lines+markers"),
        trace(window_s, ramps.on_log(down) / 1e6, "falling", VERMILION, mode="lines+markers"),
    ]
    layout = stacked(1, ["steepest ramp (MW/s)"], "window (s)", 380)
    layout["xaxis"].update(type="log", exponentformat="none", dtick=1)
    layout["yaxis"].update(type="log", exponentformat="none", dtick=1)
    return {"data": data, "layout": layout}


def limiters(result: ResultFile) -> dict:
    """Shares of compute time of a `result` by what held the clocks, stacked."""
    group, shares = result.group("day"), limiter.shares(result)
    edges = result.edges("day")
    axis = TimeAxis(group.start, edges[-1] - edges[0])
    n = 2000
    x = axis(np.append(group["time"][downsample.buckets(len(group["time"]), n)], edges[-1]))
    data = []
    for name, share in shares.items():
        more = {"stackgroup": "one", "fillcolor": LIMITERS[name], "line": {"width": 0, "shape": "hv"}}
        y = 100 * downsample.mean(np.nan_to_num(share), n)
        y = np.append(y, y[-1])
        data.append(trace(x, y, LIMITER_WORDS[name], LIMITERS[name], **more))
    layout = stacked(1, ["share of compute time (%)"], axis.label, 340)
    layout["yaxis"]["range"] = [0, 100]
    layout["xaxis"].update(hours(axis))
    return {"data": data, "layout": layout}


def strip(result: ResultFile) -> dict:
    """What the first job of a `result` was doing, with marks where something happened."""
    group, happened = result.group("day"), events.log(result)
    edges = result.edges("day")
    axis = TimeAxis(group.start, edges[-1] - edges[0])
    data = []
    for k, pieces in events.state_spans(result):
        word, colour = events.state_look(k)
        data.append({"type": "bar", "orientation": "h", "y": [""] * len(pieces), "name": word, "width": 0.5,
                     "base": numbers([axis(a) for a, _ in pieces], 9), "x": numbers([axis(b) - axis(a) for a, b in pieces], 9),
                     "marker": {"color": colour, "line": {"width": 0}}, "hovertemplate": word + "<extra></extra>"})  # fmt: skip
    if happened:
        data.append({"type": "scatter", "mode": "markers", "y": [""] * len(happened), "name": "event",
                     "x": numbers([axis(e[0]) for e in happened], 9), "text": [plain(f"{k}, {e}: {t}") for _, k, e, t in happened],
                     "marker": {"color": BLACK, "symbol": "line-ns-open", "size": 34}, "hovertemplate": "%{text}<extra></extra>"})  # fmt: skip
    limits = [float(axis(edges[0])), float(axis(edges[-1]))]
    layout = {"height": 220, "barmode": "overlay", "xaxis": {"title": axis.label, "range": limits, **hours(axis)},
              "yaxis": {"visible": False}}  # fmt: skip
    return {"data": data, "layout": layout}


MOST_ROWS = 96  # above one another; more go on beside them


def heat_map(result: ResultFile) -> dict:
    """All four maps of a `result`'s halls in one chart, chosen by buttons. Many rows stand in blocks beside one another."""
    rows, maps = fleet.tables(result)
    n_block = -(-len(rows) // MOST_ROWS)
    tall = -(-len(rows) // n_block)
    data, buttons = [], []
    for k, (title, unit, table, colours) in enumerate(maps):
        data.append({"type": "heatmap", "z": [numbers(row, 5) for row in beside(table, tall, np.nan)],
                     "text": beside(np.array([[f"row {r}, rack {c}" for c in range(table.shape[1])] for r in rows]), tall, "").tolist(),
                     "colorscale": "Cividis", "reversescale": colours.endswith("_r"), "visible": k == 1, "hoverongaps": False,
                     "colorbar": {"title": {"text": unit}, "thickness": 12},
                     "hovertemplate": "%{text}: %{z} " + unit + "<extra></extra>"})  # fmt: skip
        buttons.append({"label": title, "method": "update", "args": [{"visible": [i == k for i in range(len(maps))]}]})
    width = maps[0][2].shape[1]
    x_axis = {"title": "rack in its row"}
    y_axis = {"autorange": "reversed", "automargin": True, "title": "row"}
    if n_block > 1:
        first = [rows[b * tall] for b in range(n_block)]
        last = [rows[min((b + 1) * tall, len(rows)) - 1] for b in range(n_block)]
        x_axis = {"tickvals": [b * (width + 1) + (width - 1) / 2 for b in range(n_block)], "title": {"text": "racks of each row, in blocks of rows", "standoff": 12}, "tickangle": 0, "automargin": True,
                  "ticktext": [f"rows<br>{a}–{z}" for a, z in zip(first, last)]}  # fmt: skip
        y_axis["title"] = "row in its block"
    layout = {"height": 260 + min(9 * max(8, tall), 520), "xaxis": {**x_axis, "showgrid": False}, "yaxis": {**y_axis, "showgrid": False}, "margin": {"t": 60},
              "updatemenus": [{"buttons": buttons, "active": 1, "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"}]}  # fmt: skip
    return {"data": data, "layout": layout}


def beside(table: np.ndarray, tall: int, nothing) -> np.ndarray:
    """The rows of a `table`, shape (n, w), in blocks of `tall` rows beside one another, a column of `nothing` between."""
    n, w = table.shape
    blocks = []
    for first in range(0, n, tall):
        block = np.full((tall, w + 1), nothing, dtype=table.dtype)
        block[: min(tall, n - first), :w] = table[first : first + tall]
        blocks.append(block)
    return np.hstack(blocks)[:, :-1]
