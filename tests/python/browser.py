"""A browser without a screen, driven through its debugging port: real keys, real clicks, and a phone's width. Needs Chromium, nothing else."""
import base64
import ctypes
import itertools
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import time
import urllib.request

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Socket:
    """The client's half of a WebSocket (RFC 6455): whole text messages, masked."""

    def __init__(self, port, path, timeout_s):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=timeout_s)
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                              f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())  # fmt: skip
        self._rest = b""
        head = b""
        while b"\r\n\r\n" not in head:
            head += self._socket.recv(4096)
        head, self._rest = head.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.split(b"\r\n")[0], head

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        n = len(data)
        head = b"\x81" + (struct.pack("!B", 0x80 | n) if n < 126 else struct.pack("!BH", 0xFE, n) if n < 65536 else struct.pack("!BQ", 0xFF, n))
        self._socket.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def _read(self, n):
        parts, have = [self._rest], len(self._rest)
        while have < n:
            part = self._socket.recv(1 << 16)
            if not part:
                raise ConnectionError("the browser has closed the connection")
            parts.append(part)
            have += len(part)
        data = b"".join(parts)
        self._rest = data[n:]
        return data[:n]

    def receive(self):
        text = b""
        while True:
            first, second = self._read(2)
            n = second & 0x7F
            n = struct.unpack("!H", self._read(2))[0] if n == 126 else struct.unpack("!Q", self._read(8))[0] if n == 127 else n
            part = self._read(n)
            if first & 0x0F in (0, 1):
                text += part
                if first & 0x80:
                    return text.decode()

    def close(self):
        self._socket.close()


class Tab:
    """One page."""

    def __init__(self, browser, target):
        self.browser, self.id = browser, target["id"]
        self._ids = itertools.count(1)
        self._socket = Socket(browser.port, "/devtools/page/" + self.id, browser.timeout_s)
        self.errors = []
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def call(self, method, **arguments):
        """A command of the debugging protocol. Returns its result"""
        number = next(self._ids)
        self._socket.send(json.dumps({"id": number, "method": method, "params": arguments}))
        while True:
            said = json.loads(self._socket.receive())
            if said.get("method") == "Runtime.exceptionThrown":
                self.errors.append(said["params"]["exceptionDetails"].get("exception", {}).get("description", "an exception"))
            if said.get("id") == number:
                assert "error" not in said, said["error"]
                return said["result"]

    def value(self, script):
        """What an expression of the page is."""
        said = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in said, said["exceptionDetails"]
        return said["result"].get("value")

    def until(self, script, timeout_s=120.0):
        """Waits for an expression of the page to be true."""
        end = time.monotonic() + timeout_s
        while True:
            if self.value(f"!!({script})"):
                return
            if time.monotonic() > end:
                raise TimeoutError(f"not true within {timeout_s} s: {script}; the page says: {self.value('document.body.innerText')[:600]}")
            time.sleep(0.02)

    def go(self, address):
        self.call("Page.navigate", url=address)

    def width(self, pixels, height=900, phone=False):
        """The window's size; a phone also has touch and its own scale."""
        self.call("Emulation.setDeviceMetricsOverride", width=pixels, height=height, deviceScaleFactor=2 if phone else 1, mobile=phone)

    def key(self, name, code=0, text=""):
        """A key is pressed and released, as by a hand."""
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code, nativeVirtualKeyCode=code, **more)

    def picture(self, path, whole=True):
        """The page as a PNG."""
        said = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(said["data"]))

    def close(self):
        self._socket.close()
        urllib.request.urlopen(f"http://127.0.0.1:{self.browser.port}/json/close/{self.id}", timeout=self.browser.timeout_s).read()


def _ends_with_parent():
    """A test that is killed leaves no browser behind (Linux: PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Browser:
    """Chromium with a profile of its own below `folder`. Use as a context manager."""

    def __init__(self, folder, timeout_s=120.0):
        self.timeout_s, self.port = timeout_s, 0
        self._folder = os.fspath(folder)

    def __enter__(self):
        profile = os.path.join(self._folder, "profile")
        self._process = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--disable-extensions", "--disable-breakpad", "--disable-crash-reporter", "--mute-audio", "--hide-scrollbars", f"--user-data-dir={profile}", "--remote-debugging-port=0",
             "--window-size=1280,900", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=_ends_with_parent)  # noqa: PLW1509 - no threads yet
        file, end = os.path.join(profile, "DevToolsActivePort"), time.monotonic() + self.timeout_s
        while not os.path.exists(file) or "\n" not in open(file).read():
            assert self._process.poll() is None and time.monotonic() < end, "Chromium did not start"
            time.sleep(0.05)
        self.port = int(open(file).read().split("\n")[0])
        return self

    def tab(self, address="about:blank"):
        """A new page at an `address`."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?about:blank", method="PUT")
        with urllib.request.urlopen(request, timeout=self.timeout_s) as answer:
            tab = Tab(self, json.load(answer))
        if address != "about:blank":
            tab.go(address)
        return tab

    def __exit__(self, *_):
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
