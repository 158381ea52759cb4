"""Who may use the planner's page: another user of the machine is refused everything but whether the page is ready."""
import json
import os
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

EVERYTHING = [("GET", "/", None), ("GET", "/page.js", None), ("GET", "/base", None), ("GET", "/progress/1", None), ("POST", "/run", {"set": {}}), ("POST", "/charts", {"set": {}}),
              ("POST", "/why", {"set": {}}), ("POST", "/export", {"what": "scenario", "name": "planted"}), ("PUT", "/run", {}), ("GET", "/nothing", None), ("GET", "/health", None)]  # fmt: skip
# What the other user runs: the status of each request.
OTHER_USER = """
import http.client, json, sys
for method, path, body in json.loads(sys.argv[2]):
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
    connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
    print(path, connection.getresponse().status)
    connection.close()
"""
NOBODY = 65534


def check(report, page):
    """`report`: takes the verdicts. `page`: the page that is served, by this user"""
    name = "another user of the machine"
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        report.skip(name, "to act as another user needs root and setpriv")
        return
    other = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    asked = [*other, "/usr/bin/python3", "-I", "-c", OTHER_USER, str(urlsplit(page.root).port), json.dumps(EVERYTHING)]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=300, cwd="/")
    answers = [line.split() for line in done.stdout.splitlines()]
    through = [f"{path} {status}" for path, status in answers if status != ("200" if path == "/health" else "403")]
    report.judge(name, len(answers) == len(EVERYTHING) and not through, f"{len(answers)} requests, wrong: {', '.join(through) or 'none'}{done.stderr[-200:]}", "403, and 200 for /health")
    lines = b"".join(Path(f"/proc/{pid}/cmdline").read_bytes() for pid in page.processes())  # which every user can read
    report.judge("command lines", page.token.encode() not in lines and b"schema = 1" not in lines, f"{len(lines)} bytes of {len(page.processes())} processes", "neither token nor scenario")
    planted = list(page.out.iterdir()) if page.out.exists() else []
    report.judge("exports of another user", not planted, f"{len(planted)} files", "none")
