"""The sentence above each picture, from the summary's figures; shared by the images and the page."""
from __future__ import annotations

import math

from .. import _figures
from .read import ResultFile
from .style import LIMITER_WORDS, grouped


LEAST_DAY_s = 6 * 3600  # shorter runs have no course of a day to speak of


def number(x: float, digits: int = 3) -> str:
    """`x` with this number of significant `digits`, without exponent if readable."""
    if not math.isfinite(x):
        return "–"
    if x == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(x))))
    return f"{x:,.{min(decimals, 6)}f}"


def _join(parts: list[str]) -> str:
    return " · ".join(part for part in parts if part)


def _part(result: ResultFile, key: str, pattern: str = "", more: str = "") -> str:
    """The figure `key` in the words of a `pattern`, or behind its own, `more`, and the ends of its 90 % interval in brackets where they are known."""
    value = result.figure(key)
    if not math.isfinite(value):
        return ""
    return (pattern or f"{_figures.words(key)} {{}}").format(_figures.shown(key, value)) + more + _brackets(result, key)


def _brackets(result: ResultFile, key: str) -> str:
    ends = ends_words(result, key)
    return f" ({ends})" if ends else ""


def ends_words(result: ResultFile, key: str) -> str:
    """The ends of the 90 % interval of a `result`'s headline `key`, in words; empty where they are not known."""
    at = result.chance.get("figures", {}).get(key)
    return _figures.ends(key, (at["p05"], at["p95"])).replace(" to ", "\u00a0to\u00a0") if at else ""


def _legend(result: ResultFile, *keys: str) -> str:
    """What brackets hold, where one of the headlines `keys` has an interval."""
    return "in brackets: 90 % interval over fleets, instants, inputs, days and model error" if any(ends_words(result, key) for key in keys) else ""


def _whose(result: ResultFile) -> str:
    """Whose iteration the pictures of a `result` mark, where there are several jobs."""
    jobs = result.summary.get("jobs") or []
    return f" of job {jobs[0].get('name')}" if len(jobs) > 1 else ""


def of_peak(summary) -> str:
    """The number format to whose peak the MFU of a `summary` refers, in words; empty where it does not say."""
    precision = summary.get("utilisation_precision")
    return f" of the {precision} peak" if precision else ""


def fleet_words(result: ResultFile) -> str:
    """How many GPUs a `result` has, in words."""
    n = result.figure("n_gpu")
    return f"{grouped(n)} {_figures.words('n_gpu')}" if math.isfinite(n) else ""


def day(result: ResultFile) -> tuple[str, str]:
    """(title, subtitle) of the day of a `result`."""
    swing, hours = result.figure("throughput_swing_percent"), result.summary.get("throughput_min_hours") or []
    title = "The run: air, clocks, throughput and power"
    if math.isfinite(swing) and result.figure("simulated_s") >= LEAST_DAY_s:
        title = _part(result, "throughput_swing_percent", "Hourly throughput swings by {}")
        if hours:
            title += f", lowest from {span_of_hours(hours)} h" + (", where the run begins" if _begins_in(result, hours) else "")
    elif math.isfinite(result.figure("pcc_step_1s_max_MW")):
        title = _part(result, "pcc_mean_MW", "A mean of {} at the connection") + _part(result, "pcc_step_1s_max_MW", ", which changes by up to {} over a second")
    return title, _join(
        [
            fleet_words(result),
            _part(result, "iteration_s"),
            _part(result, "mfu_percent", more=of_peak(result.summary)),
            _part(result, "die_max_degC"),
            _part(result, "clock_mean_MHz"),
            _part(result, "clock_slowest_MHz"),
            _part(result, "pue"),
            _legend(result, "throughput_swing_percent", "pcc_mean_MW", "pcc_step_1s_max_MW", "iteration_s", "die_max_degC", "pue"),
        ]
    )


def span_of_hours(hours: list[int]) -> str:
    """Whole `hours` of a day in words: those that follow one another as a span from the first's begin to the last's end, "12 to 15"."""
    spans: list[list[int]] = []
    for hour in hours:
        if spans and hour == spans[-1][-1] + 1:
            spans[-1].append(hour)
        else:
            spans.append([hour])
    return ", ".join(f"{s[0]} to {s[-1] + 1}" for s in spans)


def _begins_in(result: ResultFile, hours: list[int]) -> bool:
    """Whether the run of a `result` begins in one of these `hours` of the day: its start then decides as much as the weather."""
    start = result.group("day").start if result.names("day") else None
    return start is not None and start.hour in hours


