#include "sweep_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "base/path_below.hpp"
#include "base/schema_version.hpp"
#include "base/text.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/reader.hpp"
#include "toml_value.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

namespace fs = std::filesystem;
constexpr std::array<std::string_view, 7> modes = {"grid",          "list",    "latin_hypercube", "sobol",
                                                   "sobol_indices", "tornado", "monte_carlo"};
constexpr double n_case_limit = 1e6;

bool samples(const std::string& mode) {
  return mode == "latin_hypercube" || mode == "sobol" || mode == "sobol_indices" || mode == "monte_carlo";
}

/// Headings go into CSV and HDF5 tables, so they contain no spreadsheet formula and no control character.
bool is_heading(const std::string& text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return !text.empty() && text.size() <= 200 && std::string_view("=+-@").find(text.front()) == std::string_view::npos &&
         std::none_of(text.begin(), text.end(), is_control);
}

void read_variable(const Node& node, const std::string& path, const std::string& mode, SweepSpec& spec,
                   std::vector<Finding>& findings) {
  Variable& v = spec.variables.emplace_back();
  TableReader r(node, path, findings);
  v.fields(r);
  std::string key;
  r.text("key", key, "scenario key that it sets, e.g. hall.a.cap_W");
  v.keys.insert(v.keys.begin(), key);
  if (v.name.empty()) v.name = key;
  if (const Node* name = node.find("name"); name && name->is_text() && !is_heading(v.name))
    r.report(name, "name",
             fmt::format("{} is no heading: use 1 to 200 characters that begin with none of = + - @", name->text()));
  const Node* values = r.child("values");
  const bool ranged = node.find("low") && node.find("high");
  if (values && !values->is_array()) r.report(values, "values", "expected a list");
  if (values && values->is_array())
    for (const auto& item : std::get<Node::Array>(values->value)) {
      if (!is_plain(item)) r.report(&item, "values", "expected numbers, texts or truth values");
      v.values.push_back(toml_value(item));
    }
  if (!values == !ranged || (values && v.values.empty()))
    r.report(&node, "", "give either `values`, a list of one item at least, or both `low` and `high`");
  if (ranged && !(v.low < v.high)) r.report(&node, "low", fmt::format("{} is not below high = {}", v.low, v.high));
  if (v.scale == "log" && v.low <= 0.0 && ranged) r.report(&node, "scale", "log needs low above 0");
  if (mode == "list" && ranged) r.report(&node, "values", "mode list needs values, not a range");
  if (mode == "grid" && ranged && v.n_point == 0)
    r.report(&node, "n_point", "missing: a grid divides the range into so many points");
  r.finish();
}

void read_case(const Node& node, const std::string& path, SweepSpec& spec, std::vector<Finding>& findings) {
  TableReader r(node, path, findings);
  auto& set = spec.cases.emplace_back();
  r.texts("set", set, "overrides of this case, key=value");
  for (const auto& item : set)
    if (item.find('=') == std::string::npos || item.front() == '=')
      r.report(&node, "set", fmt::format("'{}' is not key=value", item));
  r.finish();
}

template <class Visit>
void each(TableReader& r, const char* key, Visit&& visit) {
  const Node* list = r.child(key);
  if (!list) return;
  if (!list->is_array()) return r.report(list, key, fmt::format("expected a list of tables [[{}]]", key));
  std::size_t i = 0;
  for (const auto& item : std::get<Node::Array>(list->value)) visit(item, fmt::format("{}.{}", key, ++i));
}

/// Paths inside a file stay below its folder; a path on the command line is the user's own.
std::string scenario_path(const SweepSpec& spec, const std::string& folder, const SweepOptions& options,
                          const Node& root, std::vector<Finding>& findings) {
  if (!options.scenario.empty()) return options.scenario;
  const auto path = path_below(folder, spec.scenario);
  const Node* given = root.find("scenario");
  if (!path)
    findings.push_back({given ? given->place : root.place, "scenario",
                        "must be a file below the sweep file's folder (or use --scenario FILE)"});
  return path.value_or("");
}

