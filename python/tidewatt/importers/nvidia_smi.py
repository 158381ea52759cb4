"""nvidia-smi: `--query-gpu … --format=csv`, `dmon`, `-q`, `-q -x` and the plain table; gpustat and `dcgmi dmon`; told apart by content."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import Optional

import pandas as pd

from . import gpu_consoles, header, nvidia_words
from .gpu_table import finish
from .report import ImportReport, InputError
from .text import NO_VALUE, read_text
from .times import parse_times
from .units import known


_HOST = re.compile(r"^([A-Za-z][\w.-]*): (.*)$")


def dialect(text: str) -> str:
    """ "xml", "q", "dmon", "csv", a dialect of `gpu_consoles`, or "" for none of them. `text`: the file's beginning or all of it."""
    head = text.lstrip()[:20000]
    if "<nvidia_smi_log" in head:
        return "xml"
    if "NVSMI LOG" in head:
        return "q"
    lines = head.split("\n")
    if any(line.startswith("#") and "gpu" in line.split() and set(nvidia_words.DMON) & set(line.split()) for line in lines):
        return "dmon"
    return "csv" if _is_header(header.names(text)) else gpu_consoles.dialect(head)


def _bare(name: str) -> str:
    return name.partition(" [")[0].strip().lower()


def _is_header(cells) -> bool:
    """Two quantities, or one with nothing else than what names a GPU or a time."""
    names = set(map(_bare, cells))
    known = names & set(nvidia_words.CSV)
    return len(known) >= 2 or len(known) == 1 < len(names) and names - known <= set(nvidia_words.CSV_TEXT)


def without_header(text: str) -> bool:
    """Whether the first line has cells of `--format=csv,noheader`: watts, MHz or a UUID beside numbers. `text`: the file's beginning"""
    cells = [c.strip() for c in text.lstrip().split("\n", 1)[0].split(",")]
    return len(cells) > 1 and any(re.match(r"^([\d.]+ (W|MHz|MiB)|GPU-[0-9a-f-]{36})$", c) for c in cells)


def read(paths, report: ImportReport, zone: Optional[str] = None) -> pd.DataFrame:
    """Readings of GPUs in the columns of `gpu_table.COLUMNS`.

    `paths`: logs, one dialect per file; `report`: takes the remarks; `zone`: IANA name of the node's clock, which
    nvidia-smi does not print. Raises InputError: a file is of no known dialect, or no GPU is in it.
    """
    rows: list[dict] = []
    for path in paths:
        text, file = read_text(path, report), report.name_of(path)
        text, hosts = _without_hosts(text)
        found = _READERS[_known_dialect(text, file)](text, file, report)
        for row in found:
            row |= {"file": file} | ({"host": hosts[row["row"] - 1]} if hosts else {})
        _set_times(found, file, report, zone)
        report.rows_read += len(found)
        rows += found
    of_day = ["time_s" in r for r in rows]
    if any(of_day) and not all(of_day):
        raise InputError("some files have times of day without a date, others do not: import each by itself")
    timed = [isinstance(r.get("time"), pd.Timestamp) for r in rows]
    if any(timed) and not all(timed):
        report.warn(rows[timed.index(False)]["file"], "has no times, other files have: its rows come with an empty time")
    for row, has_time in zip(rows, timed):
        row["time"] = row["time"] if has_time else pd.NaT
    return finish(rows, report, has_time=any(timed) or any(of_day))


def _without_hosts(text: str) -> tuple[str, list[str]]:
    """A log without the host that pdsh and clush write before each line, and the hosts by line; none where lines have no such prefix."""
    lines = text.rstrip("\n").split("\n")
    parts = [_HOST.match(line) for line in lines]
    if not all(parts):
        return text, []
    return "\n".join(m[2] for m in parts if m), [m[1] for m in parts if m]


def _known_dialect(text: str, file: str) -> str:
    kind = dialect(text)
    if not kind and without_header(text):
        raise InputError(f"{file}: no header: write the log with --format=csv instead of csv,noheader, or put a first line with the names of --query-gpu into the file")
    if not kind:
        raise InputError(f"{file}: neither CSV, dmon, -q, XML nor the table of nvidia-smi, and no log of gpustat or dcgmi dmon")
    return kind


def _set_times(rows: list[dict], file: str, report: ImportReport, zone: Optional[str]) -> None:
    """Texts of times as timestamps, in place; times of day as seconds."""
    if any("time_of_day" in r for r in rows):
        _seconds_of_day(rows, file, report)
    elif any(r.get("time") for r in rows):
        stamps = parse_times([r.get("time", "") for r in rows], [r["row"] for r in rows], file, report, zone, [r.get("gpu", "") for r in rows])
        for row, stamp in zip(rows, stamps):
            row["time"] = stamp
        if stamps.dt.tz is None:
            report.note("times carry no zone; they are the node's local time as written (--time-zone puts them on UTC)")


