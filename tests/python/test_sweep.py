"""tidewatt.sweep: same table on every road to it, good manners, and the figures of single runs."""
import concurrent.futures
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
import tidewatt as tw
from interrupted import answer_s

ROOT = Path(__file__).resolve().parents[2]
TINY = ROOT / "tests" / "scenarios" / "tiny.toml"
FAST = {"run.duration_h": 0.01, "record.window.sample.duration_s": 1}
CAPS = {
    "mode": "sobol",
    "n_case": 8,
    "variable": [
        {"key": "hall.a.cap_W", "low": 450, "high": 700},
        {"key": "weather.climate", "values": ["portland_or", "phoenix_az"]},
    ],
}


def caps(out, **more):
    return tw.sweep(CAPS, scenario=TINY, set=FAST, out=out, progress=False, **more)


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    return caps(tmp_path_factory.mktemp("one") / "out", workers=1)


def files(table):
    return [Path(table.folder, name).read_bytes() for name in ("table.csv", "table.h5")]


def test_varied_keys_come_first_and_figures_are_those_of_single_runs(one):
    frame = one.frame
    assert list(frame.columns[:5]) == ["hall.a.cap_W", "weather.climate", "case", "status", "error"]
    assert (frame["status"] == "ok").all() and len(frame) == 8 == len(one)
    row = frame.iloc[3]
    single = tw.run(
        tw.load(TINY, set={**FAST, "hall.a.cap_W": float(row["hall.a.cap_W"]), "weather.climate": row["weather.climate"]}), progress=False
    )
    assert single.payload_sha256 == row["payload_sha256"]
    assert single.summary["pcc_mean_MW"] == row["pcc_mean_MW"]
    assert "sobol, 8 cases, 0 failed" in repr(one) and "<p>sobol, 8 cases, 0 failed</p><table" in one._repr_html_().replace("<div>", "")


def test_any_executor_gives_the_same_table_bit_for_bit(one, tmp_path):
    assert files(caps(tmp_path / "pool", workers=2)) == files(one)
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as executor:
        assert files(caps(tmp_path / "processes", executor=executor)) == files(one)
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        assert files(caps(tmp_path / "threads", executor=executor)) == files(one)


def test_going_on_repeats_nothing(one, tmp_path):
    class Enough(Exception):
        pass

    def stop(share):
        if share > 0.3:
            raise Enough

    with pytest.raises(Enough):
        tw.sweep(CAPS, scenario=TINY, set=FAST, out=tmp_path, workers=1, progress=stop)
    before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.case")}
    assert 0 < len(before) < 8
    assert files(caps(tmp_path)) == files(one)
    assert {p: p.stat().st_mtime_ns for p in before} == before


def test_another_sweep_does_not_go_into_the_same_folder(one):
    with pytest.raises(tw.InputError, match="another sweep"):
        tw.sweep({**CAPS, "seed": 5}, scenario=TINY, set=FAST, out=one.folder)
    caps(one.folder)  # the mapping of the refused one is gone again


def test_a_failed_case_is_a_row(tmp_path):
    spec = {"mode": "list", "case": [{"set": ["hall.a.cap_W=600"]}, {"set": ["job.main.plan.tp=3"]}]}
    table = tw.sweep(spec, scenario=TINY, set=FAST, out=tmp_path, progress=False)
    assert list(table.frame["status"]) == ["ok", "failed"]
    assert "job.main.plan" in table.failed.iloc[0]["error"] and np.isnan(table.frame["pue"][1])


def test_modes_with_an_analysis(tmp_path):
    variables = [{"key": "hall.a.cap_W", "low": 450, "high": 700}, {"key": "hall.a.gpu.power.leakage_W", "low": 60, "high": 120}]
    index = tw.sweep({"mode": "sobol_indices", "n_case": 16, "outputs": ["it_mean_MW"], "variable": variables}, scenario=TINY, set=FAST, out=tmp_path / "i", progress=False).analysis
    by = index.set_index("variable")
    assert by.loc["hall.a.cap_W", "total"] > by.loc["hall.a.gpu.power.leakage_W", "total"]
    tornado = tw.sweep({"mode": "tornado", "variable": variables}, scenario=TINY, set=FAST, out=tmp_path / "t", progress=False).analysis
    bars = tornado[tornado["output"] == "it_mean_MW"]
    assert list(bars["variable"]) == ["hall.a.cap_W", "hall.a.gpu.power.leakage_W"] and (bars["swing"] >= 0).all()
    spread = tw.sweep({"mode": "monte_carlo", "n_case": 16}, scenario=TINY, set=FAST, out=tmp_path / "m", progress=False)
    assert len(spread.frame.columns) > 40
    row = spread.analysis.set_index("output").loc["it_mean_MW"]
    assert row["q05"] < row["q50"] < row["q95"]


