"""Puts changed settings back, whatever becomes of the record: restore.py NVML [GPU LIMIT_W]…

A separate process, which outlives a killed recorder. Lines on standard input name the changes (`limit GPU`,
`clock GPU`); when the input ends, for whatever reason, it is put back: limits to those given, clocks to the driver's own.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

if __package__:
    from .sources import Nvml, RecorderError
else:
    from sources import Nvml, RecorderError


class Restorer:
    """The recorder's end of it."""

    def __init__(self, nvml_path: str, limits_W: dict[int, float]):
        old = [str(x) for pair in limits_W.items() for x in pair]
        self.process = subprocess.Popen(
            [sys.executable, "-B", os.path.abspath(__file__), nvml_path, *old],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def will_change(self, what: str, gpu: int) -> None:
        """Call this before the change. `what`: limit or clock, of `gpu`. Raises RecorderError: the change could not be undone."""
        try:
            self.process.stdin.write(f"{what} {gpu}\n")
            self.process.stdin.flush()
        except OSError as error:
            raise RecorderError("the process that restores settings ended: nothing more is changed") from error

    def restore(self) -> str:
        """Restores all settings. Returns those that could not be restored, as text; empty if none."""
        if self.process.stdin.closed:
            return ""
        self.process.stdin.close()
        said = self.process.stdout.read().strip()
        self.process.wait()
        self.process.stdout.close()
        return said or ("" if self.process.returncode == 0 else "the process that restores settings failed")


def main() -> int:
    """The process. Returns exit code: 1 if something could not be put back."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # it ends when the recorder has ended
    nvml = Nvml(sys.argv[1])
    limits_W = {int(g): float(w) for g, w in zip(sys.argv[2::2], sys.argv[3::2])}
    changed = []
    for line in sys.stdin:
        what, gpu = line.split()
        if (what, int(gpu)) not in changed:
            changed.append((what, int(gpu)))
    wrong = []
    for what, gpu in changed:
        try:
            if what == "clock":
                nvml.unlock_clock(gpu)
            else:
                nvml.set_limit(gpu, limits_W[gpu])
        except RecorderError as error:
            wrong.append(str(error))
    print("; ".join(wrong), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
