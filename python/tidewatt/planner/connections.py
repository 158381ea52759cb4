"""Connections to the page: a time limit for each request, however slowly it arrives, and room for the next one."""
from __future__ import annotations

import contextlib
import io
import socket
import sys
import threading
import time
from http.server import ThreadingHTTPServer

MOST_CONNECTIONS = 64
HEAD_s = 10.0  # for a request's head to arrive, the wait for it included
BODY_s = 30.0  # for its body
PATIENT_s = 2.0  # a connection that has sent no request for longer makes room for another
LINGER_s = 1.0  # for a refused body, so that the client reads the answer before the connection is cut


class Arrival(io.RawIOBase):
    """The bytes that a connection receives, until a moment that more bytes do not put off."""

    def __init__(self, connection: socket.socket):
        self._connection, self._end_s = connection, 0.0

    def within(self, limit_s: float) -> None:
        """From now on for `limit_s` seconds."""
        self._end_s = time.monotonic() + limit_s

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer) -> int:
        """Receives into a `buffer`. Returns number of bytes; 0: the client sends no more. Raises socket.timeout: the time is over"""
        left_s = self._end_s - time.monotonic()
        if left_s <= 0.0:
            raise socket.timeout("the request arrived too slowly")
        self._connection.settimeout(left_s)
        return self._connection.recv_into(buffer)

    def forget(self, most_bytes: int) -> None:
        """Receives what is left of a refused request, `most_bytes` of it at most: closing a connection with unread bytes would
        discard the answer."""
        self.within(LINGER_s)
        buffer = bytearray(1 << 16)
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_WR)
            while most_bytes > 0 and (n := self.readinto(buffer)):
                most_bytes -= n


class Connections(ThreadingHTTPServer):
    """A thread for each connection, of which there are at most `MOST_CONNECTIONS`. If all are taken, the one that has waited
    longest without a request makes room."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, port: int, handler):
        """`port`: on the loopback address; 0: any free one. `handler`: class of what answers a connection"""
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._lock = threading.Lock()
        self._silent: dict[socket.socket, float] = {}  # without a request, oldest first, since when
        super().__init__(("127.0.0.1", port), handler)

    def await_request(self, connection: socket.socket) -> None:
        """A request of this `connection` is waited for."""
        with self._lock:
            self._silent[connection] = time.monotonic()

    def has_request(self, connection: socket.socket) -> None:
        """A request of this `connection` is complete, or the connection ends."""
        with self._lock:
            self._silent.pop(connection, None)

    def _make_room(self) -> bool:
        """Ends the connection that has been silent for longest, if that is long enough."""
        with self._lock:
            oldest, since_s = next(iter(self._silent.items()), (None, 0.0))
            if oldest is None or time.monotonic() - since_s < PATIENT_s:
                return False
            del self._silent[oldest]
            with contextlib.suppress(OSError):
                oldest.shutdown(socket.SHUT_RDWR)  # its thread ends
        return self._free.acquire(timeout=LINGER_s)

    def process_request(self, request, client_address):
        """A thread for the `request` of a `client_address`, or 503 where there are too many."""
        if self._free.acquire(blocking=False) or self._make_room():
            return super().process_request(request, client_address)
        with request, contextlib.suppress(OSError):
            request.settimeout(0.05)
            with contextlib.suppress(socket.timeout):
                request.recv(1 << 16)  # unread, it would discard the answer
            request.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    def process_request_thread(self, request, client_address):
        """Answers the `request` of a `client_address`, and makes room for another."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.has_request(request)
            self._free.release()

    def handle_error(self, request, client_address):
        """Silent where the `request` of a `client_address` only broke off."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError, socket.timeout)):
            super().handle_error(request, client_address)
