"""Who may use the planner's page: those who know its token. Another user of the machine is refused everything but /health."""
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from planner_client import served
from tidewatt.planner import access
from tiny_case import tiny

CLI = os.environ["TIDEWATT_CLI"]
EVERYTHING = [("GET", "/", None), ("GET", "/page.js", None), ("GET", "/base", None), ("GET", "/progress/1", None), ("GET", "/nothing", None), ("POST", "/run", {"set": {}}),
              ("POST", "/charts", {"set": {}}), ("POST", "/why", {"set": {}}), ("POST", "/export", {"what": "scenario", "name": "planted"}), ("POST", "/nothing", {}),
              ("PUT", "/run", {}), ("DELETE", "/base", None), ("HEAD", "/", None), ("BREW", "/", None)]  # fmt: skip


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planner")
    tiny().save(folder / "small.toml")
    with served(folder / "small.toml", folder / "out") as client:
        yield client


def test_tokens_are_long_and_new_each_time():
    tokens = {access.new_token() for _ in range(100)}
    assert len(tokens) == 100 and all(re.fullmatch(r"[A-Za-z0-9_-]{43}", token) for token in tokens)  # 43 characters of 6 bits: 256 bits


@pytest.mark.parametrize("given", [None, "", "Bearer ", "Bearer wrong", "Bearer \xff", "Basic {token}", "{token}", "Bearer {token}x", "Bearer {short}"])
def test_nothing_but_health_is_answered_without_the_token(client, given):
    header = given and given.format(token=client.token, short=client.token[:-1])
    for method, path, body in EVERYTHING:
        assert client.ask(path, body, method, Authorization=header)[0] == 403, (method, path)
    status, said = client.ask("/health", Authorization=header)
    assert status == 200 and set(said) == {"status", "version"}  # not whose or which scenario
    assert not list(client.out.iterdir())


def test_the_token_is_taken_from_header_and_address(client):
    assert client.ask("/base")[0] == client.ask("/base", Authorization=f"bearer {client.token}")[0] == 200
    assert client.ask(f"/base?token={client.token}", Authorization=None)[0] == 200
    assert client.ask(f"/base?token={client.token}x", Authorization=None)[0] == client.ask("/base?token=", Authorization=None)[0] == 403
    assert client.ask(f"/base?other={client.token}", Authorization=None)[0] == 403


def test_a_refusal_reaches_a_client_that_sends_a_large_body(client):
    for _ in range(20):
        assert client.ask("/run", raw=b" " * 900_000, Authorization=None)[0] == 403


def test_the_page_asks_for_its_script_with_the_token(client):
    page = client.ask(f"/?token={client.token}", Authorization=None)[1]
    script = re.search(r'<script src="([^"]+)">', page)[1]
    status, text = client.ask(script, Authorization=None)
    assert status == 200 and "Bearer" in text and client.token not in text
    assert text.count("fetch(") == 1  # every request of the page goes through the function that adds the token


def test_a_browser_is_led_to_the_page_without_the_token_in_a_command_line(client):
    with access.door(client.server.address) as opened:
        assert client.token not in opened
        file = Path(unquote(urlsplit(opened).path))
        assert client.server.address in file.read_text() and stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert not file.parent.exists()
    # What a browser sends when a file or a page elsewhere leads it there.
    led = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Authorization": None}
    assert client.ask(f"/?token={client.token}", **led)[0] == 200 and client.ask("/", **led)[0] == 403
    assert client.ask(f"/base?token={client.token}", **led)[0] == 403
    assert client.ask(f"/?token={client.token}", **{**led, "Sec-Fetch-Dest": "iframe"})[0] == 403


