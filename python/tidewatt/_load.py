"""Scenarios: reading, overriding and inspecting them."""
from __future__ import annotations

import datetime
import html
import json
import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, NamedTuple, Optional, Sequence, Union

from . import _core
from ._given import unknown

if TYPE_CHECKING:
    import pandas

Path = Union[str, "os.PathLike[str]"]
Overrides = Union[Mapping[str, Any], Iterable[str]]
MOST_DEEP = 64  # as the reader of TOML files has it


class _Source(NamedTuple):
    """All that makes a scenario again, in this process or another: plain values, absolute paths."""

    text: Optional[str]
    """TOML text; None: it is read from `path`."""
    path: str
    folder: str
    set: tuple[str, ...]
    weather: str
    catalog: str
    recordings: tuple[str, ...]
    plants: tuple[tuple[str, Callable[[dict[str, Any]], dict[str, float]], tuple[float, ...]], ...] = ()


class Scenario:
    """A case that has been read, resolved against the catalog and checked.

    Made by `load`, `new` and the `with_…` methods. It is immutable. It can be copied, pickled and sent to other processes that have access
    to the same files.
    """

    def __init__(self, core: _core.Scenario, path: str, source: _Source | None = None):
        self._core = core
        self._source = source
        self.path = path
        """The file it was read from, or what stands for it."""

    @property
    def text(self) -> str:
        """The TOML text that was read and the scenarios that it inherits from, with overrides and hashes of all other input files as
        comments. To write a scenario that can be loaded again, use `save`."""
        return self._core.text

    @property
    def toml(self) -> str:
        """The scenario as one file, with all inherited keys and overrides. Weather files, recordings and catalog folders given to `load`
        are not part of it.

        Raises
        ------
        TypeError
            This scenario was not loaded from a file or text, or has a plant in Python.
        """
        text, name, folder, set, *_ = self._made_of()
        return _core.scenario_toml(text, name, folder, set)

    def _made_of(self) -> tuple[str, str, str, list[str], str, str, list[str]]:
        """Text, name, folder, overrides, weather, catalog and recordings. Raises TypeError: there is no text that makes it"""
        source = self._source
        if source is None or source.plants:
            raise TypeError("this scenario is not a file: it was not loaded from a file or text, or has a plant in Python")
        text = source.text if source.text is not None else _text_of(source.path, self.path)
        return text, self.path, source.folder, list(source.set), source.weather, source.catalog, list(source.recordings)

    def save(self, path: Path) -> None:
        """Writes `toml` as a file that `load` and the commands read; replaces an existing file.

        Parameters
        ----------
        path : path
            The file. Weather files and recordings of the scenario must be in its folder or below.

        Raises
        ------
        OutputError
            The file cannot be written.
        TypeError
            As `toml`.
        """
        from ._write import whole

        whole(path, self.toml)

    @property
    def start(self) -> datetime.datetime:
        """Begin of the simulated time, local standard time."""
        return datetime.datetime.fromisoformat(self._core.start)

    @property
    def duration_s(self) -> float:
        """Simulated time, s."""
        return self._core.duration_s

    @property
    def seed(self) -> int:
        """Seed of all random draws."""
        return self._core.seed

    @property
    def n_gpu(self) -> int:
        """GPUs in all halls."""
        return sum(hall["n_gpu"] for hall in self.halls)

    @property
    def halls(self) -> list[dict[str, Any]]:
        """One dict per hall: `name`, `n_gpu`, `plant` (kind of cooling plant), `cap_W`, `clock_lock_Hz` (limits per GPU)."""
        return self._core.halls

    @property
    def jobs(self) -> list[dict[str, Any]]:
        """One dict per job: `name`, `n_gpu`, `model`."""
        return self._core.jobs

    @property
    def notes(self) -> list[str]:
        """Keys that are valid but have no effect, one sentence each."""
        return list(self._core.notes)

    def with_set(self, set: Overrides | None = None, **keys: Any) -> Scenario:
        """A scenario with some keys changed. `load` has the same argument.

        Parameters
        ----------
        set : mapping or iterable of str, optional
            Overrides: `{"run.duration_h": 1}`, nested mappings, or "key=value" as for `--set`.
        **keys
            Nested overrides by section: `run={"duration_h": 1}`.

        Returns
        -------
        Scenario
            A new scenario; this one is unchanged.

        Raises
        ------
        InputError
            With every finding.
        TypeError
            This scenario was not made by `load`, for instance the one that `size` returns.
        """
        if self._source is None:
            raise TypeError("this scenario was not loaded from a file or text: load it, then change it")
        added = (*_assignments(set), *_assignments(keys or None))
        return _made(self._source._replace(set=(*self._source.set, *added)), self.path)

    def with_plant(
        self, hall: str, plant: Callable[[dict[str, Any]], dict[str, float]], *, initial: Sequence[float] = ()
    ) -> Scenario:
        """A scenario whose hall has a cooling plant written in Python.

        Parameters
        ----------
        hall : str
            Name of the hall.
        plant : callable
            Called once per macro step and hall with a dict: `t0_s`, `t1_s` (the step), `heat_W` (of the servers into the air),
            `flow_m3_per_s` (of the servers' fans), `outdoor_drybulb_K`, `outdoor_wetbulb_K`, `outdoor_pressure_Pa`,
            `powered` (False while the site has no power; `electric_W` then counts as 0), and `state`, its memory: an array that it may
            change. It returns a dict: `supply_K` (mean over the step), and optionally `supply_end_K`, `electric_W` (mean) and `water_kg`
            (of the step).
        initial : sequence of float, optional
            The initial state.

        Returns
        -------
        Scenario
            A new scenario; this one is unchanged.

        Raises
        ------
        KeyError
            Unknown hall.

        Notes
        -----
        An exception of the callable ends the run as `SolverError`. A run calls it from its own thread, with the GIL. To pickle the
        scenario, `plant` must be picklable: a function of a module, not a lambda.

        Examples
        --------
        >>> def plant(now):
        ...     return {"supply_K": max(291.0, now["outdoor_wetbulb_K"] + 4), "electric_W": 0.03 * now["heat_W"]}
        >>> own = scenario.with_plant("a", plant)
        """
        names = [h["name"] for h in self.halls]
        if hall not in names:
            raise KeyError(unknown("hall", hall, names))
        start = tuple(float(x) for x in initial)
        what = f"{getattr(plant, '__module__', '')}.{getattr(plant, '__qualname__', type(plant).__name__)}"
        core = _core.with_plant(self._core, names.index(hall), plant, list(start), what)
        source = self._source and self._source._replace(plants=(*self._source.plants, (hall, plant, start)))
        return Scenario(core, self.path, source)

    def __copy__(self) -> Scenario:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Scenario:
        return self

    def __reduce__(self):
        if self._source is None:
            raise TypeError("cannot pickle this scenario: it was not loaded from a file or text")
        return _unpickled, (self._source, self.path, self.text)

    @property
    def assumed(self) -> pandas.DataFrame:
        """Inputs without a published value for this hardware that the scenario does not override, with their ranges.

        Columns `key` (path in the scenario; ends with the unit), `value`, `low`, `high`, `source`, `words`. Where a key takes one word of
        a list, `value` is the word used, `low` and `high` are NaN, and `words` names those that are equally likely; else `words` is empty.
        """
        import pandas

        frame = pandas.DataFrame(self._core.assumed, columns=["key", "value", "low", "high", "source", "words"])
        return frame.astype({"low": float, "high": float})

    def _facts(self) -> list[tuple[str, str]]:
        facts = [("file", self.path), ("time", f"{self.duration_s / 3600:.4g} h from {self.start:%Y-%m-%d %H:%M:%S}")]
        facts += [(f"hall {h['name']}", f"{h['n_gpu']:,} GPUs, plant {h['plant']}") for h in self.halls]
        facts += [(f"job {j['name']}", f"{j['model']} on {j['n_gpu']:,} GPUs") for j in self.jobs]
        return facts + [("seed", str(self.seed)), ("assumed inputs", f"{len(self._core.assumed)}, see .assumed")]

    def __repr__(self) -> str:
        return "\n".join(["<tidewatt.Scenario>", *(f"  {name:<15} {text}" for name, text in self._facts())])

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(v)}</td></tr>" for k, v in self._facts())
        text = html.escape(self.text)
        return (
            f"<table><caption>tidewatt.Scenario</caption>{rows}</table>"
            f"<details><summary>TOML</summary><pre>{text}</pre></details>"
        )


