"""PyTorch profiler traces (Kineto, a Chrome trace): kernel classes, communication split into waiting and transfer, idle time."""

from __future__ import annotations

import functools
import json
import re

import numpy as np
import pandas as pd

from . import intervals, profile
from .report import ImportReport, InputError
from .text import read_bytes

DAY_US = 86400e6
ON_GPU = ("kernel", "gpu_memcpy", "gpu_memset")
# Classes of kernels by name; the first that fits holds. RCCL's kernels are called nccl as well.
CLASSES = (
    ("communication", r"nccl|rccl"),
    ("attention", r"flash|fmha|attention|attn"),
    ("matrix", r"gemm|gemv|matmul|cublas|cutlass|conv|wgrad|dgrad|implicit|mfma|Cijk|winograd|xdlops"),
    ("embedding", r"embedding|fbgemm|index|gather|scatter|permute"),
    ("optimizer", r"multi_tensor|adam|sgd|lamb"),
    ("normalisation", r"norm|softmax|bn_|batch_norm|reduce|welford"),
    ("elementwise", r"elementwise|vectorized|copy|fill|cat|unrolled"),
)
KINDS = (
    ("all_reduce", r"all_?reduce"), ("all_to_all", r"all_?to_?all|sendrecv"), ("all_gather", r"all_?gather"), ("reduce_scatter", r"reduce_?scatter"),
    ("broadcast", r"broadcast"), ("reduce", r"reduce"), ("send", r"send"), ("receive", r"recv"),
)  # fmt: skip
COLUMNS = (
    "file rank world device kernels nccl_kernels profiler_steps step_ms gpu_span_ms busy_ms idle_ms compute_ms comm_ms exposed_comm_ms "
    "comm_kernel_sum_ms waiting_ms transfer_ms copy_ms"
).split()


def read(paths, report: ImportReport, name: str = "profile") -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """One row per rank, and per GPU where a process used several; one row per collective of several ranks, and the workload entry.

    `paths`: traces, one per rank, gzip or plain; `report`: takes the remarks; `name`: of the entry.
    Raises InputError: a file is no trace, nothing ran on a GPU, or two traces are of one rank.
    """
    traces = [trace for path in paths for trace in _traces(path, report)]
    ranks = [t["rank"] for t in traces if t["rank"] is not None]
    if len(set(ranks)) < len(ranks):
        twice = next(r for r in ranks if ranks.count(r) > 1)
        raise InputError(f"two traces of rank {twice}: give one trace per rank of one run")
    traces.sort(key=lambda t: (t["rank"] is None, t["rank"]))
    collectives = match(traces, report) if len(traces) > 1 else []
    table = pd.DataFrame(
        [_row(t, collectives) for t in traces],
        columns=[*COLUMNS[:2], *(["gpu"] if any("gpu" in t for t in traces) else []), *COLUMNS[2:], *(f"{c}_ms" for c, _ in CLASSES if c != "communication"), "other_ms"],
    )
    if len(traces) == 1 and traces[0]["comm"]:
        report.note("one rank alone cannot tell waiting from transfer: its communication holds both")
    elif traces and traces[0]["world"] and len(traces) < traces[0]["world"]:
        report.note(f"{len(traces)} of {traces[0]['world']} ranks: the last to arrive may be another, so transfer times are upper bounds")
    entry = profile.entry(traces, collectives, name)
    return table, pd.DataFrame([_collective_row(c, traces) for c in collectives]), entry


@functools.lru_cache(maxsize=None)
def kernel_class(kernel: str) -> str:
    """Class of a kernel: communication, attention, matrix, embedding, optimizer, normalisation, elementwise or other. `kernel`: its name."""
    return next((c for c, pattern in CLASSES if re.search(pattern, kernel, re.IGNORECASE)), "other")


def collective_kind(kernel: str, arguments: dict) -> str:
    """all_reduce, all_to_all, … `kernel`: its name; `arguments`: of the trace's event, which newer versions fill."""
    text = str(arguments.get("Collective name") or kernel)
    return next((k for k, pattern in KINDS if re.search(pattern, text, re.IGNORECASE)), "other")


