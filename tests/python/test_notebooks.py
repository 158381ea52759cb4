"""The notebooks run from top to bottom, draw, and are kept without outputs."""
import os
import subprocess
import sys

import nbformat
import pytest
from tiny_case import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def outputs(notebook):
    return [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]


def test_there_are_notebooks():
    assert [path.name[:2] for path in NOTEBOOKS] == ["01", "02", "03", "04", "05", "06", "07"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_kept_without_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert outputs(notebook) == []
    assert all(cell.execution_count is None for cell in notebook.cells if cell.cell_type == "code")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_runs_and_draws(path, tmp_path):
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--ExecutePreprocessor.timeout=500",
               "--output-dir", tmp_path, path]  # fmt: skip
    # The notebook chooses its own backend.
    environment = {key: value for key, value in os.environ.items() if key != "MPLBACKEND"}
    environment.setdefault("TIDEWATT_N_CASE", "96")  # of the thousand what-ifs
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    made = outputs(nbformat.read(tmp_path / path.name, as_version=4))
    assert not [out for out in made if out.output_type == "error"]
    code = "".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")
    pictures = [out for out in made if "image/png" in out.get("data", {})]
    assert len(pictures) == code.count("plt.show()") >= 3
