"""Acceptance of bands: fitted on some public records, held to others; coverage with a block bootstrap, and the interval score."""
import sys
import tempfile
from pathlib import Path

import product

QUANTILES = (0.05, 0.95)
N_BOOTSTRAP = 1000


def job_log(stem, sensor=None):
    """Distinct node series of a run: samples [node][time], what the job did, and the phase of the iteration where events tell it (else 0)."""
    import numpy as np
    import pandas as pd

    power = pd.read_csv(f"{stem}_{sensor or 'power'}.csv")
    events = pd.read_csv(f"{stem}_events.csv")
    watts = power.drop(columns="time_ms").T.drop_duplicates().T.to_numpy(float)
    time_ms, state, begun = power["time_ms"].to_numpy(), np.full(len(power), "", dtype=object), {}
    for at_ms, key in zip(events["time_ms"], events["key"].astype(str)):
        name = {"block": "train", "eval": "eval"}.get(key.rpartition("_")[0])
        if name and key.endswith("_start"):
            begun[name] = at_ms
        if name and key.endswith("_stop") and name in begun:
            state[(time_ms >= begun[name]) & (time_ms < at_ms)] = name
    return {"time_s": time_ms * 1e-3, "watts": watts, "state": state, "events": events}


def interval_score(y, low, high):
    """Gneiting and Raftery's score of a central 90 % interval: its width, and 2/α times what lies outside."""
    import numpy as np

    alpha = 0.1
    return (high - low) + 2 / alpha * (np.maximum(0, low - y) + np.maximum(0, y - high))


class Held:
    """Held-out samples of one quantity: inside or not, scores of the band and of the fitted part's own quantiles, by block."""

    def __init__(self):
        self.inside, self.score, self.plain = [], [], []

    def add(self, y, low, high, plain_low, plain_high, n_block):
        """Takes a record in the order of time; blocks of `n_block` samples."""
        import numpy as np

        inside = (y >= low) & (y <= high)
        score, plain = interval_score(y, low, high), interval_score(y, plain_low, plain_high)
        for i in range(0, len(y), n_block):
            for to, x in ((self.inside, inside), (self.score, score), (self.plain, plain)):
                to.append(np.asarray(x[i : i + n_block], float))

    def told(self):
        """Coverage, its 95 % interval over blocks, and how much the interval score gains on the fitted part's quantiles."""
        import numpy as np

        random, n = np.random.default_rng(1), len(self.inside)
        hits, sizes = np.array([b.sum() for b in self.inside]), np.array([len(b) for b in self.inside])
        drawn = [hits[i].sum() / sizes[i].sum() for i in (random.integers(0, n, n) for _ in range(N_BOOTSTRAP))]
        gain = 1 - sum(b.sum() for b in self.score) / sum(b.sum() for b in self.plain)
        return hits.sum() / sizes.sum(), *np.quantile(drawn, [0.025, 0.975]), gain


def judge(report, what, held, why, gain=None, without=None):
    """Coverage must contain 90 %, or a stated cause explain the miss: `without` it the coverage contains 90 %. The score must gain where the
    instant is known."""
    share, low, high, gained = held.told()
    told, holds = f"{100 * share:.1f} % ({100 * low:.1f} to {100 * high:.1f}), {len(held.inside)} blocks", low <= 0.9 <= high
    if without is not None and not holds:
        other, other_low, other_high, _ = without.told()
        holds = other_low <= 0.9 <= other_high
        told += f"; MISSED, without its cause {100 * other:.1f} % ({100 * other_low:.1f} to {100 * other_high:.1f})"
    report.judge(f"bands: coverage of {what}", holds, told, f"90 % inside{why}")
    if gain is None:
        print(f"      interval score of {what}: {100 * gained:+.1f} % better than the fitted part's quantiles (the iteration's instant is not known)")
    else:
        report.judge(f"bands: interval score of {what}", gained >= gain, f"{100 * gained:+.1f} %", f"at least {100 * gain:.0f} % better")


