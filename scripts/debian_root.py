"""Roots of Debian in folders, in which commands run apart from this machine's packages: for scripts/wheel and scripts/acceptance/install."""
import os
import platform
import shutil
import subprocess
import time
from pathlib import Path

PLACE = "/srv/user"  # the user's folder and home inside a root
CERTIFICATES = "/srv/certificates.crt"  # whom this machine trusts, for pip
ENVIRONMENT = {"PIP_CERT": CERTIFICATES, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore", "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": PLACE,
               "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
# What belongs to no package, or to the package managers themselves.
NOT_LISTED = ("proc", "sys", "dev", "run", "srv", "tmp", "var/lib/dpkg", "var/lib/apt", "var/log", "var/cache")


def can_make():
    return os.geteuid() == 0 and shutil.which("debootstrap") is not None


def archive(form, *filters):
    """What apt on this machine says of the distribution's packages, one line for each archive. `form`: of `apt-get indextargets`"""
    distribution = platform.freedesktop_os_release()["ID"].capitalize()
    said = subprocess.run(["apt-get", "indextargets", "--format", form, "Created-By: Packages", f"Origin: {distribution}", *filters], check=True,
                          stdout=subprocess.PIPE, text=True)  # fmt: skip
    return sorted(set(said.stdout.splitlines()))


class Root:
    """A folder with a distribution in it. Commands have their own processes and, unless asked for, no network but their own loopback."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def inside(self, path):
        """`path` as this machine sees it."""
        return self.folder / str(path).lstrip("/")

    def call(self, line, network=False, environment=None, **more):
        """Runs a shell's line in the user's folder; arguments and answer of subprocess.run."""
        settings = {**ENVIRONMENT, **(environment or {})}
        command = ["unshare", "--mount", "--pid", "--fork", *([] if network else ["--net"]), f"--mount-proc={self.folder}/proc",
                   "bash", "-c", 'ip link set lo up 2> /dev/null; exec "$@"', "bash", "chroot", self.folder,
                   "env", "-i", *(f"{k}={v}" for k, v in settings.items()), "bash", "-c", f"cd {PLACE} && {line}"]  # fmt: skip
        return subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, **more)

    def run(self, line, timeout_s=3600, **more):
        """(exit code, output, wall time s) of a shell's line."""
        start = time.monotonic()
        done = self.call(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=timeout_s, **more)
        return done.returncode, done.stdout, time.monotonic() - start

    def must(self, line, **more):
        """(output, wall time s) of a line that must succeed."""
        code, said, wall_s = self.run(line, **more)
        if code:
            raise RuntimeError(f"`{line[:80]}` ended with {code}: {said.strip()[-500:]}")
        return said, wall_s

    def files(self):
        """Every file and link that a package may have put there; also folders of tidewatt's."""
        found = set()
        for folder, folders, names in os.walk(self.folder):
            below = os.path.relpath(folder, self.folder)
            folders[:] = [f for f in folders if os.path.normpath(os.path.join(below, f)) not in NOT_LISTED]
            links = [f for f in folders if os.path.islink(os.path.join(folder, f))]
            found.update(os.path.normpath(os.path.join(below, n)) for n in names + links + [f for f in folders if "tidewatt" in f])
        return found


def made(folder, release=None):
    """The least root of a release of this distribution (this machine's where none is named) in `folder`, made where it is not there yet."""
    folder = Path(folder)
    if not (folder / PLACE.lstrip("/")).is_dir():
        shutil.rmtree(folder, ignore_errors=True)
        here = platform.freedesktop_os_release()["VERSION_CODENAME"]
        address = archive("$(REPO_URI)", "Component: main", f"Codename: {here}")[0]
        subprocess.run(["debootstrap", "--variant=minbase", release or here, folder, address], check=True, stdout=subprocess.DEVNULL)
        for package in folder.glob("var/cache/apt/archives/*.deb"):
            package.unlink()
        (folder / PLACE.lstrip("/")).mkdir()
    for here, there in (("/etc/resolv.conf", "etc/resolv.conf"), ("/etc/ssl/certs/ca-certificates.crt", CERTIFICATES.lstrip("/"))):
        if Path(here).exists():
            shutil.copy(here, folder / there)
    return Root(folder)


def copied(base, folder):
    """A fresh copy of a root."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["cp", "-a", base.folder, folder], check=True)
    return Root(folder)
