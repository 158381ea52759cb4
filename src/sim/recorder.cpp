#include "recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "numerics/block.hpp"
#include "weighted_mean.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr Tick hour = 3600 * ns_per_s;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct ColumnInfo {
  const char *name, *unit, *long_name;
};
constexpr std::array day_columns = {
    ColumnInfo{"time", "s", "start of the macro step"},
    ColumnInfo{"outdoor_drybulb_K", "K", "outdoor dry bulb, mean"},
    ColumnInfo{"outdoor_wetbulb_K", "K", "outdoor wet bulb, mean"},
    ColumnInfo{"supply_K", "K", "air supplied to the halls, mean"},
    ColumnInfo{"inlet_mean_K", "K",
               "coolant at the servers' inlets, mean over nodes: air, or the liquid of cold plates"},
    ColumnInfo{"hot_aisle_K", "K", "hot aisle, mean"},
    ColumnInfo{"clock_mean_Hz", "Hz", "clock, mean over the jobs' GPUs while iterating"},
    ColumnInfo{"clock_slowest_Hz", "Hz", "clock of the slowest GPU while iterating"},
    ColumnInfo{"clock_p05_Hz", "Hz", "clock, 5th percentile over GPUs"},
    ColumnInfo{"clock_p95_Hz", "Hz", "clock, 95th percentile over GPUs"},
    ColumnInfo{"die_mean_K", "K", "die temperature, mean over GPUs and time"},
    ColumnInfo{"die_max_K", "K", "die temperature, highest"},
    ColumnInfo{"throughput_tokens_per_s", "1/s", "tokens per second spent iterating, sum over jobs"},
    ColumnInfo{"tokens_per_s", "1/s", "tokens of the job per second, pauses included"},
    ColumnInfo{"iteration_s", "s", "time of one iteration, mean"},
    ColumnInfo{"it_W", "W", "power at the servers' AC inputs, mean"},
    ColumnInfo{"pcc_mean_W", "W", "power at the connection, mean"},
    ColumnInfo{"pcc_min_W", "W", "power at the connection, lowest"},
    ColumnInfo{"pcc_max_W", "W", "power at the connection, highest"},
    ColumnInfo{"plant_W", "W", "cooling power, mean"},
    ColumnInfo{"water_kg_per_s", "kg s-1", "water use, mean"},
    ColumnInfo{"liquid_supply_K", "K", "liquid at the cold plates' inlets, mean over what they give; NaN without"},
    ColumnInfo{"capacity_margin_frac", "1", "cooling capacity not in use, least of the halls"},
    ColumnInfo{"server_fan_frac", "1", "server fan speed, mean over nodes"},
    ColumnInfo{"limiter_none_frac", "1", "share of GPU time at full clock"},
    ColumnInfo{"limiter_power_frac", "1", "share of GPU time held by the power limit"},
    ColumnInfo{"limiter_thermal_frac", "1", "share of GPU time held by the thermal limit"},
    ColumnInfo{"limiter_clock_frac", "1", "share of GPU time held by a clock lock"},
    ColumnInfo{"limiter_slowdown_frac", "1", "share of GPU time in hardware slowdown"},
    ColumnInfo{"limiter_brake_frac", "1", "share of GPU time held by the facility's power brake"},
    ColumnInfo{"limiter_memory_frac", "1", "share of GPU time held by the memory's temperature limit"},
    ColumnInfo{"memory_mean_K", "K", "memory stacks, mean over the jobs' GPUs and time; NaN without"},
    ColumnInfo{"memory_max_K", "K", "memory stacks of the warmest GPU, mean over a step; NaN without"},
    ColumnInfo{"job_state", "1", "what most of the jobs' GPUs did most of the step:"},
};

}  // namespace

namespace {

/// " 0 queued 1 initialise …": every code of a job's state that results hold.
std::string state_codes() {
  std::string out;
  for (std::size_t s = 0; s < workload::n_job_state; ++s)
    out += fmt::format(" {} {}", s, workload::name_of(static_cast<workload::JobState>(s)));
  return out;
}

}  // namespace

Recorder::Recorder(const fleet::Fleet& fleet, std::vector<Trained> jobs, Tick local_start)
    : fleet_(fleet), trained_(std::move(jobs)), local_start_(local_start) {
  state_.jobs.resize(trained_.size());
}

template <class Visit>
void Recorder::spread_over_hours(Tick begin, Tick end, Visit&& visit) {
  for (Tick at = begin; at < end;) {
    const std::int64_t h = (local_start_ + at) / hour;
    const Tick stop = std::min(end, (h + 1) * hour - local_start_);
    visit(state_.hours[h], seconds(stop - at), static_cast<double>(stop - at) / static_cast<double>(end - begin));
    at = stop;
  }
}

