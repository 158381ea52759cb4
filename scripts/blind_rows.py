"""Headline and picture of the blind rows, for scripts/validation_table."""
import math
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CAP = 8  # rows of a source that count
# Rows whose figures were among the facts that the models were written from. No parameter follows them.
AT_HAND = ["R1", "R2", "R3", "R4", "R5", "R6", "E1/eos", "E1/bloom-176b", "E1/smc-lora", "E2/rest-h100", "E2/rest-h200", "E2/context-h100-30",
           "E2/rest-a100-27", "E2/node-rest", "E2/node-lora", "E3/watts", "E4", "E5"]  # fmt: skip
AIM = 0.12  # median half-width of the bands
HALF_WIDTH, MEDIAN = 2.1318, 0.7407  # of Student's distribution of four degrees: half of 90 %, and of half, in spreads
N_BOOTSTRAP, SEED = 2000, 25


def blind(rows):
    return [r for r in rows if r["kind"] == "blind" and r["got"] is not None]


def quantile(values, share):
    """Between the two nearest members."""
    x = sorted(values)
    at = share * (len(x) - 1)
    i = int(at)
    return x[i] + (at - i) * (x[min(i + 1, len(x) - 1)] - x[i])


def errors(rows, key):
    return [abs(r[key]) for r in rows if r["tolerance_unit"] == "fraction" and r[key] is not None]


def by_source(rows):
    out = {}
    for r in rows:
        out.setdefault(r["source"], []).append(r)
    return out


def counting(rows):
    """How many count: two-sided, a tolerance of at most 15 %, at most eight of a source."""
    eligible = [r for r in rows if r["tolerance_unit"] == "fraction" and r["tolerance"] <= 0.15 and not isinstance(r["expected"], list)]
    return sum(min(CAP, len(group)) for group in by_source(eligible).values())


def median_interval(rows, key):
    """90 % interval of the median error, by drawing sources with replacement: rows of a source share what is wrong with them."""
    sources, draw = list(by_source(rows).values()), random.Random(SEED)
    medians = []
    for _ in range(N_BOOTSTRAP):
        drawn = errors([r for _ in sources for r in draw.choice(sources)], key)
        if drawn:
            medians.append(quantile(drawn, 0.5))
    return (quantile(medians, 0.05), quantile(medians, 0.95)) if medians else (math.nan, math.nan)


def of_sources(rows, key):
    """Median over sources of their own median errors: a source of many rows counts once."""
    own = [errors(of, key) for of in by_source(rows).values()]
    return quantile([quantile(x, 0.5) for x in own if x], 0.5)


def outside_tolerance(r, key):
    return not abs(r[key]) <= r["tolerance"]


def outside_band(r):
    low, high = r["expected"] if isinstance(r["expected"], list) else (r["expected"], r["expected"])
    return r["p05"] is not None and (high < r["p05"] or low > r["p95"])


def outside_at_first(r):
    """Whether the figure lies outside the band around the first prediction, as wide as that around the present one."""
    if r["p05"] is None or r["got"] == 0:
        return False
    first = r["expected"] * (1 + r["first_error"])
    return outside_band({**r, "p05": r["p05"] / r["got"] * first, "p95": r["p95"] / r["got"] * first})


def fit_publications(rows):
    """Sources from which a row set a parameter."""
    return {r["source"] for r in rows if r.get("verdict") == "calibrated"}


def half_width(r):
    return (r["p95"] - r["p05"]) / (2 * abs(r["got"]))


def interval_score(rows):
    """Mean of the 90 % bands' interval scores (Gneiting and Raftery 2007), in ln of the row's unit."""
    total = 0.0
    for r in rows:
        low, high, at = (math.log(x) for x in (r["p05"], r["p95"], sum(r["expected"]) / 2 if isinstance(r["expected"], list) else r["expected"]))
        total += high - low + 20.0 * (max(low - at, 0.0) + max(at - high, 0.0))
    return total / len(rows)


def percent(x):
    return f"{100 * x:.1f} %"


