"""The planner's page: a local web page on which a scenario's main settings are moved and compared.

    import tidewatt as tw
    tw.serve("mine.toml", out="plans")       # until Ctrl-C
"""
from __future__ import annotations

import os

from .access import Refused

__all__ = ["Refused", "serve"]

PORT = 8734


def serve(scenario: str | os.PathLike[str] = "llama3_405b_day", *, out: str | os.PathLike[str] = ".", port: int = PORT, browser: bool = True,
          token: bool = True) -> None:  # fmt: skip
    """Serves the planner's page of a scenario on this machine alone, until Ctrl-C. As `tidewatt serve`.

    The address that is printed holds a token, new with each start. Only requests with it are answered.

    Parameters
    ----------
    scenario : path
        A scenario file, or the name of a shipped scenario: the base case.
    out : path, default '.'
        Folder below which exports are written; made if it is absent.
    port : int
        Port on the loopback address; 0: any free one. The address is printed.
    browser : bool, default True
        Open the page in the default browser.
    token : bool, default True
        False: no token, so that every user and program of this machine can run scenarios and write exports as you. A warning says so.

    Raises
    ------
    InputError
        The scenario cannot be read, with every finding.
    OutputError
        The folder cannot be written.
    Refused
        The port is in use.

    Examples
    --------
    >>> tw.serve("mine.toml", out="plans", browser=False)  # doctest: +SKIP
    """
    from .server import run

    run(os.fspath(scenario), os.fspath(out), port, browser, token)
