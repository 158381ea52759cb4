"""nvidia-smi: `--query-gpu … --format=csv`, `dmon`, `-q` and `-q -x`, told apart by content."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Optional

import pandas as pd

from . import nvidia_words
from .gpu_table import finish
from .header import rows as csv_rows
from .report import ImportReport, InputError
from .text import number, read_text
from .times import parse_times


def dialect(text: str) -> str:
    """ "xml", "q", "dmon", "csv", or "" for none of them. @param text: the file's beginning or all of it."""
    head = text.lstrip()[:20000]
    if "<nvidia_smi_log" in head:
        return "xml"
    if "NVSMI LOG" in head:
        return "q"
    lines = head.split("\n")
    if any(line.startswith("#") and "gpu" in line.split() and "pwr" in line.split() for line in lines):
        return "dmon"
    names = {cell.partition(" [")[0].strip() for cell in lines[0].split(",")}
    return "csv" if len(names & set(nvidia_words.CSV)) >= 2 else ""


def read(paths, report: ImportReport, zone: Optional[str] = None) -> pd.DataFrame:
    """Readings of GPUs in the columns of `gpu_table.COLUMNS`.

    @param paths: logs, one dialect per file; @param report: takes the remarks; @param zone: IANA name of the node's clock, which
    nvidia-smi does not print. @raises InputError: a file is of no known dialect, or no GPU is in it.
    """
    readers = {"xml": _xml, "q": _q, "dmon": _dmon, "csv": _csv}
    rows: list[dict] = []
    for path in paths:
        text, file = read_text(path, report), Path(path).name
        kind = dialect(text)
        if not kind:
            raise InputError(f"{file}: neither CSV, dmon, -q nor XML of nvidia-smi")
        found = readers[kind](text, file, report)
        for row in found:
            row["file"] = file
        if found and found[0].get("time"):
            whose = [r.get("gpu", "") for r in found]
            stamps = parse_times([r["time"] for r in found], [r["row"] for r in found], file, report, zone, whose)
            for row, stamp in zip(found, stamps):
                row["time"] = stamp
            if stamps.dt.tz is None:
                report.note(
                    "times carry no zone; they are the node's local time as written (--time-zone puts them on UTC)"
                )
        report.rows_read += len(found)
        rows += found
    timed = [isinstance(r.get("time"), pd.Timestamp) for r in rows]
    if any(timed) and not all(timed):
        report.warn(
            rows[timed.index(False)]["file"], "has no times, other files have: its rows come with an empty time"
        )
    for row in rows:
        row["time"] = row.get("time") if isinstance(row.get("time"), pd.Timestamp) else pd.NaT
    return finish(rows, report, has_time=any(timed))


def _put(row: dict, key: str, cell: str, scale: float, file: str, report: ImportReport) -> None:
    """One cell into a row; a cell that holds no value stays empty, one that cannot be read is mended."""
    try:
        value, unit = number(cell)
    except InputError as error:
        report.mend(f"{file}:{row['row']}", f"{key}: {error}, left blank")
        return
    # nvidia-smi prints W, C, MHz and %; `nounits` leaves them out; mW is seen in library wrappers.
    row.setdefault(key, value * (1e-3 if unit == "mW" else scale))


def _csv(text: str, file: str, report: ImportReport) -> list[dict]:
    header: list[str] = []
    rows = []
    unused: set[str] = set()
    for _, last, cells in csv_rows(io.StringIO(text), file=file, skipinitialspace=True):
        if not cells or cells == [""]:
            continue
        names = [c.partition(" [")[0].strip() for c in cells]
        if len(set(names) & set(nvidia_words.CSV)) >= 2:  # also where a log was appended to another
            header, unused = names, {n for n in names if n not in nvidia_words.CSV and n not in nvidia_words.CSV_TEXT}
            continue
        if len(cells) != len(header):
            report.ignore(f"{file}:{last}", f"{len(cells)} cells, the header has {len(header)} (a torn line)")
            continue
        row = {"row": last}
        for name, cell in zip(header, cells):
            if name in nvidia_words.CSV_TEXT:
                row.setdefault(nvidia_words.CSV_TEXT[name], cell.strip())
        for name in nvidia_words.CSV:  # in this order: the mean before the plain draw
            if name in header:
                key, scale = nvidia_words.CSV[name]
                _put(row, key, cells[header.index(name)], scale, file, report)
                _say_blank(row, key, cells[header.index(name)], file, report)
        rows.append(row)
    if unused:
        report.note(f"{file}: {len(unused)} columns have no use here and were left out")
    return rows


