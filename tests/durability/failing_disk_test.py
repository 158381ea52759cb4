#!/usr/bin/python3
"""Every call of `run`, `sweep` and `report` on the disk fails, one after the other, once and for ever (a preloaded shim counts
the calls of all processes in one order): the error is named, the exit code is 74, what stands under a final name is whole, no
temporary file is left, and the same command succeeds afterwards. Then large allocations, full and deleted folders.
failing_disk_test.py [--long]: all calls of a kind instead of some spread over them"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import disk
import sweeps

MANY = {"run": 3, "sweep": 3}  # of each kind where the test is short: the first, the last and one between them


class Tally:
    def __init__(self):
        self.n = 0
        self.wrong = []

    def __call__(self, ok, what):
        self.n += 1
        if not ok:
            self.wrong.append(what)
            print(what, flush=True)
        return ok


def chosen(n, many):
    return range(1, n + 1) if n <= many else sorted({1 + (n - 1) * i // (many - 1) for i in range(many)})


def whole(program, out, calm):
    """Names of files that stand under a final name and are not what the program should have written there."""
    wrong = []
    for path in (p for p in out.rglob("*") if p.is_file() and ".tmp-" not in p.name):
        name = path.relative_to(out).as_posix()
        if path.suffix == ".case":
            same = sweeps.vouches(path)
        elif path.name.startswith("manifest-") or path.name == "state" or path.suffix in {".svg", ".png", ".html"}:
            same = path.name.startswith("manifest-") or path.stat().st_size > 0 and (path.suffix != ".html" or path.read_bytes().rstrip().endswith(b"</html>"))
        elif path.suffix == ".h5" and program.name == "run":
            same = subprocess.run([sweeps.CLI, "export", str(path), "--format", "csv", "--out", str(out.parent / "exported")], capture_output=True).returncode == 0
        else:
            same = path.read_bytes() == (calm / name).read_bytes()
        if not same:
            wrong.append(name)
    return wrong


def each_call(program, folder, tally, everything):
    """Lets every call fail, once and for ever."""
    calm, log = folder / program.name / "calm", folder / f"{program.name}.log"
    calm.parent.mkdir(exist_ok=True)
    done = program(calm, log)
    assert done.returncode == 0, done.stderr
    seen = disk.calls(log)
    failed_places = set()
    for kind in disk.KINDS:
        n_call = sum(k == kind for k, _, _ in seen)
        for for_ever in (False, True):
            for at in chosen(n_call, n_call if everything else MANY[program.name]):
                out = folder / program.name / f"{kind}{at}{'_on' if for_ever else ''}"
                log.unlink()
                done = program(out, log, **{"": kind, "_AT": at, **({"_FOR_EVER": 1} if for_ever else {})})
                where = f"{program.name}: {kind} {at} of {n_call}{' and on' if for_ever else ''}"
                hit = [path for k, path, bad in disk.calls(log) if bad]
                failed_places |= {(kind, Path(disk.final_name(p)).suffix or Path(p).name.split("-")[0]) for p in hit}
                # Two workers share the calls: now and then there is one less than in the calm sweep.
                if not hit and program.name == "sweep":
                    continue
                tally(hit, f"{where}: no call failed")
                tally(done.returncode == 74, f"{where} ({Path(hit[0]).name if hit else '-'}): exit code {done.returncode}, {done.stderr.strip()[-200:]!r}")
                tally("Traceback" not in done.stderr and "terminate" not in done.stderr and done.stderr.strip(), f"{where}: says {done.stderr.strip()[-200:]!r}")
                broken = whole(program, out, calm) if out.exists() else []
                tally(not broken, f"{where}: {', '.join(broken)} not whole")
                left = [p.name for p in out.rglob("*.tmp-*")] if out.exists() else []
                tally(not left, f"{where}: left {', '.join(left)}")
                again = program(out)
                right = again.returncode == 0 and not whole(program, out, calm) and not list(out.rglob("*.tmp-*"))
                tally(right, f"{where}: afterwards exit code {again.returncode}, {again.stderr.strip()[-200:]!r}")
                shutil.rmtree(out, ignore_errors=True)
    return len(seen), failed_places


def allocations(program, folder, tally):
    """Out of memory: a case may get a row that says so; nothing crashes."""
    for at in (1, 2, 3, 5, 8, 13):
        for for_ever in (False, True):
            out = folder / f"malloc{at}{for_ever}"
            done = program(out, folder / "malloc.log", **{"": "malloc", "_AT": at, **({"_FOR_EVER": 1} if for_ever else {})})
            tally(done.returncode in (0, 3, 4, 74), f"{program.name}: malloc {at}: exit code {done.returncode}, {done.stderr.strip()[-200:]!r}")
            tally(done.returncode == 0 or "tidewatt: " in done.stderr, f"{program.name}: malloc {at}: says {done.stderr.strip()[-200:]!r}")
            again = program(out) if program.name == "run" else subprocess.run([*map(str, program.line(out)), "--retry-failed"], capture_output=True, text=True)
            tally(again.returncode == 0, f"{program.name}: malloc {at}: afterwards {again.returncode}")
            shutil.rmtree(out, ignore_errors=True)


def full_folder(program, folder, tally):
    """A file system of 256 KiB (needs root; without it the shim's failing calls stand for it)."""
    mount = folder / "full"
    mount.mkdir(exist_ok=True)
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(mount)], capture_output=True).returncode != 0:
        return "no full disk (no mount)"
    try:
        (mount / "filler").write_bytes(b"x" * (250 << 10))
        done = program(mount / "out")
        tally(done.returncode == 74 and "No space left" in done.stderr, f"{program.name}: full disk: exit code {done.returncode}, {done.stderr.strip()[-200:]!r}")
        left = [p.name for p in mount.rglob("*.tmp-*")]
        tally(not left, f"{program.name}: full disk: left {left}")
    finally:
        subprocess.run(["umount", "-l", str(mount)], check=True)
    return "a full disk"


