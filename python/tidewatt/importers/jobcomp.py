"""Slurm's job completion log (`JobCompType=jobcomp/filetxt`): a line of KEY=value per ended job."""

from __future__ import annotations

import re

from .report import ImportReport

# Fields in the order of the plugin's JOB_FORMAT (slurm, src/plugins/jobcomp/filetxt/jobcomp_filetxt.c). Names and paths may hold blanks.
FIELDS = (
    "JobId UserId GroupId Name JobState Partition TimeLimit StartTime EndTime NodeList NodeCnt ProcCnt WorkDir ReservationName Gres Tres Account QOS "
    "WcKey Cluster SubmitTime EligibleTime ArrayJobId ArrayTaskId HetJobId HetJobOffset DerivedExitCode ExitCode"
).split()
_FIELD = re.compile(rf"(?:^|\s)({'|'.join(FIELDS)})=")
_NEEDED = ("JobId", "JobState", "StartTime", "EndTime", "NodeCnt")


def is_line(line: str) -> bool:
    """Whether a line is one of the log. `scontrol` begins alike and has no GroupId before JobState. `line`: the line"""
    return bool(re.match(r"^JobId=\d+ UserId=.* GroupId=.* JobState=", line))


def records(text: str, file: str, report: ImportReport) -> list[dict]:
    """Its lines as records with the names that `sacct` uses; GPUs are those that the job asked for.

    `text`: the log; `file`: for the places; `report`: takes the remarks
    """
    out: list[dict] = []
    for row, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        parts = _FIELD.split(line.strip())
        own = dict(zip(parts[1::2], (p.strip() for p in parts[2::2])))
        if missing := [k for k in _NEEDED if k not in own]:
            report.ignore(f"{file}:{row}", f"no {', '.join(missing)} (a torn line)")
            continue
        report.rows_read += 1
        task = f"_{own['ArrayTaskId']}" if "ArrayTaskId" in own else ""
        record = {
            "JobID": f"{own.get('ArrayJobId', own['JobId'])}{task}" if task else own["JobId"], "State": own["JobState"], "Start": own["StartTime"],
            "End": own["EndTime"], "NNodes": own["NodeCnt"], "NodeList": own.get("NodeList", ""), "Partition": own.get("Partition", ""),
            "AllocTRES": own.get("Tres", ""), "row": row, "file": file,
        }  # fmt: skip
        if own.get("Gres"):  # before Slurm 20: as `--gres`, for each node
            record["AllocGRES"] = f"PER_NODE:{own['Gres']}"
        out.append(record)
    if out:
        report.note(f"{file}: GPUs are those that each job asked for; the completion log does not say which it got")
    return out
