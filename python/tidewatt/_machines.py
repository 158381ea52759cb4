"""Power systems of several machines: a run's waveform, steps of load, square waves of every period."""
from __future__ import annotations

import contextlib
import datetime
import json
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from . import _core
from ._load import Path, _absolute
from ._study import Answer, _file_of

if TYPE_CHECKING:
    import xarray

    from ._result import Result
    from matplotlib.axes import Axes


class MachineAnswer(Answer):
    """Answer of `machines`. `series` has the curves; `plot` draws them."""

    def __init__(self, figures: Mapping[str, Any], text: str, series: xarray.Dataset):
        super().__init__(figures, text)
        self.series = series
        """Response: deviation of each machine from nominal and voltage at the site's bus over time; its attribute `start_time` is second 0,
        local standard time, where a run is played. Sweep: swing by period."""

    def plot(self, *, ax: Any = None) -> Axes:
        """Frequencies of the machines over time, or for a sweep the largest swing over the period.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None: a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes of the picture.
        """
        from ._study_plot import draw_machines

        return draw_machines(self, ax)


def machines(
    result: Result | Path | None = None,
    *,
    case: str = "kundur_two_area",
    bus: int = 0,
    window: str = "",
    begin_s: float = 0.0,
    length_s: float = 60.0,
    shaft_Hz: Sequence[float] = (),
    shaft_damping_frac: float = 0.001,
    swing_W: float = 0.0,
    from_s: float = 0.5,
    to_s: float = 6.0,
    points: int = 120,
    duty_frac: float = 0.5,
    damping_frac: float | None = None,
    deadband_Hz: float = 0.036,
    catalog: Path | None = None,
    raw: Path | None = None,
    dyr: Path | None = None,
    step_W: float = 0.0,
    ramp_s: float = 0.0,
    trip: str = "",
    at_s: float = 1.0,
    dispatch_s: float = 10.0,
    loads: str = "impedance",
    site: str = "power",
    shaft: str = "power",
    time_step_s: float = 0.005,
    site_W: float = 0.0,
    rating_W: float = 0.0,
    control: str = "psu_single_phase",
    gain: float = 1.0,
    grid: str = "",
    reserves: str = "",
) -> MachineAnswer:
    """Applies a run's waveform, a step of load, or square waves of every period to a power system of several machines. As `tidewatt
    machines`.

    Parameters
    ----------
    result : Result or path, optional
        A result with a recorded window, or its file. None: square waves of `swing_W`.
    case : str, default 'kundur_two_area'
        Catalog entry of kind grid_case: kundur_two_area, ieee9, ieee39.
    bus : int, default 0
        Number of the bus where the site connects; 0: the one with the largest load.
    window : str, default ''
        Recorded window; empty: the first one.
    begin_s, length_s : float
        Part of the window, s.
    shaft_Hz : sequence of float, optional
        Frequencies of shaft modes of turbines nearby, Hz, to be checked.
    shaft_damping_frac : float, default 0.001
        Damping of these modes (assumed, 0.0001–0.01).
    swing_W : float
        Height of the square wave of the sweep, W.
    from_s, to_s : float
        Shortest and longest period of the sweep, s.
    points : int, default 120
        Periods of the sweep.
    duty_frac : float, default 0.5
        Fraction of the period at the high level, 0.01–0.99.
    damping_frac : float, optional
        Damping of every swing mode of the sweep; None: as in the case.
    deadband_Hz : float, default 0.036
        Allowed frequency deviation, Hz.
    catalog : path, optional
        A folder of catalog files that add to or replace the built-in ones.
    raw, dyr : path, optional
        A network of your own with controls, in place of `case`: RAW file of revision 32 or 33 and its DYR file. The parameters below need
        them. With `swing_W`: the sweep.
    step_W : float
        Change of the site's load, W; below 0: load that is lost.
    ramp_s : float
        Duration of this change, s; 0: a step.
    trip : str
        Generating unit to switch off, `BUS-ID`.
    at_s : float, default 1
        Time at which the step, ramp or trip begins, s.
    dispatch_s : float, default 10
        The mean of the waveform over this time from `begin_s` on is dispatched; the simulation begins after it, s.
    loads, site : {'impedance', 'current', 'power'}
        Quantity that the network's loads and the site keep constant. site='supplies': a model that responds to voltage and frequency.
    shaft : {'power', 'torque'}
        Output of a governor.
    time_step_s : float, default 0.005
        Time step of the solution, s.
    site_W, rating_W : float
        Supplies: their initial load (0 with a result: the dispatched power) and rated power (0: that load), W.
    control : str, default 'psu_single_phase'
        Supplies: catalog entry of kind supply_control.
    gain : float, default 1
        Supplies: loop gain relative to that of the control.
    grid : str
        One machine that represents a system, in place of `case`: catalog entry of kind grid. With `step_W` or a result.
    reserves : str
        With `grid`: catalog entry of kind frequency_reserves (deadband, fast reserve, under-frequency stages).

    Returns
    -------
    MachineAnswer
        Figures as of `tidewatt machines --json`, and the curves in `series`.

    Raises
    ------
    InputError
        An unknown case, bus or window, or an option out of range.
    ValueError
        Both a result and `swing_W`, or neither.

    Examples
    --------
    >>> sweep = tw.machines(case="ieee39", swing_W=100e6)
    >>> sweep["worst_period_s"], sweep["worst_mHz"]
    >>> lost = tw.machines(raw="ieee39.raw", dyr="ieee39.dyr", bus=39, step_W=-1000e6)
    >>> lost["extremum_mHz"], lost["settled_mHz"]
    """
    import xarray

    if (raw is None) != (dyr is None):
        raise ValueError("raw and dyr belong together")
    if reserves and not grid:
        raise ValueError("reserves need a grid")
    if grid:
        if raw is not None:
            raise ValueError("grid and raw are two systems; name one")
        return _one_machine(result, dict(grid=grid, reserves=reserves, catalog=_absolute(catalog), step_W=step_W, at_s=at_s, length_s=length_s, window=window))
    if raw is not None and not swing_W:
        return _network(result, dict(raw=_absolute(raw), dyr=_absolute(dyr), bus=int(bus), step_W=step_W, ramp_s=ramp_s, trip=trip, at_s=at_s, window=window,
                                     begin_s=begin_s, dispatch_s=dispatch_s, length_s=length_s, time_step_s=time_step_s, loads=loads, site=site, shaft=shaft,
                                     site_W=site_W, rating_W=rating_W, control=control, gain_ratio=gain, catalog=_absolute(catalog)))  # fmt: skip
    if (result is None) == (not swing_W):
        raise ValueError("name either a result or swing_W")
    options = dict(grid_case=case, bus=float(bus), window=window, begin_s=begin_s, length_s=length_s, shaft_Hz=list(shaft_Hz),
                   shaft_damping_frac=shaft_damping_frac, swing_W=swing_W, from_s=from_s, to_s=to_s, points=points,
                   duty_frac=duty_frac, damping_frac=-1.0 if damping_frac is None else damping_frac, deadband_Hz=deadband_Hz,
                   catalog=_absolute(catalog), raw=_absolute(raw), dyr=_absolute(dyr), loads=loads, shaft=shaft)  # fmt: skip
    if result is None:
        figures, text, period_s, swing_Hz = _core.sweep_periods(options)
        series = xarray.Dataset(
            {"peak_to_peak_Hz": ("period_s", swing_Hz, {"units": "Hz", "long_name": "swing of the machine that moves most"})},
            {"period_s": ("period_s", period_s, {"units": "s", "long_name": "period of the square wave"})},
        )
        return MachineAnswer(json.loads(figures), text, series)
    with _file_of(result) as path:
        figures, text, first_s, time_s, frequency_Hz, buses, voltage_pu = _core.play_waveform(path, options)
        moment = _moment(path, None, 0.0)
    series = xarray.Dataset(
        {"frequency_Hz": (("time_s", "bus"), np.reshape(frequency_Hz, (len(time_s), len(buses))),
                          {"units": "Hz", "long_name": "deviation of the machine at the bus from nominal"}),
         "voltage_pu": ("time_s", voltage_pu, {"units": "pu", "long_name": "voltage at the site's bus"})},
        {"time_s": ("time_s", np.add(time_s, first_s), {"units": "s", "long_name": "time since the start of the run"}),
         "bus": [int(b) for b in buses]},
        moment,
    )  # fmt: skip
    return MachineAnswer(json.loads(figures), text, series)


