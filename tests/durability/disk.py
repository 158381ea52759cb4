"""Programs under the shim of fail_shim.c: which calls they make on their files, and what they do where one of them fails."""
import os
import re
import subprocess
from pathlib import Path

import sweeps

SHIM = os.environ.get("TIDEWATT_SHIM", "")
KINDS = ("open", "write", "fsync", "rename")
RUN = ["run.duration_h=0.02", "record.window.sample.duration_s=5", "site.rules=power_stabilization_example", "run.macro_step_s=10", "run.macro_step_max_s=10"]


def environment(out, log, **more):
    return {**os.environ, "LD_PRELOAD": SHIM, "TIDEWATT_FAIL_BELOW": str(out), "TIDEWATT_FAIL_LOG": str(log), **{f"TIDEWATT_FAIL{k}": str(v) for k, v in more.items()}}


class Program:
    """One call of the command that writes below a folder."""

    def __init__(self, name, line, inputs=()):
        self.name, self.line, self.inputs = name, line, inputs

    def __call__(self, out, log=None, **fail):
        env = environment(out, log, **fail) if log else None
        return subprocess.run([str(w) for w in self.line(Path(out))], capture_output=True, text=True, errors="replace", timeout=300, env=env)


def programs(folder):
    """run with checkpoints and verdicts, a sweep on two workers, a report: all of small things."""
    tiny = sweeps.ROOT / "tests" / "scenarios" / "tiny.toml"
    sets = [word for s in RUN for word in ("--set", s)]
    run = Program("run", lambda out: [sweeps.CLI, "run", tiny, *sets, "--quiet", "--out", out, "--checkpoint", out / "state", "--checkpoint-every-h", "0.004"])
    sweep_file = sweeps.write_sweep(folder / "sweep", 4)
    sweep = Program("sweep", lambda out: sweeps.command(sweep_file, out))
    result = folder / "drawn" / "tiny.h5"
    longer = ["run.duration_h=0.05", "record.window.sample.duration_s=5"]
    made = subprocess.run([sweeps.CLI, "run", tiny, *[w for s in longer for w in ("--set", s)], "--quiet", "--out", result.parent], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    report = Program("report", lambda out: [sweeps.CLI, "report", result, "--out", out])
    return run, sweep, report


def calls(log):
    """[(kind, path, failed)] in their order."""
    lines = [re.fullmatch(r"(\w+) (.*?)( failed)?", line) for line in Path(log).read_text(errors="replace").splitlines()] if Path(log).exists() else []
    return [(m[1], m[2], bool(m[3])) for m in lines if m]


def final_name(path):
    """The name that a temporary file will have."""
    return re.sub(r"\.tmp-\d+-\d+$", "", path)
