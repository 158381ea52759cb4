"""The planner's page as a program sees it: the same figures as the command, every finding of a bad setting, and nothing that hangs."""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import tidewatt as tw
from tidewatt.planner import base, controls
from planner_client import served
from tidewatt.planner.server import MOST_BYTES
from tiny_case import SETTINGS, tiny

CLI = os.environ["TIDEWATT_CLI"]
LONG = {"run.duration_h": 9000.0}  # minutes of computing


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("planner")
    tiny(150.0).save(folder / "small.toml")
    with served(folder / "small.toml", folder / "out") as client:
        yield client


def test_it_says_when_it_is_ready(client):
    status, said = client.ask("/health")
    assert status == 200 and said["status"] == "ready"
    status, page = client.ask("/")
    assert status == 200 and "http" not in page.replace("</", "")  # loads nothing from elsewhere


def test_the_exact_answer_is_that_of_the_exported_scenario(client, tmp_path):
    keys = {"hall.a.cap_W": 600, "weather.climate": "phoenix_az"}
    status, said = client.run(**keys)
    assert status == 200 and said["detail"] == "exact"
    status, files = client.ask("/export", {"set": keys, "what": "scenario", "name": "capped"})
    assert status == 200 and files["files"] == ["capped/capped.toml"]
    done = subprocess.run([CLI, "run", client.out / files["files"][0], "--json", "--no-interval", "--quiet", "--out", tmp_path], capture_output=True, text=True, check=True)
    command = json.loads(done.stdout)
    del command["defaults"]
    for own in ("wall_s", "result_file"):
        command.pop(own), said["summary"].pop(own)
    assert said["summary"] == command  # every digit


RACKS = {"site.rack_storage.catalog": "rack_supercapacitor_20kW", "site.rack_storage.per": "rack"}
STORE = {"mitigation": [{"name": "store", "kind": "site_battery", "catalog": "site_battery_10MW", "power_MW": 0.5, "energy_MWh": 0.5}]}


EDGES = {"pcc_max_MW", "pcc_step_1s_max_MW", "pcc_ramp_up_max_MW_per_s", "pcc_ramp_down_max_MW_per_s"}
FAILURE = {"event": [{"name": "struck", "kind": "failure", "job": "main", "at_s": 2000.0}]}


SMOOTHING = {"mitigation": [{"name": "smooth", "kind": "gpu_smoothing", "floor_ratio": 0.65, "ramp_up_W_per_s": 700, "ramp_down_W_per_s": 100, "hysteresis_s": 2}]}


@pytest.mark.parametrize(("keys", "left"), [({}, set()), (RACKS, EDGES), (STORE, EDGES), (FAILURE, EDGES), (SMOOTHING, {"pcc_ramp_down_max_MW_per_s"})],
                         ids=["plain", "racks", "store", "failure", "smoothing"])  # fmt: skip
def test_what_the_coarse_answer_shows_is_near_the_exact_one(client, keys, left):
    exact, coarse = (client.run(detail, **keys)[1] for detail in ("exact", "coarse"))
    assert coarse["detail"] == "coarse" and exact["pending"] == []
    assert {key for key in coarse["pending"] if key in EDGES} == left
    assert all(coarse["summary"][key] is None and exact["summary"][key] is not None for key in coarse["pending"])
    for key in {"tokens_per_s_mean", "pue", "pcc_mean_MW"} | (EDGES - left):
        assert coarse["summary"][key] == pytest.approx(exact["summary"][key], rel=0.01), key
    assert coarse["hour_max_MW"] == pytest.approx(exact["hour_max_MW"], rel=0.01)
    assert coarse["summary"]["throughput_swing_percent"] == pytest.approx(exact["summary"]["throughput_swing_percent"], abs=0.05)
    assert coarse["summary"]["payload_sha256"] != exact["summary"]["payload_sha256"]  # another computation, not the exact one


