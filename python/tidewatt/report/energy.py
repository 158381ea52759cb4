"""Energy by the hour and where it goes."""
from __future__ import annotations

import numpy as np

from .charts import numbers, stacked
from .read import Missing, ResultFile
from .style import BLUE, GREY, ORANGE, TimeAxis, bin_edges


def totals(result: ResultFile) -> dict[str, float]:
    """Energies of a `result` in MWh and what follows from them: `site`, `it`, `rest` (cooling and losses), `hours`,
    `tokens` (trillions), `water_m3`; NaN where the file does not say. @raises Missing: it holds no mean power"""
    hours = result.figure("simulated_s") / 3600
    site, it = result.figure("pcc_mean_MW") * hours, result.figure("it_mean_MW") * hours
    if not np.isfinite(site):
        raise Missing("the summary has no mean power")
    tokens = np.nan
    try:
        hourly = result.group("hourly")
        if "iterating_s" in hourly:
            tokens = float(np.nansum(hourly["throughput_tokens_per_s"] * hourly["iterating_s"])) / 1e12
    except Missing:
        pass
    return {"site": site, "it": it, "rest": site - it, "hours": hours, "tokens": tokens, "water_m3": result.figure("wue_L_per_kWh") * it}


def costs(result: ResultFile) -> list[tuple[str, float, str]]:
    """Cost, carbon and water of a `result` as (what, value, unit), from its scenario's [economics]; empty without one."""
    bill = result.summary.get("cost_USD")
    if not bill:
        return []
    bill = dict(bill)
    words = {"energy": "energy by the hour", "demand": "demand charge, the run's share of a month", "fixed": "fixed charges, likewise",
             "water": "water", "devices": "remedies", "total": "total", "total_low_prices": "total at low prices", "total_high_prices": "total at high prices"}  # fmt: skip
    rows = [(word, float(bill[key]), "USD") for key, word in words.items() if key in bill]
    for key, word, unit in [("cost_USD_per_Ttoken", "cost per trillion tokens", "USD"), ("carbon_t", "carbon dioxide", "t"),
                            ("carbon_t_per_Ttoken", "carbon dioxide per trillion tokens", "t"), ("water_m3_per_Ttoken", "water per trillion tokens", "m³")]:  # fmt: skip
        if np.isfinite(result.figure(key)):
            rows.append((word, result.figure(key), unit))
    return rows


def hourly(result: ResultFile) -> dict:
    """Energy at the connection of a `result` in each hour: servers, and cooling with losses. @raises Missing: no hourly energies"""
    group = result.group("hourly")
    it_MWh, site_MWh = group["it_J"] / 3.6e9, group["pcc_J"] / 3.6e9
    edges = bin_edges(group["time"])
    axis = TimeAxis(group.start, edges[-1] - edges[0])
    x = numbers(axis((edges[:-1] + edges[1:]) / 2), 9)
    bar = lambda y, name, colour: {"type": "bar", "x": x, "y": numbers(y, 5), "name": name, "marker": {"color": colour}}  # noqa: E731
    layout = stacked(1, ["energy (MWh)"], axis.label, 320)
    return {"data": [bar(it_MWh, "servers", BLUE), bar(site_MWh - it_MWh, "cooling and losses", ORANGE)], "layout": {**layout, "barmode": "stack"}}


def flows(result: ResultFile) -> dict:
    """Where the energy of a `result` goes, level by level, MWh: taken in, given on, stored. @raises Missing: no energy books"""
    group = result.group("energy")
    level = [str(x) for x in group["level"].tolist()]
    bar = lambda key, name, colour: {"type": "bar", "orientation": "h", "y": level, "x": numbers(group[key] / 3.6e9, 6), "name": name,
                                     "marker": {"color": colour}}  # noqa: E731
    layout = {"height": 120 + 44 * len(level), "xaxis": {"title": "energy (MWh)"}, "yaxis": {"automargin": True, "autorange": "reversed"}}
    return {"data": [bar("in_J", "in", BLUE), bar("out_J", "out", GREY)], "layout": layout}