def load(
    path: Path | Mapping[str, Any],
    set: Overrides | None = None,
    *,
    weather: Path | None = None,
    catalog: Path | None = None,
    recordings: Mapping[str, Path] | None = None,
) -> Scenario:
    """Reads a scenario, the scenarios it inherits from and its catalog entries, and checks everything.

    Parameters
    ----------
    path : path, str or mapping
        A scenario file; the name of a shipped scenario; TOML text (a str with a line break); or the same tables as a mapping.
        Relative paths in text or a mapping start at the current folder.
    set : mapping or iterable of str, optional
        Overrides: `{"run.duration_h": 1}`, nested mappings, or a list of "key=value" as for the command line's `--set`.
        Every key ends with its unit.
    weather : path, optional
        An EPW or CSV file; replaces the scenario's weather, its day included: the air is that of run.start's date unless `set` gives `weather.day`.
    catalog : path, optional
        A folder of catalog files that add to or replace the built-in ones.
    recordings : mapping, optional
        `{neighbour: file}`: recordings of replayed neighbours; they replace the scenario's `file`.

    Returns
    -------
    Scenario
        Checked and ready to run.

    Raises
    ------
    InputError
        With every finding (place, key, message) in ``.findings``.
    RefusedError
        The scenario is too large for this machine.

    Examples
    --------
    >>> scenario = tw.load("llama3_405b_day", set={"run.duration_h": 1})
    >>> scenario.n_gpu
    16384
    """
    options = (
        tuple(_assignments(set)),
        _absolute(weather),
        _absolute(catalog),
        tuple(f"{name}={_absolute(file)}" for name, file in (recordings or {}).items()),
    )
    if isinstance(path, Mapping):
        return _made(_Source(_document(path), "(a mapping)", os.getcwd(), *options), "(a mapping)")
    if isinstance(path, str) and "\n" in path:
        return _made(_Source(path, "(text)", os.getcwd(), *options), "(text)")
    path = os.fspath(path)
    return _made(_Source(None, path, os.path.dirname(os.path.abspath(path)), *options), path)


