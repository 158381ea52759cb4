"""What the job was doing, and what happened to it."""
from __future__ import annotations

import textwrap

import numpy as np

from . import findings
from .read import Missing, ResultFile
from .style import BLACK, STATE_COLOUR, STATES, VERMILION, TimeAxis, panels, root, spans

MOST_LABELS = 14
LABEL_pt = 9
ROUTINE = ("checkpoint", "evaluation")  # logged when they end; shorter than a step, they are marks and no band of their own
BEGINS = ("start", "restart", "resume")  # the job iterates from here on
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

    A step has the state of most of its time, so iterating seems to begin up to a step early or late. The log has the exact time: the
    nearest edge at which a step begins to iterate moves to each start and restart in the steps beside it.
    """
    jobs = [job.get("name") for job in result.summary.get("jobs") or []]
    own = f"job/{jobs[0]}" if len(jobs) > 1 and result.names(f"job/{jobs[0]}") else "day"  # /day has the state of most GPUs
    state, edges = result.group(own)["job_state"], result.edges("day").copy()
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
    texts = [textwrap.shorten(spoken(event), 90, placeholder="…") for event in shown]
    limits = (float(axis(edges[0])), float(axis(edges[-1])))
    # Of the figure's width nearly all is the time axis.
    per_point = (limits[1] - limits[0]) / (72.0 * 0.95 * axes.figure.get_size_inches()[0])
    flags = rows([float(axis(event[0])) for event in shown], [per_point * (_width_pt(text) + 10.0) for text in texts], limits)
    for event, text, (row, left) in zip(shown, texts, flags):
        _flag(axes, float(axis(event[0])), 1.35 + 0.75 * row, left, text)
    for event in happened:
        if event not in shown:
            axes.plot([axis(event[0])] * 2, [0, 1.25], color=VERMILION, lw=0.8)
    axes.set(ylim=(0, 1.4 + 0.75 * len(shown)), yticks=[], xlim=(axis(edges[0]), axis(edges[-1])))
    axes.spines["left"].set_visible(False)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=8, borderaxespad=0, handlelength=1)
    axis.dress(axes)
    return drawn


def draw(result: ResultFile):
    """The same as a separate figure, for a `result`."""
    return root(paint(result))


def rows(at: list[float], width: list[float], limits: tuple[float, float]) -> list[tuple[int, bool]]:
    """(row from 0 upwards, whether the label is left of its line) of labels beside the tops of vertical lines, so that no line runs through
    a label of another one.

    A line ends at its label, so what a label covers must be lower. Labels left of their lines cover earlier lines only, labels right of them
    later ones only: the first k labels are right of their lines, the others left, with the least k for which such an order exists.

    Parameters
    ----------
    at, width : list of float
        Places of the lines, rising, and widths of their labels, in the units of the axis.
    limits : tuple of float
        Ends of the axis. Where no order keeps all labels inside them and every line clear, the order with the fewest faults.
    """
    best: tuple[int, list[tuple[int, bool]]] | None = None
    for k in range(len(at) + 1):
        left = [i >= k for i in range(len(at))]
        ends = [(x - w, x) if aside else (x, x + w) for x, w, aside in zip(at, width, left)]
        faults = sum(a < limits[0] or b > limits[1] for a, b in ends)
        below = [{j for j, x in enumerate(at) if j != i and a <= x <= b and (x != at[i] or j < i)} for i, (a, b) in enumerate(ends)]
        order: list[int] = []
        while len(order) < len(at):
            rest = [i for i in range(len(at)) if i not in order]
            free = [i for i in rest if below[i] <= set(order)]
            faults += not free
            order.append(free[0] if free else min(rest, key=lambda i: len(below[i] - set(order))))
        if best is None or faults < best[0]:
            best = (faults, [(order.index(i), left[i]) for i in range(len(at))])
        if not faults:
            break
    return best[1] if best else []


def _width_pt(text: str) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    return float(TextPath((0, 0), text, size=LABEL_pt, prop=FontProperties(family="DejaVu Sans")).get_extents().width)


def _flag(axes, x, y, left, text):
    axes.plot([x, x], [0, y], color=VERMILION, lw=0.9)
    axes.plot([x], [y], "o", color=VERMILION, ms=4)
    axes.annotate(text, (x, y), xytext=(-6 if left else 6, 0), fontsize=LABEL_pt, textcoords="offset points", ha="right" if left else "left", va="center", color=BLACK)
