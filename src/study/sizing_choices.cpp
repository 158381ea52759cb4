#include <fmt/format.h>

#include "base/node_number.hpp"
#include "sizing.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/mitigation/gpu_smoothing.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double J_per_kWh = 3.6e6;

/// Ends of the assumed range of a value, or the value itself.
SizingChoices::Range range_of(double value, const std::vector<catalog::AssumedInput>& assumed, const std::string& key,
                              double unit) {
  SizingChoices::Range out{value, value, value};
  for (const auto& a : assumed)
    if (a.key == key) out.low = a.low * unit, out.high = a.high * unit;
  return out;
}

struct List {
  std::vector<std::string> words;
  std::vector<double> numbers;
};

List list_of(const Node& table, const char* key, std::vector<Finding>& findings) {
  List out;
  const Node* n = table.find(key);
  if (n == nullptr || !n->is_array()) {
    findings.push_back({table.place, key, "expected a list"});
    return out;
  }
  for (const auto& item : std::get<Node::Array>(n->value)) {
    if (const auto* s = std::get_if<std::string>(&item.value)) out.words.push_back(*s);
    if (const auto x = number_in(item)) out.numbers.push_back(*x);
  }
  return out;
}

double number_of(const Node& table, const char* key, std::vector<Finding>& findings) {
  const Node* n = table.find(key);
  if (n != nullptr)
    if (const auto x = number_in(*n)) return *x;
  findings.push_back({table.place, key, "expected a number"});
  return 0.0;
}

SizingChoices::Price price_of(const catalog::Catalog& catalog, const std::string& name,
                              std::vector<Finding>& findings) {
  std::vector<catalog::AssumedInput> assumed;
  const Node n = catalog.resolve(Node{name, {}}, "price", "price", findings, assumed);
  mitigation::PriceParams p;
  TableReader r(n, "price", findings);
  p.fields(r);
  r.finish();
  return {range_of(p.capital_USD_per_W, assumed, "price.capital_USD_per_kW", 1e-3),
          range_of(p.capital_USD_per_J, assumed, "price.capital_USD_per_kWh", 1.0 / J_per_kWh),
          range_of(p.operating_frac, assumed, "price.operating_frac", 1.0), p.years};
}

/// The smoothing that a portfolio names.
mitigation::GpuSmoothingParams profile_of(const catalog::Catalog& catalog, const std::string& name,
                                          std::vector<Finding>& findings) {
  std::vector<catalog::AssumedInput> assumed;
  mitigation::GpuSmoothingParams p;
  const Node n = catalog.resolve(Node{name, {}}, "gpu_smoothing", "portfolio.smoothing", findings, assumed);
  if (!findings.empty()) return p;
  TableReader r(n, "portfolio.smoothing", findings);
  p.fields(r);
  r.finish();
  return p;
}

}  // namespace

SizingChoices read_choices(const catalog::Catalog& catalog, const std::string& name) {
  std::vector<Finding> findings;
  std::vector<catalog::AssumedInput> assumed;
  const Node n = catalog.resolve(Node{name, {}}, "portfolio", "portfolio", findings, assumed);
  if (!findings.empty()) throw InputError(std::move(findings));
  SizingChoices out;
  const auto stores = list_of(n, "stores", findings), prices = list_of(n, "store_prices", findings);
  const auto shortest = list_of(n, "store_shortest_s", findings), longest = list_of(n, "store_longest_s", findings);
  const auto racks = list_of(n, "rack_stores", findings), per = list_of(n, "rack_per", findings),
             cost = list_of(n, "rack_USD_per_kW", findings);
  const std::size_t n_store = stores.words.size(), n_rack = racks.words.size();
  if (prices.words.size() != n_store || shortest.numbers.size() != n_store || longest.numbers.size() != n_store)
    findings.push_back({n.place, "stores", "needs one price, shortest and longest duration per store"});
  if (per.words.size() != n_rack || cost.numbers.size() != n_rack)
    findings.push_back({n.place, "rack_stores", "needs one 'per' and one price per store"});
  if (!findings.empty()) throw InputError(std::move(findings));
  // Wear may be absent: a store then has the life of its price.
  const auto wear = n.find("store_wear") != nullptr ? list_of(n, "store_wear", findings) : List{};
  if (!wear.words.empty() && wear.words.size() != n_store)
    findings.push_back({n.place, "store_wear", "needs one entry per store, or none at all"});
  if (!findings.empty()) throw InputError(std::move(findings));
  for (std::size_t i = 0; i < n_store; ++i)
    out.stores.push_back({stores.words[i], price_of(catalog, prices.words[i], findings), shortest.numbers[i],
                          longest.numbers[i], wear.words.empty() ? "" : wear.words[i]});
  const auto rack_range = range_of(0.0, assumed, "portfolio.rack_USD_per_kW", 1e-3);
  for (std::size_t i = 0; i < n_rack; ++i) {
    const double middle = cost.numbers[i] * 1e-3;
    out.racks.push_back(
        {racks.words[i], per.words[i], {middle, std::min(middle, rack_range.low), std::max(middle, rack_range.high)}});
  }
  if (const Node* name_of = n.find("smoothing"); name_of != nullptr && name_of->is_text()) {
    const auto p = profile_of(catalog, std::get<std::string>(name_of->value), findings);
    out.floor_ratio = {p.floor_ratio};
    out.smoothing_ramp_W_per_s = p.ramp_up_W_per_s;
    out.smoothing_ramp_down_W_per_s = {p.ramp_down_W_per_s};
    out.smoothing_hysteresis_s = p.hysteresis_s;
    if (n.find("smoothing_further_ramp_down_W_per_s") != nullptr)
      for (const double down : list_of(n, "smoothing_further_ramp_down_W_per_s", findings).numbers)
        out.smoothing_ramp_down_W_per_s.push_back(down);
  }
  if (n.find("ballast_level_ratio") != nullptr)
    out.ballast_level_ratio = list_of(n, "ballast_level_ratio", findings).numbers;
  if (const Node* b = n.find("ballast"); b != nullptr && b->is_text()) out.ballast = std::get<std::string>(b->value);
  if (!out.ballast_level_ratio.empty() && out.ballast.empty())
    findings.push_back({n.place, "ballast", "ballast_level_ratio needs the name of an entry of kind ballast"});
  const auto priced = [&](const char* key, double unit) {
    return range_of(number_of(n, key, findings) * unit, assumed, std::string("portfolio.") + key, unit);
  };
  out.energy_USD_per_J = priced("energy_USD_per_MWh", 1e-3 / J_per_kWh);
  out.gpu_USD_per_s = priced("gpu_USD_per_h", 1.0 / 3600.0);
  out.interest_frac = priced("interest_frac", 1.0);
  out.starts_per_gpu_year = priced("starts_per_gpu_year", 1.0);
  out.rack_years = number_of(n, "rack_life_years", findings);
  if (!findings.empty()) throw InputError(std::move(findings));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
