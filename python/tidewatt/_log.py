"""Records of this machine's GPUs for fits."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import _core

if TYPE_CHECKING:
    import pandas

    from ._load import Path


def log_gpus(
    out: Path = "gpu.csv",
    *,
    gpu: list[int] | None = None,
    sample_s: float = 0.05,
    scale: float = 1.0,
    works: bool = False,
    change_clocks: bool = False,
    change_cap: bool = False,
    low_W: float | None = None,
    high_W: float | None = None,
    plan: bool = False,
    load: str = "matrix",
    command: str | None = None,
    size: int = 4096,
    source: str = "auto",
    nvml: str = "libnvidia-ml.so.1",
    nvidia_smi: str = "nvidia-smi",
    cudart: str = "libcudart.so",
    cublas: str = "libcublas.so",
    cuda: str = "libcuda.so.1",
    nvrtc: str = "libnvrtc.so",
) -> pandas.DataFrame:
    """Records GPUs of this machine under known loads, as `tidewatt log` does: 17 min, no setting changed unless asked.

    Parameters
    ----------
    out : path
        CSV file to write; it must not exist. A description goes to `out`.json.
    gpu : list of int, optional
        Only these GPUs; None: all.
    sample_s : float
        Time between samples, s, 0.01–10.
    scale : float
        Factor on the duration of all experiments, 0.01–100.
    works : bool
        Also other kinds of work (fp16, tf32, fp32, fp8, zeros, copies, a wait for peers), and products for part of the time, 10 min.
    change_clocks, change_cap : bool
        Also lock clocks at five values; also step the power limit. Clocks are unlocked and limits restored at the end, even after a crash.
    low_W, high_W : float, optional
        Lowest and highest power limit, W; None: the lowest that the GPU allows, and the present limit.
    plan : bool
        Record nothing and return the experiments: name, length_s, load (on_frac), period_s, clock_MHz, cap_W, work.
    load : str
        `matrix`: matrix products; `none`: only record.
    command : str, optional
        Your own load, stopped and continued by signals.
    size : int
        Number of rows of the matrices, 256–32768.
    source : str
        `nvml`, `nvidia-smi`, or `auto`: NVML if available.
    nvml, nvidia_smi, cudart, cublas, cuda, nvrtc : str
        Paths of libraries and program, if they are not in their usual places.

    Returns
    -------
    pandas.DataFrame
        A row per reading and GPU (columns: docs/telemetry.md), or the plan.

    Raises
    ------
    InputError
        Every finding in one error.
    OutputError
        No GPU can be read, the load failed, or the file cannot be written. Rows recorded so far are kept.
    """
    import pandas

    from .recorder.session import Options, Session
    from .recorder.sources import RecorderError

    options = Options(
        os.fspath(out), gpu, sample_s, scale, works, change_clocks, change_cap, low_W, high_W, plan, load, command, size, source, nvml, nvidia_smi, cudart, cublas,
        cuda, nvrtc,
    )  # fmt: skip
    try:
        session = Session(options)
        findings = session.findings()
        if findings:
            raise _core.InputError("\n".join(findings))
        if plan:
            return pandas.DataFrame([vars(x) for x in session.plan()])
        session.run()
    except (RecorderError, OSError) as error:
        raise _core.OutputError(str(error)) from error
    return pandas.read_csv(options.out)
