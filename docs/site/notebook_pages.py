"""Notebooks with their stored outputs as pages, and a gallery of them."""
import base64
import html
import json
import re


def stem(path):
    return re.sub(r"^\d+_", "", path.stem)


def cells(path):
    return json.loads(path.read_text())["cells"]


def joined(text):
    return text if isinstance(text, str) else "".join(text)


def linked(text):
    """Links between notebooks, and from them to docs/, as links of the site."""
    text = re.sub(r"\]\((?:\.\./notebooks/)?\d+_(\w+)\.ipynb\)", r"](\1.md)", text)
    return text.replace("](../docs/", "](../")


def shown(output, folder, name):
    """One stored output as Markdown; pictures become files in a folder."""
    data = output.get("data", {})
    if "image/png" in data:
        (folder / name).write_bytes(base64.b64decode(joined(data["image/png"])))
        return [f"![]({name})", ""]
    if "text/html" in data:
        return ["```{raw} html", joined(data["text/html"]), "```", ""]
    text = joined(output.get("text") or data.get("text/plain") or "")
    return ["```text", text.rstrip(), "```", ""] if text.strip() else []


def page(path, folder):
    """A notebook as Markdown. `folder`: where pictures go. Returns text, title, question, first picture"""
    out, pictures = [], []
    for number, cell in enumerate(cells(path)):
        source = joined(cell["source"])
        if cell["cell_type"] == "markdown":
            out += [linked(source), ""]
            continue
        out += ["```python", source, "```", ""]
        for k, output in enumerate(cell["outputs"]):
            name = f"{stem(path)}_{number}_{k}.png"
            lines = shown(output, folder, name)
            pictures += [name] if lines and lines[0].startswith("![]") else []
            out += lines
    head = joined(cells(path)[0]["source"])
    title = re.search(r"^# (.+)$", head, re.MULTILINE)[1]
    question = re.search(r"\*\*(.+?)\*\*", head, re.DOTALL)
    out += ["", f"This page is the notebook `notebooks/{path.name}`, with the outputs of its last run."]
    return "\n".join(out), title, " ".join(question[1].split()) if question else "", pictures[0] if pictures else ""


def write(root, out):
    """All notebooks below out/gallery, with an index. `root`: repository"""
    folder = out / "gallery"
    folder.mkdir(parents=True)
    cards, names = [], []
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        text, title, question, picture = page(path, folder)
        (folder / f"{stem(path)}.md").write_text(text)
        names.append(stem(path))
        image = base64.b64encode((folder / picture).read_bytes()).decode() if picture else ""
        cards.append(f'<a href="{stem(path)}.html"><img alt="" src="data:image/png;base64,{image}"><b>{html.escape(title)}</b><span>{html.escape(question)}</span></a>')
    index = ["# Gallery", "", "One question, one answer, one picture each. Every page is an executed notebook of `notebooks/`.", "",
             "```{raw} html", '<div class="gallery">', *cards, "</div>", "```", "", "```{toctree}", ":hidden:", "", *names, "```", ""]
    (folder / "index.md").write_text("\n".join(index))
