"""The law of an H100's watts and what of it is measured: public rows, and our own record of one (docs/records). Posterior by MCMC (emcee).

    P = P_board + g P_leak(T, V) + a P_dyn (V/V_ref)^2 f/f_ref + b P_hbm,   P_leak = L exp(c (T - 60) + k (V - V_ref))

g is 1 under load, the gated shares g_rest without a context and g_context with one and no kernel (g_rest <= g_context <= 1; entries hold the
first, as rest_leakage_ratio). V is 0.70 V up to 900 MHz and then rises by the power 1.6 to V_top at 1,980 MHz; V_ref is its value at 1,500 MHz.

Measured, with standard errors. The PCIe board and the record's are single chips: the leakage of each is the nominal one times exp(0.20 z), and
the record's needs 14 mV times z more than the table, with z of a standard normal, drawn with the values (as the entry: 20 % and 14 mV).
  growth          c 0.030 +- 0.001 /K, locked clocks of K20 and ET-SoC-1; k flat 2.2 to 4.5 /V; gated shares flat between 0.4 and 1
  rest slope      H100 PCIe by the hour at 36 degC, by 132/114 multiprocessors
  context slope   the same board with a context and no work at 1,755 MHz, 42.5 degC; record, at 1,980 MHz, 47.5 degC
  rest            71 +- 1.2 W at 33 degC over eight GPUs; record, at 48.6 degC
  context         111.5 +- 5 W at 38 degC over eight GPUs; record, at 47.6 degC
  stall           154 +- 3 W at 42 degC over eight GPUs: kernels spin
  limit           record: watts and clock of products that last
  limit slope     record: fall of their rate per kelvin at 72 degC; 1.1 to 2.1 W/K at 65 degC, flat: itself calculated
  rise            record: watts per MHz while the limiter swings, 1.2 to 5 s after the begin of a soak
Not used: the first 100 ms of a wave, 941 W. Readings say 1,980 MHz, products come at the rate of 1,560: such a clock's watts would be 60 to 80 W
less at its own voltage and more at that of 1,980 MHz, so the voltage lies between.
Memory: products use a quarter of 100 W at 3.35 TB/s [K]."""
import csv
import importlib.machinery
import importlib.util
import statistics
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("leakage_frac_per_K", "leakage_frac_per_V", "leakage_W", "rest_leakage_ratio", "context_leakage_ratio", "context_activity_ratio",
         "board_W", "dynamic_W", "wait_activity_ratio", "top_V")  # fmt: skip
START = np.array([0.030, 3.0, 45.0, 0.6, 0.7, 0.02, 60.0, 560.0, 0.05, 1.04])
SCATTER = np.array([0.001, 0.3, 3.0, 0.05, 0.05, 0.005, 2.0, 20.0, 0.005, 0.02])
LOW, HIGH = np.array([0.02, 2.2, 5.0, 0.4, 0.4, 0.0, 20.0, 300.0, 0.0, 0.75]), np.array([0.04, 4.5, 120.0, 1.0, 1.0, 0.1, 80.0, 1200.0, 0.2, 1.2])
CAP_W_PER_K = (1.1, 2.1)
CHIP_LEAKAGE, CHIP_V = 0.20, 0.014  # scatter of one chip
CHIPS = ("pcie_leakage", "record_leakage", "record_voltage")  # of two single chips, in standard deviations; drawn beside NAMES
LOW_V, FLAT_MHz, TOP_MHz, REF_MHz, CURVE = 0.70, 900.0, 1980.0, 1500.0, 1.6
SM_RATIO = 132 / 114  # multiprocessors of the SXM5 board over the PCIe one
HBM_W, HBM_TB_PER_S, PRODUCT_HBM = 100.0, 3.35, 0.25
LIMIT_MHz = 1388.0  # of the record's lasting products at 700 W
N_WALKER, N_STEP, N_BURN = 64, 30_000, 5000


