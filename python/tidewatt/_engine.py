"""Running a scenario: at once, or step by step."""
from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from . import _core
from ._given import number, thread_count
from ._load import Path, Scenario, as_scenario
from ._progress import Progress, reporter
from ._opened import from_memory
from ._result import Result

if TYPE_CHECKING:
    import numpy


def run(scenario: Scenario | Path, *, threads: int = 0, progress: Progress = None, reference: bool = False,
        gpu_hours: bool = False) -> Result:
    """Simulates a scenario from start to end. Other Python threads can run meanwhile; Ctrl-C stops it.

    Parameters
    ----------
    scenario : Scenario | Path
        From `load`, or the path of a scenario file.
    threads : int, default 0
        0: all cores. The result has the same bits for any number.
    progress : Progress, optional
        True: a progress bar (needs tqdm). False: none. None: a bar in a terminal or notebook if tqdm is installed. Or a callable that gets
        the completed fraction, 0–1, about every 50 ms; an exception from it stops the run.
    reference : bool, default False
        True: compute every segment of every iteration and every millisecond of the waveform, about a hundred times slower. It is the
        reference for the fast steps (docs/engine.md).
    gpu_hours : bool, default False
        True: also record means of every GPU and server over each hour, as arrays `gpu_hours/…`.

    Warns
    -----
    UserWarning
        Keys of the scenario that are valid but have no effect (`scenario.notes`).

    Raises
    ------
    SolverError
        A numerical method failed, or the energy balance does not close.
    RefusedError
        The scenario is too large for this machine.
    KeyboardInterrupt
        On Ctrl-C, immediately; the engine's thread ends with its present step.
    """
    scenario = as_scenario(scenario)
    for note in scenario.notes:
        warnings.warn(note, stacklevel=2)
    with reporter(progress) as report:
        core = _core.run(scenario._core.reference() if reference else scenario._core, thread_count(threads), report, gpu_hours)
    return from_memory(core, scenario)


class Engine:
    """A simulation in progress, for notebooks, optimisers and co-simulation.

    Use it from one thread at a time; a second one gets RuntimeError. An engine cannot be pickled; pickle its scenario instead.

    Parameters
    ----------
    scenario : Scenario or path
        What to simulate.
    threads : int, default 0
        0: all cores.

    Examples
    --------
    >>> engine = tw.Engine(scenario)
    >>> for minute in range(1, 61):
    ...     engine.advance_to(60.0 * minute)
    ...     if engine.read("pcc_W") > 15e6:
    ...         engine.write("hall.a.cap_W", 650.0)
    >>> result = engine.finish()
    """

    def __init__(self, scenario: Scenario | Path, *, threads: int = 0):
        self.scenario = as_scenario(scenario)
        self._core = _core.Engine(self.scenario._core, thread_count(threads))

    @property
    def done(self) -> bool:
        """Whether the end of the scenario is reached.

        Raises
        ------
        RuntimeError
            After `finish`. This holds for all methods below.
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

    def ports(self) -> list[dict]:
        """All quantities that can be read and written.

        Returns
        -------
        list of dict
            `name`, `unit`, `direction` ("read" or "read and write"), `place`, `doc`, and the allowed values `low` and
            `high` (None: read only).
        """
        return self._core.ports()

    def read(self, port: str) -> float | str | None:
        """A port's value at `time_s`.

        Watts and tokens per second are means since the previous `advance_to`; `…_now_…` is the mean of the millisecond before `time_s`;
        temperatures are means over each GPU's last complete iteration. Reading does not change the result.

        Parameters
        ----------
        port : str
            A name of `ports()`.

        Returns
        -------
        float, str or None
            A number in the port's unit, a text (a job's state), or None if there is no value.

        Raises
        ------
        InputError
            Unknown port; the message names the nearest.
        """
        return self._core.read(port)

    def write(self, port: str, value: float) -> None:
        """Sets a port from `time_s` on. Writing its present value has no effect.

        After `advance_to`, a new value acts on every job at once. After `step`, it acts on a job whose iteration passes the end of that
        step when this iteration ends.

        Parameters
        ----------
        port : str
            A name of `ports()` whose direction is "read and write".
        value : float
            In the port's unit, within its range.

        Raises
        ------
        InputError
            Unknown or read-only port, or a value outside its range. The engine is unchanged.
        """
        self._core.write(port, number(port, value))

    def release(self, port: str) -> None:
        """Ends a write: from `time_s` on the site's own value applies.

        Parameters
        ----------
        port : str
            A name of `ports()` whose direction is "read and write".

        Raises
        ------
        InputError
            Unknown or read-only port.
        """
        self._core.release(port)

    def advance_to(self, t_s: float) -> None:
        """Runs to a time. The result has the same bits whatever times are asked for.

        Parameters
        ----------
        t_s : float
            Seconds since the start, a whole number of milliseconds, not before `time_s`, at most the run's length.

        Raises
        ------
        InputError
            An invalid time. The engine is unchanged.
        SolverError
            A numerical method failed.
        """
        self._core.advance_to(number("t_s", t_s))

    def save(self) -> bytes:
        """The state of the run.

        Returns
        -------
        bytes
            For `restore` of an engine of the same scenario.
        """
        return self._core.save()

    def restore(self, saved: bytes) -> None:
        """Continues from a saved state of the same scenario. The result has the same bits as that of an uninterrupted run.

        Parameters
        ----------
        saved : bytes
            From `save`.

        Raises
        ------
        InputError
            Damaged bytes, or those of another scenario. The engine is unchanged.
        """
        self._core.restore(saved)

    def step(self) -> None:
        """Takes one step of the engine: some repetitions of an iteration, or a stretch of a constant state.

        Raises
        ------
        RuntimeError
            If `done`.
        SolverError
            A numerical method failed.
        """
        self._core.step()

    def finish(self) -> Result:
        """Runs to the end of the scenario and returns the result. Call it once.

        Raises
        ------
        RuntimeError
            If called before.
        SolverError
            A numerical method failed, or the energy balance does not close.
        """
        return from_memory(self._core.finish(), self.scenario)

    def __repr__(self) -> str:
        try:
            return f"<tidewatt.Engine at {self.time_s:.6g} s of {self.scenario.duration_s:.6g} s>"
        except RuntimeError as error:
            return f"<tidewatt.Engine: {error}>"
