"""`tidewatt log` against a GPU of its own: what it records, that settings come back whatever happens, and what it refuses."""

import json
import lzma
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tidewatt.recorder.gpu_worker import is_on

ROOT = Path(__file__).resolve().parents[2]
CLI, FAKE = os.environ["TIDEWATT_CLI"], os.environ["TIDEWATT_FAKE_GPU_LIBRARY"]
LIBRARIES = [f"--nvml={FAKE}", f"--cudart={FAKE}", f"--cublas={FAKE}", "--source=nvml"]


@pytest.fixture
def gpu(tmp_path):
    """Environment of a GPU as it leaves the factory."""
    return {**os.environ, "TIDEWATT_FAKE_GPU": str(tmp_path / "gpu.state")}


def log(gpu, *arguments, libraries=LIBRARIES, **more):
    return subprocess.run([CLI, "log", *libraries, *map(str, arguments)], env=gpu, capture_output=True, text=True, timeout=300, **more)


def settings(gpu):
    """Limit in W and locked clock in MHz that stand now."""
    code = "import ctypes,sys; l=ctypes.CDLL(sys.argv[1]); w=ctypes.c_uint(); h=ctypes.c_void_p(); l.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(h)); l.nvmlDeviceGetPowerManagementLimit(h, ctypes.byref(w)); " \
        "r=ctypes.c_ulonglong(); l.nvmlDeviceGetCurrentClocksThrottleReasons(h, ctypes.byref(r)); print(w.value*1e-3, r.value&2)"
    done = subprocess.run([sys.executable, "-c", code, FAKE], env=gpu, capture_output=True, text=True, check=True)
    return tuple(float(x) for x in done.stdout.split())


def record(gpu, out, *arguments):
    done = log(gpu, "--out", out, *arguments)
    assert done.returncode == 0, done.stderr
    return pd.read_csv(out), json.loads(Path(f"{out}.json").read_text()), done.stdout


def test_the_standard_record(gpu, tmp_path):
    both, about, said = record(gpu, tmp_path / "run.csv", "--scale", 0.025)
    assert set(both.gpu) == {0, 1} and both.groupby("gpu").products.max().min() > 0
    table = both[both.gpu == 0]
    assert about["complete"] and about["gpus"]["0"]["name"] == "Fake GPU" and settings(gpu) == (700.0, 0.0)
    mean_W = table.groupby("experiment").power_W.mean()
    assert mean_W["idle_no_context"] == pytest.approx(60.0, abs=0.5)
    assert mean_W["idle_context"] == pytest.approx(85.0, abs=0.5)
    # The counter holds what the load did: a product is 500 W for 0.5 ms, beside 85 W of a GPU with a program.
    soak = table[(table.experiment == "soak") & table.energy_J.notna()]
    took = {name: soak[name].iloc[-1] - soak[name].iloc[0] for name in ("energy_J", "time_s", "products")}
    assert took["products"] > 500
    assert took["energy_J"] == pytest.approx(85.0 * took["time_s"] + 0.25 * took["products"], rel=0.03)
    # A wave loads half of its time. Shorter waves than these may lose time on a busy machine.
    for x in about["experiments"]:
        if 0.1 <= x["period_s"] <= x["length_s"] / 2:
            rows = table[(table.experiment == x["name"]) & table.load_s.notna()]
            share = (rows.load_s.iloc[-1] - rows.load_s.iloc[0]) / (rows.time_s.iloc[-1] - rows.time_s.iloc[0])
            assert 0.2 < share < 0.8, x["name"]
    assert any("V/f" in x for x in about["unidentified"]) and "V/f" in said
    assert np.all(np.diff(table.time_s) > 0.0)


