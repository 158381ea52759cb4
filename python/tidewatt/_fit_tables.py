"""Fits to tables of steady readings, meters and events. Each is `tidewatt fit` with the same word."""
from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Sequence

from . import _core
from ._fit import Fit, _as_file
from ._load import Path

if TYPE_CHECKING:
    import pandas


def _fit(word: str, files: Sequence[Path | pandas.DataFrame], **options: Any) -> Fit:
    with contextlib.ExitStack() as stack:
        return Fit(_core.fit_table(word, {"files": [stack.enter_context(_as_file(f)) for f in files], **options}))


def fit_clocks(*files: Path | pandas.DataFrame, name: str, base: str = "h100_sxm_700W") -> Fit:
    """V/f, activity, leakage and its slopes, and the margin under the power limit, from operating points. As `tidewatt fit clocks`.

    Several GPUs give the type's values and the scatter of its chips.

    Parameters
    ----------
    *files : path or pandas.DataFrame
        Columns power_W, clock_MHz, temperature_degC; limit_W, gpu, load or experiment if available.
    name : str
        Name of the new entry.
    base : str, default 'h100_sxm_700W'
        Catalog entry of kind gpu: ranges before the log, and all values that it cannot give.

    Returns
    -------
    Fit
        An entry of kind gpu.

    Raises
    ------
    InputError
        The table lacks needed columns or rows; the message names file and column.
    """
    return _fit("clocks", files, name=name, base=base)


def fit_limiter(file: Path | pandas.DataFrame, *, name: str, base: str = "h100_sxm_700W", governor: str = "nvidia_sampled", power_window_s: float = 1.0) -> Fit:
    """Window and margin of the power limiter from a load that switches. As `tidewatt fit limiter`.

    Parameters
    ----------
    file : path or pandas.DataFrame
        Columns time, power_W, limit_W, and load_frac or load_s; clock_MHz and temperature_degC if available.
    name : str
        Name of the new entry.
    base : str, default 'h100_sxm_700W'
        Catalog entry of kind gpu: ranges before the log, and all values that it cannot give.
    governor : str, default 'nvidia_sampled'
        Entry of kind governor: how the limiter samples.
    power_window_s : float, default 1.0
        Averaging window of each power reading, s, 0–30.

    Returns
    -------
    Fit
        An entry of kind gpu.

    Raises
    ------
    InputError
        The table lacks needed columns or rows; the message names file and column.
    """
    return _fit("limiter", [file], name=name, base=base, governor=governor, power_window_s=power_window_s)


def fit_server(file: Path | pandas.DataFrame, *, name: str, base: str = "dgx_h100") -> Fit:
    """Host, fans, conversion and supplies of a server from its input power. As `tidewatt fit server`.

    Parameters
    ----------
    file : path or pandas.DataFrame
        Columns gpu_sum_W, node_W; fan_frac, busy (0 or 1) and time if available.
    name : str
        Name of the new entry.
    base : str, default 'dgx_h100'
        Catalog entry of kind server: ranges before the log, and all values that it cannot give.

    Returns
    -------
    Fit
        An entry of kind server.

    Raises
    ------
    InputError
        The table lacks needed columns or rows; the message names file and column.
    """
    return _fit("server", [file], name=name, base=base)


def fit_rows(file: Path | pandas.DataFrame, *, name: str, base: str = "dgx_h100", gpu: str = "h100_sxm_700W", rear: Sequence[str] = (), fan_frac: float = 1.0) -> Fit:
    """Preheating of the rear GPU row, and the resistance of each slot. As `tidewatt fit rows`.

    Parameters
    ----------
    file : path or pandas.DataFrame
        Telemetry of all GPUs of one server; inlet_degC if available.
    name : str
        Name of the new entry.
    base : str, default 'dgx_h100'
        Catalog entry of kind server: ranges before the log, and all values that it cannot give.
    gpu : str, default 'h100_sxm_700W'
        Entry of kind gpu: resistances and time constants.
    rear : sequence of str, default ()
        Names of the GPUs in the rear row; empty: the second half.
    fan_frac : float, default 1.0
        Fan speed during the record, 0.05–1.

    Returns
    -------
    Fit
        An entry of kind server.

    Raises
    ------
    InputError
        The table lacks needed columns or rows; the message names file and column.
    """
    return _fit("rows", [file], name=name, base=base, gpu=gpu, rear=list(rear), fan_frac=fan_frac)


