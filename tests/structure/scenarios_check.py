"""Every scenario of the project is accepted by `tidewatt check`, and the same scenario with one misspelt key is not:
scenarios_check.py TIDEWATT_PROGRAM"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import repository

KEY = re.compile(r"^([a-z][A-Za-z_]*[a-z_])( = )", re.MULTILINE)


def run(program, path):
    return subprocess.run([program, "check", str(path)], capture_output=True, text=True, check=False)


def misspelt(text):
    """(text with the last key misspelt, that key): a doubled last letter is in no field list."""
    match = list(KEY.finditer(text))[-1]
    key = match.group(1)
    return text[: match.start()] + key + key[-1] + text[match.end(1):], key


def findings_of(program, folder, path):
    accepted = run(program, path)
    if accepted.returncode != 0:
        yield f"{path.name}: exit code {accepted.returncode}: {accepted.stderr.strip()}"
        return
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "scenarios"
        shutil.copytree(folder, copy)
        text, key = misspelt(path.read_text(encoding="utf-8"))
        (copy / path.name).write_text(text, encoding="utf-8")
        refused = run(program, copy / path.name)
        if refused.returncode != 2 or key not in refused.stderr:
            yield f"{path.name}: '{key + key[-1]}' is not refused: exit code {refused.returncode}: {refused.stderr.strip()}"


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    folder = repository.root_of_this_repository() / "scenarios"
    scenarios = sorted(folder.glob("*.toml"))
    findings = [f for path in scenarios for f in findings_of(program, folder, path)]
    print("\n".join(findings + [f"{len(scenarios)} scenarios, {len(findings)} findings"]))
    sys.exit(1 if findings or not scenarios else 0)


if __name__ == "__main__":
    main()
