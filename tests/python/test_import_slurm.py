"""Schedulers and profilers: unknown stays unknown, pending jobs neither start nor count, slices are parts, impossible stamps are findings."""
import json

import numpy as np
import pandas as pd
import pytest
from import_case import put, read, said

import tidewatt as tw
from tidewatt import importers
from tidewatt.importers import slurm_words


@pytest.mark.parametrize("text,gpus", [
    ("gres/gpu=8", 8), ("cpu=4,gres/gpu:h100=6,gres/gpu:l40s=2", 8), ("gpu:h100:4(IDX:0-3)", 4), ("gres/gpu:h100", 1), ("gpu", 1), ("gres/gpu:2g.20gb=7", 2), ("gpu:a100_3g.20gb:1(IDX:0)", 3 / 7),
    ("gres/gpu:h100=2,gres/gpu:1g.10gb=7,gres/gpu=9", 3), ("gres/gpu:h100_1c.3g.40gb=7", 1), ("gres/gpu:1g.10gb+me=7", 1), ("gres/shard=8", np.nan), ("cpu=4,gres/gpuutil=50", np.nan), ("gres/gpu=0", 0),
])  # fmt: skip
def test_gpus_of_a_list(text, gpus):
    assert slurm_words.gpus(text) == pytest.approx(gpus, nan_ok=True)


def number(n, known=True):
    return {"set": known, "infinite": False, "number": n}


def queued(state, job=7, **more):
    return {"job_id": job, "job_state": [state], "start_time": number(1770000000), "end_time": number(1770086400), "node_count": number(3), "nodes": "" if state == "PENDING" else "n[1-3]",
            "tres_per_node": "", "tres_alloc_str": "cpu=6,node=3", "gres_detail": [], **more}  # fmt: skip


def squeue(tmp_path, *jobs, meta_first=True):
    answer = {"jobs": list(jobs), "errors": []}
    answer = {"meta": {}, **answer} if meta_first else {**answer, "meta": {}}
    return read("squeue", put(tmp_path, "q.json", json.dumps(answer)))


def test_squeues_json_counts_gpus_where_any_field_tells(tmp_path):
    for more, gpus in (({"tres_alloc_str": "node=3,gres/gpu=24"}, 24), ({"gres_detail": ["gpu:h200:8(IDX:0-7)"] * 3, "tres_per_node": "gres/gpu:8"}, 24), ({"tres_per_node": "gres/gpu:h200:2"}, 6),
                       ({"tres_per_job": "gres/gpu:5"}, 5), ({}, 0), ({"tres_per_task": "gres/gpu:1"}, np.nan)):  # fmt: skip
        assert squeue(tmp_path, queued("RUNNING", **more))[0]["gpus"].iloc[0] == pytest.approx(gpus, nan_ok=True), more
    without = queued("RUNNING")
    del without["gres_detail"]
    assert np.isnan(squeue(tmp_path, without)[0]["gpus"].iloc[0])


def test_a_pending_job_has_no_start_no_end_and_no_gpu_at_work(tmp_path):
    table, report = squeue(tmp_path, queued("PENDING", tres_per_job="gres/gpu:64"), queued("RUNNING", 8, tres_alloc_str="gres/gpu=16"), meta_first=False)
    pending, running = table.iloc[0], table.iloc[1]
    assert pd.isna(pending["start"]) and pd.isna(pending["end"]) and pending["gpus"] == 0 and table["gpus"].sum() == 16
    assert running["start"] == pd.Timestamp("2026-02-02T02:40:00Z") and pd.isna(running["end"]) and any("estimate" in n for n in report.notes)
    text = "JOBID|STATE|START_TIME|NODES|NODELIST\n7|PENDING|2026-02-02T02:40:00|3|\n8|RUNNING|2026-02-02T02:40:00|3|n[1-3]\n"
    assert read("squeue", put(tmp_path, "q.txt", text))[0]["start"].isna().tolist() == [True, False]


def test_a_long_squeue_json_is_told_without_its_end(tmp_path):
    jobs = [queued("RUNNING", i, comment="x" * 1000) for i in range(200)]
    assert len(squeue(tmp_path, *jobs, meta_first=False)[0]) == 200


