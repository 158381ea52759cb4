#include "silicon.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "catalog_in_use.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

template <class Params>
void read(const Node& entry, const char* table, Params& params, std::vector<Finding>& findings) {
  const Node* at = entry.find(table);
  if (!at) return findings.push_back({{}, table, "table is missing"});
  TableReader r(*at, table, findings);
  params.fields(r);
  r.finish();
}

}  // namespace

GpuCase gpu_case(const std::string& name) {
  const Node entry = catalog_in_use().values("gpu", name);
  std::vector<Finding> findings;
  GpuCase g;
  read(entry, "power", g.power, findings);
  read(entry, "governor", g.governor, findings);
  read(entry, "spread", g.spread, findings);
  read(entry, "package", g.package, findings);
  const Node* compute = entry.find("compute");
  if (compute != nullptr && compute->is_text()) {
    Node held;
    held.set("compute", catalog_in_use().values("compute", std::get<std::string>(compute->value)));
    read(held, "compute", g.compute, findings);
  } else {
    read(entry, "compute", g.compute, findings);
  }
  if (!findings.empty()) throw InputError(findings);
  return g;
}

ServerCase server_case(const std::string& name) {
  const Node entry = catalog_in_use().values("server", name);
  std::vector<Finding> findings;
  ServerCase s;
  read(entry, "power", s.power, findings);
  read(entry, "air", s.air, findings);
  if (!findings.empty()) throw InputError(findings);
  if (const Node* fans = entry.find("fans")) {
    const std::string& controller = std::get<std::string>(fans->value);
    s.stairs.emplace(
        thermal::read_fan_controller(catalog_in_use().values("fan_controller", controller), "fan_controller"));
  }
  return s;
}

dvfs::PhaseMix mix_of(const workload::PhaseKind& k) {
  dvfs::PhaseMix m;
  m.matrix_s = k.matrix_s;
  m.memory_s = k.memory_s;
  m.link_s = k.link_s;
  m.wait_s = k.wait_s;
  m.active_matrix_s = k.matrix_activity * k.matrix_s;
  m.hbm_s = k.hbm_frac_matrix * k.matrix_s + k.hbm_frac_memory * k.memory_s;
  m.full_link_s = k.link_frac * k.link_s;
  return m;
}

dvfs::PhaseMix mean_mix(const workload::Timeline& timeline, std::size_t cls) {
  dvfs::PhaseMix sum;
  for (const auto& segment : timeline.classes[cls]) {
    const auto& kind = timeline.kinds[segment.kind];
    const auto m = mix_of(kind);
    // A segment repeats its kind's work as often as its reference duration fits.
    const double n = seconds(segment.duration) / kind.reference_s();
    sum.matrix_s += n * m.matrix_s, sum.memory_s += n * m.memory_s, sum.link_s += n * m.link_s;
    sum.wait_s += n * m.wait_s, sum.active_matrix_s += n * m.active_matrix_s;
    sum.hbm_s += n * m.hbm_s, sum.full_link_s += n * m.full_link_s;
  }
  return sum;
}

double edp_peak_W(const GpuCase& gpu) { return dvfs::peak_W(gpu.governor, gpu.power); }

BoardPower power_of(const GpuCase&, const power::GpuModel& model, const dvfs::PhaseMix& mix, double reference_Hz,
                    double clock_Hz) {
  const auto p = dvfs::phase_power(model, {}, mix, reference_Hz, clock_Hz, 0.0);
  return [p, &model](double die_K) { return p.at_W(model.leakage_temperature_factor(die_K)); };
}

double SteadyNode::gpu_sum_W() const {
  double sum = 0.0;
  for (const double w : gpu_W) sum += w;
  return sum;
}

