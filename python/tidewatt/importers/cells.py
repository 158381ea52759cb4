"""Numbers as spreadsheets, dashboards and building systems write them: decimal commas, thousands apart, units in the cell."""

from __future__ import annotations

import re

import pandas as pd

from . import units
from .report import ImportReport
from .text import NO_VALUE

_NUMBER = re.compile(r"^([+-]?\d[\d.,'’\u00a0\u202f\u2009 ]*(?:[eE][+-]?\d+)?)\s*([^\d\s].*)?$")
_WHOLE = re.compile(r"^[+-]?(\d+([.,]\d+)?|\d{1,3}(\.\d{3})+(,\d+)?|\d{1,3}(,\d{3})+(\.\d+)?)([eE][+-]?\d+)?$")  # no version, no address
_APART = re.compile(r"(?<=\d)['’\u00a0\u202f\u2009 ](?=\d{3}(?!\d))")
_OTHER = {".": ",", ",": "."}
_GROUPS = {mark: re.compile(rf"^[+-]?[1-9]\d{{0,2}}(?:{re.escape(mark)}\d{{3}})+$") for mark in ".,"}


def split(cell: str) -> tuple[str, str]:
    """The number's text and its unit: `1.234,5 kW` gives `1.234,5` and `kW`; ("", "") where the cell is no number with or without a unit.

    `cell`: its text
    """
    match = _NUMBER.match(cell.strip().replace("\u2212", "-"))
    if match is None:
        return "", ""
    written, unit = _APART.sub("", match[1]).strip(), (match[2] or "").strip()
    return (written, unit) if _WHOLE.match(written) and (not unit or units.is_unit(unit)) else ("", "")


def decimal_mark(numbers) -> tuple[str, bool]:
    """The decimal mark of numbers that belong together, and whether they tell it.

    A number with both marks has its decimal mark last. A mark that comes twice in a number, or once before other than three digits, is
    told too. `1.234` and `1,234` alone tell nothing. `numbers`: texts without units
    """
    for text in numbers:
        text = text.partition("e")[0].partition("E")[0]
        if "." in text and "," in text:
            return (".", True) if text.rfind(".") > text.rfind(",") else (",", True)
        for mark, other in ((".", ","), (",", ".")):
            if mark in text and not _GROUPS[mark].match(text):
                return mark, True
            if text.count(mark) > 1:
                return other, True
    return "", False


def plain_numbers(table: pd.DataFrame, report: ImportReport, file: str, delimiter: str, skip: str) -> pd.DataFrame:
    """Columns of numbers with a decimal point and nothing between thousands; the unit in a cell stays behind its number.

    Each column tells its own decimal mark; where it does not, the file's other columns do. At last a comma is the decimal mark unless
    commas separate the cells.

    Parameters
    ----------
    table
        Of texts.
    report
        Takes notes.
    file
        For them.
    delimiter
        Of the file.
    skip
        a column that holds no text.
    """
    parts = {name: pairs for name in table.columns.drop(skip) if (pairs := _numbers(table[name]))}
    told = {name: decimal_mark([n for n, _ in pairs if n]) for name, pairs in parts.items()}
    marks = [mark for mark, sure in told.values() if sure]
    for name, pairs in parts.items():
        written = [n for n, _ in pairs if n]
        mark, sure = told[name]
        mark = mark if sure else _doubtful_mark(name, written, marks, report, file, delimiter)
        if mark == "," and any("," in n for n in written):
            table.attrs["decimal_comma"] = True
            report.note(f"{file}: '{name}' has decimal commas")
        table[name] = [f"{n.replace(_OTHER[mark], '').replace(mark, '.')} {unit}".strip() if n else c for c, (n, unit) in zip(table[name], pairs)]
    return table


def _numbers(column) -> list[tuple[str, str]]:
    """Numbers and units of a column's cells if most of those with a value are numbers; none if they are dates."""
    pairs = [split(c) for c in column]
    known = [n for (n, _), c in zip(pairs, column) if c.strip().lower() not in NO_VALUE]
    return pairs if sum(map(bool, known)) > 0.5 * len(known) and not any(map(_is_date, column.iloc[:20])) else []


def _doubtful_mark(name: str, written: list[str], marks: list[str], report: ImportReport, file: str, delimiter: str) -> str:
    """The decimal mark of a column that does not tell it, with a warning where a number could be read otherwise."""
    if marks:
        mark = max(".,", key=marks.count)
        if grouped := next((n for n in written if _OTHER[mark] in n), ""):
            report.warn(file, f"'{name}': '{grouped}' is read as {grouped.replace(_OTHER[mark], '')}, because the file's other columns have '{mark}' as the decimal mark")
        return mark
    comma = next((n for n in written if "," in n), "")
    if comma:
        what = "read so" if delimiter == "," else "read as the decimal mark"
        report.warn(file, f"'{name}' does not tell whether the comma of '{comma}' parts thousands; {what}")
    return "," if comma and delimiter != "," else "."


def _is_date(cell: str) -> bool:
    return bool(re.match(r"^\d{1,4}([./-])\d{1,2}\1\d{1,4}", cell.strip()) or re.match(r"^\d{1,2}[:.]\d\d[:.]\d\d", cell.strip()))


def units_in(column) -> set[str]:
    """The units of a column's numbers, "" where one has none. `column`: texts of the cells"""
    return {units.known(unit) for number, unit in map(split, map(str, column)) if number}


def unit_in(column) -> str:
    """The unit that most cells of a column give after their number; "" if there is none. `column`: texts of the cells"""
    found = [units.known(split(str(c))[1]) for c in column]
    found = [u for u in found if u]
    return max(set(found), key=found.count) if len(found) > 0.5 * max(1, sum(str(c).strip().lower() not in NO_VALUE for c in column)) else ""
