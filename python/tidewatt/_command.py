"""The `tidewatt` command of an installed wheel."""
import os
import sys
from pathlib import Path


def main() -> None:
    """Runs the compiled program, whose reports and pages this Python then draws."""
    program = Path(__file__).with_name("bin") / "tidewatt"
    os.environ.setdefault("TIDEWATT_PYTHON", sys.executable)
    os.execv(program, ["tidewatt", *sys.argv[1:]])
