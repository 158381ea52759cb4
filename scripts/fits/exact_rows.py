"""Fits of one value each to one validation row, whose note says at which value its figure is met: "exact at 0.1234"."""
import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "acceptance"))
import product  # noqa: E402

LAST_DIGITS = 2.01e-4


def exact(binary, rows, groups):
    """{row: value at which its figure is the published one}, as printed: four decimals, like the entries."""
    answers = [r for group in groups for r in product.call([binary, "validate", group, "--json"]).json["rows"]]
    found = {r["id"]: re.search(r"exact at (\d\.\d{4})", r["note"]) for r in answers}
    return {row: found[row][1] for row in rows}


def main(doc, sets, groups):
    """Holds the entries to the rows, or writes the rows' values into them. `sets`: {row: [(key, entries)]}"""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put the values into the entries")
    parser.add_argument("--bin", help="the tidewatt to ask; default: $TIDEWATT or the one built here")
    args = parser.parse_args()
    differing = 0
    for row, value in exact(product.find_binary(args.bin), sets, groups).items():
        for key, entries in sets[row]:
            for name in entries:
                path = next((ROOT / "catalog").glob(f"*/{name}.toml"))
                text = path.read_text(encoding="utf-8")
                line = re.compile(rf"^{key} = ([\d.]+)$", re.M)
                now = line.search(text)[1]
                # Last digits can alternate between neighbours, each of which asks for the other.
                differs = abs(float(now) - float(value)) > LAST_DIGITS
                differing += differs
                print(f"{row:20} {name:12} {key:26} {now} -> {value}{'' if differs else '  (same)'}")
                if args.write and differs:
                    path.write_text(line.sub(f"{key} = {value}", text), encoding="utf-8")
    sys.exit(1 if differing and not args.write else 0)