class Law:
    """The law at values theta (…, 10), by NAMES. `leakage`, `more_V`: of one chip, over the nominal leakage and above the table"""

    def __init__(self, theta, hbm_W=HBM_W, leakage=1.0, more_V=0.0):
        self.leakage, self.more_V = leakage, more_V
        self.c, self.k, self.L, self.rest, self.context, self.a_context, self.board, self.dynamic, self.wait, self.top_V = np.moveaxis(np.asarray(theta, float), -1, 0)
        self.hbm_W = hbm_W

    def V(self, f_MHz):
        return LOW_V + (self.top_V - LOW_V) * (np.maximum(f_MHz - FLAT_MHz, 0.0) / (TOP_MHz - FLAT_MHz)) ** CURVE

    def leak_W(self, f_MHz, T_degC):
        return self.leakage * self.L * np.exp(self.c * (T_degC - 60.0) + self.k * (self.V(f_MHz) + self.more_V - self.V(REF_MHz)))

    def switching_W(self, f_MHz):
        return self.dynamic * ((self.V(f_MHz) + self.more_V) / self.V(REF_MHz)) ** 2 * f_MHz / REF_MHz

    def rest_W(self, T_degC):
        return self.board + self.rest * self.leak_W(345.0, T_degC)

    def context_W(self, T_degC):
        return self.board + self.context * self.leak_W(TOP_MHz, T_degC) + self.a_context * self.switching_W(TOP_MHz)

    def stall_W(self, T_degC):
        return self.board + self.leak_W(TOP_MHz, T_degC) + self.wait * self.switching_W(TOP_MHz)

    def product_W(self, f_MHz, T_degC):
        return self.board + self.leak_W(f_MHz, T_degC) + self.switching_W(f_MHz) + PRODUCT_HBM * self.hbm_W

    def rise(self, f_MHz, T_degC):
        """Of the watts of a product with its clock, W/MHz."""
        return (self.product_W(f_MHz + 2.0, T_degC) - self.product_W(f_MHz - 2.0, T_degC)) / 4.0

    def clock_slope(self, f_MHz, T_degC):
        """d ln f/dT where the watts of a product stay, 1/K."""
        return -self.c * self.leak_W(f_MHz, T_degC) / (f_MHz * self.rise(f_MHz, T_degC))


def slope(rows):
    """Watts per kelvin by least squares and its standard error, of (T, P)."""
    T, P = np.array(rows).T
    t = T - T.mean()
    b = (t @ P) / (t @ t)
    return b, float(np.sqrt(((P - P.mean() - b * t) ** 2).sum() / (len(T) - 2) / (t @ t)))


def hourly_slopes(data):
    """Mean of the half-years' idle slopes with its scatter, and the slope with a context."""
    idle, context = defaultdict(list), []
    with (Path(data) / "gpu_temperature_hourly" / "h100_hourly.tsv").open(encoding="utf-8-sig") as lines:
        for r in csv.DictReader(lines, delimiter="\t"):
            try:
                mean_W, low_W, high_W, T_degC, used = (float(r[k]) for k in ("powerave", "powermin", "powermax", "tempave", "utilmax"))
            except (TypeError, ValueError):
                continue
            if used > 0 or high_W - low_W >= 5:
                continue
            if high_W < 56:
                idle[r["timestamp"][:4] + ("a" if int(r["timestamp"][5:7]) < 7 else "b")].append((T_degC, mean_W))
            elif 80 < mean_W < 90:
                context.append((T_degC, mean_W))
    halves = [slope(rows)[0] for rows in idle.values() if len(rows) > 100]
    return (statistics.fmean(halves), statistics.stdev(halves)), slope(context)


