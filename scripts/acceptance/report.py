"""What the acceptance scripts have in common: a report of verdicts, and the command line."""
import argparse
import datetime
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import product


class Report:
    """Prints the verdict of each check, one a line, and counts them; runs the product on the way."""

    def __init__(self, binary, quick):
        self.binary, self.quick = binary, quick
        self.folder = tempfile.TemporaryDirectory(prefix="tidewatt_")
        self.counts = {"PASS": 0, "FAIL": 0, "SKIP": 0, "UNMET": 0}
        self.n_run = 0

    def _line(self, verdict, name, measured, bound):
        self.counts[verdict] += 1
        print(f"{verdict}  {name:<44} {measured}" + (f"  [{bound}]" if bound else ""), flush=True)

    def judge(self, name, ok, measured, bound):
        self._line("PASS" if ok else "FAIL", name, measured, bound)

    def within(self, name, value, low, high, unit="", form=".3g", note=""):
        ok = value is not None and low <= value <= high
        bound = f"{low:g} to {high:g}" if low > float("-inf") else f"at most {high:g}"
        measured = f"{value:{form}} {unit}".rstrip() if value is not None else "null"
        self._line("PASS" if ok else "FAIL", name, f"{measured} ({note})" if note else measured, f"{bound} {unit}".rstrip())

    def at_most(self, name, value, high, unit="", form=".3g", note=""):
        self.within(name, value, float("-inf"), high, unit, form, note)

    def skip(self, name, why):
        self._line("SKIP", name, why, "")

    def unmet(self, name, measured, bound):
        """A bound that the issue allows to miss, where the product's pages say by how much and why."""
        self._line("UNMET", name, measured, bound)

    def run(self, scenario, sets=None, *more, interval=False):
        self.n_run += 1
        out = Path(self.folder.name) / f"{self.n_run}"
        return product.run(self.binary, scenario, out, sets, more, interval=interval)

    def runs(self, cases, interval=False):
        """Several independent runs of one thread each, as many at a time as there are cores."""
        with ThreadPoolExecutor(max_workers=product.cores()) as pool:
            jobs = []
            for scenario, sets, more in cases:
                self.n_run += 1
                out = Path(self.folder.name) / f"{self.n_run}"
                jobs.append(pool.submit(product.run, self.binary, scenario, out, sets, ["--threads", 1, *more], interval=interval))
            return [j.result() for j in jobs]

    def finish(self):
        """Ends the script: exit code 1 if any check has failed."""
        c = self.counts
        print(f"{Path(sys.argv[0]).name}: {c['PASS']} passed, {c['FAIL']} failed, {c['SKIP']} skipped" + (f", {c['UNMET']} unmet, as the pages say" if c["UNMET"] else ""))
        sys.exit(1 if c["FAIL"] else 0)


def main(doc, groups, quick="shorter runs where a group has them; no bound on wall time there", options=(), not_quick=()):
    """The command of an acceptance script: its groups of checks {name: function of a report}, each judged for itself.

    `quick`: what --quick does  `options`: further {flag: help} that a report keeps by name  `not_quick`: groups that
    --quick leaves out
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", help="the tidewatt command")
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--only", help=f"comma-separated groups of: {', '.join(groups)}")
    for flag, text in dict(options).items():
        parser.add_argument(flag, help=text)
    args = parser.parse_args()
    chosen = args.only.split(",") if args.only else [g for g in groups if not (args.quick and g in not_quick)]
    if unknown := [g for g in chosen if g not in groups]:
        parser.error(f"no such group: {', '.join(unknown)}")
    report = Report(product.find_binary(args.bin), args.quick)
    for flag in dict(options):
        name = flag.lstrip("-").replace("-", "_")
        setattr(report, name, getattr(args, name))
    print(f"{report.binary}, {datetime.datetime.now():%Y-%m-%d %H:%M}, {product.cores()} cores")
    for group in chosen:
        for check in groups[group] if isinstance(groups[group], list) else [groups[group]]:
            try:
                check(report)
            except Exception as error:  # a check that cannot run has failed; the others still say what they measure
                report.judge(f"{group}: could not be checked", False, str(error), "")
    report.finish()
