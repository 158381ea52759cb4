"""The readings inside each kind of Redfish resource (DMTF schemas; HPE's iLO 4 uses an older form of Power and Thermal)."""

from __future__ import annotations

import re
from typing import Any, Iterator, Optional

_UNITS = {
    "W": "power_W",
    "Watts": "power_W",
    "J": "energy_J",
    "kW.h": "energy_kWh",
    "kWh": "energy_kWh",
    "Cel": "temperature_degC",
    "V": "voltage_V",
    "A": "current_A",
    "Hz": "frequency_Hz",
    "RPM": "fan_rpm",
    "{rev}/min": "fan_rpm",
    "%": "fan_frac",
    "Percent": "fan_frac",
}
_TYPES = {
    "Power": "power_W",
    "EnergyJoules": "energy_J",
    "EnergykWh": "energy_kWh",
    "Temperature": "temperature_degC",
    "Voltage": "voltage_V",
    "Current": "current_A",
    "Frequency": "frequency_Hz",
    "Rotational": "fan_rpm",
    "Percent": "fan_frac",
}
# Reports carry no units; sensor names and the property they point to do.
_NAMES = (
    (r"energy", "energy_J"),
    (r"power|watt|^pwr_", "power_W"),
    (r"te?mp", "temperature_degC"),
    (r"volt", "voltage_V"),
    (r"fan|spd", "fan_rpm"),
)
_STATISTIC = ((r"^avg|average", "mean"), (r"^min", "min"), (r"^max", "max"))
_PLAIN = {
    "PowerWatts": "power_W",
    "InputPowerWatts": "power_W",
    "OutputPowerWatts": "power_W",
    "EnergyJoules": "energy_J",
    "EnergykWh": "energy_kWh",
    "TemperatureCelsius": "temperature_degC",
    "InputVoltage": "voltage_V",
    "InputCurrentAmps": "current_A",
    "FrequencyHz": "frequency_Hz",
}


def quantity_of_units(units: Optional[str]) -> str:
    """Column name of a unit; "" where it is unknown. @param units: `ReadingUnits` of a sensor."""
    return _UNITS.get(units or "", "")


def kind_of(resource: dict) -> str:
    """ "MetricReport", "Sensor", "Power", … @param resource: a Redfish resource."""
    return str(resource.get("@odata.type") or resource.get("Type") or "").lstrip("#").partition(".")[0]


