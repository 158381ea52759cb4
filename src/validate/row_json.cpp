#include "row_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "band.hpp"
#include "base/text.hpp"
#include "declared_key.hpp"
#include "row_kind.hpp"
#include "source_key.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

nlohmann::ordered_json object(const Row& r, const std::vector<LedgerLine>& lines) {
  nlohmann::ordered_json j;
  const bool known = r.verdict != Verdict::skipped;
  const auto number = [&](double x) {
    return known && std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json();
  };
  j["id"] = r.id;
  j["what"] = r.what;
  j["unit"] = r.unit;
  if (r.expected_low == r.expected_high)
    j["expected"] = number(r.expected_low);
  else
    j["expected"] = {r.expected_low, r.expected_high};
  j["got"] = number(r.got);
  j["error"] = number(r.error);
  j["tolerance"] = number(r.tolerance);
  j["tolerance_unit"] = r.absolute ? r.unit : "fraction";
  j["pass"] = known ? nlohmann::ordered_json(r.verdict != Verdict::fail) : nlohmann::ordered_json();
  j["verdict"] = name(r.verdict);
  j["kind"] = name(kind_of(r.id));
  j["source"] = r.source;
  const DeclaredKey* declared = declared_key(declared_keys(), r.id);
  j["area"] = declared != nullptr ? declared->area : "";
  j["device"] = declared != nullptr ? device_of(*declared) : "";
  if (r.verdict == Verdict::fail) j["mend"] = mend_of(r.id);
  if (kind_of(r.id) == Kind::blind) {
    const LedgerLine* line = first_line(lines, r.id);
    j["first_error"] = line != nullptr ? nlohmann::ordered_json(line->error) : nlohmann::ordered_json();
    j["first_commit"] = line != nullptr ? nlohmann::ordered_json(line->commit) : nlohmann::ordered_json();
    const LedgerLine* latest = band_line(lines, r.id);
    j["band_error"] = latest != nullptr ? nlohmann::ordered_json(latest->error) : nlohmann::ordered_json();
    j["p05"] = number(r.p05);
    j["p95"] = number(r.p95);
    const ErrorClass of = error_class(r.id, r.tolerance, r.absolute);
    j["band_class"] = fmt::format("{}, {}", of.area, of.name);
  }
  j["note"] = r.note;
  return j;
}

/// Of a sorted list, between its two nearest members; null for an empty one.
nlohmann::ordered_json quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return {};
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto i = static_cast<std::size_t>(at);
  const double next = sorted[std::min(i + 1, sorted.size() - 1)];
  return sorted[i] + (at - static_cast<double>(i)) * (next - sorted[i]);
}

/// The figures of the headline: of blind rows with data. Errors are those of the first computation.
nlohmann::ordered_json blind_object(const std::vector<Row>& rows, const std::vector<LedgerLine>& lines) {
  std::set<std::string> sources;
  std::vector<double> first, now;
  std::int64_t count = 0, outside_tolerance = 0, outside_band = 0, without_band = 0;
  for (const auto& r : rows) {
    if (kind_of(r.id) != Kind::blind || r.verdict == Verdict::skipped) continue;
    ++count;
    sources.insert(r.source);
    const LedgerLine* line = first_line(lines, r.id);
    const double error = line != nullptr ? line->error : r.error;
    if (!r.absolute) first.push_back(std::abs(error)), now.push_back(std::abs(r.error));
    if (!(std::abs(error) <= r.tolerance)) ++outside_tolerance;
    if (std::isnan(r.p05))
      ++without_band;
    else if (r.expected_high < r.p05 || r.expected_low > r.p95)
      ++outside_band;
  }
  std::sort(first.begin(), first.end());
  std::sort(now.begin(), now.end());
  return {{"count", count},
          {"sources", sources.size()},
          {"median_error", quantile(first, 0.5)},
          {"p90_error", quantile(first, 0.9)},
          {"median_error_now", quantile(now, 0.5)},
          {"p90_error_now", quantile(now, 0.9)},
          {"outside_tolerance", outside_tolerance},
          {"outside_band", outside_band},
          {"without_band", without_band}};
}

}  // namespace

std::vector<NamedGroup> chosen_groups(const std::vector<std::string>& names) {
  const auto all = groups();
  std::vector<std::string> known;
  known.reserve(all.size());
  for (const auto& g : all) known.emplace_back(g.name);
  for (const auto& wanted : names)
    if (std::find(known.begin(), known.end(), wanted) == known.end()) {
      const auto close = nearest(wanted, known);
      throw InputError(fmt::format("no group of validation rows '{}'{}; there are {}", wanted,
                                   close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close),
                                   fmt::join(known, ", ")));
    }
  std::vector<NamedGroup> out;
  for (const auto& g : all)
    if (names.empty() || std::find(names.begin(), names.end(), g.name) != names.end()) out.push_back(g);
  return out;
}

std::vector<Row> computed_rows(const std::vector<NamedGroup>& groups, const Context& context) {
  std::vector<Row> out;
  for (const auto& group : groups) {
    auto rows = group.rows(context);
    for (Row& r : rows) r.source = source_key(r.source);
    add_bands(rows, group, context);
    out.insert(out.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
  }
  return out;
}

std::string rows_json(const std::vector<Row>& rows, const std::vector<LedgerLine>& lines) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& r : rows) list.push_back(object(r, lines));
  return nlohmann::ordered_json{{"rows", list}, {"blind", blind_object(rows, lines)}}.dump(2);
}

}  // namespace TIDEWATT_NAMESPACE::validate
