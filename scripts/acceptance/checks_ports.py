"""Acceptance of the engine's ports: answers after a write, equal bits, refusals, speed, classes, examples."""
import hashlib
import random
import sys
import tempfile
import threading
import time
import tomllib
import warnings
from pathlib import Path

import product
from product import DAY, ROOT

sys.path.insert(0, str(ROOT / "build" / "release" / "python"))
sys.path.insert(0, str(ROOT / "examples" / "controllers"))
import tidewatt as tw

warnings.simplefilter("ignore", UserWarning)
LIQUID = ROOT / "scenarios" / "llama3_405b_liquid.toml"
FINE = {"run.macro_step_s": 10, "run.macro_step_max_s": 10}
MINUTE = {"run.macro_step_s": 60, "run.macro_step_max_s": 60}


def load(n_gpu, hours, scenario=DAY, **more):
    return tw.load(scenario, set={**product.fleet(n_gpu), "run.duration_h": hours, **more})


def moved_cap(scenario, from_W, to_W):
    """The hottest die at 6,300 s and the mean power since 5,406 s, when the cap moved."""
    engine = tw.Engine(scenario)
    engine.write("hall.a.cap_W", from_W)
    engine.advance_to(5406.0)
    engine.write("hall.a.cap_W", to_W)
    engine.advance_to(6300.0)
    return engine.read("hall.a.die_max_K"), engine.read("pcc_W")


def check_answer(report):
    n_gpu = 1024 if report.quick else 16384
    for file in (DAY, LIQUID):
        for from_W, to_W in ((700.0, 450.0), (450.0, 700.0)):
            # Fans on a line: in steps, an instant may lie on the other side of one. scripts/acceptance/chips judges those by their means.
            server = {"hall.a.server": "dgx_h100"} if file is DAY else {}
            usual, minute, fine = (moved_cap(load(n_gpu, 1.75, file, **server, **steps), from_W, to_W) for steps in ({}, MINUTE, FINE))
            name = f"{'liquid' if file is LIQUID else 'air'}, cap {from_W:.0f} to {to_W:.0f} W, {n_gpu} GPUs"
            report.at_most(f"{name}: die", max(abs(usual[0] - x[0]) for x in (minute, fine)), 0.05, "K")
            report.at_most(f"{name}: power", max(abs(usual[1] / x[1] - 1) * 100 for x in (minute, fine)), 0.05, "%")


def drive(engine, to_s, step_s=37.001):
    """A controller whose cap follows the last bits of the hottest die."""
    while engine.time_s + step_s <= to_s:
        engine.advance_to(round(engine.time_s + step_s, 3))
        engine.write("hall.a.cap_W", 500.0 + engine.read("hall.a.die_max_K") * 1e6 % 100.0)
    return engine


GOES_ON = """
import sys, warnings
warnings.simplefilter("ignore", UserWarning)
sys.path[:0] = [{here!r}]
import checks_ports as c
engine = c.tw.Engine(c.load(1024, 0.5))
engine.restore(open({saved!r}, "rb").read())
print(c.drive(engine, 1700.0).finish().payload_sha256)
"""


def check_bits(report):
    n_gpu = 1024 if report.quick else 16384
    scenario = load(n_gpu, 1)
    plain = tw.run(scenario)
    same = 0
    for seed in range(3):
        draw, engine, t_s = random.Random(seed), tw.Engine(scenario, threads=1 + seed), 0.0
        while t_s < 3600.0:
            t_s = min(3600.0, round(t_s + draw.uniform(0.001, 90.0), 3))
            engine.advance_to(t_s)
            for port in engine.ports():
                engine.read(port["name"])
            engine.write("hall.a.cap_W", engine.read("hall.a.cap_W"))
        same += engine.finish().payload_sha256 == plain.payload_sha256
    report.judge("random times, all ports read: the bits of tw.run", same == 3, f"{same} of 3, on 1, 2, 3 threads", "equal")
    report.at_most("closure of a driven run", max(plain.summary["energy_closure"], drive(tw.Engine(scenario), 3500.0).finish().summary["energy_closure"]), 1e-11, "", ".1e")
    small = load(1024, 0.5)
    first = drive(tw.Engine(small), 800.0)
    first.advance_to(911.5)
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder) / "engine.state"
        saved.write_bytes(first.save())
        other = product.call([sys.executable, "-c", GOES_ON.format(here=str(Path(__file__).parent), saved=str(saved))])
    expected = drive(first, 1700.0).finish().payload_sha256
    report.judge("saved inside a step, another process goes on", other.stdout.strip() == expected, other.stderr.strip()[-200:] or expected[:12], "equal")
    hashes = {}
    engines = [threading.Thread(target=lambda k=k: hashes.update({k: drive(tw.Engine(small), 1700.0).finish().payload_sha256})) for k in range(2)]
    for t in engines:
        t.start()
    for t in engines:
        t.join()
    alone = drive(tw.Engine(small), 1700.0).finish().payload_sha256
    report.judge("two engines in threads", set(hashes.values()) == {alone}, f"{len(hashes)} engines", "equal")


