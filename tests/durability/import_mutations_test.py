#!/usr/bin/python3
"""Mutated logs through every reader: import_mutations_test.py [--long] [--only KIND] [--show N]

Takes each file of the reference data that `tidewatt import auto` reads, and mutates it (import_mutations.py): 2,000 mutations from a fixed
seed, of which a fixed tenth is tried without `--long`. The truth is what the untouched file gives. A harmless mutation must give the same
digits; one that leaves a trace must give right numbers, a refusal or a warning that names it; no call may end in a traceback. Every 50th
goes through the command line, too. Untouched files warn only as import_untouched.toml lists. `--only` takes one kind of log, `--show`
prints that many findings of a sort (12)."""
import argparse
import collections
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import import_mutations
import numpy as np
import pandas as pd
from import_mutations import BARE, HARMLESS, TRACE

from tidewatt import importers
from tidewatt.importers.text import read_text

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("TIDEWATT_SHARED_DATA") or HERE.parents[2] / "shared" / "data")
SEED, N_MUTATION, SHARE, EVERY_CLI, N_ROW, N_BYTE = 20261130, 2000, 10, 50, 120, 300_000
MEMORY_B = 4 << 30
NUMERIC = re.compile(r"_(w|j|degc|mhz|frac|s|ms|tokens|mwh|kwh|pa|pct)$|^(gpus|nodes|value)$")
LEAST_SAME = 0.95  # share of harmless mutations with the same digits


def shorter(text, path):
    """The beginning of a table, or of every long list of JSON; mutations of 8,760 hours teach what those of 120 do."""
    if path.suffix == ".epw" or text.lstrip()[:1] not in ("{", "["):
        return "".join(text.splitlines(True)[: N_ROW * (10 if "MLLOG" in text[:3000] else 1)])
    try:
        return json.dumps(_shorter(json.loads(text))) if "traceEvents" not in text[:100000] else text
    except ValueError:
        return text


def _shorter(tree):
    if isinstance(tree, dict):
        return {k: _shorter(v) for k, v in tree.items()}
    return [_shorter(v) for v in tree[: 2 * N_ROW]] if isinstance(tree, list) else tree


class Source:
    """A file, its beginning, and what that holds."""

    def __init__(self, path, folder):
        report = importers.ImportReport("", files=[str(path)])
        self.path, self.name = path, path.name.removesuffix(".gz")
        self.text = shorter(read_text(path, report), path)
        copy = folder / self.name
        copy.write_text(self.text, encoding="utf-8")
        done = importers.import_logs("auto", [str(copy)])
        self.kind, self.table, self.warnings = done.report.kind, done.table, set(done.report.warnings)


def sources(folder, only):
    """Files that auto reads, and how many it does not."""
    found, left = [], 0
    for path in sorted(p for p in DATA.rglob("*") if p.is_file() and p.suffix not in (".md", ".yaml", ".raw", ".dyr", ".dat", ".h5")):
        if path.stat().st_size > 2_500_000:
            continue
        try:
            source = Source(path, folder)
        except importers.InputError:
            left += 1
            continue
        if len(source.text) <= N_BYTE and len(source.table) and only in (None, source.kind):
            found.append(source)
    return found, left


def drawn(found, n, long):
    """(number, source, mutation): each mutation once. Every file has one, then kinds of logs take turns, so that no folder of many files rules."""
    draws = random.Random(SEED)
    left = [draws.sample(range(count), count) for count in (len(_mutations(i, s)) for i, s in enumerate(found))]
    by_kind = collections.defaultdict(list)
    for i, source in enumerate(found):
        by_kind[source.kind].append(i)
    turns = [(i, left[i].pop()) for i in range(len(found)) if left[i]]
    while len(turns) < n and any(left):
        for own in by_kind.values():
            own[:] = [i for i in own if left[i]]
            turns += [(i, left[i].pop()) for i in draws.sample(own, min(1, len(own)))]
    numbers = collections.defaultdict(list)
    for k, (i, j) in enumerate(turns[:n]):
        if long or k % SHARE == 0:
            numbers[i].append((k, j))
    for i, own in numbers.items():
        mutations = _mutations(i, found[i])
        for k, j in own:
            yield k, found[i], mutations[j]


def _mutations(i, source):
    return import_mutations.all_of(source.text, source.kind, random.Random(SEED + i))


# --- judging ---


def canonical(table):
    """Numbers to nine digits, instants without zones, texts; NaN stays."""
    out = {}
    for name in table:
        column = table[name]
        if pd.api.types.is_datetime64_any_dtype(column):
            column = column.dt.tz_localize(None) if column.dt.tz is not None else column
            out[name] = column.dt.round("us").astype(object).where(column.notna(), None).map(lambda v: None if v is None else str(v))
        elif pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
            out[name] = column.map(lambda v: None if v != v else f"{v + 0.0:.9g}")
        else:
            out[name] = column.map(lambda v: None if v is None or v != v or v == "" else str(v))
    return pd.DataFrame({name.lower(): column for name, column in out.items()}, dtype=object)


def wrong(table, truth):
    """What of a table is not in the truth, or "": each row must be one of the truth's, with unknown cells for any."""
    own, true = canonical(table), canonical(truth)
    if "uuid" in own and "uuid" in true:  # what a GPU is called depends on what else is there
        own, true = (t.drop(columns="gpu", errors="ignore") for t in (own, true))
    numbers = [c for c in own if c not in true and NUMERIC.search(c) and own[c].notna().any()]
    for name in numbers:  # a number under another name: right if the truth has its values under one
        same = [c for c in true if c.rsplit("_", 1)[-1] == name.rsplit("_", 1)[-1] and set(own[name].dropna()) <= set(true[c].dropna())]
        if not same:
            return f"column {name}"
    common = [c for c in own if c in true and c not in ("file", "resource")]
    rows, masks = collections.Counter(), collections.defaultdict(list)
    for row in own[common].itertuples(index=False, name=None):
        masks[tuple(c is not None for c in row)].append(row)
    for mask in masks:
        kept = [c for c, m in zip(common, mask) if m]
        rows = collections.Counter(true[kept].itertuples(index=False, name=None))
        for row in masks[mask]:
            part = tuple(c for c, m in zip(row, mask) if m)
            rows[part] -= 1
            if rows[part] < 0:
                return f"row {dict(zip(kept, part))}"
    return ""


