// The analyses of a sweep's table as CSV.
#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// The number of varied columns: those before case, status and error.
std::size_t n_varied(const SweepTable& table) {
  std::size_t n = 0;
  while (n + 1 < table.columns.size() && (table.columns[n].name != "case" || table.columns[n + 1].name != "status"))
    ++n;
  return n;
}

/// Columns of numbers after the varied ones that are not the same in every row.
std::vector<std::string> outputs_of(const SweepTable& table) {
  std::vector<std::string> out;
  for (std::size_t c = n_varied(table) + 3; c < table.columns.size(); ++c) {
    if (std::holds_alternative<std::vector<std::string>>(table.columns[c].values)) continue;
    const auto f = table.numbers(table.columns[c].name);
    if (quantile(f, 0.0) < quantile(f, 1.0)) out.push_back(table.columns[c].name);
  }
  return out;
}

const std::vector<std::string>& texts_of(const SweepTable& table, const char* name) {
  return std::get<std::vector<std::string>>(table.find(name)->values);
}

bool is_failed(const SweepTable& table, std::size_t i) { return texts_of(table, "status")[i] == "failed"; }

std::string index_rows(const SweepSpec& spec, const SweepTable& table) {
  std::string out = "output,variable,first,first_low,first_high,total,total_low,total_high\r\n";
  for (const auto& name : outputs_of(table)) {
    const auto f = table.numbers(name);
    const auto indices = sobol_indices(f, spec.variables.size(), static_cast<std::uint64_t>(spec.seed));
    for (std::size_t d = 0; d < indices.size(); ++d)
      out += line(csv_cell(name) + "," + csv_cell(spec.variables[d].name), indices[d].first, indices[d].first_low,
                  indices[d].first_high, indices[d].total, indices[d].total_low, indices[d].total_high);
  }
  return out;
}

/// One variable's cases of a tornado.
struct Bar {
  std::size_t first = 0;            ///< number of its first case
  std::vector<std::string> values;  ///< of its cases, as TOML text
  std::size_t low = 0, high = 0;    ///< which of them are its ends
};

/// The bars of all variables for one output `f`: a range's ends are its own, those of texts the lowest and the highest output.
std::vector<Bar> bars_of(const SweepSpec& spec, const std::vector<double>& f) {
  std::vector<Bar> out;
  std::size_t first = 1;  // behind the base
  for (const auto& v : spec.variables) {
    Bar bar{first, v.ends(), 0, 0};
    first += bar.values.size();
    bar.high = bar.values.size() - 1;
    const auto at = [&](std::size_t k) { return f[bar.first + k]; };
    for (std::size_t k = 0; v.is_text() && k < bar.values.size(); ++k) {
      if (std::isnan(at(bar.low)) || at(k) < at(bar.low)) bar.low = k;
      if (std::isnan(at(bar.high)) || at(k) > at(bar.high)) bar.high = k;
    }
    out.push_back(std::move(bar));
  }
  return out;
}

/// What a value is called where its case failed.
std::string end_name(const Variable& v, std::size_t k, const std::string& value) {
  return v.is_text() ? text_of(value) : k == 0 ? "low" : "high";
}

std::string tornado_rows(const SweepSpec& spec, const SweepTable& table) {
  std::string out = "output,variable,low,high,at_low,at_base,at_high,swing,failed\r\n";
  for (const auto& name : outputs_of(table)) {
    const auto f = table.numbers(name);
    const auto all = bars_of(spec, f);
    std::vector<std::pair<double, std::string>> bars;
    for (std::size_t d = 0; d < all.size(); ++d) {
      const auto& [first, values, at_low, at_high] = all[d];
      const double low = f[first + at_low], high = f[first + at_high],
                   swing = std::fmax(std::fmax(low, f[0]), high) - std::fmin(std::fmin(low, f[0]), high);
      std::vector<std::string> failed;
      for (std::size_t k = 0; k < values.size(); ++k)
        if (is_failed(table, first + k)) failed.push_back(end_name(spec.variables[d], k, values[k]));
      auto text = fmt::format("{},{},{},{}", csv_cell(name), csv_cell(spec.variables[d].name),
                              csv_cell(text_of(values[at_low])), csv_cell(text_of(values[at_high]))) +
                  line("", low, f[0], high, swing);
      text.insert(text.size() - 2, "," + csv_cell(fmt::format("{}", fmt::join(failed, " "))));
      bars.emplace_back(std::isnan(swing) ? -1.0 : swing, std::move(text));
    }
    std::stable_sort(bars.begin(), bars.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [swing, text] : bars) out += text;
  }
  return out;
}

