"""Schedulers' lists and profilers' traces."""
import gzip
import json

import numpy as np
import pandas as pd
import pytest
from import_case import put, read, said, shared

import tidewatt as tw
from tidewatt import importers
from tidewatt.importers import kineto, slurm_words

SACCT = """JobID|State|Start|End|ElapsedRaw|AllocTRES|NNodes|NodeList|Comment
10|COMPLETED|2024-05-01T00:00:00|2024-05-01T02:00:00|7200|billing=1,cpu=16,gres/gpu=16,node=2|2|n[1-2]|
10.batch|COMPLETED|2024-05-01T00:00:00|2024-05-01T02:00:00|7200|cpu=8,gres/gpu=8,node=1|1|n1|
11|CANCELLED by 1000|2024-05-01T01:00:00|Unknown|3600|cpu=8,gres/gpu:a100=4,node=1|1|n3|two
 lines
12.0|FAILED|2024-05-01T01:00:00|2024-05-01T01:30:00|1800|cpu=8,gres/gpu=8,node=1|1|n4|
12.batch|FAILED|2024-05-01T00:59:00|2024-05-01T01:31:00|1920|cpu=8,gres/gpu=8,node=1|1|n4|
13|COMPLETED|2024-05-01T03:00:00|2024-05-01T02:00:00|10|cpu=8,node=1|1|n5|
14|COMPLETED|2024-05-01T03:00:00
"""


@pytest.mark.parametrize("delimiter", ["|", "|#"])
def test_sacct_counts_jobs_not_steps(tmp_path, delimiter):
    table, report = read("sacct", put(tmp_path, "s.txt", SACCT.replace("|", delimiter)))
    jobs = table.set_index("job")
    assert list(jobs.index) == ["10", "12", "11", "13"]
    assert jobs["gpus"].to_dict() == {"10": 16, "11": 4, "12": 8, "13": 0} and jobs["gpu_hours"]["10"] == 32
    assert jobs["state"]["11"] == "CANCELLED" and pd.isna(jobs["end"]["11"])
    assert jobs["stands_for_job"].to_dict() == {"10": "", "11": "", "12": "12.0;12.batch", "13": ""} and jobs["elapsed_s"]["12"] == 1920
    assert said(report, "s.txt:5", "joined") and said(report, "s.txt:6", "no line of its own") and said(report, "ends before it starts")
    assert said(report, "ignored", "3 fields")
    busy = tw.job_occupancy(table.query("job in ('10', '12')"))
    assert list(busy["gpus"]) == [16, 24, 16, 0] and list(busy["jobs"]) == [1, 2, 1, 0]


def test_a_list_without_a_job_is_an_empty_table(tmp_path):
    table, report = read("sacct", put(tmp_path, "s.txt", SACCT.split("\n")[0] + "\n"))
    assert table.empty and said(report, "no job in the list")
    table, report = read("squeue", put(tmp_path, "q.txt", "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n"))
    assert table.empty and said(report, "no job in the list")
    with pytest.raises(importers.InputError, match="no header"):
        importers.import_logs("sacct", [put(tmp_path, "x.txt", "a|b\n1|2\n")])


def test_invalid_utf8_is_read_with_its_row(tmp_path):
    table, report = read("sacct", put(tmp_path, "s.txt", SACCT.encode().replace(b"two", b"tw\xff")))
    assert len(table) == 4 and said(report, "s.txt:4", "UTF-8")


def test_slurms_notations():
    assert slurm_words.expand_nodes("n[1-3,07],m,r[1-2]c[8-9]") == ["n1", "n2", "n3", "n07", "m", "r1c8", "r1c9", "r2c8", "r2c9"]
    assert slurm_words.expand_nodes("None assigned") == []
    assert [slurm_words.gpus(t) for t in ("gpu:ampere:8(S:0-1)", "gres/gpu:a100=8,gres/gpu=8", "gpu:0(IDX:N/A)")] == [8, 8, 0]
    assert [slurm_words.duration_s(t) for t in ("1-02:03:04", "02:03", "1:00:00.5")] == [93784, 123, 3600.5] and np.isnan(slurm_words.duration_s("UNLIMITED"))


