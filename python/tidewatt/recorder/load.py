"""The load of a record: products and other work on the GPU, or a command of the user's own, in processes of their own."""

from __future__ import annotations

import mmap
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time

from . import gpu_worker
from .gpu_worker import COUNTER, is_on
from .sources import RecorderError


class MatrixLoad:
    """Square matrix products in bf16, or other work, on every chosen GPU, one process each.

    `libraries`: those of CUDA's runtime, cuBLAS, CUDA's driver and its compiler at run time.
    """

    name = "matrix"

    def __init__(self, gpus: list[int], size: int, libraries: list[str]):
        self.gpus, self.rest = gpus, [str(size), *libraries]
        self.workers, self.counters, self.work = {}, {}, {}

    def begin(self, context: bool) -> None:
        """Starts the workers, which then have a CUDA context, or ends them. Raises RecorderError: one does not start."""
        if not context:
            return self.end()
        for gpu in self.gpus:
            if gpu in self.workers:
                continue
            file = tempfile.TemporaryFile()
            file.truncate(COUNTER.size)
            worker = subprocess.Popen(
                [sys.executable, "-B", gpu_worker.__file__, str(gpu), *self.rest, str(file.fileno())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                pass_fds=(file.fileno(),),
                start_new_session=True,  # Ctrl-C is for the recorder, which ends its workers
            )
            self.workers[gpu], self.counters[gpu] = worker, (file, mmap.mmap(file.fileno(), COUNTER.size))
        for gpu, worker in self.workers.items():
            if gpu in self.work:
                continue
            said = worker.stdout.readline().strip()
            if said != "ready":
                self.end()
                raise RecorderError(f"the load does not start on GPU {gpu}: {said or 'it ended'}")
            self.work[gpu] = "bf16"
        return None

    def prepare(self, work: str) -> str:
        """The next waves are of this `work`. Returns what a GPU lacks for it; empty: ready. Raises RecorderError: a worker ended."""
        lacks = ""
        for gpu, worker in self.workers.items():
            if self.work[gpu] == work:
                continue
            self._order(gpu, worker, f"prepare {work}")
            said = worker.stdout.readline().strip()
            if said == "ready":
                self.work[gpu] = work
            elif not said:
                raise RecorderError(f"the load on GPU {gpu} ended at {work}")
            else:
                lacks = f"GPU {gpu}: {said}"
        return lacks

    def wave(self, begin_s: float, period_s: float, on_frac: float) -> None:
        """From `begin_s` on: under load for `on_frac` of each `period_s`. Raises RecorderError: a worker ended."""
        for gpu, worker in self.workers.items():
            self._order(gpu, worker, f"wave {begin_s!r} {period_s!r} {on_frac!r}")

    def _order(self, gpu, worker, line):
        try:
            worker.stdin.write(f"{line}\n")
            worker.stdin.flush()
        except OSError as error:
            raise RecorderError(f"the load on GPU {gpu} ended: {worker.stdout.read().strip() or error}") from error

    def products(self, gpu: int) -> int | None:
        """Products on this `gpu` since the workers started; of other work its copies or kernels."""
        return COUNTER.unpack(self.counters[gpu][1][:])[0] if gpu in self.counters else None

    def on_s(self, gpu: int) -> float | None:
        """Seconds under load on this `gpu` since the workers started, waits for it included."""
        return COUNTER.unpack(self.counters[gpu][1][:])[2] if gpu in self.counters else None

    def check(self) -> None:
        """Raises RecorderError: a worker ended."""
        for gpu, worker in self.workers.items():
            if worker.poll() is not None:
                raise RecorderError(f"the load on GPU {gpu} ended: {worker.stdout.read().strip() or worker.returncode}")

    def end(self) -> None:
        """Ends the workers, and with them their contexts."""
        for worker in self.workers.values():
            worker.stdin.close()
        for worker in self.workers.values():
            try:
                worker.wait(10)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()
            worker.stdout.close()
        for file, memory in self.counters.values():
            memory.close()
            file.close()
        self.workers, self.counters, self.work = {}, {}, {}


class CommandLoad:
    """The user's own command with all its children, stopped and continued; periods under 0.1 s ask too much of it."""

    name = "command"

    def __init__(self, command: str):
        self.command, self.process = command, None
        self.begin_s, self.period_s, self.on_frac, self.on = 0.0, 0.0, 0.0, False

    def begin(self, context: bool) -> None:
        """Starts the command, stopped, or with no `context` ends it. Raises RecorderError: it does not start."""
        if not context:
            return self.end()
        if self.process is None:
            try:
                self.process = subprocess.Popen(shlex.split(self.command), start_new_session=True, stdout=subprocess.DEVNULL)
            except (OSError, ValueError) as error:
                raise RecorderError(f"--command {self.command}: {error}") from error
            self._switch(False)
        return None

    def prepare(self, work: str) -> str:
        """Any `work` is the command."""
        return "" if work == "bf16" else "a command is one kind of work"

    def wave(self, begin_s: float, period_s: float, on_frac: float) -> None:
        """From `begin_s` on: continued for `on_frac` of each `period_s`, by `check`."""
        self.begin_s, self.period_s, self.on_frac = begin_s, period_s, on_frac
        self.check()

    def products(self, gpu: int) -> None:
        """Unknown, of any `gpu`."""
        del gpu

    def on_s(self, gpu: int) -> None:
        """Unknown, of any `gpu`."""
        del gpu

    def check(self) -> None:
        """Puts the command where the wave has it now. Raises RecorderError: it ended."""
        if self.process is None:
            return
        if self.process.poll() is not None:
            raise RecorderError(f"the command ended with status {self.process.returncode}")
        on = is_on(time.monotonic(), self.begin_s, self.period_s, self.on_frac)
        if on != self.on:
            self._switch(on)

    def _switch(self, on):
        os.killpg(self.process.pid, signal.SIGCONT if on else signal.SIGSTOP)
        self.on = on

    def end(self) -> None:
        """Ends the command with all its children."""
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGCONT)
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        self.process = None


class NoLoad:
    """Only watches what others do."""

    name = "none"

    def begin(self, context: bool) -> None:
        """Does nothing, with or without `context`."""
        del context

    def prepare(self, work: str) -> str:
        """Any `work` is that of others."""
        return "" if work == "bf16" else "nothing is loaded"

    def wave(self, begin_s: float, period_s: float, on_frac: float) -> None:
        """Does nothing (`begin_s`, `period_s`, `on_frac`)."""
        del begin_s, period_s, on_frac

    def products(self, gpu: int) -> None:
        """Unknown, of any `gpu`."""
        del gpu

    def on_s(self, gpu: int) -> None:
        """Unknown, of any `gpu`."""
        del gpu

    def check(self) -> None:
        """Nothing can end."""

    def end(self) -> None:
        """Nothing to end."""
