#include "band.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catalog_in_use.hpp"
#include "catalog_variant.hpp"
#include "declared_key.hpp"
#include "evidence_runs.hpp"
#include "row_kind.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr std::size_t least_sources = 3;
constexpr double area_weight = 3.0;       // sources for which an area's mean counts beside its class
constexpr double wide_tolerance = 0.1;    // above it the plan is not fully published, see bands.toml
constexpr double z = 1.6448536269514722;  // 95 % of a normal distribution
constexpr std::size_t n_replay = 16;

std::string area_of(std::string_view row) {
  const DeclaredKey* declared = declared_key(declared_keys(), row);
  return declared != nullptr ? declared->area : "";
}

bool is_software_of_the_fits(std::string_view row) {
  static const Node file = evidence_file("bands.toml");
  const auto& prefixes = std::get<Node::Array>(member(file, "software_of_the_fits").value);
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const Node& p) { return is_below(std::get<std::string>(p.value), row); });
}

/// Mean over sources of the mean size of each source's errors.
struct MeanSize {
  double mean = 0.0;
  std::size_t n_source = 0;
};
MeanSize mean_size(const std::vector<const LedgerLine*>& lines) {
  std::map<std::string, std::pair<double, double>> sums;
  for (const LedgerLine* line : lines) {
    auto& [sum, n] = sums[line->source];
    sum += std::abs(line->absolute ? line->error : std::log1p(std::max(line->error, -0.99))), n += 1.0;
  }
  MeanSize out;
  for (const auto& [source, s] : sums) out.mean += s.first / s.second / static_cast<double>(sums.size());
  out.n_source = sums.size();
  return out;
}

struct Wanted {
  std::string_view area, source, unit;
};

/// First lines of other sources that compare with a measurement.
std::vector<const LedgerLine*> others(const std::vector<LedgerLine>& lines, const Wanted& w, bool any_area,
                                      bool blind_only) {
  std::vector<const LedgerLine*> out;
  for (const auto& line : lines) {
    const bool kind = line.kind == "blind" || (!blind_only && line.kind == "seen");
    const bool same_unit = line.absolute ? line.unit == w.unit : w.unit.empty();
    if (!kind || !same_unit || line.source == w.source || first_line(lines, line.row) != &line) continue;
    if (any_area || area_of(line.row) == w.area) out.push_back(&line);
  }
  return out;
}

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

ErrorClass error_class(std::string_view row, double tolerance, bool absolute) {
  const char* name = absolute                       ? "tolerance in its unit"
                     : tolerance > wide_tolerance   ? "tolerance above 10 %"
                     : is_software_of_the_fits(row) ? "software of the fits"
                                                    : "tolerance up to 10 %";
  return {area_of(row), name};
}

NamedError named_error(const std::vector<LedgerLine>& lines, const ErrorClass& of, std::string_view source,
                       std::string_view unit) {
  for (const bool any_area : {false, true})
    for (const bool blind_only : {true, false}) {
      const auto all = others(lines, {of.area, source, unit}, any_area, blind_only);
      const MeanSize area = mean_size(all);
      if (area.n_source < least_sources) continue;
      auto same = all;
      std::erase_if(
          same, [&](const LedgerLine* l) { return error_class(l->row, l->tolerance, l->absolute).name != of.name; });
      const MeanSize own = mean_size(same);
      const double n = static_cast<double>(own.n_source), n_counted = n + area_weight;
      return {(n * own.mean + area_weight * area.mean) / n_counted, own.n_source, n_counted,
              fmt::format("{}, {}", any_area ? "all areas" : of.area, of.name)};
    }
  return {};
}

double half_width(const NamedError& model) {
  return model.scale * model.n_counted * (std::pow(10.0, 1.0 / model.n_counted) - 1.0);
}

std::map<std::string, double> draw_spread(const std::vector<Row>& rows, const NamedGroup& group,
                                          const Context& context) {
  std::map<std::string, const Row*> nominal;
  for (const Row& r : rows) nominal[r.id] = &r;
  std::map<std::string, std::vector<double>> drawn;
  for (std::size_t i = 0; i < n_replay; ++i) {
    const VariantFolder folder;
    write_draw(folder, i);
    const CatalogInUse use(folder.path());
    for (const Row& r : group.rows(context)) {
      const auto at = nominal.find(r.id);
      if (at == nominal.end() || r.verdict == Verdict::skipped) continue;
      const double x = r.absolute ? r.got : std::log(r.got / at->second->got);
      if (std::isfinite(x)) drawn[r.id].push_back(x);
    }
  }
  std::map<std::string, double> out;
  for (const auto& [id, x] : drawn) out[id] = deviation(x);
  return out;
}

void add_bands(std::vector<Row>& rows, const NamedGroup& group, const Context& context) {
  const auto blind = [](const Row& r) { return kind_of(r.id) == Kind::blind && r.verdict != Verdict::skipped; };
  if (std::none_of(rows.begin(), rows.end(), blind)) return;
  const auto spread = draw_spread(rows, group, context);
  for (Row& r : rows) {
    if (!blind(r)) continue;
    const NamedError model =
        named_error(ledger(), error_class(r.id, r.tolerance, r.absolute), r.source, r.absolute ? r.unit : "");
    if (model.n_counted == 0.0) continue;
    const auto at = spread.find(r.id);
    const double draws = at == spread.end() ? 0.0 : at->second;
    const double half = std::hypot(half_width(model), z * draws);
    r.p05 = r.absolute ? r.got - half : r.got * std::exp(-half);
    r.p95 = r.absolute ? r.got + half : r.got * std::exp(half);
    const double scale = r.absolute ? 1.0 : 100.0;
    const std::string unit = r.absolute ? r.unit : "%";
    r.note += fmt::format("{}band: model error of {:.2g} {} in the mean by {} other sources ({}), draws {}",
                          r.note.empty() ? "" : "; ", scale * model.scale, unit, model.n_source, model.whose,
                          draws > 0.0 ? fmt::format("{:.2g} {}", scale * draws, unit) : "none");
  }
}

}  // namespace TIDEWATT_NAMESPACE::validate