def band_by_state(fitted, held, pool, n_block, phases=None):
    """Levels of `fit nodes` (training and evaluation) plus the residuals' quantiles by state and phase; nodes of a run count together."""
    import numpy as np

    def keys(log):
        bins = phases(log) if phases else np.zeros(len(log["state"]), int)
        return np.array([f"{s}{b}" for s, b in zip(log["state"], bins)])

    level = {name: np.mean([log["level"][name] for log in fitted]) for name in ("train", "eval")}
    left, plain = {}, []
    for log in fitted:
        for key in np.unique(keys(log)):
            if key[:-1] and key.rstrip("0123456789") in level:
                at = keys(log) == key
                left.setdefault(key, []).append((log["watts"][at] - level[key.rstrip("0123456789")]).ravel())
                plain.append(log["watts"][at].ravel())
    quantiles = {key: np.nanquantile(np.concatenate(x), QUANTILES) for key, x in left.items()}
    plain_low, plain_high = np.nanquantile(np.concatenate(plain), QUANTILES)
    own = keys(held)
    known = np.array([key in quantiles for key in own])
    low, high = (np.array([level[key.rstrip("0123456789")] + quantiles[key][i] for key in own[known]]) for i in (0, 1))
    for node in held["watts"].T:
        read = np.isfinite(node[known])
        pool.add(node[known][read], low[read], high[read], plain_low, plain_high, n_block)


def with_levels(tw, log, stem, sensor=None):
    """The log with the levels that the product's `fit nodes` gives."""
    fit = tw.fit_nodes(f"{stem}_{sensor or 'power'}.csv", name="band", events=f"{stem}_events.csv", meter_period_s=2.0 if sensor else 1.0).frame.set_index("key")["value"]
    return {**log, "level": {"train": fit["train_W"], "eval": fit["evaluate_W"]}}


def check_power(report):
    """Runs against runs; nodes against nodes where there is one run; the iteration's instant where events tell it."""
    import warnings

    import numpy as np
    import tidewatt as tw

    folders = [product.shared_data(n) for n in ("mlperf_h100_8node_llama2", "mlperf_b200_1node", "mlperf_h100_512gpu_gpt3")]
    if None in folders:
        report.skip("bands: power of public records", "reference data absent")
        return
    warnings.simplefilter("ignore", UserWarning)  # what a fit does not identify is not used
    eight, b200, gpt = folders
    pool = Held()
    for sensor in ("ac", "dc"):
        stems = [str(next(eight.glob(f"result_{run}*_events.csv")))[: -len("_events.csv")] for run in (5740, 5742)]
        first, other = with_levels(tw, job_log(stems[0], sensor), stems[0], sensor), job_log(stems[1], sensor)
        one = Held()
        for to in (one, pool):
            band_by_state([first], other, to, 30)
        judge(report, f"LoRA 8 nodes {sensor}, 5742 from 5740", one, "; else the state alone does not tell the iteration's dips")
    for job in ("llama2_70b_lora", "stable_diffusion"):
        logs = [with_levels(tw, job_log(s), s) for s in (str(b200 / f"{job}_{i}") for i in range(3))]
        one = Held()
        for i, other in enumerate(logs):
            for to in (one, pool):
                band_by_state([log for k, log in enumerate(logs) if k != i], other, to, 60)
        judge(report, f"{job} on B200, each run from two others", one, "; three runs of one node")
    # One run of GPT-3: nodes from other nodes. Its events mark every iteration.
    for sensor in ("ac", "dc"):
        stem = str(next(gpt.glob("result_*_events.csv")))[: -len("_events.csv")]
        log = with_levels(tw, job_log(stem, sensor), stem, sensor)
        marks = log["events"].loc[log["events"]["key"] == "tracked_stats", "time_ms"].to_numpy() * 1e-3

        def phases(one, marks=marks):
            after = np.clip(np.searchsorted(marks, one["time_s"]), 1, len(marks) - 1)
            share = (one["time_s"] - marks[after - 1]) / (marks[after] - marks[after - 1])
            return np.clip((10 * (share % 1.0)).astype(int), 0, 9)

        nodes = log["watts"].shape[1]
        half = nodes // 2
        one = Held()
        for chosen in (np.arange(half), np.arange(half, nodes)):
            rest = np.setdiff1d(np.arange(nodes), chosen)
            for to in (one, pool):
                band_by_state([{**log, "watts": log["watts"][:, rest]}], {**log, "watts": log["watts"][:, chosen]}, to, len(log["state"]), phases)  # a node's level lasts: it is one block
        judge(report, f"GPT-3 {sensor}, half of {nodes} distinct nodes from the others", one, "; nodes of one run", gain=0.2 if phases is not None else None)
    judge(report, "power, all records", pool, "")


