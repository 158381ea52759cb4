"""Power of an inference service as a function of its batch, from records: mean, scatter and autocorrelation."""

from __future__ import annotations

import dataclasses
import os
import re
from typing import Mapping, Sequence, Union

import numpy as np

ORDER = 8  # autoregression over 0.8 s of a record in steps of 0.1 s
_BATCH = re.compile(r"(?:max_num_seqs|batch)_?(\d+)")


@dataclasses.dataclass(frozen=True)
class InferencePower:
    """Stationary power at each recorded batch. Arrays are [record]; `low_W`, `high_W` are 95 % of the mean; `ar` is [record, ORDER]."""

    batch: np.ndarray
    mean_W: np.ndarray
    low_W: np.ndarray
    high_W: np.ndarray
    sd_W: np.ndarray
    ar: np.ndarray
    step_s: float

    def mean_at(self, batch: float) -> float:
        """Mean power, W: linear in log2 of the batch, constant beyond the recorded batches.

        Parameters
        ----------
        batch : float
            Number of sequences processed together, at least 1.
        """
        return float(np.interp(np.log2(batch), np.log2(self.batch), self.mean_W))

    def without(self, batch: int) -> InferencePower:
        """The fit without one record, to predict it.

        Parameters
        ----------
        batch : int
            Batch of the record to leave out.

        Raises
        ------
        ValueError
            Fewer than two records would remain.
        """
        keep = self.batch != batch
        if keep.sum() < 2:
            raise ValueError("two records at least must stay")
        return InferencePower(*(getattr(self, f.name)[keep] for f in dataclasses.fields(self)[:-1]), self.step_s)

    def autocorrelation(self, batch: int, lags: int) -> np.ndarray:
        """ρ of the record's process at lags 0 … `lags` − 1, by ρ_k = Σ a_i ρ_{k−i}.

        Parameters
        ----------
        batch : int
            Of a record
        lags : int
            Count, steps.
        """
        a = self.ar[int(np.flatnonzero(self.batch == batch)[0])]
        # The first ORDER values solve the same equations.
        n = len(a)
        matrix = np.eye(n + 1)
        for k in range(1, n + 1):
            for i in range(1, n + 1):
                matrix[k, abs(k - i)] -= a[i - 1]
        rho = list(np.linalg.solve(np.vstack([np.eye(n + 1)[0], matrix[1:]]), np.eye(n + 1)[0]))
        while len(rho) < lags:
            rho.append(float(np.dot(a, rho[: -n - 1 : -1])))
        return np.array(rho[:lags])

    def draw(self, batch: float, duration_s: float, seed: int) -> np.ndarray:
        """Power at steps of `step_s`, W: the nearest record's process about the mean of the batch.

        Parameters
        ----------
        batch : float
            Number of sequences processed together
        duration_s : float
            S
        seed : int
            Of the draw.
        """
        i = int(np.argmin(np.abs(np.log2(self.batch) - np.log2(batch))))
        n, rng = int(round(duration_s / self.step_s)), np.random.default_rng(seed)
        rho = self.autocorrelation(int(self.batch[i]), ORDER + 1)
        noise_W = self.sd_W[i] * np.sqrt(max(1.0 - float(np.dot(self.ar[i], rho[1:])), 0.0))
        x = np.zeros(n + 200)  # the first 200 steps forget the start
        for k in range(ORDER, len(x)):
            x[k] = (
                np.dot(self.ar[i], x[k - 1 : k - ORDER - 1 : -1] if k > ORDER else x[ORDER - 1 :: -1])
                + noise_W * rng.standard_normal()
            )
        return self.mean_at(batch) + x[200:]


def sample_autocorrelation(power_W: Sequence[float], lags: int) -> np.ndarray:
    """Autocorrelation at lags 0 … `lags` − 1 steps, dimensionless.

    Parameters
    ----------
    power_W : Sequence[float]
        Even samples, W
    lags : int
        Count.
    """
    x = np.asarray(power_W, dtype=float)
    x = x - x.mean()
    spectrum = np.fft.rfft(x, 2 * len(x))
    cov = np.fft.irfft(spectrum * np.conj(spectrum))[:lags]
    return cov / cov[0]


def fit_inference_power(
    records: Union[Mapping[int, object], Sequence[Union[str, os.PathLike]]], ends_s: float = 2.0
) -> InferencePower:
    """Fits mean, scatter and autoregression (Yule–Walker) of each record.

    The interval of a mean uses the number of independent samples N_eff = N / (1 + 2 Σ ρ_k) over the lags up to the first negative one.

    Parameters
    ----------
    records : Union[Mapping[int, object], Sequence[Union[str, os.PathLike]]]
        Batch → table of `tw.read_power` or its file; or files with the batch in their names (`…max_num_seqs_64.csv`)
    ends_s : float, default 2.0
        Time to leave out at both ends, where the service starts and stops, s.

    Raises
    ------
    InputError
        No batch in a name, uneven or differing steps, or a record too short.
    """
    from ._read import read_power
    from .importers.report import InputError

    if not isinstance(records, Mapping):
        named = {str(p): _BATCH.search(os.path.basename(str(p))) for p in records}
        if any(m is None for m in named.values()):
            raise InputError(
                f"{next(p for p, m in named.items() if m is None)}: its name tells no batch; give {{batch: file}}"
            )
        records = {int(m[1]): p for p, m in named.items()}  # type: ignore[index]
    rows, steps = [], set()
    for batch in sorted(records):
        table = read_power(records[batch]) if isinstance(records[batch], (str, os.PathLike)) else records[batch]
        step_s = float(table["time_s"].diff().median())
        if (table["time_s"].diff().dropna().sub(step_s).abs() > 0.1 * step_s).any():
            raise InputError(f"batch {batch}: the samples are not evenly spaced")
        steps.add(round(step_s, 9))
        cut = int(round(ends_s / step_s))
        power = table[next(c for c in table if c.endswith("_W"))].to_numpy()[cut : len(table) - cut]
        if len(power) < 20 * ORDER:
            raise InputError(f"batch {batch}: {len(power)} samples, {20 * ORDER} are needed")
        rows.append(_fit_one(batch, power))
    if len(steps) > 1:
        raise InputError(f"records with steps of {sorted(steps)} s cannot be fitted together")
    columns = list(zip(*rows))
    return InferencePower(*(np.array(c) for c in columns), steps.pop())


def _fit_one(batch: int, power: np.ndarray) -> tuple:
    rho = sample_autocorrelation(power, min(len(power) // 4, 200))
    ar = np.linalg.solve(rho[np.abs(np.subtract.outer(range(ORDER), range(ORDER)))], rho[1 : ORDER + 1])
    positive = int(np.argmax(rho < 0)) if (rho < 0).any() else len(rho)
    n_eff = len(power) / (1.0 + 2.0 * rho[1:positive].sum())
    half = 1.96 * power.std(ddof=1) / np.sqrt(n_eff)
    return batch, power.mean(), power.mean() - half, power.mean() + half, power.std(ddof=1), ar