/// As the column is called in HDF5 (`to_result` of sweep_table.hpp).
std::string column_of(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

void check_mode(const SweepSpec& spec, const Node& root, std::vector<Finding>& findings) {
  const auto report = [&](const char* key, const std::string& what) {
    const Node* at = root.find(key);
    findings.push_back({at ? at->place : root.place, key, what});
  };
  const bool own = spec.mode == "tornado" || spec.mode == "monte_carlo";
  if (spec.variables.empty() && spec.cases.empty() && !own && spec.mode != "sobol_indices")
    report("variable", "nothing is varied: add a [[variable]]");
  if (spec.mode != "list" && !spec.cases.empty()) report("case", "[[case]] is for mode = \"list\"");
  if (spec.mode == "list" && !spec.cases.empty() && !spec.variables.empty())
    report("case", "give either [[case]] or [[variable]]");
  if (samples(spec.mode) && spec.n_case == 0)
    report("n_case", fmt::format("missing: how many points, 1 to {}", n_case_limit));
  for (std::size_t i = 0; i < spec.variables.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (column_of(spec.variables[i].name) == column_of(spec.variables[j].name))
        report("variable", fmt::format("two are called '{}'", spec.variables[i].name));
}

}  // namespace

void Variable::fields(FieldVisitor& v) {
  static constexpr std::array<std::string_view, 2> scales = {"linear", "log"};
  v.text("name", name, "heading of the table column; default: the key", Need::optional);
  v.texts("also", keys, "further keys that get the same value", Need::optional);
  v.number("low", low, {-1e300, 1e300}, "least value of a range, in the key's unit", Need::optional);
  v.number("high", high, {-1e300, 1e300}, "greatest value of a range, in the key's unit", Need::optional);
  v.choice("scale", scale, scales, "how a range is divided", Need::optional);
  v.flag("whole", whole, "round to whole numbers", Need::optional);
  v.integer("n_point", n_point, {2, n_case_limit}, "points of a range in a grid", Need::optional);
}

std::string Variable::at(double u) const {
  if (!values.empty())
    return values[std::min(values.size() - 1, static_cast<std::size_t>(u * static_cast<double>(values.size())))];
  const double x = scale == "log" ? low * math::exp(u * math::log(high / low)) : low + u * (high - low);
  return whole ? toml_value(static_cast<std::int64_t>(std::llround(x))) : toml_value(std::clamp(x, low, high));
}

bool Variable::is_text() const {
  double x = 0.0;
  return std::any_of(values.begin(), values.end(), [&](const std::string& v) { return !parse_number(v, x); });
}

std::vector<std::string> Variable::ends() const { return is_text() ? values : std::vector{at(0.0), at(1.0)}; }

void SweepSpec::fields(FieldVisitor& v) {
  v.text("scenario", scenario, "base scenario, in the sweep file's folder or below", Need::optional);
  v.choice("mode", mode, modes, "which cases to run: see docs/sweeps.md",
           mode.empty() ? Need::required : Need::optional);
  v.integer("n_case", n_case, {1, n_case_limit}, "points to sample", Need::optional);
  v.integer("seed", seed, {0, 9e15}, "seed of the sampling", Need::optional);
  v.flag("keep_results", keep_results, "keep each case's full result file", Need::optional);
  v.texts("outputs", outputs, "figures of the summary to keep; absent: all", Need::optional);
  v.texts("set", set, "overrides of every case, key=value", Need::optional);
}

SweepSpec read_sweep(const Node& root, const std::string& folder, const SweepOptions& options) {
  refuse_newer(root, 1);
  std::vector<Finding> findings;
  SweepSpec spec;
  TableReader r(root, "", findings);
  std::int64_t schema = 1;
  r.integer("schema", schema, {1, 1}, "version of the sweep format");
  spec.mode = options.mode;
  spec.fields(r);
  if (!options.mode.empty()) spec.mode = options.mode;
  each(r, "variable",
       [&](const Node& n, const std::string& path) { read_variable(n, path, spec.mode, spec, findings); });
  each(r, "case", [&](const Node& n, const std::string& path) { read_case(n, path, spec, findings); });
  r.finish();
  spec.scenario = scenario_path(spec, folder, options, root, findings);
  if (findings.empty()) check_mode(spec, root, findings);
  if (!findings.empty()) throw InputError(std::move(findings));
  spec.set.insert(spec.set.end(), options.load.set.begin(), options.load.set.end());
  return spec;
}

SweepSpec read_sweep(const std::string& path, const SweepOptions& options) {
  const Node root = parse_toml_file(path);
  const std::string folder = fs::path(path).parent_path().string();
  if (!root.find("run") && !root.find("hall") && !root.find("base"))
    return read_sweep(root, folder.empty() ? "." : folder, options);
  SweepSpec spec;  // a scenario: over all that it assumes
  spec.scenario = path;
  spec.mode = options.mode;
  spec.n_case = 256;
  spec.set = options.load.set;
  if (spec.mode.empty())
    throw InputError(Finding{
        {path, 0, 0},
        "",
        "this is a scenario, not a sweep: say --tornado or --monte-carlo, or write a sweep file (docs/sweeps.md)"});
  return spec;
}

}  // namespace TIDEWATT_NAMESPACE::study
