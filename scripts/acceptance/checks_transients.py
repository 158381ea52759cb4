"""Acceptance of the ten minutes at full resolution: full stop, spectrum, resolution, books, same bits."""
import sys

import product
from checks_day import books
from product import ROOT, TRANSIENTS


def check(report):
    import h5py
    outcome = report.run(TRANSIENTS, None, "--threads", 2)
    figures = outcome.json
    report.at_most("transients: wall time, 2 threads", outcome.wall_s, 60, "s", ".1f", f"CPU {outcome.cpu_s:.0f} s")
    report.at_most("transients: peak memory", outcome.rss_B / 1e9, 2.0, "GB", ".2f")
    books(report, "transients", figures)
    with h5py.File(figures["result_file"], "r") as file:
        stop(report, file, figures)
        fundamental(report, file, figures)
    hashed = product.call([sys.executable, ROOT / "scripts" / "hash_result", figures["result_file"]])
    report.judge("scripts/hash_result agrees", hashed.stdout.strip() == figures["payload_sha256"], hashed.stdout.strip()[:12],
                 figures["payload_sha256"][:12])
    again = report.run(TRANSIENTS, None, "--threads", 1).json["payload_sha256"]
    report.judge("transients: same bits again, with 1 thread", again == figures["payload_sha256"], again[:12],
                 figures["payload_sha256"][:12])


def stop(report, file, figures):
    """The highest load of the iteration before the failure against the lowest within two iterations after it: the others run to the exchange that waits."""
    import numpy as np
    time_s, pcc_W = file["waveform_sample/time"][()], file["waveform_sample/pcc_W"][()]
    step_s = np.diff(time_s)
    report.judge("transients: resolution", np.allclose(step_s, 1e-3, rtol=1e-6) and len(time_s) == 600000,
                 f"{len(time_s)} samples, {1e3 * step_s.mean():.6g} ms", "600,000 of 1 ms")
    kinds = [k.decode() if isinstance(k, bytes) else k for k in file["events/kind"][()]]
    struck_s = [t for k, t in zip(kinds, file["events/time"][()]) if "fail" in k]
    at = int(round((struck_s[0] if struck_s else 433.21) * 1000))
    one_ms = int(1000 * figures["iteration_s"])
    drop_MW = float(pcc_W[at - one_ms:at].max() - pcc_W[at + 1:at + 2 * one_ms].min()) * 1e-6
    report.within(f"full stop at {at / 1000:.2f} s: drop within two iterations", drop_MW, 6, 20, "MW",
                  note=f"largest step in 1 s: {figures['pcc_step_1s_max_MW']:.3g} MW")


def fundamental(report, file, figures):
    """A line stands at one per iteration if it towers over what lies between it and the next harmonic."""
    import numpy as np
    f_Hz, W = file["spectrum/frequency_Hz"][()], file["spectrum/pcc_amplitude_W"][()]
    expected = 1.0 / figures["iteration_s"]
    near = np.abs(f_Hz - expected) < 0.15 * expected
    between = np.abs(f_Hz - 1.5 * expected) < 0.15 * expected
    peak = int(np.flatnonzero(near)[np.argmax(W[near])])
    ratio = float(W[peak] / np.median(W[between]))
    report.judge("iteration's fundamental in the spectrum", ratio > 3,
                 f"{f_Hz[peak]:.3f} Hz, {W[peak] * 1e-6:.2f} MW, {ratio:.3g} times what lies beside it; largest line "
                 f"{figures['pcc_dominant_Hz']:.3f} Hz", f"a line at {expected:.3f} Hz, 3 times the median beside it")
    order = figures["pcc_dominant_Hz"] / expected
    report.judge("largest line is a harmonic of the iteration", abs(order - round(order)) < 0.05 * round(order),
                 f"order {order:.3f}", "whole within 5 %")
