#!/usr/bin/python3
"""Results, checkpoints and states of engines as a stranger forges them, through every reader: forged_test.py [--long]

Each file is changed and every hash in it computed anew (forgeries.py). A reader may refuse it, or read it if what it says is legal. It
must not crash, take longer than 5 s, read a byte of another file, or use more memory than for the whole file and ten times the file and
64 MB. 200 forgeries, with --long 2,000."""
import collections
import ctypes
import itertools
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import forgeries
import sweeps

PATIENCE_S = 5.0
REFUSED_OR_READ = (0, 2, 3, 4, 74)  # 74: no matplotlib for the report
PYTHON = "/usr/bin/python3"
# Reads paths, answers with what became of each and with its memory: growth of this process, and of its largest child beyond it.
OPEN = """
import contextlib, resource, sys
import tidewatt
scenario = tidewatt.load(sys.argv[1])
def memory_kB(what):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(what))
def result(path):
    opened = tidewatt.open(path)
    opened.summary, opened.provenance, str(opened)
    for name, *_ in opened._source._core.arrays:
        opened._source._core.values(name)
def state(path):
    engine = tidewatt.Engine(scenario)
    engine.restore(open(path, "rb").read())
    while not engine.done:
        engine.step()
    engine.finish()
for line in sys.stdin:
    kind, path = line.rstrip("\\n").split("\\t")
    open("/proc/self/clear_refs", "w").write("5")
    before = memory_kB("VmRSS")
    try:
        with contextlib.redirect_stdout(sys.stderr):
            {"result": result, "state": state}[kind](path)
        answer = "read"
    except tidewatt.Error:
        answer = "refused"
    except BaseException as error:
        answer = "raised " + repr(error)[:200]
    child_kB = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{answer}\\t{memory_kB('VmHWM') - before}\\t{child_kB - memory_kB('VmHWM')}", flush=True)
"""


