"""python3 -m tidewatt.report RESULT.h5 --out DIR"""
from __future__ import annotations

import argparse
import sys

from . import build


def main() -> int:
    parser = argparse.ArgumentParser(prog="tidewatt.report", description="Draw the pictures of a result file.")
    parser.add_argument("result", help="HDF5 file from `tidewatt run`")
    parser.add_argument("--out", default="report", help="folder for the pictures (default: report)")
    args = parser.parse_args()
    try:
        report = build(args.result, args.out)
    except OSError as error:
        print(f"tidewatt: {args.result}: not a result file of tidewatt ({error})", file=sys.stderr)
        return 2
    for path in report.paths:
        print(path)
    for note in report.notes:
        print(f"left out: {note}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
