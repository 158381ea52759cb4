#include "reduced_fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

bool placed(const sim::Scenario& s) {
  return std::any_of(s.jobs.begin(), s.jobs.end(), [](const sim::JobSpec& j) { return j.placement.has_value(); });
}

/// Whether jobs lie on whole racks of one hall, rack after rack from the first free one: fewer racks then hold them as well.
bool rack_after_rack(const sim::Scenario& s) {
  return s.halls.size() == 1 && s.halls[0].rack && std::all_of(s.jobs.begin(), s.jobs.end(), [](const auto& j) {
           const workload::PlacementParams how = j.placement.value_or(workload::PlacementParams());
           return how.style == "contiguous" && how.first_rack < 0 && how.rows.empty() && how.racks.empty();
         });
}

/// GPUs of a rack that a placed job works on: those of its spare nodes stay free.
std::int64_t used_of_rack(const sim::HallSpec& h, const sim::JobSpec& j) {
  return h.rack->power.n_gpu() - (j.placement ? j.placement->spare_nodes_per_rack : 0) * h.server.n_gpu;
}

/// Racks that a placed job has, whole ones.
std::int64_t racks_of(const sim::HallSpec& h, const sim::JobSpec& j) {
  const std::int64_t used = used_of_rack(h, j);
  return (j.plan.n_gpu + used - 1) / used;
}

/// Assumed inputs of a job that are rates of one GPU.
constexpr const char* gpu_rates[] = {"load_per_gpu_GB_per_s", "checkpoint_per_gpu_GB_per_s"};
std::string life_key(const sim::JobSpec& j, const char* key) { return fmt::format("job.{}.life.{}", j.name, key); }

/// By how much a job's rates of loading and saving can rise within what their keys take, wherever they are drawn. At that rate a copy
/// takes milliseconds.
double highest_rise(const sim::Scenario& s, const sim::JobSpec& j) {
  constexpr double most_B_per_s = 1e12;
  double highest_B_per_s = std::max(j.life.load_per_gpu_B_per_s, j.life.checkpoint_per_gpu_B_per_s);
  for (const auto& a : s.assumed)
    for (const char* key : gpu_rates)
      if (a.key == life_key(j, key)) highest_B_per_s = std::max(highest_B_per_s, 1e9 * a.high);
  return std::max(1.0, most_B_per_s / highest_B_per_s);
}

/// What acts on the whole site by its own size or place: on a smaller fleet it is another thing.
const char* own_size(const sim::Scenario& s) {
  if (s.devices.generators || s.devices.turbines) return "generators";
  if (s.devices.n_ups > 0) return "a number of UPS";
  if (!s.neighbours.empty()) return "neighbours on its feeders";
  if (s.grid_case) return "a power system of several machines";
  if (std::any_of(s.events.begin(), s.events.end(),
                  [](const sim::EventParams& e) { return e.kind == sim::EventKind::filter_blocked; }))
    return "a blocked rack";
  if (placed(s) && !rack_after_rack(s)) return "jobs placed on named racks";
  return std::any_of(s.halls.begin(), s.halls.end(), [](const sim::HallSpec& h) { return h.own_plant != nullptr; })
             ? "a plant of the caller"
             : nullptr;
}

/// GPUs that a hall has in whole parts: servers, or racks with their scale-up domain.
std::int64_t hall_unit(const sim::HallSpec& h) {
  return std::max<std::int64_t>(1, h.rack ? h.rack->power.n_gpu() : h.server.n_gpu);
}

/// Fewest replicas of a job that are whole groups of experts.
std::int64_t least_replicas(const workload::ParallelPlan& plan) {
  const std::int64_t inside = plan.tp * plan.cp, ep = std::max<std::int64_t>(plan.ep, 1);
  std::int64_t n = ep / std::gcd(ep, inside);
  while (plan.dp() % n != 0 && n < plan.dp()) ++n;
  return n;
}

/// Replicas that a job keeps: about `share` of them, as many as fill whole parts of its halls.
std::int64_t kept_replicas(const workload::ParallelPlan& plan, double share, std::int64_t unit) {
  const std::int64_t gpus = plan.n_gpu / plan.dp(),
                     step = std::max<std::int64_t>(1, std::lcm(least_replicas(plan) * gpus, unit) / gpus);
  const auto wanted = static_cast<std::int64_t>(std::floor(static_cast<double>(plan.dp()) * share));
  return std::min(plan.dp(), std::max(step, wanted / step * step));
}

/// GPUs that each job has in each hall, [job][hall]: jobs take the site's GPUs one after another.
std::vector<std::vector<std::int64_t>> jobs_in_halls(const sim::Scenario& s) {
  std::vector<std::vector<std::int64_t>> out;
  std::int64_t begin = 0;
  for (const auto& j : s.jobs) {
    auto& of_hall = out.emplace_back();
    std::int64_t hall_begin = 0;
    for (const auto& h : s.halls) {
      const std::int64_t from = std::max(begin, hall_begin),
                         to = std::min(begin + j.plan.n_gpu, hall_begin + h.hall.n_gpu);
      of_hall.push_back(std::max<std::int64_t>(0, to - from));
      hall_begin += h.hall.n_gpu;
    }
    begin += j.plan.n_gpu;
  }
  return out;
}

}  // namespace

