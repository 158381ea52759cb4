"""Compares a model's waveform with a log through the same meter: lines, trough, dip energy and width with intervals."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._study import Answer

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

N_LINE = 5
"""Harmonics of the iteration that are told."""
BLOCK_ITERATIONS = 5
"""Length of a block at least; a block's phase is its own, so that jitter between blocks does no harm."""
BLOCK_SAMPLES = 40
PLATEAU_QUANTILE = 0.75
"""Quantile of the folded waveform that counts as its plateau."""
N_BOOTSTRAP = 400
MOST_MEAN_RATIO = 1.5
"""Means of model and log further apart than this are not of the same servers: a site and a node, or a sum and a mean of several nodes."""


class WaveformComparison(Answer):
    """A model's waveform and a log through the same meter. Made by `compare_waveforms`; `frame` has the figures with intervals."""

    def __init__(self, figures: dict[str, Any], text: str, frame: pandas.DataFrame, folded: dict[str, tuple[np.ndarray, np.ndarray]]):
        super().__init__(figures, text)
        self.frame = frame
        """A row per figure: `figure`, `model`, `log`, `log_low`, `log_high`, `difference` (model less log), `low`, `high`, `agrees`."""
        self.folded = folded
        """Mean waveform over one iteration of `model` and `log`: phase 0 to 1, W."""

    @property
    def findings(self) -> list[str]:
        """Limits of the comparison, and figures that are not identified."""
        return list(self["findings"])

    def plot(self, *, ax: Any = None) -> Axes:
        """Plots both waveforms over one iteration, as the meter shows them.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None: a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes of the picture.
        """
        from .report.style import BLACK, VERMILION, one_panel, painted

        def paint(axes):
            axes = one_panel(axes, 9, 4.2, f"One iteration behind a meter of {self['window_s']:g} s means")
            for name, style, colour in (("log", "o-", BLACK), ("model", "-", VERMILION)):
                phase, power_W = self.folded[name]
                axes.plot(phase, power_W / 1e3, style, color=colour, ms=3, label=name)
            axes.set(xlabel="phase of the iteration", ylabel="power (kW)", xlim=(0, 1))
            axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncol=2, borderaxespad=0)
            return axes

        return painted(paint, ax)


def through_meter(power: pandas.DataFrame, *, window_s: float, sample_s: float, phase_s: float = 0.0) -> pandas.DataFrame:
    """Readings of a meter: trailing means of a waveform at equal intervals.

    P_meter(t) = (1/w) ∫ P over (t − w, t); power is constant between its rows, each the mean of the time before it.

    Parameters
    ----------
    power : pandas.DataFrame
        A column of watts (`…_W`; the first counts) and `time_s`, a column `time` or an index of times: a recorded window
        (`result.frame("waveform_…")`), or a table of `read_power`.
    window_s : float
        Averaging window, s, 0–60; 0: instantaneous.
    sample_s : float
        Time between readings, s, above 0.
    phase_s : float, default 0
        Time of the first reading after the first whole window, s, 0 to `sample_s`.

    Returns
    -------
    pandas.DataFrame
        `time_s`, `power_W`.

    Raises
    ------
    InputError
        Missing columns, times that are not ascending, or a waveform shorter than the window.
    """
    import pandas

    time_s, power_W = _columns(power)
    _check("window_s", window_s, 0.0, 60.0)
    _check("sample_s", sample_s, 1e-6, 3600.0)
    edge_s = np.concatenate([[time_s[0] - np.median(np.diff(time_s))], time_s])
    energy_J = np.concatenate([[0.0], np.cumsum(power_W * np.diff(edge_s))])
    at = np.arange(edge_s[0] + window_s + phase_s, time_s[-1] + 1e-9 * sample_s, sample_s)
    if not len(at) or at[0] > time_s[-1]:
        raise _core.InputError(f"the waveform lasts {time_s[-1] - edge_s[0]:.3g} s, the meter's window {window_s:g} s")
    if window_s > 0.0:
        mean_W = (np.interp(at, edge_s, energy_J) - np.interp(at - window_s, edge_s, energy_J)) / window_s
    else:
        mean_W = power_W[np.minimum(np.searchsorted(time_s, at), len(power_W) - 1)]
    return pandas.DataFrame({"time_s": at, "power_W": mean_W})


