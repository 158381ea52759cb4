"""scripts/skipped on a log as CTest writes it."""
import unittest

from script import load

LOG = """1/5 Testing: unit.workload
1/5 Test: unit.workload
mlperf_log_test.cpp:14: warning:
  skipped: no measurement files
  skipped: no measurement files
2/5 Testing: python.sweep
..s
SKIPPED [1] ../../tests/python/test_sweep.py:129: Parquet needs pyarrow
3/5 Testing: scripts.docs
skipped: Missing packages: doxygen
4/5 Testing: unit.base
a word that is skipped in passing
5/5 Testing: cli.command
OK (skipped=1)
"""


class Skipped(unittest.TestCase):
    def test_each_reason_once_with_its_test(self):
        self.assertEqual(load("skipped").skips(LOG), [
            ("unit.workload", "no measurement files"), ("python.sweep", "Parquet needs pyarrow"),
            ("scripts.docs", "Missing packages: doxygen"), ("cli.command", "1 cases, see its own output")])


if __name__ == "__main__":
    unittest.main()
