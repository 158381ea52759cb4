"""The report as one page: everything is inside, nothing is loaded."""
from __future__ import annotations

import functools
import math
from html import escape

from .. import _core, _figures
from .._figures import text
from . import charts, charts_day, compliance, contract, energy, events, evidence, findings, fleet, page_files, ramps, spectrum, waveform, zoom
from .page_data import packed
from .read import Missing, ResultFile

TOP = ("throughput_swing_percent", "iteration_s", "mfu_percent", "hfu_percent", "pcc_mean_MW", "pcc_max_MW", "pcc_step_1s_max_MW", "clock_mean_MHz", "die_max_degC", "pue")


# What `only` may name, apart from recorded windows.
PARTS = ["figures", "day", "zoom", "iteration", "spectrum", "ramps", "grid_case", "fleet", "limiter", "events", "compliance", "energy",
         "books", "trust", "evidence", "provenance"]  # fmt: skip


class Page:
    """Sections are added in order; a section whose data is missing becomes a note. `only`: the sections wanted, all if empty."""

    def __init__(self, only=()):
        self._only = only
        self.sections: list[tuple[str, str, str]] = []  # id, word in the navigation, html
        self.charts: dict[str, dict] = {}
        self.notes: list[str] = []

    def add(self, name: str, word: str, build):
        """Adds the section `name`, called `word` in the navigation; `build` returns (title, subtitle, inner html)."""
        if self._only and name not in self._only:
            return
        try:
            title, subtitle, inner = build()
        except Missing as missing:
            self.notes.append(f"{name}: {missing}")
            return
        sub = f'<p class="sub">{escape(subtitle)}</p>' if subtitle else ""
        self.sections.append((name, word, f'<section id="{escape(name)}"><h2>{escape(title)}</h2>{sub}{inner}</section>'))

    def chart(self, name: str, figure: dict) -> str:
        """Keeps a `figure` for the page's script. Returns the html of the place `name` where it is drawn"""
        self.charts[name] = figure
        return f'<div class="chart" id="{escape(name)}"></div>'


def write(result: ResultFile, only=(), held=()) -> tuple[str, list[str]]:
    """(the page of a `result`, notes on parts left out); `only`: the parts to show, all if empty; `held`: verdicts beyond those of
    the site's rules, as `compliance.rows` gives them."""
    page = Page(only)
    page.add("figures", "Figures", functools.partial(_key_figures, result))
    page.add("day", "Day", functools.partial(_day, page, result))
    page.add("zoom", "Zoom", functools.partial(_zoom, page, result))
    for name in result.names("waveform_"):
        page.add(name, "Waveform: " + waveform.window_word(name), functools.partial(_window, page, result, name))
    page.add("iteration", "Iteration", functools.partial(_iteration, page, result))
    page.add("spectrum", "Spectrum", functools.partial(_spectrum, page, result))
    page.add("ramps", "Ramps", functools.partial(_ramps, page, result))
    if result.names("grid_case"):
        page.add("grid_case", "Machines", lambda: (*findings.grid_case(result), page.chart("chart-grid-case", charts.machines(result))))
    page.add("fleet", "Fleet", functools.partial(_fleet, page, result))
    page.add("limiter", "Limiter", lambda: (*findings.limiter(result), page.chart("chart-limiter", charts_day.limiters(result))))
    page.add("events", "Events", functools.partial(_events, page, result))
    found = [*held, *(compliance.rows(result) if result.names("compliance") else [])]
    if found:
        page.add("compliance", "Compliance", functools.partial(_compliance, result, found))
    page.add("energy", "Energy and cost", functools.partial(_energy, page, result))
    page.add("books", "Energy balance", functools.partial(_books, result))
    page.add("trust", "Assumed inputs", functools.partial(_trust, result))
    page.add("evidence", "Evidence", functools.partial(evidence.section, result))
    page.add("provenance", "Provenance", functools.partial(_provenance, result))
    return whole(page, *findings.day(result), _tiles(result, found), _run_words(result)), page.notes


def _run_words(result: ResultFile) -> str:
    start = result.provenance.get("start_time", "").replace("T", " ")
    span = findings.duration(result.figure("simulated_s")) if math.isfinite(result.figure("simulated_s")) else ""
    return " · ".join(word for word in [result.path.stem, f"{span} from {start}" if span and start else span] if word)


