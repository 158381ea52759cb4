"""Two results beside each other: what was set differently, what came out, and the courses over one another."""
from __future__ import annotations

import difflib
import math
from html import escape

import numpy as np

from . import downsample, ramps, spectrum, waveform
from .charts import N_POINTS, hours, stacked, trace
from .day import ZERO_degC_K
from .labels import FIGURES, with_unit
from .page import Page, table, whole
from .read import Missing, ResultFile
from .style import BLUE, VERMILION, TimeAxis, bin_edges

COLOURS = (BLUE, VERMILION)
TOP = ["tokens_per_s_mean", "iteration_s", "pcc_mean_MW", "pcc_max_MW", "pcc_step_1s_max_MW", "die_max_degC", "pue"]


def change(before: float, after: float) -> str:
    """What lies between the figures `before` and `after`, in percent; a dash where one is not a number or nothing moved."""
    if not (isinstance(before, (int, float)) and isinstance(after, (int, float))) or before == after:
        return "–"
    return f"{100 * (after / before - 1):+.2f} %" if before else f"{after:+.3g}"


def settings(before: ResultFile, after: ResultFile) -> list[tuple[str, str]]:
    """(line of `before`, line of `after`) where the scenarios differ; empty on the side that has no such line."""
    texts = [r.provenance.get("scenario", "").splitlines() for r in (before, after)]
    out = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, *texts, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        left, right = [line.strip() for line in texts[0][a:b]], [line.strip() for line in texts[1][c:d]]
        n = max(len(left), len(right))
        out += [pair for pair in zip(left + [""] * (n - len(left)), right + [""] * (n - len(right))) if any(pair)]
    return out


def write(before: ResultFile, after: ResultFile) -> tuple[str, list[str]]:
    """(the page of `before` and `after`, notes on what it had to leave out)."""
    page, pair = Page(), (before, after)
    names = [result.path.stem for result in pair]
    if names[0] == names[1]:
        names = ["before", "after"]
    page.add("figures", "Figures", lambda: _figures(pair, names))
    page.add("settings", "Settings", lambda: _settings(pair, names))
    page.add("day", "Day", lambda: _day(page, pair, names))
    page.add("waveform", "Waveform", lambda: _waveform(page, pair, names))
    page.add("spectrum", "Spectrum", lambda: _spectrum(page, pair, names))
    page.add("ramps", "Ramps", lambda: _ramps(page, pair, names))
    tokens = change(*(result.figure("tokens_per_s_mean") for result in pair))
    step = change(*(result.figure("pcc_step_1s_max_MW") for result in pair))
    tiles = "".join(
        f"<div><b>{escape(change(before.figure(key), after.figure(key)))}</b><span>{escape(_words()[key][0])}</span></div>"
        for key in TOP if key in _words() and math.isfinite(before.figure(key)) and math.isfinite(after.figure(key))
    )  # fmt: skip
    title = f"{names[1]} against {names[0]}: throughput {tokens}, largest change within 1 s {step}"
    return whole(page, title, f"blue: {names[0]} · red: {names[1]}", tiles), page.notes


def _words() -> dict[str, tuple[str, str]]:
    return {key: words for part in FIGURES.values() for key, words in part.items()}


def _figures(pair, names):
    parts = []
    for part, keys in FIGURES.items():
        rows = []
        for key, (word, unit) in keys.items():
            values = [result.summary.get(key) for result in pair]
            if values != [None, None]:
                rows.append([word, *(with_unit(value, unit) for value in values), change(*values)])
        if rows:
            parts.append(table(["", *names, "change"], rows, numeric=(1, 2, 3), caption=part))
    if not parts:
        raise Missing("the summaries are empty")
    return "What came out", "", '<div class="scroll">' + "".join(parts) + "</div>"


