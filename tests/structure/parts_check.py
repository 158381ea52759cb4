"""The one-way order of the parts, read off the #include lines."""
import re

import repository

BASE = {"base", "numerics"}
MODELS = {"workload", "power", "dvfs", "thermal", "cooling", "grid", "mitigation"}
BELOW_SIM = BASE | MODELS | {"catalog"}
# part -> parts it may include besides itself. Models never include one another, except that a governor knows the power
# that it governs and a plant knows the hall that it cools; `sim` is the only place where they meet.
MAY_INCLUDE = {
    "base": set(),
    "numerics": {"base"},
    "workload": BASE,
    "power": BASE,
    "dvfs": BASE | {"power"},
    "thermal": BASE,
    "cooling": BASE | {"thermal"},
    "grid": BASE,
    "mitigation": BASE,
    "catalog": BASE | MODELS,
    "sim": BELOW_SIM,
    "io": BASE | {"sim"},
    "study": BELOW_SIM | {"sim", "io"},
    "validate": BELOW_SIM | {"sim", "io", "study"},
    "bench": BELOW_SIM | {"sim", "io", "study"},
}
ALL = set(MAY_INCLUDE)
# What stands above the library's parts and may include all of them.
FACES = {"cli"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)


def part_of(path):
    """The part that a file belongs to; None for files outside the parts (umbrella header, bindings, tests)."""
    if path.parts[0] == "include" and len(path.parts) > 3:
        return path.parts[2]
    if path.parts[0] == "src" and len(path.parts) > 2:
        return path.parts[1]
    return None


def check(root):
    findings = []
    for path in repository.files(root):
        part = part_of(path) if path.suffix in {".hpp", ".cpp"} else None
        if part is None:
            continue
        if part not in ALL | FACES:
            findings.append(f"{path}: '{part}' is not a part; the table in {__file__} lists them")
            continue
        allowed = ALL if part in FACES else MAY_INCLUDE[part] | {part}
        for match in INCLUDE.finditer(repository.text(root, path) or ""):
            kind, name = match.groups()
            if name.startswith("tidewatt/"):
                used = name.split("/")[1] if name.count("/") > 1 else "everything"
                if used not in allowed:
                    findings.append(f"{path}: part '{part}' may not include '{used}' ({name})")
            elif kind == '"' and "/" in name:
                findings.append(f"{path}: {name}: a file of another folder is reached as tidewatt/<part>/…")
            elif path.parts[0] == "include" and ("/" in name or "." in name):
                findings.append(f"{path}: <{name}>: public headers need the standard library only")
    return findings


if __name__ == "__main__":
    repository.main(check)
