"""What the pictures say: each on a result made for it, small enough to check by eye."""
import datetime
import json
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

import page_numbers
import synthetic_result
from tidewatt import _core, report
from tidewatt.report import charts, charts_day, compare_page, day, events, findings, fleet, limiter, ramps, rule_limits, spectrum, waveform
from tidewatt.report.read import Group, Missing, ResultFile
from tidewatt.report.style import STATES, TimeAxis, house_style

INITIALISE, ITERATE, DETECT = (STATES.index(word) for word in ("initialise", "iterate", "detect"))
START = "seconds since 2024-07-20T15:00:00"


class Made:
    """A result of the arrays and figures given, without a file."""

    def __init__(self, summary, **groups):
        self.summary, self.provenance, self.chance = summary, {}, {}
        self._groups = {name: Group(name, {key: START if key == "time" else "1" for key in arrays}, lambda path, a=arrays: np.asarray(a[path.rpartition("/")[2]]))
                        for name, arrays in groups.items()}  # fmt: skip

    group, edges, names, figure, iteration_s = ResultFile.group, ResultFile.edges, ResultFile.names, ResultFile.figure, ResultFile.iteration_s


def test_liquid_of_cold_plates_is_not_called_air():
    def halls(**liquid):
        steps = {"time": np.array([0.0, 300.0]), "inlet_mean_K": np.array([310.0, 311.0]), **liquid}
        return Made({"simulated_s": 600.0}, day=steps).group("day")

    assert day.inlet_words(halls())[1] == day.inlet_words(halls(liquid_supply_K=np.full(2, np.nan)))[1] == "air (°C)"
    word, axis = day.inlet_words(halls(liquid_supply_K=np.array([np.nan, 311.0])))
    assert "liquid" in word and "liquid" in axis


def short_run():
    """Five steps: the job initialises for most of the first, fails at the end of the third, restarts 8 s into the fifth."""
    state = np.array([INITIALISE, ITERATE, ITERATE, INITIALISE, ITERATE])
    clock = np.array([1.7e9, 1.69e9, 1.68e9, np.nan, 1.66e9])
    return Made({"simulated_s": 600.0, "effective_time_percent": 46.16, "limiter_share": {"power": 1.0, "none": 0.0}, "n_interruptions_unexpected": 1},
                day={"time": [0.0, 62.0, 240.0, 428.5, 501.0], "job_state": state, "clock_mean_Hz": clock, "clock_slowest_Hz": clock - 9e7,
                     "clock_p05_Hz": clock - 4e7, "clock_p95_Hz": clock + 4e7, "throughput_tokens_per_s": clock / 660,
                     "limiter_power_frac": np.where(np.isnan(clock), 0.0, 1.0), "limiter_none_frac": np.zeros(5)},
                events={"time": [55.6, 243.2, 428.5, 509.1], "kind": np.array(["start", "checkpoint", "failure", "restart"]),
                        "entity": np.array(["main"] * 4), "text": np.array(["from iteration 0", "iteration 28", " in iterate", "from iteration 28"])})  # fmt: skip


def at(t, values, time_s):
    return values[np.searchsorted(t, time_s, "right") - 1]


def test_clocks_begin_when_the_job_does_and_not_with_their_step():
    result = short_run()
    for key in ("clock_mean_Hz", "throughput_tokens_per_s"):
        t, values = day.running(result, key)
        assert np.isnan([at(t, values, s) for s in (0.0, 55.0, 429.0, 505.0)]).all()
        assert at(t, values, 56.0) == result.group("day")[key][0] and at(t, values, 510.0) == result.group("day")[key][4]
    with house_style():
        line = day.draw(_with_power(result)).axes[2].lines[0]
    assert np.isnan(line.get_ydata()[0]) and line.get_drawstyle() == "steps-post"


def _with_power(result):
    group = result.group("day")
    flat = {key: np.full(5, 1e7) for key in ("it_W", "pcc_mean_W")}
    return Made(result.summary, day={**{key: group[key] for key in group.units}, **flat}, events={k: result.group("events")[k] for k in result.group("events").units})


