"""python3 -m tidewatt.report RESULT.h5 --out DIR [--pictures] [--only PART] [--contract-MW MW]"""
from __future__ import annotations

import argparse
import sys

from . import build, compare


def main() -> int:
    """The command line. Returns exit code: 0; 2: a file is no result, or damaged; 74: the page or the pictures cannot be written."""
    parser = argparse.ArgumentParser(prog="tidewatt.report", description="Make one page of a result file, with pictures on request.")
    parser.add_argument("result", help="HDF5 file from `tidewatt run`")
    parser.add_argument("other", nargs="?", help="a second one: one page that compares them")
    parser.add_argument("--out", default="report", help="folder for the page and the pictures (default: report)")
    parser.add_argument("--pictures", action="store_true", help="also each picture as PNG and SVG")
    parser.add_argument("--only", action="append", default=[], metavar="PART", help="a part, e.g. day or spectrum; may be repeated")
    parser.add_argument("--contract-MW", type=float, metavar="MW", help="a contract that limits the mean of the hottest hour; its verdict is added to those of the rules")
    args = parser.parse_args()
    try:
        from .. import _core
    except ImportError as error:
        print(f"tidewatt: the compiled half of the Python package cannot be used: {error}", file=sys.stderr)
        return 74
    try:
        report = build(args.result, args.out, args.pictures, args.only, contract_MW=args.contract_MW) if args.other is None else compare(args.result, args.other, args.out)
    except _core.InputError as error:
        print(f"tidewatt: {error}", file=sys.stderr)
        return 2
    except (_core.OutputError, ImportError) as error:
        print(f"tidewatt: {error}", file=sys.stderr)
        return 74
    for path in report.paths:
        print(path)
    for note in report.notes:
        print(f"left out: {note}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
