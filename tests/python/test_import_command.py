"""`tidewatt import` and `tw.read_…` are one: exit codes, warnings, report, endings."""
import json
import math
import os
import subprocess
import sys

import pandas as pd
import pytest
from import_case import ROOT, put

import tidewatt as tw

CLI = os.environ.get("TIDEWATT_CLI")
CLEAN = "time_s,node1_W,node2_W\n0,500,400\n1,510,450\n2,520,410\n"
TORN = CLEAN.replace("1,510,450", "1,510")


def run(*arguments):
    """The built command, or the module that it runs where there is none."""
    command = [CLI, "import"] if CLI else [sys.executable, "-m", "tidewatt.importers"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, timeout=120, env=environment)


def test_a_clean_log_is_written_and_equals_python(tmp_path):
    path, out = put(tmp_path, "a.csv", CLEAN), tmp_path / "out.csv"
    done = run("power", path, "-o", out, "--strict")
    assert (done.returncode, done.stderr) == (0, "") and "3 rows read, 0 mended, 0 ignored" in done.stdout
    table = tw.read_power(path)
    pd.testing.assert_frame_equal(pd.read_csv(out), table, check_dtype=False)
    assert table.attrs["report"]["facts"]["node1_W"]["mean_W"] == 510
    # The tables of the engine read the same file.
    auto = run("auto", path, "-o", tmp_path / "auto.csv")
    assert auto.returncode == 0 and (tmp_path / "auto.csv").read_text() == out.read_text()


def test_warnings_are_said_counted_and_refused_by_strict(tmp_path):
    path, out, report = put(tmp_path, "a.csv", TORN), tmp_path / "out.csv", tmp_path / "report.json"
    done = run("power", path, "-o", out, "--report", report)
    assert done.returncode == 0 and "ignored: a.csv:3: 2 cells" in done.stderr and len(pd.read_csv(out)) == 2
    said = json.loads(report.read_text())
    assert said["rows_read"] == 2 and said["rows_written"] == 2 and said["ignored"] == [{"place": "a.csv:3", "what": "2 cells, the header has 3"}]
    strict = run("power", path, "-o", tmp_path / "strict.csv", "--strict", "--report", report)
    assert strict.returncode == 2 and not (tmp_path / "strict.csv").exists() and json.loads(report.read_text())["ignored"]


def test_what_cannot_be_read_is_exit_2_and_what_cannot_be_written_74(tmp_path):
    path = put(tmp_path, "a.csv", CLEAN)
    for arguments, word in (
        (("nvidia-smi", path, "-o", tmp_path / "o.csv"), "neither CSV, dmon"),
        (("auto", path, put(tmp_path, "b.json", '{"traceEvents": []}'), "-o", tmp_path / "o.csv"), "several kinds"),
        (("power", path, "-o", tmp_path / "o.txt"), ".csv, .parquet, .toml"),
        (("power", path, "-o", tmp_path / "o.toml"), "no workload entry"),
        (("power", path, "-o", tmp_path / "o.csv", "--column", "power"), "NAME=COLUMN"),
        (("power", path, "-o", tmp_path / "o.csv", "--column", "power=x"), "no column 'x'"),
        (("power", put(tmp_path, "empty.csv", ""), "-o", tmp_path / "o.csv"), "is empty"),
    ):
        done = run(*arguments)
        assert done.returncode == 2 and word in done.stderr and "Traceback" not in done.stderr, (arguments, done.stderr)
    assert run("power", path, "-o", tmp_path / "no" / "folder" / "o.csv").returncode == 74


def test_an_empty_job_list_is_exit_0_with_a_warning(tmp_path):
    done = run("sacct", put(tmp_path, "s.txt", "JobID|State|Start|End\n"), "-o", tmp_path / "jobs.csv")
    assert done.returncode == 0 and "no job in the list" in done.stderr and len(pd.read_csv(tmp_path / "jobs.csv")) == 0


