"""Acceptance of what `new` and `size` propose: every file that `new` can write passes `check`, runs without a note about its own choices, and
has a plausible PUE and power factor; `size --for gpus` and the page propose numbers that the scenario takes."""
import itertools
import json
import math
import tomllib
from pathlib import Path

import product
from product import ROOT

CPU_LIMIT_s = 1200.0
AIR_PUE, LIQUID_PUE, LEAST_POWER_FACTOR = (1.03, 1.25), (1.02, 1.25), 0.93
HOURS = "0.5"
EXPERTS, DENSE, LARGE = "deepseek_v3_like", "llama3_8b", "llama3_405b"


def entries(kind):
    files = [tomllib.loads(p.read_text(encoding="utf-8")) for p in sorted((ROOT / "catalog" / kind).glob("*.toml"))]
    return {f["name"]: f for f in files}


def is_liquid(plant):
    return plant.get("liquid_frac", 0.0) > 0.0


def hardware_cases(quick):
    """(arguments of new): each server and each rack with each plant; those that do not fit are refused and left out."""
    for (kind, name), plant in itertools.product([("--server", n) for n in entries("server")] + [("--rack", n) for n in entries("rack")], entries("plant")):
        yield [kind, name, "--plant", plant]


def size_cases(quick):
    """Sizes, models and other choices once, each with the plants chosen to fit."""
    for n in (64, 512) if quick else (64, 512, 1024, 16384):
        yield ["--n-gpu", n]
    for rack, n in itertools.product(["gb300_nvl72"] if quick else list(entries("rack")), (1, 2) if quick else (1, 2, 24)):
        yield ["--rack", rack, "--racks", n]
    yield ["--rack", "gb300_nvl72", "--racks", 24, "--model", EXPERTS]
    yield ["--rack", "gb300_nvl72", "--plant", "cdu_dry_cooler", "--supply-degC", 40]
    if quick:
        return
    for model in entries("model"):
        yield ["--model", model]
    for option, kind in (("--climate", "climate"), ("--grid", "grid"), ("--gpu", "gpu"), ("--feeder", "feeder"), ("--network", "network")):
        for name in entries(kind):
            yield [option, name]


class Tally:
    def __init__(self):
        self.n, self.refused, self.cpu_s = 0, 0, 0.0
        self.unclean, self.noted, self.short, self.pue, self.factor = [], [], [], [], []


def walk(report, tally, arguments):
    """new → check → run. Returns figures of the run, or None"""
    file = Path(report.folder.name) / "made.toml"
    what = " ".join(str(a) for a in arguments)
    made = product.call([report.binary, "new", file, "--force", "--hours", HOURS, *arguments], 300)
    tally.cpu_s += made.cpu_s
    if made.code != 0:
        tally.refused += made.code == 2 and "--" in what
        if made.code != 2:
            tally.unclean.append(f"{what}: new ends with {made.code}: {made.stderr.strip()[:160]}")
        return None
    tally.n += 1
    check = product.call([report.binary, "check", file], 300)
    tally.cpu_s += check.cpu_s
    if check.code != 0:
        tally.unclean.append(f"{what}: {(check.stdout + check.stderr).strip()[:200]}")
        return None
    run = product.call([report.binary, "run", file, "--json", "--quiet", "--no-interval", "--threads", 1, "--out", report.folder.name], 600)
    tally.cpu_s += run.cpu_s
    if run.code != 0:
        tally.unclean.append(f"{what}: run ends with {run.code}: {run.stderr.strip()[:200]}")
        return None
    figures = json.loads(run.stdout)
    tally.noted += [f"{what}: {line}" for line in (check.stdout + run.stderr).splitlines() if line.startswith("note:")]
    return what, figures, tomllib.loads(file.read_text(encoding="utf-8"))


def power_factor(figures):
    """Of the recorded window of a run, which lies in the middle of it: mean active over apparent power."""
    import h5py

    with h5py.File(figures["result_file"]) as file:
        window = file["waveform_sample"]
        active, reactive = float(window["pcc_W"][:].mean()), float(window["pcc_var"][:].mean())
    return active / math.hypot(active, reactive)


def judge(report, tally, name):
    def listed(rows):
        return "".join(f"\n      {row}" for row in rows[:12]) + (f"\n      and {len(rows) - 12} more" if len(rows) > 12 else "")

    report.judge(f"{name}: check and run", not tally.unclean and tally.n > 0, f"{tally.n} files, {tally.refused} refused as not fitting, {tally.cpu_s:.0f} s of CPU{listed(tally.unclean)}", "all clean")
    report.judge(f"{name}: no note about a choice of new", not tally.noted, f"{len(tally.noted)} notes{listed(tally.noted)}", "none")
    report.judge(f"{name}: feeder and plant suffice", not tally.short, f"{len(tally.short)} do not{listed(tally.short)}", "mean loading at most 100 %, cooling margin above 0")
    report.judge(f"{name}: PUE", not tally.pue, f"{len(tally.pue)} outside{listed(tally.pue)}", "1.03 to 1.25 in air, 1.02 to 1.25 in liquid")
    report.judge(f"{name}: power factor", not tally.factor, f"{len(tally.factor)} below{listed(tally.factor)}", f"at least {LEAST_POWER_FACTOR}")


