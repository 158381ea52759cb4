#include "job_series.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "numerics/block.hpp"
#include "tidewatt/base/simd.hpp"
#include "weighted_mean.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<const char*, dvfs::n_limiter> limiter_names = {"none",     "power", "thermal", "clock",
                                                                    "slowdown", "brake", "memory"};
constexpr std::array<const char*, dvfs::n_limiter> limiter_columns = {
    "limiter_none_frac",     "limiter_power_frac", "limiter_thermal_frac", "limiter_clock_frac",
    "limiter_slowdown_frac", "limiter_brake_frac", "limiter_memory_frac"};

/// Figures that a job's GPUs have whether they work or not.
constexpr std::array<std::string_view, 3> of_all_time = {"die_mean_K", "server_fan_frac", "memory_mean_K"};

/// Classes of values: how many widths they lie above the first.
TIDEWATT_CLONES
void classify(const double* x, double first, double width, std::size_t n, std::int32_t* of) {
  for (std::size_t i = 0; i < n; ++i) of[i] = static_cast<std::int32_t>((x[i] - first) / width);
}

/// Two percentiles from a histogram of 4,096 bins between the extremes, linear inside a bin: the error is below a bin,
/// and it costs a tenth of a selection.
std::pair<double, double> percentiles(std::span<const double> x, double low, double high) {
  constexpr std::size_t n_bin = 4096;
  const double first = numerics::lane_min(x), last = numerics::lane_max(x), width = (last - first) / n_bin;
  if (first == last) return {first, last};
  std::array<std::uint32_t, n_bin + 1> count{};
  std::array<std::int32_t, numerics::block_size> of;
  for (std::size_t g = 0; g < x.size(); g += of.size()) {
    const std::size_t n = std::min(of.size(), x.size() - g);
    classify(x.data() + g, first, width, n, of.data());
    for (std::size_t i = 0; i < n; ++i) ++count[static_cast<std::size_t>(of[i])];
  }
  const auto at = [&](double share) {
    double left = share * static_cast<double>(x.size() - 1);
    std::size_t bin = 0;
    for (; bin < n_bin && left >= count[bin]; ++bin) left -= count[bin];
    return first + width * (static_cast<double>(bin) + (count[bin] > 0 ? left / count[bin] : 0.0));
  };
  return {at(low), at(high)};
}

/// The hottest die and memory of a step, in a row.
void heat(double die_K, double memory_K, JobSums& row) {
  row.die_max_K = std::max(row.die_max_K, die_K);
  row.memory_max_K = std::max(row.memory_max_K, memory_K);
}

}  // namespace

Row row_of(const JobSums& s) {
  const double d = s.time_s, it = s.iterating_s;
  const auto working = [&](double x) { return it > 0.0 ? x : nan; };
  Row out = {{"clock_mean_Hz", working(s.clock_Hzs / it)},
             {"clock_slowest_Hz", working(s.pace.slowest_Hzs / it)},
             {"clock_p05_Hz", working(s.spread_Hz[0])},
             {"clock_p95_Hz", working(s.spread_Hz[1])},
             {"die_mean_K", s.die_Ks / d},
             {"die_max_K", s.die_max_K},
             {"throughput_tokens_per_s", working(s.tokens / it)},
             {"iteration_s", working(s.iteration_s2 / it)},
             {"server_fan_frac", s.fan_s / d}};
  for (std::size_t i = 0; i < limiter_columns.size(); ++i)
    out.emplace_back(limiter_columns[i], working(s.limiter_s[i] / it));
  out.emplace_back("memory_mean_K", s.memory_Ks > 0.0 ? s.memory_Ks / d : nan);
  out.emplace_back("memory_max_K", s.memory_max_K > 0.0 ? s.memory_max_K : nan);
  out.emplace_back("job_state", static_cast<double>(std::max_element(std::begin(s.state_s), std::end(s.state_s)) -
                                                    std::begin(s.state_s)));
  return out;
}

Row site_row(std::span<const JobShare> jobs) {
  Row out;
  std::vector<WeightedMean> mean;
  std::array<double, workload::n_job_state> gpu_s{};
  for (const auto& job : jobs) {
    Row row = row_of(job.sums);
    mean.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      // What only working GPUs have weighs by their time of work.
      const bool worked = std::ranges::find(of_all_time, std::string_view(row[i].first)) == of_all_time.end();
      mean[i].add(job.n_gpu * (worked ? job.sums.iterating_s : job.sums.time_s), row[i].second);
    }
    for (std::size_t i = 0; i < gpu_s.size(); ++i) gpu_s[i] += job.n_gpu * job.sums.state_s[i];
    out = std::move(row);  // its names
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::string_view name = out[i].first;
    auto& x = out[i].second;
    if (name == "job_state")
      x = static_cast<double>(std::ranges::max_element(gpu_s) - gpu_s.begin());
    else if (name == "throughput_tokens_per_s")
      x = mean[i].sum();
    else if (name == "clock_slowest_Hz")
      x = mean[i].least();
    else if (name == "die_max_K" || name == "memory_max_K")
      x = mean[i].most();
    else
      x = mean[i].value();
  }
  return out;
}

