"""Any CSV or Parquet with a time and watts: meters, PDUs, whole servers, the GPUs of an inference service."""

from __future__ import annotations

from typing import Optional

import numpy as np
import pandas as pd

from . import plain
from .report import ImportReport, InputError
from .series import median_step_s


def read(
    paths, report: ImportReport, columns: Optional[dict[str, str]] = None, units: Optional[dict[str, str]] = None, zone: Optional[str] = None
) -> pd.DataFrame:
    """Time (`time` or `time_s`) and one column of watts per channel; facts: mean, quantiles, energy, step.

    `paths`: tables; `report`: takes the remarks; `columns`, `units`, `zone`: as for `plain.read`; without `columns`, every
    column whose name ends with W, kW or MW, or is `power`, is a channel. Raises InputError: no time, or no watts.
    """
    table = plain.read(paths, report, columns, units, zone)
    watts = [c for c in table if c.endswith("_W")]
    time = next((c for c in ("time", "time_s") if c in table), None)
    if time is None or not watts:
        have = ", ".join(c for c in table)
        raise InputError(f"needs a time and watts, found {have or 'neither'}; name them: --column time=COLUMN --column power=COLUMN --unit power=W")
    seconds = table[time] if time == "time_s" else (table[time] - table[time].iloc[0]).dt.total_seconds()
    for name in watts:
        known = table[name].notna()
        if (table[name] < 0).any():
            report.warn(name, f"{int((table[name] < 0).sum())} values below 0 W: export, or a sign of the meter's own")
        quantiles = np.nanquantile(table[name], [0.05, 0.5, 0.95]) if known.any() else [np.nan] * 3
        report.facts[name] = {
            "mean_W": float(table[name].mean()), "p05_W": float(quantiles[0]), "median_W": float(quantiles[1]), "p95_W": float(quantiles[2]),
            "energy_J": float(np.trapz(table[name][known], seconds[known])), "samples": int(known.sum()),
        }  # fmt: skip
    report.facts["step_s"] = median_step_s(pd.to_timedelta(seconds, unit="s"))
    return table
