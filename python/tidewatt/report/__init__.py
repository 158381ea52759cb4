"""A result as one page that needs no network, and as pictures: PNG and SVG from matplotlib.

    from tidewatt import report
    paths = report.write("day.h5", "out/report", pictures=True)
"""
from __future__ import annotations

import dataclasses
import io
import os
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

__all__ = ["Report", "build", "compare", "write"]


@dataclasses.dataclass(frozen=True)
class Report:
    """Files written, and parts left out because the file has no data for them."""

    paths: list[Path]
    notes: list[str]


def write(result_path, out_dir, pictures: bool = False, only: Sequence[str] = (), *, contract_MW: float | None = None, held: Sequence[dict[str, Any]] = ()) -> list[Path]:
    """Writes the page with all parts that the result file has data for.

    Parameters
    ----------
    result_path
        An HDF5 file that `tidewatt run` wrote.
    out_dir
        Folder for the page and the pictures; made if it is not there, files in it are replaced.
    pictures : bool
        Also write each picture as PNG and SVG.
    only : sequence of str
        Parts of the page and the pictures, e.g. "day", "spectrum"; empty: all with data in the file.
    contract_MW : float, optional
        Limit of a contract on the mean power of the hottest hour, MW; its verdict is added to those of the rules. None: no contract.
    held : sequence of dict
        Further verdicts beside those of the site's rules, as `tidewatt.report.compliance.rows` gives them.

    Returns
    -------
    list[Path]
        The paths written, the page (`report.html`) first.

    Raises
    ------
    InputError
        The file is not a result or holds what no run writes, `only` has an unknown part (the message names the nearest), or the contract is not above 0 MW.
    CorruptFileError
        The file does not have the bits that tidewatt wrote.
    OutputError
        The folder cannot be written.
    """
    return build(result_path, out_dir, pictures, only, contract_MW=contract_MW, held=held).paths


def build(result_path, out_dir, pictures: bool = False, only: Sequence[str] = (), *, contract_MW: float | None = None, held: Sequence[dict[str, Any]] = ()) -> Report:
    """As `write`, also returns notes on parts left out.

    Parameters
    ----------
    result_path, out_dir, pictures, only, contract_MW, held
        As for `write`; a finished run may replace the path.
    """
    from . import contract, page
    from .read import ResultFile, reading

    target = _Target(out_dir, "report.html")
    files, notes = {}, []
    result = ResultFile(result_path)
    _check_parts(result, only)
    _check_contract(contract_MW)
    with reading(_path_of(result_path)):
        contracted = [] if contract_MW is None else [contract.row(result, contract_MW)]
        html, left_out = page.write(result, only, [*contracted, *held])
        files["report.html"] = html.encode()
        if pictures:
            files |= _drawn(result, only, notes)
    return Report(target.write(files), notes + [note for note in left_out if note not in notes])


def _path_of(source) -> str:
    """The path of a file; empty for a `source` in memory."""
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else getattr(source, "path", "")


def _check_parts(result, only: Sequence[str]) -> None:
    """Raises InputError: `only` names parts that neither the page nor the pictures of a `result` have."""
    from .. import _core
    from .._given import unknown
    from .page import PARTS

    known = [*PARTS, *result.names("waveform_"), "run_power"]
    wrong = [unknown("part of a report", part, known) for part in only if part not in known]
    if wrong:
        raise _core.InputError("\n".join(wrong))


def _check_contract(contract_MW: float | None) -> None:
    """Raises InputError: a contract on `contract_MW` that is no power above 0."""
    if contract_MW is not None and not 0.0 < contract_MW < float("inf"):
        from .. import _core

        raise _core.InputError(f"contract_MW: {contract_MW:g} is not above 0 MW")


def _drawn(result, only: Sequence[str], notes: list[str]) -> dict[str, bytes]:
    """File name -> bytes of the pictures of a `result` (`only` these, if any); what cannot be drawn is added to the `notes`."""
    from .read import Missing
    from .style import house_style

    files = {}
    with house_style():
        for name, draw in _pictures(result):
            if only and name not in only:
                continue
            try:
                figure = draw()
            except Missing as missing:
                notes.append(f"{name}: {missing}")
                continue
            # The layout is solved once, for both files; solving it takes as long as drawing.
            figure.get_layout_engine().execute(figure)
            figure.set_layout_engine("none")
            for kind, metadata in [("png", {"Software": None}), ("svg", {"Date": None})]:
                bytes_ = io.BytesIO()
                figure.savefig(bytes_, format=kind, metadata=metadata)
                files[f"{name}.{kind}"] = bytes_.getvalue()
    return files


def compare(before_path, after_path, out_dir) -> Report:
    """Writes one page (`compare_OTHER.html`) with two results side by side.

    Parameters
    ----------
    before_path, after_path
        HDF5 files that `tidewatt run` wrote.
    out_dir
        Folder for the page; made if needed.
    """
    from . import compare_page
    from .read import ResultFile, reading

    name = f"compare_{Path(after_path).stem}.html"
    target = _Target(out_dir, name)
    before, after = ResultFile(before_path), ResultFile(after_path)
    with reading(f"{_path_of(before_path)} or {_path_of(after_path)}"):
        html, notes = compare_page.write(before, after)
    return Report(target.write({name: html.encode()}), notes)


class _Target:
    """The folder of the pictures, made and tried before anything is drawn. Raises OutputError: it cannot be written."""

    def __init__(self, out_dir, first: str):
        from .. import _core

        self._core, self._folder = _core, Path(out_dir)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _core.OutputError(f"{self._folder}: cannot be created: {error.strerror or error}") from error
        _core.try_output(str(self._folder / first))

    def write(self, files: dict[str, bytes]) -> list[Path]:
        """Writes the pages and pictures, each file completely or not at all. Raises OutputError: one of them cannot be written."""
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