def test_squeue_and_sinfo_as_their_man_pages_print_them(tmp_path):
    queue = "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n7 gpu a u R 1-00:00:00 2 n[1-2]\n8 gpu b u PD 0:00 4 (Resources)\n"
    table, _ = read("squeue", put(tmp_path, "q.txt", queue))
    assert list(table["state"]) == ["RUNNING", "PENDING"] and list(table["nodes"]) == [2, 4] and table["elapsed_s"].iloc[0] == 86400 and table["node_list"].iloc[1] == ""
    nodes = "NODELIST|GRES|GRES_USED|STATE|PARTITION\nn[1-2]|gpu:h100:8|gpu:h100:3(IDX:0-2)|mixed|a*\nn1|gpu:h100:8|gpu:h100:3|mixed|b\n"
    table, _ = read("sinfo", put(tmp_path, "i.txt", nodes))
    assert list(table["node"]) == ["n1", "n2"] and table["gpus"].sum() == 16 and table["gpus_used"].sum() == 6 and table["partition"].iloc[0] == "a,b"
    answer = {"meta": {}, "jobs": [{"job_id": 5, "job_state": ["RUNNING"], "start_time": {"set": True, "infinite": False, "number": 1714521600}, "end_time": 0,
                                    "node_count": {"set": True, "infinite": False, "number": 2}, "tres_alloc_str": "cpu=4,gres/gpu=16", "nodes": "n[1-2]"}]}  # fmt: skip
    table, _ = read("squeue", put(tmp_path, "q.json", json.dumps(answer)))
    assert table["gpus"].iloc[0] == 16 and table["start"].iloc[0] == pd.Timestamp("2024-05-01T00:00:00Z")


def trace(rank, starts, ends, compute, step=(0, 1000), world=2, shift=0):
    """Two ranks: one all-reduce [starts, ends], kernels at `compute`, µs."""
    events = [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "ts": step[0] + shift, "dur": step[1] - step[0]}]
    events += [{"ph": "X", "cat": "kernel", "name": "sm90_xmma_gemm_bf16", "ts": b + shift, "dur": e - b, "args": {}} for b, e in compute]
    events += [{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "ts": b + shift, "dur": e - b, "args": {}} for b, e in zip(starts, ends)]
    events += [{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "ts": 20 + shift, "dur": 10}, {"ph": "X", "cat": "kernel", "name": "torn", "ts": 5}]
    return json.dumps({"distributedInfo": {"rank": rank, "world_size": world}, "deviceProperties": [{"name": "X"}], "traceEvents": events})


def test_kineto_splits_waiting_from_transfer_whatever_the_clocks(tmp_path):
    starts, ends = {0: [300, 800], 1: [500, 700]}, {0: [560, 860], 1: [560, 860]}
    compute = {0: [(50, 300), (600, 780)], 1: [(50, 500), (540, 640)]}
    for shift in (0, 5_000_000):
        paths = [put(tmp_path, f"r{r}.json.gz", gzip.compress(trace(r, starts[r], ends[r], compute[r], shift=shift * r).encode())) for r in (0, 1)]
        done = importers.import_logs("kineto", paths, name="two")
        table, collectives = done.table.set_index("rank"), done.more["collectives"]
        assert list(collectives["last_rank_to_arrive"]) == [1, 0] and list(collectives["transfer_us"]) == [60, 60] and set(collectives["kind"]) == {"all_reduce"}
        assert table["waiting_ms"].to_dict() == pytest.approx({0: 0.2, 1: 0.1}) and table["transfer_ms"][0] == pytest.approx(0.12)
        assert table["compute_ms"][1] == 0.55 and table["exposed_comm_ms"][1] == pytest.approx((40 + 160) / 1e3) and table["matrix_ms"][0] == pytest.approx(0.43)
        assert said(done.report, "clocks differ by 5e+03 ms") == bool(shift) and said(done.report, "without start or duration")
        path = put(tmp_path, "two.toml", done.entry)
        profile = tw.read_profile(path)
        assert profile.step_s() == pytest.approx(1e-3, rel=1e-6) and profile.n_step == 1
        # Half the clock: only kernels take twice as long, so the step grows by what the slowest ranks compute, and no more.
        assert 1.45e-3 < profile.step_s(clock_ratio=0.5) < 1.7e-3 and profile.step_s(clock_ratio=2.0) > 0.5e-3
        assert profile.step_s(n_rank=1024) > profile.step_s() and profile.waiting_s().min() >= 0


