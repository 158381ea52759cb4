"""Runs the built tidewatt command and measures it: what the acceptance scripts and the command-line tests share."""
import functools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DAY = ROOT / "scenarios" / "llama3_405b_day.toml"
TRANSIENTS = ROOT / "scenarios" / "llama3_405b_transients.toml"
CLIMATES = ["portland_or", "seattle_wa", "chicago_il", "leesburg_va", "atlanta_ga", "dallas_tx", "phoenix_az"]  # from the largest swing to the smallest


def find_binary(given=None):
    """The command to check: as given, $TIDEWATT, or where this repository builds it."""
    places = [given] if given else [os.environ.get("TIDEWATT"), ROOT / "build/release/bin/tidewatt",
                                    ROOT / "build/bin/tidewatt"]
    for place in places:
        if place and os.access(place, os.X_OK):
            return str(Path(place).resolve())
    raise SystemExit("no built tidewatt found: build it first, or name it with --bin")


def shared_data(below):
    """A folder of reference data, or None where it is absent."""
    root = Path(os.environ.get("TIDEWATT_SHARED_DATA") or ROOT / ".." / "shared" / "data")
    return root / below if (root / below).exists() else None


class Outcome:
    """What one call of the command left behind."""

    def __init__(self, code, stdout, stderr, wall_s, cpu_s, rss_B):
        self.code, self.stdout, self.stderr = code, stdout, stderr
        self.wall_s, self.cpu_s, self.rss_B = wall_s, cpu_s, rss_B

    @property
    def json(self):
        if self.code != 0:
            raise RuntimeError(f"tidewatt ended with {self.code}: {self.stderr.strip()}")
        return json.loads(self.stdout)


def call(arguments, timeout_s=3600):
    """Runs a command; wall time, CPU time and peak memory are those of this child alone."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        child = subprocess.Popen([str(a) for a in arguments], stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        deadline = start + timeout_s
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                child.kill()
                deadline = float("inf")
            time.sleep(0.005)
        wall_s = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
        return Outcome(child.returncode, *texts, wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


@functools.lru_cache
def without_interval(binary):
    """The option that leaves intervals out, where this build has them: an earlier one may be asked for comparison."""
    return ["--no-interval"] if "--no-interval" in call([binary, "run", "--help"]).stdout else []


def run(binary, scenario, out, sets=None, more=(), timeout_s=3600, interval=False):
    """`tidewatt run SCENARIO --json` with overrides {key: value}; without intervals, whose time is not the run's."""
    arguments = [binary, "run", scenario, "--json", "--quiet", "--out", out, *more, *([] if interval else without_interval(str(binary)))]
    for key, value in (sets or {}).items():
        arguments += ["--set", f"{key}={str(value).lower() if isinstance(value, bool) else value}"]
    return call(arguments, timeout_s)


def fleet(n_gpu, micro_batches=16, gpus_per_replica=128):
    """Overrides for a smaller fleet with the same pipeline: every replica keeps its micro-batches."""
    return {"hall.a.n_gpu": n_gpu, "job.main.plan.n_gpu": n_gpu,
            "job.main.plan.global_batch_sequences": n_gpu // gpus_per_replica * micro_batches}


def use_built(binary):
    """From here on `import tidewatt` finds the package built beside the program; other checks use the sources without the compiled half."""
    built = str(Path(binary).resolve().parents[1] / "python")
    if built not in sys.path[:1]:
        for name in [n for n in sys.modules if n.split(".")[0] == "tidewatt"]:
            del sys.modules[name]
        sys.path.insert(0, built)


def cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


__all__ = ["DAY", "ROOT", "TRANSIENTS", "Outcome", "call", "cores", "find_binary", "fleet", "run",
           "shared_data"]


def keep_figures(report, test, text):
    """Scorecard lines of a test's output, in the form of CTest's log, into `report.figures` where it names a file: for
    scripts/scorecard collect."""
    lines = [x for x in text.splitlines() if x.lstrip().startswith("scorecard ")]
    if lines and getattr(report, "figures", None):
        with open(report.figures, "a", encoding="utf-8") as log:
            log.write("\n".join([f"1/1 Test: {test}", *lines, ""]))
