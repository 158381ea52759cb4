"""The code in README and docs runs: Python blocks as they stand, and every `tidewatt` line against the command's own options."""
import os
import re
import shlex
import subprocess
import sys

import pytest
from tiny_case import ROOT

CLI = os.environ["TIDEWATT_CLI"]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"(?P<skip><!-- not run: [^>]+ -->\n)?```(?P<language>\w+)\n(?P<code>.*?)```", re.DOTALL)


def blocks(page, language):
    return [m["code"] for m in BLOCK.finditer(page.read_text()) if m["language"] == language and not m["skip"]]


def command_lines():
    for page in PAGES:
        for code in blocks(page, "sh"):
            for line in code.replace("\\\n", " ").splitlines():
                line = line.partition("  #")[0].strip()
                if re.match(r"(build/release/bin/)?tidewatt\b", line):
                    yield pytest.param(line, id=f"{page.name}: {line[:60]}")


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.name)
def test_python_blocks_run(page, tmp_path):
    """All blocks of a page, one after the other, where `scenarios` is a folder of this one."""
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    code = "\n".join(blocks(page, "python"))
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-3000:]


def options_of(words):
    """Options that a command knows, by its help; words behind subcommands that do not exist fail."""
    done = subprocess.run([CLI, *words, "--help"], capture_output=True, text=True)
    assert done.returncode == 0, f"tidewatt {' '.join(words)}: {done.stderr}"
    return set(re.findall(r"--[\w-]+", done.stdout))


@pytest.mark.parametrize("line", command_lines())
def test_command_lines_name_options_that_exist(line):
    words = shlex.split(line)[1:]
    command = words[:2] if words[0] in ("fit", "catalog") and len(words) > 1 else words[:1]
    if command == ["COMMAND"]:
        return
    known = options_of(command)
    for word in words:
        if word.startswith("--"):
            assert word.partition("=")[0] in known, f"{line}: {word} is no option of tidewatt {' '.join(command)}"
