"""scripts/figure_table on a page of a few lines and a command that prints a table."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from script import load

figure_table = load("figure_table")
PAGE = f"before\n{figure_table.BEGIN}\nold\n{figure_table.END}\nafter\n"


class FigureTable(unittest.TestCase):
    def test_tables_stand_between_the_marks(self):
        page = figure_table.replaced(PAGE, "| a |\n")
        self.assertEqual(page, f"before\n{figure_table.BEGIN}\n| a |\n{figure_table.END}\nafter\n")
        self.assertEqual(figure_table.replaced(page, "| a |\n"), page)
        for wrong in ("no marks\n", PAGE + PAGE):
            self.assertRaises(ValueError, figure_table.replaced, wrong, "| a |\n")

    def test_another_table_fails_the_check_until_it_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            page, program = Path(folder) / "page.md", Path(folder) / "program"
            page.write_text(PAGE, encoding="utf-8")
            program.write_text("#!/bin/sh\n[ \"$1 $2\" = 'figures --markdown' ] && echo '| a |'\n", encoding="utf-8")
            os.chmod(program, 0o755)

            def call(*more):
                return subprocess.run([sys.executable, "-B", figure_table.__file__, "--bin", program, "--page", page, *more], capture_output=True, text=True)

            self.assertEqual(call("--check").returncode, 1)
            self.assertEqual(page.read_text(encoding="utf-8"), PAGE)
            self.assertEqual(call().returncode, 0)
            self.assertEqual(call("--check").returncode, 0)


if __name__ == "__main__":
    unittest.main()
