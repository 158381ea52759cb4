"""The notebooks are kept with their outputs, and a run from top to bottom gives the same words, tables and pictures."""
import os
import subprocess
import sys

import nbformat
import pytest
from tiny_case import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def code_cells(path):
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def test_there_are_notebooks():
    assert [path.name[:2] for path in NOTEBOOKS] == [f"{n:02d}" for n in range(1, len(NOTEBOOKS) + 1)] and len(NOTEBOOKS) >= 7


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_one_question_one_picture_one_answer_few_lines(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    head = notebook.cells[0].source
    assert head.startswith("# ") and head.count("**") == 2 and "?**" in head.replace("\n", " "), "a title and one question in bold"
    outputs = [out for cell in code_cells(path) for out in cell.outputs]
    assert sum("image/png" in out.get("data", {}) for out in outputs) == 1
    assert any(out.output_type == "stream" and out.text.strip() for out in outputs), "an answer in words"
    assert not any(out.output_type == "error" or out.get("name") == "stderr" for out in outputs)
    assert sum(cell.source.count("\n") + 1 for cell in code_cells(path)) <= 50


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_run_gives_the_stored_outputs(path):
    if "tw.calibrate(" in path.read_text(encoding="utf-8"):
        pytest.importorskip("emcee", reason="this notebook needs the Python package emcee")
    environment = {key: value for key, value in os.environ.items() if key != "MPLBACKEND"}
    done = subprocess.run([sys.executable, ROOT / "scripts" / "notebooks", "--check", path], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
