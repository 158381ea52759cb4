"""Every law is written once: outside its file, its coefficients are declared, listed, assigned or handed on, never calculated with.

A coefficient is calculated with where an arithmetic operator or a comparison touches the expression that ends in its name, such as
`gpu.power.tdp_W - gpu.governor.cap_margin_W`. Some laws have no coefficient with a name: for them TEXTS has what a copy looks like. Tests may write a
law once more, to hold the product to it."""
import re

import repository
from steps_check import code

FOLDERS = ("include/", "src/", "bindings/")
# coefficient -> the files of its law
COEFFICIENTS = {
    "cap_margin_W": {"include/tidewatt/dvfs/operating_point.hpp"},
    "leakage_per_K": {"include/tidewatt/power/gpu.hpp"},
    "leakage_per_V": {"include/tidewatt/power/gpu.hpp"},
    "leakage_ref_K": {"include/tidewatt/power/gpu.hpp"},
    "memory_activity": {"src/dvfs/phase_law.hpp"},
    "link_activity": {"src/dvfs/phase_law.hpp"},
    "wait_activity": {"src/dvfs/phase_law.hpp"},
    "dry_air_gas_J_per_kg_K": {"include/tidewatt/thermal/air.hpp"},
    "preheat_mixing_ratio": {"include/tidewatt/thermal/server_air.hpp"},
}
# what it is -> what a copy looks like, the files of the law
TEXTS = {
    "the heat capacity of air": (re.compile(r"\bair_J_per_m3_K\w*\s*(?:=\s*\{?|\{)\s*[1-9]|\bdry_air_cp_J_per_kg_K\s*\+|\b1\.[12]\d*\s*\*\s*(?:100[4-7]\b|[\w:]*air_cp_J_per_kg_K)"),
                                 {"include/tidewatt/thermal/air.hpp"}),
    "the rear row": (re.compile(r"\b(?:g|gpu|slot|s)\s*(?:<|>=)\s*[\w.]*(?:\(\))?\s*/\s*2\b|\bn_gpu(?:_|_per_node)\s*/\s*2\b|\bgpu_W_?\.size\(\)\s*/\s*2\b"),
                     {"include/tidewatt/thermal/server_air.hpp"}),
    "a month's length or a day's number": (re.compile(r"\b31\s*,\s*2[89]\s*,\s*31\b|\b153\s*\*|\b146'?097\b|%\s*400\b"), {"src/base/calendar.hpp"}),
}
BEFORE, AFTER = re.compile(r"(?:[-+*/%<>]|[<>=!]=)$"), re.compile(r"\s*(?:[-+*/%<>]|[=!]=)")


def begin_of(text, at):
    """Where the expression begins that ends in the name at `at`: its members, calls and subscripts before it."""
    while at > 0:
        if text[at - 1].isalnum() or text[at - 1] in "_.:":
            at -= 1
        elif text[at - 2 : at] == "->":
            at -= 2
        elif text[at - 1] in ")]":
            depth = 0
            while at > 0:
                at -= 1
                depth += (text[at] in ")]") - (text[at] in "([")
                if depth == 0:
                    break
        else:
            break
    return at


def calculated(text, name):
    """Offsets at which `name` is an operand."""
    for m in re.finditer(rf"\b{name}\b(?!\s*\()", text):
        before = text[: begin_of(text, m.start())].rstrip()
        if BEFORE.search(before) or AFTER.match(text, m.end()):
            yield m.start()


def check(root):
    findings, seen = [], set()
    for path in repository.files(root):
        if not str(path).startswith(FOLDERS) or path.suffix not in {".hpp", ".cpp"}:
            continue
        text = re.sub(r'"(?:[^"\\\n]|\\.)*"', lambda m: '"' + " " * (len(m.group()) - 2) + '"', code(repository.text(root, path) or ""))
        at_law = {name for name, files in COEFFICIENTS.items() if str(path) in files}
        seen |= {(str(path), name) for name in at_law if re.search(rf"\b{name}\b", text)}
        for name in COEFFICIENTS.keys() - at_law:
            findings += [f"{path}:{text.count(chr(10), 0, at) + 1}: calculates with {name}; its law is in {min(COEFFICIENTS[name])}" for at in calculated(text, name)]
        for what, (copy, files) in TEXTS.items():
            if str(path) not in files:
                findings += [f"{path}:{text.count(chr(10), 0, m.start()) + 1}: '{m.group()}' writes {what} once more; it is in {min(files)}" for m in copy.finditer(text)]
    for name, files in COEFFICIENTS.items():
        findings += [f"{path}: is no longer the law of {name}" for path in sorted(files) if (root / path).exists() and (path, name) not in seen]
    return sorted(findings)


if __name__ == "__main__":
    repository.main(check)
