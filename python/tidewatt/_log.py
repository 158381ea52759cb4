"""Records of this machine's GPUs, made for fits."""
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
) -> pandas.DataFrame:
    """Records GPUs of this machine under known loads, as `tidewatt log` does: 17 min, no setting changed unless asked.

    Parameters
    ----------
    out : path
        CSV to write, which must not exist; a description goes to `out`.json.
    gpu : list of int, optional
        Only these GPUs; None: all.
    sample_s : float
        Between samples, 0.01 to 10 s.
    scale : float
        Multiplies the lengths of all experiments, 0.01 to 100.
    change_clocks, change_cap : bool
        Also lock clocks at five values; also step the power limit. Both are put back, after a crash too.
    low_W, high_W : float, optional
        Ends of the steps of the power limit; None: the lowest that the GPU allows, and the limit in force.
    plan : bool
        Record nothing and return the experiments: name, length_s, load (on_frac), period_s, clock_MHz, cap_W.
    load : str
        `matrix` products, or `none`: only watch.
    command : str, optional
        A load of your own, stopped and continued by signals.
    size : int
        Rows of the matrices, 256 to 32768.
    source : str
        `nvml`, `nvidia-smi`, or `auto`: NVML where it is.
    nvml, nvidia_smi, cudart, cublas : str
        Libraries and program, where they are not in their usual places.

    Returns
    -------
    pandas.DataFrame
        A row per reading and GPU (columns: docs/telemetry.md), or the plan.

    Raises
    ------
    InputError
        Every finding in one error.
    OutputError
        No GPU can be read, the load failed, or the file cannot be written. What was recorded stays.
    """
    import pandas

    from .recorder.session import Options, Session
    from .recorder.sources import RecorderError

    options = Options(
        os.fspath(out), gpu, sample_s, scale, change_clocks, change_cap, low_W, high_W, plan, load, command, size, source, nvml, nvidia_smi, cudart, cublas
    )
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
