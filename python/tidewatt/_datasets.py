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


def with_step_s(day: xarray.Dataset, time_s: np.ndarray, end_s: float) -> xarray.Dataset:
    """The group `day` with the length of each macro step, the weight of its means.

    Parameters
    ----------
    time_s : numpy.ndarray
        Starts of the steps, s since the start of the run.
    end_s : float
        End of the run, s.
    """
    attrs = {"units": "s", "long_name": "length of the macro step, the weight of its means"}
    return day.assign(step_s=("time", np.diff(time_s, append=end_s), attrs))


def resampled(day: xarray.Dataset, time_s: np.ndarray, end_s: float, step_s: float) -> xarray.Dataset:
    """Exact means of a piecewise-constant `day` over equal intervals.

    Parameters
    ----------
    time_s : numpy.ndarray
        Starts of the steps, s since the start of the run.
    end_s : float
        End of the run, s.
    step_s : float
        Length of the intervals, s.

    Raises
    ------
    ValueError
        `step_s` is not above 0, or longer than the run.
    """
    import xarray

    n = int((end_s - time_s[0]) / step_s + 1e-9) if step_s > 0 else 0
    if n < 1:
        raise ValueError(f"step_s is above 0 and at most the run's length, {end_s - time_s[0]:g} s, not {step_s!r}")
    edges = time_s[0] + step_s * np.arange(n + 1)
    lengths = np.diff(time_s, append=end_s)
    stops = np.append(time_s, end_s)
    variables = {}
    for name, column in day.data_vars.items():
        if column.dims[:1] != ("time",) or column.dtype.kind not in "fiu" or name == "step_s":
            continue
        values = column.to_numpy().reshape(len(lengths), -1).astype(float)
        integral = np.vstack([np.zeros(values.shape[1]), np.cumsum(values * lengths[:, None], axis=0)])
        at = np.column_stack([np.interp(edges, stops, integral[:, k]) for k in range(integral.shape[1])])
        means = (np.diff(at, axis=0) / step_s).reshape(n, *column.shape[1:])
        variables[name] = xarray.Variable(column.dims, means, column.attrs)
    start = day["time"].to_numpy()[0]
    time = start + np.rint(step_s * 1e9 * np.arange(n)).astype("timedelta64[ns]")
    coords = {name: coord for name, coord in day.coords.items() if "time" not in coord.dims}
    return xarray.Dataset(variables, {"time": ("time", time, day["time"].attrs), **coords}, {**day.attrs, "step_s": float(step_s)})
