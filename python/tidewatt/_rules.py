"""Rules of utilities for large loads, ride-through, and the check of files."""
from __future__ import annotations

import contextlib
import json
import math
import os
import warnings
from typing import TYPE_CHECKING, Iterable, Sequence

from . import _core
from ._load import Path, Scenario, _absolute, as_scenario
from ._study import Answer, _file_of
from ._write import whole

if TYPE_CHECKING:
    import pandas

    from ._result import Result


def rules(
    name: str | Path | None = None,
    result: Result | Path | None = None,
    *,
    window: str = "",
    site_W: float = 0.0,
    connection_V: float = 0.0,
    as_if: bool = False,
    catalog: Path | None = None,
) -> pandas.DataFrame | Answer:
    """Rules of utilities for large loads: lists all, shows one, or checks a recorded window. As `tidewatt rules`.

    Parameters
    ----------
    name : str or path, optional
        A name in the catalog, or your own file. None: lists all.
    result : Result or path, optional
        Result whose recorded window is checked. None: shows the rule.
    window : str, default ''
        Name of the recorded window; empty: the first.
    site_W : float, default 0
        Peak power of the site, W; 0: the largest of the window.
    connection_V : float, default 0
        Nominal voltage at the connection, V, for thresholds that depend on it; 0: not stated.
    as_if : bool, default False
        Judge even if the rule does not apply.
    catalog : path, optional
        A folder of catalog files that add to or replace the built-in ones.

    Returns
    -------
    pandas.DataFrame or Answer
        The list: `name`, `title`, `status`, `date`, `binding`, `jurisdiction`. One rule: its bands and limits. A check: `verdict`
        and one row per rule in `rules`.

    Raises
    ------
    InputError
        Unknown rule or window, or a file with errors; the message names the nearest.

    Examples
    --------
    >>> tw.rules().query("binding").name.tolist()
    >>> print(tw.rules("lipa", result, as_if=True))
    """
    overlay = _absolute(catalog)
    if name is None:
        import pandas

        return pandas.DataFrame(json.loads(_core.list_rules(overlay)[0]))
    if result is None:
        figures, text = _core.show_rules(os.fspath(name), overlay)
    else:
        with _file_of(result) as path:
            figures, text = _core.check_rules(os.fspath(name), path, window, site_W, connection_V, as_if, overlay)
    return Answer(json.loads(figures), text)


def ride(
    scenario: Scenario | Path,
    rule: str | Path,
    *,
    as_if: bool = False,
    sag: Path | None = None,
    channel: str = "",
    voltage_pu: float = 1.0,
    duration_s: float = 0.0,
    repeat: int = 1,
    every_s: float = 0.0,
    instant_s: float = 0.0,
    phases: int = 3,
    transformer: str = "",
    current_limit_pu: float = math.inf,
    settings: str = "",
    plot: Path | None = None,
    connection_V: float = 0.0,
    catalog: Path | None = None,
) -> Answer:
    """Checks whether the site rides through the sags of a rule: a verdict per band, and the setting to change. As `tidewatt ride`.

    Parameters
    ----------
    scenario : Scenario or path
        The site.
    rule : str or path
        A name in the catalog (see `rules`), or your own file.
    as_if : bool, default False
        Judge even if the rule does not apply to the site.
    sag : path, optional
        Measured voltage to apply: COMTRADE .cfg or .cff.
    channel : str, default ''
        Name or number of the record's one channel to judge; empty: every voltage.
    voltage_pu, duration_s : float
        Your own sag: remaining voltage, pu, and duration, s; 0 s: none.
    repeat : int, default 1
        Number of such sags.
    every_s : float, default 0
        Time from the begin of one sag to the begin of the next, s; above `duration_s`.
    instant_s : float, default 0
        Begin of the first sag within an iteration of the largest job, s, 0 to less than the iteration.
    phases : int, default 3
        Number of faulted phases of this sag, 1–3.
    transformer : {'', 'wye_wye', 'delta_wye'}
        Transformer between connection and load; with it, bands are also judged in sags of 1 and 2 phases.
    current_limit_pu : float, default inf
        Largest input current of the supplies over that at nominal voltage; infinite: constant power.
    settings : str, default ''
        Settings of the load: an entry of kind load_settings or a file; empty: those of the scenario.
    plot : path, optional
        SVG file to write: the rule's curve with the site's points.
    connection_V : float, default 0
        Nominal voltage at the connection, V, for thresholds that depend on it; 0: not stated.
    catalog : path, optional
        A folder of catalog files that add to or replace the built-in ones.

    Returns
    -------
    Answer
        `verdict`, `items` (staying connected, current, recovery, …), `voltage` and `frequency` (one row per band), and `point` and `record`
        if asked for. `point["job"]` has the servers' power before and after the sag.

    Raises
    ------
    InputError
        Unknown rule, a rule without a ride-through part, or a record that cannot be read.

    Examples
    --------
    >>> answer = tw.ride(scenario, "ercot_nogrr282", as_if=True)
    >>> answer["verdict"], answer.table("items")
    """
    site = as_scenario(scenario)
    options = dict(rule=os.fspath(rule), catalog=_absolute(catalog), sag=_absolute(sag), channel=channel, current_limit_pu=current_limit_pu,
                   connection_V=connection_V, voltage_pu=voltage_pu, duration_s=duration_s, as_if=as_if, settings=settings, phases=phases,
                   transformer=transformer, repeat=repeat, every_s=every_s, instant_s=instant_s)  # fmt: skip
    figures, text, svg = _core.ride(site._core, site.path, options)
    if plot is not None and svg:
        whole(plot, svg)
    return Answer(json.loads(figures), text)


