"""Energy by the hour and where it goes."""
from __future__ import annotations

import numpy as np

from .. import _figures
from .charts import chart, rectangles, time_axis
from .findings import number
from .read import Missing, ResultFile
from .style import BLUE, GREY, ORANGE, SKY, VERMILION, TimeAxis


def totals(result: ResultFile) -> dict[str, float]:
    """Energies of a `result` in MWh and what follows from them: `site`, `it`, `rest` (cooling and losses), `hours`,
    `tokens` (trillions), `water_m3`; NaN if the file has no value. Raises Missing: it has no mean power"""
    span_h = result.figure("simulated_s") / 3600
    site, it = result.figure("pcc_mean_MW") * span_h, result.figure("it_mean_MW") * span_h
    if not np.isfinite(site):
        raise Missing("the summary has no mean power")
    tokens = np.nan
    try:
        hourly = result.group("hourly")
        if "iterating_s" in hourly:
            tokens = float(np.nansum(hourly["throughput_tokens_per_s"] * hourly["iterating_s"])) / 1e12
    except Missing:
        pass
    return {"site": site, "it": it, "rest": site - it, "hours": span_h, "tokens": tokens, "water_m3": result.figure("wue_L_per_kWh") * it}


def costs(result: ResultFile) -> list[list[str]]:
    """Cost, carbon and water of a `result` as [what, value with unit], from its scenario's [economics]; empty without one."""
    bill = result.summary.get("cost_USD") or {}
    rows = [[f"{_figures.words('cost_USD')}: {entry.replace('_', ' ')}", _figures.shown("cost_USD", float(value))] for entry, value in bill.items()]
    more = ("cost_USD_per_Ttoken", "carbon_t", "carbon_t_per_Ttoken", "water_m3_per_Ttoken")
    return rows + [[_figures.words(key), _figures.shown(key, result.figure(key))] for key in more if bill and np.isfinite(result.figure(key))]


def hourly(result: ResultFile) -> dict:
    """Energy at the connection of a `result` in each hour: servers, and cooling with losses. Raises Missing: under two hours"""
    group = result.group("hourly")
    it_MWh, site_MWh = group["it_J"] / 3.6e9, group["pcc_J"] / 3.6e9
    edges = result.edges("hourly")
    if len(it_MWh) < 2:
        raise Missing("the run is shorter than two hours: nothing to draw by the hour")
    at, x_axis = time_axis(TimeAxis(group.start, edges[-1] - edges[0]), edges)
    width = np.diff(at(edges))
    begin, end = at(edges[:-1]) + 0.08 * width, at(edges[1:]) - 0.08 * width
    said = lambda word, MWh: [f"{word}: {number(x, 4)} MWh" for x in MWh]
    data = [rectangles(begin, end, np.zeros(len(it_MWh)), it_MWh, "servers", BLUE, hover=said("servers", it_MWh)),
            rectangles(begin, end, it_MWh, site_MWh, "cooling and losses", ORANGE, hover=said("cooling and losses", site_MWh - it_MWh))]  # fmt: skip
    return chart(data, ["energy (MWh)"], x_axis, 300, zero=True)


def flows(result: ResultFile) -> dict:
    """Where the energy of a `result` goes, MWh: GPUs, the rest of the servers, cooling, delivery. Raises Missing: no energy balance"""
    group = result.group("energy")
    taken = {str(level): joule / 3.6e9 for level, joule in zip(group["level"].tolist(), group["in_J"].tolist())}
    try:
        gpu, server, load, cooling, site = (taken[k] for k in ("package", "server", "site load", "cooling power", "connection"))
    except KeyError as absent:
        raise Missing(f"the energy balance has no level {absent}") from None
    parts = [("GPU packages", gpu, BLUE), ("rest of the servers", server - gpu, SKY), ("other loads on the site", load - server, GREY),
             ("cooling plant", cooling, ORANGE), ("delivery and storage", site - load - cooling, VERMILION)]  # fmt: skip
    parts = [part for part in parts if abs(part[1]) > 1e-6 * site]
    data = []
    for k, (name, MWh, colour) in enumerate(parts):
        data.append(rectangles([0], [MWh], [k + 0.15], [k + 0.85], name, colour, words=[f"{name}: {number(MWh)} MWh, {100 * MWh / site:.1f} %"], legend=False))
    widest = max(part[1] for part in parts)
    return chart(data, [""], {"title": "energy (MWh)", "unit": "MWh", "range": [min(0.0, *(part[1] for part in parts)), 1.9 * widest]}, 60 + 40 * len(parts),
                 range=[0, len(parts)], bare=True, down=True)  # fmt: skip