def rows(resource: dict, units: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Readings of one resource. @param resource: its JSON; @param units: quantity by sensor address, for reports without units."""
    kind = kind_of(resource)
    reader = {
        "MetricReport": _metric_report,
        "Sensor": _sensor,
        "Power": _power,
        "Thermal": _thermal,
        "Fan": _fan,
        "Control": _control,
        "EnvironmentMetrics": _metrics,
        "PowerSupplyMetrics": _metrics,
        "ThermalMetrics": _metrics,
    }.get(kind)
    for row in reader(resource, units) if reader else ():
        row.setdefault("statistic", "instant")
        row.setdefault("chassis", _chassis(row.pop("uri", "") or str(resource.get("@odata.id", ""))))
        row["resource"] = kind
        yield _in_si(row)


def _in_si(row: dict) -> dict:
    value = row["value"]
    if row["quantity"] == "energy_kWh":
        row["quantity"], row["value"] = "energy_J", value * 3.6e6 if isinstance(value, (int, float)) else value
    if row["quantity"] == "fan_frac" and isinstance(value, (int, float)):
        row["value"] = value / 100.0
    return row


def _chassis(uri: str) -> str:
    match = re.search(r"/(?:Chassis|Systems)/([^/#]+)", uri)
    return match[1] if match else ""


def _quantity_of_name(words: str) -> str:
    return next((q for pattern, q in _NAMES if re.search(pattern, words.strip(), re.IGNORECASE)), "")


def _metric_report(resource, units):
    for value in resource.get("MetricValues", []):
        uri = value.get("MetricProperty", "")
        sensor = uri.rpartition("/")[2] if "#" not in uri else value.get("MetricId") or resource.get("Id", "")
        words = f"{value.get('MetricId') or ''} {sensor} {uri.partition('#')[2]}"
        quantity = units.get(uri) or _quantity_of_name(words)
        if not quantity:
            continue
        statistic = next(
            (s for pattern, s in _STATISTIC if re.search(pattern, value.get("MetricId") or "", re.IGNORECASE)),
            "instant",
        )
        stale = any(isinstance(oem, dict) and oem.get("MetricValueStale") for oem in (value.get("Oem") or {}).values())
        yield {
            "time": value.get("Timestamp"),
            "uri": uri,
            "sensor": sensor,
            "quantity": quantity,
            "statistic": statistic,
            "value": value.get("MetricValue"),
            "flag": "stale" if stale else "",
        }


def _sensor(resource, units):
    quantity = quantity_of_units(resource.get("ReadingUnits")) or _TYPES.get(resource.get("ReadingType") or "", "")
    flag = ""
    if not quantity and not resource.get("ReadingUnits") and not resource.get("ReadingType"):
        quantity = _quantity_of_name(str(resource.get("Id", "")))  # DGX: a drive's power has neither unit nor type
        flag = "quantity from the name"
    if quantity and "Reading" in resource:
        yield {
            "sensor": resource.get("Id", ""),
            "quantity": quantity,
            "value": resource["Reading"],
            "time": resource.get("ReadingTime"),
            "flag": flag,
        }


def _power(resource, units):
    controls = resource.get("PowerControl") or []
    for control in controls if isinstance(controls, list) else [controls]:
        name = control.get("Name") or f"PowerControl {control.get('MemberId', 0)}"
        if control.get("PowerConsumedWatts") is not None:
            yield {"sensor": name, "quantity": "power_W", "value": control["PowerConsumedWatts"]}
        metrics = control.get("PowerMetrics") or {}
        for key, statistic in (
            ("AverageConsumedWatts", "mean"),
            ("MinConsumedWatts", "min"),
            ("MaxConsumedWatts", "max"),
        ):
            if metrics.get(key) is not None:
                yield {
                    "sensor": name,
                    "quantity": "power_W",
                    "statistic": statistic,
                    "interval_s": 60.0 * (metrics.get("IntervalInMin") or 0),
                    "value": metrics[key],
                }
        limit = (control.get("PowerLimit") or {}).get("LimitInWatts")
        if limit:
            yield {"sensor": name, "quantity": "limit_W", "value": limit}
    for i, supply in enumerate(resource.get("PowerSupplies") or []):
        name = supply.get("Name") or f"PowerSupply {supply.get('MemberId', i)}"
        for key in ("PowerInputWatts", "PowerOutputWatts", "LastPowerOutputWatts"):
            if supply.get(key) is not None:
                yield {
                    "sensor": f"{name} {supply.get('MemberId', i)} {key}",
                    "quantity": "power_W",
                    "value": supply[key],
                }
    for sensor in resource.get("Voltages") or []:
        if sensor.get("ReadingVolts") is not None:
            yield {"sensor": sensor.get("Name", ""), "quantity": "voltage_V", "value": sensor["ReadingVolts"]}


def _thermal(resource, units):
    for sensor in resource.get("Temperatures") or []:
        state = (sensor.get("Status") or {}).get("State", "Enabled")
        if sensor.get("ReadingCelsius") is not None and state != "Absent":
            yield {
                "sensor": sensor.get("Name") or sensor.get("MemberId", ""),
                "quantity": "temperature_degC",
                "value": sensor["ReadingCelsius"],
            }
    for fan in resource.get("Fans") or []:
        reading = fan.get("Reading", fan.get("CurrentReading"))
        quantity = quantity_of_units(fan.get("ReadingUnits") or fan.get("Units") or "RPM")
        if reading is not None and quantity:
            yield {
                "sensor": fan.get("Name") or fan.get("FanName") or fan.get("MemberId", ""),
                "quantity": quantity,
                "value": reading,
            }


def _fan(resource, units):
    speed = resource.get("SpeedPercent") or {}
    if speed.get("Reading") is not None:
        # A percentage cannot exceed 100: some controllers write revolutions there.
        quantity = "fan_frac" if float(speed["Reading"]) <= 100 else "fan_rpm"
        yield {"sensor": resource.get("Id", ""), "quantity": quantity, "value": speed["Reading"]}


def _control(resource, units):
    if (
        resource.get("ControlType") in ("Power", "PowerWatts", None)
        and resource.get("SetPointUnits", "W") == "W"
        and resource.get("SetPoint") is not None
    ):
        yield {"sensor": resource.get("Id", ""), "quantity": "limit_W", "value": resource["SetPoint"]}


def _metrics(resource, units):
    own = str(resource.get("@odata.id", "")).rstrip("/").split("/")
    for key, quantity in _PLAIN.items():
        yield from _reading(resource.get(key), key, own, quantity)
    limit = (resource.get("PowerLimitWatts") or {}).get("SetPoint")
    if limit is not None:
        yield {"sensor": "PowerLimitWatts", "quantity": "limit_W", "value": limit}
    readings = list(resource.get("TemperatureReadingsCelsius") or [])
    for key, summary in (resource.get("TemperatureSummaryCelsius") or {}).items():
        yield from _reading(summary, key, own, "temperature_degC")
    for reading in readings:
        yield from _reading(reading, reading.get("DeviceName", ""), own, "temperature_degC")
    fans = resource.get("FanSpeedsPercent") or resource.get("FanSpeedPercent") or []
    for i, fan in enumerate(fans if isinstance(fans, list) else [fans]):
        if fan.get("SpeedRPM") is not None:
            yield {"sensor": fan.get("DeviceName") or f"fan {i}", "quantity": "fan_rpm", "value": fan["SpeedRPM"]}


def _reading(part, key, own, quantity):
    if isinstance(part, dict) and part.get("Reading") is not None:
        source = str(part.get("DataSourceUri") or "").rpartition("/")[2]
        value = part["Reading"]
        yield {
            "sensor": source or f"{own[-2] if len(own) > 1 else ''} {key}".strip(),
            "quantity": quantity,
            "value": float(value) if isinstance(value, str) else value,
        }
