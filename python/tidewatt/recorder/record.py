"""The record itself: runs the experiments, samples at fixed times, writes rows as they come."""

from __future__ import annotations

import csv
import json
import os
import platform
import time

from . import experiments
from .restore import Restorer
from .sources import READINGS, RecorderError

COLUMNS = ("time_s", "gpu", "part", "experiment", "load_frac", *READINGS, "products", "load_s")
SLOW_S = 0.1  # between readings that cost the driver milliseconds; it renews its counters no oftener
LATE_S = 1.0  # a sample later than this is a gap that the end names


class Recorder:
    """`source`: Nvml or NvidiaSmi; `load`: a load of load.py; `gpus`: which; `out`: the CSV to write."""

    def __init__(self, source, load, gpus: list[int], out: str, sample_s: float):
        self.source, self.load, self.gpus, self.out, self.sample_s = source, load, gpus, out, sample_s
        self.gaps, self.done, self.left_out, self.rows, self.restorer = [], [], [], 0, None
        self.about = {
            "host": platform.node(),
            "gpus": {str(g): source.about(g) for g in gpus},
            "source": type(source).__name__,
            "sample_s": sample_s,
            "load": load.name,
        }

    def run(self, plan: list[experiments.Experiment]) -> None:
        """The whole plan. Settings are put back and the description is written in any case.

        Raises RecorderError: a load or a reading failed; KeyboardInterrupt: the user has enough. What was recorded stays.
        """
        if any(x.clock_MHz or x.cap_W for x in plan):
            self.restorer = Restorer(self.source.path, {g: self.about["gpus"][str(g)]["limit_W"] for g in self.gpus})
        self.about["begun"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        left, failure = "", None
        try:
            with open(self.out, "x", newline="", encoding="utf-8") as file:
                rows = csv.DictWriter(file, COLUMNS)
                rows.writeheader()
                for x in plan:
                    self._one(x, rows, file)
        except BaseException as error:
            failure = error
            raise
        finally:
            try:
                self.load.end()
            finally:
                left = self.restorer.restore() if self.restorer else ""
                self._describe(plan, failure, left)
        if left:
            raise RecorderError(f"settings were not put back: {left}")

    def _one(self, x, rows, file):
        self.load.begin(x.context)
        lacks = self.load.prepare(x.work) if x.context else ""
        if lacks:
            self.left_out.append({"name": x.name, "why": lacks})
            return
        self._change(x)
        begin, stamp = time.monotonic(), time.time()
        self.load.wave(begin, x.period_s, x.on_frac)
        k, last_slow, last = 0, -SLOW_S, begin
        while (now := time.monotonic() - begin) < x.length_s:
            self.load.check()
            slow = now - last_slow >= SLOW_S - 1e-3
            last_slow = now if slow else last_slow
            for gpu in self.gpus:
                rows.writerow(self._row(x, gpu, slow))
                self.rows += 1
            file.flush()
            if (late := time.monotonic() - last) > max(LATE_S, 3 * self.sample_s):
                self.gaps.append({"experiment": x.name, "at_s": round(now, 3), "length_s": round(late, 3)})
            last = time.monotonic()
            k = max(k + 1, int((last - begin) / self.sample_s))  # a late sample is not caught up with a burst
            self._wait(begin + k * self.sample_s)
        self.done.append({"name": x.name, "begun_s": round(stamp, 4), "length_s": x.length_s, "load_frac": x.on_frac, "period_s": x.period_s,
                          "context": x.context, "work": x.work, "clock_MHz": x.clock_MHz, "cap_W": x.cap_W})  # fmt: skip

    def _wait(self, until):
        """Until the next sample; a command that is switched by signals is looked after in between."""
        while (left := until - time.monotonic()) > 0:
            if self.load.name == "command":
                self.load.check()
            time.sleep(min(left, 0.01) if self.load.name == "command" else left)

    def _row(self, x, gpu, slow):
        stamp = time.time()
        reading = self.source.read(gpu, slow)
        filled = {k: "" if v is None else v for k, v in {**reading, "products": self.load.products(gpu), "load_s": self.load.on_s(gpu)}.items()}
        return {"time_s": f"{stamp:.4f}", "gpu": gpu, "part": len(self.done), "experiment": x.name, "load_frac": x.on_frac, **filled}

    def _change(self, x):
        """Settings of this experiment; those of the one before are put back where it has none."""
        for gpu in self.gpus if self.restorer else ():
            old_W = self.about["gpus"][str(gpu)]["limit_W"]
            if x.clock_MHz:
                self.restorer.will_change("clock", gpu)
                self.source.lock_clock(gpu, x.clock_MHz)
            elif self.done and self.done[-1]["clock_MHz"]:
                self.source.unlock_clock(gpu)
            if x.cap_W:
                self.restorer.will_change("limit", gpu)
                self.source.set_limit(gpu, x.cap_W)
            elif self.done and self.done[-1]["cap_W"]:
                self.source.set_limit(gpu, old_W)

    def _describe(self, plan, failure, left):
        changes = {x["name"].split("_at_")[0] for x in self.done if x["clock_MHz"] or x["cap_W"]}
        self.about.update(
            experiments=self.done,
            left_out=self.left_out,
            complete=len(self.done) + len(self.left_out) == len(plan),
            ended_by="" if failure is None else type(failure).__name__ + (f": {failure}" if str(failure) else ""),
            rows=self.rows,
            gaps=self.gaps,
            settings_not_put_back=left,
            unidentified=experiments.unidentified(changes),
            uses={x["name"]: experiments.USES[x["name"].split("_of_")[0].split("_at_")[0]] for x in self.done},
        )
        draft = f"{self.out}.json.tmp"
        with open(draft, "w", encoding="utf-8") as file:
            json.dump(self.about, file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, f"{self.out}.json")
