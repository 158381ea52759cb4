"""What hostile or clumsy requests do to the planner's page: nothing. Files that it may not name, exports, bodies, slow and many clients."""
import contextlib
import json
import os
import random
import socket
import sys
import threading
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from planner_client import served
from tidewatt.planner import connections
from tiny_case import tiny

OWN_RULE = 'title = "Own"\ndate = "2026-01-01"\nstatus = "draft"\n'


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planner")
    (folder / "case").mkdir()
    tiny().save(folder / "case" / "small.toml")
    (folder / "secret.toml").write_text("password = 'open sesame'\n")
    (folder / "case" / "link.toml").symlink_to(folder / "secret.toml")
    (folder / "case" / "notes.txt").write_text("nothing = 1\n")
    (folder / "case" / "bad.toml").write_text("no = 'rule'\n")
    with served(folder / "case" / "small.toml", folder / "out") as client:
        client.folder = folder
        yield client


def test_a_request_names_rules_of_the_catalog_or_below_the_folder(client):
    hidden = [str(client.folder / "secret.toml"), "../secret.toml", "link.toml", "notes.txt", "/etc/passwd", "/etc/shadow", "~/.bashrc", "/dev/zero", ".", "", "a\x00b", "x" * 5000]
    absent = [str(client.folder / "none.toml"), "../none.toml", "none.toml", "/etc/none", "no_such_rule"]
    for ask in (lambda name: client.ask("/run", {"set": {}, "judge": [name]}), lambda name: client.ask("/export", {"what": "filing", "name": "f", "rule": name})):
        answers = {json.dumps(ask(name)) for name in hidden + absent}
        assert len(answers) == 1, answers  # the same words, whether there is such a file or not
        assert json.loads(answers.pop())[0] == 400
    status, said = client.ask("/run", {"set": {}, "judge": ["bad.toml"]})  # one's own file tells what is wrong with it
    assert status == 400 and "bad.toml" in said["error"]
    assert not (client.out / "f").exists()


@pytest.mark.parametrize("key", ["weather.epw", "weather.csv", "site.neighbour"])
def test_no_setting_says_whether_a_file_elsewhere_is_there(client, key):
    def said(file):
        value = [{"name": "n", "kind": "replay", "file": file}] if key == "site.neighbour" else file
        status, answer = client.run(**{key: value})
        return status, answer["error"].replace(file, "FILE")

    assert said(str(client.folder / "secret.toml")) == said(str(client.folder / "absent.toml"))
    assert said("../secret.toml") == said("../absent.toml")
    assert said("link.toml")[0] == 400 and "sesame" not in said("link.toml")[1]


@pytest.mark.parametrize("key", ["base", "base.x", "schema"])
def test_what_a_file_is_read_by_is_no_setting(client, key):
    status, said = client.run(**{key: "/etc/passwd"})
    assert status == 400 and "cannot be set" in said["error"]


def test_exports_replace_only_what_the_page_has_made(client):
    mine = {"mine/mine.h5": b"result", "mi2/report/report.html": b"page", "mi3": b"a file", "mi4/mi4.toml": b"other", "mi5/a/b": b"deep"}
    for name, content in mine.items():
        (client.out / name).parent.mkdir(parents=True, exist_ok=True)
        (client.out / name).write_bytes(content)
    (client.out / "mi6").mkdir()
    for name in ("mine", "mi2", "mi3", "mi4", "mi5", "mi6"):
        status, said = client.ask("/export", {"what": "report", "name": name})
        assert status == 200 and said["files"][0] == f"{name}-2/{name}-2.toml", name
        assert client.ask("/export", {"what": "report", "name": name})[1]["files"] == said["files"]  # the page's own: the same setting again
    assert all((client.out / name).read_bytes() == content for name, content in mine.items()) and not list((client.out / "mi6").iterdir())
    # A file that is added to an export, or changed in it, is not the page's.
    (client.out / "mine-2" / "notes.txt").write_text("mine")
    (client.out / "mi2-2" / "mi2-2.h5").write_bytes(b"mine")
    os.symlink(client.folder / "secret.toml", client.out / "mi3-2" / "link")
    for name in ("mine", "mi2", "mi3"):
        assert client.ask("/export", {"what": "report", "name": name})[1]["files"][0] == f"{name}-3/{name}-3.toml"
    assert (client.out / "mi2-2" / "mi2-2.h5").read_bytes() == b"mine"


def test_nested_lists_are_refused(client, capfd):
    for depth in (33, 900, 980, 5000):
        for raw in (b'{"set": {"a": ' + b"[" * depth + b"]" * depth + b"}}", b'{"set": ' + b'{"a": ' * depth + b"1" + b"}" * depth + b"}"):
            status, said = client.ask("/run", raw=raw)
            assert status == 400 and said["findings"], depth
    assert "Traceback" not in capfd.readouterr().err