def orders(
    scenario: Scenario | Path,
    result: Result | Path,
    *,
    order: str = "",
    settlement_s: Sequence[float] = (300.0, 900.0),
    baseline_s: float = 3600.0,
    rebound_s: float = 3600.0,
) -> Answer:
    """Checks whether a run met the utility's orders to reduce load. As `tidewatt orders`.

    Parameters
    ----------
    scenario : Scenario or path
        The site with its orders (events of kind curtailment).
    result : Result or path
        A run of it.
    order : str, default ''
        Name of one order; empty: all.
    settlement_s : sequence of float
        Lengths of the settlement intervals, s.
    baseline_s : float, default 3600
        The baseline is the mean load over this time before an order's notice, s.
    rebound_s : float, default 3600
        Time after an order in which the load is compared with the baseline, s.

    Returns
    -------
    Answer
        `orders`: one row each with asked and given reduction, settlements, response time, rebound and `short_MW`, the largest
        settlement mean above the limit (0: met). `jobs`: one row per order and job with `tier` and `may` (None: none stated), mean before
        (MW), reduction within the order (%), energy (MWh) and tokens given up until the job trains as before, and the times since the
        start of the run (s, None: not so) at which it was capped, at its lowest cap, told to pause, stopped and released; `back_s` counts
        from the order's end.

    Raises
    ------
    InputError
        The scenario has no order, or the result ends before it.

    Examples
    --------
    >>> tw.orders("curtailment_cap", result).table("orders")
    >>> tw.orders("curtailment_tiers", tw.run(tw.load("curtailment_tiers"))).table("jobs")
    """
    site = as_scenario(scenario)
    options = dict(order=order, settlement_s=[float(s) for s in settlement_s], baseline_s=baseline_s, rebound_s=rebound_s)
    with _file_of(result) as path:
        figures, text = _core.orders(site._core, site.path, path, options)
    return Answer(json.loads(figures), text)


def filing(
    scenario: Scenario | Path,
    rule: str | Path,
    out: Path,
    results: Iterable[Result | Path] = (),
    *,
    window: str = "",
    settings: str = "",
    current_limit_pu: float = float("inf"),
    transformer: str = "",
    bus: int = 1,
    as_if: bool = False,
    catalog: Path | None = None,
) -> Answer:
    """Writes a folder to file with a utility: report, data sheet, verdicts, model records with tests, playback files. As `tidewatt file`.

    Parameters
    ----------
    scenario : Scenario or path
        The site.
    rule : str or path
        Rule set to file for: a name in the catalog (see `rules`), or your own file.
    out : path
        Folder; made if it is absent.
    results : iterable of Result or path, optional
        Results of the scenario. Without one, figures of a run are listed as open.
    window : str, default ''
        Recorded window of the results; empty: the first.
    settings : str, default ''
        Settings of the load: an entry of kind load_settings or a file; empty: those of the scenario.
    current_limit_pu : float, default inf
        Largest input current of the supplies over that at nominal voltage; inf: as in the settings, else constant power.
    transformer : {'', 'wye_wye', 'delta_wye'}
        Transformer between connection and load; with it, bands are also judged in sags of 1 and 2 phases.
    bus : int, default 1
        Number of the load's bus in the model records.
    as_if : bool, default False
        Judge even if the rule does not apply to the site.
    catalog : path, optional
        A folder of catalog files that add to or replace the built-in ones.

    Returns
    -------
    Answer
        `ride` (the verdict), `open` (items without a value), `sheet` (one row per field) and `files` (names in the folder).

    Raises
    ------
    InputError
        Unknown rule, or a result without the window.
    OutputError
        A file could not be written.

    Examples
    --------
    >>> tw.filing(scenario, "ercot_nogrr282", "filing", [result], as_if=True)["open"]
    """
    site = as_scenario(scenario)
    with contextlib.ExitStack() as stack:
        paths = [stack.enter_context(_file_of(r)) for r in results]
        options = dict(file=site.path or "scenario.toml", results=paths, window=window, settings=settings, current_limit_pu=current_limit_pu, bus=bus, as_if=as_if,
                       transformer=transformer, catalog=_absolute(catalog))  # fmt: skip
        ride, open_items, sheet, files, warned = _core.filing(site._core, os.fspath(rule), os.fspath(out), options)
    for warning in warned:
        warnings.warn(warning, stacklevel=2)
    text = "\n".join([f"ride-through: {ride}", f"{len(open_items)} open items:", *(f"  {item}" for item in open_items)])
    return Answer({"ride": ride, "open": open_items, "sheet": sheet, "files": files}, text)


def verify(path: Path) -> str:
    """Checks that a result, a checkpoint or a case file of a sweep has the bits that tidewatt wrote. As `tidewatt verify`.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    str
        Type of the file: "result", "checkpoint" or "case of a sweep".

    Raises
    ------
    CorruptFileError
        The file does not have the bits that tidewatt wrote.
    InputError
        The file cannot be read.
    """
    return _core.verify(os.fspath(path))
