"""Names, paths and texts that carry markup or formulas: report and page show them as text."""
import html
import json
import re
import sys
from pathlib import Path

import h5py
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import synthetic_result  # noqa: E402
from test_report_page import dumped, needs_browser  # noqa: E402
from tidewatt import report  # noqa: E402

OWNED = "document.documentElement.setAttribute('data-owned',1)"
# Ends an attribute and an element, ends a script, and asks for a formula that matplotlib cannot set. The first has no slash: a
# group of a file is called so.
NAME = f'$\\frac$"><img src=q onerror="{OWNED}">'
TEXT = f"{NAME}' onload='{OWNED}' </script><script>{OWNED}</script><svg onload={OWNED}> javascript:{OWNED} \x1b[2J"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The report of a result whose every text is hostile, its path too."""
    folder = tmp_path_factory.mktemp("hostile")
    path = folder / f"{NAME}.h5"
    synthetic_result.write(path)
    with synthetic_result.edited(path) as tree:
        tree.move("waveform_transients", f"waveform_{NAME}")
        for key in ("events/entity", "events/kind", "events/text", "trust/key", "trust/source", "energy/level"):
            n = tree[key].size
            del tree[key]
            tree.create_dataset(key, data=[TEXT] * n, dtype=h5py.string_dtype())
        group = tree.create_group("compliance")
        for key, value in {"rule_set": TEXT, "rule": TEXT, "title": TEXT, "verdict": TEXT, "unit": TEXT}.items():
            group.create_dataset(key, data=[value], dtype=h5py.string_dtype())
        for key in ("value", "spread", "limit", "margin_frac", "worst_s"):
            group.create_dataset(key, data=[1.0])
        summary = json.loads(tree.attrs["summary_json"])
        summary |= {"compliance": TEXT, "grid_case": TEXT, "limiter_share": {TEXT: 1.0}, "jobs": [{"name": TEXT, "model": TEXT}] * 2, "grid_case_site_leaves": TEXT}
        tree.attrs["summary_json"] = json.dumps(summary)
        tree["provenance"].attrs.update({"weather": TEXT, "start_time": TEXT})
    return path, report.build(path, folder / f"out {NAME}", pictures=True)


def test_every_picture_is_drawn(written):
    _, done = written
    names = {p.stem for p in done.paths}
    assert {"day", f"waveform_{NAME}", "events", "limiter", "spectrum", "iteration"} <= names
    events = next(p for p in done.paths if p.name == "events.svg").read_text()
    assert "$\\frac$" in events and "<img" not in events and "<script" not in events


def test_decades_of_a_logarithmic_axis_are_numbers(written):
    spectrum = next(p for p in written[1].paths if p.name == "spectrum.svg").read_text()
    assert "mathdefault" not in spectrum and re.search(r">0\.1<", spectrum)


@pytest.mark.parametrize("kind", ["one result", "two results"])
def test_markup_in_texts_is_text(written, tmp_path, kind):
    path, done = written
    page = done.paths[0] if kind == "one result" else report.compare(path, path, tmp_path).paths[0]
    text = page.read_text().split('<script type="application/json"')[0]
    assert "<img" not in text and "<svg" not in text and "<script" not in text
    assert kind == "two results" or html.escape(NAME) in text


@needs_browser
@pytest.mark.parametrize("kind", ["one result", "two results"])
def test_no_text_runs_as_a_script(written, tmp_path, kind):
    path, done = written
    page = done.paths[0] if kind == "one result" else report.compare(path, path, tmp_path).paths[0]
    plain = tmp_path / "page.html"  # Chromium is given a path without quotes; the page is the same
    plain.write_bytes(page.read_bytes())
    dom = dumped(plain, tmp_path / "profile", 1280)
    assert "data-drawn" in dom and "data-owned=" not in dom.split("<script", 1)[0]
    assert re.search(r'data-error="', dom.split("<script", 1)[0]) is None
