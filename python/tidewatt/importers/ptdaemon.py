"""Logs of SPEC's PTDaemon: a line of names and values per second, for one power analyser or for several and their sum."""

from __future__ import annotations

import re

import pandas as pd

from .legends import ABSENT
from .report import ImportReport

_LINE = re.compile(r"^Time,(\d\d)-(\d\d)-(\d{4}) ([\d:.]+),Watts,")  # month, day, year
_CHANNEL = re.compile(r"(?:^|,(\w+),)Time,[^,]*,Watts,(-?[\d.]+)")


def is_log(text: str) -> bool:
    """Whether a file is a log of PTDaemon. `text`: its beginning"""
    return bool(_LINE.match(text.lstrip()))


def cells(text: str, row: str, file: str, report: ImportReport) -> pd.DataFrame:
    """A table of texts: `Time`, `power [W]` (the sum where there are several analysers) and `NAME [W]` of each.

    Parameters
    ----------
    text
        The log.
    row
        Name of the column of line numbers.
    file
        For the places.
    report
        Takes the remarks.
    """
    out = []
    for at, line in enumerate(text.split("\n"), 1):
        match = _LINE.match(line.strip())
        if match is None:
            if line.strip():
                report.ignore(f"{file}:{at}", "no line of PTDaemon with Time and Watts")
            continue
        watts = {f"{name or 'power'} [W]": value for name, value in _CHANNEL.findall(line.strip())}
        for name, value in watts.items():
            if float(value) == -1.0:
                report.mend(f"{file}:{at}", f"{name}: -1 is the analyser's word for no reading, left blank")
                watts[name] = ABSENT
        out.append({"Time": f"{match[3]}-{match[1]}-{match[2]}T{match[4]}", **watts, row: at})
    table = pd.DataFrame(out).fillna(ABSENT)
    if len(table.columns) > 3:
        report.note(f"{file}: 'power' is the sum of the analysers")
    return table[[*(c for c in table if c != row), row]]