def _seconds_of_day(rows: list[dict], file: str, report: ImportReport) -> None:
    """Times of day as seconds since the first midnight; a fall of more than half a day is the next midnight."""
    days, before = 0, None
    for row in rows:
        second = pd.to_timedelta(row.pop("time_of_day"), errors="coerce").total_seconds()
        days += before is not None and second < before - 43200.0
        row["time_s"], before = second + 86400.0 * days, second
    report.warn(file, "has times of day and no date: `time_s` counts from midnight of the first day (`nvidia-smi dmon -o DT` prints the date)")


def _csv(text: str, file: str, report: ImportReport) -> list[dict]:
    rows: list[dict] = []
    unused: set[str] = set()
    for at, cells in header.named(text, file, report, _is_header):
        own, units = {_bare(n): c for n, c in cells.items()}, {_bare(n): n.partition(" [")[2].strip("] ") for n in cells}
        unused |= own.keys() - nvidia_words.CSV.keys() - nvidia_words.CSV_TEXT.keys()
        row: dict = {"row": at}
        for name, cell in own.items():
            if name in nvidia_words.CSV_TEXT and not (nvidia_words.CSV_TEXT[name] == "host" and cell.lower() in NO_VALUE):
                row.setdefault(nvidia_words.CSV_TEXT[name], cell)
        nvidia_words.take(row, own, nvidia_words.CSV, file, report, say_blank=True, units=units)
        rows.append(row)
    if unused:
        report.note(f"{file}: {len(unused)} columns have no use here and were left out")
    return rows


def _dmon(text: str, file: str, report: ImportReport) -> list[dict]:
    names: list[str] = []
    rows, units = [], {}
    for at, line in enumerate(text.split("\n"), 1):
        cells = line.lstrip("#").split()
        if not cells:
            continue
        if line.startswith("#"):
            names, units = (cells, units) if "gpu" in cells else (names, {n: u for n, u in zip(names, cells) if known(u)})
            continue
        if len(cells) != len(names):
            report.ignore(f"{file}:{at}", f"{len(cells)} cells, the header has {len(names)} (a torn line)")
            continue
        own = dict(zip(names, cells))
        row = {"row": at, "gpu": own.get("gpu", "0")}
        if "Date" in own and "Time" in own:
            row["time"] = f"{own['Date'][:4]}-{own['Date'][4:6]}-{own['Date'][6:]}T{own['Time']}"
        elif "Time" in own:
            row["time_of_day"] = own["Time"]
        nvidia_words.take(row, own, nvidia_words.DMON, file, report, units=units)
        rows.append(row)
    if rows and not {"time", "time_of_day"} & set(rows[0]):
        report.note(f"{file}: dmon printed no times (`nvidia-smi dmon -o DT` does); rows are in the order of the samples")
    return rows


def _q(text: str, file: str, report: ImportReport) -> list[dict]:
    rows: list[dict] = []
    stamp, path = "", []
    for at, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("="):
            continue
        if line.startswith("GPU "):
            rows.append({"row": at, "time": stamp, "gpu": str(sum(r["time"] == stamp for r in rows)), "bus": line[4:].strip()})
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
            nvidia_words.take(rows[-1], {where: cell}, {where: nvidia_words.Q[where]}, file, report)
    return rows


def _xml(text: str, file: str, report: ImportReport) -> list[dict]:
    """Readings of one document, or of those that `nvidia-smi -q -x -l` writes behind one another."""
    rows: list[dict] = []
    documents = [d for d in re.split(r"(?=<\?xml)|(?<=</nvidia_smi_log>)", text) if d.strip()]
    for n, document in enumerate(documents, 1):
        try:
            root = ElementTree.fromstring(document)
        except ElementTree.ParseError as error:
            if n == 1 or n < len(documents):
                raise InputError(f"{file}: not complete XML ({error})") from error
            report.ignore(f"{file}, document {n}", "not complete XML: the log was cut in it")
            continue
        gpus = list(root.iter("gpu"))
        rows += [_xml_gpu(gpu, i, len(rows) + i + 1, root.findtext("timestamp", ""), file, report) for i, gpu in enumerate(gpus)]
        attached = root.findtext("attached_gpus", "")
        if attached.isdigit() and int(attached) != len(gpus):
            report.warn(file, f"{attached} GPUs are attached, the file holds {len(gpus)}")
    return rows


def _xml_gpu(gpu, i: int, at: int, stamp: str, file: str, report: ImportReport) -> dict:
    row = {"row": at, "time": stamp, "gpu": str(i), "uuid": gpu.findtext("uuid", ""), "bus": gpu.get("id", ""), "model": gpu.findtext("product_name", "")}
    cells = {where: cell for where in nvidia_words.XML if (cell := gpu.findtext(where)) is not None}
    nvidia_words.take(row, cells, nvidia_words.XML, file, report)
    return row


_READERS = {
    "xml": _xml, "q": _q, "dmon": _dmon, "csv": _csv, "table": gpu_consoles.table, "gpustat": gpu_consoles.gpustat,
    "gpustat-json": gpu_consoles.gpustat_json, "dcgmi": gpu_consoles.dcgmi,
}  # fmt: skip