def test_means_over_steps_are_drawn_as_steps_to_the_last_one_before_a_gap():
    result = _with_power(short_run())
    for figure in charts_day.day(result):
        assert all(trace["step"] for trace in figure["data"])
    t, low, high = day.as_steps(np.array([0.0, 1.0, 2.0, 3.0]), np.array([5.0, 6.0, np.nan, np.nan]), np.array([7.0, 8.0, np.nan, np.nan]))
    np.testing.assert_array_equal(t[low == 6.0], [1.0, 2.0])  # matplotlib's own step ends where it begins
    np.testing.assert_array_equal(high[low == 6.0], [8.0, 8.0])


def test_means_of_steps_shorter_than_an_iteration_are_joined_to_whole_ones():
    result = Made({"iteration_s": 6.0})
    edges = np.array([0.0, 60.0, 61.0, 63.0, 67.0, 127.0, 128.0, 130.0, 131.0])
    values = np.array([10.0, 2.0, 12.0, 9.0, 10.0, 4.0, np.nan, 8.0])
    joined, means = day.over_iterations(result, edges, values)
    assert joined.tolist() == [0.0, 60.0, 67.0, 127.0, 128.0, 130.0, 131.0]
    np.testing.assert_allclose(means, [10.0, (2 + 24 + 36) / 7, 10.0, 4.0, np.nan, 8.0])
    assert np.nansum(np.diff(joined) * means) == pytest.approx(np.nansum(np.diff(edges) * values))  # nothing is lost
    same, kept = day.over_iterations(Made({}), edges, values)
    assert same is edges and kept is values


def test_the_band_of_states_turns_where_its_marks_are():
    spans = dict(events.state_spans(short_run()))
    assert spans[INITIALISE] == [(0.0, 55.6), (428.5, 509.1)]
    assert spans[ITERATE] == [(55.6, 428.5), (509.1, 600.0)]


def test_an_event_far_from_a_turn_of_the_band_moves_nothing():
    result = short_run()
    times = result.group("events")["time"].copy()
    times[3] = 300.0
    moved = Made(result.summary, day={key: result.group("day")[key] for key in result.group("day").units},
                 events={**{k: result.group("events")[k] for k in result.group("events").units}, "time": times})  # fmt: skip
    assert dict(events.state_spans(moved))[INITIALISE] == [(0.0, 55.6), (428.5, 501.0)]


@pytest.mark.parametrize("at, width", [([0.9, 4.05, 5.4, 7.1, 8.5, 9.8], [1.9, 2.4, 2.6, 2.8, 2.1, 2.6]), ([0.1, 0.2, 0.3, 5.0, 9.9], [3.0] * 5), ([1.0, 1.0, 1.0], [2.0] * 3), ([], [])])
def test_no_line_of_an_event_runs_through_a_label(at, width):
    found = events.rows(at, width, (0.0, 10.0))
    assert sorted(row for row, _ in found) == list(range(len(at)))
    for k, (x, w, (row, left)) in enumerate(zip(at, width, found)):
        begin, end = (x - w, x) if left else (x, x + w)
        assert begin >= 0.0 and end <= 10.0
        assert not [j for j, (other, (high, _)) in enumerate(zip(at, found)) if j != k and begin < other < end and high > row]


def test_a_label_without_room_on_either_side_still_gets_a_row():
    assert sorted(row for row, _ in events.rows([1.0, 5.0, 9.0], [20.0] * 3, (0.0, 10.0))) == [0, 1, 2]


