"""Plain words and units for the summary's figures, in the order in which a reader wants them."""
from __future__ import annotations

SHARE = "share"  # the unit of a list of shares: shown in percent, without the empty ones
# At the end of the keys of other lists, the longest first.
UNITS = {"_MW_per_s": "MW/s", "_percent": "%", "_degC": "°C", "_mHz": "mHz", "_MWh": "MWh", "_Hz": "Hz", "_MW": "MW", "_s": "s"}

# Part of the table -> key -> (words, unit).
FIGURES: dict[str, dict[str, tuple[str, str]]] = {
    "Job": {
        "n_gpu": ("GPUs", ""),
        "n_rack": ("racks (cabinets)", ""),
        "scale_up_gpus": ("GPUs of a scale-up domain", ""),
        "iteration_s": ("iteration", "s"),
        "tokens_per_s_mean": ("mean throughput", "tokens/s"),
        "tokens_per_J": ("tokens per joule drawn at the connection", "tokens/J"),
        "throughput_swing_percent": ("throughput swing over the day", "%"),
        "throughput_min_hours": ("slowest hours begin at", "h"),
        "tflops_per_gpu": ("model arithmetic per GPU", "TFLOP/s"),
        "mfu_percent": ("MFU, causal attention", "%"),
        "mfu_bf16_percent": ("the same of the bf16 peak", "%"),
        "hfu_percent": ("HFU, full attention, recomputed", "%"),
        "utilisation_peak_TF": ("dense peak of MFU and HFU", "TFLOP/s"),
        "utilisation_precision": ("number format of that peak", ""),
        "mfu_attention": ("attention as MFU counts it", ""),
        "hfu_attention": ("attention as HFU counts it", ""),
        "precision": ("number format of the linear layers", ""),
        "peak_FLOP_per_s": ("dense peak of a GPU in that format", "FLOP/s"),
        "effective_time_percent": ("effective training time", "%"),
        "n_interruptions_unexpected": ("unexpected interruptions", ""),
        "n_interruptions_tray": ("of the unexpected ones, by trays", ""),
        "n_interruptions_switch_tray": ("by switch trays", ""),
        "n_interruptions_rack": ("by whole racks", ""),
        "n_interruptions_planned": ("planned interruptions", ""),
    },
    "GPUs": {
        "clock_mean_MHz": ("mean clock", "MHz"),
        "clock_slowest_MHz": ("slowest clock", "MHz"),
        "clock_alone_MHz": ("mean clock without waiting for the slowest", "MHz"),
        "slowest_behind_percent": ("slowest GPU below that, mean", "%"),
        "straggler_loss_percent": ("tokens lost to that wait", "%"),
        "die_mean_degC": ("mean die temperature", "°C"),
        "die_max_degC": ("hottest die", "°C"),
        "limiter_share": ("limiter, share of compute time", SHARE),
    },
    "Power at the connection": {
        "pcc_mean_MW": ("mean", "MW"),
        "pcc_min_MW": ("smallest", "MW"),
        "pcc_max_MW": ("largest", "MW"),
        "pcc_step_1s_max_MW": ("largest change over 1 s", "MW"),
        "pcc_ramp_up_max_MW_per_s": ("steepest rise over 0.1 s", "MW/s"),
        "pcc_ramp_down_max_MW_per_s": ("steepest fall over 0.1 s", "MW/s"),
        "feeder_loading_mean_max_percent": ("feeder, highest loading over 15 min", "%"),
        "feeder_loading_max_percent": ("feeder, largest millisecond", "%"),
        "pcc_dominant_Hz": ("strongest line, at", "Hz"),
        "pcc_dominant_MW": ("its amplitude", "MW"),
        "freq_deviation_max_mHz": ("largest frequency deviation", "mHz"),
        "volt_deviation_max_percent": ("largest voltage deviation", "%"),
        "flicker_P_st_120V_60Hz": ("flicker P_st, 120 V lamp", ""),
        "flicker_P_st_230V_50Hz": ("flicker P_st, 230 V lamp", ""),
        "compliance": ("held against the rules", ""),
    },
    "On a power system of several machines": {
        "grid_case": ("system, site's bus, window", ""),
        "grid_case_machine_swing_mHz": ("largest swing of a machine's frequency", "mHz"),
        "grid_case_machine_bus": ("that machine's bus", ""),
        "grid_case_bus_mHz": ("frequency at the site's bus, off nominal", "mHz"),
        "grid_case_bus_pu": ("voltage at the site's bus", "pu"),
        "grid_case_rotor_deg": ("largest swing of a rotor", "°"),
        "grid_case_least_damped": ("least damped swing", ""),
        "grid_case_most_driven": ("swing that the waveform would drive most", ""),
        "grid_case_left_out_slower_s": ("left out: slower than", "s"),
        "grid_case_site_leaves": ("the site would leave", ""),
    },
    "Energy and water": {
        "it_mean_MW": ("mean IT power", "MW"),
        "pue": ("power usage effectiveness (PUE)", ""),
        "wue_L_per_kWh": ("water usage effectiveness (WUE)", "L/kWh"),
        "capacity_margin_min_percent": ("smallest margin of the cooling plant", "%"),
        "capacity_margin_part": ("whose margin that is", ""),
        "out_of_range": ("out of range", ""),
        "heat_reused_MWh": ("heat reused", "MWh"),
        "smoothing_burn_MWh": ("burned by GPU smoothing", "MWh"),
        "smoothing_floor_s": ("floor held power up, per GPU", "s"),
        "smoothing_ramp_down_s": ("ramp down held power up, per GPU", "s"),
        "smoothing_ramp_up_s": ("ramp up held power down, per GPU", "s"),
        "smoothing_hysteresis_s": ("hysteresis kept the floor in force, per GPU", "s"),
        "energy_closure": ("energy closure error", ""),
        "input_energy_error": ("input energy error", ""),
    },
    "Run": {
        "simulated_s": ("simulated time", "s"),
        "wall_s": ("wall time", "s"),
    },
}


