"""The page in a browser without a screen: it draws, zooms from days to milliseconds, counts costs, and compares two results."""
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import page_numbers  # noqa: E402
import synthetic_result  # noqa: E402
from tidewatt import _figures, report  # noqa: E402
from tidewatt.report import charts, compare_page, compliance, day, energy, findings, grid_case, limiter, page_data, page_files, zoom  # noqa: E402
from tidewatt.report.read import Missing, ResultFile  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "synthetic.h5"
    synthetic_result.write(path)
    with synthetic_result.edited(path) as tree:
        group = tree.create_group("compliance")
        for key, values in {"rule_set": ["nerc"] * 3, "rule": ["a", "b", "c"], "title": ["ramp <up>", "step", "band"],
                            "verdict": ["pass", "fail", "not measured"]}.items():  # fmt: skip
            group.create_dataset(key, data=values, dtype=h5py.string_dtype())
        for key, values in {"value": [1.0, 3.0, np.nan], "spread": [0.1, 0.0, 0.0], "limit": [2.0, 2.0, 1.0],
                            "margin_frac": [0.5, -0.5, np.nan], "worst_s": [10.0, 20.0, -1.0]}.items():  # fmt: skip
            group.create_dataset(key, data=values)
        group, t = tree.create_group("grid_case"), np.arange(0.02, 60, 0.02)
        for key, values in {"time": t, "machine": [30.0, 31.0], "machine_Hz": np.stack([1e-3 * np.sin(t), 4e-3 * np.sin(7 * t)], axis=1),
                            "bus_Hz": 1e-3 * np.sin(t), "bus_pu": 1.03 + 1e-6 * np.sin(t)}.items():  # fmt: skip
            group.create_dataset(key, data=values)
        summary = json.loads(tree.attrs["summary_json"])
        summary |= {"grid_case": "two, bus 3", "grid_case_machine_swing_mHz": 8.0, "grid_case_machine_bus": 31,
                    "grid_case_bus_mHz": {"lowest": -1.25, "highest": 1.0}, "grid_case_least_damped": {"mode_Hz": 1.1, "damping_percent": 4.9}}  # fmt: skip
        tree.attrs["summary_json"] = json.dumps(summary)
    return path


@pytest.fixture(scope="module")
def page(file, tmp_path_factory):
    return report.write(file, tmp_path_factory.mktemp("page"))[0]


def dom(page, script="", width=1280):
    """The page's elements after its script has run and, some seconds later, the one given."""
    text = page.read_text()
    if script:
        text = text.replace("</body>", f"<script>setTimeout(function () {{ {script} }}, 1500);</script></body>")
    driven = page.with_name("driven.html")
    driven.write_text(text)
    return dumped(driven, page.parent / "profile", width)


def dumped(page, profile, width, *flags):
    """A page's elements after six seconds."""
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
               "--disable-component-update", "--disable-sync", f"--user-data-dir={profile}", f"--window-size={width},900",
               *flags, "--virtual-time-budget=6000", "--dump-dom", page.as_uri()]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def attribute(html, name):
    return re.search(rf'{name}="([^"]*)"', html.split("<script", 1)[0])


def framed(page, width):
    """A page in a frame of `width` pixels, after four seconds: the pixels it takes (more means that a phone's reader has to push it
    sideways), the charts it drew, its drawings, and its error."""
    frame = page.with_name("frame.html")
    frame.write_text(f"""<body><iframe src="{page.name}" style="width:{width}px;height:900px;border:0"></iframe><script>
        setTimeout(function () {{
            var inner = document.querySelector("iframe").contentDocument;
            document.body.setAttribute("data-width", inner.documentElement.scrollWidth);
            document.body.setAttribute("data-plots", inner.querySelectorAll("svg.plot").length);
            ["data-drawn", "data-error"].forEach(function (name) {{
                var at = inner.querySelector("[" + name + "]");
                if (at) document.body.setAttribute(name, at.getAttribute(name)); }}); }}, 4000);</script></body>""")
    html = dumped(frame, page.parent / "profile", 1280, "--allow-file-access-from-files")
    error = attribute(html, "data-error")
    return tuple(int(attribute(html, f"data-{name}")[1]) for name in ("width", "drawn", "plots")), error and error[1]


