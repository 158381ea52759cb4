"""A planner's page for tests, and a program that asks it."""
import contextlib
import http.client
import json
import threading

from tidewatt.planner import access, base
from tidewatt.planner.server import Server, Site


class Client:
    """Asks the page as a program that knows its token."""

    def __init__(self, site, server, out):
        self.site, self.server, self.out, self.port, self.token = site, server, out, server.server_address[1], site.token

    def ask(self, path, body=None, method=None, raw=None, **headers):
        """(status, answer) of a request with its JSON `body` or `raw` bytes; a header that is None is left out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        sent = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}", **headers}
        connection.request(method or ("GET" if data is None else "POST"), path, data, {key: value for key, value in sent.items() if value is not None})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, json.loads(content) if content and "json" in answer.headers.get("Content-Type", "") else content.decode()

    def run(self, detail="exact", **keys):
        return self.ask("/run", {"set": keys, "detail": detail})

    def head(self, path, size):
        """The bytes in front of a POST's body of `size` bytes."""
        return f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.token}\r\nContent-Length: {size}\r\n\r\n".encode()


@contextlib.contextmanager
def served(scenario, out):
    """The page of a `scenario` with exports below `out`, while the block lasts."""
    out.mkdir(exist_ok=True)
    site = Site(base.read(str(scenario)), str(out), access.new_token())
    server = Server(site, 0)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Client(site, server, out)
    finally:
        server.shutdown()
        server.server_close()
