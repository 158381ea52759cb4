#!/usr/bin/env bash
# wheel_test.sh SOURCE_FOLDER [VIRTUAL_ENVIRONMENT]
# pip install into a fresh virtual environment (or one where that is done), then what a user does with it from a folder
# of their own. Needs the network for the environment's packages: exits 77 without it. Not part of ctest.
set -euo pipefail
source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
venv=${2:-$scratch/venv}
if [ $# -lt 2 ]; then
  /usr/bin/python3 -m venv "$venv"
  "$venv/bin/pip" install -q scikit-build-core || { echo "no network for pip"; exit 77; }
  "$venv/bin/pip" install -q "$source[plot,progress]"
fi
unset PYTHONPATH TIDEWATT_PYTHON
cd "$scratch"
command=$venv/bin/tidewatt
"$command" --version
grep -q tdp_W <<< "$("$command" catalog show h100_sxm_700W)" || fail "the catalog in the wheel"
compgen -G "$venv/lib/python3*/site-packages/tidewatt/scenarios/llama3_405b_day.toml" > /dev/null || fail "the scenarios in the wheel"
"$command" new mine.toml --n-gpu 128 --duration-h 0.5
"$command" check mine.toml
"$command" run mine.toml --out mine.h5 --quiet > /dev/null
"$command" report mine.h5 --out page > /dev/null || fail "the report, drawn by the environment's Python"
[ -s page/report.html ] || fail "no page"
"$venv/bin/python" - << 'CODE'
import tidewatt as tw

assert "site-packages" in tw.__file__, tw.__file__
result = tw.run(tw.load("mine.toml", set={"run.duration_h": 0.2}), progress=False)
result.plot.day()[0].figure.savefig("day.png")
assert result["day"].sizes["time"] > 0 and result.summary["energy_closure"] < 1e-11
frame = tw.sweep({"mode": "grid", "variable": [{"key": "hall.a.cap_W", "values": [500, 700]}], "set": ["run.duration_h=0.05"]},
                 scenario="mine.toml", out="caps", progress=False).frame
assert list(frame.status) == ["ok", "ok"]
print("Python:", tw.__version__, len(result.groups), "groups")
CODE
[ -s day.png ] || fail "no picture"
echo "package.wheel: ok"
