"""The planner's page in a browser: by keys, at a phone's width, in several tabs; the newest setting wins."""
import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from browser import CHROMIUM, Browser
from planner_client import served
from tidewatt.planner.server import LIMIT_s
from tiny_case import tiny

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium")
DONE = "document.body.dataset.turn !== undefined && document.body.dataset.done === document.body.dataset.turn || document.body.dataset.error"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planner")
    tiny(10.0).save(folder / "small<b>.toml")
    with served(folder / "small<b>.toml", folder) as client:
        yield client.server.address


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.fixture
def tab(browser, address):
    tab = browser.tab()
    tab.width(1280)
    tab.go(address)
    tab.until("document.readyState === 'complete' && document.getElementById('intervals') && document.getElementById('c-cap')")
    tab.value("document.getElementById('intervals').checked = false")  # draws have tests of their own
    tab.until(DONE)
    yield tab
    assert tab.value("document.body.dataset.error") is None and not tab.errors
    tab.close()


def move(tab, control, value):
    """Sets a control as its user would and sends what a browser sends then."""
    tab.value(f"""(function () {{ var e = document.getElementById("{control}"); e.value = {json.dumps(value)};
        e.dispatchEvent(new Event(e.type === "range" ? "input" : "change", {{ bubbles: true }})); }})()""")


def answer(tab):
    return json.loads(tab.value("document.body.dataset.answer"))


def tile(tab, key):
    return tab.value(f"document.querySelector('[data-key={key}]').textContent")


def test_markup_of_a_scenario_stays_text(tab):
    assert tab.value("document.querySelector('h1').textContent") == "Plan small<b>"
    assert tab.value("document.querySelector('h1 b')") is None


def test_a_slider_moved_by_keys_is_answered_coarse_and_exact(tab):
    before = tile(tab, "pcc_mean_MW")
    tab.value("document.getElementById('c-cap').focus()")
    seen = "window.seen = []; new MutationObserver(function () { window.seen.push(document.body.dataset.state); }).observe(document.body, { attributes: true, attributeFilter: ['data-state'] })"
    tab.value(seen + ", 0")
    for _ in range(20):
        tab.key("ArrowLeft", 37)
    tab.until(DONE)
    assert answer(tab) | {"turn": 0} == {"turn": 0, "detail": "exact", "set": {"hall.a.cap_W": 600}}
    states = tab.value("window.seen")
    assert states.index("coarse") < states.index("exact")
    assert tile(tab, "pcc_mean_MW") != before and "≈" not in tile(tab, "pcc_mean_MW")
    assert tab.value("document.querySelector('#state .badge').textContent") == "exact"


def test_the_newest_of_many_moves_is_shown(tab):
    for cap in (690, 650, 610, 560, 520):
        move(tab, "c-cap", cap)
    tab.until(DONE)
    assert answer(tab)["set"] == {"hall.a.cap_W": 520}
    assert tab.value("document.getElementById('waveform').dataset.turn") == str(answer(tab)["turn"])


def test_a_bad_value_names_every_finding_and_the_page_goes_on(tab):
    move(tab, "n-cap", 9999)
    move(tab, "n-supply", 500)
    tab.until(DONE)
    assert tab.value("document.body.dataset.state") == "wrong"
    said = tab.value("document.getElementById('trouble').innerText")
    assert "cap_W" in said and "supply_high_degC" in said
    assert tab.value("document.getElementById('figures').classList.contains('waiting')")
    assert "outside" in tab.value("document.getElementById('state').innerText")  # in sight however far the page is scrolled
    tab.value("document.getElementById('reset').click()")
    move(tab, "c-gpus", 256)
    tab.until(DONE)
    assert tab.value("document.body.dataset.state") == "done"
    assert tab.value("document.getElementById('trouble').hidden")
    assert answer(tab)["set"]["hall.a.n_gpu"] == 256 and answer(tab)["set"]["job.main.plan.global_batch_sequences"] == 32


def test_a_typed_number_of_gpus_becomes_whole_replicas(tab):
    move(tab, "n-gpus", 300)
    tab.until(DONE)
    assert tab.value("document.getElementById('n-gpus').value") == "256" and tab.value("document.body.dataset.state") == "done"
    assert answer(tab)["set"]["hall.a.n_gpu"] == 256 and answer(tab)["set"]["job.main.plan.n_gpu"] == 256


def test_a_name_with_blanks_and_marks_becomes_a_folder(tab):
    tab.value("document.getElementById('name').value = ' 20 MW, battery/2'")
    tab.value("document.querySelector('[data-what=scenario]').click()")
    tab.until("/files below/.test(document.getElementById('exported').innerText)")
    assert tab.value("document.getElementById('name').value") == "20-MW-battery-2"
    assert "20-MW-battery-2/20-MW-battery-2.toml" in tab.value("document.getElementById('exported').innerText")


