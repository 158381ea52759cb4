#include "case_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.hpp"
#include "sampling.hpp"
#include "tidewatt/base/error.hpp"
#include "toml_value.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr std::size_t n_case_limit = 1'000'000;

void add_points(CaseList& list, const std::vector<Variable>& variables, const UnitPoints& points) {
  for (const auto& point : points) {
    auto& row = list.values.emplace_back();
    for (std::size_t d = 0; d < variables.size(); ++d) row.push_back(variables[d].at(point[d]));
  }
}

/// The middle of slice j of n, except that a range's first and last grid points are its ends.
double grid_place(const Variable& v, std::size_t j, std::size_t n) {
  if (!v.values.empty()) return (static_cast<double>(j) + 0.5) / static_cast<double>(n);
  return static_cast<double>(j) / static_cast<double>(n - 1);
}

void add_grid(CaseList& list, const std::vector<Variable>& variables) {
  std::vector<std::size_t> counts;
  counts.reserve(variables.size());
  for (const auto& v : variables)
    counts.push_back(v.values.empty() ? static_cast<std::size_t>(v.n_point) : v.values.size());
  for (const auto& index : full_grid(counts)) {
    auto& row = list.values.emplace_back();
    for (std::size_t d = 0; d < variables.size(); ++d)
      row.push_back(variables[d].at(grid_place(variables[d], index[d], counts[d])));
  }
}

void add_zipped(CaseList& list, const std::vector<Variable>& variables) {
  for (const auto& v : variables)
    if (v.values.size() != variables.front().values.size())
      throw InputError(fmt::format("mode list takes the variables' values in step: '{}' has {}, '{}' has {}",
                                   variables.front().name, variables.front().values.size(), v.name, v.values.size()));
  for (std::size_t i = 0; i < variables.front().values.size(); ++i) {
    auto& row = list.values.emplace_back();
    for (const auto& v : variables) row.push_back(v.values[i]);
  }
}

void add_written(CaseList& list, const std::vector<std::vector<std::string>>& cases) {
  const auto column = [&](const std::string& key) {
    const auto at = std::find(list.names.begin(), list.names.end(), key);
    if (at != list.names.end()) return static_cast<std::size_t>(at - list.names.begin());
    list.names.push_back(key);
    list.keys.push_back({key});
    return list.names.size() - 1;
  };
  for (const auto& set : cases)
    for (const auto& item : set) column(item.substr(0, item.find('=')));
  for (const auto& set : cases) {
    auto& row = list.values.emplace_back(list.names.size());
    for (const auto& item : set) row[column(item.substr(0, item.find('=')))] = item.substr(item.find('=') + 1);
  }
}

/// The base case, then every variable at its low and at its high end, or at each of its words.
void add_tornado(CaseList& list, const std::vector<Variable>& variables) {
  list.values.emplace_back(variables.size());
  for (std::size_t d = 0; d < variables.size(); ++d)
    for (auto& value : variables[d].ends()) list.values.emplace_back(variables.size())[d] = std::move(value);
}

double place_of(const std::string& word, const catalog::AssumedInput& input) {
  const auto at = std::find(input.words.begin(), input.words.end(), word);
  if (at == input.words.end()) throw InputError(fmt::format("{}: '{}' is none of its words", input.key, word));
  return input.values[static_cast<std::size_t>(at - input.words.begin())];
}

/// Sorting keeps the order of equal cases: the first of each run is the first of the sweep.
void find_equal(CaseList& list) {
  std::vector<std::size_t> order(list.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return list.values[a] < list.values[b]; });
  list.same_as.resize(list.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool again = k > 0 && list.values[order[k]] == list.values[order[k - 1]];
    list.same_as[order[k]] = again ? list.same_as[order[k - 1]] : order[k];
  }
}

}  // namespace

std::vector<std::string> CaseList::assignments(std::size_t i) const {
  std::vector<std::string> out;
  for (std::size_t d = 0; d < keys.size(); ++d)
    for (const auto& key : keys[d])
      if (!values[i][d].empty()) out.push_back(key + "=" + values[i][d]);
  return out;
}