def _tiles(result: ResultFile, found: list[dict]) -> str:
    rules = ""
    if found:
        verdict, contracted = compliance.worst(found), sum(row["rule_set"] == "contract" for row in found)
        word = " and ".join(w for w, n in (("contract", contracted), ("rules", len(found) - contracted)) if n)
        rules = f'<div><b style="color:{compliance.COLOUR.get(verdict, "inherit")}">{escape(verdict)}</b><span>{word}</span></div>'
    peak = dict.fromkeys(("mfu_percent", "hfu_percent"), findings.of_peak(result.summary))
    return rules + "".join(
        f"<div><b>{escape(_figures.shown(key, result.summary[key]))}</b><span>{escape(_figures.words(key) + peak.get(key, ''))}{_chance(result, key)}</span></div>"
        for key in TOP
        if math.isfinite(result.figure(key))
    )


def _chance(result: ResultFile, key: str) -> str:
    """Median and ends of the 90 % interval of a headline, where they are known."""
    ends = findings.ends_words(result, key)
    return f"<br>median {_figures.shown(key, result.chance['figures'][key]['p50'])}, 90 % within {ends}" if ends else ""


def whole(page: Page, title: str, subtitle: str, tiles: str, above: str = "") -> str:
    """The html of a `page` with its `title`, `subtitle` and `tiles` (html) on top, and a small line `above` them."""
    links = "".join(f'<a href="#{escape(name)}">{escape(word)}</a>' for name, word, _ in page.sections)
    notes = "".join(f"<li>{escape(note)}</li>" for note in page.notes)
    left_out = f'<section class="note"><h2>Not in this file</h2><ul>{notes}</ul></section>' if notes else ""
    data, arrays = packed(page.charts)
    style, script = (page_files.text(__file__, name) for name in ("page.css", "page.js"))
    rows = "big nine" if tiles.count("<div>") in (9, 10) else "big"  # no tile alone in a row
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,">'
        f"<title>{escape(title)} – tidewatt</title><style>\n{style}</style></head><body><main>"
        + (f'<p class="above">{escape(above)}</p>' if above else "")
        + f'<h1>{escape(title)}</h1><p class="sub">{escape(subtitle)}</p><div class="{rows}">{tiles}</div><nav>{links}</nav>'
        + "".join(html for _, _, html in page.sections)
        + left_out
        + "<noscript><p>The charts need JavaScript; <code>tidewatt report --pictures</code> draws them as PNG and SVG.</p></noscript>"
        f'</main><script type="application/json" id="charts">{data}</script>'
        f'<script type="application/octet-stream" id="arrays">{arrays}</script><script>\n{script}</script></body></html>\n'
    )


def breakable(cell: str) -> str:
    """The html of a `cell`'s text; a key path may break after its dots and underscores."""
    html = escape(cell)
    return html if " " in cell or len(cell) < 16 else html.replace(".", ".<wbr>").replace("_", "_<wbr>")


def table(head: list[str], rows: list[list[str]], numeric=(), caption: str = "") -> str:
    """A table as html: its `head`, its `rows` of text, which columns are `numeric`, a `caption`."""
    def cells(tag, row):
        kinds = ["n" if i in numeric else "wide" if len(row[i]) > 26 else "" for i in range(len(row))]
        return "".join(f'<{tag} class="{kind}">{breakable(cell)}</{tag}>' for cell, kind in zip(row, kinds))

    top = f"<tr>{cells('th', head)}</tr>" if head else ""
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    name = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{name}{top}{body}</table>"


def _key_figures(result):
    parts = []
    for part, keys in _figures.tables().items():
        rows = [[_figures.words(k), _figures.shown(k, result.summary[k])] for k in keys if result.summary.get(k) is not None]
        if "pcc_mean_MW" in keys and (hour := contract.hottest_hour(result)) is not None:
            rows.append([contract.WORDS, _figures.shown("pcc_mean_MW", hour[0])])
        if rows:
            parts.append(table([], rows, numeric=(1,), caption=part))
    if not parts:
        raise Missing("the summary is empty")
    jobs = result.summary.get("jobs") or []
    if len(jobs) > 1:
        keys = [key for key in jobs[0] if not isinstance(jobs[0][key], (dict, list))]
        parts.append(table(keys, [[text(job.get(key)) for key in keys] for job in jobs], caption="Jobs"))
    return "Key figures", "", f'<div class="columns">{"".join(parts)}</div>'


