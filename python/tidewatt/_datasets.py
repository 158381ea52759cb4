"""A group of arrays as an xarray.Dataset with units and calendar time."""
from __future__ import annotations

from typing import TYPE_CHECKING, Callable, NamedTuple, Optional, Sequence

import numpy as np

if TYPE_CHECKING:
    import xarray


class Column(NamedTuple):
    """One array of a group, without its values."""

    name: str
    dims: tuple[str, ...]
    unit: str
    long_name: str


def calendar(seconds: np.ndarray, start: str) -> np.ndarray:
    """`seconds` since `start` as datetime64[ns], to the nearest nanosecond (xarray's own decoding cuts off)."""
    return np.datetime64(start.replace(" ", "T"), "ns") + np.rint(seconds * 1e9).astype("timedelta64[ns]")


def dataset(
    group: str, columns: Sequence[Column], values: Callable[[str], np.ndarray], start: Optional[str]
) -> xarray.Dataset:
    """A `group` as a dataset.

    Parameters
    ----------
    columns : Sequence[Column]
        Its arrays without their values
    values : Callable[[str], np.ndarray]
        Gives the array of a path
    start : Optional[str]
        Local standard time of second 0, ISO 8601.
    """
    import xarray

    coords, variables = {}, {}
    for column in columns:
        data = values(f"/{group}/{column.name}")
        attrs, encoding = {"units": column.unit, "long_name": column.long_name}, {}
        if column.name == "time" and start:
            data = calendar(data, start)
            # Where xarray itself keeps it, so that to_netcdf writes it back.
            attrs.pop("units")
            encoding = {"units": f"seconds since {start}", "calendar": "standard", "dtype": "float64"}
        target = coords if column.dims == (column.name,) else variables
        target[column.name] = xarray.Variable(column.dims, data, attrs, encoding)
    return xarray.Dataset(variables, coords, {"title": f"tidewatt: {group}"})