def record_figures():
    """scripts/record_figures as a module."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("record_figures", str(ROOT / "scripts" / "record_figures"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("record_figures", loader))
    loader.exec_module(module)
    return module


def anchors(data):
    """(name, chip, measured, standard error, model of it). `data`: folder with gpu_temperature_hourly"""
    r = record_figures()
    found = r.figures()
    at = {k: found[f"E7/{k}"] for k in ("rest", "context", "context-slope", "limit", "clock", "clock-slope")}
    f, T = at["clock"]["clock_MHz"], at["clock"]["die_degC"]
    rise_W_per_MHz, rise_error = r.rise(r.parts())
    pcie_rest, pcie_context = hourly_slopes(data)
    record_slope, fall = at["context-slope"], -at["clock-slope"]["percent_per_K"]
    return [
        ("rest, PCIe, W/K", "pcie", SM_RATIO * pcie_rest[0], SM_RATIO * pcie_rest[1], lambda p: p.c * p.rest * p.leak_W(345.0, 36.0)),
        ("context, PCIe, W/K", "pcie", SM_RATIO * pcie_context[0], SM_RATIO * pcie_context[1], lambda p: p.c * p.context * p.leak_W(1755.0, 42.5)),
        ("context, W/K", "record", record_slope["W_per_K"], record_slope["se"], lambda p: p.c * p.context * p.leak_W(TOP_MHz, record_slope["die_degC"])),
        ("rest, eight, W", "mean", 71.0, 1.2, lambda p: p.rest_W(33.0)),
        ("rest, W", "record", at["rest"]["watts"], 1.0, lambda p: p.rest_W(at["rest"]["die_degC"])),
        ("context, eight, W", "mean", 111.5, 5.0, lambda p: p.context_W(38.0)),
        ("context, W", "record", at["context"]["watts"], 4.3, lambda p: p.context_W(at["context"]["die_degC"])),
        ("stall, eight, W", "mean", 154.0, 3.0, lambda p: p.stall_W(42.0)),
        ("limit, W", "record", at["limit"]["watts"], 2.0, lambda p: p.product_W(f, T)),
        ("limit, %/K", "record", fall, 0.015, lambda p: 100 * p.clock_slope(f, 72.0)),
        ("rise, W/MHz", "record", rise_W_per_MHz, rise_error, lambda p: p.rise(f, 67.0)),
    ]  # fmt: skip


def laws(theta, z):
    """The law of the nominal chip and of both single ones, by the names that anchors use."""
    leakage = np.exp(CHIP_LEAKAGE * z[..., :2])
    return {"mean": Law(theta), "pcie": Law(theta, leakage=leakage[..., 0]), "record": Law(theta, leakage=leakage[..., 1], more_V=CHIP_V * z[..., 2])}


def posterior(rows, top_V=None, seed=1):
    """Draws (n, 10) of equal weight, those of the chips (n, 3), and how many are independent. `top_V`: holds the curve's upper end, V"""
    import emcee

    free = [i for i, name in enumerate(NAMES) if top_V is None or name != "top_V"]
    n_free = len(free)

    def whole(x):
        theta = np.tile(START, (len(x), 1))
        theta[:, free] = x[:, :n_free]
        if top_V is not None:
            theta[:, NAMES.index("top_V")] = top_V
        return theta, x[:, n_free:]

    def log_density(x):
        theta, z = whole(x)
        of = laws(theta, z)
        p = of["mean"]
        cap_W_per_K = p.c * p.leak_W(LIMIT_MHz, 65.0)
        inside = np.all((theta >= LOW) & (theta <= HIGH), axis=1) & (p.rest <= p.context) & (p.wait >= p.a_context)
        inside &= (cap_W_per_K >= CAP_W_PER_K[0]) & (cap_W_per_K <= CAP_W_PER_K[1])
        off = ((p.c - 0.030) / 0.001) ** 2 + (z**2).sum(axis=1) + sum(((model(of[chip]) - measured) / error) ** 2 for _, chip, measured, error, model in rows)
        return np.where(inside, -0.5 * off, -np.inf)

    random = np.random.default_rng(seed)
    start, scatter = np.append(START[free], [0, 0, 0]), np.append(SCATTER[free], [0.5, 0.5, 0.5])
    begin = np.empty((0, len(start)))
    while len(begin) < N_WALKER:
        x = start + scatter * random.standard_normal((4 * N_WALKER, len(start)))
        begin = np.concatenate([begin, x[np.isfinite(log_density(x))]])
    sampler = emcee.EnsembleSampler(N_WALKER, len(start), log_density, vectorize=True)
    sampler.random_state = np.random.RandomState(seed).get_state()
    sampler.run_mcmc(begin[:N_WALKER], N_STEP)
    lag = int(np.ceil(sampler.get_autocorr_time(discard=N_BURN).max()))
    theta, z = whole(sampler.get_chain(discard=N_BURN, thin=lag, flat=True))
    return theta, z, len(theta)
