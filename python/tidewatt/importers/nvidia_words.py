"""What nvidia-smi calls each quantity, by dialect: name → (column of the table, factor to its unit).

Drivers rename things: `clocks_throttle_reasons` became `clocks_event_reasons`, `power_readings` `gpu_power_readings`. Of several
names for one column the first that is there holds."""

from __future__ import annotations

from .report import ImportReport, InputError
from .text import number

CSV = {
    "power.draw.average": ("power_W", 1.0),
    "power.draw": ("power_W", 1.0),
    "power.draw.instant": ("power_instant_W", 1.0),
    "temperature.gpu": ("temperature_degC", 1.0),
    "temperature.memory": ("memory_temperature_degC", 1.0),
    "clocks.current.sm": ("clock_MHz", 1.0),
    "clocks.sm": ("clock_MHz", 1.0),
    "clocks.current.graphics": ("clock_MHz", 1.0),
    "clocks.gr": ("clock_MHz", 1.0),
    "clocks.current.memory": ("memory_clock_MHz", 1.0),
    "clocks.mem": ("memory_clock_MHz", 1.0),
    "enforced.power.limit": ("limit_W", 1.0),
    "power.limit": ("limit_W", 1.0),
    "power.default_limit": ("default_limit_W", 1.0),
    "power.min_limit": ("min_limit_W", 1.0),
    "power.max_limit": ("max_limit_W", 1.0),
    "utilization.gpu": ("utilization_frac", 0.01),
    "utilization.memory": ("memory_utilization_frac", 0.01),
    "fan.speed": ("fan_frac", 0.01),
    "total_energy_consumption": ("energy_J", 1e-3),
}
CSV_TEXT = {
    "timestamp": "time",
    "index": "gpu",
    "name": "model",
    "uuid": "uuid",
    "gpu_uuid": "uuid",
    "gpu_name": "model",
    "gpu_bus_id": "bus",
    "pci.bus_id": "bus",
    "clocks_event_reasons.active": "throttle",
    "clocks_throttle_reasons.active": "throttle",
}

DMON = {
    "pwr": ("power_W", 1.0),
    "gtemp": ("temperature_degC", 1.0),
    "mtemp": ("memory_temperature_degC", 1.0),
    "pclk": ("clock_MHz", 1.0),
    "mclk": ("memory_clock_MHz", 1.0),
    "sm": ("utilization_frac", 0.01),
    "mem": ("memory_utilization_frac", 0.01),
}

# Short names of `dcgmi dmon -e`.
DCGMI = {
    "POWER": ("power_W", 1.0),
    "PWINS": ("power_instant_W", 1.0),
    "TMPTR": ("temperature_degC", 1.0),
    "MMTMP": ("memory_temperature_degC", 1.0),
    "SMCLK": ("clock_MHz", 1.0),
    "MMCLK": ("memory_clock_MHz", 1.0),
    "PMLMT": ("limit_W", 1.0),
    "GPUTL": ("utilization_frac", 0.01),
    "MCUTL": ("memory_utilization_frac", 0.01),
    "TENSO": ("activity_frac", 1.0),
    "DRAMA": ("dram_activity_frac", 1.0),
    "TOTEC": ("energy_J", 1e-3),
}

# Sections of `-q` are indented by four spaces a level.
_Q_POWER = {
    "Average Power Draw": "power_W",
    "Power Draw": "power_W",
    "Instantaneous Power Draw": "power_instant_W",
    "Enforced Power Limit": "limit_W",
    "Current Power Limit": "limit_W",
    "Power Limit": "limit_W",
    "Default Power Limit": "default_limit_W",
    "Min Power Limit": "min_limit_W",
    "Max Power Limit": "max_limit_W",
}
Q = {
    f"{section}/{name}": (key, 1.0)
    for section in ("GPU Power Readings", "Power Readings")
    for name, key in _Q_POWER.items()
}
Q |= {
    "GPU Memory Power Readings/Average Power Draw": ("memory_power_W", 1.0),
    "Temperature/GPU Current Temp": ("temperature_degC", 1.0),
    "Temperature/Memory Current Temp": ("memory_temperature_degC", 1.0),
    "Clocks/SM": ("clock_MHz", 1.0),
    "Clocks/Memory": ("memory_clock_MHz", 1.0),
    "Utilization/GPU": ("utilization_frac", 0.01),
    "Utilization/Gpu": ("utilization_frac", 0.01),
    "Utilization/Memory": ("memory_utilization_frac", 0.01),
    "Fan Speed": ("fan_frac", 0.01),
}
Q_TEXT = {"Product Name": "model", "GPU UUID": "uuid"}

_XML_POWER = {
    "average_power_draw": "power_W",
    "power_draw": "power_W",
    "instant_power_draw": "power_instant_W",
    "enforced_power_limit": "limit_W",
    "current_power_limit": "limit_W",
    "power_limit": "limit_W",
    "default_power_limit": "default_limit_W",
    "min_power_limit": "min_limit_W",
    "max_power_limit": "max_limit_W",
}
XML = {
    f"{section}/{name}": (key, 1.0)
    for section in ("gpu_power_readings", "power_readings")
    for name, key in _XML_POWER.items()
}
XML |= {
    "temperature/gpu_temp": ("temperature_degC", 1.0),
    "temperature/memory_temp": ("memory_temperature_degC", 1.0),
    "clocks/sm_clock": ("clock_MHz", 1.0),
    "clocks/mem_clock": ("memory_clock_MHz", 1.0),
    "utilization/gpu_util": ("utilization_frac", 0.01),
    "utilization/memory_util": ("memory_utilization_frac", 0.01),
    "fan_speed": ("fan_frac", 0.01),
}


def put(row: dict, key: str, cell: str, scale: float, file: str, report: ImportReport) -> None:
    """One cell into a row; a cell that holds no value stays empty, one that cannot be read is mended.

    @param row: with its line number as `row`; @param key: column of the table; @param cell: the text; @param scale: factor to the
    column's unit; @param file: for the place; @param report: takes the remark
    """
    try:
        value, unit = number(cell)
    except InputError as error:
        report.mend(f"{file}:{row['row']}", f"{key}: {error}, left blank")
        return
    # nvidia-smi prints W, C, MHz and %; `nounits` leaves them out; mW is seen in library wrappers.
    row.setdefault(key, value * (1e-3 if unit == "mW" else scale))
