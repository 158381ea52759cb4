"""Where readings come from: NVML, or nvidia-smi where the library is missing."""

from __future__ import annotations

import ctypes
import subprocess

# NVML's clock event reasons, in the order of their bits.
REASONS = ("idle", "clock_setting", "power_cap", "hw_slowdown", "sync_boost", "sw_thermal", "hw_thermal", "power_brake", "display")
READINGS = (
    "power_W",
    "power_instant_W",
    "memory_power_W",
    "temperature_degC",
    "memory_temperature_degC",
    "clock_MHz",
    "memory_clock_MHz",
    "limit_W",
    "utilization_frac",
    "energy_J",
    "throttle",
)
NOT_PERMITTED = 4


class RecorderError(Exception):
    """What keeps a record from being made, in words for its user."""


class _FieldValue(ctypes.Structure):
    """NVML's answer to a question by field number."""

    _fields_ = (
        ("field_id", ctypes.c_uint),
        ("scope_id", ctypes.c_uint),
        ("timestamp", ctypes.c_longlong),
        ("latency_us", ctypes.c_longlong),
        ("value_type", ctypes.c_uint),
        ("status", ctypes.c_uint),
        ("value", ctypes.c_ulonglong),
    )


class _Utilization(ctypes.Structure):
    _fields_ = (("gpu", ctypes.c_uint), ("memory", ctypes.c_uint))


class Nvml:
    """NVML's readings and, for the two kinds of change, its settings. A call that a GPU does not have gives None."""

    SM, MEMORY, DIE = 1, 2, 0
    MEMORY_TEMPERATURE, POWER_AVERAGE, POWER_INSTANT = 82, 185, 186  # numbers of fields in nvml.h
    OF_MEMORY = 2  # scope of a power
    can_change = True

    def __init__(self, path: str = "libnvidia-ml.so.1"):
        self.path = path
        self.lib = ctypes.CDLL(path)
        self._must("nvmlInit_v2")
        n = ctypes.c_uint()
        self._must("nvmlDeviceGetCount_v2", ctypes.byref(n))
        self.handles = []
        for i in range(n.value):
            handle = ctypes.c_void_p()
            self._must("nvmlDeviceGetHandleByIndex_v2", ctypes.c_uint(i), ctypes.byref(handle))
            self.handles.append(handle)

    def about(self, gpu: int) -> dict:
        """Name, UUID, driver and limits of `gpu`."""
        at = self.handles[gpu]
        low, high = ctypes.c_uint(), ctypes.c_uint()
        known = self._call("nvmlDeviceGetPowerManagementLimitConstraints", at, ctypes.byref(low), ctypes.byref(high)) == 0
        return {
            "name": self._text("nvmlDeviceGetName", at),
            "uuid": self._text("nvmlDeviceGetUUID", at),
            "driver": self._text("nvmlSystemGetDriverVersion"),
            "limit_W": _scaled(self._number("nvmlDeviceGetPowerManagementLimit", at), 1e-3),
            "min_limit_W": low.value * 1e-3 if known else None,
            "max_limit_W": high.value * 1e-3 if known else None,
            "max_clock_MHz": self._number("nvmlDeviceGetMaxClockInfo", at, ctypes.c_int(self.SM)),
        }

    def read(self, gpu: int, slow: bool) -> dict:
        """One reading of `gpu`. `slow`: also what takes the driver milliseconds (the energy counter, the memory's temperature)."""
        at = self.handles[gpu]
        reasons = self._number("nvmlDeviceGetCurrentClocksThrottleReasons", at, kind=ctypes.c_ulonglong)
        busy = _Utilization()
        known = self._call("nvmlDeviceGetUtilizationRates", at, ctypes.byref(busy)) == 0
        return {
            "power_W": _scaled(self._number("nvmlDeviceGetPowerUsage", at), 1e-3),
            "power_instant_W": _scaled(self._field(at, self.POWER_INSTANT), 1e-3),
            "memory_power_W": _scaled(self._field(at, self.POWER_AVERAGE, self.OF_MEMORY), 1e-3),
            "temperature_degC": self._number("nvmlDeviceGetTemperature", at, ctypes.c_int(self.DIE)),
            "memory_temperature_degC": self._field(at, self.MEMORY_TEMPERATURE) if slow else None,
            "clock_MHz": self._number("nvmlDeviceGetClockInfo", at, ctypes.c_int(self.SM)),
            "memory_clock_MHz": self._number("nvmlDeviceGetClockInfo", at, ctypes.c_int(self.MEMORY)),
            "limit_W": _scaled(self._number("nvmlDeviceGetEnforcedPowerLimit", at), 1e-3),
            "utilization_frac": busy.gpu * 0.01 if known else None,
            "energy_J": _scaled(self._number("nvmlDeviceGetTotalEnergyConsumption", at, kind=ctypes.c_ulonglong), 1e-3) if slow else None,
            "throttle": None if reasons is None else "+".join(r for i, r in enumerate(REASONS) if reasons >> i & 1),
        }

    def set_limit(self, gpu: int, limit_W: float) -> None:
        """Power limit `limit_W` for `gpu`. Raises RecorderError: not allowed."""
        self._change("nvmlDeviceSetPowerManagementLimit", gpu, ctypes.c_uint(round(limit_W * 1e3)))

    def lock_clock(self, gpu: int, clock_MHz: int) -> None:
        """Holds `gpu` at `clock_MHz`. Raises RecorderError: not allowed."""
        self._change("nvmlDeviceSetGpuLockedClocks", gpu, ctypes.c_uint(clock_MHz), ctypes.c_uint(clock_MHz))

    def unlock_clock(self, gpu: int) -> None:
        """Gives `gpu` its own clocks back. Raises RecorderError: not allowed."""
        self._change("nvmlDeviceResetGpuLockedClocks", gpu)

    def _change(self, name, gpu, *values):
        status = self._call(name, self.handles[gpu], *values)
        if status == NOT_PERMITTED:
            raise RecorderError(f"GPU {gpu}: settings can be changed by an administrator only (run it with sudo)")
        if status != 0:
            raise RecorderError(f"GPU {gpu}: {name} failed with NVML status {status}")

    def _call(self, name, *args):
        call = getattr(self.lib, name, None)
        return -1 if call is None else call(*args)

    def _must(self, name, *args):
        status = self._call(name, *args)
        if status != 0:
            raise RecorderError(f"{self.path}: {name} failed with NVML status {status}")

    def _number(self, name, *args, kind=ctypes.c_uint):
        value = kind()
        return value.value if self._call(name, *args, ctypes.byref(value)) == 0 else None

    def _text(self, name, *args):
        text = ctypes.create_string_buffer(96)
        return text.value.decode(errors="replace") if self._call(name, *args, text, ctypes.c_uint(96)) == 0 else None

    def _field(self, at, field_id, scope=0):
        answer = _FieldValue(field_id=field_id, scope_id=scope)
        if self._call("nvmlDeviceGetFieldValues", at, ctypes.c_int(1), ctypes.byref(answer)) != 0 or answer.status != 0:
            return None
        return answer.value & 0xFFFFFFFF


