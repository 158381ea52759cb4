"""The documentation site builds without a warning, and a page that names what is not there is refused."""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
sys.path.insert(0, str(ROOT / "docs" / "site"))
sys.dont_write_bytecode = True
import pages  # noqa: E402


def refused(marker):
    try:
        pages.fill(ROOT, marker)
    except pages.Wrong:
        return True
    return False


def main():
    for marker in ("header: power/gpu.hpp NoSuchModel", "parameters: NoSuchParams", "validation: Z99", "tests: power/no_such"):
        assert refused(f"<!-- {marker} -->"), f"a page may name what is not there: {marker}"
    import equations
    assert equations.typeset("    P = P_0 + a² √x   (E_r − η)/τ") .startswith("P = P_{0} + a^{2}"), equations.typeset("    P = P_0 + a² √x")
    drawing = "    a ──┬── b\n"
    assert equations.typeset_blocks(drawing) == drawing, "a drawing stays as it is"
    parameters = pages.parameters(ROOT, ["GpuPowerParams"])
    assert "| `tdp_W` | 50 … 5000 | board power limit |" in parameters, parameters
    with tempfile.TemporaryDirectory(prefix="docs_") as out:
        made = subprocess.run([sys.executable, ROOT / "scripts" / "docs", out], capture_output=True, text=True)
        if made.returncode == 3:
            print(f"skipped: {made.stderr.strip()}")
            return SKIPPED
        assert made.returncode == 0, made.stderr[-4000:]
        html = pathlib.Path(out) / "html"
        models = sorted((ROOT / "docs" / "models").glob("*.md"))
        for path in models:
            page = (html / "models" / f"{path.stem}.html").read_text()
            assert "&lt;!--" not in page and "<!-- header" not in page, f"{path.name}: a marker is left"
        gpu = (html / "models" / "gpu_power.html").read_text()
        for words in ("board power limit", "h100_sxm_700W", "V100 ResNet-50", 'class="math notranslate'):
            assert words in gpu, words
        assert r"P_{\mathrm{leak}}(T, V)" in gpu, "equations are typeset"
        assert "GpuModel" in (html / "cpp" / "annotated.html").read_text()
        python = "".join(path.read_text() for path in (html / "python").glob("*.html"))
        sys.path.insert(0, str(ROOT / "python"))
        import tidewatt  # the names alone need nothing compiled
        absent = [name for name in tidewatt.__all__ if name != "report" and f'id="tidewatt.{name}"' not in python]
        assert not absent, f"the Python API lacks {absent}"
        assert "tidewatt sweep" in (html / "command.html").read_text()
        outside = [str(p) for p in html.rglob("*.html") if "cpp" not in p.parts and re.search(r'(?:src|href)="https?://[^"]*\.(?:js|css|woff)', p.read_text())]
        assert not outside, f"pages need the network: {outside[:5]}"
        assert (html / "_static" / "mathjax" / "MathJax.js").exists()
        gallery = (html / "gallery" / "index.html").read_text()
        assert gallery.count("data:image/png;base64,") == len(list((ROOT / "notebooks").glob("*.ipynb")))
        print(f"{len(models) - 1} model pages, {len(list(html.rglob('*.html')))} pages in all, no warning")
    return 0


if __name__ == "__main__":
    sys.exit(main())
