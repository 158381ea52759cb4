"""Units of prices and carbon intensities, as markets and grids write them, and their factors to …/MWh and g/kWh."""

from __future__ import annotations

import re
from typing import NamedTuple, Optional

from .report import InputError

_PER = re.compile(r"(?:/|\s+per\s+|_per_)\s*([kMG]?Wh)(?:[a-z]{1,2})?(?![A-Za-z])", re.IGNORECASE)
_MWH = {"wh": 1e6, "kwh": 1e3, "mwh": 1.0, "gwh": 1e-3}  # per …: factor to per MWh
# What stands before the `/`: (pattern, currency, part of it). Case tells GBP from GBp. An empty currency is one that the text does not say.
_MONEY = (
    (r"GBp|GBX|(?<![A-Za-z])p|pence|pennies", "GBP", 0.01),
    (r"[cC]€|€c|¢€|€¢|ct€|€ct|EUR ?-?ct|EUR ?-?[Cc]ents?|ct ?EUR|cents? EUR|c ?EUR|[Ee]uro ?-?[Cc]ents?|(?<![A-Za-z])[Cc]ts?", "EUR", 0.01),
    (r"c\$|\$c|US ?-?cents?|USc|US¢|USD ?-?cents?|cents? USD|c ?USD", "USD", 0.01),
    (r"AU ?-?cents?|AUc|AUD ?-?cents?|c ?AUD|A¢", "AUD", 0.01),
    (r"CAD ?-?cents?|c ?CAD|C¢", "CAD", 0.01),
    (r"NZ ?-?cents?|NZc|NZD ?-?cents?|c ?NZD", "NZD", 0.01),
    (r"SEK ?-?öre|SEK ?-?ore", "SEK", 0.01),
    (r"NOK ?-?øre|NOK ?-?ore|øre NOK", "NOK", 0.01),
    (r"DKK ?-?øre|DKK ?-?ore", "DKK", 0.01),
    (r"Rp|Rappen|CHF ?-?ct", "CHF", 0.01),
    (r"(?<![A-Za-z])(?:c|[Cc]ents?)|¢|öre|øre|ore", "", 0.01),
    (r"AU\$|A\$", "AUD", 1.0),
    (r"CA\$|C\$", "CAD", 1.0),
    (r"NZ\$", "NZD", 1.0),
    (r"S\$", "SGD", 1.0),
    (r"US\$", "USD", 1.0),
    (r"€|[Ee]uros?|EURO", "EUR", 1.0),
    (r"£", "GBP", 1.0),
    (r"\$|[Dd]ollars?", "$", 1.0),
)
_CODE = re.compile(r"(?<![A-Za-z])([A-Z]{3}|(?i:eur|usd|gbp|aud|cad|nzd|sgd|sek|nok|dkk|chf|pln|czk|huf|ron|bgn|jpy|inr|cny|krw|brl|mxn|zar|try))$")
# Whose dollar `$` is, by words of the file or the clock's zone.
_DOLLARS = (("AUD", r"\bRRP\b|\bAUD\b|AEMO|\b(NSW|QLD|VIC|SA|TAS)1\b|Australia/"), ("NZD", r"\bNZD?\b|Auckland"), ("SGD", r"\bSGD?\b|USEP|Singapore"),
            ("CAD", r"\bCAD\b|HOEP|IESO|AESO|Ontario|Alberta|America/(Toronto|Edmonton|Vancouver|Winnipeg|Regina|Halifax|Montreal|Calgary)"),
            ("USD", r"\bUSD?\b|LMP|CAISO|ERCOT|PJM|MISO|NYISO|ISO-?NE|\bSPP\b|US/|America/(New_York|Detroit|Chicago|Denver|Phoenix|Los_Angeles)"))  # fmt: skip
_MASS = {"g": 1.0, "gram": 1.0, "grams": 1.0, "kg": 1e3, "t": 1e6, "tonne": 1e6, "tonnes": 1e6, "metric tons": 1e6, "mt": 1e6, "lb": 453.59237, "lbs": 453.59237, "pounds": 453.59237}
_CO2 = re.compile(r"[ _-]*CO[2₂](?:[ _-]*(?:equivalent|eq|e)\.?)?$", re.IGNORECASE)
PERCENT = re.compile(r"%|percent|\bpct\b|_pct\b|share|fraction", re.IGNORECASE)


class PriceUnit(NamedTuple):
    """Currency by ISO 4217 (`$` where it may be one of several), factor to that currency per MWh, and a doubt in words or ""."""

    currency: str
    per_MWh: float
    doubt: str = ""


def price_unit(text: str) -> Optional[PriceUnit]:
    """The unit that a text says, such as `Price (EUR/MWh)`, `c€/kWh`, `GBp/kWh`; None where it says none. `text`: a column's name, or a unit"""
    match = _PER.search(text)
    if match is None:
        return None
    before = text[: match.start()].rstrip()
    for pattern, currency, part in _MONEY:
        found = re.search(rf"(?:{pattern})$", before)
        if found:
            doubt = f"'{found[0]}' is taken as euro cents" if re.fullmatch("cts?", found[0]) else ""
            return PriceUnit(currency, part * _MWH[match[1].lower()], doubt)
    code = _CODE.search(before)
    if code is None:
        return None
    return PriceUnit(code[1].upper(), _MWH[match[1].lower()], "'gbp' is taken as pounds; GBp, pence, is written alike (--unit price=GBp/kWh)" if code[1] == "gbp" else "")


def dollars_of(words: str) -> str:
    """The currency of a bare `$` by what else the file or the caller says; "" where nothing tells. `words`: names of columns, file and zone"""
    return next((currency for currency, pattern in _DOLLARS if re.search(pattern, words, re.IGNORECASE)), "")


def carbon_factor(text: str) -> Optional[float]:
    """Factor to g/kWh of a text such as `gCO2eq/kWh`, `lb_per_MWh` or `tCO2/MWh`; None where it says no unit. `text`: a column's name, or a unit"""
    match = _PER.search(text)
    if match is None:
        return None
    before = _CO2.sub("", text[: match.start()].rstrip())
    mass = re.search(r"(?:^|[^A-Za-z])(metric tons|[A-Za-z]+)$", before)
    factor = _MASS.get(mass[1].lower()) if mass else None
    return None if factor is None else factor * _MWH[match[1].lower()] * 1e-3


def told(units: Optional[dict[str, str]], name: str, column: str, file: str) -> str:
    """The caller's unit of a quantity, by its name here or by its column; "" without one.

    Parameters
    ----------
    units
        Of the caller.
    name
        `price` or `carbon`.
    column
        Of the file.
    file
        For the error.

    Raises
    ------
    InputError
        a unit is of neither, and would do nothing.
    """
    idle = set(units or ()) - {name, column}
    if idle:
        raise InputError(f"{file}: --unit {next(iter(idle))}=… does nothing: the column is '{column}', so say --unit {name}=UNIT")
    return (units or {}).get(name) or (units or {}).get(column, "")
