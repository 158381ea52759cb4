#include "order_tiers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "scenario_check.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {
constexpr double margin_frac = 0.01;
constexpr double least_factor = 0.7, most_factor = 1.05;  ///< of a cap in one macro step
/// A job that draws less than this above idle does not work: it has nothing to give.
constexpr double works_frac = 0.05;
/// All halls of a job have the same GPUs: its first one stands for them.
const HallSpec& hall_of(const Scenario& s, const fleet::Fleet& fleet, std::size_t first_node) {
  return s.halls[fleet.node_hall[first_node]];
}
}  // namespace

OrderTiers::OrderTiers(const Scenario& s, const fleet::Fleet& fleet, OrderMeans by) : by_(by) {
  const bool by_pause = by == OrderMeans::pause;
  for (const auto& e : s.events)
    if (e.kind == EventKind::curtailment && e.by == by)
      orders_.push_back({to_tick(e.at_s - e.notice_s), to_tick(e.at_s), to_tick(e.at_s + e.duration_s), e.limit_W});
  if (by_pause && orders_.empty()) return;
  std::size_t node = 0;
  for (std::size_t j = 0; j < s.jobs.size(); ++j) {
    const auto& job = s.jobs[j];
    const auto& hall = hall_of(s, fleet, node);
    const double usual_W = fleet.types[fleet.node_hall[node]].usual.cap_W;
    node += static_cast<std::size_t>(job.plan.n_gpu) / fleet.n_gpu_per_node;
    usual_W_.push_back(usual_W);
    lowest_W_.push_back(usual_W);
    gpus_W_.push_back(usual_W * static_cast<double>(job.plan.n_gpu));
    if (!by_pause && (!job.curtailment || job.curtailment->may == OrderMay::never)) continue;
    const OrderTierParams c = by_pause ? OrderTierParams{OrderMay::pause} : *job.curtailment;
    const bool pauses = c.may == OrderMay::pause;
    if (!pauses) lowest_W_.back() = std::min(usual_W, c.lowest_cap_W > 0.0 ? c.lowest_cap_W : lowest_cap_W(hall, job));
    auto rank =
        std::find_if(rank_.begin(), rank_.end(), [&](const Rank& r) { return r.tier == c.tier && r.pauses == pauses; });
    if (rank == rank_.end()) rank = rank_.insert(rank_.end(), Rank{c.tier, pauses, {}});
    rank->jobs.push_back(j);
  }
  std::stable_sort(rank_.begin(), rank_.end(), [](const Rank& a, const Rank& b) {
    return std::pair(a.tier, a.pauses) < std::pair(b.tier, b.pauses);
  });
  if (!used()) return;
  const std::size_t n = s.jobs.size();
  idle_W_.assign(n, 0.0);
  state_ = {std::vector<double>(n, 1.0),
            std::vector<std::uint8_t>(n, 0),
            std::vector<double>(n, 0.0),
            std::vector<double>(n, 0.0),
            std::vector<Tick>(n, 0),
            std::vector<std::uint8_t>(n, 0),
            false};
}

bool OrderTiers::acts(Tick now) const { return limit_W(now) < std::numeric_limits<double>::infinity(); }

double OrderTiers::limit_W(Tick now) const {
  double out = outside_W_;
  for (const auto& o : orders_)
    if (o.given <= now && now < o.end) out = std::min(out, o.limit_W);
  return out;
}

Tick OrderTiers::next_edge(Tick now) const {
  Tick next = std::numeric_limits<Tick>::max();
  for (const auto& o : orders_)
    for (const Tick edge : {o.given, o.begin, o.end})
      if (edge > now) next = std::min(next, edge);
  return next;
}

bool OrderTiers::holds() const {
  for (std::size_t j = 0; j < state_.share.size(); ++j)
    if (capped(j) || paused(j)) return true;
  return false;
}

double OrderTiers::cap_W(std::size_t job, double usual_W) const {
  if (!capped(job)) return usual_W;
  return std::min(usual_W, std::max(state_.share[job] * usual_W, lowest_W_[job]));
}

void OrderTiers::measure(std::size_t job, double J, Tick now, bool starts_now) {
  auto& [share, paused, last_J, drawn_W, at, starts, said] = state_;
  starts[job] = starts_now ? 1 : 0;
  if (now <= at[job]) return;
  drawn_W[job] = (J - last_J[job]) / seconds(now - at[job]);
  last_J[job] = J;
  at[job] = now;
}

/// What a job draws above idle; 0 if it does not work.
double OrderTiers::free_W(std::size_t job) const {
  const double W = state_.drawn_W[job] - idle_W_[job];
  return W > works_frac * idle_W_[job] ? W : 0.0;
}

/// What a job that is about to work will draw more than now, at most; orders by tiers wait for it.
double OrderTiers::coming_W(std::size_t job) const {
  if (by_ != OrderMeans::pause || state_.starts[job] == 0 || paused(job)) return 0.0;
  return std::max(0.0, gpus_W_[job] - std::max(0.0, state_.drawn_W[job] - idle_W_[job]));
}

