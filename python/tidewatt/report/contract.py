"""A contract on a site's power: the mean of its hottest hour, as `tidewatt size --for gpus --contract-MW` limits it."""
from __future__ import annotations

from typing import Any

import numpy as np

from .read import Missing, ResultFile

WORDS = "mean of the hottest hour"
TITLE = "Mean of the hottest hour within the contract"


def hottest_hour(result: ResultFile, added_MW: Any = 0.0) -> tuple[float, float] | None:
    """(largest mean power of a full hour of a `result`, MW; begin of that hour, s since the run's start).

    Parameters
    ----------
    added_MW : float or array of one per hour
        Power of the connection that the result does not contain, MW.

    Returns
    -------
    tuple of float, or None
        None: the run has no full hour.
    """
    n = int(result.summary.get("simulated_s", 0.0) // 3600)
    try:
        group = result.group("hourly")
        mean_MW = (group["pcc_J"] / 3600e6 + added_MW)[:n]
    except Missing:
        return None
    if not mean_MW.size:
        return None
    at = int(np.argmax(mean_MW))
    return float(mean_MW[at]), float(group["time"][at])


def row(result: ResultFile, contract_MW: float) -> dict[str, Any]:
    """The verdict on a `result` under a contract of `contract_MW`, as `compliance.rows` gives those of rules."""
    hour = hottest_hour(result)
    out = {"rule_set": "contract", "rule": "contract", "title": TITLE, "unit": "W", "limit": contract_MW * 1e6}
    if hour is None:
        return {**out, "verdict": "not measured", "value": np.nan}
    return {**out, "verdict": "pass" if hour[0] <= contract_MW else "fail", "value": hour[0] * 1e6, "margin_frac": 1.0 - hour[0] / contract_MW, "worst_s": hour[1]}
