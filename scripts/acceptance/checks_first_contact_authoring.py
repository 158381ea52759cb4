"""Acceptance of authoring: what `tidewatt new` writes runs, every key is explained, the schema accepts and refuses, a short
scenario runs, and the summary reads as sentences."""
import json
import subprocess
import tomllib
from pathlib import Path

import product
from product import ROOT

TESTS = ROOT / "tests" / "scenarios"
# Faults that a schema sees without reading the catalog or the plan.
VISIBLE = ("misspelt_key.toml", "wrong_unit.toml", "negative_power.toml", "missing_key.toml", "many_faults.toml")
SHORT = """[run]
duration_h = 0.05
[[hall]]
n_gpu = 128
gpu = "h100_sxm_700W"
[[job]]
model = "llama3_8b"
[job.plan]
tp = 8
pp = 1
"""


def catalog(kind):
    return {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "catalog" / kind).glob("*.toml"))
            if tomllib.loads(path.read_text(encoding="utf-8"))["kind"] == kind}


def networks_that_fit(n_gpu, networks):
    """Networks whose node has this many GPUs, as `tidewatt catalog fits` judges."""
    return [name for name, n in networks.items() if n["gpus_per_node"] == n_gpu]


def covering_cases():
    """(model, server, network): every model on three servers, every server with every network that fits."""
    models, servers, networks = list(catalog("model")), catalog("server"), catalog("network")
    names = list(servers)
    left = {(s, n) for s in names for n in networks_that_fit(servers[s]["power"]["n_gpu"], networks)}
    step = len(names) // 3
    for i, model in enumerate(models):
        for k in range(3):
            server = names[(i + k * step) % len(names)]
            fit = networks_that_fit(servers[server]["power"]["n_gpu"], networks)
            network = next((n for n in fit if (server, n) in left), fit[i % len(fit)])
            left.discard((server, network))
            yield model, server, network
    for i, (server, network) in enumerate(sorted(left)):
        yield models[i % len(models)], server, network


def walk(report):
    """new → check → run of 60 s without an edit; one in four with its intervals."""
    cases = list(covering_cases())[:: 4 if report.quick else 1]
    wrong, cpu_s = [], 0.0
    folder = Path(report.folder.name) / "new"
    folder.mkdir(exist_ok=True)
    for i, (model, server, network) in enumerate(cases):
        file = folder / f"{i}.toml"
        steps = (["new", file, "--model", model, "--server", server, "--network", network, "--duration-h", "0.016666666666666666"],
                 ["check", file], ["run", file, "--quiet", "--json", "--threads", 1, "--out", folder, *(["--no-interval"] if i % 4 else [])])
        for step in steps:
            outcome = product.call([report.binary, *step], 300)
            cpu_s += outcome.cpu_s
            if outcome.code != 0:
                wrong.append(f"{model} on {server} with {network}: {step[0]} ends with {outcome.code}: {' '.join(outcome.stderr.split())[:200]}")
                break
        for made in folder.glob("*.h5"):
            made.unlink()
    report.judge("new, check, run without an edit", not wrong, f"{len(cases) - len(wrong)} of {len(cases)} cases, {cpu_s:.0f} s of CPU" + "".join(f"\n      {w}" for w in wrong),
                 "every model on three servers, every server and network that fits")