void JobSeries::step(std::span<const Stretch> step, const NodeRange& nodes, Tick macro_end, const fleet::Fleet& fleet,
                     const fleet::FleetState& state, const fleet::FleetSignals& signals) {
  const std::size_t first = nodes.first_node * fleet.n_gpu_per_node, last = first + nodes.n_node * fleet.n_gpu_per_node;
  const bool has_memory = !signals.memory_K.empty();
  const double memory_K = has_memory ? numerics::lane_max(nodes.of_gpus(signals.memory_K, fleet.n_gpu_per_node)) : 0.0;
  const double die_K = numerics::lane_max(nodes.of_gpus(signals.hottest_K, fleet.n_gpu_per_node));
  heat(die_K, memory_K, state_.now);
  // The hottest instant of a step that reaches into the next row may lie in either.
  if (step.back().end > macro_end) heat(die_K, memory_K, state_.next);
  const double memory = has_memory ? numerics::lane_sum(nodes.of_gpus(signals.memory_K, fleet.n_gpu_per_node)) : 0.0;
  const double die = numerics::lane_sum(nodes.of_gpus(state.die_mean_K, fleet.n_gpu_per_node)),
               clock = numerics::lane_sum(nodes.of_gpus(state.clock_Hz, fleet.n_gpu_per_node));
  const double fan = numerics::lane_sum(std::span(state.fan_frac).subspan(nodes.first_node, nodes.n_node));
  // Neighbours mostly count into the same class: four counts of each keep them from waiting for one another.
  std::array<std::array<std::uint32_t, 4>, dvfs::n_limiter> counted{};
  for (std::size_t g = first; g < last; ++g) ++counted[static_cast<std::size_t>(signals.limiter[g])][g % 4];
  std::array<double, dvfs::n_limiter> limiter;
  for (std::size_t i = 0; i < limiter.size(); ++i)
    limiter[i] = static_cast<double>(counted[i][0] + counted[i][1] + counted[i][2] + counted[i][3]);
  const auto n_busy = static_cast<double>(last - first);
  for (const auto& s : step) {
    const double d = seconds(s.end - s.begin);
    // What reaches beyond the macro step belongs to the next one.
    const double inside_s = std::max(0.0, seconds(std::min(s.end, macro_end) - s.begin));
    for (auto [r, part_s] : {std::pair{&state_.now, inside_s}, std::pair{&state_.next, d - inside_s}}) {
      if (part_s <= 0.0) continue;
      r->time_s += part_s;
      r->load_J += s.load_J * (part_s / d);
      r->die_Ks += part_s * die / n_busy;
      r->memory_Ks += part_s * memory / n_busy;
      r->fan_s += part_s * fan / static_cast<double>(nodes.n_node);
      r->state_s[static_cast<std::size_t>(s.state)] += part_s;
      if (s.iteration_s <= 0.0) continue;
      // Their spread hardly moves within a macro step: one look is enough.
      if (r->spread_Hz[1] == 0.0)
        std::tie(r->spread_Hz[0], r->spread_Hz[1]) =
            percentiles(nodes.of_gpus(state.clock_Hz, fleet.n_gpu_per_node), 0.05, 0.95);
      r->iterating_s += part_s;
      r->tokens += s.tokens * (part_s / d);
      r->iteration_s2 += part_s * s.iteration_s;
      r->clock_Hzs += part_s * clock / n_busy;
      r->pace.slowest_Hzs += part_s * s.slowest_Hz;
      r->pace.alone_Hzs += part_s * s.alone_Hz;
      for (std::size_t i = 0; i < limiter.size(); ++i) r->limiter_s[i] += part_s * limiter[i] / n_busy;
      if (state_.clock_slowest_Hz == 0.0 || s.slowest_Hz < state_.clock_slowest_Hz)
        state_.clock_slowest_Hz = s.slowest_Hz;
    }
  }
}

void JobSeries::macro_step(Tick begin) {
  auto& [now, next, total, last, row, slowest, rows] = state_;
  if (now.time_s == 0.0) {  // the job took no step in it
    const double hottest_K = now.die_max_K;
    now = last;
    now.die_max_K = std::max(now.die_max_K, hottest_K);
  } else {
    if (now.die_max_K == 0.0) now.die_max_K = last.die_max_K;  // no step began in it
    last = now;
    total.time_s += now.time_s;
    total.die_Ks += now.die_Ks;
    total.memory_Ks += now.memory_Ks;
    total.iterating_s += now.iterating_s;
    total.tokens += now.tokens;
    total.clock_Hzs += now.clock_Hzs;
    total.pace.slowest_Hzs += now.pace.slowest_Hzs;
    total.pace.alone_Hzs += now.pace.alone_Hzs;
    total.iteration_s2 += now.iteration_s2;
    for (std::size_t i = 0; i < dvfs::n_limiter; ++i) total.limiter_s[i] += now.limiter_s[i];
  }
  row = now;
  now = next;
  next = {};
  rows["time"].push_back(seconds(begin));
  for (const auto& [name, x] : row_of(row)) rows[name].push_back(x);
  // A step longer than a macro step leaves the mean of both in each.
  rows["it_W"].push_back(row.load_J / row.time_s);
  rows["tokens_per_s"].push_back(row.tokens / row.time_s);
}

std::vector<std::pair<std::string, double>> JobSeries::limiter_share() const {
  const auto& total = state_.total;
  std::vector<std::pair<std::string, double>> out;
  out.reserve(limiter_names.size());
  for (std::size_t i = 0; i < limiter_names.size(); ++i)
    out.emplace_back(limiter_names[i], total.iterating_s > 0 ? total.limiter_s[i] / total.iterating_s : 0.0);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::sim
