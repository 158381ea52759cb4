"""Acceptance of the hot day: swing, iteration time, plans, weather files, equality of the ways to advance."""
import product
from product import DAY

PRESCRIBED = {"hall.a.plant.catalog": "prescribed_llama3_day"}
CONSTANT = {**PRESCRIBED, "hall.a.plant.min_degC": 24, "hall.a.plant.max_degC": 24}
HOUR = {**PRESCRIBED, "run.start": "2024-07-20T14:00:00", "run.duration_h": 0.5}


def books(report, name, figures):
    report.at_most(f"{name}: energy closure", figures["energy_closure"], 1e-11, form=".1e")
    report.at_most(f"{name}: input energy error", figures["input_energy_error"], 1e-12, form=".1e")


def judge_hours(report, name, figures):
    hours = figures["throughput_min_hours"]
    report.judge(f"{name}: slowest hours begin", bool(hours) and min(hours) >= 12 and max(hours) <= 17, str(hours), "from 12 to 17 h")


def check_swing(report):
    """Rows D1, D1b, D2, D3; wall time and memory of the day."""
    size = product.fleet(2048) if report.quick else {}

    def day(sets):
        return report.run(DAY, {**size, **sets}, "--threads", 2)

    full = day({})
    b = full.json
    report.within("D1b full chain: swing", b["throughput_swing_percent"], 0.7, 2.5, "%")
    judge_hours(report, "D1b", b)
    if report.quick:
        report.skip("day: wall time and memory", "the fleet is reduced")
    else:
        report.at_most("day: wall time, 2 threads", full.wall_s, 60, "s", ".1f", f"CPU {full.cpu_s:.0f} s")
        report.at_most("day: peak memory", full.rss_B / 1e9, 2.0, "GB", ".2f")
    report.within("day: iteration", b["iteration_s"], 6.2, 7.0, "s")
    books(report, "D1b", b)

    d1 = day(PRESCRIBED).json
    swing = d1["throughput_swing_percent"]
    report.within("D1 inlet 18 to 30 degC: swing", swing, 0.7, 2.5, "%")
    judge_hours(report, "D1", d1)
    report.within("D1: time held by the power limiter", d1["limiter_share"]["power"], 0.9, 1.0)
    report.within("D1: iteration", d1["iteration_s"], 6.2, 7.0, "s")
    books(report, "D1", d1)
    still = day(CONSTANT).json["throughput_swing_percent"]
    report.judge("D2 constant inlet: swing", still < 0.2, f"{still:.3g} %", "below 0.2 %")
    for name, key in (("without spread", "run.spread"), ("without slowest-rank gating", "run.gating")):
        other = day({**PRESCRIBED, key: False}).json["throughput_swing_percent"]
        report.judge(f"D3 {name}: swing", other < swing, f"{other:.3g} %, {swing - other:.3g} % less", f"below D1's {swing:.3g} %")


def check_plan(report):
    """Half the GPUs, half the micro-batches, another pipeline: half an hour each, settled, in the afternoon."""
    half = {"hall.a.n_gpu": 8192, "job.main.plan.n_gpu": 8192}
    outcomes = report.runs([(DAY, {**HOUR, **s}, []) for s in (
        {}, half, {**half, "job.main.plan.global_batch_sequences": 1024},
        {"job.main.plan.pp": 8, "job.main.plan.virtual_stages": 16})])
    whole, dp64, fewer, pp8 = (o.json for o in outcomes)
    report.within("8,192 GPUs, DP 64, same batch: iteration", dp64["iteration_s"], 11.5, 13.0, "s")
    report.judge("fewer micro-batches (32 to 16): bubble grows",
                 fewer["mfu_percent"] < dp64["mfu_percent"] and fewer["iteration_s"] > 0.5 * dp64["iteration_s"],
                 f"MFU {dp64['mfu_percent']:.2f} to {fewer['mfu_percent']:.2f} %, iteration {dp64['iteration_s']:.2f} to "
                 f"{fewer['iteration_s']:.2f} s", "MFU falls, more than half the time for half the batch")
    a, b = one_iteration(whole["result_file"]), one_iteration(pp8["result_file"])
    apart = waveform_difference(a, b)
    report.judge("PP 8 instead of 16: another waveform", apart > 0.02,
                 f"{100 * apart:.1f} % apart (rms over one iteration, best aligned); {a['n']} and {b['n']} edges, "
                 f"{a['period_s']:.2f} and {b['period_s']:.2f} s", "more than 2 % of the mean load apart")


def one_iteration(path):
    """The site's load over one iteration, W, at 4,096 equal steps of its phase; each is the mean over its step."""
    import h5py
    import numpy as np
    with h5py.File(path, "r") as file:
        edge_s, load_W = file["iteration/edge_s"][()], file["iteration/load_W"][()]
    energy_J = np.concatenate([[0.0], np.cumsum(load_W[:-1] * np.diff(edge_s))])
    at_s = np.linspace(edge_s[0], edge_s[-1], 4097)
    mean_W = np.diff(np.interp(at_s, edge_s, energy_J)) / np.diff(at_s)
    return {"n": len(edge_s), "period_s": float(edge_s[-1] - edge_s[0]), "load_W": mean_W}


