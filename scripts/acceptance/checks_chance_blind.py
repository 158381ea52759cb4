"""Acceptance of printed 90 % intervals: each blind training run as a user would write it (published plan, nothing else), with the model part
of its interval from the other sources alone.

The scenario of a row has a hall of its GPUs (the catalog's entry, and the limit that the row's boards have), its model (the catalog's, or
its shape) and its plan. Of the plan it has the sizes of the published run (SIZES, from the row or the table that it shares with rows of its
source) and whatever else the row itself lists. What lists declare where publications are silent ([plan.common], [plan.megatron_2021] and
so on: recomputation, sharding, overlaps, attention), networks of one's own and kernels found out afterwards (MENDED) stay at the product's
defaults. A second reading adds what the row's table says of NAMED keys where the row's tolerance says that its plan is published.

The model part is exchanged in logarithms: medians of the parts add up, and so do, in quadrature, the distances from them to the lower and to
the upper ends. The model's quantiles are those of `validate --model-errors`, by the row's own traits: of a rate over a whole run the printed
part has the class of steps instead.
"""
import functools
import math
import tempfile
import tomllib
from pathlib import Path

import product
from checks_chance_rows import LEAST_ROWS, own_error, quantile, rows_of, with_class

LISTS = ("evidence_training.toml", "racks_rows.toml")
AREA = "training time"
SIZES = ("tp", "pp", "cp", "ep", "virtual_stages", "layers_removed_first", "layers_removed_last", "micro_batch_sequences", "sequence_tokens",
         "global_batch_sequences", "precision", "adapter_rank", "adapter_layers")  # fmt: skip
NAMED = ("recompute", "sharding")
MENDED = ("kernels",)
PUBLISHED_TOLERANCE = 0.1  # of rows whose plan is published, as the lists say; dimensionless
HEADLINES = {"step_s": "iteration_s", "tokens_per_s": "tokens_per_s_mean"}
DURATION_H = 0.2  # several of the longest iteration, which takes two and a half minutes
MOST_CPU_S = 20 * 60.0
NO_MODEL_PARTS = ("fleet", "instant", "inputs", "weather")
LEAST_EFFECT = 0.01  # of an unsaid key that is named, ln of throughput


@functools.lru_cache
def read_lists():
    """Published training runs by id, each with the hardware, shape and plan tables that its list declares."""
    out = {}
    for name in LISTS:
        listed = tomllib.loads((product.ROOT / "src" / "validate" / name).read_text(encoding="utf-8"))
        shapes = listed.get("model", {})
        for row in listed["row"]:
            shape = {**shapes["common"], **shapes[row["model"]]} if row["model"] in shapes else row["model"]
            out[row["id"]] = {**row, "hardware": listed["hardware"][row["hardware"]], "shape": shape,
                              "common": listed["plan"]["common"], "base": listed["plan"][row["base"]]}  # fmt: skip
    return out


def plan_of(row, named):
    """Keys of job.plan. `named`: whether to add what the row's own table says of NAMED keys"""
    said = {key: x for table in (row["common"], row["base"]) for key, x in table.items() if key in SIZES}
    if named and row["tolerance_frac"] <= PUBLISHED_TOLERANCE:
        said |= {key: x for key, x in row["base"].items() if key in NAMED}
    return said | {key: x for key, x in row["plan"].items() if key not in MENDED}


def left_at_defaults(row, plan):
    """What the list declares for the row and its scenario does not say, {key: value}; not what is the product's default anyway."""
    file = product.ROOT / "catalog" / "defaults" / "scenario.toml"
    defaults = tomllib.loads(file.read_text(encoding="utf-8"))["plan"]
    declared = {**row["common"], **row["base"], **row["plan"]}
    return {key: x for key, x in declared.items() if key not in plan and defaults.get(key) != x}


def toml_value(x):
    if isinstance(x, dict):
        return "{" + ", ".join(f"{key} = {toml_value(value)}" for key, value in x.items()) + "}"
    return str(x).lower() if isinstance(x, bool) else f'"{x}"' if isinstance(x, str) else str(x)


def scenario_of(row, plan):
    """The text of a scenario file."""
    hall = {"n_gpu": row["plan"]["n_gpu"], "gpu": row["hardware"]["gpu"]}
    if "tdp_W" in row["hardware"]:
        hall["cap_W"] = row["hardware"]["tdp_W"]
    tables = [("[run]", {"duration_h": DURATION_H}), ("[[hall]]", hall), ("[[job]]", {"model": row["shape"]}), ("[job.plan]", plan)]
    lines = ["schema = 1"]
    for head, values in tables:
        lines += ["", head, *(f"{key} = {toml_value(x)}" for key, x in values.items())]
    return "\n".join(lines) + "\n"


def headline_of(row):
    """The headline of a run that the row measures. Returns its key, and the measured value in the headline's unit"""
    kind = next(key for key in HEADLINES if key in row)
    return HEADLINES[kind], row[kind] * (1 if kind == "step_s" else row["plan"]["n_gpu"])