def check_energy(report):
    engine, pcc_J, tokens, t_s = tw.Engine(load(1024, 1)), 0.0, 0.0, 0.0
    draw = random.Random(5)
    while t_s < 3600.0:
        last_s, t_s = t_s, min(3600.0, round(t_s + draw.uniform(0.001, 60.0), 3))
        engine.advance_to(t_s)
        pcc_J += engine.read("pcc_W") * (t_s - last_s)
        tokens += engine.read("job.main.tokens_per_s") * (t_s - last_s)
        if draw.random() < 0.2:
            engine.write("hall.a.cap_W", draw.uniform(400.0, 700.0))
    counted = engine.read("job.main.tokens")
    result = engine.finish()
    report.at_most("means x time against the run's energy", abs(pcc_J / (result.summary["pcc_mean_MW"] * 3600e6) - 1), 1e-11, "", ".1e")
    report.at_most("means x time against the tokens", abs(tokens / counted - 1), 1e-11, "", ".1e")


def check_refusals(report):
    scenario = load(1024, 0.1)
    engine, expected = tw.Engine(scenario), tw.run(scenario).payload_sha256
    engine.advance_to(100.0)
    asked = {"a write above its range": lambda: engine.write("hall.a.cap_W", 5000.0),
             "a write below its range": lambda: engine.write("hall.a.cap_W", 9.0),
             "no number": lambda: engine.write("hall.a.cap_W", float("nan")),
             "a port that is read only": lambda: engine.write("pcc_W", 1.0),
             "an unknown port": lambda: engine.read("hall.a.capp_W"),
             "a time in the past": lambda: engine.advance_to(99.0),
             "a time between milliseconds": lambda: engine.advance_to(100.0005),
             "a time beyond the end": lambda: engine.advance_to(1e6),
             "bytes that are no state": lambda: engine.restore(b"x" * 999)}  # fmt: skip
    refused = []
    for name, call in asked.items():
        try:
            call()
            report.judge(name, False, "accepted", "refused")
        except (tw.InputError, ValueError) as error:
            refused.append(str(error))
    unchanged = engine.time_s == 100.0 and engine.finish().payload_sha256 == expected
    report.judge("refusals leave the engine as it was", unchanged and len(refused) == len(asked), f"{len(refused)} of {len(asked)} refused", "same bits")


def check_speed(report):
    seconds = 1200 if report.quick else 3600
    rates = []
    for _ in range(3):
        engine = tw.Engine(load(2048, seconds / 3600), threads=1)
        begin = time.process_time()
        for t_s in range(1, seconds + 1):
            engine.advance_to(float(t_s))
            engine.read("pcc_W")
            engine.read("hall.a.die_max_K")
            engine.write("hall.a.cap_W", 600.0 + t_s % 7 * 10.0)
        rates.append(seconds / (time.process_time() - begin))
    report.within("2,048 GPUs, a call a second, over real time", max(rates), 200.0, float("inf"), "", ".0f", note="processor time, best of three")


def check_classes(report):
    outcome = product.call([sys.executable, ROOT / "tests" / "structure" / "classes_check.py"])
    exempt = tomllib.loads((ROOT / "tests" / "structure" / "classes_exceptions.toml").read_text(encoding="utf-8"))
    report.judge("classes: 300 lines, 12 members, State and Scratch 15", outcome.code == 0 and not exempt,
                 f"larger: {', '.join(exempt) or 'none'}", "none")  # fmt: skip


def check_examples(report):
    import precool
    import site_limit
    import two_campuses

    gain, fixed_W, moved_W = site_limit.main()
    report.within("site controller: tokens over the best fixed cap", 100 * gain, 1.0, float("inf"), "%")
    report.at_most("site controller: largest quarter hour", moved_W / 1e6, 14.5, "MW", ".3f", note=f"fixed cap {fixed_W / 1e6:.3f}")
    cooler_K, harm_K, power_ratio = precool.main()
    report.within("pre-cooling: hottest die lower by", cooler_K, 0.05, float("inf"), "K")
    report.at_most("pre-cooling, false alarm: hottest die higher by", harm_K, 0.05, "K", note=f"{100 * (power_ratio - 1):+.1f} % energy")
    gain, _, shared_W, hashes, swapped = two_campuses.main()
    report.within("two campuses: tokens over half each", 100 * gain, 0.0, float("inf"), "%")
    report.at_most("two campuses: largest minute together", shared_W / 1e6, 30.0, "MW", ".2f")
    report.judge("two campuses: either one advanced first", hashes == swapped, hashlib.sha256("".join(hashes).encode()).hexdigest()[:12], "same bits")


__all__ = ["check_answer", "check_bits", "check_classes", "check_energy", "check_examples", "check_refusals", "check_speed"]
