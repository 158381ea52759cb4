"""Sweeps whose workers are lost: no sweep ends, no case is lost, and the folder is free again."""
import asyncio
import concurrent.futures
import multiprocessing
import os
import signal
import threading
import time
from pathlib import Path

import pytest
import tidewatt as tw

ROOT = Path(__file__).resolve().parents[2]
TINY = ROOT / "tests" / "scenarios" / "tiny.toml"
FAST = {"run.duration_h": 0.01, "record.window.sample.duration_s": 1}
CAPS = {"mode": "list", "variable": [{"key": "hall.a.cap_W", "values": [700 - 10 * k for k in range(12)]}]}


def caps(out, **more):
    return tw.sweep(CAPS, scenario=TINY, set=FAST, out=out, progress=False, **more)


def files(table):
    return [Path(table.folder, name).read_bytes() for name in ("table.csv", "table.h5")]


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    return files(caps(tmp_path_factory.mktemp("one") / "out", workers=1))


class Losing(concurrent.futures.Executor):
    """Runs tasks at once and loses some of them; afterwards it counts what it was asked for."""

    def __init__(self, lost, error):
        self.lost, self.error, self.asked = dict(lost), error, {}

    def submit(self, work, job, i, *more):
        self.asked[i] = self.asked.get(i, 0) + 1
        future = concurrent.futures.Future()
        if self.lost.get(i, 0) >= self.asked[i]:
            if self.error is None:
                raise RuntimeError("cannot schedule new futures")
            if isinstance(self.error, concurrent.futures.CancelledError):
                future.cancel(), future.set_running_or_notify_cancel()
            else:
                future.set_exception(self.error)
        else:
            future.set_result(work(job, i, *more))
        return future


@pytest.mark.parametrize("error", [RuntimeError("worker gone"), concurrent.futures.CancelledError(), asyncio.CancelledError(), None], ids=["error", "cancelled", "asyncio", "submit"])
def test_a_lost_case_is_tried_again_twice(tmp_path, one, error):
    executor = Losing({3: 1, 5: 2}, error)
    assert files(caps(tmp_path / "out", executor=executor)) == one
    assert executor.asked == {i: {3: 2, 5: 3}.get(i, 1) for i in range(12)}


def test_a_case_that_is_always_lost_is_a_row_with_its_error(tmp_path, one):
    executor = Losing({4: 99}, RuntimeError("worker gone"))
    table = caps(tmp_path / "out", executor=executor)
    assert list(table.frame["status"] == "ok") == [i != 4 for i in range(12)] and executor.asked[4] == 3
    assert "lost 3 times: RuntimeError: worker gone" in table.failed["error"].iloc[0]
    # The folder is free in the same session, and the case can be run again.
    assert files(caps(tmp_path / "out", retry_failed=True)) == one


def test_an_error_gives_the_folder_back(tmp_path, one):
    class Full(concurrent.futures.Executor):
        def submit(self, *_):
            future = concurrent.futures.Future()
            future.set_result("no space left on device")
            return future

    with pytest.raises(tw.OutputError, match="no space left") as kept:  # holds the frame of the sweep, as a notebook does
        caps(tmp_path / "out", executor=Full())
    assert files(caps(tmp_path / "out", workers=1)) == one
    assert kept.value.__traceback__ is not None


def test_a_killed_worker_of_a_process_pool(tmp_path, one):
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        ready = executor.submit(os.getpid)

        def kill():
            pid = ready.result()
            while not list((tmp_path / "out").rglob("*.case")):
                time.sleep(0.01)
            os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        assert files(caps(tmp_path / "out", executor=executor)) == one
        killer.join()


def test_a_killed_worker_of_dask(tmp_path, one):
    distributed = pytest.importorskip("distributed", reason="python3-distributed is not installed")
    import dask

    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, scheduler_port=0, dashboard_address=None, local_directory=str(tmp_path / "dask")) as cluster:
            with distributed.Client(cluster) as client:
                pids = list(client.run(os.getpid).values())

                def kill():
                    while not list((tmp_path / "out").rglob("*.case")):
                        time.sleep(0.01)
                    os.kill(pids[0], signal.SIGKILL)

                killer = threading.Thread(target=kill)
                killer.start()
                table = caps(tmp_path / "out", executor=client.get_executor())
                killer.join()
    assert files(table) == one