namespace {

/// A node whose rest is sought, and the air at its inlet.
struct Room {
  const GpuCase& gpu;
  const ServerCase& server;
  const BoardPower& watts;
  double inlet_K;
};

/// One damped step of the dies towards rest at the fans' speed. @return largest error, K
double step_dies(const Room& room, SteadyNode& s) {
  const std::size_t n = s.die_K.size();
  const double K_per_W = room.gpu.package.die_base_K_per_W + room.gpu.package.base_sink_K_per_W +
                         thermal::sink_air_K_per_W(
                             room.gpu.package, thermal::sink_flow_ratio(room.gpu.package, s.fan_frac, air_J_per_m3_K));
  double front_W = 0.0, worst_K = 0.0;
  for (std::size_t g = 0; g < n; ++g) {
    s.gpu_W[g] = room.watts(s.die_K[g]);
    const bool rear = thermal::in_rear_row(g, n);
    const double preheat_K = rear ? thermal::rear_preheat_K(room.server.air, front_W, s.fan_frac, air_J_per_m3_K) : 0.0;
    const double die_K = room.inlet_K + preheat_K + K_per_W * s.gpu_W[g];
    worst_K = std::max(worst_K, std::abs(die_K - s.die_K[g]));
    s.die_K[g] += 0.5 * (die_K - s.die_K[g]);
    if (!rear) front_W += s.gpu_W[g];
  }
  return worst_K;
}

constexpr double at_rest_K = 1e-9;
constexpr const char* runs_away = "a node at rest has no steady temperature: leakage grows faster than cooling";

double hottest_K(const SteadyNode& s) { return *std::max_element(s.die_K.begin(), s.die_K.end()); }

/// Dies at rest at a speed that stays.
void rest_dies(const Room& room, double fan_frac, SteadyNode& s) {
  s.fan_frac = fan_frac;
  for (int i = 0; i < 2000; ++i) {
    const double worst_K = step_dies(room, s);
    if (!(worst_K < 1e4)) break;
    if (worst_K < at_rest_K) return;
  }
  throw SolverError(runs_away);
}

/// Fans in steps: where their controller, which remembers a cold node, holds the hottest die. Its die follows the speed as a straight
/// line from where the last guess put it.
void rest_on_stairs(const Room& room, SteadyNode& s) {
  constexpr double slope_frac = 0.01, held_s = 300.0;
  const fleet::FanStairs& stairs = *room.server.stairs;
  const fleet::FanStairs::Memory cold{fleet::shown_K(room.inlet_K), 0.0};
  double fan_frac = stairs.least_frac();
  for (int i = 0; i < 50; ++i) {
    rest_dies(room, fan_frac + slope_frac, s);
    const double faster_K = hottest_K(s);
    rest_dies(room, fan_frac, s);
    const double K_per_frac = (faster_K - hottest_K(s)) / slope_frac;
    const auto held = stairs.settled(cold, {hottest_K(s), fan_frac, K_per_frac, room.inlet_K}, held_s);
    if (std::abs(held.mean_frac - fan_frac) < 1e-6) return;
    fan_frac = held.mean_frac;
  }
  throw SolverError("fans in steps find no speed at which a node rests");
}

}  // namespace

SteadyNode steady_node(const GpuCase& gpu, const ServerCase& server, const BoardPower& watts, double inlet_K) {
  const auto n = static_cast<std::size_t>(server.power.n_gpu);
  const Room room{gpu, server, watts, inlet_K};
  SteadyNode s{std::vector<double>(n, inlet_K + 20.0), std::vector<double>(n, 0.0), server.air.fan_min_frac};
  if (server.stairs) {
    rest_on_stairs(room, s);
    return s;
  }
  // Damped, since more heat means faster fans means less resistance.
  for (int i = 0; i < 2000; ++i) {
    s.fan_frac += 0.2 * (thermal::fan_target_frac(server.air, hottest_K(s)) - s.fan_frac);
    const double worst_K = step_dies(room, s);
    if (!(worst_K < 1e4)) break;
    if (worst_K < at_rest_K && i > 200) return s;
  }
  throw SolverError(runs_away);
}

}  // namespace TIDEWATT_NAMESPACE::validate