def _made(source: _Source, path: str) -> Scenario:
    options = (list(source.set), source.weather, source.catalog, list(source.recordings))
    if source.text is None:
        core = _core.Scenario.load(source.path, *options)
        # Another process may have another current folder; the name of a shipped scenario is the same everywhere.
        if os.path.exists(source.path):
            source = source._replace(path=os.path.abspath(source.path))
    else:
        core = _core.Scenario.from_text(source.text, source.path, source.folder, *options)
    scenario = Scenario(core, path, source._replace(plants=()))
    for hall, plant, initial in source.plants:
        scenario = scenario.with_plant(hall, plant, initial=initial)
    return scenario


def _unpickled(source: _Source, path: str, text: str) -> Scenario:
    scenario = _made(source, path)
    if scenario.text != text:
        raise _core.InputError(f"{path}: the file, or one that it inherits, is not what it was when the scenario was pickled")
    return scenario


def _text_of(path: str, name: str) -> str:
    """The text of a scenario file; where there is none, that of the shipped scenario of this name."""
    if not os.path.exists(path):
        shipped = _core.shipped_scenario(name)
        if shipped is not None:
            return shipped
    with open(path, encoding="utf-8") as file:
        return file.read()


def _absolute(path: Path | None) -> str:
    return os.path.abspath(os.fspath(path)) if path else ""


def _document(tables: Mapping[str, Any]) -> str:
    """Nested mappings as TOML text: every value after its whole path, lists of tables inline."""
    return "".join(f"{key} = {_toml(value, key)}\n" for key, value in _leaves(tables))


def _assignments(overrides: Overrides | None) -> list[str]:
    if overrides is None:
        return []
    if isinstance(overrides, str):
        return [overrides]
    if not isinstance(overrides, Mapping):
        return [str(item) for item in overrides]
    return [f"{key}={_toml(value, key)}" for key, value in _leaves(overrides)]


def _leaves(tree: Mapping[str, Any], prefix: str = "", deep: int = 0):
    _not_too_deep(prefix, deep)
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{key}.", deep + 1)
        else:
            yield prefix + key, value


def _not_too_deep(key: str, deep: int) -> None:
    """Raises InputError: the value of `key` is nested more than `MOST_DEEP` deep, as a TOML file may not be either"""
    if deep > MOST_DEEP:
        raise _core.InputError(f"{key[:60]}: lists and tables are nested more than {MOST_DEEP} deep")


def _toml(value: Any, key: str, deep: int = 0) -> str:
    """A value as TOML text; text comes quoted, so that "1" stays text. Raises InputError: it is nested too deeply"""
    _not_too_deep(key, deep)
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()  # a numpy scalar
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, datetime.datetime):
        return json.dumps(value.isoformat())
    if isinstance(value, datetime.date):
        return json.dumps(f"{value.isoformat()}T00:00:00")
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False)
    if hasattr(value, "tolist"):
        value = value.tolist()  # a numpy array or a pandas column
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(item, key, deep + 1) for item in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{k} = {_toml(v, f'{key}.{k}')}" for k, v in value.items()) + "}"
    raise TypeError(f"{key}: a scenario value is a number, a truth value, text or a list of those, not {type(value).__name__}")


def as_scenario(scenario: Scenario | Path) -> Scenario:
    """The `scenario`, or that of its file or name."""
    return scenario if isinstance(scenario, Scenario) else load(scenario)
