"""A sweep on an executor of other people: Dask, MPI, a process pool. A lost worker costs a case some time, never the sweep."""
from __future__ import annotations

import concurrent.futures

from . import _core
from ._sweep_worker import Job, run_case

ATTEMPTS = 3  # of a case whose worker is lost


def map_cases(core: _core.Sweep, job: Job, executor: concurrent.futures.Executor, retry_failed: bool, report) -> bool:
    """Runs all unfinished cases of a sweep; only this process records finished cases.

    A case whose worker is lost is sent again, at most `ATTEMPTS` times in all; then it gets a row with its error.

    Parameters
    ----------
    core, job : _core.Sweep, Job
        The sweep, here and for the workers.
    executor : concurrent.futures.Executor
        Where cases run.
    retry_failed : bool
        Run failed cases again.
    report : callable or None
        Called with the share of the cases that is done.

    Returns
    -------
    bool
        False: the executor is a process pool that is broken, and cases are left for processes of this machine.

    Raises
    ------
    InputError
        Another process runs this sweep.
    OutputError
        A file could not be written; finished cases are kept.
    """
    folder = _core.SweepFolder(core, job.folder)
    todo, _ = folder.lock(0, 1, retry_failed)
    waiting: dict[concurrent.futures.Future, tuple[int, int]] = {}
    lost: dict[int, str] = {}
    n_done = 0
    try:
        for i in todo:
            waiting[_submitted(executor, job, i, 1)] = i, 1
        while waiting:
            # Short waits: Ctrl-C is checked between them on every platform.
            done, _ = concurrent.futures.wait(waiting, timeout=0.1, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                i, attempt = waiting.pop(future)
                loss = _loss(future)
                if loss and attempt < ATTEMPTS:
                    waiting[_submitted(executor, job, i, attempt + 1)] = i, attempt + 1
                    continue
                if loss:
                    lost[i] = loss
                elif future.result() is not None:
                    raise _core.OutputError(future.result())
                else:
                    folder.note(i)
                n_done += 1
                if report:
                    report(n_done / len(todo))
        # One lost worker breaks a process pool for all its cases; those were not at fault.
        if lost and isinstance(executor, concurrent.futures.ProcessPoolExecutor):
            return False
        for i, loss in lost.items():
            folder.bury(i, f"its worker was lost {ATTEMPTS} times: {loss}")
        return True
    finally:
        for future in waiting:
            future.cancel()
        folder.unlock()


def _submitted(executor: concurrent.futures.Executor, job: Job, i: int, attempt: int) -> concurrent.futures.Future:
    """Case `i`, sent to the executor; where that takes none any more, a future with the reason."""
    try:
        return executor.submit(run_case, job, i, attempt)
    except Exception as error:  # each library has its own
        refused: concurrent.futures.Future = concurrent.futures.Future()
        refused.set_exception(error)
        return refused


def _loss(future: concurrent.futures.Future) -> str:
    """Why a case has no answer; empty: it has one."""
    try:
        error = future.exception()
    except concurrent.futures.CancelledError as cancelled:
        error = cancelled
    return "" if error is None else f"{type(error).__name__}: {error}".rstrip(": ")