def waveform(result: ResultFile, step_MW: float) -> tuple[str, str]:
    """(title, subtitle) of a waveform of a `result`.

    `step_MW`: the largest change over one second of what is drawn, MW; NaN if not known.
    """
    title = "Power at the point of common coupling"
    if math.isfinite(step_MW):
        of_run = math.isclose(step_MW, result.figure("pcc_step_1s_max_MW"), rel_tol=2e-3)
        title += f" moves by up to {_figures.shown('pcc_step_1s_max_MW', step_MW)} over one second" + (_brackets(result, "pcc_step_1s_max_MW") if of_run else "")
    words = _join(
        [
            _part(result, "pcc_mean_MW"),
            _part(result, "pcc_min_MW", "from {}") + _part(result, "pcc_max_MW", " to {}"),
            _part(result, "pcc_step_1s_max_MW", "up to {} over one second"),
            _part(result, "freq_deviation_max_mHz", "frequency off by {}"),
            _part(result, "volt_deviation_max_percent", "voltage off by {}"),
            _legend(result, "pcc_mean_MW", "pcc_max_MW", "pcc_step_1s_max_MW"),
        ]
    )
    return title, _join([fleet_words(result), f"over the whole run: {words}" if words else ""])


def iteration(result: ResultFile, load_W) -> tuple[str, str]:
    """(title, subtitle) of an iteration of a `result`. `load_W`: its levels, W, shape (n,)."""
    low, high = load_W.min() / 1e6, load_W.max() / 1e6
    title = f"Each iteration, the servers' load moves between {number(low)} and {number(high)} MW"
    return title, _join([fleet_words(result), _part(result, "iteration_s"), "at its exact edges", _legend(result, "iteration_s")])


def rules_part(result: ResultFile) -> tuple[float, float]:
    """(begin, end) in s of the part of a `result` that rules look at; the whole run where the result names none."""
    from_s, until_s = result.figure("rules_from_s"), result.figure("rules_until_s")
    return (from_s if math.isfinite(from_s) else 0.0), (until_s if math.isfinite(until_s) else result.figure("simulated_s"))


def rules_part_words(result: ResultFile) -> str:
    """The part of a `result` that rules look at, in words."""
    from_s, until_s = rules_part(result)
    if from_s <= 0 and not until_s < result.figure("simulated_s"):
        return "the whole run"
    return f"the part that rules look at, {from_s:,.6g} to {until_s:,.6g} s"


def spectrum(result: ResultFile, line_Hz: float, line_W: float) -> tuple[str, str]:
    """(title, subtitle) of a `result`'s spectrum, whose strongest line is at `line_Hz` with the amplitude `line_W`; NaN if none stands out.
    """
    title = f"The strongest line is {_figures.shown('pcc_dominant_MW', line_W / 1e6)} at {_figures.shown('pcc_dominant_Hz', line_Hz)}" if math.isfinite(line_Hz) else "No spectral line stands out"
    iteration = result.iteration_s
    order = line_Hz * iteration
    if math.isfinite(order) and abs(order - round(order)) < 0.1 and round(order) >= 1:
        which = "the iteration itself" if round(order) == 1 else f"harmonic {round(order)} of the iteration"
        title += f": {which}{_whose(result)}"
    return title, _join(
        [
            "amplitude of power at the connection in the longest stretch of iterations",
            f"bands: over {rules_part_words(result)}" if result.names("grid_bands") else "",
            f"{_figures.named('iteration_s', iteration)}{_whose(result)}; dotted: its first 10 multiples, the others are not marked" if math.isfinite(iteration) else "",
        ]
    )


def ramps(result: ResultFile, window_s: float, up_W_per_s: float, down_W_per_s: float) -> tuple[str, str]:
    """(title, subtitle) of a `result`'s ramps: steepest over `window_s`, `up_W_per_s` and `down_W_per_s` both positive.
    """
    way, steepest = ("Falls", down_W_per_s) if down_W_per_s >= up_W_per_s else ("Rises", up_W_per_s)
    title = f"{way} reach {number(steepest / 1e6)} MW/s over {duration(window_s)}"
    from . import rule_limits

    return title, _join(
        [
            f"over {rules_part_words(result)}, each window on its own: steepest change of the mean power at the connection between two neighbouring windows",
            "" if rule_limits.of_ramps(result) else "no rule of this run limits a ramp",
            _part(result, "pcc_ramp_up_max_MW_per_s", "steepest of the whole run over 100 ms: rise {}")
            + _part(result, "pcc_ramp_down_max_MW_per_s", ", fall {}"),
            _legend(result, "pcc_ramp_up_max_MW_per_s", "pcc_ramp_down_max_MW_per_s"),
        ]
    )