def test_columns_units_and_zone_of_a_dialect_not_shipped(tmp_path):
    path = put(tmp_path, "bms.csv", "Stamp;Rack 7 Load;Comment\n01.07.2024;1,5;x\n")
    done = run("csv", path, "-o", tmp_path / "o.csv", "--column", "time=Stamp", "--column", "power=Rack 7 Load", "--unit", "power=kW")
    assert done.returncode == 0 and "2024-07-01" in (tmp_path / "o.csv").read_text()  # with dots the day comes first
    path = put(tmp_path, "bms.csv", "Stamp;Rack 7 Load;Comment\n01/07/2024;1,5;x\n")
    done = run("csv", path, "-o", tmp_path / "o.csv", "--column", "time=Stamp", "--column", "power=Rack 7 Load", "--unit", "power=kW")
    assert done.returncode == 0 and "the file does not tell" in done.stderr  # nor with slashes
    path = put(tmp_path, "bms.csv", "Stamp;Rack 7 Load\n2024-07-01 12:00;1,5\n2024-07-01 12:01;1,6\n")
    done = run("csv", path, "-o", tmp_path / "o.csv", "--column", "time=Stamp", "--column", "power=Rack 7 Load", "--unit", "power=kW", "--time-zone", "Europe/Berlin")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "o.csv").read_text() == "time,power_W\n2024-07-01T10:00:00Z,1500\n2024-07-01T10:01:00Z,1600\n"


@pytest.mark.skipif(not CLI, reason="needs the built command")
def test_fit_and_weather_take_what_import_writes(tmp_path):
    def die_degC(t):  # a step of 500 W on a package of two poles
        return 35 + 500 * (0.03 * (1 - math.exp(-t / 1.5)) + 0.04 * (1 - math.exp(-t / 30)))

    rows = "".join(f"2024/05/01 10:{i // 60:02}:{i % 60:02}.000, 0, {600 if i else 100}.00 W, {die_degC(i):.2f}, 1500 MHz\n" for i in range(180))
    log = put(tmp_path, "g.csv", "timestamp, index, power.draw [W], temperature.gpu, clocks.sm [MHz]\n" + rows)
    assert run("nvidia-smi", log, "-o", tmp_path / "gpu.csv").returncode == 0
    fit = subprocess.run([CLI, "fit", "gpu", str(tmp_path / "gpu.csv"), "--name", "mine", "--out", str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert fit.returncode == 0 and "GPU 0 of gpu.csv, 180 samples" in fit.stdout, fit.stderr
    times = [f"2024-07-{d:02}T{h:02}:00" for d in (1, 2) for h in range(24)]
    answer = {"latitude": -33.9, "longitude": 151.2, "utc_offset_seconds": 36000, "timezone": "Australia/Sydney", "elevation": 1600.0,
              "hourly_units": {"temperature_2m": "°C", "relative_humidity_2m": "%"},
              "hourly": {"time": times, "temperature_2m": [10.0 + i % 24 / 2 for i in range(48)], "relative_humidity_2m": [60] * 48}}  # fmt: skip
    assert run("weather", put(tmp_path, "w.json", json.dumps(answer)), "-o", tmp_path / "weather.csv").returncode == 0
    day = ROOT / "scenarios" / "llama3_405b_day.toml"
    small = ["--set", "hall.a.n_gpu=2048", "--set", "job.main.plan.n_gpu=2048", "--set", "job.main.plan.global_batch_sequences=256", "--set", "run.duration_h=1"]
    ran = subprocess.run([CLI, "run", str(day), "--json", "--no-interval", "--quiet", "--out", str(tmp_path / "r"), "--weather", str(tmp_path / "weather.csv"), "--set",
                          "run.start=2024-07-01T06:00:00", *small], capture_output=True, text=True, timeout=240)
    assert ran.returncode == 0, ran.stderr