def compare_waveforms(
    model: pandas.DataFrame,
    log: pandas.DataFrame,
    *,
    window_s: float,
    iteration_s: float | None = None,
    model_iteration_s: float | None = None,
    seed: int = 1,
) -> WaveformComparison:
    """Model and log through the log's meter: iteration, mean, lines, trough, dip energy and width, with 95 % intervals.

    Both must be the power of the same servers: a site's power is not compared with a node's, nor a sum of nodes with their mean.
    The model is averaged over the meter's window and sampled at the log's rate. A model shorter than the log is repeated by whole
    iterations. Each record is divided into blocks of at least five iterations and 40 readings, each with its own phase. Lines are harmonics
    fitted by least squares and corrected for noise. They are valid beyond half the sampling rate if the readings cover all phases.
    The folded waveform gives plateau (its 75 % quantile), trough, dip energy (∫ plateau − power over an iteration)
    and dip width (energy over depth). Intervals are a bootstrap over blocks.

    Parameters
    ----------
    model : pandas.DataFrame
        Time and watts of the model, as for `through_meter`, finer than the meter's window.
    log : pandas.DataFrame
        Time and watts as read from the meter.
    window_s : float
        The meter's averaging window, s, 0–60.
    iteration_s : float, optional
        Iteration time of the log, s; None: estimated, which needs four readings per iteration.
    model_iteration_s : float, optional
        Iteration time of the model, s; None: estimated.
    seed : int, default 1
        Seed of the bootstrap.

    Returns
    -------
    WaveformComparison
        `frame`, `findings`, `plot`.

    Raises
    ------
    InputError
        No iteration time can be found, a record has fewer than three blocks, or the means of model and log differ by more than a factor
        of 1.5: one is a sum of servers, the other a part of it.
    """
    import pandas

    time_s, power_W = _columns(log)
    _same_servers(model, log)
    sample_s = float(np.median(np.diff(time_s)))
    findings: list[str] = []
    period_s = _period_s(time_s, power_W, iteration_s, "the log")
    fine_s, fine_W = _columns(model)
    model_period_s = _period_s(fine_s, fine_W, model_iteration_s, "the model")
    repeated = _repeated(fine_s, fine_W, model_period_s, time_s[-1] - time_s[0] + window_s, findings)
    shown = through_meter(repeated, window_s=window_s, sample_s=sample_s)
    random = np.random.default_rng(seed)
    told = {
        "log": _Record(time_s, power_W, period_s, "the log").bootstrap(random),
        "model": _Record(shown["time_s"].to_numpy(), shown["power_W"].to_numpy(), model_period_s, "the model").bootstrap(random),
    }
    rows = []
    for i, figure in enumerate(_FIGURES):
        own, of_log = (told[name][0][i] for name in ("model", "log"))
        spread = told["model"][1][:, i] - told["log"][1][:, i]
        low, high = np.quantile(spread, [0.025, 0.975])
        log_low, log_high = np.quantile(told["log"][1][:, i], [0.025, 0.975])
        rows.append((figure, own, of_log, log_low, log_high, own - of_log, low, high, bool(low <= 0.0 <= high)))
    frame = pandas.DataFrame(rows, columns=["figure", "model", "log", "log_low", "log_high", "difference", "low", "high", "agrees"])
    if told["log"][2] <= 0.0:
        findings.append("the log's lines do not stand out of its noise: trough, dip energy and width are not identified")
        frame.loc[frame["figure"].isin(["trough_W", "dip_energy_J", "dip_width_s"]), ["log", "log_low", "log_high", "difference", "low", "high"]] = np.nan
    if sparse := told["log"][4]:
        findings.append(f"readings meet the iteration at {sparse} phases only: lines that differ by {sparse} fall together")
    if 2.0 * sample_s > period_s:
        findings.append(f"{sample_s:g} s between readings is more than half an iteration of {period_s:.4g} s: lines rest on readings that meet all phases")
    if window_s > period_s:
        findings.append(f"the meter's window of {window_s:g} s is longer than an iteration of {period_s:.4g} s: the dip's depth is what is left of it")
    figures = {"window_s": window_s, "sample_s": sample_s, "iteration_s": period_s, "model_iteration_s": model_period_s, "findings": findings,
               "figures": frame.to_dict("records")}  # fmt: skip
    lines = [f"a meter of {window_s:g} s means every {sample_s:g} s; iteration {period_s:.4g} s in the log, {model_period_s:.4g} s in the model",
             f"{'':<14}{'model':>10}{'log':>10}{'95 % of the log':>22}{'difference':>12}{'95 %':>22}"]  # fmt: skip
    for r in frame.itertuples():
        lines.append(f"{r.figure:<14}{r.model:>10.4g}{r.log:>10.4g}{f'{r.log_low:.4g} to {r.log_high:.4g}':>22}{r.difference:>+12.3g}{f'{r.low:.3g} to {r.high:.3g}':>22}{'' if r.agrees else '  differs'}")
    return WaveformComparison(figures, "\n".join([*lines, *(f"finding: {f}" for f in findings)]), frame, {name: told[name][3] for name in told})