def as_rate(key, quantiles):
    """Quantiles of ln(K / K_run) as those of ln(throughput): iterations err the other way."""
    return tuple(-x for x in reversed(quantiles)) if key == "iteration_s" else tuple(quantiles)


def together(parts):
    """5, 50 and 95 % of a sum of independent logarithms: medians add up, distances from them go in quadrature, each side by itself."""
    centre = sum(middle for _, middle, _ in parts)
    below, above = (math.hypot(*(q[1] - q[side] for q in parts)) for side in (0, 2))
    return centre - below, centre, centre + above


def judged(line, row, figures):
    """A run's interval held to its row; logarithms of throughput, measured or drawn over the run's own.
    `line`: of `validate --model-errors`  `figures`: of `run --json`"""
    key, measured = headline_of(row)
    at = figures[key]

    def log(quantiles):
        return as_rate(key, [math.log(quantiles[f"{key}_{end}"] / at) for end in ("p05", "p50", "p95")])

    parts = [log(part) for name in NO_MODEL_PARTS if f"{key}_p05" in (part := figures["interval"]["parts"][name])]
    others, printed = together(parts), log(figures)
    low, _, high = together([others, (line["p05"], line["p50"], line["p95"])])
    x = as_rate(key, [math.log(measured / at)])[0]
    return {**line, "measured_log": x, "low": low, "high": high, "half": (high - low) / 2, "others": others,
            "inside": low <= x <= high, "printed": printed[0] <= x <= printed[2], "model_alone": line["p05"] <= x <= line["p95"],
            "own_inside": printed[0] <= 0.0 <= printed[2], "cpu_s": figures["interval"]["cpu_s"]}  # fmt: skip


def refusal(text):
    """The key and reason of the first finding of a refused scenario; its numbers differ from row to row."""
    lines = [x.strip() for x in text.splitlines() if x.strip()]
    return lines[1].split(": ", 1)[-1] if len(lines) > 1 else "".join(lines)


def kind_of_refusal(text):
    kinds = {"memory": ("GiB",), "several pipeline stages in one server": ("several", "stages"), "not whole servers": ("multiple of the server",)}
    return next((kind for kind, words in kinds.items() if all(w in text for w in words)), text)


def runs_of(report, named):
    """All rows of the area that have a class without their own source, run once. Returns (judged rows, {kind of refusal: ids})"""
    known = report.__dict__.setdefault("blind_runs", {})
    if named in known:
        return known[named]
    declared, held, refused = read_lists(), [], {}
    of_area = [x for x in with_class(rows_of(report)) if x["own_class"].startswith(AREA) and x["row"] in declared]
    with tempfile.TemporaryDirectory() as folder:
        for line in of_area:
            row = declared[line["row"]]
            plan = plan_of(row, named)
            if named and plan == plan_of(row, False):
                continue  # as in the first reading
            path = Path(folder) / "blind.toml"
            path.write_text(scenario_of(row, plan), encoding="utf-8")
            done = product.run(report.binary, path, Path(folder) / "out", {}, ["--threads", 1], interval=True)
            if done.code != 0:
                refused.setdefault(kind_of_refusal(refusal(done.stderr)), []).append(line["row"])
            else:
                held.append(judged(line, row, done.json))
    known[named] = held, refused
    return known[named]


def share(rows, key="inside"):
    return sum(r[key] for r in rows) / len(rows)


def by_class(rows):
    out = {}
    for r in rows:
        out.setdefault(r["own_class"], []).append(r)
    return {name: of for name, of in sorted(out.items()) if len(of) >= LEAST_ROWS}


def apart(report, prefix, refused):
    for kind, ids in sorted(refused.items()):
        report.judge(f"{prefix}listed apart, {kind[:60]}", True, f"{len(ids)}: {', '.join(ids)}", "stated")


def coverage(report):
    held, refused = runs_of(report, False)
    report.within("rows as a user writes them: inside", share(held), 0.83, 0.97, form=".3f", note=f"{sum(r['inside'] for r in held)} of {len(held)}")
    report.judge("with the interval as printed, own source in it", True, f"{share(held, 'printed'):.3f}", "stated")
    report.judge("with the model part alone", True, f"{share(held, 'model_alone'):.3f}", "stated")
    shifted = [r["row"] for r in held if not r["own_inside"]]
    report.judge("intervals that do not hold the run's own figure", True, f"{len(shifted)}: {', '.join(shifted)}", "stated")
    for name, of in by_class(held).items():
        report.within(f"{name}: inside", share(of), 0.75, 1.0, form=".3f", note=f"{len(of)} rows of {len({r['source'] for r in of})} sources")
    few = [r for r in held if r["own_class"] not in by_class(held)]
    if few:
        report.judge(f"rows of classes with fewer than {LEAST_ROWS} run: inside", True, f"{share(few):.3f} of {len(few)}", "stated")
    apart(report, "", refused)
    lines = [x for x in rows_of(report) if x["own_class"].startswith(AREA)]
    apart(report, "", {"no class without their source": [x["row"] for x in lines if x["n"] == 0]})
    apart(report, "", {"in none of the lists of runs": [x["row"] for x in lines if x["n"] > 0 and x["row"] not in read_lists()]})

