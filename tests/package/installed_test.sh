#!/usr/bin/env bash
# installed_test.sh SOURCE_FOLDER BUILD_FOLDER
# Installs, moves the installation, builds examples/ against it with a fresh CMake, and runs what was installed.
set -euo pipefail
source=$1 build=$2
scratch=$build/package
rm -rf "$scratch"
mkdir -p "$scratch/stranger"
fail() { echo "FAILED: $*"; exit 1; }

cmake --install "$build" --prefix "$scratch/first" > "$scratch/install.log"
mv "$scratch/first" "$scratch/moved"
prefix=$scratch/moved
grep -rIlF -e "$source" -e "$scratch/first" "$prefix" --include='*.cmake' --include='*.hpp' && fail "absolute paths of the build above"

configure() { cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" "${@:3}"; }
configure "$source/examples" "$scratch/examples" > "$scratch/configure.log" || { cat "$scratch/configure.log"; fail "find_package"; }
cmake --build "$scratch/examples"

scenario=$prefix/share/tidewatt/scenarios/llama3_405b_day.toml
cd "$scratch/stranger"  # nothing may depend on the folder that one stands in
text=$("$scratch/examples/planner_day" "$scenario" run.duration_h=0.5)
echo "$text"
grep -Eq 'iteration [5-8]\.[0-9]+ s' <<< "$text" || fail "the example's iteration time"
grep -Eq 'peak 1[0-9]\.[0-9]+ MW' <<< "$text" || fail "the example's peak"

# The other examples, each with what it must find.
small=(hall.a.n_gpu=512 job.main.plan.n_gpu=512 job.main.plan.global_batch_sequences=64 run.duration_h=0.25
       record.window.sample.start_s=600 record.window.sample.duration_s=1)
says() { echo "$text"; grep -Eq "$1" <<< "$text" || fail "$2"; }
text=$("$scratch/examples/gpu_operating_point")
says 'die 85 degC: 1[0-9]{3} MHz' "the operating point of a hot die"
"$prefix/bin/tidewatt" new mine.toml --n-gpu 128 --duration-h 0.5 > /dev/null
text=$("$scratch/examples/own_scenario" mine.toml)
says '^ *700 +[0-9]{5,} ' "tokens at the highest cap"
text=$("$scratch/examples/waveform_meters")
says 'largest change within a second 1[0-9]\.[0-9] MW' "the largest step of the square wave"
text=$("$scratch/examples/plant_year")
says 'year: PUE of cooling 1\.0[0-9]+' "the plant's year"
text=$("$scratch/examples/step_by_step" "$scenario" 65 "${small[@]}")
says 'end: hottest die (6[0-9]|7[0-4])\.[0-9] degC, cap [4-6][0-9]{2} W' "the controller lowers the cap"
text=$("$scratch/examples/own_plant" "$scenario" "${small[@]}")
says 'PUE 1\.[0-9]+ with the catalog.s plant, 1\.[0-9]+ with ours' "two plants"

# The shared library alone: from a project without C, with the bits of the installed command.
if [ -n "$(find "$prefix" -name tidewattSharedTargets.cmake)" ]; then
  configure "$source/tests/package/stranger" "$scratch/shared" > "$scratch/shared.log" || { cat "$scratch/shared.log"; fail "COMPONENTS shared"; }
  cmake --build "$scratch/shared"
  text=$("$scratch/shared/stranger" "$scenario" shared.h5)
  says '^hall.a.cap_W$' "the finding that crosses the library's border"
  says 'PUE 1\.0[0-9]+ with a plant that costs nothing' "a plant of the stranger's own"
  payload=$("$prefix/bin/tidewatt" run "$scenario" --set run.duration_h=0.05 --json --quiet --out static.h5 | grep -o '"payload_sha256": *"[0-9a-f]*"' | grep -o '[0-9a-f]\{64\}')
  says "payload $payload" "the bits of the static library"
  [ -s shared.h5 ] || fail "the result file of the shared library"
  # The examples link with it, too, and say the same.
  configure "$source/examples" "$scratch/examples_shared" -DSHARED=ON > "$scratch/shared.log" || { cat "$scratch/shared.log"; fail "examples with the shared library"; }
  cmake --build "$scratch/examples_shared"
  for example in gpu_operating_point plant_year; do
    [[ $(ldd "$scratch/examples_shared/$example") == *libtidewatt* ]] || fail "$example does not link the shared library"
    [ "$("$scratch/examples_shared/$example")" = "$("$scratch/examples/$example")" ] || fail "$example: the shared library says something else"
  done
fi

code=0
"$scratch/examples/planner_day" "$scenario" run.duraton_h=1 2> refusal || code=$?
[ $code -eq 2 ] && grep -q duration_h refusal || fail "a misspelt key gave exit code $code"
grep -q tdp_W <<< "$("$prefix/bin/tidewatt" catalog show h100_sxm_700W)" || fail "the installed catalog"
"$prefix/bin/tidewatt" check "$scenario"
if compgen -G "$prefix/share/tidewatt/python/tidewatt/_core*.so" > /dev/null; then
  PYTHONPATH=$prefix/share/tidewatt/python /usr/bin/python3 -c 'import tidewatt; print("Python:", tidewatt.__file__)'
fi

# Projects without C get the reason, not a riddle from FindHDF5.
mkdir only_cxx
printf 'cmake_minimum_required(VERSION 3.22)\nproject(x LANGUAGES CXX)\nfind_package(tidewatt REQUIRED)\n' > only_cxx/CMakeLists.txt
configure only_cxx only_cxx/build > refusal 2>&1 && fail "a project without C was accepted"
[[ $(tr -s ' \n' ' ' < refusal) == *'LANGUAGES C CXX'* ]] || { cat refusal; fail "no reason for a project without C"; }
echo "package.installed: ok"