std::map<std::string, double> CaseList::numbers(std::size_t i) const {
  std::map<std::string, double> out;
  for (std::size_t d = 0; d < keys.size(); ++d) {
    double x = 0.0;
    if (const auto input = words.find(names[d]); input != words.end())
      x = place_of(text_of(values[i][d]), input->second);
    else if (!parse_number(values[i][d], x))
      throw InputError(fmt::format("case {}: {} = {} is no number", i, names[d], values[i][d]));
    for (const auto& key : keys[d]) out[key] = x;
  }
  return out;
}

std::int64_t case_seed(std::int64_t run_seed, std::int64_t sweep_seed, std::size_t i) {
  constexpr std::int64_t most_blocks = 1'000'000, seed_limit = 9'000'000'000'000'000;
  const std::int64_t block = (sweep_seed + most_blocks - 1) % most_blocks;
  return (run_seed + static_cast<std::int64_t>(i) + block * static_cast<std::int64_t>(n_case_limit)) % seed_limit;
}

CaseList list_cases(const SweepSpec& spec, std::optional<std::int64_t> run_seed) {
  CaseList list;
  const auto& variables = spec.variables;
  for (const auto& v : variables) {
    list.names.push_back(v.name);
    list.keys.push_back(v.keys);
  }
  const auto n = static_cast<std::size_t>(spec.n_case), k = variables.size();
  const auto seed = static_cast<std::uint64_t>(spec.seed);
  if (!spec.cases.empty())
    add_written(list, spec.cases);
  else if (k == 0)
    throw InputError("nothing is varied: add a [[variable]]");
  else if (spec.mode == "list")
    add_zipped(list, variables);
  else if (spec.mode == "grid")
    add_grid(list, variables);
  else if (spec.mode == "tornado")
    add_tornado(list, variables);
  else if (spec.mode == "sobol")
    add_points(list, variables, sobol_points(n, k, seed));
  else if (spec.mode == "sobol_indices") {
    if (n * (k + 2) > n_case_limit)
      throw InputError(fmt::format("sobol_indices of {} variables with n_case = {} needs {} cases, above {}", k, n,
                                   n * (k + 2), n_case_limit));
    add_points(list, variables, saltelli_design(n, k, seed));
  } else
    add_points(list, variables, latin_hypercube(n, k, seed));
  if (run_seed) {
    list.names.emplace_back(seed_key), list.keys.push_back({seed_key});
    for (std::size_t i = 0; i < list.size(); ++i)
      list.values[i].push_back(toml_value(case_seed(*run_seed, spec.seed, i)));
  }
  find_equal(list);
  return list;
}

std::vector<Variable> assumed_variables(const sim::Scenario& scenario, const Node& root, const std::string& folder,
                                        const sim::LoadOptions& options, std::vector<std::string>& left_out) {
  std::vector<Variable> out;
  const auto readable = [&](const Variable& v) {
    // Also between whole ends: a count refuses fractions.
    const bool whole_ends = v.low == std::floor(v.low) && v.high == std::floor(v.high);
    for (const double u : whole_ends ? std::vector{0.0, 1.0, 0.381966} : std::vector{0.0, 1.0}) {
      auto load = options;
      load.set.push_back(v.keys.front() + "=" + v.at(u));
      sim::read_scenario(root, folder, load);
    }
  };
  for (const auto& a : scenario.assumed) {
    if (!(a.low < a.high)) continue;  // assumed, but as a fact
    Variable v{a.key, {a.key}, {}, a.low, a.high, "linear", false, 0};
    for (const double x : a.values) v.values.push_back(a.words.empty() ? fmt::format("{}", x) : toml_value(a.text(x)));
    try {
      readable(v);
    } catch (const InputError&) {
      v.whole = true;  // a count?
      try {
        readable(v);
      } catch (const InputError& e) {
        left_out.push_back(
            fmt::format("{}: {}", a.key, e.findings().empty() ? e.what() : e.findings().front().message));
        continue;
      }
    }
    out.push_back(std::move(v));
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
