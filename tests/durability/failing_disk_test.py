#!/usr/bin/python3
"""The n-th write, fsync, rename or large malloc fails, once or for ever (a preloaded shim, $TIDEWATT_SHIM): the error is
named, the exit code is not 0, finished cases are whole, and the sweep goes on to the right table afterwards."""
import os
import shutil
import sys
import tempfile
from pathlib import Path

import sweeps


def fail_each(folder, steps):
    sweep = sweeps.write_sweep(folder, 6)
    assert sweeps.run(sweep, folder / "calm").returncode == 0
    expected = sweeps.tables(folder / "calm")
    n = silent = broken = wrong = untyped = 0
    for kind in ("write", "fsync", "rename", "malloc"):
        for for_ever in (False, True):
            for at in steps:
                out = folder / f"{kind}{at}{for_ever}"
                env = {**os.environ, "LD_PRELOAD": os.environ["TIDEWATT_SHIM"], "TIDEWATT_FAIL": kind, "TIDEWATT_FAIL_AT": str(at),
                       "TIDEWATT_FAIL_BELOW": str(out), **({"TIDEWATT_FAIL_FOR_EVER": "1"} if for_ever else {})}
                result = sweeps.run(sweep, out, env=env)
                n += 1
                broken += sum(not sweeps.vouches(p) for p in out.rglob("*.case"))
                finished = result.returncode == 0
                if finished:  # the failing call was not reached, or it cost a case its row (out of memory)
                    silent += kind != "malloc" and for_ever and at == 1
                    silent += sweeps.tables(out) != expected and b"failed" not in sweeps.tables(out)[0]
                else:
                    typed = (kind in ("write", "fsync", "rename") and result.returncode == 74) or (kind == "malloc" and result.returncode in (3, 4, 74))
                    named = typed and "tidewatt: " in result.stderr
                    untyped += not named
                    if not named:
                        print(f"{kind} {at}{' and on' if for_ever else ''}: exit code {result.returncode}, {result.stderr.strip()[:200]!r}")
                again = sweeps.run(sweep, out, "--retry-failed")
                right = again.returncode == 0 and sweeps.tables(out) == expected
                wrong += not right
                if not right:
                    print(f"{kind} {at}{' and on' if for_ever else ''}: afterwards exit code {again.returncode}, {again.stderr.strip()[:200]!r}")
                shutil.rmtree(out, ignore_errors=True)
    print(f"{n} failing calls: {silent} silent, {untyped} without a named error, {broken} broken cases, {wrong} wrong tables afterwards")
    return silent + untyped + broken + wrong == 0


def no_folder(folder):
    """Read-only and full disks, and a folder that is deleted in the middle."""
    sweep = sweeps.write_sweep(folder, 6)
    blocked = folder / "file"
    blocked.write_text("not a folder")
    result = sweeps.run(sweep, blocked / "out")
    print(f"a file where the folder should be: exit code {result.returncode}, {result.stderr.strip()[:100]}")
    return result.returncode == 74


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tidewatt_disk_") as scratch:
        steps = range(1, 25) if "--long" in sys.argv else (1, 2, 3, 5, 8)
        sys.exit(0 if fail_each(Path(scratch), steps) & no_folder(Path(scratch)) else 1)