def test_a_record_goes_into_a_fit(gpu, tmp_path):
    """The record of a real GPU does, and what is recorded here has its columns. A fake one is recorded against the clock of a machine at
    work, which can stretch it beyond use."""
    with lzma.open(ROOT / "docs" / "records" / "h100_sxm_700W.csv.xz") as file:
        (tmp_path / "real.csv").write_bytes(file.read())
    fake, *_ = record(gpu, tmp_path / "fake.csv", "--scale", 0.01, "--load", "none")
    assert list(fake.columns) == list(pd.read_csv(tmp_path / "real.csv", nrows=1).columns)
    done = subprocess.run([CLI, "fit", "gpu", tmp_path / "real.csv", "--name", "mine", "--json", "--out", tmp_path], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    found = {v["key"]: v for v in json.loads(done.stdout)["values"]}
    # From full load to rest the die falls by half of its way within a second.
    assert found["fast_s"]["identified"] and 0.1 < found["fast_s"]["value"] < 0.4
    # The limiter holds the load's watts and waves mix theirs, so this record has no sample that would show leakage under load.
    assert not (tmp_path / "gpu" / "mine.toml").exists() or "leakage_W = 46.5" in (tmp_path / "gpu" / "mine.toml").read_text()


def test_changes_are_recorded_and_put_back(gpu, tmp_path):
    table, about, said = record(gpu, tmp_path / "run.csv", "--scale", 0.012, "--change-clocks", "--change-cap")
    assert settings(gpu) == (700.0, 0.0) and about["settings_not_put_back"] == "" and about["unidentified"] == []
    assert "not identified" not in said
    for x in about["experiments"]:
        rows = table[table.experiment == x["name"]]
        if x["clock_MHz"]:
            assert set(rows.clock_MHz) == {x["clock_MHz"]}
        if x["cap_W"]:
            assert set(rows.limit_W) == {x["cap_W"]} and rows.power_W.max() <= x["cap_W"] + 1.0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_settings_come_back_after_a_signal(gpu, tmp_path, number):
    out = tmp_path / "run.csv"
    # In the background and under nohup signals are ignored, and children inherit it.
    line = [CLI, "log", *LIBRARIES, "--out", out, "--scale", "0.01", "--change-cap", "--change-clocks"]
    running = subprocess.Popen(line, env=gpu, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: [signal.signal(n, signal.SIG_DFL) for n in (signal.SIGINT, signal.SIGHUP)])  # noqa: PLW1509 - no threads here
    until = time.monotonic() + 120
    while settings(gpu) == (700.0, 0.0):
        assert time.monotonic() < until and running.poll() is None, "no setting was changed"
        time.sleep(0.02)
    running.send_signal(number)
    said = running.communicate(timeout=60)[1]
    until = time.monotonic() + 20
    while settings(gpu) != (700.0, 0.0) and time.monotonic() < until:
        time.sleep(0.02)
    assert settings(gpu) == (700.0, 0.0)
    assert len(pd.read_csv(out, on_bad_lines="skip")) > 10
    if number != signal.SIGKILL:
        assert running.returncode == 128 + number and "ended early" in said
        assert not json.loads(Path(f"{out}.json").read_text())["complete"]


def test_who_may_not_change_is_told(gpu, tmp_path):
    done = log({**gpu, "TIDEWATT_FAKE_GPU_GUARDED": "1"}, "--out", tmp_path / "run.csv", "--scale", 0.01, "--change-cap")
    assert done.returncode == 74 and "administrator" in done.stderr


def test_everything_wrong_is_said_at_once(gpu, tmp_path):
    (tmp_path / "there.csv").write_text("")
    done = log(gpu, "--out", tmp_path / "there.csv", "--gpu", 3, "--command", "true", "--load", "none")
    assert done.returncode == 2
    for part in ("--gpu 3", "the file is there", "one of them"):
        assert part in done.stderr
    caps = log(gpu, "--out", tmp_path / "run.csv", "--change-cap", "--low-W", 100)
    assert caps.returncode == 2 and "200 to 700 W" in caps.stderr
    assert not (tmp_path / "run.csv").exists()


def test_the_plan_does_nothing(gpu, tmp_path):
    done = log(gpu, "--plan", "--out", tmp_path / "run.csv", "--change-cap", "--change-clocks")
    assert done.returncode == 0 and "cap_at_700W" in done.stdout and "clock_at_" in done.stdout
    assert not (tmp_path / "run.csv").exists() and settings(gpu) == (700.0, 0.0)


def test_own_command_is_stopped_and_continued(gpu, tmp_path):
    work = tmp_path / "work"
    script = f"import time\nwhile True:\n open({str(work)!r}, 'a').write('x')\n time.sleep(0.002)\n"
    (tmp_path / "load.py").write_text(script)
    _, about, _ = record(gpu, tmp_path / "run.csv", "--scale", 0.01, "--command", f"{sys.executable} {tmp_path / 'load.py'}")
    assert about["load"] == "command" and work.stat().st_size > 100
    size = work.stat().st_size
    time.sleep(0.3)
    assert work.stat().st_size == size, "the command goes on"
    ended = log(gpu, "--out", tmp_path / "ended.csv", "--scale", 0.01, "--command", "true")
    assert ended.returncode == 74 and "ended" in ended.stderr and (tmp_path / "ended.csv").exists()


def test_nvidia_smi_where_there_is_no_library(gpu, tmp_path):
    smi = tmp_path / "nvidia-smi"
    smi.write_text("#!/bin/sh\ncase $1 in *name*) echo 'Fake GPU, GPU-0, 1.0, 700.00, 200.00, 700.00, 1980';; *) echo '123.45, 40, 1980, 2619, 700.00, [N/A]';; esac\n")
    smi.chmod(smi.stat().st_mode | stat.S_IXUSR)
    arguments = [f"--nvml={tmp_path}/none.so", f"--nvidia-smi={smi}"]
    done = log(gpu, "--out", tmp_path / "run.csv", "--scale", 0.01, "--load", "none", "--sample-s", 0.2, libraries=arguments)
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(tmp_path / "run.csv")
    assert set(table.power_W) == {123.45} and table.energy_J.isna().all() and table.utilization_frac.isna().all()
    changed = log(gpu, "--out", tmp_path / "more.csv", "--change-cap", libraries=arguments)
    assert changed.returncode == 2 and "only reads" in changed.stderr
    none = log(gpu, "--out", tmp_path / "none.csv", libraries=[f"--nvml={tmp_path}/none.so", f"--nvidia-smi={tmp_path}/none"])
    assert none.returncode == 74 and "no GPU can be read" in none.stderr


def test_the_folder_runs_alone(gpu, tmp_path):
    """Without the rest of tidewatt, which a GPU node seldom has."""
    import shutil

    shutil.copytree(ROOT / "python" / "tidewatt" / "recorder", tmp_path / "recorder")
    line = [sys.executable, "-I", tmp_path / "recorder", *LIBRARIES, "--out", tmp_path / "run.csv", "--scale", "0.01", "--load", "none"]
    done = subprocess.run(line, env=gpu, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(pd.read_csv(tmp_path / "run.csv")) > 50


def test_python_has_the_commands_record(gpu, tmp_path, monkeypatch):
    import tidewatt as tw

    monkeypatch.setenv("TIDEWATT_FAKE_GPU", gpu["TIDEWATT_FAKE_GPU"])
    of = {"source": "nvml", "nvml": FAKE, "cudart": FAKE, "cublas": FAKE}
    plan = tw.log_gpus(tmp_path / "run.csv", plan=True, scale=0.01, change_cap=True, **of)
    assert plan.cap_W.max() == 700.0 and not (tmp_path / "run.csv").exists()
    table = tw.log_gpus(tmp_path / "run.csv", scale=0.01, gpu=[1], **of)
    assert set(table.gpu) == {1} and set(table.experiment) == set(plan.name[plan.cap_W.isna()])
    with pytest.raises(tw.InputError, match="(?s)--gpu 7.*the file is there"):
        tw.log_gpus(tmp_path / "run.csv", gpu=[7], **of)
    with pytest.raises(tw.OutputError, match="no GPU can be read"):
        tw.log_gpus(tmp_path / "more.csv", source="nvml", nvml=str(tmp_path / "none.so"))


def test_other_kinds_of_work(gpu, tmp_path):
    """Each has its own stretch, and one that the GPU lacks is named, not made up: the fake has no cuBLASLt."""
    both, about, said = record(gpu, tmp_path / "run.csv", "--scale", 0.012, "--works", f"--cuda={FAKE}", f"--nvrtc={FAKE}")
    assert [x["name"] for x in about["left_out"]] == ["work_of_fp8"] and "cublasLtMatmulDescCreate" in about["left_out"][0]["why"]
    assert "left out: work_of_fp8" in said and about["complete"]
    done = {x["name"]: x for x in about["experiments"]}
    assert {done[f"work_of_{w}"]["work"] for w in ("wait", "fp16", "tf32", "fp32", "zeros", "copy")} == {"wait", "fp16", "tf32", "fp32", "zeros", "copy"}
    one = both[both.gpu == 0]
    for name in ("work_of_wait", "work_of_copy", "work_of_tf32"):
        rows = one[(one.experiment == name) & one.products.notna()]
        assert rows.products.iloc[-1] > rows.products.iloc[0], name
    # For part of the time; how long that is, a machine at work can stretch, so the share is that of the rule.
    for percent in (80, 35):
        rows = one[one.experiment == f"duty_at_{percent}pct"]
        assert rows.load_s.iloc[-1] > rows.load_s.iloc[0] and done[f"duty_at_{percent}pct"]["period_s"] == 0.02
        on = [is_on(7.0 + 1e-4 * k, 7.0, 0.02, percent / 100) for k in range(2000)]
        assert np.mean(on) == pytest.approx(percent / 100, abs=0.01) and on[0] and not on[199]
    refused = log(gpu, "--works", "--load", "none", "--out", tmp_path / "none.csv")
    assert refused.returncode == 2 and "--works: belongs to --load matrix" in refused.stderr
