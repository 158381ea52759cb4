"""What the job was doing, and what happened to it."""
from __future__ import annotations

import textwrap

import numpy as np

from . import findings
from .read import Missing, ResultFile
from .style import BLACK, STATE_COLOUR, STATES, VERMILION, TimeAxis, panels, root, spans

MOST_LABELS = 14
ROUTINE = ("checkpoint", "evaluation")  # logged when they end; shorter than a step, they are marks and no band of their own
BEGINS = ("start", "restart", "resume")  # from here on the job iterates
ITERATE = STATES.index("iterate")


def log(result: ResultFile):
    """[(s, kind, entity, text)] of a `result` in order of time; empty if nothing happened or nothing was recorded."""
    try:
        group = result.group("events")
        columns = (group["time"], group["kind"], group["entity"], group["text"])
    except Missing:
        return []
    return sorted(zip(*(column.tolist() for column in columns)), key=lambda event: event[0])


def spoken(event) -> str:
    """An `event` of the log in words."""
    _, kind, entity, text = event
    return f"{kind}{' ends' if kind in ROUTINE else ''}, {entity}: {text.strip()}"


def states(result: ResultFile) -> tuple[np.ndarray, np.ndarray]:
    """(edges in s, shape (n + 1,); job state between them, shape (n,)) of the first job of a `result`.

    A step holds the state of most of its time, so iterating seems to begin up to a step early or late. The log says when it does: the
    nearest edge at which a step begins to iterate moves to each start and restart in the steps beside it.
    """
    state, edges = result.group("day")["job_state"], result.edges("day").copy()
    jobs = [job.get("name") for job in result.summary.get("jobs") or []]
    for time_s, kind, entity, _ in log(result):
        if kind not in BEGINS or (len(jobs) > 1 and entity != jobs[0]):
            continue
        begins = np.flatnonzero((state[1:] == ITERATE) & (state[:-1] != ITERATE)) + 1
        beside = [k for k in begins if edges[k - 1] < time_s < edges[k + 1]]
        if beside:
            edges[min(beside, key=lambda k: abs(edges[k] - time_s))] = time_s
    return edges, state


def state_spans(result: ResultFile):
    """[(state, [(begin, end) in s])] of the states that occur in a `result`."""
    edges, state = states(result)
    return [(int(k), spans(state == k, edges)) for k in np.unique(state)]


def state_look(k: int) -> tuple[str, str]:
    """(word, colour) of the job state numbered `k`."""
    return (STATES[k], STATE_COLOUR[STATES[k]]) if 0 <= k < len(STATES) else (f"state {k}", BLACK)


def labelled(happened):
    """The events of a log `happened` that get a label: routine ones (checkpoints, evaluations) only where there is room."""
    first = [event for event in happened if event[1] not in ROUTINE][:MOST_LABELS]
    rest = [event for event in happened if event[1] in ROUTINE][: MOST_LABELS - len(first)]
    return sorted(first + rest, key=lambda event: event[0])


def paint(result: ResultFile, axes=None):
    """What the job of a `result` did, and what happened to it, into `axes` or a new figure's."""
    day, happened = result.group("day"), log(result)
    edges = result.edges("day")
    axis = TimeAxis(day.start, edges[-1] - edges[0])
    shown = labelled(happened)
    drawn = panels(axes, 1, (10, 2.1 + 0.26 * len(shown)), findings.events(result, happened))
    axes = drawn[0]
    for k, pieces in state_spans(result):
        word, colour = state_look(k)
        bars = [(float(axis(a)), float(axis(b) - axis(a))) for a, b in pieces]
        axes.broken_barh(bars, (0, 1), facecolors=colour, label=word)
    for i, event in enumerate(shown):
        _flag(axes, float(axis(event[0])), 1.35 + 0.75 * i, (axis(edges[0]), axis(edges[-1])), spoken(event))
    for event in happened:
        if event not in shown:
            axes.plot([axis(event[0])] * 2, [0, 1.25], color=VERMILION, lw=0.8)
    axes.set(ylim=(0, 1.4 + 0.75 * len(shown)), yticks=[], xlim=(axis(edges[0]), axis(edges[-1])))
    axes.spines["left"].set_visible(False)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=8, borderaxespad=0, handlelength=1)
    axis.dress(axes)
    return drawn


def draw(result: ResultFile):
    """The same as a figure of its own, for a `result`."""
    return root(paint(result))


def _flag(axes, x, y, limits, text):
    axes.plot([x, x], [0, y], color=VERMILION, lw=0.9)
    axes.plot([x], [y], "o", color=VERMILION, ms=4)
    right = x > (limits[0] + limits[1]) / 2
    axes.annotate(textwrap.shorten(text, 90, placeholder="…"), (x, y), xytext=(-6 if right else 6, 0), fontsize=9,
                  textcoords="offset points", ha="right" if right else "left", va="center", color=BLACK,
                  bbox={"fc": "white", "ec": "none", "pad": 0.6})  # fmt: skip
