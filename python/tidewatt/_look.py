"""Results in a notebook: main figures as text with unit and key, the rest folded."""
from __future__ import annotations

from html import escape
from typing import Any, Iterable, Mapping

from . import _figures
from ._figures import text
from .report.findings import of_peak

VERDICT = {"pass": "#009e73", "fail": "#d55e00"}
HEADLINE = ("n_gpu", "pcc_mean_MW", "iteration_s", "mfu_percent", "throughput_swing_percent", "die_max_degC", "pue")


def result_html(summary: Mapping[str, Any], columns: Mapping[str, Iterable[str]]) -> str:
    """A result as html.

    Parameters
    ----------
    summary : Mapping[str, Any]
        Its figures by key.
    columns : Mapping[str, Iterable[str]]
        Names of the arrays of each group.
    """
    parts = [
        _figures.named(key, summary[key]) + (of_peak(summary) if key == "mfu_percent" else "") + _ends(summary, key)
        for key in HEADLINE
        if summary.get(key) is not None
    ]
    if any(_ends(summary, key) for key in HEADLINE):
        parts.append("in brackets: 90 % interval")
    verdict = summary.get("compliance")
    rules = f' · rules: <b style="color:{VERDICT.get(verdict, "inherit")}">{escape(verdict)}</b>' if verdict else ""
    groups = "".join(f"<li><b>{escape(name)}</b>: {escape(', '.join(names))}</li>" for name, names in columns.items())
    known = {key for keys in _figures.tables().values() for key in keys}
    rest = {key: value for key, value in summary.items() if key not in known and key != "jobs"}
    return (
        f"<p><b>tidewatt.Result</b> {escape(' · '.join(parts))}{rules}</p>"
        + '<div style="columns: 2 26em; column-gap: 2em">'
        + "".join(_part(title, keys, summary) for title, keys in _figures.tables().items())
        + "</div>"
        + _folded(f"{len(rest)} more figures", _table(rest.items()))
        + "".join(_folded(f"job {escape(str(job.get('name')))}", _table(job.items())) for job in summary.get("jobs") or [])
        + _folded(f"{len(columns)} groups of arrays", f"<ul>{groups}</ul>")
    )


def in_words(summary: Mapping[str, Any], key: str, digits: int = 0) -> str:
    """The figure `key` of a `summary` with its unit, and the ends of its 90 % interval in brackets where it has one.

    Parameters
    ----------
    summary, key, digits
        Figures by key; one of them; significant digits, 0: the figure's own.
    """
    return _figures.shown(key, summary[key], digits) + _ends(summary, key, digits)


def _ends(summary: Mapping[str, Any], key: str, digits: int = 0) -> str:
    low, high = summary.get(f"{key}_p05"), summary.get(f"{key}_p95")
    return "" if low is None or high is None else f" ({_figures.ends(key, (low, high), min(digits, 3))})"


def result_repr(summary: Mapping[str, Any], groups: Iterable[str]) -> str:
    """What a notebook shows of a result: every figure of its `summary`, and the names of its `groups`."""
    figures = "\n".join(f"  {key:<32} {shown(value)}" for key, value in summary.items())
    return f"<tidewatt.Result>\n{figures}\n  groups: {', '.join(groups)}"


def _part(title: str, keys: Iterable[str], summary: Mapping[str, Any]) -> str:
    rows = "".join(
        f'<tr><td style="text-align:left">{escape(_figures.words(key))}</td><td style="text-align:right">{escape(_figures.shown(key, summary[key]))}</td>'
        f'<td style="text-align:left"><code style="opacity:0.6; font-size:80%">{escape(key)}</code></td></tr>'
        for key in keys
        if summary.get(key) is not None
    )
    if not rows:
        return ""
    return f'<table style="break-inside:avoid; width:100%"><caption style="text-align:left"><b>{escape(title)}</b></caption>{rows}</table>'


def _table(items: Iterable[tuple[str, Any]]) -> str:
    return "<table>" + "".join(f"<tr><th>{escape(key)}</th><td>{escape(_value(key, value))}</td></tr>" for key, value in items) + "</table>"


def _value(key: str, value: Any) -> str:
    return _figures.shown(key, value) if key in _figures.listed() else text(value)


def _folded(title: str, inner: str) -> str:
    return f"<details><summary>{title}</summary>{inner}</details>"


def shown(value: Any) -> str:
    """A figure as text: six digits, a dash for none.

    Parameters
    ----------
    value : object
        A figure of a summary.
    """
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {shown(item)}" for key, item in value.items())
    if isinstance(value, list):
        return "; ".join(shown(item) for item in value)
    return str(value)
