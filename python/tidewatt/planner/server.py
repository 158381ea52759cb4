"""The web server of the page: the loopback address only, and only requests that this page or a program on this machine makes.

Python's own HTTP server: nothing has to be installed. A request of a web page elsewhere is refused by its `Origin` and `Host`;
bodies are small, connections few, and every run has a limit.
"""
from __future__ import annotations

import collections
import json
import os
import select
import socket
import sys
import threading
import webbrowser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .. import _core
from . import Refused
from .base import Base, read
from .controls import describe
from .exports import KINDS
from .lanes import Lane, Task

MOST_BYTES = 1_000_000  # of a request
MOST_CONNECTIONS = 64
SLOW_s = 30.0  # for a request to arrive
LIMIT_s = {"coarse": 60.0, "exact": 600.0, "interval": 900.0}
CACHED = 200  # answers, some 10 kB each


class Bad(Exception):
    """A request that is not answered as asked: HTTP status, message, findings."""

    def __init__(self, status: int, message: str, key: str = ""):
        super().__init__(message)
        self.status = status
        self.body = {"error": message, "findings": [{"place": "request", "key": key, "message": message}]}


class Site:
    """State common to all connections: the base case, its lanes, the answers so far."""

    def __init__(self, base: Base, out: str):
        from .page import html, script

        self.base, self.out = base, out
        self.description = json.dumps(describe(base)).encode()
        self.page, self.script = html(base).encode(), script().encode()
        # The machine's cores are shared: later tasks yield to earlier ones.
        self.lanes = {"coarse": Lane(base, 0), "exact": Lane(base, 5), "interval": Lane(base, 10, ready=False)}
        self._cache: collections.OrderedDict[str, dict[str, Any]] = collections.OrderedDict()
        self.tickets: dict[str, Task] = {}  # runs that may be requested again
        self._lock = threading.Lock()

    def cached(self, key: str) -> dict[str, Any] | None:
        """The answer to the request `key`, if it was given before."""
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
            return self._cache.get(key)

    def keep(self, key: str, body: dict[str, Any]):
        """Keeps the `body` of the answer to the request `key`; the oldest ones are forgotten."""
        with self._lock:
            self._cache[key] = body
            while len(self._cache) > CACHED:
                self._cache.popitem(last=False)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "tidewatt", ""
    timeout = SLOW_s
    site: Site

    def do_GET(self):
        """The page, its script, its description, and whether it is ready."""
        self._safely(self._get)

    def do_POST(self):
        """Runs, charts, causes and exports."""
        self._safely(self._post)

    def log_message(self, *_):
        """Silent: the terminal shows defects only."""

    def _safely(self, act):
        try:
            self._own_page_only()
            act()
        except Bad as bad:
            self.close_connection = True  # the body may not have been read
            self._send(bad.status, json.dumps(bad.body).encode())
        except (BrokenPipeError, ConnectionResetError, socket.timeout):
            self.close_connection = True

    def _own_page_only(self):
        port = self.server.server_address[1]
        names = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        if self.headers.get("Host", "") not in names:
            raise Bad(403, f"Host: this server answers to 127.0.0.1:{port} and localhost:{port} only")
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {f"http://{name}" for name in names}:
            raise Bad(403, "Origin: this server answers its own page only")
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise Bad(403, "this server answers its own page only")

    def _get(self):
        path = self.path.split("?")[0]
        if path == "/health":
            return self._send(200, json.dumps({"status": "ready", "version": _core.__version__, "scenario": self.site.base.name}).encode())
        if path == "/base":
            return self._send(200, self.site.description)
        if path == "/":
            return self._send(200, self.site.page, "text/html; charset=utf-8")
        if path == "/page.js":
            return self._send(200, self.site.script, "text/javascript; charset=utf-8")
        if path.startswith("/progress/") and (task := self.site.tickets.get(path[len("/progress/"):])):
            return self._send(200, json.dumps(task.progress()).encode())
        if path in ("/run", "/charts", "/why", "/export"):
            raise Bad(405, f"{path} takes POST")
        raise Bad(404, f"nothing at {path[:80]!r}")

    def _post(self):
        path = self.path.split("?")[0]
        doing = {"/run": self._run, "/charts": self._charts, "/why": self._why, "/export": self._export}.get(path)
        if doing is None:
            raise Bad(405 if path in ("/", "/health", "/base", "/page.js") else 404, f"POST to {path[:80]!r} does nothing")
        doing(self._body())

    def _body(self) -> dict[str, Any]:
        try:
            size = int(self.headers.get("Content-Length", ""))
        except ValueError:
            raise Bad(411, "Content-Length is missing") from None
        if not 0 <= size <= MOST_BYTES:
            raise Bad(413, f"a request may have {MOST_BYTES:,} bytes, not {size:,}")
        try:
            body = json.loads(self.rfile.read(size), parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise Bad(400, f"the request is not JSON: {error}") from None
        if not isinstance(body, dict):
            raise Bad(400, "the request must be a JSON object")
        return body

    def _run(self, body: dict[str, Any]):
        detail = _one_of(body, "detail", ("coarse", "exact", "interval"), "exact")
        self._answer("run", detail, {"set": _set(body), "detail": detail, "judge": _names(body, "judge")}, body, ("set", "detail", "judge", "ticket"))

    def _charts(self, body: dict[str, Any]):
        arguments = {"set": _set(body), "record_s": _number(body, "record_s")}
        self._answer("charts", "exact", arguments, body, ("set", "record_s"), keep=False)

    def _why(self, body: dict[str, Any]):
        self._answer("why", "interval", {"set": _set(body)}, body, ("set",))

    def _export(self, body: dict[str, Any]):
        what = _one_of(body, "what", KINDS, "scenario")
        arguments = {"set": _set(body), "what": what, "folder": self.site.out, "name": _text(body, "name", "variant"), "rule": _text(body, "rule", "ercot_nogrr282"),
                     "judge": _names(body, "judge"), "contract_MW": _number(body, "contract_MW")}  # fmt: skip
        self._answer("export", "exact", arguments, body, ("set", "what", "name", "rule", "judge", "contract_MW"), keep=False)

    def _answer(self, do: str, lane: str, arguments: dict[str, Any], body: dict[str, Any], known: tuple[str, ...], keep: bool = True):
        """Answers from earlier results, or has a lane compute it; if the client disconnects, its task is cancelled."""
        for key in body:
            if key not in known:
                raise Bad(400, f"{key[:80]}: unknown; a request to /{do} has {', '.join(known)}", key[:80])
        name = json.dumps([do, arguments], sort_keys=True)
        if keep and (before := self.site.cached(name)) is not None:
            return self._send(200, json.dumps(before).encode())
        task = Task(do, arguments, LIMIT_s[lane])
        ticket = _text(body, "ticket", "")
        if ticket:
            self.site.tickets[ticket] = task
        self.site.lanes[lane].put(task)
        while not task.done.wait(0.01):
            if not task.cancelled.is_set() and self._left():
                task.cancelled.set()
        self.site.tickets.pop(ticket, None)
        if task.cancelled.is_set():
            self.close_connection = True
            return
        if keep and task.status == 200:
            self.site.keep(name, task.body)
        self._send(task.status, json.dumps(task.body).encode())

    def _left(self) -> bool:
        """Whether the client has closed its connection."""
        try:
            if not select.select([self.connection], [], [], 0)[0]:
                return False
            return self.connection.recv(1, socket.MSG_PEEK) == b""
        except OSError:
            return True

    def _send(self, status: int, content: bytes, kind: str = "application/json"):
        self.send_response(status)
        for name, value in [("Content-Type", kind), ("Content-Length", str(len(content))), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
                            ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
                            ("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src data: blob:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'")]:  # fmt: skip
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)


