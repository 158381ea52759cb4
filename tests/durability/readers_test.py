#!/usr/bin/python3
"""One flipped bit or one truncation of a result or a checkpoint, through every reader: readers_test.py [FLIPS TRUNCATIONS]

Each reader must refuse each damaged file: exit code 2 of the commands verify, export, machines, report and run --resume,
`tidewatt.CorruptFileError` in Python. Prints how many were read in silence and how many crashed a reader."""
import collections
import concurrent.futures
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import sweeps

WORKERS = 2
OPEN = """
import sys
import tidewatt
for line in sys.stdin:
    try:
        tidewatt.open(line.rstrip("\\n"))
        print("read", flush=True)
    except tidewatt.CorruptFileError:
        print("refused", flush=True)
    except BaseException as error:
        print(repr(error), flush=True)
"""


def make(folder):
    """A result with a recorded window, and a checkpoint of the same run."""
    done = subprocess.run([sweeps.CLI, "run", str(sweeps.TINY), "--out", str(folder / "whole.h5"), "--quiet", "--checkpoint", str(folder / "whole.checkpoint"),
                           "--checkpoint-every-h", "0.01"], capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / "whole.h5", folder / "whole.checkpoint"


def damages(whole, n_flip, n_cut, draws):
    """Damaged bytes: bits and lengths drawn over the whole file, its first and last bytes always among them."""
    data = whole.read_bytes()
    n_bit = 8 * len(data)
    bits = [0, n_bit - 1, n_bit - 9] + [draws.randrange(n_bit) for _ in range(n_flip - 3)]
    for bit in bits:
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        yield bytes(flipped)
    for length in [0, len(data) - 1] + [draws.randrange(len(data)) for _ in range(n_cut - 2)]:
        yield data[:length]


class Opener:
    """tidewatt.open in a process of its own, so that a crash is seen and counted."""

    def __init__(self):
        self.process = None

    def __call__(self, path):
        if self.process is None:
            self.process = subprocess.Popen(["/usr/bin/python3", "-c", OPEN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer:
            self.process = None
            return "crashed"
        return answer


def command(path, *arguments):
    code = subprocess.run([sweeps.CLI, *(str(a) for a in arguments)], capture_output=True).returncode
    return "refused" if code == 2 else "read" if code == 0 else f"exit code {code}"


def readers(folder):
    """(kind of file, name, function that says "refused")"""
    opener = Opener()
    run = ["run", sweeps.TINY, "--quiet", "--out", folder / "resumed.h5"]
    yield "result", "tidewatt.open", opener
    yield "result", "verify", lambda p: command(p, "verify", p)
    yield "result", "export", lambda p: command(p, "export", p, "--format", "csv", "--out", folder / "exported")
    yield "result", "machines", lambda p: command(p, "machines", p, "--length-s", "10", "--out", folder / "machines.csv")
    yield "result", "report", lambda p: command(p, "report", p, "--out", folder / "report")
    yield "result", "comparison", lambda p: command(p, "report", folder / "whole.h5", p, "--out", folder / "report")
    yield "checkpoint", "verify", lambda p: command(p, "verify", p)
    yield "checkpoint", "run --resume", lambda p: command(p, *run, "--resume", p)


def has_python():
    return subprocess.run(["/usr/bin/python3", "-c", "import tidewatt._core"], capture_output=True).returncode == 0


def try_reader(name, read, files):
    return name, collections.Counter(read(path) for path in files)


def main(n_flip, n_cut, folder):
    draws = random.Random(17)
    whole = dict(zip(("result", "checkpoint"), make(folder)))
    files = {}
    for kind, path in whole.items():
        files[kind] = []
        for k, data in enumerate(damages(path, n_flip, n_cut, draws)):
            files[kind].append(folder / f"{k}{path.suffix}")
            files[kind][-1].write_bytes(data)
    silent = crashed = tried = 0
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        jobs = []
        for kind, name, read in readers(folder):
            if name == "tidewatt.open" and not has_python():
                print("tidewatt.open: not tried, the Python package is not built")
                continue
            answer = read(whole[kind])
            assert answer == "read" or (name in ("report", "comparison") and answer == "exit code 74"), f"{name}: a whole {kind}: {answer}"
            jobs.append(pool.submit(try_reader, f"{kind}: {name}", read, files[kind]))
        for job in concurrent.futures.as_completed(jobs):
            name, counts = job.result()
            n = sum(counts.values())
            others = {what: k for what, k in counts.items() if what not in ("refused", "read")}
            print(f"{name}: {counts['refused']} of {n} refused" + (f", {others}" if others else ""))
            silent, crashed, tried = silent + counts["read"], crashed + sum(others.values()), tried + n
    print(f"scorecard 13: {n_flip} flipped bits and {n_cut} truncations of a result and a checkpoint, {tried} readings: {silent} silent, {crashed} crashes")
    return silent + crashed == 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tidewatt_readers_") as scratch:
        sys.exit(0 if main(*(map(int, sys.argv[1:3]) if len(sys.argv) > 2 else (50, 12)), Path(scratch)) else 1)
