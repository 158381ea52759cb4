"""Sizing: the cheapest mitigations that meet the site's rules, the most GPUs behind its connection, and the best power cap."""
from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Callable, Optional

from . import _core
from ._given import thread_count
from ._load import Path, Scenario, as_scenario

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


class Sizing:
    """Result of a search. Made by `tidewatt.size`."""

    def __init__(self, found: tuple[list[dict[str, Any]], list[dict[str, Any]], Any, int, int], path: str):
        self._best, self._front, cheapest, self.n_evaluation, self.n_fleet_run = found
        self.cheapest: Optional[Scenario] = Scenario(cheapest, path) if cheapest is not None else None
        """The scenario with the cheapest portfolio that passes, to be run as a whole; None if none does."""

    @property
    def best(self) -> pandas.DataFrame:
        """The best of each combination, cheapest that passes first, shape (n_combination, 22): `portfolio`, `passes`,
        `yearly_USD` (also at low and at high prices), `capital_USD`, `extra_W` (mean at the connection, compared with doing
        nothing) and `lost_throughput_frac` of the steady part of the run (the second half from `site.rules_from_s` on), `start_lost_s` and
        `start_extra_J` of one start beyond that, `starts_per_year`, `lost_tokens_per_year` and `extra_J_per_year` of both,
        `worst_margin_frac`, `worst_rule`, `peak_W` (largest millisecond at the connection), `charge_per_h` (change of the site store's
        charge per hour, as a fraction of its energy), `at_bound` (sizes of the site store at the edge of the search range),
        `store_wear_frac_per_year` (life used by cycles), `store_years` (its life), `steady_change_frac` (throughput of the steady part's
        second half over that of its first, minus 1; near 0 if steady), `toml` (the mitigations as a scenario's tables)."""
        return self._frame(self._best)

    @property
    def front(self) -> pandas.DataFrame:
        """Pareto front: portfolios that no other one beats in cost, extra power, lost throughput and margin together; columns as in
        `best`."""
        return self._frame(self._front)

    def plot(self, *, ax: Any = None) -> Axes:
        """Yearly cost of the best of each combination, from low to high prices; those that pass the rules in green.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None: a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes of the picture.
        """
        from ._study_plot import draw_sizing

        return draw_sizing(self, ax)

    def _frame(self, rows: list[dict[str, Any]]) -> pandas.DataFrame:
        import pandas

        return pandas.DataFrame(rows)

    def __repr__(self) -> str:
        first = f"{self._best[0]['portfolio']}, {self._best[0]['yearly_USD'] / 1e6:.2f} MUSD a year" if self.cheapest else "none passes"
        return f"<tidewatt.Sizing: {first}; {self.n_evaluation} simulations of the site, {self.n_fleet_run} of the fleet>"

    def _repr_html_(self) -> str:
        import pandas

        best = self.best
        shown = {
            "portfolio": best.portfolio,
            "": ["passes" if ok else "fails" for ok in best.passes],
            "million USD a year": [f"{a / 1e6:.2f}" for a in best.yearly_USD],
            "low to high prices": [f"{a / 1e6:.2f} … {b / 1e6:.2f}" for a, b in zip(best.yearly_USD_low_prices, best.yearly_USD_high_prices)],
            "extra MW": [f"{w / 1e6:.2f}" for w in best.extra_W],
            "lost throughput": [f"{100 * x:.2f} %" for x in best.lost_throughput_frac],
            "tightest rule": [f"{rule} by {100 * x:+.0f} %" for rule, x in zip(best.worst_rule, best.worst_margin_frac)],
        }
        return pandas.DataFrame(shown).to_html(index=False, col_space={"portfolio": 260})


def size(
    scenario: Scenario | Path,
    *,
    choices: str = "remedies",
    catalog: Path | None = None,
    evaluations: int = 24,
    margin_frac: float = 0.05,
    threads: int = 0,
    progress: Callable[[str, float], object] | None = None,
) -> Sizing:
    """Finds the cheapest portfolio of mitigations that meets the scenario's rules. As `tidewatt size`.

    It tries GPU smoothing, rack storage and a site store, alone and combined, and sizes each.

    Parameters
    ----------
    scenario : Scenario | Path
        A scenario with `site.rules`, and without storage or smoothing.
    choices : str, default 'remedies'
        Catalog entry of kind `portfolio`: mitigations that may be combined, and prices with their ranges.
    catalog : Path, optional
        A folder of catalog files that add to or replace the built-in ones.
    evaluations : int, default 24
        Simulations per site store, 4–1000.
    margin_frac : float, default 0.05
        Required margin to each limit, as a fraction of the limit, 0–1 (assumed).
    threads : int, default 0
        0: all cores.
    progress : Callable[[str, float], object], optional
        Called after every simulation with the portfolio's name and the relative margin of its worst rule; an exception from it stops the
        search.

    Raises
    ------
    InputError
        The scenario has no rules, or already has mitigations, or an entry is unknown.
    ValueError
        `evaluations` or `margin_frac` out of range.
    KeyboardInterrupt
        On Ctrl-C, within 0.2 s.

    Examples
    --------
    >>> sizing = tw.size(tw.load("my.toml", set={"site.rules": "power_stabilization_example"}))
    >>> sizing.best[["portfolio", "yearly_USD"]]
    >>> tw.run(sizing.cheapest).summary["compliance"]
    """
    scenario = as_scenario(scenario)
    if not 4 <= evaluations <= 1000:
        raise ValueError(f"evaluations must be 4 to 1000, not {evaluations}")
    if not 0 <= margin_frac <= 1:
        raise ValueError(f"margin_frac must be 0 to 1, not {margin_frac}")
    found = _core.size(scenario._core, choices, os.fspath(catalog) if catalog else "", evaluations, margin_frac, thread_count(threads), progress)
    return Sizing(found, scenario.path)


