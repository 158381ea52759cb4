"""Power and heat of AI training clusters, simulated together.

    import tidewatt as tw

    scenario = tw.load("scenarios/llama3_405b_day.toml", set={"run.duration_h": 1})
    result = tw.run(scenario)
    result.summary["throughput_swing_percent"]
    result["day"]["pcc_mean_W"]          # xarray, with units and calendar time
    result.save("out/day.h5")
    tw.open("out/day.h5").plot.day()

Times are local standard time. Quantities are in SI units, which every name ends with: `pcc_mean_W`, `die_max_K`;
only the figures of `summary` use the units people speak (MW, °C, MHz).
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import report as report
    from ._catalog import Catalog
    from ._core import CorruptFileError, Error, Finding, InputError, OutputError, RefusedError, SolverError, __version__
    from ._engine import Engine, run
    from ._fit_inference import InferencePower, fit_inference_power
    from ._load import Scenario, load
    from ._read import (
        job_occupancy,
        offered_load,
        read_auto,
        read_carbon,
        read_csv,
        read_kineto,
        read_mllog,
        read_nvidia_smi,
        read_power,
        read_price,
        read_profile,
        read_prometheus,
        read_redfish,
        read_requests,
        read_rocm_smi,
        read_sacct,
        read_sinfo,
        read_squeue,
        read_weather,
    )
    from ._result import Result, open
    from ._size import Sizing, most_gpus, size
    from ._sweep import SweepTable, compare, new, sweep

_READERS = [
    "job_occupancy", "offered_load", "read_auto", "read_carbon", "read_csv", "read_kineto", "read_mllog", "read_nvidia_smi", "read_power",
    "read_price", "read_profile", "read_prometheus", "read_redfish", "read_requests", "read_rocm_smi", "read_sacct", "read_sinfo",
    "read_squeue", "read_weather",
]  # fmt: skip
# Loaded when first asked for: the report of a result file needs no xarray.
_HOME = {
    "load": "_load",
    "Scenario": "_load",
    "run": "_engine",
    "Engine": "_engine",
    "open": "_result",
    "Result": "_result",
    "Catalog": "_catalog",
    "Sizing": "_size",
    "size": "_size",
    "most_gpus": "_size",
    "sweep": "_sweep",
    "SweepTable": "_sweep",
    "compare": "_sweep",
    "new": "_sweep",
    **dict.fromkeys(_READERS, "_read"),
    "fit_inference_power": "_fit_inference",
    "InferencePower": "_fit_inference",
    **dict.fromkeys(
        ["CorruptFileError", "Error", "Finding", "InputError", "OutputError", "RefusedError", "SolverError", "__version__"],
        "_core",
    ),
}
__all__ = [
    "Catalog", "CorruptFileError", "Engine", "Error", "Finding", "InputError", "OutputError", "RefusedError", "Result", "Scenario", "Sizing",
    "SolverError", "SweepTable", "compare", "load", "most_gpus", "new", "open", "report", "run", "size", "sweep", *_READERS, "InferencePower", "fit_inference_power",
]  # fmt: skip


def __getattr__(name: str):
    if name == "report":
        return importlib.import_module(".report", __name__)
    if name not in _HOME:
        raise AttributeError(f"module 'tidewatt' has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
