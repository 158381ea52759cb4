"""The waveform on a power system of several machines: their frequencies, and the voltage at the site's bus."""
from __future__ import annotations

import numpy as np

from . import findings
from .read import ResultFile
from .style import BLACK, GREY, ORANGE, VERMILION, panels, root, since_start


def series(result: ResultFile):
    """The series of a `result` on its grid case.

    Returns (end of each interval in s from the run's start, shape (n,); machines' deviation from nominal in mHz, shape
        (n, n_machine); numbers of their buses, shape (n_machine,); deviation at the site's bus in mHz and its voltage in
        pu, shapes (n,)).
    Raises Missing: no grid case in the file.
    """
    group = result.group("grid_case")
    return group["time"], 1e3 * group["machine_Hz"], group["machine"].astype(int), 1e3 * group["bus_Hz"], group["bus_pu"]


def most_moved(machine_mHz: np.ndarray) -> int:
    """Which column of `machine_mHz`, shape (n, n_machine), swings most from its lowest to its highest."""
    return int(np.argmax(np.ptp(machine_mHz, axis=0)))


def paint(result: ResultFile, axes=None):
    """Frequencies of the machines and voltage at the site's bus of a `result` with a grid case, into two `axes` or a new figure's."""
    t, machine_mHz, bus, site_mHz, site_pu = series(result)
    worst = most_moved(machine_mHz)
    drawn = panels(axes, 2, (10, 6.2), findings.grid_case(result), sharex=True, height_ratios=[2, 1])
    above, below = drawn
    for k in np.flatnonzero(np.arange(len(bus)) != worst):
        above.plot(t, machine_mHz[:, k], color=GREY, lw=0.7, alpha=0.6, label="other machines" if k == (worst == 0) else None)
    above.plot(t, machine_mHz[:, worst], color=VERMILION, lw=1.2, label=f"machine at bus {bus[worst]}")
    above.plot(t, site_mHz, color=BLACK, lw=1.2, label="the site's bus, over 100 ms")
    above.set_ylabel("frequency off nominal (mHz)")
    above.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=3, borderaxespad=0)
    below.plot(t, site_pu, color=ORANGE, lw=1)
    below.set(ylabel="voltage at the\nsite's bus (pu)", xlabel=since_start(result.group("grid_case").start, "s"), xlim=(t[0], t[-1]))
    below.ticklabel_format(axis="y", useOffset=False)
    if axes is None:
        above.figure.align_ylabels()
    return drawn


def draw(result: ResultFile):
    """The same as a separate figure, for a `result`."""
    return root(paint(result))