@pytest.fixture(scope="module")
def whole(page):
    """The page as it opens on a desk."""
    return dom(page)


@pytest.fixture(scope="module")
def used(page):
    """The page after a click on its third zoom and a price of the reader's own: each start of the browser takes seconds."""
    return dom(page, "document.querySelectorAll('[data-zoom]')[3].click();"
               "var f = document.getElementById('cost'); f.price.value = 100; f.dispatchEvent(new Event('input'));")  # fmt: skip


@needs_browser
def test_every_chart_is_drawn_without_an_error(whole):
    assert attribute(whole, "data-error") is None
    charts = int(attribute(whole, "data-drawn")[1])
    assert charts >= 12
    assert whole.split("<script", 1)[0].count('class="plot"') == charts


@needs_browser
def test_on_a_phone_every_chart_is_drawn_and_nothing_is_wider(page):
    (width, drawn, plots), error = framed(page, 390)
    assert error is None and width <= 390
    assert drawn >= 12 and plots >= drawn


@needs_browser
def test_two_results_compared_draw_also_on_a_phone(file, tmp_path):
    (width, drawn, plots), error = framed(report.compare(file, file, tmp_path).paths[0], 390)
    assert error is None and width <= 390
    assert drawn >= 7 and plots >= drawn


@needs_browser
def test_zooming_in_draws_milliseconds(page, whole, used):
    assert float(attribute(used, "data-step")[1]) == pytest.approx(1e-3)
    assert "every 1 ms" in re.search(r'id="chart-zoom-level">([^<]*)', used)[1]
    assert float(attribute(whole, "data-step")[1]) <= float(attribute(used, "data-step")[1]) * 1e5
    # A drag over a 300th of the ten minutes, with what a mouse sends.
    dragged = dom(page, "var h = document.querySelector('#chart-zoom .holder'), b = h.getBoundingClientRect(), x = b.left + b.width / 2;"
                  "function send(kind, at) { h.dispatchEvent(new PointerEvent(kind, { clientX: at, clientY: b.top + b.height / 2, bubbles: true })); }"
                  "document.querySelectorAll('[data-zoom]')[1].click(); send('pointerdown', x); send('pointermove', x + 10); send('pointerup', x + 10);"
                  "send('pointermove', x); document.body.setAttribute('data-tip', document.querySelector('#chart-zoom .tip').textContent);")  # fmt: skip
    assert re.match(r"07-20 \d\d:\d\d:\d\d\.\d{3}(power|mean|smallest)", attribute(dragged, "data-tip")[1])
    assert float(attribute(dragged, "data-step")[1]) == pytest.approx(1e-3)
    assert attribute(dragged, "data-error") is None


@needs_browser
def test_costs_follow_the_reader_s_price(used, file):
    with ResultFile(file) as result:
        site_MWh = energy.totals(result)["site"]
    shown = re.search(r"<output>([\d,]+) USD", used)[1]
    assert float(shown.replace(",", "")) == pytest.approx(100 * site_MWh, rel=1e-3, abs=1)


def test_machines_of_the_grid_are_drawn_and_said(page, file):
    with ResultFile(file) as result:
        chart = charts.machines(result)
        assert grid_case.draw(result).axes[0].get_legend_handles_labels()[1] == ["other machines", "machine at bus 31", "the site's bus, over 100 ms"]
    assert [t["name"] for t in chart["data"]] == ["other machines", "machine at bus 31", "the site's bus, over 100 ms", "voltage at the site's bus"]
    assert len(set(chart["data"][-1]["y"])) > 100  # microvolts per volt are not rounded away
    text = page.read_text().replace("\u00a0", " ")
    assert "The frequency of a machine swings by 8.00 mHz, at bus 31" in text
    assert "lowest −1.25 mHz, highest 1.00 mHz" in text and "mode 1.10 Hz, damping 4.90 %" in text


