"""A record from its options: findings, plan, and run."""

from __future__ import annotations

import dataclasses
import os

from . import experiments
from .load import CommandLoad, MatrixLoad, NoLoad
from .record import Recorder
from .sources import open_source


@dataclasses.dataclass
class Options:
    """As `tidewatt log --help` has them."""

    out: str = "gpu.csv"
    gpu: list[int] | None = None
    sample_s: float = 0.05
    scale: float = 1.0
    works: bool = False
    change_clocks: bool = False
    change_cap: bool = False
    low_W: float | None = None
    high_W: float | None = None
    plan: bool = False
    load: str = "matrix"
    command: str | None = None
    size: int = 4096
    source: str = "auto"
    nvml: str = "libnvidia-ml.so.1"
    nvidia_smi: str = "nvidia-smi"
    cudart: str = "libcudart.so"
    cublas: str = "libcublas.so"
    cuda: str = "libcuda.so.1"
    nvrtc: str = "libnvrtc.so"


class Session:
    """One record. Raises RecorderError: no GPU can be read."""

    def __init__(self, options: Options):
        self.options = options
        self.source = open_source(options.source, options.nvml, options.nvidia_smi)
        self.gpus = options.gpu or list(range(len(self.source.handles)))
        self.recorder = None

    def findings(self) -> list[str]:
        """Everything that is wrong with the options."""
        o, n, out = self.options, len(self.source.handles), []
        out += [f"--gpu {g}: there are {n} GPUs, 0 to {n - 1}" for g in self.gpus if not 0 <= g < n]
        for name, value, low, high in (("sample-s", o.sample_s, 0.01, 10.0), ("scale", o.scale, 0.01, 100.0), ("size", o.size, 256, 32768)):
            if not low <= value <= high:
                out.append(f"--{name} {value:g}: {low:g} to {high:g}")
        if os.path.lexists(o.out) and not o.plan:
            out.append(f"--out {o.out}: the file is there")
        if not os.path.isdir(os.path.dirname(os.path.abspath(o.out))):
            out.append(f"--out {o.out}: no such folder")
        if o.load not in ("matrix", "none"):
            out.append(f"--load {o.load}: matrix or none")
        if o.command and o.load == "none":
            out.append("--command and --load none: one of them")
        if o.works and (o.command or o.load == "none"):
            out.append("--works: belongs to --load matrix")
        for flag in ("low_W", "high_W"):
            if getattr(o, flag) is not None and not o.change_cap:
                out.append(f"--{flag.replace('_', '-')}: belongs to --change-cap")
        changes = o.change_clocks or o.change_cap
        if changes and not self.source.can_change:
            out.append("--change-clocks, --change-cap: nvidia-smi only reads here; --source nvml")
        elif changes and not out:
            out += self._findings_of_changes()
        return out

    def _findings_of_changes(self):
        o, out = self.options, []
        for gpu in self.gpus:
            about = self.source.about(gpu)
            if o.change_clocks and not about["max_clock_MHz"]:
                out.append(f"--change-clocks: GPU {gpu} does not say its highest clock")
            if not o.change_cap:
                continue
            if None in (about["limit_W"], about["min_limit_W"], about["max_limit_W"]):
                out.append(f"--change-cap: GPU {gpu} does not say its limits")
                continue
            low, high = o.low_W or about["min_limit_W"], o.high_W or about["limit_W"]
            if not about["min_limit_W"] <= low < high <= about["max_limit_W"]:
                allowed = f"{about['min_limit_W']:g} to {about['max_limit_W']:g} W"
                out.append(f"--low-W {low:g}, --high-W {high:g}: GPU {gpu} allows {allowed}, low below high")
        return out

    def plan(self) -> list[experiments.Experiment]:
        """The experiments, in order."""
        o, plan = self.options, experiments.standard(self.options.scale)
        if o.works:
            plan += experiments.works(o.scale)
        about = [self.source.about(g) for g in self.gpus]
        if o.change_clocks:
            plan += experiments.clock_steps(min(a["max_clock_MHz"] for a in about), o.scale)
        if o.change_cap:
            low = o.low_W or max(a["min_limit_W"] for a in about)
            plan += experiments.cap_steps(low, o.high_W or min(a["limit_W"] for a in about), o.scale)
        return plan

    def run(self) -> dict:
        """Records. Returns the content of OUT.json. Raises RecorderError: a reading or the load failed; OSError: the file did."""
        o = self.options
        load = CommandLoad(o.command) if o.command else NoLoad() if o.load == "none" else None
        load = load or MatrixLoad(self.gpus, o.size, [o.cudart, o.cublas, o.cuda, o.nvrtc])
        self.recorder = Recorder(self.source, load, self.gpus, o.out, o.sample_s)
        self.recorder.run(self.plan())
        return self.recorder.about

    def summary(self) -> str:
        """Summary of the record, parameters it cannot identify, and the next command."""
        about = self.recorder.about
        lines = [f"{about['rows']} rows, {len(about['experiments'])} experiments, {len(about['gaps'])} gaps → {self.options.out}, {self.options.out}.json"]
        lines += [f"left out: {x['name']}: {x['why']}" for x in about["left_out"]]
        if about["unidentified"]:
            lines.append("not identified by this record: " + "; ".join(about["unidentified"]))
        return "\n".join([*lines, f"next: tidewatt fit gpu {self.options.out} --name my_gpu"])
