"""Limits of a site's rules that a picture can show, with the window or band that each is meant for."""
from __future__ import annotations

import dataclasses
import re

import numpy as np

from .read import Missing, ResultFile

ORDER = ["fail", "undecided", "not measured", "pass"]


def rows(result: ResultFile) -> list[dict]:
    """One dict per rule of a `result`, the worst verdict first: `rule_set`, `rule`, `title`, `verdict`, `unit`, `value`,
    `spread`, `limit`, `margin_frac`, `worst_s`. Raises Missing: the run has no rules"""
    group = result.group("compliance")
    keys = [k for k in ("rule_set", "rule", "title", "verdict", "unit", "value", "spread", "limit", "margin_frac", "worst_s") if k in group]
    out = [dict(zip(keys, row)) for row in zip(*(group[key].tolist() for key in keys))]
    return sorted(out, key=lambda row: ORDER.index(row["verdict"]) if row["verdict"] in ORDER else 0)


@dataclasses.dataclass(frozen=True)
class RampLimit:
    """A limit on ramps over `window_s` in W/s; `way`: "rise", "fall", or both."""

    window_s: float
    way: str
    limit: float


def _toml(text: str) -> dict:
    """The tables of a `text`; none where this Python reads no TOML."""
    try:
        import tomllib
    except ImportError:  # Python 3.9 and 3.10
        return {}
    return tomllib.loads(text)


def _definitions(name: str) -> dict:
    """The rules of the catalog's set `name`, by their names; empty where the catalog has none."""
    try:
        from .._catalog import Catalog

        return _toml(Catalog().text("rules/" + name)).get("rule", {})
    except Exception:  # a set of the reader's own that is not in the catalog: its limits are in the table of rules
        return {}


def _own_definitions(result: ResultFile) -> dict[str, dict]:
    """The rules that the scenario of a `result` writes itself, by the names of their sets."""
    text, override = result.provenance.get("scenario", ""), "# --set site.rules="
    # The scenario's own text comes first, those that it inherits from after it.
    sites = [_toml(part).get("site", {}) for part in re.split(r"(?m)^# ---- .*$", text)]
    rules = next((site["rules"] for site in sites if "rules" in site), [])
    for line in text.splitlines():
        if line.startswith(override):
            rules = _toml("rules = " + line[len(override) :])["rules"]
    found: dict[str, dict] = {}
    for one in rules if isinstance(rules, list) else [rules]:
        if isinstance(one, dict):
            found.setdefault(one.get("name", "user"), {}).update(one.get("rule", {}))
    return found


def judged(result: ResultFile) -> list[tuple[dict, dict]]:
    """(row of /compliance, definition of its rule) of every rule of a `result` whose definition is known."""
    try:
        found = rows(result)
    except Missing:
        return []
    sets = {str(row.get("rule_set", "")) for row in found}
    known = {**{name: _definitions(name) for name in sets}, **_own_definitions(result)}
    pairs = [(row, known[str(row.get("rule_set", ""))].get(row.get("rule"))) for row in found]
    return [(row, definition) for row, definition in pairs if definition]


def of_ramps(result: ResultFile) -> list[RampLimit]:
    """The limits on ramps in the rules of a `result`; a rise and a fall with the same limit are one."""
    ways: dict[tuple[float, float], list[str]] = {}
    for row, rule in judged(result):
        way = {"ramp_up": "rise", "ramp_down": "fall"}.get(rule.get("figure"))
        if way and np.isfinite(row["limit"]):
            ways.setdefault((float(rule["window_s"]), float(row["limit"])), []).append(way)
    return [RampLimit(window_s, " and ".join(sorted(set(way), reverse=True)), limit) for (window_s, limit), way in sorted(ways.items())]


def of_lines(result: ResultFile, f_Hz: np.ndarray, amplitude_W: np.ndarray) -> list[tuple[float, float, float, str]]:
    """(lowest and highest frequency in Hz, amplitude in W, words) of each limit on single lines in the rules of a `result`; its
    spectrum is `amplitude_W` at `f_Hz`, shapes (n,).

    A limit on a line's share of its band becomes an amplitude by the run's own share: limit = strongest line · limit / value.
    """
    out = []
    for row, rule in judged(result):
        inside = (f_Hz >= rule.get("low_Hz", 0)) & (f_Hz <= rule.get("high_Hz", np.inf))
        if rule.get("figure") == "line_share" and inside.any() and row["value"] > 0:
            limit_W = float(amplitude_W[inside].max() * row["limit"] / row["value"])
            out.append((float(rule["low_Hz"]), float(rule["high_Hz"]), limit_W, f"limit of a line: {row['limit']:g} of its band"))
    return out
