"""Studies: causes of a throughput swing, a plant alone, validation, benchmarks."""
from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Sequence

from . import _core
from ._chance import headline_ends
from ._given import thread_count
from ._load import Path, Scenario, _absolute, as_scenario

if TYPE_CHECKING:
    import pandas

    from ._result import Result


class Answer(Mapping[str, Any]):
    """Figures of a study by name, as its command prints them with `--json`; `print` shows its text."""

    def __init__(self, figures: Mapping[str, Any], text: str):
        self._figures = dict(figures)
        self.text = text
        """For people, as the command prints it."""

    def __getitem__(self, key: str) -> Any:
        from ._given import unknown

        if key not in self._figures:
            raise KeyError(unknown("figure", key, self._figures))
        return self._figures[key]

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._figures)

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<tidewatt.{type(self).__name__}: {', '.join(self)}>"

    def table(self, key: str) -> pandas.DataFrame:
        """A list of rows as a table.

        Parameters
        ----------
        key : str
            A figure that is a list, such as "months" of `plant` or "causes" of `explain`.

        Returns
        -------
        pandas.DataFrame
            One row per item; empty if the study has none.

        Raises
        ------
        KeyError
            Unknown figure.
        """
        import pandas

        return pandas.DataFrame(self[key])


def explain(
    scenario: Scenario | Path | None = None,
    result: Result | None = None,
    *,
    fleets: int = 10,
    threads: int = 0,
    progress: Callable[[str], object] | None = None,
) -> Answer:
    """Why throughput changes over a run, and what would help. As `tidewatt run --explain swing`.

    The run is repeated without each cause in the chain from weather to tokens, and with each change that an operator can make. The swing
    depends on the drawn fleet, so this is done with several fleets. Runs that are compared have the same fleet.

    Parameters
    ----------
    scenario : Scenario or path, optional
        Scenario of the run. None: that of `result`.
    result : Result, optional
        Its result, as returned by `run`. None, or a result read from a file: the scenario is run first.
    fleets : int, default 10
        Drawn fleets to average over, 1 to 64, the run's own among them. 1: the run's own alone, without standard errors.
    threads : int, default 0
        0: all cores.
    progress : callable, optional
        Called with the name of each run before it begins; an exception from it stops the study.

    Returns
    -------
    Answer
        Of this run: `swing_percent`, `min_hours`, `hottest`, `slowest`. Means over the fleets: `swing_over_fleets_percent`, `causes`,
        `levers`; each figure K of them is followed by its standard error, `K_se`. And `n_fleet`, `notes`.

    Raises
    ------
    InputError
        The run has fewer than two hours with 15 iterating minutes, or `fleets` is out of its range.
    TypeError
        Neither a scenario nor a result of `run`.

    Examples
    --------
    >>> why = tw.explain("llama3_405b_day")
    >>> why.table("causes")[["name", "adds_points", "adds_points_se"]]
    """
    scenario, core = _run_of(scenario, result, threads)
    figures, text = _core.explain(scenario._core, core, thread_count(threads), fleets, progress)
    return Answer(json.loads(figures), text)


def interval(
    scenario: Scenario | Path | None = None,
    result: Result | None = None,
    *,
    draws: int = 32,
    progress: Callable[[], object] | None = None,
) -> Answer:
    """Where the headlines of a run lie, as `tidewatt run` prints them: their medians and 90 % intervals over other fleets, instants of
    events, inputs and days.

    Parameters
    ----------
    scenario : Scenario or path, optional
        Scenario of the run. None: that of `result`.
    result : Result, optional
        Its result, as returned by `run`. None, or a result read from a file: the scenario is run first.
    draws : int, default 32
        Runs with all assumed inputs drawn, 2 to 4096.
    progress : callable, optional
        Called every 50 ms; an exception from it stops the replays.

    Returns
    -------
    Answer
        `K_p05`, `K_p50` and `K_p95` of each headline K, in its unit; `K_event_p50` and `K_event_max` where events set K; `n_draw`, `n_gpu`,
        `replayed_h`, `cpu_s`, `monte_carlo_error`, `parts` (fleet, instant, inputs, weather, model), and `notes`.

    Raises
    ------
    TypeError
        Neither a scenario nor a result of `run`.
    ValueError
        `draws` is outside its range.

    Examples
    --------
    >>> band = tw.interval("llama3_405b_day")
    >>> band["throughput_swing_percent_p05"], band["throughput_swing_percent_p95"]
    """
    chance = chance_of(scenario, result, draws, progress)
    return Answer({**headline_ends(chance), **chance["interval"]}, chance["text"])


