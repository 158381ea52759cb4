"""Python has what the command line has: every command, every option, and the same figures."""
import inspect
import json
import os
import pathlib
import re
import subprocess
import tempfile

import pytest
import tidewatt as tw
from tiny_case import DAY, SETTINGS, tiny

CLI = os.environ["TIDEWATT_CLI"]

# command -> the Python function that does the same.
FUNCTION = {
    "run": tw.run, "check": tw.load, "catalog list": tw.Catalog.names, "catalog show": tw.Catalog.text, "catalog rack": tw.Catalog.rack,
    "catalog chain": tw.Catalog.supply_chain, "catalog fits": tw.Catalog.misfits, "report": tw.Result.report,
    "validate": tw.validate, "bench": tw.bench, "sweep": tw.sweep, "new": tw.new, "fit gpu": tw.fit_gpu, "fit nodes": tw.fit_nodes,
    "fit fans": tw.fit_fans, "fit overhead": tw.fit_overhead, **{f"fit {w}": getattr(tw, f"fit_{w}") for w in ("clocks", "failures", "feeder", "jitter", "limiter", "plant", "rows", "server")},
    "log": tw.log_gpus, "calibrate": tw.calibrate, "replay": tw.replay, "size": tw.size, "export": tw.Result.export, "plant": tw.plant,
    "machines": tw.machines, "rules list": tw.rules, "rules show": tw.rules, "rules check": tw.rules, "ride": tw.ride, "verify": tw.verify, "file": tw.filing,
    "orders": tw.orders, "stability": tw.stability, "serve": tw.serve,
}  # fmt: skip
# Option of the command line -> where Python has it, when not as a parameter of that name.
ELSEWHERE = {
    "json": "figures are values", "quiet": "progress=False", "help": "help()", "out": "Result.save, Fit.save or `path`",
    "set": "load", "weather": "load", "recording": "load", "catalog": "load", "seed": 'set={"run.seed": 1}', "force": "open(path, 'w')",
    "run --checkpoint": "Engine", "run --checkpoint-every-h": "Engine", "run --resume": "Engine", "run --explain": "explain", "run --fleets": "explain",
    "run --show": "Result.plot.iteration", "run --gpu": "Result.plot.fleet", "run --all": "Result.summary", "validate --all": "the table has all rows",
    "validate --model-errors": "only the command lists them", "run --no-interval": "Result.interval", "run --draws": "interval",
    "sweep --shard": "executor", "sweep --merge": "executor", "sweep --verify": "sweep again", "sweep --list": "SweepTable.frame",
    "sweep --tornado": "mode", "sweep --monte-carlo": "mode", "sweep --against": "compare",
    "size --for": "most_gpus", "size --contract-MW": "most_gpus", "size --breaker-frac": "most_gpus",
    "size --cooling-unit-frac": "most_gpus", "size --peak": "most_gpus(by_peak=True)", "size --new-site": "most_gpus", "size --lowest-cap-frac": "best_cap", "size --caps": "best_cap", "size --write": "Sizing.cheapest",
    "rules check --site-MW": "site_W", "rules check --kV": "connection_V", "ride --kV": "connection_V", "ride --voltage": "voltage_pu",
    "stability --short-circuit-MVA": "short_circuit_VA", "orders --settlement-min": "settlement_s",
    "replay --servers": "n_server", "replay --hall-out": "Replay.hall_series", "file --for": "rule", "file --no-pdf": "only the command prints a PDF",
     "serve --no-browser": "browser", "serve --no-token": "token",
    "new --n-gpu,--gpus": "n_gpu", "new --duration-h,--hours": "duration_h", "plant --load": "load_frac", "bench --threads": "threads",
}  # fmt: skip


def help_of(*command):
    done = subprocess.run([CLI, *command, "--help"], capture_output=True, text=True, check=True)
    return done.stdout


