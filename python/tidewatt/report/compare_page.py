"""Two results side by side: different settings, figures, and curves in one plot."""
from __future__ import annotations

import difflib
import math
import re
from html import escape

import numpy as np

from .. import _figures
from . import downsample, ramps, spectrum, waveform
from .charts import N_POINTS, chart, time_axis, trace
from .day import ZERO_degC_K, held, running
from .findings import duration
from .page import Page, span_word, table, whole
from .read import Missing, ResultFile
from .style import BLUE, VERMILION, TimeAxis

COLOURS = (BLUE, VERMILION)
TOP = ("tokens_per_s_mean", "iteration_s", "pcc_mean_MW", "pcc_max_MW", "pcc_step_1s_max_MW", "die_max_degC", "pue")
BOOKS = ("energy_closure", "input_energy_error", "wall_s")  # whose change says nothing


def signed(x: float) -> str:
    """`x` with its sign and three significant digits, two behind the point at most."""
    decimals = max(0, min(2, 2 - math.floor(math.log10(abs(x))))) if x else 0
    return f"{x:+,.{decimals}f}" if round(abs(x), 2) else f"{x:+.1g}"


def change(before: float, after: float, unit: str = "") -> str:
    """What lies between the figures `before` and `after` in a `unit`: in percent; °C in K, % in points, h in h. A dash where
    one is not a number or nothing moved."""
    if not (isinstance(before, (int, float)) and isinstance(after, (int, float))) or before == after:
        return "–"
    if unit in ("°C", "%", "h"):
        words = f"{after - before:+.3g} {dict(zip(('°C', '%', 'h'), ('K', 'points', 'h')))[unit]}"
    else:
        words = f"{signed(100 * (after / before - 1))} %" if before else f"{after:+.3g} {unit}".rstrip()
    return words.replace("-", "−")


def told(key: str, values: list) -> list[str]:
    """Two `values` of the figure `key` as texts, with up to six digits where they differ and would read the same."""
    for digits in (0, 4, 5, 6):
        texts = [_figures.shown(key, value, digits).replace(_figures.BLANK, " ") for value in values]
        if values[0] == values[1] or texts[0] != texts[1]:
            break
    return texts


def short(before: str, after: str) -> tuple[str, str]:
    """The settings `before` and `after` as texts: numbers of many digits with four, unless they then read the same."""
    def rounded(text: str) -> str:
        return f"{float(text):.4g}" if re.fullmatch(r"-?\d*\.\d{5,}(e-?\d+)?", text) else text

    pair = rounded(before), rounded(after)
    return pair if pair[0] != pair[1] else (before, after)


def settings(before: ResultFile, after: ResultFile) -> list[tuple[str, str, str]]:
    """(key path, value of `before`, value of `after`) where the scenarios differ, with their bases and overrides; empty where a side has no
    value. Without a TOML reader (Python 3.11 has one): lines instead of keys."""
    texts = [r.provenance.get("scenario", "") for r in (before, after)]
    try:
        left, right = (keys_of(text) for text in texts)
    except (ImportError, ValueError):
        return [("", *pair) for pair in _lines(*texts)]
    return [(key, left.get(key, ""), right.get(key, "")) for key in {**left, **right} if left.get(key) != right.get(key)]


def keys_of(text: str) -> dict[str, str]:
    """Key path -> value of a scenario's `text` as results carry it: the file, what it inherits from, overrides."""
    import tomllib

    documents, overrides = re.split(r"^# -+ base = .*$", text, flags=re.M), re.findall(r"^# --set ([^=\s]+)\s*=\s*(.*)$", text, flags=re.M)
    out: dict[str, str] = {}
    for document in reversed(documents):
        out.update(_flat(tomllib.loads(document)))
    out.update((key, value.strip("\"'")) for key, value in overrides)
    return {key: value for key, value in out.items() if key not in ("schema", "base")}


def _flat(tree, path: str = ""):
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{path}{key}.")
        elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            for k, item in enumerate(value):
                yield from _flat({name: x for name, x in item.items() if name != "name"}, f"{path}{key}.{item.get('name', k)}.")
        else:
            yield path + key, str(value)


def _lines(before: str, after: str) -> list[tuple[str, str]]:
    texts, out = [before.splitlines(), after.splitlines()], []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, *texts, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        left, right = [line.strip() for line in texts[0][a:b]], [line.strip() for line in texts[1][c:d]]
        n = max(len(left), len(right))
        out += [pair for pair in zip(left + [""] * (n - len(left)), right + [""] * (n - len(right))) if any(pair)]
    return out


def write(before: ResultFile, after: ResultFile) -> tuple[str, list[str]]:
    """(the page of `before` and `after`, notes on parts left out)."""
    page, pair = Page(), (before, after)
    names = [result.path.stem for result in pair]
    if names[0] == names[1]:
        names = ["before", "after"]
    page.add("figures", "Figures", lambda: _outcome(pair, names))
    page.add("settings", "Settings", lambda: _settings(pair, names))
    page.add("day", "Day", lambda: _day(page, pair, names))
    page.add("waveform", "Waveform", lambda: _waveform(page, pair, names))
    page.add("spectrum", "Spectrum", lambda: _spectrum(page, pair, names))
    page.add("ramps", "Ramps", lambda: _ramps(page, pair, names))
    tokens = change(*(result.figure("tokens_per_s_mean") for result in pair))
    step = change(*(result.figure("pcc_step_1s_max_MW") for result in pair))
    tiles = "".join(
        f"<div><b>{escape(change(before.figure(key), after.figure(key), _figures.listed()[key]['unit']))}</b><span>{escape(_figures.words(key))}</span></div>"
        for key in TOP if math.isfinite(before.figure(key)) and math.isfinite(after.figure(key))
    )  # fmt: skip
    title = f"{names[1]} against {names[0]}: throughput {tokens}, largest change over 1 s {step}"
    return whole(page, title, f"blue: {names[0]} · orange: {names[1]}", tiles), page.notes