def chance_of(scenario: Scenario | Path | None, result: Result | None, draws: int, progress: Callable[[], object] | None) -> dict[str, Any]:
    """The chance of a run's headlines as `tidewatt run` leaves it beside the result's file.

    Parameters
    ----------
    scenario, result, draws, progress
        As of `interval`.

    Raises
    ------
    TypeError, ValueError
        As of `interval`.
    """
    if not 2 <= draws <= 4096:
        raise ValueError(f"draws: {draws} is outside 2 to 4096")
    scenario, core = _run_of(scenario, result, 0)
    overlay = scenario._source.catalog if scenario._source is not None else ""
    return json.loads(_core.interval(scenario._core, core, int(draws), overlay, progress))


def _run_of(scenario: Scenario | Path | None, result: Result | None, threads: int) -> tuple[Scenario, _core.RunResult]:
    """A scenario and its finished run, from either; it is run where there is none."""
    if scenario is None:
        scenario = getattr(result, "_scenario", None)
    if scenario is None:
        raise TypeError("this result does not know its scenario, because it was read from a file: pass the scenario as well")
    scenario = as_scenario(scenario)
    core = getattr(result._source, "_core", None) if result is not None else None
    if not isinstance(core, _core.RunResult):  # none, or read from a file: the study needs what only a run has
        core = _core.run(scenario._core, thread_count(threads), None, False)
    return scenario, core


def plant(
    name: str,
    *,
    climate: str = "portland_or",
    year: str = "typical",
    weather: Path | None = None,
    it_W: float = 10e6,
    load_frac: float = 0.8,
    days: float = 365.0,
    step_s: float = 600.0,
    seed: int = 1,
    catalog: Path | None = None,
    altitude_m: float = 0.0,
) -> Answer:
    """Simulates a cooling plant alone under a year's weather: PUE, water and margin by month. As `tidewatt plant`.

    Parameters
    ----------
    name : str
        Catalog entry of kind plant.
    climate : str, default 'portland_or'
        Catalog entry of kind climate.
    year : {'typical', 'hot', 'extreme'}
        Of the climate.
    weather : path, optional
        An EPW or CSV file; replaces the climate.
    it_W : float, default 10e6
        IT heat for which the plant is sized, W.
    load_frac : float, default 0.8
        Fraction of this IT heat that runs, 0.01–1.
    days : float, default 365
        Number of days from 1 January on, 0.01–366.
    step_s : float, default 600
        Time step, s, 1–3600.
    seed : int, default 1
        Seed of the climate's days.
    catalog : path, optional
        A folder of catalog files that add to or replace the built-in ones.
    altitude_m : float, default 0
        Altitude, m, for a CSV file without pressures, −500–9,000.

    Returns
    -------
    Answer
        `year` (`pue`, `water_L_per_kWh`, …), `months` (the same by month), `energy_closure`.

    Raises
    ------
    InputError
        Unknown entry, a plant without machines, or an option out of range.

    Examples
    --------
    >>> year = tw.plant("crah_chilled_water", climate="chicago_il", days=31)
    >>> year["year"]["pue"] > 1
    True
    """
    figures, text = _core.plant(name, climate, _absolute(weather), year, _absolute(catalog), it_W, load_frac, days, step_s, seed, altitude_m)
    return Answer(json.loads(figures), text)