def test_too_many_failed_cases_have_no_analysis(tmp_path):
    """Jobs that do not fit into their hall."""
    spec = {"mode": "monte_carlo", "n_case": 8, "variable": [{"key": key, "values": [128, 256]} for key in ("hall.a.n_gpu", "job.main.plan.n_gpu")]}
    table = tw.sweep(spec, scenario=TINY, set=FAST, out=tmp_path / "out", progress=False)
    assert len(table.failed) > 0 and table.frame["run.seed"].nunique() == 8
    words = f"{len(table.failed)} of 8 cases failed"
    with pytest.raises(tw.RefusedError, match=words):
        table.analysis
    command = [os.environ["TIDEWATT_CLI"], "sweep", tmp_path / "out" / "sweep.toml", "--scenario", TINY, "--out", tmp_path / "cli", "--quiet"]
    done = subprocess.run([*command, *(word for key, value in FAST.items() for word in ("--set", f"{key}={value}"))], capture_output=True, text=True)
    assert done.returncode == 4 and words in done.stderr and not (tmp_path / "cli" / "analysis.csv").exists()
    assert (tmp_path / "cli" / "table.csv").exists()


def test_ctrl_c_is_answered_at_once(tmp_path):
    """Best of three: the machine may be busy."""
    assert answer_s(lambda i: tw.sweep({**CAPS, "n_case": 500}, scenario=TINY, out=tmp_path / str(i), progress=False), after_s=1.0) < 0.2


def test_comparison(tmp_path):
    (tmp_path / "tiny.toml").write_bytes(TINY.read_bytes())
    (tmp_path / "other.toml").write_text('schema = 1\nbase = "tiny.toml"\n[[hall]]\nname = "a"\ncap_W = 500\n')
    keys, figures = tw.compare(tmp_path / "tiny.toml", tmp_path / "other.toml", set=FAST)
    assert list(keys["key"]) == ["hall.a.cap_W"] and list(keys["after"]) == ["500"]
    row = figures.set_index("name").loc["it_mean_MW"]
    assert row["after"] < row["before"] and row["hall.a.cap_W"] == pytest.approx(row["after"] - row["before"])


def test_new_scenario_runs(tmp_path):
    tw.new(tmp_path / "mine.toml", n_gpu=64, duration_h=0.02, climate="phoenix_az")
    assert tw.run(tmp_path / "mine.toml", progress=False).summary["n_gpu"] == 64
    with pytest.raises(FileExistsError):
        tw.new(tmp_path / "mine.toml")
    with pytest.raises(tw.InputError, match="whole number of servers of 8"):
        tw.new(tmp_path / "odd.toml", n_gpu=33)


def test_parquet_where_available(one, tmp_path):
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    import pandas

    one.to_parquet(tmp_path / "t.parquet")
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / "t.parquet"), one.frame)


def test_sobol_points_are_those_of_scipy(tmp_path):
    """The bare sequence of scipy's own Joe-Kuo table, differences between points: the shift cancels."""
    qmc = pytest.importorskip("scipy.stats.qmc", reason="the oracle is scipy")
    k, n = 36, 64
    # Values on 32 bits, exactly representable: low = 0, high = 2^32.
    spec = {"mode": "sobol", "n_case": n, "variable": [{"name": f"v{d}", "key": "job.main.life.detect_s", "low": 0, "high": 5000} for d in range(k)]}
    sweep = tmp_path / "s.toml"
    lines = ["schema = 1", 'mode = "sobol"', f"n_case = {n}"]
    for v in spec["variable"]:
        lines += ["[[variable]]", *(f'{key} = {value!r}'.replace("'", '"') for key, value in v.items())]
    sweep.write_text("\n".join(lines))
    done = subprocess.run([os.environ["TIDEWATT_CLI"], "sweep", sweep, "--scenario", TINY, "--list"], check=True, capture_output=True, text=True)
    rows = [[float(item.split("=")[1]) for item in line.split("\t")[1].split(" ")] for line in done.stdout.splitlines()]
    ours = np.round(np.array(rows) / 5000 * 2**32 - 0.5).astype(np.uint64)
    theirs = np.round(qmc.Sobol(k, scramble=False, bits=32).random(n) * 2**32).astype(np.uint64)
    assert ((ours ^ ours[0]) == (theirs ^ theirs[0])).all()


@pytest.mark.parametrize("mode", ["tornado", "sobol_indices", "monte_carlo", "latin_hypercube"])
def test_every_mode_draws_what_decides(tmp_path, mode):
    spec = {"mode": mode, **({} if mode == "tornado" else {"n_case": 4}), "outputs": ["pcc_mean_MW"],
            "variable": [{"key": "hall.a.cap_W", "low": 500, "high": 700}]}  # fmt: skip
    table = tw.sweep(spec, scenario=TINY, set=FAST, out=tmp_path / "out", progress=False)
    axes = table.plot("pcc_mean_MW")
    assert "pcc_mean_MW" in axes.get_xlabel() + axes.get_ylabel() and axes.has_data()
    _, own = plt.subplots()
    assert table.plot("pcc_mean_MW", ax=own) is own and own.has_data()
    plt.close("all")
    with pytest.raises(KeyError, match="pcc_mean_MW"):
        table.plot("nonsense")


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
