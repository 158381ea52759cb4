#include "fleet_expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "draws.hpp"
#include "fleet_screen.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using namespace detail;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
enum Key : std::size_t { swing, slowest, tokens, iteration, die, n_key };
constexpr std::array<const char*, n_key> keys = {"throughput_swing_percent", "clock_slowest_MHz", "tokens_per_s_mean",
                                                 "iteration_s", "die_max_degC"};
using Figures = std::array<double, n_key>;

constexpr std::size_t most_fleets = 400, most_controls = 2;
constexpr std::int64_t screen_gpus = 49152;  // of a screen
constexpr double least_hour_s = 900.0;  // of iterations in an hour that counts for the swing, as in the run's summary

Figures figures_of(const sim::Result& result) {
  Figures out;
  for (std::size_t k = 0; k < n_key; ++k) out[k] = sim::figure(result, keys[k]);
  return out;
}

/// A complete run of one fleet.
struct CompleteRun {
  std::uint64_t seed;
  Figures figures;
  std::vector<std::map<std::int64_t, sim::FleetClocks::Hour>> hours;
};

// ---------------------------------------------------------------------------------------------------------------- how many runs

/// Processor time of a run, in GPU-hours of fleets (about 0.8 µs): the connection costs as much as some thousand GPUs.
double cost_of(double hours, std::int64_t n_gpu) {
  constexpr double of_connection = 8000.0;
  return hours * (static_cast<double>(n_gpu) + of_connection);
}
constexpr double draw_cost = 0.2;  // of one GPU, in the same unit

/// That all of it may take: as much as seven runs of 16,384 GPUs through a day, or half of the run itself.
double allowed_cost(double base_cost) { return std::max(7.0 * cost_of(24.0, 16384), 0.5 * base_cost); }

/// Larger or smaller by whole factors, near the size of a screen and within the cost. @param n_gpu of the site
std::optional<sim::Scenario> screen_of(const sim::Scenario& scenario, std::int64_t n_gpu, double hours, double most) {
  const auto fits = [&](std::int64_t n) { return n <= screen_gpus && cost_of(hours, n) <= most; };
  for (std::int64_t times = screen_gpus / n_gpu; times > 1; --times)
    if (fits(times * n_gpu))
      if (auto out = scaled(scenario, times, 1)) return out;
  for (std::int64_t part = 1; part <= n_gpu; ++part)
    if (fits(n_gpu / part))
      if (auto out = scaled(scenario, 1, part)) return out;
  return {};
}

std::int64_t gpus_of(const sim::Scenario& scenario) {
  std::int64_t n = 0;
  for (const auto& h : scenario.halls) n += h.hall.n_gpu;
  return n;
}

struct Effort {
  std::optional<sim::Scenario> screen;  ///< absent: too dear
  std::size_t n_fleet = 0, n_control = 0, most_screens = 0;
};

/// Draws have at most 45 % of the cost, controls at most another third, screens the rest.
Effort effort_for(const sim::Scenario& scenario) {
  const std::int64_t n_gpu = gpus_of(scenario);
  const double hours = scenario.run.duration_s / 3600.0, base_cost = cost_of(hours, n_gpu),
               allowed = allowed_cost(base_cost), each = draw_cost * static_cast<double>(n_gpu);
  Effort out;
  out.n_fleet = std::min(most_fleets, static_cast<std::size_t>(0.45 * allowed / each));
  out.n_control = std::min(most_controls, static_cast<std::size_t>(allowed / (3.0 * base_cost)));
  const double left =
      allowed - each * static_cast<double>(out.n_fleet) - base_cost * static_cast<double>(out.n_control);
  out.screen = screen_of(scenario, n_gpu, hours, left);
  if (out.screen) out.most_screens = static_cast<std::size_t>(left / cost_of(hours, gpus_of(*out.screen)));
  return out;
}

// ------------------------------------------------------------------------------------------------------------- from clocks to work

/// ln y = level + slope ln f of one job.
struct Line {
  double level = 0.0, slope = 1.0;
  double at(double f) const { return math::exp(std::fma(slope, math::log(f), level)); }
};

/// Least squares over hours, by their time. Without any spread of f, y is proportional to f to the power of `usual`.
template <class Y>
Line line_of(const std::vector<CompleteRun>& runs, std::size_t job, double usual, Y&& y) {
  double w = 0.0, x_mean = 0.0, y_mean = 0.0, xx = 0.0, xy = 0.0;
  const auto each = [&](auto&& visit) {
    for (const auto& run : runs)
      if (job < run.hours.size())
        for (const auto& [at, h] : run.hours[job])
          if (h.s >= least_hour_s) visit(h.s, math::log(h.slowest_Hzs / h.s), math::log(y(h)));
  };
  each([&](double s, double lx, double ly) { w += s, x_mean += s * lx, y_mean += s * ly; });
  if (w == 0.0) return {nan, usual};
  x_mean /= w, y_mean /= w;
  each([&](double s, double lx, double ly) {
    xx += s * (lx - x_mean) * (lx - x_mean), xy += s * (lx - x_mean) * (ly - y_mean);
  });
  constexpr double least_spread = 1e-4;  // standard deviation of ln f
  const double slope = xx > w * least_spread * least_spread ? xy / xx : usual;
  return {std::fma(-slope, x_mean, y_mean), slope};
}

