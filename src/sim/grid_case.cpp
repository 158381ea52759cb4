#include "grid_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tidewatt/base/error.hpp"
#include "tidewatt/grid/ride_through.hpp"
#include "tidewatt/sim/scenario.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

using List = std::vector<std::pair<std::string, double>>;

const std::vector<double>* reals(const std::vector<NamedArray>& arrays, const std::string& path) {
  for (const auto& a : arrays)
    if (a.path == path) return std::get_if<std::vector<double>>(&a.values);
  return nullptr;
}

/// Voltage and frequency of the case's bus applied to the site's ride-through curve, each sample constant until the next.
void ride(const Scenario& s, GridCaseAnswer& a) {
  if (!s.devices.ride_through) return;
  const auto& r = a.response;
  std::vector<double> pu, Hz;
  for (std::size_t i = 0; i < r.time_s.size(); ++i)
    for (auto end = static_cast<std::size_t>(std::llround(r.time_s[i] * 1e3)); pu.size() < end;)
      pu.push_back(r.voltage_pu[i]), Hz.push_back(r.bus_frequency_Hz[i]);
  const grid::RideThrough curve(*s.devices.ride_through, s.devices.back.value_or(grid::ReturnParams{}),
                                s.frequency.nominal_Hz);
  grid::RideThroughState state;
  std::vector<grid::RideThroughEvent> events;
  std::vector<double> share(pu.size());
  curve.advance(pu, Hz, share, state, events);
  for (const auto& e : events) {
    if (e.to == grid::Connection::connected || e.to == grid::Connection::returning) continue;
    a.leaves_at_s = a.window_begin_s + static_cast<double>(e.bin) * 1e-3;
    a.leaves_why = std::string(e.why);
    return;
  }
}

}  // namespace

GridCaseAnswer answer_of_grid_case(const Scenario& s, const std::vector<NamedArray>& arrays) {
  const auto& g = *s.grid_case;
  const auto* W = reals(arrays, "/waveform_" + g.window + "/pcc_W");
  const auto* t = reals(arrays, "/waveform_" + g.window + "/time");
  constexpr double step_s = 1e-3;
  const auto first = static_cast<std::size_t>(std::llround(g.begin_s / step_s)),
             n = static_cast<std::size_t>(std::llround(g.length_s / step_s));
  if (W == nullptr || t == nullptr || W->size() < first + n)
    throw InputError(fmt::format("grid.case_length_s: the window '{}' has {:g} s within the run, {:g} s are asked for",
                                 g.window, W == nullptr ? 0.0 : static_cast<double>(W->size()) * step_s,
                                 g.begin_s + g.length_s));
  GridCaseAnswer out;
  out.window_begin_s = (*t)[first];
  out.response =
      grid::machine_response(*g.system, static_cast<std::int64_t>(g.bus), std::span(*W).subspan(first, n), step_s);
  const auto& m = out.response.machines;
  out.worst_machine = static_cast<std::size_t>(
      std::max_element(m.begin(), m.end(),
                       [](const auto& a, const auto& b) { return a.peak_to_peak_Hz < b.peak_to_peak_Hz; }) -
      m.begin());
  ride(s, out);
  return out;
}

void add_grid_case(const Scenario& s, const GridCaseAnswer& a, Result& result) {
  const auto& g = *s.grid_case;
  const auto& r = a.response;
  const auto put = [&](const char* key, Value v) { result.summary.emplace_back(key, std::move(v)); };
  put("grid_case", fmt::format("{}, bus {:g}, {:g} s from {:g} s", g.name, g.bus, g.length_s, a.window_begin_s));
  put("grid_case_machine_swing_mHz", r.machines[a.worst_machine].peak_to_peak_Hz * 1e3);
  put("grid_case_machine_bus", r.machines[a.worst_machine].bus);
  put("grid_case_bus_mHz", List{{"lowest", r.bus_lowest_Hz * 1e3}, {"highest", r.bus_highest_Hz * 1e3}});
  put("grid_case_bus_pu", List{{"lowest", r.voltage_lowest_pu},
                               {"highest", r.voltage_highest_pu},
                               {"swing_percent", 100.0 * (r.voltage_highest_pu - r.voltage_lowest_pu)}});
  put("grid_case_rotor_deg", r.peak_to_peak_rad * 180.0 / std::numbers::pi);
  const auto least = std::min_element(r.modes.begin(), r.modes.end(), [](const auto& x, const auto& y) {
    return x.mode.damping_frac < y.mode.damping_frac;
  });
  const auto most = std::max_element(r.modes.begin(), r.modes.end(),
                                     [](const auto& x, const auto& y) { return x.deviation_Hz < y.deviation_Hz; });
  if (!r.modes.empty()) {
    put("grid_case_least_damped",
        List{{"mode_Hz", least->mode.frequency_Hz}, {"damping_percent", 100.0 * least->mode.damping_frac}});
    put("grid_case_most_driven", List{{"mode_Hz", most->mode.frequency_Hz},
                                      {"damping_percent", 100.0 * most->mode.damping_frac},
                                      {"line_Hz", most->line_Hz},
                                      {"line_MW", most->line_W * 1e-6},
                                      {"lasting_mHz", most->deviation_Hz * 1e3}});
  }
  put("grid_case_left_out_slower_s", r.left_out_slower_s > 0.0 ? Value(r.left_out_slower_s) : Value());
  if (s.devices.ride_through)
    put("grid_case_site_leaves",
        a.leaves_at_s < 0.0 ? Value() : Value(fmt::format("{:g} s: {}", a.leaves_at_s, a.leaves_why)));
  const std::uint64_t n = r.time_s.size(), n_machine = r.machines.size();
  const auto add = [&](const char* name, std::vector<std::string> dims, std::vector<std::uint64_t> shape,
                       std::vector<double> v, const char* unit, const char* text) {
    result.arrays.push_back(
        {std::string("/grid_case/") + name, std::move(dims), std::move(shape), std::move(v), unit, text});
  };
  std::vector<double> at_s, bus;
  for (const double t : r.time_s) at_s.push_back(a.window_begin_s + t);
  for (const auto& m : r.machines) bus.push_back(m.bus);
  add("time", {"time"}, {n}, at_s, "s", "end of the interval");
  add("machine", {"machine"}, {n_machine}, bus, "1", "number of the machine's bus");
  add("machine_Hz", {"time", "machine"}, {n, n_machine}, r.frequency_Hz, "Hz",
      "deviation of each machine from nominal");
  add("bus_pu", {"time"}, {n}, r.voltage_pu, "1", "voltage at the site's bus over nominal");
  add("bus_Hz", {"time"}, {n}, r.bus_frequency_Hz, "Hz", "deviation at the site's bus, mean over 100 ms");
  std::vector<double> mode_Hz, damping, line_W, deviation;
  for (const auto& e : r.modes)
    mode_Hz.push_back(e.mode.frequency_Hz), damping.push_back(e.mode.damping_frac), line_W.push_back(e.line_W),
        deviation.push_back(e.deviation_Hz);
  const std::uint64_t n_mode = r.modes.size();
  add("mode_Hz", {"mode_Hz"}, {n_mode}, mode_Hz, "Hz", "swing mode of the case");
  add("damping_frac", {"mode_Hz"}, {n_mode}, damping, "1", "its damping ratio");
  add("line_W", {"mode_Hz"}, {n_mode}, line_W, "W", "strongest line of the waveform near it");
  add("lasting_Hz", {"mode_Hz"}, {n_mode}, deviation, "Hz", "deviation of a machine if that line lasted");
}

}  // namespace TIDEWATT_NAMESPACE::sim