def _say_blank(row, key, cell, file, report) -> None:
    if key in ("power_W", "temperature_degC", "clock_MHz") and row.get(key) != row.get(key):
        report.mend(f"{file}:{row['row']}", f"{key}: '{cell.strip()}', left blank")


def _dmon(text: str, file: str, report: ImportReport) -> list[dict]:
    names: list[str] = []
    rows = []
    for at, line in enumerate(text.split("\n"), 1):
        cells = line.lstrip("#").split()
        if not cells:
            continue
        if line.startswith("#"):
            names = cells if "gpu" in cells else names  # the second header line holds units
            continue
        if len(cells) != len(names):
            report.ignore(f"{file}:{at}", f"{len(cells)} cells, the header has {len(names)} (a torn line)")
            continue
        own = dict(zip(names, cells))
        row = {"row": at, "gpu": own.get("gpu", "0")}
        if "Date" in own and "Time" in own:
            row["time"] = f"{own['Date'][:4]}-{own['Date'][4:6]}-{own['Date'][6:]}T{own['Time']}"
        for name, (key, scale) in nvidia_words.DMON.items():
            if name in own:
                _put(row, key, own[name], scale, file, report)
        rows.append(row)
    if rows and "time" not in rows[0]:
        report.note(
            f"{file}: dmon printed no times (`nvidia-smi dmon -o DT` does); rows are in the order of the samples"
        )
    return rows


def _q(text: str, file: str, report: ImportReport) -> list[dict]:
    rows: list[dict] = []
    stamp, path = "", []
    for at, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("="):
            continue
        if line.startswith("GPU "):
            rows.append({"row": at, "time": stamp, "gpu": str(sum(r["time"] == stamp for r in rows))})
            path = []
            continue
        name, colon, cell = (part.strip() for part in line.partition(": "))
        depth = (len(line) - len(line.lstrip())) // 4
        name = name.rstrip(" :")
        if not colon:
            path = path[: max(depth - 1, 0)] + [name]
            continue
        if name == "Timestamp":
            stamp = cell
        if not rows or depth == 0:
            continue
        where = "/".join([*path[: depth - 1], name])
        if where in nvidia_words.Q_TEXT:
            rows[-1][nvidia_words.Q_TEXT[where]] = cell
        elif where in nvidia_words.Q:
            key, scale = nvidia_words.Q[where]
            _put(rows[-1], key, cell, scale, file, report)
    return rows


def _xml(text: str, file: str, report: ImportReport) -> list[dict]:
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"{file}: not complete XML ({error})") from error
    rows = []
    for i, gpu in enumerate(root.iter("gpu")):
        row = {
            "row": i + 1,
            "time": root.findtext("timestamp", ""),
            "gpu": str(i),
            "uuid": gpu.findtext("uuid", ""),
            "model": gpu.findtext("product_name", ""),
        }
        for where, (key, scale) in nvidia_words.XML.items():
            cell = gpu.findtext(where)
            if cell is not None and key not in row:
                _put(row, key, cell, scale, file, report)
        rows.append(row)
    attached = root.findtext("attached_gpus", "")
    if attached.isdigit() and int(attached) != len(rows):
        report.warn(file, f"{attached} GPUs are attached, the file holds {len(rows)}")
    return rows
