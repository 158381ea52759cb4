"""`sacct --parsable2`, with `|` or `|#` between the fields, `sacct --json`, and the job completion log: a table of jobs, not of steps."""

from __future__ import annotations

import re
from typing import Optional

import numpy as np
import pandas as pd

from . import jobcomp, sacct_json, slurm_words
from .report import ImportReport, InputError
from .text import read_text

COLUMNS = "job state start end elapsed_s nodes gpus gpu_hours stands_for_job node_list partition".split()
_STEP = re.compile(r"^([^.]+)\.(.+)$")


def dialect(text: str) -> str:
    """The delimiter of a table of sacct, or "". `text`: the file."""
    first = text.split("\n", 1)[0]
    for delimiter in ("|#", "|"):
        if {"JobID", "State"} <= set(first.split(delimiter)) or {"JobIDRaw", "State"} <= set(first.split(delimiter)):
            return delimiter
    return ""


def read(paths, report: ImportReport, zone: Optional[str] = None) -> pd.DataFrame:
    """Jobs with the columns of `COLUMNS`: GPUs and nodes as allocated, `gpu_hours` = gpus × elapsed time.

    A step is no job. Where a job has no line of its own, its steps stand for it: first start, last end, largest counts; column
    `stands_for_job` names them. `paths`: tables with a header, JSON, or logs of jobcomp/filetxt; `report`: takes the remarks;
    `zone`: IANA name of the cluster's clock. Raises InputError: no header of sacct.
    """
    records: list[dict] = []
    for path in paths:
        text, file = read_text(path, report), report.name_of(path)
        if jobcomp.is_line(text.lstrip().split("\n", 1)[0]):
            records += jobcomp.records(text, file, report)
            continue
        if text.lstrip()[:1] == "{":
            records += sacct_json.records(slurm_words.json_list(text, "jobs", file, "time", report), file, report)
            continue
        delimiter = dialect(text)
        if not delimiter:
            raise InputError(f"{file}: the first line is no header of `sacct --parsable2` (JobID, State, …), and no job of a completion log")
        records += _records(text, delimiter, file, report)
    steps = [r for r in records if _STEP.match(_name(r))]
    records = slurm_words.once([r for r in records if not _STEP.match(_name(r))], "JobID", report) + steps
    jobs = _jobs(records, report)
    _without_gpus(jobs, records, report)
    table = pd.DataFrame(jobs, columns=[*COLUMNS, "row", "file"])
    if table.empty:
        report.warn(report.name_of(paths[0]), "no job in the list: the table is empty")
        return table[COLUMNS]
    return _finish(table, report, zone)


def _records(text: str, delimiter: str, file: str, report: ImportReport) -> list[dict]:
    """Lines as dictionaries; a record that a newline in a field broke is joined again."""
    header, *lines = text.split("\n")
    names = header.split(delimiter)
    out: list[dict] = []
    part, begun = "", 0

    def take(cells, row):
        report.rows_read += 1
        out.append({**dict(zip(names, cells)), "row": row, "file": file})

    def give_up():
        """What was begun is the end of the record before, if that broke in its last field, or torn."""
        if delimiter not in part and out and part.strip():
            out[-1][names[-1]] += part
            report.mend(f"{file}:{begun}", "a record over several lines was joined")
        elif part.strip():
            report.ignore(f"{file}:{begun}", f"{part.count(delimiter) + 1} fields, the header has {len(names)}")

    for row, line in enumerate(lines, 2):
        alone, joined = line.split(delimiter), (part + line).split(delimiter)
        if len(alone) == len(names):
            give_up()
            take(alone, row)
        elif part and len(joined) == len(names):
            report.mend(f"{file}:{begun}", "a record over several lines was joined")
            take(joined, begun)
        elif len(joined) < len(names):
            part, begun = part + line, begun or row
            continue
        else:
            give_up()
            report.ignore(f"{file}:{row}", f"{len(alone)} fields, the header has {len(names)}")
        part, begun = "", 0
    give_up()
    return out


def _name(record: dict) -> str:
    return record.get("JobID") or record.get("JobIDRaw", "")


def _jobs(records: list[dict], report: ImportReport) -> list[dict]:
    own: dict[str, dict] = {}
    steps: dict[str, list[dict]] = {}
    n_step = 0
    for record in records:
        name = _name(record)
        match = _STEP.match(name)
        if match:
            n_step += 1
            steps.setdefault(match[1], []).append(record)
            continue
        job = _job(name, record)
        # A requeued job has a line for each of its lives.
        own[name if name not in own else f"{name} from {record.get('Start', '')}"] = job
    orphans = {job: parts for job, parts in steps.items() if job not in own}
    for job, parts in orphans.items():
        report.warn(f"{parts[0]['file']}:{parts[0]['row']}", f"job {job} has no line of its own; its {len(parts)} step lines stand for it")
    if n_step:
        report.note(f"{n_step} step lines are not jobs; {sum(map(len, orphans.values()))} of them stand for {len(orphans)} jobs without a line")
    return [*own.values(), *(_joined(job, parts) for job, parts in orphans.items())]


