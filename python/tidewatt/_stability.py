"""Stability of a site's power supplies behind the network's impedance."""
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Mapping

from . import _core
from ._load import Path, _absolute
from ._study import Answer

if TYPE_CHECKING:
    import xarray


class StabilityAnswer(Answer):
    """Answer of `stability`. `series` has the simulated trace, `svg` the picture that the command writes."""

    def __init__(self, figures: Mapping[str, Any], text: str, svg: str, series: xarray.Dataset):
        super().__init__(figures, text)
        self.svg = svg
        """The map, or without one the trace, as SVG; empty where there is no operating point."""
        self.series = series
        """Power and voltage at the connection and energy of the links over time, after a dip of the source's voltage by 0.1 %."""

    def map(self) -> xarray.Dataset:
        """The onset over short-circuit ratio and loop gain.

        Returns
        -------
        xarray.Dataset
            `onset_W`, `frequency_Hz` (NaN if nothing oscillates) and `ends_by`, by `gain_ratio` and `short_circuit_ratio`.

        Raises
        ------
        ValueError
            `stability` was called without `map=True`.
        """
        import xarray

        if "map" not in self:
            raise ValueError("stability was called without map=True")
        cells = self["map"]
        gains = sorted({c["gain_ratio"] for c in cells})
        ratios = sorted({c["short_circuit_ratio"] for c in cells})
        rows = [cells[i * len(ratios) : (i + 1) * len(ratios)] for i in range(len(gains))]
        axes = ("gain_ratio", "short_circuit_ratio")
        nan = float("nan")
        return xarray.Dataset(
            {"onset_W": (axes, [[1e6 * c["onset"]["load_MW"] for c in row] for row in rows], {"units": "W", "long_name": "smallest load that is not stable"}),
             "frequency_Hz": (axes, [[nan if c["onset"]["frequency_Hz"] is None else c["onset"]["frequency_Hz"] for c in row] for row in rows],
                              {"units": "Hz", "long_name": "frequency at the onset"}),
             "ends_by": (axes, [[c["onset"]["ends_by"] for c in row] for row in rows])},
            {"gain_ratio": gains, "short_circuit_ratio": ratios},
        )  # fmt: skip


def stability(
    load_W: float,
    short_circuit_VA: float,
    *,
    rating_W: float = 0.0,
    x_over_r: float = 10.0,
    source_pu: float = 1.0,
    nominal_Hz: float = 60.0,
    control: str = "psu_single_phase",
    gain: float = 1.0,
    link_filter_s: float = 0.0,
    map: bool = False,
    scr_from: float = 1.5,
    scr_to: float = 20.0,
    gain_from: float = 0.5,
    gain_to: float = 4.0,
    points: int = 24,
    fit_stable_W: float = 0.0,
    fit_unstable_W: float = 0.0,
    fit_Hz: float = 0.0,
    fit_within_Hz: float = 1.0,
    catalog: Path | None = None,
) -> StabilityAnswer:
    """Finds the load from which a site's power supplies oscillate with the network. As `tidewatt stability`.

    Parameters
    ----------
    load_W : float
        Load of the supplies, W.
    short_circuit_VA : float
        Short-circuit power at the connection, VA.
    rating_W : float
        Rated power of the supplies, W; 0: the load.
    x_over_r, source_pu, nominal_Hz : float
        X/R of the connection, voltage behind the impedance (pu), frequency of the mains (Hz).
    control : str, default 'psu_single_phase'
        Catalog entry of kind supply_control.
    gain : float, default 1
        Loop gain relative to that of the control.
    link_filter_s : float
        Lag of the measured link energy, s; 0: as in the control.
    map : bool, default False
        Also compute the onset over short-circuit ratio and loop gain (`StabilityAnswer.map`).
    scr_from, scr_to, gain_from, gain_to : float
        Ends of the map's and the fit's ranges: short-circuit power over the rating, and loop gain.
    points : int, default 24
        Number of values of each axis of the map; half the number of loop gains that a fit tries.
    fit_stable_W, fit_unstable_W, fit_Hz, fit_within_Hz : float
        An observed event to fit: no oscillation at the first load, one of this frequency from the second on.
    catalog : path, optional
        A folder of catalog files that add to or replace the built-in ones.

    Returns
    -------
    StabilityAnswer
        Figures as of `tidewatt stability --json`: `stable`, `modes`, `onset`, `onset_simulated`, and `map` and `fit` if asked for.

    Raises
    ------
    InputError
        Unknown control, or an option out of range.

    Examples
    --------
    >>> site = tw.stability(320e6, 1600e6, rating_W=400e6, gain=3.0)
    >>> site["onset"]["load_MW"], site["onset"]["frequency_Hz"]
    """
    import xarray

    figures, text, svg, time_s, power_W, voltage_pu, link_ratio = _core.stability(
        dict(control=control, catalog=_absolute(catalog), load_W=load_W, rating_W=rating_W, short_circuit_VA=short_circuit_VA, x_over_r_ratio=x_over_r,
             source_pu=source_pu, nominal_Hz=nominal_Hz, gain_ratio=gain, link_filter_s=link_filter_s, map=map, ratio_from=scr_from, ratio_to=scr_to, gain_from=gain_from, gain_to=gain_to,
             points=int(points), fit_stable_W=fit_stable_W, fit_unstable_W=fit_unstable_W, fit_Hz=fit_Hz, fit_within_Hz=fit_within_Hz)
    )  # fmt: skip
    series = xarray.Dataset(
        {"power_W": ("time_s", power_W, {"units": "W", "long_name": "power at the connection"}),
         "voltage_pu": ("time_s", voltage_pu, {"units": "pu", "long_name": "voltage at the connection"}),
         "link_ratio": ("time_s", link_ratio, {"units": "1", "long_name": "energy of the supplies' links over the nominal one"})},
        {"time_s": ("time_s", time_s, {"units": "s", "long_name": "time since the dip began"})},
    )  # fmt: skip
    return StabilityAnswer(json.loads(figures), text, svg, series)