def test_rules_wait_for_the_exact_answer_where_edges_do(client):
    rules = {"site.rules": [{"title": "mine", "date": "2026-01-01", "rule": {"up": {"title": "Rise", "figure": "ramp_up", "window_s": 1, "limit_MW_per_s": 1.0}}}]}
    assert [row["rule"] for row in client.run("coarse", **rules)[1]["verdicts"]] == ["Rise"]
    waiting = client.run("coarse", **rules, **RACKS)[1]
    assert waiting["verdicts"] == [] and "verdicts" in waiting["pending"]
    row = client.run(**rules, **RACKS)[1]["verdicts"][0]
    assert row["verdict"] in ("pass", "fail") and re.fullmatch(r"\d\d:\d\d:\d\d\.\d \([\d.]+\xa0(s|min|h)\)", row["worst"])


@pytest.mark.parametrize("keys", [{}, RACKS, STORE], ids=["plain", "racks", "store"])
def test_intervals_come_from_replays(client, keys):
    status, said = client.run("interval", **keys)
    assert status == 200 and said["detail"] == "interval" and said["draws"] >= 8
    low, high = said["interval"]["pcc_mean_MW"]
    assert 0 < low < high
    assert low < 1.1 * said["summary"]["pcc_mean_MW"] and high > 0.9 * said["summary"]["pcc_mean_MW"]


def test_every_finding_of_a_bad_setting_is_told(client):
    status, said = client.run(**{"hall.a.cap": 600, "run.duration_h": -1})
    assert 400 <= status < 500
    told = " ".join(f["message"] for f in said["findings"])
    assert "did you mean 'cap_W'?" in told and "outside 1e-06 to 9600 h" in told
    assert client.run(**{"hall.a.n_gpu": 10**9})[0] in range(400, 500)
    assert client.run(**{"hall.a.cap_W": [1, {"x": None}]})[0] in range(400, 500)
    assert client.run(**{"weather.climate": '"; import os'})[0] in range(400, 500)
    assert client.run("finest")[0] == 400


@pytest.mark.parametrize("raw", [b"", b"[]", b"nonsense", b'{"set": 3}', b'{"set": {"run.duration_h": NaN}}', b'{"other": 1}', b'{"set": {"a\\nb": 1}}', b"[" * 100_000])
def test_what_is_no_request_is_said_to_be_none(client, raw):
    status, said = client.ask("/run", raw=raw)
    assert status == 400 and said["findings"]


def test_a_huge_request_is_refused_unread(client):
    with socket.create_connection(("127.0.0.1", client.port), timeout=30) as connection:
        connection.sendall(client.head("/run", MOST_BYTES + 1))
        assert b" 413 " in connection.recv(4096).split(b"\r\n")[0]


def test_only_this_machine_s_own_page_is_answered(client):
    here = f"127.0.0.1:{client.port}"
    assert client.ask("/health", Host="example.org")[0] == 403
    assert client.ask("/run", {"set": {}}, Origin="http://example.org")[0] == 403
    assert client.ask("/run", {"set": {}}, Origin="null")[0] == 403
    assert client.ask("/health", **{"Sec-Fetch-Site": "cross-site"})[0] == 403
    assert client.ask("/health", Host=here, Origin=f"http://{here}")[0] == 200
    assert client.ask("/run")[0] == 405 and client.ask("/nothing")[0] == 404
    listening = Path("/proc/net/tcp").read_text()
    assert f"0100007F:{client.port:04X}" in listening and f"00000000:{client.port:04X}" not in listening


def test_files_are_written_below_the_folder_and_nowhere_else(client, tmp_path):
    for name in ("../escape", "/absolute", "a/b", "..", "", ".hidden", "x" * 65, "a\x00b"):
        assert client.ask("/export", {"set": {}, "what": "scenario", "name": name})[0] == 400
    os.symlink(tmp_path, client.out / "link")
    assert client.ask("/export", {"set": {}, "what": "scenario", "name": "link"})[0] == 400
    assert not list(tmp_path.iterdir()) and not (client.out.parent / "escape").exists()


