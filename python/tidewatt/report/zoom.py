"""Power from days to milliseconds in one chart: the pyramid's levels and the recorded windows, of which the page's script shows
the finest that fits the screen."""
from __future__ import annotations

import numpy as np

from . import downsample, waveform
from .read import Missing, ResultFile

MOST_SAMPLES = 700_000  # of a window: above, pairs of smallest and largest value replace them
MOST_BUCKETS = 200_000  # of a level


def levels(result: ResultFile) -> list[dict]:
    """Levels of a `result`, finest first: `word`, `begin_s`, `step_s`, `n`, and `mean` in MW (and
    `low` and `high`, where a bucket has them). Raises Missing: it has neither window nor pyramid."""
    out = []
    for name in result.names("waveform_"):
        group = result.group(name)
        t, pcc_W = group["time"], group["pcc_W"]
        step_s = float(t[1] - t[0]) if len(t) > 1 else 1e-3
        word = f"recorded window “{waveform.window_word(name)}”"
        if len(t) <= MOST_SAMPLES:
            out.append({"word": f"{word}, every {1e3 * step_s:g} ms", "begin_s": float(t[0]), "step_s": step_s, "n": len(t), "mean": pcc_W / 1e6})
        else:
            n = MOST_SAMPLES // 4
            _, low, high = downsample.band(t, pcc_W, pcc_W, n)
            span_s = len(t) * step_s
            out.append({"word": word, "begin_s": float(t[0]), "step_s": span_s / n, "n": n,
                        "mean": downsample.mean(pcc_W, n) / 1e6, "low": low / 1e6, "high": high / 1e6})  # fmt: skip
    for level in waveform.PYRAMID_LEVELS:
        try:
            group = result.group("pyramid_" + level)
            t = group["time"]
        except Missing:
            continue
        if not 2 <= len(t) <= MOST_BUCKETS or not np.allclose(np.diff(t), t[1] - t[0]):
            continue
        out.append({"word": f"buckets of {level.rstrip('ms')} {level.lstrip('0123456789')}",
                    "begin_s": float(t[0]), "step_s": float(t[1] - t[0]), "n": len(t),
                    "mean": group["pcc_mean_W"] / 1e6, "low": group["pcc_min_W"] / 1e6, "high": group["pcc_max_W"] / 1e6})  # fmt: skip
    if not out:
        raise Missing("no window and no pyramid is in the file")
    return sorted(out, key=lambda level: level["step_s"])


def spans(result: ResultFile) -> list[dict]:
    """What the buttons above the chart of a `result` go to: `word`, `from_s`, `to_s`."""
    out = [{"word": "whole run", "from_s": None, "to_s": None}]
    iteration_s = result.iteration_s
    for name in result.names("waveform_"):
        group = result.group(name)
        t, pcc_W = group["time"], group["pcc_W"]
        if len(t) < 2:
            continue
        word = waveform.window_word(name)
        out.append({"word": f"window {word}", "from_s": float(t[0]), "to_s": float(t[-1])})
        middle = waveform.worst_step(t, pcc_W)[0]
        if np.isfinite(iteration_s) and iteration_s < t[-1] - t[0]:
            out.append({"word": f"two iterations in {word}", "from_s": float(t[len(t) // 2]), "to_s": float(t[len(t) // 2] + 2 * iteration_s)})
        out.append({"word": f"steepest second in {word}", "from_s": middle - 0.75, "to_s": middle + 0.75})
    return out


def chart(result: ResultFile) -> dict:
    """The chart of a `result` for the page's script."""
    start = next((result.group(n).start for n in [*result.names("waveform_"), *result.names("pyramid_"), "day"] if n in result.names("")), None)
    x = {"title": "local standard time" + (f", {start:%Y-%m-%d}" if start else ""), "clock": start.isoformat() if start else "1970-01-01T00:00:00"}
    return {"zoom": levels(result), "spans": spans(result), "x": x, "panels": [{"title": "power (MW)", "zero": True}], "height": 420}
