"""What independent packages give for cases that tidewatt computes too, for scripts/references.

Each function imports its package, so that a missing one leaves out its own cases only, and returns {name of a list: [one table a
case]}. Inputs stand beside outputs: src/validate reads both. Nothing of the product is imported.
"""
import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CELSIUS_K = 273.15
AIR_STATES = [(t, rh, p) for p in (101325.0, 84000.0) for t in (-10.0, 5.0, 20.0, 35.0, 45.0) for rh in (0.1, 0.4, 0.9)]
ALTITUDES_m = (0.0, 300.0, 1000.0, 1600.0, 3000.0)


def of_air(drybulb_degC, rh_frac, pressure_Pa, **outputs):
    return {"drybulb_degC": drybulb_degC, "rh_frac": rh_frac, "pressure_Pa": pressure_Pa, **outputs}


def psychrolib(_):
    """Moist air by ASHRAE's ideal-gas formulas."""
    import psychrolib as p
    p.SetUnitSystem(p.SI)
    air = []
    for t, rh, pressure in AIR_STATES:
        ratio = p.GetHumRatioFromRelHum(t, rh, pressure)
        air.append(of_air(t, rh, pressure, humidity_ratio=ratio, wetbulb_degC=p.GetTWetBulbFromRelHum(t, rh, pressure),
                          dewpoint_degC=p.GetTDewPointFromRelHum(t, rh), enthalpy_J_per_kg=p.GetMoistAirEnthalpy(t, ratio),
                          volume_m3_per_kg=p.GetMoistAirVolume(t, ratio, pressure)))  # fmt: skip
    return {"psychrolib_air": air, "psychrolib_altitude": [{"altitude_m": z, "pressure_Pa": p.GetStandardAtmPressure(z)} for z in ALTITUDES_m]}


def coolprop(_):
    """Moist air as a real gas (ASHRAE RP-1485), water by IAPWS-95, propylene glycol by ASHRAE's tables (by mass)."""
    from CoolProp.CoolProp import HAPropsSI, PropsSI

    def humid(what, t, rh, pressure):
        return HAPropsSI(what, "T", t + CELSIUS_K, "P", pressure, "R", rh)

    air = [of_air(t, rh, p, humidity_ratio=humid("W", t, rh, p), wetbulb_degC=humid("B", t, rh, p) - CELSIUS_K,
                  dewpoint_degC=humid("D", t, rh, p) - CELSIUS_K, enthalpy_J_per_kg=humid("H", t, rh, p),
                  volume_m3_per_kg=humid("V", t, rh, p)) for t, rh, p in AIR_STATES]  # fmt: skip

    def liquid(fluid, t):
        return {"degC": t, **{key: PropsSI(name, "T", t + CELSIUS_K, "P", 2e5, fluid)
                              for key, name in (("density_kg_per_m3", "D"), ("cp_J_per_kg_K", "C"))}}  # fmt: skip

    return {"coolprop_air": air, "coolprop_water": [liquid("Water", t) for t in (5.0, 15.0, 25.0, 35.0, 45.0, 60.0, 80.0)],
            "coolprop_glycol": [{"glycol_frac": w, **liquid(f"INCOMP::APG[{w}]", t)} for w in (0.25, 0.4) for t in (10.0, 20.0, 30.0, 40.0, 50.0, 60.0)]}  # fmt: skip


def pvlib(data):
    """The standard atmosphere, dew points by Magnus's formula, and typical years as its reader has them."""
    import pvlib as p
    out = {"pvlib_altitude": [{"altitude_m": z, "pressure_Pa": float(p.atmosphere.alt2pres(z))} for z in ALTITUDES_m],
           "pvlib_dewpoint": [{"drybulb_degC": t, "rh_frac": rh, "dewpoint_degC": float(p.atmosphere.tdew_from_rh(t, 100.0 * rh))}
                              for t in (20.0, 35.0, 45.0) for rh in (0.4, 0.6, 0.9)]}  # fmt: skip
    years = []
    for file in sorted((data / "weather_epw").glob("*.epw")) if data else []:
        table, head = p.iotools.read_epw(file)
        hottest = table["temp_air"].to_numpy().argmax()
        years.append({"file": file.name, "mean_degC": float(table["temp_air"].mean()), "highest_degC": float(table["temp_air"].max()), "hottest_record": int(hottest),
                      "mean_pressure_Pa": float(table["atmospheric_pressure"].mean()), "mean_dewpoint_degC": float(table["temp_dew"].mean()), "altitude_m": float(head["altitude"])})  # fmt: skip
    return {**out, **({"pvlib_year": years} if years else {})}