def subcommands(*command):
    text = help_of(*command)
    sections = re.split(r"(?m)^(\S[^:\n]*):$", text)
    return [name for title, body in zip(sections[1::2], sections[2::2]) if title not in ("Positionals", "Options")
            for name in re.findall(r"(?m)^  ([a-z][\w-]*)", body)]


def commands():
    for name in subcommands():
        below = subcommands(name)
        yield from (f"{name} {word}" for word in below if word != "export") if below else [name]


def options(command):
    return re.findall(r"^  (?:-\w,)?((?:--[\w-]+,?)+)", help_of(*command.split()), re.MULTILINE)


# The shell's own completion; import: tw.read_…, held to the command by its own tests.
NOT_IN_PYTHON = {"completion", "import"}


def test_every_command_is_a_function():
    missing = [c for c in commands() if c not in FUNCTION and c not in NOT_IN_PYTHON and not hasattr(tw, c.replace(" ", "_"))]
    assert not missing, f"Python lacks {missing}"
    wanted = ["run", "sweep", "size", "compare", "machines", "plant", "validate", "explain", "new", "schema", "Engine", "Catalog", "fit_gpu",
              "fit_nodes", "fit_fans", "fit_overhead"]  # fmt: skip
    assert not set(wanted) - set(tw.__all__)
    assert all(callable(getattr(tw.Result, name)) for name in ("export", "frame", "machines", "explain")) and tw.Result.plot


@pytest.mark.parametrize("command", sorted(FUNCTION))
def test_every_option_is_a_parameter(command):
    known = {name.lower() for name in inspect.signature(FUNCTION[command]).parameters}
    if "catalog_names" in known:
        known |= {"rack", "gpu", "server", "plant", "climate", "model", "network", "grid", "feeder"}
    for option in options(command):
        words = option.strip(",")
        name = words.split(",")[0][2:].replace("-", "_").lower()
        bare = re.sub(r"_(mw|kw|mhz|percent)$", "", name)  # the command line speaks MW, Python W
        found = any(re.sub(r"_(w|hz|frac)$", "", k) == bare or k in (name, f"{name}_frac", f"{name}_s") for k in known)
        assert found or words[2:] in ELSEWHERE or f"{command} {words}" in ELSEWHERE, f"{command} {words}: Python has no such parameter"


