"""Acceptance of the model part of headlines' intervals: each blind row against the first errors of its class, without its own source."""
import sys

import product

sys.path.insert(0, str(product.ROOT / "scripts"))
from blind_rows import quantile

LEAST_ROWS = 8  # of a class that is judged on its own
BEHIND_HEADLINES = {"throughput": "training time", "mean power": "node power in W"}


def rows_of(report):
    """The rows of `validate --model-errors`, asked for once."""
    if not hasattr(report, "model_errors"):
        report.model_errors = product.call([report.binary, "validate", "--model-errors", "--json"]).json["model_errors"]
    return report.model_errors


def with_class(rows):
    return [r for r in rows if r["n"] > 0]


def share_inside(rows):
    return sum(r["inside"] for r in rows) / len(rows)


def by_class(rows):
    """Rows by their class with all sources; only those that can be held to a class without their own."""
    classes = {}
    for r in with_class(rows):
        classes.setdefault(r["own_class"], []).append(r)
    return {name: of for name, of in classes.items() if len(of) >= LEAST_ROWS}


def half_width(r):
    return (r["p95"] - r["p05"]) / 2


def own_error(rows, name):
    """90 % quantile of |ln(measured / computed)| of a class's rows, those of its narrower classes too; a row computed as 0 has none."""
    stem = name.removesuffix(", all devices")
    return quantile([abs(r["log"]) for r in rows if r["own_class"].startswith(stem) and r["log"] is not None], 0.9)


def overall(report):
    rows = rows_of(report)
    held = with_class(rows)
    report.within("all blind rows: inside 5 to 95 % of their class", share_inside(held), 0.83, 0.97, form=".3f",
                  note=f"{sum(r['inside'] for r in held)} of {len(held)}; {len(rows) - len(held)} have no class without their source")  # fmt: skip
    large = [r for r in held if r["n"] >= LEAST_ROWS]
    report.judge(f"of them with {LEAST_ROWS} rows or more to hold to", True, f"{share_inside(large):.3f} of {len(large)}", "stated")
    for headline, area in BEHIND_HEADLINES.items():
        of = [r for r in held if r["own_class"].startswith(area)]
        report.judge(f"rows behind {headline}: inside", True, f"{share_inside(of):.3f} of {len(of)}", "stated")


def classes(report):
    rows = rows_of(report)
    for name, of in sorted(by_class(rows).items()):
        report.within(f"{name}: inside", share_inside(of), 0.75, 1.0, form=".3f", note=f"{len(of)} rows of {len({r['source'] for r in of})} sources")


def widths(report):
    rows = rows_of(report)
    found = by_class(rows)
    for name, of in sorted(found.items()):
        median, own = quantile(list(map(half_width, of)), 0.5), own_error(rows, name)
        report.at_most(f"{name}: half-width over its 90 % error", median / own, 1.3, form=".2f", note=f"{median:.3f} over {own:.3f}")
    ratios = [half_width(r) / own_error(rows, name) for name, of in found.items() for r in of]
    report.at_most("all classes: half-width over their 90 % error", quantile(ratios, 0.5), 1.3, form=".2f", note=f"median of {len(ratios)} rows")


GROUPS = {"model_rows": [overall, classes, widths]}
