#include "fleet_screen.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tidewatt/sim/run.hpp"
#include "tidewatt/workload/jitter.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {
namespace {

/// [node of jobs] of its host, by the seed.
std::vector<double> slowness_of(const sim::Scenario& scenario, const NodePlaces& places, std::uint64_t seed) {
  std::vector<double> out;
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    const std::size_t end = j + 1 < places.first.size() ? places.first[j + 1] : places.n_node();
    const auto of_job =
        workload::host_slowness(scenario.jobs[j].life.jitter, seed, static_cast<std::int64_t>(end - places.first[j]));
    out.insert(out.end(), of_job.begin(), of_job.end());
  }
  return out;
}

/// Replicas that wait for a slower group are cooler than those of a fleet's slowest group.
sim::Scenario one_group(sim::Scenario scenario) {
  scenario.run.replica_groups = 1;
  return scenario;
}

/// A node's chips, resistances and air.
void copy_node(const sim::FleetDraws& from, std::size_t at, std::size_t n_gpu, sim::FleetDraws& to, std::size_t into) {
  to.recirculation[into] = from.recirculation[at];
  for (std::size_t g = 0; g < n_gpu; ++g) {
    to.chip[into * n_gpu + g] = from.chip[at * n_gpu + g];
    to.resistance_ratio[into * n_gpu + g] = from.resistance_ratio[at * n_gpu + g];
  }
}

/// Adds to `out` the nodes of the least keys, without those that it has.
void add_least(std::vector<std::size_t> nodes, const std::vector<double>& key, std::size_t most,
               std::vector<std::size_t>& out) {
  const auto less = [&](std::size_t a, std::size_t b) { return key[a] < key[b] || (key[a] == key[b] && a < b); };
  most = std::min(most, nodes.size());
  std::partial_sort(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(most), nodes.end(), less);
  for (std::size_t i = 0; i < most; ++i)
    if (std::find(out.begin(), out.end(), nodes[i]) == out.end()) out.push_back(nodes[i]);
}

}  // namespace

ScreenedFleet screened(const sim::Scenario& scenario, const NodePlaces& places, const FleetScores& scores,
                       std::uint64_t seed) {
  constexpr std::size_t n_slow = 4, n_hot = 6;  // the scores' own errors exchange the first ones
  const auto all = sim::draw_fleet(scenario, seed, places.order);
  const auto slowness = slowness_of(scenario, places, seed);
  const std::size_t n = places.n_gpu_per_node;
  std::vector<Features> x(n);
  std::vector<double> slow(places.n_node()), hot(places.n_node());
  for (std::size_t node = 0; node < places.n_node(); ++node) {
    features_of(all, node, x);
    const auto score = score_of(scores, places.of[node], x);
    slow[node] = score.own_Hz / slowness[node], hot[node] = -score.die_K;
  }
  std::vector<std::size_t> picked, all_nodes(places.n_node());
  std::iota(all_nodes.begin(), all_nodes.end(), std::size_t{0});
  for (std::size_t j = 0; j < places.first.size(); ++j) {
    const std::size_t end = j + 1 < places.first.size() ? places.first[j + 1] : places.n_node();
    add_least({all_nodes.begin() + static_cast<std::ptrdiff_t>(places.first[j]),
               all_nodes.begin() + static_cast<std::ptrdiff_t>(end)},
              slow, n_slow, picked);
  }
  const std::size_t n_for_clock = picked.size();
  add_least(std::move(all_nodes), hot, n_hot, picked);
  ScreenedFleet out{seed, n_for_clock, {}, {}, {}, {}};
  out.draws.recirculation.resize(picked.size());
  out.draws.chip.resize(picked.size() * n), out.draws.resistance_ratio.resize(picked.size() * n);
  for (std::size_t i = 0; i < picked.size(); ++i) {
    copy_node(all, picked[i], n, out.draws, i);
    out.of_class.push_back(places.of[picked[i]]), out.job.push_back(places.job[picked[i]]);
    out.slowness.push_back(slowness[picked[i]]);
  }
  return out;
}

std::optional<sim::Scenario> scaled(const sim::Scenario& scenario, std::int64_t num, std::int64_t den) {
  const auto& d = scenario.devices;
  const bool plain = scenario.halls.size() == 1 && scenario.halls.front().plant_kind != sim::PlantKind::hydronic &&
                     !scenario.halls.front().own_plant && !scenario.battery && scenario.neighbours.empty() &&
                     scenario.events.empty() && !d.generators && !d.turbines && d.n_ups <= 0;
  if (num != den && !plain) return {};
  auto out = scenario;
  // What only the connection needs.
  out.windows.clear(), out.grid_case.reset();
  const auto scale = [&](std::int64_t& x) {
    if (x * num % den != 0) return false;
    x = x * num / den;
    return true;
  };
  auto& hall = out.halls.front();
  if (num == den) return out;
  if (!scale(hall.hall.n_gpu) || hall.hall.n_gpu % hall.server.n_gpu != 0) return {};
  for (auto& job : out.jobs) {
    auto& plan = job.plan;
    const std::int64_t of_replica = plan.tp * plan.cp * plan.pp;
    job.life.initialise = "current";  // a larger fleet is not to start later
    if (!scale(plan.n_gpu) || !scale(plan.global_batch_sequences) || plan.n_gpu % of_replica != 0 ||
        (plan.tp * plan.cp * plan.dp()) % std::max<std::int64_t>(1, plan.ep) != 0)
      return {};
  }
  return out;
}