class Opener:
    """tidewatt.open and Engine.restore in a process that lives on, so that a crash is seen."""

    def __init__(self, kind):
        self.kind, self.process = kind, None

    def __call__(self, path):
        """(what became of it, s, kB)"""
        if self.process is None:
            self.process = subprocess.Popen([PYTHON, "-c", OPEN, str(sweeps.TINY)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        begin = time.monotonic()
        self.process.stdin.write(f"{self.kind}\t{path}\n")
        self.process.stdin.flush()
        ready = select.select([self.process.stdout], [], [], 60)[0]
        line = self.process.stdout.readline() if ready else ""
        took_s = time.monotonic() - begin
        if not line:
            self.process.kill()
            self.process.wait()
            self.process = None
            return "stalled" if not ready else "crashed", took_s, 0
        answer, own_kB, child_kB = line.rstrip("\n").split("\t")
        return answer, took_s, max(int(own_kB), int(child_kB))


def command(*arguments):
    """(what became of it, s, kB)"""
    begin = time.monotonic()
    process = subprocess.Popen([sweeps.CLI, *(str(a) for a in arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        if time.monotonic() - begin > 60:
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.002)
    process.returncode = code = os.waitstatus_to_exitcode(status)
    took_s = time.monotonic() - begin
    return {0: "read", 2: "refused"}.get(code, "refused" if code in REFUSED_OR_READ else f"ended with {code}"), took_s, usage.ru_maxrss


class Watch:
    """Counts openings of a file, by inotify."""

    def __init__(self, path):
        libc = ctypes.CDLL(None, use_errno=True)
        self.fd = libc.inotify_init1(os.O_NONBLOCK)
        in_access, in_open = 0x1, 0x20
        assert self.fd >= 0 and libc.inotify_add_watch(self.fd, os.fsencode(path), in_access | in_open) >= 0, "inotify"

    def count(self):
        n = 0
        while select.select([self.fd], [], [], 0)[0]:
            n += len(os.read(self.fd, 65536)) // 16
        return n


class Tally:
    def __init__(self):
        self.answers = collections.Counter()
        self.crashes, self.stalls, self.hungry, self.slowest_s, self.largest_MB = [], [], [], 0.0, 0.0

    def add(self, name, reader, path, outcome, usual_kB):
        answer, took_s, kB = outcome
        more_MB = max(0, kB - usual_kB) * 1024e-6
        self.answers[answer if answer in ("read", "refused") else "other"] += 1
        self.slowest_s, self.largest_MB = max(self.slowest_s, took_s), max(self.largest_MB, more_MB)
        where = f"{name}, {reader}: {answer}, {took_s:.1f} s, {more_MB:.0f} MB"
        if answer == "stalled" or took_s > PATIENCE_S:
            self.stalls.append(where)
        elif answer not in ("read", "refused"):
            self.crashes.append(where)
        if more_MB > 10e-6 * os.path.getsize(path) + 64:
            self.hungry.append(where)


def make(folder):
    """A short result with a window, a checkpoint and a state of it."""
    sets = [word for s in sweeps.SHORT for word in ("--set", s)]
    run = [sweeps.CLI, "run", str(sweeps.TINY), *sets, "--quiet", "--no-interval", "--out", str(folder / "whole.h5")]
    subprocess.run(run, check=True, capture_output=True)
    subprocess.run([sweeps.CLI, "run", str(sweeps.TINY), "--quiet", "--no-interval", "--out", str(folder / "long.h5"), "--checkpoint",
                    str(folder / "whole.checkpoint"), "--checkpoint-every-h", "0.01"], check=True, capture_output=True)  # fmt: skip
    rest = (folder / "whole.checkpoint").read_bytes().split(b"\n", 2)[2]
    (folder / "whole.state").write_bytes(rest[forgeries.state_begin(rest) :])


def readers(folder, kind):
    """{name: (function of a path, of how many forgeries it reads one)}"""
    out = folder / "out"
    run = ["run", sweeps.TINY, "--quiet", "--no-interval", "--out", folder / "resumed.h5", "--resume"]
    if kind == "checkpoint":
        return {"verify": (lambda p: command("verify", p), 1), "run --resume": (lambda p: command(*run, p), 1)}
    if kind == "state":
        return {"Engine.restore": (Opener("state"), 1)}
    return {
        "verify": (lambda p: command("verify", p), 1),
        "tidewatt.open": (Opener("result"), 1),
        "export": (lambda p: command("export", p, "--format", "csv", "--out", out / "csv"), 4),
        "report": (lambda p: command("report", p, "--out", out / "report"), 20),
        "comparison": (lambda p: command("report", folder / "whole.h5", p, "--out", out / "report"), 40),
    }


def forged(folder, kind, n, draws):
    """(name, path) of each forgery; the path is written anew each time."""
    data = (folder / {"result": "whole.h5", "checkpoint": "whole.checkpoint", "state": "whole.state"}[kind]).read_bytes()
    change = {"result": forgeries.damaged_result, "checkpoint": forgeries.of_checkpoint, "state": forgeries.of_state}[kind]
    path = folder / f"forged.{kind}"
    for k in range(n):
        name, bad = change(data, draws)
        path.write_bytes(bad)
        yield f"{kind} {k} ({name})", path


def try_kind(folder, kind, n, tally, more=()):
    whole = folder / {"result": "whole.h5", "checkpoint": "whole.checkpoint", "state": "whole.state"}[kind]
    known, usual_kB = readers(folder, kind), {}
    for name, (read, _) in known.items():
        outcome = read(whole)
        assert outcome[0] == "read" or name in ("report", "comparison"), f"{name}: a whole {kind}: {outcome}"
        usual_kB[name] = outcome[2]
    draws = random.Random(20261130)
    for k, (name, path) in enumerate(itertools.chain(more, forged(folder, kind, n, draws))):
        for reader, (read, share) in known.items():
            if k % share == 0:
                tally.add(name, reader, path, read(path), usual_kB[reader])


def main(long, folder):
    make(folder)
    secret = folder / "secret.h5"
    shutil.copy(folder / "whole.h5", secret)
    # In a process of its own: a child's largest memory includes what this one had when it forked.
    maker = [PYTHON, "-B", forgeries.__file__, str(folder / "whole.h5"), str(folder / "kinds"), str(secret)]
    kinds = [line.split("\t") for line in subprocess.run(maker, check=True, capture_output=True, text=True).stdout.splitlines()]
    n = 2000 if long else 200
    watch, tally = Watch(secret), Tally()
    counts = {"checkpoint": n // 8, "state": n // 8}
    counts["result"] = n - len(kinds) - sum(counts.values())
    for kind, n_kind in counts.items():
        try_kind(folder, kind, n_kind, tally, kinds if kind == "result" else ())
    n_opened = watch.count()
    for what in tally.crashes + tally.stalls + tally.hungry:
        print(what)
    print(f"read {tally.answers['read']}, refused {tally.answers['refused']}, slowest {tally.slowest_s:.2f} s, most memory beyond the usual {tally.largest_MB:.0f} MB")
    print(f"scorecard 20: {n} forged results, checkpoints and states, {sum(tally.answers.values())} readings: {len(tally.crashes)} crashes, "
          f"{len(tally.stalls)} above 5 s, {n_opened} openings of other files, {len(tally.hungry)} above ten times the file and 64 MB; "
          f"slowest {tally.slowest_s:.1f} s, largest {tally.largest_MB:.0f} MB")  # fmt: skip
    return not (tally.crashes or tally.stalls or tally.hungry or n_opened)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tidewatt_forged_") as scratch:
        sys.exit(0 if main("--long" in sys.argv[1:], Path(scratch)) else 1)
