"""Acceptance of right answers to legal input, lines 12 to 17: rank orders, plans that run and validate both take, scenarios changed in C++,
the shared library, and what Python says of numbers, files and headers."""
import json
import os
import subprocess
import sys
from pathlib import Path

import product
from product import ROOT

# 16 H100 of two servers train a mixture of 128 small experts, all of them one expert group.
EXPERTS = """schema = 1
[run]
duration_h = 0.1
[[hall]]
n_gpu = 16
gpu = "h100_sxm_700W"
[[job]]
[job.model]
catalog = "deepseek_v3_like"
layers = 48
width = 2048
heads = 32
kv_heads = 4
experts = 128
expert_width = 768
dense_layers = 0
shared_experts = 0
expert_groups_per_token = 0
[job.plan]
n_gpu = 16
tp = 1
pp = 1
ep = 16
precision = "fp8"
sharding = "zero1"
sequence_parallel = true
sequence_tokens = 4096
global_batch_sequences = 1024
"""
SPLIT_SERVER = """[[hall]]
n_gpu = 64
gpu = "h100_sxm_700W"
[[job]]
model = "llama3_8b"
[job.plan]
n_gpu = 64
tp = 2
pp = 4
rank_order = "tp-cp-pp-dp"
"""


def written(report, name, text):
    path = Path(report.folder.name) / name
    path.write_text(text, encoding="utf-8")
    return path


def build_folder(report):
    return Path(report.binary).parents[1]


def unit_test(report, program, test):
    """Whether test cases of one of the build's test programs pass; None where it was not built."""
    found = next(iter(build_folder(report).rglob(f"test_{program}")), None)
    return subprocess.run([found, test], capture_output=True).returncode == 0 if found else None


def judge_unit(report, name, program, test):
    ok = unit_test(report, program, test)
    if ok is None:
        report.skip(name, f"test_{program} is not built")
    else:
        report.judge(name, ok, "passes" if ok else "fails", test)


def python(report, code, name, wanted="ok"):
    environment = {**os.environ, "PYTHONPATH": str(build_folder(report) / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    report.judge(name, done.stdout.strip() == wanted, done.stdout.strip() or done.stderr.strip()[-200:], wanted)


def rank_orders(report):
    """12. With one stage both orders are one placement; 13. the default is tp-cp-dp-pp."""
    scenario = written(report, "experts.toml", EXPERTS)
    seconds = {order: report.run(scenario, {"job.main.plan.rank_order": order}).json["iteration_s"] for order in ("tp-cp-dp-pp", "tp-cp-pp-dp")}
    report.judge("12 one stage: both orders are one placement", len(set(seconds.values())) == 1,
                 ", ".join(f"{k} {v:.2f} s" for k, v in seconds.items()), "equal")  # fmt: skip
    default = report.run(scenario).json["iteration_s"]
    keys = product.call([report.binary, "schema", "--keys", "rank_order"]).stdout
    report.judge("13 the default order is tp-cp-dp-pp", default == seconds["tp-cp-dp-pp"] and 'default "tp-cp-dp-pp"' in keys, f"{default:.2f} s", "as named")
    named = [p.name for p in sorted((ROOT / "scenarios").glob("*.toml")) if 'rank_order = "tp-cp-pp-dp"' in p.read_text()]
    report.judge("13 Llama 3's plan names its own", "llama3_405b_day.toml" in named and "megatron_175b_superpod.toml" not in named, ", ".join(named), "")


def refusals(report):
    """14. run and validate refuse the same plans."""
    split = product.call([report.binary, "check", written(report, "split.toml", SPLIT_SERVER)])
    report.judge("14 run refuses a server with several stages", split.code == 2 and "several pipeline stages" in split.stderr, f"exit {split.code}", "exit 2")
    rows = {r["id"]: r for r in json.loads(product.call([report.binary, "validate", "racks", "--json"]).stdout)["rows"]}
    refused = sorted(k for k, r in rows.items() if r["note"].startswith("run refuses this plan"))
    report.judge("14 validate says which rows run refuses", bool(refused) and all(rows[k]["verdict"] in ("fail", "calibrated") for k in refused), ", ".join(refused), "none passes")
    judge_unit(report, "14 one check for both", "validate", "validate refuses what run refuses: memory, and servers with several stages")


def in_code(report):
    """15. A scenario changed in code is checked before anything is built."""
    judge_unit(report, "15 run and Engine check first; engines end", "sim", "[engine]")


def shared(report):
    """16. The shared library offers what the headers declare."""
    build = build_folder(report)
    library, static = build / "libtidewatt.so", build / "libtidewatt.a"
    if not library.exists():
        return report.skip("16 exported names", "no shared library in this build")
    done = subprocess.run([sys.executable, "-B", ROOT / "tests/package/symbols_test.py", library, static, ROOT], capture_output=True, text=True)
    report.judge("16 every public declaration is exported", done.returncode == 0, done.stdout.strip().splitlines()[-1], "0 findings")


def numbers_and_files(report):
    """17a, 17b. Numbers of GPUs that no site has; files of a newer version, and results in place of scenarios."""
    for n in ("0", "1000000000000000"):
        done = product.call([report.binary, "new", "-", "--n-gpu", n])
        report.judge(f"17a new --n-gpu {n} is a finding", done.code == 2 and f"n_gpu: {n} is outside" in done.stderr, done.stderr.strip().splitlines()[-1][:90], "exit 2")
    newer = product.call([report.binary, "check", written(report, "newer.toml", "schema = 9\nno_such_key = 1\n")])
    report.judge("17b a newer file says so", newer.code == 2 and "newer tidewatt" in newer.stderr and "no_such_key" not in newer.stderr, newer.stderr.strip()[-90:], "exit 2")
    result = Path(report.folder.name) / "result.h5"
    product.run(report.binary, written(report, "short.toml", EXPERTS), result)
    given = product.call([report.binary, "run", result])
    report.judge("17b a result given as a scenario is named", given.code == 2 and "is a result" in given.stderr, given.stderr.strip()[-90:], "exit 2")


def python_names(report):
    """17c, 17d. Names that complete, and a site that is not compared with a node."""
    python(report, "import tidewatt as tw\nassert {'interval', 'conditioned'} <= set(tw.__all__) & set(dir(tw))\n"
                   "assert '_ipython_key_completions_' in dir(tw.Result)\nprint('ok')", "17c interval, conditioned and groups complete")  # fmt: skip
    python(report, "import numpy as np, pandas as pd, tidewatt as tw\nt = 0.01 * np.arange(1, 60001)\nw = 6000.0 - 3000.0 * (t % 6.37 < 1.6)\n"
                   "try:\n    tw.compare_waveforms(pd.DataFrame({'time_s': t, 'pcc_W': 8 * w}), pd.DataFrame({'time_s': t, 'node_W': w}), window_s=1.0)\n"
                   "except tw.InputError as e:\n    print('ok' if 'sum of servers' in str(e) else e)", "17d a site is not compared with a node")  # fmt: skip


def headers(report):
    """17e. Headers name installed headers only; parameters have comments."""
    for rule in ("surface", "fields"):
        done = subprocess.run([sys.executable, "-B", ROOT / f"tests/structure/{rule}_check.py"], capture_output=True, text=True)
        report.judge(f"17e structure.{rule}", done.returncode == 0, done.stdout.strip().splitlines()[-1], "0 findings")


GROUPS = {"rank_orders": rank_orders, "plan_refusals": refusals, "in_code": in_code, "shared_library": shared, "numbers_and_files": numbers_and_files,
          "python_names": python_names, "headers": headers}  # fmt: skip
SLOW = ["plan_refusals"]
