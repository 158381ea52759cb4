#include "summary_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "figure_text.hpp"
#include "sim/figure_list.hpp"
#include "summary_figures.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

/// Six digits, as a machine would read them.
std::string exact(const sim::Value& v) {
  if (const auto* d = std::get_if<double>(&v)) return fmt::format("{:.6g}", *d);
  if (const auto* i = std::get_if<std::int64_t>(&v)) return fmt::format("{}", *i);
  if (const auto* s = std::get_if<std::string>(&v)) return *s;
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&v)) return fmt::format("{}", fmt::join(*whole, " "));
  std::string out;
  if (const auto* l = std::get_if<FigureList>(&v))
    for (const auto& [k, x] : *l) out += fmt::format("{}{} {:.6g}", out.empty() ? "" : ", ", k, x);
  return out;
}

void add_figures(std::string& out, const std::vector<std::pair<std::string, sim::Value>>& figures) {
  for (const auto& [key, value] : figures)
    if (!std::holds_alternative<std::monostate>(value)) out += fmt::format("{:<32} {}\n", key, exact(value));
}

}  // namespace

std::string summary_table(const sim::Result& result) {
  const Figures f(result);
  std::string out;
  for (const auto& topic : sim::figure_topics()) {
    std::string rows;
    for (const auto& figure : topic.figures) {
      const bool twice =
          std::string_view(figure.key) == "mfu_bf16_percent" && f.text("utilisation_precision") == "bf16";
      if (!figure.traits.in_tables || !f.has(figure.key) || twice) continue;
      const auto at = std::ranges::find(result.summary, figure.key, &std::pair<std::string, sim::Value>::first);
      rows += fmt::format("  {:<32} {}\n", figure.words, figure_text(figure.key, at->second));
    }
    if (!rows.empty()) out += fmt::format("{}{}\n{}", out.empty() ? "" : "\n", topic.heading, rows);
  }
  return out;
}

std::string summary_text(const sim::Result& result) { return summary_sentences(result) + "\n" + summary_table(result); }

std::string summary_all(const sim::Result& result) {
  std::string out = "Every figure\n";
  add_figures(out, result.summary);
  const Figures f(result);
  if (const auto file = f.provenance("weather_file"); !file.empty())
    out += fmt::format("{:<32} file {}, day {}, kind {}\n", "weather_from", file, f.provenance("weather_day"),
                       f.provenance("weather_kind"));
  if (result.jobs.size() > 1)
    for (const auto& job : result.jobs) {
      out += fmt::format("\njob {}\n", exact(job.front().second));
      add_figures(out, {job.begin() + 1, job.end()});
    }
  const std::string defaults = f.provenance("defaults");
  if (!defaults.empty()) out += "\nDefaults: left out by the scenario\n" + defaults;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::io
