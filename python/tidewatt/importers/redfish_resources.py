"""The readings inside each kind of Redfish resource (DMTF schemas; HPE's iLO 4 uses an older form of Power and Thermal)."""

from __future__ import annotations

import re
from typing import Any, Iterator, Optional

import pandas as pd

_UNITS = {
    "W": "power_W", "Watts": "power_W", "J": "energy_J", "kW.h": "energy_kWh", "kWh": "energy_kWh", "Cel": "temperature_degC", "V": "voltage_V",
    "A": "current_A", "Hz": "frequency_Hz", "RPM": "fan_rpm", "{rev}/min": "fan_rpm", "%": "fan_frac", "Percent": "fan_frac",
}  # fmt: skip
_TYPES = {
    "Power": "power_W", "EnergyJoules": "energy_J", "EnergykWh": "energy_kWh", "Temperature": "temperature_degC", "Voltage": "voltage_V",
    "Current": "current_A", "Frequency": "frequency_Hz", "Rotational": "fan_rpm", "Percent": "fan_frac",
}  # fmt: skip
# Reports carry no units; sensor names and the property they point to do.
_NAMES = ((r"energy", "energy_J"), (r"power|watt|^pwr_", "power_W"), (r"te?mp", "temperature_degC"), (r"volt", "voltage_V"), (r"fan|spd", "fan_rpm"))
_STATISTIC = ((r"^avg|average", "mean"), (r"^min", "min"), (r"^max", "max"))
_PLAIN = {
    "PowerWatts": "power_W", "InputPowerWatts": "power_W", "OutputPowerWatts": "power_W", "EnergyJoules": "energy_J", "EnergykWh": "energy_kWh",
    "TemperatureCelsius": "temperature_degC", "InputVoltage": "voltage_V", "InputCurrentAmps": "current_A", "FrequencyHz": "frequency_Hz",
}  # fmt: skip


def quantity_of_units(units: Optional[str]) -> str:
    """Column name of a unit; "" where it is unknown. `units`: `ReadingUnits` of a sensor."""
    return _UNITS.get(units or "", "")


def kind_of(resource: dict) -> str:
    """ "MetricReport", "Sensor", "Power", … `resource`: a Redfish resource."""
    return str(resource.get("@odata.type") or resource.get("Type") or "").lstrip("#").partition(".")[0]


