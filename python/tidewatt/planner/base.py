"""The base case of the page: a scenario as one text, so that a file that is edited meanwhile does not move it."""
from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any, Mapping, NamedTuple

from .. import _core
from .._catalog import Catalog
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
        """The base with some keys changed: `set` as for `tidewatt.load`. Raises InputError: with every finding"""
        source = _Source(self.text, self.name, self.folder, tuple(_assignments(set)), "", "", ())
        return _made(source, self.name)

    def rule(self, key: str, name: str) -> str:
        """What `tidewatt.rules` takes for the rule set `name` of a request's `key`: a name of the catalog, or a file below the base case's
        folder. The answer says nothing about other files, not even whether they exist.

        Raises
        ------
        InputError
            Another name; the message is the same for every one.
        """
        if name in Catalog().names("rules"):
            return name
        root = Path(os.path.realpath(self.folder))
        with contextlib.suppress(OSError, ValueError):
            file = Path(os.path.realpath(root / name))
            if file.suffix == ".toml" and root in file.parents and file.is_file():
                return str(file)
        raise _core.InputError(f"{key}: no rule set of the catalog, and no .toml file below the base case's folder, has the name that was given")


def read(path: str) -> Base:
    """The base case of a scenario file at `path`, or of the name of a shipped scenario. Raises InputError: with every finding"""
    scenario = load(path)
    name = os.path.splitext(os.path.basename(path))[0]
    return Base(name, scenario.toml, os.path.dirname(os.path.abspath(path)))


def tables(scenario: Scenario) -> dict[str, Any]:
    """The tables of a `scenario` with everything that it inherits and overrides."""
    return tomllib.loads(scenario.toml)