def headline(rows):
    publications, rows = fit_publications(rows), blind(rows)
    if not rows:
        yield "No row is blind."
        return
    with_first = [r for r in rows if r["first_error"] is not None]
    banded = [r for r in rows if r["p05"] is not None]
    if not with_first or len(with_first) < len(rows):
        yield f"**{len(rows) - len(with_first)} blind rows have no line in the ledger.**"
        yield ""
    low, high = median_interval(with_first, "first_error")
    first, now = errors(with_first, "first_error"), errors(rows, "error")
    yield f"| {len(rows)} blind rows of {len(by_source(rows))} sources | at the first computation | now |"
    yield "|---|---|---|"
    yield f"| median absolute error | {percent(quantile(first, 0.5))} (90 % interval over sources {percent(low)} to {percent(high)}) | {percent(quantile(now, 0.5))} |"
    yield f"| nine in ten within | {percent(quantile(first, 0.9))} | {percent(quantile(now, 0.9))} |"
    yield f"| median of each source, half of the sources within | {percent(of_sources(with_first, 'first_error'))} | {percent(of_sources(rows, 'error'))} |"
    yield f"| outside their tolerance | {sum(outside_tolerance(r, 'first_error') for r in with_first)} | {sum(outside_tolerance(r, 'error') for r in rows)} |"
    tried = [r for r in banded if r["first_error"] is not None and not isinstance(r["expected"], list)]
    yield f"| outside their 90 % band | {outside_words(tried, outside_at_first)} | {outside_words(banded, outside_band)} |"
    yield f"| median half-width of the bands | – | {percent(quantile(list(map(half_width, banded)), 0.5)) if banded else '–'} |"
    yield ""
    yield "The first predictions are held against bands as wide as the present ones. What was mended after a first error moves only the column \"now\"."
    yield ""
    yield from publication_lines(with_first, publications)
    yield from at_hand_lines(with_first)
    yield (f"With at most {CAP} rows of a source, two-sided and with a tolerance of at most 15 %, {counting(rows)} rows count; 80 of 25 sources are aimed at. "
           "The headline counts first errors: what was learnt from a row cannot improve it.")  # fmt: skip


def outside_words(rows, outside):
    """How many rows lie outside, and the share inside."""
    n = sum(map(outside, rows))
    return f"{n} ({percent(1 - n / len(rows))} inside)" if rows else "–"


def apart_lines(rows, is_near, words):
    """One sentence on the first errors of rows nearer to the model, and of the others; none where either is empty.
    `words`: of (near, its median, far, its median)"""
    near, far = list(filter(is_near, rows)), [r for r in rows if not is_near(r)]
    if near and far:
        yield words(*(x for of in (near, far) for x in (of, percent(quantile(errors(of, "first_error"), 0.5)))))
        yield ""


def publication_lines(rows, publications):
    """Where another row of the publication set a parameter, and where none did."""
    return apart_lines(rows, lambda r: r["source"] in publications, lambda near, of_near, far, of_far: (
        f"Of {len(near)} rows another row of the same publication ({len(by_source(near))} of them) sets a parameter, for another device, model or format: "
        f"median first error {of_near}. Of the {len(far)} rows of all other publications ({len(by_source(far))}): {of_far}."))  # fmt: skip


def at_hand(id):
    return any(id == prefix or id.startswith((prefix + "/", prefix + "-")) for prefix in AT_HAND)


def at_hand_lines(rows):
    """Where the figures were known while the models were written, and where not."""
    return apart_lines(rows, lambda r: at_hand(r["id"]), lambda near, of_near, far, of_far: (
        f"The figures of {len(near)} rows were at hand while the models were written ({', '.join(AT_HAND)}): median first error {of_near}. "
        f"Those of the other {len(far)} were looked up afterwards: {of_far}."))  # fmt: skip