def command_json(*arguments):
    done = subprocess.run([CLI, *map(str, arguments), "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def to_digits(value, n=13):
    """Numbers to n digits: 36 mHz on the command line and 0.036 Hz in Python differ in the last bit."""
    if isinstance(value, dict):
        return {k: to_digits(v) for k, v in value.items()}
    if isinstance(value, list):
        return [to_digits(v) for v in value]
    return float(f"{value:.{n}g}") if isinstance(value, float) else value


def same(ours, theirs, leave_out=("cpu_s", "times_real_time", "csv", "wall_s")):
    assert to_digits({k: v for k, v in ours.items() if k not in leave_out}) == to_digits({k: v for k, v in theirs.items() if k not in leave_out})


@pytest.fixture(scope="module")
def result():
    return tw.run(tiny(), threads=2)


def test_a_network_of_files_has_the_commands_figures_and_a_picture():
    stem = pathlib.Path(__file__).resolve().parents[2] / "scenarios" / "networks" / "kundur_two_area"
    ours = tw.machines(raw=f"{stem}.raw", dyr=f"{stem}.dyr", bus=7, step_W=-200e6, length_s=10)
    with tempfile.TemporaryDirectory() as folder:
        same(ours, command_json("machines", "--raw", f"{stem}.raw", "--dyr", f"{stem}.dyr", "--bus", 7, "--step-MW=-200", "--length-s", 10, "--out", f"{folder}/a.csv"))
    assert list(ours.series.unit.values) == ["1-1", "2-1", "3-1", "4-1"]
    assert ours.series.mean_Hz.max() * 1e3 == pytest.approx(ours["extremum_mHz"])
    assert "centre of inertia" in [t.get_text() for t in ours.plot().get_legend().get_texts()]
    swept = tw.machines(raw=f"{stem}.raw", dyr=f"{stem}.dyr", swing_W=50e6, points=20)
    assert (swept["case"], swept["bus"]) == ("kundur_two_area", 9)
    # The mean frequency swings against the governors once, heavily damped; four machines against one another in three ways.
    assert [mode["damping_percent"] > 50 for mode in swept["modes"]] == [True, False, False, False]
    with pytest.raises(ValueError, match="belong together"):
        tw.machines(raw=f"{stem}.raw", step_W=1e6)


def test_supplies_on_a_network_and_one_machine_with_reserves_have_the_commands_figures(tmp_path):
    stem = pathlib.Path(__file__).resolve().parents[2] / "scenarios" / "networks" / "kundur_two_area"
    ours = tw.machines(raw=f"{stem}.raw", dyr=f"{stem}.dyr", bus=7, step_W=50e6, length_s=10, site="supplies", site_W=100e6, rating_W=200e6)
    same(ours, command_json("machines", "--raw", f"{stem}.raw", "--dyr", f"{stem}.dyr", "--bus", 7, "--step-MW", 50, "--length-s", 10, "--site", "supplies",
                            "--site-MW", 100, "--rating-MW", 200, "--out", tmp_path / "a.csv"))  # fmt: skip
    assert any(m["state"].endswith("link energy") or "supplies" in m["state"] for m in ours["modes"])
    held = tw.machines(grid="ercot_like_60GVA", reserves="three_stages", step_W=5e9)
    same(held, command_json("machines", "--grid", "ercot_like_60GVA", "--reserves", "three_stages", "--step-MW", 5000, "--out", tmp_path / "b.csv"))
    assert float(held.series.shed_W.max()) == pytest.approx(1e6 * sum(s["shed_MW"] for s in held["stages"] if s["open_s"] is not None))
    assert held.plot().get_ylabel() == "frequency off nominal (mHz)"


def test_stability_has_the_commands_figures_and_a_map(tmp_path):
    ours = tw.stability(200e6, 1200e6, rating_W=400e6, gain=3.0, map=True, points=4, scr_from=2.5)
    same(ours, command_json("stability", "--load-MW", 200, "--short-circuit-MVA", 1200, "--rating-MW", 400, "--gain", 3.0, "--map", "--points", 4, "--scr-from", 2.5,
                            "--out", tmp_path / "s"), leave_out=("files",))  # fmt: skip
    cells = ours.map()
    assert cells.onset_W.shape == (4, 4) and float(cells.onset_W[0, 0]) <= float(cells.onset_W[0, 3])
    assert ours.svg == (tmp_path / "s.svg").read_text()
    assert ours["onset"]["load_MW"] == pytest.approx(ours["onset_simulated"]["load_MW"], rel=0.02)


def test_plant_has_the_commands_figures():
    ours = tw.plant("crah_chilled_water", climate="chicago_il", days=20)
    same(ours, command_json("plant", "crah_chilled_water", "--climate", "chicago_il", "--days", 20))
    assert "Jan" in str(ours) and len(ours.table("months")) == 1
    with pytest.raises(tw.InputError, match="crah_chilled_water"):
        tw.plant("crah_chilled_watr")
    with pytest.raises(KeyError, match="did you mean 'months'"):
        ours["month"]


def test_machines_has_the_commands_figures(result, tmp_path):
    ours = tw.machines(swing_W=50e6, points=20)
    same(ours, command_json("machines", "--swing-MW", 50, "--points", 20, "--out", tmp_path / "sweep"))
    assert float(ours.series.peak_to_peak_Hz.max()) * 1e3 == pytest.approx(ours["worst_mHz"], rel=1e-12)
    path = result.save(tmp_path / "r.h5")
    played = result.machines(length_s=10)
    same(played, command_json("machines", path, "--length-s", 10))
    assert played.series.sizes["bus"] == len(played["machines"])
    assert played.series.attrs["start_time"] == "2024-07-20T00:00:00" and "2024-07-20 00:00" in played.plot().get_xlabel()
    stem = pathlib.Path(__file__).resolve().parents[2] / "scenarios" / "networks" / "kundur_two_area"
    later = tw.machines(result, raw=f"{stem}.raw", dyr=f"{stem}.dyr", bus=7, begin_s=2.0, length_s=5.0)  # ten seconds are dispatched before it
    assert "2024-07-20 00:02:42" in later.plot().get_xlabel()
    assert "2024" not in tw.machines(grid="ercot_like_60GVA", step_W=1e9, length_s=5.0).plot().get_xlabel()
    with pytest.raises(ValueError, match="either"):
        tw.machines()
    for answer in (ours, played):
        assert answer.plot().lines


def test_export_writes_the_commands_bytes(result, tmp_path):
    path = result.save(tmp_path / "result.h5")
    subprocess.run([CLI, "export", path, "--format", "comtrade", "--out", tmp_path / "theirs", "--step", "0.01"], check=True, capture_output=True)
    files = result.export("comtrade", tmp_path / "ours", step_s=0.01)
    assert sorted(file.name for file in files) == sorted(file.name for file in (tmp_path / "theirs").iterdir())
    for file in files:
        assert file.read_bytes() == (tmp_path / "theirs" / file.name).read_bytes(), file.name
    assert tw.open(path).export("csv")[0].parent == tmp_path
    with pytest.raises(tw.InputError, match="did you mean 'comtrade'"):
        result.export("comtrde", tmp_path / "x")


def test_fits_write_the_commands_entry(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("gpu_sum_W,node_W\n" + "".join(f"{p},{1500 + 1.05 * p}\n" for p in range(1000, 5000, 80)))
    fit = tw.fit_overhead(log, name="mine")
    assert list(fit.frame.value.round(4)) == [1500.0, 1.05] and "node against its GPUs" in str(fit)
    path = fit.save(tmp_path / "ours")
    subprocess.run([CLI, "fit", "overhead", log, "--name", "mine", "--out", tmp_path / "theirs"], check=True, capture_output=True)
    assert path.read_text() == (tmp_path / "theirs" / "node_overhead" / "mine.toml").read_text()
    with pytest.raises(tw.InputError, match="power_mean_W"):
        tw.fit_fans(log, name="mine")


def test_a_gpus_fit_says_what_its_log_does_not_identify(tmp_path):
    # 650 W throughout: no time constant shows.
    log = tmp_path / "gpu.csv"
    rows = (f"{t},0,{650 + (t * 7919 % 11 - 5)},{60 + (t * 104729 % 3 == 0)},1500" for t in range(300))
    log.write_text("time_s,gpu,power_W,temperature_degC,clock_MHz\n" + "\n".join(rows) + "\n")
    with pytest.warns(UserWarning, match="does not identify fast_K_per_W, fast_s"):
        fit = tw.fit_gpu(log, name="mine", before_W=650)
    open_keys = fit.frame[~fit.frame.identified].key
    assert {"fast_s", "slow_s"} <= set(open_keys) and fit.at_bound == []
    done = subprocess.run([CLI, "fit", "gpu", log, "--name", "mine", "--before-W", "650", "--out", tmp_path, "--json"], check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == fit.details and fit.details["gpus"][0]["residuals_K"]["spectrum"]
    assert fit.save(tmp_path / "ours").read_text() == (tmp_path / "gpu" / "mine.toml").read_text()


def test_replay_gives_the_commands_figures(tmp_path):
    log = tmp_path / "gpus.csv"
    rows = (f"{t},{g},{600 if t // 60 % 2 else 120},{45 + g + 8 * (t // 60 % 2)}" for t in range(400) for g in range(8))
    log.write_text("time_s,gpu,power_W,temperature_degC\n" + "\n".join(rows) + "\n")
    ours = tw.replay(log, "dgx_h100", inlet_degC=25)
    assert json.loads(json.dumps(dict(ours))) == command_json("replay", log, "--server", "dgx_h100", "--inlet-degC", 25)
    assert len(ours["temperature"]) == 8 and any("no clocks" in f for f in ours.findings)
    assert list(ours.series.columns) == ["time_s", "gpu", "power_W", "measured_degC", "predicted_degC"]
    assert len(ours.plot(gpu="3").lines) == 2
    with pytest.raises(KeyError, match="GPU"):
        ours.plot(gpu="9")
    with pytest.raises(tw.InputError, match="cold plates"):
        tw.replay(log, "hgx_h100_liquid")
    # The same log without watts: the matrix units' activity and the clock drive instead; the memory's own activity heats it.
    rows = (f"{t},{g},{0.8 if t // 60 % 2 else 0.0},{0.4 if t // 60 % 2 else 0.0},1410,50,60" for t in range(400) for g in range(8))
    log.write_text("time_s,gpu,activity_frac,dram_activity_frac,clock_MHz,temperature_degC,memory_temperature_degC\n" + "\n".join(rows) + "\n")
    ours = tw.replay(log, "hgx_h100_liquid", gpu="h100_sxm_700W_liquid", drive="activity", inlet_degC=30)
    options = ("--server", "hgx_h100_liquid", "--gpu", "h100_sxm_700W_liquid", "--drive", "activity", "--inlet-degC", 30)
    assert json.loads(json.dumps(dict(ours))) == command_json("replay", log, *options)
    assert len(ours["memory"]) == 8 and ours["power"] == [] and ours.series.power_W.between(60, 700).all()
    with pytest.raises(tw.InputError, match="power"):
        tw.replay(log, "dgx_h100")


def test_validate_has_the_commands_rows():
    rows = tw.validate("plant", data="/no/such/folder")
    theirs = command_json("validate", "plant", "--data", "/no/such/folder")["rows"]
    assert list(rows.id) == [r["id"] for r in theirs] and list(rows.verdict) == [r["verdict"] for r in theirs]
    with pytest.raises(tw.InputError, match="did you mean 'plant'"):
        tw.validate("plnt")


def test_validate_takes_entries_and_a_log_of_your_own(tmp_path):
    text = (pathlib.Path(__file__).resolve().parents[2] / "catalog" / "power_shelf" / "orv3_shelf.toml").read_text()
    (tmp_path / "shelf.toml").write_text(text.replace("holdup_J = 60.0", "holdup_J = 30.0"))
    rows = tw.validate("grid", data="/no/such/folder", catalog=tmp_path).set_index("id")
    assert rows.got["G8/energy"] == pytest.approx(30.0) and rows.verdict["G8/energy"] == "fail"
    assert set(rows.attrs["blind"]) >= {"count", "median_error", "outside_band"}
    changed = tw.validate("chips", data="/no/such/folder", mutation=True)
    assert list(changed.columns[:3]) == ["id", "kind", "group"]
    log = tmp_path / "gpu.csv"
    log.write_text("time_s,gpu,power_W,temperature_degC\n" + "".join(f"{2 * i},{g},400,60\n" for i in range(60) for g in range(8)))
    held = tw.validate(log=log, server="dgx_h100", power_window_s=0.5)
    assert held.attrs["sampling_s"] == 2.0 and held.attrs["window_s"] == 0.5 and "log/temperature-0" in set(held.id)


def test_explain_has_the_commands_figures(result, tmp_path):
    settings = {**SETTINGS, "run.duration_h": 2.2, "run.macro_step_s": 900}
    scenario = tw.load(DAY, set=settings)
    names = []
    ours = tw.run(scenario).explain(fleets=2, progress=names.append)
    sets = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    theirs = command_json("run", DAY, *sets, "--explain", "swing", "--fleets", 2, "--no-interval", "--quiet", "--out", tmp_path)
    same(ours, theirs["explain"]["swing"])
    assert len(set(names)) > 1.5 * len(ours["causes"])  # runs without each, of two fleets
    assert ours["n_fleet"] == 2 and "adds_points_se" in ours.table("causes") and " ± " in ours.text
    with pytest.raises(tw.InputError, match="fleets"):
        tw.run(scenario).explain(fleets=0)
    saved = tw.open(result.save(tmp_path / "short.h5"))
    with pytest.raises(TypeError, match="scenario"):
        saved.explain()


def test_rules_and_ride_have_the_commands_answers(result, tmp_path):
    assert list(tw.rules().name) == [r["name"] for r in command_json("rules", "list")]
    assert dict(tw.rules("lipa")) == command_json("rules", "show", "lipa")
    path = result.save(tmp_path / "r.h5")
    ours = tw.rules("ieso_2026", result, as_if=True, connection_V=138e3)
    same(ours, command_json("rules", "check", "ieso_2026", path, "--as-if", "--kV", 138), leave_out=("result",))
    assert "forced" in str(ours) and len(ours.table("rules")) == len(ours["rules"])
    answer = tw.ride(tiny(), "ercot_nogrr282", as_if=True, voltage_pu=0.6, duration_s=0.05)
    sets = [part for key, value in SETTINGS.items() for part in ("--set", f"{key}={value}")]
    theirs = command_json("ride", DAY, *sets, "--rule", "ercot_nogrr282", "--as-if", "--voltage", 0.6, "--duration", 0.05)
    same(answer, theirs, leave_out=("file",))
    assert answer["verdict"] == "fail" and not answer["point"]["stays"]
    with pytest.raises(tw.InputError, match="did you mean 'ercot_nogrr282'"):
        tw.ride(tiny(), "ercot_nogrr28")


def test_verify_tells_a_whole_file_from_a_damaged_one(result, tmp_path):
    path = result.save(tmp_path / "r.h5")
    assert tw.verify(path) == "result"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(tw.CorruptFileError):
        tw.verify(path)


def test_figures_are_those_that_the_command_lists():
    assert tw.figures() == command_json("figures")
    assert {row["key"] for row in tw.figures() if row["headline"]} > {"pue", "pcc_max_MW"}


def test_schema_has_the_commands_text():
    assert tw.schema() == json.loads(subprocess.run([CLI, "schema"], capture_output=True, text=True, check=True).stdout)
    assert tw.schema("cap_W") == subprocess.run([CLI, "schema", "--keys", "cap_W"], capture_output=True, text=True, check=True).stdout
    with pytest.raises(KeyError, match="no_such_key"):
        tw.schema("no_such_key")


def test_a_result_prints_the_commands_summary(tmp_path):
    result = tw.run(tiny(3), threads=1)
    assert str(tw.open(result.save(tmp_path / "r.h5"))).strip() == str(result).strip() != repr(result)


def test_a_filing_is_the_commands_folder_without_the_pdf(result, tmp_path):
    path = result.save(tmp_path / "r.h5")
    ours = tw.filing(tiny(), "ieso_2026", tmp_path / "ours", [path], as_if=True)
    sets = [part for key, value in {**SETTINGS, "run.duration_h": 0.1}.items() for part in ("--set", f"{key}={value}")]
    arguments = ["--for", "ieso_2026", "--out", tmp_path / "theirs", "--as-if", "--no-pdf", *sets]
    subprocess.run([CLI, "file", DAY, path, *arguments], check=True, capture_output=True)
    assert sorted(ours["files"]) == sorted(f.name for f in (tmp_path / "theirs").iterdir())
    for name in ours["files"]:
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes(), name
    assert len(ours.table("sheet")) == len(ours["sheet"]) and ours["open"]
    with pytest.raises(tw.InputError, match="ieso_2026"):
        tw.filing(tiny(), "ieso_2027", tmp_path / "none")
    assert not (tmp_path / "none").exists()
