"""What a page asks for, computed in the process that runs: figures, intervals, causes, charts and files."""
from __future__ import annotations

import collections
import warnings
from typing import Any, Callable

from .._engine import run
from .._load import Scenario
from .._result import Result
from .base import Base, tables
from .coarse import run_coarse

KEPT = 3  # results in memory: the charts of an answer are asked for after it
RECORD_s = 120.0  # of a window that the reader zooms into
DRAWS = 32  # of an interval

warnings.simplefilter("ignore")  # notes of a scenario are part of the answers


class Answers:
    """Every public function is a task: it takes `check`, which it calls on the way, and what the page sent.

    Raises
    ------
    InputError
        With every finding.
    """

    def __init__(self, base: Base):
        self._base = base
        self._kept: collections.OrderedDict[str, Result] = collections.OrderedDict()

    def run(self, check: Callable[..., None], set: dict[str, Any], detail: str, judge: list[str]) -> dict[str, Any]:
        """Figures and verdicts of the base with `set`.

        Parameters
        ----------
        check, set, detail, judge
            Called on the way; overrides; coarse, exact or interval; rule files that are judged on the recorded window.
        """
        if detail == "interval":
            return self._interval(check, set, judge)
        scenario = self._base.scenario(set)
        if detail == "coarse":
            answer = run_coarse(scenario, check)
            summary, verdicts, hour_MW = answer.summary, _verdicts(answer.judged, []), _hottest_hour(answer.day, answer.added_MW)
        else:
            result = self._result(check, scenario)
            summary, verdicts, hour_MW = result.summary, _verdicts(result, judge), _hottest_hour(result)
        return {"detail": detail, "summary": summary, "verdicts": verdicts, "hour_max_MW": hour_MW, "notes": scenario.notes}

    def _result(self, check: Callable[..., None], scenario: Scenario) -> Result:
        key = scenario.text
        if key not in self._kept:
            while len(self._kept) >= KEPT:
                self._kept.popitem(last=False)
            self._kept[key] = run(scenario, progress=check)
        self._kept.move_to_end(key)
        return self._kept[key]

    def _interval(self, check: Callable[..., None], set: dict[str, Any], judge: list[str]) -> dict[str, Any]:
        from .interval import interval

        answer = self.run(check, set, "exact", judge)
        scenario = self._base.scenario(set)
        low_high, n_draw, note = interval(scenario, self._result(check, scenario), DRAWS, check)
        return {**answer, "detail": "interval", "interval": low_high, "draws": n_draw, "interval_note": note}

    def charts(self, check: Callable[..., None], set: dict[str, Any], record_s: float | None) -> dict[str, Any]:
        """The charts of the exact answer to `set` as what the page's script draws; `check` is called on the way.

        Parameters
        ----------
        record_s
            Also record every millisecond for two minutes from here on, s since the run's start; None: not.
        """
        from .pictures import charts

        if record_s is not None:
            windows = tables(self._base.scenario(set)).get("record", {}).get("window", [])
            set = {**set, "record.window": [*windows, {"name": "looked_at", "start_s": record_s, "duration_s": RECORD_s}]}
        return charts(self._result(check, self._base.scenario(set)))

    def why(self, check: Callable[..., None], set: dict[str, Any]) -> dict[str, Any]:
        """Why throughput of the base with `set` moves and what would change it, by runs without each cause and with each lever;
        `check` is called before each."""
        from .._study import explain

        scenario = self._base.scenario(set)
        answer = explain(scenario, self._result(check, scenario), progress=check)
        return {"figures": dict(answer), "text": answer.text}

    def export(self, check: Callable[..., None], set: dict[str, Any], what: str, folder: str, name: str, rule: str) -> dict[str, Any]:
        """Writes `what` is asked for of the base with `set` into the folder `name` below `folder`; `check` is called on the way.

        Parameters
        ----------
        rule
            Whom a filing pack is for.
        """
        from .exports import write

        scenario = self._base.scenario(set)
        result = None if what == "scenario" else self._result(check, scenario)
        return write(self._base, scenario, result, what, folder, name, rule)


def _hottest_hour(result: Result, added_MW: Any = 0.0) -> float | None:
    """Largest mean power of a full hour of a `result`, with `added_MW` in all or in each of its hours; what
    `tidewatt size --for gpus --contract-MW` limits."""
    if result.summary["simulated_s"] < 3600:
        return None
    n = int(result.summary["simulated_s"] // 3600)
    return float((result.array("/hourly/pcc_J") / 3600e6 + added_MW)[:n].max())


def _verdicts(result: Result, judge: list[str]) -> list[dict[str, str]]:
    """Each rule of a `result` in words, the worst first; `judge`: rule files for the recorded window."""
    from ..report import compliance
    from ..report.read import Missing, ResultFile

    out = []
    try:
        rows = compliance.rows(ResultFile(result._source._core))
        out += [dict(zip(("rule", "verdict", "figure", "limit", "margin", "worst"), compliance.cells(row)), rules=str(row.get("rule_set", ""))) for row in rows]
    except Missing:
        pass
    return out + [row for name in judge for row in _on_window(result, name)]


def _on_window(result: Result, name: str) -> list[dict[str, str]]:
    from .._rules import rules
    from ..report.findings import number

    answer = rules(name, result, as_if=True)
    out = []
    for row in answer["rules"]:
        out.append({"rules": name, "rule": str(row.get("title", row.get("rule", ""))), "verdict": str(row.get("verdict", "")), "figure": number(row["value"]) if isinstance(row.get("value"), float) else "–",
                    "limit": "", "margin": "", "worst": ""})  # fmt: skip
    return out