def rest_degC(fit, mean_W, low_W, high_W):
    """Die temperatures of the fitted fan loop (docs: fit fans), by bisection; an hour is a mix of its extremes with its mean power."""
    import numpy as np

    def at(power_W):
        low, high = np.full_like(power_W, 250.0), np.full_like(power_W, 450.0)
        for _ in range(60):
            T = 0.5 * (low + high)
            x = np.clip((T - fit["fan_start_K"]) / (fit["fan_full_K"] - fit["fan_start_K"]), 0, 1)
            s = fit["fan_min_frac"] + (1 - fit["fan_min_frac"]) * x
            hotter = fit["air_K"] + power_W * (fit["fixed_K_per_W"] + fit["sink_K_per_W"] * s**-0.8) > T
            low, high = np.where(hotter, T, low), np.where(hotter, high, T)
        return 0.5 * (low + high)

    width = np.maximum(high_W - low_W, 1e-9)
    share = np.where(high_W - low_W < 1e-9, 0.0, np.clip((mean_W - low_W) / width, 0, 1))
    return (1 - share) * at(low_W) + share * at(high_W) - 273.15


def fans(tw, fitted, other):
    """Temperatures of other hours by the fan loop that `fit fans` finds in the fitted ones."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fans.csv"
        fitted.iloc[::25].to_csv(path, index=False)  # each hour of the day in turn
        fit = tw.fit_fans(path, name="band").frame.set_index("key")["value"].to_dict()
    return rest_degC(fit, *(other[c].to_numpy(float) for c in ("powerave", "powermin", "powermax")))


def check_temperature(report):
    """Hourly temperatures of two servers: each record's second part from its first, because there is one server of each kind."""
    import warnings

    import numpy as np
    import pandas as pd
    import tidewatt as tw

    folder = product.shared_data("gpu_temperature_hourly")
    if folder is None:
        report.skip("bands: temperature of public records", "reference data absent")
        return
    warnings.simplefilter("ignore", UserWarning)
    pool, calm = Held(), Held()
    for kind, split in (("h100", "2025-01-01"), ("a40", "2025-01-01")):
        table = pd.read_csv(folder / f"{kind}_hourly.tsv", sep="\t", encoding="utf-8-sig", on_bad_lines="skip")
        for column in table.columns[2:]:
            table[column] = pd.to_numeric(table[column], errors="coerce")
        table = table.dropna().sort_values("timestamp")
        before, after = table[table["timestamp"] < split], table[table["timestamp"] >= split]
        # The band: what months miss that were left out of the fit, because the room's air moves from month to month.
        months = np.array([stamp[:7] for stamp in before["timestamp"]])
        left = [before["tempave"][months == m] - fans(tw, before[months != m], before[months == m]) for m in np.unique(months)]
        low, high = np.quantile(np.concatenate(left), QUANTILES)
        predicted = fans(tw, before, after)
        plain = np.quantile(before["tempave"], QUANTILES)
        one, own = Held(), Held()
        for to in (one, pool):
            to.add(after["tempave"].to_numpy(), predicted + low, predicted + high, *plain, 168)
        # The cause of a miss, if it is the room's air: without each month's mean error the rest is as it was.
        error, month = after["tempave"].to_numpy() - predicted, np.array([stamp[:7] for stamp in after["timestamp"]])
        drift = np.array([error[month == m].mean() for m in np.unique(month)])
        own_month = np.searchsorted(np.unique(month), month)
        for to in (own, calm):
            to.add(after["tempave"].to_numpy() - drift[own_month], predicted + low, predicted + high, *plain, 168)
        said = f"; the room's air: monthly mean errors {drift.min():+.1f} to {drift.max():+.1f} K"
        judge(report, f"hourly temperature, {kind}, from {split[:4]} on", one, said, gain=0.2, without=own)
    judge(report, "temperature, all records", pool, "; the room's air", gain=0.2, without=calm)


def check_bands(report):
    """Bands of power and temperature over public records that were not fitted; by the package built beside the program."""
    for name in [n for n in sys.modules if n.split(".")[0] == "tidewatt"]:
        del sys.modules[name]  # other checks use the sources without the compiled half
    sys.path.insert(0, str(Path(report.binary).resolve().parents[1] / "python"))
    check_temperature(report)
    check_power(report)