def _no_constant(word: str):
    raise ValueError(f"{word} is not a number")


def _set(body: dict[str, Any]) -> dict[str, Any]:
    """The overrides of a request. @raises Bad: no table of key and value"""
    keys = body.get("set", {})
    if not isinstance(keys, dict):
        raise Bad(400, "set: must be an object of key and value, for example {\"hall.a.cap_W\": 600}", "set")
    for key, value in keys.items():
        if value is None:
            raise Bad(400, f"{key[:80]}: null is no value; leave the key out", key[:80])
        if any(c in key for c in "\n\r="):
            raise Bad(400, f"{key[:80]!r}: is no key", key[:80])
    return keys


def _names(body: dict[str, Any], key: str) -> list[str]:
    names = body.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or len(names) > 20:
        raise Bad(400, f"{key}: must be a list of at most 20 names", key)
    return names


def _text(body: dict[str, Any], key: str, usual: str) -> str:
    value = body.get(key, usual)
    if not isinstance(value, str):
        raise Bad(400, f"{key}: must be text", key)
    return value


def _number(body: dict[str, Any], key: str) -> float | None:
    value = body.get(key)
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
        raise Bad(400, f"{key}: must be a number", key)
    return value


def _one_of(body: dict[str, Any], key: str, known, usual: str) -> str:
    value = body.get(key, usual)
    if value not in known:
        raise Bad(400, f"{key}: {str(value)[:80]!r} is none of {', '.join(known)}", key)
    return value


class Server(ThreadingHTTPServer):
    """A thread for each connection, of which there are at most `MOST_CONNECTIONS`."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, site: Site, port: int):
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__(("127.0.0.1", port), type("SiteHandler", (Handler,), {"site": site}))

    def process_request(self, request, client_address):
        """A thread for the `request` of a `client_address`, or 503 where there are too many."""
        if not self._free.acquire(blocking=False):
            with request:
                request.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request, client_address):
        """Answers the `request` of a `client_address`, and makes room for another."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request, client_address):
        """Silent where the `request` of a `client_address` only broke off."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


def run(scenario: str, out: str, port: int, browser: bool):
    """Serves the page of a `scenario`, with exports below `out`, on `port`, opened in a `browser` or not, until Ctrl-C. @raises InputError, OutputError, Refused"""
    try:
        os.makedirs(out, exist_ok=True)
    except OSError as error:
        raise _core.OutputError(f"{out}: cannot be created: {error.strerror or error}") from error
    site = Site(read(scenario), os.path.realpath(out))
    try:
        server = Server(site, port)
    except OSError as error:
        raise Refused(f"port {port} on 127.0.0.1 cannot be used: {error.strerror or error}; choose another with --port, or 0 for any free one") from error
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    print(f"{address}  (Ctrl-C ends it; exports go below {site.out})", flush=True)
    if browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    try:
        server.serve_forever()
    finally:
        server.server_close()
