"""Every data member of a public parameter struct says what it is: a `///<` comment on its own line, or `///` above it.

A parameter struct is one with `void fields(FieldVisitor& v)` in a header below include/. One declaration stands on a line. The schema's
sentence is the usual comment; a member that is derived, or a table of its own, says so."""
import re

import classes_check
import repository

STRUCT = re.compile(r"\b(?:struct|class)\s+(?:TIDEWATT_API\s+)?(\w+)\b[^;{]*$")


def parameter_structs(code, begin=0, end=None, inside=""):
    """(name, body begin, body end) of each struct with a field list, nested ones with their owner's name."""
    for first, head_end, body, _ in classes_check.statements(code, begin, len(code) if end is None else end):
        head = " ".join(code[first:head_end].split())
        if body is None:
            continue
        if re.match(r"(inline )?namespace\b", head):
            yield from parameter_structs(code, *body)
        elif match := STRUCT.search(head):
            if re.search(r"\bvoid fields\(FieldVisitor&", code[body[0]:body[1]]):
                yield inside + match[1], *body
            yield from parameter_structs(code, *body, inside=f"{inside}{match[1]}::")


def members(code, begin, end):
    """(line, names, declaration) of each data member of a struct's body; lines count from 1."""
    for first, head_end, body, _ in classes_check.statements(code, begin, end):
        text = code[first:head_end]
        if body is not None or classes_check.NOT_DATA.match(text.strip()):
            continue
        bare = re.sub(r"\{[^{}]*\}|<[^<>]*(?:<[^<>]*>[^<>]*)*>", "", text)
        if "(" in bare.split("=")[0] or not bare.strip():
            continue
        names = [re.search(r"(\w+)\s*$", part.split("=")[0])[1] for part in re.split(r",(?![^()]*\))", bare)]
        at = first + len(text) - len(text.lstrip())
        yield code.count("\n", 0, at) + 1, names, text.strip()


def header_findings(path, text):
    code, lines = classes_check.code(text), text.splitlines()
    for name, begin, end in parameter_structs(code):
        for line, names, _ in members(code, begin, end):
            if len(names) > 1:
                yield f"{path}:{line}: {name}: {', '.join(names)} on one line: a line and a comment for each"
            elif "///<" not in lines[line - 1] and not lines[line - 2].strip().startswith("///"):
                last = line
                while not lines[last - 1].split("//")[0].rstrip().endswith(";"):
                    last += 1
                if "///<" not in lines[last - 1]:
                    yield f"{path}:{line}: {name}.{names[0]}: no comment"


def check(root):
    findings, n = [], 0
    for path in repository.files(root):
        if path.parts[0] == "include" and path.suffix == ".hpp":
            text = repository.text(root, path) or ""
            n += sum(1 for name, b, e in parameter_structs(classes_check.code(text)) for _ in members(classes_check.code(text), b, e))
            findings += header_findings(path, text)
    print(f"{n} members of public parameter structs")
    return findings


if __name__ == "__main__":
    repository.main(check)