def test_figures_that_are_lists_say_their_units_and_leave_empty_shares_out():
    assert _figures.shown("limiter_share", {"none": 0.0, "power": 0.75, "thermal": 0.25}) == "power\u00a075.0\u00a0%, thermal\u00a025.0\u00a0%"
    assert _figures.shown("grid_case_rotor_deg", 0.25) == "0.250°"
    assert _figures.shown("cost_USD", {"energy": 1.0, "total": None}).startswith("energy\u00a01.00\u00a0USD, total\u00a0–")
    assert _figures.shown("limiter_share", ["no", "list"]) == "['no', 'list']"  # a damaged file's


def test_a_day_s_lines_reach_its_end(file):
    with ResultFile(file) as result:
        panels = day.draw(result).axes
        end = float(panels[0].get_xlim()[1])
        assert all(line.get_xdata()[-1] == pytest.approx(end) for axes in panels[:5] for line in axes.lines)


def test_limiters_that_held_are_shown_and_no_others(file, tmp_path):
    with ResultFile(file) as result:
        assert "brake" not in limiter.shares(result)
    other = tmp_path / "braked.h5"
    shutil.copy(file, other)
    with synthetic_result.edited(other) as tree:
        share = np.zeros(tree["day/time"].shape)
        share[3] = 1.0
        tree["day"].create_dataset("limiter_brake_frac", data=share)
    with ResultFile(other) as result:
        assert limiter.shares(result)["brake"][3] == 1.0


def test_the_worst_verdict_comes_first_and_markup_stays_text(page, file):
    with ResultFile(file) as result:
        rows = compliance.rows(result)
    assert [row["verdict"] for row in rows] == ["fail", "not measured", "pass"]
    assert compliance.words(rows)[0] == "1 of 3 rules fail"
    assert "ramp &lt;up&gt;" in page.read_text()


def test_levels_keep_every_spike(file):
    with ResultFile(file) as result:
        levels = zoom.levels(result)
        top_MW = max(result.group(name)["pcc_W"].max() for name in result.names("waveform_")) / 1e6
    assert [level["step_s"] for level in levels] == sorted(level["step_s"] for level in levels)
    text, arrays = page_data.packed({"mean": levels[0]["mean"]})
    values = page_numbers.unpacked(text, arrays)["mean"]
    assert values.size == levels[0]["n"] and values.max() == pytest.approx(top_MW, rel=1e-4)


def test_a_file_without_rules_says_so(tmp_path):
    path = tmp_path / "plain.h5"
    synthetic_result.write(path)
    with ResultFile(path) as result, pytest.raises(Missing):
        compliance.rows(result)


def test_settings_that_differ_are_found(file, tmp_path):
    other = tmp_path / "other.h5"
    shutil.copy(file, other)
    with synthetic_result.edited(other) as tree:
        text = tree["provenance/scenario"][()].decode() if "scenario" in tree["provenance"] else tree["provenance"].attrs["scenario"]
        changed = text + "\ncap_W = 600\n"
        if "scenario" in tree["provenance"]:
            del tree["provenance/scenario"]
            tree["provenance"].create_dataset("scenario", data=changed, dtype=h5py.string_dtype())
        else:
            tree["provenance"].attrs["scenario"] = changed
    with ResultFile(file) as a, ResultFile(other) as b:
        assert [(before, after) for key, before, after in compare_page.settings(a, b) if key.endswith("cap_W")] == [("", "600")]
    assert compare_page.change(2.0, 1.9) == "−5.00 %"
    assert compare_page.change(None, 1.0) == "–"
    assert compare_page.change(70.0, 71.5, "°C") == "+1.5 K"  # a percentage of degrees Celsius says nothing


