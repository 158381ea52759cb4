"""Acceptance of chips, limiter and air as measured."""
import csv

import product
from checks_weather import rows_of

BINS = ["47-58", "58-62", "62-66", "66-70", "70-74", "74-83"]
NOT_BUILT = ["the day, 54 days and seven climates with intervals", "run equals --show gpu", "frozen inputs",
             "failures by host, switch and watchdog", "staircases in runs"]


def chips(report):
    """Rows of `validate chips` by id."""
    if not hasattr(report, "chips"):
        report.chips = {r["id"]: r for r in rows_of(report, ["chips"])}
    return report.chips


def check_longhorn(report):
    """390 V100, regressed as their log was: bins and slowest within the measurement's errors; the pooled slope sets the leakage."""
    rows = chips(report)
    if rows["longhorn_slope/pooled"]["verdict"] == "skipped":
        return report.skip("Longhorn", "reference data absent")
    chi2 = 0.0
    for name in BINS:
        row = rows[f"longhorn_slope/{name}"]
        low, high = row["expected"]
        middle, error = 0.5 * (low + high), 0.25 * (high - low)
        chi2 += ((row["got"] - middle) / error) ** 2
        report.judge(f"Longhorn {name} degC", row["pass"], f"{row['got']:.3f} %/K", f"{middle:.3f} +- {error:.3f}, two errors")
    report.at_most("Longhorn: chi2 of six bins", chi2, 12.6, "", ".1f")
    row = rows["longhorn_slope/pooled"]
    report.judge("Longhorn: pooled slope", row["pass"], f"{row['got']:.4f} %/K", "two errors; the entry's leakage is set by it")
    row = rows["longhorn_slowest"]
    report.judge("Longhorn: slowest of 390", row["pass"], f"{row['got']:.2f} sigma", "-3.9 to -2.3")


def check_leakage(report):
    row = chips(report)["k20_sweep"]
    report.judge("K20: third clock", row["pass"], f"{row['got']:.2f} W", "two errors of 1 W")
    row = chips(report)["h100_idle_slope"]
    report.judge("H100: idle slope", row["pass"], f"{row['got']:.2f} W/K", "0.29 to 0.35")


def check_fans(report):
    """Tables exact at every threshold; the number of controllers is that of the catalog."""
    rows = [r for r in chips(report).values() if r["id"].startswith("fan_table/")]
    if not rows:
        return report.skip("fan tables", "reference data absent")
    shipped = list((product.ROOT / "catalog" / "fan_controller").glob("*.toml"))
    report.judge("fan tables: a row for each controller", len(rows) == len(shipped), f"{len(rows)} of {len(shipped)}", "all")
    for row in rows:
        report.judge(row["id"], row["got"] == 0, f"{row['got']:.0f} wrong; {row['note']}", "none")
    table = product.shared_data("grand_teton_fans")
    if table:
        with open(f"{table}/threshold_tables.csv", encoding="utf-8") as lines:
            steps = sum(r["controller"] == "gt_h100_700W_v9" for r in csv.DictReader(lines))
        said = next(r["note"] for r in rows if r["id"].endswith("h100_700W"))
        report.judge("fan tables: every step of the file is looked at", said.startswith(f"{steps} steps"), said, f"{steps} steps")


def check_b300(report):
    """One B300 under caps and locked, and under a square wave: fitted at two points each, the others are predicted."""
    rows = chips(report)
    for name, bound in {"b300_cap/550": "clock within 4 %", "b300_cap/700": "clock within 4 %", "b300_cap/locked": "watts within 1 %",
                        "b300_duty/50": "peak over cap within 0.1", "b300_duty/500": "peak over cap within 0.1",
                        "b300_duty/50-mean": "at or below the cap", "b300_duty/500-mean": "at or below the cap"}.items():  # fmt: skip
        row = rows[name]
        report.judge(f"B300: {row['id'].split('/', 1)[1]}", row["pass"], f"{row['got']:.4g} {row['unit']} for {row['expected']}", bound)


def check_air(report):
    """A hall on outside air against the PUE that operators publish; pads and dampers are unit tests of cooling."""
    rows = {r["id"]: r for r in rows_of(report, ["plant"]) if r["id"].startswith("C6/")}
    for row in rows.values():
        report.judge(f"outside air: {row['id']}", row["pass"], f"PUE {row['got']:.4f} for {row['expected']}", "2 %")


def say_open(report):
    for line in NOT_BUILT:
        report.skip(line, "not built yet")