def split_lines(rows, key, name):
    """A table by area, device or source: first errors, and what lies outside now."""
    groups = {}
    for r in blind(rows):
        groups.setdefault(r[key] or "other", []).append(r)
    yield f"| {name} | rows | sources | median first error | largest first error | outside tolerance now | outside band now |"
    yield "|---|---|---|---|---|---|---|"
    for value, of in sorted(groups.items()):
        first = errors([r for r in of if r["first_error"] is not None], "first_error")
        figures = (percent(quantile(first, 0.5)), percent(max(first))) if first else ("–", "–")
        yield (f"| {value} | {len(of)} | {len(by_source(of))} | {figures[0]} | {figures[1]} | {sum(outside_tolerance(r, 'error') for r in of)} | "
               f"{sum(map(outside_band, of))} |")  # fmt: skip


def band_error(r):
    """The error on which bands of other rows rest: the first one, or a revised one."""
    return r["first_error"] if r.get("band_error") is None else r["band_error"]


def lacks(rows, most=3):
    """What it would take to mend the rows that fail, the most frequent first."""
    counts = {}
    for r in rows:
        if r.get("mend"):
            counts[r["mend"]] = counts.get(r["mend"], 0) + 1
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    text = "; ".join(f"{mend} ({n} row{'s' if n > 1 else ''})" for mend, n in ranked[:most])
    rest = sum(n for _, n in ranked[most:])
    return text + (f"; others ({rest} row{'s' if rest > 1 else ''})" if rest else "") or "–"


def missing_lines(rows):
    """What the aimed half-width lacks, by class."""
    banded, groups = [r for r in blind(rows) if r["p05"] is not None], {}
    for r in banded:
        groups.setdefault(r["band_class"], []).append(r)
    widths = list(map(half_width, banded))
    if not banded or quantile(widths, 0.5) <= AIM:
        return
    needed = AIM * MEDIAN / HALF_WIDTH
    yield (f"A band of ±{percent(AIM)} that holds nine in ten rows goes with a median error of {percent(needed)}; that of all rows is "
           f"{percent(quantile(errors(banded, 'error'), 0.5))} now. {sum(w <= AIM for w in widths)} of {len(banded)} rows have such a band, half of them are needed. "
           "By class, with what it would take to mend the rows that fail:")  # fmt: skip
    yield ""
    yield "| class | rows | half-width | median error now | off by more than the aim | what is missing |"
    yield "|---|---|---|---|---|---|"
    for name, of in sorted(groups.items(), key=lambda item: -len(item[1])):
        sizes = errors(of, "error")
        yield (f"| {name} | {len(of)} | {percent(quantile(list(map(half_width, of)), 0.5))} | {percent(quantile(sizes, 0.5)) if sizes else '–'} | "
               f"{sum(x > AIM for x in sizes)} | {lacks(of)} |")  # fmt: skip


def band_lines(rows):
    """The 90 % bands by class, and how narrow bands could be if each class's errors were known beforehand."""
    banded, groups = [r for r in blind(rows) if r["p05"] is not None], {}
    for r in banded:
        groups.setdefault(r["band_class"], []).append(r)
    if not banded:
        yield "No row has a band."
        return
    yield "A band holds the conditioned draws and a model error, which is named in the row's note: a centre and a spread of first errors that a regression"
    yield "over all other sources gives for what is known of a row before it is measured (`src/validate/bands.toml`: its area; for training time its"
    yield "software, whether a rule fills in a part of its plan, and whether it is a rate over a whole run; for single kernels whether it is a product or a"
    yield "collective; for watts whether the chip is at rest). Where a recorded fit that knew neither a row nor its source replaced the row's entries, bands"
    yield "rest on the row's error with the new entries (`revised` in the ledger); its first error stays. The prediction itself stays as it is. Times that"
    yield "are too long and rates that are too low err alike. Errors have Student's distribution of four degrees, so that a few that are far off widen the"
    yield "bands of the others little; coefficients of the spread have a normal prior of deviation 1, those of the centre of 0.05; a source of n rows counts"
    yield "as √n. The band lies around got · exp(-centre), its half-width is 2.13 spreads."
    yield ""
    yield f"Interval score (width and, for each row outside, 20 times the distance, as ln; less is better): {interval_score(banded):.3f}."
    yield ""
    yield "| class | rows | sources | median half-width | outside | 83 % of its errors within | 90 % within |"
    yield "|---|---|---|---|---|---|---|"
    known = []
    for name, of in sorted(groups.items()):
        sizes = errors([{**r, "band_error": band_error(r)} for r in of], "band_error")
        within = [quantile(sizes, share) for share in (0.83, 0.9)] if sizes else []
        known += [within[0]] * len(of) if within else []
        yield (f"| {name} | {len(of)} | {len(by_source(of))} | {percent(quantile(list(map(half_width, of)), 0.5))} | {sum(map(outside_band, of))} | "
               + (" | ".join(map(percent, within)) if within else "– | –") + " |")  # fmt: skip
    yield ""
    if not known:
        return
    reachable = quantile(known, 0.5)
    yield f"A band that knew each class's own errors beforehand and held only 83 % of them would have a median half-width of {percent(reachable)}."
    if reachable > AIM:
        yield f"The {percent(AIM)} that are aimed at need smaller errors: no band by these classes that holds 83 % of them is as narrow."
    missing = list(missing_lines(rows))
    if missing:
        yield ""
        yield from missing