def _settings(pair, names):
    rows = [list(row) for row in settings(*pair)]
    if not rows:
        return "The scenarios are the same", "", ""
    inner = '<div class="scroll">' + table(names, rows[:200]) + "</div>"
    return f"{len(rows)} lines of the scenarios differ", "as they were read, what they inherit and overrides included", inner


def _day(page, pair, names):
    panels = [("throughput_tokens_per_s", "million tokens/s", 0.0, 1e-6), ("pcc_mean_W", "power (MW)", 0.0, 1e-6),
              ("inlet_mean_K", "server inlet (°C)", ZERO_degC_K, 1.0), ("die_max_K", "hottest die (°C)", ZERO_degC_K, 1.0),
              ("clock_slowest_Hz", "slowest clock (MHz)", 0.0, 1e-6)]  # fmt: skip
    groups = [result.group("day") for result in pair]
    longest = max(groups, key=lambda group: group["time"][-1])
    axis = TimeAxis(longest.start, bin_edges(longest["time"])[-1] - longest["time"][0])
    inner = ""
    for k, (key, word, offset, scale) in enumerate(panels):
        data = []
        for group, name, colour in zip(groups, names, COLOURS):
            if key in group:
                x, y = downsample.line(axis(group["time"]), (group[key] - offset) * scale, N_POINTS // 2)
                data.append(trace(x, y, name, colour))
        layout = stacked(1, [word], axis.label if k == len(panels) - 1 else "", 220)
        layout["xaxis"].update(hours(axis))
        inner += page.chart(f"chart-day-{k}", {"data": data, "layout": layout, "linked": "day"})
    return "The day", "the panels zoom together", inner


def _waveform(page, pair, names):
    shared = [name for name in waveform.windows(pair[0]) if name in waveform.windows(pair[1])]
    if not shared:
        raise Missing("the results share no recorded window")
    data = []
    for result, name, colour in zip(pair, names, COLOURS):
        group = result.group(shared[0])
        x, y = downsample.line(group["time"], group["pcc_W"] / 1e6, N_POINTS)
        data.append(trace(x, y, name, colour, line={"shape": "hv", "width": 1}))
    layout = stacked(1, ["power (MW)"], "time since the start of the run (s)", 420)
    layout["yaxis"]["rangemode"] = "tozero"
    steps = [waveform.worst_step(r.group(shared[0])["time"], r.group(shared[0])["pcc_W"])[1] / 1e6 for r in pair]
    title = f"Largest change within one second: {with_unit(steps[0], 'MW')} and {with_unit(steps[1], 'MW')}"
    return title, f"window “{waveform.window_word(shared[0])}”", page.chart("chart-waveform", {"data": data, "layout": layout})


def _spectrum(page, pair, names):
    data = []
    for result, name, colour in zip(pair, names, COLOURS):
        x, y = downsample.log_peaks(*spectrum.lines(result), N_POINTS)
        data.append(trace(x, np.asarray(y) / 1e3, name, colour, line={"width": 1}))
    layout = stacked(1, ["amplitude (kW)"], "frequency (Hz)", 420)
    for axis in ("xaxis", "yaxis"):
        layout[axis].update(type="log", exponentformat="none", dtick=1)
    line = [with_unit(spectrum.dominant(result)[0], "Hz") for result in pair]
    return f"Strongest lines at {line[0]} and {line[1]}", "", page.chart("chart-spectrum", {"data": data, "layout": layout})


def _ramps(page, pair, names):
    data = []
    for result, name, colour in zip(pair, names, COLOURS):
        window_s, up, down = ramps.tables(result)
        data.append(trace(window_s, np.fmax(up, down) / 1e6, name, colour, mode="lines+markers"))
    layout = stacked(1, ["steepest ramp (MW/s)"], "window (s)", 360)
    for axis in ("xaxis", "yaxis"):
        layout[axis].update(type="log", exponentformat="none", dtick=1)
    return "Steepest ramps, either way", "", page.chart("chart-ramps", {"data": data, "layout": layout})