def matrix(report, cases, name):
    tally, plants = Tally(), entries("plant")
    for arguments in cases:
        if tally.cpu_s > CPU_LIMIT_s:
            tally.unclean.append(f"more than {CPU_LIMIT_s:.0f} s of processor time")
            break
        done = walk(report, tally, arguments)
        if done is None:
            continue
        what, figures, scenario = done
        plant = plants[scenario["hall"][0]["plant"]["catalog"]]
        # A prescribed inlet has no cooling power of its own.
        low, high = LIQUID_PUE if is_liquid(plant) else AIR_PUE
        if plant["type"] != "prescribed_inlet" and not low <= figures["pue"] <= high:
            tally.pue.append(f"{what}: {figures['pue']:.3f}")
        loading, margin = max(figures["feeder_loading_mean_max_percent"].values()), figures["capacity_margin_min_percent"]
        if loading > 100.0 or (margin is not None and margin <= 0.0):
            tally.short.append(f"{what}: loading {loading:.0f} %, margin {margin} %")
        factor = power_factor(figures)
        if factor < LEAST_POWER_FACTOR:
            tally.factor.append(f"{what}: {factor:.3f}")
    judge(report, tally, name)


def sizes(report):
    matrix(report, size_cases(report.quick), "sizes and choices")
    pue = [walk(report, Tally(), ["--n-gpu", n])[1]["pue"] for n in (64, 16384)]
    report.at_most("PUE of 64 and 16,384 GPUs, difference", abs(pue[0] - pue[1]), 0.03, form=".3f", note=f"{pue[0]:.3f} and {pue[1]:.3f}")


def everything(report):
    matrix(report, hardware_cases(report.quick), "servers and racks with plants")
    matrix(report, size_cases(False), "all sizes and choices")


def published_plan(report):
    file = Path(report.folder.name) / "large.toml"
    product.call([report.binary, "new", file, "--force", "--model", LARGE, "--n-gpu", 16384, "--hours", "0.2"])
    made, shipped = report.run(file).json, report.run(product.DAY, {"run.duration_h": 0.2, "record.window": "[]"}).json
    report.within("new against the published plan of 405B, tokens/s", made["tokens_per_s_mean"] / shipped["tokens_per_s_mean"], 0.99, 10.0, form=".3f")


def proposals(report):
    """`size --for gpus` proposes a number that its own scenario takes."""
    folder = Path(report.folder.name)
    for arguments in (["--rack", "gb300_nvl72", "--racks", 24, "--model", EXPERTS], ["--racks", 8]):
        file, found = folder / "sized.toml", folder / "found.toml"
        product.call([report.binary, "new", file, "--force", "--hours", "0.3", *arguments])
        size = product.call([report.binary, "size", file, "--for", "gpus", "--contract-MW", 6, "--new-site", "--write", found, "--json", "--set", "weather.climate=phoenix_az"])
        check = product.call([report.binary, "check", found])
        n = size.json["n_gpu"] if size.code == 0 else size.stderr.strip()[:160]
        report.judge(f"size {' '.join(str(a) for a in arguments)}", size.code == 0 and check.code == 0, f"{n} GPUs", "a scenario that check accepts")


def slider(report):
    import sys

    sys.path.insert(0, str(ROOT / "build/release/python"))
    try:
        import tidewatt as tw
        from tidewatt.planner import base, controls
    except ImportError as error:
        return report.skip("the page's GPU slider", str(error))
    file = Path(report.folder.name) / "page.toml"
    product.call([report.binary, "new", file, "--force", "--hours", "0.3", "--rack", "gb300_nvl72", "--racks", 24, "--model", EXPERTS])
    case = base.read(str(file))
    found = {c["id"]: c for c in controls.describe(case)["controls"]}
    gpus, answered = found["gpus"], 0
    numbers = [gpus["value"] + k * gpus["step"] for k in range(-6, 7) if k and gpus["min"] <= gpus["value"] + k * gpus["step"] <= gpus["max"]]
    for n in numbers:
        try:
            case.scenario({k["key"]: round(n * k["factor"]) for k in gpus["keys"]})
            answered += 1
        except tw.InputError:
            pass
    report.judge("the page's GPU slider, each step", answered == len(numbers) > 3, f"{answered} of {len(numbers)} steps of {gpus['step']}", "all can answer")
    report.judge("supply temperature of a liquid hall", "liquid 36 °C" in found["supply"]["note"], found["supply"]["note"], "the liquid's")


def mistakes(report):
    wrong = product.call([report.binary, "new", "-", "--climate", "frankfurt", "--model", "moe"])
    report.judge("all mistakes of new at once", wrong.code == 2 and "frankfurt" in wrong.stderr and "moe" in wrong.stderr, f"exit {wrong.code}", "both names")
    typed = product.call([report.binary, "new", "x.toml", "--rakcs", 24])
    report.judge("unexpected arguments as typed", "--rakcs 24" in typed.stderr and "--racks" in typed.stderr, typed.stderr.strip(), "in order, with the nearest")


GROUPS = {"authoring": [mistakes, published_plan, proposals, slider], "new": sizes, "new_everything": everything}
SLOW = ["new_everything"]
