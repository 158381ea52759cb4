"""What all structure checks share: which files there are, and how a check reports."""
import pathlib
import re
import subprocess
import sys

SOURCE_SUFFIXES = {".cpp", ".hpp", ".c", ".h", ".py", ".js", ".css"}


def root_of_this_repository():
    return pathlib.Path(__file__).resolve().parents[2]


def files(root):
    """Files of the repository, relative to `root`: what git tracks or would add; in a tree without git, all files."""
    try:
        out = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"], check=True,
                             capture_output=True).stdout.decode()
        names = [n for n in out.split("\0") if n]
    except (subprocess.CalledProcessError, FileNotFoundError):
        names = [str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()]
        names = [n for n in names if not n.startswith(("build", ".git/", "out/"))]
    return sorted({pathlib.PurePosixPath(n) for n in names if (root / n).is_file()})


def shared_headers(root):
    """Headers of src/ that files of another folder include, as "<part>/x.hpp": public ones for this repository alone."""
    found = set()
    for path in files(root):
        if path.suffix not in {".cpp", ".hpp"}:
            continue
        for part, name in re.findall(r'^#include "(\w+)/(\w+\.hpp)"', text(root, path) or "", re.MULTILINE):
            header = pathlib.PurePosixPath("src", part, name)
            if header.parent != path.parent and (root / header).is_file():
                found.add(header)
    return found


def text(root, path):
    """The file's text, or None if it is not text."""
    try:
        return (root / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def is_source(root, path):
    """C++, Python, or a page's script or style; also scripts whose name has no suffix."""
    if path.suffix in SOURCE_SUFFIXES:
        return True
    if path.suffix or path.parts[0] not in {"scripts", ".ci"}:
        return False
    return (text(root, path) or "").startswith("#!/usr/bin/python3")


def main(check):
    """Runs `check(root) -> findings` on this repository (or the folder named on the command line); exit code 1 on any."""
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else root_of_this_repository()
    findings = check(root)
    for finding in findings:
        print(finding)
    print(f"{pathlib.Path(sys.argv[0]).name}: {len(findings)} findings")
    sys.exit(1 if findings else 0)
