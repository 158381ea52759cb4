"""What a record consists of: experiments one after the other, each with its load and settings."""

from __future__ import annotations

import dataclasses

PERIODS_S = (10.0, 1.0, 0.3, 0.1, 0.03, 0.01)
# Purpose of each experiment, for --plan and for the description of the record.
USES = {
    "idle_no_context": "watts at rest without a program",
    "idle_context": "watts of a program that does nothing",
    "soak": "both poles of the package, from cold; leakage against temperature",
    "cool": "both poles without a load's noise; air temperature",
    "wave": "the sensor's window; the limiter's window below a few seconds",
    "clock": "voltage against clock, activity; leakage at one clock",
    "cap": "margin under the cap, the limiter's window, clock against cap",
    "work": "watts of kinds of work; at the highest clock leakage against temperature",
    "duty": "clock against switching under the cap, and so voltage against clock",
}
# Kinds of work beside bf16 products, which each has its own watts. `wait` is what a GPU does in a collective whose peers are late.
WORKS = ("fp16", "tf32", "fp32", "fp8", "zeros", "copy")
DUTY_PERIOD_S = 0.02  # far below the limiter's window: it sees the mean
# Fits that need an experiment which only a change of settings gives.
NEEDS_CHANGE = {
    "clock": ("voltage against clock (V/f)", "activity apart from leakage", "leakage at a locked clock"),
    "cap": ("margin under the cap", "the limiter's window", "clock against cap"),
}


@dataclasses.dataclass(frozen=True)
class Experiment:
    """A stretch of a record under one load and one setting.

    `on_frac` of each `period_s` is under load: 0 idle, 1 always. `context`: a program has a context on the GPU.
    `work`: what the load does: `bf16` products of random numbers, one of WORKS, or `wait`. `clock_MHz`, `cap_W`: settings to change for its time; None leaves them.
    """

    name: str
    length_s: float
    on_frac: float = 0.0
    period_s: float = 0.0
    context: bool = True
    clock_MHz: int | None = None
    cap_W: float | None = None
    work: str = "bf16"

    @property
    def kind(self) -> str:
        """Its key in USES."""
        return self.name.split("_of_")[0].split("_at_")[0]


def standard(scale: float = 1.0) -> list[Experiment]:
    """The default record: changes no setting. About 17 min at `scale` 1, which multiplies all lengths."""
    out = [
        Experiment("idle_no_context", 60 * scale, context=False),
        Experiment("idle_context", 60 * scale),
        Experiment("soak", 300 * scale, on_frac=1.0),
        Experiment("cool", 180 * scale),
    ]
    out += [Experiment(f"wave_of_{p:g}s", max(40.0, 8 * p) * scale, on_frac=0.5, period_s=p) for p in PERIODS_S]
    return [*out, Experiment("cool", 120 * scale)]


def works(scale: float = 1.0) -> list[Experiment]:
    """Other kinds of work, and products for part of the time; changes no setting. About 10 min at `scale` 1."""
    out = [Experiment("soak", 90 * scale, on_frac=1.0), Experiment("work_of_wait", 120 * scale, on_frac=1.0, work="wait")]
    for percent in (90, 80, 70, 60, 50, 35, 20):
        out.append(Experiment(f"duty_at_{percent}pct", 30 * scale, on_frac=percent / 100, period_s=DUTY_PERIOD_S))
    out += [Experiment(f"work_of_{kind}", 30 * scale, on_frac=1.0, work=kind) for kind in WORKS]
    return [*out, Experiment("cool", 60 * scale)]


def clock_steps(max_clock_MHz: float, scale: float = 1.0) -> list[Experiment]:
    """Load at five locked clocks from 45 to 95 % of `max_clock_MHz`, each followed by a rest; `scale` multiplies the durations."""
    clocks = [int(max_clock_MHz * f) // 15 * 15 for f in (0.95, 0.82, 0.7, 0.57, 0.45)]
    return [x for c in clocks for x in (Experiment(f"clock_at_{c}MHz", 60 * scale, 1.0, clock_MHz=c), Experiment("cool", 30 * scale))]


def cap_steps(low_W: float, high_W: float, scale: float = 1.0) -> list[Experiment]:
    """Load while the cap steps down from `high_W` to `low_W` in quarters and back up in one; `scale` multiplies the lengths."""
    caps = [round(high_W - (high_W - low_W) * k / 4) for k in range(5)] + [round(high_W)]
    return [Experiment(f"cap_at_{c}W", 45 * scale, 1.0, cap_W=c) for c in caps]


def unidentified(changes: set[str]) -> list[str]:
    """Fits that a record without these changes (of `clock`, `cap`) leaves open."""
    return [fit for kind, fits in NEEDS_CHANGE.items() if kind not in changes for fit in fits]


def as_text(plan: list[Experiment]) -> str:
    """One line per experiment, for --plan."""
    lines = [f"{'experiment':<18} {'s':>6}  {'load':<22} for"]
    for x in plan:
        load = "none" if x.on_frac == 0 else x.work if x.on_frac == 1 else f"{100 * x.on_frac:.0f} % of each {x.period_s:g} s"
        lines.append(f"{x.name:<18} {x.length_s:>6.0f}  {load:<22} {USES[x.kind]}")
    return "\n".join([*lines, f"{sum(x.length_s for x in plan) / 60:.0f} min in all"])
