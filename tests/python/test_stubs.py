"""The types that editors see are those of the compiled half: mypy's stubtest imports it and compares."""
import importlib.util
import os
import subprocess
import sys

import pytest

# Classes of pybind11 have its metaclass and, where Python cannot make them, a constructor of any arguments; an error's list of
# findings is set when it is raised.
ALLOWED = r"""
tidewatt\._core\.(Catalog|Engine|GpuDensity|ResultFile|RunResult|Scenario|Sweep|SweepFolder)
tidewatt\._core\.(Catalog|Engine|GpuDensity|ResultFile|RunResult|Scenario|Sweep|SweepFolder)\.__init__
tidewatt\._core\.InputError\.findings
"""


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="no mypy here: apt-get install mypy")
def test_stubs_fit_the_compiled_half(tmp_path):
    allowed = tmp_path / "allowed"
    allowed.write_text(ALLOWED.strip() + "\n")
    package = next(os.path.abspath(p) for p in sys.path if os.path.exists(os.path.join(p, "tidewatt", "_core.pyi")))
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "tidewatt._core", "--allowlist", allowed, "--ignore-unused-allowlist",
                           "--ignore-missing-stub"], capture_output=True, text=True,
                          env={**os.environ, "MYPYPATH": package, "PYTHONPATH": package}, cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0 and "1 module" in done.stdout, done.stdout[-4000:] + done.stderr[-2000:]
