"""Catalog pages: every entry with value, source and range of what is assumed."""
import tomllib


def entries(root, kind):
    """Entries of a kind: list of (name, parsed file, text)."""
    folder = root / "catalog" / kind
    return [(p.stem, tomllib.loads(p.read_text()), p.read_text()) for p in sorted(folder.glob("*.toml"))]


def kinds(root):
    return sorted(p.name for p in (root / "catalog").iterdir() if p.is_dir())


def links(root, wanted):
    """Sentence that names the entries of some kinds. Raises KeyError: a kind that the catalog does not have"""
    out = []
    for kind in wanted:
        if kind not in kinds(root):
            raise KeyError(f"catalog kind {kind}")
        names = ", ".join(f"`{name}`" for name, _, _ in entries(root, kind))
        out.append(f"* [{kind}](../catalog/{kind}.md): {names}")
    return "Values, with a source for each and a range where they are assumed:\n\n" + "\n".join(out)


def flat(table, path=""):
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value


def shown(value):
    text = ", ".join(f"{v:g}" if isinstance(v, (int, float)) else str(v) for v in value) if isinstance(value, list) else str(value)
    text = text.replace("|", "\\|").replace("\n", " ")
    return text if len(text) < 160 else text[:150] + " …"


def head(text):
    """The comment in front of an entry's first key."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line[1:].removeprefix(" "))
    return "\n".join(lines)


def page(root, kind):
    out = [f"# Catalog: {kind}", "", f"Files of `catalog/{kind}`; `tidewatt catalog show {kind} NAME` prints one, `tidewatt catalog export NAME` starts your own.",
           "Sources: [R] read in the primary text, [S] in a secondary place, [D] taken from data, [C] calculated, [K] recalled.", ""]
    for name, entry, text in entries(root, kind):
        sources, assumed = entry.pop("sources", {}), entry.pop("assumed", {})
        for key in ("schema", "kind", "name"):
            entry.pop(key, None)
        out += [f"## {name}", "", "```", head(text), "```", "", "| key | value | source | assumed range |", "|---|---|---|---|"]
        for key, value in flat(entry):
            low_high = assumed.get(key)
            source = sources.get(key, sources.get(key.rsplit(".", 1)[0], ""))
            drawn = shown(low_high) if low_high else ""
            drawn = drawn if isinstance(value, str) else drawn.replace(", ", " … ")
            out.append(f"| `{key}` | {shown(value)} | {shown(source)} | {drawn} |")
        out.append("")
    return "\n".join(out)


def pages(root):
    """All pages of the catalog by file name, and their index."""
    made = {f"catalog/{kind}.md": page(root, kind) for kind in kinds(root)}
    made["catalog/index.md"] = "# Catalog\n\nEvery number that the models use, with its source.\n\n```{toctree}\n:maxdepth: 1\n\n" + "\n".join(kinds(root)) + "\n```\n"
    return made
