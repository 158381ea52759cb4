#include <algorithm>
#include <cmath>
#include <optional>

#include "event_instants_parts.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {
namespace {

using sim::EventKind;
using sim::OrderMeans;

constexpr double settle_s = 3.0;           ///< after an edge, beside iterations: governors, supplies, batteries
constexpr double lead_s = 2.0;             ///< measured before an edge: change over 1 s
constexpr double before_iterations = 1.6;  ///< before an edge: at a braked clock they are longer
constexpr double whole_s = 150.0;          ///< events that last longer are moved edge by edge

/// An edge of an event and the time after which its job iterates regularly again.
struct Edge {
  double at_s = 0.0, tail_s = 0.0;
  bool ends = false;
};

/// @param iteration_s the longest, by which the event is moved
std::vector<Edge> edges_of(const sim::Scenario& s, const sim::EventParams& e, double iteration_s) {
  const double regular_s = 1.5 * iteration_s + settle_s;
  const Edge begin{e.at_s, regular_s}, end{e.at_s + e.duration_s, regular_s, true};
  switch (e.kind) {
    case EventKind::failure:
    case EventKind::planned_stop:
      for (const auto& job : s.jobs)
        if (job.name == e.job)
          return {{e.at_s, regular_s + job.life.tear_down_s +
                               (e.kind == EventKind::failure ? job.life.detect_s : job.life.soft_stop_s)}};
      return {};
    case EventKind::power_brake:
      return e.duration_s > 0.0 ? std::vector<Edge>{begin, end} : std::vector<Edge>{begin};
    case EventKind::sag:
    case EventKind::utility_loss:
    case EventKind::islanding:
      return {begin, end};
    case EventKind::curtailment:
      // Caps and pauses wait for the end of an iteration.
      if (e.by != OrderMeans::storage) return {};
      return {begin, end};
    default:
      return {};
  }
}

}  // namespace

double whole_ms(double t_s) { return std::round(t_s * 1e3) * 1e-3; }

std::vector<double> iterations_s(const sim::Scenario& scenario, const sim::Result& base) {
  std::vector<double> out(scenario.jobs.size(), 0.0);
  for (std::size_t j = 0; j < std::min(out.size(), base.jobs.size()); ++j)
    for (const auto& [key, value] : base.jobs[j])
      if (const auto* length_s = std::get_if<double>(&value); key == "iteration_s" && length_s && *length_s > 0.0)
        out[j] = *length_s;
  return out;
}

std::vector<Stretch> event_stretches(const sim::Scenario& s, const std::vector<double>& iteration_s) {
  std::vector<Stretch> out;
  const double run_s = s.run.duration_s;
  for (std::size_t i = 0; i < s.events.size(); ++i) {
    const auto& e = s.events[i];
    std::int64_t job = -1;
    for (std::size_t j = 0; j < s.jobs.size(); ++j)
      if (sim::of_job(e.kind) && s.jobs[j].name == e.job) job = static_cast<std::int64_t>(j);
    const double longest_s = iteration_s.empty() ? 0.0 : *std::max_element(iteration_s.begin(), iteration_s.end()),
                 moved_s = job < 0 ? longest_s : iteration_s[static_cast<std::size_t>(job)];
    if (!(moved_s > 0.0)) continue;  // nothing iterates
    std::optional<Stretch> last;
    for (const Edge& edge : edges_of(s, e, longest_s)) {
      if (!(edge.at_s >= 0.0 && edge.at_s < run_s)) continue;
      const double regular_s = whole_ms(std::max(0.0, edge.at_s - before_iterations * longest_s - lead_s)),
                   until_s = whole_ms(std::min(run_s, edge.at_s + edge.tail_s));
      // Edges that follow soon are replayed together: the phase of the second depends on the first.
      if (!last || (e.duration_s > whole_s && regular_s > last->until_s + moved_s)) {
        if (last) out.push_back(*last);
        last = Stretch{i, regular_s, whole_ms(std::max(0.0, edge.at_s - lead_s)), until_s, {}, job};
      }
      last->until_s = std::max(last->until_s, until_s);
      last->edges.push_back({whole_ms(edge.at_s), edge.ends});
    }
    if (last) out.push_back(*last);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.regular_s < b.regular_s; });
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study::detail
