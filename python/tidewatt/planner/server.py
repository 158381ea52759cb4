"""The web server of the page: the loopback address only, and only requests that know the page's token.

Python's own HTTP server: nothing has to be installed. A request of a web page elsewhere is refused by its `Origin` and `Host`, one of
another user of this machine because it lacks the token. Bodies are small, connections few, and every run has a limit.
"""
from __future__ import annotations

import collections
import contextlib
import io
import json
import os
import select
import socket
import sys
import threading
import webbrowser
from http.server import BaseHTTPRequestHandler
from typing import Any

from .. import _core
from .access import Refused, door, knows, new_token
from .base import Base, read
from .connections import BODY_s, HEAD_s, Arrival, Connections
from .controls import describe
from .exports import KINDS
from .lanes import Lane, Task
from .requests import Bad, json_object, names, number, one_of, overrides, text

MOST_BYTES = 1_000_000  # of a request
SLOW_s = 30.0  # for an answer to be taken
LIMIT_s = {"coarse": 60.0, "exact": 600.0, "interval": 900.0}
CACHED = 200  # answers, some 10 kB each


class Site:
    """State common to all connections: the base case, its lanes, the answers so far."""

    def __init__(self, base: Base, out: str, token: str | None):
        """`base`: the base case. `out`: folder of exports. `token`: what every request must know; None: nothing"""
        from .page import html, script

        self.base, self.out, self.token = base, out, token
        self.description = json.dumps(describe(base)).encode()
        self.page, self.script = html(base, token).encode(), script().encode()
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

    def setup(self):
        """Requests are read within a time limit."""
        super().setup()
        self.rfile.close()
        self.arrival = Arrival(self.connection)
        self.rfile = io.BufferedReader(self.arrival, 1 << 16)

    def handle_one_request(self):
        """Waits for a request and answers it."""
        self.server.await_request(self.connection)
        self.arrival.within(HEAD_s)
        super().handle_one_request()

    def parse_request(self):
        """Reads the head of a request, whatever its verb. Returns whether it is answered; False: it is malformed or refused"""
        if not super().parse_request():
            return False
        self.server.has_request(self.connection)
        self.arrival.within(BODY_s)
        try:
            self._own_page_only()
            self._with_token_only()
        except Bad as bad:
            self._refuse(bad)
            return False
        return True

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
            act()
        except Bad as bad:
            self._refuse(bad)
        except (BrokenPipeError, ConnectionResetError, socket.timeout):
            self.close_connection = True

    def _refuse(self, bad: Bad):
        self.close_connection = True  # the body may not have been read
        with contextlib.suppress(BrokenPipeError, ConnectionResetError, socket.timeout):
            self._send(bad.status, json.dumps(bad.body).encode())
            if self.headers.get("Content-Length", "0") != "0":
                self.arrival.forget(2 * MOST_BYTES)

    def _own_page_only(self):
        port = self.server.server_address[1]
        hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        if self.headers.get("Host", "") not in hosts:
            raise Bad(403, f"Host: this server answers to 127.0.0.1:{port} and localhost:{port} only")
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {f"http://{host}" for host in hosts}:
            raise Bad(403, "Origin: this server answers its own page only")
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin") and not self._is_opened():
            raise Bad(403, "this server answers its own page only")

    def _is_opened(self) -> bool:
        """A browser goes to the page, as from the file that `access.door` writes; where there is no token, no file leads there."""
        fetch = [self.headers.get(f"Sec-Fetch-{key}") for key in ("Mode", "Dest")]
        return self.site.token is not None and self.command == "GET" and self._path() == "/" and fetch == ["navigate", "document"]

    def _with_token_only(self):
        if self._path() != "/health" and not self._knows_token():
            raise Bad(403, "token: this server answers only those who know the token in the address that tidewatt serve has printed, as ?token=TOKEN or Authorization: Bearer TOKEN")

    def _knows_token(self) -> bool:
        return knows(self.site.token, self.headers.get("Authorization", ""), self.path.partition("?")[2])

    def _path(self) -> str:
        return self.path.partition("?")[0]

    def _get(self):
        path = self._path()
        if path == "/health":
            about = {"scenario": self.site.base.name} if self._knows_token() else {}
            return self._send(200, json.dumps({"status": "ready", "version": _core.__version__, **about}).encode())
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
        path = self._path()
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
        return json_object(self.rfile.read(size))

    def _run(self, body: dict[str, Any]):
        detail = one_of(body, "detail", ("coarse", "exact", "interval"), "exact")
        self._answer("run", detail, {"set": overrides(body), "detail": detail, "judge": names(body, "judge")}, body, ("set", "detail", "judge", "ticket"))

    def _charts(self, body: dict[str, Any]):
        arguments = {"set": overrides(body), "record_s": number(body, "record_s")}
        self._answer("charts", "exact", arguments, body, ("set", "record_s"), keep=False)

    def _why(self, body: dict[str, Any]):
        self._answer("why", "interval", {"set": overrides(body)}, body, ("set",))

    def _export(self, body: dict[str, Any]):
        what = one_of(body, "what", KINDS, "scenario")
        arguments = {"set": overrides(body), "what": what, "folder": self.site.out, "name": text(body, "name", "variant"), "rule": text(body, "rule", "ercot_nogrr282"),
                     "judge": names(body, "judge"), "contract_MW": number(body, "contract_MW")}  # fmt: skip
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
        ticket = text(body, "ticket", "")
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
        self.connection.settimeout(SLOW_s)
        self.end_headers()
        self.wfile.write(content)


class Server(Connections):
    """The page of a site."""

    def __init__(self, site: Site, port: int):
        """`site`: what is served. `port`: on the loopback address; 0: any free one"""
        super().__init__(port, type("SiteHandler", (Handler,), {"site": site}))

    @property
    def address(self) -> str:
        """Of the page, with its token."""
        token = self.RequestHandlerClass.site.token
        return f"http://127.0.0.1:{self.server_address[1]}/" + ("" if token is None else f"?token={token}")


def run(scenario: str, out: str, port: int, browser: bool, token: bool):
    """Serves the page of a `scenario`, with exports below `out`, on `port`, opened in a `browser` or not, with a `token` or without, until
    Ctrl-C. Raises InputError, OutputError, Refused"""
    try:
        os.makedirs(out, exist_ok=True)
    except OSError as error:
        raise _core.OutputError(f"{out}: cannot be created: {error.strerror or error}") from error
    site = Site(read(scenario), os.path.realpath(out), new_token() if token else None)
    try:
        server = Server(site, port)
    except OSError as error:
        raise Refused(f"port {port} on 127.0.0.1 cannot be used: {error.strerror or error}; choose another with --port, or 0 for any free one") from error
    if not token:
        print("tidewatt: warning: without a token, every user and program of this machine can run scenarios and write exports as you", file=sys.stderr)
    print(f"{server.address}  (Ctrl-C ends it; exports go below {site.out})", flush=True)
    with door(server.address) if browser and token else contextlib.nullcontext(server.address) as opened:
        if browser:
            threading.Thread(target=webbrowser.open, args=(opened,), daemon=True).start()
        try:
            server.serve_forever()
        finally:
            server.server_close()
