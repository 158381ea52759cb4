// X rows: psychrometrics, liquids, weather, machines, indices, spectra, heat against independent packages.
#include "references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evidence_runs.hpp"
#include "groups.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::validate {

References::References() : root_(evidence_file("references.toml")) {}

std::vector<Node> References::cases(const std::string& list) const {
  auto out = listed(root_, list);
  if (out.empty()) throw InputError(fmt::format("references.toml has no '{}'", list));
  return out;
}

std::string References::version(const std::string& package) const {
  return fmt::format("{} {}", package, text_of(member(root_, "versions"), package));
}

void WorstCase::add(double expected, double got, const std::string& at) { cases_.push_back({expected, got, at}); }

Row WorstCase::row(const std::string& id, const std::string& what, const std::string& unit, double tolerance,
                   bool absolute, const std::string& source) const {
  const auto distance = [&](const Case& c) {
    const double d = std::abs(c.got - c.expected);
    return std::isfinite(d) ? (absolute ? d : d / std::abs(c.expected)) : HUGE_VAL;
  };
  const Case& worst =
      *std::max_element(cases_.begin(), cases_.end(), [&](auto& a, auto& b) { return distance(a) < distance(b); });
  const std::string text = fmt::format("{}, the worst of {} cases: {}", what, cases_.size(), worst.at);
  return absolute ? within_absolute(id, text, unit, worst.expected, worst.got, tolerance, source)
                  : against(id, text, unit, worst.expected, worst.got, tolerance, source);
}

std::vector<Row> reference_rows(const Context& context) {
  const References r;
  std::vector<Row> rows;
  air_reference_rows(r, rows);
  liquid_reference_rows(r, rows);
  weather_reference_rows(r, context, rows);
  index_reference_rows(r, rows);
  spectrum_reference_rows(r, rows);
  heat_reference_rows(r, rows);
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::validate