def most_gpus(
    scenario: Scenario | Path,
    *,
    contract_W: float = 0.0,
    breaker_frac: float = 0.8,
    cooling_unit_frac: float = 0.1,
    by_peak: bool = False,
    new_site: bool = False,
    threads: int = 0,
) -> dict[str, Any]:
    """The largest number of GPUs that the connection allows in its design hour, and the limit that binds. As `tidewatt size --for gpus`.

    Parameters
    ----------
    scenario : Scenario | Path
        It is run on the extreme day of its weather, unless `set` gives `weather.day`.
    contract_W : float, default 0.0
        Highest power at the connection, W, mean of the design hour; 0: not limited.
    breaker_frac : float, default 0.8
        Continuous load of the rows' breakers over the busway's rating, 0–1; 0: no breakers.
    cooling_unit_frac : float, default 0.1
        Fraction of a hall's fan walls or heat rejection that one unit has (assumed; chillers are counted), 0–1; 0: ignore cooling.
    by_peak : bool, default False
        Compare the largest 1 ms mean of the day with the contract instead of the mean of the design hour.
    new_site : bool, default False
        Build feeder and plant for the number found, so that only the contract and rules limit it. The scenario has one hall and one job on
        all its GPUs.
    threads : int, default 0
        0: all cores.

    Returns
    -------
    dict[str, Any]
        `n_gpu` in whole units of `unit_gpus` (servers, racks, scale-up domains and what the plan needs), `n_rack` (cabinets), `binds` (the limit that binds), `connection_W` (mean of the design hour),
        `peak_W` (largest millisecond of the day), `W_per_gpu`, `pue` and
        `hour` (of the design hour), `limits` (number of GPUs that each limit alone allows).

    Raises
    ------
    InputError
        No limit applies, or a new site has several halls or jobs.
    """
    extreme = as_scenario(scenario)
    if not any(item.startswith("weather.day=") for item in extreme._source.set):
        extreme = extreme.with_set({"weather.day": "extreme"})
    return _core.most_gpus(extreme._core, contract_W, breaker_frac, cooling_unit_frac, by_peak, new_site, thread_count(threads))


def best_cap(
    scenario: Scenario | Path, *, contract_W: float = 0.0, lowest_frac: float = 0.6, caps: int = 9, threads: int = 0
) -> dict[str, Any]:
    """The power cap that trains most behind a connection, and why it is not lower. As `tidewatt size --for cap`.

    The scenario runs once per cap. At every cap the connection holds another number of GPUs; each trains as in its run.

    Parameters
    ----------
    scenario : Scenario | Path
        A scenario that trains.
    contract_W : float, default 0.0
        Power of the site, W, mean of the run; 0: what the scenario draws without a cap.
    lowest_frac : float, default 0.6
        Lowest cap, as a fraction of the board limit, 0–1.
    caps : int, default 9
        Number of caps from the board limit down, at least 3.
    threads : int, default 0
        0: all cores.

    Returns
    -------
    dict[str, Any]
        `best_cap_W`, `n_gpu` and `n_rack` at it, `knee` (what holds it: `voltage_floor`, `boards`, `servers`, `connection`, or `none` at the
        lowest cap), `knee_text` (the same in words), `boundaries` (best cap and watts that do not follow the cap, counted at boards,
        servers and connection) and `caps`: one entry per cap with tokens per second, megawatts, tokens per joule and fleet.

    Raises
    ------
    InputError
        Less than three caps, a cap that the GPU's driver does not take or no clock keeps, or a contract below one scale-up domain.
    """
    return json.loads(_core.best_cap(as_scenario(scenario)._core, contract_W, lowest_frac, caps, thread_count(threads)))
