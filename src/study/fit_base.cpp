#include "fit_base.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

template <class Params>
Params table_of(const Node& node, const std::string& entry, const char* table) {
  std::vector<Finding> findings;
  Params p;
  const Node* at = node.find(table);
  if (!at) throw InputError(fmt::format("gpu '{}' has no [{}]", entry, table));
  TableReader r(*at, table, findings);
  p.fields(r);
  r.finish();
  if (!findings.empty()) throw InputError(findings);
  return p;
}

/// The catalog's range of a value; where it gives none, a factor of `factor` to either side.
PriorParameter prior_of(const FitBase& b, const char* key, const char* shown, double value, double factor) {
  const auto at = b.range.find(key);
  if (at != b.range.end() && at->second.first > 0.0) return {shown, at->second.first, at->second.second, true};
  return {shown, value / factor, value * factor, true};
}

}  // namespace

FitBase fit_base(const std::string& entry) {
  const catalog::Catalog catalog;
  const Node node = catalog.values("gpu", entry);
  FitBase b{table_of<thermal::PackageParams>(node, entry, "package"),
            table_of<power::GpuPowerParams>(node, entry, "power"),
            {}};
  std::vector<Finding> findings;
  std::vector<catalog::AssumedInput> assumed;
  catalog.resolve(Node(Node::Value(entry), Place{}), "gpu", "gpu", findings, assumed);
  for (const auto& a : assumed)
    if (a.words.empty()) b.range[a.key.substr(a.key.find('.') + 1)] = {a.low, a.high};
  return b;
}

std::array<PriorParameter, 2> leakage_priors(const FitBase& base) {
  return {prior_of(base, "power.leakage_W", "leakage_W", base.power.leakage_W, 2.0),
          prior_of(base, "power.leakage_frac_per_K", "leakage_frac_per_K", base.power.leakage_per_K, 1.5)};
}

std::vector<FitRecord> fit_records(const FitGpuOptions& o) {
  std::vector<FitRecord> out;
  std::vector<std::string> known;
  for (const auto& file : o.files)
    for (auto& t : read_gpu_telemetry(file)) {
      known.push_back(t.gpu);
      if (o.gpu.empty() || t.gpu == o.gpu) out.push_back({file, std::move(t)});
    }
  if (!out.empty()) return out;
  const auto close = nearest(o.gpu, known);
  throw InputError(fmt::format(
      "no GPU '{}' in {}{}; the first is '{}'", o.gpu, o.files.size() > 1 ? "the files" : "the file",
      close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close), known.empty() ? "" : known.front()));
}

}  // namespace TIDEWATT_NAMESPACE::study
