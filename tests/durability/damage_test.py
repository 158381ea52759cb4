#!/usr/bin/python3
"""One flipped bit or one truncation in a finished file: damage_test.py [NUMBER OF DAMAGES]

Each is noticed by `tidewatt sweep --verify`, or it is in a place where nothing is stored (the manifest's last, torn line)."""
import random
import shutil
import sys
import tempfile
from pathlib import Path

import sweeps

# One call of the command looks at many damaged files; each must be named.
BATCH = 20


def damage(path, draws):
    data = bytearray(path.read_bytes())
    if draws.random() < 0.25:
        del data[draws.randrange(len(data)):]
        what = f"cut at {len(data)}"
    else:
        bit = draws.randrange(8 * len(data))
        data[bit // 8] ^= 1 << bit % 8
        what = f"bit {bit}"
    path.write_bytes(data)
    return what


def damage_many(n, folder):
    draws = random.Random(11)
    sweep = sweeps.write_sweep(folder, 2 * BATCH, keep=True)
    out = folder / "out"
    assert sweeps.run(sweep, out).returncode == 0
    pristine = folder / "pristine"
    shutil.copytree(out, pristine)
    names = sorted(p.relative_to(out) for p in out.rglob("*.case"))
    tried = missed = 0
    while tried < n:
        victims = []
        for name in draws.sample(names, BATCH):
            victim = out / (name if draws.random() < 0.7 else name.with_suffix(".h5"))
            damage(victim, draws)
            victims.append(victim)
        text = sweeps.run(sweep, out, "--verify").stdout
        missed += sum(str(v) not in text for v in victims)
        tried += BATCH
        for v in victims:
            shutil.copy2(pristine / v.relative_to(out), v)
    for _ in range(20):  # plan and manifest, one at a time
        for name in ("plan.txt", "manifest-1-of-1.txt"):
            damage(out / name, draws)
            result = sweeps.run(sweep, out, "--verify")
            whole = result.returncode == 0 and (out / name).read_bytes() != (pristine / name).read_bytes()
            # A manifest that is only shorter says less, and nothing wrong: the case files vouch for themselves.
            if whole and not (name.startswith("manifest") and (pristine / name).read_bytes().startswith((out / name).read_bytes().rstrip(b"\n")[:-90])):
                missed += 1
            shutil.copy2(pristine / name, out / name)
            tried += 1
    print(f"scorecard 13: {tried} flipped bits and truncations: {missed} undetected")
    return missed == 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tidewatt_damage_") as scratch:
        sys.exit(0 if damage_many(int(sys.argv[1]) if len(sys.argv) > 1 else 2000, Path(scratch)) else 1)