class NvidiaSmi:
    """The same readings from a running `nvidia-smi`, at ten a second at best and without the energy counter."""

    QUERY = {
        "power_W": "power.draw",
        "temperature_degC": "temperature.gpu",
        "clock_MHz": "clocks.sm",
        "memory_clock_MHz": "clocks.mem",
        "limit_W": "power.limit",
        "utilization_frac": "utilization.gpu",
    }
    can_change = False

    def __init__(self, program: str = "nvidia-smi"):
        self.program = program
        lines = self._ask("name,uuid,driver_version,power.limit,power.min_limit,power.max_limit,clocks.max.sm")
        keys = ("name", "uuid", "driver", "limit_W", "min_limit_W", "max_limit_W", "max_clock_MHz")
        self.known = [dict(zip(keys, [*line[:3], *map(_number, line[3:])])) for line in lines]
        self.handles = self.known

    def about(self, gpu: int) -> dict:
        """As Nvml.about, of `gpu`."""
        return self.known[gpu]

    def read(self, gpu: int, slow: bool) -> dict:
        """As Nvml.read of `gpu`; `slow` changes nothing."""
        del slow
        line = self._ask(",".join(self.QUERY.values()), gpu)[0]
        out = dict.fromkeys(READINGS)
        out.update(zip(self.QUERY, map(_number, line)))
        out["utilization_frac"] = _scaled(out["utilization_frac"], 0.01)
        return out

    def _ask(self, query, gpu=None):
        which = [] if gpu is None else ["-i", str(gpu)]
        try:
            done = subprocess.run(
                [self.program, f"--query-gpu={query}", "--format=csv,noheader,nounits", *which],
                capture_output=True,
                text=True,
                timeout=20,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise RecorderError(f"{self.program}: {error}") from error
        if done.returncode != 0:
            raise RecorderError(f"{self.program}: {(done.stdout + done.stderr).strip().splitlines()[-1:]}")
        return [[cell.strip() for cell in line.split(",")] for line in done.stdout.splitlines() if line.strip()]


def open_source(name: str, nvml: str, smi: str):
    """NVML or nvidia-smi. `name`: nvml, nvidia-smi, or auto: the library where it is, else the program.
    Raises RecorderError: neither is there, or there is no GPU.
    """
    wrong = []
    for kind in ("nvml", "nvidia-smi") if name == "auto" else (name,):
        try:
            source = Nvml(nvml) if kind == "nvml" else NvidiaSmi(smi)
        except (OSError, RecorderError) as error:
            wrong.append(str(error))
            continue
        if source.handles:
            return source
        wrong.append(f"{kind}: no GPU")
    raise RecorderError("no GPU can be read: " + "; ".join(wrong))


def _scaled(value, factor):
    return None if value is None else round(value * factor, 6)


def _number(cell: str):
    try:
        return float(cell)
    except ValueError:
        return None
