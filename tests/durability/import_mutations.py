"""Mutations of importable files, for import_mutations_test.py: each with its sort, and with words of which a warning holds one.

Sorts: `harmless` (another spelling of the same content: the same digits), `trace` (something is lost or contradicts itself, and the file
shows it: right numbers, a refusal, or a warning that names it), `bare` (nothing in the file shows it; counted apart)."""
import csv
import dataclasses
import datetime
import gzip
import io
import json
import re
from decimal import Decimal

HARMLESS, TRACE, BARE = "harmless", "trace", "bare"
# Words of which a warning holds one: about a file that was cut, a column that is gone, a number that is none.
OF_CUT = ("line end", "torn", "cells", "fields", "joined", "complete", "lasts", "ends", "missing", "no time", "is not", "left blank", "not end", "of its own")
OF_COLUMN = ("column", "stamps", "same time", "same row", "tells", "no time", "date", "several", "twice", "names no", "number", "mix", "sources")
OF_NUMBER = ("number", "no value", "blank", "without", "unknown", "missing", "time", "not split")
TIME = re.compile(r"^(\d{4})[-/](\d\d)[-/](\d\d)[ T](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(Z|\+00:00)?$")
NUMBER = re.compile(r"^-?\d+(\.\d+)?$")
WITH_UNIT = re.compile(r"^(-?\d+(?:\.\d+)?) (W|MHz)$")
# Unit at the end of a column's name → (other unit, its number for a number): the same quantity.
OTHER_UNITS = {
    "W": (("kW", lambda v: v / 1000), ("mW", lambda v: v * 1000)),
    "degC": (("degF", lambda v: v * 9 / 5 + 32), ("K", lambda v: v + Decimal("273.15"))),
    "MHz": (("GHz", lambda v: v / 1000), ("Hz", lambda v: v * 1000000)),
    "frac": (("pct", lambda v: v * 100),),
    "J": (("kJ", lambda v: v / 1000),),
    "°C": (("°F", lambda v: v * 9 / 5 + 32),),
    "EUR/MWh": (("EUR/kWh", lambda v: v / 1000), ("c€/kWh", lambda v: v / 10)),
    "USD/MWh": (("USD/kWh", lambda v: v / 1000),),
    "SGD/MWh": (("SGD/kWh", lambda v: v / 1000),),
    "g/kWh": (("kg/MWh", lambda v: v), ("t/MWh", lambda v: v / 1000)),
}
_UNIT_OF_NAME = re.compile(r"^(.*?)( \[| \(|_)(" + "|".join(map(re.escape, OTHER_UNITS)) + r")(\]|\)|)$")


@dataclasses.dataclass(frozen=True)
class Mutation:
    """A file's bytes, their sort, and words of the warning that names what is wrong."""

    name: str
    sort: str
    data: bytes
    words: tuple = ()


class Table:
    """A file of cells: names in the first line, rows of as many cells."""

    def __init__(self, text):
        lines = text.rstrip("\n").split("\n")
        self.delimiter = max(",;\t|", key=lines[0].count)
        records = [[c.strip() for c in r] for r in csv.reader(lines, delimiter=self.delimiter) if r]
        self.names, self.rows = records[0], records[1:]

    @classmethod
    def of(cls, text):
        """The table, or None where the text is none."""
        if text.lstrip()[:1] in "{[<#" or "\n" not in text:
            return None
        try:
            table = cls(text)
        except csv.Error:
            return None
        whole = len(table.rows) > 1 and len(table.names) > 1 and all(len(r) == len(table.names) for r in table.rows)
        return table if whole and table.delimiter != "|" and len(set(table.names)) == len(table.names) and not any(map(NUMBER.match, table.names)) else None

    def text(self, names=None, rows=None, delimiter=None, quoting=csv.QUOTE_MINIMAL):
        out = io.StringIO()
        writer = csv.writer(out, delimiter=delimiter or self.delimiter, quoting=quoting, lineterminator="\n")
        writer.writerows([names or self.names, *(self.rows if rows is None else rows)])
        return out.getvalue()

    def column(self, i):
        return [r[i] for r in self.rows]

    def put(self, i, cells, name=None):
        """The text with another column i."""
        names = [name if name is not None and k == i else n for k, n in enumerate(self.names)]
        return self.text(names, [[*r[:i], c, *r[i + 1 :]] for r, c in zip(self.rows, cells)])

    def times(self):
        """(column, instants) of the first column of calendar times, or None."""
        for i in range(len(self.names)):
            found = [TIME.match(c) for c in self.column(i)]
            if found and all(found):
                return i, [_instant(m) for m in found], bool(found[0][8])
        return None

    def numbers(self):
        """Columns of plain numbers whose names say a unit: (index, stem, mark before, unit, mark behind)."""
        for i, name in enumerate(self.names):
            if (match := _UNIT_OF_NAME.match(name)) and all(NUMBER.match(c) for c in self.column(i)):
                yield i, *match.groups()


