#include "gpu_capacity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "power/redundancy.hpp"
#include "sim/replay.hpp"
#include "sim/site_params.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/run.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double least_s = 900.0;  ///< of an hour, for its mean to count

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

/// Largest used fraction of a hall's remaining cooling over the day with one unit out all day; 0: no plant limits it.
sim::Result run_unless(const std::function<bool()>& stop, const sim::Scenario& s, sim::RunOptions options) {
  options.progress = [&](double) { return !(stop && stop()); };
  auto result = sim::run(s, options);
  if (stop && stop()) throw std::runtime_error("stopped");
  return result;
}

double cooling_used_frac(const sim::Scenario& s, double unit_frac, std::size_t n_thread,
                         const std::function<bool()>& stop) {
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
  options.n_thread = n_thread;
  const auto result = run_unless(stop, less, options);
  for (const auto& [key, value] : result.summary)
    if (key == "capacity_margin_min_percent") return 1.0 - 0.01 * std::get<double>(value);
  return 0.0;
}

}  // namespace

GpuCapacity most_gpus(const sim::Scenario& s, double contract_W, double breaker_frac, std::size_t n_thread,
                      double cooling_unit_frac, bool by_peak, const std::function<bool()>& stop) {
  if (s.run.duration_s < least_s)
    throw InputError(
        fmt::format("run.duration_h: {:g} min are too short for a design hour, of which at least {:g} min must be "
                    "simulated; a day is usual "
                    "(--set run.duration_h=24)",
                    s.run.duration_s / 60.0, least_s / 60.0));
  connection::LoadTrace trace;
  sim::RunOptions options;
  options.n_thread = n_thread;
  options.trace = &trace;
  run_unless(stop, s, options);
  const auto hour = design_hour(s, trace);
  double n_gpu = 0.0;
  for (const auto& h : s.halls) n_gpu += static_cast<double>(h.hall.n_gpu);
  GpuCapacity out;
  out.hour = hour.hour + sim::local_time_of_day(s.run.start) / (3600 * ns_per_s);
  out.pue = hour.connection_W / hour.load_W;
  const double gpu_W = hour.load_W / n_gpu, ratio = hour.auxiliary_W / hour.load_W;
  const auto feeder = sim::site_stream_params(s, trace.n_lane, trace.other_W).feeder;
  auto redundancy = power::RedundancyParams::scheme(feeder, 1, false);
  // A level with a single branch cannot lose one: its rating is the limit, and its name says so.
  for (std::size_t l = 0; l < feeder.level.size(); ++l)
    if (feeder.level[l].n_branch < 2) redundancy.n_out[l] = 0;
  redundancy.contract_W = contract_W;
  redundancy.breaker_frac[1] = breaker_frac;  // rows
  // Watts of the nodes in the largest millisecond over those of the design hour; devices and feeder in between as built.
  const auto stream = sim::replay(s, trace).stream;
  const double peak_ratio = stream.max_W() / hour.connection_W;
  const auto add = [&](const std::string& name, double load_W) {
    out.items.push_back({name, static_cast<std::int64_t>(
                                   std::floor(load_W / gpu_W / static_cast<double>(s.halls.front().server.n_gpu))) *
                                   s.halls.front().server.n_gpu});
  };
  for (const auto& item : power::capacity(feeder, ratio, redundancy).items)
    if (item.name != "contract")
      add(item.name + spare(feeder, item.name), item.load_W);
    else if (!by_peak)
      add("contract", item.load_W);
    else
      add("contract, largest millisecond", contract_W / peak_ratio * hour.load_W / hour.connection_W);
  // Rules in watts grow with the GPUs; those in shares do not.
  for (const auto& report : stream.meters().reports(stream.load_lost_W(), -1))
    for (const auto& o : report.outcomes) {
      using grid::Metric;
      const auto m = o.rule.metric;
      const bool grows = m == Metric::ramp_up || m == Metric::ramp_down || m == Metric::range || m == Metric::step ||
                         m == Metric::band_rms || m == Metric::load_lost;
      if (grows && o.verdict != grid::Compliance::not_measured && o.figure.value > 0.0)
        add(report.rule_set + "." + o.rule.name, hour.load_W * o.rule.limit / (o.figure.value + o.figure.spread));
    }
  if (cooling_unit_frac > 0.0)
    if (const double used = cooling_used_frac(s, cooling_unit_frac, n_thread, stop); used > 0.0)
      add("cooling, one unit out", hour.load_W / used);
  std::stable_sort(out.items.begin(), out.items.end(), [](const auto& a, const auto& b) { return a.n_gpu < b.n_gpu; });
  if (out.items.empty()) return out;
  out.n_gpu = out.items.front().n_gpu;
  out.binds = out.items.front().name;
  const double share = static_cast<double>(out.n_gpu) / n_gpu;
  out.connection_W = power::Feeder(feeder).at(hour.load_W * share, hour.auxiliary_W * share).connection_W();
  out.peak_W = peak_ratio * out.connection_W;
  out.W_per_gpu = out.n_gpu > 0 ? out.connection_W / static_cast<double>(out.n_gpu) : 0.0;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