def andes(_):
    """Machines, exciters and governors after a step of load, on the shipped networks."""
    sys.path.insert(0, str(ROOT / "scripts" / "acceptance"))
    import andes_step
    steps = []
    for network, bus, MW, loads in (("kundur_two_area", 7, -200.0, "impedance"), ("kundur_two_area", 7, -10.6, "power"),
                                    ("ieee39", 39, -1000.0, "impedance"), ("ieee39", 20, -10.6, "power")):  # fmt: skip
        folder = ROOT / "scenarios" / "networks"
        got = andes_step.play(str(folder / f"{network}.raw"), str(folder / f"{network}.dyr"), bus, MW, 60.0, loads)
        weight = sum(got["stored_MJ"])
        mean = [sum(m * s for m, s in zip(got["stored_MJ"], column)) / weight for column in zip(*got["speed_Hz"])]
        k = max(range(len(mean)), key=lambda i: abs(mean[i]))
        last = [s for t, s in zip(got["time_s"], mean) if t > 54.0]
        after = [s for t, s in zip(got["time_s"], mean) if 1.0 < t <= 3.0]
        steps.append({"network": network, "bus": bus, "step_MW": MW, "loads": loads, "extremum_Hz": mean[k], "extremum_s": got["time_s"][k] - 1.0,
                      "first_2s_Hz": sum(after) / len(after), "settled_Hz": sum(last) / len(last)})  # fmt: skip
    return {"andes_step": steps}


def salib(_):
    """Sobol indices of Ishigami's function by SALib's own design and estimators."""
    import numpy
    from SALib.analyze import sobol
    from SALib.sample import sobol as design
    n, a, b = 16384, 7.0, 0.1
    problem = {"num_vars": 3, "names": ["x1", "x2", "x3"], "bounds": [[-math.pi, math.pi]] * 3}
    x = design.sample(problem, n, calc_second_order=False, seed=25)
    y = numpy.sin(x[:, 0]) + a * numpy.sin(x[:, 1]) ** 2 + b * x[:, 2] ** 4 * numpy.sin(x[:, 0])
    got = sobol.analyze(problem, y, calc_second_order=False, seed=25)
    return {"salib_ishigami": [{"variable": k + 1, "first": float(got["S1"][k]), "total": float(got["ST"][k])} for k in range(3)]}


RATE_Hz, N_SAMPLE, SEGMENT = 100.0, 65536, 4096


def waveform():
    """Power of a job: dips of 41 samples every 237, a sine beside them. In W."""
    return [700.0 - 300.0 * (n % 237 < 41) + 20.0 * math.sin(2.0 * math.pi * 3.3 * n / RATE_Hz) for n in range(N_SAMPLE)]


