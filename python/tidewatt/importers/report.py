"""Report of an import: rows read, repaired and left out, with reasons."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import Any

try:
    from .._core import InputError
except ImportError:  # the readers work without the compiled half

    class InputError(ValueError):  # type: ignore[no-redef]
        """Nothing usable was read, or the input contradicts itself."""


__all__ = ["ImportReport", "InputError", "Remark"]


@dataclasses.dataclass(frozen=True)
class Remark:
    """One thing that was done to the input: `place` is file and row (`node_3.txt:17`), `what` says it in words."""

    place: str
    what: str


@functools.lru_cache(maxsize=4)
def _names(files: tuple[str, ...]) -> dict[str, str]:
    """The shortest ends of the paths that tell the files apart."""
    alike: dict[str, list[str]] = {}
    for file in dict.fromkeys(files):
        alike.setdefault(Path(file).name, []).append(file)
    out = {}
    for same in alike.values():
        parts = [Path(file).parts for file in same]
        n = next((n for n in range(1, max(map(len, parts))) if len({p[-n:] for p in parts}) == len(same)), 0)
        out.update({file: "/".join(p[-n:]) if n else file for file, p in zip(same, parts)})
    return out


@dataclasses.dataclass
class ImportReport:
    """Filled by a reader. Mended, ignored and warned remarks are warnings on the command line; notes and facts are not."""

    kind: str
    files: list[str] = dataclasses.field(default_factory=list)
    rows_read: int = 0
    rows_written: int = 0
    mended: list[Remark] = dataclasses.field(default_factory=list)
    ignored: list[Remark] = dataclasses.field(default_factory=list)
    warned: list[Remark] = dataclasses.field(default_factory=list)
    notes: list[str] = dataclasses.field(default_factory=list)
    facts: dict[str, Any] = dataclasses.field(default_factory=dict)

    def name_of(self, path) -> str:
        """A file's name for places and labels; with its folder where another file has the same name. `path`: of the file"""
        return _names(tuple(self.files)).get(str(path), Path(path).name)

    def mend(self, place: str, what: str) -> None:
        """Notes a value that was repaired. `place`: file and row; `what`: the defect and what was done."""
        self.mended.append(Remark(place, what))

    def ignore(self, place: str, what: str) -> None:
        """Notes a row that was left out. `place`: file and row; `what`: why."""
        self.ignored.append(Remark(place, what))

    def warn(self, place: str, what: str) -> None:
        """Notes doubtful input that was kept. `place`: file and row; `what`: the doubt."""
        self.warned.append(Remark(place, what))

    def note(self, text: str) -> None:
        """Adds what a reader of the table should know. `text`: one sentence."""
        if text not in self.notes:
            self.notes.append(text)

    @property
    def warnings(self) -> list[str]:
        """The lines for standard error: equal remarks are counted and their first places named."""
        lines = []
        for name, remarks in (("mended", self.mended), ("ignored", self.ignored), ("warning", self.warned)):
            places: dict[str, list[str]] = {}
            for remark in dict.fromkeys(remarks):
                places.setdefault(remark.what, []).append(remark.place)
            for what, where in places.items():
                more = f" and {len(where) - 3} more" if len(where) > 3 else ""
                lines.append(f"{name}: {', '.join(where[:3])}{more}: {what}")
        return lines

    def as_dict(self) -> dict[str, Any]:
        """For `--report FILE.json` and `DataFrame.attrs["report"]`."""
        return dataclasses.asdict(self)
