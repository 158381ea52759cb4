"""A profile's step on a catalog GPU: how long it takes and what it draws at another clock, under a power limit, with other ranks."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Optional

import numpy as np

from .report import InputError
from .text import toml

if TYPE_CHECKING:
    import pandas

    from .profile import Profile

_BISECTIONS = 40


@dataclasses.dataclass(frozen=True)
class ProfileRun:
    """One step of a profile on a GPU. `print` shows it in words.

    clock_MHz: of all GPUs; step_s: time of a step; mean_W, low_W, high_W: of one GPU on average over the recorded ranks, mean, least and largest;
    limited: the power limit holds the clock below the highest; edge_s, level_W: power of that average GPU over the step, constant between edges.
    """

    name: str
    gpu: str
    clock_MHz: float
    step_s: float
    mean_W: float
    limited: bool
    edge_s: np.ndarray
    level_W: np.ndarray
    findings: tuple[str, ...] = ()

    @property
    def low_W(self) -> float:
        """Lowest power of the step, W."""
        return float(self.level_W.min())

    @property
    def high_W(self) -> float:
        """Highest power of the step, W."""
        return float(self.level_W.max())

    def frame(self, n_gpu: int = 1) -> pandas.DataFrame:
        """The step as samples that hold until the next: `time_ns`, `power_W`. A `[[site.neighbour]]` of kind replay repeats them with
        `time_format = "ns"`; the last level comes twice, because there a last sample holds as long as the one before.

        `n_gpu`: GPUs that step together, 1 or more.
        """
        import pandas

        edge_s = np.append(self.edge_s[:-1], 0.5 * (self.edge_s[-2] + self.edge_s[-1]))
        time_ns = np.round(edge_s * 1e9).astype(np.int64)
        kept = np.append(np.diff(time_ns) > 0, True)  # parts shorter than a nanosecond
        return pandas.DataFrame({"time_ns": time_ns[kept], "power_W": np.append(self.level_W, self.level_W[-1])[kept] * n_gpu})

    def __str__(self) -> str:
        held = "held by its power limit" if self.limited else "not limited"
        return "\n".join(
            [f"{self.name} on {self.gpu}: {1e3 * self.step_s:.4g} ms a step at {self.clock_MHz:.0f} MHz, {held}",
             f"  a GPU draws {self.mean_W:.0f} W, {self.low_W:.0f} to {self.high_W:.0f} W", *(f"finding: {f}" for f in self.findings)]
        )


class _Powers:
    """Watts of a GPU in a profile's parts, by clock: as the fleet counts them.

        P = P_board + P_leak(T, V) + a P_dyn(V, f) + b P_hbm + l P_link

    Compute kernels are matrix products, attention and memory-bound kernels by their time; transfers keep the link busy; waiting kernels spin.
    """

    def __init__(self, profile: Profile, gpu: str, die_degC: float):
        from .._catalog import Catalog

        catalog = Catalog()
        entry = toml(catalog.text(f"gpu/{gpu}"))
        compute = toml(catalog.text(f"compute/{entry['compute']}"))
        power, governor = entry["power"], entry["governor"]
        self.gpu, self.die_K = gpu, die_degC + 273.15
        self.low_MHz, self.high_MHz = power["vf_clock_MHz"][0], power["vf_clock_MHz"][-1]
        self.least_W = power.get("power_limit_min_W") or 1.0  # 0: not published
        self.tdp_W, self.window_s = power["tdp_W"], governor["window_s"]
        self.link_W = power["link_W"]
        matrix, attention = profile.matrix_frac, profile.attention_frac
        memory = 1.0 - matrix - attention
        activity = matrix * compute["gemm_activity_ratio"] + attention * compute["attention_activity_ratio"] + memory * power["memory_activity_ratio"]
        traffic = matrix * compute["gemm_hbm_frac"] + attention * compute["attention_hbm_frac"] + memory * compute["hbm_efficiency_frac"]
        # activity, share of memory bandwidth, waiting: of compute, transfer, waiting, the rest
        self.states = ((activity, traffic, False), (power["link_activity_ratio"], 0.0, False), (0.0, 0.0, True), (0.0, 0.0, False))

    def at(self, clock_MHz: float) -> np.ndarray:
        """W of compute, transfer, waiting and the rest."""
        from .. import _core

        rows = [[clock_MHz * 1e6, self.die_K, a, b, True, waiting] for a, b, waiting in self.states]
        return np.array(_core.states_W(self.gpu, [], [[]], rows)[0]) + [0.0, self.link_W, 0.0, 0.0]

    def limit_W(self, cap_W: Optional[float]) -> float:
        """Mean power to which the governor controls, W."""
        from .. import _core

        return _core.limit_W(self.gpu, cap_W or 0.0)


def run(
    profile: Profile, gpu: str, *, clock_MHz: Optional[float] = None, cap_W: Optional[float] = None, n_rank: int = 0, recorded_clock_MHz: Optional[float] = None, die_degC: float = 60.0
) -> ProfileRun:
    """A step of the profile on a catalog GPU.

    Kernels scale with the clock; transfers with the number of ranks, as a ring's; the host and copies with neither. Without a clock the GPU runs
    at the highest clock at which its mean power over the governor's window stays below the limit less the governor's margin.

    Parameters
    ----------
    profile
        The entry.
    gpu
        Catalog entry of kind gpu.
    clock_MHz
        Of all GPUs, within the entry's range; None: as the limit allows.
    cap_W
        Power limit, W, from the driver's lowest (power_limit_min_W) to the board's own; None: the board's.
    n_rank
        Another number of ranks, 2 or more; 0: as recorded.
    recorded_clock_MHz
        While the trace was taken; traces do not hold it; None: the highest.
    die_degC
        0 to 120.

    Raises
    ------
    InputError
        Values outside these ranges, or a limit that even the lowest clock exceeds.
    """
    powers = _Powers(profile, gpu, die_degC)
    wrong = []
    for key, value, low, high in (("clock_MHz", clock_MHz, powers.low_MHz, powers.high_MHz), ("recorded_clock_MHz", recorded_clock_MHz, powers.low_MHz, powers.high_MHz),
                                  ("cap_W", cap_W, powers.least_W, powers.tdp_W), ("die_degC", die_degC, 0.0, 120.0)):  # fmt: skip
        if value is not None and not low <= value <= high:
            wrong.append(f"{key}: {value:g} is outside {low:g} to {high:g}")
    if wrong:
        raise InputError("; ".join(wrong))
    findings = [] if recorded_clock_MHz else [f"the trace does not hold its clock: taken as the highest, {powers.high_MHz:g} MHz (recorded_clock_MHz)"]
    recorded = recorded_clock_MHz or powers.high_MHz
    limit_W = powers.limit_W(cap_W)

    def step(f_MHz: float) -> tuple[np.ndarray, np.ndarray]:
        return waveform(profile, f_MHz / recorded, powers.at(f_MHz), n_rank)

    def worst_W(f_MHz: float) -> float:
        return highest_mean(*step(f_MHz), powers.window_s)

    limited = False
    if clock_MHz is None:
        low, high = powers.low_MHz, powers.high_MHz
        if worst_W(low) > limit_W:
            raise InputError(f"cap_W: at {low:g} MHz a step still draws {worst_W(low):.0f} W, the limit allows {limit_W:.0f} W")
        limited = worst_W(high) > limit_W
        for _ in range(_BISECTIONS if limited else 0):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if worst_W(middle) > limit_W else (middle, high)
        clock_MHz = low if limited else high
    elif worst_W(clock_MHz) > limit_W:
        findings.append(f"at {clock_MHz:g} MHz a step draws {worst_W(clock_MHz):.0f} W, above the {limit_W:.0f} W of the limit")
    edge_s, level_W = step(clock_MHz)
    mean_W = float((np.diff(edge_s) * level_W).sum() / edge_s[-1])
    return ProfileRun(profile.name, gpu, float(clock_MHz), float(edge_s[-1]), mean_W, limited, edge_s, level_W, tuple(findings))


def waveform(profile: Profile, r: float, power_W: np.ndarray, n_rank: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """(edges [s], levels [W]) of the average rank over a mean step. Each rank computes, does the rest, waits for the slowest and transfers.

    Parameters
    ----------
    profile
        The entry.
    r
        Clock ÷ recorded clock.
    power_W
        Of compute, transfer, waiting and the rest.
    n_rank
        As for `Profile.step_s`.
    """
    compute, rest = profile.work_s(r)
    transfer = profile.transfer_s * profile.ring(n_rank)
    work = compute + rest
    waiting = work.max(axis=0) - work if profile.together else np.zeros_like(work)
    moving = transfer.max(axis=0) - transfer if profile.together else np.zeros_like(work)
    under = np.where(transfer > 0, np.minimum(profile.overlap_s / np.maximum(transfer, 1e-15), 1.0), 0.0)  # compute below the transfer
    P_compute, P_transfer, P_wait, P_rest = power_W
    parts = [(compute, P_compute), (rest, P_rest), (waiting, P_wait), (transfer, P_transfer + under * (P_compute - P_rest)), (moving, P_wait)]
    duration = np.stack([d for d, _ in parts], axis=-1).reshape(len(work), -1) / profile.n_step
    level = np.stack([np.broadcast_to(p, work.shape) for _, p in parts], axis=-1).reshape(len(work), -1)
    ends = np.cumsum(duration, axis=1)
    length = ends[:, -1].max()
    edge = np.unique(np.concatenate([[0.0], ends.ravel(), [length]]))
    edge = edge[np.append(np.diff(edge) > 1e-12 * length, True)]
    edge[0] = 0.0
    middle = 0.5 * (edge[:-1] + edge[1:])
    total = np.zeros(len(middle))
    for own_ends, own_level in zip(ends, level):  # a rank that is done waits for the others
        place = np.searchsorted(own_ends, middle, side="right")
        total += np.append(own_level, P_wait)[np.minimum(place, len(own_level))]
    return edge, total / len(work)


def highest_mean(edge_s: np.ndarray, level_W: np.ndarray, window_s: float) -> float:
    """Largest mean over a window of a step that repeats, W. `edge_s`, `level_W`: of `waveform`; `window_s`: above 0."""
    length = edge_s[-1]
    energy = np.concatenate([[0.0], np.cumsum(np.diff(edge_s) * level_W)])
    whole, part = divmod(window_s, length)
    twice = np.concatenate([edge_s, length + edge_s[1:]])
    energy_twice = np.concatenate([energy, energy[-1] + energy[1:]])
    starts = np.unique(np.concatenate([edge_s, np.mod(edge_s - part, length)]))  # a window's mean is largest with one end at an edge
    inside = np.interp(starts + part, twice, energy_twice) - np.interp(starts, twice, energy_twice)
    return float((whole * energy[-1] + inside.max()) / window_s)
