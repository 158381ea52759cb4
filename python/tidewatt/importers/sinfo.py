"""`sinfo`: JSON, or a table with or without a header."""

from __future__ import annotations

import re
from typing import Optional

import numpy as np
import pandas as pd

from . import slurm_words
from .report import ImportReport, InputError
from .text import read_text

NODES = ["node", "state", "gpus", "gpus_used", "cpus", "cpus_used", "partition"]
# Header words of sinfo, by its man page, and what they mean here.
_NODE = {
    "NODELIST": "node", "NODEHOST": "node", "HOSTNAMES": "node", "STATE": "state", "STATELONG": "state", "STATECOMPLETE": "state", "GRES": "gres",
    "GRESUSED": "gres_used", "GRES_USED": "gres_used", "CPUS": "cpus", "CPUS(A/I/O/T)": "cpus_state", "CPUSSTATE": "cpus_state",
    "PARTITION": "partition",
}  # fmt: skip


def read(paths, report: ImportReport) -> pd.DataFrame:
    """Nodes of `sinfo` with the columns of `NODES`, one row per node.

    `paths`: lists; `report`: takes the remarks. Raises InputError: neither JSON with `nodes` nor a table of nodes.
    """
    rows: list[dict] = []
    for path in paths:
        text, file = read_text(path, report), report.name_of(path)
        rows += (
            [_json_node(n) for _, n in slurm_words.json_list(text, "nodes", file, "name", report)]
            if text.lstrip()[:1] == "{"
            else _text_nodes(text, file, report)
        )
    report.rows_read += len(rows)
    table = pd.DataFrame(rows, columns=NODES)
    if table.empty:
        report.warn(report.name_of(paths[0]), "no node in the list: the table is empty")
        return table
    repeated = table.duplicated("node")
    if repeated.any():
        partitions = table.groupby("node", sort=False)["partition"].agg(lambda p: ",".join(dict.fromkeys(p)))
        report.note(f"{int(repeated.sum())} nodes are listed once per partition; each has one row here")
        table = table[~repeated].assign(partition=lambda t: t["node"].map(partitions))
    unknown = int(table["gpus"].isna().sum())
    if unknown:
        report.warn(report.name_of(paths[0]), f"{unknown} of {len(table)} nodes do not say their GPUs: their number is unknown, and sums leave them out")
    report.facts.update(nodes=len(table), gpus=float(table["gpus"].sum()), gpus_used=float(table["gpus_used"].sum()))
    return table.reset_index(drop=True)


def _json_node(node: dict) -> dict:
    told = lambda *keys: next((node[k] for k in keys if node.get(k)), "" if any(k in node for k in keys) else None)
    return {
        "node": node.get("name", ""), "state": _node_state(slurm_words.state(node.get("state", ""))), "gpus": _or_zero(told("gres", "tres")),
        "gpus_used": _or_zero(told("gres_used", "tres_used")), "cpus": node.get("cpus", np.nan), "cpus_used": node.get("alloc_cpus", np.nan),
        "partition": ",".join(node.get("partitions", [])),
    }  # fmt: skip


def _node_state(text: str) -> str:
    """Marks behind a state (`drained$`: reserved, `idle*`: no answer) are dropped."""
    return re.sub(r"[$*~#!%@^\-]+$", "", text).lower()


def _text_nodes(text: str, file: str, report: ImportReport) -> list[dict]:
    lines = [(i, [c.strip() for c in line.split("|" if "|" in line else None)]) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise InputError(f"{file}: is empty")
    names = [n.upper() for n in lines[0][1]]
    if len(set(names) & set(_NODE)) >= 2:
        lines = lines[1:]
    elif len(names) == 7 and re.search(r"^\d+/\d+/\d+/\d+$", lines[0][1][4]):
        names = ["NODELIST", "GRES", "GRESUSED", "CPUS", "CPUSSTATE", "STATELONG", "PARTITION"]
        report.note(f"{file}: no header; read as node, gres, gres used, CPUs, CPUs by state, state, partition")
    else:
        raise InputError(
            f"{file}: no header with NODELIST and STATE; `sinfo --json` or `sinfo -N -O NodeList,Gres,GresUsed,CPUs,CPUsState,StateLong,Partition` can be read"
        )
    rows = []
    for row, cells in lines:
        if len(cells) != len(names):
            report.ignore(f"{file}:{row}", f"{len(cells)} fields, the header has {len(names)}")
            continue
        own = {_NODE.get(name, name): cell for name, cell in zip(names, cells)}
        used = own.get("cpus_state", "").split("/")
        for node in slurm_words.expand_nodes(own.get("node", "")):
            rows.append({
                "node": node, "state": _node_state(own.get("state", "")), "gpus": _or_zero(own.get("gres")), "gpus_used": _or_zero(own.get("gres_used")),
                "cpus": pd.to_numeric(own.get("cpus") or used[-1], errors="coerce"), "cpus_used": pd.to_numeric(used[0], errors="coerce"),
                "partition": own.get("partition", "").rstrip("*"),
            })  # fmt: skip
    return rows


def _or_zero(text: Optional[str]) -> float:
    if text is None:
        return np.nan
    gpus = slurm_words.gpus(text)
    return 0.0 if np.isnan(gpus) else gpus
