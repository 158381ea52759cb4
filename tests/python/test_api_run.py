"""tidewatt.run and tidewatt.Engine: same result as the command line, and good manners towards Python."""
import json
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import tidewatt as tw
from interrupted import answer_s
from tiny_case import DAY, ROOT, SETTINGS, tiny

LARGE = {"run.macro_step_s": 10, "run.macro_step_max_s": 10, "hall.a.n_gpu": 8192, "job.main.plan.n_gpu": 8192, "job.main.plan.global_batch_sequences": 1024}


@pytest.fixture(scope="module")
def by_command_line(tmp_path_factory):
    command = [os.environ["TIDEWATT_CLI"], "run", DAY, "--json", "--no-interval", "--out", tmp_path_factory.mktemp("cli"), "--threads", "2"]
    for key, value in {**SETTINGS, "run.duration_h": 0.1}.items():
        command += ["--set", f"{key}={value}"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def test_summary_is_that_of_the_command_line(by_command_line):
    ours = tw.run(tiny(), threads=1).summary
    shared = {key: value for key, value in by_command_line.items() if key != "defaults"}
    assert list(ours) == list(shared)
    differ = {key for key, value in shared.items() if ours[key] != value}
    assert differ <= {"wall_s", "result_file"}
    assert ours["payload_sha256"] == by_command_line["payload_sha256"]


def test_steps_make_the_same_run(by_command_line):
    engine = tw.Engine(tiny(), threads=1)
    times = [engine.time_s]
    while not engine.done:
        engine.step()
        times.append(engine.time_s)
    assert times[0] == 0 and times[-1] == pytest.approx(360) and (np.diff(times) > 0).all()
    with pytest.raises(RuntimeError, match="over"):
        engine.step()
    assert engine.finish().payload_sha256 == by_command_line["payload_sha256"]
    with pytest.raises(RuntimeError, match="finished"):
        engine.time_s
    assert "finished" in repr(engine)


def test_die_temperatures_are_a_copy_that_outlives_the_step():
    engine = tw.Engine(tiny(2), threads=1)
    before = engine.die_K
    kept = before.copy()
    assert before.shape == (512,) and (before > 273.15).all()
    with pytest.raises(ValueError):
        before[0] = 0
    while not engine.done:
        engine.step()
    assert (before == kept).all() and not (engine.die_K == before).any()


def test_progress_rises_to_one():
    seen = []
    tw.run(tiny(), progress=seen.append)
    assert seen == sorted(seen) and 0 <= seen[0] and seen[-1] == 1.0


def test_what_progress_raises_stops_the_run():
    class Enough(Exception):
        pass

    def progress(_):
        raise Enough

    with pytest.raises(Enough):
        tw.run(tiny(600), progress=progress)


def test_bar_when_asked(capfd):
    tw.run(tiny(1), progress=True)
    assert "100%" in capfd.readouterr().err
    tw.run(tiny(1), progress=None)  # nobody is watching
    assert capfd.readouterr().err == ""


def test_negative_thread_count():
    with pytest.raises(ValueError, match="threads"):
        tw.run(tiny(1), threads=-1)


def test_ctrl_c_is_answered_at_once():
    """Also where one step of the engine takes longer than that. Best of three: the machine may be busy."""
    scenario = tw.load(DAY, set={**SETTINGS, **LARGE})
    assert answer_s(lambda _: tw.run(scenario, progress=False)) < 0.2


def test_leaving_python_in_the_middle_of_an_abandoned_run_is_clean():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tiny_case import tiny, tw\n"
        "def stop(_): raise KeyboardInterrupt\n"
        "try: tw.run(tiny(600), progress=stop)\n"
        "except KeyboardInterrupt: print('stopped')\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code, ROOT / "tests/python"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "stopped\n", "")


@pytest.mark.parametrize("step_by_step", [False, True])
def test_other_threads_go_on_meanwhile(step_by_step):
    scenario = tw.load(DAY, set={**SETTINGS, **LARGE, "run.duration_h": 0.2})
    ticks, over = [], threading.Event()

    def tick():
        while not over.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0002)  # a step takes about two milliseconds

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    try:
        if step_by_step:
            engine = tw.Engine(scenario, threads=1)
            begin = time.perf_counter()
            for _ in range(60):
                engine.step()
        else:
            tw.run(scenario, threads=1, progress=False)
        end = time.perf_counter()
    finally:
        over.set()
        thread.join()
    # Were the lock held for a step or for the run, there would be one tick per step, or none.
    assert len([t for t in ticks if begin < t < end]) > 60


def test_an_engine_is_one_threads_business():
    engine = tw.Engine(tw.load(DAY, set={**SETTINGS, **LARGE}), threads=1)
    refused, over = [], threading.Event()

    def meddle():
        while not over.is_set():
            try:
                engine.time_s
            except RuntimeError as error:
                refused.append(str(error))
            time.sleep(0.001)

    thread = threading.Thread(target=meddle)
    thread.start()
    try:
        for _ in range(20):
            engine.step()
    finally:
        over.set()
        thread.join()
    assert refused and "another thread" in refused[0]