void Recorder::fleet_step(std::span<const Stretch> step, std::size_t occupant, const NodeRange& nodes,
                          const fleet::FleetState& state, const fleet::FleetSignals& signals) {
  for (const auto& s : step) {
    state_.it_J.add(s.load_J);
    spread_over_hours(s.begin, s.end, [&](Hourly& h, double inside_s, double share) {
      h.tokens.resize(trained_.size()), h.iterating_s.resize(trained_.size());
      if (occupant < trained_.size() && s.iteration_s > 0.0) {
        h.tokens[occupant] += s.tokens * share;
        h.iterating_s[occupant] += inside_s;
      }
      h.it_J += s.load_J * share;
    });
  }
  auto& hottest = state_.now;
  hottest.die_K = std::max(hottest.die_K, numerics::lane_max(nodes.of_gpus(signals.hottest_K, fleet_.n_gpu_per_node)));
  if (!signals.memory_K.empty())
    hottest.memory_K =
        std::max(hottest.memory_K, numerics::lane_max(nodes.of_gpus(signals.memory_K, fleet_.n_gpu_per_node)));
  const Tick own_end = step.back().end / ns_per_ms * ns_per_ms <= latest_end_ ? step.back().end : macro_end_;
  if (occupant < state_.jobs.size()) state_.jobs[occupant].step(step, nodes, own_end, fleet_, state, signals);
}

void Recorder::neighbour(Tick begin, Tick end, double J) {
  state_.it_J.add(J);
  spread_over_hours(begin, end, [&](Hourly& h, double, double share) { h.it_J += J * share; });
}

/// An iteration lasts for several macro steps: whoever begins none in this one is as hot as it was. Idle servers do, and are cool.
void Recorder::continue_hottest() {
  auto& now = state_.now;
  for (const auto& job : state_.jobs)
    now = {std::max(now.die_K, job.row().die_max_K), std::max(now.memory_K, job.row().memory_max_K)};
  if (now.die_K == 0.0) now = state_.last;  // nobody's step began in it
  state_.last = now;
}

/// Row of all jobs, with the hottest parts of all occupants.
Row Recorder::site_figures() const {
  std::vector<JobSums> sums;
  sums.reserve(state_.jobs.size());
  for (const auto& job : state_.jobs) sums.push_back(job.row());
  std::vector<JobShare> shares;
  for (std::size_t j = 0; j < sums.size(); ++j) {
    sums[j].die_max_K = state_.now.die_K;
    sums[j].memory_max_K = state_.now.memory_K;
    shares.push_back({sums[j], trained_[j].n_gpu});
  }
  return site_row(shares);
}

void Recorder::macro_step(Tick begin, Tick end, const HallLoop& halls) {
  const auto& m = halls.means();
  for (auto& job : state_.jobs) job.macro_step(begin);
  continue_hottest();
  auto& [jobs, now, last, run, it_J, hours, day, snapshot, events] = state_;
  Row row = site_figures();
  for (const auto& [name, x] : Row{{"time", seconds(begin)},
                                   {"outdoor_drybulb_K", m.outdoor_drybulb_K},
                                   {"outdoor_wetbulb_K", m.outdoor_wetbulb_K},
                                   {"supply_K", m.supply_K},
                                   {"inlet_mean_K", m.inlet_K},
                                   {"hot_aisle_K", m.hot_aisle_K},
                                   {"it_W", nan},
                                   {"pcc_mean_W", nan},
                                   {"pcc_min_W", nan},
                                   {"pcc_max_W", nan},
                                   {"plant_W", m.plant_W},
                                   {"water_kg_per_s", m.water_kg_per_s},
                                   {"liquid_supply_K", m.liquid_W > 0.0 ? m.liquid_supply_K : nan},
                                   {"capacity_margin_frac", m.capacity_margin_frac}})
    row.emplace_back(name, x);
  for (const auto& [name, x] : row) day[name].push_back(x);
  spread_over_hours(begin, end, [&](Hourly& h, double s, double) {
    h.water_kg += m.water_kg_per_s * s;
    h.inlet_Ks += m.inlet_K * s;
    h.covered_s += s;
  });
  run = {std::max(run.die_K, now.die_K), std::max(run.memory_K, now.memory_K)};
  now = {};
}

void Recorder::connection(const connection::SiteStream::Span& pcc, Tick begin, Tick end, std::size_t row) {
  state_.day["it_W"][row] = pcc.load_mean_W;
  state_.day["pcc_mean_W"][row] = pcc.mean_W;
  state_.day["pcc_min_W"][row] = pcc.min_W;
  state_.day["pcc_max_W"][row] = pcc.max_W;
  spread_over_hours(begin, end, [&](Hourly& h, double, double share) { h.pcc_J += pcc.J * share; });
}

void Recorder::event(Tick tick, std::string kind, std::string entity, std::string text) {
  state_.events.push_back({seconds(tick), std::move(kind), std::move(entity), std::move(text)});
}

