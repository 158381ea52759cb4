#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <set>

#include "run_interval_parts.hpp"
#include "sampling.hpp"
#include "sweep_spec.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "toml_value.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {
namespace {

constexpr std::uint64_t sampling_seed = 1;

std::string text_of(const Node* node) {
  if (node != nullptr && node->is_table()) node = node->find("catalog");
  return node != nullptr && node->is_text() ? std::get<std::string>(node->value) : std::string();
}

double number_of(const Node& node) {
  if (const auto* whole = std::get_if<std::int64_t>(&node.value)) return static_cast<double>(*whole);
  return std::get<double>(node.value);
}

/// GPU entry of each hall as the file names it: {hall, entry}.
std::vector<std::pair<std::string, std::string>> gpu_entries(const Node& root) {
  std::vector<std::pair<std::string, std::string>> out;
  const Node* halls = root.find("hall");
  if (halls == nullptr || !halls->is_array()) return out;
  for (const Node& hall : std::get<Node::Array>(halls->value)) {
    const std::string name = text_of(hall.find("name")), entry = text_of(hall.find("gpu"));
    if (!name.empty() && !entry.empty()) out.emplace_back(name, entry);
  }
  return out;
}

/// A device that acts on the whole site by its own size: on a smaller fleet it is another device.
const char* fixed_size(const sim::Scenario& s) {
  const auto order = [](const sim::EventParams& e) { return e.kind == sim::EventKind::curtailment; };
  if (s.devices.generators || s.devices.turbines) return "generators";
  if (s.devices.n_ups > 0) return "a number of UPS";
  if (!s.neighbours.empty()) return "neighbours on its feeders";
  if (s.grid_case) return "a power system of several machines";
  return std::any_of(s.events.begin(), s.events.end(), order) ? "orders in megawatts" : nullptr;
}

/// Keys of a site battery that are sizes, and their values in the keys' units.
std::vector<std::pair<std::string, double>> battery_sizes(const sim::Scenario& s) {
  if (!s.battery) return {};
  const auto& b = *s.battery;
  const auto& name = s.mitigation_names.battery;
  const std::string path = fmt::format("mitigation.{}.", name.empty() ? "site_battery" : name);
  return {{path + "power_MW", 1e-6 * b.power_W},
          {path + "energy_MWh", b.energy_J / 3.6e9},
          {path + "standby_kW", 1e-3 * b.standby_W},
          {path + "ramp_up_MW_per_min", 6e-5 * b.ramp_up_W_per_s},
          {path + "ramp_down_MW_per_min", 6e-5 * b.ramp_down_W_per_s},
          {path + "band_MW", 1e-6 * b.band_W}};
}

/// Replicas that a job keeps: its share of the replay's GPUs, whole groups of experts.
std::int64_t kept_replicas(const workload::ParallelPlan& plan, double share) {
  const std::int64_t inside = plan.tp * plan.cp;
  std::int64_t step = 1;
  while ((step * inside) % std::max<std::int64_t>(plan.ep, 1) != 0) ++step;
  const auto wanted = static_cast<std::int64_t>(std::floor(static_cast<double>(plan.dp()) * share));
  return std::max(step, wanted / step * step);
}

/// Variables of all assumed inputs but those of `taken`, counts rounded, without those that a run refuses alone.
std::vector<Variable> settable(const sim::Scenario& scenario, const Reduced& reduced,
                               const std::set<std::string>& taken, const IntervalSource& source,
                               const sim::LoadOptions& load) {
  constexpr double odd = 0.381966;  // no whole number between whole ends
  std::vector<Variable> out;
  for (const auto& a : scenario.assumed) {
    const double share = reduced.with_share.contains(a.key) ? reduced.share : 1.0;
    if (a.low < a.high && !taken.contains(a.key))
      out.push_back({a.key, {a.key}, {}, share * a.low, share * a.high, "linear", false, 0});
  }
  for (int pass = 0; pass < 4; ++pass) {
    auto trial = load;
    for (const auto& v : out) trial.set.push_back(v.keys.front() + "=" + v.at(odd));
    try {
      sim::read_scenario(source.root, source.folder, trial);
      return out;
    } catch (const InputError& e) {
      const auto named = [&](const Variable& v) {
        return std::any_of(e.findings().begin(), e.findings().end(), [&](const Finding& f) { return f.key == v.name; });
      };
      const std::size_t before = out.size();
      std::erase_if(out, [&](Variable& v) {
        if (!named(v)) return false;
        const bool refused_again = v.whole;
        v.whole = true;
        return refused_again;
      });
      if (before == out.size() && std::none_of(out.begin(), out.end(), named))
        return out;  // wrong together: draws decide
    }
  }
  return out;
}

/// `YYYY-MM-DDThh:00:00`, some days later. @throws InputError for another form
std::string moved(const std::string& start, std::int64_t days) {
  using namespace std::chrono;
  const auto part = [&](std::size_t at, std::size_t n) {
    int value = 0;
    std::from_chars(start.data() + at, start.data() + at + n, value);
    return value;
  };
  const sys_days day{year{part(0, 4)} / part(5, 2) / part(8, 2)};
  const year_month_day to{day + std::chrono::days(days)};
  return fmt::format("{:04d}-{:02d}-{:02d}{}", static_cast<int>(to.year()), static_cast<unsigned>(to.month()),
                     static_cast<unsigned>(to.day()), start.substr(10));
}

}  // namespace