def _day(page, result):
    inner = "".join(page.chart(f"chart-day-{k}", chart) for k, chart in enumerate(charts_day.day(result)))
    return span_word(result), "air → dies → clocks → throughput → power; the panels zoom together", inner


def span_word(result) -> str:
    """What the course of a `result` is called."""
    return "The run" if result.figure("simulated_s") < 20 * 3600 else "The day"


def _window(page, result, name):
    group = result.group(name)
    step_W = waveform.worst_step(group["time"], group["pcc_W"])[1]
    title, subtitle = findings.waveform(result, step_W / 1e6)
    inner = page.chart(f"chart-{name}", charts.window(result, name))
    inner += "<h2>The largest change over one second</h2>" + page.chart(f"chart-{name}-worst", charts.worst(result, name))
    return f"{title} ({waveform.window_word(name)})", f"{subtitle} · buckets keep their smallest and largest value".removeprefix(" · "), inner


def _iteration(page, result):
    chart = page.chart("chart-iteration", charts.iteration(result))
    return *findings.iteration(result, waveform.iteration_edges(result)[1]), chart


def _spectrum(page, result):
    return *findings.spectrum(result, *spectrum.dominant(result)), page.chart("chart-spectrum", charts.lines(result))


def _ramps(page, result):
    return *findings.ramps(result, *ramps.steepest(result)), page.chart("chart-ramps", charts.ramp_marks(result))


def _fleet(page, result):
    inner = "".join(page.chart(f"chart-fleet-{k}", chart) for k, chart in enumerate(charts.fleet_boxes(result)))
    return *fleet.words(result), f'<div class="pairs">{inner}</div>'


def _events(page, result):
    happened = events.log(result)
    inner = page.chart("chart-events", charts.strip(result))
    if happened:
        rows = [[f"{time_s:,.1f}", kind, entity, what] for time_s, kind, entity, what in happened[:500]]
        inner += '<div class="scroll tall">' + table(["time (s)", "kind", "what it struck", "what happened"], rows) + "</div>"
    if len(happened) > 500:
        inner += f'<p class="note">The first 500 of {len(happened)} events.</p>'
    return *findings.events(result, happened), inner


def _trust(result):
    group = result.group("trust")
    columns = [group[key].tolist() for key in ("key", "value", "low", "high", "source")]
    columns += [group[key].tolist() if key in group else [""] * len(columns[0]) for key in ("word", "words")]  # absent before 0.2
    effect = evidence.effects(group)
    rows = [tuple(column[k] for column in [*columns, effect]) for k in evidence.that_count(group)]
    inner = "<tr>" + "".join(f"<th{kind}>{word}</th>" for word, kind in
                             [("key", ""), ("value", ' class="n"'), ("low", ' class="n"'), ("in its range", ""), ("high", ' class="n"'), ("moves a headline by up to", ' class="n"'), ("source", "")]) + "</tr>"  # fmt: skip
    for key, value, low, high, source, word, words, moves in rows:
        where = f'<div class="range"><i style="left:{100 * min(1, max(0, (value - low) / (high - low))):.0f}%"></i></div>' if high > low else ""
        of_value = [*(f'<td class="n">{escape(text(x))}</td>' for x in (value, low)), f"<td>{where}</td>", f'<td class="n">{escape(text(high))}</td>']
        of_word = [f'<td class="n">{escape(str(word))}</td>', f'<td colspan="3">{escape(str(words))}</td>']
        cells = [f'<td class="key">{breakable(str(key))}</td>', *(of_word if word else of_value), f'<td class="n">{evidence.percent(moves)}</td>', f'<td class="wide">{escape(str(source))}</td>']
        inner += f"<tr>{''.join(cells)}</tr>"
    left = f"; {len(effect) - len(rows)} more move no headline of a shipped scenario by {evidence.percent(_core.LEAST_EFFECT_FRAC)}" if len(rows) < len(effect) else ""
    words = "values without a measured source, with the range they may lie in or the words they may be, and how far each alone has moved a headline of a shipped scenario over that range"
    return f"{len(rows)} assumed inputs that count{left}", words, f'<div class="scroll tall"><table>{inner}</table></div>'


