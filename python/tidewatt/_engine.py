"""Running a scenario: at once, or step by step."""
from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core
from ._load import Path, Scenario, load, unknown
from ._progress import Progress, reporter
from ._result import Result, from_memory

if TYPE_CHECKING:
    import numpy


def run(scenario: Scenario | Path, *, threads: int = 0, progress: Progress = None) -> Result:
    """Simulates a scenario from start to end. Other Python threads run meanwhile; Ctrl-C stops it.

    Parameters
    ----------
    scenario : Scenario | Path
        From `load`, or the path of a scenario file.
    threads : int, default 0
        0: all cores. The result does not depend on it, to the last bit.
    progress : Progress, optional
        True: a bar with the time left (needs tqdm); False: none; None: a bar if a terminal or a notebook is
        watching and tqdm is there; or a callable that gets the share done, 0–1, every 50 ms or so. What it
        raises stops the run.

    Raises
    ------
    SolverError
        A numerical method failed, or the energy books do not close.
    RefusedError
        Too large to run.
    KeyboardInterrupt
        On Ctrl-C, at once; the engine itself lets go at the end of its step.
    """
    scenario = _as_scenario(scenario)
    with reporter(progress) as report:
        core = _core.run(scenario._core, _thread_count(threads), report)
    return from_memory(core, scenario)


class Engine:
    """A simulation in progress, for notebooks, optimisers and co-simulation.

    One thread at a time may use it; another gets RuntimeError. It cannot be pickled: send its scenario instead.

    Parameters
    ----------
    scenario : Scenario or path
        What to simulate.
    threads : int, default 0
        0: all cores.

    Examples
    --------
    >>> engine = tw.Engine(scenario)
    >>> while not engine.done:
    ...     engine.step()
    ...     hottest_K = engine.die_K.max()
    >>> result = engine.finish()
    """

    def __init__(self, scenario: Scenario | Path, *, threads: int = 0):
        self.scenario = _as_scenario(scenario)
        self._core = _core.Engine(self.scenario._core, _thread_count(threads))
        self._limits = {h["name"]: (i, h["cap_W"], h["clock_lock_Hz"]) for i, h in enumerate(self.scenario.halls)}

    @property
    def done(self) -> bool:
        """Whether the scenario's end is reached.

        Raises
        ------
        RuntimeError
            After `finish`, as everything below.
        """
        return self._core.done

    @property
    def time_s(self) -> float:
        """Simulated time since the start, s."""
        return self._core.time_s

    @property
    def die_K(self) -> numpy.ndarray:
        """Die temperatures now, K, shape (n_gpu,): a read-only copy."""
        now = self._core.die_K
        now.setflags(write=False)
        return now

    @property
    def clock_Hz(self) -> numpy.ndarray:
        """Clocks of the last step, Hz, shape (n_gpu,): a read-only copy."""
        now = self._core.clock_Hz
        now.setflags(write=False)
        return now

    @property
    def inlet_K(self) -> numpy.ndarray:
        """Air at every server's front now, K, shape (n_node,): a read-only copy."""
        now = self._core.inlet_K
        now.setflags(write=False)
        return now

    def limit(self, hall: str, *, cap_W: float | None = None, clock_lock_Hz: float | None = None) -> None:
        """Moves the limits of a hall's GPUs from the next step on: a governor or controller of your own.

        Parameters
        ----------
        hall : str
            Its name.
        cap_W : float, optional
            Power cap per GPU, W, up to the board limit; None: as it is.
        clock_lock_Hz : float, optional
            Highest clock, Hz, within the V/f table; None: as it is.

        Raises
        ------
        KeyError
            No such hall.
        InputError
            A limit that the GPU does not have.
        """
        if hall not in self._limits:
            raise KeyError(unknown("hall", hall, self._limits))
        index, cap_now_W, lock_now_Hz = self._limits[hall]
        cap_W, clock_lock_Hz = cap_now_W if cap_W is None else cap_W, lock_now_Hz if clock_lock_Hz is None else clock_lock_Hz
        self._core.set_limits(index, cap_W, clock_lock_Hz)
        self._limits[hall] = (index, cap_W, clock_lock_Hz)

    def step(self) -> None:
        """One step: some repetitions of an iteration, or a stretch of a constant state.

        Raises
        ------
        RuntimeError
            If `done`.
        SolverError
            A numerical method failed.
        """
        self._core.step()

    def finish(self) -> Result:
        """Closes the books and hands over everything recorded. Call once, when `done`.

        Raises
        ------
        RuntimeError
            If not `done`, or if called before.
        SolverError
            The energy books do not close.
        """
        return from_memory(self._core.finish(), self.scenario)

    def __repr__(self) -> str:
        try:
            return f"<tidewatt.Engine at {self.time_s:.6g} s of {self.scenario.duration_s:.6g} s>"
        except RuntimeError as error:
            return f"<tidewatt.Engine: {error}>"


def _as_scenario(scenario: Scenario | Path) -> Scenario:
    return scenario if isinstance(scenario, Scenario) else load(scenario)


def _thread_count(threads: int) -> int:
    if threads < 0:
        raise ValueError(f"threads must be 0 (all cores) or more, not {threads}")
    return threads
