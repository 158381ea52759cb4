"""Nothing in the repository points at one machine: its folders, its package servers, its name, its user's home."""
import glob
import os
import re
import socket

import repository

# Written in pieces, so that this file does not find itself.
FOLDERS = ["wo" + "rk", "t" + "mp", "ho" + "me", "ro" + "ot", "Us" + "ers", "far" + "m", "m" + "nt"]
ABSOLUTE = re.compile(r"(?<![\w.~$}\-/:])/(?:" + "|".join(FOLDERS) + r")/[\w.\-]+")
PUBLIC_HOSTS = ("debian.org", "ubuntu.com", "pypi.org", "pythonhosted.org", "github.com", "localhost")
HOST = re.compile(r"https?://(?:[^/\s@]+@)?([A-Za-z0-9.\-]+)")
SETTINGS = ["/etc/apt/sources.list", "/etc/apt/sources.list.d/*", "/etc/apt/apt.conf", "/etc/apt/apt.conf.d/*", "/etc/pip.conf",
            "~/.pip/pip.conf", "~/.config/pip/pip.conf"]


def private_hosts(texts):
    """Host names in package settings that are not the public archives."""
    hosts = {host for t in texts for host in HOST.findall(t)}
    return {h for h in hosts if "." in h and not h.endswith(PUBLIC_HOSTS)}


def settings_of_this_machine():
    for pattern in SETTINGS:
        for path in glob.glob(os.path.expanduser(pattern)):
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    yield file.read()
            except OSError:
                pass
    yield from (value for name, value in os.environ.items() if name.upper() in {
        "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "HTTP_PROXY", "HTTPS_PROXY", "UV_INDEX_URL", "GOPROXY", "NPM_CONFIG_REGISTRY"})


def words_of_this_machine(root):
    words = private_hosts(settings_of_this_machine())
    name = socket.gethostname()
    if len(name) >= 8:  # shorter names are ordinary words
        words.add(name)
    if len(root.parts) > 2:
        words.add(str(root))
    return words


def check(root, words=None):
    words = words_of_this_machine(root) if words is None else words
    findings = []
    for path in repository.files(root):
        for number, line in enumerate((repository.text(root, path) or "").splitlines(), 1):
            found = [m.group(0) for m in ABSOLUTE.finditer(line)] + [w for w in words if w in line]
            findings += [f"{path}:{number}: {word}" for word in found]
    return findings


if __name__ == "__main__":
    repository.main(check)
