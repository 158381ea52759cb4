"""Acceptance of right answers: the board's peak in runs and replays of a GPU, and hosts that arrive one after another."""
import tomllib

import product
from product import DAY, ROOT, TRANSIENTS

START_S = 5.0  # of the transients' job


def board_peak_W():
    entry = tomllib.loads((ROOT / "catalog" / "gpu" / "h100_sxm_700W.toml").read_text(encoding="utf-8"))
    return entry["governor"]["edp_peak_ratio"] * entry["power"]["tdp_W"]


def replay_peak_W(report, scenario, sets, name):
    out = report.folder.name + f"/{name}.h5"
    arguments = [report.binary, "run", scenario, "--quiet", "--no-interval", "--show", "gpu", "--gpu", "slowest", "--out", out]
    for key, value in sets.items():
        arguments += ["--set", f"{key}={value}"]
    outcome = product.call(arguments)
    if outcome.code:
        raise RuntimeError(outcome.stderr)
    line = next(x for x in outcome.stdout.splitlines() if x.startswith("power "))
    return float(line.split(" to ")[1].split()[0])


def peaks(report):
    """22: the replay of one GPU keeps within the entry's measured peak, and without that entry it does not."""
    most_W = board_peak_W()
    report.at_most("22 replay of the day's slowest GPU", replay_peak_W(report, DAY, {}, "day"), most_W + 0.5, "W", ".4g")
    free_W = replay_peak_W(report, DAY, {"hall.a.gpu.governor.edp_peak_ratio": 0}, "free")
    report.within("22 the same without a known peak", free_W, most_W + 50.0, 2000.0, "W", ".4g")


def arrival(report):
    """26: no millisecond of the start has more than a twentieth of the rise of all contexts; without a spread one has all of it."""
    import h5py

    def steps_MW(arrive_s):
        out = f"{report.folder.name}/arrive_{arrive_s}.h5"
        sets = {"job.main.life.arrive_s": arrive_s, "run.duration_h": 60 / 3600, "record.window.sample.duration_s": 60}
        outcome = product.run(report.binary, TRANSIENTS, out, sets)
        if outcome.code:
            raise RuntimeError(outcome.stderr)
        with h5py.File(out) as file:
            wave = file["waveform_sample/pcc_W"][:] * 1e-6
        first, last = int((START_S - 1) * 1e3), int((START_S + 15) * 1e3)
        return max(abs(b - a) for a, b in zip(wave[first:last], wave[first + 1:last])), wave[last] - wave[first]

    spread, rise = steps_MW(10)
    at_once, _ = steps_MW(0)
    report.at_most("26 largest millisecond of the start ÷ rise", spread / rise, 1 / 20)
    report.within("26 the same with arrive_s = 0", at_once / rise, 0.9, 1.1)


GROUPS = {"peaks": peaks, "arrival": arrival}
