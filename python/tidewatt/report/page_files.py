"""Scripts and styles of pages: files beside this one and beside the planner's, put into a page's one text."""
from __future__ import annotations

import functools
import re
from pathlib import Path

INCLUDE = re.compile(r"( *)//include (\S+)\n")


def lines(file: Path) -> list[tuple[Path, int, str]]:
    """Where each line of the text of `file` is from, and the line itself: (file, number from 1, line).

    A line `//include NAME` becomes the file of that name, relative to its own, as far in as the line.
    """
    out = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(keepends=True), 1):
        if include := INCLUDE.fullmatch(line):
            indent, name = include.groups()
            out += [(inner, at, indent + text if text.strip() else text) for inner, at, text in lines(file.parent / name)]
        else:
            out.append((file, number, line))
    return out


@functools.lru_cache(maxsize=None)
def text(module: str, name: str) -> str:
    """The script or style `name`, relative to the file of a `module`, with what it includes."""
    return "".join(line for _, _, line in lines(Path(module).parent / name))
