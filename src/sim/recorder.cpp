#include "recorder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <tuple>

#include "tidewatt/numerics/block.hpp"

namespace tidewatt::sim {
namespace {

constexpr Tick hour = 3600 * ns_per_s;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<const char*, dvfs::n_limiter> limiter_names = {"none", "power", "thermal", "clock", "slowdown", "brake", "memory"};

struct ColumnInfo {
  const char *name, *unit, *long_name;
};
constexpr std::array day_columns = {
    ColumnInfo{"time", "s", "start of the macro step"},
    ColumnInfo{"outdoor_drybulb_K", "K", "outdoor dry bulb, mean"},
    ColumnInfo{"outdoor_wetbulb_K", "K", "outdoor wet bulb, mean"},
    ColumnInfo{"supply_K", "K", "air supplied to the halls, mean"},
    ColumnInfo{"inlet_mean_K", "K", "air at the servers' fronts, mean over nodes"},
    ColumnInfo{"hot_aisle_K", "K", "hot aisle, mean"},
    ColumnInfo{"clock_mean_Hz", "Hz", "clock, mean over the job's GPUs while iterating"},
    ColumnInfo{"clock_slowest_Hz", "Hz", "clock of the slowest GPU while iterating"},
    ColumnInfo{"clock_p05_Hz", "Hz", "clock, 5th percentile over GPUs"},
    ColumnInfo{"clock_p95_Hz", "Hz", "clock, 95th percentile over GPUs"},
    ColumnInfo{"die_mean_K", "K", "die temperature, mean over GPUs and time"},
    ColumnInfo{"die_max_K", "K", "die temperature, highest"},
    ColumnInfo{"throughput_tokens_per_s", "1/s", "tokens per second spent iterating"},
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
    ColumnInfo{"memory_mean_K", "K", "memory stacks, mean over the first job's GPUs and time; NaN without"},
    ColumnInfo{"memory_max_K", "K", "memory stacks of the warmest GPU, mean over a step; NaN without"},
    ColumnInfo{"job_state", "1", "what the job did most of the step: 0 queued 1 initialise 2 load 3 warm_up 4 iterate 5 evaluate 6 checkpoint 7 detect 8 replace 9 maintenance 10 done 11 ramp_up 12 ramp_down 13 wait_for_spare"},
};

/// Two percentiles from a histogram of 4,096 bins between the extremes, linear inside a bin: the error is below a bin,
/// and it costs a tenth of a selection.
std::pair<double, double> percentiles(std::span<const double> x, double low, double high) {
  constexpr std::size_t n_bin = 4096;
  const auto [lo, hi] = std::minmax_element(x.begin(), x.end());
  if (*lo == *hi) return {*lo, *hi};
  const double first = *lo, width = (*hi - *lo) / n_bin;
  std::array<std::uint32_t, n_bin + 1> count{};
  for (const double v : x) ++count[static_cast<std::size_t>((v - first) / width)];
  const auto at = [&](double share) {
    double left = share * static_cast<double>(x.size() - 1);
    std::size_t bin = 0;
    for (; bin < n_bin && left >= count[bin]; ++bin) left -= count[bin];
    return first + width * (static_cast<double>(bin) + (count[bin] > 0 ? left / count[bin] : 0.0));
  };
  return {at(low), at(high)};
}

}  // namespace

Array column(std::string path, std::string dim, std::vector<double> values, std::string unit, std::string long_name) {
  const std::uint64_t n = values.size();
  return {std::move(path), {std::move(dim)}, {n}, std::move(values), std::move(unit), std::move(long_name)};
}

Recorder::Recorder(const Fleet& fleet, Tick local_start) : fleet_(fleet), local_start_(local_start) {}

template <class Visit>
void Recorder::spread_over_hours(Tick begin, Tick end, Visit&& visit) {
  for (Tick at = begin; at < end;) {
    const std::int64_t h = (local_start_ + at) / hour;
    const Tick stop = std::min(end, (h + 1) * hour - local_start_);
    visit(hours_[h], seconds(stop - at), static_cast<double>(stop - at) / static_cast<double>(end - begin));
    at = stop;
  }
}

void Recorder::fleet_step(std::span<const Stretch> step, std::size_t user, std::size_t first_node, std::size_t n_node,
                          const FleetState& state, const FleetSignals& signals) {
  for (const auto& s : step) {
    it_J_.add(s.load_J);
    spread_over_hours(s.begin, s.end, [&](Hourly& h, double inside_s, double share) {
      if (user == 0 && s.iteration_s > 0.0) {
        h.tokens += s.tokens * share;
        h.iterating_s += inside_s;
      }
      h.it_J += s.load_J * share;
    });
  }
  const std::size_t first = first_node * fleet_.n_gpu_per_node, last = (first_node + n_node) * fleet_.n_gpu_per_node;
  const auto of_user = [&](const std::vector<double>& all) { return std::span(all).subspan(first, last - first); };
  const bool has_memory = !signals.memory_K.empty();
  now_.die_max_K = std::max(now_.die_max_K, numerics::lane_max(of_user(state.die_peak_K)));
  if (has_memory) now_.memory_max_K = std::max(now_.memory_max_K, numerics::lane_max(of_user(signals.memory_K)));
  if (user > 0) return;
  const double memory = has_memory ? numerics::lane_sum(of_user(signals.memory_K)) : 0.0;
  const double die = numerics::lane_sum(of_user(state.die_mean_K)), clock = numerics::lane_sum(of_user(state.clock_Hz));
  const double fan = numerics::lane_sum(std::span(state.fan_frac).subspan(first_node, n_node));
  // Neighbours mostly count into the same class: four counts of each keep them from waiting for one another.
  std::array<std::array<std::uint32_t, 4>, dvfs::n_limiter> counted{};
  for (std::size_t g = first; g < last; ++g) ++counted[static_cast<std::size_t>(signals.limiter[g])][g % 4];
  std::array<double, dvfs::n_limiter> limiter;
  for (std::size_t i = 0; i < limiter.size(); ++i) limiter[i] = static_cast<double>(counted[i][0] + counted[i][1] + counted[i][2] + counted[i][3]);
  const auto n_busy = static_cast<double>(last - first);
  for (const auto& s : step) {
    const double d = seconds(s.end - s.begin);
    // What reaches beyond the macro step belongs to the next one.
    const double inside_s = std::max(0.0, seconds(std::min(s.end, macro_end_) - s.begin));
    for (auto [r, part_s] : {std::pair{&now_, inside_s}, std::pair{&next_, d - inside_s}}) {
      if (part_s <= 0.0) continue;
      r->time_s += part_s;
      r->die_Ks += part_s * die / n_busy;
      r->memory_Ks += part_s * memory / n_busy;
      r->fan_s += part_s * fan / static_cast<double>(n_node);
      r->state_s[static_cast<std::size_t>(s.state)] += part_s;
      if (s.iteration_s <= 0.0) continue;
      // Their spread hardly moves within a macro step: one look is enough.
      if (r->p95_Hz == 0.0)
        std::tie(r->p05_Hz, r->p95_Hz) = percentiles(std::span(state.clock_Hz).subspan(first, last - first), 0.05, 0.95);
      r->iterating_s += part_s;
      r->tokens += s.tokens * (part_s / d);
      r->iteration_s2 += part_s * s.iteration_s;
      r->clock_Hzs += part_s * clock / n_busy;
      r->slowest_Hzs += part_s * s.slowest_Hz;
      for (std::size_t i = 0; i < limiter.size(); ++i) r->limiter_s[i] += part_s * limiter[i] / n_busy;
      if (clock_slowest_Hz_ == 0.0 || s.slowest_Hz < clock_slowest_Hz_) clock_slowest_Hz_ = s.slowest_Hz;
    }
  }
}

void Recorder::neighbour(Tick begin, Tick end, double J) {
  it_J_.add(J);
  spread_over_hours(begin, end, [&](Hourly& h, double, double share) { h.it_J += J * share; });
}

void Recorder::macro_step(Tick begin, Tick end, const HallLoop& halls) {
  const auto& m = halls.means();
  // A step that spans several macro steps leaves some without a share: it goes on in them.
  if (now_.time_s == 0.0) {
    const double hottest_K = now_.die_max_K;
    now_ = last_;
    now_.die_max_K = std::max(now_.die_max_K, hottest_K);
  } else {
    if (now_.die_max_K == 0.0) now_.die_max_K = last_.die_max_K;  // nobody's step began in it
    last_ = now_;
    total_.time_s += now_.time_s;
    total_.die_Ks += now_.die_Ks;
    total_.memory_Ks += now_.memory_Ks;
    total_.iterating_s += now_.iterating_s;
    total_.tokens += now_.tokens;
    total_.clock_Hzs += now_.clock_Hzs;
    total_.iteration_s2 += now_.iteration_s2;
    for (std::size_t i = 0; i < dvfs::n_limiter; ++i) total_.limiter_s[i] += now_.limiter_s[i];
  }
  const double d = now_.time_s, it = now_.iterating_s;
  const bool on = it > 0.0;
  const std::array<double, day_columns.size()> row = {
      seconds(begin), m.outdoor_drybulb_K, m.outdoor_wetbulb_K, m.supply_K, m.inlet_K, m.hot_aisle_K,
      on ? now_.clock_Hzs / it : nan, on ? now_.slowest_Hzs / it : nan, on ? now_.p05_Hz : nan,
      on ? now_.p95_Hz : nan, now_.die_Ks / d, now_.die_max_K, on ? now_.tokens / it : nan,
      on ? now_.iteration_s2 / it : nan, nan, nan, nan, nan, m.plant_W, m.water_kg_per_s, m.liquid_W > 0.0 ? m.liquid_supply_K : nan, m.capacity_margin_frac,
      now_.fan_s / d, on ? now_.limiter_s[0] / it : nan, on ? now_.limiter_s[1] / it : nan,
      on ? now_.limiter_s[2] / it : nan, on ? now_.limiter_s[3] / it : nan, on ? now_.limiter_s[4] / it : nan,
      on ? now_.limiter_s[5] / it : nan, on ? now_.limiter_s[6] / it : nan,
      now_.memory_Ks > 0.0 ? now_.memory_Ks / d : nan, now_.memory_max_K > 0.0 ? now_.memory_max_K : nan,
      static_cast<double>(std::max_element(std::begin(now_.state_s), std::end(now_.state_s)) - std::begin(now_.state_s))};
  for (std::size_t i = 0; i < row.size(); ++i) day_[day_columns[i].name].push_back(row[i]);
  spread_over_hours(begin, end, [&](Hourly& h, double s, double) {
    h.water_kg += m.water_kg_per_s * s;
    h.inlet_Ks += m.inlet_K * s;
    h.covered_s += s;
  });
  die_max_K_ = std::max(die_max_K_, now_.die_max_K);
  memory_max_K_ = std::max(memory_max_K_, now_.memory_max_K);
  now_ = next_;
  next_ = {};
}

void Recorder::connection(const SiteStream::Span& pcc, Tick begin, Tick end, std::size_t row) {
  day_["it_W"][row] = pcc.load_mean_W;
  day_["pcc_mean_W"][row] = pcc.mean_W;
  day_["pcc_min_W"][row] = pcc.min_W;
  day_["pcc_max_W"][row] = pcc.max_W;
  spread_over_hours(begin, end, [&](Hourly& h, double, double share) { h.pcc_J += pcc.J * share; });
}

void Recorder::snapshot(const FleetState& state, const FleetSignals& signals, const TrainingTask& task,
                        std::span<const double> inlet_K, const LoadEdges& edges, const Moment& moment) {
  moment_ = moment;
  const std::size_t n = fleet_.n_gpu();
  std::vector<std::int64_t> row(n), rack(n), node(n), slot(n), stage(n), replica(n), limiter(n);
  std::vector<double> inlet(n), leakage(n);
  for (std::size_t g = 0; g < n; ++g) {
    const std::size_t k = g / fleet_.n_gpu_per_node;
    row[g] = fleet_.node_row[k];
    rack[g] = fleet_.node_rack[k];
    node[g] = fleet_.node_number[k];
    slot[g] = static_cast<std::int64_t>(g % fleet_.n_gpu_per_node);
    stage[g] = task.stage_of_node(k);
    replica[g] = task.replica_of_node(k);
    limiter[g] = static_cast<std::int64_t>(signals.limiter[g]);
    inlet[g] = inlet_K[k];
    leakage[g] = fleet_.chip[g].leakage_ratio;
  }
  const std::uint64_t size = n;
  const auto whole = [&](const char* name, std::vector<std::int64_t> v, const char* text) {
    fleet_arrays_.push_back({std::string("/fleet/") + name, {"gpu"}, {size}, std::move(v), "1", text});
  };
  const auto real = [&](const char* name, std::vector<double> v, const char* unit, const char* text) {
    fleet_arrays_.push_back({std::string("/fleet/") + name, {"gpu"}, {size}, std::move(v), unit, text});
  };
  fleet_arrays_.clear();
  whole("row", row, "row, counted over the site");
  whole("rack", rack, "rack, counted over the site");
  whole("node", node, "server");
  whole("slot", slot, "GPU within its server; the upper half stands in the preheated air");
  whole("stage", stage, "pipeline stage, -1: idle");
  whole("replica", replica, "data-parallel replica, -1: idle");
  whole("limiter", limiter, "0 none 1 power 2 thermal 3 clock 4 slowdown 5 brake 6 memory");
  real("die_K", signals.guess_K, "K", "die temperature, mean over an iteration after the step with the warmest inlet");
  if (!signals.memory_K.empty()) real("memory_K", signals.memory_K, "K", "memory stacks, mean over the step");
  real("clock_Hz", state.clock_Hz, "Hz", "clock in that step");
  real("own_Hz", state.own_Hz, "Hz", "clock it could hold without waiting for slower ranks");
  real("inlet_K", inlet, "K", "air at the server's front");
  real("leakage_ratio", leakage, "1", "leakage of the chip over nominal");
  real("resistance_ratio", fleet_.resistance_ratio, "1", "thermal resistance over nominal");
  std::vector<double> edge_s;
  for (const Tick t : edges.edge) edge_s.push_back(seconds(t));
  auto load_W = edges.load_W;
  load_W.push_back(load_W.empty() ? 0.0 : load_W.front());
  fleet_arrays_.push_back(column("/iteration/edge_s", "edge", edge_s, "s", "edges of one iteration"));
  fleet_arrays_.push_back(column("/iteration/load_W", "edge", load_W, "W", "site load from this edge to the next"));
  add_pipeline(task);
}

/// The slowest replicas' phases, stage by stage: what a pipeline diagram is drawn from.
void Recorder::add_pipeline(const TrainingTask& task) {
  const auto& timeline = task.timeline();
  const auto n_stage = static_cast<std::size_t>(task.model().n_stage());
  std::vector<std::int64_t> stage, kind;
  std::vector<double> begin_s;
  std::vector<std::string> names;
  for (const auto& k : timeline.kinds) names.push_back(k.name);
  for (std::size_t s = 0; s < n_stage; ++s) {
    Tick at = 0;
    for (const auto& segment : timeline.classes[s]) {
      stage.push_back(static_cast<std::int64_t>(s));
      kind.push_back(segment.kind);
      begin_s.push_back(seconds(at));
      at += segment.duration;
    }
  }
  const std::uint64_t n = stage.size(), n_name = names.size();
  fleet_arrays_.push_back({"/iteration/phase_stage", {"phase"}, {n}, std::move(stage), "1", "pipeline stage, of the slowest replicas"});
  fleet_arrays_.push_back({"/iteration/phase_kind", {"phase"}, {n}, std::move(kind), "1", "what it does, an index into kind_name"});
  fleet_arrays_.push_back(column("/iteration/phase_begin_s", "phase", std::move(begin_s), "s", "from when on, until the stage's next"));
  fleet_arrays_.push_back({"/iteration/kind_name", {"kind"}, {n_name}, std::move(names), "1", "kinds of phases"});
}

void Recorder::event(Tick tick, std::string kind, std::string entity, std::string text) {
  events_.push_back({seconds(tick), std::move(kind), std::move(entity), std::move(text)});
}

Recorder::Swing Recorder::swing() const {
  Swing out;
  double lo = 0, hi = 0;
  int n_hour = 0;
  for (const auto& [h, x] : hours_) {
    if (x.iterating_s < 900.0) continue;
    ++n_hour;
    const double rate = x.tokens / x.iterating_s;
    if (!out.known || rate < lo) {
      lo = rate;
      out.min_hour = h % 24;
    }
    hi = out.known ? std::max(hi, rate) : rate;
    out.known = true;
  }
  out.known = n_hour > 1;  // one hour alone swings against nothing
  if (out.known) out.percent = 100.0 * (hi - lo) / mean_throughput();
  return out;
}

double Recorder::mean_throughput() const { return total_.tokens / total_.iterating_s; }
double Recorder::mean_iteration_s() const { return total_.iteration_s2 / total_.iterating_s; }
double Recorder::clock_mean_Hz() const { return total_.clock_Hzs / total_.iterating_s; }
double Recorder::memory_mean_K() const { return total_.memory_Ks / total_.time_s; }
double Recorder::die_mean_K() const { return total_.die_Ks / total_.time_s; }

std::vector<std::pair<std::string, double>> Recorder::limiter_share() const {
  std::vector<std::pair<std::string, double>> out;
  for (std::size_t i = 0; i < limiter_names.size(); ++i)
    out.emplace_back(limiter_names[i], total_.iterating_s > 0 ? total_.limiter_s[i] / total_.iterating_s : 0.0);
  return out;
}

void Recorder::add_arrays(std::vector<Array>& arrays) const {
  for (const auto& c : day_columns)
    if (const auto it = day_.find(c.name); it != day_.end()) {
      if (std::string_view(c.name) == "job_state")
        arrays.push_back({"/day/job_state", {"time"}, {it->second.size()}, std::vector<std::int64_t>(it->second.begin(), it->second.end()),
                          c.unit, c.long_name});
      else
        arrays.push_back(column(std::string("/day/") + c.name, "time", it->second, c.unit, c.long_name));
    }
  std::vector<double> time, rate, iterating, it_J, pcc_J, water, inlet;
  for (const auto& [h, x] : hours_) {
    time.push_back(static_cast<double>(h) * 3600.0 - seconds(local_start_));
    rate.push_back(x.iterating_s > 0 ? x.tokens / x.iterating_s : nan);
    iterating.push_back(x.iterating_s);
    it_J.push_back(x.it_J);
    pcc_J.push_back(x.pcc_J);
    water.push_back(x.water_kg);
    inlet.push_back(x.covered_s > 0 ? x.inlet_Ks / x.covered_s : nan);
  }
  arrays.push_back(column("/hourly/time", "time", time, "s", "start of the hour"));
  arrays.push_back(column("/hourly/throughput_tokens_per_s", "time", rate, "1/s", "tokens per second spent iterating"));
  arrays.push_back(column("/hourly/iterating_s", "time", iterating, "s", "time spent iterating"));
  arrays.push_back(column("/hourly/it_J", "time", it_J, "J", "energy at the servers' AC inputs"));
  arrays.push_back(column("/hourly/pcc_J", "time", pcc_J, "J", "energy at the connection"));
  arrays.push_back(column("/hourly/water_kg", "time", water, "kg", "water use"));
  arrays.push_back(column("/hourly/inlet_mean_K", "time", inlet, "K", "air at the servers' fronts, mean"));
  for (const auto& a : fleet_arrays_) arrays.push_back(a);
  std::vector<double> t;
  std::vector<std::string> kind, entity, text;
  auto events = events_;  // the connection's come in some macro steps late
  std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) { return std::tie(a.time_s, a.kind, a.entity) < std::tie(b.time_s, b.kind, b.entity); });
  for (const auto& e : events) {
    t.push_back(e.time_s);
    kind.push_back(e.kind);
    entity.push_back(e.entity);
    text.push_back(e.text);
  }
  const std::uint64_t n = events_.size();
  arrays.push_back(column("/events/time", "event", t, "s", "when"));
  arrays.push_back({"/events/kind", {"event"}, {n}, kind, "1", "what"});
  arrays.push_back({"/events/entity", {"event"}, {n}, entity, "1", "whom"});
  arrays.push_back({"/events/text", {"event"}, {n}, text, "1", "in words"});
}

}  // namespace tidewatt::sim