_FIGURES = ["mean_W", "plateau_W", "trough_W", "dip_energy_J", "dip_width_s", *(f"line_{k}_W" for k in range(1, N_LINE + 1))]


class _Record:
    """Readings in blocks, each with harmonics relative to its own phase."""

    def __init__(self, time_s: np.ndarray, power_W: np.ndarray, period_s: float, whose: str):
        step_s = float(np.median(np.diff(time_s)))
        n = max(BLOCK_SAMPLES, int(np.ceil(BLOCK_ITERATIONS * period_s / step_s)))
        count = len(power_W) // n
        if count < 3:
            raise _core.InputError(f"{whose}: {len(power_W)} readings make {count} blocks of {n}; three are needed ({BLOCK_ITERATIONS} iterations and {BLOCK_SAMPLES} readings each)")
        self._period_s, self._power = period_s, power_W[: n * count].reshape(count, n)
        t = time_s[: n * count].reshape(count, n)
        self._amplitudes = np.empty((count, N_LINE))  # squared, W²
        self._phase = np.empty((count, n))
        for b in range(count):
            self._amplitudes[b], first = self._harmonics(t[b], self._power[b])
            self._phase[b] = (t[b] / period_s - first) % 1.0
        # As many bins as have ten readings each, and no finer than the record resolves.
        self._n_bin = int(np.clip(n * count // 10, 8, 40))
        self._align()
        met = np.unique(np.round((t.ravel() / period_s) % 1.0, 3) % 1.0).size
        self._sparse = met if met < 4 * N_LINE else 0

    def _harmonics(self, t: np.ndarray, power: np.ndarray) -> tuple[np.ndarray, float]:
        """Squared amplitudes freed of noise, and the phase of the first harmonic, in iterations."""
        k = np.arange(1, N_LINE + 1)
        angle = 2 * np.pi * t[:, None] * k / self._period_s
        columns = np.hstack([np.ones((len(t), 1)), np.cos(angle), np.sin(angle)])
        weights, *_ = np.linalg.lstsq(columns, power, rcond=1e-9)
        left = power - columns @ weights
        noise = (left @ left) / max(1, len(t) - columns.shape[1])
        covariance = noise * np.diag(np.linalg.pinv(columns.T @ columns))
        a, b = weights[1 : N_LINE + 1], weights[N_LINE + 1 :]
        return a**2 + b**2 - covariance[1 : N_LINE + 1] - covariance[N_LINE + 1 :], float(np.arctan2(b[0], a[0]) / (2 * np.pi))

    def _align(self) -> None:
        """Phases of the blocks against their mean waveform, in a few turns: the first harmonic alone can be small."""
        shifts = np.arange(self._n_bin) / self._n_bin
        for _ in range(4):
            whole = self._folded(np.arange(len(self._power)))
            for b in range(len(self._power)):
                misses = [((self._power[b] - whole[self._bin((self._phase[b] + s) % 1.0)]) ** 2).sum() for s in shifts]
                self._phase[b] = (self._phase[b] + shifts[int(np.argmin(misses))]) % 1.0

    def _bin(self, phase: np.ndarray) -> np.ndarray:
        return np.minimum((phase * self._n_bin).astype(int), self._n_bin - 1)

    def _folded(self, blocks: np.ndarray) -> np.ndarray:
        """Mean of each bin, W; an empty bin takes its neighbours' mean."""
        at, power = self._bin(self._phase[blocks]).ravel(), self._power[blocks].ravel()
        count = np.bincount(at, minlength=self._n_bin)
        full = np.flatnonzero(count)
        mean = np.bincount(at, power, self._n_bin)[full] / count[full]
        return np.interp(np.arange(self._n_bin), full, mean, period=self._n_bin)

    def _figures(self, blocks: np.ndarray) -> np.ndarray:
        folded = self._folded(blocks)
        plateau, trough = np.quantile(folded, PLATEAU_QUANTILE), folded.min()
        energy = np.maximum(0.0, plateau - folded).mean() * self._period_s
        lines = np.sqrt(np.maximum(0.0, self._amplitudes[blocks].mean(axis=0)))
        return np.array([self._power[blocks].mean(), plateau, trough, energy, energy / max(plateau - trough, 1e-9), *lines])

    def bootstrap(self, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, float, tuple[np.ndarray, np.ndarray], int]:
        """Figures; figures of the bootstrap's draws [draw, figure]; the lines' power above noise less 3.3 standard errors, W²; the folded
        waveform; and the number of phases covered by readings, if it is too small to separate lines (else 0)."""
        n = len(self._power)
        chosen = [random.integers(0, n, n) for _ in range(N_BOOTSTRAP)]
        draws = np.array([self._figures(c) for c in chosen])
        total = self._amplitudes.sum(axis=1)
        above = total.mean() - 3.3 * np.std([total[c].mean() for c in chosen])  # 1 in 1,000 where there is no line
        folded = self._folded(np.arange(n))
        return self._figures(np.arange(n)), draws, float(above), ((np.arange(self._n_bin) + 0.5) / self._n_bin, folded), self._sparse

def _columns(power: pandas.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    watts = _watts(power)
    time = power["time_s"] if "time_s" in power else power["time"] if "time" in power else power.index
    if not watts or ("time_s" not in power and getattr(time, "dtype", None) is not None and time.dtype.kind not in "M" and "datetime" not in str(time.dtype)):
        raise _core.InputError(f"needs time_s or times, and a column of watts; found {', '.join(map(str, power))}")
    known = power[watts[0]].notna().to_numpy()
    power_W = power[watts[0]].to_numpy(float)[known]
    if "time_s" in power:
        time_s = power["time_s"].to_numpy(float)[known]
    else:
        stamps = np.asarray(time.astype("int64"), dtype=float)[known]  # ns
        time_s = (stamps - stamps[0]) * 1e-9 if len(stamps) else stamps
    if len(time_s) < 2 or (np.diff(time_s) <= 0).any():
        raise _core.InputError("time_s must ascend over two rows at least")
    return time_s, power_W


def _same_servers(model: pandas.DataFrame, log: pandas.DataFrame) -> None:
    """Refuses two records of which one is a sum of servers and the other a part of it."""
    means = {name: (_watts(table)[0], float(np.mean(_columns(table)[1]))) for name, table in (("model", model), ("log", log))}
    (_, low_W), (_, high_W) = sorted(means.values(), key=lambda m: m[1])
    if low_W > 0.0 and high_W <= MOST_MEAN_RATIO * low_W:
        return
    whole, part = ("model", "log") if means["model"][1] > means["log"][1] else ("log", "model")
    ratio = f"{high_W / low_W:.3g} times" if low_W > 0.0 else "not"
    raise _core.InputError(
        f"the {whole} ('{means[whole][0]}', mean {high_W / 1e3:.4g} kW) is {ratio} the {part} ('{means[part][0]}', mean {low_W / 1e3:.4g} kW): "
        f"one is a sum of servers (a site, a hall), the other a part of it (a node, or a mean of nodes). Compare the power of the same servers: "
        f"add the nodes of the log, or divide the model's server power (it_W, not pcc_W) by its nodes")


def _watts(power: pandas.DataFrame) -> list[str]:
    return [str(c) for c in power if str(c).endswith("_W")]


def _check(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise _core.InputError(f"{name}: {value:g} is outside of {low:g} to {high:g}")


def _period_s(time_s: np.ndarray, power_W: np.ndarray, given: float | None, whose: str) -> float:
    """The iteration: given, or the first peak of the autocorrelation that nearly reaches the highest one."""
    step_s, span_s = float(np.median(np.diff(time_s))), time_s[-1] - time_s[0]
    if given is not None:
        if not 0.0 < given <= span_s / 3:
            raise _core.InputError(f"iteration_s: {given:g} s does not fit three times into {whose} of {span_s:.3g} s")
        return float(given)
    step_s = max(step_s, span_s / 8000)  # finer steps add no information about an iteration read by a meter
    edges_s = np.arange(time_s[0], time_s[-1], step_s)
    energy_J = np.concatenate([[0.0], np.cumsum(power_W[1:] * np.diff(time_s))])
    even = np.diff(np.interp(edges_s, time_s, energy_J)) / step_s
    x = even - even.mean()
    spectrum = np.fft.rfft(x, 2 * len(x))
    rho = np.fft.irfft(spectrum * np.conj(spectrum))[: len(x) // 3]
    rho = rho / max(rho[0], 1e-300) * len(x) / (len(x) - np.arange(len(rho)))
    below = np.flatnonzero(rho < 0.0)
    after = int(below[0]) if len(below) else len(rho)
    peaks = [i for i in range(max(after, 4), len(rho) - 1) if rho[i - 1] <= rho[i] >= rho[i + 1]]
    if not peaks or max(rho[i] for i in peaks) < 0.1:
        raise _core.InputError(f"{whose} shows no iteration of four samples or more: give iteration_s")
    best = max(rho[i] for i in peaks)
    i = next(i for i in peaks if rho[i] > 0.9 * best)
    curve = rho[i - 1] - 2 * rho[i] + rho[i + 1]
    coarse_s = (i + (0.5 * (rho[i - 1] - rho[i + 1]) / curve if curve < 0 else 0.0)) * step_s
    # Refined by the power of its first harmonics over the first blocks.
    n = min(len(x), int(np.ceil(20 * coarse_s / step_s)))
    t, x = step_s * np.arange(n), x[:n]
    tried = coarse_s * (1 + np.linspace(-0.5, 0.5, 201) * step_s / coarse_s)
    power = [sum(abs(np.exp(-2j * np.pi * k * t / T) @ x) ** 2 for k in range(1, N_LINE + 1)) for T in tried]
    return float(tried[int(np.argmax(power))])


def _repeated(time_s: np.ndarray, power_W: np.ndarray, period_s: float, span_s: float, findings: list[str]) -> pandas.DataFrame:
    """The model as long as the log: whole iterations of it, again and again."""
    import pandas

    step_s = float(np.median(np.diff(time_s)))
    if time_s[-1] - time_s[0] >= span_s:
        return pandas.DataFrame({"time_s": time_s, "power_W": power_W})
    n = int((time_s[-1] - time_s[0]) // period_s)
    if n < 1:
        raise _core.InputError(f"the model lasts {time_s[-1] - time_s[0]:.3g} s, less than an iteration of {period_s:.4g} s")
    findings.append(f"the model's {n} whole iterations are repeated to the log's {span_s:.0f} s")
    # On a grid of its own steps, so that a repetition begins exactly one iteration later.
    own = np.arange(int(np.ceil(span_s / step_s))) * step_s
    return pandas.DataFrame({"time_s": time_s[0] + own, "power_W": power_W[np.minimum(((own % (n * period_s)) / step_s).astype(int), len(power_W) - 1)]})
