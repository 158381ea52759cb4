"""Who may use the page: those who know its token, a random text in the address that `tidewatt serve` prints.

The loopback address alone keeps nobody out: every user of the machine can connect to it.
"""
from __future__ import annotations

import contextlib
import hmac
import secrets
import tempfile
from html import escape
from pathlib import Path
from typing import Iterator
from urllib.parse import parse_qs

TOKEN_bytes = 32  # from the system's random source: 256 bits


class Refused(Exception):
    """The page cannot be served; the message gives the reason."""


def new_token() -> str:
    """A token that nobody can guess, in characters that an address may have."""
    return secrets.token_urlsafe(TOKEN_bytes)


def knows(token: str | None, authorization: str, query: str) -> bool:
    """Whether a request has the page's token. The comparison takes the same time wherever the first difference is.

    Parameters
    ----------
    token
        The page's; None: it has none, and every request may pass.
    authorization, query
        The request's header `Authorization` (`Bearer TOKEN`), and what follows the `?` of its address (`token=TOKEN`).
    """
    if token is None:
        return True
    kind, _, said = authorization.partition(" ")
    given = parse_qs(query).get("token", [])[:1]
    if kind.lower() == "bearer":
        given.append(said.strip())
    # A list: the time that this takes tells nothing of which one is right.
    return any([hmac.compare_digest(one.encode("utf-8", "replace"), token.encode()) for one in given])  # noqa: C419


@contextlib.contextmanager
def door(address: str) -> Iterator[str]:
    """A file that leads a browser to the `address`, and that only its owner can read; its own address is the value.

    A browser shows what it opens in its command line, which every user of the machine can read: the token must not be there.
    """
    with tempfile.TemporaryDirectory(prefix="tidewatt_serve_") as folder:  # only its owner may enter
        file = Path(folder) / "open.html"
        link = escape(address, quote=True)
        file.write_text(f'<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={link}"><title>tidewatt</title><a href="{link}">The planner\'s page</a>\n', encoding="utf-8")
        yield file.as_uri()