class Command:
    """`tidewatt serve` of a small scenario, and the address that it prints."""

    def __init__(self, folder, *options):
        tiny().save(folder / "small.toml")
        command = [CLI, "serve", folder / "small.toml", "--out", folder / "out", "--port", "0", "--no-browser", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().split()[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.warnings = self.process.communicate(timeout=30)[1]


def test_a_browser_is_opened_without_the_token_in_its_command_line(tmp_path):
    tiny().save(tmp_path / "small.toml")
    seen, browser = tmp_path / "seen", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}.new && mv {seen}.new {seen}\n')
    browser.chmod(0o755)
    command = [CLI, "serve", tmp_path / "small.toml", "--out", tmp_path / "out", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "BROWSER": str(browser), "TMPDIR": str(tmp_path)})
    try:
        address = process.stdout.readline().split()[0]
        end_s = time.monotonic() + 30
        while not seen.exists():
            assert time.monotonic() < end_s
            time.sleep(0.05)
        opened = seen.read_text().strip()
        assert address.partition("=")[2] not in opened
        file = Path(unquote(urlsplit(opened).path))
        assert address in file.read_text()
    finally:
        process.terminate()
        assert process.wait(30) == 143
    assert not file.exists() and not list(tmp_path.glob("tidewatt_serve_*"))


def status(address):
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def test_the_command_prints_the_address_with_the_token(tmp_path):
    with Command(tmp_path) as command:
        bare, token = re.fullmatch(r"(http://127\.0\.0\.1:\d+/)\?token=([A-Za-z0-9_-]{43})", command.address).groups()
        assert status(command.address) == status(bare + "health") == 200 and status(bare) == 403
        pids = [command.process.pid, *children(command.process.pid)]
        shown = b"".join(Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/environ").read_bytes() for pid in pids)
        assert token.encode() not in shown and b"schema = 1" not in shown  # other users read command lines
    assert "warning" not in command.warnings


def children(pid):
    """Ids of the processes that a process has started, once there are some."""
    end_s = time.monotonic() + 30
    while time.monotonic() < end_s:
        found = [int(stat.parent.name) for stat in Path("/proc").glob("[0-9]*/stat") if parent_of(stat) == pid]
        if found:
            return found
        time.sleep(0.1)
    return []


def parent_of(stat):
    try:
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError):
        return None


def test_without_a_token_a_warning_is_printed(tmp_path):
    with Command(tmp_path, "--no-token") as command:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", command.address) and status(command.address) == 200
        port = int(urlsplit(command.address).port)
        listening = Path("/proc/net/tcp").read_text()
        assert f"0100007F:{port:04X}" in listening and f"00000000:{port:04X}" not in listening  # the loopback address alone
    assert "warning" in command.warnings and "without a token" in command.warnings
    elsewhere = subprocess.run([CLI, "serve", "--no-token", "--address", "0.0.0.0", "--no-browser"], capture_output=True, text=True, timeout=60)
    assert elsewhere.returncode not in (0, 74) and "--address" in elsewhere.stderr  # no option serves another address


# What another user of the machine tries, with a Python that it may use.
OTHER_USER = """
import http.client, json, sys
port = int(sys.argv[1])
for method, path, body in json.loads(sys.argv[2]):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
    print(method, path, connection.getresponse().status)
    connection.close()
"""


def test_another_user_of_the_machine_is_refused(tmp_path, capsys):
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("to act as another user needs root and setpriv")
    with Command(tmp_path) as command:
        port = str(urlsplit(command.address).port)
        other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-I", "-c", OTHER_USER, port, json.dumps([*EVERYTHING, ("GET", "/health", None)])]
        done = subprocess.run(other, capture_output=True, text=True, timeout=120, cwd="/")
        assert done.returncode == 0, done.stderr
        answers = [line.split() for line in done.stdout.splitlines()]
        assert len(answers) == len(EVERYTHING) + 1
        assert {status for _, path, status in answers if path != "/health"} == {"403"} and answers[-1][2] == "200"
    assert not list((tmp_path / "out").iterdir())
    with capsys.disabled():
        print(f"\nscorecard 27: another user, {len(answers)} requests: {sum(status == '403' for _, _, status in answers)} refused, 1 answered, /health")
