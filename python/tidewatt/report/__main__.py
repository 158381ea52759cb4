"""python3 -m tidewatt.report RESULT.h5 --out DIR"""
from __future__ import annotations

import argparse
import sys

from . import build, compare


def main() -> int:
    """The command line. @returns exit code: 0, or 2 for a file that is no result."""
    parser = argparse.ArgumentParser(prog="tidewatt.report", description="Draw the pictures of a result file.")
    parser.add_argument("result", help="HDF5 file from `tidewatt run`")
    parser.add_argument("other", nargs="?", help="a second one: one page that compares them")
    parser.add_argument("--out", default="report", help="folder for the pictures (default: report)")
    args = parser.parse_args()
    try:
        report = build(args.result, args.out) if args.other is None else compare(args.result, args.other, args.out)
    except OSError as error:
        names = args.result if args.other is None else f"{args.result}, {args.other}"
        print(f"tidewatt: {names}: not a result file of tidewatt ({error})", file=sys.stderr)
        return 2
    for path in report.paths:
        print(path)
    for note in report.notes:
        print(f"left out: {note}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