Reduced reduced_fleet(const sim::Scenario& s) {
  Reduced out;
  std::int64_t n_gpu = 0, in_jobs = 0, kept = 0;
  for (const auto& h : s.halls) n_gpu += h.hall.n_gpu;
  for (const auto& j : s.jobs) in_jobs += j.plan.n_gpu;
  out.n_gpu = n_gpu;
  if (n_gpu <= interval_gpus) return out;
  if (const char* device = fixed_size(s)) {
    out.refusal = fmt::format("the site has {}, whose size a replay on {} GPUs cannot have", device, interval_gpus);
    return out;
  }
  const double share = static_cast<double>(interval_gpus) / static_cast<double>(n_gpu);
  for (const auto& j : s.jobs) {
    const std::int64_t dp = j.plan.dp(), less = std::min(dp, kept_replicas(j.plan, share));
    const std::int64_t gpus = j.plan.n_gpu / dp * less;
    kept += gpus;
    out.set.push_back(fmt::format("job.{}.plan.n_gpu={}", j.name, gpus));
    out.set.push_back(
        fmt::format("job.{}.plan.global_batch_sequences={}", j.name, j.plan.global_batch_sequences / dp * less));
  }
  // Idle GPUs keep their share. Halls keep theirs, in whole servers; the last one takes what is left.
  const auto idle = static_cast<std::int64_t>(std::floor(static_cast<double>(n_gpu - in_jobs) * share));
  std::int64_t left = kept + idle, total = 0;
  for (std::size_t i = 0; i < s.halls.size(); ++i) {
    const auto& h = s.halls[i];
    const std::int64_t each = std::max<std::int64_t>(1, h.server.n_gpu);
    const double part = static_cast<double>(h.hall.n_gpu) / static_cast<double>(n_gpu);
    std::int64_t gpus =
        i + 1 == s.halls.size() ? left : static_cast<std::int64_t>(part * static_cast<double>(kept + idle));
    gpus = std::max(each, (gpus + each - 1) / each * each);
    left -= gpus, total += gpus;
    out.set.push_back(fmt::format("hall.{}.n_gpu={}", h.hall.name, gpus));
  }
  out.n_gpu = total;
  out.share = static_cast<double>(total) / static_cast<double>(n_gpu);
  for (const auto& [key, value] : battery_sizes(s)) {
    out.with_share.insert(key);
    if (value > 0.0) out.set.push_back(fmt::format("{}={}", key, value * out.share));
  }
  if (total > interval_gpus)
    out.refusal =
        fmt::format("its smallest fleet with whole replicas has {} GPUs, a replay at most {}", total, interval_gpus);
  return out;
}

PartDraws device_draws(const sim::Scenario& scenario, const Reduced& reduced, const IntervalSource& source,
                       const sim::LoadOptions& load) {
  const catalog::Catalog catalog(load.catalog_overlay);
  std::set<std::string> assumed, taken;
  for (const auto& a : scenario.assumed) assumed.insert(a.key);
  std::vector<Assignments> draws(interval_draws);
  // Values of the GPU that its anchors hold together: whole rows of its draws.
  for (const auto& [hall, entry] : gpu_entries(source.root)) {
    if (!catalog.has("draws", entry + "_draws")) continue;
    const Node stored = catalog.values("draws", entry + "_draws");
    const Node* table = stored.find("values");
    if (table == nullptr) continue;
    for (const auto& [key, column] : std::get<Node::Table>(table->value)) {
      const std::string path = fmt::format("hall.{}.gpu.{}", hall, key);
      if (!assumed.contains(path)) continue;  // set by the scenario
      taken.insert(path);
      const auto& list = std::get<Node::Array>(column.value);
      for (std::size_t i = 0; i < draws.size(); ++i)
        draws[i].push_back(path + "=" + toml_value(number_of(list[i % list.size()])));
    }
  }
  const auto variables = settable(scenario, reduced, taken, source, load);
  if (!variables.empty()) {
    const auto points = latin_hypercube(interval_draws, variables.size(), sampling_seed);
    for (std::size_t i = 0; i < draws.size(); ++i)
      for (std::size_t d = 0; d < variables.size(); ++d)
        draws[i].push_back(variables[d].keys.front() + "=" + variables[d].at(points[i][d]));
  }
  if (taken.empty() && variables.empty()) return {{}, "the scenario has no assumed input with a range"};
  return {std::move(draws), ""};
}

PartDraws weather_draws(const sim::Scenario& s) {
  const auto follows = [](const sim::HallSpec& h) { return h.plant_kind != sim::PlantKind::prescribed_inlet; };
  if (std::none_of(s.halls.begin(), s.halls.end(), follows)) return {{}, "the inlet is prescribed"};
  if (!s.weather.csv.empty()) return {{}, "the weather is measured"};
  if (s.weather.climate.empty() && s.weather.epw.empty()) return {{}, "there is no weather"};
  if (!s.weather.epw.empty() && s.weather.day != sim::WeatherDay::dated)
    return {{}, "the day of the weather file is asked for by name"};
  PartDraws out;
  const auto points = sobol_points(interval_draws, 1, sampling_seed);  // evenly from the first on
  for (const auto& point : points) {
    const auto days = static_cast<std::int64_t>(std::llround(interval_days * (2.0 * point[0] - 1.0)));
    out.draws.push_back({fmt::format("run.start=\"{}\"", moved(s.run.start, days))});
  }
  return out;
}

PartDraws seed_draws(const sim::Scenario& s) {
  PartDraws out;
  for (std::size_t i = 0; i < interval_draws; ++i)
    out.draws.push_back({fmt::format("run.seed={}", s.run.seed + 1 + static_cast<std::int64_t>(i))});
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study::detail
