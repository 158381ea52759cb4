"""Acceptance of racks in a run: what fails and what replaces it, spares in the rack, liquid on a shared header, smoothing's parts."""
import tempfile
from pathlib import Path

import product
from product import ROOT

MONTH = ROOT / "scenarios" / "gb300_nvl72_moe.toml"
ROW = ROOT / "scenarios" / "gb300_nvl72_row.toml"
SMOOTHED = ROOT / "scenarios" / "llama3_405b_smoothed.toml"
# Often enough to be seen within a day; times of repair as in the catalog.
OFTEN = {"job.main.failures.switch_tray_rate_per_day": "[0.02]", "job.main.failures.rack_rate_per_day": "[0.05]"}


def figures_of(report, file, sets, folder):
    line = [report.binary, "run", file, "--quiet", "--json", "--no-interval", "--out", f"{folder}/run.h5"]
    return product.call(line + [w for key, value in sets.items() for w in ("--set", f"{key}={value}")]).json


def check_failures(report):
    """A day of 16 racks: interruptions add up by what failed; a switch tray takes its domain down until it is back or a rack replaces it."""
    with tempfile.TemporaryDirectory() as folder:
        day = {"run.duration_h": 24, "weather.day": "hot"}
        none, one, many = (figures_of(report, MONTH, day | OFTEN | {"job.main.life.spare_racks": n}, folder) for n in (0, 1, -1))
        quiet = figures_of(report, MONTH, day | {k: "[0]" for k in OFTEN}, folder)
    for name, f in {"no spare rack": none, "as many as wanted": many}.items():
        parts = [f[f"n_interruptions_{what}"] for what in ("tray", "switch_tray", "rack")]
        report.judge(f"{name}: interruptions by what failed", sum(parts) == f["n_interruptions_unexpected"] and all(parts),
                     "{} trays, {} switch trays, {} racks".format(*parts), "add up, each is there")
    report.judge("without their rates no switch tray and no rack fails", quiet["n_interruptions_switch_tray"] == quiet["n_interruptions_rack"] == 0
                 and quiet["n_interruptions_tray"] == many["n_interruptions_tray"], f"{quiet['n_interruptions_tray']} trays", "the same trays")
    shares = [f["effective_time_percent"] for f in (none, one, many, quiet)]
    report.judge("a lost domain costs what its repair takes, a spare rack ends that", shares[0] < shares[1] <= shares[2] < shares[3],
                 "effective time {:.1f} % without, {:.1f} % with one spare rack, {:.1f} % with all, {:.1f} % without such failures".format(*shares), "rising")


def check_spares(report):
    """64 of 72: the ranks use 64 GPUs of each domain, the spare trays draw idle power."""
    with tempfile.TemporaryDirectory() as folder:
        hour = {"run.duration_h": 0.5, "weather.day": "hot"}
        f = figures_of(report, MONTH, hour, folder)
        job = f["jobs"][0]
    spare_W = 1e6 * (f["it_mean_MW"] - job["it_mean_MW"]) / (f["n_gpu"] - job["n_gpu"])
    used_W = 1e6 * job["it_mean_MW"] / job["n_gpu"]
    report.judge("64 of 72 GPUs work", (f["n_gpu"], job["n_gpu"], f["scale_up_gpus"]) == (1152, 1024, 72),
                 f"{job['n_gpu']} of {f['n_gpu']} in domains of {f['scale_up_gpus']}", "1024 of 1152")
    report.within("a spare GPU with its part of the tray over one at work", 100 * spare_W / used_W, 15, 50, "%", ".0f", f"{spare_W:.0f} of {used_W:.0f} W")
    full = {"job.main.placement.spare_nodes_per_rack": 0}
    said = product.call([report.binary, "check", MONTH] + [w for k, v in full.items() for w in ("--set", f"{k}={v}")])
    report.judge("expert groups of 32 across two racks of 72 are named", "lie across two" in said.stdout + said.stderr, (said.stdout + said.stderr)[:120], "a note")


