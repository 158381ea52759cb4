"""python3 -m tidewatt.importers KIND FILE… -o OUT, which `tidewatt import` runs."""

from __future__ import annotations

import argparse
import json
import sys

from .._write import whole
from . import KINDS, InputError, import_logs, output


def main(argv=None) -> int:
    """The command line. `argv`: arguments; those of the process by default.
    Returns exit code: 0, 2 when nothing usable was read, for contradictions and, with --strict, for warnings; 74 if OUT cannot be written.
    """
    args = _arguments().parse_args(argv)
    try:
        columns, units = _pairs(args.column, "--column"), _pairs(args.unit, "--unit")
        done = import_logs(args.kind, args.file, columns=columns, units=units, metric=args.metric, time_zone=args.time_zone, align=args.align, name=args.name)
        lines = done.report.warnings
        for line in lines:
            print(f"tidewatt: {line}", file=sys.stderr)
        refused = args.strict and lines
        written = [] if refused else output.write(done, args.out)
        if args.report:
            whole(args.report, json.dumps(done.report.as_dict(), indent=2, default=str) + "\n")
    except InputError as error:
        print(f"tidewatt: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"tidewatt: {error}", file=sys.stderr)
        return 74
    if refused:
        print(f"tidewatt: {len(lines)} warnings and --strict: nothing was written", file=sys.stderr)
        return 2
    report = done.report
    print(
        f"{report.kind}: {report.rows_read} rows read, {len(report.mended)} mended, {len(report.ignored)} ignored; "
        f"{report.rows_written} rows × {len(done.table.columns)} columns → {', '.join(map(str, written))}"
    )
    for note in report.notes:
        print(f"note: {note}")
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tidewatt import", description="Logs of your own as tables that the other commands read.")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("file", nargs="+")
    parser.add_argument("-o", "--out", required=True)
    parser.add_argument("--column", action="append", default=[])
    parser.add_argument("--unit", action="append", default=[])
    parser.add_argument("--metric")
    parser.add_argument("--time-zone")
    parser.add_argument("--align", type=float, nargs="?", const=0.0)
    parser.add_argument("--name", default="profile")
    parser.add_argument("--report")
    parser.add_argument("--strict", action="store_true")
    return parser


def _pairs(given: list[str], option: str) -> dict[str, str]:
    wrong = [g for g in given if "=" not in g]
    if wrong:
        raise InputError(f"{option} {wrong[0]}: expected NAME={'UNIT' if option == '--unit' else 'COLUMN'}")
    return dict(g.split("=", 1) for g in given)


if __name__ == "__main__":
    sys.exit(main())
