"""What requests to the page hold, checked key by key: a refusal names the key."""
from __future__ import annotations

import json
import math
from typing import Any

MOST_DEEP = 32  # lists and objects in one another


class Bad(Exception):
    """A request that is not answered as asked: HTTP status, message, findings."""

    def __init__(self, status: int, message: str, key: str = ""):
        super().__init__(message)
        self.status = status
        self.body = {"error": message, "findings": [{"place": "request", "key": key, "message": message}]}


def json_object(content: bytes) -> dict[str, Any]:
    """The JSON object in the `content` of a request. Raises Bad: it is none, or nested too deeply to be read safely"""
    try:
        body = json.loads(content, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Bad(400, f"the request is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise Bad(400, "the request must be a JSON object")
    level = [body]
    for _ in range(MOST_DEEP):
        level = [item for outer in level for item in (outer.values() if isinstance(outer, dict) else outer) if isinstance(item, (dict, list))]
    if level:
        raise Bad(400, f"lists and objects are nested more than {MOST_DEEP} deep")
    return body


def _no_constant(word: str):
    raise ValueError(f"{word} is not a number")


def overrides(body: dict[str, Any]) -> dict[str, Any]:
    """The overrides of a request's `body`. Raises Bad: no table of key and value"""
    keys = body.get("set", {})
    if not isinstance(keys, dict):
        raise Bad(400, "set: must be an object of key and value, for example {\"hall.a.cap_W\": 600}", "set")
    for key, value in keys.items():
        if value is None:
            raise Bad(400, f"{key[:80]}: null is no value; leave the key out", key[:80])
        if any(c in key for c in "\n\r="):
            raise Bad(400, f"{key[:80]!r}: is no key", key[:80])
    return keys


def names(body: dict[str, Any], key: str) -> list[str]:
    """The list of names at a `key` of a request's `body`. Raises Bad: it is something else"""
    given = body.get(key, [])
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given) or len(given) > 20:
        raise Bad(400, f"{key}: must be a list of at most 20 names", key)
    return given


def text(body: dict[str, Any], key: str, usual: str) -> str:
    """The text at a `key` of a request's `body`, or the `usual` one. Raises Bad: it is something else"""
    value = body.get(key, usual)
    if not isinstance(value, str):
        raise Bad(400, f"{key}: must be text", key)
    return value


def number(body: dict[str, Any], key: str) -> float | None:
    """The number at a `key` of a request's `body`, or None. Raises Bad: it is something else, or too large"""
    value = body.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Bad(400, f"{key}: must be a number", key)
    try:
        finite = math.isfinite(value)
    except OverflowError:
        finite = False
    if not finite:
        raise Bad(400, f"{key}: is too large for a number", key)
    return value


def one_of(body: dict[str, Any], key: str, known: tuple[str, ...], usual: str) -> str:
    """The word at a `key` of a request's `body`, one of the `known`, or the `usual` one. Raises Bad: it is another"""
    value = body.get(key, usual)
    if value not in known:
        raise Bad(400, f"{key}: {str(value)[:80]!r} is none of {', '.join(known)}", key)
    return value
