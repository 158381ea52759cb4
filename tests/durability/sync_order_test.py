#!/usr/bin/python3
"""The order of calls on the disk: what `run` and `sweep` leave survives a power cut at any instant. Every file is written under
a temporary name, synced, renamed, and its folder synced; every line of a manifest is synced before the next call on it."""
import sys
import tempfile
from pathlib import Path

import disk


def faults(log):
    """What a power cut could spoil, in words."""
    out, dirty, renamed = [], {}, {}  # files written and not yet synced; names whose folder is not yet synced
    for kind, path, _ in disk.calls(log):
        name = Path(path).name
        temporary, manifest = ".tmp-" in name, name.startswith("manifest-")
        if kind == "write":
            if manifest and dirty.get(path):
                out.append(f"{name}: written again before its last line was synced")
            if not temporary and not manifest:
                out.append(f"{name}: written under its own name, so a power cut leaves half of it")
            dirty[path] = True
        elif kind == "fsync":
            dirty.pop(path, None)
            renamed = {p: None for p in renamed if str(Path(p).parent) != path}
        elif kind == "rename":
            unsynced = [p for p in dirty if disk.final_name(p) == path]
            out += [f"{Path(path).name}: has its name before it was synced"] * len(unsynced)
            for p in unsynced:
                del dirty[p]
            renamed[path] = None
    out += [f"{Path(p).name}: never synced" for p in dirty]
    out += [f"{Path(p).name}: its folder was not synced after it" for p in renamed]
    return list(dict.fromkeys(out))


def main(folder):
    run, sweep, _ = disk.programs(folder)
    n_call, found = 0, []
    for program in (run, sweep):
        log = folder / f"{program.name}.log"
        done = program(folder / program.name / "out", log)
        assert done.returncode == 0, done.stderr
        n_call += len(disk.calls(log))
        found += [f"{program.name}: {f}" for f in faults(log)]
    print("\n".join(found + [f"scorecard 12: {n_call} calls on the disk in order, {len(found)} that a power cut could spoil"]))
    return not found and n_call > 40


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tidewatt_order_") as scratch:
        (Path(scratch) / "run").mkdir()
        sys.exit(0 if main(Path(scratch)) else 1)