def _zoom(page, result):
    chart = zoom.chart(result)
    buttons = "".join(f'<button type="button" data-zoom="{k}">{escape(span["word"])}</button>' for k, span in enumerate(chart["spans"]))
    inner = f'<div class="buttons">{buttons}</div>' + page.chart("chart-zoom", chart) + '<p class="note" id="chart-zoom-level"></p>'
    return "From the whole run to a millisecond", "drag over a span, or press a button; the finest record that fits the screen is drawn", inner


def _compliance(result, found):
    inner = ""
    for rules in dict.fromkeys(str(row.get("rule_set", "")) for row in found):
        rows = [compliance.cells(result, row) for row in found if row.get("rule_set", "") == rules]
        inner += table(compliance.HEAD, rows, numeric=(2, 3, 4, 5), caption=rules)
    for verdict, colour in compliance.COLOUR.items():
        inner = inner.replace(f'<td class="">{verdict}</td>', f'<td><b style="color:{colour}">{verdict}</b></td>')
    return *compliance.words(found), f'<div class="scroll rules">{inner}</div>'


def _energy(page, result):
    total = energy.totals(result)
    tiles = [(total["site"], "MWh at the connection"), (total["it"], "MWh in the servers"), (total["rest"], "MWh cooling and losses"),
             (total["water_m3"], "m³ of water"), (total["tokens"], "trillion tokens")]  # fmt: skip
    inner = "".join(f"<div><b>{findings.number(value, 4)}</b><span>{word}</span></div>" for value, word in tiles if math.isfinite(value))
    inner = f'<div class="big">{inner}</div>'
    for name, draw in [("chart-energy-hourly", energy.hourly), ("chart-energy-flows", energy.flows)]:
        try:
            inner += page.chart(name, draw(result))
        except Missing as missing:
            page.notes.append(f"energy: {missing}")
    inner += _costs(result)
    # The page asks for prices: they are the reader's, not findings.
    inner += (
        f'<form id="cost" data-site="{total["site"]:.9g}" data-tokens="{total["tokens"]:.9g}">'
        '<label>electricity <input name="price" type="number" min="0" value="60"> USD/MWh</label>'
        '<label>carbon <input name="carbon" type="number" min="0" value="400"> kg/MWh</label>'
        '<output></output></form><p class="note">Prices and carbon are yours to set; the values here are assumed (20–150 USD/MWh, '
        "10–900 kg/MWh). Demand charges and devices: catalog entries of kind <code>tariff</code>.</p>"
    )
    return f"{findings.number(total['site'], 4)} MWh in {findings.duration(total['hours'] * 3600)}", "energy at the connection, where it goes, what it costs", inner


def _costs(result):
    """What the scenario's own tariff and footprint make of the run; nothing without them."""
    rows = energy.costs(result)
    return '<div class="scroll">' + table(["at the scenario's tariff", ""], rows, numeric=(1,)) + "</div>" if rows else ""


def _books(result):
    group = result.group("energy")
    columns = [group[key].tolist() for key in ("level", "in_J", "out_J", "stored_J", "closure")]
    rows = [[level, *(f"{joule / 3.6e9:,.6g}" for joule in flows), f"{closure:.1e}" if closure else "0"]
            for level, *flows, closure in zip(*columns)]  # fmt: skip
    head = ["level", "in (MWh)", "out (MWh)", "stored (MWh)", "closure error"]
    inner = '<div class="scroll">' + table(head, rows, numeric=(1, 2, 3, 4)) + "</div>"
    return "Energy books", "every meter from its own equation; closure = |in − out − stored| / in", inner


def _provenance(result):
    short = {k: v for k, v in result.provenance.items() if "\n" not in v}
    rows = [[key, value] for key, value in short.items()]
    rows += [["payload SHA-256", result.payload_sha256], ["file", result.path.name]]
    inner = "".join(f"<tr><th>{escape(k)}</th><td><code>{escape(v)}</code></td></tr>" for k, v in rows)
    inner = f'<div class="scroll"><table>{inner}</table></div>'
    for key, value in result.provenance.items():
        if "\n" in value:
            inner += f"<details><summary>{escape(key)}</summary><pre>{escape(value)}</pre></details>"
    return "Provenance", "what this result was made from", inner