/// How closely an output follows a varied column: rank correlation, or the correlation ratio of texts.
double relation(const Column& column, const SweepTable& table, const std::vector<double>& f) {
  const auto* texts = std::get_if<std::vector<std::string>>(&column.values);
  return texts != nullptr ? correlation_ratio(*texts, f) : rank_correlation(table.numbers(column.name), f);
}

std::string interval_rows(const SweepTable& table) {
  std::string out = "output,n,mean,sd,q05,q25,q50,q75,q95,most_related_variable,rank_correlation\r\n";
  for (const auto& name : outputs_of(table)) {
    const auto f = table.numbers(name);
    double n = 0.0, mean = 0.0, square = 0.0, best = 0.0;
    for (const double x : f)
      if (!std::isnan(x)) n += 1.0, mean += x;
    mean /= n;
    for (const double x : f)
      if (!std::isnan(x)) square += (x - mean) * (x - mean);
    std::string most;
    for (std::size_t c = 0; c < n_varied(table); ++c) {
      if (table.columns[c].name == seed_key) continue;  // a seed has no order, and each case its own
      const double r = relation(table.columns[c], table, f);
      if (std::abs(r) > std::abs(best)) best = r, most = table.columns[c].name;
    }
    out += line(csv_cell(name), n, mean, std::sqrt(square / (n - 1.0)), quantile(f, 0.05), quantile(f, 0.25),
                quantile(f, 0.5), quantile(f, 0.75), quantile(f, 0.95));
    out.resize(out.size() - 2);
    out += "," + csv_cell(most) + line("", most.empty() ? std::numeric_limits<double>::quiet_NaN() : best);
  }
  return out;
}

}  // namespace

std::string refused_analysis(const SweepSpec& spec, const SweepTable& table) {
  if (spec.mode != "sobol_indices" && spec.mode != "monte_carlo") return {};
  constexpr std::size_t most_reasons = 3;
  std::size_t n_failed = 0;
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < table.n_row; ++i) {
    if (!is_failed(table, i)) continue;
    ++n_failed;
    if (reasons.size() < most_reasons) reasons.push_back(fmt::format("case {}: {}", i, texts_of(table, "error")[i]));
  }
  if (static_cast<double>(n_failed) <= most_failed_frac * static_cast<double>(table.n_row)) return {};
  return fmt::format(
      "no analysis: {} of {} cases failed, more than {:g} %, and what is left would be biased; narrow the ranges\n  {}",
      n_failed, table.n_row, 100.0 * most_failed_frac, fmt::join(reasons, "\n  "));
}

std::vector<std::string> failed_ends(const SweepSpec& spec, const SweepTable& table) {
  std::vector<std::string> out;
  if (spec.mode != "tornado") return out;
  std::size_t i = 1;  // behind the base
  for (const auto& v : spec.variables) {
    const auto values = v.ends();
    for (std::size_t k = 0; k < values.size(); ++k, ++i) {
      if (!is_failed(table, i)) continue;
      const std::string which = v.is_text() ? "" : fmt::format(" ({})", end_name(v, k, values[k]));
      out.push_back(fmt::format("{} = {}{}: {}", v.name, text_of(values[k]), which, texts_of(table, "error")[i]));
    }
  }
  return out;
}

std::string analyse(const SweepSpec& spec, const SweepTable& table) {
  if (spec.mode == "sobol_indices") return index_rows(spec, table);
  if (spec.mode == "tornado") return tornado_rows(spec, table);
  if (spec.mode == "monte_carlo") return interval_rows(table);
  return {};
}

}  // namespace TIDEWATT_NAMESPACE::study
