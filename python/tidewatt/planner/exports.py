"""Files that the page writes: a scenario, its report, a filing pack. All are below the folder of `--out`.

Each export has a folder of its own. Its list of hashes tells what the page has made; nothing else is ever written over.
"""
from __future__ import annotations

import contextlib
import hashlib
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
MADE = "made_by_the_page.sha256"  # as sha256sum reads it
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
    try:
        name, target = _folder_of(folder, name, scenario)
        try:
            return _write(base, scenario, result, what, Path(folder), name, target, rule, contract_MW, held)
        finally:  # what a failure leaves is made by the page, too
            _note(target)
    except OSError as error:
        raise _core.OutputError(f"{error.filename or folder}: {error.strerror or error}") from error


def _write(base: Base, scenario: Scenario, result: Result | None, what: str, folder: Path, name: str, target: Path, rule: str, contract_MW: float | None,
           held: list[dict[str, Any]]) -> dict[str, Any]:  # fmt: skip
    """As `write`, into the folder `target`, which the export has for itself."""
    _copy_inputs(base, scenario, target)
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


def _folder_of(folder: str, name: str, scenario: Scenario) -> tuple[str, Path]:
    """A name and its folder, new or of an earlier export of the same setting: `name`, or `name` with the first number that is free."""
    for number in range(1, MOST_OF_A_NAME + 1):
        numbered = name if number == 1 else f"{name[:60]}-{number}"
        target = inside(folder, numbered)
        try:
            target.mkdir(parents=True)
            return numbered, target
        except FileExistsError:
            if _is_export(target, numbered, scenario):
                return numbered, target
    raise _core.InputError(f"name: {name!r} has {MOST_OF_A_NAME} exports already; choose another")


def _is_export(target: Path, name: str, scenario: Scenario) -> bool:
    """Whether `target` holds an export `name` of this `scenario`, and nothing that the page did not make: links, for instance."""
    try:
        lines = (target / MADE).read_text(encoding="utf-8").splitlines()
        if any(path.is_symlink() for path in target.rglob("*")):
            return False
        return lines == _hashes(target) and (target / f"{name}.toml").read_bytes() == scenario.toml.encode()
    except (OSError, ValueError):
        return False


def _hashes(target: Path) -> list[str]:
    """A line for every file below `target`, but for the list itself."""
    files = sorted(path for path in target.rglob("*") if path.is_file() and path != target / MADE)
    return [f"{_sha256(path)}  {path.relative_to(target).as_posix()}" for path in files]


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def _note(target: Path):
    """Lists what the page has made in `target`; nothing: removes it."""
    lines = _hashes(target)
    if lines:
        (target / MADE).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    else:
        with contextlib.suppress(OSError):
            target.rmdir()


def inside(folder: str, name: str) -> Path:
    """The place `name` below `folder`. Raises InputError: another name than letters, digits, `_`, `-`, or a link that leads out"""
    root = Path(os.path.realpath(folder))
    if not NAME.fullmatch(name):
        raise _core.InputError(f"name: {name!r} is not 1 to 64 letters, digits, '_' or '-', beginning with a letter or a digit")
    target = Path(os.path.realpath(root / name))
    if target.parent != root or target.name != name:
        raise _core.InputError(f"name: {name!r} leads to {target}, which is no folder below {root}")
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
