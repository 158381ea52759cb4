"""python3 -m tidewatt.planner [SCENARIO] [--out DIR] [--port N] [--no-browser] [--no-token]"""
from __future__ import annotations

import argparse
import signal
import sys

from . import PORT, Refused, serve


def main() -> int:
    """The command line. Returns exit code: 0; 2: the scenario cannot be read; 74: the folder or the port cannot be used;
    143: ended by SIGTERM."""
    parser = argparse.ArgumentParser(prog="tidewatt.planner", description="Serve the planner's page of a scenario on this machine.")
    parser.add_argument("scenario", nargs="?", default="llama3_405b_day", help="scenario file, or the name of a shipped one")
    parser.add_argument("--out", default=".", help="folder below which exports are written")
    parser.add_argument("--port", type=int, default=PORT, help="port on the loopback address; 0: any free one")
    parser.add_argument("--no-browser", action="store_true", help="do not open the page")
    parser.add_argument("--no-token", action="store_true", help="answer every user of this machine")
    args = parser.parse_args()
    try:
        from .. import _core
    except ImportError as error:
        print(f"tidewatt: the compiled half of the Python package cannot be used: {error}", file=sys.stderr)
        return 74
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # so that nothing is left behind
    try:
        serve(args.scenario, out=args.out, port=args.port, browser=not args.no_browser, token=not args.no_token)
    except (_core.InputError, _core.RefusedError, FileNotFoundError) as error:
        print(f"tidewatt: {error}", file=sys.stderr)
        return 2
    except (_core.OutputError, Refused) as error:
        print(f"tidewatt: {error}", file=sys.stderr)
        return 74
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
