"""The figures of a run: unit, words and digits of each, from the list that `tidewatt figures` prints."""
from __future__ import annotations

import functools
from typing import Any, Iterable

from . import _core

BLANK = "\u00a0"  # between number and unit no line breaks


def figures() -> list[dict[str, Any]]:
    """All figures that the summary of a run may have. As `tidewatt figures --json`.

    Returns
    -------
    list of dict
        In the order of reading; each has `key`, `unit`, `words`, `meaning`, `null_when` (in which runs there is none), `topic`, `scope`
        ("site", "job", "both"), `headline` (its place among those whose chance a run gives, or None), `interval` (parts of that chance),
        `digits`, `in_tables`, and `shown_unit` and `scale` for people.

    Examples
    --------
    >>> [figure["key"] for figure in tw.figures() if figure["headline"]]
    """
    return _core.figure_list()


@functools.lru_cache(maxsize=None)
def listed() -> dict[str, dict[str, Any]]:
    """`figures` by key."""
    return {figure["key"]: figure for figure in figures()}


@functools.lru_cache(maxsize=None)
def tables() -> dict[str, list[str]]:
    """The keys of each table: those that terminal, report and notebook show."""
    out: dict[str, list[str]] = {}
    for figure in figures():
        if figure["in_tables"]:
            out.setdefault(figure["topic"], []).append(figure["key"])
    return out


def words(key: str) -> str:
    """The short name of the figure `key`."""
    return listed()[key]["words"]


def shown(key: str, value: Any, digits: int = 0) -> str:
    """The `value` of the figure `key` with its unit, as the terminal shows it; `digits`: significant ones, 0: the figure's own."""
    said = _core.figure_text(key, value, digits)
    return said if isinstance(value, str) else said.replace(" ", BLANK).replace("," + BLANK, ", ")


def named(key: str, value: Any) -> str:
    """The `value` of the figure `key` behind its short name."""
    return f"{words(key)} {shown(key, value)}"


def ends(key: str, values: Iterable[float], digits: int = 0) -> str:
    """Two `values` of the figure `key` without its unit: the ends of an interval, with this number of significant `digits`."""
    unit = listed()[key]["shown_unit"]
    return " to ".join(shown(key, value, digits).removesuffix(BLANK + unit) for value in values)


def text(value: Any, digits: int = 4) -> str:
    """Any `value` as text with this number of significant `digits`; "–" for null and NaN."""
    if value is None or value != value:
        return "–"
    if isinstance(value, (list, tuple)):
        return ", ".join(text(x, digits) for x in value) or "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if value == 0 or 1e-3 <= abs(value) < 1e15:
        return f"{float(f'{value:.{digits}g}'):,.10g}".replace("-", "−")
    return f"{value:.2e}"