ReducedFleet reduced_fleet(const sim::Scenario& given) {
  ReducedFleet out;
  out.scenario = given;
  sim::Scenario& s = out.scenario;
  s.windows.clear(), s.devices.rules.clear();
  std::int64_t n_gpu = 0;
  for (const auto& h : s.halls) n_gpu += h.hall.n_gpu;
  out.n_gpu = n_gpu;
  if (n_gpu <= reduced_gpus) return out;
  if (const char* what = own_size(s)) {
    out.whole = fmt::format("the site has {}", what);
    return out;
  }
  const double share = static_cast<double>(reduced_gpus) / static_cast<double>(n_gpu);
  sim::Scenario before = s;
  const bool on_racks = placed(s);
  const auto in_hall = jobs_in_halls(s);
  std::vector<sim::JobSpec> jobs = s.jobs;
  std::map<std::string, double> scaled;
  std::vector<double> wanted(s.halls.size(), 0.0);  // GPUs of each hall
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    auto& j = jobs[k];
    std::int64_t unit = 1;
    for (std::size_t h = 0; h < s.halls.size(); ++h)
      if (in_hall[k][h] > 0) unit = std::lcm(unit, on_racks ? used_of_rack(s.halls[h], j) : hall_unit(s.halls[h]));
    const std::int64_t dp = j.plan.dp(), less = kept_replicas(j.plan, share, unit), n_before = j.plan.n_gpu;
    j.plan.n_gpu = n_before / dp * less;
    j.plan.global_batch_sequences = j.plan.global_batch_sequences / dp * less;
    // A checkpoint is as large as before and each GPU's part of it larger: at this rate loading and saving take as long as before.
    const double larger = std::min(static_cast<double>(dp) / static_cast<double>(less), highest_rise(s, j));
    j.life.load_per_gpu_B_per_s *= larger, j.life.checkpoint_per_gpu_B_per_s *= larger;
    for (const char* key : gpu_rates) scaled[life_key(j, key)] = larger;
    scaled[fmt::format("job.{}.plan.global_batch_sequences", j.name)] =
        static_cast<double>(less) / static_cast<double>(dp);
    for (std::size_t h = 0; h < s.halls.size(); ++h)
      wanted[h] += on_racks ? static_cast<double>(racks_of(s.halls[h], j) * hall_unit(s.halls[h]))
                            : static_cast<double>(j.plan.n_gpu) * static_cast<double>(in_hall[k][h]) /
                                  static_cast<double>(n_before);
  }
  // Idle GPUs keep their share; a hall has whole parts.
  std::int64_t total = 0;
  std::vector<std::int64_t> halls;
  for (std::size_t h = 0; h < s.halls.size(); ++h) {
    std::int64_t idle = s.halls[h].hall.n_gpu;
    for (std::size_t k = 0; k < jobs.size(); ++k)
      idle -= on_racks ? racks_of(s.halls[h], s.jobs[k]) * hall_unit(s.halls[h]) : in_hall[k][h];
    const std::int64_t unit = hall_unit(s.halls[h]);
    const double gpus = wanted[h] + std::floor(share * static_cast<double>(idle));
    halls.push_back(
        std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(gpus / static_cast<double>(unit) - 1e-9))) *
        unit);
    total += halls.back();
  }
  if (total > std::min(reduced_gpus_most, n_gpu / 2)) {
    out.whole = fmt::format("its smallest fleet with whole parts has {} of {} GPUs", total, n_gpu);
    return out;
  }
  s.jobs = std::move(jobs);
  for (std::size_t i = 0; i < halls.size(); ++i) s.halls[i].hall.n_gpu = halls[i];
  try {
    sim::check(s);
  } catch (const InputError& e) {  // what only the check knows to be whole
    s = std::move(before);
    out.whole = fmt::format("a smaller fleet cannot be built: {}", e.what());
    return out;
  }
  out.n_gpu = total;
  out.scaled = std::move(scaled);
  out.share = static_cast<double>(total) / static_cast<double>(n_gpu);
  for (auto& e : s.events) e.limit_W *= out.share;
  if (s.battery) {
    auto& b = *s.battery;
    for (double* x : {&b.power_W, &b.energy_J, &b.standby_W, &b.ramp_up_W_per_s, &b.ramp_down_W_per_s, &b.band_W})
      *x *= out.share;
    const std::string path =
        fmt::format("mitigation.{}.", s.mitigation_names.battery.empty() ? "site_battery" : s.mitigation_names.battery);
    for (const char* key :
         {"power_MW", "energy_MWh", "standby_kW", "ramp_up_MW_per_min", "ramp_down_MW_per_min", "band_MW"})
      out.scaled[path + key] = out.share;
  }
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
