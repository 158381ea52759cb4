#!/usr/bin/python3
"""kill -9 of a sweep's whole process group, again and again, until it is done: kill_test.py [NUMBER OF KILLS]

After every kill: each finished case is whole and unchanged. At the end: none was run twice, and the table is that of a
sweep that nobody killed."""
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
    print(f"{done} kills in {rounds} sweeps of {n_case} cases: {lost} lost, {corrupt} corrupt, {twice} duplicated, {wrong} wrong tables")
    return lost + corrupt + twice + wrong == 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tidewatt_kill_") as scratch:
        sys.exit(0 if kill_often(int(sys.argv[1]) if len(sys.argv) > 1 else 20, Path(scratch)) else 1)
