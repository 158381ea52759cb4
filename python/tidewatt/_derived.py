"""Series that follow from the tables of `tw.read_…`: GPUs at work over time, load offered to a service."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas


def job_occupancy(jobs: pandas.DataFrame) -> pandas.DataFrame:
    """Jobs, nodes and GPUs at work over time, one row per change.

    Parameters
    ----------
    jobs : pandas.DataFrame
        Of `read_sacct` or `read_squeue`.
    """
    from .importers import sacct

    return sacct.occupancy(jobs)


def offered_load(requests: pandas.DataFrame, step_s: float = 60.0) -> pandas.DataFrame:
    """Requests, prefill and decode tokens per second by intervals.

    Parameters
    ----------
    requests : pandas.DataFrame
        Of `read_requests`
    step_s : float, default 60.0
        Length, s, above 0.
    """
    from .importers import requests as reader

    return reader.offered_load(requests, step_s)