@needs_browser
def test_a_pulse_shorter_than_a_pixel_is_drawn_no_longer_than_one(tmp_path):
    script = """
    var t = { x: [], step: true }, y = [];  // 0.2 s at 0.1 ms, a level of 1, a pulse of two samples at 5 and 4, then rare points at 2
    for (var i = 0; i < 2000; i++) { t.x.push(i * 1e-4); y.push(i === 1003 ? 5 : i === 1004 ? 4 : 1); }
    for (i = 0; i < 4; i++) { t.x.push(0.2 + 0.1 * i); y.push(2); }
    document.body.setAttribute("data-path", path(t, y, function (s) { return 1000 * s; }, function (v) { return 100 - 10 * v; }, 0, 0.5));"""
    page = tmp_path / "plot.html"
    page.write_text(f"<html><body><script>{page_files.text(page_files.__file__, 'plot.js')}\n{script}</script></body></html>")
    drawn = attribute(dumped(page, tmp_path / "profile", 800), "data-path")[1]
    moves = re.findall(r"([MHV])([\d.]+)(?: ([\d.]+))?", drawn)
    x, y, at, reach = float(moves[0][1]), float(moves[0][2]), {}, []
    for kind, value, _ in moves[1:]:
        if kind == "H":
            at[y] = at.get(y, 0.0) + float(value) - x  # pixels drawn at each level
            x = float(value)
        else:
            y = float(value)
            reach.append(y)
    assert min(reach) == 50.0  # the spike is there
    assert at[90.0] == pytest.approx(200.0, abs=1.0) and at[80.0] == pytest.approx(300.0, abs=1.0)
    assert at.get(50.0, 0.0) + at.get(60.0, 0.0) <= 0.6


@needs_browser
def test_a_gap_in_a_band_stays_as_wide_however_often_it_is_drawn(tmp_path):
    script = """
    var t = { x: [0, 1, 2, 3, 4, 5], low: [1, 1, NaN, NaN, NaN, 1], high: [2, 2, NaN, NaN, NaN, 2], step: true }, drawn = [];
    for (var k = 0; k < 3; k++) drawn.push(band(t, function (s) { return 10 * s; }, function (v) { return v; }, 0, 5));
    document.body.setAttribute("data-path", drawn.join("|"));"""
    page = tmp_path / "band.html"
    page.write_text(f"<html><body><script>{page_files.text(page_files.__file__, 'plot.js')}\n{script}</script></body></html>")
    first, *others = attribute(dumped(page, tmp_path / "profile", 800), "data-path")[1].split("|")
    assert others == [first, first]
    assert max(float(x) for x in re.findall(r"[MLH]([\d.]+)", first.split("Z")[0])) == 20.0  # a step lasts until the gap


def test_the_cards_show_the_chance_that_lies_beside_the_result(file, tmp_path):
    own = tmp_path / "own.h5"
    shutil.copy(file, own)
    beside = tmp_path / "own_chance.json"
    figures = {"pcc_max_MW": {"p05": 17.0, "p50": 18.5, "p95": 21.0}}
    beside.write_text(json.dumps({"payload_sha256": ResultFile(own).payload_sha256, "figures": figures, "text": "", "interval": {}}), encoding="utf-8")

    def page():
        return report.write(own, tmp_path / "page")[0].read_text(encoding="utf-8")

    assert "median 18.5\u00a0MW, 90 % within 17.0\u00a0to\u00a021.0" in page()
    # Captions have it too, and say what brackets hold: the caption of the waveform has the largest millisecond.
    words = findings.waveform(ResultFile(own), float("nan"))[1]
    assert "MW (17.0\u00a0to\u00a021.0)" in words and words.endswith("in brackets: 90 % interval over fleets, instants, inputs, days and model error")
    # The chance of another result under the same name does not count, nor does a damaged file.
    sha256 = ResultFile(own).payload_sha256
    forged = [{"payload_sha256": sha256, "text": "", "interval": {}, "figures": of} for of in ([], {"pcc_max_MW": 3}, {"pcc_max_MW": {"p05": "x", "p50": 1, "p95": 2}})]
    for text in (json.dumps({"payload_sha256": 64 * "1", "figures": figures, "text": "", "interval": {}}), "{", "[]", *map(json.dumps, forged)):
        beside.write_text(text, encoding="utf-8")
        assert "90 % within" not in page() and "in brackets" not in findings.waveform(ResultFile(own), float("nan"))[1]