@pytest.mark.parametrize("begin_s, label", [(0.0, "time since the start of the run, 2024-07-20 15:00 (s)"), (54000.0, "time from 2024-07-21 06:00:00.0 (s)")])
def test_axes_of_windows_have_a_date_and_late_ones_their_own_zero(begin_s, label):
    t = begin_s + np.arange(3000) * 1e-3
    result = Made({"simulated_s": 60000.0}, waveform_w={"time": t, "pcc_W": 1e7 + np.arange(3000.0)})
    chart = charts.window(result, "waveform_w")
    assert chart["x"]["title"] == label and chart["data"][0]["x"][0] == 0.0
    with house_style():
        axes = waveform.draw(result, "waveform_w").axes
    assert axes[0].get_xlabel() == label and axes[0].get_xlim()[0] == 0.0
    assert axes[1].get_xlabel().startswith("time from 2024-07-2")


def test_later_midnights_have_their_date():
    axis = TimeAxis(datetime.datetime(2024, 7, 20, 15), 40 * 3600.0)
    assert [axis._hour(h) for h in (15, 24, 36, 48)] == ["15", "0\n07-21", "12", "0\n07-22"]
    assert TimeAxis(datetime.datetime(2024, 7, 20), 86400.0)._hour(24) == "24"


def test_the_title_of_the_events_names_them_and_checkpoints_say_that_they_end():
    result = short_run()
    happened = events.log(result)
    title, subtitle = findings.events(result, happened)
    assert title == "Training makes progress for 46.2\u00a0% of the time: 1\u00a0checkpoint, 1\u00a0failure, 1\u00a0restart"
    assert "marked where they end" in subtitle
    assert [events.spoken(event) for event in happened][1:3] == ["checkpoint ends, main: iteration 28", "failure, main: in iterate"]


def test_one_limiter_all_the_time_shows_the_clocks_it_leaves():
    result = short_run()
    chart = charts_day.limiters(result)
    assert [panel["title"] for panel in chart["panels"]] == ["clock (MHz)"]
    assert np.nanmax(chart["data"][0]["high"]) == pytest.approx(1740.0)
    with house_style():
        axes = limiter.draw(result).axes[0]
    assert axes.get_ylabel() == "clock (MHz)"
    group = result.group("day")
    arrays = {key: group[key] for key in group.units}
    both = Made(result.summary, day={**arrays, "limiter_power_frac": np.full(5, 0.7), "limiter_none_frac": np.full(5, 0.3)})
    chart = charts_day.limiters(both)
    assert [trace["name"] for trace in chart["data"]] == ["power limit", "none: at the highest clock"]
    np.testing.assert_allclose(chart["data"][1]["high"] - chart["data"][1]["low"], 30.0)


def waves():
    """A spectrum whose third multiple of the iteration is its strongest line, held against the example rules."""
    f = np.arange(1, 6001) * 0.01
    amplitude = np.full(f.size, 1e2)
    amplitude[[49, 99, 149]] = [1e6, 8e5, 2e6]  # 0.5, 1.0, 1.5 Hz
    rules = {"rule_set": ["power_stabilization_example"] * 3, "rule": ["line", "ramp_up", "ramp_down"], "verdict": ["pass", "fail", "fail"], "title": ["", "", ""]}
    return Made({"iteration_s": 2.0, "pcc_dominant_Hz": 1.5, "pcc_dominant_MW": 2.0, "simulated_s": 3600.0}, spectrum={"frequency_Hz": f, "pcc_amplitude_W": amplitude},
                grid_bands={"low_Hz": [0.1, 1.0], "high_Hz": [1.0, 2.5], "rms_W": [7.5e5, 1.5e6]},
                grid_ramps={"window_s": [0.1, 1.0, 60.0], "up_W_per_s": [4e7, 8e6, 0.0], "down_W_per_s": [9e7, 9e6, 1e3]},
                compliance={**{key: np.array(words) for key, words in rules.items()}, "value": [0.1, 8e6, 9e6], "limit": [0.2, 1e6, 1e6]})  # fmt: skip


