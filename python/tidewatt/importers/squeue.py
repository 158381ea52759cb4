"""`squeue`: JSON, with a header, or as a monitor writes it without one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Optional

import numpy as np
import pandas as pd

from . import slurm_words
from .report import ImportReport, InputError
from .text import read_text
from .times import parse_times

JOBS = ["job", "state", "start", "end", "elapsed_s", "nodes", "gpus", "node_list", "partition", "reason"]
# Fields of the Facebook Research cluster monitor (gcm/schemas/slurm/squeue.py), which writes no header.
GCM = (
    "TRES-PER-NODE MINCPUS JOBARRAYID JOBID NAME TIMELIMIT MINMEMORY COMMAND PRIORITY STATE USERNAME NUMCPUS NUMNODES TIMELEFT TIMEUSED NODELIST "
    "DEPENDENCY EXCNODES STARTTIME SUBMITTIME ELIGIBLETIME ACCRUETIME PENDINGTIME COMMENT PARTITION ACCOUNT QOS REASON TRES-ALLOC RESERVATION "
    "REQUEUE FEATURE RESTARTCNT SCHEDNODES"
).split()
# Header words of squeue and sinfo, by its man pages, and what they mean here.
_JOB = {
    "JOBID": "job",
    "JOBARRAYID": "job",
    "ST": "state",
    "STATE": "state",
    "STARTTIME": "start",
    "START_TIME": "start",
    "TIME": "used",
    "TIMEUSED": "used",
    "NODES": "nodes",
    "NUMNODES": "nodes",
    "NODELIST": "node_list",
    "NODELIST(REASON)": "node_list",
    "PARTITION": "partition",
    "REASON": "reason",
    "TRES-ALLOC": "tres",
    "TRES_ALLOC": "tres",
    "TRES_PER_NODE": "per_node",
    "TRES-PER-NODE": "per_node",
    "GRES": "per_node",
}
_SHORT = {
    "R": "RUNNING",
    "PD": "PENDING",
    "CG": "COMPLETING",
    "CD": "COMPLETED",
    "CA": "CANCELLED",
    "F": "FAILED",
    "TO": "TIMEOUT",
    "NF": "NODE_FAIL",
    "S": "SUSPENDED",
    "PR": "PREEMPTED",
}


def read(paths, report: ImportReport, zone: Optional[str] = None) -> pd.DataFrame:
    """Jobs of `squeue` with the columns of `JOBS`.

    @param paths: lists; @param report: takes the remarks; @param zone: IANA name of the cluster's clock.
    @raises InputError: neither JSON with `jobs`, a header, nor the headerless format of the monitor.
    """
    rows: list[dict] = []
    for path in paths:
        text, file = read_text(path, report), Path(path).name
        rows += (
            [_json_job(j, i, file, report) for i, j in enumerate(json_list(text, "jobs", file), 1)]
            if text.lstrip()[:1] == "{"
            else _text_jobs(text, file, report)
        )
    report.rows_read += len(rows)
    table = pd.DataFrame(rows, columns=[*JOBS, "row", "file"])
    if table.empty:
        report.warn(Path(paths[0]).name, "no job in the list: the table is empty")
        return table[JOBS]
    for column in ("start", "end"):
        none = ~table[column].astype(str).str[:1].str.isdigit()
        table[column] = parse_times(
            table[column].where(~none, "1970-01-01T00:00:00"),
            table["row"].tolist(),
            table["file"].iloc[0],
            report,
            zone,
        )
        table.loc[none, column] = pd.NaT
    return table[JOBS]


def json_list(text: str, key: str, file: str) -> list[dict]:
    """The list `key` of an answer of Slurm. @param text: JSON; @param key: `jobs` or `nodes`; @param file: for errors. @raises InputError: none."""
    try:
        answer = json.loads(text)
    except ValueError as error:
        raise InputError(f"{file}: not complete JSON ({error})") from error
    if key not in answer:
        raise InputError(f"{file}: no `{key}` in the answer")
    return answer[key]


def _json_job(job: dict, row: int, file: str, report: ImportReport) -> dict:
    get = lambda key: slurm_words.plain(job.get(key))  # noqa: E731
    name = str(get("job_id"))
    array, task = get("array_job_id"), get("array_task_id")
    if array and task is not None:
        name = f"{array}_{task}"
    gpus = slurm_words.gpus(job.get("tres_alloc_str") or "")
    running = slurm_words.state(job.get("job_state", "")) == "RUNNING"
    start, end = get("start_time") or "", get("end_time") or ""
    if running and end:
        report.note("squeue's end_time of a running job is its time limit; the end is left empty")
    return {
        "job": name,
        "state": slurm_words.state(job.get("job_state", "")),
        "start": _iso(start) if running or end else "",
        "end": "" if running else _iso(end),
        "nodes": float(get("node_count") or 0),
        "gpus": 0.0 if np.isnan(gpus) and job.get("tres_alloc_str") else gpus,
        "node_list": job.get("nodes", ""),
        "partition": job.get("partition", ""),
        "reason": job.get("state_reason", ""),
        "row": row,
        "file": file,
    }


def _iso(seconds) -> str:
    return pd.Timestamp(int(seconds), unit="s").isoformat() + "Z" if seconds else ""


def _text_jobs(text: str, file: str, report: ImportReport) -> list[dict]:
    lines = [(i, line) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise InputError(f"{file}: is empty")
    delimiter = "|#" if "|#" in lines[0][1] else "|" if "|" in lines[0][1] else None
    split = lambda line: [c.strip() for c in (line.split(delimiter) if delimiter else line.split())]  # noqa: E731
    names = split(lines[0][1])
    if "JOBID" in (n.upper() for n in names):
        names, lines = [n.upper() for n in names], lines[1:]
    elif delimiter == "|#" and len(names) in (len(GCM), len(GCM) + 1):
        names = [*GCM, "REST"][: len(names)]
        report.note(f"{file}: no header; read as the {len(GCM)} fields of the gcm monitor")
    else:
        raise InputError(
            f"{file}: no header with JOBID; `squeue --json` or `squeue -o '%i|%T|%S|%M|%D|%N|%P|%b'` can be read"
        )
    rows = []
    for row, line in lines:
        cells = split(line)
        if len(cells) < len(names) or (delimiter and len(cells) != len(names)):
            report.ignore(f"{file}:{row}", f"{len(cells)} fields, expected {len(names)}")
            continue
        own: dict = {}
        for name, cell in zip(names, cells):
            own.setdefault(_JOB.get(name, ""), cell)
        rows.append(_text_job(own, row, file))
    return rows


def _text_job(own: dict, row: int, file: str) -> dict:
    state = slurm_words.state(own.get("state", ""))
    state = _SHORT.get(state, state)
    nodes = pd.to_numeric(own.get("nodes", ""), errors="coerce")
    gpus = slurm_words.gpus(own.get("tres", ""))
    if np.isnan(gpus):
        gpus = slurm_words.gpus(own.get("per_node", "")) * nodes if "per_node" in own else np.nan
    if np.isnan(gpus) and own.get("tres"):
        gpus = 0.0
    start = own.get("start", "")
    return {
        "job": own.get("job", ""),
        "state": state,
        "start": start if start[:1].isdigit() else "",
        "end": "",
        "elapsed_s": slurm_words.duration_s(own.get("used", "")),
        "nodes": nodes,
        "gpus": gpus,
        "node_list": "" if own.get("node_list", "").startswith("(") else own.get("node_list", ""),
        "partition": own.get("partition", ""),
        "reason": own.get("reason", ""),
        "row": row,
        "file": file,
    }