/// Figures of a fleet from its slowest clocks.
class Estimate {
 public:
  explicit Estimate(const std::vector<CompleteRun>& runs) : base_(runs.front()) {
    for (std::size_t j = 0; j < base_.hours.size(); ++j) {
      rate_.push_back(line_of(runs, j, 1.0, [](const auto& h) { return h.tokens / h.s; }));
      period_.push_back(line_of(runs, j, -1.0, [](const auto& h) { return h.iteration_s2 / h.s; }));
    }
  }

  Figures of(const FleetCourse& fleet) const {
    Figures out;
    out[die] = fleet.die_K - 273.15;
    double least_Hz = std::numeric_limits<double>::infinity(), all_per_s = 0.0, s_all = 0.0, period_s2 = 0.0;
    std::vector<double> mean_per_s(base_.hours.size(), 0.0);
    std::map<std::int64_t, std::pair<double, double>> hour_per_s;  // rate, usual rate of the jobs that iterate
    for (std::size_t j = 0; j < base_.hours.size(); ++j) {
      double w = 0.0;
      for (const auto& [at, h] : base_.hours[j]) {
        const auto f = fleet.slowest_Hz[j].find(at);
        if (f == fleet.slowest_Hz[j].end()) continue;
        least_Hz = std::min(least_Hz, f->second);
        w += h.s, mean_per_s[j] += h.s * rate_[j].at(f->second), period_s2 += h.s * period_[j].at(f->second);
      }
      if (w == 0.0) continue;
      mean_per_s[j] /= w, all_per_s += mean_per_s[j], s_all += w;
      for (const auto& [at, h] : base_.hours[j])
        if (const auto f = fleet.slowest_Hz[j].find(at); f != fleet.slowest_Hz[j].end() && h.s >= least_hour_s)
          hour_per_s[at].first += rate_[j].at(f->second), hour_per_s[at].second += mean_per_s[j];
    }
    double low = std::numeric_limits<double>::infinity(), high = 0.0;
    for (const auto& [at, rate] : hour_per_s) {
      const double x = rate.first * (all_per_s / rate.second);
      low = std::min(low, x), high = std::max(high, x);
    }
    out[swing] = hour_per_s.size() > 1 ? 100.0 * (high - low) / all_per_s : nan;
    out[slowest] = least_Hz * 1e-6;
    out[tokens] = all_per_s;
    out[iteration] = period_s2 / s_all;
    return out;
  }

 private:
  const CompleteRun& base_;
  std::vector<Line> rate_, period_;  ///< [job]
};

// ------------------------------------------------------------------------------------------------------------------ all together

double sigma_of(const std::vector<double>& x) {
  const auto n = static_cast<double>(x.size());
  double mean = 0.0, square = 0.0;
  for (const double v : x) mean += v / n;
  for (const double v : x) square += (v - mean) * (v - mean);
  return std::sqrt(square / std::max(1.0, n - 1.0));
}

double median_of(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return 0.5 * (x[(x.size() - 1) / 2] + x[x.size() / 2]);
}

constexpr double of_median = 1.2533141373155001;  // √(π/2): error of a median ÷ that of a mean, of normal draws

/// By how much estimates miss complete runs. Fans may step otherwise in a screen: one run in twenty is far off, so medians decide.
struct Miss {
  double middle = 0.0, sigma = 0.0, error = 0.0;
};
Miss miss_of(const std::vector<double>& missed) {
  constexpr double of_deviation = 1.4826;  // standard deviation ÷ median deviation, of normal draws
  const auto n = static_cast<double>(missed.size());
  Miss out{median_of(missed), 0.0, 0.0};
  std::vector<double> off;
  for (const double m : missed) off.push_back(std::abs(m - out.middle));
  // One or two say little of their spread: the correction itself counts.
  out.sigma = missed.size() > 2 ? of_deviation * median_of(off) : std::max(std::abs(out.middle), sigma_of(missed));
  out.error = of_median * out.sigma / std::sqrt(n);
  return out;
}

/// The i-th other seed: positive, and none that people type.
std::uint64_t seed_at(std::uint64_t of, std::size_t i) { return random::bits(of, draws::other_fleet, i, 0)[0] >> 16; }

/// Complete runs: the base and the controls. Those that fail are counted.
std::vector<CompleteRun> complete_runs(const FleetBase& base, const FleetSampling& sampling, std::size_t n_control,
                                       std::int64_t& n_failed) {
  std::vector<CompleteRun> out;
  out.push_back({static_cast<std::uint64_t>(base.scenario.run.seed), figures_of(base.result), base.clocks.hours()});
  auto other = scaled(base.scenario, 1, 1).value();
  for (std::size_t i = 0; i < n_control; ++i) {
    if (sampling.stop && sampling.stop()) break;
    const auto seed = seed_at(sampling.seed, i);
    other.run.seed = static_cast<std::int64_t>(seed);
    sim::FleetClocks clocks(false);
    sim::RunOptions options;
    options.n_thread = sampling.n_thread, options.clocks = &clocks;
    try {
      const auto figures = figures_of(sim::run(other, options));
      out.push_back({seed, figures, clocks.hours()});
    } catch (const std::runtime_error&) {
      ++n_failed;
    }
  }
  return out;
}

