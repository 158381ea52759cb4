"""Acceptance of equal bits: threads, resumed runs, instruction sets, compilers."""
import random
import re
import shutil
import subprocess
import time
from pathlib import Path

import product
from product import DAY, ROOT

SCENARIOS = ROOT / "scenarios"
DAYS54 = SCENARIOS / "llama3_405b_54days.toml"
# A fleet of 256 GPUs through every kind of step: jumps, all edges by the reference, failures and checkpoints, devices that smooth, nodes
# that fall by heat, a site on its own turbines.
SMALL = product.fleet(256)
RUNS = {"day": (DAY, {"run.duration_h": 1}, []),
        "reference": (DAY, {"run.duration_h": 0.1}, ["--reference"]),
        "failures": (DAYS54, {"run.duration_h": 6}, []),
        "smoothed": (SCENARIOS / "llama3_405b_smoothed.toml", {}, []),
        "heat": (SCENARIOS / "loss_of_coolant.toml", {}, []),
        "islanding": (SCENARIOS / "islanding.toml", {}, [])}
# What the emulator says it is. One extension fewer than the kernel's middle version asks for, and the simplest one is taken;
# the C library's functions stay those of a processor with fused multiply-add (docs/engine.md says why).
PROCESSORS = {"AVX2": "Haswell-noTSX", "SSE2": "Haswell-noTSX,-bmi2"}


def check(report):
    sets = {**product.fleet(2048), "run.duration_h": 2}
    hashes = [report.run(DAY, sets, "--threads", n).json["payload_sha256"] for n in (1, 2, 3, 8)]
    report.judge("same bits for 1, 2, 3, 8 threads", len(set(hashes)) == 1, ", ".join(h[:12] for h in hashes), "equal")
    check_resumed(report)
    here = {name: hash_of(report, [report.binary], name) for name in RUNS}
    check_instruction_sets(report, here)
    check_compilers(report, here)


def check_resumed(report, n=10):
    """A run of days with failures, killed at random moments once its state has been written, and resumed."""
    sets = {**product.fleet(1024), "run.duration_h": 96}
    whole = report.run(DAYS54, sets).json["payload_sha256"]
    draw = random.Random(20240720)
    same, killed = 0, 0
    folder = Path(report.folder.name)
    for i in range(n):
        state = folder / f"state_{i}"
        every_h = round(draw.uniform(1.0, 95.0), 3)
        arguments = [report.binary, "run", DAYS54, "--out", folder / f"cut_{i}", "--checkpoint", state, "--checkpoint-every-h", every_h]
        arguments += [x for key, value in sets.items() for x in ("--set", f"{key}={value}")]
        process = subprocess.Popen([str(a) for a in arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not state.exists():
            time.sleep(0.002)
        killed += process.poll() is None
        process.kill()
        process.wait()
        same += report.run(DAYS54, sets, "--resume", state).json["payload_sha256"] == whole
    report.judge(f"same bits when resumed at {n} random points", same == n, f"{same} of {n}, {killed} of them killed", "equal")


def hash_of(report, command, name):
    """SHA-256 of one of RUNS by a command: a binary, or an emulator and a binary."""
    scenario, sets, more = RUNS[name]
    arguments = [*command, "run", scenario, "--json", "--no-interval", "--quiet", "--threads", 2, "--out", Path(report.folder.name) / "bits.h5"]
    arguments += [x for key, value in {**SMALL, **sets}.items() for x in ("--set", f"{key}={value}")]
    arguments += more
    return product.call(arguments).json["payload_sha256"]


def compare(report, what, command, here):
    differ = [name for name in RUNS if hash_of(report, command, name) != here[name]]
    report.judge(f"same bits: {what}", not differ, f"differ: {', '.join(differ)}" if differ else f"{len(RUNS)} runs", "equal")


def check_instruction_sets(report, here):
    """The very same binary on processors that have less, emulated; this machine's own is the best it has."""
    qemu = shutil.which("qemu-x86_64") or shutil.which("qemu-x86_64-static")
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8").split() if Path("/proc/cpuinfo").exists() else []
    if "avx2" not in flags:
        return report.skip("same bits for each instruction set", "this processor has no AVX2 to compare with")
    if not qemu:
        return report.skip("same bits for each instruction set", "no qemu-x86_64 (Debian, Ubuntu: qemu-user)")
    own = "AVX-512" if "avx512f" in flags else "AVX2"
    for name, processor in PROCESSORS.items():
        if name != own:
            compare(report, f"{own} and {name}", [qemu, "-cpu", processor, report.binary], here)
    if own != "AVX-512":
        report.skip("same bits: AVX-512", "this processor does not have it, and the emulator neither")


def check_compilers(report, here):
    other = report.clang_bin or build_with_clang(report)
    if other:
        compare(report, "gcc and clang", [other], here)


def build_with_clang(report):
    """The command built by the newest clang there is, in build/clang; None if there is none or it does not build."""
    names = [f"clang++-{n}" for n in range(30, 15, -1)] + ["clang++"]
    clang = next((n for n in names if shutil.which(n)), None)
    version = re.search(r"version (\d+)", product.call([clang, "--version"]).stdout) if clang else None
    if not version or int(version[1]) < 16:
        report.skip("same bits: gcc and clang", "no clang++ 16 or newer (Debian 12: clang-19 libomp-19-dev), and no --clang-bin")
        return None
    folder = ROOT / "build" / "clang"
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    for arguments in (["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", f"-DCMAKE_C_COMPILER={clang.replace('++', '')}",
                       f"-DCMAKE_CXX_COMPILER={clang}", "-DTIDEWATT_TESTS=OFF", "-DTIDEWATT_PYTHON=OFF", "-DTIDEWATT_WERROR=ON", *launcher],
                      ["cmake", "--build", folder, "--target", "tidewatt_cli"]):
        outcome = product.call(arguments)
        if outcome.code != 0:
            last = (outcome.stderr + outcome.stdout).strip().splitlines()[-1:]
            report.judge("same bits: gcc and clang", False, f"{clang} does not build it: {''.join(last)}", "builds without a warning")
            return None
    return folder / "bin" / "tidewatt"