def waveform_difference(a, b):
    """Rms difference over the mean, at the shift in time that brings the two closest."""
    import numpy as np
    x, y = a["load_W"], b["load_W"]
    overlap = np.fft.irfft(np.fft.rfft(x) * np.conj(np.fft.rfft(y)), len(x)).max()
    square = np.sum(x**2) + np.sum(y**2) - 2.0 * overlap
    return float(np.sqrt(max(0.0, square) / len(x)) / np.mean(x))


def check_fast_day(report):
    """Repeating iterations by the affine map against resolving every one of them, on 256 GPUs.

    The 405B model does not fit 256 GPUs, so Llama 3 70B trains there with the same pipeline depth. Compared are the
    hourly throughput, the fleet's mean die temperature through the day, and every GPU's die temperature in the step with
    the warmest inlet. Fans run on a line: in steps, an instant may lie on the other side of one.
    """
    import h5py
    import numpy as np
    sets = {**PRESCRIBED, **product.fleet(256, micro_batches=64), "job.main.model": "llama3_70b",
            "job.main.plan.virtual_stages": 1, "job.main.plan.layers_removed_first": 0,
            "job.main.plan.layers_removed_last": 0, "hall.a.server": "dgx_h100"}
    if report.quick:
        sets.update({"run.start": "2024-07-20T09:00:00", "run.duration_h": 3})
    outcomes = report.runs([(DAY, sets, more) for more in ([], ["--reference"])])
    with h5py.File(outcomes[0].json["result_file"]) as fast, h5py.File(outcomes[1].json["result_file"]) as slow:
        rate = [f["hourly/throughput_tokens_per_s"][()] for f in (fast, slow)]
        throughput = 100 * np.max(np.abs(rate[0] / rate[1] - 1))
        # Rows are as long as nothing happened: compare the fast run's means with the resolved run's over the same time.
        edge, die = [], []
        for f, o in zip((fast, slow), outcomes):
            edge.append(np.append(f["day/time"][()], o.json["simulated_s"]))
            die.append(f["day/die_mean_K"][()])
        integral = np.append(0.0, np.cumsum(die[1] * np.diff(edge[1])))
        same_K = np.diff(np.interp(edge[0], edge[1], integral)) / np.diff(edge[0])
        mean_K = np.max(np.abs(die[0] - same_K))
        each_K = np.max(np.abs(fast["fleet/die_K"][()] - slow["fleet/die_K"][()]))
        pcc = [f["hourly/pcc_J"][()] for f in (fast, slow)]
        energy = 100 * np.max(np.abs(pcc[0] / pcc[1] - 1))
    report.at_most("fast day = resolved day: hourly throughput", throughput, 0.02, "%", ".2g",
                   f"{len(rate[0])} h; CPU {outcomes[0].cpu_s:.0f} and {outcomes[1].cpu_s:.0f} s")
    report.at_most("fast day = resolved day: hourly energy", energy, 0.02, "%", ".2g")
    report.at_most("fast day = resolved day: mean die", mean_K, 0.05, "K", ".2g", "the start from cold included")
    report.at_most("fast day = resolved day: every die, warmest", each_K, 0.05, "K", ".2g")


def check_same_bits(report):
    sets = {**product.fleet(2048), "run.start": "2024-07-20T12:00:00", "run.duration_h": 2}
    hashes = [report.run(DAY, sets, "--threads", n).json["payload_sha256"] for n in (1, 2, 2)]
    report.judge("day: same bits twice and for 1, 2 threads", len(set(hashes)) == 1, ", ".join(h[:12] for h in hashes), "equal")


def check_weather(report):
    """Every EPW at hand, on its hot clear July day."""
    folder = product.shared_data("weather_epw")
    if folder is None:
        return report.skip("weather files", "no reference data here")
    files = sorted(folder.glob("*.epw"))
    sets = {**product.fleet(1024), "run.macro_step_s": 300}
    outcomes = report.runs([(DAY, sets, ["--weather", f]) for f in files])
    places = {}
    for file, o in zip(files, outcomes):
        name = file.stem.split("_", 2)[-1].split(".epw")[0][:22]
        if o.code != 0:
            report.judge(f"weather {name}", False, o.stderr.strip(), "runs")
            continue
        r = o.json
        places[file.stem] = r
        ok = r["energy_closure"] <= 1e-11 and r["input_energy_error"] <= 1e-12 and r["throughput_swing_percent"] is not None
        report.judge(f"weather {name}", ok,
                     f"swing {r['throughput_swing_percent']:.2f} % from {r['throughput_min_hours']} h, {r['wue_L_per_kWh']:.3f} L/kWh, "
                     f"PUE {r['pue']:.3f}", "runs, books close")
    dry = next((r for k, r in places.items() if "Phoenix" in k), None)
    humid = next((r for k, r in places.items() if "Atlanta" in k), None)
    if not (dry and humid):
        return report.skip("dry and humid place", "Phoenix or Atlanta is not among the files")
    differ = all(abs(dry[k] - humid[k]) > 0.05 * max(dry[k], humid[k]) for k in ("throughput_swing_percent", "wue_L_per_kWh"))
    report.judge("a dry and a humid place differ", differ and dry["wue_L_per_kWh"] > humid["wue_L_per_kWh"],
                 f"Phoenix {dry['throughput_swing_percent']:.2f} %, {dry['wue_L_per_kWh']:.3f} L/kWh; Atlanta "
                 f"{humid['throughput_swing_percent']:.2f} %, {humid['wue_L_per_kWh']:.3f} L/kWh",
                 "both by more than 5 %, the dry place takes more water")
