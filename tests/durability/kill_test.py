#!/usr/bin/python3
"""kill -9 of a sweep's whole process group, or of a run, again and again, until it is done: kill_test.py [NUMBER OF KILLS of each]

After every kill of a sweep: each finished case is whole and unchanged. At the end: none was run twice, and the table is that of
a sweep that nobody killed. After every kill of a run: its checkpoint is whole or not there, and the run that goes on from it
ends with the bits of one that nobody killed."""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import sweeps


def alive(group):
    """Whether any process of the group still runs; the dead whom nobody has fetched do not count."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, pgrp = stat.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(pgrp) == group and state not in "ZX":
            return True
    return False


def kill_often(n_kill, folder):
    # Enough cases that they last for all kills; a second sweep goes on where the first ends early.
    draws, done, lost, corrupt, twice, wrong, rounds = random.Random(7), 0, 0, 0, 0, 0, 0
    n_case = 60
    sweep = sweeps.write_sweep(folder, n_case)
    assert sweeps.run(sweep, folder / "calm").returncode == 0
    expected = sweeps.tables(folder / "calm")
    while done < n_kill:
        rounds += 1
        out = folder / f"killed{rounds}"
        seen = {}
        while True:
            process = subprocess.Popen(sweeps.command(sweep, out), start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(draws.uniform(0.02, 0.25) if done < n_kill else 300)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                done += 1
                while alive(process.pid):  # the kernel ends the workers when it gets to it
                    time.sleep(0.002)
            now = sweeps.cases(out)
            lost += sum(name not in now for name in seen)
            twice += sum(name in now and now[name] != facts for name, facts in seen.items())
            corrupt += sum(not sweeps.vouches(p) for p in out.rglob("*.case"))
            seen = now
            if process.returncode == 0:
                break
        wrong += sweeps.tables(out) != expected or len(seen) != n_case or bool(list(out.rglob("*.tmp-*")))
    print(f"scorecard 11: {done} kills in {rounds} sweeps of {n_case} cases: {lost} lost, {corrupt} corrupt, {twice} duplicated, {wrong} wrong tables")
    return lost + corrupt + twice + wrong == 0


def payload(out):
    """The hash of a result's arrays, as `run --json` says it."""
    return json.loads(out)["payload_sha256"]


def kill_runs(n_kill, folder):
    """A run that writes a checkpoint at every macro step is killed at random times and resumed until it is done."""
    draws, done, lost, wrong, rounds, resumed = random.Random(8), 0, 0, 0, 0, 0
    tiny = sweeps.ROOT / "tests" / "scenarios" / "tiny.toml"
    sets = ["run.duration_h=0.5", "run.macro_step_s=10", "run.macro_step_max_s=10"]
    line = [sweeps.CLI, "run", str(tiny), "--json", "--quiet", "--reference", *[w for s in sets for w in ("--set", s)]]
    calm = subprocess.run([*line, "--out", str(folder / "calm_run")], capture_output=True, text=True, check=True)
    begin = time.monotonic()
    subprocess.run([*line, "--out", str(folder / "calm_run")], capture_output=True, check=True)
    whole_s = time.monotonic() - begin
    while done < n_kill:
        rounds += 1
        out = folder / f"run{rounds}"
        out.mkdir()
        state = out / "state"
        while True:
            more = ["--resume", str(state)] if state.exists() else []
            resumed += bool(more)
            child = subprocess.Popen([*line, "--out", str(out), "--checkpoint", str(state), "--checkpoint-every-h", "0.002", *more],
                                     start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                said, why = child.communicate(timeout=draws.uniform(0.02, 0.6 * whole_s + 0.05) if done < n_kill else 300)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.communicate()
                done += 1
                lost += bool(more) and not state.exists()
                continue
            if child.returncode != 0:
                print(why.strip()[:300])
                wrong += 1
                break
            wrong += payload(said) != payload(calm.stdout)
            break
    print(f"scorecard 11: {done} kills of {rounds} runs, {resumed} resumed: {lost} checkpoints lost, {wrong} with other bits or an error")
    return lost + wrong == 0


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory(prefix="tidewatt_kill_") as scratch:
        sys.exit(0 if kill_often(count, Path(scratch)) & kill_runs(count, Path(scratch)) else 1)