def validate(
    groups: str | Sequence[str] = (), *, data: Path = "../shared/data", leave_one_out: bool = False, catalog: Path | None = None, mutation: bool = False,
    share: float = 1.0, log: Path | None = None, server: str = "", gpu: str = "", host: str = "", node_log: Path | None = None, power_window_s: float = 1.0,
) -> pandas.DataFrame:  # fmt: skip
    """Compares the models with published results. As `tidewatt validate`.

    Parameters
    ----------
    groups : str or sequence of str, optional
        workload, power, chips, thermal, diurnal, plant, grid, racks; all when none is named.
    data : path
        Folder of measurement files; rows whose files are absent are skipped.
    leave_one_out : bool, default False
        Return each training row's error with the matrix efficiency set by the other rows of its device.
    catalog : path, optional
        Folder of catalog files that add to or replace the built-in ones.
    mutation : bool, default False
        Return how each passing row reacts when its main parameter changes; takes minutes.
    share : float
        With `mutation`: share of the computations, 0 to 1.
    log : path, optional
        Hold this telemetry to the model instead: time, gpu, power, temperature, clock. Its mean error per quantity and GPU is returned;
        `.attrs` has `drive`, `window_s`, `sampling_s`, `span_s` and `findings`.
    server, gpu : str
        With `log`: catalog entries; the GPU is the H100 if none is named.
    host : str
        With `log`: which host of it; the first if none is named.
    node_log : path, optional
        With `log`: measured node power, time and watts.
    power_window_s : float
        With `log`: averaging window of each power reading, 0 to 30 s.

    Returns
    -------
    pandas.DataFrame
        One row per published value: `id`, `what`, `unit`, `expected`, `got`, `error`, `tolerance`, `tolerance_unit`, `pass`,
        `verdict`, `kind` (what the row can show about the world), `source`, `area`, `device`, `note`; of blind rows `first_error` and
        `first_commit` from the ledger, and the 90 % band `p05`, `p95`; of failing rows `mend`, what it would take. The counts of the
        headline are in `.attrs["blind"]`.

    Raises
    ------
    InputError
        Unknown group; the message names the nearest and lists all.
    """
    import pandas

    if leave_one_out:
        return pandas.DataFrame(_core.leave_one_out())
    names = [groups] if isinstance(groups, str) else list(groups)
    if log is not None:
        answer = json.loads(_core.own_log(_absolute(log), server, gpu, _absolute(catalog), host, _absolute(node_log), power_window_s))
        rows = pandas.DataFrame(answer.pop("rows"))
        rows.attrs.update(answer)
        return rows
    if mutation:
        return pandas.DataFrame(json.loads(_core.mutate_rows(names, os.fspath(data), _absolute(catalog), share))["rows"])
    answer = json.loads(_core.validate_rows(names, os.fspath(data), _absolute(catalog)))
    rows = pandas.DataFrame(answer["rows"])
    rows.attrs["blind"] = answer["blind"]
    return rows


def bench(*, quick: bool = True, grid_only: bool = False, scenarios: Path = "scenarios", threads: int = 0) -> pandas.DataFrame:
    """Measures the engine's speed on this machine. As `tidewatt bench`.

    Parameters
    ----------
    quick : bool, default True
        Take seconds instead of minutes: fewer GPUs, no whole runs.
    grid_only : bool, default False
        Measure only the processing of a site's waveform.
    scenarios : path
        Folder of the scenario files.
    threads : int, default 0
        Threads of the measurements on all cores; 0: all cores.

    Returns
    -------
    pandas.DataFrame
        Columns `key`, `value`, `how`.
    """
    import pandas
    return pandas.DataFrame(_core.bench(quick, grid_only, os.fspath(scenarios), thread_count(threads)))


def _file_of(result: Result | Path) -> contextlib.AbstractContextManager[str]:
    """A result's file, or the file of that name."""
    return result._source.file() if hasattr(result, "_source") else contextlib.nullcontext(os.fspath(result))


def schema(word: str | None = None) -> dict[str, Any] | str:
    """The scenario format. As `tidewatt schema`.

    Parameters
    ----------
    word : str, optional
        None: the JSON Schema (draft 7), which editors use. A word: the keys whose path contains it, as text with unit, range and default;
        an empty word: all keys.

    Returns
    -------
    dict or str
        The schema, or the text.

    Raises
    ------
    KeyError
        No key contains `word`.

    Examples
    --------
    >>> tw.schema()["type"]
    'object'
    >>> print(tw.schema("cap_W"))
    """
    if word is None:
        return json.loads(_core.scenario_schema())
    text = _core.scenario_keys(word)
    if not text:
        raise KeyError(f"no scenario key contains {word!r}; schema('') lists all")
    return text
