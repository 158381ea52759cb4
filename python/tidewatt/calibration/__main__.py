"""What `tidewatt calibrate` runs."""
from __future__ import annotations

import argparse
import json
import sys

from .. import _core
from . import calibrate


def main(argv=None) -> int:
    """The command line.

    Parameters
    ----------
    argv : list of str, optional
        Arguments; those of the process by default.

    Returns
    -------
    int
        0; 2 for bad input or without emcee; 74 if a file cannot be written.
    """
    a = _arguments().parse_args(argv)
    try:
        done = calibrate(*a.files, name=a.name, base=a.base, gpu=a.gpu, population=a.population, before_W=a.before_W, power_window_s=a.power_window_s, fan_frac=a.fan_frac,
                         update=a.update, draws=a.draws, seed=a.seed, limit_s=a.limit_s)  # fmt: skip
        path = done.save(a.out)
    except (ImportError, _core.InputError, _core.SolverError) as error:
        print(f"tidewatt calibrate: {error}", file=sys.stderr)
        return 2
    except _core.OutputError as error:
        print(f"tidewatt calibrate: {error}", file=sys.stderr)
        return 74
    if a.json:
        print(json.dumps({"kind": "calibration", "name": done.name, "base": done.base, "interval_percent": 95, "values": json.loads(done.frame.to_json(orient="records")),
                          "findings": done.findings, "logs": done.logs, "chips": done._record.get("chips", []), "sampling": done.sampling, "file": str(path)}))  # fmt: skip
    else:
        print(f"{done}\n{path}: `--update` takes it; `--catalog {a.out}` makes it gpu '{done.name}'")
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tidewatt calibrate", description="Posterior of one GPU's poles and leakage from its logs.")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--name", required=True)
    parser.add_argument("--out", default=".")
    parser.add_argument("--base", default="h100_sxm_700W")
    parser.add_argument("--gpu", default="")
    parser.add_argument("--population", action="store_true")
    parser.add_argument("--before-W", type=float)
    parser.add_argument("--power-window-s", type=float, default=1.0)
    parser.add_argument("--fan-frac", type=float, default=1.0)
    parser.add_argument("--update")
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit-s", type=float, default=600.0)
    parser.add_argument("--json", action="store_true")
    return parser


if __name__ == "__main__":
    sys.exit(main())