def hostile(draw):
    """(path, body) of a request that no page makes."""
    scalar = [None, True, -1, 0, 1e308, 10**400, 1e-320, "", "x" * 3000, "\ud800", "\x00", "../../etc/passwd", "'", '"', "{", "]]", "=", "nan", "\u202e", "%s%n", "é" * 50]
    keys = ["set", "detail", "judge", "ticket", "what", "name", "rule", "contract_MW", "record_s", "other", "", "\ud800", "a\nb"]
    inner = ["run.duration_h", "hall.a.cap_W", "hall", "job.main.plan", "run.start", "weather.epw", "site.rules", "record.window", "mitigation", "event", "a.b.c", ".", "hall.a.gpu.power.vf_voltage_mV[99]", "[0]", "economics", "grid"]

    def value(depth=0):
        kind = draw.randrange(4) if depth < 4 else 0
        if kind == 1:
            return [value(depth + 1) for _ in range(draw.randrange(4))]
        if kind == 2:
            return {draw.choice(inner + keys): value(depth + 1) for _ in range(draw.randrange(4))}
        return draw.choice(scalar)

    body = {key: value() for key in draw.sample(keys, draw.randrange(1, 5))}
    if draw.random() < 0.5:
        body = {"set": {draw.choice(inner): value() for _ in range(draw.randrange(1, 4))}, **({"detail": "coarse"} if draw.random() < 0.5 else {})}
    return draw.choice(["/run", "/charts", "/why", "/export", "/", "/nothing"]), body


def test_no_hostile_request_is_a_defect(client, capfd):
    draw, wrong = random.Random(1), []
    for _ in range(300):
        path, body = hostile(draw)
        text = json.dumps(body).replace(str(10**400), draw.choice(["1e400", "1" + "0" * 400, "1" + "0" * 5000]))
        status, said = client.ask(path, raw=text.encode())
        if status >= 500:
            wrong.append((path, text[:300], status, said))
    assert not wrong, wrong[:3]
    assert "Traceback" not in capfd.readouterr().err
    assert client.ask("/health")[0] == 200


RAW = [b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\nHost\r\n\r\n", b"\x16\x03\x01\x02\x00", b"GET " + b"/" * 70_000 + b" HTTP/1.1\r\n\r\n",
       b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n", b"POST /run HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n", b"GET / HTTP/1.1\r\nHost: " + b"\xff" * 50 + b"\r\n\r\n",
       b"GET http://example.org/ HTTP/1.1\r\n\r\n", b"GET /\r\n", b"POST /run HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"]  # fmt: skip


@pytest.mark.parametrize("raw", RAW, ids=range(len(RAW)))
def test_what_is_no_http_is_refused(client, raw, capfd):
    with socket.create_connection(("127.0.0.1", client.port), timeout=30) as connection:
        with contextlib.suppress(OSError):
            connection.sendall(raw)
            connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(1 << 16)
            assert b" 200 " not in answer.split(b"\r\n")[0] and b" 500 " not in answer.split(b"\r\n")[0]
    assert client.ask("/health")[0] == 200 and "Traceback" not in capfd.readouterr().err


def test_a_hundred_requests_at_once_are_answered_or_told_to_wait(client):
    statuses, start = [], threading.Barrier(100)

    def ask(number):
        start.wait()
        try:
            statuses.append(client.run("coarse", **{"hall.a.cap_W": 500 + number % 5})[0])
        except OSError as error:
            statuses.append(error)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert len(statuses) == 100 and set(statuses) <= {200, 503} and 200 in statuses, statuses
    assert client.ask("/health")[0] == 200


def waits_s(client, limit_s):
    """How long it takes until the page answers, s."""
    begin_s = time.monotonic()
    while time.monotonic() - begin_s < limit_s:
        with contextlib.suppress(OSError):
            if client.ask("/health")[0] == 200:
                break
        time.sleep(0.1)
    return time.monotonic() - begin_s


@pytest.mark.parametrize("sent", [b"", b"GET /health HTTP/1.1\r\nX: "], ids=["idle", "dripping"])
def test_silent_connections_make_room(client, sent):
    over = threading.Event()
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(socket.create_connection(("127.0.0.1", client.port), timeout=30)) for _ in range(connections.MOST_CONNECTIONS)]

        def drip():
            while not over.wait(0.2):
                for connection in held:
                    with contextlib.suppress(OSError):
                        connection.sendall(b"a")

        for connection in held:
            connection.sendall(sent)
        dripping = threading.Thread(target=drip)
        if sent:
            dripping.start()
        waited_s = waits_s(client, 60)
        over.set()
        if sent:
            dripping.join()
    assert waited_s < connections.PATIENT_s + 5


def test_a_head_that_drips_is_cut_off(client, monkeypatch):
    monkeypatch.setattr("tidewatt.planner.server.HEAD_s", 1.0)
    begin_s = time.monotonic()
    with socket.create_connection(("127.0.0.1", client.port), timeout=30) as connection, contextlib.suppress(OSError):
        while time.monotonic() - begin_s < 30:
            connection.sendall(b"G")
            connection.settimeout(0.2)
            with contextlib.suppress(socket.timeout):
                if connection.recv(100) == b"":
                    break
    assert 0.9 < time.monotonic() - begin_s < 5