def check_header(report):
    """A blocked filter heats its own rack, pumps that stop all of them; too little flow is found before the run."""
    product.use_built(report.binary)
    import numpy as np
    import tidewatt as tw

    def warmest(event):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "racks.toml"
            file.write_text('base = "gb300_nvl72_row"\n[run]\nduration_h = 1.5\n' + (f'[[event]]\nname = "e"\nhall = "a"\nat_s = 400\n{event}\n' if event else ""))
            result = tw.run(tw.load(str(file)), gpu_hours=True)
            rack = np.asarray(result["fleet"]["rack"])
            last_hour_K = np.asarray(result["gpu_hours"]["die_K"]).reshape(-1, rack.size)[-1]
            return [np.array([of[rack == r].mean() for r in range(16)]) for of in (np.asarray(result["fleet"]["die_K"]), last_hour_K)]

    usual = warmest("")
    own = warmest('kind = "filter_blocked"\nrack = 5\nout_frac = 0.5')[0] - usual[0]
    pumps = warmest('kind = "cdu_out"\nout_frac = 0.5')[1] - usual[1]  # a moment's dies hang on where the iteration is
    others = np.delete(own, 5)
    report.judge("a blocked filter heats its own rack", own[5] > 4 and others.max() < 0.5, f"{own[5]:+.1f} K, others {others.min():+.2f} to {others.max():+.2f} K (they wait for it)", "over 4; none by 0.5")
    report.judge("pumps that stop heat all racks", pumps.min() > 2, f"{pumps.min():+.1f} to {pumps.max():+.1f} K", "over 2")
    said = product.call([report.binary, "check", ROW, "--set", "hall.a.rack.catalog=gb300_nvl72", "--set", "hall.a.rack.liquid.flow_L_per_min=60"])
    report.judge("too little flow for a rack's heat", said.code != 0 and "too little" in said.stderr, said.stderr.strip()[:160], "refused before the run")


def check_smoothing(report):
    """What of smoothing acts, in the shipped scenario: the floor does not, from 0.5 to 0.65, and the summary says so. A floor of 0.3 lies
    below what loading draws: it is held for its two seconds after each host's load, and is told."""
    with tempfile.TemporaryDirectory() as folder:
        short = {"run.duration_h": 0.15}
        key = "mitigation.smoothing.floor_ratio"
        lowest, low, shipped = (figures_of(report, SMOOTHED, short | sets, folder) for sets in ({key: 0.3}, {key: 0.5}, {}))
        text = product.call([report.binary, "run", SMOOTHED, "--set", "run.duration_h=0.15", "--out", f"{folder}/run.h5"]).stdout
    parts = {k: shipped[f"smoothing_{k}_s"] for k in ("floor", "ramp_up", "ramp_down", "hysteresis")}
    told = ", ".join(f"{k} {v:.1f} s" for k, v in parts.items())
    report.judge("parts of smoothing that act", parts["ramp_down"] > 0 and parts["ramp_up"] > 0, told, "ramps")
    same = abs(low["pcc_mean_MW"] / shipped["pcc_mean_MW"] - 1) < 1e-4  # stairs of a ramp are cut at the hysteresis's end
    report.judge("a floor that does not act changes nothing, and the summary says so", (parts["floor"] == 0) == same and (parts["floor"] > 0 or "change nothing" in text),
                 f"floor {parts['floor']:.1f} s, mean {shipped['pcc_mean_MW']:.4f} MW, with floor 0.5 {low['pcc_mean_MW']:.4f} MW", "agree")
    report.judge("a floor below what loading draws acts and is told", lowest["smoothing_floor_s"] > 0 and lowest["pcc_mean_MW"] > shipped["pcc_mean_MW"],
                 f"floor 0.3: {lowest['smoothing_floor_s']:.1f} s, mean {lowest['pcc_mean_MW']:.4f} MW", "seconds and watts")


def check_modules(report):
    """A module's limit is a cap of its GPUs' share; half of a domain's links cost tokens and save watts."""
    gb200 = ROOT / "scenarios" / "gb200_nvl72_row.toml"
    with tempfile.TemporaryDirectory() as folder:
        short = {"run.duration_h": 0.1, "hall.a.rack.catalog": "gb200_nvl72"}
        usual, module, cap, half = (figures_of(report, gb200, short | more, folder) for more in
                                    ({}, {"hall.a.module_limit_W": 2300}, {"hall.a.cap_W": 1000}, {"hall.a.switch_profile": "reduced_bandwidth"}))
    keys = ("tokens_per_s_mean", "pcc_mean_MW", "clock_mean_MHz")
    report.judge("a module of 2,300 W with a CPU of 300 W: its GPUs at 1,000 W", all(module[k] == cap[k] for k in keys) and module["pcc_mean_MW"] < usual["pcc_mean_MW"],
                 f"{module['pcc_mean_MW']:.3f} MW for {cap['pcc_mean_MW']:.3f}, {usual['pcc_mean_MW']:.3f} without a limit", "the same bits")
    report.judge("half of the links: fewer tokens, fewer megawatts", half["tokens_per_s_mean"] < usual["tokens_per_s_mean"] and half["pcc_mean_MW"] < usual["pcc_mean_MW"],
                 f"{100 * (half['tokens_per_s_mean'] / usual['tokens_per_s_mean'] - 1):+.1f} % tokens, {100 * (half['pcc_mean_MW'] / usual['pcc_mean_MW'] - 1):+.1f} % power", "both below")
