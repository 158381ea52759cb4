#include "tidewatt/workload/failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/random.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::workload {
namespace {

/// FNV-1a: a cause keeps its numbers whatever other causes are in the list.
std::uint64_t entity_of(const std::string& name) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash;
}

/// Every cause of a switch tray and of a rack has its rate and its time of repair.
void check_domains(const FailureRates& r) {
  for (const auto& [what, causes, rates, repairs] :
       {std::tuple{"switch tray", &r.switch_tray_causes, &r.switch_tray_rate_per_s, &r.switch_tray_repair_s},
        std::tuple{"rack", &r.rack_causes, &r.rack_rate_per_s, &r.rack_repair_s}})
    if (causes->size() != rates->size() || causes->size() != repairs->size())
      throw InputError(fmt::format("failures: {} causes of a {} with {} rates and {} times of repair", causes->size(),
                                   what, rates->size(), repairs->size()));
}

void check(const FailureRates& rates, std::int64_t n_node, Tick begin, Tick end, const DomainLayout& domains) {
  if (rates.causes.size() != rates.rate_per_node_s.size() ||
      rates.planned_causes.size() != rates.planned_rate_per_s.size())
    throw InputError(fmt::format("failures: {} causes with {} rates, {} planned causes with {} rates",
                                 rates.causes.size(), rates.rate_per_node_s.size(), rates.planned_causes.size(),
                                 rates.planned_rate_per_s.size()));
  for (const auto* list : {&rates.detect_s, &rates.repair_s})
    if (!list->empty() && list->size() != rates.causes.size())
      throw InputError(fmt::format("failures: {} causes with {} times of detection and {} of repair",
                                   rates.causes.size(), rates.detect_s.size(), rates.repair_s.size()));
  check_domains(rates);
  if (n_node < 0 || begin < 0 || end < begin)
    throw InputError(fmt::format("failures: {} nodes from {} ns to {} ns", n_node, begin, end));
  double per_s = 0.0;
  const std::pair<const std::vector<double>*, std::int64_t> acting_on[] = {
      {&rates.rate_per_node_s, n_node},
      {&rates.planned_rate_per_s, 1},
      {&rates.switch_tray_rate_per_s, domains.n_domain * domains.n_switch_tray},
      {&rates.rack_rate_per_s, domains.n_domain}};
  for (const auto& [list, n] : acting_on)
    for (const double r : *list) {
      if (!(r >= 0.0) || !std::isfinite(r)) throw InputError(fmt::format("failures: rate {} per second", r));
      per_s += r * static_cast<double>(n);
    }
  if (per_s * seconds(end) > 1e7)
    throw RefusedError(fmt::format("failures: {:.3g} expected, limit 1e7", per_s * seconds(end)));
}

struct Process {
  const std::string& name;
  double rate_per_s;
  std::uint32_t cause;
  std::int64_t n_place;                     // nodes or domains that it can hit; 0 = planned
  double detect_s = -1.0, repair_s = -1.0;  // negative: unknown
  FailedUnit unit = FailedUnit::node;
  std::int64_t nodes_per_place = 1;
};

void draw(const Process& p, std::uint64_t seed, Tick begin, Tick end, std::vector<Failure>& out) {
  if (!(p.rate_per_s > 0.0)) return;
  const std::uint64_t entity = entity_of(p.name);
  Tick at = 0;
  for (std::uint64_t i = 0;; ++i) {
    const double gap_s = random::exponential(seed, random::Purpose::failure_time, entity, i) / p.rate_per_s;
    if (gap_s >= seconds(end - at)) return;
    at += to_tick(gap_s);
    if (at >= end) return;
    if (at < begin) continue;
    Failure f{at, p.cause, -1, p.n_place == 0};
    f.unit = p.unit;
    const double u = random::uniform(seed, random::Purpose::failure_place, entity, i);
    if (p.detect_s >= 0.0) f.detect = to_tick(p.detect_s);
    if (p.repair_s >= 0.0)
      f.repair = to_tick(p.repair_s * random::exponential(seed, random::Purpose::repair, entity, i));
    if (p.n_place > 0)
      f.node =
          p.nodes_per_place * std::min(p.n_place - 1, static_cast<std::int64_t>(u * static_cast<double>(p.n_place)));
    out.push_back(f);
  }
}

}  // namespace

