"""Scenarios: reading, overriding, looking at."""
from __future__ import annotations

import datetime
import html
import json
import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Sequence, Union

from . import _core

if TYPE_CHECKING:
    import pandas

Path = Union[str, "os.PathLike[str]"]
Overrides = Union[Mapping[str, Any], Iterable[str]]


class Scenario:
    """A case that has been read, resolved against the catalog and checked. Made by `tidewatt.load`; never changes."""

    def __init__(self, core: _core.Scenario, path: str):
        self._core = core
        self.path = path
        """The file it was read from."""

    @property
    def text(self) -> str:
        """The TOML that was read and what it inherits, with the overrides and hashes of all other input files as comments."""
        return self._core.text

    @property
    def start(self) -> datetime.datetime:
        """When the simulated time begins, local standard time."""
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

    def with_plant(
        self, hall: str, plant: Callable[[dict[str, Any]], dict[str, float]], *, initial: Sequence[float] = ()
    ) -> Scenario:
        """The same case with a hall's cooling plant in Python.

            def plant(now):
                return {"supply_K": max(291.0, now["outdoor_wetbulb_K"] + 4), "electric_W": 0.03 * now["heat_W"]}

        @param hall: its name.
        @param plant: called once per macro step and hall with a dict: `t0_s`, `t1_s` (the step), `heat_W` (that the
            servers give to the air), `flow_m3_per_s` (that they pull), `outdoor_drybulb_K`, `outdoor_wetbulb_K`,
            `outdoor_pressure_Pa`, `powered` (False while the site is dark; `electric_W` then counts as 0), and `state`, an
            array that it may change: all that it remembers. Answers with a dict: `supply_K` (mean over the step), and if it
            likes `supply_end_K`, `electric_W` (mean), `water_kg` (of the step).
        @param initial: the state to begin with.
        @raises KeyError: no such hall.

        What the callable raises ends the run as SolverError. A run asks from a thread of its own, with the GIL.
        """
        names = [h["name"] for h in self.halls]
        if hall not in names:
            raise KeyError(f"no hall {hall!r}; there are {', '.join(names)}")
        what = f"{getattr(plant, '__module__', '')}.{getattr(plant, '__qualname__', type(plant).__name__)}"
        return Scenario(_core.with_plant(self._core, names.index(hall), plant, [float(x) for x in initial], what), self.path)

    @property
    def assumed(self) -> pandas.DataFrame:
        """Inputs that nobody has measured for this hardware, as far as the scenario has not overridden them.

        Columns `key` (path in the scenario, its last part names the unit), `value`, `low`, `high`, `source`.
        """
        import pandas

        return pandas.DataFrame(self._core.assumed, columns=["key", "value", "low", "high", "source"])

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
    path: Path,
    set: Overrides | None = None,
    *,
    weather: Path | None = None,
    catalog: Path | None = None,
    recordings: dict[str, Path] | None = None,
) -> Scenario:
    """Reads a scenario file (TOML), what it inherits from and the catalog entries it names, and checks everything.

    @param path: the scenario file.
    @param set: overrides, as `{"run.duration_h": 1}` (or nested: `{"run": {"duration_h": 1}}`), or as a list of
        "key=value" like the command line's `--set`. Keys carry their unit.
    @param weather: an EPW file; wins over the scenario's weather.
    @param catalog: a folder of catalog files that add to or replace the built-in ones.
    @param recordings: `{neighbour: file}`: recordings of replayed neighbours; they win over the scenario's `file`.
    @raises InputError: with every finding (place, key, message) in `.findings`.
    @raises RefusedError: too large to run.
    """
    core = _core.Scenario.load(
        os.fspath(path),
        _assignments(set),
        os.fspath(weather) if weather else "",
        os.fspath(catalog) if catalog else "",
        [f"{name}={os.fspath(file)}" for name, file in (recordings or {}).items()],
    )
    return Scenario(core, os.fspath(path))


def _assignments(overrides: Overrides | None) -> list[str]:
    if overrides is None:
        return []
    if isinstance(overrides, str):
        return [overrides]
    if not isinstance(overrides, Mapping):
        return [str(item) for item in overrides]
    return [f"{key}={_toml(value, key)}" for key, value in _leaves(overrides)]


def _leaves(tree: Mapping[str, Any], prefix: str = ""):
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _toml(value: Any, key: str) -> str:
    """A value as TOML text; text comes quoted, so that "1" stays text."""
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()  # a numpy scalar
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, datetime.datetime):
        return json.dumps(value.isoformat())
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(item, key) for item in value) + "]"
    raise TypeError(f"{key}: a scenario value is a number, a truth value, text or a list of those, not {type(value).__name__}")
