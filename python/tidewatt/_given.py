"""Checks of users' arguments: known names and numbers. Errors name what is wrong and what is available."""
from __future__ import annotations

from typing import Any, Dict, Iterable


def unknown(what: str, name: object, known: Iterable[str]) -> str:
    """Error message for a `name` that is not in `known`: the nearest one and the list; `what` is its kind."""
    import difflib

    known = list(known)
    close = difflib.get_close_matches(str(name), known, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    return f"no {what} {name!r}{hint}; there are {', '.join(known)}" if known else f"no {what} {name!r}: there is none"


class Figures(Dict[str, Any]):
    """The figures of a summary: a dict whose KeyError names the nearest key."""

    def __missing__(self, key: str) -> Any:
        raise KeyError(unknown("figure", key, self))


def whole_number(name: str, value: Any) -> int:
    """A count that a user gave, as int.

    Parameters
    ----------
    name : str
        Name of the argument.
    value : object
        What was given.

    Raises
    ------
    TypeError
        It is none; the message names the argument.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__") and not (isinstance(value, float) and value.is_integer()):
        raise TypeError(f"{name} is a whole number, not {value!r}")
    return int(value)


def number(name: str, value: Any) -> float:
    """A number that a user gave, as float.

    Parameters
    ----------
    name : str
        Name of the argument.
    value : object
        What was given.

    Raises
    ------
    TypeError
        It is none; the message names the argument.
    """
    if isinstance(value, (str, bytes, bool)) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} is a number, not {value!r}: the unit is in the name")
    return float(value)


def thread_count(threads: int) -> int:
    """Threads that a user asked for; 0: all cores.

    Parameters
    ----------
    threads : int
        What was given.

    Raises
    ------
    TypeError, ValueError
        It is no whole number, or negative.
    """
    threads = whole_number("threads", threads)
    if threads < 0:
        raise ValueError(f"threads must be 0 (all cores) or more, not {threads}")
    return threads
