"""The base case of the page: a scenario as one text, so that a file that is edited meanwhile does not move it."""
from __future__ import annotations

import os
from typing import Any, Mapping, NamedTuple

from .._load import Scenario, _assignments, _made, _Source, load

try:
    import tomllib
except ImportError:  # Python 3.9 and 3.10
    import tomli as tomllib


class Base(NamedTuple):
    """Plain values, so that it can be sent to the processes that run."""

    name: str
    text: str
    folder: str
    """Files that the scenario names lie below it."""

    def scenario(self, set: Mapping[str, Any]) -> Scenario:
        """The base with some keys changed: `set` as for `tidewatt.load`. @raises InputError: with every finding"""
        source = _Source(self.text, self.name, self.folder, tuple(_assignments(set)), "", "", ())
        return _made(source, self.name)


def read(path: str) -> Base:
    """The base case of a scenario file at `path`, or of the name of a shipped scenario. @raises InputError: with every finding"""
    scenario = load(path)
    name = os.path.splitext(os.path.basename(path))[0]
    return Base(name, scenario.toml, os.path.dirname(os.path.abspath(path)))


def tables(scenario: Scenario) -> dict[str, Any]:
    """The tables of a `scenario` with everything that it inherits and overrides."""
    return tomllib.loads(scenario.toml)