def widths(report):
    held, found = runs_of(report, False)[0], []
    for name, of in by_class(held).items():
        median, own = quantile([r["half"] for r in of], 0.5), own_error(rows_of(report), name)
        as_written = quantile([abs(r["measured_log"]) for r in of], 0.9)
        report.at_most(f"{name}: half-width over its 90 % error", median / own, 1.3, form=".2f", note=f"{median:.3f} over {own:.3f}; as users write them the error is {as_written:.3f}")
        found += [r["half"] / own for r in of]
    report.at_most("all classes: half-width over their 90 % error", quantile(found, 0.5), 1.3, form=".2f", note=f"median of {len(found)} rows")


def effects(report, row, plan):
    """What each unsaid key would do to throughput if the scenario said it as the list declares, {key: ln of the ratio}; None: refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "blind.toml"

        def iteration_s(more):
            path.write_text(scenario_of(row, plan | more), encoding="utf-8")
            done = product.run(report.binary, path, Path(folder) / "out", {}, ["--threads", 1])
            return done.json["iteration_s"] if done.code == 0 else None

        at = iteration_s({})
        found = {key: iteration_s({key: x}) for key, x in left_at_defaults(row, plan).items()}
    return {key: s and math.log(at / s) for key, s in found.items()}


def percent(log):
    return f"{100 * math.expm1(log):+.0f} %"


def outside(report):
    """Each row outside: how far it is, how far with all that its list declares, and which unsaid key makes the difference."""
    for r in runs_of(report, False)[0]:
        if not r["inside"]:
            row = read_lists()[r["row"]]
            plan = plan_of(row, False)
            why = [f"{key} {toml_value(left_at_defaults(row, plan)[key])} {'is refused' if x is None else percent(x)}"
                   for key, x in effects(report, row, plan).items() if x is None or abs(x) >= LEAST_EFFECT]  # fmt: skip
            ends = [percent(x) for x in (r["measured_log"], r["low"], r["high"], *r["others"][::2], r["log"])]
            report.judge(f"outside: {r['row']}", True, f"measured {ends[0]} [{ends[1]}, {ends[2]}], without the model part [{ends[3]}, {ends[4]}]; "
                         f"by its declared plan {ends[5]}; unsaid: {', '.join(why) or 'nothing that matters'}", "stated")  # fmt: skip


def second_reading(report):
    """The same with recomputation and sharding as the row's table says, where its plan is published: of rows that this changes."""
    first = {r["row"]: r for r in runs_of(report, False)[0]}
    held, refused = runs_of(report, True)
    changed = {r["row"] for r in held} | {row for ids in refused.values() for row in ids}
    both = [*held, *(r for row, r in first.items() if row not in changed)]
    report.judge("with published recomputation and sharding: inside", True, f"{share(both):.3f} of {len(both)}; of {len(held)} that this changes {share(held):.3f}", "stated")
    for name, of in by_class(both).items():
        report.judge(f"  {name}", True, f"{share(of):.3f} of {len(of)}", "stated")
    apart(report, "  ", refused)
    for r in held:
        if not r["inside"]:
            report.judge(f"  outside: {r['row']}", True, f"measured {percent(r['measured_log'])} [{percent(r['low'])}, {percent(r['high'])}]", "stated")


def cost(report):
    """Processor time of both readings' intervals."""
    report.at_most("processor time", sum(r["cpu_s"] for named in (False, True) for r in runs_of(report, named)[0]), MOST_CPU_S, "s", ".0f")


def arithmetic(report):
    """A model part alone stays as it is; equal parts widen with the root of their number; iterations err the other way."""
    low, _, high = together([(-0.3, -0.1, 0.2)])
    report.judge("one part", math.isclose(low, -0.3) and math.isclose(high, 0.2), f"{low:.3f}, {high:.3f}", "as it is")
    low, _, high = together([(-0.3, 0.0, 0.3)] * 4)
    report.judge("four equal parts", math.isclose(low, -0.6) and math.isclose(high, 0.6), f"{low:.3f}, {high:.3f}", "twice one")
    report.judge("iterations", as_rate("iteration_s", (-0.1, 0.05, 0.2)) == (-0.2, -0.05, 0.1), as_rate("iteration_s", (-0.1, 0.05, 0.2)), "(-0.2, -0.05, 0.1)")


GROUPS = {"blind_arithmetic": arithmetic, "blind_as_written": [coverage, widths, outside, second_reading, cost]}
SLOW = ["blind_as_written"]
