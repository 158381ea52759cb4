#include "scenario_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "build_fleet.hpp"
#include "fleet/task.hpp"
#include "scenario_rack.hpp"
#include "scenario_site.hpp"
#include "site_weather.hpp"
#include "tidewatt/mitigation/site_battery.hpp"
#include "workload/iteration.hpp"

namespace TIDEWATT_NAMESPACE::sim {

void admit(const Scenario& s) {
  constexpr double limit_B = 16e9, bytes_per_gpu = 600.0;
  double n_gpu = 0;
  for (const auto& h : s.halls) n_gpu += static_cast<double>(h.hall.n_gpu);
  // Samples of three doubles, a time axis, and one copy while the result is assembled; four doubles per pyramid second.
  double window_B = s.run.duration_s * 64.0;
  for (const auto& w : s.windows) window_B += std::min(w.duration_s, s.run.duration_s) * 1000.0 * 64.0;
  if (n_gpu * bytes_per_gpu > limit_B)
    throw RefusedError(
        fmt::format("hall.*.n_gpu: {:.0f} GPUs would need about {:.1f} GB of memory, above the limit of {:.0f} GB",
                    n_gpu, n_gpu * bytes_per_gpu * 1e-9, limit_B * 1e-9));
  if (window_B > limit_B / 4)
    throw RefusedError(fmt::format(
        "run.duration_h, record.window: the recorded waveforms would need {:.1f} GB, above the limit of {:.0f} GB",
        window_B * 1e-9, limit_B * 0.25e-9));
}

namespace {

/// What a model's values must agree on with one another: the model itself says so.
template <class Make>
void check_model(const std::string& path, std::vector<Finding>& findings, Make&& make) {
  try {
    make();
  } catch (const InputError& e) {
    for (const Finding& f : e.findings())
      findings.push_back({{}, f.key.empty() ? path : path + "." + f.key, f.message});
  }
}

void check_plant(const std::string& path, const HallSpec& h, std::vector<Finding>& findings) {
  if (h.own_plant) return;
  check_model(path, findings, [&] {
    if (h.plant_kind == PlantKind::hydronic) const cooling::HydronicPlant plant(h.hydronic, h.hydronic.reference_it_W);
    if (h.plant_kind == PlantKind::outside_air)
      const cooling::OutsideAirPlant plant(h.outside_air, h.outside_air.reference_it_W);
    if (h.plant_kind == PlantKind::prescribed_inlet) const cooling::PrescribedInlet plant(h.prescribed, 0);
  });
}

/// Whether a plant has the parts that an event of this kind takes out.
bool has_part(const HallSpec& h, EventKind kind) {
  if (h.plant_kind == PlantKind::prescribed_inlet) return false;
  if (h.plant_kind == PlantKind::outside_air) return kind == EventKind::fan_wall_out || kind == EventKind::pump_out;
  if (kind == EventKind::cdu_out || kind == EventKind::filter_blocked) return h.liquid.has_value();
  return kind != EventKind::chiller_out || h.hydronic.chiller.capacity_W > 0.0;
}

/// A service that cannot be: no such hall, or what the service itself refuses.
template <class Report>
void check_service(const Scenario& s, const NeighbourSpec& n, Report&& report) {
  const auto hall =
      std::find_if(s.halls.begin(), s.halls.end(), [&](const HallSpec& h) { return h.hall.name == n.hall; });
  if (hall == s.halls.end())
    return report("site.neighbour." + n.name + ".hall", fmt::format("no hall named '{}'", n.hall));
  try {
    const workload::InferenceService service(n.model, n.service, hall->compute, n.network);
  } catch (const InputError& e) {
    report("site.neighbour." + n.name + ".service", e.what());
  }
}

/// Above this, most of the air in a server's inlet is its own exhaust, and no supply temperature keeps the inlet.
constexpr double most_recirculation_frac = 0.85;

template <class Report>
void check_recirculation(const Scenario& s, Report&& report) {
  constexpr std::int64_t most_gpus = 100'000'000;
  std::int64_t n_gpu = 0;
  double at_most = 0.0;
  for (const auto& h : s.halls) {
    n_gpu += h.hall.n_gpu;
    at_most = std::max(at_most, h.hall.recirculation_frac *
                                    std::exp(2.0 * h.hall.recirculation_sigma_ratio));  // draws end at two sigma
  }
  if (at_most <= most_recirculation_frac || n_gpu > most_gpus) return;
  const auto racks = rack_recirculation(s);
  for (std::size_t h = 0; h < racks.size(); ++h) {
    const auto worst = std::max_element(racks[h].begin(), racks[h].end());
    if (worst == racks[h].end() || *worst <= most_recirculation_frac) continue;
    const auto& hall = s.halls[h].hall;
    report("hall." + hall.name + ".recirculation_frac",
           fmt::format("with recirculation_sigma_ratio = {:g}, rack {} of the hall draws a share of {:.3g}; at most "
                       "{:g} is possible: lower one of the two keys",
                       hall.recirculation_sigma_ratio, worst - racks[h].begin(), *worst, most_recirculation_frac));
  }
}

/// Power of a nominal GPU with its die at 40 degC at the lowest clock, in the limiter window of the job's most demanding stage, W.
double lowest_clock_W(const HallSpec& h, const JobSpec& j) {
  constexpr double cool_die_K = 313.15, alone = 1.0;
  fleet::NodeType type{power::GpuModel(h.gpu),
                       h.governor,
                       h.server,
                       h.air,
                       h.package,
                       {h.gpu.tdp_W},
                       {},
                       {},
                       {},
                       {},
                       {},
                       {},
                       true,
                       false};
  const workload::IterationModel model(j.model, j.plan, h.compute, j.network);
  const auto timeline = model.iteration({&alone, 1});
  fleet::FleetTask task;
  fleet::set_kinds(task, timeline, type, model.reference_clock_Hz());
  double most_W = 0.0;
  for (std::size_t c = 0; c < timeline.classes.size(); ++c) {
    const auto mix = fleet::worst_window(timeline, c, task.kind_reference_W, h.governor.window_s);
    const auto p = dvfs::phase_power(type.gpu, {}, mix, task.reference_Hz, type.gpu.clock_min_Hz(), 0.0);
    most_W = std::max(most_W, p.at_W(type.gpu.leakage_temperature_factor(cool_die_K)));
  }
  return most_W;
}

/// Whether the driver of its GPUs takes no power limit.
bool takes_no_limit(const HallSpec& hall) { return hall.gpu.power_limit_min_W >= hall.gpu.tdp_W; }

}  // namespace

LowestCap lowest_cap(const HallSpec& hall, const JobSpec& job) {
  const double driver_W = hall.gpu.power_limit_min_W;
  if (takes_no_limit(hall)) return {hall.gpu.tdp_W, true};
  const double needs_W = dvfs::cap_for_limit_W(lowest_clock_W(hall, job), hall.governor);
  return {std::max(needs_W, driver_W), driver_W > needs_W};
}

double lowest_cap_W(const Scenario& scenario, const HallSpec& hall) {
  double out = hall.gpu.power_limit_min_W;
  for (const auto& job : scenario.jobs) out = std::max(out, lowest_cap_W(hall, job));
  return out;
}

std::string reason_of(const LowestCap& lowest, const HallSpec& hall, const std::string& job) {
  if (lowest.by_driver && takes_no_limit(hall))
    return "the board has: the driver of this GPU takes no power limit; a clock_lock_MHz or a pause lowers its watts";
  if (lowest.by_driver)
    return "the driver of this GPU takes at least (power_limit_min_W); a clock_lock_MHz or a pause goes lower";
  return fmt::format(
      "job '{}' needs at the lowest clock of {:.0f} MHz, the governor's margin included{}", job,
      hall.gpu.vf_clock_Hz.front() * 1e-6,
      hall.gpu.power_limit_min_W > 0.0 ? "" : "; the driver's own lowest limit is not published (power_limit_min_W)");
}

namespace {

/// What a site battery asks of its values together: bounds of its charge in their order, whole milliseconds of its controller.
template <class Report>
void check_battery(const Scenario& s, const std::vector<Finding>& known, Report&& report) {
  if (!s.battery) return;
  const auto& name = s.mitigation_names.battery;
  const auto path = fmt::format("mitigation.{}.", name.empty() ? word_of(MitigationKind::site_battery) : name);
  try {
    mitigation::SiteBattery{*s.battery};
  } catch (const InputError& e) {
    for (const auto& f : e.findings())
      if (std::none_of(known.begin(), known.end(), [&](const Finding& k) { return k.key == path + f.key; }))
        report(path + f.key, f.message);
  }
}

/// Caps that the driver does not take or no clock can keep. @pre everything else of the scenario is sound
template <class Report>
void check_caps(const Scenario& s, Report&& report) {
  for (const auto& h : s.halls) {
    const double cap_W = gpu_limit_W(h);
    const bool by_module = cap_W < h.gpu.tdp_W && !(h.hall.cap_W > 0.0 && cap_W == h.hall.cap_W);
    if (!(h.hall.cap_W > 0.0) && !by_module) continue;
    for (const auto& j : s.jobs) {
      const auto least = lowest_cap(h, j);
      if (cap_W >= least.W) continue;
      report("hall." + h.hall.name + (by_module ? ".module_limit_W" : ".cap_W"),
             fmt::format("{:g} W per GPU is below the {:.0f} W that {}; allowed: {:.0f} to {:g} W, or 0 for the board "
                         "limit",
                         cap_W, least.W, reason_of(least, h, j.name), std::ceil(least.W), h.gpu.tdp_W));
      if (least.by_driver) break;  // of the hall, whatever its jobs
    }
  }
}

}  // namespace

namespace {

/// What jobs give up for orders, job by job, and orders that would touch one that gives nothing.
template <class Report>
void check_tiers(const Scenario& s, Report&& report) {
  const bool no_caps = !s.halls.empty() && std::all_of(s.halls.begin(), s.halls.end(), takes_no_limit);
  constexpr const char* takes_none = "the drivers of this site's GPUs take no power limit (power_limit_min_W)";
  for (const auto& j : s.jobs)
    if (no_caps && j.curtailment && j.curtailment->may == OrderMay::cap)
      report("job." + j.name + ".curtailment.may",
             fmt::format("'cap': {}; 'pause' or 'never' is possible", takes_none));
  const auto gives = [](const JobSpec& j) { return j.curtailment && j.curtailment->may != OrderMay::never; };
  for (const auto& j : s.jobs)
    if (j.curtailment && j.curtailment->may != OrderMay::cap && j.curtailment->lowest_cap_W > 0.0)
      report("job." + j.name + ".curtailment.lowest_cap_W",
             fmt::format("is for may = 'cap'; this job's is '{}'", word_of(j.curtailment->may)));
  for (const auto& e : s.events) {
    if (e.kind != EventKind::curtailment) continue;
    const std::string key = "event." + e.name + ".by";
    if (e.by == OrderMeans::tiers && std::none_of(s.jobs.begin(), s.jobs.end(), gives))
      report(key, "no job says what it gives up: [job.curtailment] with may = 'cap' or 'pause'");
    if (no_caps && e.by == OrderMeans::cap)
      report(key, fmt::format("'cap': {}; 'pause', 'tiers' or 'storage' is possible", takes_none));
    if (e.by != OrderMeans::cap && e.by != OrderMeans::pause) continue;
    for (const auto& j : s.jobs)
      if (j.curtailment && j.curtailment->may == OrderMay::never)
        report(key, fmt::format("'{}' touches all jobs, but job '{}' may never be touched: use 'tiers' or 'storage'",
                                word_of(e.by), j.name));
  }
}

/// Lowest caps that the driver does not take or no clock can keep. @pre everything else of the scenario is sound
template <class Report>
void check_lowest_caps(const Scenario& s, Report&& report) {
  for (const auto& j : s.jobs) {
    if (!j.curtailment || !(j.curtailment->lowest_cap_W > 0.0)) continue;
    for (const auto& h : s.halls) {
      const auto least = lowest_cap(h, j);
      const double most_W = gpu_limit_W(h), asked_W = j.curtailment->lowest_cap_W;
      if (asked_W >= least.W && asked_W <= most_W) continue;
      const auto why = asked_W < least.W
                           ? fmt::format("is below the {:.0f} W that {}", least.W, reason_of(least, h, j.name))
                           : fmt::format("is above the {:g} W that they have anyway", most_W);
      report("job." + j.name + ".curtailment.lowest_cap_W",
             fmt::format("{:g} W {}; GPUs of hall '{}' can have {:.0f} to {:g} W, or 0 for the lowest of these",
                         asked_W, why, h.hall.name, std::ceil(least.W), most_W));
      break;
    }
  }
}

/// Halls in which a job has servers, in the order of the file: jobs stand one behind the other; with `[job.placement]` any hall may hold any job.
std::vector<const HallSpec*> halls_of(const Scenario& s, const JobSpec& job) {
  std::vector<const HallSpec*> out;
  const bool placed =
      std::any_of(s.jobs.begin(), s.jobs.end(), [](const JobSpec& j) { return j.placement.has_value(); });
  std::int64_t first = 0;
  for (const JobSpec* j = s.jobs.data(); j != &job; ++j) first += j->plan.n_gpu;
  std::int64_t begin = 0;
  for (const auto& h : s.halls) {
    const std::int64_t end = begin + h.hall.n_gpu;
    if (placed || (begin < first + job.plan.n_gpu && first < end)) out.push_back(&h);
    begin = end;
  }
  // A job that no hall has room for is reported elsewhere, and its plan against the first GPU.
  if (out.empty() && !s.halls.empty()) out.push_back(&s.halls.front());
  return out;
}

}  // namespace

void check_scenario(Scenario& s, const Place& place, std::vector<Finding>& findings) {
  const auto report = [&](const std::string& key, std::string message) {
    findings.push_back({place, key, std::move(message)});
  };
  if (s.run.macro_step_max_s < s.run.macro_step_s)
    report("run.macro_step_max_s",
           fmt::format("{:g} s is below run.macro_step_s, {:g} s: raise one or lower the other; both allow 1 to 3600 s",
                       s.run.macro_step_max_s, s.run.macro_step_s));
  if (s.halls.empty()) report("hall", "a site needs one hall at least");
  if (s.jobs.empty()) report("job", "a scenario needs one job");
  std::int64_t n_gpu = 0, n_used = 0;
  for (const auto& h : s.halls) {
    n_gpu += h.hall.n_gpu;
    if (h.server.n_gpu > 0 && h.hall.n_gpu % h.server.n_gpu != 0)
      report("hall." + h.hall.name + ".n_gpu",
             fmt::format("{} is not a multiple of the server's {} GPUs", h.hall.n_gpu, h.server.n_gpu));
    if (h.server.n_gpu != s.halls.front().server.n_gpu)
      report("hall." + h.hall.name + ".server", "all halls need servers with the same number of GPUs");
    if (h.position && !h.position->slot_resistance_ratio.empty() &&
        h.position->slot_resistance_ratio.size() != static_cast<std::size_t>(h.server.n_gpu))
      report("hall." + h.hall.name + ".server.position.slot_resistance_ratio",
             fmt::format("{} slots, but the server has {} GPUs", h.position->slot_resistance_ratio.size(),
                         h.server.n_gpu));
    if (h.liquid && h.plant_kind == PlantKind::outside_air)
      report("hall." + h.hall.name + ".plant",
             "servers with cold plates need a plant with liquid: of type hydronic or prescribed_inlet");
    if (h.liquid && h.plant_kind == PlantKind::hydronic && h.hydronic.liquid_frac == 0.0)
      report("hall." + h.hall.name + ".plant",
             "its liquid_frac is 0: it cools no liquid, and the servers have cold plates; choose an entry with "
             "liquid_frac above 0");
    if (h.gpu.power_limit_min_W > h.gpu.tdp_W)
      report("hall." + h.hall.name + ".gpu.power.power_limit_min_W",
             fmt::format("{:g} W is above the board limit tdp_W; allowed: 0 (not published) to {:g} W",
                         h.gpu.power_limit_min_W, h.gpu.tdp_W));
    else
      check_model("hall." + h.hall.name + ".gpu.power", findings, [&] { const power::GpuModel model(h.gpu); });
    check_plant("hall." + h.hall.name + ".plant", h, findings);
    if (!h.liquid && h.package.convection_exponent_ratio == 0.0)
      report("hall." + h.hall.name + ".gpu",
             "its package has a cold plate, the server is cooled by air; choose an entry whose name does not end in "
             "_liquid, or a server with cold plates");
    if (h.liquid && h.package.convection_exponent_ratio > 0.0)
      report(
          "hall." + h.hall.name + ".gpu",
          "its package is an air-cooled sink, the server has cold plates; choose an entry whose name ends in _liquid");
    const double lowest_Hz = h.gpu.vf_clock_Hz.empty() ? 0.0 : h.gpu.vf_clock_Hz.front();
    const double highest_Hz = h.gpu.vf_clock_Hz.empty() ? 0.0 : h.gpu.vf_clock_Hz.back();
    if (h.hall.clock_lock_Hz != 0.0 && (h.hall.clock_lock_Hz < lowest_Hz || h.hall.clock_lock_Hz > highest_Hz))
      report("hall." + h.hall.name + ".clock_lock_MHz",
             fmt::format("{:.0f} is outside the V/f table, {:.0f} to {:.0f} MHz", h.hall.clock_lock_Hz * 1e-6,
                         lowest_Hz * 1e-6, highest_Hz * 1e-6));
    if (h.hall.cap_W > h.gpu.tdp_W)
      report("hall." + h.hall.name + ".cap_W",
             fmt::format("{} is above the board limit of {} W", h.hall.cap_W, h.gpu.tdp_W));
  }
  for (const auto& j : s.jobs) n_used += j.plan.n_gpu;
  if (s.jobs.size() > 1 && n_used > n_gpu)
    report("job", fmt::format("the jobs ask for {} GPUs together, but the halls hold {}", n_used, n_gpu));
  for (const auto& j : s.jobs) {
    if (j.plan.n_gpu > n_gpu)
      report("job." + j.name + ".plan.n_gpu", fmt::format("{} GPUs, but the halls hold {}", j.plan.n_gpu, n_gpu));
    const std::int64_t per_server = s.halls.empty() ? 0 : s.halls.front().server.n_gpu;
    // One NVLink domain may reach over several servers, as in a rack of trays.
    if (per_server > 0 && j.network.gpus_per_node % per_server != 0)
      report("job." + j.name + ".network.gpus_per_node",
             fmt::format("{} GPUs per node (joined by NVLink) are not a multiple of the servers' {}",
                         j.network.gpus_per_node, per_server));
    const auto halls = halls_of(s, j);
    for (const auto* h : halls)
      if (h->compute.matrix_FLOP_per_s != halls.front()->compute.matrix_FLOP_per_s ||
          h->compute.reference_clock_Hz != halls.front()->compute.reference_clock_Hz)
        report("hall." + h->hall.name + ".gpu",
               fmt::format("all halls of a job need the same type of GPU, and job '{}' has servers here and in '{}'",
                           j.name, halls.front()->hall.name));
    if (halls.empty()) continue;
    for (auto& f : workload::check_plan_on_servers(j.model, j.plan, halls.front()->compute, j.network,
                                                   std::max<std::int64_t>(1, per_server), "job." + j.name + ".plan"))
      findings.push_back(std::move(f));
    if (findings.empty())
      if (const auto doubt = workload::memory_doubt(j.model, j.plan, halls.front()->compute))
        s.notes.push_back("job." + j.name + ".plan: " + *doubt);
  }
  const bool placed =
      std::any_of(s.jobs.begin(), s.jobs.end(), [](const JobSpec& j) { return j.placement.has_value(); });
  constexpr std::int64_t most_gpus = 100'000'000;  // beyond, `admit` refuses before anybody needs a place
  if (placed && n_gpu < most_gpus && findings.empty()) node_order(s, findings);
  for (const auto& n : s.neighbours)
    if (n.kind == NeighbourKind::inference) check_service(s, n, report);
  if (to_tick(s.run.duration_s) % ns_per_ms != 0)
    report("run.duration_h", fmt::format("{} s is not a whole number of milliseconds", s.run.duration_s));
  try {
    if (const auto why = outside_calendar(s.run); !why.empty()) report("run.start", why);
  } catch (const InputError& e) {
    report("run.start", e.findings().front().message);
  }
  for (const auto& w : s.windows)
    if (w.start_s >= s.run.duration_s)
      s.notes.push_back(fmt::format("record.window.{}: begins at {} s, after the run's end", w.name, w.start_s));
  for (const auto& e : s.events) {
    if (e.at_s >= s.run.duration_s)
      s.notes.push_back(fmt::format("event.{}: at {} s, after the run's end", e.name, e.at_s));
    if (!of_plant(e.kind)) continue;
    for (const double at_s : {e.at_s, e.duration_s})
      if (to_tick(at_s) % ns_per_ms != 0)
        report("event." + e.name, fmt::format("{} s is not a whole number of milliseconds", at_s));
    const auto hall =
        std::find_if(s.halls.begin(), s.halls.end(), [&](const auto& h) { return h.hall.name == e.hall; });
    if (hall == s.halls.end())
      report("event." + e.name + ".hall", fmt::format("no hall named '{}'", e.hall));
    else if (!has_part(*hall, e.kind))
      report("event." + e.name + ".kind", fmt::format("the plant of hall '{}' ({}) has no such parts: '{}'", e.hall,
                                                      word_of(hall->plant_kind), word_of(e.kind)));
  }
  check_racks(s, findings);
  take_storage_of_racks(s, findings);
  check_events(s, place, findings);
  check_tiers(s, report);
  check_battery(s, findings, report);
  if (!findings.empty()) return;
  check_recirculation(s, report);
  check_caps(s, report);
  check_lowest_caps(s, report);
}

}  // namespace TIDEWATT_NAMESPACE::sim
