"""Python warns as the command line does; folders; the right reader, or a refusal that names it."""
import json
import warnings

import pytest
from import_case import put, said

import tidewatt as tw
from tidewatt import importers
from tidewatt.importers.__main__ import main

TORN = "time_s,node1_W,node2_W\n0,500,400\n1,510\n2,520,410\n"
SMI = "timestamp, index, power.draw [W], temperature.gpu\n2026/04/01 08:00:0{}.000, 0, {} W, 40\n"


def test_python_warns_in_the_words_of_the_command_line(tmp_path, capsys):
    path = put(tmp_path, "a.csv", TORN)
    assert main(["power", str(path), "-o", str(tmp_path / "o.csv")]) == 0
    lines = [line.removeprefix("tidewatt: ") for line in capsys.readouterr().err.splitlines()]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = tw.read_power(path)
    assert [str(w.message) for w in caught] == lines and len(lines) == 1 and caught[0].filename == __file__
    assert table.attrs["report"]["ignored"][0]["place"] == "a.csv:3"
    with pytest.raises(tw.InputError, match="1 warnings and strict=True: ignored: a.csv:3"):
        tw.read_power(path, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tw.read_power(put(tmp_path, "b.csv", TORN.replace("510", "510,405")), strict=True)


def test_a_folder_is_its_logs(tmp_path):
    logs = tmp_path / "logs"
    (logs / "rack1").mkdir(parents=True)
    put(logs, "b.csv", SMI.format(2, 600)), put(logs / "rack1", "a.csv", SMI.format(1, 500)), put(logs, "README", "of mine"), put(logs, ".hidden", "x")
    for kind in ("auto", "nvidia-smi"):
        done = importers.import_logs(kind, [logs])
        assert done.report.kind == "nvidia-smi" and list(done.table["power_W"]) == [500, 600]
    assert said(importers.import_logs("auto", [logs]).report, "README", "no log of a known kind")
    put(logs, "q.txt", "JOBID|STATE|NODES\n7|RUNNING|2\n")
    assert said(importers.import_logs("nvidia-smi", [logs]).report, "q.txt", "a log of kind squeue")
    with pytest.raises(importers.InputError, match="several kinds"):
        importers.import_logs("auto", [logs])
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(importers.InputError, match="no file in it"):
        importers.import_logs("auto", [empty])


def test_a_reader_refuses_what_is_of_another_kind_and_names_it(tmp_path):
    smi = put(tmp_path, "g.csv", SMI.format(1, 500))
    trace = put(tmp_path, "t.json", json.dumps({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 0, "dur": 1}]}))
    for kind, path, other in (("squeue", smi, "nvidia-smi"), ("redfish", trace, "kineto"), ("prometheus", trace, "kineto"), ("weather", smi, "nvidia-smi"), ("price", smi, "nvidia-smi")):
        with pytest.raises(importers.InputError, match=f"kind {other}"):
            importers.import_logs(kind, [path])
    for text, words in (("GPU: 0\n    POWER:\n        SOCKET_POWER: 741 W\n", "amd-smi metric --csv"), ("======= ROCm System Management Interface =======\nGPU 0\n", "rocm-smi .* --json")):
        with pytest.raises(importers.InputError, match=words):
            importers.import_logs("auto", [put(tmp_path, "x.txt", text)])


def test_a_table_without_rows_or_without_names_is_a_finding(tmp_path):
    for text, words in (("time,gpu,power_W\n", "no row below the names"), ("2026-04-01 08:00:00,0,650.1\n2026-04-01 08:00:01,0,650.2\n", "first line has values, no names")):
        for kind in ("csv", "power"):
            with pytest.raises(importers.InputError, match=f"t.csv: .*{words}"):
                importers.import_logs(kind, [put(tmp_path, "t.csv", text)])
