"""What one version of the readers makes of files: import_all.py FOLDER_OF_PACKAGE FILE…

Prints JSON, {file: [kind, digest of the table]} for files that `auto` reads and {file: [refusal]} for the others. Numbers count to 12 digits."""
import hashlib
import json
import sys
import warnings

sys.path.insert(0, sys.argv[1])
from tidewatt import importers


def digest(table):
    out = table.copy()
    for name in table.select_dtypes("number"):
        out[name] = [f"{v:.12g}" for v in table[name].astype(float)]
    return hashlib.sha256(out.to_csv(index=False).encode()).hexdigest()


def read(path):
    try:
        done = importers.import_logs("auto", [path])
        return [done.report.kind, digest(done.table)]
    except importers.InputError as error:
        return [f"refused: {str(error)[:200]}"]
    except Exception as error:  # an earlier version may not refuse
        return [f"crashed: {error!r:.200}"]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps({path: read(path) for path in sys.argv[2:]}))
