"""Rules against figures: pass, fail, undecided, not measured."""
from __future__ import annotations

import datetime

import numpy as np

from .findings import number
from .read import ResultFile
from .rule_limits import ORDER, rows  # noqa: F401 - rows is offered here
from .style import TimeAxis

SPOKEN = {"W": (1e-6, "MW"), "W/s": (1e-6, "MW/s"), "1": (1.0, ""), "pu": (1.0, "pu"), "Hz": (1.0, "Hz")}
HEAD = ["rule", "verdict", "figure", "limit", "margin", "worst at (since the start)"]
COLOUR = {"pass": "#009E73", "fail": "#D55E00", "undecided": "#E69F00", "not measured": "#8A8A8A"}


def words(found: list[dict]) -> tuple[str, str]:
    """(title, subtitle) from the rows `found`."""
    count = {verdict: sum(row["verdict"] == verdict for row in found) for verdict in ORDER}
    whole = next((verdict for verdict in ORDER if count[verdict]), "pass")
    title = {"fail": f"{count['fail']} of {len(found)} rules fail", "undecided": "No rule fails, but not all are decided",
             "not measured": "No rule fails, but not all were measured", "pass": f"All {len(found)} rules pass"}[whole]
    held = [f"{n} {verdict}" for verdict, n in count.items() if n]
    return title, " · ".join(held) if len(held) > 1 else ""


def worst(found: list[dict]) -> str:
    """The worst verdict of the rows `found`."""
    return min((row["verdict"] for row in found), key=lambda verdict: ORDER.index(verdict) if verdict in ORDER else 0)


def moment(result: ResultFile, at_s: float) -> str:
    """The time `at_s`, s since the start of the run of a `result`, as local clock time and time since the start; the date too in runs of over a day."""
    if not np.isfinite(at_s) or at_s < 0:
        return "–"
    try:
        start = datetime.datetime.fromisoformat(result.provenance.get("start_time", "")).replace(tzinfo=None)
    except ValueError:
        return f"{at_s:,.1f} s"
    axis, tenths = TimeAxis(start, result.figure("simulated_s")), round(10 * at_s)
    clock = start + datetime.timedelta(seconds=tenths // 10)
    date = f"{clock:%Y-%m-%d} " if result.figure("simulated_s") > 86400 else ""
    unit_s, unit = next(((s, word) for most_s, s, word in ((120.0, 1.0, "s"), (7200.0, 60.0, "min")) if at_s < most_s and s < axis.unit_s), (axis.unit_s, axis.unit))
    return f"{date}{clock:%H:%M:%S}.{tenths % 10} ({number(at_s / unit_s, 4)}\u00a0{unit})"


def cells(result: ResultFile, row: dict) -> list[str]:
    """A `row` of a `result` as texts, in the order of `HEAD`: rule, verdict, figure with its spread, limit, margin in percent, worst moment."""
    scale, unit = SPOKEN.get(row.get("unit", "1"), (1.0, row.get("unit", "")))
    value, spread, limit = scale * row.get("value", np.nan), scale * row.get("spread", 0.0), scale * row.get("limit", np.nan)
    figure = number(value) + (f" ± {number(spread, 2)}" if np.isfinite(value) and spread else "") + (f"\u00a0{unit}" if unit and np.isfinite(value) else "")
    margin = row.get("margin_frac", np.nan)
    return [row.get("title") or row.get("rule", ""), row["verdict"], figure, number(limit) + (f"\u00a0{unit}" if unit and np.isfinite(limit) else ""),
            f"{100 * margin:+,.1f}\u00a0%".replace("-", "−") if np.isfinite(margin) else "–", moment(result, row.get("worst_s", np.nan))]  # fmt: skip
