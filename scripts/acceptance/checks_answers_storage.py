"""Acceptance of right answers on storage in racks, substations, smoothing and ratings (lines 18 and 20)."""
import csv
import itertools
import math
import statistics
import tomllib
from pathlib import Path

import product
from product import ROOT

HOURS = "0.05"


def entry(kind, name):
    return tomllib.loads((ROOT / "catalog" / kind / f"{name}.toml").read_text(encoding="utf-8"))


def figures(report, file, *sets):
    options = [part for s in sets for part in ("--set", s)]
    return product.call([report.binary, "run", file, "--quiet", "--json", "--no-interval", "--out", report.folder.name, *options]).json


def new(report, name, *options):
    file = Path(report.folder.name) / f"{name}.toml"
    made = product.call([report.binary, "new", file, "--duration-h", HOURS, *options])
    return file if made.code == 0 else None


def rack_storage(report):
    """With the racks' own storage no fall or rise over 0.1 s and no millisecond is above the run without it."""
    for scenario, more in (("gb300_nvl72_row", []), ("gb300_nvl72_moe", ["run.duration_h=2"])):
        bare, own = figures(report, scenario, *more), figures(report, scenario, "site.rack_storage.from_rack=true", *more)
        for key, what in (("pcc_max_MW", "largest millisecond"), ("pcc_ramp_down_max_MW_per_s", "fall over 0.1 s"), ("pcc_ramp_up_max_MW_per_s", "rise over 0.1 s")):
            report.judge(f"{scenario}: {what}", own[key] <= bare[key] * (1 + 1e-6), f"{bare[key]:.4g} -> {own[key]:.4g}", "not above")
    own = figures(report, "gb300_nvl72_row", "site.rack_storage.from_rack=true", "hall.a.rack.power.storage_J=130", "run.duration_h=0.05")
    one = figures(report, "gb300_nvl72_row", "site.rack_storage.from_rack=true", "run.duration_h=0.05")
    report.judge("the rack entry's energy is the run's", own["pcc_ramp_down_max_MW_per_s"] < one["pcc_ramp_down_max_MW_per_s"],
                 f"{one['pcc_ramp_down_max_MW_per_s']:.4g} MW/s with 65 J, {own['pcc_ramp_down_max_MW_per_s']:.4g} with 130 J", "less with more")
    refused = product.call([report.binary, "check", "gb200_nvl72_row", "--set", "site.rack_storage.from_rack=true"])
    report.judge("a rack without storage is refused", refused.code == 2 and "gb200_nvl72" in refused.stderr + refused.stdout, f"exit {refused.code}", "exit 2, named")


def substation(report):
    """What `new` writes has losses and vars to its scale: PUE of 64 and 16,384 GPUs within 0.03, power factor at least 0.93."""
    for hardware in (["--gpu", "h100_sxm_700W"], ["--gpu", "b200_sxm_1000W"]):
        pue = {}
        for n_gpu in (64, 512, 16384):
            file = new(report, f"{hardware[1]}_{n_gpu}", "--n-gpu", n_gpu, "--model", "llama3_8b", *hardware)
            if file is None:
                report.judge(f"{hardware[1]}, {n_gpu} GPUs", False, "new refuses", "writes")
                continue
            f = figures(report, file)
            pue[n_gpu] = f["pue"]
            factor = power_factor(report, file)
            report.judge(f"{hardware[1]}, {n_gpu} GPUs: power factor", factor >= 0.93, f"{factor:.3f}", "at least 0.93")
        spread = max(pue.values()) - min(pue.values())
        report.at_most(f"{hardware[1]}: spread of PUE over sizes", spread, 0.03, note=", ".join(f"{n}: {p:.3f}" for n, p in pue.items()))


def power_factor(report, file):
    """Of the recorded window's means: the site iterates in it."""
    result, folder = Path(report.folder.name) / "factor.h5", Path(report.folder.name) / f"factor_{file.stem}"
    product.call([report.binary, "run", file, "--quiet", "--no-interval", "--out", result])
    product.call([report.binary, "export", result, "--format", "csv", "--out", folder])
    with next(folder.glob("*.csv")).open(encoding="utf-8") as text:
        rows = list(csv.DictReader(line for line in text if not line.startswith("#")))
    P, Q = (statistics.fmean(float(row[key]) for row in rows) for key in ("pcc_P_MW", "pcc_Q_Mvar"))
    return P / math.hypot(P, Q)


def smoothing(report):
    """One default: the catalog entry, a scenario that names only the kind, `size` and the page."""
    usual = {k: v for k, v in entry("gpu_smoothing", "default_profile").items() if k not in ("schema", "kind", "name", "sources", "assumed")}
    file = Path(report.folder.name) / "smoothed.toml"
    base = product.call([report.binary, "new", file, "--rack", "gb300_nvl72", "--model", "llama3_405b", "--duration-h", HOURS])
    file.write_text(file.read_text(encoding="utf-8") + '\n[[mitigation]]\nname = "s"\nkind = "gpu_smoothing"\n', encoding="utf-8")
    bare = figures(report, file)
    said = figures(report, file, *(f"mitigation.s.{key}={value}" for key, value in usual.items()))
    report.judge("smoothing by its kind alone is the entry's", base.code == 0 and bare["pcc_mean_MW"] == said["pcc_mean_MW"], f"{bare['pcc_mean_MW']:.6g} MW", f"{said['pcc_mean_MW']:.6g} MW")
    remedies = entry("portfolio", "remedies")
    report.judge("`size` names the entry", remedies["smoothing"] == "default_profile" and not any(k.startswith("smoothing_floor") for k in remedies), remedies["smoothing"], "default_profile")
    page = (ROOT / "python" / "tidewatt" / "planner" / "controls.py").read_text(encoding="utf-8")
    report.judge("the page reads the entry", '"default_profile"' in page and "0.65" not in page, "read" if '"default_profile"' in page else "own numbers", "read")


def ratings(report):
    """A feeder's rating is compared with a mean over 15 min, and its largest millisecond is named beside it."""
    f = figures(report, "gb300_nvl72_row", "site.feeder.site_n_branch=1", "site.feeder.site_rating_MVA=3.0", "run.duration_h=0.5")
    mean, peak = f["feeder_loading_mean_max_percent"]["site"], f["feeder_loading_max_percent"]["site"]
    report.judge("mean and millisecond are two figures", 0 < mean < peak, f"{mean:.1f} % and {peak:.1f} %", "mean below peak")
    rating = 3.0 * 0.5 * (mean + peak) / 100  # between them: the mean fits, the millisecond does not
    text = product.call([report.binary, "run", "gb300_nvl72_row", "--no-interval", "--out", report.folder.name, *itertools.chain.from_iterable(
        ("--set", s) for s in ("site.feeder.site_n_branch=1", f"site.feeder.site_rating_MVA={rating:.4f}", "run.duration_h=0.5"))]).stdout
    report.judge("a short peak is no overload", "is overloaded" not in text and "largest millisecond" in " ".join(text.split()), "named" if "millisecond" in text else "silent", "named, not overloaded")
    racks = {n: figures(report, "gb300_nvl72_row", f"hall.a.n_gpu={n * 72}", "run.duration_h=0.02")["feeder_loading_mean_max_percent"]["rack"] for n in (16, 32)}
    report.within("rack branches are as many as racks", racks[32] / racks[16], 0.99, 1.01, form=".4f")


GROUPS = {"rack_storage": rack_storage, "substation": substation, "smoothing": smoothing, "ratings": ratings}
SLOW = ["substation"]
