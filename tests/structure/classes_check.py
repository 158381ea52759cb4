"""No class in fleet, connection and sim with behaviour is larger than a reader can hold: 300 lines, 12 data members, 15 in its State and Scratch.

Lines are those of the declaration and of all definitions in whatever file, so that cutting a class into files does not
help. A class whose only member functions are `fields`, `archive`, constructors and defaulted ones is a plain description
or result and exempt. Classes that are still larger are listed with their present sizes in classes_exceptions.toml; a
listed size may only shrink.

`step` and the macro step are tables of contents and fit on one screen, STEP_LINES. Run with --table to print every class and its size, with --lower to lower the listed sizes to
the present ones.
"""
import re
import sys
import tomllib

import repository

FOLDERS = ("include/tidewatt/sim/", "src/fleet/", "src/connection/", "src/sim/")
EXCEPTIONS = "tests/structure/classes_exceptions.toml"
MOST = {"lines": 300, "members": 12, "State": 15, "Scratch": 15}
PLAIN_FUNCTIONS = {"fields", "archive"}
STEP_LINES = 50
SCREENS = {"Simulation::advance", "JobRun::play", "StepPlanner::work_length"}
SLACK_LINES = 10  # a listed size may lie so far above the present one before it has to be lowered

HEAD = re.compile(r"\b(struct|class)\s+(?:TIDEWATT_API\s+)?((?:\w+\s*::\s*)*\w+)\s*(?:final\s*)?(?::[^:;{][^;{]*)?$")
NOT_DATA = re.compile(r"^(using|typedef|friend|static_assert|enum|static|constexpr|inline static|extern)\b")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def code(text):
    """The text without comments, literals and preprocessor lines; every character keeps its line."""
    text = re.sub(r'R"\((?s:.*?)\)"|//[^\n]*|/\*(?s:.*?)\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z])\'(?:\\.|[^\'\\\n])+\'', blank, text)
    return re.sub(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text)


def statements(text, begin, end):
    """(first, head_end, body, last) of each statement between two offsets; `body` is None or the offsets inside its braces.

    A brace behind `=` or a name of data is part of a declaration and does not end the statement."""
    first, i = begin, begin
    round_depth = 0
    while i < end:
        c = text[i]
        if c == "(":
            round_depth += 1
        elif c == ")":
            round_depth -= 1
        elif c == ";" and round_depth == 0:
            yield first, i, None, i
            first = i + 1
        elif c == ":" and round_depth == 0 and re.search(r"\b(public|private|protected)\s*$", text[first:i]):
            first = i + 1
        elif c == "{":
            close = closing(text, i)
            if round_depth == 0 and is_block(text[first:i]):
                last = close
                kind = text[first:i]
                if re.search(r"\b(struct|class|enum|union)\b", kind) and "(" not in kind:
                    last = text.index(";", close)
                yield first, i, (i + 1, close), last
                first = last + 1
            i = max(close, first - 1)
        i += 1


def is_block(head):
    """Whether a brace behind this head opens the body of a namespace, a class or a function rather than an initialiser."""
    if re.search(r"\b(namespace|struct|class|enum|union)\b[^()=]*$", head) or re.search(r'\bextern\s*$', head):
        return True
    head = plain(head)
    if "(" not in head:
        return False
    before = head[:head.index("(")]
    if "=" in re.sub(r"operator\s*[=!<>+\-*/]+", "", before):
        return False
    # In a constructor's list of initialisers a brace belongs to a name: only the one behind `)`, `}` or a word of the head opens the body.
    tail = head.rstrip()
    listed = re.search(r"\)\s*(?:noexcept\s*)?:(?!:)", head)
    return not listed or tail.endswith((")", "}"))


def closing(text, at):
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return i
    raise ValueError("a brace is not closed")


def plain(head):
    """The head without template arguments."""
    before = None
    while before != head:
        before, head = head, re.sub(r"(?<=\w)\s*<[^<>;(]*(?:\([^()]*\)[^<>;(]*)*>", "", head)
    return re.sub(r"^\s*template\s*(<[^<>]*>)?", "", head)


def split_commas(text):
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "({[<") - (c in ")}]>")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return parts + [text[start:]]


class Class:
    def __init__(self, name):
        self.name = name
        self.lines = 0
        self.members = []  # (name, type)
        self.functions = set()
        self.where = None

    @property
    def behaves(self):
        return bool(self.functions - PLAIN_FUNCTIONS)


def lines_between(text, first, last):
    while first < last and text[first].isspace():
        first += 1
    return text.count("\n", first, last) + 1


def add_member(cls, declaration):
    """Notes the data members or the function that a statement of a class body declares."""
    head = " ".join(plain(declaration).split())
    if not head or NOT_DATA.match(head.removeprefix("__extension__ ")):
        if re.match(r"^(static|constexpr|inline)\b", head) and "(" in head.split("=")[0]:
            note_function(cls, head)
        return
    first = re.split(r"[={]", re.sub(r"operator\s*[=!<>+\-*/]+", "operator", head))[0]
    if "(" in first:
        note_function(cls, head)
        return
    kind = None
    for part in split_commas(declaration):
        name = re.split(r"[={\[]", part)[0].split()
        if kind is None:
            kind = " ".join(name[:-1])
        cls.members.append((name[-1].lstrip("*&"), kind))


def note_function(cls, head):
    if re.search(r"=\s*(default|delete)\s*$", head):
        return
    name = re.split(r"\(", head)[0].split()[-1].lstrip("*&") if "(" in head else head
    if name.lstrip("~") != cls.name.split("::")[-1]:
        cls.functions.add(name)


