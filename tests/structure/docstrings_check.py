"""Public functions say what they take and give back: units, shapes, errors and sources, in C++ headers and in Python.

A function of a header that is public, or that other folders of the repository include, has a `///` comment. It says the shape or unit of every number that it takes or returns (in the
comment, or in the argument's name: `pcc_W`, `n_gpu`), what its source file throws itself, and its source if it cites
one in the code. A public function of the Python package has a docstring that names its arguments and what it raises itself. Python has
one dialect, numpydoc: sections `Parameters`, `Returns` and `Raises`, or sentences where these are short; what `tidewatt` offers has sections.

Counts per folder are always printed."""
import ast
import re

import repository

FUNCTION = re.compile(
    r"^(?P<indent> {0,2})(?:template <[^>]*>\s*)?(?:\[\[nodiscard\]\] )?(?:static |explicit |virtual |constexpr |inline |TIDEWATT_INLINE |TIDEWATT_API )*"
    r"(?P<type>[\w:<>,*& ]+?[ &*])?(?P<name>[A-Za-z_]\w*)\((?P<arguments>[^;{}]*?)\)(?P<tail>[^;{}]*)[;{]", re.MULTILINE)
NUMBER = re.compile(r"\b(double|float|std::vector<double>|std::span<(?:const )?double>)\b")
UNIT_IN_NAME = re.compile(r"_(?:[munpkMGT]?(?:W|J|V|A|Hz|s|K|Pa|B|VA|m|g|L)|degC|frac|pu|ratio|pct|percent|h|min|d|kg|per_\w+|m3|m2|rad|deg|MHz|TF|var|USD|years|tokens|sequences|bytes|flops)$|^(?:bytes|years)$")
UNIT_IN_TEXT = re.compile(r"\b(W|J|V|K|Hz|s|h|Pa|kg|unit|unit 1|[Cc]ount|frac|ratio|share|0 to 1|0–1|in \(0, 1\)|[\[(]n|\[case\]|[Rr]elative|[Dd]imensionless|rad|m3|°C|pu|seconds|quantile|any unit|edge unit)\b|\[\w+\]|\[n_")
# Doxygen's, which the C++ headers have.
TAG = re.compile(r"@(?:param|returns?|raises|throws)\b")
OFFERS = "python/tidewatt/__init__.py"
# fields() and archive() are lists of members: what they do stands once, with FieldVisitor and in base/archive.hpp.
SPECIAL = {"if", "for", "while", "switch", "return", "sizeof", "static_assert", "defined", "fields", "archive", "operator"}


def public_part(text):
    """Header text with private sections, namespaces `detail`, and preprocessor lines blanked, line by line."""
    out, private, detail = [], False, False
    for line in text.splitlines():
        bare = line.strip()
        if bare in ("private:", "protected:"):
            private = True
        elif bare == "public:" or (private and line.startswith("};")):
            private = False
        detail = (detail or bare == "namespace detail {") and not bare.startswith("}  // namespace detail")
        out.append("" if private or detail or bare.startswith("#") else line)
    return out


def functions(body):
    """Matches of FUNCTION outside the bodies of inline functions: what stands in one is not a declaration."""
    at = 0
    while match := FUNCTION.search(body, at):
        at = match.end()
        if match.group().endswith("{") and match["name"] not in SPECIAL - {"fields", "archive", "operator"}:
            depth = 1
            while depth and at < len(body):
                depth += {"{": 1, "}": -1}.get(body[at], 0)
                at += 1
        yield match


def comment_above(lines, at):
    text = []
    while at > 0 and lines[at - 1].strip().startswith("///"):
        at -= 1
        text.insert(0, lines[at].strip()[3:])
    return " ".join(text)


