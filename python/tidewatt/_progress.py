"""The bar with the time left."""
from __future__ import annotations

import contextlib
import sys
from typing import Callable, Iterator, Optional, Union

Progress = Union[bool, None, Callable[[float], object]]


def _watched() -> bool:
    """Whether output goes to a terminal or a notebook."""
    if sys.stderr is not None and sys.stderr.isatty():
        return True
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return type(shell).__name__ == "ZMQInteractiveShell"


@contextlib.contextmanager
def reporter(progress: Progress) -> Iterator[Optional[Callable[[float], object]]]:
    """What to call with the share done, 0–1, or None. See `tidewatt.run` for `progress`."""
    if callable(progress):
        yield progress
        return
    try:
        # Not tqdm.auto: its widgets are lost when a notebook is run without a browser.
        from tqdm import tqdm
    except ImportError:
        if progress:
            raise
        tqdm = None
    if tqdm is None or not (progress or (progress is None and _watched())):
        yield None
        return
    form = "{l_bar}{bar}| {elapsed} spent, {remaining} left"
    with tqdm(total=1.0, bar_format=form, desc="simulating", ncols=80) as bar:
        fresh = True

        def show(done_frac: float) -> None:
            nonlocal fresh
            if fresh:  # the duration of an earlier call does not predict the time left
                bar.initial = bar.n = done_frac
                bar.refresh()
            else:
                bar.update(done_frac - bar.n)
            fresh = False

        yield show
