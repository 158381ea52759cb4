"""Pictures of a result: PNG and SVG from matplotlib, and one page that needs no network.

    from tidewatt import report
    paths = report.write("day.h5", "out/report")
"""
from __future__ import annotations

import dataclasses
import io
from pathlib import Path
from typing import Callable, Iterator

__all__ = ["Report", "build", "compare", "write"]


@dataclasses.dataclass(frozen=True)
class Report:
    """What was written, and what was not because the file does not hold it."""

    paths: list[Path]
    notes: list[str]


def write(result_path, out_dir) -> list[Path]:
    """Draws everything that the result file allows.

    Parameters
    ----------
    result_path
        An HDF5 file that `tidewatt run` wrote.
    out_dir
        Folder for the pictures; made if it is not there, files in it are replaced.

    Returns
    -------
    list[Path]
        The paths written, the page (`report.html`) first.

    Raises
    ------
    InputError
        The file is no result.
    CorruptFileError
        It is not as it was written.
    OutputError
        The folder cannot be written.
    """
    return build(result_path, out_dir).paths


def build(result_path, out_dir) -> Report:
    """As `write`, with the notes on what was left out.

    Parameters
    ----------
    result_path, out_dir
        As for `write`; a finished run may replace the path.
    """
    from . import page
    from .read import Missing, ResultFile
    from .style import house_style

    target = _Target(out_dir, "report.html")
    files, notes = {}, []
    with ResultFile(result_path) as result, house_style():
        for name, draw in _pictures(result):
            try:
                figure = draw()
            except Missing as missing:
                notes.append(f"{name}: {missing}")
                continue
            for kind, metadata in [("png", {"Software": None}), ("svg", {"Date": None})]:
                bytes_ = io.BytesIO()
                figure.savefig(bytes_, format=kind, metadata=metadata)
                files[f"{name}.{kind}"] = bytes_.getvalue()
        html, left_out = page.write(result)
    return Report(target.write({"report.html": html.encode(), **files}), notes + [note for note in left_out if note not in notes])


def compare(before_path, after_path, out_dir) -> Report:
    """One page (`compare_OTHER.html`) that holds two results beside each other.

    Parameters
    ----------
    before_path, after_path
        HDF5 files that `tidewatt run` wrote.
    out_dir
        Folder for the page; made if needed.
    """
    from . import compare_page
    from .read import ResultFile

    name = f"compare_{Path(after_path).stem}.html"
    target = _Target(out_dir, name)
    with ResultFile(before_path) as before, ResultFile(after_path) as after:
        html, notes = compare_page.write(before, after)
    return Report(target.write({name: html.encode()}), notes)


class _Target:
    """The folder of the pictures, made and tried before anything is drawn. @raises OutputError: it cannot be written."""

    def __init__(self, out_dir, first: str):
        from .. import _core

        self._core, self._folder = _core, Path(out_dir)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _core.OutputError(f"{self._folder}: cannot be created: {error.strerror or error}") from error
        _core.try_output(str(self._folder / first))

    def write(self, files: dict[str, bytes]) -> list[Path]:
        """Writes what was drawn, each file whole or not at all. @raises OutputError: one of them cannot be written."""
        for name, data in files.items():
            self._core.write_durably(str(self._folder / name), data)
        return [self._folder / name for name in files]


def _pictures(result) -> Iterator[tuple[str, Callable]]:
    """(file name without ending, function that draws it) of every picture."""
    from . import day, events, fleet, grid_case, limiter, pipeline, ramps, spectrum, waveform

    yield "day", lambda: day.draw(result)
    for name in result.names("waveform_"):
        yield name, lambda name=name: waveform.draw(result, name)
    if waveform.has_more_than_windows(result):
        yield "run_power", lambda: waveform.draw_pyramid(result)
    yield "iteration", lambda: pipeline.draw(result)
    if result.names("grid_case"):
        yield "grid_case", lambda: grid_case.draw(result)
    for module in (spectrum, ramps, fleet, limiter, events):
        yield module.__name__.rpartition(".")[2], lambda module=module: module.draw(result)