void FailureRates::fields(FieldVisitor& v) {
  v.texts("causes", causes, "names of unexpected causes");
  v.numbers("rate_per_node_day", rate_per_node_s, {0, 10}, "failures per node and day, one value per cause");
  v.texts("planned_causes", planned_causes, "names of planned stops", Need::optional);
  v.numbers("planned_rate_per_day", planned_rate_per_s, {0, 100}, "planned stops per job and day, one value per cause",
            Need::optional);
  v.numbers("detect_s", detect_s, {0, 1e5}, "time from failure to tear-down, one value per cause", Need::optional);
  v.numbers("repair_h", repair_s, {0, 1e4},
            "mean time until the node is back, one value per cause; 0 = restarted in place ", Need::optional);
  v.texts("switch_tray_causes", switch_tray_causes, "names of causes that act on a rack's switch tray", Need::optional);
  v.numbers("switch_tray_rate_per_day", switch_tray_rate_per_s, {0, 10},
            "failures per switch tray and day, one value per cause; each takes its scale-up domain down",
            Need::optional);
  v.numbers("switch_tray_repair_h", switch_tray_repair_s, {0, 1e4},
            "mean time until the scale-up domain is back, one value per cause; 0 = restarted in place", Need::optional);
  v.texts("rack_causes", rack_causes, "names of causes that act on a whole rack", Need::optional);
  v.numbers("rack_rate_per_day", rack_rate_per_s, {0, 10},
            "failures per rack (scale-up domain) and day, one value per cause", Need::optional);
  v.numbers("rack_repair_h", rack_repair_s, {0, 1e4},
            "mean time until the rack is back, one value per cause; 0 = restarted in place", Need::optional);
}

std::vector<Failure> draw_failures(const FailureRates& rates, std::uint64_t seed, std::int64_t n_node, Tick begin,
                                   Tick end, const DomainLayout& domains) {
  check(rates, n_node, begin, end, domains);
  std::vector<Failure> out;
  std::uint32_t cause = 0;
  if (n_node > 0)
    for (std::size_t i = 0; i < rates.causes.size(); ++i, ++cause)
      draw({rates.causes[i], rates.rate_per_node_s[i] * static_cast<double>(n_node), cause, n_node,
            rates.detect_s.empty() ? -1.0 : rates.detect_s[i], rates.repair_s.empty() ? -1.0 : rates.repair_s[i]},
           seed, begin, end, out);
  cause = static_cast<std::uint32_t>(rates.causes.size());
  for (std::size_t i = 0; i < rates.planned_causes.size(); ++i, ++cause)
    draw({rates.planned_causes[i], rates.planned_rate_per_s[i], cause, 0, -1.0, -1.0}, seed, begin, end, out);
  const auto n_domain = static_cast<double>(domains.n_domain);
  const double n_switch = n_domain * static_cast<double>(domains.n_switch_tray);
  for (std::size_t i = 0; domains.n_domain > 0 && i < rates.switch_tray_causes.size(); ++i)
    draw(
        {rates.switch_tray_causes[i], rates.switch_tray_rate_per_s[i] * n_switch, cause + static_cast<std::uint32_t>(i),
         domains.n_domain, -1.0, rates.switch_tray_repair_s[i], FailedUnit::switch_tray, domains.nodes_needed},
        seed, begin, end, out);
  cause += static_cast<std::uint32_t>(rates.switch_tray_causes.size());
  for (std::size_t i = 0; domains.n_domain > 0 && i < rates.rack_causes.size(); ++i, ++cause)
    draw({rates.rack_causes[i], rates.rack_rate_per_s[i] * n_domain, cause, domains.n_domain, -1.0,
          rates.rack_repair_s[i], FailedUnit::rack, domains.nodes_needed},
         seed, begin, end, out);
  std::sort(out.begin(), out.end(), [](const Failure& a, const Failure& b) {
    return std::tie(a.tick, a.cause, a.node) < std::tie(b.tick, b.cause, b.node);
  });
  return out;
}

const std::string& cause_name(const FailureRates& rates, const Failure& f) {
  const std::size_t planned = f.cause - rates.causes.size(), of_switch = planned - rates.planned_causes.size();
  if (f.planned) return rates.planned_causes.at(planned);
  if (f.unit == FailedUnit::switch_tray) return rates.switch_tray_causes.at(of_switch);
  if (f.unit == FailedUnit::rack) return rates.rack_causes.at(of_switch - rates.switch_tray_causes.size());
  return rates.causes.at(f.cause);
}

double mean_time_to_failure_s(const FailureRates& rates, std::int64_t n_node, const DomainLayout& domains) {
  double per_s = 0.0;
  const auto n_domain = static_cast<double>(domains.n_domain);
  for (const double r : rates.rate_per_node_s) per_s += r * static_cast<double>(n_node);
  for (const double r : rates.switch_tray_rate_per_s)
    per_s += r * n_domain * static_cast<double>(domains.n_switch_tray);
  for (const double r : rates.rack_rate_per_s) per_s += r * n_domain;
  return per_s > 0.0 ? 1.0 / per_s : std::numeric_limits<double>::infinity();
}

double optimum_checkpoint_interval_s(double checkpoint_s, double mean_time_to_failure_s) {
  if (!(checkpoint_s > 0.0) || !(checkpoint_s < 2.0 * mean_time_to_failure_s))
    throw InputError(fmt::format("checkpoint interval: a checkpoint of {} s against {} s between failures",
                                 checkpoint_s, mean_time_to_failure_s));
  return std::sqrt(2.0 * checkpoint_s * mean_time_to_failure_s) - checkpoint_s;
}

}  // namespace TIDEWATT_NAMESPACE::workload
