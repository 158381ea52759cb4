"""The process that runs: reads the base case, then one task a line, and answers with one line. Started by `lanes.py`, ends when its
standard input does. The base case is no argument: every user of the machine can read those.

A task is JSON: `id`, `do`, and what the function of that name in `answers.py` takes. A line `{"cancel": id}` stops the task of that id. While
a run continues, a line with `share` gives the completed fraction, 0 to 1, at most twice a second.
"""
from __future__ import annotations

import contextlib
import ctypes
import json
import math
import os
import queue
import sys
import threading
import time
import traceback
from typing import Any, Callable

TELL_s = 0.5
M_ARENA_MAX = -8  # of glibc's mallopt


class Cancelled(Exception):
    """Nobody waits for the answer any more."""


class Desk:
    """What has arrived: tasks in their order, and which of them are cancelled."""

    def __init__(self, lines, tell: Callable[[dict[str, Any]], None]):
        """`lines`: standard input. `tell`: sends a message to the server"""
        self._tell = tell
        self.tasks: queue.Queue[dict[str, Any]] = queue.Queue()
        self._cancelled: set[int] = set()
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()

    def _read(self, lines):
        for line in lines:
            message = json.loads(line)
            if "cancel" in message:
                self._cancelled.add(message["cancel"])
            else:
                self.tasks.put(message)
        os._exit(0)  # the server is gone, and with it whoever would read an answer

    def watch(self, task: int) -> Callable[..., None]:
        """What a run calls on its way, with the share done. Raises Cancelled: `task` was"""
        told_s = time.monotonic()

        def check(*done):
            nonlocal told_s
            if task in self._cancelled:
                raise Cancelled
            if len(done) == 1 and isinstance(done[0], float) and time.monotonic() - told_s > TELL_s:
                told_s = time.monotonic()
                self._tell({"id": task, "share": done[0]})

        return check

    def forget(self, task: int):
        """`task` is answered."""
        self._cancelled.discard(task)


def answer(answers, task: dict[str, Any], check: Callable[..., None]) -> tuple[int, dict[str, Any]]:
    """(HTTP status, body) of a `task`, one of the `answers`; `check` is called on the way and may stop it."""
    from .. import _core

    try:
        return 200, getattr(answers, task["do"])(check=check, **task["with"])
    except Cancelled:
        return 409, {"error": "overtaken by a newer request"}
    except _core.InputError as error:
        findings = [f._asdict() for f in getattr(error, "findings", None) or []]
        return 400, {"error": str(error), "findings": findings or [{"place": "", "key": "", "message": str(error)}]}
    except _core.RefusedError as error:
        return 422, {"error": str(error), "findings": [{"place": "", "key": "", "message": str(error)}]}
    except (KeyError, TypeError, ValueError) as error:
        said = str(error.args[0]) if error.args else type(error).__name__
        return 400, {"error": said, "findings": [{"place": "", "key": "", "message": said}]}
    except (_core.Error, OSError) as error:
        return 500, {"error": str(error)}
    except MemoryError:
        return 500, {"error": "not enough memory for this run"}


def _plain(item: Any) -> Any:
    """An answer for JSON: values that are not finite are null."""
    if isinstance(item, dict):
        return {str(key): _plain(value) for key, value in item.items()}
    if isinstance(item, (list, tuple)):
        return [_plain(value) for value in item]
    if isinstance(item, float) and not math.isfinite(item):
        return None
    return item


def share_heap() -> None:
    """All threads started from now on allocate from one heap, the only one whose free end `give_back` can return; elsewhere than in glibc
    nothing. With a heap for each thread a process stands at 50 to 90 MB after devices of every kind, with one at 26 MB."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def give_back() -> None:
    """Returns memory that runs have freed to the system, which glibc would keep; elsewhere nothing."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def main() -> int:
    """Answers tasks until standard input ends. Returns exit code"""
    share_heap()
    niceness, base = int(sys.argv[1]), sys.stdin.readline()
    if not base:
        return 0  # the server is gone already
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # nothing else may write into the answers
    os.nice(niceness)
    writing = threading.Lock()

    def tell(message: dict[str, Any]):
        with writing:
            out.write(json.dumps(message, allow_nan=False, default=str) + "\n")
            out.flush()

    desk = Desk(sys.stdin, tell)
    from .answers import Answers
    from .base import Base

    answers = Answers(Base(*json.loads(base)))
    while True:
        task = desk.tasks.get()
        try:
            status, body = answer(answers, task, desk.watch(task["id"]))
        except Exception:  # a defect of the program: the page reports it, and the trace goes to the terminal
            traceback.print_exc()
            status, body = 500, {"error": "internal error; the terminal of tidewatt serve shows it"}
        desk.forget(task["id"])
        tell({"id": task["id"], "status": status, "body": _plain(body)})
        give_back()


if __name__ == "__main__":
    sys.exit(main())