class Table:
    """All classes of the folders, by qualified name."""

    def __init__(self, root):
        self.classes = {}
        self.text = {}
        self.functions = {}  # qualified name -> lines
        self.archives = {}  # class -> body of its `archive`
        for path in repository.files(root):
            if str(path).startswith(FOLDERS) and path.suffix in {".hpp", ".cpp"}:
                self.text[path] = code(repository.text(root, path) or "")
        for path, text in self.text.items():
            self.declare(path, text, 0, len(text), ())
        for path, text in self.text.items():
            self.define(path, text, 0, len(text))

    def declare(self, path, text, begin, end, outer):
        for first, head_end, body, last in statements(text, begin, end):
            head = text[first:head_end]
            if body is None:
                if outer:
                    add_member(self.classes["::".join(outer)], head)
                continue
            match = HEAD.search(head.rstrip())
            if re.search(r"\bnamespace\b", head):
                self.declare(path, text, *body, ())
            elif match and not re.search(r"\benum\b", head):
                name = (*outer, *re.sub(r"\s", "", match.group(2)).split("::"))
                cls = self.classes.setdefault("::".join(name), Class("::".join(name)))
                cls.lines += lines_between(text, first, last)
                cls.where = path
                self.declare(path, text, *body, name)
                trailing = text[body[1] + 1:last].strip()
                if outer and trailing:
                    self.classes["::".join(outer)].members.append((trailing, match.group(2)))
            elif outer and not re.search(r"\benum\b", head):
                add_member(self.classes["::".join(outer)], head)
                if re.search(r"\barchive\s*\(", head):
                    self.archives["::".join(outer)] = text[body[0]:body[1]]

    def define(self, path, text, begin, end):
        for first, head_end, body, last in statements(text, begin, end):
            if body is None:
                continue
            head = text[first:head_end]
            if re.search(r"\bnamespace\b", head):
                self.define(path, text, *body)
                continue
            match = re.search(r"((?:\w+::)+)~?(\w+|operator\s*\S+)\s*$", plain(head).split("(")[0])
            if not match or HEAD.search(head.rstrip()):
                continue
            owner = match.group(1).removesuffix("::")
            if owner in self.classes:
                n = lines_between(text, first, last)
                self.classes[owner].lines += n
                self.functions[f"{owner}::{match.group(2)}"] = n

    def parts_of(self, name):
        """Sizes of a class's State and Scratch, with those of the plain parts that they are made of."""
        out = {}
        for part in ("State", "Scratch"):
            if f"{name}::{part}" in self.classes:
                out[part] = self.largest(f"{name}::{part}", set())
        return out

    def largest(self, name, seen):
        if name in seen:
            return 0
        seen.add(name)
        size = len(self.classes[name].members)
        for _, kind in self.classes[name].members:
            for outer in self.scopes(name):
                part = f"{outer}{kind}"
                if part in self.classes and not self.classes[part].behaves:
                    size = max(size, self.largest(part, seen))
                    break
        return size

    @staticmethod
    def scopes(name):
        parts = name.split("::")
        return ["".join(p + "::" for p in parts[:i]) for i in range(len(parts), -1, -1)]

    def sizes(self):
        """{class: {measure: size}} of all classes with behaviour."""
        return {name: {"lines": c.lines, "members": len(c.members), **self.parts_of(name)} for name, c in sorted(self.classes.items()) if c.behaves}


def check(root):
    table = Table(root)
    path = root / EXCEPTIONS
    listed = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    findings = []
    sizes = table.sizes()
    for name, size in sizes.items():
        allowed = listed.get(name, {})
        for measure, most in MOST.items():
            now, then = size.get(measure, 0), allowed.get(measure)
            if then is None and now > most:
                findings.append(f"{table.classes[name].where}: {name} has {now} {measure}, {most} at most")
            elif then is not None and now > then:
                findings.append(f"{table.classes[name].where}: {name} has grown to {now} {measure}; {EXCEPTIONS} allows {then}")
            elif then is not None and now <= most:
                findings.append(f"{EXCEPTIONS}: {name} has {now} {measure}, no longer too many; remove the entry")
            elif then is not None and now < then - (SLACK_LINES if measure == "lines" else 0):
                findings.append(f"{EXCEPTIONS}: {name} has shrunk to {now} {measure}; lower its entry of {then}")
    for name, lines in sorted(table.functions.items()):
        if (name.endswith("::step") or name in SCREENS) and lines > STEP_LINES:
            findings.append(f"{name} has {lines} lines, {STEP_LINES} at most")
    for name in listed:
        if name not in sizes:
            findings.append(f"{EXCEPTIONS}: there is no class {name} with behaviour")
    return findings


def lower(root):
    """Lowers the listed sizes to the present ones and removes what is no longer too large."""
    path = root / EXCEPTIONS
    sizes = Table(root).sizes()
    out = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    for name, then in tomllib.loads(path.read_text(encoding="utf-8")).items():
        now = {k: min(v, sizes[name].get(k, 0)) for k, v in then.items() if name in sizes and sizes[name].get(k, 0) > MOST[k]}
        if now:
            out.append(f'"{name}" = {{' + ", ".join(f"{k} = {v}" for k, v in now.items()) + "}")
    path.write_text("\n".join(out) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if "--table" in sys.argv:
        for name, size in Table(repository.root_of_this_repository()).sizes().items():
            print(f"{name:40} " + "  ".join(f"{k} {v}" for k, v in size.items()))
        sys.exit(0)
    if "--lower" in sys.argv:
        lower(repository.root_of_this_repository())
        sys.exit(0)
    repository.main(check)