def text(value, digits: int = 4) -> str:
    """A `value` as text with this number of significant `digits`; "–" for null and NaN."""
    if value is None or value != value:
        return "–"
    if isinstance(value, dict):
        return _listed(value, "", digits)
    if isinstance(value, (list, tuple)):
        return ", ".join(text(x, digits) for x in value) or "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if value == 0 or 1e-3 <= abs(value) < 1e15:
        return f"{float(f'{value:.{digits}g}'):,.10g}".replace("-", "−")
    return f"{value:.2e}"


def with_unit(value, unit: str, digits: int = 4) -> str:
    """A `value` as text with this number of significant `digits` and its `unit` after a non-breaking space."""
    if isinstance(value, dict):
        return _listed(value, unit, digits)
    if unit == "FLOP/s" and value is not None:
        value, unit = value / 1e12, "TFLOP/s"
    blank, words = "" if unit == "°" else "\u00a0", text(value, digits)
    return f"{words}{blank}{unit}" if unit and words != "–" else words


def _listed(pairs: dict, unit: str, digits: int = 4) -> str:
    """Words and numbers. A word that ends with a unit of its own (`line_Hz`) has that one."""
    out = []
    for key, x in pairs.items():
        end = next((end for end in UNITS if key.endswith(end)), "")
        if not isinstance(x, (int, float)) or (unit == SHARE and x < 5e-4):
            continue
        if unit == SHARE:
            out.append(f"{key}\u00a0{text(100 * x, digits)}\u00a0%")
        elif end:
            out.append(f"{key[: -len(end)].replace('_', ' ')}\u00a0{with_unit(x, UNITS[end], digits)}")
        else:
            out.append(f"{key}\u00a0{with_unit(x, unit, digits)}")
    return ", ".join(out) or "–"