def test_the_spectrum_marks_the_iteration_s_multiples_the_bands_and_the_limit():
    result = waves()
    chart = charts.lines(result)
    panel = chart["panels"][0]
    assert [mark["x"] for mark in panel["verticals"]] == [0.5 * k for k in range(1, 11)]
    assert "its first 10 multiples" in findings.spectrum(result, 1.5, 2e6)[1]
    assert [band["word"] for band in panel["shades"]] == ["0.1–1 Hz: 0.750 MW rms", "1–2.5 Hz: 1.50 MW rms"]
    (limit,) = panel["limits"]  # the strongest line holds half of what it may: 2 MW of 4
    assert (limit["from"], limit["to"], limit["y"]) == (0.1, 20.0, pytest.approx(4000.0))
    with house_style():
        axes = spectrum.draw(result).axes[0]
    dotted = [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == ":"]
    assert dotted == [0.5 * k for k in range(1, 11)]
    assert any("limit of a line" in text.get_text() for text in axes.texts)


def test_the_spectrum_draws_the_line_that_the_summary_names_and_says_what_the_bands_cover():
    result = waves()
    assert spectrum.dominant(result) == (1.5, 2e6)
    assert "bands: over the whole run" in findings.spectrum(result, 1.5, 2e6)[1]
    result.summary.update(rules_from_s=300.0, rules_until_s=3600.0)
    words = "over the part that rules look at, 300 to 3,600 s"
    assert "bands: " + words in findings.spectrum(result, 1.5, 2e6)[1] and words in findings.ramps(result, 1.0, 8e6, 9e6)[1]
    result.summary["pcc_dominant_Hz"] = result.summary["pcc_dominant_MW"] = None
    assert [trace["name"] for trace in charts.lines(result)["data"]] == ["amplitude"]
    with house_style():
        assert spectrum.draw(result)._suptitle is None or "No spectral line" in findings.spectrum(result, *spectrum.dominant(result))[0]


def test_ramps_are_those_of_the_part_that_rules_look_at():
    result = waves()
    chart = charts.ramp_marks(result)
    assert "60 s" in [word for _, word in chart["x"]["ticks"]]
    result.summary.update(rules_from_s=3500.0, rules_until_s=3600.0)
    assert "60 s: –" in [word for _, word in charts.ramp_marks(result)["x"]["ticks"]]
    result._groups["ramps"] = Group("ramps", {"window_s": "s"}, lambda path: np.array([7.0]))  # of the whole run: not drawn
    assert ramps.tables(result)[0].tolist() == [0.1, 1.0, 60.0]


def test_a_fit_shows_no_interval_where_the_log_gives_no_estimate():
    from tidewatt._fit import Fit

    row = {"value": 2.0, "low": 1.0, "high": 3.0, "identified": True}
    values = [{"key": "train_W", **row, "value": 5800.0, "low": 5798.0, "high": 5802.0}, {"key": "notch_s", **row, "identified": False}, {"key": "window_s", **row}]
    with pytest.warns(UserWarning):
        fit = Fit({"kind": "node_levels", "name": "mine", "rms": 1.0, "values": values, "undetermined": ["notch_s"], "at_bound": ["window_s"], "json": "{}", "toml": ""})
    axes = fit.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["train_W = 5,800", "notch_s: no estimate", "window_s: no estimate"]
    assert "train_W best: to ±0.034 %" in axes.get_figure().texts[0].get_text() or axes.get_title(loc="left")


def test_a_run_without_iterations_or_rules_gets_neither_multiples_nor_limits():
    result = waves()
    bare = Made({}, spectrum={key: result.group("spectrum")[key] for key in ("frequency_Hz", "pcc_amplitude_W")}, grid_ramps={key: result.group("grid_ramps")[key] for key in result.group("grid_ramps").units})
    panel = charts.lines(bare)["panels"][0]
    assert panel["verticals"] == panel["limits"] == panel["shades"] == []
    assert "no rule of this run limits a ramp" in findings.ramps(bare, 0.1, 4e7, 9e7)[1]