def test_kineto_refuses_what_is_no_trace(tmp_path):
    one = put(tmp_path, "a.json", trace(0, [10], [20], [(0, 10)]))
    with pytest.raises(importers.InputError, match="two traces of rank 0"):
        importers.import_logs("kineto", [one, one])
    with pytest.raises(importers.InputError, match="nothing ran on a GPU"):
        importers.import_logs("kineto", [put(tmp_path, "b.json", '{"traceEvents": []}')])
    assert [kineto.kernel_class(k) for k in ("ncclKernel_AllReduce", "flash_fwd", "Cijk_Ailk", "vectorized_elementwise_kernel", "x")] == ["communication", "attention", "matrix", "elementwise", "other"]


def test_sacct_truths():
    folder = shared("slurm_jobs", "gcm")
    table, report = read("sacct", folder / "sample-sacct-one-multiline.txt")
    jobs = table.set_index("job")
    expected = {"200131": (256, 2048, 35317, "CANCELLED"), "201729": (128, 1024, 79396, "FAILED"), "201844": (32, 256, 87356, "REQUEUED")}
    assert {j: (r["nodes"], r["gpus"], r["elapsed_s"], r["state"]) for j, r in jobs.iterrows()} == expected
    assert round(jobs["gpu_hours"]["201729"]) == 22584 and round(jobs["gpu_hours"]["201844"]) == 6212 and said(report, ":4", "joined")
    assert jobs["stands_for_job"]["200131"] == "200131.0" and len(slurm_words.expand_nodes(jobs["node_list"]["200131"])) == 256
    joined, _ = read("sacct", folder / "sample-sacct-one-multiline-expected.txt")
    pd.testing.assert_frame_equal(table, joined)
    table, report = read("sacct", folder / "sample-sacct-output.txt")
    assert report.rows_read == 68 and len(table) == 1 and table["gpus"].iloc[0] == 0
    _, report = read("sacct", folder / "sample-sacct-output-invalid-utf8.txt")
    assert said(report, ":12", "UTF-8")
    table, report = read("sacct", folder / "sample-sacct-output-with-invalid-lines.txt")
    assert table.empty and said(report, ":2", "93 fields") and said(report, "no job")
    assert len(read("sacct", folder / "sample-sacct-output-midnight-edge-case.txt")[0]) == 306
    assert read("sacct", folder / "sample-sacct-running-output.txt")[0]["end"].isna().all()


def test_squeue_and_sinfo_truths():
    folder = shared("slurm_jobs")
    table, _ = read("squeue", folder / "gcm" / "sample-squeue-output.txt")
    assert list(table["gpus"]) == [2, 1, 256, 0, 160] and list(table["state"]).count("RUNNING") == 3
    assert len(read("squeue", folder / "squeue_json_rivos.json")[0]) == 2
    table, report = read("sinfo", folder / "gcm" / "sinfo-output-for-structured.txt")
    assert len(table) == 10 and report.facts["gpus"] == 80 and report.facts["gpus_used"] == 56 and "drained" in set(table["state"])
    assert len(read("sinfo", folder / "sinfo_json_rivos.json")[0]) == 4


def traces():
    folder = shared("kineto_traces")
    return {"dlrm": sorted(folder.glob("dlrm_8_ranks/*.gz")), "two": sorted(folder.glob("two_of_128_ranks/*.gz")),
            **{p.name: [p] for p in sorted(folder.glob("single_rank/*.gz"))}}  # fmt: skip


def test_kineto_truths(tmp_path):
    expected = pd.read_csv(shared("kineto_traces", "expected.csv"))
    columns = ["kernels", "nccl_kernels", "profiler_steps", "gpu_span_ms", "busy_ms", "idle_ms", "compute_ms", "comm_ms", "exposed_comm_ms", "comm_kernel_sum_ms"]
    for name, paths in traces().items():
        done = importers.import_logs("kineto", paths)
        for _, row in done.table.iterrows():
            true = expected[expected["file"].str.endswith(row["file"])].iloc[0]
            assert row[columns].astype(float).to_numpy() == pytest.approx(true[columns].astype(float).to_numpy(), rel=1e-3), row["file"]
        entry = put(tmp_path, f"{name}.toml", done.entry)
        recorded = float(done.entry.split("recorded_step_s = ")[1].split()[0])
        assert tw.read_profile(entry).step_s() == pytest.approx(recorded, rel=0.03), name
        if name == "dlrm":
            true = pd.read_csv(shared("kineto_traces", "expected_collectives_dlrm.csv"))
            for column in true:
                assert (done.more["collectives"][column] == true[column]).all(), column
            assert tw.read_profile(entry).step_s() == pytest.approx(12.509e-3, rel=0.03)  # of the last rank to arrive
        if name == "two":
            assert said(done.report, "wait for ranks without a trace")
