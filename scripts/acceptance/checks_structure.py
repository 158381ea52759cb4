"""Acceptance of the engine's structure and of the library's surface: class limits, steps, archives, symbols, an installed package, bits
of another compiler, a state in another process, errors."""
import re
import sys
import tomllib

import checks_ports
import product
from product import ROOT

RULES = ROOT / "tests" / "structure"
RELEASE = ROOT / "build" / "release"


def rule(report, name, check, *, exceptions=None):
    """One structure check without findings; where a list of exceptions is named, an empty one."""
    outcome = product.call([sys.executable, "-B", RULES / f"{check}_check.py"])
    lines = [x for x in outcome.stdout.splitlines() if not x.startswith("exception: ")]
    listed = tomllib.loads((RULES / exceptions).read_text(encoding="utf-8")) if exceptions else {}
    report.judge(name, outcome.code == 0 and not listed, ", ".join(listed) or lines[-1], "0 findings, no exception" if exceptions else "0 findings")


def tests(report, name, expression, case=None):
    """ctest entries, or test cases of one of them, pass. `case`: pattern of Catch's test names"""
    if case is None:
        outcome = product.call(["ctest", "--test-dir", RELEASE, "-R", expression, "--no-tests=error", "--output-on-failure"])
        said = re.search(r"\d+% tests passed.*", outcome.stdout)
    else:
        program = next(iter(sorted(RELEASE.rglob(expression))), None)
        if program is None:
            return report.judge(name, False, f"{expression} is not built", "passes")
        outcome = product.call([program, case])
        said = re.search(r"(All tests passed.*|test cases:.*)", outcome.stdout)
    report.judge(name, outcome.code == 0 and said is not None, said[0] if said else outcome.stdout[-200:] + outcome.stderr[-200:], "passes")


def check_classes(report):
    rule(report, "classes: 300 lines, 12 members, State and Scratch 15; step on one screen", "classes", exceptions="classes_exceptions.toml")
    rule(report, "the length of a step is decided in step_planner.cpp", "steps")
    rule(report, "parts and rooms include one way; the handbook tells the same", "parts")


def check_archive(report):
    rule(report, "a class saves all that it remembers, or says why not", "archives")
    tests(report, "a state of another layout, fleet or length is refused and changes nothing", "test_io", "a state*,a refused restore*")


def check_surface(report):
    rule(report, "installed headers are public: marked, in the version's namespace", "surface")
    headers = sorted((ROOT / "include").rglob("*.hpp"))
    private = sorted((ROOT / "src").glob("*/*.hpp"))
    report.judge("installed headers", len(headers) < 100, f"{len(headers)} installed, {len(private)} beside their sources", "< 100")
    tests(report, "the shared library offers what they declare and nothing else", r"^package\.symbols$")
    tests(report, "strangers build against the installed package, static and shared", r"^package\.installed$")


def check_bits(report):
    guard = product.call(["bash", ROOT / ".ci" / "guards", "clang"])
    if "no clang++" in guard.stdout:
        return report.skip("payload hashes of gcc and clang", "no clang++")
    said = re.search(r"clang: [^\n]*\b4 scenarios, (\d+) with other bits", guard.stdout)
    report.judge("payload hashes of gcc and clang, 4 scenarios", guard.code == 0 and said is not None and said[1] == "0", said[0] if said else guard.stdout[-200:], "0 with other bits")


def check_errors(report):
    checks_ports.check_refusals(report)
    tests(report, "a scenario changed in code has the findings of a file", "test_sim", "*the findings of a file,a scenario in code*,what was read is accepted*")


GROUPS = {"classes": check_classes, "archive": check_archive, "surface": check_surface, "restore": checks_ports.check_bits, "errors": check_errors,
          "compilers": check_bits}  # fmt: skip

__all__ = ["GROUPS"]
