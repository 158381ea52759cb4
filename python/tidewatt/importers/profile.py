"""The workload entry of a profile: what each rank does between its collectives, and how long a step takes at another clock."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from . import intervals
from .report import InputError
from .text import toml

# Share of the message that a ring moves with n ranks, over the share with many.
RING = dict.fromkeys(("all_reduce", "all_gather", "reduce_scatter", "all_to_all"), lambda n: (n - 1) / n)
_TIMES = ("compute_s", "overlap_s", "rest_s", "transfer_s")


@dataclasses.dataclass(frozen=True)
class Profile:
    """Rounds of a recorded run: work up to a collective, then the collective. Arrays are [rank, round] in s; the last round has no
    collective, and what it holds precedes the first collective of the next step.

    compute_s: kernels that run alone; overlap_s: kernels under the collective before; rest_s: copies, launches, the host; transfer_s:
    the collective once all are there. `together`: the collectives hold these ranks together; otherwise each rank's communication is its
    own and holds waiting too. `n_step` steps were recorded. matrix_frac, attention_frac: shares of the compute kernels' time; the rest is bound by memory.
    """

    name: str
    n_step: int
    world: int
    kinds: tuple[str, ...]
    compute_s: np.ndarray
    overlap_s: np.ndarray
    rest_s: np.ndarray
    transfer_s: np.ndarray
    together: bool
    matrix_frac: float = 1.0
    attention_frac: float = 0.0

    def step_s(self, clock_ratio: float = 1.0, n_rank: int = 0) -> float:
        """Time of a step, s. Only kernels scale with the clock; a round lasts until the slowest rank is there and the data have moved:

            t = Σ_round max_rank[ compute/r + overlap (1/r − 1) + rest + transfer ] / n_step

        Ranks that no collective holds together are taken one by one, and the slowest counts.

        `clock_ratio`: r, clock ÷ recorded clock, above 0; `n_rank`: another number of ranks scales transfers as a ring does.
        Raises InputError: a clock ratio not above 0, or fewer than 2 ranks for a run with collectives.
        """
        if not clock_ratio > 0:
            raise InputError(f"clock_ratio {clock_ratio}: above 0")
        if n_rank and n_rank < 2 and self.kinds:
            raise InputError(f"n_rank {n_rank}: at least 2, the recorded run has collectives")
        time = self._round_s(clock_ratio) + self.transfer_s * self.ring(n_rank)
        return float(time.max(axis=0).sum() if self.together else time.sum(axis=1).max()) / self.n_step

    def of_ring(self) -> list[int]:
        """Places in `kinds` of the collectives that pass data around a ring."""
        return [j for j, kind in enumerate(self.kinds) if kind in RING]

    def ring(self, n_rank: int) -> np.ndarray:
        """Transfer times with other ranks ÷ those recorded, [round]. `n_rank`: number of ranks, 0: as recorded."""
        ring = np.ones(self.transfer_s.shape[1])
        if n_rank:
            ring[: len(self.kinds)] = [RING.get(k, lambda n: 1.0)(n_rank) / RING.get(k, lambda n: 1.0)(max(self.world, 2)) for k in self.kinds]
        return ring

    def work_s(self, r: float) -> tuple[np.ndarray, np.ndarray]:
        """Kernels, and the rest of the work before each collective, s, [rank, round]: the last round's is done before the next step's first
        collective. `r`: clock ÷ recorded clock, above 0."""
        stretched = self.compute_s / r + self.overlap_s * (1.0 / r - 1.0)
        work = np.maximum(stretched + self.rest_s, 0.0)
        compute = np.clip(stretched, 0.0, work)  # kernels that the clock moves below the collective before take nothing of their own
        both = [compute, work - compute]
        if work.shape[1] > 1:
            for part in both:
                part[:, 0] += part[:, -1]
                part[:, -1] = 0.0
        return both[0], both[1]

    def run(self, gpu: str, **settings):
        """A step on a catalog GPU at another clock, under a power limit or with other ranks: `profile_run.run`.

        `gpu`: catalog entry of kind gpu; `settings`: clock_MHz, cap_W, n_rank, recorded_clock_MHz, die_degC.
        """
        from . import profile_run

        return profile_run.run(self, gpu, **settings)

    def as_job(self, folder, gpu: str, **clocks):
        """Catalog entries and settings with which the step is the iteration of a scenario's job: `profile_job.write`.

        `folder`: for the catalog; `gpu`: catalog entry of kind gpu; `clocks`: recorded_clock_MHz, clock_MHz.
        """
        from . import profile_job

        return profile_job.write(self, folder, gpu, **clocks)

    def _round_s(self, r: float) -> np.ndarray:
        """Work before each collective, s, [rank, round]."""
        return sum(self.work_s(r))

    def waiting_s(self, clock_ratio: float = 1.0) -> np.ndarray:
        """How long each rank waits for the slowest in a step, s, [rank]; 0 where waiting is part of the communication.

        `clock_ratio`: clock ÷ recorded clock, above 0.
        """
        work = self._round_s(clock_ratio)
        if not self.together:
            return np.zeros(len(work))
        return (work.max(axis=0) - work).sum(axis=1) / self.n_step


def build(traces: list[dict], collectives: list[dict], name: str) -> Profile:
    """A profile from traces. The step begins when the last rank begins it: what others did before belongs to their step before.

    `traces`: of `kineto`; `collectives`: of `kineto.match`, empty where waiting is not known; `name`: of the entry.
    """
    together = bool(collectives) or len(traces) == 1
    n = len(collectives) or min(len(t["comm"]) for t in traces)
    compute, overlap, rest, transfer = (np.zeros((len(traces), n + 1)) for _ in range(4))
    first = [min(t["all"][0, 0], t["steps"][0][0]) if t["steps"] else t["all"][0, 0] for t in traces]
    clocks = np.array([t.get("clock_us", 0.0) for t in traces])
    begin = np.max(np.array(first) - clocks) if collectives else None
    for i, t in enumerate(traces):
        at = begin + clocks[i] if collectives else first[i]
        stop = max(t["all"][-1, 1], sum(t["steps"][-1])) if t["steps"] and len(traces) > 1 else t["all"][-1, 1]
        under = (at, at)
        for j in range(n + 1):
            start = t["comm"][j]["ts"] if j < n else stop
            compute[i, j] = intervals.within(t["compute"], at, start)
            rest[i, j] = max(start - at, 0.0) - compute[i, j]
            overlap[i, j] = intervals.within(t["compute"], *under)
            if j < n:
                end = start + t["comm"][j]["dur"]
                transfer[i, j] = (max(collectives[j]["transfer_us"], 0.0) if collectives else max(end - max(start, at), 0.0))
                under, at = (max(start, at), end), max(at, end)
    kinds = tuple(c["kind"] for c in collectives) if collectives else ("communication",) * n
    n_step = max(max((len(t["steps"]) for t in traces), default=1), 1)
    world = int(traces[0]["world"] or len(traces))
    times = (compute * 1e-6, overlap * 1e-6, rest * 1e-6, transfer * 1e-6)
    return Profile(name, n_step, world, kinds, *times, together, *_kernel_shares(traces))


def _kernel_shares(traces: list[dict]) -> tuple[float, float]:
    """Shares of matrix products and of attention in the time of all compute kernels."""
    sums = {c: sum(t["class_us"].get(c, 0.0) for t in traces) for c in {c for t in traces for c in t["class_us"]} - {"communication"}}
    total = sum(sums.values())
    return (sums.get("matrix", 0.0) / total, sums.get("attention", 0.0) / total) if total else (0.0, 0.0)


def recorded_step_s(traces: list[dict]) -> float:
    """The step that the traces show, s: of the rank that begins last, since others wait for it; the GPU's own pace where it lags the host.

    `traces`: of `kineto`.
    """
    if len(traces) == 1 or not all(t["steps"] for t in traces):
        return max(_own_step_us(t) for t in traces) * 1e-6
    last = max(traces, key=lambda t: t["steps"][0][0] - t.get("clock_us", 0.0))
    return _own_step_us(last) * 1e-6


def _own_step_us(t: dict) -> float:
    span = (t["all"][-1, 1] - t["all"][0, 0]) / max(len(t["steps"]), 1)
    return max(span, float(np.mean([d for _, d in t["steps"]]))) if t["steps"] else span


def entry(traces: list[dict], collectives: list[dict], name: str) -> str:
    """The profile as TOML. `traces`, `collectives`, `name`: as for `build`."""
    p = build(traces, collectives, name)
    numbers = lambda a: "[" + ", ".join(f"{x:.9g}" for x in a) + "]"
    values = {
        "n_step": p.n_step, "world": p.world, "device": f'"{traces[0]["device"]}"', "step_s": f"{p.step_s():.9g}", "kinds": "[" + ", ".join(f'"{k}"' for k in p.kinds) + "]",
        "recorded_step_s": f"{recorded_step_s(traces):.9g}", "together": str(p.together).lower(), "matrix_frac": f"{p.matrix_frac:.6g}", "attention_frac": f"{p.attention_frac:.6g}",
    }  # fmt: skip
    lines = ["schema = 1", 'kind = "profile"', f'name = "{name}"', "", "# Rounds of work up to a collective, then the collective; only kernels scale with the clock.", "[profile]"]
    lines += [f"{key} = {value}" for key, value in values.items()]
    for i, t in enumerate(traces):
        lines += ["", "[[rank]]", f"rank = {t['rank'] if t['rank'] is not None else i}", *(f"{key} = {numbers(getattr(p, key)[i])}" for key in _TIMES)]
    return "\n".join([*lines, "", "[sources]", f'profile = "[D] profiler trace, {len(traces)} of {p.world} ranks, {p.n_step} steps"', ""])


def load(path) -> Profile:
    """A profile from its entry. `path`: TOML of `tidewatt import kineto`. Raises InputError: it is none."""
    try:
        data = toml(Path(path).read_text(encoding="utf-8"))
        own, ranks = data["profile"], data["rank"]
        times = (np.array([r[k] for r in ranks]) for k in _TIMES)
        shares = own.get("matrix_frac", 1.0), own.get("attention_frac", 0.0)
        return Profile(data["name"], own["n_step"], own["world"], tuple(own["kinds"]), *times, own["together"], *shares)
    except (OSError, KeyError, ValueError) as error:
        raise InputError(f"{path}: no workload entry of a profile ({error})") from error