def fleet(result: ResultFile, hottest_degC: float, mean_degC: float, slowest_MHz: float, mean_MHz: float, explained: dict[str, float]):
    """(title, subtitle) of the fleet of a `result`, from `hottest_degC`, `mean_degC`, `slowest_MHz`, `mean_MHz`, and the share of the
    dies' variance `explained` by each kind of place."""
    title = (
        f"The hottest of {grouped(result.figure('n_gpu'))} GPUs is {number(hottest_degC - mean_degC, 2)} K above the mean,"
        if math.isfinite(result.figure("n_gpu"))
        else f"The hottest GPU is {number(hottest_degC - mean_degC, 2)} K above the mean,"
    )
    title += f" the slowest {number(mean_MHz - slowest_MHz, 2)} MHz below"
    return title, _join(
        [
            "mean over one iteration, after the step with the warmest inlet",
            f"die mean {mean_degC:.1f} °C, hottest {hottest_degC:.1f} °C"
            + _part(result, "die_max_degC", "; the hottest of the whole run, within an iteration, is {}"),
            f"clock mean {mean_MHz:,.0f} MHz, slowest {slowest_MHz:,.0f} MHz",
            "of the dies' variance, " + ", ".join(f"{word} explains {100 * share:.0f} %" for word, share in explained.items()) if explained else "",
        ]
    )


def limiter(result: ResultFile) -> tuple[str, str]:
    """(title, subtitle) of the limiters of a `result`'s clocks."""
    share = result.summary.get("limiter_share") or {}
    title = "What held the clocks"
    share = {k: v for k, v in share.items() if isinstance(v, (int, float))}
    if share:
        top = max(share, key=share.get)
        word = LIMITER_WORDS.get(top, top)
        if top == "none":
            title = f"No limit held for {100 * share[top]:.0f} % of compute time"
        else:
            title = f"The {word} holds for {100 * share[top]:.0f} % of compute time"
    parts = [f"{LIMITER_WORDS.get(k, k)} {100 * v:.1f} %" for k, v in share.items() if v >= 5e-4]
    if len(parts) == 1:
        return title, "no other limit holds at any time; the clocks it leaves, while the job computes"
    return title, _join([*parts, "white: nothing is computed"])


def events(result: ResultFile, happened: list[tuple]) -> tuple[str, str]:
    """(title, subtitle) of what `happened` in a `result`: the share of time that trained, and what kept it from it."""
    count = {}
    for _, kind, _, _ in happened:
        count[kind] = count.get(kind, 0) + 1
    said = [f"{n}\u00a0{kind.replace('_', ' ')}{'' if n == 1 else 's'}" for kind, n in count.items() if kind not in ("start", "done")]
    title = _part(result, "effective_time_percent", "Training makes progress for {} of the time") or "What the job did"
    title += f": {', '.join(said)}" if said else ", without an interruption" if happened else ""
    return title, _join(
        [
            _part(result, "n_interruptions_unexpected"),
            _part(result, "n_interruptions_planned"),
            "checkpoints and evaluations are marked where they end",
        ]
    )


def grid_case(result: ResultFile) -> tuple[str, str]:
    """(title, subtitle) of the machines of a `result` with a grid case."""
    title = "Frequency and voltage on a power system of several machines"
    bus = result.figure("grid_case_machine_bus")
    if math.isfinite(bus):
        title = _part(result, "grid_case_machine_swing_mHz", "The frequency of a machine swings by {}") + f", at bus {bus:.0f}"
    leaves = result.summary.get("grid_case_site_leaves")
    return title, _join(
        [
            str(result.summary.get("grid_case") or ""),
            _part(result, "grid_case_rotor_deg", "largest swing of a rotor {}"),
            _part(result, "grid_case_left_out_slower_s", "what is slower than {} is left out: the case has no governors"),
            f"the site would leave after {leaves}" if leaves else "",
        ]
    )


def duration(seconds: float) -> str:
    """`seconds` in words: ms, s, min or h."""
    if seconds < 1:
        return f"{1000 * seconds:g} ms"
    if seconds < 120:
        return f"{seconds:g} s"
    return f"{seconds / 60:g} min" if seconds < 7200 else f"{seconds / 3600:g} h"
