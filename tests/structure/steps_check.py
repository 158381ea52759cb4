"""How far a step goes is decided in src/sim/step_planner.cpp, a macro step in src/sim/agenda.cpp; rules that do not depend on a job are in src/fleet/step_lengths.*.

A rule for the length of a step needs a duration to begin with, and often a length that grows. So every duration written in fleet, connection and sim
(a number of `ns_per_s` or `ns_per_ms`) outside these files stands in steps_exceptions.toml with what it is instead; and nothing
that is called a step, a stride, a slice or a stretch is multiplied or divided in place."""
import re
import tomllib

import repository

FOLDERS = ("include/tidewatt/sim/", "src/fleet/", "src/connection/", "src/sim/")
PLANNER = {"src/sim/agenda.cpp", "src/sim/step_planner.cpp", "src/fleet/step_lengths.cpp", "src/fleet/step_lengths.hpp"}
EXCEPTIONS = "tests/structure/steps_exceptions.toml"

DURATION = re.compile(r"-?\d[\d']*\s*\*\s*ns_per_m?s\b|\bns_per_m?s\s*[*/]\s*\d[\d']*")
GROWS = re.compile(r"\b\w*(?:step|stride|slice|stretch)\w*\s*[*/]=")


def code(text):
    """The text without comments."""
    return re.sub(r"//[^\n]*|/\*(?s:.*?)\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def check(root):
    listed = root / EXCEPTIONS
    reasons = tomllib.loads(listed.read_text(encoding="utf-8")) if listed.exists() else {}
    findings, used = [], set()
    for path in repository.files(root):
        if not str(path).startswith(FOLDERS) or path.suffix not in {".hpp", ".cpp"} or str(path) in PLANNER:
            continue
        text = code(repository.text(root, path) or "")
        for m in GROWS.finditer(text):
            findings.append(f"{path}: '{m.group()}': a length that grows belongs into step_planner.cpp")
        for m in DURATION.finditer(text):
            duration = re.sub(r"\s+", " ", m.group())
            used.add((str(path), duration))
            if not isinstance(reasons.get(str(path), {}).get(duration), str):
                findings.append(f"{path}: '{duration}': the length of a step belongs into step_planner.cpp; {EXCEPTIONS} lists what is none")
    for path, of_file in reasons.items():
        for duration, reason in of_file.items():
            if (path, duration) not in used:
                findings.append(f"{EXCEPTIONS}: {path} has no '{duration}' any more, take it out")
            elif len(reason) < 10:
                findings.append(f"{EXCEPTIONS}: {path}: '{duration}' needs a reason")
    return findings


if __name__ == "__main__":
    repository.main(check)
