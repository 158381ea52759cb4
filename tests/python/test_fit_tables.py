"""Fits to tables as a facility engineer would call them: from frames and files, as Python and as command, with their findings."""

import json
import os
import subprocess
import tomllib
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tidewatt as tw

CLI = os.environ["TIDEWATT_CLI"]
RANDOM = np.random.default_rng(7)
ENTRY = tomllib.loads((Path(__file__).resolve().parents[2] / "catalog" / "gpu" / "h100_sxm_700W.toml").read_text())["power"]


def command(word, path, out, *more):
    return subprocess.run([CLI, "fit", word, path, "--name", "mine", "--out", out, "--json", *map(str, more)], capture_output=True, text=True)


def record():
    """A record as `tidewatt log --change-clocks --change-cap` writes it, of a GPU that follows the catalog's law: 20 readings per s."""
    rows, at_s, die = [], 0.0, 33.0
    plan = [("idle_no_context", 0.0, 345, 700), ("idle_context", 0.0, 1980, 700), ("soak", 1.0, 1980, 700), ("cool", 0.0, 1980, 700), ("wave_of_10s", 0.5, 1980, 700)]
    plan += [(f"clock_at_{f}MHz", 1.0, f, 700) for f in (1875, 1620, 1380, 1125, 885)] + [(f"cap_at_{w}W", 1.0, None, w) for w in (600, 500, 400)]
    clocks, volts = np.array(ENTRY["vf_clock_MHz"]), np.array(ENTRY["vf_voltage_mV"]) * 1e-3
    ref_V = ENTRY["voltage_ref_V"]

    def watts(f, T, activity, idle):
        V = np.interp(f, clocks, volts)
        leak = ENTRY["leakage_W"] * np.exp(ENTRY["leakage_frac_per_K"] * (T - 60) + ENTRY["leakage_frac_per_V"] * (V - ref_V))
        leak *= ENTRY["rest_leakage_ratio"] if idle else 1.0
        return ENTRY["board_W"] + leak + activity * ENTRY["dynamic_W"] * (V / ref_V) ** 2 * f / 1500

    for part, (name, load, clock, limit) in enumerate(plan):
        activity = 0.0 if name == "idle_no_context" else 0.02 if load == 0.0 else 0.62
        for _ in range(20 * 40):
            f = clock if clock else float(np.interp(limit - 8, watts(np.arange(300, 1981.0), die, activity, False), np.arange(300, 1981.0)))
            W = watts(f, die, activity, name == "idle_no_context")
            die += (30 + 0.06 * W - die) * 0.05 / 12
            rows.append((at_s, 0, part, name, load, W + RANDOM.normal(0, 2), round(die), f, limit))
            at_s += 0.05
    return pd.DataFrame(rows, columns=["time_s", "gpu", "part", "experiment", "load_frac", "power_W", "temperature_degC", "clock_MHz", "limit_W"])


@pytest.fixture(scope="module")
def recorded():
    return record()


def test_a_record_with_clocks_and_caps_gives_the_gpu_that_made_it(recorded, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fit = tw.fit_clocks(recorded, name="mine")
    found = fit.frame.set_index("key")
    truth = {**{k: ENTRY[k] for k in ("board_W", "leakage_W", "leakage_frac_per_K", "leakage_frac_per_V")}, "vf_below_ratio": 1, "vf_above_ratio": 1, "activity_work": 0.62, "activity_context": 0.02, "cap_margin_W": 8}
    missed = {k: tuple(found.loc[k, ["low", "high"]]) for k, v in truth.items() if not found.low[k] <= v <= found.high[k]}
    assert not missed
    assert found.identified[["activity_work", "vf_above_ratio", "cap_margin_W"]].all()
    assert fit.details["residuals"][0]["spectrum"] and fit.details["residuals"][0]["unit"] == "W"
    path = fit.save(tmp_path, force=True)
    assert tw.Catalog(tmp_path).text("mine").count("vf_voltage_mV") == 2 and path.parent.name == "gpu"
    # A log without changed settings tells nothing of V/f: the prior's interval stays, marked as not identified.
    plain = recorded[~recorded.experiment.str.contains("_at_")]
    with pytest.warns(UserWarning, match="does not identify"):
        alone = tw.fit_clocks(plain, name="mine").frame.set_index("key")
    assert not alone.identified["vf_below_ratio"] and alone.low["vf_below_ratio"] == 0.5 and alone.high["vf_below_ratio"] == 2.0


def test_the_command_writes_what_python_saves(tmp_path):
    table = pd.DataFrame({"iteration_s": np.round(4.0 * (1 + 0.004 * np.abs(RANDOM.normal(size=(400, 8))).max(axis=1)), 3)})
    file = tmp_path / "iterations.csv"
    table.to_csv(file, index=False)
    done = command("jitter", file, tmp_path / "theirs", "--replicas", 8, "--resolution-s", 0.001)
    assert done.returncode == 0, done.stderr
    fit = tw.fit_jitter(table, name="mine", replicas=8, resolution_s=0.001)
    assert json.loads(done.stdout)["values"] == fit.details["values"]
    sigma = fit.frame.set_index("key").loc["jitter_sigma_frac"]
    assert sigma.low < 0.004 < sigma.high and sigma.high / sigma.low < 1.5
    assert fit.save(tmp_path / "ours").read_text().replace("table.csv", "iterations.csv") == (tmp_path / "theirs" / "job" / "mine.toml").read_text()


def test_a_value_at_an_end_is_not_written_without_force(tmp_path):
    out_W = np.linspace(4e5, 2.4e6, 80)
    file = tmp_path / "meters.csv"
    pd.DataFrame({"input_W": out_W + 2500 + 4.5e4 * (out_W / 2.45e6) ** 2 + RANDOM.normal(0, 50, 80), "output_W": out_W}).to_csv(file, index=False)  # nearly twice what the base allows
    done = command("feeder", file, tmp_path)
    assert done.returncode == 2 and "end of the search" in done.stderr and not (tmp_path / "feeder").exists()
    assert any(v["at_bound"] for v in json.loads(done.stdout)["values"])
    assert command("feeder", file, tmp_path, "--force").returncode == 0 and (tmp_path / "feeder" / "mine.toml").exists()


def test_jobs_of_a_scheduler_give_a_failure_rate(tmp_path):
    jobs = pd.DataFrame({"job": range(400), "state": ["NODE_FAIL" if i % 40 == 3 else "COMPLETED" for i in range(400)], "nodes": 16, "elapsed_s": 0.5 * 86400})
    fit = tw.fit_failures(jobs, name="mine")
    value = fit.frame.iloc[0]
    assert value.low < 10 / 3200 < value.high and value.identified
    scenario = {"job.main.failures": "mine"}
    fit.save(tmp_path)
    assert "rate_per_node_day" in tw.Catalog(tmp_path).text("mine") and scenario
    with pytest.raises(tw.InputError, match="--nodes and --days"):
        tw.fit_failures(pd.DataFrame({"cause": ["gpu"], "repair_h": [3.0]}), name="mine")


def test_what_is_missing_is_named(tmp_path):
    empty = pd.DataFrame({"a": [1.0], "b": [2.0]})
    for call, column in ((tw.fit_clocks, "power_W"), (tw.fit_limiter, "power_W"), (tw.fit_server, "gpu_sum_W"), (tw.fit_feeder, "input_W"),
                         (tw.fit_plant, "it_W"), (tw.fit_jitter, "iteration_s"), (tw.fit_rows, "temperature")):  # fmt: skip
        with pytest.raises(tw.InputError, match=column):
            call(empty, name="mine")
