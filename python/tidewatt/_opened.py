"""Results of runs that have just ended, and of files."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ._chance import summary_with_ends
from ._result import Result

if TYPE_CHECKING:
    from . import _core
    from ._load import Scenario


def from_memory(core: _core.RunResult, scenario: Scenario) -> Result:
    """The result of a run that has just ended. Its summary has the keys of `run --json`.

    Parameters
    ----------
    core : _core.RunResult
        The finished run.
    scenario : Scenario
        What was run.
    """
    from ._source import Source

    figures = list(core.summary.items())
    figures.insert(2, ("wall_s", core.wall_s))
    summary = dict(figures)
    summary["result_file"] = None
    summary |= {key: summary.pop(key) for key in ("jobs", "weather_from") if key in summary}  # last, as the command prints them
    return Result(Source(core), summary, scenario)


def open(path: str | os.PathLike[str]) -> Result:
    """Opens a saved result, with the same interface as that of a run. The file's hash is checked first. The file is read into memory and
    closed; arrays are decoded when first used.

    Parameters
    ----------
    path : str | os.PathLike[str]
        An HDF5 file that `tidewatt run` or `Result.save` wrote.

    Raises
    ------
    FileNotFoundError
        The file does not exist.
    CorruptFileError
        The file does not have the bits that tidewatt wrote.
    InputError
        The file cannot be read, or holds figures that no run writes.
    """
    from . import _core
    from ._source import Source

    os.stat(path)
    source = Source(_core.ResultFile(os.fspath(path)))
    return Result(source, summary_with_ends(source.figures, source.chance))
