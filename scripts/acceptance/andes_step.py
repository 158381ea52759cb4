"""A step of load on a network in ANDES, in the Python of scripts/oracles: andes_step.py RAW DYR BUS STEP_MW LENGTH_S [LOADS]

Reads the files with ANDES's own readers, adds the step at 1 s to the bus and prints one JSON object. All loads, the step included, are
of one kind: constant impedance, current or power. The object has times, each machine's speed deviation in Hz, their names, and each machine's stored energy and electrical power. Nothing of the product is
imported.
"""
import json
import logging
import sys

logging.disable(logging.CRITICAL)


SOURCES = {"impedance": "Req", "current": "Ipeq", "power": "Ppf"}  # what ANDES names the parts of a load


def play(raw, dyr, bus, step_MW, length_s, loads="impedance", step_s=0.005, event_s=1.0):
    import andes
    import numpy
    system = andes.load(raw, addfile=dyr, setup=False, no_output=True, default_config=True)
    # A load of nothing that becomes the step.
    system.add("PQ", {"idx": "site", "name": "site", "bus": bus, "Vn": system.Bus.Vn.v[system.Bus.idx2uid(bus)], "p0": 1e-9, "q0": 0.0})
    system.add("Alter", {"idx": "step", "t": event_s, "model": "PQ", "dev": "site", "src": SOURCES[loads], "attr": "v", "method": "=", "amount": 0.0})
    system.setup()
    shares = [float(kind == loads) for kind in ("power", "current", "impedance")]
    system.PQ.config.p2p, system.PQ.config.p2i, system.PQ.config.p2z = shares
    system.PQ.config.q2q, system.PQ.config.q2i, system.PQ.config.q2z = shares
    system.PFlow.run()
    voltage_pu = system.Bus.v.v[system.Bus.idx2uid(bus)]
    system.Alter.amount.v[0] = step_MW / system.config.mva / {"impedance": voltage_pu**2, "current": voltage_pu, "power": 1.0}[loads]
    system.TDS.config.tf, system.TDS.config.no_tqdm, system.TDS.config.tstep, system.TDS.config.fixt = length_s, 1, step_s, 1
    system.TDS.config.tol = 1e-8
    if not system.TDS.run():
        raise SystemExit(f"ANDES could not play the step beyond {float(system.dae.t):.3f} s")
    machines = system.GENROU
    x = system.dae.ts.x
    speed = (x[:, machines.omega.a] - 1.0) * system.config.freq
    power = system.dae.ts.y[:, machines.Pe.a] * system.config.mva
    return {"time_s": list(system.dae.ts.t), "names": [f"{b}-{i}" for b, i in zip(machines.bus.v, [1] * machines.n)],
            "speed_Hz": numpy.transpose(speed).tolist(), "power_MW": numpy.transpose(power).tolist(),
            "stored_MJ": [m / 2 * system.config.mva for m in machines.M.v]}


if __name__ == "__main__":
    arguments = sys.argv[1:]
    json.dump(play(arguments[0], arguments[1], int(arguments[2]), float(arguments[3]), float(arguments[4]), *arguments[5:6]), sys.stdout)
