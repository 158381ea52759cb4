"""Inputs in the shapes of public bug reports (public_cases.toml): each import gives the truth, or a refusal that names the way out."""
import tomllib
from pathlib import Path

import pandas as pd
import pytest
from import_case import shared

from tidewatt.importers.__main__ import main

CASES = tomllib.loads(Path(__file__).with_name("public_cases.toml").read_text(encoding="utf-8"))["case"]


def near(cell, true):
    """Whether a cell is the true one: an empty one for "", a number within 1e-6, or the same text."""
    if true == "" or pd.isna(cell) or cell == "":
        return true == "" and (pd.isna(cell) or cell == "")
    return float(cell) == pytest.approx(float(true), rel=1e-6) if isinstance(true, (int, float)) else str(cell) == true


def check(table, case):
    """Everything but refusals and warnings."""
    assert len(table) == case.get("rows", len(table))
    for column, n in case.get("distinct", {}).items():
        assert table[column].nunique() == n, column
    for at, row in (("first", 0), ("last", -1)):
        for column, true in case.get(at, {}).items():
            assert near(table[column].iloc[row], true), (at, column, table[column].iloc[row])
    for what in ("sum", "mean"):
        for column, true in case.get(what, {}).items():
            assert getattr(pd.to_numeric(table[column]), what)() == pytest.approx(true), (what, column)
    for column, n in case.get("empty", {}).items():
        assert (table[column] == "").sum() == n, column
    for name, rows in case.get("by", {}).items():
        for value, cells in rows.items():
            found = table[table[name] == value]
            assert len(found) == 1, (name, value, list(table[name]))
            for column, true in cells.items():
                assert near(found[column].iloc[0], true), (value, column, found[column].iloc[0])
    if "hottest" in case:
        assert pd.Timestamp(table["time"][pd.to_numeric(table["drybulb_degC"]).idxmax()]).hour == case["hottest"]


@pytest.mark.parametrize("case", CASES, ids=[c["name"] for c in CASES])
def test_a_public_case_gives_its_truth_or_a_way_out(case, tmp_path, capsys):
    out = tmp_path / "out.csv"
    kind, *options = case["command"]
    code = main([kind, *(str(shared("public_cases", f)) for f in case["files"]), "-o", str(out), *options])
    said = capsys.readouterr().err
    if "refused" in case:
        assert code == 2 and not out.exists() and all(w in said for w in case["refused"]), (code, said)
        return
    assert code == 0, said
    check(pd.read_csv(out, dtype=str, keep_default_na=False), case)
    for word in case.get("warned", []):
        assert word in said, (word, said)
