"""Results in a notebook: main figures as text with unit and key, the rest folded."""
from __future__ import annotations

from html import escape
from typing import Any, Iterable, Mapping

from .report.findings import of_peak
from .report.labels import FIGURES, text, with_unit

VERDICT = {"pass": "#009e73", "fail": "#d55e00"}
HEADLINE = [
    ("n_gpu", "{} GPUs", ""), ("pcc_mean_MW", "{} at the connection", "MW"), ("iteration_s", "iteration {}", "s"), ("mfu_percent", "MFU {}", "%"),
    ("throughput_swing_percent", "throughput swings {}", "%"), ("die_max_degC", "hottest die {}", "°C"), ("pue", "PUE {}", ""),
]  # fmt: skip


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
        pattern.format(with_unit(summary[key], unit)) + (of_peak(summary) if key == "mfu_percent" else "") + _ends(summary, key)
        for key, pattern, unit in HEADLINE
        if summary.get(key) is not None
    ]
    if any(_ends(summary, key) for key, _, _ in HEADLINE):
        parts.append("in brackets: 90 % interval")
    verdict = summary.get("compliance")
    rules = f' · rules: <b style="color:{VERDICT.get(verdict, "inherit")}">{escape(verdict)}</b>' if verdict else ""
    groups = "".join(f"<li><b>{escape(name)}</b>: {escape(', '.join(names))}</li>" for name, names in columns.items())
    known = {key for figures in FIGURES.values() for key in figures}
    rest = {key: value for key, value in summary.items() if key not in known and key != "jobs"}
    return (
        f"<p><b>tidewatt.Result</b> {escape(' · '.join(parts))}{rules}</p>"
        + '<div style="columns: 2 26em; column-gap: 2em">'
        + "".join(_part(title, figures, summary) for title, figures in FIGURES.items())
        + "</div>"
        + _folded(f"{len(rest)} more figures", _table(rest.items()))
        + "".join(_folded(f"job {escape(str(job.get('name')))}", _table(job.items())) for job in summary.get("jobs") or [])
        + _folded(f"{len(columns)} groups of arrays", f"<ul>{groups}</ul>")
    )


def in_words(summary: Mapping[str, Any], key: str, digits: int = 3) -> str:
    """The figure `key` of a `summary` with its unit, and the ends of its 90 % interval in brackets where it has one.

    Parameters
    ----------
    summary, key, digits
        Figures by key; one of them; significant digits.
    """
    unit = next((figures[key][1] for figures in FIGURES.values() if key in figures), "")
    return with_unit(summary[key], unit, digits) + _ends(summary, key, min(digits, 3))


def _ends(summary: Mapping[str, Any], key: str, digits: int = 3) -> str:
    low, high = summary.get(f"{key}_p05"), summary.get(f"{key}_p95")
    return "" if low is None or high is None else f" ({text(low, digits)} to {text(high, digits)})"


def result_repr(summary: Mapping[str, Any], groups: Iterable[str]) -> str:
    """What a notebook shows of a result: every figure of its `summary`, and the names of its `groups`."""
    figures = "\n".join(f"  {key:<32} {shown(value)}" for key, value in summary.items())
    return f"<tidewatt.Result>\n{figures}\n  groups: {', '.join(groups)}"


def _part(title: str, figures: Mapping[str, tuple[str, str]], summary: Mapping[str, Any]) -> str:
    rows = "".join(
        f'<tr><td style="text-align:left">{escape(word)}</td><td style="text-align:right">{escape(with_unit(summary[key], unit))}</td>'
        f'<td style="text-align:left"><code style="opacity:0.6; font-size:80%">{escape(key)}</code></td></tr>'
        for key, (word, unit) in figures.items()
        if summary.get(key) is not None
    )
    if not rows:
        return ""
    return f'<table style="break-inside:avoid; width:100%"><caption style="text-align:left"><b>{escape(title)}</b></caption>{rows}</table>'


def _table(items: Iterable[tuple[str, Any]]) -> str:
    return "<table>" + "".join(f"<tr><th>{escape(key)}</th><td>{escape(text(value))}</td></tr>" for key, value in items) + "</table>"


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
