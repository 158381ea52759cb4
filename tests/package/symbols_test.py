"""What the shared library offers: names of the version's namespace that an installed header declares, all of them, and nothing else.

Every function that a header marks TIDEWATT_API, and every public member function of such a class, is there with its number of
arguments, unless the header defines it inline.

symbols_test.py LIBRARY STATIC_LIBRARY SOURCE_FOLDER"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "structure"))
import classes_check

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


def arguments(text):
    """Number of arguments between the parentheses of a declaration or of a demangled name."""
    depth, n = 0, 1
    for c in text:
        depth += {"(": 1, "<": 1, "{": 1, "[": 1, ")": -1, ">": -1, "}": -1, "]": -1}.get(c, 0)
        n += c == "," and depth == 0
    return n if text.strip() and text.strip() != "void" else 0


def in_parentheses(text, at):
    """What stands between the parenthesis at an offset and the one that closes it."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return text[at + 1:i]
    return text[at + 1:]


BODILESS = re.compile(r"\b(using|typedef|friend|static_assert|template|inline|constexpr|extern)\b|=\s*(0|default|delete)\s*$")


def functions(text, inside="", begin=0, end=None, of_class=None):
    """(qualified name, number of arguments) of the functions that a header offers without a body."""
    for first, head_end, body, _ in classes_check.statements(text, begin, len(text) if end is None else end):
        head = " ".join(text[first:head_end].split())
        if body and (space := re.match(r"(?:inline )?namespace ([\w:]*)", head)):
            inner = re.sub(r"^(tidewatt|TIDEWATT_NAMESPACE)(::)?", "", space[1])
            yield from functions(text, f"{inside}{inner}::" if inner else inside, *body)
        elif body and (of := re.search(r"\b(?:class|struct) (?:TIDEWATT_API )?(\w+)", head)) and "(" not in head and "template" not in head:
            hidden = "visibility" in head
            if not hidden and (of_class or "TIDEWATT_API" in head):
                public = re.split(r"\b(?:private|protected):", text[body[0]:body[1]])[0]
                if not head.startswith("class") or "public:" in public:
                    yield from functions(text, f"{inside}{of[1]}::", body[0], body[0] + len(public), of[1])
        elif body is None and "(" in head and (of_class or "TIDEWATT_API" in head) and not BODILESS.search(head):
            head = head.removeprefix("explicit ")
            is_data = re.match(r"(std::function<|[^(]*[^=!<>+*/-]=[^=(])", head.replace("operator", ""))
            if not is_data and (name := re.search(r"(operator\s*[^\w\s(]+|~?\w+)\s*\(", head)):
                yield inside + name[1], arguments(in_parentheses(head, name.end() - 1))


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
    # What the headers offer is there: by name and number of arguments.
    there = set()
    for symbol in (s.replace("[abi:cxx11]", "") for _, _, s in symbols):
        if function := re.match(rf"tidewatt::{version}::((?:[\w:~]*operator\s*[^\w\s(]+|[\w:~]+))\(", symbol):
            there.add((function[1], arguments(in_parentheses(symbol, function.end() - 1))))
    wanted = set()
    for header in sorted((source / "include").rglob("*.hpp")):
        wanted |= set(functions(classes_check.code(header.read_text())))
    findings += [f"{name} with {n} arguments: declared in an installed header, but not exported" for name, n in sorted(wanted - there)]
    if len(wanted) < 200:
        findings.append(f"only {len(wanted)} functions found in the headers")
    # A name without the version in the static library would be mixed with that of another version unnoticed.
    bare = set(re.findall(r"\btidewatt::(?!v\d)\w+[\w:]*", output("nm", "-C", "--defined-only", static)))
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
