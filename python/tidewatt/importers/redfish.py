"""Redfish answers of management controllers: a file, or a folder of them, as rows of sensor, quantity and value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Optional

import numpy as np
import pandas as pd

from . import redfish_resources
from .report import ImportReport, InputError
from .series import check_clock
from .text import read_text

COLUMNS = ["time", "chassis", "sensor", "quantity", "statistic", "interval_s", "value", "flag", "resource", "file"]
# NVIDIA announced HGX H100, whose controllers use these sensor names, on 2022-03-22.
HGX_SINCE = pd.Timestamp("2022-03-22", tz="UTC")
DAY = pd.Timedelta(days=1)


def read(paths, report: ImportReport) -> pd.DataFrame:
    """Rows of `COLUMNS`; quantities are power_W, temperature_degC, energy_J, fan_rpm, fan_frac, voltage_V, current_A, limit_W, frequency_Hz.

    `paths`: JSON files and folders of them; `report`: takes the remarks.
    Raises InputError: a file is no JSON, or no resource has a reading.
    """
    rows: list[dict] = []
    resources = _load(paths, report)
    units = {r.get("@odata.id", ""): redfish_resources.quantity_of_units(r.get("ReadingUnits")) for _, r in resources if "ReadingUnits" in r}
    without: list[str] = []
    for file, resource in resources:
        found = list(redfish_resources.rows(resource, units))
        if not found:
            without.append(file)
        for row in found:
            report.rows_read += 1
            rows.append({**row, "file": file})
    if without:
        report.note(f"{len(without)} resources hold no reading (collections, definitions, inventories), such as {without[0]}")
    if not rows:
        raise InputError("no Redfish resource with a reading in the input")
    table = pd.DataFrame(rows).reindex(columns=COLUMNS)
    table["value"] = pd.to_numeric(table["value"], errors="coerce").replace([np.inf, -np.inf], np.nan)
    _blanks(table, report)
    table["time"] = pd.to_datetime(table["time"], utc=True, errors="coerce")
    _check_times(table, resources, report)
    _flag_false_power(table, report)
    if table.duplicated(["sensor", "quantity", "statistic", "time"]).any() and table["resource"].nunique() > 1:
        report.note("one sensor appears in several resources; add up within one resource only (column `resource`)")
    return table.sort_values(["resource", "sensor", "quantity", "statistic", "time"], kind="stable").reset_index(drop=True)


def _load(paths, report: ImportReport) -> list[tuple[str, dict]]:
    files = []
    for path in map(Path, paths):
        files += sorted(path.rglob("*.json")) if path.is_dir() else [path]
    loaded = []
    for path in files:
        try:
            resource = json.loads(read_text(path, report))
        except ValueError as error:
            if len(files) == 1:
                raise InputError(f"{path.name}: not complete JSON ({error})") from error
            report.ignore(path.name, "not complete JSON")
            continue
        if isinstance(resource, dict):
            loaded.append((path.name, resource))
    return loaded


def _blanks(table: pd.DataFrame, report: ImportReport) -> None:
    for i in np.flatnonzero(table["value"].isna().to_numpy()):
        report.mend(f"{table['file'].iloc[i]} {table['sensor'].iloc[i]}", "a reading without a number, left blank")
    stale = table["flag"] == "stale"
    for i in np.flatnonzero(stale.to_numpy()):
        report.warn(f"{table['file'].iloc[i]} {table['sensor'].iloc[i]}", "the controller marks the reading as stale")


def _check_times(table: pd.DataFrame, resources, report: ImportReport) -> None:
    known = table["time"].dropna()
    if known.empty:
        report.note("no resource carries a time: one snapshot")
        return
    check_clock(known, known.index.tolist(), str(table["file"].iloc[0]), report)
    others = [t for t in (_etag(r) for _, r in resources) if t is not None]
    for file, part in table[table["time"].notna()].groupby("file", sort=False):
        first = part["time"].min()
        if others and abs(first - min(others)) > DAY and first < min(others):
            report.warn(
                f"{file}:1",
                f"wrong clock: readings of {first:%Y-%m-%d}, other resources of the same controller are of "
                f"{min(others):%Y-%m-%d}; only differences of these times mean anything",
            )
        elif first < HGX_SINCE and part["sensor"].str.startswith("HGX_GPU_SXM_").any():
            report.warn(
                f"{file}:1",
                f"wrong clock: readings of {first:%Y-%m-%d}, before HGX boards with these sensors existed; "
                "only differences of these times mean anything",
            )


def _etag(resource: dict) -> Optional[pd.Timestamp]:
    """Some controllers use the Unix time of the reading as the entity tag."""
    tag = str(resource.get("@odata.etag", "")).strip('"W/')
    return pd.Timestamp(int(tag), unit="s", tz="UTC") if tag.isdigit() and 1.2e9 < int(tag) < 4e9 else None


def _flag_false_power(table: pd.DataFrame, report: ImportReport) -> None:
    """A node that draws kilowatts never draws 5 % of them while it runs: a supply or the controller restarted."""
    series = table[(table["quantity"] == "power_W") & (table["resource"] == "MetricReport")]
    for sensor, part in series.groupby("sensor", sort=False):
        if len(part) < 5:
            continue
        false = part[part["value"] < 0.1 * part["value"].quantile(0.75)]
        for i in false.index:
            table.loc[i, "flag"] = "false reading"
            report.warn(
                f"{table.loc[i, 'file']} {table.loc[i, 'time']:%Y-%m-%dT%H:%MZ}",
                f"{sensor}: power below a tenth of the usual; flagged as a false reading",
            )
