"""Voltage records in the shapes of public bug reports (public_records.toml): ride names channel and reference, and judges what can be judged."""
import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest
import tidewatt as tw
from import_case import ROOT, shared

CASES = tomllib.loads(Path(__file__).with_name("public_records.toml").read_text(encoding="utf-8"))["case"]
SITE = ROOT / "tests" / "scenarios" / "tiny.toml"


def ride(record, *options):
    words = [os.environ["TIDEWATT_CLI"], "ride", SITE, "--rule", "ercot_nogrr282", "--as-if", "--sag", record, *options]
    done = subprocess.run(list(map(str, words)), capture_output=True)
    assert not [b for b in done.stdout + done.stderr if b < 32 and b not in b"\n\t"], "control bytes reach the terminal"
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("case", CASES, ids=[c["name"] for c in CASES])
def test_a_public_record_gives_its_truth_or_a_way_out(case):
    path, options = shared("public_cases", case["file"]), case.get("options", [])
    code, out, err = ride(path, *options, "--json")
    if "refused" in case:
        assert code == 2 and all(w in err for w in case["refused"]), (code, err)
        return
    assert code == 0, err
    record = json.loads(out)["record"]
    assert record["verdict"] == case["verdict"]
    if "channel" in case:
        assert case["channel"] in record["channel"] and record["reference"] and "cycles" in record["method"]
        assert record["lowest_pu"] == pytest.approx(case["lowest_pu"], abs=0.02)
        assert record["below_0.9_s"] == pytest.approx(case["below_s"], abs=0.02)
    else:
        assert record["channel"] is record["reference"] is record["lowest_pu"] is None and record["why"]
    assert "channels" not in case or case["channels"] in [b["channels"] for b in record["buses"] if b["verdict"] == case["verdict"]]
    why = {v["channel"]: v["why"] for v in record["not_judged"]}
    assert all(word in why[name] for name, word in case.get("not_judged", {}).items())
    text = ride(path, *options)[1]
    assert f"{case['verdict']};" in text and (record["channel"] or "no usable reference") in text


def test_python_chooses_a_channel_and_refuses_it_without_a_record():
    path = shared("public_cases", "comtrade-second-bus/r.cfg")
    scenario = tw.load(SITE)
    assert tw.ride(scenario, "ercot_nogrr282", as_if=True, sag=path, channel="VA_L1")["record"]["verdict"] == "pass"
    assert tw.ride(scenario, "ercot_nogrr282", as_if=True, sag=path)["record"]["verdict"] == "fail"
    with pytest.raises(tw.InputError, match="no record is given"):
        tw.ride(scenario, "ercot_nogrr282", as_if=True, channel="VA_L1")