def _job(name: str, record: dict) -> dict:
    allocated = slurm_words.tres(record.get("AllocTRES", ""))
    nodes = pd.to_numeric(record.get("AllocNodes") or record.get("NNodes") or allocated.get("node") or np.nan, errors="coerce")
    gpus = slurm_words.gpus(record.get("AllocTRES", ""))
    if np.isnan(gpus) and "gpu" in (record.get("AllocGRES") or ""):
        gpus = slurm_words.gpus(record["AllocGRES"]) * (1 if "PER_NODE" not in record["AllocGRES"] else nodes)
    if np.isnan(gpus) and "AllocGRES" in record and not slurm_words.names_gpus(record.get("AllocTRES", "")):
        gpus = 0.0  # the list tells GRES, and this job has none
    raw = pd.to_numeric(record.get("ElapsedRaw") or np.nan, errors="coerce")
    return {
        "job": name, "state": slurm_words.state(record.get("State", "")), "start": record.get("Start", ""), "end": record.get("End", ""),
        "elapsed_s": raw if not np.isnan(raw) else slurm_words.duration_s(record.get("Elapsed", "")), "nodes": nodes, "gpus": gpus,
        "gpu_hours": np.nan, "stands_for_job": "", "node_list": record.get("NodeList", ""), "partition": record.get("Partition", ""),
        "row": record["row"], "file": record["file"],
    }  # fmt: skip


def _without_gpus(jobs: list[dict], records: list[dict], report: ImportReport) -> None:
    """Jobs whose allocation names no GPU: they have none where the list tells the GPUs of others; else their number is unknown."""
    tracked = any("gpu" in r.get("AllocTRES", "") for r in records)
    told = {(r["file"], r["row"]): r.get("AllocTRES") for r in records}
    for job in jobs:
        if not np.isnan(job["gpus"]):
            continue
        place, allocated = f"{job['file']}:{job['row']}", told.get((job["file"], job["row"]))
        if allocated and slurm_words.names_gpus(allocated):
            report.warn(place, f"job {job['job']} has shares of GPUs ({allocated}), not GPUs: their number is unknown")
        elif tracked and allocated is not None:
            job["gpus"] = 0.0
        else:
            report.warn(place, "the allocation names no GPU, and no other job of the list has one: GPUs may not be tracked (AccountingStorageTRES), so their number is unknown")
    if any(map(_sliced, told.values())):
        report.warn(jobs[0]["file"], "MIG slices are parts of a GPU: each counts as its share of the GPU's 7 slices")


def _sliced(allocated: Optional[str]) -> bool:
    return bool(allocated and re.search(r"gpu:[^,=]*\dg\.\d+gb", allocated))


def _joined(job: str, parts: list[dict]) -> dict:
    """One job from its steps."""
    rows = [_job(_name(p), p) for p in parts]
    largest = max(rows, key=lambda r: (0 if np.isnan(r["nodes"]) else r["nodes"], 0 if np.isnan(r["gpus"]) else r["gpus"]))
    starts = sorted(r["start"] for r in rows if r["start"][:1].isdigit())
    ends = [r["end"] for r in rows]
    gpus = [r["gpus"] for r in rows if not np.isnan(r["gpus"])]
    elapsed = [r["elapsed_s"] for r in rows if not np.isnan(r["elapsed_s"])]
    batch = next((r for r in rows if r["job"].endswith(".batch")), largest)  # the script's own end is the job's
    one = len({(r["start"], r["end"]) for r in rows}) == 1
    return {
        **largest,
        "job": job,
        "state": batch["state"],
        "start": starts[0] if starts else "",
        "end": max(ends) if all(e[:1].isdigit() for e in ends) else "Unknown",
        "gpus": max(gpus) if gpus else np.nan,
        "elapsed_s": elapsed[0] if one and elapsed else np.nan,
        "stands_for_job": ";".join(dict.fromkeys(r["job"] for r in rows)),
    }


def _finish(table: pd.DataFrame, report: ImportReport, zone: Optional[str]) -> pd.DataFrame:
    rows = table["row"].tolist()
    said = table["start"].tolist()
    slurm_words.set_times(table, report, zone)
    for i in np.flatnonzero(table["start"].isna().to_numpy()):
        report.warn(f"{table['file'].iloc[i]}:{rows[i]}", f"job {table['job'].iloc[i]} has no start ({said[i] or 'empty'})")
    running = table["end"].isna()
    if running.any():
        report.note(f"{int(running.sum())} jobs have no end: they were running or pending when the list was made")
    span = (table["end"] - table["start"]).dt.total_seconds()
    for i in np.flatnonzero((span < 0).to_numpy()):
        report.warn(f"{table['file'].iloc[i]}:{rows[i]}", f"job {table['job'].iloc[i]} ends before it starts")
    table["elapsed_s"] = table["elapsed_s"].where(table["elapsed_s"].notna(), span.where(span >= 0))
    table["gpu_hours"] = table["gpus"] * table["elapsed_s"] / 3600.0
    unknown = int(table["gpus"].isna().sum())
    if unknown:
        report.facts["jobs_with_unknown_gpus"] = unknown
    report.facts.update(jobs=len(table), gpu_hours=float(table["gpu_hours"].sum()) if table["gpu_hours"].notna().any() else None)
    return table[COLUMNS].sort_values(["start", "job"], kind="stable").reset_index(drop=True)


def occupancy(jobs: pd.DataFrame) -> pd.DataFrame:
    """Jobs, nodes and GPUs at work over time: one row per change; `jobs_of_unknown_gpus` where the list does not tell all GPUs.

    `jobs`: a table of `read_sacct` or `read_squeue`; running jobs without an end last to the table's last instant.
    """
    known = jobs.dropna(subset=["start"])
    last = pd.concat([known["start"], known["end"]]).max()
    unknown = known["gpus"].isna()
    counts = {"jobs": 1, "nodes": known["nodes"].fillna(0), "gpus": known["gpus"].fillna(0)} | ({"jobs_of_unknown_gpus": unknown.astype(int)} if unknown.any() else {})
    change = pd.DataFrame(counts, index=known.index)
    changes = pd.concat([change.assign(time=known["start"]), (-change).assign(time=known["end"].fillna(last))])
    return changes.groupby("time").sum().cumsum().reset_index()
