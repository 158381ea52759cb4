"""Replay: a server model driven with measured GPU watts."""
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from . import _core
from ._fit import _as_file
from ._load import Path, _absolute
from ._study import Answer

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


class Replay(Answer):
    """Predicted and measured temperatures, clocks and node watts. Made by `replay`; `series` has the temperatures."""

    def __init__(self, figures: dict[str, Any], text: str, series: pandas.DataFrame, hall_series: pandas.DataFrame | None = None):
        super().__init__(figures, text)
        self.series = series
        """A row per reading: time_s, gpu, power_W, measured_degC, predicted_degC."""
        self.hall_series = hall_series
        """A row per 10 s of the hall: time_s, it_W, plant_W, supply_degC, hot_aisle_degC, fan_frac, die_max_degC, liquid_degC; None without a plant."""

    @property
    def findings(self) -> list[str]:
        """Missing or contradictory data of the log, and assumptions made."""
        return list(self["findings"])

    def plot(self, *, gpu: str = "", ax: Any = None) -> Axes:
        """Measured and predicted die temperature of one GPU over time.

        Parameters
        ----------
        gpu : str, optional
            GPU to plot; empty: the first.
        ax : matplotlib.axes.Axes, optional
            Where to draw; None: a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes of the picture.

        Raises
        ------
        KeyError
            No such GPU.
        """
        from ._given import unknown
        from .report.style import BLACK, VERMILION, one_panel, painted

        names = list(dict.fromkeys(self.series.gpu))
        if gpu and gpu not in names:
            raise KeyError(unknown("GPU", gpu, names))
        of = gpu or names[0]
        rows = self.series[self.series.gpu == of]

        def paint(axes):
            axes = one_panel(axes, 9, 4.2, f"Die temperature of GPU {of}", "measured, and predicted from its power or clock")
            minutes = (rows.time_s - rows.time_s.iloc[0]) / 60
            axes.plot(minutes, rows.measured_degC, color=BLACK, label="measured", lw=0.8)
            axes.plot(minutes, rows.predicted_degC, color=VERMILION, label="predicted", lw=1.2)
            axes.set(xlabel="time since the log's first reading (min)", ylabel="die temperature (°C)", xlim=(0, minutes.iloc[-1]))
            axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=2, borderaxespad=0)
            return axes

        return painted(paint, ax)


def replay(
    log: Path | pandas.DataFrame,
    server: str,
    *,
    gpu: str = "h100_sxm_700W",
    catalog: Path | None = None,
    host: str = "",
    node_log: Path | None = None,
    inlet_degC: float | None = None,
    drive: str = "power",
    power_window_s: float = 1.0,
    cap_W: float | None = None,
    plant: str = "",
    n_server: int = 0,
    climate: str = "portland_or",
    weather: Path | None = None,
    altitude_m: float = 0.0,
    year: str = "typical",
    day: float = 201.0,
    hour: float = 12.0,
    seed: int = 1,
) -> Replay:
    """Drives a server model with measured GPU watts, activity or clocks and compares with the log. As `tidewatt replay`.

    The watts drive packages, both rows of air and fans, or cold plates; the server's own power follows. Clocks are predicted for the second
    half of the record, with the activity of its first half.

    Parameters
    ----------
    log : path or pandas.DataFrame
        Telemetry of the GPUs of one or more hosts: a file, or the table that a `read_…` function gives.
    server : str
        Catalog entry of kind server.
    gpu : str, default 'h100_sxm_700W'
        Catalog entry of kind gpu, e.g. one that `fit_gpu` made.
    catalog : path, optional
        A folder of catalog files that add to or replace the built-in ones.
    host : str, optional
        Host of the log; empty: the first.
    node_log : path, optional
        Measured node power: time, then watts.
    inlet_degC : float, optional
        Temperature of the air into the server, or of the liquid into its plates, °C, −20–60; None: the log's `inlet_degC`, or fitted to the
        mean die temperature.
    drive : str, default 'power'
        Quantity that drives the model: power, or activity or clock, from which the GPU model gives the watts.
    power_window_s : float, default 1
        Averaging window of each power reading, s, 0–30.
    cap_W : float, optional
        Power limit, W; None: the log's `limit_W`, or that of the GPU.
    plant : str, optional
        Catalog entry of the plant that cools the servers' hall; empty: no hall, only the servers are replayed.
    n_server : int, optional
        Number of servers in the hall, with those of the log; the others are drawn from these.
    climate : str, default 'portland_or'
        Catalog entry of kind climate.
    weather : path, optional
        An EPW or CSV file; replaces the climate.
    altitude_m : float, default 0
        Altitude, m, for a CSV file without pressures.
    year : str, default 'typical'
        Year of the climate: typical, hot or extreme.
    day : float, default 201
        Day of the year at which the log begins, 1–366.
    hour : float, default 12
        Hour of that day, local standard time, 0–24.
    seed : int, default 1
        Seed of drawn servers and of the climate's days.

    Returns
    -------
    Replay
        `temperature`, `memory`, `power` and `clock` (a row per GPU: means, bias, rms, worst), `node`, `findings`, `inlet_degC`, `fan_mean_frac`,
        and with a plant `hall` (megawatts, PUE, air, dies) and `inlet`.

    Raises
    ------
    InputError
        The log cannot be read or lacks the driving quantity, or server, GPU and plant do not fit together.
    """
    import io

    import pandas

    with _as_file(log) as path:
        given = {"gpu": gpu, "drive": drive, "catalog": _absolute(catalog), "host": host, "node_log": _absolute(node_log), "inlet_degC": inlet_degC,
                 "power_window_s": power_window_s, "cap_W": cap_W, "plant": plant, "n_server": n_server,
                 "climate": climate, "weather": _absolute(weather), "altitude_m": altitude_m, "year": year, "day": day, "hour": hour, "seed": seed}  # fmt: skip
        done = _core.replay(path, server, given)
    series = pandas.DataFrame({key: done[key] for key in ("time_s", "gpu", "power_W", "measured_degC", "predicted_degC")})
    hall = pandas.read_csv(io.StringIO(done["hall_csv"])) if done["hall_csv"] else None
    return Replay(json.loads(done["json"]), done["text"], series, hall)
