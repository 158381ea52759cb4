"""A profile as the job of a scenario: catalog entries and plan settings whose iteration is the profile's step."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from .report import InputError
from .text import toml

if TYPE_CHECKING:
    from .profile import Profile

# A model of one small layer carries the times: its matrix products, its gradient exchange and the host's gap are set to the profile's. With this
# memory bandwidth nothing else of it takes time.
_MODEL = {"layers": 1, "width": 1024, "heads": 8, "kv_heads": 8, "ffn_width": 16384, "vocabulary": 16, "learned_positions": 0}
_HBM_TB_PER_S = 100.0
_MATRIX_TF = 100.0  # of the trial run; any
_LINK_GB_PER_S = 100.0
_FASTEST_GB_PER_S = 10000.0
_SEQUENCE_TOKENS, _SEQUENCES = 128, 64
_TRIAL_GPUS = 64


def write(profile: Profile, folder, gpu: str, *, recorded_clock_MHz: Optional[float] = None, clock_MHz: Optional[float] = None) -> dict[str, Any]:
    """Writes catalog entries of kinds model, compute, network and gpu named after the profile, and returns settings of a scenario's first hall and
    job that use them. A job then runs as any other: under power limits, in hot halls, with failures, on any number of GPUs.

        t = C/r + T(n) + H        C: kernels on the path of the slowest rank, T: transfers, as a ring's of n ranks, H: host, copies, waiting

    The step's parts are those of the profile; their order is not: work, one transfer, the host. All GPUs do the same, so kernels
    draw the mean of the ranks' kernels. Times are set by trial runs of the engine itself.

    Parameters
    ----------
    profile
        The entry.
    folder
        For the catalog, given to `tw.load(…, catalog=folder)`.
    gpu
        Catalog entry of kind gpu that it copies.
    recorded_clock_MHz
        While the trace was taken, which it does not hold; None: the GPU's highest.
    clock_MHz
        Highest clock of the job's GPUs; None: the GPU's.

    Raises
    ------
    InputError
        a clock outside the GPU's range, or times that no entry can hold.
    """
    from .._catalog import Catalog

    catalog = Catalog()
    text = catalog.text(f"gpu/{gpu}")
    entry = toml(text)
    power, compute = entry["power"], toml(catalog.text(f"compute/{entry['compute']}"))
    low_MHz, high_MHz = power["vf_clock_MHz"][0], power["vf_clock_MHz"][-1]
    for key, value in (("recorded_clock_MHz", recorded_clock_MHz), ("clock_MHz", clock_MHz)):
        if value is not None and not low_MHz < value <= high_MHz:
            raise InputError(f"{key}: {value:g} is outside {low_MHz:g} to {high_MHz:g}")
    recorded = recorded_clock_MHz or high_MHz
    C, T, H, busy = parts(profile)
    folder = Path(folder)
    with tempfile.TemporaryDirectory() as trial:
        # One run without products gives the exchange, one with both the products; both at one clock that nothing limits.
        free = _entries(profile, text, entry, compute, recorded, clock_MHz=low_MHz + 1.0)
        exchange_s = _trial_s(profile.name, {**free, "matrix_TF": 1e6}, Path(trial))
        both_s = _trial_s(profile.name, free, Path(trial))
    products_s = (both_s - exchange_s) * (low_MHz + 1.0) / recorded  # at the recorded clock
    ring = (1 - 1 / max(profile.world, 2)) / (1 - 1 / _TRIAL_GPUS)
    numbers = {"matrix_TF": _MATRIX_TF * products_s / C, "link_GB_per_s": _LINK_GB_PER_S * exchange_s * ring / T if T > 0 else _FASTEST_GB_PER_S}
    H = max(H - (exchange_s * _LINK_GB_PER_S / _FASTEST_GB_PER_S if T == 0 else 0.0), 0.0)  # even the fastest link takes some time
    for name, low, high in (("matrix_TF", 1.0, 1e6), ("link_GB_per_s", 1.0, _FASTEST_GB_PER_S)):
        if not low <= numbers[name] <= high:
            raise InputError(f"the profile's times need {name} = {numbers[name]:.3g}, outside {low:g} to {high:g}")
    _write(profile.name, {**_entries(profile, text, entry, compute, recorded, clock_MHz or high_MHz), **numbers, "busy": busy}, folder)
    return _settings(profile.name, H)


def parts(profile: Profile) -> tuple[float, float, float, float]:
    """(kernels on the slowest ranks' path, transfers, the rest [s]; share of these kernels' time in which the mean rank computes) of a step.

    `profile`: the entry. Raises InputError: no kernel is on that path.
    """
    step, half = profile.step_s(), profile.step_s(clock_ratio=0.5)
    C = half - step
    if not C > 0:
        raise InputError(f"{profile.name}: no kernel is on the path of the slowest rank")
    # Transfers that no number of ranks changes, such as a lone rank's, which hold waiting too, belong to the rest; so do those below kernels.
    of_ring = profile.of_ring() if profile.together else []
    T = min(float(profile.transfer_s.max(axis=0)[of_ring].sum()) / profile.n_step, step - C) if of_ring else 0.0
    mean = float((profile.compute_s + profile.overlap_s).sum(axis=1).mean()) / profile.n_step
    return C, max(T, 0.0), max(step - C - T, 0.0), min(mean / C, 1.0)


def _trial_s(name: str, entries: dict[str, Any], folder: Path) -> float:
    """Time of an iteration of the engine with these entries on `_TRIAL_GPUS` GPUs, without a host's gap, s."""
    import warnings

    import tidewatt as tw

    _write(name, entries, folder)
    hall = {"hall.a.n_gpu": _TRIAL_GPUS, "run.duration_h": 0.05, "record.window.sample.start_s": 150, "record.window.sample.duration_s": 1}
    job = {"job.main.plan.n_gpu": _TRIAL_GPUS, "job.main.plan.global_batch_sequences": _SEQUENCES * _TRIAL_GPUS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return tw.run(tw.load("llama3_405b_day", set={**_settings(name, 0.0), **hall, **job}, catalog=os.fspath(folder))).summary["iteration_s"]


def _entries(profile, text: str, entry: dict, compute: dict, recorded_MHz: float, clock_MHz: float) -> dict[str, Any]:
    power = entry["power"]
    matrix, attention = profile.matrix_frac, profile.attention_frac
    memory = 1.0 - matrix - attention
    return {
        "gpu_text": text, "compute": compute, "recorded_MHz": recorded_MHz, "clock_MHz": clock_MHz, "vf": (power["vf_clock_MHz"], power["vf_voltage_mV"]),
        "activity": matrix * compute["gemm_activity_ratio"] + attention * compute["attention_activity_ratio"] + memory * power["memory_activity_ratio"],
        "traffic": matrix * compute["gemm_hbm_frac"] + attention * compute["attention_hbm_frac"] + memory * compute["hbm_efficiency_frac"],
        "matrix_TF": _MATRIX_TF, "link_GB_per_s": _LINK_GB_PER_S, "busy": 1.0,
    }  # fmt: skip


def _write(name: str, e: dict[str, Any], folder: Path) -> None:
    """The four entries."""
    source = '"[C] from a profiler trace; times and activity are its own, no property of hardware"'

    def put(kind: str, values: dict) -> None:
        lines = ["schema = 1", f'kind = "{kind}"', f'name = "{name}"', *(f"{k} = {_toml(v)}" for k, v in values.items()), "", "[sources]", *(f"{k} = {source}" for k in values)]
        (folder / kind).mkdir(parents=True, exist_ok=True)
        (folder / kind / f"{name}.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")

    put("model", {**_MODEL, "gated_ffn": False, "tied_embeddings": True, "biases": False, "dropout": False, "parallel_block": False})
    own = e["compute"]
    put("compute", {"reference_clock_MHz": e["recorded_MHz"], "multiprocessors": 1, "matrix_TF": e["matrix_TF"], "matrix_efficiency_frac": 1.0, "small_tile_ratio": 1.0,
                    "gemm_overhead_us": 0.0, "attention_efficiency_frac": 1.0, "attention_half_tokens": 0, "hbm_TB_per_s": _HBM_TB_PER_S, "hbm_efficiency_frac": 1.0,
                    "hbm_capacity_GiB": own["hbm_capacity_GiB"], "hbm_reserved_GiB": 0.0, "overlap_tax_frac": 0.0,
                    **{f"{k}_activity_ratio": e["activity"] * e["busy"] for k in ("gemm", "attention")}, **{f"{k}_hbm_frac": e["traffic"] * e["busy"] for k in ("gemm", "attention")}})  # fmt: skip
    put("network", {"gpus_per_node": 8, "nvlink_GB_per_s": e["link_GB_per_s"], "nvlink_efficiency_frac": 1.0, "nvlink_latency_us": 0.0, "nics_per_node": 8,
                    "nic_GB_per_s": e["link_GB_per_s"], "nic_efficiency_frac": 1.0, "p2p_efficiency_frac": 1.0, "nic_latency_us": 0.0, "pod_gpus": 10000000,
                    "pod_oversubscription_ratio": 1})  # fmt: skip
    clocks, volts = (np.array(x, dtype=float) for x in e["vf"])
    top = e["clock_MHz"]
    kept = clocks < top
    lists = {"vf_clock_MHz": [*clocks[kept], top], "vf_voltage_mV": [*volts[kept], float(np.interp(top, clocks, volts))]}
    text = re.sub(r'(?m)^name = ".*?"', f'name = "{name}"', e["gpu_text"], count=1)
    text = re.sub(r'(?m)^compute = ".*?"', f'compute = "{name}"', text, count=1)
    for key, values in lists.items():
        text = re.sub(rf"(?m)^{key} = \[.*?\]", f"{key} = [{', '.join(f'{v:.6g}' for v in values)}]", text, count=1)
    (folder / "gpu").mkdir(parents=True, exist_ok=True)
    (folder / "gpu" / f"{name}.toml").write_text(text, encoding="utf-8")


def _toml(value) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:.9g}" if isinstance(value, float) else str(value)


def _settings(name: str, gap_s: float) -> dict[str, Any]:
    return {
        "hall.a.gpu": name, "job.main.model": name, "job.main.network": name, "job.main.plan.tp": 1, "job.main.plan.pp": 1, "job.main.plan.virtual_stages": 1,
        "job.main.plan.micro_batch_sequences": _SEQUENCES, "job.main.plan.sequence_tokens": _SEQUENCE_TOKENS, "job.main.plan.layers_removed_first": 0,
        "job.main.plan.layers_removed_last": 0, "job.main.plan.sharding": "none", "job.main.plan.recompute": "none", "job.main.plan.dp_overlap": False,
        "job.main.plan.sequence_parallel": False, "job.main.plan.gradient_bytes": 8, "hall.a.gpu.compute.host_gap_s": gap_s,
    }  # fmt: skip
