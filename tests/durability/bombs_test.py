#!/usr/bin/python3
"""Input made to exhaust or confuse: each file is refused within 100 ms of processor time and 64 MiB, naming a place, a
key or a limit; none crashes the reader. bombs_test.py [--show]"""
import os
import resource
import signal
import sys
import tempfile
from pathlib import Path

import sweeps

LIMIT_S, LIMIT_KIB = 0.1, 64 * 1024
TINY = (sweeps.ROOT / "tests" / "scenarios" / "tiny.toml").read_text()
NUMBERS = ["run.duration_h", "run.macro_step_s", "hall.a.n_gpu", "job.main.plan.n_gpu", "job.main.plan.tp", "job.main.plan.pp",
           "job.main.plan.micro_batch_sequences", "job.main.plan.global_batch_sequences", "job.main.plan.sequence_tokens",
           "hall.a.recirculation_frac", "hall.a.servers_per_rack", "job.main.life.warm_up_s", "job.main.life.detect_s",
           "record.window.sample.duration_s"]
VALUES = ["-1", "nan", "inf", "-inf", "1e308", "-1e308", "1e400", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
          '"1"', "true", "[1, 2]", "{a = 1}"]


def with_value(path, value):
    """The tiny scenario with the last line of that key replaced."""
    *tables, key = path.split(".")
    section, out, hit = [], [], False
    for line in TINY.splitlines():
        name = line.strip("[] ")
        if line.startswith("["):
            section = name.split(".")
        inside = section == [t for t in tables if t not in ("a", "main", "sample")]
        if inside and line.split("=")[0].strip() == key:
            line, hit = f"{key} = {value}", True
        out.append(line)
        if line.startswith("[") and inside and not hit and f"\n{key} =" not in TINY[TINY.index(line):].split("\n[")[0]:
            out.append(f"{key} = {value}")
            hit = True
    assert hit, path
    return "\n".join(out) + "\n"


def bombs():
    for path in NUMBERS:
        for value in VALUES:
            yield f"{path}={value}", with_value(path, value).encode()
    deep = 1_000_000
    yield "nested lists", b"a = " + b"[" * deep
    yield "nested tables", b"a = " + b"{a = " * 100_000
    yield "dotted key", b"a." * deep + b"a = 1"
    yield "dotted table", b"[" + b"a." * deep + b"a]"
    yield "one long line", TINY.encode() + b"# " + b"x" * (20 << 20)
    yield "long text", b'schema = 1\na = "' + b"x" * (15 << 20) + b'"\n'
    yield "open text", b'a = "' + b"x" * 100_000
    yield "open long text", b'a = """' + b"x\n" * 100_000
    yield "many keys", b"".join(b"k%d = 1\n" % i for i in range(20_000))
    yield "many unknown tables", TINY.encode() + b"".join(b"[t%d]\n" % i for i in range(2_000))
    yield "duplicate key", TINY.encode().replace(b"seed = 1", b"seed = 1\nseed = 2")
    yield "duplicate table", TINY.encode() + b"[run]\nseed = 3\n"
    yield "unknown key", TINY.encode().replace(b"seed = 1", b"sead = 1")
    yield "UTF-16", TINY.encode("utf-16")
    yield "UTF-16 without mark", TINY.encode("utf-16-le")
    yield "UTF-32", TINY.encode("utf-32")
    yield "broken UTF-8", TINY.encode() + b"# \xff\xfe\xfd\n"
    yield "zeros", b"\0" * 100_000
    yield "zero in the middle", TINY.encode().replace(b"seed", b"se\0ed")
    yield "only a carriage return", TINY.encode().replace(b"\n", b"\r")
    yield "empty", b""
    yield "base of itself", b'base = "bomb.toml"\n'
    yield "base outside", b'base = "../../etc/passwd"\n'
    yield "base absolute", b'base = "/etc/passwd"\n'
    yield "base of a device", b'base = "null"\n'
    for n in (10**9, 10**12, 10**15):
        yield f"{n} GPUs", TINY.replace("n_gpu = 128", f"n_gpu = {n}").encode()
    for hours in ("2.8e14", "1e-9", "0", "0.0"):
        yield f"{hours} h", TINY.replace("duration_h = 0.03125", f"duration_h = {hours}").encode()
    for start in ("2024-02-30T00:00:00", "2024-07-20T25:00:00", "20240720", "", "9" * 1000, "2024-07-20T14:30:07"):
        yield f"start {start[:12]}", TINY.replace("2024-07-20T14:00:00", start).encode()
    for k in range(20):
        yield f"cut at {k}", TINY.encode()[: 37 * k + 11]


def refused(path):
    """Exit code, processor seconds, memory in KiB, message of `tidewatt check`."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(write, 1)
        os.dup2(write, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
        os.execv(sweeps.CLI, [sweeps.CLI, "check", str(path)])
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read().decode(errors="replace")
    _, status, used = os.wait4(pid, 0)
    code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return code, used.ru_utime + used.ru_stime, used.ru_maxrss, text


def main(show):
    n = accepted = slow = large = crashed = 0
    slowest = largest = 0.0
    with tempfile.TemporaryDirectory(prefix="tidewatt_bombs_") as scratch:
        path = Path(scratch) / "bomb.toml"
        for name, data in bombs():
            path.write_bytes(data)
            code, cpu_s, rss_KiB, text = refused(path)
            # Processor time, too, stretches where a neighbour shares the core: the best of a few tries counts.
            for _ in range(4):
                if cpu_s > LIMIT_S:
                    cpu_s = min(cpu_s, refused(path)[1])
            n += 1
            slowest, largest = max(slowest, cpu_s), max(largest, rss_KiB)
            bad = []
            if code < 0 or code not in (0, 2, 4):
                crashed += 1
                bad.append(f"crashed with {signal.strsignal(-code) if code < 0 else code}")
            if code == 0:
                accepted += 1
                bad.append("accepted")
            if cpu_s > LIMIT_S:
                slow += 1
                bad.append(f"{cpu_s:.2f} s")
            if rss_KiB > LIMIT_KIB:
                large += 1
                bad.append(f"{rss_KiB / 1024:.0f} MiB")
            if bad or show:
                print(f"{name[:60]}: {', '.join(bad)}; {text.strip()[:120]!r}")
    print(f"scorecard 15: {n} bombs: {accepted} accepted, {crashed} crashed, {slow} above {LIMIT_S} s, {large} above {LIMIT_KIB // 1024} MiB; "
          f"slowest {slowest * 1e3:.0f} ms, largest {largest / 1024:.0f} MiB")
    return accepted + crashed + slow + large == 0 and n >= 250


if __name__ == "__main__":
    sys.exit(0 if main("--show" in sys.argv) else 1)