def _outcome(pair, names):
    parts = []
    for part, keys in _figures.tables().items():
        rows = []
        for key in keys:
            values = [result.summary.get(key) for result in pair]
            if values != [None, None]:
                rows.append([_figures.words(key), *told(key, values), "–" if key in BOOKS else change(*values, _figures.listed()[key]["unit"])])
        if rows:
            parts.append(table(["", *names, "change"], rows, numeric=(1, 2, 3), caption=part))
    if not parts:
        raise Missing("the summaries are empty")
    return "What came out", "", '<div class="compared">' + "".join(parts) + "</div>"


def _settings(pair, names):
    rows = [[key, *short(before, after)] for key, before, after in settings(*pair)]
    if not rows:
        return "The scenarios are the same", "", ""
    inner = '<div class="compared keys">' + table(["key", *names], rows[:200]) + "</div>"
    return f"{len(rows)} setting{' differs' if len(rows) == 1 else 's differ'}", "as they were read, what they inherit and overrides included; what each does alone: tidewatt sweep A --against B", inner


def _day(page, pair, names):
    panels = [("throughput_tokens_per_s", "million tokens/s", 0.0, 1e-6), ("pcc_mean_W", "power (MW)", 0.0, 1e-6),
              ("inlet_mean_K", "server inlet (°C)", ZERO_degC_K, 1.0), ("die_max_K", "hottest die (°C)", ZERO_degC_K, 1.0),
              ("clock_slowest_Hz", "slowest clock (MHz)", 0.0, 1e-6)]  # fmt: skip
    computed = ("throughput_tokens_per_s", "clock_slowest_Hz")
    groups = [result.group("day") for result in pair]
    # From each run's own start where they begin at different hours.
    starts = [group.start for group in groups]
    start = starts[0] if starts[0] == starts[1] else None
    end_s = max(result.edges("day")[-1] for result in pair)
    at, x_axis = time_axis(TimeAxis(start, end_s), np.array([0.0, end_s]))
    inner = ""
    for k, (key, word, offset, scale) in enumerate(panels):
        data = []
        for result, group, name, colour in zip(pair, groups, names, COLOURS):
            if key in group:
                t, values = running(result, key) if key in computed else (result.edges("day"), held(group[key]))
                data.append(trace(*downsample.line(at(t), (values - offset) * scale, N_POINTS), name, colour, step=True))
        last = k == len(panels) - 1
        inner += page.chart(f"chart-day-{k}", {**chart(data, [word], x_axis if last else {**x_axis, "title": ""}, 210 if last else 180), "linked": "day"})
    return "The day" if "The day" in map(span_word, pair) else "The run", "the panels zoom together", inner


def _waveform(page, pair, names):
    shared = [name for name in waveform.windows(pair[0]) if name in waveform.windows(pair[1])]
    if not shared:
        raise Missing("the results share no recorded window")
    data = []
    for result, name, colour in zip(pair, names, COLOURS):
        group = result.group(shared[0])
        x, y = downsample.line(group["time"] - group["time"][0], group["pcc_W"] / 1e6, N_POINTS)
        data.append(trace(x, y, name, colour, step=True, width=1))
    x_axis = {"title": "time since the start of the window (s)", "unit": "s"}
    steps = [waveform.worst_step(r.group(shared[0])["time"], r.group(shared[0])["pcc_W"])[1] / 1e6 for r in pair]
    title = f"Largest change over one second: {' and '.join(_figures.shown('pcc_step_1s_max_MW', step) for step in steps)}"
    return title, f"window “{waveform.window_word(shared[0])}”", page.chart("chart-waveform", chart(data, ["power (MW)"], x_axis, 400, zero=True))


def _spectrum(page, pair, names):
    data = []
    for result, name, colour in zip(pair, names, COLOURS):
        x, y = downsample.log_peaks(*spectrum.lines(result), N_POINTS)
        data.append(trace(x, np.asarray(y) / 1e3, name, colour, width=1))
    line = [_figures.shown("pcc_dominant_Hz", spectrum.dominant(result)[0]) for result in pair]
    x_axis = {"title": "frequency (Hz)", "unit": "Hz", "log": True}
    return f"Strongest lines at {line[0]} and {line[1]}", "", page.chart("chart-spectrum", chart(data, ["amplitude (kW)"], x_axis, 400, log=True))


def _ramps(page, pair, names):
    tables = [ramps.tables(result) for result in pair]
    known = sorted({w for window_s, _, _ in tables for w in window_s.tolist()})
    data = []
    for (window_s, up, down), name, colour, aside, mark in zip(tables, names, COLOURS, (-0.08, 0.08), ("up", "down")):
        places = np.array([known.index(w) for w in window_s.tolist()]) + aside
        data.append(trace(places, ramps.on_log(np.fmax(up, down)) / 1e6, name, colour, marksOnly=mark))
    x_axis = {"title": "window", "word": "over ", "ticks": [[float(k), duration(w)] for k, w in enumerate(known)], "range": [-0.5, len(known) - 0.5]}
    return "Steepest ramps, either way", "each window on its own", page.chart("chart-ramps", chart(data, ["steepest ramp (MW/s)"], x_axis, 340, log=True))
