"""Writes files complete or not at all."""
from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

from . import _core

if TYPE_CHECKING:
    import pandas

    from ._load import Path


def whole(path: Path, text: str) -> None:
    """Writes a text as UTF-8: to a temporary file beside it, synced and renamed.

    Parameters
    ----------
    path : path
        The file.
    text : str
        Its content.

    Raises
    ------
    OutputError
        With the system's reason; an existing file is unchanged.
    """
    _core.write_durably(os.fspath(path), text.encode())


def anew(path: Path, text: str) -> None:
    """As `whole`, for a file that must not exist.

    Parameters
    ----------
    path : path
        The file.
    text : str
        Its content.

    Raises
    ------
    FileExistsError
        The file exists.
    OutputError
        The file cannot be written.
    """
    if os.path.lexists(path):
        raise FileExistsError(f"{os.fspath(path)}: the file is there")
    whole(path, text)


def parquet(path: Path, table: pandas.DataFrame) -> None:
    """Writes a table as Parquet, completely or not at all.

    Parameters
    ----------
    path : path
        The file.
    table : pandas.DataFrame
        Its content.

    Raises
    ------
    ImportError
        Neither pyarrow nor fastparquet is installed.
    OutputError
        The file cannot be written.
    """
    made = io.BytesIO()
    table.to_parquet(made, index=False)
    _core.write_durably(os.fspath(path), made.getvalue())