def test_report_and_filing_pack(client):
    limit = {"title": "mine", "date": "2026-01-01", "rule": {"up": {"title": "Rise in a second", "figure": "ramp_up", "window_s": 1, "limit_MW_per_s": 1e-6}}}
    status, said = client.ask("/export", {"set": {"site.rules": [limit]}, "what": "report", "name": "sent", "contract_MW": 40.0})
    assert status == 200 and {"sent/sent.toml", "sent/sent.h5", "sent/report/report.html"} <= set(said["files"])
    page = (client.out / "sent/report/report.html").read_text()
    verdicts = page.partition("1 of 2 rules fail")[2]
    assert re.search(r"Mean of the hottest hour within the contract</td><td><b [^>]*>pass<.*Rise in a second</td><td><b [^>]*>fail<", verdicts, re.S)
    assert client.ask("/export", {"set": {}, "what": "report", "name": "sent", "contract_MW": -1})[0] == 400
    command = [CLI, "report", client.out / "sent/sent.h5", "--only", "compliance", "--contract-MW", "0.001", "--out", client.out / "again"]
    subprocess.run(command, capture_output=True, check=True)
    assert re.search(r"within the contract</td><td><b [^>]*>fail<", (client.out / "again/report.html").read_text())
    key_figures = page.partition("mean of the hottest hour")[2]
    assert f"{client.run()[1]['hour_max_MW']:.3g}" in key_figures[:80]  # what a contract limits
    status, said = client.ask("/export", {"set": {}, "what": "filing", "name": "sent", "rule": "ercot_nogrr282"})
    assert status == 200 and "open items" in said["note"] and said["files"][0] == "sent-2/sent-2.toml"  # without the rule it is another setting
    assert all((client.out / file).is_file() for file in said["files"])
    assert client.ask("/export", {"set": {}, "what": "filing", "name": "sent", "rule": "no_such_rule"})[0] == 400


def test_an_export_never_mixes_with_that_of_another_setting(client):
    names = [client.ask("/export", {"set": {"hall.a.cap_W": cap}, "what": "scenario", "name": "same"})[1]["files"] for cap in (610, 620, 610)]
    assert names == [["same/same.toml"], ["same-2/same-2.toml"], ["same/same.toml"]]
    assert "610" in (client.out / "same/same.toml").read_text() and "620" in (client.out / "same-2/same-2.toml").read_text()


def test_charts_hold_every_millisecond_where_the_reader_looks(client):
    def finest(body):
        levels = json.loads(client.ask("/charts", body)[1]["charts"])["chart-zoom"]["zoom"]
        return [level for level in levels if level["step_s"] == pytest.approx(1e-3) and level["begin_s"] <= 3000 <= level["begin_s"] + level["n"] * 1e-3]

    assert not finest({"set": {}})
    assert finest({"set": {}, "record_s": 2950})


def test_a_killed_run_costs_one_answer(client):
    lane, answers = client.site.lanes["exact"], []
    waiting = threading.Thread(target=lambda: answers.append(client.run(**LONG)))
    before = lane.pid
    waiting.start()
    time.sleep(2.0)
    os.kill(lane.pid, signal.SIGKILL)
    waiting.join(60)
    assert answers[0][0] == 500 and "killed (SIGKILL)" in answers[0][1]["error"]
    assert client.run(**{"hall.a.cap_W": 640})[0] == 200 and lane.pid != before


def test_a_client_that_leaves_takes_its_run_with_it(client):
    body = json.dumps({"set": LONG}).encode()
    with socket.create_connection(("127.0.0.1", client.port), timeout=30) as connection:
        connection.sendall(client.head("/run", len(body)) + body)
        time.sleep(1.0)
    begin = time.monotonic()
    assert client.run(**{"hall.a.cap_W": 650})[0] == 200
    assert time.monotonic() - begin < 60  # not the minutes of the run that was left


def test_a_long_run_tells_how_far_it_is(client):
    body = json.dumps({"set": LONG, "ticket": "mine"}).encode()
    with socket.create_connection(("127.0.0.1", client.port), timeout=30) as connection:
        connection.sendall(client.head("/run", len(body)) + body)
        end_s = time.monotonic() + 60
        while not (said := client.ask("/progress/mine")[1]).get("share"):
            assert time.monotonic() < end_s
            time.sleep(0.2)
        assert 0 < said["share"] < 1 and 0 < said["runs_s"] < said["limit_s"]
    assert client.run(**{"hall.a.cap_W": 655})[0] == 200
    assert client.ask("/progress/mine")[0] == 404  # it ended with its client


