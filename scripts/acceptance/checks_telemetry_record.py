"""Acceptance of the recorder: its default on a real GPU."""
import json
import lzma
import subprocess
import sys
from pathlib import Path

import product
from product import ROOT


def check_record(report):
    """The recorder's default on a real GPU: all of its experiments, device, driver and date, its figures, and a fit of it."""
    sys.path.insert(0, str(ROOT / "python" / "tidewatt"))  # the folder runs alone, without the rest of tidewatt
    from recorder import experiments

    about = json.loads((ROOT / "docs" / "records" / "h100_sxm_700W.json").read_text())
    names = [x["name"] for x in about["experiments"]]
    standard = [x.name for x in experiments.standard()]
    report.judge("record: the whole default, device, driver, date", names[: len(standard)] == standard and about["complete"] and not about["gaps"],
                 f"{about['gpus']['0']['name']}, driver {about['gpus']['0']['driver']}, {about['begun']}: {about['rows']} readings, {len(names)} experiments",
                 "complete, no gap")  # fmt: skip
    report.judge("record: no setting changed", not any(x["clock_MHz"] or x["cap_W"] for x in about["experiments"]), "none", "none")
    ok, lines = script("record_figures", "--check")
    report.judge("record: figures of its rows", ok, lines[-1] if not ok else f"{len(lines)} figures", "all as in the list")
    table = Path(report.folder.name) / "h100.csv"
    with lzma.open(ROOT / "docs" / "records" / "h100_sxm_700W.csv.xz") as file:
        table.write_bytes(file.read())
    done = product.call([report.binary, "fit", "gpu", table, "--name", "mine", "--json", "--out", report.folder.name], 300)
    found = {v["key"]: v for v in json.loads(done.stdout)["values"]} if done.code == 0 else {}
    report.judge("record: goes into a fit", bool(found) and all(v["identified"] for v in found.values()),
                 ", ".join(f"{k} {v['value']:.3g}" for k, v in found.items()) or done.stderr.strip()[-200:], "poles identified")  # fmt: skip


def script(name, *arguments):
    """Whether a script of the repository ends well, and its lines."""
    done = subprocess.run([sys.executable, "-B", ROOT / "scripts" / name, *arguments], capture_output=True, text=True)
    return done.returncode == 0, (done.stdout + done.stderr).strip().splitlines()