def test_ramps_of_unlike_windows_are_not_joined_and_show_their_limit():
    result = waves()
    chart = charts.ramp_marks(result)
    assert all(trace["marksOnly"] for trace in chart["data"])
    assert [word for _, word in chart["x"]["ticks"]] == ["100 ms", "1 s", "60 s"]
    (limit,) = chart["panels"][0]["limits"]
    assert limit["y"] == 1.0 and limit["from"] < 1 < limit["to"] and limit["word"] == "limit, rise and fall"
    with house_style():
        axes = ramps.draw(result).axes[0]
    assert [line.get_linestyle() for line in axes.lines] == ["None", "None"]
    # Below its window and not among the marks, which it would hide or be hidden by.
    assert "1 s\nrise and fall ≤ 1.00 MW/s" in [text.get_text() for text in axes.get_xticklabels()]
    assert not axes.texts


@pytest.mark.parametrize("scenario", ['[[site.rules]]\ntitle = "mine"\n[site.rules.rule.mine]\nfigure = "ramp_up"\nwindow_s = 1\nlimit_MW_per_s = 2\n',
                                      'base = "other.toml"\n[site]\nrules = {title = "mine", rule = {mine = {figure = "ramp_up", window_s = 1, limit_MW_per_s = 2}}}\n'
                                      '# ---- base = other.toml\n[site]\nrules = "power_stabilization_example"\n# ---- input catalog\n',
                                      'base = "other.toml"\n[run]\nduration_h = 1\n# ---- base = other.toml\n[run]\nduration_h = 2\n'
                                      '[[site.rules]]\ntitle = "mine"\n[site.rules.rule.mine]\nfigure = "ramp_up"\nwindow_s = 1\nlimit_MW_per_s = 2\n',
                                      'schema = 1\n# --set site.rules=[{title = "mine", rule = {mine = {figure = "ramp_up", window_s = 1, limit_MW_per_s = 2}}}]\n'])  # fmt: skip
def test_a_ramp_limit_that_the_scenario_or_its_base_writes_itself_is_shown_too(scenario):
    result = waves()
    result._groups["compliance"] = Group("compliance", {key: "1" for key in ("rule_set", "rule", "verdict", "title", "value", "limit")},
                                         lambda path: np.array({"rule_set": ["user"], "rule": ["mine"], "verdict": ["pass"], "title": ["My limit"], "value": [1.8e6], "limit": [2e6]}[path.rpartition("/")[2]]))  # fmt: skip
    result.provenance["scenario"] = scenario
    assert rule_limits.of_ramps(result) == [rule_limits.RampLimit(1.0, "rise", 2e6)]
    (limit,) = charts.ramp_marks(result)["panels"][0]["limits"]
    assert limit["y"] == 2.0 and limit["from"] < 1 < limit["to"] and limit["word"] == "limit, rise"


def fleet_of(by_slot_K, noise_K):
    """512 GPUs in 4 rows of 16 racks, 8 to a node: a step between the halves of each node, and noise."""
    row, rack, slot = (a.ravel() for a in np.indices((4, 16, 8)))
    die = 330.0 + by_slot_K * (slot >= 4) + noise_K * np.random.default_rng(5).standard_normal(row.size)
    return Made({"n_gpu": 512, "die_max_degC": 83.46}, fleet={"row": row, "rack": rack, "slot": slot, "die_K": die, "clock_Hz": 1.7e9 - 1e6 * (die - 330)})


def test_the_fleet_says_which_place_matters_and_which_hottest_die_is_meant():
    mostly = fleet.explained(fleet_of(8.0, 0.5))
    assert mostly["the place in the node"] > 0.95 and mostly["the row"] < 0.01
    assert max(fleet.explained(fleet_of(0.0, 1.0)).values()) < 0.05  # noise alone is explained by no place
    result = fleet_of(8.0, 0.5)
    hottest = result.group("fleet")["die_K"].max() - 273.15
    _, subtitle = fleet.words(result)
    assert f"hottest {hottest:.1f} °C; the hottest of the whole run, within an iteration, is 83.5 °C" in subtitle.replace("\u00a0", " ")
    assert len(charts.fleet_boxes(result)) == 6 and charts.fleet_boxes(result)[0]["data"][0]["q50"].shape == (8,)


