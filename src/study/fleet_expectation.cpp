#include "fleet_expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/median.hpp"
#include "draws.hpp"
#include "fleet_estimate.hpp"
#include "fleet_screen.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/sim/look_up.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using namespace detail;

constexpr std::size_t most_fleets = 320, most_controls = 3, most_screens = 3;
constexpr std::int64_t screen_gpus = 49152;  // of a screen

/// Processor time of a run, in GPU-hours of fleets (about 0.8 µs): the connection costs as much as some thousand GPUs.
double cost_of(double hours, std::int64_t n_gpu) {
  constexpr double of_connection = 8000.0;
  return hours * (static_cast<double>(n_gpu) + of_connection);
}
constexpr double draw_cost = 0.2;  // of one GPU, in the same unit

/// That all of it may take: almost as much as eight runs of 16,384 GPUs through a day, or half of the run itself.
double allowed_cost(double base_cost) { return std::max(7.7 * cost_of(24.0, 16384), 0.5 * base_cost); }

/// Larger or smaller by whole factors, near the size of a screen and within the cost. @param n_gpu of the site
std::optional<sim::Scenario> screen_of(const sim::Scenario& scenario, std::int64_t n_gpu, double hours, double most) {
  const auto fits = [&](std::int64_t n) { return n <= screen_gpus && cost_of(hours, n) <= most; };
  constexpr std::int64_t most_part = 256;
  for (std::int64_t times = screen_gpus / n_gpu; times > 1; --times)
    if (fits(times * n_gpu))
      if (auto out = scaled(scenario, times, 1)) return out;
  for (std::int64_t part = 1; part <= most_part; ++part)
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

/// Draws have at most 45 % of the cost, controls at most 40 %, screens the rest.
Effort effort_for(const sim::Scenario& scenario) {
  const std::int64_t n_gpu = gpus_of(scenario);
  const double hours = scenario.run.duration_s / 3600.0, base_cost = cost_of(hours, n_gpu),
               allowed = allowed_cost(base_cost), each = draw_cost * static_cast<double>(n_gpu);
  Effort out;
  out.n_fleet = std::min(most_fleets, static_cast<std::size_t>(0.45 * allowed / each));
  out.n_control = std::min(most_controls, static_cast<std::size_t>(0.4 * allowed / base_cost));
  const double left =
      allowed - each * static_cast<double>(out.n_fleet) - base_cost * static_cast<double>(out.n_control);
  out.screen = screen_of(scenario, n_gpu, hours, left);
  if (out.screen)
    out.most_screens = static_cast<std::size_t>(
        std::min(static_cast<double>(most_screens), left / cost_of(hours, gpus_of(*out.screen))));
  return out;
}

double sigma_of(const std::vector<double>& x) {
  const auto n = static_cast<double>(x.size());
  double mean = 0.0, square = 0.0;
  for (const double v : x) mean += v / n;
  for (const double v : x) square += (v - mean) * (v - mean);
  return std::sqrt(square / std::max(1.0, n - 1.0));
}

constexpr double of_median = 1.2533141373155001;  // √(π/2): error of a median ÷ that of a mean, of normal draws

/// By how much estimates miss complete runs. Fans may step otherwise in a screen: one run in twenty is far off, so medians decide.
struct Miss {
  double correction = 0.0, sigma = 0.0, error = 0.0;
};
Miss miss_of(const std::vector<double>& missed) {
  constexpr double of_deviation = 1.4826;  // standard deviation ÷ median deviation, of normal draws
  const auto n = static_cast<double>(missed.size());
  const double middle = median(missed);
  std::vector<double> off;
  for (const double m : missed) off.push_back(std::abs(m - middle));
  // One or two say little of their spread: the miss itself counts.
  Miss out;
  out.sigma = missed.size() > 2 ? of_deviation * median(off) : std::max(std::abs(middle), sigma_of(missed));
  out.error = of_median * out.sigma / std::sqrt(n);
  // Estimates have hardly any bias of their own: a miss within its error is no reason to move them.
  if (std::abs(middle) > out.error) out.correction = middle - out.error * out.error / middle;
  return out;
}

/// Complete runs: the base and the controls. Those that fail are counted.
std::vector<CompleteRun> complete_runs(const FleetBase& base, const FleetSampling& sampling, std::size_t n_control,
                                       std::int64_t& n_failed) {
  std::vector<CompleteRun> out;
  out.push_back({static_cast<std::uint64_t>(base.scenario.run.seed), fleet_figures(base.result), base.clocks.hours()});
  auto other = scaled(base.scenario, 1, 1).value();
  for (std::size_t i = 0; i < n_control; ++i) {
    if (sampling.stop && sampling.stop()) break;
    const auto seed = other_fleet_seed(sampling.seed, i);
    other.run.seed = static_cast<std::int64_t>(seed);
    sim::FleetClocks clocks(false);
    sim::RunOptions options;
    options.n_thread = sampling.n_thread, options.clocks = &clocks;
    try {
      const auto figures = fleet_figures(sim::run(other, options));
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
  const FleetEstimate estimate(runs);
  std::map<std::uint64_t, FleetFigures> estimates;
  for (const auto& [of, course] : courses) estimates.emplace(of, estimate.of(course));
  const auto& base = runs.front().figures;
  for (std::size_t k = 0; k < n_fleet_key; ++k) {
    if (!(base[k] > (k == swing ? floor_percent : 0.0))) continue;
    std::vector<double> missed, logs;
    for (const auto& run : runs)
      if (const auto at = estimates.find(run.seed);
          at != estimates.end() && std::isfinite(run.figures[k] - at->second[k]))
        missed.push_back(run.figures[k] - at->second[k]);
    if (missed.empty()) continue;
    const auto miss = miss_of(missed);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      const auto at = estimates.find(seeds[i]);
      if (at == estimates.end()) continue;
      const double rest = miss.sigma * random::normal(seed, draws::fleet_rest, i, k);
      const double value = at->second[k] + miss.correction + rest;
      if (value > 0.0) logs.push_back(math::log(value / base[k]));
    }
    if (logs.empty()) continue;
    const double typical = base[k] * math::exp(median(logs)),
                 by_draws = of_median * sigma_of(logs) / std::sqrt(static_cast<double>(logs.size())),
                 by_miss = miss.error / typical;
    out.median_error[fleet_keys[k]] = std::sqrt(by_draws * by_draws + by_miss * by_miss);
    out.n_draw = std::max(out.n_draw, static_cast<std::int64_t>(logs.size()));
    out.logs[fleet_keys[k]] = std::move(logs);
  }
}

}  // namespace

std::uint64_t other_fleet_seed(std::uint64_t of, std::size_t i) {
  return random::bits(of, draws::other_fleet, i, 0)[0] >> 16;
}

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
  for (std::size_t i = 0; i < effort.n_fleet; ++i) seeds.push_back(other_fleet_seed(sampling.seed, i));
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
