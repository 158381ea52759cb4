"""Files that the page writes: a scenario, its report, a filing pack. All are below the folder of `--out`."""
from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

from .. import _core, report
from .._load import Scenario
from .._result import Result
from .._rules import filing
from .base import Base, tables

KINDS = ("scenario", "report", "filing")
MOST_OF_A_NAME = 100
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def write(base: Base, scenario: Scenario, result: Result | None, what: str, folder: str, name: str, rule: str, contract_MW: float | None,
          held: list[dict[str, Any]]) -> dict[str, Any]:  # fmt: skip
    """Writes the requested files into the folder `name` below `folder`.

    Parameters
    ----------
    base, scenario, result
        The base case, the variant of it, and its run (not needed for a scenario alone).
    what : str
        One of `KINDS`; the last two also write those before them.
    folder, name, rule : str
        Where (the name gets a number where another setting has it), and for a filing pack whom it is for.
    contract_MW, held
        A contract on the hottest hour or None, and verdicts of rules on the recorded window; a report has both.

    Raises
    ------
    InputError
        Another kind, a name with other than letters, digits, `_` and `-`, or a file of the scenario that is not there.
    OutputError
        The file cannot be written.
    """
    if what not in KINDS:
        raise _core.InputError(f"what: {what!r} is none of {', '.join(KINDS)}")
    name, target = _free(folder, name, scenario)
    try:
        target.mkdir(parents=True, exist_ok=True)
        _copy_inputs(base, scenario, target)
    except OSError as error:
        raise _core.OutputError(f"{target}: {error.strerror or error}") from error
    file = target / f"{name}.toml"
    scenario.save(file)
    files = [file]
    note = ""
    if result is not None:
        files.append(result.save(target / f"{name}.h5"))
        if what == "report":
            files += report.write(files[-1], target / "report", contract_MW=contract_MW, held=held)
        else:
            answer = filing(scenario, rule, target / "filing", [result], as_if=True)
            files += [target / "filing" / f for f in answer["files"]]
            note = f"ride-through: {answer['ride']}; {len(answer['open'])} open items"
    return {"folder": str(target), "files": [str(path.relative_to(folder)) for path in files], "note": note}


def _free(folder: str, name: str, scenario: Scenario) -> tuple[str, Path]:
    """A name whose folder has no files of another setting, and that folder: `name`, or `name` with the first number that is free."""
    for number in range(1, MOST_OF_A_NAME + 1):
        numbered = name if number == 1 else f"{name[:60]}-{number}"
        target = inside(folder, numbered)
        before = target / f"{numbered}.toml"
        if not before.exists() or before.read_bytes() == scenario.toml.encode():
            return numbered, target
    raise _core.InputError(f"name: {name!r} has {MOST_OF_A_NAME} exports already; choose another")


def inside(folder: str, name: str) -> Path:
    """The folder `name` below `folder`. @raises InputError: another name than letters, digits, `_`, `-`, or a link that leads out"""
    root = Path(os.path.realpath(folder))
    if not NAME.fullmatch(name):
        raise _core.InputError(f"name: {name!r} is not 1 to 64 letters, digits, '_' or '-', beginning with a letter or a digit")
    target = Path(os.path.realpath(root / name))
    if target.parent != root or target.exists() and not target.is_dir():
        raise _core.InputError(f"name: {name!r} leads to {target}, which is no folder below {root}")
    for below in target.rglob("*") if target.exists() else ():
        if below.is_symlink():
            raise _core.InputError(f"name: {below} is a link; exports are written into folders without links")
    return target


def _copy_inputs(base: Base, scenario: Scenario, target: Path):
    """Weather files and recordings that the `scenario` names, so that it runs from its new place."""
    said = tables(scenario)
    names = [said.get("weather", {}).get(kind) for kind in ("epw", "csv")]
    neighbours = said.get("site", {}).get("neighbour", [])
    names += [n.get("file") for n in (neighbours if isinstance(neighbours, list) else [neighbours]) if isinstance(n, dict)]
    for name in filter(None, names):
        source = Path(base.folder) / name
        there = Path(os.path.realpath(target / name))
        if target not in there.parents:
            raise _core.InputError(f"{name}: lies outside the scenario's folder and cannot be exported with it")
        if source.resolve() != there:
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, there)
