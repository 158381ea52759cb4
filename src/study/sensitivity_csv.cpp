// The analyses of a sweep's table as CSV.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/escape.hpp"
#include "sensitivity.hpp"
#include "toml_value.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

std::string cell(double x) {
  if (!std::isfinite(x)) return "";
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x);
  return {buffer.data(), end.ptr};
}

template <class... Cells>
std::string line(const std::string& head, Cells... cells) {
  std::string out = head;
  ((out += "," + cell(cells)), ...);
  return out + "\r\n";
}

/// Columns of numbers after the varied ones that are not the same in every row.
std::vector<std::string> outputs_of(const SweepSpec& spec, const SweepTable& table) {
  std::vector<std::string> out;
  for (std::size_t c = spec.variables.size() + 3; c < table.columns.size(); ++c) {
    if (std::holds_alternative<std::vector<std::string>>(table.columns[c].values)) continue;
    const auto f = table.numbers(table.columns[c].name);
    if (quantile(f, 0.0) < quantile(f, 1.0)) out.push_back(table.columns[c].name);
  }
  return out;
}

std::string index_rows(const SweepSpec& spec, const SweepTable& table) {
  std::string out = "output,variable,first,first_low,first_high,total,total_low,total_high\r\n";
  for (const auto& name : outputs_of(spec, table)) {
    const auto f = table.numbers(name);
    const auto indices = sobol_indices(f, spec.variables.size(), static_cast<std::uint64_t>(spec.seed));
    for (std::size_t d = 0; d < indices.size(); ++d)
      out += line(csv_cell(name) + "," + csv_cell(spec.variables[d].name), indices[d].first, indices[d].first_low,
                  indices[d].first_high, indices[d].total, indices[d].total_low, indices[d].total_high);
  }
  return out;
}

std::string tornado_rows(const SweepSpec& spec, const SweepTable& table) {
  std::string out = "output,variable,low,high,at_low,at_base,at_high,swing\r\n";
  for (const auto& name : outputs_of(spec, table)) {
    const auto f = table.numbers(name);
    std::vector<std::pair<double, std::string>> bars;
    for (std::size_t d = 0; d < spec.variables.size(); ++d) {
      const auto& v = spec.variables[d];
      const double low = f[2 * d + 1], high = f[2 * d + 2],
                   swing = std::max({low, f[0], high}) - std::min({low, f[0], high});
      bars.emplace_back(std::isnan(swing) ? -1.0 : swing,
                        fmt::format("{},{},{},{}", csv_cell(name), csv_cell(v.name), csv_cell(text_of(v.at(0.0))),
                                    csv_cell(text_of(v.at(1.0)))) +
                            line("", low, f[0], high, swing));
    }
    std::stable_sort(bars.begin(), bars.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [swing, text] : bars) out += text;
  }
  return out;
}

std::string interval_rows(const SweepSpec& spec, const SweepTable& table) {
  std::string out = "output,n,mean,sd,q05,q25,q50,q75,q95,most_related_variable,rank_correlation\r\n";
  for (const auto& name : outputs_of(spec, table)) {
    const auto f = table.numbers(name);
    double n = 0.0, mean = 0.0, square = 0.0, best = 0.0;
    for (const double x : f)
      if (!std::isnan(x)) n += 1.0, mean += x;
    mean /= n;
    for (const double x : f)
      if (!std::isnan(x)) square += (x - mean) * (x - mean);
    std::string most;
    for (const auto& v : spec.variables) {
      const auto* c = table.find(v.name);
      if (!c || std::holds_alternative<std::vector<std::string>>(c->values)) continue;
      const double r = rank_correlation(table.numbers(v.name), f);
      if (std::abs(r) > std::abs(best)) best = r, most = v.name;
    }
    out += line(csv_cell(name), n, mean, std::sqrt(square / (n - 1.0)), quantile(f, 0.05), quantile(f, 0.25),
                quantile(f, 0.5), quantile(f, 0.75), quantile(f, 0.95));
    out.resize(out.size() - 2);
    out += "," + csv_cell(most) + line("", most.empty() ? std::numeric_limits<double>::quiet_NaN() : best);
  }
  return out;
}

}  // namespace

std::string analyse(const SweepSpec& spec, const SweepTable& table) {
  if (spec.mode == "sobol_indices") return index_rows(spec, table);
  if (spec.mode == "tornado") return tornado_rows(spec, table);
  if (spec.mode == "monte_carlo") return interval_rows(spec, table);
  return {};
}

}  // namespace TIDEWATT_NAMESPACE::study
