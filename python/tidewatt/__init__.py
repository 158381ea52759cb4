"""Power and heat of AI training clusters, simulated together.

>>> import tidewatt as tw
>>> scenario = tw.load("llama3_405b_day", set={"run.duration_h": 1})
>>> result = tw.run(scenario)
>>> print(result)  # the summary
>>> result["day"]["pcc_mean_W"]  # xarray, with units and calendar time
>>> result.plot.day()
>>> result.save("out/day.h5")

Times are local standard time. Quantities are in SI units, and every name ends with its unit: `pcc_mean_W`, `die_max_K`. Only
the figures of `summary` use everyday units (MW, °C, MHz).
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import report as report
    from ._catalog import Catalog
    from ._core import CorruptFileError, Error, Finding, InputError, OutputError, RefusedError, SolverError, __version__
    from ._engine import Engine, run
    from .calibration import Calibration, Conditioned, calibrate, conditioned
    from ._figures import figures
    from ._fit_inference import InferencePower, fit_inference_power
    from ._log import log_gpus
    from ._meter import WaveformComparison, compare_waveforms, through_meter
    from ._replay import Replay, replay
    from ._fit import Fit, fit_fans, fit_gpu, fit_nodes, fit_overhead
    from ._fit_tables import fit_clocks, fit_failures, fit_feeder, fit_jitter, fit_limiter, fit_plant, fit_rows, fit_server
    from ._load import Scenario, load
    from ._machines import MachineAnswer, machines
    from ._derived import job_occupancy, offered_load
    from ._read import (
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
    from ._opened import open
    from ._result import Result
    from ._rules import filing, orders, ride, rules, verify
    from .planner import serve
    from ._size import Sizing, best_cap, most_gpus, size
    from ._stability import StabilityAnswer, stability
    from ._study import Answer, bench, explain, interval, plant, schema, validate
    from ._sweep import SweepTable, compare, new, sweep

_READERS = [
    "read_auto", "read_carbon", "read_csv", "read_kineto", "read_mllog", "read_nvidia_smi", "read_power", "read_price",
    "read_profile", "read_prometheus", "read_redfish", "read_requests", "read_rocm_smi", "read_sacct", "read_sinfo",
    "read_squeue", "read_weather",
]  # fmt: skip
_TABLE_FITS = ["fit_clocks", "fit_failures", "fit_feeder", "fit_jitter", "fit_limiter", "fit_plant", "fit_rows", "fit_server"]
# Loaded when first asked for: the report of a result file needs no xarray.
_HOME = {
    "load": "_load",
    "Scenario": "_load",
    "run": "_engine",
    "Engine": "_engine",
    "open": "_opened",
    "Result": "_result",
    "Catalog": "_catalog",
    "Sizing": "_size",
    "size": "_size",
    "best_cap": "_size",
    "most_gpus": "_size",
    "sweep": "_sweep",
    "SweepTable": "_sweep",
    "compare": "_sweep",
    "new": "_sweep",
    **dict.fromkeys(_READERS, "_read"),
    "job_occupancy": "_derived",
    "offered_load": "_derived",
    **dict.fromkeys(["filing", "orders", "ride", "rules", "verify"], "_rules"),
    "figures": "_figures",
    "fit_inference_power": "_fit_inference",
    "InferencePower": "_fit_inference",
    **dict.fromkeys(["Calibration", "Conditioned", "calibrate", "conditioned"], "calibration"),
    "log_gpus": "_log",
    **dict.fromkeys(["WaveformComparison", "compare_waveforms", "through_meter"], "_meter"),
    **dict.fromkeys(["Replay", "replay"], "_replay"),
    **dict.fromkeys(["Fit", "fit_fans", "fit_gpu", "fit_nodes", "fit_overhead"], "_fit"),
    **dict.fromkeys(_TABLE_FITS, "_fit_tables"),
    **dict.fromkeys(["Answer", "bench", "explain", "interval", "plant", "schema", "validate"], "_study"),
    **dict.fromkeys(["MachineAnswer", "machines"], "_machines"),
    "serve": "planner",
    **dict.fromkeys(["StabilityAnswer", "stability"], "_stability"),
    **dict.fromkeys(
        ["CorruptFileError", "Error", "Finding", "InputError", "OutputError", "RefusedError", "SolverError", "__version__"],
        "_core",
    ),
}
__all__ = [
    "Answer", "Calibration", "Catalog", "Conditioned", "CorruptFileError", "Engine", "Error", "Finding", "Fit", "InferencePower", "InputError", "MachineAnswer", "OutputError", "RefusedError",
    "Replay", "Result", "Scenario", "Sizing", "SolverError", "StabilityAnswer", "SweepTable", "WaveformComparison", "bench", "best_cap",
    "calibrate", "compare", "compare_waveforms", "conditioned", "explain", "figures", "filing", "fit_fans", "fit_gpu",
    "fit_inference_power", "fit_nodes", "fit_overhead", "interval", "load", "log_gpus", "machines", "most_gpus", "new", "open", "orders", "plant", "replay", "report", "ride", "rules", "run", "schema", "serve", "size",
    "stability", "sweep", "through_meter", "validate", "verify", "job_occupancy", "offered_load", *_READERS, *_TABLE_FITS,
]  # fmt: skip


def __getattr__(name: str):
    if name == "report":
        return importlib.import_module(".report", __name__)
    if name not in _HOME:
        import difflib

        close = difflib.get_close_matches(name, __all__, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise AttributeError(f"module 'tidewatt' has no attribute {name!r}{hint}")
    value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
