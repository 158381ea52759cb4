"""Runs of commands and of tests/durability for the acceptance scripts: one verdict each, and their figures for the scorecard."""
import os
import re
import subprocess
from pathlib import Path

import product

ROOT = product.ROOT


def run(report, name, bound, line, figure=r"\S.*", env=None, test=None):
    """A command that must succeed; its figure is the last line that matches. `test`: its name in the scorecard."""
    build = Path(report.binary).parents[1]
    shim = next(build.rglob("libtidewatt_fail_shim.so"), "")
    more = {"TIDEWATT": report.binary, "TIDEWATT_CLI": report.binary, "TIDEWATT_SHIM": str(shim), "PYTHONPATH": str(build / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([str(w) for w in line], cwd=ROOT, env={**os.environ, **more, **(env or {})}, capture_output=True, text=True, errors="replace")
    product.keep_figures(report, test or name, done.stdout)
    lines = [x.strip() for x in (done.stdout + "\n" + done.stderr).splitlines() if re.search(figure, x)]
    said = re.sub(r"^scorecard \d+: ", "", lines[-1])[-160:] if lines else "no output"
    if done.returncode in (3, 77):
        return report.skip(name, f"a tool is missing: {said}")
    report.judge(name, done.returncode == 0, said, bound)


def durability(report, name, bound, test, *arguments):
    run(report, name, bound, ["/usr/bin/python3", "-B", ROOT / "tests" / "durability" / f"{test}_test.py", *arguments], r"^scorecard",
        test=f"durability.{IN_CTEST.get(test, (test, test))[0 if report.quick else 1]}")


# Names of the same tests in CTest, where they are others: a share of the cases, all of them.
IN_CTEST = {"kill": ("kill", "kill_200"), "failing_disk": ("failing_disk", "failing_disk_all"), "metamorphic_hunt": ("metamorphic_quick", "metamorphic_long"),
            "limits": ("limits", "limits_all"), "import_mutations": ("import_mutations", "import_mutations_all"), "hottest_die": ("hottest_die", "hottest_die_all"), "forged": ("forged", "forged_all")}  # fmt: skip
