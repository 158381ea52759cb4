"""The day as interactive charts: one per panel, so that each has its own legend."""
from __future__ import annotations

import numpy as np

from . import downsample
from .charts import N_POINTS, band, hours, stacked, trace
from .day import ZERO_degC_K, held, hourly_steps, throughput_limits
from .read import Missing, ResultFile
from .style import BLACK, BLUE, GREEN, ORANGE, SKY, VERMILION, TimeAxis


def day(result: ResultFile) -> list[dict]:
    """The panels of a `result`'s day, each with its own legend; the page moves their time axes together."""
    group = result.group("day")
    edges = result.edges("day")
    axis = TimeAxis(group.start, edges[-1] - edges[0])
    panels = [paint(group, axis(edges), axis, result) for paint in (_air, _dies, _clocks, _throughput, _power)]
    titles = ["air (°C)", "GPU die (°C)", "clock (MHz)", "million tokens/s", "power (MW)"]
    figures = []
    for k, (title, (data, y_axis)) in enumerate(zip(titles, panels)):
        last = k == len(panels) - 1
        layout = stacked(1, [title], axis.label if last else "", 235 if last else 200)
        layout["margin"] = {"b": 44 if last else 22}
        layout["xaxis"].update(hours(axis), range=[float(axis(edges[0])), float(axis(edges[-1]))])
        layout["yaxis"].update(y_axis)
        layout["showlegend"] = True
        if data:
            figures.append({"data": data, "layout": layout, "linked": "day"})
    return figures


def _lines(group, t, names, offset=0.0, scale=1.0) -> list[dict]:
    """`names`: key -> (label, colour); those that the file lacks are left out."""
    out = []
    for key, (label, colour) in names.items():
        if key in group:
            x, y = downsample.line(t, held((group[key] - offset) * scale), N_POINTS // 2)
            out.append(trace(x, y, label, colour))
    return out


def _air(group, t, axis, result):
    names = {
        "outdoor_drybulb_K": ("outdoor dry bulb", ORANGE),
        "outdoor_wetbulb_K": ("wet bulb", SKY),
        "inlet_mean_K": ("GPU server inlet", BLUE),
        "hot_aisle_K": ("hot aisle", VERMILION),
    }
    return _lines(group, t, names, ZERO_degC_K), {}


def _dies(group, t, axis, result):
    names = {"die_max_K": ("hottest die", VERMILION), "die_mean_K": ("mean die", BLACK)}
    return _lines(group, t, names, ZERO_degC_K), {}


def _clocks(group, t, axis, result):
    data = []
    if "clock_p05_Hz" in group and "clock_p95_Hz" in group:
        x, low, high = downsample.band(t, held(group["clock_p05_Hz"] / 1e6), held(group["clock_p95_Hz"] / 1e6), N_POINTS)
        data += band(x, low, high, "5th to 95th percentile", "rgba(86,180,233,0.35)")
    names = {"clock_mean_Hz": ("mean", BLUE), "clock_slowest_Hz": ("slowest GPU, which gates the job", VERMILION)}
    return data + _lines(group, t, names, scale=1e-6), {}


def _throughput(group, t, axis, result):
    data, y_axis = _lines(group, t, {"throughput_tokens_per_s": ("each step", GREEN)}, scale=1e-6), {}
    try:
        edges, mean = hourly_steps(result)
        step = np.append(mean, mean[-1]) / 1e6
        if np.isfinite(mean).any():
            data.append(trace(axis(edges), step, "hourly mean", BLACK, line={"shape": "hv", "width": 2.5}))
    except Missing:
        pass
    limits = throughput_limits(group)
    if limits:
        y_axis["range"] = [limit / 1e6 for limit in limits]
    return data, y_axis


def _power(group, t, axis, result):
    data = []
    if "pcc_min_W" in group and "pcc_max_W" in group:
        x, low, high = downsample.band(t, held(group["pcc_min_W"] / 1e6), held(group["pcc_max_W"] / 1e6), N_POINTS)
        data += band(x, low, high, "extremes at the connection", "rgba(138,138,138,0.3)")
    names = {
        "pcc_mean_W": ("mean at the connection", BLACK),
        "it_W": ("IT", BLUE),
        "plant_W": ("cooling plant", ORANGE),
    }
    return data + _lines(group, t, names, scale=1e-6), {"rangemode": "tozero"}