Screen::Screen(const sim::Scenario& scenario, const FleetScores& scores)
    : scenario_(one_group(scenario)),
      scores_(scores),
      places_(node_places(scenario)),
      draws_(sim::draw_fleet(scenario, static_cast<std::uint64_t>(scenario.run.seed), places_.order)),
      free_(places_.n_class) {
  for (std::size_t node = places_.n_node(); node-- > 0;) free_[places_.of[node]].push_back(node);
}

/// The class itself, or the nearest one of its stock that has room and almost its level. Without: nothing.
std::optional<std::size_t> Screen::place_for(std::size_t of_class) const {
  constexpr double most_off = 0.005;  // of the level: farther apart, chips answer differently
  const double level_Hz = scores_.own_Hz.level(of_class);
  std::optional<std::size_t> best;
  double least_Hz = most_off * level_Hz;
  for (std::size_t c = 0; c < free_.size(); ++c) {
    const double off_Hz = std::abs(scores_.own_Hz.level(c) - level_Hz);
    if (free_[c].empty() || places_.stock[c] != places_.stock[of_class] || off_Hz > least_Hz) continue;
    if (off_Hz == least_Hz && best) continue;
    best = c, least_Hz = off_Hz;
  }
  return best;
}

/// The class of the same stock that has most room. Without: nothing.
std::optional<std::size_t> Screen::roomiest(std::size_t of_class) const {
  std::optional<std::size_t> best;
  for (std::size_t c = 0; c < free_.size(); ++c)
    if (places_.stock[c] == places_.stock[of_class] && free_[c].size() > (best ? free_[*best].size() : 0)) best = c;
  return best;
}

bool Screen::take(const ScreenedFleet& fleet) {
  Taken out{fleet.n_for_clock, {}, fleet.job, fleet.slowness, {}, {}};
  std::vector<std::size_t> in_class;
  for (const auto own : fleet.of_class) {
    const auto c = in_class.size() < fleet.n_for_clock ? place_for(own) : roomiest(own);
    if (!c) {
      for (std::size_t i = 0; i < in_class.size(); ++i) free_[in_class[i]].push_back(out.node[i]);
      return false;
    }
    in_class.push_back(*c);
    out.node.push_back(free_[*c].back());
    free_[*c].pop_back();
    out.add_Hz.push_back(scores_.own_Hz.level(own) - scores_.own_Hz.level(*c));
    out.add_K.push_back(scores_.die_K.level(own) - scores_.die_K.level(*c));
  }
  for (std::size_t i = 0; i < out.node.size(); ++i)
    copy_node(fleet.draws, i, places_.n_gpu_per_node, draws_, out.node[i]);
  taken_.push_back(std::move(out));
  return true;
}

std::vector<FleetCourse> Screen::run(std::size_t n_thread) const {
  sim::FleetClocks clocks(true);
  sim::RunOptions options;
  options.n_thread = n_thread, options.clocks = &clocks, options.draws = &draws_;
  sim::run(scenario_, options);
  std::vector<FleetCourse> out;
  for (const auto& fleet : taken_) {
    FleetCourse course;
    course.slowest_Hz.resize(places_.first.size());
    for (std::size_t i = 0; i < fleet.node.size(); ++i) {
      for (std::size_t g = 0; g < places_.n_gpu_per_node; ++g)
        course.die_K =
            std::max(course.die_K, clocks.die_peak_K()[fleet.node[i] * places_.n_gpu_per_node + g] + fleet.add_K[i]);
      const auto j = fleet.job[i];
      if (i >= fleet.n_for_clock || j >= clocks.hours().size()) continue;
      for (const auto& [hour, sums] : clocks.hours()[j]) {
        const double own_Hz = sums.node_Hzs[fleet.node[i] - places_.first[j]] / sums.s + fleet.add_Hz[i],
                     Hz = own_Hz / fleet.slowness[i];
        const auto at = course.slowest_Hz[j].try_emplace(hour, Hz).first;
        at->second = std::min(at->second, Hz);
      }
    }
    out.push_back(std::move(course));
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study::detail
