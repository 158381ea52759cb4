"""What the headlines of a run rest on: blind validation rows with their error, and assumed inputs."""
from __future__ import annotations

import math
from html import escape

from .. import _core
from .findings import number
from .read import Missing

SHOWN = 8  # rows and inputs named per headline


def backing(result) -> list[dict]:
    """Per headline of the `result`: `headline`, `rows` (blind rows on its devices), `fitted` (rows of what it follows from, to which an
    entry was fitted after they were computed), `n_other_device`, `assumed`."""
    scenario = "\n".join(value for value in result.provenance.values() if "\n" in value)
    trust = _trust(result)
    assumed = [str(trust["key"].tolist()[k]) for k in that_count(trust)] if "key" in trust else []
    return [b for b in _core.backing(scenario, assumed) if b["headline"] in result.summary]


def _trust(result):
    try:
        return result.group("trust")
    except Missing:
        return {}


def effects(trust) -> list[float]:
    """Largest change of a headline that each assumed input of the group `trust` has made alone in shipped scenarios, dimensionless; NaN:
    not known, as in files before 0.2."""
    return trust["largest_effect_frac"].tolist() if "largest_effect_frac" in trust else [math.nan] * len(trust["key"])


def that_count(trust) -> list[int]:
    """Places of the assumed inputs of `trust` that may move a headline: those not known first, then the strongest."""
    effect = effects(trust)
    order = sorted(range(len(effect)), key=lambda k: -math.inf if math.isnan(effect[k]) else -effect[k])
    return [k for k in order if not effect[k] < _core.LEAST_EFFECT_FRAC]


def percent(effect_frac: float) -> str:
    """An `effect_frac` in print."""
    return "not known" if math.isnan(effect_frac) else f"{number(100 * effect_frac, 2)} %"


def error(row: dict) -> str:
    """First error of a row, signed."""
    text = f"{row['first_error']:+.2g} {row['unit']}" if row["unit"] else f"{100 * row['first_error']:+.1f} %"
    return text.replace("-", "−")


def rows_text(b: dict) -> str:
    """The rows of one headline's backing `b`, those of the largest error first; or that none backs it."""
    rows = sorted(b["rows"], key=lambda r: -abs(r["first_error"]))
    named = ", ".join(f"{r['row']} {error(r)}" for r in rows[:SHOWN]) or "no row backs this on these devices"
    more = [f"{len(rows) - SHOWN} more"] if len(rows) > SHOWN else []
    more += ["fitted since, first error: " + ", ".join(f"{r['row']} {error(r)}" for r in b["fitted"])] if b["fitted"] else []
    more += [f"{b['n_other_device']} blind rows on other devices"] if b["n_other_device"] else []
    return "; ".join([named, *more])


def section(result) -> tuple[str, str, str]:
    """(title, subtitle, html) for the report of a `result`. Raises Missing: none of the headlines is in its summary"""
    found = backing(result)
    if not found:
        raise Missing("none of the headlines that rows compare is in the summary")
    backed = sum(bool(b["rows"]) for b in found)
    cells = ""
    for b in found:
        assumed = ", ".join(b["assumed"][:SHOWN]) + (f"; {len(b['assumed']) - SHOWN} more" if len(b["assumed"]) > SHOWN else "")
        cells += f"<tr><th>{escape(b['headline'])}</th><td class=\"wide\">{escape(rows_text(b))}</td><td class=\"wide\">{escape(assumed or 'none')}</td></tr>"
    head = "<tr><th>headline</th><th>blind rows that back it, first error</th><th>assumed inputs that could move it</th></tr>"
    title = f"Blind rows back {backed} of {len(found)} headlines"
    return title, "published measurements of the same quantity on the same devices, by which nothing was set", f'<div class="scroll tall"><table>{head}{cells}</table></div>'
