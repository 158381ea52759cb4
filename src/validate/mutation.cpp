#include "mutation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>
#include <tuple>

#include "base/parallel.hpp"
#include "catalog_in_use.hpp"
#include "catalog_variant.hpp"
#include "row_kind.hpp"
#include "row_term.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Rows of one group that one change of the catalog turns red, or should, and the parts that compute them.
struct Change {
  const NamedGroup* group = nullptr;
  const DeclaredKey* declared = nullptr;
  std::set<Part> parts;
  std::vector<const Row*> rows;
};

/// Those parts with the key at its other value; empty, with a reason, where the models refuse it.
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
  Context these = context;
  for (const Row* r : change.rows) these.only.insert(r->id);
  std::vector<Row> out;
  try {
    for (const Part part : change.parts) {
      auto more = part(these);
      out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
  } catch (const std::runtime_error& e) {
    why_not = fmt::format("cannot be computed: {}", e.what());
    return {};
  }
  return out;
}

/// Calls `work(i)` for all i below n on all cores; neighbours, which take equally long, are spread over the threads.
template <class Work>
void spread_over_cores(std::size_t n, Work&& work) {
  const std::size_t n_thread = std::max(1u, std::thread::hardware_concurrency()), n_stride = 6 * n_thread;
  std::vector<std::size_t> order;
  for (std::size_t first = 0; first < n_stride; ++first)
    for (std::size_t i = first; i < n; i += n_stride) order.push_back(i);
  parallel_ranges(
      n, n_thread,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) work(order[k]);
      },
      1);
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
  // Every part once as it is.
  struct Original {
    const NamedGroup* group;
    Part part;
    std::vector<Row> rows;
  };
  std::vector<Original> originals;
  for (const NamedGroup& group : groups)
    for (const Part part : group.parts) originals.push_back({&group, part, {}});
  spread_over_cores(originals.size(), [&](std::size_t i) { originals[i].rows = originals[i].part(context); });

  // Which changes there are, each with the rows that it is to turn red.
  std::vector<Mutation> out;
  std::vector<Change> changes;
  std::map<std::tuple<std::string_view, std::string, std::string, std::string, double>, std::size_t> known;
  for (const Original& o : originals)
    for (const Row& r : o.rows) {
      if (r.verdict != Verdict::pass) continue;
      const DeclaredKey* d = declared_key(keys, r.id);
      if (d == nullptr || d->key.empty()) {
        out.push_back({r.id, std::string(o.group->name), "", "", 0.0, nan, nan, false,
                       d == nullptr ? "no key is declared" : d->why_none});
        continue;
      }
      const auto [at, fresh] = known.try_emplace({o.group->name, d->kind, d->name, d->key, d->factor}, changes.size());
      if (fresh) changes.push_back({o.group, d, {}, {}});
      changes[at->second].parts.insert(o.part);
      changes[at->second].rows.push_back(&r);
    }

  // Every n-th computation, so that each group has its part.
  if (share < 1.0) {
    out.clear();
    const auto step = [&](std::size_t k) { return std::floor(share * static_cast<double>(k)); };
    std::vector<Change> chosen;
    for (std::size_t i = 0; i < changes.size(); ++i)
      if (step(i + 1) != step(i)) chosen.push_back(std::move(changes[i]));
    changes = std::move(chosen);
  }
  std::vector<std::vector<Mutation>> outcomes(changes.size());
  spread_over_cores(changes.size(), [&](std::size_t i) {
    std::string why_not;
    const auto after = changed_rows(changes[i], context, why_not);
    for (const Row* r : changes[i].rows) outcomes[i].push_back(outcome(*r, changes[i], after, why_not));
  });
  for (auto& more : outcomes)
    out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
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
