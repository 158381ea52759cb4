"""`squeue`: JSON, with a header, or as a monitor writes it without one."""

from __future__ import annotations

import re
from typing import Optional

import numpy as np
import pandas as pd

from . import slurm_words
from .report import ImportReport, InputError
from .text import read_text

JOBS = ["job", "state", "start", "end", "elapsed_s", "nodes", "gpus", "node_list", "partition", "reason"]
# Fields of the Facebook Research cluster monitor (gcm/schemas/slurm/squeue.py), which writes no header.
GCM = (
    "TRES-PER-NODE MINCPUS JOBARRAYID JOBID NAME TIMELIMIT MINMEMORY COMMAND PRIORITY STATE USERNAME NUMCPUS NUMNODES TIMELEFT TIMEUSED NODELIST "
    "DEPENDENCY EXCNODES STARTTIME SUBMITTIME ELIGIBLETIME ACCRUETIME PENDINGTIME COMMENT PARTITION ACCOUNT QOS REASON TRES-ALLOC RESERVATION "
    "REQUEUE FEATURE RESTARTCNT SCHEDNODES"
).split()
# Header words of squeue and sinfo, by its man pages, and what they mean here.
_JOB = {
    "JOBID": "job", "JOBARRAYID": "job", "ST": "state", "STATE": "state", "STARTTIME": "start", "START_TIME": "start", "TIME": "used",
    "TIMEUSED": "used", "NODES": "nodes", "NUMNODES": "nodes", "NODELIST": "node_list", "NODELIST(REASON)": "node_list", "PARTITION": "partition",
    "REASON": "reason", "TRES-ALLOC": "tres", "TRES_ALLOC": "tres", "TRES_PER_NODE": "per_node", "TRES-PER-NODE": "per_node", "GRES": "per_node",
}  # fmt: skip
AT_WORK = ("RUNNING", "SUSPENDED", "STOPPED", "CONFIGURING", "RESIZING", "SIGNALING")
WAITING = ("PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "RESV_DEL_HOLD")
_ASKED = ("tres_alloc_str", "tres_req_str", "tres_per_job", "tres_per_node", "tres_per_task", "tres_per_socket")


def read(paths, report: ImportReport, zone: Optional[str] = None) -> pd.DataFrame:
    """Jobs of `squeue` with the columns of `JOBS`.

    `paths`: lists; `report`: takes the remarks; `zone`: IANA name of the cluster's clock.
    Raises InputError: neither JSON with `jobs`, a header, nor the headerless format of the monitor.
    """
    rows: list[dict] = []
    for path in paths:
        text, file = read_text(path, report), report.name_of(path)
        rows += (
            [_json_job(j, i, file, report) for i, j in slurm_words.json_list(text, "jobs", file, "job_state", report)]
            if text.lstrip()[:1] == "{"
            else _text_jobs(text, file, report)
        )
    report.rows_read += len(rows)
    table = pd.DataFrame(slurm_words.once(rows, "job", report), columns=[*JOBS, "row", "file"])
    if table.empty:
        report.warn(report.name_of(paths[0]), "no job in the list: the table is empty")
        return table[JOBS]
    slurm_words.set_times(table, report, zone)
    working, waiting = table["state"].isin(AT_WORK), table["state"].isin(WAITING)
    if (table["gpus"][waiting] > 0).any():
        report.note("gpus of a pending job are those that it asks for; they are not at work")
    report.facts.update(jobs=len(table), gpus_at_work=float(table["gpus"][working].sum()), jobs_with_unknown_gpus=int(table["gpus"].isna().sum()))
    return table[JOBS]


def _json_job(job: dict, row: int, file: str, report: ImportReport) -> dict:
    get = lambda key: slurm_words.plain(job.get(key))
    name = str(get("job_id"))
    array, task = get("array_job_id"), get("array_task_id")
    if array and task is not None:
        name = f"{array}_{task}"
    state = slurm_words.state(job.get("job_state", ""))
    pending, at_work = state in WAITING, state in AT_WORK
    start, end = get("start_time"), get("end_time")
    n_node = float("nan" if get("node_count") is None else get("node_count"))
    if at_work and end:
        report.note("squeue's end_time of a running job is its time limit; the end is left empty")
    if pending and start:
        report.note("squeue's start_time of a pending job is an estimate; it is left empty")
    return {
        "job": name, "state": state, "start": "" if pending else slurm_words.iso(start), "end": "" if pending or at_work else slurm_words.iso(end),
        "nodes": n_node, "gpus": 0.0 if pending else _json_gpus(job, n_node), "node_list": "" if pending else job.get("nodes", ""),
        "partition": job.get("partition", ""), "reason": job.get("state_reason", ""), "row": row, "file": file,
    }  # fmt: skip


def _json_gpus(job: dict, n_node: float) -> float:
    """GPUs of a job that has started: as allocated, else as listed by node, else as it asked; NaN where no field tells."""
    by_node = [g for g in job.get("gres_detail") or [] if "gpu" in str(g)]
    asked = [slurm_words.gpus(job.get(f"tres_per_{per}") or "") for per in ("job", "node")]
    ways = (slurm_words.gpus(job.get("tres_alloc_str") or ""), sum(map(slurm_words.gpus, by_node)) if by_node else np.nan, asked[0], asked[1] * n_node)
    found = next((n for n in ways if not np.isnan(n)), np.nan)
    if np.isnan(found) and "gres_detail" in job and not slurm_words.names_gpus(",".join(str(job.get(k) or "") for k in _ASKED)):
        return 0.0
    return found


def _text_jobs(text: str, file: str, report: ImportReport) -> list[dict]:
    lines = [(i, line) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise InputError(f"{file}: is empty")
    delimiter = "|#" if "|#" in lines[0][1] else "|" if "|" in lines[0][1] else None
    split = lambda line: [c.strip() for c in (line.split(delimiter) if delimiter else line.split())]
    names, head = split(lines[0][1]), lines[0][1]
    if "JOBID" in (n.upper() for n in names):
        names, lines = [n.upper() for n in names], lines[1:]
    elif delimiter == "|#" and len(names) in (len(GCM), len(GCM) + 1):
        names = [*GCM, "REST"][: len(names)]
        report.note(f"{file}: no header; read as the {len(GCM)} fields of the gcm monitor")
    else:
        raise InputError(f"{file}: no header with JOBID; `squeue --json` or `squeue -o '%i|%T|%S|%M|%D|%N|%P|%b'` can be read")
    rows = []
    for row, line in lines:
        cells = split(line)
        if delimiter and len(cells) != len(names):
            report.ignore(f"{file}:{row}", f"{len(cells)} fields, expected {len(names)}")
            continue
        own = _named(names, cells)
        if len(cells) != len(names):  # blanks in a field, or an empty one: the header's columns tell, or the blanks are in the last field
            own = next((o for o in (_named(names, _at_columns(head, line)), own if len(cells) > len(names) else {}) if _is_job(o)), None)
        if own is None:
            report.ignore(f"{file}:{row}", f"{len(cells)} fields, expected {len(names)}: a field has blanks or is cut; list with `squeue -o '%i|%T|%S|%M|%D|%N|%P|%b'`")
            continue
        rows.append(_text_job(own, row, file))
    _without_gpus(rows, report)
    return rows


def _named(names, cells) -> dict:
    own: dict = {}
    for name, cell in zip(names, cells):
        own.setdefault(_JOB.get(name, ""), cell)
    return own


def _at_columns(head: str, line: str) -> list[str]:
    """Fields below the header's words: right-aligned if the header begins with blanks, as by default, else left-aligned."""
    words = list(re.finditer(r"\S+", head))
    edges = [0, *(w.end() for w in words[:-1])] if head[:1] == " " else [w.start() for w in words]
    return [line[a:b].strip() for a, b in zip(edges, [*edges[1:], len(line)])]


def _is_job(own: dict) -> bool:
    """Whether the fields are those that their names say: a number of a job, a state, a number of nodes."""
    nodes = own.get("nodes", "1")
    state = slurm_words.state(own.get("state", "R"))
    return bool(re.match(r"^\d+([_+]\S*)?$", own.get("job", "")) and state in slurm_words.STATES.values() and re.match(r"^\d+(-\d+|K)?$", nodes))


def _without_gpus(rows: list[dict], report: ImportReport) -> None:
    """Jobs whose list names no GPU have none where it names those of others; else their number is unknown."""
    if any(row["gpus"] > 0 for row in rows):
        for row in rows:
            row["gpus"] = 0.0 if np.isnan(row["gpus"]) and row["tracked"] else row["gpus"]
    unknown = [row for row in rows if np.isnan(row["gpus"])]
    if unknown:
        report.note(f"{unknown[0]['file']}: {len(unknown)} of {len(rows)} jobs do not say their GPUs: their number is unknown (`squeue -O tres-alloc` prints it)")


def _text_job(own: dict, row: int, file: str) -> dict:
    state = slurm_words.state(own.get("state", ""))
    nodes = pd.to_numeric(own.get("nodes", ""), errors="coerce")
    gpus = slurm_words.gpus(own.get("tres", ""))
    if np.isnan(gpus):
        gpus = slurm_words.gpus(own.get("per_node", "")) * nodes if "per_node" in own else np.nan
    if np.isnan(gpus) and own.get("per_node", "-").upper() == "N/A":
        gpus = 0.0
    start = own.get("start", "") if state not in WAITING else ""
    return {
        "job": own.get("job", ""),
        "state": state,
        "start": start if start[:1].isdigit() else "",
        "end": "",
        "elapsed_s": slurm_words.duration_s(own.get("used", "")),
        "nodes": nodes,
        "gpus": gpus,
        "tracked": bool(own.get("tres")) and not slurm_words.names_gpus(own["tres"]),
        "node_list": "" if own.get("node_list", "").startswith("(") else own.get("node_list", ""),
        "partition": own.get("partition", ""),
        "reason": own.get("reason", ""),
        "row": row,
        "file": file,
    }