def test_a_coarse_answer_that_takes_too_long_gives_way_to_the_exact_one(tab, monkeypatch):
    monkeypatch.setitem(LIMIT_s, "coarse", 0.001)
    tab.value("window.seen = []; new MutationObserver(function () { window.seen.push(document.body.dataset.state); }).observe(document.body, { attributes: true, attributeFilter: ['data-state'] }), 0")
    move(tab, "c-cap", 555)
    tab.until(DONE)
    assert tab.value("document.body.dataset.state") == "done" and answer(tab)["detail"] == "exact" and answer(tab)["set"] == {"hall.a.cap_W": 555}
    assert "coarse" not in tab.value("window.seen")


def test_rules_contract_and_kept_variants(tab):
    move(tab, "n-contract", 0.01)
    assert tab.value("document.getElementById('verdict').innerText") == "not measured"  # ten minutes have no hour
    assert tab.value("document.getElementById('outcome').innerText") == "not measured" and tab.value("document.getElementById('outcome').className") == "verdict-open"
    move(tab, "n-ramp", 1e-6)
    tab.value("document.getElementById('r-power_stabilization_example').click()")
    tab.until(DONE)
    verdicts = tab.value("document.getElementById('verdicts').innerText")
    assert re.search(r"Rise at most 0\.000001 MW/s over 1 s\s+fail", verdicts) and "Dynamic range" in verdicts
    base_case = tab.value("document.querySelector('#beside tr:last-child td:nth-child(2)').textContent")
    assert base_case == tab.value("document.querySelector('#beside tr:last-child td:nth-child(3)').textContent")  # held against the same rules
    for _ in range(7):
        tab.value("document.getElementById('keep').click()")
    assert re.fullmatch(r"kept as variant 7: \d of \d+ (fail|not decided)", tab.value("document.getElementById('keeping').innerText"))
    assert tab.value("document.getElementById('outcome').innerText") in tab.value("document.getElementById('keeping').innerText")
    assert tab.value("document.getElementById('name').value") == "variant-7"  # files of a variant go into a folder of its name
    assert tab.value("document.querySelectorAll('#table tr').length") == 8
    assert tab.value("document.querySelectorAll('#beside tr:first-child th').length") == 3 + 6  # words, base, now, six variants
    tab.value("document.getElementById('reset').click()")
    tab.until(DONE)
    tab.value("document.querySelector('#table button').click()")  # the first kept one is opened again
    tab.until(DONE)
    assert "site.rules" in answer(tab)["set"] and tab.value("document.getElementById('n-ramp').value") == "0.000001"


def test_a_mitigation_becomes_a_table_of_the_scenario(tab):
    move(tab, "c-smoothing", "on")
    move(tab, "c-floor", 0.5)
    tab.until(DONE)
    assert answer(tab)["set"]["mitigation"][0] | {"floor_ratio": 0.5, "kind": "gpu_smoothing"} == answer(tab)["set"]["mitigation"][0]
    move(tab, "c-smoothing", "off")
    tab.until(DONE)
    assert answer(tab)["set"] == {}


def test_the_waveform_zooms_to_milliseconds(tab):
    tab.value("document.querySelector('#spans button:nth-child(1)').click()")
    tab.value("document.querySelector('#spans button:last-child').click()")  # a millisecond in the middle of the run, where nothing is recorded
    tab.until("Number(document.getElementById('chart-zoom').dataset.step) <= 0.0011")
    assert "every 1 ms" in tab.value("document.getElementById('chart-zoom-level').textContent")


def test_on_a_phone_nothing_is_wider_than_the_screen(tab):
    tab.width(390, 844, phone=True)
    tab.until("document.documentElement.scrollWidth <= 390", timeout_s=20)
    assert tab.value("Math.round(document.getElementById('state').getBoundingClientRect().bottom)") == 844  # verdicts stay in sight among the settings
    assert tab.value("document.querySelectorAll('svg.plot').length") >= 5


def test_what_has_the_focus_is_not_below_the_line_of_the_state(tab):
    tab.value("window.scrollTo(0, document.body.scrollHeight)")
    tab.value("document.getElementById('keep').focus()")
    top, line = (tab.value(f"document.getElementById('{id}').getBoundingClientRect().{side}") for id, side in (("keep", "top"), ("state", "bottom")))
    assert top >= line


def test_tabs_do_not_disturb_one_another(browser, address):
    tabs = [browser.tab() for _ in range(4)]
    for k, tab in enumerate(tabs):
        tab.go(address)
        tab.until("document.getElementById('c-cap')")
        tab.value("document.getElementById('intervals').checked = false")
        move(tab, "c-cap", 500 + 20 * k)
    for k, tab in enumerate(tabs):
        tab.until(DONE)
        assert answer(tab)["set"] == {"hall.a.cap_W": 500 + 20 * k} and not tab.errors
        tab.until("document.querySelectorAll('#beside tr').length > 5")  # the base case is there, though it was asked for first
        tab.close()