def no_folder(program, folder, tally):
    """A file where the folder should be, and a folder that is deleted while the program runs."""
    blocked = folder / "file"
    blocked.write_text("not a folder")
    done = program(blocked / "out")
    tally(done.returncode == 74, f"{program.name}: a file where the folder should be: exit code {done.returncode}, {done.stderr.strip()[-200:]!r}")
    for delay_s in (0.02, 0.05, 0.1, 0.2):
        out = folder / "vanishing"
        child = subprocess.Popen([str(w) for w in program.line(out)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(delay_s)
        shutil.rmtree(out, ignore_errors=True)
        text = child.communicate(timeout=120)[1]
        # A sweep may find itself without its plan, an input of its own: 2.
        tally(child.returncode in (0, 2, 74) and "Traceback" not in text, f"{program.name}: folder deleted after {delay_s} s: exit code {child.returncode}, {text.strip()[-200:]!r}")
        shutil.rmtree(out, ignore_errors=True)


def main(folder, everything):
    tally, parts = Tally(), []
    # A report takes seconds per call: only where the test may be long.
    for program in disk.programs(folder)[: 3 if everything else 2]:
        n_call, places = each_call(program, folder, tally, everything)
        parts.append(f"{program.name} {n_call} calls, {len(places)} places")
        if program.name != "report":
            allocations(program, folder, tally)
        disk_said = full_folder(program, folder, tally)
        no_folder(program, folder, tally)
    print(f"scorecard 12: {'; '.join(parts)}; {disk_said}, deleted folders: {tally.n} checks, {len(tally.wrong)} wrong")
    return not tally.wrong


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tidewatt_disk_") as scratch:
        sys.exit(0 if main(Path(scratch), "--long" in sys.argv) else 1)