def schema_cases(report):
    try:
        import jsonschema
    except ImportError:
        return report.skip("schema", "python3-jsonschema is not installed")
    schema = json.loads(product.call([report.binary, "schema"]).stdout)
    jsonschema.Draft7Validator.check_schema(schema)
    check = jsonschema.Draft7Validator(schema)
    shipped = sorted([*(ROOT / "scenarios").glob("*.toml"), *(ROOT / "scenarios" / "reference").glob("*.toml"), TESTS / "tiny.toml"])
    refused = [f"{p.name}: {next(check.iter_errors(tomllib.loads(p.read_text(encoding='utf-8')))).message[:160]}" for p in shipped
               if not check.is_valid(tomllib.loads(p.read_text(encoding="utf-8")))]
    report.judge("the schema accepts every shipped scenario", not refused, f"{len(shipped) - len(refused)} of {len(shipped)}" + "".join(f"\n      {r}" for r in refused), "all")
    accepted = [name for name in VISIBLE if check.is_valid(tomllib.loads((TESTS / name).read_text(encoding="utf-8")))]
    report.judge("the schema refuses what it can see", not accepted, f"{len(VISIBLE) - len(accepted)} of {len(VISIBLE)}" + "".join(f"\n      accepts {a}" for a in accepted), "all")
    new = tomllib.loads(product.call([report.binary, "new", "-"]).stdout)
    report.judge("the schema accepts what new writes", check.is_valid(new), "valid" if check.is_valid(new) else next(check.iter_errors(new)).message[:200], "valid")


def reference_cases(report):
    folder = Path(report.folder.name) / "reference"
    pages = product.call([report.binary, "schema", "--markdown", folder]).stdout.split()
    rows = [line.strip("| \n").split(" | ") for page in pages for line in Path(page).read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    cells = [[c.strip() for c in row] for row in rows]
    short = [row[0] for row in cells if not row[1] or (len(row) > 2 and not row[2])]
    sourceless = [row[0] for row in cells if not row[-1]]
    report.judge("every key has meaning, unit and source", not short and not sourceless, f"{len(rows)} keys on {len(pages)} pages, {len(short) + len(sourceless)} incomplete", "all")


def short_scenario(report):
    file = Path(report.folder.name) / "short.toml"
    file.write_text(SHORT, encoding="utf-8")
    outcome = product.call([report.binary, "run", file, "--quiet", "--json", "--no-interval", "--out", report.folder.name])
    defaults = outcome.json["defaults"]
    report.judge("a scenario of ten lines runs", len(SHORT.splitlines()) <= 10 and outcome.json["iteration_s"] is None or outcome.json["iteration_s"] > 0,
                 f"{len(SHORT.splitlines())} lines, {len(defaults)} defaults listed", "its defaults with sources")
    report.judge("each default says its source", all(d["source"] for d in defaults.values()) and "site.feeder" in defaults, f"{sum(bool(d['source']) for d in defaults.values())} of {len(defaults)}", "all")


def summary_text(report):
    plain = product.call([report.binary, "run", TESTS / "tiny.toml", "--quiet", "--out", report.folder.name]).stdout
    sentences, _, table = plain.partition("\nTraining\n")
    report.judge("the summary begins with sentences", sentences.count(".\n") >= 6 and "million tokens" in sentences.splitlines()[0], f"{sentences.count(chr(10))} lines", "at least 6 sentences")
    report.judge("no figure without meaning in the text", not any(w in plain for w in (" nan", " null", "smoothing")) and " -\n" not in plain, f"{len(table.splitlines())} lines of table", "none")


def commands(report):
    bare = product.call([report.binary])
    report.judge("a bare tidewatt prints its help", bare.code == 0 and "schema" in bare.stdout and "run" in bare.stdout, f"exit {bare.code}", "help, exit 0")
    wrong = product.call([report.binary, "rnu", "x.toml"])
    report.judge("a mistyped command is told the nearest", wrong.code == 2 and "'run'" in wrong.stderr, wrong.stderr.strip(), "exit 2, run")
    for shell in ("bash", "zsh"):
        script = product.call([report.binary, "completion", shell]).stdout
        syntax = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True, check=False)
        report.judge(f"completion for {shell}", syntax.returncode == 0 and "--threads" in script and "machines" in script, syntax.stderr.strip() or f"{len(script)} bytes", "valid, with commands and options")


GROUPS = {"walk": walk, "schema": schema_cases, "reference": reference_cases, "short": short_scenario, "summary": summary_text, "commands": commands}
