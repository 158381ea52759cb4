"""The structure checks of the Python package and its pages can fail, as those of self_test.py."""
import unittest

import cases
import docstrings_check
import imports_check
import pages_check


class PythonChecks(cases.Case):
    # --- docstrings
    def test_python_names_arguments_and_errors(self):
        self.put("python/tidewatt/_sweep.py", 'def f(size):\n    "Of the size, m."\n    return size\n')
        self.assertEqual(self.found(docstrings_check), [])
        self.put("python/tidewatt/_sweep.py", 'def f(size):\n    "Nothing."\n    raise ValueError("x")\n')
        self.assertEqual(len(self.found(docstrings_check)), 2)

    def test_docstrings_have_one_dialect(self):
        self.put("python/tidewatt/__init__.py", '__all__ = ["f"]\n')
        sections = '"""Twice.\n\n    Parameters\n    ----------\n    size : float\n        Size, m.\n    """'
        self.put("python/tidewatt/_sweep.py", f"def f(size):\n    {sections}\n    return 2 * size\n")
        self.assertEqual(self.found(docstrings_check), [])
        self.put("python/tidewatt/_sweep.py", 'def f(size):\n    "Of the size, m."\n    return size\n')
        self.assert_one(self.found(docstrings_check), "f: is offered", "Parameters")
        self.put("python/tidewatt/_sweep.py", "")
        for path, start in (("python/tidewatt/a.py", ""), ("tests/a.py", ""), ("scripts/tool", "#!/usr/bin/python3\n")):
            for tag in ("@param x: it", "@returns it", "@raises ValueError: never"):
                self.put(path, start + f'def _f(x):\n    "Of x. {tag}"\n')
                self.assert_one(self.found(docstrings_check), path, tag.split()[0], "no numpydoc")
            self.put(path, start)

    # --- imports
    def test_no_module_imports_itself_by_way_of_others(self):
        self.put("python/tidewatt/__init__.py", "")
        self.put("python/tidewatt/a.py", "from typing import TYPE_CHECKING\nfrom .b import f\nif TYPE_CHECKING:\n    from .sub import c\n")
        self.put("python/tidewatt/b.py", "from . import _core\ndef f():\n    import tidewatt.sub.c\n")
        self.put("python/tidewatt/sub/__init__.py", "")
        self.put("python/tidewatt/sub/c.py", "from ..d import x\n")
        self.put("python/tidewatt/d.py", "x = 1\n")
        self.assertEqual(self.found(imports_check), [])
        self.put("python/tidewatt/d.py", "def f():\n    from . import a\n")
        self.assert_one(self.found(imports_check), "tidewatt.a -> tidewatt.b -> tidewatt.sub.c -> tidewatt.d -> tidewatt.a")
        self.put("python/tidewatt/d.py", "")
        self.put("python/tidewatt/sub/__init__.py", "from .c import x\n")
        self.put("python/tidewatt/sub/c.py", "from . import PORT\n")
        self.assert_one(self.found(imports_check), "tidewatt.sub -> tidewatt.sub.c -> tidewatt.sub")

    # --- pages
    def test_styles_name_what_pages_have(self):
        self.put("python/tidewatt/report/page.py", 'text(__file__, "page.css"), text(__file__, "page.js")\n')
        self.put("python/tidewatt/report/page.js", 'a.className = "bar verdict-" + v;\n  //include plot.js\n')
        self.put("python/tidewatt/report/plot.js", "")
        good = ":root { --ink: #fff; }\n@media print { .bar, .verdict-pass { color: var(--ink); } }\n"
        self.put("python/tidewatt/report/page.css", good)
        self.assertEqual(self.found(pages_check), [])
        for style, word in ((good + "#gone { top: 0; }", "#gone"), (good.replace("var(--ink)", "var(--paper)"), "--paper"), (good + "}", "braces")):
            self.put("python/tidewatt/report/page.css", style)
            self.assert_one(self.found(pages_check), "page.css", word)
        self.put("python/tidewatt/report/page.css", good)
        self.put("python/tidewatt/report/left.js", "")
        self.assert_one(self.found(pages_check), "left.js", "no page uses it")
        (self.root / "python/tidewatt/report/left.js").unlink()
        (self.root / "python/tidewatt/report/plot.js").unlink()
        self.assert_one(self.found(pages_check), "plot.js", "not there")


if __name__ == "__main__":
    unittest.main()
