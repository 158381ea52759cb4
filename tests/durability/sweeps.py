"""What the durability tests share: a sweep of tiny cases, run by the command, looked at from outside."""
import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("TIDEWATT", str(ROOT / "build" / "bin" / "tidewatt"))
TINY = ROOT / "tests" / "scenarios" / "tiny.toml"
SHORT = ["run.duration_h=0.002", "record.window.sample.duration_s=1", "record.window.sample.start_s=1"]


def workers():
    """As many runs at a time as there are cores for this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def write_sweep(folder, n_case=40, keep=False):
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "tests" / "scenarios" / "tiny.toml", folder)
    sets = ", ".join(f'"{s}"' for s in SHORT)
    (folder / "sweep.toml").write_text(
        f'schema = 1\nscenario = "tiny.toml"\nmode = "sobol"\nn_case = {n_case}\nset = [{sets}]\n'
        f'keep_results = {str(keep).lower()}\n[[variable]]\nkey = "hall.a.cap_W"\nlow = 450\nhigh = 700\n'
    )
    return folder / "sweep.toml"


def command(sweep, out, *more):
    return [CLI, "sweep", str(sweep), "--out", str(out), "--quiet", "--workers", "2", *more]


def run(sweep, out, *more, **keywords):
    return subprocess.run(command(sweep, out, *more), capture_output=True, text=True, timeout=300, **keywords)


def tables(out):
    return [(Path(out) / name).read_bytes() for name in ("table.csv", "table.h5")]


def cases(out):
    """{case file: (time of writing, hash)} of finished cases."""
    return {p.name: (p.stat().st_mtime_ns, hashlib.sha256(p.read_bytes()).hexdigest()) for p in Path(out).rglob("*.case")}


def vouches(path):
    """Whether a case file is what its own first line says."""
    head, _, body = path.read_bytes().partition(b"\n")
    match = re.fullmatch(rb"tidewatt case 1 ([0-9a-f]{64})", head)
    return bool(match) and match.group(1).decode() == hashlib.sha256(body).hexdigest()
