"""What an executor's workers call: a function of the installed package, so that any worker finds it."""
from __future__ import annotations

import functools
from typing import NamedTuple, Optional

from . import _core


class Job(NamedTuple):
    """Everything that a worker needs to make the same list of cases; paths are absolute. Pickled with every task."""

    path: str
    scenario: str
    mode: str
    set: tuple[str, ...]
    weather: str
    catalog: str
    folder: str

    def open(self) -> _core.Sweep:
        """Reads the sweep.

        Raises
        ------
        InputError
            With every finding.
        """
        return _core.Sweep(self.path, self.scenario, self.mode, list(self.set), self.weather, self.catalog)


@functools.lru_cache(maxsize=1)
def _folder(job: Job) -> _core.SweepFolder:
    return _core.SweepFolder(job.open(), job.folder)


def run_case(job: Job, i: int, attempt: int) -> Optional[str]:
    """Runs case i and writes its file; scenario and catalog are read once per process.

    Parameters
    ----------
    job : Job
        The sweep, shape ().
    i : int
        Case, 0 to n_case - 1.
    attempt : int
        Number of the attempt, so that a scheduler that keeps answers does not repeat that of a lost worker.

    Returns
    -------
    Optional[str]
        None, or why nothing could be written. Returned, not raised: not every executor can pickle our errors.
    """
    try:
        _folder(job).run_case(i)
    except _core.OutputError as error:
        return str(error)
    return None