def _traces(path, report: ImportReport) -> list[dict]:
    """The GPUs of one file: a process may have used several."""
    file = report.name_of(path)
    try:
        trace = json.loads(read_bytes(path))
        events = trace["traceEvents"] if isinstance(trace, dict) else trace
    except (ValueError, KeyError) as error:
        raise InputError(f"{file}: no profiler trace with traceEvents ({error})") from error
    gpu = [e for e in events if e.get("ph") == "X" and str(e.get("cat", "")).lower() in ON_GPU]
    torn = [e for e in gpu if not isinstance(e.get("dur"), (int, float)) or not isinstance(e.get("ts"), (int, float)) or e["dur"] < 0]
    for e in torn:
        report.ignore(file, f"a {e.get('cat')} without start or duration")
    gpu = [e for e in gpu if e not in torn] if torn else gpu
    gpu = _of_one_run(gpu, file, report)
    report.rows_read += len(gpu)
    if not gpu:
        raise InputError(f"{file}: nothing ran on a GPU (no event of category kernel, gpu_memcpy or gpu_memset)")
    info = trace.get("distributedInfo") or {} if isinstance(trace, dict) else {}
    steps = sorted(
        (e["ts"], e["dur"])
        for e in events
        if str(e.get("name", "")).startswith("ProfilerStep#") and e.get("cat") in ("user_annotation", "cpu_op")
    )
    devices = (trace.get("deviceProperties") or [{}]) if isinstance(trace, dict) else [{}]
    numbers = sorted({e.get("args", {}).get("device") for e in gpu} - {None})
    if len(numbers) < 2:
        return [_of_gpu(gpu, file, info.get("rank"), info.get("world_size"), devices[0].get("name", ""), steps, report)]
    report.note(f"{file}: its process used {len(numbers)} GPUs; each has a row, and its rank counts GPUs, not processes")
    names = {d.get("id", i): d.get("name", "") for i, d in enumerate(devices)}
    out = []
    for i, number in enumerate(numbers):
        rank, world = (info.get("rank") or 0) * len(numbers) + i, (info.get("world_size") or 1) * len(numbers)
        own = [e for e in gpu if e.get("args", {}).get("device") == number]
        out.append({**_of_gpu(own, file, rank, world, names.get(number, ""), steps, report), "gpu": number})
    return out


