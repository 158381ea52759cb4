"""h5py's HDF5 and ours in one process, imported in either order: both write, both read what the other wrote.

h5py_test.py FOLDER   ($PYTHONPATH or the environment names the package; exits 77 without h5py)
"""
import importlib.util
import pathlib
import subprocess
import sys

CHILD = """
import sys
order, folder = sys.argv[1], sys.argv[2]
if order == "h5py first":
    import h5py, tidewatt as tw
else:
    import tidewatt as tw, h5py
import numpy as np

scenario = tw.new(n_gpu=128, duration_h=0.2)
path = f"{folder}/{order.replace(' ', '_')}"
result = tw.run(scenario, progress=False)
with h5py.File(path + "_theirs.h5", "w") as theirs:  # open while ours is written
    theirs.create_dataset("power_W", data=np.arange(10000.0), chunks=(1000,), compression="gzip", shuffle=True)
    result.save(path + ".h5")
    theirs["power_W"].attrs["units"] = "W"
ours = tw.open(path + ".h5")
with h5py.File(path + ".h5", "r") as seen_by_h5py, h5py.File(path + "_theirs.h5", "r") as theirs:
    pcc = seen_by_h5py["day/pcc_mean_W"]
    assert np.array_equal(pcc[:], ours["day"]["pcc_mean_W"].values) and np.array_equal(pcc[:], result["day"]["pcc_mean_W"].values)
    assert pcc.size > 0 and pcc[:].min() > 0 and "DIMENSION_LIST" in pcc.attrs
    assert theirs["power_W"][:].sum() == 9999 * 10000 / 2 and theirs["power_W"].attrs["units"] == "W"
try:
    tw.open(path + "_theirs.h5")
    sys.exit("a file of h5py's was taken for a result")
except tw.Error:
    pass
libraries = {line.split()[-1] for line in open("/proc/self/maps") if "hdf5" in line.rpartition("/")[2] and "_hl" not in line and ".so" in line}
print(h5py.version.hdf5_version, ours.payload_sha256, *sorted(x.rpartition("/")[2] for x in libraries))
"""


def main():
    if importlib.util.find_spec("h5py") is None:
        print("skipped: no h5py")
        sys.exit(77)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    payloads = set()
    for order in ("h5py first", "tidewatt first"):
        done = subprocess.run([sys.executable, "-c", CHILD, order, folder], stdout=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"FAILED: {order}: exit code {done.returncode}")
        version, payload, *libraries = done.stdout.split()
        payloads.add(payload)
        print(f"{order}: h5py with HDF5 {version}; in the process {', '.join(libraries)}")
    if len(payloads) != 1:
        sys.exit("FAILED: the order of imports changes the result")
    print("package.h5py: ok")


if __name__ == "__main__":
    main()
