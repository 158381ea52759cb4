"""Sweeps on real schedulers: the same table, bit for bit, as in one process. Skipped only where a scheduler is not installed,
or where Slurm cannot be started for lack of root; scripts/test installs both."""
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest
import tidewatt as tw

ROOT = Path(__file__).resolve().parents[2]
TINY = ROOT / "tests" / "scenarios" / "tiny.toml"
CLI = os.environ.get("TIDEWATT_CLI", "tidewatt")
FAST = ["run.duration_h=0.01", "record.window.sample.duration_s=1"]


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    """A sweep file and its table from one process."""
    folder = tmp_path_factory.mktemp("clusters")
    shutil.copy(TINY, folder / "tiny.toml")
    sweep = folder / "caps.toml"
    sweep.write_text(
        'schema = 1\nscenario = "tiny.toml"\nmode = "latin_hypercube"\nn_case = 9\n'
        f"set = {FAST!r}\n".replace("'", '"') + '[[variable]]\nkey = "hall.a.cap_W"\nlow = 450\nhigh = 700\n'
    )
    tw.sweep(sweep, out=folder / "one", workers=1, progress=False)
    return sweep, folder / "one"


def same(a, b):
    return all((Path(a) / name).read_bytes() == (Path(b) / name).read_bytes() for name in ("table.csv", "table.h5"))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def test_dask(case, tmp_path):
    distributed = pytest.importorskip("distributed", reason="python3-distributed is not installed")
    sweep, one = case
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, scheduler_port=0, dashboard_address=None, local_directory=str(tmp_path / "dask")
    ) as cluster, distributed.Client(cluster) as client:
        tw.sweep(sweep, out=tmp_path / "out", executor=client.get_executor(), progress=False)
    assert same(tmp_path / "out", one)


def slurm_conf(folder, ports):
    conf = folder / "slurm.conf"
    conf.write_text(
        f"""ClusterName=test
SlurmctldHost={socket.gethostname()}
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/d.pid
SlurmctldLogFile={folder}/ctld.log
SlurmdLogFile={folder}/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
NodeName=localhost NodeHostname={socket.gethostname()} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes=localhost Default=YES State=UP
"""
    )
    for name in ("state", "spool"):
        (folder / name).mkdir()
    return conf


@pytest.fixture
def slurm(tmp_path):
    """A Slurm of one node: munged, slurmctld and slurmd of our own, ended afterwards."""
    missing = [p for p in ("munged", "slurmctld", "slurmd", "sbatch") if not shutil.which(p) and not Path("/usr/sbin", p).exists()]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    if os.geteuid() != 0:
        pytest.skip("a Slurm of one's own needs root")
    env = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin", "SLURM_CONF": str(slurm_conf(tmp_path, (free_port(), free_port())))}
    started = []
    socket_file = Path("/run/munge/munge.socket.2")
    if not socket_file.exists() or subprocess.run(["munge", "-n"], capture_output=True).returncode != 0:
        socket_file.parent.mkdir(exist_ok=True)
        shutil.chown(socket_file.parent, "munge", "munge")
        started.append(subprocess.Popen(["runuser", "-u", "munge", "--", "/usr/sbin/munged", "--foreground", "--force"], env=env, stderr=subprocess.DEVNULL))
        wait_for(lambda: subprocess.run(["munge", "-n"], capture_output=True).returncode == 0, "munged", tmp_path)
    started.append(subprocess.Popen(["slurmctld", "-D", "-i"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    started.append(subprocess.Popen(["slurmd", "-D", "-N", "localhost"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    try:
        idle = lambda: "idle" in subprocess.run(["sinfo", "-h", "-o", "%t"], env=env, capture_output=True, text=True).stdout
        wait_for(idle, "the node", tmp_path)
        yield env
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(20)


def wait_for(ready, what, folder, limit_s=60.0):
    begin = time.monotonic()
    while not ready():
        if time.monotonic() - begin > limit_s:
            logs = "".join((folder / n).read_text()[-600:] for n in ("ctld.log", "d.log") if (folder / n).exists())
            pytest.fail(f"{what} did not come up: {logs}")
        time.sleep(0.1)


def test_slurm_job_array(case, slurm, tmp_path):
    sweep, one = case
    out = tmp_path / "out"
    script = ROOT / "scripts" / "sweep.sbatch"
    env = {**slurm, "TIDEWATT": CLI}
    subprocess.run(["sbatch", "--wait", "--array=1-3", f"--output={tmp_path}/job-%a.log", script, sweep, out], env=env, check=True, timeout=300)
    logs = "".join(p.read_text() for p in tmp_path.glob("job-*.log"))
    assert len(list(out.glob("manifest-*-of-3.txt"))) == 3, logs
    subprocess.run([CLI, "sweep", sweep, "--out", out, "--merge"], check=True, capture_output=True)
    assert same(out, one)
