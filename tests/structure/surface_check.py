"""The public surface: what include/ declares is offered by the shared library and carries the version's namespace; what src/ declares is not.

Every class and every function without a body in a public header is marked TIDEWATT_API, none of src/ is. A public header names only
headers that are installed with it. The library opens its
namespaces as `namespace TIDEWATT_NAMESPACE::…` (base/version.hpp), so that its names are those of the version. The documentation's table names every header that tidewatt.hpp brings
itself. tests/package/symbols_test.py holds the compiled library to the same."""
import pathlib
import re

import classes_check
import repository

VERSION = "include/tidewatt/base/version.hpp"
PAGE = "docs/cpp_api.md"
UMBRELLA = "include/tidewatt/tidewatt.hpp"
NAMESPACE = re.compile(r"^(?:inline )?namespace TIDEWATT_NAMESPACE\b", re.MULTILINE)
BARE = re.compile(r"^(?:inline )?namespace tidewatt\b[^=;]*\{", re.MULTILINE)
MENTION = re.compile(r"\b([a-z][\w/]*\.hpp)\b")
INCLUDE = re.compile(r'^#include ["<]([^">]+)[">]', re.MULTILINE)
NO_DECLARATION = re.compile(r"^(using|typedef|static_assert|template|inline|constexpr|extern|friend|enum|namespace)\b")


def unmarked(text, begin=0, end=None):
    """Names declared at namespace scope without TIDEWATT_API."""
    found = []
    for first, head_end, body, _ in classes_check.statements(text, begin, len(text) if end is None else end):
        head = re.sub(r"^template <[^>]*> ", "", " ".join(text[first:head_end].split()))
        if body and re.match(r"(inline )?namespace\b", head):
            found += unmarked(text, *body)
        elif body and not head.startswith("enum") and (name := re.search(r"\b(?:class|struct) (?!TIDEWATT_API )(\w+)", head)) and "(" not in head:
            found.append(name[1])
        elif body is None and "(" in head and not NO_DECLARATION.match(head) and not head.startswith("TIDEWATT_API "):
            found.append(re.search(r"(\w+)\s*\(", head)[1])
    return found


class Includes:
    """Which files a file of the library reads."""

    def __init__(self, root):
        self.root, self.reached = root, {}

    def resolve(self, path, name):
        for folder in (path.parent, pathlib.PurePosixPath("include"), pathlib.PurePosixPath("src")):
            if (self.root / folder / name).is_file():
                return folder / name
        return None

    def version(self, path):
        """Whether the file reads VERSION, by whatever way."""
        if str(path) == VERSION:
            return True
        if path not in self.reached:
            self.reached[path] = False
            names = INCLUDE.findall(repository.text(self.root, path) or "")
            self.reached[path] = any(self.version(p) for name in names if (p := self.resolve(path, name)))
        return self.reached[path]


def check(root):
    findings, includes = [], Includes(root)
    for path in repository.files(root):
        if path.parts[0] not in {"include", "src"} or path.suffix not in {".hpp", ".cpp"} or str(path) == VERSION:
            continue
        text = repository.text(root, path) or ""
        if path.parts[0] == "include":
            findings += [f"{path}: {name} is declared without TIDEWATT_API" for name in unmarked(classes_check.code(text))]
            findings += [f"{path}: names {name}, which is not installed" for name in sorted(set(MENTION.findall(text)))
                         if not any((root / folder / name).is_file() for folder in ("include", "include/tidewatt", path.parent))]
        elif re.search(r"\bTIDEWATT_API\b", text):
            findings.append(f"{path}: TIDEWATT_API is for headers below include/")
        if BARE.search(text):
            findings.append(f"{path}: opens namespace tidewatt without its version: namespace TIDEWATT_NAMESPACE")
        if NAMESPACE.search(text) and not includes.version(path):
            findings.append(f"{path}: opens namespace TIDEWATT_NAMESPACE without {VERSION}")
    if (root / UMBRELLA).is_file() and (root / PAGE).is_file():
        page = repository.text(root, PAGE)
        for name in INCLUDE.findall(repository.text(root, UMBRELLA)):
            if name.startswith("tidewatt/") and f"`{name.removeprefix('tidewatt/')}`" not in page:
                findings.append(f"{PAGE}: its table lacks {name}, which tidewatt.hpp brings")
    return findings


if __name__ == "__main__":
    repository.main(check)
