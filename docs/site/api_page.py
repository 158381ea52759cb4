"""The Python API: every public name, by Sphinx's autodoc from the docstrings of the built package."""
import importlib

GROUPS = {
    "Scenarios": ("Read, make and change a case.", ["load", "new", "Scenario", "schema"]),
    "Running": ("At once, or step by step.", ["run", "Engine"]),
    "Results": ("Figures, arrays, pictures and files.", ["open", "Result", "figures", "_plot.Plot"]),
    "Planning": ("A page on this machine.", ["serve"]),
    "Studies": ("Many cases, sizing, and questions about one case.",
                ["sweep", "SweepTable", "compare", "size", "Sizing", "most_gpus", "best_cap", "explain", "interval", "conditioned", "Conditioned", "machines", "MachineAnswer", "stability", "StabilityAnswer", "plant", "Answer"]),
    "Rules": ("What utilities ask of large loads.", ["rules", "ride", "orders", "filing"]),
    "Telemetry": ("Catalog entries from logs.", ["fit_gpu", "fit_nodes", "fit_fans", "fit_overhead", "fit_clocks", "fit_limiter", "fit_server", "fit_rows", "fit_feeder", "fit_plant", "fit_failures",
                                                 "fit_jitter", "Fit", "replay", "Replay", "fit_inference_power", "InferencePower", "calibrate", "Calibration", "compare_waveforms",
                                                 "WaveformComparison", "through_meter", "read_…", "log_gpus"]),
    "Catalog and trust": ("Data with sources; published results against the models.", ["Catalog", "validate", "bench", "verify"]),
    "Errors": ("Bad input lists all findings at once.", ["Error", "InputError", "CorruptFileError", "SolverError", "RefusedError", "OutputError", "Finding"]),
}


def entry(package, name):
    target = f"tidewatt.{name}"
    value = package
    for part in name.split("."):
        value = getattr(importlib.import_module("tidewatt._plot"), part) if part == "Plot" else value if part == "_plot" else getattr(value, part)
    if isinstance(value, type) and not issubclass(value, BaseException) and name != "Finding":
        return [f".. autoclass:: {target}", "   :members:", "   :special-members: __getitem__", ""]
    if isinstance(value, type):
        return [f".. autoclass:: {target}", "   :no-members:", ""] if name != "Finding" else [f".. autoclass:: {target}", "   :no-members:", "   :no-undoc-members:", ""]
    return [f".. autofunction:: {target}", ""]


def pages():
    """All pages by file name. Raises SystemExit: a public name that no page has"""
    import tidewatt

    readers = [name for name in tidewatt.__all__ if name.startswith("read_") or name in ("job_occupancy", "offered_load")]
    groups = {title: (words, [n for name in names for n in (readers if name == "read_…" else [name])]) for title, (words, names) in GROUPS.items()}
    listed = {name for _, names in groups.values() for name in names}
    absent = sorted(set(tidewatt.__all__) - listed - {"report"})
    if absent:
        raise SystemExit(f"docs/site/api_page.py: no place for {', '.join(absent)}")
    made, toc = {}, []
    for title, (words, names) in groups.items():
        slug = title.lower().replace(" ", "_")
        toc.append(slug)
        there = [n for n in names if n == "_plot.Plot" or hasattr(tidewatt, n)]
        lines = [line for n in there for line in entry(tidewatt, n)]
        made[f"python/{slug}.md"] = "\n".join([f"# {title}", "", words, "", "```{eval-rst}", *lines, "```", ""])
    example = (tidewatt.__doc__ or "").strip()
    made["python/index.md"] = "\n".join(["# Python API", "", "```{eval-rst}", example, "```", "", "```{toctree}", ":maxdepth: 1", "", *toc, "```", ""])
    return made
