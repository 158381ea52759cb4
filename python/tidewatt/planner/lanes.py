"""Lanes: each has a process that runs, and a queue. A killed process costs one answer, a cancelled task stops within a step."""
from __future__ import annotations

import contextlib
import itertools
import json
import queue
import signal
import subprocess
import sys
import threading
import time
from typing import Any

from .base import Base

CANCEL_s = 3.0  # a cancelled task that has not stopped by then takes its process with it
MOST_WAITING = 40


class Task:
    """One thing to do for a page, with a place for its answer."""

    _ids = itertools.count(1)

    def __init__(self, do: str, arguments: dict[str, Any], limit_s: float):
        self.id = next(Task._ids)
        self.line = json.dumps({"id": self.id, "do": do, "with": arguments}) + "\n"
        self.limit_s = limit_s
        self.cancelled = threading.Event()
        self.done = threading.Event()
        self.status, self.body = 500, {"error": "not answered"}
        self.begin_s: float | None = None  # of the monotonic clock; None: it waits
        self.share: float | None = None  # done, 0 to 1; None: not known yet

    def progress(self) -> dict[str, float | None]:
        """Seconds that it has run, None while it waits; share done, None while unknown; seconds after which it is stopped."""
        return {"runs_s": None if self.begin_s is None else time.monotonic() - self.begin_s, "share": self.share, "limit_s": self.limit_s}

    def finish(self, status: int, body: dict[str, Any]):
        """The answer: an HTTP `status` and its `body`."""
        self.status, self.body = status, body
        self.done.set()


class Lane:
    """One process and its queue of tasks, in order of arrival."""

    def __init__(self, base: Base, niceness: int, ready: bool = True):
        """`ready`: start the process now, not with the first task"""
        self._base, self._niceness, self._ready = base, niceness, ready
        self._waiting: queue.Queue[Task] = queue.Queue()
        self._process: subprocess.Popen | None = None
        self._answers: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._serve, daemon=True).start()

    def put(self, task: Task):
        """Queues a `task`, or answers at once that too many wait."""
        if self._waiting.qsize() >= MOST_WAITING:
            task.finish(503, {"error": f"{MOST_WAITING} requests wait already; try again in a moment"})
        else:
            self._waiting.put(task)

    def _start(self):
        command = [sys.executable, "-m", "tidewatt.planner.worker", str(self._niceness)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", start_new_session=True)
        _send(self._process, json.dumps(self._base) + "\n")
        self._answers = queue.Queue()
        threading.Thread(target=_read, args=(self._process.stdout, self._answers), daemon=True).start()

    def _serve(self):
        with contextlib.suppress(OSError):  # then the first task reports it
            if self._ready:
                self._start()
        while True:
            task = self._waiting.get()
            if task.cancelled.is_set():
                task.finish(409, {"error": "overtaken by a newer request"})
                continue
            try:
                if self._process is None or self._process.poll() is not None:
                    self._start()
                self._do(task)
            except OSError as error:
                task.finish(500, {"error": f"the simulation's process could not be used: {error}"})

    def _do(self, task: Task):
        process, begin_s, asked_s = self._process, time.monotonic(), 0.0
        task.begin_s = begin_s
        try:
            _send(process, task.line)
        except BrokenPipeError:
            return task.finish(500, {"error": self._ended(process)})
        while True:
            try:
                line = self._answers.get(timeout=0.02)
            except queue.Empty:
                now = time.monotonic()
                if (task.cancelled.is_set() or now - begin_s > task.limit_s) and not asked_s:
                    asked_s = now
                    _send(process, json.dumps({"cancel": task.id}) + "\n")
                elif asked_s and now - asked_s > CANCEL_s:
                    process.kill()
                    asked_s = float("inf")
                continue
            if not line:
                late = asked_s and not task.cancelled.is_set()
                return task.finish(504 if late else 500, {"error": _too_long(task) if late else self._ended(process)})
            said = json.loads(line)
            if said["id"] == task.id and "share" in said:
                task.share = said["share"]
            elif said["id"] == task.id:
                late = said["status"] == 409 and not task.cancelled.is_set()
                return task.finish(504 if late else said["status"], {"error": _too_long(task)} if late else said["body"])

    def _ended(self, process: subprocess.Popen) -> str:
        code = process.wait()
        how = f"was killed ({signal.Signals(-code).name})" if code < 0 else f"ended with code {code}"
        memory = ": the machine may be out of memory" if code == -signal.SIGKILL else ""
        return f"the run {how}{memory}. The next request starts a new process"

    @property
    def pid(self) -> int | None:
        """Of the process that runs now; None before the first task."""
        return self._process.pid if self._process and self._process.poll() is None else None


def _too_long(task: Task) -> str:
    limit = f"{task.limit_s / 60:g} minutes" if task.limit_s > 60 else f"{task.limit_s:g} s"
    return f"The run reached this page's limit of {limit} and was stopped. Export the scenario and use tidewatt run"


def _send(process: subprocess.Popen, line: str):
    process.stdin.write(line)
    process.stdin.flush()


def _read(stream, answers: queue.Queue[str]):
    for line in stream:
        answers.put(line)
    answers.put("")
