"""Every structure check can fail: each is shown a small repository that breaks its rule, and one that does not."""
import pathlib
import unittest

import archives_check
import cases
import catalog_check
import classes_check
import docstrings_check
import fields_check
import figures_check
import laws_check
import length_check
import names_check
import parts_check
import references_check
import steps_check
import surface_check
import version_check
import words_check

GOOD_ENTRY = """schema = 1
kind = "gpu"
name = "x"
[power]
tdp_W = 700
[sources]
"power.tdp_W" = "[K] data sheet"
[assumed]
"power.tdp_W" = [600, 800]
"""


class Checks(cases.Case):
    # --- docstrings
    def test_a_function_says_units_errors_and_source(self):
        good = "/// Twice the power x, W. @throws InputError below 0. @source [@a]\ndouble twice(double x);\n"
        source = "double twice(double x) {\n  if (x < 0) throw InputError(0);\n  return x;  // [@a]\n}\n"
        self.put("src/study/a.cpp", source)
        self.put("include/tidewatt/study/a.hpp", good)
        self.assertEqual(self.found(docstrings_check), [])
        for less, word in ((", W", "no unit"), ("@throws InputError below 0.", "throws"), ("@source [@a]", "cited")):
            self.put("include/tidewatt/study/a.hpp", good.replace(less, ""))
            self.assertTrue(any(word in f for f in self.found(docstrings_check)), word)
        self.put("include/tidewatt/study/a.hpp", "void twice(int x, int y);\n")
        self.assertTrue(any("no comment" in f for f in self.found(docstrings_check)))
        self.put("include/tidewatt/study/a.hpp", good)
        self.put("src/power/b.hpp", "void twice(int x, int y);\n")
        self.assertEqual(self.found(docstrings_check), [])
        self.put("src/dvfs/b.cpp", '#include "power/b.hpp"\n')
        self.assert_one(self.found(docstrings_check), "src/power/b.hpp", "no comment")

    # --- figures
    def test_the_list_of_figures_has_their_units_words_and_digits(self):
        self.put("src/sim/figure_list_power.cpp", 'Figure f[] = {{"pcc_max_MW", "MW", "largest power", "x"}, {"die_max_degC",\n "°C",\n "hottest die", ""}};\n')
        good = ('TOP = ("pcc_max_MW", "die_max_degC")\nx = _part(result, "pcc_max_MW", "up to {} at once"), summary["pcc_max_MW_p95"], summary.get("jobs")\n', "x = said.summary.pcc_max_MW;\n")
        wrong = (("a.py", 'x = ("pcc_max_MW", "most", "MW")', '{"pcc_max_MW": "largest power"}', '_part(result, "pcc_max_MW", "{} MW")', '_part(result, "pcc_max_MW", "{}", 4)', 'f"{summary[\'pcc_max_MW\']} MW"', 'result.figure("pcc_m")',
                  'summary["pcc_m"]', 'summary.get("pcc_m")', 'TOP = ["pcc_max_MW", "die_max_degC", "pcc_m"]', '"""' + "\n" * 7 + 'summary.pcc_m"""'), ("b.js", "said.summary.pcc_m;", '["pcc_max_MW", "peak", 1]'))  # fmt: skip
        for file, line in ((file, line) for file, *lines in wrong for line in ("", *lines)):
            self.put("python/tidewatt/a.py", good[0] + line * (file == "a.py")), self.put("python/tidewatt/b.js", good[1] + line * (file == "b.js"))
            self.assert_one(self.found(figures_check), f"python/tidewatt/{file}:", "pcc_m") if line else self.assertEqual(self.found(figures_check), [])

    # --- parts
    def test_allowed_includes_pass(self):
        self.put("src/dvfs/a.cpp", '#include "tidewatt/power/gpu.hpp"\n#include <fmt/format.h>\n#include "near.hpp"\n')
        self.put("src/cooling/a.cpp", '#include "tidewatt/thermal/hall.hpp"\n')
        self.put("src/cli/a.cpp", '#include "tidewatt/study/sweep.hpp"\n')
        self.put("include/tidewatt/tidewatt.hpp", '#include "tidewatt/io/sink.hpp"\n')
        self.assertEqual(self.found(parts_check), [])

    def test_models_never_meet(self):
        models = ["workload", "power", "thermal", "cooling", "grid", "mitigation"]
        for part in models:
            for other in models:
                if part != other and (part, other) != ("cooling", "thermal"):
                    self.put(f"include/tidewatt/{part}/sees_{other}.hpp", f' #  include "tidewatt/{other}/x.hpp"\n')
        self.assertEqual(len(self.found(parts_check)), 6 * 5 - 1)

    def test_order_is_one_way(self):
        for name in ("tidewatt/dvfs/governor.hpp", "dvfs/operating_point_batch.hpp"):
            self.put("src/power/a.cpp", f'#include "{name}"\n')
            self.assert_one(self.found(parts_check), "'power'", "'dvfs'")

    def test_sim_knows_no_file_format(self):
        self.put("src/sim/simulation.cpp", '#include "tidewatt/io/hdf5_sink.hpp"\n')
        self.assert_one(self.found(parts_check), "'io'")

    def test_umbrella_inside_a_part(self):
        self.put("src/grid/a.cpp", '#include "tidewatt/tidewatt.hpp"\n')
        self.assert_one(self.found(parts_check), "everything")

    def test_back_door_by_relative_path(self):
        self.put("src/grid/a.cpp", '#include "../power/private.hpp"\n')
        self.assert_one(self.found(parts_check), "private.hpp")

    def test_public_header_needs_the_standard_library_only(self):
        self.put("include/tidewatt/numerics/a.hpp", "#include <Eigen/Dense>\n#include <vector>\n")
        self.assert_one(self.found(parts_check), "Eigen")

    def test_public_header_includes_no_private_one(self):
        for name in ("b.hpp", "base/text.hpp"):
            self.put("include/tidewatt/numerics/a.hpp", f'#include "{name}"\n')
            self.assert_one(self.found(parts_check), name, "public ones only")

    def test_a_room_of_sim_may_not_include_a_later_one(self):
        self.put("include/tidewatt/sim/kinds.hpp", "")
        self.put("src/sim/job.hpp", '#include "tidewatt/sim/kinds.hpp"\n')
        self.assertEqual(self.found(parts_check), [])
        self.put("src/sim/site_params.hpp", '#include "job.hpp"\n')
        self.assert_one(self.found(parts_check), "room 'scenario'", "jobs")
        self.put("src/sim/site_params.hpp", "")
        self.put("src/fleet/task_maps.hpp", '#include "sim/job.hpp"\n')
        self.assert_one(self.found(parts_check), "'fleet'", "'sim'")
        self.put("src/fleet/task_maps.hpp", "")
        self.put("src/sim/attic.cpp", "")
        self.assert_one(self.found(parts_check), "attic", "no room")

    def test_the_handbook_tells_the_order_that_is_enforced(self):
        text = (pathlib.Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
        self.put("CONTRIBUTING.md", text)
        self.assertEqual(self.found(parts_check), [])
        self.put("CONTRIBUTING.md", text.replace("| base, numerics, power |", "| base, numerics |"))
        self.assert_one(self.found(parts_check), "'dvfs'")
        self.put("CONTRIBUTING.md", text.replace("| `record` |", "| `records` |"))
        self.assert_one(self.found(parts_check), "rooms of sim")

    def test_unknown_part(self):
        self.put("src/misc/a.cpp", "")
        self.assert_one(self.found(parts_check), "misc")

    # --- names
    def test_named_alike_passes(self):
        self.put("include/tidewatt/grid/a.hpp", "")
        self.put("src/grid/a.cpp", "")
        self.put("src/grid/a_text.cpp", "")  # goes on with a.hpp
        self.put("src/grid/inside.hpp", "")
        self.put("src/grid/inside.cpp", "")
        self.put("tests/unit/grid/a_test.cpp", "")
        self.assertEqual(self.found(names_check), [])

    def test_source_without_header(self):
        self.put("src/grid/lonely.cpp", "")
        self.assert_one(self.found(names_check), "lonely.cpp", "without a header")

    def test_source_without_test(self):
        self.put("include/tidewatt/grid/a.hpp", "")
        self.put("src/grid/a.cpp", "")
        self.assert_one(self.found(names_check), "without a test")

    def test_source_whose_private_header_others_include(self):
        self.put("src/grid/a.hpp", "")
        self.put("src/grid/a.cpp", '#include "a.hpp"\n')
        self.assertEqual(self.found(names_check), [])
        self.put("src/sim/b.hpp", '#include "grid/a.hpp"\n')
        self.assert_one(self.found(names_check), "src/grid/a.cpp", "without a test")
        self.put("tests/unit/grid/a_test.cpp", "")
        self.assertEqual(self.found(names_check), [])

    def test_test_without_header(self):
        self.put("tests/unit/grid/a_test.cpp", "")
        self.assert_one(self.found(names_check), "without a header")

    def test_exception_must_be_needed_and_reasoned(self):
        self.put("src/grid/lonely.cpp", "")
        self.put(names_check.EXCEPTIONS, '"src/grid/lonely.cpp" = "split off the source of another header"\n')
        self.assertEqual(self.found(names_check), [])
        self.put(names_check.EXCEPTIONS, '"src/grid/lonely.cpp" = ""\n')
        self.assert_one(self.found(names_check), "reason")
        self.put(names_check.EXCEPTIONS, '"src/grid/lonely.cpp" = "split off another source"\n"src/b.cpp" = "was one once"\n')
        self.assert_one(self.found(names_check), "no longer")

    # --- length
    def test_length(self):
        self.put("src/a.cpp", "\n" * 400)
        self.put("scripts/tool", "#!/usr/bin/python3\n" + "\n" * 399)
        self.put("notes.md", "\n" * 4000)
        self.assertEqual(self.found(length_check), [])
        self.put("python/long.py", "\n" * 401)
        self.assert_one(self.found(length_check), "long.py", "401")
        self.put("scripts/tool", "#!/usr/bin/python3\n" + "\n" * 400)
        self.assertEqual(len(self.found(length_check)), 2)

    # --- archives
    def test_a_class_saves_all_its_members_or_says_why_not(self):
        text = "struct A {\n  int x = 0, y = 0;\n  template <class A>\n  void archive(A& a) {\n    a(%s);\n  }\n};\n"
        self.put("src/sim/task.hpp", text % "x, y")
        self.assertEqual(self.found(archives_check), [])
        self.put("src/sim/task.hpp", text % "x")
        self.assert_one(self.found(archives_check), "A::archive leaves out y")
        self.put(archives_check.EXCEPTIONS, '[A]\ny = "constant"\n')
        self.assertEqual(self.found(archives_check), [])
        self.put("src/sim/task.hpp", text % "x, y")
        self.assert_one(self.found(archives_check), "take it out")

    # --- surface
    def test_public_names_are_offered_and_versioned(self):
        self.put(surface_check.VERSION, "namespace tidewatt::inline v1 {}\n")
        good = '#include "tidewatt/base/version.hpp"\nnamespace TIDEWATT_NAMESPACE::grid {\ntemplate <class T>\nstruct TIDEWATT_API A {\n  void f();\n};\nenum class E { x };\n' \
               "inline int g() { return 1; }\nTIDEWATT_API int h(int x,\n                    int y);\n}\n"
        self.put("include/tidewatt/grid/a.hpp", good)
        self.put("src/grid/a.cpp", '#include "tidewatt/grid/a.hpp"\nnamespace TIDEWATT_NAMESPACE::grid {\nstruct B {};\n}\n')
        self.assertEqual(self.found(surface_check), [])
        self.put("include/tidewatt/grid/a.hpp", good.replace("struct TIDEWATT_API A", "struct A"))
        self.assert_one(self.found(surface_check), "A is declared without")
        self.put("include/tidewatt/grid/a.hpp", good.replace("TIDEWATT_API int h", "int h"))
        self.assert_one(self.found(surface_check), "h is declared without")
        self.put("include/tidewatt/grid/a.hpp", good)
        self.put("src/grid/b.hpp", "namespace TIDEWATT_NAMESPACE::grid {}\n")
        self.assert_one(self.found(surface_check), "src/grid/b.hpp", "without include/tidewatt/base/version.hpp")
        self.put("src/grid/b.hpp", '#include "tidewatt/base/version.hpp"\nnamespace tidewatt {\nTIDEWATT_API void f();\n}\n')
        self.assertEqual(len(self.found(surface_check)), 2)

    def test_public_headers_name_installed_headers(self):
        self.put("include/tidewatt/grid/b.hpp", "// as in grid/a.hpp\n")
        self.put("src/grid/a.hpp", "")
        self.assert_one(self.found(surface_check), "names grid/a.hpp")
        self.put("include/tidewatt/grid/a.hpp", "")
        self.assertEqual(self.found(surface_check), [])

    # --- fields
    def test_parameters_have_comments(self):
        good = "namespace TIDEWATT_NAMESPACE::grid {\nstruct TIDEWATT_API P {\n  static constexpr int n = 2;\n  double a_W = 0.0;  ///< power\n  /// Names.\n" \
               "  std::vector<std::string> b = {\"x\", \"y\"};\n  void fields(FieldVisitor& v);\n  double twice() const { return 2 * a_W; }\n};\nstruct R {\n  double c, d;\n};\n}\n"
        self.put("include/tidewatt/grid/p.hpp", good)
        self.assertEqual(self.found(fields_check), [])
        self.put("include/tidewatt/grid/p.hpp", good.replace("  ///< power", ""))
        self.assert_one(self.found(fields_check), "P.a_W: no comment")
        self.put("include/tidewatt/grid/p.hpp", good.replace("  /// Names.\n", ""))
        self.assert_one(self.found(fields_check), "P.b: no comment")
        self.put("include/tidewatt/grid/p.hpp", good.replace("a_W = 0.0;", "a_W = 0.0, e_W = 0.0;"))
        self.assert_one(self.found(fields_check), "a_W, e_W on one line")

    # --- steps
    def test_a_duration_outside_the_planner_needs_a_reason(self):
        self.put("src/sim/step_planner.cpp", "constexpr Tick first = 3 * ns_per_s;\nvoid f() { step *= 2; }\n")
        self.put("src/sim/a.cpp", "Tick bin = t / ns_per_ms;  // 5 * ns_per_s\n")
        self.assertEqual(self.found(steps_check), [])
        self.put("src/sim/a.cpp", "constexpr Tick first = 3 * ns_per_s;\n")
        self.assert_one(self.found(steps_check), "src/sim/a.cpp", "3 * ns_per_s")
        self.put(steps_check.EXCEPTIONS, '["src/sim/a.cpp"]\n"3 * ns_per_s" = "how long a pump starts"\n')
        self.assertEqual(self.found(steps_check), [])
        self.put("src/sim/a.cpp", "void f() { last_step *= 2; }\n")
        self.assertEqual(len(self.found(steps_check)), 2)  # it grows, and what is listed has gone

    # --- laws
    def test_a_law_is_written_once(self):
        fine = "double cap_margin_W;  // W - cap_margin_W\nl.cap_margin_W = p[1];\nf(g.cap_margin_W, \"cap_margin_W\");\nW = a[i].g().cap_margin_W;\nair_J_per_m3_K = air(293.15);\nif (i < n / 2) f();\n"
        copies = {"W - f(g(1)).governor.cap_margin_W": "calculates with cap_margin_W", "p->cap_margin_W * 2": "calculates", "x <= a[i + 1].cap_margin_W": "calculates", "y % 400 == 0": "month", "days{31, 28, 31}": "month",
                  "flow * 1.15 * 1006.0": "air", "air_J_per_m3_K = 1206.0": "air", "g >= n / 2": "rear row", "slot < gpus.size() / 2": "rear row", "": "no longer the law of cap_margin_W"}  # fmt: skip
        for copy, what in copies.items():
            for law, text, findings in (("return W - g.cap_margin_W;\n", fine, 0), ("return W - g.cap_margin_W;\n" * bool(copy), copy + ";\n", 1)):
                self.put("include/tidewatt/dvfs/operating_point.hpp", law), self.put("src/fleet/a.cpp", text)
                self.assertEqual(len(self.found(laws_check)), findings)
            self.assert_one(self.found(laws_check), what)

    # --- classes
    def test_lines_of_a_class_are_those_of_all_its_files(self):
        self.put("src/sim/a.hpp", "struct A {\n  void f();  // }\n  int x = 0;\n};\n")
        self.put("src/sim/a.cpp", "void A::f() {\n" + "  x = 1;\n" * 200 + "}\n")
        self.assertEqual(self.found(classes_check), [])
        self.put("src/sim/a_more.cpp", "void A::g() {\n" + "  x = 1;\n" * 200 + "}\n")
        self.assert_one(self.found(classes_check), "A", "lines", "300 at most")

    def test_data_members_of_a_class_with_behaviour(self):
        twelve = "  int a = 0, b = f(1, 2), c{3};\n  std::map<int, double> d;\n  std::function<int(int, int)> e;\n" + "".join(f"  int m{i};\n" for i in range(7))
        more = "  static constexpr int no = 1;\n  using T = int;\n  bool operator==(const A&) const = default;\n  struct In {\n    int z;\n  };\n"
        self.put("src/sim/a.hpp", "namespace x {\nclass A : B {\n public:\n  int f(int q = 1) const { return a; }\n" + twelve + more + "};\n}\n")
        self.assertEqual(self.found(classes_check), [])
        self.put("src/sim/a.hpp", "namespace x {\nclass A : B {\n public:\n  int f() const;\n  A() : a{1} {}\n" + twelve + more + "  int last;\n};\n}\n")
        self.assert_one(self.found(classes_check), "13 members", "12 at most")
        plain = "struct A {\n  A() = default;\n  template <class V>\n  void fields(V& v) { v(1); }\n" + twelve + "  int last;\n};\n"
        self.put("src/sim/a.hpp", plain)
        self.assertEqual(self.found(classes_check), [])

    def test_state_of_named_parts(self):
        members = "".join(f"    int m{i};\n" for i in range(15))
        self.put("src/sim/a.hpp", "struct A {\n  void f();\n  struct State {\n" + members + "  };\n};\n")
        self.assertEqual(self.found(classes_check), [])
        self.put("src/sim/a.hpp", "struct A {\n  void f();\n  struct State {\n" + members + "    int last;\n  };\n};\n")
        self.assert_one(self.found(classes_check), "16 State")
        self.put("src/sim/a.hpp", "struct P {\n" + members + "  int last;\n};\nstruct A {\n  void f();\n  struct State {\n    P part;\n  };\n};\n")
        self.assert_one(self.found(classes_check), "16 State")

    def test_listed_classes_may_only_shrink(self):
        for n, word in ((301, "grown"), (285, "no longer")):
            self.put("src/sim/a.hpp", "struct A {\n  void f() {\n" + "    x();\n" * (n - 4) + "  }\n};\n")
            self.put(classes_check.EXCEPTIONS, "A = {lines = 300}\n")
            self.assert_one(self.found(classes_check), word)
        self.put("src/sim/a.hpp", "struct A {\n  void f() {\n" + "    x();\n" * 316 + "  }\n};\n")
        self.put(classes_check.EXCEPTIONS, "A = {lines = 331}\n")
        self.assert_one(self.found(classes_check), "lower its entry")
        self.put(classes_check.EXCEPTIONS, "A = {lines = 320}\nB = {lines = 400}\n")
        self.assert_one(self.found(classes_check), "no class B")

    def test_a_step_fits_on_a_screen(self):
        self.put("src/sim/a.hpp", "struct A {\n  void step();\n};\n")
        self.put("src/sim/a.cpp", "void A::step() {\n" + "  x();\n" * 49 + "}\n")
        self.assert_one(self.found(classes_check), "A::step", "51")

    # --- words
    def test_machine_paths(self):
        self.put("good.md", "see ../shared/data, network/home/x, https://example.org/home/x, build/tmp/y, ${d}/tmp/x\n")
        self.assertEqual(self.found(words_check, set()), [])
        for number, folder in enumerate(words_check.FOLDERS):
            self.put(f"bad{number}.md", f"look at /{folder}/thing\n")
        self.assertEqual(len(self.found(words_check, set())), len(words_check.FOLDERS))

    def test_machine_names(self):
        self.put("a.md", "downloaded from mirror.example.lan\n")
        self.assert_one(self.found(words_check, {"mirror.example.lan"}), "a.md:1")

    def test_package_servers_are_read_from_settings(self):
        settings = ["deb http://deb.debian.org/debian x", "index-url = https://user@pypi.mirror.example/simple",
                    "http://packages.inside.example:8080/debian"]
        self.assertEqual(words_check.private_hosts(settings), {"pypi.mirror.example", "packages.inside.example"})

    # --- catalog
    def entry(self, old="", new=""):
        self.assertIn(old, GOOD_ENTRY)
        self.put("catalog/gpu/x.toml", GOOD_ENTRY.replace(old, new) if old else GOOD_ENTRY)
        return self.found(catalog_check)

    def test_catalog(self):
        self.assertEqual(self.entry(), [])
        self.assert_one(self.entry("[power]", "[power]\nhbm_W = 100"), "power.hbm_W", "no source")
        self.assert_one(self.entry("[K] data sheet", "a data sheet"), "none of")
        self.assert_one(self.entry('"power.tdp_W" = [600, 800]', ""), "needs a range")
        self.assert_one(self.entry("[600, 800]", "[710, 800]"), "outside")
        self.assert_one(self.entry("[600, 800]", "[800, 600]"), "above")
        self.assert_one(self.entry("[600, 800]", "[600]"), "[low, high]")
        self.assert_one(self.entry("tdp_W = 700", 'tdp_W = "high"'), "only numbers")
        with_word = GOOD_ENTRY.replace("tdp_W = 700", 'tdp_W = 700\nlaw = "cube"').replace("[sources]", '[sources]\n"power.law" = "[R]"')
        for law, findings in {'["square", "cube"]': 0, '["square", "line"]': 1, '["cube"]': 1}.items():
            self.put("catalog/gpu/x.toml", with_word + f'"power.law" = {law}\n')
            self.assertEqual(len(self.found(catalog_check)), findings)
        self.assert_one(self.entry("[600, 800]", '["low", "high"]'), "'700' is none of")
        self.assert_one(self.entry("[600, 800]", '["low", "low"]'), "at least two")
        self.assert_one(self.entry("[assumed]", '"power.gone_W" = "[R]"\n[assumed]'), "no such value")
        self.assert_one(self.entry('name = "x"', 'name = "y"'), "not the file's")
        self.assert_one(self.entry('kind = "gpu"', 'kind = "server"'), "not the folder's")
        self.assert_one(self.entry("schema = 1\n", ""), "schema")
        self.assert_one(self.entry("[power]", "[power"), "x.toml", "line 4")

    def test_climates(self):
        read = "a file of 2020-2024, sha256 0123456789ab, scripts/derive_climates [D]"
        found = catalog_check.climate_findings
        self.assertEqual(found({"sources": {"hot_max_degC": read}}), [])
        for source in ("a file of 2020-2024 [D]", read.replace("[D]", "[K]"), read.replace("0123456789ab", "unknown"), ""):
            self.assert_one(found({"sources": {"hot_max_degC": source}}), "hot_max_degC", "no file that was read")
        self.assertEqual(catalog_check.continent(-26.2, 28.0), "Africa")
        self.put("catalog/climate/x.toml", 'schema = 1\nkind = "climate"\nname = "x"\n')
        self.assert_one(self.found(catalog_check), "1 places on 1 continents")

    # --- references
    def test_references(self):
        self.put(references_check.BIBLIOGRAPHY, "@misc{llama3,\n  eprint = {2407.21783},\n}\n")
        self.put("docs/a.md", "Llama 3 [@llama3], arXiv 2407.21783, arXiv:2407.21783\n")
        self.assertEqual(self.found(references_check), [])
        self.put("src/power/a.cpp", "// arXiv 1234.56789\n")
        self.assert_one(self.found(references_check), "src/power/a.cpp:1", "1234.56789")
        self.put("src/power/a.cpp", "")
        self.put("docs/a.md", "[@unknown2020]\n")
        self.assert_one(self.found(references_check), "unknown2020")
        self.put("docs/a.md", "")
        self.put(references_check.BIBLIOGRAPHY, "@misc{a,\n}\n@misc{a,\n}\n")
        self.assert_one(self.found(references_check), "twice")

    # --- version
    def test_the_version_is_everywhere_the_same(self):
        self.put("CMakeLists.txt", "project(tidewatt VERSION 1.4.2 LANGUAGES C CXX)\n")
        good = {"CITATION.cff": "version: 1.4.2\n", "CHANGELOG.md": "## Unreleased (1.4.2)\n\n## 1.3.0\n", "docs/installing.md": "tidewatt_1.4.2_amd64.deb\n",
                "examples/CMakeLists.txt": "find_package(tidewatt 1.4 REQUIRED)\n",
                "docs/cpp_api.md": "`tidewatt::v1_4` in `libtidewatt.so.1.4`\n", "include/tidewatt/base/version.hpp": "#define TIDEWATT_VERSION_NAMESPACE v1_4\n"}  # fmt: skip
        for place, text in good.items():
            self.put(place, text)
        self.assertEqual(self.found(version_check), [])
        for place, text in good.items():
            self.put(place, text.replace("4", "3", 1))
            self.assert_one(self.found(version_check), place, "says 1.3")
            self.put(place, "nothing")
            self.assert_one(self.found(version_check), place, "names no version")
            self.put(place, text)


if __name__ == "__main__":
    unittest.main()
