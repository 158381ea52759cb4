"""Acceptance of bad input: one clear message, the right exit code, well under a second."""
import product
from product import ROOT

SCENARIOS = ROOT / "tests" / "scenarios"
TINY = SCENARIOS / "tiny.toml"
CASES = (
    ("misspelt key", 2, [SCENARIOS / "misspelt_key.toml"], "duration_h"),
    ("tdp_kW for tdp_W", 2, [SCENARIOS / "wrong_unit.toml"], "tdp_W"),
    ("negative power", 2, [SCENARIOS / "negative_power.toml"], "-700"),
    ("1e9 GPUs", 4, [SCENARIOS / "too_many_gpus.toml"], "1000000000 GPUs"),
    ("missing file", 2, [SCENARIOS / "not_there.toml"], "no such file"),
    ("truncated EPW", 2, [TINY, "--weather", SCENARIOS / "truncated.epw"], "truncated"),
)


def check(report):
    for name, code, arguments, word in CASES:
        o = product.call([report.binary, "run", *arguments, "--json", "--no-interval", "--out", report.folder.name])
        lines = o.stderr.strip().splitlines()
        report.judge(f"bad input: {name}", o.code == code and word in o.stderr and len(lines) <= 3 and o.wall_s < 1.0,
                     f"exit {o.code}, {o.wall_s:.3f} s: {lines[-1].strip() if lines else ''}", f"exit {code}, below 1 s, one message")