Recorder::Swing Recorder::swing() const {
  Swing out;
  double all_per_s = 0.0;
  for (const auto& job : state_.jobs)
    if (const double x = job.mean_throughput(); std::isfinite(x)) all_per_s += x;
  std::vector<std::pair<std::int64_t, double>> rates;
  for (const auto& [h, x] : state_.hours) {
    double rate = 0.0, usual = 0.0;
    for (std::size_t j = 0; j < x.tokens.size(); ++j)
      if (x.iterating_s[j] >= 900.0) rate += x.tokens[j] / x.iterating_s[j], usual += state_.jobs[j].mean_throughput();
    if (usual > 0.0) rates.emplace_back(h % 24, rate * (all_per_s / usual));
  }
  out.known = rates.size() > 1;  // one hour alone swings against nothing
  if (!out.known) return out;
  const auto [low, high] = std::ranges::minmax_element(rates, {}, &std::pair<std::int64_t, double>::second);
  const double range = high->second - low->second, lowest_tenth = low->second + 0.1 * range;
  out.percent = 100.0 * range / all_per_s;
  if (out.percent < swing_floor_percent) return out;
  std::set<std::int64_t> hours;
  for (const auto& [h, rate] : rates)
    if (rate <= lowest_tenth) hours.insert(h);
  out.min_hours.assign(hours.begin(), hours.end());
  return out;
}

void Recorder::add_arrays(std::vector<NamedArray>& arrays) const {
  add_rows("/day", state_.day, arrays);
  for (std::size_t j = 0; j < trained_.size(); ++j) add_rows("/job/" + trained_[j].name, state_.jobs[j].rows(), arrays);
  add_hours(arrays);
  for (const auto& a : state_.snapshot.arrays()) arrays.push_back(a);
  add_events(arrays);
}

void Recorder::add_rows(const std::string& group, const std::map<std::string, std::vector<double>>& rows,
                        std::vector<NamedArray>& arrays) const {
  for (const auto& c : day_columns) {
    const auto it = rows.find(c.name);
    if (it == rows.end()) continue;
    const std::string path = group + "/" + c.name;
    if (std::string_view(c.name) == "job_state")
      arrays.push_back({path,
                        {"time"},
                        {it->second.size()},
                        std::vector<std::int64_t>(it->second.begin(), it->second.end()),
                        c.unit,
                        c.long_name + state_codes()});
    else
      arrays.push_back(column(path, "time", it->second, c.unit, c.long_name));
  }
}

void Recorder::add_hours(std::vector<NamedArray>& arrays) const {
  std::vector<double> time, rate, iterating, it_J, pcc_J, water, inlet;
  for (const auto& [h, x] : state_.hours) {
    time.push_back(static_cast<double>(h) * 3600.0 - seconds(local_start_));
    WeightedMean throughput, s;
    for (std::size_t j = 0; j < x.tokens.size(); ++j) {
      throughput.add(1.0, x.iterating_s[j] > 0.0 ? x.tokens[j] / x.iterating_s[j] : nan);
      s.add(trained_[j].n_gpu, x.iterating_s[j]);
    }
    rate.push_back(throughput.sum());
    iterating.push_back(x.tokens.empty() ? 0.0 : s.value());
    it_J.push_back(x.it_J);
    pcc_J.push_back(x.pcc_J);
    water.push_back(x.water_kg);
    inlet.push_back(x.covered_s > 0 ? x.inlet_Ks / x.covered_s : nan);
  }
  arrays.push_back(column("/hourly/time", "time", time, "s", "start of the hour"));
  arrays.push_back(column("/hourly/throughput_tokens_per_s", "time", rate, "1/s",
                          "tokens per second spent iterating, sum over jobs"));
  arrays.push_back(
      column("/hourly/iterating_s", "time", iterating, "s", "time spent iterating, mean over the jobs' GPUs"));
  arrays.push_back(column("/hourly/it_J", "time", it_J, "J", "energy at the servers' AC inputs"));
  arrays.push_back(column("/hourly/pcc_J", "time", pcc_J, "J", "energy at the connection"));
  arrays.push_back(column("/hourly/water_kg", "time", water, "kg", "water use"));
  arrays.push_back(column("/hourly/inlet_mean_K", "time", inlet, "K",
                          "coolant at the servers' inlets, mean: air, or the liquid of cold plates"));
}

void Recorder::add_events(std::vector<NamedArray>& arrays) const {
  std::vector<double> t;
  std::vector<std::string> kind, entity, text;
  auto events = state_.events;  // the connection's come in some macro steps late
  std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
    return std::tie(a.time_s, a.kind, a.entity) < std::tie(b.time_s, b.kind, b.entity);
  });
  for (const auto& e : events) {
    t.push_back(e.time_s);
    kind.push_back(e.kind);
    entity.push_back(e.entity);
    text.push_back(e.text);
  }
  const std::uint64_t n = events.size();
  arrays.push_back(column("/events/time", "event", t, "s", "when"));
  arrays.push_back({"/events/kind", {"event"}, {n}, kind, "1", "what"});
  arrays.push_back({"/events/entity", {"event"}, {n}, entity, "1", "whom"});
  arrays.push_back({"/events/text", {"event"}, {n}, text, "1", "in words"});
}

}  // namespace TIDEWATT_NAMESPACE::sim
