"""Reads exports with independent programs, in the Python of scripts/oracles: third_party_reader.py PROGRAM FILE

Prints one JSON object: names of the channels, times of the samples in seconds and each channel's values. The caller has the
truth; nothing here knows it.
"""
import json
import logging
import sys
from pathlib import Path

logging.disable(logging.CRITICAL)


def comtrade(file):
    import comtrade as library
    # Single precision would read 600 s in steps of 0.977 ms.
    record = library.Comtrade(use_double_precision=True)
    record.load(str(file)) if file.suffix == ".cff" else record.load(str(file), str(file.with_suffix(".dat")))
    return {"names": record.analog_channel_ids, "time_s": list(record.time), "values": [list(a) for a in record.analog],
            "start": record.start_timestamp.isoformat(), "trigger": record.trigger_timestamp.isoformat(),
            "station": record.station_name, "units": [c.uu for c in record.cfg.analog_channels]}


def comtrade_io(file):
    from comtrade_io.parser.comtrade_file import ComtradeFile
    record = ComtradeFile.from_cff(file) if file.suffix == ".cff" else ComtradeFile.from_file(file)
    columns = record.data
    return {"names": [record.analogs[k].name for k in sorted(record.analogs)], "time_s": (columns.iloc[:, 1] * 1e-6 * record.timemult).tolist(),
            "values": [columns.iloc[:, 2 + k].astype(float).tolist() for k in range(len(record.analogs))], "start": record.start_time.isoformat()}


def opendss(file):
    import opendssdirect as dss
    for command in ("clear", "new circuit.test", f"redirect {file.resolve()}"):
        dss.Text.Command(command)
    dss.LoadShape.Name(dss.LoadShape.AllNames()[-1])
    n, step_s = dss.LoadShape.Npts(), dss.LoadShape.SInterval()
    return {"names": ["kW", "kvar"], "time_s": [i * step_s for i in range(n)], "actual": bool(dss.LoadShape.UseActual()),
            "values": [list(dss.LoadShape.PMult()), list(dss.LoadShape.QMult())]}


def andes(file):
    """Plays the series into a load of the two-area system and notes what the load asks for at each stamp."""
    import andes as program
    import pandas
    device = pandas.read_csv(file).iloc[0].to_dict()
    series = pandas.read_csv(file.parent / device["path"])
    system = program.load(program.get_case("kundur/kundur_full.xlsx"), setup=False, no_output=True, default_config=True)
    system.add("PQ", {"idx": device["dev"] + "_site", "name": "site", "bus": system.Bus.idx.v[6], "Vn": 230, "p0": float(series.p_pu[0]), "q0": float(series.q_pu[0])})
    system.add("TimeSeries", {**device, "dev": device["dev"] + "_site", "path": str((file.parent / device["path"]).resolve())})
    system.setup()
    system.Toggle.u.v[:] = 0
    for key, value in {"p2p": 1, "p2i": 0, "p2z": 0, "q2q": 1, "q2i": 0, "q2z": 0}.items():
        setattr(system.PQ.config, key, value)
    system.PFlow.run()
    seen, at = {}, system.PQ.idx2uid(device["dev"] + "_site")
    system.TDS.callpert = lambda t, s: seen.__setitem__(float(t), (float(s.PQ.Ppf.v[at]), float(s.PQ.Qpf.v[at])))
    system.TDS.config.tf, system.TDS.config.no_tqdm, system.TDS.config.save_every = float(series.t.iloc[-1]) + 1e-3, 1, 0
    if not system.TDS.run():
        raise SystemExit("ANDES could not play the series")
    stamps = [t for t in series.t if t in seen]
    # The call comes before the values of its instant are applied, so the next one shows them.
    times = sorted(seen)
    after = {t: seen[later] for t, later in zip(times, times[1:])}
    return {"names": ["p_pu", "q_pu"], "time_s": stamps, "values": [[after[t][k] for t in stamps] for k in range(2)]}


PROGRAMS = {"comtrade": comtrade, "comtrade_io": comtrade_io, "opendss": opendss, "andes": andes}

if __name__ == "__main__":
    json.dump(PROGRAMS[sys.argv[1]](Path(sys.argv[2])), sys.stdout)
