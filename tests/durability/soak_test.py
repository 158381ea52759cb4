#!/usr/bin/python3
"""Row 19: a sweep of 10,000 cases neither grows nor leaks, and 54 days of 16,384 GPUs stay small: soak_test.py [CASES]"""
import sys
import tempfile
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import sweeps

ACCEPTANCE = sweeps.ROOT / "scripts" / "acceptance"
sys.path.insert(0, str(ACCEPTANCE))
import product  # noqa: E402

loader = SourceFileLoader("studies", str(ACCEPTANCE / "studies"))
studies = module_from_spec(spec_from_loader("studies", loader))
loader.exec_module(studies)
LEAST = 400  # cases below which a slope says nothing


def main(folder, n):
    sweep = folder / "hours.toml"
    sweep.write_text(studies.HOUR.format(n=n) + studies.VARIABLES)
    scenario = sweeps.ROOT / "scenarios" / "llama3_405b_day.toml"
    wall_s, samples = studies.watched([sweeps.CLI, "sweep", sweep, "--scenario", scenario, "--out", folder / "out", "--workers", "2", "--quiet"])
    grown, error = studies.slope(samples, 1, n, wall_s)
    leaked = studies.slope(samples, 2, n, wall_s)[0] * n
    days = product.run(sweeps.CLI, sweeps.ROOT / "scenarios" / "llama3_405b_54days.toml", folder / "days")
    closure = days.json["energy_closure"]
    print(f"scorecard 19: {n} cases: {grown:+.3f} ± {2 * error:.3f} KiB per case, {leaked:+.1f} descriptors, {max(s[1] for s in samples) / 1024:.0f} MiB in all; "
          f"54 days of 16,384 GPUs: {days.rss_B / 2**20:.0f} MiB, energy closure {closure:.1g}")
    return (n < LEAST or grown - 2 * error < 1.0) and leaked < 3 and days.rss_B < 2**28 and closure <= 1e-11


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tidewatt_soak_") as scratch:
        sys.exit(0 if main(Path(scratch), int(sys.argv[1]) if len(sys.argv) > 1 else 10_000) else 1)
