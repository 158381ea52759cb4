"""Where a table begins and what its columns are called: titles, `sep=`, one or two header lines, a line of units."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from typing import Callable, Iterable, Iterator

from . import cells as numbers
from . import units
from .report import ImportReport, InputError
from .text import NO_VALUE

SEP = re.compile(r'^"?sep=(.)"?[,;\s]*$', re.IGNORECASE)  # tells Excel the delimiter; no row of the table
_TIME = re.compile(r"\d{1,4}[./:-]\d{1,2}[./:-]\d{1,4}|^\d{1,2}:\d\d|^\d{9,}$")


def layout(text: str, file: str = "") -> tuple[str, int, str]:
    """Delimiter, number of cells and line of the header. Reports put a title or remarks above it: then the rows tell.

    `text`: the file, or its beginning; `file`: its name, for the place of an error. Raises InputError: as `rows`
    """
    lines = [line for line in text.split("\n", 200)[:200] if line.strip()][:60]
    if not lines:
        return ",", 0, ""
    given = SEP.match(lines[0])
    if given and len(lines) > 1:
        return given[1], Counter(len(row) for _, _, row in rows(lines[1:], given[1], file)).most_common(1)[0][0], lines[1]

    def usual(delimiter: str) -> tuple[int, int]:
        return Counter(len(row) for _, _, row in rows(lines, delimiter, file)).most_common(1)[0]

    def cells_of(line: str, delimiter: str) -> int:
        return len(next(rows([line], delimiter, file))[2])

    first = max(",;\t", key=lines[0].count)
    own = cells_of(lines[0], first)
    ends = sum(line.rstrip().endswith(first) for line in lines[1:]) > 0.5 * len(lines)  # each row ends with a delimiter
    if own == 1 or usual(first)[0] not in (own, own + 1 if ends else own):
        for delimiter in ";\t,":
            n, times = usual(delimiter)
            if n > 1 and times >= 0.5 * len(lines):
                return delimiter, n, next(line for line in lines if cells_of(line, delimiter) == n)
    return first, own, lines[0]


def rows(lines: Iterable[str], delimiter: str = ",", file: str = "", **more) -> Iterator[tuple[int, int, list[str]]]:
    """(first line, last line, cells) of each record.

    Parameters
    ----------
    lines
        Of the file.
    delimiter
        Between cells.
    file
        Its name, for the place.
    more
        What `csv.reader` takes besides.

    Raises
    ------
    InputError
        a record is none, for example one cell has more than 131,072 characters; the message names its place.
    """
    reader, before = csv.reader(lines, delimiter=delimiter, **more), 0
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise InputError(f"{file}:{before + 1}: cannot be read as a row of a table ({error})") from error
        if cells is None:
            return
        row, before = before + 1, reader.line_num
        yield row, before, cells


def records(text: str, delimiter: str, file: str = "") -> Iterator[tuple[int, int, list[str]]]:
    """(first line, last line, cells) of each record that is not blank. `text`: the file; `delimiter`: between cells; `file`: its
    name"""
    return (record for record in rows(io.StringIO(text), delimiter, file) if any(c.strip() for c in record[2]))


def names(text: str) -> list[str]:
    """Cells of a table's header, without titles above it; none where the text is no table. `text`: the file, or its beginning"""
    try:
        delimiter, _, line = layout(text)
        return [c.strip() for c in next(rows([line], delimiter, skipinitialspace=True))[2]] if line else []
    except InputError:
        return []


def named(text: str, file: str, report: ImportReport, is_header: Callable[[list[str]], bool]) -> Iterator[tuple[int, dict[str, str]]]:
    """(line, cells by name) of each row below a header, which may come again where a log was appended to another.

    Parameters
    ----------
    text
        The file.
    file
        For the places.
    report
        Takes rows before a header and torn ones.
    is_header
        Of a row's cells.
    """
    delimiter, head = layout(text, file)[0], []
    for _, last, cells in rows(io.StringIO(text), delimiter, file, skipinitialspace=True):
        cells = [c.strip() for c in cells]
        if is_header(cells):
            head = cells
        elif head and len(cells) == len(head):
            yield last, dict(zip(head, cells))
        elif any(cells) and not SEP.match(delimiter.join(cells)):
            report.ignore(f"{file}:{last}", f"{len(cells)} cells, the header has {len(head)} (a torn line)" if head else "before the header")


def line(found, n_cell: int) -> int:
    """Line of the header where titles with the table's number of cells stand above it; 0 where none do. Rows with times follow the header.

    `found`: `records`; `n_cell`: of the table
    """
    wide = [(row, [c.strip() for c in cells]) for row, _, cells in found if len(cells) == n_cell][:60]
    times = [{i for i, c in enumerate(cells) if _TIME.search(c)} for _, cells in wide]
    at = next((i for i in range(1, len(wide)) if times[i] & times[min(i + 1, len(wide) - 1)]), 0) - 1
    full = [all(cells[:-1]) and len(set(cells)) == n_cell for _, cells in wide]
    at -= at > 0 and full[at - 1] and of_units(wide[at][1])
    return wide[at][0] if at > 0 and full[at] and all(cells[0] and "" in cells or sum(map(bool, cells)) == 1 for _, cells in wide[:at]) else 0


def of_units(row) -> bool:
    """Whether a row has no number and no time and most of its cells are a unit, or end with one. `row`: its cells"""
    filled = [c.strip() for c in row if c.strip()]
    told = sum(units.is_unit(c) or bool(units.split(c)[1]) for c in filled)
    return told > 0.5 * len(filled) and not any(numbers.split(c)[0] or _TIME.search(c) for c in filled)


def is_more(names, row) -> bool:
    """Whether a row belongs to the header: units, or names below groups. `names`: of the header so far; `row`: the next one's cells"""
    filled = [c.strip() for c in row if c.strip()]
    if not filled or any(numbers.split(c)[0] or _TIME.search(c) for c in filled):
        return False
    if all(c.lower() in NO_VALUE for c in filled):
        return False
    if of_units(row):
        return True
    given = [n for n in names if n]
    return len(filled) > 1 and (len(given) < len(names) - 1 or len(set(given)) < len(given))


def joined(names, row) -> list[str]:
    """Names with the units or the names below them: `PSU1 Power [W]` from the group `PSU1` and `Power [W]`.

    `names`: of the header so far; a group stands over the first of its columns; `row`: the next line's cells
    """
    if all(units.is_unit(c) for c in row if c.strip()):
        return [f"{n} [{c.strip().strip('[]()').strip()}]" if c.strip() else n for n, c in zip(names, row)]
    out, group = [], ""
    for name, below in zip(names, (c.strip() for c in row)):
        group = name or (group if below else "")
        out.append(f"{group} [{below.strip('[]()')}]" if group and units.is_unit(below) else f"{group} {below}".strip())
    return out
