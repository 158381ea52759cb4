"""The day as interactive charts: one per panel, so that each has its own legend."""
from __future__ import annotations

import numpy as np

from . import downsample, limiter
from .charts import N_POINTS, band, chart, time_axis, trace
from .day import ZERO_degC_K, held, hourly_steps, inlet_words, powers, running, throughput, throughput_limits
from .read import Missing, ResultFile
from .style import BLACK, BLUE, GREEN, LIMITER_WORDS, LIMITERS, ORANGE, SKY, VERMILION, TimeAxis


def day(result: ResultFile) -> list[dict]:
    """The panels of a `result`'s day, each with its own legend; the page moves their time axes together."""
    group, edges = result.group("day"), result.edges("day")
    at, x_axis = time_axis(TimeAxis(group.start, edges[-1] - edges[0]), edges)
    figures = []
    for title, paint in [(inlet_words(group)[1], _air), ("GPU die (°C)", _dies), ("clock (MHz)", _clocks), ("million tokens/s", _throughput), ("power (MW)", _power)]:
        data, panel = paint(result, group, at(edges), at)
        if data:
            figures.append({**chart(data, [title], {**x_axis, "title": ""}, 176, **panel), "linked": "day"})
    if figures:
        figures[-1]["x"], figures[-1]["height"] = x_axis, 210
    return figures


def _lines(group, t, names, offset=0.0, scale=1.0) -> list[dict]:
    """`names`: key -> (label, colour), means over their steps; those that the file lacks are left out."""
    out = []
    for key, (label, colour) in names.items():
        if key in group:
            out.append(trace(*downsample.line(t, held((group[key] - offset) * scale), N_POINTS), label, colour, step=True))
    return out


def _running_lines(result, at, names, scale) -> list[dict]:
    """As `_lines`, only while the job computes, at the exact time from which it does."""
    out = []
    for key, (label, colour) in names.items():
        if key in result.group("day"):
            t, values = running(result, key)
            out.append(trace(*downsample.line(at(t), values * scale, N_POINTS), label, colour, step=True))
    return out


def _air(result, group, t, at):
    names = {
        "outdoor_drybulb_K": ("outdoor dry bulb", ORANGE),
        "outdoor_wetbulb_K": ("wet bulb", SKY),
        "inlet_mean_K": (inlet_words(group)[0], BLUE),
        "hot_aisle_K": ("hot aisle", VERMILION),
    }
    return _lines(group, t, names, ZERO_degC_K), {}


def _dies(result, group, t, at):
    names = {"die_max_K": ("hottest die", VERMILION), "die_mean_K": ("mean die", BLACK)}
    return _lines(group, t, names, ZERO_degC_K), {}


def clocks(result: ResultFile, at) -> list[dict]:
    """The clocks of a `result` while the job computes; `at` maps s since the run's start to the x axis."""
    group, data = result.group("day"), []
    if "clock_p05_Hz" in group and "clock_p95_Hz" in group:
        t, low = running(result, "clock_p05_Hz")
        high = running(result, "clock_p95_Hz")[1]
        data.append(band(*downsample.band(at(t), low / 1e6, high / 1e6, N_POINTS), "5th to 95th percentile", SKY, opacity=0.35))
    names = {"clock_mean_Hz": ("mean", BLUE), "clock_slowest_Hz": ("slowest GPU, which gates the job", VERMILION)}
    return data + _running_lines(result, at, names, 1e-6)


def _clocks(result, group, t, at):
    return clocks(result, at), {}


def _throughput(result, group, t, at):
    data, panel = [], {}
    if "throughput_tokens_per_s" in group:
        x, value = throughput(result)
        data.append(trace(*downsample.line(at(x), value / 1e6, N_POINTS), "each step", GREEN, step=True))
    try:
        edges, mean = hourly_steps(result)
        if np.isfinite(mean).any():
            data.append(trace(at(edges), held(mean) / 1e6, "hourly mean", BLACK, step=True, width=2.2))
    except Missing:
        pass
    limits = throughput_limits(group)
    if limits:
        panel["range"] = [limit / 1e6 for limit in limits]
    return data, panel


def _power(result, group, t, at):
    data = []
    if "pcc_min_W" in group and "pcc_max_W" in group:
        low, high = held(group["pcc_min_W"] / 1e6), held(group["pcc_max_W"] / 1e6)
        data.append(band(*downsample.band(t, low, high, N_POINTS), "extremes at the connection", "#8A8A8A"))
    for label, colour, edges, mean_W in powers(result):
        data.append(trace(*downsample.line(at(edges), mean_W / 1e6, N_POINTS), label, colour, step=True))
    return data, {"zero": True}


def limiters(result: ResultFile) -> dict:
    """Limiters of the clocks of a `result`: shares of compute time, stacked; the clocks if it is always the same limiter."""
    group, shares = result.group("day"), limiter.shares(result)
    edges = result.edges("day")
    axis = TimeAxis(group.start, edges[-1] - edges[0])
    at, x_axis = time_axis(axis, edges)
    if limiter.only(result):
        return chart(clocks(result, at), ["clock (MHz)"], x_axis, 300)
    t, n = at(np.append(group["time"][downsample.buckets(len(group["time"]), 2000)], edges[-1])), 2000
    data, bottom = [], np.zeros(len(t))
    for name, share in shares.items():
        y = 100 * downsample.mean(np.nan_to_num(share), n)
        top = bottom + np.append(y, y[-1])
        data.append(band(t, bottom, top, LIMITER_WORDS[name], LIMITERS[name], opacity=0.95))
        bottom = top
    return chart(data, ["share of compute time (%)"], x_axis, 320, range=[0, 100])
