#include "mutation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "catalog_in_use.hpp"
#include "catalog_variant.hpp"
#include "row_kind.hpp"
#include "row_term.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Rows of one group that one change of the catalog turns red, or should.
struct Change {
  const NamedGroup* group;
  const DeclaredKey* declared;
  std::vector<const Row*> rows;
};

/// The group with the key at its other value; empty, with a reason, where the models refuse it.
std::vector<Row> changed_rows(const Change& change, const Context& context, std::string& why_not) {
  const auto& d = *change.declared;
  const bool in_code = d.kind == term_kind;
  const VariantFolder folder;
  std::optional<CatalogInUse> use;
  std::optional<TermInUse> term;
  if (in_code) {
    term.emplace(d.name + "." + d.key, d.factor);
  } else {
    folder.add(d.kind, d.name,
               with_value(catalog_in_use().text(d.kind, d.name), d.key, [&](double x) { return x * d.factor; }));
    use.emplace(folder.path());
  }
  try {
    return change.group->rows(context);
  } catch (const std::runtime_error& e) {
    why_not = fmt::format("cannot be computed: {}", e.what());
    return {};
  }
}

Mutation outcome(const Row& row, const Change& change, const std::vector<Row>& after, const std::string& why_not) {
  const auto& d = *change.declared;
  Mutation m{row.id, std::string(change.group->name), d.kind + "/" + d.name, d.key, d.factor, nan, nan, false, why_not};
  const auto at = std::find_if(after.begin(), after.end(), [&](const Row& r) { return r.id == row.id; });
  if (at == after.end()) {
    if (m.why_not.empty()) m.why_not = "the row is not computed with that value";
    return m;
  }
  m.moved = at->error - row.error;
  if (row.got * at->got > 0.0) m.elasticity = std::log(at->got / row.got) / std::log(d.factor);
  m.red = at->verdict == Verdict::fail && std::abs(m.moved) > row.tolerance;
  return m;
}

}  // namespace

std::vector<Mutation> mutated(const std::vector<NamedGroup>& groups, const Context& context,
                              const std::vector<DeclaredKey>& keys, double share) {
  std::vector<Mutation> out;
  std::vector<std::vector<Row>> rows(groups.size());
  std::vector<Change> changes;
  std::map<std::tuple<std::string_view, std::string, std::string, std::string, double>, std::size_t> known;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    rows[g] = groups[g].rows(context);
    for (const Row& r : rows[g]) {
      if (r.verdict != Verdict::pass) continue;
      const DeclaredKey* d = declared_key(keys, r.id);
      if (d == nullptr || d->key.empty()) {
        out.push_back({r.id, std::string(groups[g].name), "", "", 0.0, nan, nan, false,
                       d == nullptr ? "no key is declared" : d->why_none});
        continue;
      }
      const auto [at, fresh] = known.try_emplace({groups[g].name, d->kind, d->name, d->key, d->factor}, changes.size());
      if (fresh) changes.push_back({&groups[g], d, {}});
      changes[at->second].rows.push_back(&r);
    }
  }
  // Every n-th computation, so that each group has its part.
  if (share < 1.0) out.clear();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto step = [&](std::size_t k) { return std::floor(share * static_cast<double>(k)); };
    if (share < 1.0 && step(i + 1) == step(i)) continue;
    std::string why_not;
    const auto after = changed_rows(changes[i], context, why_not);
    for (const Row* r : changes[i].rows) out.push_back(outcome(*r, changes[i], after, why_not));
  }
  return out;
}

std::string mutation_text(const std::vector<Mutation>& rows) {
  std::string out = fmt::format("{:<26} {:<34} {:<40} {:>6} {:>10} {:>10}  {}\n", "row", "entry", "key", "times",
                                "moved", "elasticity", "outcome");
  for (const auto& m : rows)
    out += fmt::format("{:<26} {:<34} {:<40} {:>6} {:>10} {:>10}  {}\n", m.id, m.entry, m.key,
                       m.key.empty() ? "" : fmt::format("{:.3g}", m.factor),
                       std::isnan(m.moved) ? "" : fmt::format("{:+.2g}", m.moved),
                       std::isnan(m.elasticity) ? "" : fmt::format("{:+.2f}", m.elasticity),
                       m.red               ? "red"
                       : m.why_not.empty() ? "survives"
                                           : "survives: " + m.why_not);
  const auto red = std::count_if(rows.begin(), rows.end(), [](const Mutation& m) { return m.red; });
  return out + fmt::format("{} of {} passing rows turn red\n", red, rows.size());
}

std::string mutation_json(const std::vector<Mutation>& rows) {
  const auto number = [](double x) { return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json(); };
  auto list = nlohmann::ordered_json::array();
  for (const auto& m : rows)
    list.push_back({{"id", m.id},
                    {"kind", name(kind_of(m.id))},
                    {"group", m.group},
                    {"entry", m.entry},
                    {"key", m.key},
                    {"factor", number(m.key.empty() ? nan : m.factor)},
                    {"moved", number(m.moved)},
                    {"elasticity", number(m.elasticity)},
                    {"red", m.red},
                    {"why_not", m.why_not}});
  const auto red = std::count_if(rows.begin(), rows.end(), [](const Mutation& m) { return m.red; });
  return nlohmann::ordered_json{{"count", rows.size()}, {"red", red}, {"rows", list}}.dump(2);
}

}  // namespace TIDEWATT_NAMESPACE::validate
