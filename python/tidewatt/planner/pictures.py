"""Charts of an answer: those of the report, with its numbers packed as there."""
from __future__ import annotations

from typing import Any, Callable

from .._result import Result
from ..report import charts as drawn, charts_day, findings, zoom
from ..report.page_data import packed
from ..report.read import Missing, ResultFile


def charts(result: Result) -> dict[str, Any]:
    """Every chart that a `result` allows: `order`, `titles`, and for the page's script `charts` (JSON text) and `arrays` (base64)."""
    figures: dict[str, dict] = {}
    titles: dict[str, str] = {}

    def add(name: str, title: str, draw: Callable[[], dict]):
        try:
            figures[name] = draw()
            titles[name] = title
        except Missing:
            pass

    with ResultFile(result._source._core) as file:
        add("chart-zoom", "Power at the connection, from the whole run to a millisecond", lambda: zoom.chart(file))
        try:
            for k, chart in enumerate(charts_day.day(file)):
                add(f"chart-day-{k}", findings.day(file)[0] if k == 0 else "", lambda chart=chart: chart)
        except Missing:
            pass
        add("chart-spectrum", "Spectrum while the job iterates", lambda: drawn.lines(file))
        add("chart-ramps", "Steepest ramps over each window", lambda: drawn.ramp_marks(file))
    text, arrays = packed(figures)
    return {"titles": titles, "charts": text, "arrays": arrays}
