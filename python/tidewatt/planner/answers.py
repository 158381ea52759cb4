"""Answers to a page, computed in the worker process: figures, intervals, causes, charts and files."""
from __future__ import annotations

import collections
import math
import warnings
from typing import Any, Callable

from .._engine import run
from .._load import Scenario
from .._result import Result
from ..report import compliance, contract
from ..report.read import Missing, ResultFile
from .base import Base, tables
from .coarse import run_coarse

KEPT = 3  # results in memory: charts are requested after their answer
RECORD_s = 120.0  # of a window that the reader zooms into
DRY_L_per_kWh = 0.1  # less water evaporates in a few hours of the day only; longer steps do not meet them to 1 %

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
        """Figures and verdicts of the base with `set`; `pending` names those that a coarse answer leaves to the exact one.

        Parameters
        ----------
        check, set, detail, judge
            Called on the way; overrides; coarse, exact or interval; rule files that are judged on the recorded window.
        """
        if detail == "interval":
            return self._interval(check, set, judge)
        self._files(judge)  # refused before the run
        scenario = self._base.scenario(set)
        if detail == "coarse":
            answer = run_coarse(scenario, check)
            summary, pending, day, added_MW = answer.summary, list(answer.left_out), answer.day, answer.added_MW
            verdicts = [] if answer.left_out else _verdicts(day, [])
            if 0.0 < (summary.get("wue_L_per_kWh") or 0.0) < DRY_L_per_kWh:
                summary = {**summary, "wue_L_per_kWh": None}
                pending.append("wue_L_per_kWh")
            if judge or answer.left_out and tables(scenario).get("site", {}).get("rules"):
                pending.append("verdicts")
        else:
            day, added_MW, pending = self._result(check, scenario), 0.0, []
            summary, verdicts = day.summary, _verdicts(day, self._files(judge))
        file = ResultFile(day._source._core)
        hour_MW, hour_s = contract.hottest_hour(file, added_MW) or (None, None)
        return {"detail": detail, "summary": summary, "pending": pending, "verdicts": verdicts, "hour_max_MW": hour_MW,
                "hour_max_at": "" if hour_s is None else compliance.moment(file, hour_s), "notes": scenario.notes}  # fmt: skip

    def _files(self, judge: list[str]) -> list[tuple[str, str]]:
        """(name, what `tidewatt.rules` takes for it) of the rule sets to `judge` by. Raises InputError: one that a request may not name"""
        return [(name, self._base.rule("judge", name)) for name in judge]

    def _result(self, check: Callable[..., None], scenario: Scenario) -> Result:
        key = scenario.text
        if key not in self._kept:
            while len(self._kept) >= KEPT:
                self._kept.popitem(last=False)
            self._kept[key] = run(scenario, progress=check)
        self._kept.move_to_end(key)
        return self._kept[key]

    def _interval(self, check: Callable[..., None], set: dict[str, Any], judge: list[str]) -> dict[str, Any]:
        from .._study import chance_of

        answer = self.run(check, set, "exact", judge)
        scenario = self._base.scenario(set)
        chance = chance_of(scenario, self._result(check, scenario), 32, check)
        ends = {key: [at["p05"], at["p95"]] for key, at in chance["figures"].items()}
        said = chance["interval"]
        return {**answer, "detail": "interval", "interval": ends, "draws": said["n_draw"], "interval_note": "; ".join(said["notes"])}

    def charts(self, check: Callable[..., None], set: dict[str, Any], record_s: float | None) -> dict[str, Any]:
        """The charts of the exact answer to `set` as what the page's script draws; `check` is called on the way.

        Parameters
        ----------
        record_s
            Also record every millisecond for two minutes from this time on, s since the run's start; None: no record.
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

    def export(self, check: Callable[..., None], set: dict[str, Any], what: str, folder: str, name: str, rule: str, judge: list[str], contract_MW: float | None) -> dict[str, Any]:
        """Writes `what` is asked for of the base with `set` into the folder `name` below `folder`; `check` is called on the way.

        Parameters
        ----------
        rule
            Whom a filing pack is for.
        judge, contract_MW
            Rule files for the recorded window, and a contract on the hottest hour or None, whose verdicts a report has.
        """
        from .exports import write

        files, rule = self._files(judge), self._base.rule("rule", rule)
        scenario = self._base.scenario(set)
        result = None if what == "scenario" else self._result(check, scenario)
        held = [row for of in files for row in on_window(result, *of)] if what == "report" else []
        return write(self._base, scenario, result, what, folder, name, rule, contract_MW, held)


def _verdicts(result: Result, judge: list[tuple[str, str]]) -> list[dict[str, str]]:
    """Each rule of a `result` in words, the worst first; `judge`: names and files of rules for the recorded window."""
    file = ResultFile(result._source._core)
    try:
        rows = compliance.rows(file)
    except Missing:
        rows = []
    rows += [row for of in judge for row in on_window(result, *of)]
    return [dict(zip(("rule", "verdict", "figure", "limit", "margin", "worst"), compliance.cells(file, row)), rules=str(row.get("rule_set", ""))) for row in rows]


def on_window(result: Result, name: str, file: str) -> list[dict[str, Any]]:
    """Verdicts of the rule set `name`, read from `file` or the catalog, on the recorded window of a `result`, as `compliance.rows` gives those of a run."""
    from .._rules import rules

    out = []
    for row in rules(file, result, as_if=True)["rules"]:
        value, low, high, limit = (1e6 * (math.nan if row[key] is None else row[key]) for key in ("value_MW", "low_MW", "high_MW", "limit_MW"))
        out.append({"rule_set": name, "rule": row["name"], "title": row["title"], "verdict": row["verdict"], "unit": row["unit"].replace("MW", "W"), "value": value, "limit": limit,
                    "spread": 0.5 * (high - low) if high > low else 0.0, "margin_frac": 1.0 - value / limit if limit > 0.0 else math.nan,
                    "worst_s": math.nan if row["at_s"] is None else row["at_s"]})  # fmt: skip
    return out