def header_findings(root, path):
    lines = public_part(repository.text(root, path))
    body = "\n".join(lines)
    source_path = root / "src" / path.parts[-2] / (path.stem + ".cpp")
    source = source_path.read_text() if source_path.exists() else ""
    findings, n = [], 0
    for match in functions(body):
        name, arguments, kind = match["name"], match["arguments"], match["type"] or ""
        if name in SPECIAL or "operator" in kind or re.search(r"\b(return|else|new|throw|using)\b", kind) or name.startswith("TIDEWATT"):
            continue
        special_member = not kind and ("&&" in arguments or f"const {name}&" in arguments or "default" in match["tail"] or "delete" in match["tail"])
        if special_member or match.start() > 0 and body[match.start() - 1 : match.start()] == "~":
            continue
        line = body.count("\n", 0, match.start()) + 1
        comment = comment_above(lines, line - 1)
        trailing = lines[line - 1].partition("///<")[2]
        comment += trailing
        place = f"{path}:{line}: {name}"
        simple = not arguments.strip() and len(match["tail"].strip()) <= 5 and not NUMBER.search(kind)
        if (not kind and not arguments.strip()) or "override" in match["tail"]:  # an override keeps its base's promise
            continue
        n += 1
        if not comment.strip():
            # A plain getter's name says it all when it returns no number.
            if not simple:
                findings.append(f"{place}: no comment")
            continue
        for argument in filter(None, (a.strip() for a in re.split(r",(?![^<]*>)", arguments))):
            words = re.split(r"[\s&*]+", argument.split("=")[0].strip())
            if NUMBER.search(argument) and not UNIT_IN_NAME.search(words[-1]) and not UNIT_IN_TEXT.search(comment):
                findings.append(f"{place}: no unit or shape for '{words[-1]}'")
        if NUMBER.search(kind) and not UNIT_IN_NAME.search(name) and not UNIT_IN_TEXT.search(comment):
            findings.append(f"{place}: no unit or shape for what it returns")
        definition = re.search(rf"\b{name}\([^;{{]*\)[^;{{]*\{{(?P<body>[^\n]*\}}\n|.*?\n\}})", source, re.DOTALL)
        if definition and re.search(r"\bthrow (?!;)\w*Error", definition["body"]) and "@throws" not in comment:
            findings.append(f"{place}: throws, but does not say so")
        if definition and (cited := re.findall(r"\[@[\w-]+\]|arXiv \d", definition["body"])) and not re.search(r"\[@|arXiv|@source", comment):
            findings.append(f"{place}: {cited[0]} is cited in its source only")
    return n, findings


def offered(root):
    """Names that `tidewatt` offers: words of its first file."""
    text = repository.text(root, OFFERS) if (root / OFFERS).is_file() else ""
    return {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def dialect_findings(path, tree):
    """Docstrings with tags, which numpydoc does not have."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and (tag := TAG.search(ast.get_docstring(node) or "")):
            yield f"{path}:{getattr(node, 'lineno', 1)}: {getattr(node, 'name', 'the module')}: {tag[0]} is no numpydoc: a section, or a sentence"


def python_findings(root, path, names):
    tree = ast.parse(repository.text(root, path))
    findings, n = list(dialect_findings(path, tree)), 0
    scopes = [tree] + [c for c in tree.body if isinstance(c, ast.ClassDef) and not c.name.startswith("_")]
    for scope in scopes:
        for f in scope.body:
            if not isinstance(f, ast.FunctionDef) or f.name.startswith("_"):
                continue
            n += 1
            place, doc = f"{path}:{f.lineno}: {f.name}", ast.get_docstring(f) or ""
            if not doc:
                findings.append(f"{place}: no docstring")
                continue
            arguments = [a.arg for a in f.args.args + f.args.kwonlyargs if a.arg not in ("self", "cls")]
            findings += [f"{place}: says nothing of '{a}'" for a in arguments if not re.search(rf"\b{a}\b", doc)]
            if arguments and scope is tree and path.name.startswith("_") and f.name in names and "Parameters\n---" not in doc:
                findings.append(f"{place}: is offered by tidewatt and has no section 'Parameters'")
            raised = {r.exc.func for r in ast.walk(f) if isinstance(r, ast.Raise) and isinstance(r.exc, ast.Call)}
            for call in raised:
                name = call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "")
                if name and name not in doc:
                    findings.append(f"{place}: raises {name}, but does not say so")
    return n, findings


def folder_of(path):
    return path.parts[-2] if path.suffix == ".hpp" else str(path)


def check(root):
    counts, failing, shared, names = {}, [], repository.shared_headers(root), offered(root)
    for path in repository.files(root):
        if path in shared or path.suffix == ".hpp" and path.parts[:2] == ("include", "tidewatt"):
            n, findings = header_findings(root, path)
        elif path.suffix == ".py" and path.parts[:2] == ("python", "tidewatt"):
            n, findings = python_findings(root, path, names)
        elif path.suffix == ".py" or repository.is_source(root, path) and not path.suffix:
            failing += dialect_findings(path, ast.parse(repository.text(root, path)))
            continue
        else:
            continue
        folder = folder_of(path)
        total = counts.setdefault(folder, [0, 0])
        total[0] += n
        total[1] += len(findings)
        failing += findings
    for folder, (n, wanting) in sorted(counts.items()):
        print(f"{folder}: {n} functions, {wanting} findings")
    print(f"all: {sum(n for n, _ in counts.values())} functions, {sum(w for _, w in counts.values())} findings")
    return failing


if __name__ == "__main__":
    repository.main(check)
