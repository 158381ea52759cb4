"""`sacct --json` and the answers of slurmdb (Slurm 21.08 to 25.11) as records with the names of `sacct --parsable2`."""

from __future__ import annotations

import re

from . import slurm_words
from .report import ImportReport


def is_answer(text: str) -> bool:
    """Whether JSON holds jobs of the accounting; those of squeue have a `job_state`. `text`: its beginning"""
    return bool(re.search(r'"jobs"\s*:', text) and re.search(r'"allocation_nodes"\s*:|"submission"\s*:', text) and '"job_state"' not in text)


def records(jobs: list, file: str, report: ImportReport) -> list[dict]:
    """Jobs, without their steps. `jobs`: of the answer; `file`: for the places; `report`: takes the remarks"""
    out = []
    for i, job in jobs:
        time = job["time"]
        report.rows_read += 1
        get = lambda key, of=time: slurm_words.plain(of.get(key))
        state = job.get("state", {})
        state = slurm_words.state(state.get("current", "") if isinstance(state, dict) else state)
        elapsed = get("elapsed")
        record = {
            "JobID": _name(job), "State": state, "Start": slurm_words.iso(get("start")) if state != "PENDING" else "",
            "End": slurm_words.iso(get("end")) or "Unknown", "ElapsedRaw": "" if elapsed is None or state == "PENDING" else str(elapsed),
            "NodeList": job.get("nodes", "") if job.get("nodes") != "None assigned" else "", "Partition": job.get("partition") or "", "row": i,
            "file": file,
        }  # fmt: skip
        allocated = _list(job.get("tres", {}), "allocated")
        count = {f"{t.get('type')}/{t['name']}" if t.get("name") else str(t.get("type")): slurm_words.plain(t.get("count")) for t in allocated}
        if allocated or state == "PENDING":
            record["AllocTRES"] = ",".join(f"{name}={n}" for name, n in count.items() if n is not None)
        record["NNodes"] = str(count.get("node") or slurm_words.plain(job.get("allocation_nodes")) or "")
        out.append(record)
    return out


def _name(job: dict) -> str:
    """Job, task of an array (`12_3`) or component of a heterogeneous job (`12+1`)."""
    array, het = job.get("array") or {}, job.get("het") or {}
    task, whole, component = (slurm_words.plain(x) for x in (array.get("task_id"), het.get("job_id"), het.get("job_offset")))
    if slurm_words.plain(array.get("job_id")) and task is not None:
        return f"{slurm_words.plain(array['job_id'])}_{task}"
    return f"{whole}+{component}" if whole and component is not None else str(slurm_words.plain(job["job_id"]))


def _list(tree, key: str) -> list[dict]:
    found = tree.get(key) if isinstance(tree, dict) else None
    return [t for t in found or [] if isinstance(t, dict)]
