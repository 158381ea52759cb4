"""The page: its frame as HTML; the script fills it from the server's description of the base case."""
from __future__ import annotations

from html import escape

from ..report.page_files import text
from .base import Base


def html(base: Base, token: str | None) -> str:
    """The page of a `base` case; it asks for its script with the `token`, where there is one."""
    report_style, style = (text(__file__, name) for name in ("../report/page.css", "page.css"))
    script = "/page.js" + ("" if token is None else f"?token={token}")
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>Plan {escape(base.name)} – tidewatt</title><style>
{report_style}
{style}</style></head><body>
<a class="skip" href="#figures">Skip to the figures</a>
<main class="planner">
<header><p class="above">tidewatt serve</p><h1>Plan {escape(base.name.replace("_", " "))}</h1>
<p class="sub" id="facts"></p></header>
<form id="controls" aria-label="Settings" autocomplete="off"></form>
<div id="answers">
<p id="state" role="status" aria-live="polite"><b class="badge">starting</b> <b id="outcome"></b><span></span> <span id="progress" aria-hidden="true"></span></p>
<div id="trouble" role="alert" hidden></div>
<section id="figures"><h2>This variant against the base case</h2><div class="big" id="tiles"></div>
<div class="buttons"><button type="button" id="keep">Keep this variant</button><button type="button" id="reset">Back to the base case</button>
<label class="inline"><input type="checkbox" id="intervals" checked> intervals</label> <span class="inline" id="keeping" role="status"></span></div></section>
<section id="rules"><h2>Rules</h2><p class="sub" id="verdict"></p><div class="scroll rules" id="verdicts" tabindex="0" aria-label="Verdicts"></div></section>
<section id="compare"><h2>Side by side</h2><p class="sub">up to six kept variants; choose them in the table below</p>
<div class="scroll" id="beside" tabindex="0" aria-label="Variants side by side"></div></section>
<section id="waveform"><h2>Power at the connection, from the whole run to a millisecond</h2>
<p class="sub" id="drawn">drag over a span, or press a button. Arrow keys, + and − work when the chart has the focus</p>
<div class="buttons" id="spans"></div><div class="chart" id="chart-zoom"></div><p class="note" id="chart-zoom-level"></p></section>
<section id="why"><h2>Why does throughput move?</h2><p class="sub" id="limiter"></p>
<div class="buttons"><button type="button" id="ask">Ask: repeat the run without each cause and with each change</button></div><div id="because" class="scroll" tabindex="0" aria-label="Causes and changes"></div></section>
<section id="more"><h2>Course, spectrum, ramps</h2><div id="charts"></div></section>
<section id="kept"><h2>Kept variants</h2><p class="sub">twenty at most, in this tab</p><div class="scroll" id="table" tabindex="0" aria-label="Kept variants"></div>
<div class="buttons"><button type="button" id="csv">Table as CSV</button></div></section>
<section id="export"><h2>Export this variant</h2><div class="buttons exports"><label>name <input id="name" value="variant" maxlength="64" spellcheck="false"></label>
<button type="button" data-what="scenario">Scenario</button><button type="button" data-what="report">Report</button>
<label>filing for <select id="filing"></select></label><button type="button" data-what="filing">Filing pack</button></div><div id="exported" role="status"></div></section>
</div></main><script src="{script}"></script></body></html>
"""


def script() -> str:
    """The page's script."""
    return text(__file__, "page.js")
