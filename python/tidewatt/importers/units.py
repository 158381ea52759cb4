"""Units as logs write them, in headers, rows of units and cells, and the column that each belongs to."""

from __future__ import annotations

import re

from .report import InputError

# Unit → (suffix in the table, factor, offset): value in the table = (number + offset) × factor.
UNITS = {
    "W": ("W", 1.0, 0.0), "mW": ("W", 1e-3, 0.0), "kW": ("W", 1e3, 0.0), "MW": ("W", 1e6, 0.0), "GW": ("W", 1e9, 0.0), "J": ("J", 1.0, 0.0),
    "mJ": ("J", 1e-3, 0.0), "kJ": ("J", 1e3, 0.0), "MJ": ("J", 1e6, 0.0), "Wh": ("J", 3.6e3, 0.0), "kWh": ("J", 3.6e6, 0.0),
    "MWh": ("J", 3.6e9, 0.0), "degC": ("degC", 1.0, 0.0), "C": ("degC", 1.0, 0.0), "°C": ("degC", 1.0, 0.0), "m°C": ("degC", 1e-3, 0.0),
    "degF": ("degC", 5 / 9, -32.0), "K": ("degC", 1.0, -273.15), "MHz": ("MHz", 1.0, 0.0), "GHz": ("MHz", 1e3, 0.0),
    "Hz": ("MHz", 1e-6, 0.0), "frac": ("frac", 1.0, 0.0), "%": ("frac", 0.01, 0.0), "pct": ("frac", 0.01, 0.0),
}  # fmt: skip
# Words of controllers, building systems and spreadsheets for the units above, in lower case.
WORDS = {
    word: unit
    for unit, words in {
        "W": "watt, watts", "mW": "milliwatt, milliwatts", "kW": "kilowatt, kilowatts", "MW": "megawatt, megawatts", "GW": "gigawatt, gigawatts", "mJ": "millijoules",
        "J": "joule, joules", "kWh": "kw.h, kw-h, kilowatt-hours", "degC": "cel, celsius, degrees c, degrees celsius, deg c, deg. c, ° c, ℃",
        "m°C": "mdegc, millidegc, millicelsius, millidegrees celsius", "degF": "°f, degrees f, deg f, fahrenheit", "K": "kelvin",
        "%": "percent, per cent, prozent", "MHz": "megahertz", "Hz": "hertz",
    }.items()
    for word in words.split(", ")
}
# Units that tables of facilities have and that no quantity here uses: their columns are left out, not misread. A zone is that of a time.
OTHERS = frozenset(
    "rpm v volt volts mv a amp amps ampere va kva mva var kvar cfm m3/h l/min l/s gpm lpm pa kpa bar mbar psi hpa m/s s ms min h hours state status count gb mb mib gib bytes b/s discrete unspecified utc gmt".split()
)
# mW and MW differ by their case alone, so `mw` is asked for; counters of GPUs are in mJ.
_LOWER = {unit.lower(): unit for unit in UNITS if len(unit) > 2 or unit in ("kW", "GW", "°C", "kJ", "Wh")} | {"w": "W", "j": "J", "mj": "mJ", "hz": "Hz"}
_DEGREES = {"c": "degC", "f": "degF", "k": "K", "F": "degF"}  # letters that are units behind a word for a temperature
_WARM = re.compile(r"temp|inlet|outlet|ambient|hotspot|junction|\bdie\b|(dry|wet)_?bulb", re.IGNORECASE)
_AFTER_BRACKET = re.compile(r"\s*[\[(]\s*([^\[\]()]{1,24}?)\s*[\])]\s*$")
_AFTER_MARK = re.compile(r"(?:_|\s*,\s*|\s+-\s+)([^\s_/,\[\]()]{1,12})$")
_CAMEL = re.compile(r"(?<=[a-z])((?<![km])Watts?|KiloWatts?|MegaWatts?|GigaWatts?|MilliWatts?|Celsius|Joules|MilliJoules|MHz)$")  # powerWatts
_AFTER_SPACE = re.compile(r"\s+(mW|kW|MW|W|kWh|°C|degC|MHz|GHz|%)$")


def known(text: str) -> str:
    """A unit's name in `UNITS`, or "". `text`: such as `kW`, `Watts`, `degrees C`"""
    text = text.strip()
    if text in UNITS:
        return text
    lower = text.lower()
    if lower == "mw" or text == "Mj":
        return ""
    return WORDS.get(lower) or _LOWER.get(lower, "")


def convert(value: float, unit: str, to: str) -> float:
    """A number in another unit. `value`: in `unit`; `unit`: as the file writes it; `to`: a name in `UNITS`.
    Raises InputError: nobody's unit, or one of another quantity"""
    suffix, factor, offset = UNITS.get(to, ("", 1.0, 0.0))
    own = UNITS.get(known(unit) or (_DEGREES.get(unit, "") if suffix == "degC" else ""))
    if own is None or own[0] != suffix:
        raise InputError(f"'{unit}' is no unit of it{f', such as {to}' * bool(to)}")
    return value if own == UNITS[to] else digits((value + own[2]) * (own[1] / factor) - offset)


def digits(value: float) -> float:
    """A product without the last digits that binary factors spoil: 1034.6 kW are 1034600 W. `value`: any number"""
    return float(f"{value:.15g}")


def is_unit(text: str) -> bool:
    """Whether a cell of a header is a unit, of use here or not. `text`: the cell, bare or in brackets"""
    bare = text.strip().strip("[]()").strip()
    return bool(known(bare)) or bare.lower() in OTHERS


def split(name: str) -> tuple[str, str]:
    """A column's name without its unit, and the unit: `Leistung [kW]` gives `Leistung` and `kW`; "" where it names none.

    `name`: with the unit in brackets, behind `_`, `,` or ` - `, or behind a space where it cannot be a word of the name. Behind `/`
    it is what something is counted by: EUR/kWh.
    """
    for pattern in (_AFTER_BRACKET, _AFTER_MARK, _AFTER_SPACE):
        match = pattern.search(name)
        if match and match.start() > 0 and not name[: match.start()].lower().endswith(("_per", " per")):
            unit = known(match[1]) or (_DEGREES.get(match[1], "") if _WARM.search(name[: match.start()]) else "")
            if unit:
                return name[: match.start()].strip(), unit
    camel = _CAMEL.search(name)
    return (name[: camel.start()], known(camel[1])) if camel else (name, "")


def is_doubtful(name: str) -> bool:
    """Whether a column's name ends with `mw`, which may be mW or MW. `name`: of the column"""
    return any((m := pattern.search(name)) and m.start() > 0 and m[1] in ("mw", "Mw") for pattern in (_AFTER_BRACKET, _AFTER_MARK))