def accounted(job=31, state="COMPLETED", gpus=16, start=1770000000, end=1770007200, wrap=lambda n: n, **more):
    tres = [{"type": "cpu", "name": "", "count": 64}, {"type": "node", "name": "", "count": 2}, *([{"type": "gres", "name": "gpu", "count": gpus}] if gpus else [])]
    return {"job_id": job, "allocation_nodes": 2, "partition": "gpu", "nodes": "n[1-2]", "state": {"current": [state], "reason": "None"}, "array": {"job_id": 0, "task_id": wrap(0) and None},
            "time": {"start": wrap(start), "end": wrap(end), "elapsed": 7200, "submission": 1769999000}, "tres": {"allocated": tres}, **more}  # fmt: skip


@pytest.mark.parametrize("wrap", [lambda n: n, number])
def test_sacct_json_of_old_and_new_versions(tmp_path, wrap):
    jobs = [accounted(wrap=wrap), accounted(32, "PENDING", 0, 0, 0, wrap, nodes="None assigned"), accounted(33, "RUNNING", 8, end=0, wrap=wrap), accounted(34, gpus=0, wrap=wrap)]
    path = put(tmp_path, "s.json", json.dumps({"meta": {}, "jobs": jobs}))
    table = read("sacct", path)[0].set_index("job")
    assert table.loc["31", ["gpus", "nodes", "gpu_hours", "state"]].tolist() == [16, 2, 32, "COMPLETED"] and table["start"]["31"] == pd.Timestamp("2026-02-02T02:40:00Z")
    assert table["gpus"]["34"] == 0 and pd.isna(table["start"]["32"]) and pd.isna(table["end"]["33"]) and table["node_list"]["32"] == ""
    with pytest.raises(importers.InputError, match="kind sacct, not squeue"):
        importers.import_logs("squeue", [path])


def test_an_array_and_a_heterogeneous_job_have_slurms_own_names(tmp_path):
    jobs = [accounted(40, array={"job_id": 39, "task_id": number(5)}), accounted(41, het={"job_id": 41, "job_offset": number(1)})]
    assert set(read("sacct", put(tmp_path, "s.json", json.dumps({"jobs": jobs})))[0]["job"]) == {"39_5", "41+1"}


def test_sacct_where_gpus_are_not_tracked_or_shared(tmp_path):
    head, row = "JobID|State|Start|End|ElapsedRaw|AllocTRES\n", "{}|COMPLETED|2026-03-01T00:00:00|2026-03-01T01:00:00|3600|{}\n"
    table, report = read("sacct", put(tmp_path, "s.txt", head + row.format(1, "cpu=4,node=1")))
    assert np.isnan(table["gpus"].iloc[0]) and said(report, "may not be tracked") and report.facts["jobs_with_unknown_gpus"] == 1
    table, report = read("sacct", put(tmp_path, "s.txt", head + row.format(1, "cpu=4,node=1") + row.format(2, "gres/gpu=4,node=1") + row.format(3, "gres/shard=2,node=1")))
    assert table["gpus"].tolist() == pytest.approx([0, 4, np.nan], nan_ok=True) and said(report, "shares of GPUs")
    busy = tw.job_occupancy(table)
    assert busy["gpus"].tolist() == [4, 0] and busy["jobs"].tolist() == [3, 0] and busy["jobs_of_unknown_gpus"].tolist() == [1, 0]
    old = "JobID|State|Start|End|AllocTRES|AllocGRES\n1|COMPLETED|2026-03-01T00:00:00|2026-03-01T01:00:00|cpu=4,node=1|\n"
    assert read("sacct", put(tmp_path, "s.txt", old))[0]["gpus"].iloc[0] == 0  # AllocGRES tells that there are none


def test_a_blank_in_a_name_shifts_no_column(tmp_path):
    text = "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n" \
        "              4711       gpu  a b c d      ann  R 2-00:00:00     12 n[1-12]\n              4712       gpu      big      bob PD       0:00      2 (ReqNodeNotAvail, UnavailableNodes:n[3-4])\n"
    table, report = read("squeue", put(tmp_path, "q.txt", text))
    assert table["state"].tolist() == ["RUNNING", "PENDING"] and table["nodes"].tolist() == [12, 2] and table["node_list"].tolist() == ["n[1-12]", ""] and not report.ignored
    loose = "JOBID NAME ST NODES NODELIST\n7 my job R 2 n[1-2]\n8 x R 2 n[3-4]\n"
    table, report = read("squeue", put(tmp_path, "q.txt", loose))
    assert table["job"].tolist() == ["8"] and said(report, "q.txt:2", "a field has blanks")