/// Courses of fleets by their seeds, screen by screen. A screen is full with the first fleet that finds no room, whatever fleet comes next:
/// chance alone leaves fleets out.
std::map<std::uint64_t, FleetCourse> screen_all(const FleetBase& base, const FleetSampling& sampling,
                                                const Effort& effort, const std::vector<std::uint64_t>& seeds) {
  const auto places = node_places(base.scenario);
  const auto own = sim::draw_fleet(base.scenario, static_cast<std::uint64_t>(base.scenario.run.seed), places.order);
  const auto scores = fleet_scores(places, own, base.clocks);
  std::map<std::uint64_t, FleetCourse> out;
  std::optional<ScreenedFleet> next;
  std::size_t i = 0;
  for (std::size_t s = 0; s < effort.most_screens && i < seeds.size(); ++s) {
    if (sampling.stop && sampling.stop()) break;
    Screen screen(*effort.screen, scores);
    const std::size_t first = i;
    for (; i < seeds.size(); ++i) {
      if (!next) next = screened(base.scenario, places, scores, seeds[i]);
      if (!screen.take(*next)) break;
      next.reset();
    }
    if (i == first) break;
    const auto courses = screen.run(sampling.n_thread);
    for (std::size_t k = 0; k < courses.size(); ++k) out.emplace(seeds[first + k], courses[k]);
  }
  return out;
}

/// Corrected by the complete runs. @param seeds drawn, without the base's
void fill(const std::vector<CompleteRun>& runs, const std::vector<std::uint64_t>& seeds,
          const std::map<std::uint64_t, FleetCourse>& courses, std::uint64_t seed, double floor_percent,
          ChancePart& out) {
  const Estimate estimate(runs);
  std::map<std::uint64_t, Figures> estimates;
  for (const auto& [of, course] : courses) estimates.emplace(of, estimate.of(course));
  const auto& base = runs.front().figures;
  for (std::size_t k = 0; k < n_key; ++k) {
    if (!(base[k] > (k == swing ? floor_percent : 0.0))) continue;
    std::vector<double> missed, logs;
    for (const auto& run : runs)
      if (const auto at = estimates.find(run.seed); at != estimates.end() && std::isfinite(run.figures[k]))
        missed.push_back(run.figures[k] - at->second[k]);
    if (missed.empty()) continue;
    const auto miss = miss_of(missed);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      const auto at = estimates.find(seeds[i]);
      if (at == estimates.end()) continue;
      const double rest = miss.sigma * random::normal(seed, draws::fleet_rest, i, k);
      const double value = at->second[k] + miss.middle + rest;
      if (value > 0.0) logs.push_back(math::log(value / base[k]));
    }
    if (logs.empty()) continue;
    const double median = base[k] * math::exp(median_of(logs)),
                 by_draws = of_median * sigma_of(logs) / std::sqrt(static_cast<double>(logs.size())),
                 by_miss = miss.error / median;
    out.median_error[keys[k]] = std::sqrt(by_draws * by_draws + by_miss * by_miss);
    out.n_draw = std::max(out.n_draw, static_cast<std::int64_t>(logs.size()));
    out.logs[keys[k]] = std::move(logs);
  }
}

}  // namespace

ChancePart fleet_expectation(const FleetBase& base, const FleetSampling& sampling) {
  ChancePart out;
  out.name = "fleet";
  if (!base.scenario.run.spread) {
    out.note = "chips are identical";
    return out;
  }
  if (base.clocks.hours().empty()) {
    out.note = "no job iterates";
    return out;
  }
  const auto effort = effort_for(base.scenario);
  if (!effort.screen) {
    out.note = "runs of other fleets would take too long";
    return out;
  }
  std::vector<std::uint64_t> seeds, all = {static_cast<std::uint64_t>(base.scenario.run.seed)};
  for (std::size_t i = 0; i < effort.n_fleet; ++i) seeds.push_back(seed_at(sampling.seed, i));
  all.insert(all.end(), seeds.begin(), seeds.end());
  try {
    const auto courses = screen_all(base, sampling, effort, all);
    const auto runs = complete_runs(base, sampling, effort.n_control, out.n_failed);
    fill(runs, seeds, courses, sampling.seed, sim::figure(base.result, "throughput_swing_floor_percent"), out);
    out.note = fmt::format("{} fleets by their slowest and hottest nodes, and {} complete runs", courses.size() - 1,
                           runs.size());
  } catch (const std::runtime_error& e) {
    out.note = fmt::format("other fleets cannot be run: {}", e.what());
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
