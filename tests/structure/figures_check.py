"""Units, words and digits of figures are in the list alone (src/sim/figure_list_*.cpp), and what a page or picture picks is in it.

In the Python package, no unit, short name or number of digits is written beside the key of a figure: in a tuple, a list, a dict or the
arguments of a call, or behind its value in a text. The list of figures has every key that Python looks up in a summary or puts into a list
of keys, and every `summary.KEY` of JavaScript."""
import ast
import re

import repository

ROW = re.compile(r'\{\s*"(\w+)",\s*"([^"]*)",\s*"([^"]*)",')
# Words of other things, too.
PLAIN = {"name", "tokens", "precision", "compliance", "grid_case"}
# In the summary beside its figures; of the planner's answer.
BESIDE = {"jobs", "hour_max_MW"}
# Calls whose first text is a key.
LOOK_UP = {"figure", "shown", "named", "words", "ends", "_part", "_count", "_picked"}
SCRIPT = re.compile(r"\bsummary\.([A-Za-z]\w*)")
PAIR = re.compile(r'"(\w+)",\s*"([^"]+)"')  # in JavaScript: a key and what stands behind it


def figures(root):
    """{key: (unit, words)} of the list."""
    sources = sorted((root / "src" / "sim").glob("figure_list_*.cpp"))
    return {key: (unit, words) for path in sources for key, unit, words in ROW.findall(path.read_text(encoding="utf-8"))}


def texts(nodes):
    return [(node, node.value) for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def called(node):
    """The name of the function of a call."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def groups(tree):
    """(node, what stands beside one another in it) of tuples, lists, entries of dicts, and arguments."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Tuple, ast.List)):
            yield node, node.elts
        elif isinstance(node, ast.Call):
            yield node, [*node.args, *(k.value for k in node.keywords)]
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values):
                yield key or node, [key, *(value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value])]


def beside_keys(path, tree, listed):
    units = {unit for unit, _ in listed.values()} - {"", "share"}
    names = {words for _, words in listed.values()} - PLAIN
    unit_behind = re.compile(r"^[\s\u00a0]?(?:" + "|".join(map(re.escape, sorted(units, key=len, reverse=True))) + r")(?![\w/])")
    for node, parts in groups(tree):
        keys = [text for _, text in texts(parts) if text in listed and text not in PLAIN]
        if not keys:
            continue
        for at, text in texts(parts):
            if text in units or text in names or any(unit_behind.match(rest) for rest in text.split("{}")[1:]):
                yield f"{path}:{at.lineno}: “{text}” beside {keys[0]}: the list has units and words"
        if isinstance(node, ast.Call) and called(node) in LOOK_UP and any(isinstance(p, ast.Constant) and type(p.value) is int for p in parts):
            yield f"{path}:{node.lineno}: digits beside {keys[0]}: the list has them"
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, behind in zip(node.values, node.values[1:]):
            of = [t for _, t in texts(ast.walk(value)) if t in listed and t not in PLAIN] if isinstance(value, ast.FormattedValue) else []
            if of and isinstance(behind, ast.Constant) and unit_behind.match(str(behind.value)):
                yield f"{path}:{node.lineno}: a unit behind {of[0]}: the list has it"


def looked_up(tree):
    """(line, key) of what is looked up in a summary or told by its key."""
    def of_summary(node):
        return isinstance(node, (ast.Name, ast.Attribute)) and (node.id if isinstance(node, ast.Name) else node.attr) == "summary"

    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and of_summary(node.value):
            yield from ((at.lineno, text) for at, text in texts([node.slice]))
        elif isinstance(node, ast.Call):
            name = called(node)
            if name in LOOK_UP or name == "get" and of_summary(getattr(node.func, "value", None)):
                yield from ((at.lineno, text) for at, text in texts(node.args)[:1])


def unknown_keys(path, tree, listed):
    known = set(listed) | BESIDE
    for line, key in looked_up(tree):
        if re.fullmatch(r"\w+", key) and re.sub(r"_(?:event_)?(?:p05|p50|p95|max)$", "", key) not in known and key not in known:
            yield f"{path}:{line}: no figure {key!r}; tidewatt figures lists them"
    for node in ast.walk(tree):
        if isinstance(node, (ast.Tuple, ast.List)):
            words = [text for _, text in texts(node.elts)]
            picked = [word for word in words if word in listed and word not in PLAIN]
            if len(words) == len(node.elts) and 2 * len(picked) > len(words):
                yield from (f"{path}:{node.lineno}: no figure {word!r} among those picked" for word in words if word not in known)


def scripts(path, text, tree):
    """(line, text) of JavaScript: a file of it, or a long text of Python."""
    if path.suffix == ".js":
        yield 1, text
    elif tree is not None:
        yield from ((node.lineno, value) for node, value in texts(ast.walk(tree)) if value.count("\n") > 5)


def check(root):
    listed, findings = figures(root), []
    if not listed:
        return ["src/sim/figure_list_*.cpp: no figure found"]
    for path in repository.files(root):
        if path.parts[:2] != ("python", "tidewatt") or path.suffix not in {".py", ".js"}:
            continue
        text = repository.text(root, path) or ""
        tree = ast.parse(text) if path.suffix == ".py" else None
        if tree is not None:
            findings += [*beside_keys(path, tree, listed), *unknown_keys(path, tree, listed)]
        for line, script in scripts(path, text, tree):
            findings += [f"{path}:{line}: no figure {key!r} in a summary" for key in SCRIPT.findall(script) if key not in {*listed, *BESIDE}]
            findings += [f"{path}:{line}: “{behind}” beside {key}: the list has units and words" for key, behind in PAIR.findall(script)
                         if key in listed and key not in PLAIN and behind not in {*listed, *BESIDE}]
    print(f"{len(listed)} figures")
    return findings


if __name__ == "__main__":
    repository.main(check)
