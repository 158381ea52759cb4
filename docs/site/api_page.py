"""The Python API as one page, read from the sources: nothing needs to be compiled or imported."""
import ast
import re

FILES = ["_load.py", "_engine.py", "_result.py", "_plot.py", "_sweep.py"]


def public(body):
    return [n for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and not n.name.startswith("_")]


def signature(f):
    args = ast.unparse(f.args)
    if args.startswith("self"):
        args = args[4:].removeprefix(", ")
    return f"{f.name}({args})" + (f" → {ast.unparse(f.returns)}" if f.returns else "")


def is_property(f):
    return any(isinstance(d, ast.Name) and d.id == "property" for d in f.decorator_list)


def text(node):
    """A docstring as Markdown: `@param` and its like become a list."""
    doc = ast.get_docstring(node) or ""
    doc = re.sub(r"(?m)^\s*@(param|raises|returns)\s*", lambda m: f"\n* *{m[1]}* ", doc)
    return re.sub(r" @(param|raises|returns)\s*", lambda m: f"\n\n* *{m[1]}* ", doc)


def page(root):
    """The page as Markdown: exported functions, classes with their methods and properties."""
    init = ast.parse((root / "python" / "tidewatt" / "__init__.py").read_text())
    out = ["# Python API", "", (ast.get_docstring(init) or ""), ""]
    for name in FILES:
        tree = ast.parse((root / "python" / "tidewatt" / name).read_text())
        for node in public(tree.body):
            if isinstance(node, ast.FunctionDef):
                if node.name not in ("from_memory", "pyplot"):
                    out += [f"## {node.name}", "", f"    tidewatt.{signature(node)}", "", text(node), ""]
                continue
            out += [f"## class {node.name}", "", text(node), ""]
            for f in public(node.body):
                out += [f"### {node.name}.{f.name}", "", *([] if is_property(f) else [f"    {signature(f)}", ""]), text(f), ""]
    return "\n".join(out)
