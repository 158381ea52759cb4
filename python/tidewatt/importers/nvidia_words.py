"""What nvidia-smi calls each quantity, by dialect: name → (column of the table, factor to its unit).

Drivers rename things: `clocks_throttle_reasons` became `clocks_event_reasons`, `power_readings` `gpu_power_readings`. Of several
names for one column the first that is there holds."""

from __future__ import annotations

import math

from .report import ImportReport, InputError
from .text import number
from .units import convert


def meanings(words: dict[str, str]) -> dict[str, tuple[str, float]]:
    """Name → (column, factor) from column → names: shares are in %, energies in mJ, the rest is in the column's unit, unless a name says `*factor`.

    `words`: names by column, with `, ` between them, the first one first
    """
    out = {}
    for column, names in words.items():
        usual = {"frac": 0.01, "J": 1e-3}.get(column.rsplit("_", 1)[-1], 1.0)
        for name, _, factor in (n.partition("*") for n in names.split(", ")):
            out[name] = (column, float(factor or usual))
    return out


CSV = meanings({
    "power_W": "power.draw.average, power.draw",
    "power_instant_W": "power.draw.instant",
    "temperature_degC": "temperature.gpu",
    "memory_temperature_degC": "temperature.memory",
    "clock_MHz": "clocks.current.sm, clocks.sm, clocks.current.graphics, clocks.gr",
    "memory_clock_MHz": "clocks.current.memory, clocks.mem",
    "limit_W": "enforced.power.limit, power.limit",
    "default_limit_W": "power.default_limit",
    "min_limit_W": "power.min_limit",
    "max_limit_W": "power.max_limit",
    "utilization_frac": "utilization.gpu",
    "memory_utilization_frac": "utilization.memory",
    "fan_frac": "fan.speed",
    "energy_J": "total_energy_consumption",
})
CSV_TEXT = {
    "hostname": "host", "host": "host", "node": "host", "nodename": "host",
    "timestamp": "time", "index": "gpu", "name": "model", "uuid": "uuid", "gpu_uuid": "uuid", "gpu_name": "model", "gpu_bus_id": "bus",
    "pci.bus_id": "bus", "clocks_event_reasons.active": "throttle", "clocks_throttle_reasons.active": "throttle",
}  # fmt: skip

DMON = meanings({
    "power_W": "pwr",
    "temperature_degC": "gtemp",
    "memory_temperature_degC": "mtemp",
    "clock_MHz": "pclk",
    "memory_clock_MHz": "mclk",
    "utilization_frac": "sm",
    "memory_utilization_frac": "mem",
})
# Short names of `dcgmi dmon -e`.
DCGMI = meanings({
    "power_W": "POWER",
    "power_instant_W": "PWINS",
    "temperature_degC": "TMPTR",
    "memory_temperature_degC": "MMTMP",
    "clock_MHz": "SMCLK",
    "memory_clock_MHz": "MMCLK",
    "limit_W": "PMLMT",
    "utilization_frac": "GPUTL",
    "memory_utilization_frac": "MCUTL",
    "activity_frac": "TENSO*1",
    "dram_activity_frac": "DRAMA*1",
    "energy_J": "TOTEC",
})


def _in_sections(sections, words):
    """The same names in each of several sections of a report."""
    return {f"{section}/{name}": meaning for section in sections for name, meaning in words.items()}


# Sections of `-q` are indented by four spaces a level.
_Q_POWER = meanings({
    "power_W": "Average Power Draw, Power Draw",
    "power_instant_W": "Instantaneous Power Draw",
    "limit_W": "Enforced Power Limit, Current Power Limit, Power Limit",
    "default_limit_W": "Default Power Limit",
    "min_limit_W": "Min Power Limit",
    "max_limit_W": "Max Power Limit",
})
Q = _in_sections(("GPU Power Readings", "Power Readings"), _Q_POWER) | meanings({
    "memory_power_W": "GPU Memory Power Readings/Average Power Draw",
    "temperature_degC": "Temperature/GPU Current Temp",
    "memory_temperature_degC": "Temperature/Memory Current Temp",
    "clock_MHz": "Clocks/SM",
    "memory_clock_MHz": "Clocks/Memory",
    "utilization_frac": "Utilization/GPU, Utilization/Gpu",
    "memory_utilization_frac": "Utilization/Memory",
    "fan_frac": "Fan Speed",
})
Q_TEXT = {"Product Name": "model", "GPU UUID": "uuid"}
_XML_POWER = meanings({
    "power_W": "average_power_draw, power_draw",
    "power_instant_W": "instant_power_draw",
    "limit_W": "enforced_power_limit, current_power_limit, power_limit",
    "default_limit_W": "default_power_limit",
    "min_limit_W": "min_power_limit",
    "max_limit_W": "max_power_limit",
})
XML = _in_sections(("gpu_power_readings", "power_readings"), _XML_POWER) | meanings({
    "temperature_degC": "temperature/gpu_temp",
    "memory_temperature_degC": "temperature/memory_temp",
    "clock_MHz": "clocks/sm_clock",
    "memory_clock_MHz": "clocks/mem_clock",
    "utilization_frac": "utilization/gpu_util",
    "memory_utilization_frac": "utilization/memory_util",
    "fan_frac": "fan_speed",
})


def take(row: dict, cells, words, file: str, report: ImportReport, say_blank: bool = False, units=None) -> None:
    """A tool's cells into a row: of several names for one column the first with a value holds. A cell that cannot be read is mended.

    Parameters
    ----------
    row
        With its line number as `row`.
    cells
        Texts by the tool's names.
    words
        Of `meanings`.
    file
        For the places.
    report
        Takes the remarks.
    say_blank
        Report power, temperature and clock without a value.
    units
        Those of a header, by name.
    """
    for name, (key, scale) in words.items():
        if name not in cells or not math.isnan(row.get(key, math.nan)):
            continue
        try:
            value, unit = number(cells[name])
            unit = unit or (units or {}).get(name, "")
            row[key] = convert(value, unit, key.rsplit("_", 1)[-1]) if unit else value * scale
        except InputError as error:
            report.mend(f"{file}:{row['row']}", f"{key}: {error}, left blank")
            continue
        if say_blank and math.isnan(value) and key in ("power_W", "temperature_degC", "clock_MHz"):
            report.mend(f"{file}:{row['row']}", f"{key}: '{cells[name].strip()}', left blank")
