"""A user's own hardware without recompiling: export an entry, change it, use it; the checks are those of built-in ones."""
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ["TIDEWATT_CLI"]
TINY = ROOT / "tests" / "scenarios" / "tiny.toml"


def call(*arguments):
    return subprocess.run([CLI, *map(str, arguments)], capture_output=True, text=True)


@pytest.fixture
def mine(tmp_path):
    """Own copies of a GPU, a server and a plant under names of their own."""
    for kind, name in (("gpu", "h100_sxm_700W"), ("server", "grand_teton_h100"), ("plant", "outside_air_evaporative")):
        text = call("catalog", "export", f"{kind}/{name}").stdout
        (tmp_path / "mine").mkdir(exist_ok=True)
        (tmp_path / "mine" / f"{kind}.toml").write_text(text.replace(f'name = "{name}"', f'name = "my_{kind}"', 1))
    return tmp_path / "mine"


# The scenario's GPUs do not wait for their host; a name alone would bring the entry's gap back.
OWN = [f for kind in ("gpu", "server", "plant") for f in ("--set", f"hall.a.{kind}=my_{kind}")] + ["--set", "hall.a.gpu.compute.host_gap_s=0"]


def figures(*arguments):
    import json

    done = call("run", TINY, "--json", "--no-interval", "--quiet", "--set", "run.duration_h=0.01", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_an_unchanged_copy_gives_the_same_bits_and_a_change_is_felt(mine, tmp_path):
    built_in = figures("--out", tmp_path / "o")
    assert figures(*OWN, "--catalog", mine, "--out", tmp_path / "o")["payload_sha256"] == built_in["payload_sha256"]
    text = (mine / "gpu.toml").read_text()
    assert "\ntdp_W = 700" in text and call("catalog", "show", "my_gpu", "--catalog", mine).stdout == text
    assert "my_server" in call("catalog", "list", "--catalog", mine).stdout
    (mine / "gpu.toml").write_text(text.replace("\ntdp_W = 700", "\ntdp_W = 550"))
    assert figures(*OWN, "--catalog", mine, "--out", tmp_path / "o")["it_mean_MW"] < built_in["it_mean_MW"]


@pytest.mark.parametrize(
    "old, new, word",
    [("\ntdp_W = 700", "\ntdp_W = -5", "tdp_W"), ("\ntdp_W = 700", "\ntdp_kW = 700", "wrong unit suffix"), ("\ntdp_W = 700", "\n", "missing"),
     ('kind = "gpu"', 'kind = ""', "`kind` and `name`"), ("[power]", "[powr]", "power")],
)
def test_the_same_checks(mine, old, new, word):
    text = (mine / "gpu.toml").read_text()
    assert old in text
    (mine / "gpu.toml").write_text(text.replace(old, new, 1))
    done = call("check", TINY, *OWN, "--catalog", mine)
    assert done.returncode == 2 and word in done.stderr, done.stderr


def test_a_sweep_over_own_hardware_notices_when_it_changes(mine, tmp_path):
    sweep = tmp_path / "s.toml"
    sweep.write_text('schema = 1\nmode = "list"\nset = ["run.duration_h=0.005"]\n[[variable]]\nkey = "hall.a.gpu"\nvalues = ["h100_sxm_700W", "my_gpu"]\n')
    arguments = ["sweep", sweep, "--scenario", TINY, "--catalog", mine, "--out", tmp_path / "out", "--quiet"]
    assert call(*arguments).returncode == 0
    (mine / "gpu.toml").write_text((mine / "gpu.toml").read_text() + "# changed\n")
    done = call(*arguments)
    assert done.returncode == 2 and "another sweep" in done.stderr
