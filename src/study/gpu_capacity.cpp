#include "gpu_capacity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "power/redundancy.hpp"
#include "sim/gpu_step.hpp"
#include "sim/replay.hpp"
#include "sim/site_params.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double least_s = 900.0;  ///< of an hour, for its mean to count
constexpr int most_rounds = 8;     ///< of a new site, until its number of GPUs stays

struct DesignHour {
  double load_W = 0.0, auxiliary_W = 0.0, connection_W = 0.0;
  std::int64_t hour = 0;
};

/// Of the nodes' and the cooling's means over each hour, the largest sum.
DesignHour design_hour(const sim::Scenario& s, const connection::LoadTrace& trace) {
  std::vector<double> load_J, auxiliary_J, elapsed_s;
  Tick before = 0;
  for (const auto& f : trace.flushes) {
    const auto hour = static_cast<std::size_t>(seconds(before) / 3600.0);
    for (auto* v : {&load_J, &auxiliary_J, &elapsed_s}) v->resize(std::max(v->size(), hour + 1), 0.0);
    for (const auto& l : f.loads) load_J[hour] += l.load.total_J() * static_cast<double>(l.repetitions);
    auxiliary_J[hour] += f.auxiliary_W * seconds(f.until - before);
    elapsed_s[hour] += seconds(f.until - before);
    before = f.until;
  }
  DesignHour out;
  const power::Feeder feeder(sim::site_stream_params(s, trace.n_lane, trace.other_W).feeder);
  for (std::size_t h = 0; h < load_J.size(); ++h) {
    if (elapsed_s[h] < least_s) continue;
    const double load_W = load_J[h] / elapsed_s[h], auxiliary_W = auxiliary_J[h] / elapsed_s[h];
    if (load_W + auxiliary_W <= out.load_W + out.auxiliary_W) continue;
    out = {load_W, auxiliary_W, feeder.at(load_W, auxiliary_W).connection_W(), static_cast<std::int64_t>(h)};
  }
  return out;
}

/// What is out behind an item's name: "site", "row breaker", …
std::string spare(const power::FeederParams& feeder, const std::string& item) {
  for (std::size_t l = 0; l < feeder.level.size(); ++l)
    if (item.starts_with(power::FeederParams::level_names[l]))
      return feeder.level[l].n_branch < 2 ? ", no unit to spare" : ", one out";
  return "";
}

sim::Result run_unless(const std::function<bool()>& stop, const sim::Scenario& s, sim::RunOptions options) {
  options.progress = [&](double) { return !(stop && stop()); };
  auto result = sim::run(s, options);
  if (stop && stop()) throw std::runtime_error("stopped");
  return result;
}

/// Largest used fraction of a hall's remaining cooling over the day with one unit out all day; 0: no plant limits it.
double cooling_used_frac(const sim::Scenario& s, const CapacityOptions& o) {
  const double unit_frac = o.cooling_unit_frac;
  auto less = s;
  for (const auto& h : s.halls) {
    if (h.plant_kind == sim::PlantKind::prescribed_inlet || h.own_plant) continue;
    sim::EventParams e;
    e.name = "one_out_" + h.hall.name;
    e.hall = h.hall.name;
    e.out_frac = unit_frac;
    e.kind = h.plant_kind == sim::PlantKind::outside_air ? sim::EventKind::fan_wall_out : sim::EventKind::rejection_out;
    if (h.plant_kind == sim::PlantKind::hydronic && h.hydronic.chiller.capacity_W > 0.0 && h.hydronic.n_chiller > 0.0) {
      e.kind = sim::EventKind::chiller_out;
      e.out_frac = 1.0 / h.hydronic.n_chiller;
    }
    less.events.push_back(e);
  }
  if (less.events.size() == s.events.size()) return 0.0;
  sim::RunOptions options;
  options.n_thread = o.n_thread;
  const auto result = run_unless(o.stop, less, options);
  for (const auto& [key, value] : result.summary)
    if (key == "capacity_margin_min_percent") return 1.0 - 0.01 * std::get<double>(value);
  return 0.0;
}

double n_gpu_of(const sim::Scenario& s) {
  double n = 0.0;
  for (const auto& h : s.halls) n += static_cast<double>(h.hall.n_gpu);
  return n;
}

/// The same site with another number of GPUs, each replica with its own share of the batch as before.
sim::Scenario at_size(sim::Scenario s, std::int64_t n_gpu) {
  auto& plan = s.jobs.front().plan;
  const std::int64_t per_replica = plan.global_batch_sequences / plan.dp();
  s.halls.front().hall.n_gpu = n_gpu;
  plan.n_gpu = n_gpu;
  plan.global_batch_sequences = per_replica * plan.dp();
  return s;
}

double warmest_supply_K(const sim::Result& result) {
  for (const auto& array : result.arrays)
    if (array.path == "/day/liquid_supply_K") {
      double most = 0.0;
      for (const double K : std::get<std::vector<double>>(array.values)) most = std::max(most, K);
      return most;
    }
  return 0.0;
}

/// Limits by name with the load that each allows: the feeder's levels and the contract, rules in watts.
struct Limits {
  const sim::Scenario& s;
  const CapacityOptions& o;
  const DesignHour& hour;
  const connection::SiteStream& stream;
  double peak_ratio;  ///< largest millisecond of the connection over the mean of the design hour