bool OrderTiers::at_floor(std::size_t job) const { return state_.share[job] * usual_W_[job] <= lowest_W_[job]; }

std::string OrderTiers::tier_text(const Rank& rank) const {
  return by_ == OrderMeans::tiers ? fmt::format("tier {}: ", rank.tier) : "";
}

std::vector<OrderTiers::Act> OrderTiers::follow(Tick now, double mean_W) {
  std::vector<Act> acts;
  const double limit = limit_W(now);
  if (limit == std::numeric_limits<double>::infinity()) {
    release(acts);
    return acts;
  }
  // What paused jobs still draw goes away without anything else.
  for (std::size_t j = 0; j < idle_W_.size(); ++j) mean_W += paused(j) ? -free_W(j) : coming_W(j);
  const double excess_W = mean_W - limit * (1.0 - margin_frac);
  const bool in_force = outside_W_ <= limit || std::any_of(orders_.begin(), orders_.end(), [&](const Order& o) {
                          return o.begin <= now && now < o.end && o.limit_W == limit;
                        });
  if (excess_W > 0.0)
    take(excess_W, mean_W - limit, in_force, acts);
  else
    give(-excess_W, acts);
  return acts;
}

void OrderTiers::take(double excess_W, double over_W, bool in_force, std::vector<Act>& acts) {
  for (const auto& rank : rank_)
    if (rank.pauses ? take_pauses(rank, over_W, acts) : take_caps(rank, excess_W, acts)) return;
  if (!in_force || !(over_W > 0.0) || state_.short_said) return;
  state_.short_said = true;
  acts.push_back(
      {usual_W_.size(), "order_short",
       fmt::format("every job has given all that it may, and the connection draws {:.4g} MW too much", over_W * 1e-6)});
}

/// @return whether the rank had something to give
bool OrderTiers::take_caps(const Rank& rank, double excess_W, std::vector<Act>& acts) {
  double free = 0.0;
  for (const auto j : rank.jobs)
    if (!at_floor(j)) free += free_W(j);
  if (!(free > 0.0)) return false;
  const double factor = std::clamp(1.0 - excess_W / free, least_factor, 1.0);
  for (const auto j : rank.jobs) {
    if (at_floor(j) || !(free_W(j) > 0.0)) continue;
    if (!capped(j)) acts.push_back({j, "order_cap", fmt::format("tier {}: caps of its GPUs fall", rank.tier)});
    state_.share[j] = std::max(lowest_W_[j] / usual_W_[j], factor * state_.share[j]);
    if (at_floor(j))
      acts.push_back({j, "order_lowest_cap",
                      fmt::format("tier {}: its GPUs are at their lowest cap, {:.0f} W", rank.tier, lowest_W_[j])});
  }
  return true;
}

bool OrderTiers::take_pauses(const Rank& rank, double over_W, std::vector<Act>& acts) {
  bool any = false;
  for (const auto j : rank.jobs) {
    if (!(over_W > 0.0)) break;
    const double W = paused(j) ? 0.0 : free_W(j) + coming_W(j);
    if (!(W > 0.0)) continue;
    any = true;
    state_.paused[j] = 1;
    over_W -= W;
    acts.push_back({j, "order_pause", tier_text(rank) + "it drains and pauses"});
  }
  return any;
}

/// Caps of the last tier that gave rise; those of tiers before a pause do not.
void OrderTiers::give(double room_W, std::vector<Act>& acts) {
  for (const auto& rank : std::views::reverse(rank_)) {
    if (rank.pauses && std::any_of(rank.jobs.begin(), rank.jobs.end(), [&](std::size_t j) { return paused(j); }))
      return;
    double free = 0.0;
    bool any = false;
    for (const auto j : rank.jobs) {
      any = any || capped(j);
      if (capped(j)) free += free_W(j);
    }
    if (!any) continue;
    const double factor = free > 0.0 ? std::clamp(1.0 + room_W / free, 1.0, most_factor) : most_factor;
    for (const auto j : rank.jobs) {
      if (!capped(j)) continue;
      state_.share[j] = std::min(1.0, factor * state_.share[j]);
      if (!capped(j)) acts.push_back({j, "order_release", fmt::format("tier {}: usual caps", rank.tier)});
    }
    return;
  }
}

/// No order acts any more.
void OrderTiers::release(std::vector<Act>& acts) {
  state_.short_said = false;
  for (const auto& rank : rank_)
    for (const auto j : rank.jobs) {
      if (!capped(j) && !paused(j)) continue;
      acts.push_back({j, "order_release", tier_text(rank) + (paused(j) ? "it may start again" : "usual caps")});
      state_.share[j] = 1.0;
      state_.paused[j] = 0;
    }
}

}  // namespace TIDEWATT_NAMESPACE::sim