SHOWN_RATIO = 4.0  # longer bands are cut


def draw(rows, out):
    """Predicted against measured with bands. Above: all figures; below: their ratio, row by row."""
    sys.path.insert(0, str(ROOT / "build" / "release" / "python"))
    from tidewatt.report.style import BLACK, BLUE, GREY, VERMILION, new_figure

    shown = [r for r in blind(rows) if r["p05"] is not None and r["got"] > 0 and r["p05"] > 0]
    measured = [sum(r["expected"]) / 2 if isinstance(r["expected"], list) else r["expected"] for r in shown]
    order = sorted(range(len(shown)), key=lambda i: (shown[i]["area"], shown[i]["source"], shown[i]["id"]))
    half, list_in, cloud_in = -(-len(order) // 2), 0.6 + 0.135 * -(-len(order) // 2), 6.0
    figure = new_figure(13, cloud_in + list_in, f"{sum(not outside_band(r) for r in shown)} of {len(shown)} blind rows lie in their 90 % band",
                        "predicted against measured; bands: conditioned draws and the model error that other sources show")  # fmt: skip
    grid = figure.add_gridspec(2, 2, height_ratios=[cloud_in, list_in])
    cloud = figure.add_subplot(grid[0, :])
    ends = [0.7 * min(measured), 1.4 * max(measured)]
    cloud.plot(ends, ends, color=GREY, lw=1)
    for i, r in enumerate(shown):
        colour = VERMILION if outside_band(r) else BLUE
        cloud.plot([measured[i]] * 2, [r["p05"], r["p95"]], color=colour, lw=1, alpha=0.6)
        cloud.plot(measured[i], r["got"], "o", ms=3, color=colour)
    cloud.set(xscale="log", yscale="log", xlabel="measured (s, W or other unit of the row)", ylabel="predicted, same unit",
              ylim=(0.03 * min(measured), 30 * max(measured)))  # what is predicted as nothing lies below
    for column, part in enumerate((order[:half], order[half:])):
        right = figure.add_subplot(grid[1, column])
        for at, i in enumerate(part):
            r, colour = shown[i], VERMILION if outside_band(shown[i]) else BLUE
            right.plot([r["p05"] / measured[i], r["p95"] / measured[i]], [at, at], color=colour, lw=1.5, alpha=0.6)
            right.plot(r["got"] / measured[i], at, "o", ms=3, color=colour)
        right.axvline(1, color=BLACK, lw=1)
        right.set(xlabel="predicted over measured (red: outside the band)", ylim=(half - 0.5, -0.5), xlim=(0, SHOWN_RATIO))
        right.set_yticks(range(len(part)), [f"{shown[i]['id']} ({shown[i]['source']})" for i in part], fontsize=5.5)
        right.grid(axis="y", visible=False)
    figure.savefig(out, dpi=110)