def test_a_list_of_jobs_in_no_order_is_no_clock_that_goes_back(tmp_path):
    rows = "".join(f"{i}|COMPLETED|{t}|2026-11-03T00:00:00|gres/gpu=1\n" for i, t in enumerate(("2026-11-02T09:00:00", "2026-11-01T01:30:00")))
    table, report = read("sacct", put(tmp_path, "s.txt", "JobID|State|Start|End|AllocTRES\n" + rows), time_zone="America/Chicago")
    assert table["start"].iloc[0] == pd.Timestamp("2026-11-01T06:30:00Z") and said(report, "read as the first")


def test_left_aligned_fields_may_be_empty_and_cut_tables_are_refused(tmp_path):
    head = ("JOBID", "NAME", "STATE", "NODES", "NODELIST", "TRES-ALLOC")
    rows = (head, ("7", "my long run", "RUNNING", "2", "n[1-2]", "gres/gpu=16"), ("8", "x", "PENDING", "2", "", "gres/gpu=16"))
    table, report = read("squeue", put(tmp_path, "q.txt", "".join("".join(f"{c:20}" for c in r).rstrip() + "\n" for r in rows)))
    assert table["state"].tolist() == ["RUNNING", "PENDING"] and table["node_list"].tolist() == ["n[1-2]", ""] and not report.ignored
    assert report.facts["gpus_at_work"] == 16 and any("they are not at work" in n for n in report.notes)
    cut = put(tmp_path, "s.txt", "JobID           JobName  Partition      State \n------------ ---------- ---------- ---------- \n1              train        gpu  COMPLETED \n")
    for kind in ("auto", "sacct", "squeue"):
        with pytest.raises(importers.InputError, match="record `sacct --parsable2`"):
            importers.import_logs(kind, [cut])


def test_sinfo_that_does_not_tell_gpus_gives_an_unknown_number(tmp_path):
    nodes = [{"name": "n1", "state": ["IDLE"], "cpus": 64, "alloc_cpus": 0, "partitions": ["a"], "gres": "gpu:h100:8", "gres_used": "gpu:h100:2(IDX:0-1)"}, {"name": "n2", "state": ["IDLE"], "cpus": 64, "alloc_cpus": 0, "partitions": ["a"]}]
    table, report = read("sinfo", put(tmp_path, "i.json", json.dumps({"nodes": nodes})))
    assert table["gpus"].tolist() == pytest.approx([8, np.nan], nan_ok=True) and said(report, "1 of 2 nodes do not say their GPUs")


def kernels(*spans, device=0, stream=7, name="gemm"):
    return [{"ph": "X", "cat": "kernel", "name": name, "ts": b, "dur": e - b, "args": {"device": device, "stream": stream}} for b, e in spans]


def kineto(tmp_path, *events):
    done = importers.import_logs("kineto", [put(tmp_path, "t.json", json.dumps({"traceEvents": list(events)}))])
    return done.table, done.report


def test_kineto_leaves_out_stamps_of_another_time(tmp_path):
    base = 1770000000e6
    good = kernels((base, base + 400), (base + 500, base + 600))
    for wrong in (0, base + 7 * 86400e6, 1000.0):
        table, report = kineto(tmp_path, *good, *kernels((wrong, wrong + 10)))
        assert table["gpu_span_ms"].iloc[0] == pytest.approx(0.6) and table["kernels"].iloc[0] == 2 and said(report, "no time of this trace")
    table, report = kineto(tmp_path, *kernels((0, 10), (20, 40)))  # a trace that begins at 0
    assert table["gpu_span_ms"].iloc[0] == 0.04 and not report.warnings


def test_kineto_has_a_row_for_each_gpu_of_a_process(tmp_path):
    table, _ = kineto(tmp_path, *kernels((0, 100), (200, 300)), *kernels((50, 250), device=1))
    assert table["gpu"].tolist() == [0, 1] and table["busy_ms"].tolist() == [0.2, 0.2] and table["gpu_span_ms"].tolist() == [0.3, 0.2] and table["rank"].tolist() == [0, 1]


def test_kernels_of_one_stream_that_overlap_are_a_finding(tmp_path):
    _, report = kineto(tmp_path, *kernels((0, 100), (60, 200)))
    assert said(report, "stream 7", "1 events overlap", "40 µs")
    assert not kineto(tmp_path, *kernels((0, 100)), *kernels((60, 200), stream=8))[1].warnings
