"""What `tidewatt log` runs. The folder also works alone, copied to a machine that has Python and NVIDIA's driver:

    python3 recorder --out run.csv
"""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys

if not __package__:  # run as a folder, without the rest of tidewatt
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[0] = os.path.dirname(folder)
    sys.exit(importlib.import_module(f"{os.path.basename(folder)}.__main__").main())

from . import experiments
from .session import Options, Session
from .sources import RecorderError


def main(argv=None) -> int:
    """The command line. `argv`: arguments; those of the process by default.
    Returns exit code: 0; 2 for bad input; 74 if a reading, the load or the file fails; 128 + n after a signal."""
    options = Options(**vars(_arguments().parse_args(argv)))
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup means it
            signal.signal(number, _ended)
    try:
        session = Session(options)
        findings = session.findings()
        if findings:
            print("\n".join(f"tidewatt log: {f}" for f in findings), file=sys.stderr)
            return 2
        if options.plan:
            print(experiments.as_text(session.plan()))
            return 0
        session.run()
    except (RecorderError, OSError) as error:
        print(f"tidewatt log: {error}", file=sys.stderr)
        return 74
    except _Ended as ended:
        print("tidewatt log: ended early; what was recorded stays, settings are as before", file=sys.stderr)
        return 128 + ended.args[0]
    print(session.summary())
    return 0


class _Ended(BaseException):
    """A signal requested the end."""


def _ended(number, frame):
    del frame
    raise _Ended(number)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tidewatt log", description="Records GPUs of this machine under known loads, for fits.")
    parser.add_argument("-o", "--out", default=Options.out, help="CSV to write; a description goes to OUT.json")
    parser.add_argument("--gpu", type=int, action="append", help="only this GPU; may be repeated")
    parser.add_argument("--sample-s", type=float, default=Options.sample_s, help="between samples, 0.01 to 10")
    parser.add_argument("--scale", type=float, default=Options.scale, help="multiplies all lengths, 0.01 to 100")
    parser.add_argument("--works", action="store_true", help="also other kinds of work, and products for part of the time; changes nothing")
    parser.add_argument("--change-clocks", action="store_true", help="also lock clocks at five values; they are put back")
    parser.add_argument("--change-cap", action="store_true", help="also step the power limit; it is put back")
    parser.add_argument("--low-W", type=float, help="lowest cap of the steps; what the GPU allows when not given")
    parser.add_argument("--high-W", type=float, help="highest cap of the steps; the one in force when not given")
    parser.add_argument("--plan", action="store_true", help="print the experiments and do nothing")
    parser.add_argument("--load", choices=["matrix", "none"], default=Options.load, help="none only watches")
    parser.add_argument("--command", help="your own load, stopped and continued by signals")
    parser.add_argument("--size", type=int, default=Options.size, help="rows of the matrices, 256 to 32768")
    parser.add_argument("--source", choices=["auto", "nvml", "nvidia-smi"], default=Options.source)
    parser.add_argument("--nvml", default=Options.nvml, help="NVML's library")
    parser.add_argument("--nvidia-smi", default=Options.nvidia_smi, help="the program")
    parser.add_argument("--cudart", default=Options.cudart, help="CUDA's runtime library")
    parser.add_argument("--cublas", default=Options.cublas, help="cuBLAS' library")
    parser.add_argument("--cuda", default=Options.cuda, help="CUDA's driver library, for --works")
    parser.add_argument("--nvrtc", default=Options.nvrtc, help="CUDA's compiler at run time, for --works")
    return parser


if __name__ == "__main__":
    sys.exit(main())