def _instant(m):
    part = int(round(float(m[7] or 0) * 1e6))
    return datetime.datetime(*(int(m[k] or 0) for k in range(1, 7)), part, tzinfo=datetime.timezone.utc)


def plain(value):
    """A Decimal without an exponent."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


# --- any text ---


def of_bytes(text, draws):
    yield "byte order mark", HARMLESS, b"\xef\xbb\xbf" + text.encode(), ()
    yield "UTF-16", HARMLESS, text.encode("utf-16"), ()
    yield "UTF-16, big end first", HARMLESS, b"\xfe\xff" + text.encode("utf-16-be"), ()
    yield "CRLF", HARMLESS, text.replace("\n", "\r\n").encode(), ()
    yield "gzip", HARMLESS, gzip.compress(text.encode(), mtime=0), ()
    if not text.isascii():
        try:
            yield "Latin-1", TRACE, text.encode("latin-1"), ("utf-8", "windows-1252")
        except UnicodeEncodeError:
            pass
    at = draws.randrange(len(text) // 10, max(len(text) // 10 + 1, len(text) - 1))
    yield "cut", TRACE, text[:at].encode(), OF_CUT
    if text[:1] not in "{[<":
        yield "blank lines", HARMLESS, _blank_lines(text, draws).encode(), ()
        yield "no line end", HARMLESS, text.rstrip("\n").encode(), ()
        yield "blank lines at the end", HARMLESS, (text + "\n\n\n").encode(), ()


def _blank_lines(text, draws):
    lines = text.split("\n")
    for _ in range(3):
        lines.insert(draws.randrange(2, len(lines) + 1) if len(lines) > 2 else 1, "")
    return "\n".join(lines)


def of_lines(text, draws, kind):
    """Lines of a log doubled and torn."""
    if kind in ("weather", "requests") or text[:1] in "{[<":
        return
    lines = text.rstrip("\n").split("\n")
    sort = HARMLESS if kind in ("price", "carbon", "power") or kind == "prometheus" and "\n#" in text else TRACE
    if "\n" in text and kind != "nvidia-smi" or Table.of(text):
        doubled = [lines[0], *(x for line in lines[1:] for x in (line, line))]
        yield "rows doubled", sort if _has_times(text) else BARE, ("\n".join(doubled) + "\n").encode(), ("again", "same row", "same time", "second", "listed once", "stamps", "twice")


def _has_times(text):
    table = Table.of(text)
    return table is None or table.times() is not None


def of_units(text):
    """Units behind numbers in logs that are no tables, and stamps of another scale."""
    for unit, other in (("W", "kW"), ("MHz", "GHz")):
        found = re.compile(rf"(?<![\w.])(\d+(?:\.\d+)?) {unit}\b")
        if found.search(text):
            yield f"{other} for {unit} in the text", HARMLESS, found.sub(lambda m, other=other: f"{plain(Decimal(m[1]) / 1000)} {other}", text).encode(), ()
    if '"resultType"' in text:
        stamps = re.sub(r"\[(\d{10}(?:\.\d+)?),", lambda m: f"[{int(Decimal(m[1]) * 1000)},", text)
        yield "stamps in ms for s", TRACE, stamps.encode(), ("stamp", "clock", "time")
    elif re.search(r"^# TYPE", text, re.MULTILINE):
        stamps = re.sub(r"(?m)^([A-Za-z].*\S)$", r"\1 1700000000", text)
        yield "stamps in s in text of ms", TRACE, stamps.encode(), ("stamp",)


# --- tables ---


def of_table(t, draws, kind):
    yield "semicolons", HARMLESS, t.text(delimiter=";"), ()
    yield "tabs", HARMLESS, t.text(delimiter="\t"), ()
    yield "all cells quoted", HARMLESS, t.text(quoting=csv.QUOTE_ALL), ()
    order = draws.sample(range(len(t.names)), len(t.names))
    yield "columns in another order", HARMLESS, t.text([t.names[i] for i in order], [[r[i] for i in order] for r in t.rows]), ()
    yield "one more column of words", HARMLESS, t.text([*t.names, "remark"], [[*r, "checked"] for r in t.rows]), ()
    middle = len(t.rows) // 2
    yield "header again in the middle", HARMLESS, t.text(rows=[*t.rows[:middle], t.names, *t.rows[middle:]]), ()
    yield "a line for Excel", HARMLESS, f"sep={t.delimiter}\n" + t.text(), ()
    yield "a title above", HARMLESS, "Export of the building system\n" + t.text(), ()
    all_names = " ".join(t.names)  # the case tells some units
    capitals = BARE if "GBp" in all_names else TRACE if re.search(r"[mk][WJ]|ms\b|Mi|_s\b", all_names) else HARMLESS
    yield "names in capitals", capitals, t.text([n.upper() for n in t.names]), ("column", "unit", "mw")
    small = TRACE if re.search(r"M[WJ](?!h)|_K\b|GBp", all_names) else HARMLESS
    yield "names in small letters", small, t.text([n.lower() for n in t.names]), ("column", "unit", "mw", "gbp")
    yield "blanks behind the commas", HARMLESS, t.text().replace(t.delimiter, t.delimiter + " ") if '"' not in t.text() else t.text(), ()
    k = draws.randrange(len(t.names))
    yield "a column dropped", TRACE, t.text([*t.names[:k], *t.names[k + 1 :]], [[*r[:k], *r[k + 1 :]] for r in t.rows]), OF_COLUMN
    yield "a column renamed", TRACE, t.text([*t.names[:k], "beta", *t.names[k + 1 :]]), ("beta", *OF_COLUMN)
    torn = draws.randrange(len(t.rows))
    yield "a row torn", TRACE, t.text(rows=[r[:-1] if i == torn else r for i, r in enumerate(t.rows)]), ("cells", "fields", "gap", "missing")
    if len(t.names) > 2:
        yield from _of_values(t, draws)
    yield from _of_times(t, draws, kind)


def _of_values(t, draws):
    """Units, marks and words in columns of numbers."""
    found = list(t.numbers())
    if found:
        i, stem, before, unit, behind = draws.choice(found)
        values = [Decimal(c) for c in t.column(i)]
        for other, factor in OTHER_UNITS[unit]:
            yield f"header in {other}", HARMLESS, t.put(i, [plain(factor(v)) for v in values], f"{stem}{before}{other}{behind}"), ()
        if unit == "W":
            yield "a header that ends with mw", TRACE, t.put(i, [plain(v / 1000000) for v in values], f"{stem}{before}mw{behind}"), ("mw",)
            yield "unit in the cells", HARMLESS, t.put(i, [f"{c} W" for c in t.column(i)], stem), ()
            yield "another unit in the cells than in the header", HARMLESS, t.put(i, [f"{plain(v / 1000)} kW" for v in values]), ()
            yield "cells of two units", HARMLESS, t.put(i, [f"{plain(v / 1000)} kW" if k % 2 else f"{v} W" for k, v in enumerate(values)], stem), ()
            yield "a unit that nobody knows", TRACE, t.put(i, [f"{c} hp" if k == 1 else c for k, c in enumerate(t.column(i))]), (stem.lower(), t.names[i].lower())
            yield "watts × 1,000, without a trace", BARE, t.put(i, [plain(v * 1000) for v in values]), ()
        row = draws.randrange(len(t.rows))
        yield "a word for a number", TRACE, t.put(i, ["fault" if k == row else c for k, c in enumerate(t.column(i))]), (stem.lower(), "fault")
        yield "a cell without a value", TRACE, t.put(i, ["" if k == row else c for k, c in enumerate(t.column(i))]), (stem.lower(), "blank", "missing")
        yield "a number above all", TRACE, t.put(i, ["1e400" if k == row else c for k, c in enumerate(t.column(i))]), (stem.lower(), "too large")
    cells = next((i for i in range(len(t.names)) if all(map(WITH_UNIT.match, t.column(i)))), None)
    if cells is not None:
        split = [WITH_UNIT.match(c) for c in t.column(cells)]
        other = {"W": "kW", "MHz": "GHz"}[split[0][2]]
        yield "cells in another unit", HARMLESS, t.put(cells, [f"{plain(Decimal(m[1]) / 1000)} {other}" for m in split], t.names[cells].replace(f"[{split[0][2]}]", f"[{other}]")), ()
        yield "cells in another unit than the header", HARMLESS, t.put(cells, [f"{plain(Decimal(m[1]) / 1000)} {other}" for m in split]), ()
        yield "the unit in the header alone", HARMLESS, t.put(cells, [plain(Decimal(m[1]) / 1000) for m in split], t.names[cells].replace(f"[{split[0][2]}]", f"[{other}]")), ()
    if any("." in c for r in t.rows for c in r if NUMBER.match(c)) and t.delimiter != ";":
        comma = [[c.replace(".", ",") if NUMBER.match(c) else c for c in r] for r in t.rows]
        yield "decimal commas", HARMLESS, t.text(rows=comma, delimiter=";"), ()
        if any(c.count(".") and len(c.partition(".")[2]) != 3 for r in t.rows for c in r if NUMBER.match(c)):
            yield "decimal commas in quotes", TRACE, t.text(rows=comma), ("comma", "decimal")


TABLES = ("csv", "power", "price", "carbon", "requests", "weather", "nvidia-smi", "rocm-smi")
FORMS = {  # how another clock writes the same instant
    "slashes, year first": "%Y/%m/%d %H:%M:%S.%f", "day first with dots": "%d.%m.%Y %H:%M:%S", "name of the month": "%d-%b-%Y %H:%M:%S", "a T between": "%Y-%m-%dT%H:%M:%S.%f",
}  # fmt: skip


def _of_times(t, draws, kind):
    """The same instants on other clocks, and clocks that contradict themselves."""
    if (found := t.times()) is None:
        return
    i, times, aware = found
    if re.search(r"UTC|Local", t.names[i]) or kind == "nvidia-smi" and not t.names[i].startswith("timestamp"):
        return
    whole = all(s.microsecond == 0 for s in times)
    for name, form in FORMS.items():
        if (whole or "%f" in form) and (not aware or "T" in form):
            yield f"times: {name}", HARMLESS, t.put(i, [s.strftime(form if not whole else form.replace(".%f", "")) + ("Z" if aware else "") for s in times]), ()
    ms = [int(s.timestamp() * 1000 + 0.5) for s in times]
    if all(s.microsecond % 1000 == 0 for s in times):
        yield "times: Unix time in ms", HARMLESS, t.put(i, [str(m) for m in ms]), ()
        yield "times: Unix time in ns", HARMLESS, t.put(i, [f"{m}000000" for m in ms]), ()
        yield "times: from s to ms in the middle", TRACE, t.put(i, [str(m if k > len(ms) // 2 else m // 1000) for k, m in enumerate(ms)]), ("time", "clock", "unix", "ms")
    if whole:
        yield "times: Unix time in s", HARMLESS, t.put(i, [str(m // 1000) for m in ms]), ()
        yield "times: month first, AM and PM", TRACE, t.put(i, [s.strftime("%m/%d/%Y %I:%M:%S %p") for s in times]), ("month", "day")
    east = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
    yield "times: of another zone", HARMLESS, t.put(i, [s.astimezone(east).isoformat() for s in times]), ()
    half = [s.astimezone(east).isoformat() if k % 2 else s.strftime("%Y-%m-%d %H:%M:%S.%f") for k, s in enumerate(times)]
    yield "times: half of them with an offset", TRACE, t.put(i, half), ("offset", "zone")
    order = draws.sample(range(len(t.rows)), len(t.rows))
    yield "rows in another order", TRACE, t.text(rows=[t.rows[k] for k in order]), ("sorted", "clock", "rise", "order")
    yield "an hour later, without a trace", BARE, t.put(i, [(s + datetime.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%S.%f") + ("Z" if aware else "") for s in times]), ()


# --- JSON ---


def of_json(text, draws):
    try:
        tree = json.loads(text)
    except ValueError:
        return
    yield "JSON over lines", HARMLESS, json.dumps(tree, indent=2), ()
    yield "JSON in one line", HARMLESS, json.dumps(tree, separators=(",", ":")), ()
    yield "keys in another order", HARMLESS, json.dumps(_reversed(tree)), ()
    for name, new in (("null for a number", None), ("a word for a number", "fault"), ("a number in quotes", str), ("a number above all", 1e400)):
        path, value = _leaf(tree, draws)
        if path:
            yield name, TRACE, json.dumps(_with(tree, path, new(value) if new is str else new)), (str(path[-1]).lower(), *OF_NUMBER)


def _reversed(tree):
    if isinstance(tree, dict):
        return {k: _reversed(v) for k, v in reversed(tree.items())}
    return [_reversed(v) for v in tree] if isinstance(tree, list) else tree


def _leaf(tree, draws):
    """A path to a number, by steps drawn from the root."""
    for _ in range(50):
        node, path = tree, []
        while isinstance(node, (dict, list)) and node:
            path.append(draws.choice(list(node)) if isinstance(node, dict) else draws.randrange(len(node)))
            node = node[path[-1]]
        if isinstance(node, (int, float)) and not isinstance(node, bool):
            return path, node
    return None, None


def _with(tree, path, value):
    if not path:
        return value
    copy = dict(tree) if isinstance(tree, dict) else list(tree)
    copy[path[0]] = _with(tree[path[0]], path[1:], value)
    return copy


def all_of(text, kind, draws):
    """Every mutation of a file. `text`: of the file; `kind`: of the log; `draws`: a random.Random"""
    found = [*of_bytes(text, draws), *of_lines(text, draws, kind)]
    table = Table.of(text) if kind in TABLES else None
    found += [*of_table(table, draws, kind)] if table else [*of_json(text, draws)] if text.lstrip()[:1] in "{[" else []
    found += [] if table or kind == "sacct" else [*of_units(text)]
    return [Mutation(name, sort, data if isinstance(data, bytes) else data.encode(), words) for name, sort, data, words in found]
