"""The figures in the prose are those of the runs; a page that says otherwise, or no longer says it, is found."""
import pathlib
import subprocess
import sys
import tempfile

from script import load

ROOT = pathlib.Path(__file__).resolve().parents[2]
module = load("prose_figures")

FIGURES = module.Figures({"swing_percent": 0.8011, "n": 16384, "list": [{"x": -1.25}]})
TEXT = "swings by **{swing_percent:.2f} %** with {n:,} GPUs, {list.0.x:.2f} and {n / list.0.x:.0f}"


def found_in(page, write=False):
    with tempfile.TemporaryDirectory() as folder:
        module.product.ROOT = pathlib.Path(folder)
        path = pathlib.Path(folder) / "page.md"
        path.write_text(page, encoding="utf-8")
        return module.compare("page.md", TEXT.replace(", {list.0.x:.2f} and {n / list.0.x:.0f}", ""), FIGURES, write), path.read_text(encoding="utf-8")


def main():
    assert module.sentence(FIGURES, TEXT) == "swings by **0.80 %** with 16,384 GPUs, −1.25 and −13107"
    assert found_in("It swings by **0.80 %**\nwith 16,384 GPUs.")[0] is None  # a line break is no difference
    assert "run says" in found_in("It swings by **0.81 %** with 16,384 GPUs.")[0]
    assert "no sentence" in found_in("It swings.")[0]
    wrong, text = found_in("It swings by **0.81 %**\nwith 8,192 GPUs.", write=True)
    assert wrong is None and text == "It swings by **0.80 %**\nwith 16,384 GPUs.", text
    done = subprocess.run([ROOT / "scripts" / "prose_figures"], capture_output=True, text=True)
    print(done.stdout + done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
