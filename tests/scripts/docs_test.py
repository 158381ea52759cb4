"""The documentation site builds without a warning, and a page that names what is not there is refused."""
import pathlib
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
        for words in ("P_leak(T, V)", "board power limit", "h100_sxm_700W", "V100 ResNet-50"):
            assert words in gpu, words
        assert "GpuModel" in (html / "cpp" / "annotated.html").read_text()
        assert "throughput_swing_percent" in (html / "python_api.html").read_text()
        print(f"{len(models) - 1} model pages, {len(list(html.rglob('*.html')))} pages in all, no warning")
    return 0


if __name__ == "__main__":
    sys.exit(main())
