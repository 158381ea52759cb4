"""Runs beside their reference: which scenarios, how far off, and why; for scripts/against_reference and the engine's acceptance."""
import product

# 1,024 GPUs of the same pipeline stand for a fleet whose reference takes minutes; 0: at full size.
SCENARIOS = {"curtailment_cap": 0, "curtailment_storage": 0, "curtailment_tiers": 0, "gb200_nvl72_row": 0, "gb300_nvl72_row": 0,
             "islanding": 0, "llama3_405b_cascade": 1024, "llama3_405b_liquid": 1024, "llama3_405b_smoothed": 1024,
             "llama3_405b_transients": 1024, "megatron_175b_superpod": 0, "power_brake": 1024, "utility_loss": 0}  # fmt: skip
TOKENS, STEP, RISE, FALL = "tokens_per_s_mean", "pcc_step_1s_max_MW", "pcc_ramp_up_max_MW_per_s", "pcc_ramp_down_max_MW_per_s"
FIGURES = {TOKENS: "throughput", STEP: "largest step within 1 s", RISE: "steepest rise", FALL: "steepest fall"}
AIM_percent = {TOKENS: 0.02, STEP: 0.1, RISE: 0.1, FALL: 0.1}
# Why a figure misses its aim.
CAUSES = {
    "phase": "Several jobs iterate freely, or a brake or a failure falls at some place within an iteration. Which edges meet, and which of"
             " them it cuts, depends on the period to one part in a million.",
    "sensors": "All nodes read their fans' sensors at the same instants, so all fans step together where a short step begins. With"
               " short steps of half the length the reference's own ramps move as much.",
    "mean": "Iterations that repeat are booked as one mean iteration. Jitter scatters the edges of the others, which are less steep."
            " Without jitter these figures are within their aims.",
    "leakage": "In the first work after a long rest the leakage is that at its kind's mean temperature, more than at the first instant.",
}  # fmt: skip
MISSES = {
    ("curtailment_storage", STEP): "sensors", ("curtailment_storage", FALL): "sensors", ("islanding", STEP): "sensors",
    ("llama3_405b_transients", RISE): "sensors",
    ("curtailment_tiers", STEP): "phase", ("curtailment_tiers", RISE): "phase", ("curtailment_tiers", FALL): "phase",
    ("power_brake", RISE): "phase", ("power_brake", FALL): "phase", ("llama3_405b_transients", FALL): "phase",
    ("gb300_nvl72_row", STEP): "mean", ("megatron_175b_superpod", FALL): "mean",
    ("llama3_405b_smoothed", STEP): "leakage",
}  # fmt: skip


def differences(names, run):
    """{scenario: {figure: by how much the run is above its reference, %}} `run`: [(scenario's file, overrides, options)] to outcomes"""
    cases = []
    for name in names:
        sets = product.fleet(SCENARIOS[name]) if SCENARIOS[name] else {}
        cases += [(product.ROOT / "scenarios" / f"{name}.toml", sets, more) for more in ([], ["--reference"])]
    answers = [o.json for o in run(cases)]
    return {name: {key: 100.0 * (a[key] / b[key] - 1.0) for key in FIGURES} for name, a, b in zip(names, answers[::2], answers[1::2])}


def misses(name, of):
    """Figures of a scenario that miss their aim, each with its cause; None: not known."""
    return {key: MISSES.get((name, key)) for key, percent in of.items() if not abs(percent) <= AIM_percent[key]}


def page(all_of):
    """The page of {scenario: {figure: %}}."""
    def cell(key, percent):
        digits = 4 if key == TOKENS else 2
        form = f"{round(percent, digits) + 0.0:+.{digits}f}"  # no minus before a zero
        return form if abs(percent) <= AIM_percent[key] else f"**{form}**"

    missed = {name: misses(name, of) for name, of in all_of.items()}
    n = sum(len(of) - (TOKENS in of) for of in missed.values())
    lines = ["# Runs against their reference", "", "Written by `scripts/against_reference --page docs/against_reference.md`; do not edit by hand.", "",
             "`tidewatt run FILE --reference` steps through every segment of every iteration ([engine](engine.md)). The table compares it with the",
             "usual run, in shipped scenarios in which something happens. Figures are those of the site, usual run minus reference, in % of the",
             f"reference. The aims are {AIM_percent[TOKENS]:g} % of the throughput and {AIM_percent[STEP]:g} % of steps and ramps;"
             f" {n} of {3 * len(all_of)} steps and ramps miss theirs (bold).", "",
             f"| scenario | GPUs | {' | '.join(FIGURES.values())} | see |", "|---|---|---|---|---|---|---|"]  # fmt: skip
    for name, of in all_of.items():
        size = f"{SCENARIOS[name]:,}" if SCENARIOS[name] else "as shipped"
        why = ", ".join(sorted({cause or "not known" for cause in missed[name].values()}))
        lines.append(f"| `{name}` | {size} | {' | '.join(cell(key, of[key]) for key in FIGURES)} | {why} |")
    used = [c for c in CAUSES if any(c in of.values() for of in missed.values())]
    if used:
        lines += ["", "Why figures miss their aims:", "", *(f"* *{cause}*: {CAUSES[cause]}" for cause in used)]
    return "\n".join(lines) + "\n"
