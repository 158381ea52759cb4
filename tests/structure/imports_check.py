"""No module of the Python package imports itself by way of others: an import inside a function counts, one for type checkers does not."""
import ast

import repository

PACKAGE = "tidewatt"


def modules(root):
    """{name: path} of the package's modules."""
    found = {}
    for path in repository.files(root):
        if path.suffix == ".py" and path.parts[:2] == ("python", PACKAGE):
            parts = path.with_suffix("").parts[1:]
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def for_type_checkers(tree):
    """Nodes below `if TYPE_CHECKING:`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for inner in node.body:
                yield from ast.walk(inner)


def imported(name, path, text, names):
    """Modules among `names` that the module `name` imports. A package's own name counts only where it is asked for by itself: every
    module of it is found through it."""
    tree = ast.parse(text)
    left_out = set(map(id, for_type_checkers(tree)))
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(tree):
        if id(node) in left_out:
            continue
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name in names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1] if node.level else []) + ("." if node.level and node.module else "") + (node.module or "")
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                if inner in names:
                    yield inner
                elif base in names and alias.name != "_core":  # compiled: it imports none of them
                    yield base


def circle(graph):
    """The modules of a shortest circle, or None."""
    best = None
    for start in graph:
        before, queue = {start: None}, [start]
        for node in queue:
            if start in graph[node]:
                back = [node]
                while before[back[-1]] is not None:
                    back.append(before[back[-1]])
                best = back[::-1] if best is None or len(back) < len(best) else best
                break
            for after in sorted(graph[node] - set(before)):
                before[after] = node
                queue.append(after)
    return best


def check(root):
    names = modules(root)
    graph = {n: set(imported(n, p, repository.text(root, p), names)) - {n} for n, p in names.items()}
    findings = []
    while found := circle(graph):
        findings.append(f"{names[found[0]]}: imports itself: {' -> '.join([*found, found[0]])}")
        graph[found[-1]].discard(found[0])  # the next one
    return findings


if __name__ == "__main__":
    repository.main(check)
