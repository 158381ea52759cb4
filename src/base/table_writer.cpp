#include "table_writer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "text.hpp"
#include "units.hpp"

namespace TIDEWATT_NAMESPACE {
namespace {

/// A whole number without a decimal point, as people write it.
Node number_node(double x) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (x == std::floor(x) && std::abs(x) < exact) return {static_cast<std::int64_t>(x), {}};
  return {x, {}};
}

}  // namespace

double edge_value(std::string_view key, double si) {
  const auto unit = unit_of_key(key);
  if (!unit || !std::isfinite(si)) return si;
  const double edge = (si - unit->offset) / unit->scale;
  for (const int digits : {15, 16, 17}) {
    double x = 0.0;
    if (parse_number(fmt::format("{:.{}g}", edge, digits), x) && x * unit->scale + unit->offset == si) return x;
  }
  return edge;
}

void TableWriter::number(std::string_view key, double& si, Range, std::string_view, Need) {
  out.set(key, number_node(edge_value(key, si)));
}
void TableWriter::integer(std::string_view key, std::int64_t& value, Range, std::string_view, Need) {
  out.set(key, {value, {}});
}
void TableWriter::flag(std::string_view key, bool& value, std::string_view, Need) { out.set(key, {value, {}}); }
void TableWriter::text(std::string_view key, std::string& value, std::string_view, Need) { out.set(key, {value, {}}); }
void TableWriter::choice(std::string_view key, std::string& value, std::span<const std::string_view>, std::string_view,
                         Need) {
  out.set(key, {value, {}});
}

void TableWriter::numbers(std::string_view key, std::vector<double>& si, Range, std::string_view, Need) {
  Node::Array items;
  for (const double x : si) items.push_back(number_node(edge_value(key, x)));
  out.set(key, {std::move(items), {}});
}

void TableWriter::texts(std::string_view key, std::vector<std::string>& values, std::string_view, Need) {
  Node::Array items;
  for (const auto& v : values) items.push_back({v, {}});
  out.set(key, {std::move(items), {}});
}

}  // namespace TIDEWATT_NAMESPACE