def rows(resource: dict, units: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Readings of one resource. `resource`: its JSON; `units`: quantity by sensor address, for reports without units."""
    kind = kind_of(resource)
    for row in _READERS[kind](resource, units) if kind in _READERS else ():
        row = {"statistic": "instant", "chassis": _chassis(row.pop("uri", "") or str(resource.get("@odata.id", ""))), "resource": kind, **row}
        yield _in_si(row)


def _in_si(row: dict) -> dict:
    """Its value as a number, NaN where it is none, in SI."""
    row["value"] = _number(row["value"])
    if row["quantity"] == "energy_kWh":
        row["quantity"], row["value"] = "energy_J", row["value"] * 3.6e6
    if row["quantity"] == "fan_frac":
        row["value"] /= 100.0
    return row


def _number(value) -> float:
    return float(pd.to_numeric(value, errors="coerce")) if isinstance(value, (int, float, str)) else float("nan")


def _list(resource: dict, key: str) -> list[dict]:
    """A list of parts; some controllers write one part without a list."""
    found = resource.get(key) or []
    return [part for part in (found if isinstance(found, list) else [found]) if isinstance(part, dict)]


def _values(sensor: str, part, quantities: dict[str, str], **more) -> Iterator[dict]:
    """Readings by the properties that a part has."""
    for key, quantity in quantities.items():
        if part and part.get(key) is not None:
            yield {"sensor": sensor, "quantity": quantity, "value": part[key], **more}


def _chassis(uri: str) -> str:
    match = re.search(r"/(?:Chassis|Systems)/([^/#]+)", uri)
    return match[1] if match else ""


def _quantity_of_name(words: str) -> str:
    return next((q for pattern, q in _NAMES if re.search(pattern, words.strip(), re.IGNORECASE)), "")


def _metric_report(resource, units):
    for value in _list(resource, "MetricValues"):
        uri, metric = value.get("MetricProperty", ""), value.get("MetricId") or ""
        sensor = uri.rpartition("/")[2] if "#" not in uri else metric or resource.get("Id", "")
        quantity = units.get(uri) or _quantity_of_name(f"{metric} {sensor} {uri.partition('#')[2]}")
        if not quantity:
            continue
        statistic = next((s for pattern, s in _STATISTIC if re.search(pattern, metric, re.IGNORECASE)), "instant")
        stale = any(isinstance(oem, dict) and oem.get("MetricValueStale") for oem in (value.get("Oem") or {}).values())
        reading = {"time": value.get("Timestamp"), "value": value.get("MetricValue"), "flag": "stale" if stale else ""}
        yield {"uri": uri, "sensor": sensor, "quantity": quantity, "statistic": statistic, **reading}


def _sensor(resource, units):
    quantity = quantity_of_units(resource.get("ReadingUnits")) or _TYPES.get(resource.get("ReadingType") or "", "")
    flag = ""
    if not quantity and not resource.get("ReadingUnits") and not resource.get("ReadingType"):
        quantity = _quantity_of_name(str(resource.get("Id", "")))  # DGX: a drive's power has neither unit nor type
        flag = "quantity from the name"
    if quantity and "Reading" in resource:
        yield {"sensor": resource.get("Id", ""), "quantity": quantity, "value": resource["Reading"], "time": resource.get("ReadingTime"), "flag": flag}


def _power(resource, units):
    for control in _list(resource, "PowerControl"):
        name, metrics = control.get("Name") or f"PowerControl {control.get('MemberId', 0)}", control.get("PowerMetrics") or {}
        yield from _values(name, control, {"PowerConsumedWatts": "power_W"})
        for key, statistic in (("AverageConsumedWatts", "mean"), ("MinConsumedWatts", "min"), ("MaxConsumedWatts", "max")):
            yield from _values(name, metrics, {key: "power_W"}, statistic=statistic, interval_s=60.0 * _number(metrics.get("IntervalInMin") or 0))
        limit = control.get("PowerLimit") or {}
        yield from _values(name, limit if limit.get("LimitInWatts") else {}, {"LimitInWatts": "limit_W"})
    for i, supply in enumerate(_list(resource, "PowerSupplies")):
        name = supply.get("Name") or f"PowerSupply {supply.get('MemberId', i)}"
        for key in ("PowerInputWatts", "PowerOutputWatts", "LastPowerOutputWatts"):
            yield from _values(f"{name} {supply.get('MemberId', i)} {key}", supply, {key: "power_W"})
    for sensor in _list(resource, "Voltages"):
        yield from _values(sensor.get("Name", ""), sensor, {"ReadingVolts": "voltage_V"})


def _thermal(resource, units):
    for sensor in _list(resource, "Temperatures"):
        if (sensor.get("Status") or {}).get("State", "Enabled") != "Absent":
            yield from _values(sensor.get("Name") or sensor.get("MemberId", ""), sensor, {"ReadingCelsius": "temperature_degC"})
    for fan in _list(resource, "Fans"):
        quantity = quantity_of_units(fan.get("ReadingUnits") or fan.get("Units") or "RPM")
        key = "Reading" if "Reading" in fan else "CurrentReading"
        yield from _values(fan.get("Name") or fan.get("FanName") or fan.get("MemberId", ""), fan, {key: quantity} if quantity else {})


def _fan(resource, units):
    speed = resource.get("SpeedPercent") or {}
    # A percentage cannot exceed 100: some controllers write revolutions there.
    yield from _values(resource.get("Id", ""), speed, {"Reading": "fan_rpm" if _number(speed.get("Reading")) > 100 else "fan_frac"})


def _control(resource, units):
    if resource.get("ControlType") in ("Power", "PowerWatts", None) and resource.get("SetPointUnits", "W") == "W":
        yield from _values(resource.get("Id", ""), resource, {"SetPoint": "limit_W"})


def _metrics(resource, units):
    own = str(resource.get("@odata.id", "")).rstrip("/").split("/")
    for key, quantity in _PLAIN.items():
        yield from _reading(resource.get(key), key, own, quantity)
    yield from _values("PowerLimitWatts", resource.get("PowerLimitWatts"), {"SetPoint": "limit_W"})
    for key, summary in (resource.get("TemperatureSummaryCelsius") or {}).items():
        yield from _reading(summary, key, own, "temperature_degC")
    for reading in _list(resource, "TemperatureReadingsCelsius"):
        yield from _reading(reading, reading.get("DeviceName", ""), own, "temperature_degC")
    for i, fan in enumerate(_list(resource, "FanSpeedsPercent") or _list(resource, "FanSpeedPercent")):
        yield from _values(fan.get("DeviceName") or f"fan {i}", fan, {"SpeedRPM": "fan_rpm"})


def _reading(part, key, own, quantity):
    if isinstance(part, dict):
        source = str(part.get("DataSourceUri") or "").rpartition("/")[2]
        yield from _values(source or f"{own[-2] if len(own) > 1 else ''} {key}".strip(), part, {"Reading": quantity})


_READERS = {
    "MetricReport": _metric_report, "Sensor": _sensor, "Power": _power, "Thermal": _thermal, "Fan": _fan, "Control": _control,
    "EnvironmentMetrics": _metrics, "PowerSupplyMetrics": _metrics, "ThermalMetrics": _metrics,
}  # fmt: skip