  template <class Add>
  void contract_and_feeder(const power::FeederParams& feeder, Add&& add) const {
    auto redundancy = power::RedundancyParams::scheme(feeder, 1, false);
    // A level with a single branch cannot lose one: its rating is the limit, and its name says so. A new site's contract is for
    // all branches in service.
    for (std::size_t l = 0; l < feeder.level.size(); ++l)
      if (feeder.level[l].n_branch < 2 || o.new_site) redundancy.n_out[l] = 0;
    redundancy.contract_W = o.contract_W;
    redundancy.breaker_frac[1] = o.breaker_frac;  // rows
    for (const auto& item : power::capacity(feeder, hour.auxiliary_W / hour.load_W, redundancy).items)
      if (item.name != "contract") {
        if (!o.new_site) add(item.name + spare(feeder, item.name), item.load_W);
      } else if (!o.by_peak) {
        add("contract", item.load_W);
      } else {
        add("contract, largest millisecond", o.contract_W / peak_ratio * hour.load_W / hour.connection_W);
      }
  }
  /// Rules in watts grow with the GPUs; those in shares do not.
  template <class Add>
  void rules(Add&& add) const {
    for (const auto& report : stream.meters().reports(stream.load_lost_W(), -1))
      for (const auto& rated : report.outcomes) {
        using grid::Metric;
        const auto m = rated.rule.metric;
        const bool grows = m == Metric::ramp_up || m == Metric::ramp_down || m == Metric::range || m == Metric::step ||
                           m == Metric::band_rms || m == Metric::load_lost;
        if (grows && rated.verdict != grid::Compliance::not_measured && rated.figure.value > 0.0)
          add(report.rule_set + "." + rated.rule.name,
              hour.load_W * rated.rule.limit / (rated.figure.value + rated.figure.spread));
      }
  }
};

/// @param kept number of GPUs that the site has; 0: as many as the limits allow
GpuCapacity as_built(const sim::Scenario& s, const CapacityOptions& o, std::int64_t kept = 0) {
  connection::LoadTrace trace;
  sim::RunOptions options;
  options.n_thread = o.n_thread;
  options.trace = &trace;
  const auto result = run_unless(o.stop, s, options);
  const auto hour = design_hour(s, trace);
  const double n_gpu = n_gpu_of(s), gpu_W = hour.load_W / n_gpu;
  GpuCapacity out;
  out.hour = hour.hour + sim::local_time_of_day(s.run.start) / (3600 * ns_per_s);
  out.pue = hour.connection_W / hour.load_W;
  out.unit_gpus = sim::gpu_step(s).n_gpu;
  out.supply_max_K = warmest_supply_K(result);
  const auto feeder = sim::site_stream_params(s, trace.n_lane, trace.other_W).feeder;
  const auto stream = sim::replay(s, trace).stream;
  const double peak_ratio = stream.max_W() / hour.connection_W;
  const auto add = [&](const std::string& name, double load_W) {
    const auto whole = std::floor(load_W / gpu_W / static_cast<double>(out.unit_gpus));
    out.items.push_back({name, static_cast<std::int64_t>(whole) * out.unit_gpus});
  };
  const Limits limits{s, o, hour, stream, peak_ratio};
  limits.contract_and_feeder(feeder, add);
  limits.rules(add);
  if (o.cooling_unit_frac > 0.0) out.cooling_used_frac = cooling_used_frac(s, o);
  if (out.cooling_used_frac > 0.0 && !o.new_site) add("cooling, one unit out", hour.load_W / out.cooling_used_frac);
  std::stable_sort(out.items.begin(), out.items.end(), [](const auto& a, const auto& b) { return a.n_gpu < b.n_gpu; });
  if (out.items.empty()) return out;
  out.n_gpu = kept > 0 ? kept : out.items.front().n_gpu;
  out.binds = out.items.front().name;
  const std::int64_t rack_gpus = s.halls.front().server.n_gpu * s.halls.front().hall.servers_per_rack;
  out.n_rack = (out.n_gpu + rack_gpus - 1) / rack_gpus;
  const double share = static_cast<double>(out.n_gpu) / n_gpu;
  out.connection_W = power::Feeder(feeder).at(hour.load_W * share, hour.auxiliary_W * share).connection_W();
  out.peak_W = peak_ratio * out.connection_W;
  out.W_per_gpu = out.n_gpu > 0 ? out.connection_W / static_cast<double>(out.n_gpu) : 0.0;
  return out;
}

}  // namespace

GpuCapacity most_gpus(const sim::Scenario& s, const CapacityOptions& o) {
  if (s.run.duration_s < least_s)
    throw InputError(
        fmt::format("run.duration_h: {:g} min are too short for a design hour, of which at least {:g} min must be "
                    "simulated; a day is usual "
                    "(--set run.duration_h=24)",
                    s.run.duration_s / 60.0, least_s / 60.0));
  if (!o.new_site) return as_built(s, o);
  if (sim::sole_job(s) == nullptr) throw InputError("a new site is sized with one hall and one job on all its GPUs");
  // Watts per GPU depend a little on the number (fixed losses, whole transformers): repeat until the number stays.
  auto quick = o;
  quick.cooling_unit_frac = 0.0;
  const std::int64_t unit = sim::gpu_step(s).n_gpu;
  std::int64_t n_gpu = s.halls.front().hall.n_gpu, too_many = std::numeric_limits<std::int64_t>::max();
  for (int round = 0; round < most_rounds; ++round) {
    const auto found = as_built(at_size(s, n_gpu), quick);
    if (found.items.empty()) throw InputError("a new site needs a limit: a contract, or a rule in watts");
    if (found.n_gpu < unit) throw InputError(fmt::format("{}: less than one unit of {} GPUs fits", found.binds, unit));
    if (found.n_gpu < n_gpu) too_many = std::min(too_many, n_gpu);
    const auto next = std::min(found.n_gpu, too_many - unit);
    if (next == n_gpu) break;
    n_gpu = next;
  }
  return as_built(at_size(s, n_gpu), o, n_gpu);
}

}  // namespace TIDEWATT_NAMESPACE::study
