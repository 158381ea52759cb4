"""What the shared library offers: names of the version's namespace that an installed header declares, and nothing else.

symbols_test.py LIBRARY STATIC_LIBRARY SOURCE_FOLDER"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "structure"))
import classes_check  # noqa: E402

OF_TYPE = re.compile(r"^(?:typeinfo name|typeinfo|vtable|VTT|guard variable|non-virtual thunk to|virtual thunk to)(?: for)? ")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def declared(text, inside="", begin=0, end=None):
    """Qualified names marked TIDEWATT_API, without tidewatt::."""
    found = set()
    for first, head_end, body, _ in classes_check.statements(text, begin, len(text) if end is None else end):
        head = " ".join(text[first:head_end].split())
        if body and (space := re.match(r"(?:inline )?namespace ([\w:]*)", head)):
            inner = re.sub(r"^(tidewatt|TIDEWATT_NAMESPACE)(::)?", "", space[1])
            found |= declared(text, f"{inside}{inner}::" if inner else inside, *body)
        elif "TIDEWATT_API" in head:
            name = re.search(r"\b(?:class|struct) TIDEWATT_API (\w+)", head) or re.search(r"(\w+)\s*\(", head)
            found.add(inside + name[1])
        elif "inline constexpr" in head and (name := re.search(r"(\w+)(?:<[^{=]*>)?\s*(?:[{=]|$)", head.split("constexpr", 1)[1])):
            found.add(inside + name[1])  # a constant of the header itself
    return found


def qualified(symbol, version):
    """`sim::run` of `tidewatt::v0_2::sim::run(...)`; None for other names."""
    name = OF_TYPE.sub("", symbol)
    match = re.match(rf"tidewatt::{version}::([\w:~]+)", name)
    return match[1] if match else None


def main(library, static, source):
    version = re.search(r"TIDEWATT_VERSION_NAMESPACE (\w+)", (source / "include/tidewatt/base/version.hpp").read_text())[1]
    offered = set()
    for header in sorted((source / "include").rglob("*.hpp")):
        offered |= declared(classes_check.code(header.read_text()))
    findings = []
    symbols = [line.split(maxsplit=2) for line in output("nm", "-DC", "--defined-only", library).splitlines()]
    used = set()
    for _, _, symbol in symbols:
        name = qualified(symbol, version)
        if name is None:
            findings.append(f"{symbol}: not of tidewatt::{version}")
            continue
        owner = next((o for o in ("::".join(name.split("::")[:n]) for n in range(len(name.split("::")), 0, -1)) if o in offered), None)
        if owner is None or re.search(r"::(Impl|Ports)\b", name):
            findings.append(f"{symbol}: no installed header declares it")
        used.add(owner)
    # A name without the version in the static library would be mixed with that of another version unnoticed.
    bare = {s for s in re.findall(r"\btidewatt::(?!v\d)\w+[\w:]*", output("nm", "-C", "--defined-only", static))}
    findings += [f"{name}: without the version's namespace" for name in sorted(bare)[:20]]
    soname = re.search(r"SONAME.*\[(.*)\]", output("readelf", "-d", library))[1]
    expected = "libtidewatt.so." + version.removeprefix("v").replace("_", ".")
    if soname != expected:
        findings.append(f"soname {soname}, {expected} expected")
    for needed in ("load_scenario", "check", "run", "figure", "values", "Engine"):
        if f"sim::{needed}" not in used:
            findings.append(f"sim::{needed} is not offered")
    for finding in findings:
        print(finding)
    print(f"{soname}: {len(symbols)} symbols of {len(used)} declarations, {len(offered)} declared, {len(findings)} findings")
    return 1 if findings or len(symbols) < 300 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])))
