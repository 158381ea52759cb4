"""Synthetic logs and the reference logs of other people, for the tests of the readers."""
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "python"))  # the package in the build tree first, where there is one

from tidewatt import importers  # noqa: E402


def shared(*parts):
    """A file or folder of the reference data; skips where it is absent."""
    root = Path(os.environ.get("TIDEWATT_SHARED_DATA") or ROOT / ".." / "shared" / "data")
    path = root.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"reference data {'/'.join(parts)} absent")
    return path


def read(kind, *paths, **options):
    """(table, report) of an import that auto recognises as the same kind."""
    done = importers.import_logs(kind, paths, **options)
    if kind not in ("csv", "power", "auto") and not options.get("columns"):
        assert importers.import_logs("auto", paths, **options).report.kind == kind
    return done.table, done.report


def put(folder, name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def said(report, *words):
    """Whether one warning holds all the words."""
    return any(all(w in line for w in words) for line in report.warnings)