def _of_one_run(events: list[dict], file: str, report: ImportReport) -> list[dict]:
    """Events without those whose stamp is of another time: 0, or more than a day from the middle of the trace. A trace lasts minutes."""
    if len(events) < 2:
        return events
    stamps = np.sort([float(e["ts"]) for e in events])
    middle = stamps[len(stamps) // 2]
    positive = stamps[stamps > 0]
    no_zero = len(positive) and positive[0] > max(10 * np.ptp(positive), 1e6)
    wrong = [e for e in events if abs(e["ts"] - middle) > DAY_US or e["dur"] > DAY_US or (e["ts"] <= 0 and no_zero)]
    for e in wrong:
        report.ignore(file, f"a {e.get('cat')} with the stamp {e['ts']:g} µs and {e['dur']:g} µs long, which is no time of this trace")
    return [e for e in events if e not in wrong] if wrong else events


def _check_streams(events: list[dict], file: str, report: ImportReport) -> None:
    """Work of one stream runs in order, so that its events cannot overlap."""
    streams: dict = {}
    for e in events:
        streams.setdefault(e.get("args", {}).get("stream"), []).append(e)
    for stream, own in streams.items():
        spans = _spans(sorted(own, key=lambda e: e["ts"]))
        overlap = np.maximum.accumulate(spans[:, 1])[:-1] - spans[1:, 0]
        n = int((overlap > 1.0).sum())
        if n and stream is not None:
            report.warn(f"{file}, stream {stream}", f"{n} events overlap others of their stream by up to {overlap.max():.3g} µs, which cannot be; sums of kernels count that time twice")


def _of_gpu(gpu: list[dict], file: str, rank, world, device: str, steps, report: ImportReport) -> dict:
    """What one GPU did: its kernels by class, and unions of intervals in µs."""
    _check_streams(gpu, file, report)
    kernels = [e for e in gpu if e["cat"].lower() == "kernel"]
    comm = sorted((e for e in kernels if kernel_class(e["name"]) == "communication"), key=lambda e: e["ts"])
    parts = {"compute": [e for e in kernels if kernel_class(e["name"]) != "communication"], "all": gpu, "comm_union": comm, "copies": [e for e in gpu if e["cat"].lower() != "kernel"]}
    own = {"file": file, "rank": rank, "world": world, "device": device, "steps": steps, "kernels": kernels, "class_us": _by_class(kernels), "comm": comm}
    return own | {name: intervals.union(_spans(events)) for name, events in parts.items()}


def _by_class(kernels) -> dict[str, float]:
    """Sums of durations, µs."""
    sums: dict[str, float] = {}
    for e in kernels:
        sums[kernel_class(e["name"])] = sums.get(kernel_class(e["name"]), 0.0) + e["dur"]
    return sums


def _spans(events) -> np.ndarray:
    return np.array([[e["ts"], e["ts"] + e["dur"]] for e in events], dtype=float).reshape(-1, 2)


def _row(t: dict, collectives) -> dict:
    """A rank's figures; times of the trace, in µs, become ms."""
    span, busy = t["all"][-1, 1] - t["all"][0, 0], intervals.length(t["all"])
    compute, comm = intervals.length(t["compute"]), t["comm_union"]
    own = [c for c in collectives if t["rank"] in c["waiting_us"]]
    times_us = {
        "step": np.mean([d for _, d in t["steps"]]) if t["steps"] else np.nan, "gpu_span": span, "busy": busy, "idle": span - busy, "compute": compute,
        "comm": intervals.length(comm), "exposed_comm": intervals.length(intervals.union(np.concatenate([comm, t["compute"]]))) - compute,
        "comm_kernel_sum": sum(e["dur"] for e in t["comm"]), "copy": intervals.length(t["copies"]),
        "waiting": sum(c["waiting_us"][t["rank"]] for c in own) if own else np.nan, "transfer": sum(c["transfer_us"] for c in own) if own else np.nan,
        **{c: t["class_us"].get(c, 0.0) for c in [*(c for c, _ in CLASSES if c != "communication"), "other"]},
    }  # fmt: skip
    labels = {name: t[name] for name in ("file", "rank", "gpu", "world", "device") if name in t}
    return {**labels, "kernels": len(t["kernels"]), "nccl_kernels": len(t["comm"]), "profiler_steps": len(t["steps"]), **{f"{name}_ms": us / 1e3 for name, us in times_us.items()}}


def match(traces: list[dict], report: ImportReport) -> list[dict]:
    """Collectives that all traces have in common, in order, with who waits for whom.

    A rank waits from its own start to the last one's; from then on data moves. Clocks of the nodes are compared by the ends, which a
    collective forces together; where ends do not coincide after a constant offset, waiting cannot be told.

    `traces`: of several ranks; `report`: takes the remarks.
    """
    kinds = [[(collective_kind(e["name"], e.get("args", {})), str(e.get("args", {}).get("Process Group Name", ""))) for e in t["comm"]] for t in traces]
    n = min(map(len, kinds))
    if n == 0 or any(k[:n] != kinds[0][:n] for k in kinds):
        report.warn("collectives", "the ranks' collectives differ in order or kind; waiting and transfer are not split")
        return []
    if max(map(len, kinds)) > n:
        report.warn("collectives", f"the ranks have {n} to {max(map(len, kinds))} collectives; the first {n} are compared")
    spans = np.stack([_spans(t["comm"][:n]) for t in traces])
    start, end = spans[:, :, 0], spans[:, :, 1]
    offset = np.median(end - end.mean(axis=0), axis=1, keepdims=True)
    spread = np.ptp(end - offset, axis=0)
    apart = spread > np.maximum(0.2 * (end - start).max(axis=0), 50.0)
    if apart.sum() > 0.2 * n:
        what = f"the ranks end {int(apart.sum())} of {n} collectives apart (up to {spread.max() / 1e3:.3g} ms)"
        report.warn("collectives", f"{what}: they wait for ranks without a trace; waiting and transfer are not split")
        return []
    if np.ptp(offset) > 100.0:
        report.mend("clocks", f"node clocks differ by {np.ptp(offset) / 1e3:.3g} ms; set on each other by the ends of {n} collectives (they agree within {np.median(spread):.3g} µs)")
        start, end = start - offset, end - offset
        for t, shift in zip(traces, offset[:, 0]):
            t["clock_us"] = float(shift)
    for j in np.flatnonzero(apart):
        report.warn(f"collective {j}", "the ranks end it apart: it does not hold them together, or clocks drift")
    return [_collective(j, kinds[0][j], start[:, j], end[:, j], traces) for j in range(n)]


def _collective(j: int, kind: tuple[str, str], start, end, traces) -> dict:
    """One collective of all ranks. `start`, `end`: by rank, µs on one clock"""
    ranks, last = [t["rank"] for t in traces], int(np.argmax(start))
    waiting = np.clip(np.minimum(start[last], end) - start, 0.0, None)
    return {
        "index": j, "kind": kind[0], "group": kind[1], "arrival_spread_us": float(np.ptp(start)), "end_spread_us": float(np.ptp(end)),
        "last_rank_to_arrive": ranks[last], "transfer_us": float(np.median(end) - start[last]), "waiting_us": dict(zip(ranks, map(float, waiting))),
        "bytes": _bytes(traces[0]["comm"][j]),
    }  # fmt: skip


def _bytes(event: dict) -> int:
    """Message size where the trace gives it: elements × size of their type."""
    arguments = event.get("args", {})
    size = {"Float": 4, "Half": 2, "BFloat16": 2, "Double": 8, "Long": 8, "Int": 4, "Byte": 1, "Char": 1}.get(str(arguments.get("dtype", "")), 0)
    return int(arguments.get("In msg nelems") or 0) * size


def _collective_row(c: dict, traces) -> dict:
    row = {k: c[k] for k in ("index", "kind", "arrival_spread_us", "end_spread_us", "last_rank_to_arrive", "transfer_us", "bytes")}
    for t in traces:
        row[f"dur_rank{t['rank']}_us"] = float(t["comm"][c["index"]]["dur"])
        row[f"waiting_rank{t['rank']}_us"] = c["waiting_us"][t["rank"]]
    return row
