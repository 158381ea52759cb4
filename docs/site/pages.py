"""Sources of the site: the pages of docs/ with their markers filled in, and pages made from code and catalog.

A marker is an HTML comment on a line of its own, invisible where the page is read as it is:

    <!-- header: power/gpu.hpp GpuModel -->       the comment above a class or function of a header: equation, assumptions
    <!-- parameters: GpuPowerParams -->           key, range and meaning of every field of a struct
    <!-- catalog: gpu server -->                  entries of these kinds, with links to values and sources
    <!-- validation: P1 P3 -->                    rows of docs/validation.md, by number
    <!-- tests: power/gpu -->                     what the unit tests of a file say that they hold
"""
import re
import shutil
import subprocess

import api_page
import catalog_pages
import command_pages
import equations
import notebook_pages

MARKER = re.compile(r"^<!-- (header|parameters|catalog|validation|tests): (.+?) -->$", re.MULTILINE)
CITATION = re.compile(r"(`[^`]*`)|\[@([\w-]+)\]")
OUTSIDE = re.compile(r"\]\((?!https?:|#)([^)#]*)(#[^)]*)?\)")


class Wrong(Exception):
    """A marker that names what is not there."""


def comment_of(root, header, name):
    """The `///` comment above `name` in a header, as Markdown. `header`: below include/tidewatt or src, e.g. "power/gpu.hpp" """
    public = root / "include" / "tidewatt" / header
    lines = (public if public.exists() else root / "src" / header).read_text().splitlines()
    declares = re.compile(rf"^\s*(class|struct|enum class) (?:TIDEWATT_API )?{name}\b.*\{{|^[\w:<>,&*\s\[\]]*\b{name}\(")
    found = []
    for i, line in enumerate(lines):
        if declares.search(line) and not line.strip().startswith("//"):
            first = i
            while lines[first - 1].startswith(("///", "template")):
                first -= 1
            found.append("\n".join(t[3:].removeprefix(" ") for t in lines[first:i] if t.startswith("///")))
    if not any(found):
        raise Wrong(f"{header} has no comment above {name}")
    return spaced(max(found, key=len))  # of overloads, the one that says most


def spaced(text):
    """Doxygen words as plain text; equations stay blocks of their own."""
    text = re.sub(r"@source\b", "Source:", text)
    text = re.sub(r"\s*@(param|throws|returns?)\b\s*", lambda m: f"\n\n*{m[1]}* ", text)
    return re.sub(r"(?m)^(\S.*)\n(    )", r"\1\n\n\2", text)  # Markdown wants an empty line in front of a block


def parameters(root, names):
    """Tables of the fields of structs, from their field lists in src/."""
    sources = {p.parent.name: "" for p in (root / "src").rglob("*.cpp")}
    for path in sorted((root / "src").rglob("*.cpp")):
        sources[path.parent.name] += path.read_text()
    out = []
    for qualified in names:
        part, _, name = qualified.rpartition(":")  # "grid:GovernorParams" where two parts share a name
        body = next((m[1] for at, s in sources.items() if part in ("", at) and (m := re.search(rf"void {name}::fields\(FieldVisitor& v(?:, [^)]*)?\) \{{\n(.*?)\n\}}", s, re.DOTALL))), None)
        if body is None:
            raise Wrong(f"no field list of {name}")
        rows = []
        for call in re.finditer(r'v\.(number|integer|flag|text|choice|numbers|texts)\((?:key\()?"([\w.]+)"\)?,(.*?)\);', body, re.DOTALL):
            texts = re.findall(r'"((?:[^"\\]|\\.)*)"', call[3])
            limits = re.search(r"\{(-?[\w.+-]+), (-?[\w.+-]+)\}", call[3])
            rows.append(f"| `{call[2]}` | {f'{limits[1]} … {limits[2]}' if limits else '–'} | {''.join(texts[-1:])} |".replace("\\n", " "))
        if not rows:
            raise Wrong(f"the field list of {name} was not understood")
        out += [f"**{name}**", "", "| key | range, in the key's unit | meaning |", "|---|---|---|", *rows, ""]
    return "\n".join(out)


def validation(root, ids):
    """Rows of docs/validation.md whose number is in `ids`."""
    rows = [line for line in (root / "docs" / "validation.md").read_text().splitlines() if line.startswith("| ") and line.count("|") > 9]
    wanted = [r for r in rows if (number := r.split("|")[1].strip()) in ids or number.split("/")[0] in ids]
    for i in ids:
        if not any(r.split("|")[1].strip().split("/")[0] == i or r.split("|")[1].strip() == i for r in wanted):
            raise Wrong(f"docs/validation.md has no row {i}")
    # The page's own header: a column that it gains shifts nothing here. Source and note, its last two, stay there.
    head = next(row for row in rows if row.startswith("| id |"))
    n = 1 + [cell.strip() for cell in head.split("|")].index("verdict")
    short = lambda row: "|".join(row.split("|")[:n]) + "|"
    return "\n".join([short(head), "|---" * (n - 1) + "|", *map(short, wanted)]) + "\n\nEvery row with its source: [validation](../validation.md)."