def test_many_rows_become_bands():
    result = fleet_of(8.0, 0.5)
    group = result.group("fleet")
    spread = Made(result.summary, fleet={**{key: group[key] for key in group.units}, "row": np.arange(512) // 16})
    chart = charts.fleet_boxes(spread)[4]
    assert [trace["name"] for trace in chart["data"]] == ["5th to 95th percentile", "quartiles", "median", "hottest"]
    assert len(chart["x"]["ticks"]) <= 16


def test_a_comparison_reads_well():
    assert compare_page.told("pcc_max_MW", [15.4873, 13.3569]) == ["15.5 MW", "13.4 MW"]
    assert compare_page.told("pcc_max_MW", [1.04657, 1.04744]) == ["1.0466 MW", "1.0474 MW"]  # three and four digits would read the same
    assert compare_page.told("pcc_max_MW", [2.0, 2.0]) == ["2.00 MW", "2.00 MW"]
    assert compare_page.short("24", "0.16666666666666666") == ("24", "0.1667")
    assert compare_page.short("0.1666666", "0.1666667") == ("0.1666666", "0.1666667")
    assert [compare_page.change(*pair) for pair in [(1000.0, 1444.4), (13.5, 11.64), (100.0, 100.004)]] == ["+44.4 %", "−13.8 %", "+0.004 %"]


def test_one_setting_differs(tmp_path, file):
    other = tmp_path / "other.h5"
    other.write_bytes(file.read_bytes())
    with synthetic_result.edited(other) as tree:
        text = tree["provenance/scenario"][()].decode()
        del tree["provenance/scenario"]
        tree["provenance"].create_dataset("scenario", data=text + "\ncap_W = 600\n", dtype=h5py.string_dtype())
    page = report.compare(file, other, tmp_path).paths[0].read_text()
    assert "1 setting differs" in page and "1 settings" not in page


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("pictures") / "synthetic.h5"
    synthetic_result.write(path, ("fleet", "waveform_transients"))
    return path


def test_only_draws_what_it_names(file, tmp_path):
    done = report.build(file, tmp_path, pictures=True, only=["ramps", "spectrum"])
    assert {path.name for path in done.paths} == {"report.html", "ramps.png", "ramps.svg", "spectrum.png", "spectrum.svg"}
    page = done.paths[0].read_text()
    assert set(page_numbers.charts_in(page)) == {"chart-ramps", "chart-spectrum"} and '<section id="day">' not in page
    with pytest.raises(_core.InputError, match="no part of a report 'ramp' .did you mean 'ramps'."):
        report.build(file, tmp_path, only=["ramp"])


def test_the_page_is_alone_and_needs_no_plotting_library(file, tmp_path):
    code = "import sys; from tidewatt import report; print(*report.write(*sys.argv[1:])); print(sorted({'matplotlib', 'plotly', 'pandas', 'xarray'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code, file, tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == [str(tmp_path / "report.html"), "[]"]
    assert (tmp_path / "report.html").stat().st_size < 1_000_000
    with ResultFile(file) as result, pytest.raises(Missing):
        charts.fleet_boxes(result)


def test_the_script_is_complete_and_the_data_cannot_end_it(file, tmp_path):
    page = report.write(file, tmp_path, only=["events", "provenance"])[0].read_text()
    assert page.count("</script>") == 3 and "//PLOT" not in page
    assert json.dumps("synthetic </script> day") not in page
    assert rule_limits.judged(Made({})) == []


def test_with_several_jobs_the_pictures_mark_the_first_ones_iteration_and_say_so():
    """The site's mean iteration is the period of no job: 0.94 s of 0.75 and 1.32 s."""
    made = Made({"iteration_s": 0.94, "jobs": [{"name": "main", "iteration_s": 0.75}, {"name": "other", "iteration_s": 1.32}]})
    assert made.iteration_s == 0.75
    assert "harmonic 2 of the iteration of job main" in findings.spectrum(made, 2 / 0.75, 1e6)[0]
    assert "harmonic" not in findings.spectrum(made, 2.3 / 0.94, 1e6)[0]