def scipy(_):
    """Welch's spectrum of a waveform, its strongest lines, and the energy that Butterworth filters leave in bands."""
    import numpy
    from scipy import signal
    x = numpy.array(waveform())
    f, psd = signal.welch(x, RATE_Hz, "hann", SEGMENT, SEGMENT // 2, detrend="constant")
    at = sorted({int(k) for k in numpy.argsort(psd)[-24:]})
    inside = (f >= 0.2) & (f <= 3.0)
    out = {"scipy_welch": [{"bin": k, "psd_W2_per_Hz": float(psd[k])} for k in at],
           "scipy_band": [{"low_Hz": 0.2, "high_Hz": 3.0, "rms_W": float(numpy.sqrt(psd[inside].sum() * (f[1] - f[0])))}]}  # fmt: skip
    # The amplitude of the fundamental over whole repetitions, without a window.
    whole = x[: 237 * (N_SAMPLE // 237)]
    lines = 2.0 * numpy.abs(numpy.fft.rfft(whole)) / len(whole)
    k = int(numpy.argmax(lines[1:])) + 1
    out["scipy_line"] = [{"frequency_Hz": k * RATE_Hz / len(whole), "amplitude_W": float(lines[k])}]
    bands = []
    fine = numpy.repeat(x, 10)  # means of 1 ms
    for low, high in ((0.1, 1.0), (1.0, 2.5), (2.5, 7.0), (7.0, 60.0)):
        # Order four each, at the rate of 1 ms; from rest at the first value.
        filters = numpy.vstack([signal.butter(4, low, "high", fs=1000.0, output="sos"), signal.butter(4, high, "low", fs=1000.0, output="sos")])
        y = signal.sosfilt(filters, fine - fine[0])
        bands.append({"low_Hz": low, "high_Hz": high, "energy_W2s": float((y**2).sum() * 1e-3), "peak_W": float(numpy.abs(y).max())})
    return {**out, "scipy_filter": bands}


def cvode(_):
    """Heat of a package with leakage, and the frequency of a system after a step, by SUNDIALS through scikit-sundae."""
    import numpy
    from sksundae.cvode import CVODE
    package = {"die_J_per_K": 12.0, "base_J_per_K": 60.0, "sink_J_per_K": 900.0, "die_base_W_per_K": 1 / 0.025, "base_sink_W_per_K": 1 / 0.02, "sink_air_W_per_K": 1 / 0.035}
    leak = {"leakage_W": 90.0, "leakage_per_K": 0.02, "leakage_ref_K": 338.15, "air_K": 300.0, "busy_W": 560.0, "calm_W": 150.0, "busy_s": 4.0, "calm_s": 2.0, "n_period": 50}
    C = numpy.array([package["die_J_per_K"], package["base_J_per_K"], package["sink_J_per_K"]])

    def slope(fixed_W):
        def f(t, y, yp):
            W = fixed_W + leak["leakage_W"] * math.exp(leak["leakage_per_K"] * (y[0] - leak["leakage_ref_K"]))
            db, bs, air = (package["die_base_W_per_K"] * (y[0] - y[1]), package["base_sink_W_per_K"] * (y[1] - y[2]), package["sink_air_W_per_K"] * (y[2] - leak["air_K"]))
            yp[0], yp[1], yp[2] = (W - db) / C[0], (db - bs) / C[1], (bs - air) / C[2]
            yp[3], yp[4] = W, air
        return f

    y, hottest = numpy.array([leak["air_K"]] * 3 + [0.0, 0.0]), 0.0
    for _ in range(leak["n_period"]):
        for W, length in ((leak["busy_W"], leak["busy_s"]), (leak["calm_W"], leak["calm_s"])):
            y = CVODE(slope(W), rtol=1e-11, atol=1e-9, max_num_steps=100000).solve(numpy.array([0.0, length]), y).y[-1]
            hottest = max(hottest, float(y[0]))
    heat = {**package, **leak, "die_K": float(y[0]), "sink_K": float(y[2]), "hottest_K": hottest, "gpu_J": float(y[3]), "air_J": float(y[4])}

    system = {"nominal_Hz": 60.0, "system_VA": 60e9, "inertia_s": 5.0, "damping_pu": 1.0, "droop_pu": 0.08, "governor_s": 0.2, "chest_s": 0.3, "reheat_s": 7.0,
              "high_pressure_frac": 0.3, "step_W": 2.6e9}  # fmt: skip

    def swing(t, y, yp):
        s = system
        mechanical = s["high_pressure_frac"] * y[2] + (1.0 - s["high_pressure_frac"]) * y[3]
        yp[0] = (mechanical - s["step_W"] / s["system_VA"] - s["damping_pu"] * y[0]) / (2.0 * s["inertia_s"])
        yp[1] = (-y[0] / s["droop_pu"] - y[1]) / s["governor_s"]
        yp[2], yp[3] = (y[1] - y[2]) / s["chest_s"], (y[2] - y[3]) / s["reheat_s"]

    times = numpy.linspace(0.0, 20.0, 200001)
    f = 60.0 * CVODE(swing, rtol=1e-11, atol=1e-13, max_num_steps=100000).solve(times, numpy.zeros(4)).y[:, 0]
    k = int(numpy.argmin(f))
    return {"cvode_heat": [heat], "cvode_swing": [{**system, "nadir_Hz": float(f[k]), "nadir_s": float(times[k]), "at_20s_Hz": float(f[-1])}]}


# Module that must be there, distribution whose version is kept, cases, relative difference that another build of it may show.
PACKAGES = {"psychrolib": ("psychrolib", "PsychroLib", psychrolib, 1e-9), "CoolProp": ("CoolProp", "CoolProp", coolprop, 1e-7),
            "pvlib": ("pvlib", "pvlib", pvlib, 1e-9), "ANDES": ("andes", "andes", andes, 1e-4), "SALib": ("SALib", "SALib", salib, 1e-6),
            "SciPy": ("scipy", "scipy", scipy, 1e-8), "CVODE": ("sksundae", "scikit-sundae", cvode, 1e-7)}  # fmt: skip