def same(table, truth):
    """Whether a table has the truth's columns and rows, in any order; further columns of texts may be there."""
    own, true = canonical(table), canonical(truth)
    return set(true) <= set(own) and len(own) == len(true) and not wrong(table, truth) and all(own[c].notna().sum() == true[c].notna().sum() for c in true)


def outcome(source, mutation, path, kind):
    """(same | right | warned | refused | silent | crash, what)"""
    try:
        done = importers.import_logs(kind, [str(path)])
    except importers.InputError as error:
        return ("crash" if "cannot be read as a log" in str(error) else "refused"), str(error)
    except Exception as error:
        return "crash", repr(error)
    if mutation.sort == BARE:
        return "read", ""
    if same(done.table, source.table):
        return "same", ""
    what = wrong(done.table, source.table)
    if not what:
        return "right", ""
    new = [w for w in done.report.warnings if w not in source.warnings]
    named = any(word in line.lower() for line in new for word in mutation.words)
    return ("warned" if named else "silent"), f"{what}; {new[:2]}"


class Tally:
    """Counts and findings."""

    def __init__(self):
        self.counts, self.findings, self.refused = collections.Counter(), collections.defaultdict(list), collections.Counter()

    def add(self, source, mutation, kind, answer, what):
        self.counts[mutation.sort, answer] += 1
        bad = answer == "crash" or mutation.sort == TRACE and answer == "silent" or mutation.sort == HARMLESS and answer != "same"
        if bad:
            self.findings[mutation.sort, answer].append(f"{source.path.relative_to(DATA)} [{kind}], {mutation.name}: {what[:300]}")

    def n(self, sort, *answers):
        return sum(n for (s, a), n in self.counts.items() if s == sort and (not answers or a in answers))


def through_command(path, kind, folder):
    """What is wrong with the exit code and messages of the command line, or ""."""
    line = [sys.executable, "-m", "tidewatt.importers", kind, str(path), "-o", str(folder / "cli.csv")]
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode not in (0, 2) or "Traceback" in done.stderr:
        return f"exit code {done.returncode}: {done.stderr[-300:]}"
    return "" if done.returncode == 0 or done.stderr.startswith("tidewatt: ") else f"no message: {done.stderr[-300:]}"


def untouched(found, whole):
    """Warnings of untouched files that the list does not have: of their beginnings, or of the whole files."""
    listed = tomllib.loads((HERE / "import_untouched.toml").read_text(encoding="utf-8"))["warnings"]
    given = [(s.path, importers.import_logs("auto", [str(s.path)]).report.warnings if whole else s.warnings) for s in found]
    return [f"{path.relative_to(DATA)}: {w}" for path, warnings in given for w in warnings if not any(path.match(x["files"]) and x["words"] in w for x in listed)]


def main(args, folder):
    found, left = sources(folder, args.only)
    tally, commands = Tally(), []
    for k, source, mutation in drawn(found, N_MUTATION, args.long):
        path, kind = folder / source.name, "auto" if k % 4 else source.kind
        path.write_bytes(mutation.data)
        tally.add(source, mutation, kind, *outcome(source, mutation, path, kind))
        if k % EVERY_CLI == 0 and (failed := through_command(path, kind, folder)):
            commands.append(f"{source.path.relative_to(DATA)}, {mutation.name}: {failed}")
    unlisted = untouched(found, args.long)
    for (sort, answer), lines in sorted(tally.findings.items()):
        print(f"\n{sort}, {answer}: {len(lines)}", *lines[: args.show], sep="\n  ")
    for line in [*unlisted[: args.show], *commands]:
        print(line)
    n_harmless, n_trace = tally.n(HARMLESS), tally.n(TRACE)
    n_same, n_silent = tally.n(HARMLESS, "same"), tally.n(TRACE, "silent")
    n_crash = sum(n for (_, a), n in tally.counts.items() if a == "crash") + len(commands)
    n_bad_harmless = tally.n(HARMLESS, "silent")
    print(f"\n{len(found)} files of {len({s.kind for s in found})} kinds ({left} of other kinds); with a trace: {({a: n for (s, a), n in tally.counts.items() if s == TRACE})}")
    print(f"scorecard 28: {n_harmless + n_trace + tally.n(BARE)} mutations of {len(found)} logs: {n_same} of {n_harmless} harmless with the same digits, "
          f"{n_silent + n_bad_harmless} of {n_harmless + n_trace} wrong in silence, {n_crash} tracebacks, {len(unlisted)} warnings of untouched files "
          f"that are not listed; {tally.n(BARE)} without a trace counted apart")  # fmt: skip
    return n_same >= LEAST_SAME * n_harmless and n_silent + n_bad_harmless + n_crash + len(unlisted) == 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--show", type=int, default=12)
    given = parser.parse_args()
    if not DATA.exists():
        print(f"skipped: reference data absent ({DATA})")
        sys.exit(77)
    np.seterr(all="ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_B, MEMORY_B))  # a table of a wrong clock must not fill the machine
    with tempfile.TemporaryDirectory(prefix="tidewatt_mutations_") as scratch:
        sys.exit(0 if main(given, Path(scratch)) else 1)
