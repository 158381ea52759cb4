#include "band.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <thread>

#include "base/parallel.hpp"
#include "catalog_in_use.hpp"
#include "catalog_variant.hpp"
#include "row_kind.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double z = 1.6448536269514722;           // 95 % of a normal distribution
constexpr double student_95 = 2.1318467863266495;  // of 4 degrees, 95 %
constexpr std::size_t n_replay = 16, least_sources = 3;

/// One replay: every entry with draws at draw i of it.
void write_draw(const VariantFolder& folder, std::size_t i) {
  const auto& catalog = catalog_in_use();
  for (const auto& [kind, name] : catalog.list()) {
    if (kind != "draws") continue;
    const Node draws = catalog.values(kind, name);
    const auto& entry = std::get<std::string>(draws.find("entry")->value);
    std::string text = catalog.text("gpu", entry);
    for (const auto& [key, list] : std::get<Node::Table>(draws.find("values")->value)) {
      const auto& values = std::get<Node::Array>(list.value);
      const Node& at = values[i * values.size() / n_replay];
      const double x = std::holds_alternative<double>(at.value) ? std::get<double>(at.value)
                                                                : static_cast<double>(std::get<std::int64_t>(at.value));
      text = with_value(text, key, [x](double) { return x; });
    }
    folder.add("gpu", entry, text);
  }
}

double deviation(const std::vector<double>& x) {
  if (x.size() < 2) return 0.0;
  double mean = 0.0, sum = 0.0;
  for (const double v : x) mean += v / static_cast<double>(x.size());
  for (const double v : x) sum += (v - mean) * (v - mean);
  return std::sqrt(sum / static_cast<double>(x.size() - 1));
}

}  // namespace

NamedError named_error(const std::vector<LedgerLine>& lines, const ErrorClass& of, std::string_view source) {
  const auto errors = sized_errors(lines, source);
  NamedError out;
  std::set<std::string_view> sources, same;
  for (const auto& line : lines) {
    if (line.absolute || line.source == source || !is_blind(line)) continue;
    sources.insert(line.source);
    if (error_class(line.row, line.tolerance, false).features == of.features) same.insert(line.source);
  }
  out.n_source = sources.size(), out.n_same = same.size();
  if (out.n_source < least_sources) return {};
  const ErrorModel model = error_model(errors);
  out.spread = spread_of(model, of.features), out.centre = centre_of(model, of.features);
  out.whose = fmt::format("{}, {}", of.area, of.name);
  return out;
}

double half_width(const NamedError& model) { return student_95 * model.spread; }

std::map<std::string, double> draw_spread(const std::vector<Row>& rows, const NamedGroup& group,
                                          const Context& context) {
  std::map<std::string, const Row*> nominal;
  for (const Row& r : rows) nominal[r.id] = &r;
  std::map<std::string, std::vector<double>> drawn;
  Context these = context;
  for (const Row& r : rows) these.only.insert(r.id);
  std::vector<std::vector<Row>> replayed(n_replay);
  const auto replay = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const VariantFolder folder;
      write_draw(folder, i);
      const CatalogInUse use(folder.path());
      replayed[i] = group.rows(these);
    }
  };
  parallel_ranges(n_replay, std::max(1u, std::thread::hardware_concurrency()), replay, 1);
  for (const auto& again : replayed)
    for (const Row& r : again) {
      const auto at = nominal.find(r.id);
      if (at == nominal.end() || r.verdict == Verdict::skipped) continue;
      const double x = r.absolute ? r.got : std::log(r.got / at->second->got);
      if (std::isfinite(x)) drawn[r.id].push_back(x);
    }
  std::map<std::string, double> out;
  for (const auto& [id, x] : drawn) out[id] = deviation(x);
  return out;
}

void add_bands(std::vector<Row>& rows, const NamedGroup& group, const Context& context) {
  const auto blind = [](const Row& r) { return kind_of(r.id) == Kind::blind && r.verdict != Verdict::skipped; };
  std::vector<Row> blind_rows;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(blind_rows), blind);
  if (blind_rows.empty()) return;
  const auto spread = draw_spread(blind_rows, group, context);
  for (Row& r : rows) {
    if (!blind(r)) continue;
    if (r.absolute) continue;  // no other row has an error in its unit
    const NamedError model = named_error(ledger(), error_class(r.id, r.tolerance, r.absolute), r.source);
    if (model.n_source == 0) continue;
    const auto at = spread.find(r.id);
    const double draws = at == spread.end() ? 0.0 : at->second;
    const double half = std::hypot(half_width(model), z * draws);
    const double centre = sign_of(r.unit) * model.centre;
    r.p05 = r.got * std::exp(-centre - half), r.p95 = r.got * std::exp(-centre + half);
    r.note += fmt::format(
        "{}band: model error of {:+.1f} % with a spread of {:.2g} % by {} other sources, {} of them "
        "alike ({}), draws {}",
        r.note.empty() ? "" : "; ", 100.0 * centre, 100.0 * model.spread, model.n_source, model.n_same, model.whose,
        draws > 0.0 ? fmt::format("{:.2g} %", 100.0 * draws) : "none");
  }
}

}  // namespace TIDEWATT_NAMESPACE::validate
