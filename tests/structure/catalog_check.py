"""Every number of the catalog has a source; every recalled or assumed one has a range that holds its value."""
import re
import tomllib

import repository

META = {"schema", "kind", "name", "sources", "assumed"}
# [R] primary text, [S] secondary place, [D] data file, [C] calculated from these, [K] recalled, also as [K/C]; or words
# that say that the number is no finding about the world.
TAG = re.compile(r"\[[RSDCK](/[RSDCK])*\]|\bdefinition\b|\bchosen by the user\b")
RECALLED = re.compile(r"\[([RSDC]/)*K(/[RSDC])*\]")
# Counts identify a thing (80 layers are another model than 79): a range of them means nothing.
COUNT = re.compile(r"(^|[._])(n_\w+|\w+_gpus)$")
# A climate comes from a file that was read: data, computed from data where the file has none, and the file's digest.
READ_FILE = re.compile(r"\bsha256 [0-9a-f]{12,64}\b.*\[[DC]\]$")
LEAST_CLIMATES = 24


def leaves(table, prefix=""):
    """(dotted key, value) of everything that is not a table."""
    for key, value in table.items():
        path = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from leaves(value, path + ".")
        else:
            yield path, value


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def counts(entry, key):
    return entry.get("kind") == "model" or COUNT.search(key) is not None


def word_findings(key, value, words):
    if len(words) < 2 or len(set(words)) < len(words) or not all(isinstance(x, str) for x in words):
        return [f"[assumed] {key}: a list of words has at least two, each once"]
    return [] if value in words else [f"[assumed] {key}: '{value}' is none of {words}"]


def range_findings(key, value, ends):
    if isinstance(ends, list) and any(isinstance(x, str) for x in ends):
        return word_findings(key, value, ends)
    if not (isinstance(ends, list) and len(ends) == 2 and all(is_number(x) for x in ends)):
        return [f"[assumed] {key}: a range is [low, high]"]
    numbers = value if isinstance(value, list) else [value]
    if not all(is_number(x) for x in numbers):
        return [f"[assumed] {key}: only numbers have ranges"]
    if ends[0] > ends[1]:
        return [f"[assumed] {key}: {ends[0]} is above {ends[1]}"]
    return [f"[assumed] {key}: {x} is outside {ends}" for x in numbers if not ends[0] <= x <= ends[1]]


def entry_findings(entry):
    values = dict(leaves({k: v for k, v in entry.items() if k not in META}))
    sources = dict(leaves(entry.get("sources", {})))
    assumed = dict(leaves(entry.get("assumed", {})))
    found = [f"no `{key}`" for key in ("schema", "kind", "name") if key not in entry]
    for key, value in values.items():
        source = sources.get(key)
        if source is None:
            found.append(f"{key}: no source")
        elif not source.strip():
            found.append(f"{key}: an empty source")
        elif is_number(value) and value != 0 and not TAG.search(source):  # zero: the thing is absent
            found.append(f"{key}: source '{source}' has none of [R] [S] [D] [C] [K], 'definition', 'chosen by the user'")
        elif is_number(value) and RECALLED.search(source) and key not in assumed and not counts(entry, key):
            found.append(f"{key}: recalled [K], so it needs a range in [assumed]")
    for key, ends in assumed.items():
        if key in values:
            found += range_findings(key, values[key], ends)
    for table, keys in (("sources", sources), ("assumed", assumed)):
        found += [f"[{table}] {key}: there is no such value" for key in keys if key not in values]
    return found


def climate_findings(entry):
    """Values whose source names no file that was read. Hours of the daily course may come from several files."""
    sources = dict(leaves(entry.get("sources", {})))
    return [f"{key}: source '{source}' has no file that was read: its sha256, and [D] or [C]" for key, source in sources.items()
            if not (READ_FILE.search(source) or (key in ("low_h", "high_h") and source.endswith("typical-year files, to the hour [D]")))]


def continent(latitude_deg, longitude_deg):
    """By boxes, enough for cities."""
    if longitude_deg < -30:
        return "North America" if latitude_deg > 13 else "South America"
    if latitude_deg < -10 and longitude_deg > 110:
        return "Oceania"
    if latitude_deg > 36 and longitude_deg < 40:
        return "Europe"
    return "Africa" if longitude_deg < 52 and not (latitude_deg > 12 and longitude_deg > 35) else "Asia"


def check(root):
    findings, continents = [], []
    for path in repository.files(root):
        if path.parts[0] != "catalog" or path.suffix != ".toml":
            continue
        try:
            entry = tomllib.loads(repository.text(root, path) or "")
        except tomllib.TOMLDecodeError as error:
            findings.append(f"{path}: {error}")
            continue
        findings += [f"{path}: {finding}" for finding in entry_findings(entry)]
        if entry.get("kind") == "climate":
            findings += [f"{path}: {finding}" for finding in climate_findings(entry)]
            continents.append(continent(entry.get("latitude_deg", 0.0), entry.get("longitude_deg", 0.0)))
        if entry.get("name") != path.stem:
            findings.append(f"{path}: its name is '{entry.get('name')}', not the file's")
        if entry.get("kind") != path.parts[1]:
            findings.append(f"{path}: its kind is '{entry.get('kind')}', not the folder's")
    if continents and (len(continents) < LEAST_CLIMATES or len(set(continents)) < 6):
        findings.append(f"catalog/climate: {len(continents)} places on {len(set(continents))} continents, wanted are {LEAST_CLIMATES} on 6")
    return findings


if __name__ == "__main__":
    repository.main(check)