def test_a_run_beyond_its_limit_is_stopped_and_says_so(client, monkeypatch):
    monkeypatch.setitem(__import__("tidewatt.planner.server", fromlist=["LIMIT_s"]).LIMIT_s, "coarse", 1.0)
    status, said = client.run("coarse", **LONG)
    assert status == 504 and "tidewatt run" in said["error"]


@pytest.mark.parametrize("rack, model, step", [("gb300_nvl72", "deepseek_v3_like", 72), ("gb200_nvl72", "llama3_405b", 72)])
def test_every_step_of_the_gpu_slider_can_answer(tmp_path, rack, model, step):
    tw.new(tmp_path / "racks.toml", rack=rack, racks=16, model=model, duration_h=0.1)
    case = base.read(str(tmp_path / "racks.toml"))
    gpus = next(c for c in controls.describe(case)["controls"] if c["id"] == "gpus")
    assert gpus["step"] % step == 0 and (gpus["value"] - gpus["min"]) % gpus["step"] == 0
    for n in range(gpus["value"] - 3 * gpus["step"], gpus["value"] + 4 * gpus["step"], gpus["step"]):
        if gpus["min"] <= n <= gpus["max"]:
            case.scenario({k["key"]: round(n * k["factor"]) for k in gpus["keys"]})


def test_a_liquid_hall_is_supplied_with_its_liquid(tmp_path):
    tw.new(tmp_path / "racks.toml", rack="gb300_nvl72", plant="cdu_dry_cooler_45C", duration_h=0.1)
    supply = next(c for c in controls.describe(base.read(str(tmp_path / "racks.toml")))["controls"] if c["id"] == "supply")
    assert "liquid 45 °C" in supply["note"]


def test_controls_are_those_that_the_scenario_has(client):
    found = {c["id"]: c for c in controls.describe(client.site.base)["controls"]}
    assert found["gpus"]["value"] == SETTINGS["hall.a.n_gpu"] and found["gpus"]["step"] == 128  # whole replicas: tp 8, pp 16
    assert found["cap"]["max"] == 700 and found["cap"]["min"] == 200  # the H100 driver's lowest power limit
    assert {k["key"] for k in found["supply"]["keys"]} == {"hall.a.plant.supply_low_degC", "hall.a.plant.supply_high_degC"}
    ends = [{"kind": "gpu_smoothing", "name": "smoothing", "hysteresis_s": 2, "floor_ratio": found["floor"][end], "ramp_up_W_per_s": found["rise"][end], "ramp_down_W_per_s": found["fall"][end]} for end in ("min", "max")]
    for item in ends:  # the ends of a slider are allowed
        client.site.base.scenario({"mitigation": [item]})
    for c in found.values():  # what a control sets is a key of the scenario
        keys = {k["key"]: c["value"] * k.get("factor", 1) if "add" not in k else k["add"] for k in c["keys"]}
        client.site.base.scenario(keys)


def test_a_base_that_cannot_be_read_ends_the_command(tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text("schema = 1\n[[hall]]\nn_gpu = -3\n")
    done = subprocess.run([CLI, "serve", bad, "--no-browser", "--port", "0"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and "n_gpu" in done.stderr
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = subprocess.run([CLI, "serve", "--no-browser", "--port", str(taken.getsockname()[1]), "--out", tmp_path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 74 and "--port" in done.stderr


FREED = """
import re, threading
from pathlib import Path
from tidewatt.planner import worker

def resident_MB():
    return int(re.search(r"RssAnon:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

def work():
    pieces = [bytes(bytearray(1000)) for _ in range(5_000)]  # 1 kB: from the thread's heap
    meet.wait()
    del pieces
    meet.wait()

worker.share_heap()
bytearray(30 << 20)  # glibc: from now on, up to 60 MB may stay free at the end of a heap
last, meet, before_MB = bytearray(1000), threading.Barrier(8), resident_MB()
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
worker.give_back()
print(resident_MB() - before_MB)
"""


def test_memory_that_threads_of_runs_have_freed_goes_back_to_the_system():
    done = subprocess.run([sys.executable, "-c", FREED], capture_output=True, text=True, timeout=120, check=True)
    assert float(done.stdout) < 5  # 40 MB without one heap or without giving back
