"""Files as text and as numbers: encodings, blanks and the words that tools write where they have no value."""

from __future__ import annotations

import gzip
import json
import math
import re
import zlib
from pathlib import Path

import numpy as np

from . import units
from .report import ImportReport, InputError

# What nvidia-smi, rocm-smi, Slurm and Redfish print for "no value".
NO_VALUE = frozenset({
    "", "n/a", "[n/a]", "na", "nan", "none", "null", "(null)", "unknown", "-", "not supported", "[not supported]", "notimplemented", "err!",
    "[unknown error]", "[gpu is lost]", "requested functionality has been deprecated", "[requested functionality has been deprecated]",
})  # fmt: skip

# DCGM writes these for blank, not found, not supported and not permitted: 2^31 - 16, 2^63 - 16 and 2^47, each + 0 … 3.
DCGM_BLANKS = (0x7FFFFFF0, 0x7FFFFFFFFFFFFFF0, 2**47)

_NUMBER = re.compile(r"^\(?\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-z%°℃µ][^,;]*?)?\)?$")


def read_bytes(path) -> bytes:
    """A file, unpacked if it is gzip. `path`: its path. Raises InputError: it cannot be read."""
    try:
        raw = Path(path).read_bytes()
        return gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error


def read_text(path, report: ImportReport) -> str:
    """A file as text. Bytes that are not UTF-8 become U+FFFD, and the report names their rows.

    `path`: its path; `report`: takes the warnings. Raises InputError: it cannot be read.
    """
    raw = read_bytes(path)
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):  # PowerShell writes UTF-16
        return line_feeds(raw.decode("utf-16", "replace"), report.name_of(path), report)
    text = line_feeds(raw.decode("utf-8-sig", "replace"), report.name_of(path), report)
    if "\ufffd" in text:
        for row, line in enumerate(text.split("\n"), 1):
            if "\ufffd" in line:
                report.mend(f"{report.name_of(path)}:{row}", "invalid UTF-8 replaced by U+FFFD")
    if text.rpartition("\n")[2].strip()[-1:] not in ("", *"\"'}])>+|"):
        report.warn(f"{report.name_of(path)}:{text.count(chr(10)) + 1}", "no line end behind the last line: if the file was cut, the last cell may be cut, too")
    return text


def line_feeds(text: str, file: str, report: ImportReport) -> str:
    """A text whose lines end with a line feed. A carriage return alone ends a line, too, and the report counts them.

    `text`: as decoded; `file`: for the place; `report`: takes the warning.
    """
    text = text.replace("\r\n", "\n")
    n = text.count("\r")
    if n:
        row = text.count("\n", 0, text.index("\r")) + 1
        report.mend(f"{file}:{row}", f"a carriage return without a line feed, read as the end of a line ({n} in the file)")
    return text.replace("\r", "\n")


def is_blank(number: float) -> bool:
    """Whether a number is one of DCGM's words for "no value". `number`: as read, unit 1."""
    return any(base <= number < base + 4 or (base > 2**53 and math.isclose(number, base, rel_tol=1e-15)) for base in DCGM_BLANKS)


def number(cell: str) -> tuple[float, str]:
    """A cell such as `631.95 W`, `[N/A]` or `(1402Mhz)` as number and unit; NaN where it holds no value.

    `cell`: the text. Raises InputError: it is neither a number nor a known word for "no value".
    """
    text = cell.strip()
    if text.lower() in NO_VALUE or text.startswith("[N/A"):
        return math.nan, ""
    match = _NUMBER.match(text)
    if match is None:
        raise InputError(f"'{text[:40]}' is not a number")
    value = float(match[1])
    if math.isinf(value):
        raise InputError(f"'{text[:40]}' is too large for a number")
    return (math.nan, "") if is_blank(value) else (value, (match[2] or "").strip())


def column_numbers(cells, name: str, rows, file: str, report: ImportReport, unit: str = "", several: bool = False) -> np.ndarray:
    """A column of cells as numbers in one unit. Blanks and cells in a unit of another quantity stay NaN and are reported with their rows.

    Parameters
    ----------
    cells
        Its texts.
    name
        Of the column.
    rows
        Line number of each cell.
    file
        For the places.
    report
        Takes the remarks.
    unit
        Of cells that name none, from `units.UNITS`; "": cells have no units.
    several
        The cells' units differ and nothing else tells one, so that a number without a unit is unknown.
    """
    out = np.full(len(cells), np.nan)
    for i, cell in enumerate(cells):
        if cell == "\u2205":  # `legends.ABSENT`: this series has no reading at this instant
            continue
        try:
            value, own = number(str(cell))
            if several and not own and not math.isnan(value):
                report.mend(f"{file}:{rows[i]}", f"{name}: '{cell}' has no unit and other cells have several, left blank")
                continue
            out[i] = units.convert(value, own, unit) if own and own != unit else value
        except InputError as error:
            report.mend(f"{file}:{rows[i]}", f"{name}: {error}, left blank")
            continue
        if math.isnan(out[i]):
            report.mend(f"{file}:{rows[i]}", f"{name}: no value, left blank")
    return out


def toml(text: str) -> dict:
    """A TOML document. `text`: the document. Raises ValueError: it is none"""
    try:
        import tomllib
    except ModuleNotFoundError:  # Python before 3.11
        import tomli as tomllib  # type: ignore[no-redef]
    return tomllib.loads(text)


def json_documents(text: str, file: str) -> list:
    """The JSON documents of a file, one or several behind one another, as a tool in a loop writes them.

    `text`: the file; `file`: its name, for the error. Raises InputError: one of them is not complete, or there is none
    """
    decoder, at, out = json.JSONDecoder(), 0, []
    while at < len(text) and (at := at + len(text[at:]) - len(text[at:].lstrip())) < len(text):
        try:
            document, at = decoder.raw_decode(text, at)
        except ValueError as error:
            raise InputError(f"{file}: not complete JSON ({error})") from error
        out.append(document)
    if not out:
        raise InputError(f"{file}: is empty")
    return out