def fit_feeder(file: Path | pandas.DataFrame, *, name: str, base: str = "hall_480V", level: str = "hall", branches: float = 1, meter_frac: float = 0.007) -> Fit:
    """Losses of one feeder level from the meters around it. As `tidewatt fit feeder`.

    Parameters
    ----------
    file : path or pandas.DataFrame
        Columns input_W, output_W.
    name : str
        Name of the new entry.
    base : str, default 'hall_480V'
        Catalog entry of kind feeder: ranges before the log, and all values that it cannot give.
    level : str, default 'hall'
        `rack`, `row`, `hall` or `site`.
    branches : float, default 1
        Equal branches in parallel between the meters.
    meter_frac : float, default 0.007
        95 % of the difference between the gains of the meters.

    Returns
    -------
    Fit
        An entry of kind feeder.

    Raises
    ------
    InputError
        The table lacks needed columns or rows; the message names file and column.
    """
    return _fit("feeder", [file], name=name, base=base, level=level, branches=branches, meter_frac=meter_frac)


def fit_plant(file: Path | pandas.DataFrame, *, name: str, base: str = "outside_air_evaporative", rated_it_W: float = 0.0) -> Fit:
    """Coefficients of a cooling plant from its power. As `tidewatt fit plant`.

    Parameters
    ----------
    file : path or pandas.DataFrame
        Columns it_W, plant_W, drybulb_degC, and wetbulb_degC, dewpoint_degC or rh_frac; fan_W, pump_W, chiller_W and rejection_W if available.
    name : str
        Name of the new entry.
    base : str, default 'outside_air_evaporative'
        Catalog entry of kind plant: ranges before the log, and all values that it cannot give.
    rated_it_W : float, default 0.0
        Heat that the plant is built for, W; 0: the largest in the table.

    Returns
    -------
    Fit
        An entry of kind plant.

    Raises
    ------
    InputError
        The table lacks needed columns or rows; the message names file and column.
    """
    return _fit("plant", [file], name=name, base=base, rated_it_W=rated_it_W)


def fit_failures(file: Path | pandas.DataFrame, *, name: str, base: str = "rsc1", nodes: float = 0, days: float = 0) -> Fit:
    """Failure rates by cause, and mean repair times. As `tidewatt fit failures`.

    Parameters
    ----------
    file : path or pandas.DataFrame
        A row per failure: cause, repair_h; or jobs: state, nodes, elapsed_s.
    name : str
        Name of the new entry.
    base : str, default 'rsc1'
        Catalog entry of kind failures: ranges before the log, and all values that it cannot give.
    nodes : float, default 0
        Nodes under watch; not needed for a table of jobs.
    days : float, default 0
        Length of the watch, days; not needed for a table of jobs.

    Returns
    -------
    Fit
        An entry of kind failures.

    Raises
    ------
    InputError
        The table lacks needed columns or rows; the message names file and column.
    """
    return _fit("failures", [file], name=name, base=base, nodes=nodes, days=days)


def fit_jitter(file: Path | pandas.DataFrame, *, name: str, base: str = "llama3_405b", replicas: float = 1, resolution_s: float = 0.0) -> Fit:
    """Scatter of iteration times. As `tidewatt fit jitter`.

    Parameters
    ----------
    file : path or pandas.DataFrame
        Column iteration_s, or the time of each iteration's end.
    name : str
        Name of the new entry.
    base : str, default 'llama3_405b'
        Catalog entry of kind job: ranges before the log, and all values that it cannot give.
    replicas : float, default 1
        Data-parallel replicas, which wait for one another.
    resolution_s : float, default 0.0
        Resolution of the log's times, s.

    Returns
    -------
    Fit
        An entry of kind job.

    Raises
    ------
    InputError
        The table lacks needed columns or rows; the message names file and column.
    """
    return _fit("jitter", [file], name=name, base=base, replicas=replicas, resolution_s=resolution_s)