def tests(root, names):
    """Titles of the unit tests of parts' files, one bullet each."""
    titles = []
    for name in names:
        part, stem = name.split("/")
        found = sorted((root / "tests" / "unit" / part).glob(f"{stem}*_test.cpp"))
        titles += [t for f in found for t in re.findall(r'TEST_CASE\("((?:[^"\\]|\\.)*)"', f.read_text())]
    if not titles:
        raise Wrong(f"no unit tests {names}")
    return "\n".join(f"* {t}" for t in titles)


def fill(root, text):
    """A page with its markers filled in."""
    def one(match):
        kind, words = match[1], match[2].split()
        if kind == "header":
            return equations.typeset_blocks(comment_of(root, words[0], words[1]))
        if kind == "catalog":
            return catalog_pages.links(root, words)
        return {"parameters": parameters, "validation": validation, "tests": tests}[kind](root, words)
    return MARKER.sub(one, text)


def cited(text):
    """Citations in brackets as links to the references, outside of code."""
    blocks = re.split(r"(^```.*?^```$|^    .*$)", text, flags=re.MULTILINE | re.DOTALL)
    for i in range(0, len(blocks), 2):
        blocks[i] = CITATION.sub(lambda m: m[1] or f"{{ref}}`{m[2]} <ref-{m[2]}>`", blocks[i])
    return "".join(blocks)


def inside(text, page, root):
    """Links to files outside of docs/ become plain text: the site stands alone."""
    def keep(match):
        target = ((root / "docs" / page).parent / match[1]).resolve()
        return match[0] if target.is_relative_to(root / "docs") else f"] (`{target.relative_to(root)}`)"
    text = re.sub(r"\]\(\.\./notebooks/\d+_(\w+)\.ipynb\)", r"](gallery/\1.md)", text)
    text = OUTSIDE.sub(keep, text)
    return re.sub(r"\[([^\]]*)\] \((`[^)]*`)\)", r"\1 (\2)", text)


def references(root):
    """docs/references.bib as a page with one anchor per key."""
    out = ["# References", ""]
    for key, body in re.findall(r"^@\w+\{([\w-]+),(.*?)(?=^@|\Z)", (root / "docs" / "references.bib").read_text(), re.MULTILINE | re.DOTALL):
        field = dict(re.findall(r"(\w+)\s*=\s*\{((?:[^{}]|\{[^{}]*\})*)\}", body))
        plain = {k: re.sub(r"[{}\\]", "", v).replace("--", "–").strip() for k, v in field.items()}
        where = f"arXiv {plain['eprint']}" if "eprint" in plain else plain.get("url", plain.get("howpublished", plain.get("publisher", plain.get("journal", ""))))
        parts = [plain.get("author", ""), f"*{plain.get('title', key)}*", plain.get("year", ""), where]
        out += [f"(ref-{key})=", f"## {key}", "", ", ".join(p for p in parts if p) + (f". {plain['note']}" if "note" in plain else "") + ".", ""]
    return "\n".join(out)


SCENARIO = """# Scenario reference

Every key of a scenario has a unit in its name, a range and a sentence. `tidewatt new FILE` writes a scenario with all of them as
comments; the parameters of each model stand on [its page](../models/index.md).
"""


def scenario_pages(out, binary):
    """The scenario reference as the command writes it, with an index. `out`: folder of the site's sources"""
    folder = out / "scenario"
    folder.mkdir(exist_ok=True)
    made = subprocess.run([binary, "schema", "--markdown", folder], capture_output=True, text=True)
    names = sorted(path.stem for path in folder.glob("*.md") if path.stem != "index")
    index = folder / "index.md"
    if made.returncode != 0 or not names:
        index.write_text(SCENARIO)
        return
    toc = "\n".join(["", "```{toctree}", ":hidden:", "", *names, "```", ""])
    index.write_text((index.read_text() if index.exists() else SCENARIO) + toc)


def project_pages(root):
    """Changelog and contributing, with links from the site's root."""
    return {name: re.sub(r"\]\(docs/", "](", (root / source).read_text())
            for name, source in {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}.items()}


def write(root, out, binary):
    """Writes all sources of the site.

    `root`: repository.
    `out`: folder, made new.
    `binary`: the built command, for its help texts.
    Raises SystemExit: a marker names what is not there.
    """
    shutil.copytree(root / "docs", out, ignore=shutil.ignore_patterns("site", "*.bib", "*.toml", "__pycache__"))
    made = {"references.md": references(root), **api_page.pages(), **catalog_pages.pages(root), **project_pages(root)}
    for name, text in made.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text)
    notebook_pages.write(root, out)
    scenario_pages(out, binary)
    commands = out / "command.md"
    commands.write_text(commands.read_text().replace("<!-- command reference -->", command_pages.reference(binary)))
    for path in sorted(out.rglob("*.md")):
        name = path.relative_to(out)
        try:
            path.write_text(cited(inside(fill(root, path.read_text()), name, root)))
        except Wrong as wrong:
            raise SystemExit(f"docs/{name}: {wrong}") from None
