"""Styles and scripts of pages: every file is used, what a style names is on a page, and every colour it uses is declared.

Scripts are linted by scripts/lint; a style has no linter, so that a class that no page has any more would stay for good."""
import posixpath
import re

import repository

FOLDERS = ("python/tidewatt/report", "python/tidewatt/planner")
INCLUDE = re.compile(r"^ *//include (\S+)$", re.MULTILINE)
SELECTOR = re.compile(r"([^{}]+)\{")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def named(style):
    """Classes and ids, with their first character, that the selectors of a style's text name."""
    selectors = " ".join(s for s in SELECTOR.findall(COMMENT.sub("", style)) if not s.strip().startswith("@"))
    return set(re.findall(r"[.#][A-Za-z][\w-]*", selectors))


def check(root):
    files = {p: repository.text(root, p) for p in repository.files(root) if str(p.parent) in FOLDERS and p.suffix in (".py", ".js", ".css")}
    styles = {p: t for p, t in files.items() if p.suffix == ".css"}
    # Whole words of what builds pages: a class may be put together there, such as "verdict-" and the verdict.
    words = set(re.findall(r"[\w-]+", " ".join(t for p, t in files.items() if p.suffix != ".css")))
    declared = set(re.findall(r"(--[\w-]+):", " ".join(styles.values())))
    findings = []
    for path, text in styles.items():
        if text.count("{") != text.count("}"):
            findings.append(f"{path}: {text.count('{')} braces open, {text.count('}')} close")
        for name in sorted(named(text)):
            stem = name[1:].rpartition("-")[0]
            if name[1:] not in words and not (stem and f"{stem}-" in words):
                findings.append(f"{path}: no page has {name}")
        findings += [f"{path}: {name} is not declared" for name in sorted(set(re.findall(r"var\((--[\w-]+)", text)) - declared)]
    used = {p.parent / n for p, t in files.items() for n in INCLUDE.findall(t) + (re.findall(r"[\"']([\w./-]+\.(?:js|css))[\"']", t) if p.suffix == ".py" else [])}
    used = {posixpath.normpath(p) for p in used}
    findings += [f"{p}: no page uses it" for p in files if p.suffix != ".py" and str(p) not in used]
    findings += [f"{p}: includes {n}, which is not there" for p, t in files.items() for n in INCLUDE.findall(t)
                 if p.suffix == ".js" and posixpath.normpath(p.parent / n) not in map(str, files)]
    return findings


if __name__ == "__main__":
    repository.main(check)