def _moment(path: str, window: str | None, after_s: float) -> dict[str, str]:
    """Attributes of the curves of a result's file: `start_time`, `after_s` into a recorded `window` (empty: the first), None: of the run."""
    from .report.read import ResultFile
    from .report.waveform import windows

    with ResultFile(path) as file:
        group = file.group(f"waveform_{window}" if window else min(windows(file)))
        into_s = after_s if window is None else float(group["time"][0]) + after_s
        return {} if group.start is None else {"start_time": (group.start + datetime.timedelta(seconds=into_s)).isoformat()}


def _network(result: Result | Path | None, options: dict[str, Any]) -> MachineAnswer:
    """A step, a trip or a result's waveform on a network of files."""
    import xarray

    with contextlib.nullcontext("") if result is None else _file_of(result) as path:
        figures, text, time_s, mean_Hz, frequency_Hz, units, voltage_pu = _core.play_network({**options, "result": path})
        moment = _moment(path, options["window"], options["begin_s"] + options["dispatch_s"]) if path else {}
    series = xarray.Dataset(
        {"frequency_Hz": (("time_s", "unit"), np.reshape(frequency_Hz, (len(time_s), len(units))),
                          {"units": "Hz", "long_name": "deviation of the machine from nominal"}),
         "mean_Hz": ("time_s", mean_Hz, {"units": "Hz", "long_name": "deviation of the centre of inertia from nominal"}),
         "voltage_pu": ("time_s", voltage_pu, {"units": "pu", "long_name": "voltage at the site's bus"})},
        {"time_s": ("time_s", time_s, {"units": "s", "long_name": "time since playing began"}), "unit": list(units)},
        moment,
    )  # fmt: skip
    return MachineAnswer(json.loads(figures), text, series)


def _one_machine(result: Result | Path | None, options: dict[str, Any]) -> MachineAnswer:
    """A step or a result's waveform on one machine that represents a system."""
    import xarray

    with contextlib.nullcontext("") if result is None else _file_of(result) as path:
        figures, text, deviation_Hz, reserve_W, shed_W = _core.play_frequency({**options, "result": path})
        moment = _moment(path, options["window"], 0.0) if path else {}
    series = xarray.Dataset(
        {"mean_Hz": ("time_s", deviation_Hz, {"units": "Hz", "long_name": "deviation from nominal"}),
         "reserve_W": ("time_s", reserve_W, {"units": "W", "long_name": "fast reserve"}),
         "shed_W": ("time_s", shed_W, {"units": "W", "long_name": "load that under-frequency stages have shed"})},
        {"time_s": ("time_s", 1e-3 * np.arange(1, len(deviation_Hz) + 1), {"units": "s", "long_name": "time since playing began"})},
        moment,
    )  # fmt: skip
    return MachineAnswer(json.loads(figures), text, series)
