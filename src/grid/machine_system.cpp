#include "machine_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"

namespace TIDEWATT_NAMESPACE::grid {

using Complex = std::complex<double>;

MachineSystem::MachineSystem(const MachineCase& c, double site_bus) : case_(c), flow_(solve_power_flow(c)) {
  Y_ = admittance(case_);
  const std::size_t n = case_.bus.number.size();
  site_ = case_.bus_index(site_bus);
  for (std::size_t i = 0; i < n; ++i) {
    neighbour_begin_.push_back(neighbour_.size());
    for (std::size_t k = 0; k < n; ++k)
      if (Y_[i * n + k] != Complex(0.0)) neighbour_.push_back(k);
  }
  neighbour_begin_.push_back(neighbour_.size());
  for (std::size_t k = 0; k < case_.machine.bus.size(); ++k) place(k);
  for (std::size_t k = 0; k < machines_.size(); ++k) {
    const MachineRest r =
        machines_[k].rest(flow_.voltage_pu[at_[k].bus], flow_.machine_VA[k] / case_.machine.rating_VA[k]);
    const std::string name = fmt::format("machine {}: ", case_.machine.bus[k]);
    at_[k].stator = add(name + "current d", r.values.current_d, 1.0, false);
    add(name + "current q", r.values.current_q, 1.0, false);
    add(name + "air gap d", r.values.gap_d, 1.0, false);
    add(name + "air gap q", r.values.gap_q, 1.0, false);
  }
  bus_at_ = rest_.size();
  for (std::size_t i = 0; i < n; ++i) {
    add(fmt::format("bus {}: real voltage", case_.bus.number[i]), flow_.voltage_pu[i].real(), 1.0, false);
    add(fmt::format("bus {}: imaginary voltage", case_.bus.number[i]), flow_.voltage_pu[i].imag(), 1.0, false);
  }
}

std::size_t MachineSystem::add(const std::string& name, double value, double typical, bool differential) {
  names_.push_back(name);
  rest_.push_back(value);
  typical_.push_back(typical);
  differential_.push_back(differential);
  return rest_.size() - 1;
}

void MachineSystem::place(std::size_t k) {
  const MachineParams& m = case_.machine;
  machines_.emplace_back(case_, k);
  to_base_.push_back(m.rating_VA[k] / case_.base_VA);
  Place p;
  p.bus = case_.bus_index(m.bus[k]);
  const Machine& machine = machines_.back();
  const MachineRest r = machine.rest(flow_.voltage_pu[p.bus], flow_.machine_VA[k] / m.rating_VA[k]);
  const std::string name = fmt::format("machine {}: ", m.bus[k]);
  p.first = add(name + "angle", r.values.angle_rad, 1.0, true);
  add(name + "speed", 0.0, 0.01, true);
  add(name + "field flux", r.values.field, 1.0, true);
  if (machine.has_damper_d()) p.damper_d = add(name + "damper flux d", r.values.damper_d, 1.0, true);
  if (machine.has_damper_q()) p.damper_q = add(name + "damper flux q", r.values.damper_q, 1.0, true);
  if (machine.has_damper_q2()) p.damper_q2 = add(name + "damper flux q2", r.values.damper_q2, 1.0, true);
  field_pu_.push_back(r.field_pu);
  mechanical_pu_.push_back(r.mechanical_pu);
  droop_pu_.push_back(case_.governor.droop_pu.empty() ? 0.0 : case_.governor.droop_pu[k]);
  const double v = std::abs(flow_.voltage_pu[p.bus]);
  const ExciterParams& e = case_.exciter;
  double reference_pu = 0.0;
  if (e.kind == "static") {
    reference_pu = v + r.field_pu / e.gain_pu;
    p.exciter = add(name + "lead-lag", r.field_pu, 1.0, true);
    add(name + "field voltage", r.field_pu, 1.0, true);
  } else if (e.kind == "dc1a") {
    const double regulator = (e.exciter_pu + e.saturation_pu * math::exp(e.saturation_slope * r.field_pu)) * r.field_pu;
    reference_pu = v + regulator / e.gain_pu;
    p.exciter = add(name + "regulator", regulator, 1.0, true);
    add(name + "field voltage", r.field_pu, 1.0, true);
    add(name + "stabiliser", r.field_pu, 1.0, true);
  }
  reference_pu_.push_back(reference_pu);
  if (p.exciter != none && e.sensor_s > 0.0) p.sensor = add(name + "measured voltage", v, 1.0, true);
  if (droop_pu_.back() > 0.0) {
    p.governor = add(name + "valve", 0.0, 0.1, true);
    add(name + "turbine", 0.0, 0.1, true);
  }
  at_.push_back(p);
}

MachineValues MachineSystem::values(std::span<const double> y, const Place& p) const {
  const auto optional = [&](std::size_t at) { return at == none ? 0.0 : y[at]; };
  return {y[p.first],           y[p.first + 1],        y[p.first + 2], optional(p.damper_d),
          optional(p.damper_q), optional(p.damper_q2), y[p.stator],    y[p.stator + 1],
          y[p.stator + 2],      y[p.stator + 3]};
}

double MachineSystem::field(std::span<const double> y, std::size_t k) const {
  return at_[k].exciter == none ? field_pu_[k] : y[at_[k].exciter + 1];
}

void MachineSystem::exciter(std::span<const double> y, std::size_t k, double v_pu, std::span<double> out) const {
  const std::size_t at = at_[k].exciter;
  if (at == none) return;
  const ExciterParams& e = case_.exciter;
  const std::size_t sensor = at_[k].sensor;
  if (sensor != none) out[sensor] = (v_pu - y[sensor]) / e.sensor_s;
  const double error = reference_pu_[k] - (sensor == none ? v_pu : y[sensor]);
  if (e.kind == "static") {
    const double asked = e.gain_pu * error;
    const double lag_s = e.lag_s > 0.0 ? e.lag_s : 1.0, lead = e.lag_s > 0.0 ? e.lead_s / e.lag_s : 1.0;
    out[at] = (asked - y[at]) / lag_s;
    out[at + 1] = (lead * asked + (1.0 - lead) * y[at] - y[at + 1]) / e.regulator_s;
    return;
  }
  const double field_pu = y[at + 1], feedback = e.feedback_pu / e.feedback_s * (field_pu - y[at + 2]);
  out[at] = (e.gain_pu * (error - feedback) - y[at]) / e.regulator_s;
  const double load = e.exciter_pu + e.saturation_pu * math::exp(std::min(e.saturation_slope * field_pu, 50.0));
  out[at + 1] = (y[at] - load * field_pu) / e.exciter_s;
  out[at + 2] = (field_pu - y[at + 2]) / e.feedback_s;
}

Complex MachineSystem::load_current(std::size_t bus, Complex v) const {
  const double v0 = std::abs(flow_.voltage_pu[bus]), u = std::abs(v) / v0;
  const LoadParams& l = case_.load;
  const double z_p = 1.0 - l.active_power_frac - l.active_current_frac;
  const double z_q = 1.0 - l.reactive_power_frac - l.reactive_current_frac;
  Complex s(
      case_.bus.load_W[bus] / case_.base_VA * (l.active_power_frac + u * (l.active_current_frac + u * z_p)),
      case_.bus.load_var[bus] / case_.base_VA * (l.reactive_power_frac + u * (l.reactive_current_frac + u * z_q)));
  if (bus == site_) s += site_pu_;
  return std::conj(load_ratio_ * s / v);
}

double MachineSystem::load_room_frac(std::span<const double> y) const {
  MachineSystem more(*this);
  numerics::Ida solver(shape());
  std::vector<double> at(y.begin(), y.end());
  double room = 0.0;
  // Small steps, each from the last one's voltages: the search fails where there is no solution, not where it is far.
  for (double grow = 1e-5; grow <= 0.1; grow *= 1.5) {
    more.load_ratio_ = 1.0 + grow;
    try {
      solver.make_consistent(more, at, 0.0);
    } catch (const SolverError&) {
      return room;
    }
    room = grow;
  }
  return room;
}

std::string MachineSystem::why_stopped(std::span<const double> y, double time_s, const std::string& error) const {
  std::size_t lowest = 0;
  const auto voltage = [&](std::size_t i) { return std::hypot(y[bus_at_ + 2 * i], y[bus_at_ + 2 * i + 1]); };
  for (std::size_t i = 1; i < case_.bus.number.size(); ++i)
    if (voltage(i) < voltage(lowest)) lowest = i;
  const double room = load_room_frac(y);
  constexpr double at_the_nose = 0.003;
  const std::string where =
      fmt::format("lowest voltage {:.3f} pu, at bus {:g}", voltage(lowest), case_.bus.number[lowest]);
  if (room < at_the_nose)
    return fmt::format(
        "grid case at {:.3f} s: the voltages collapse. The loads, as they depend on voltage here, have reached the "
        "nose of the network's curve (they could grow by {:.2g} % with the machines as they are; {}). "
        "No state exists behind it: lower the load or its share of constant power, or hold the voltages (exciters). {}",
        time_s, 100.0 * room, where, error);
  return fmt::format(
      "grid case at {:.3f} s: the solver stops although the loads could still grow by {:.2g} % or more ({}): machines "
      "falling out of step, or a fault of the solver. {}",
      time_s, 100.0 * room, where, error);
}

void MachineSystem::equations(double, std::span<const double> y, std::span<double> out) const {
  const std::size_t n = case_.bus.number.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Complex v(y[bus_at_ + 2 * i], y[bus_at_ + 2 * i + 1]);
    const bool draws = case_.bus.load_W[i] != 0.0 || case_.bus.load_var[i] != 0.0 || i == site_;
    Complex current = draws ? -load_current(i, v) : 0.0;
    for (std::size_t a = neighbour_begin_[i]; a < neighbour_begin_[i + 1]; ++a) {
      const std::size_t k = neighbour_[a];
      current -= Y_[i * n + k] * Complex(y[bus_at_ + 2 * k], y[bus_at_ + 2 * k + 1]);
    }
    out[bus_at_ + 2 * i] = current.real();
    out[bus_at_ + 2 * i + 1] = current.imag();
  }
  for (std::size_t k = 0; k < machines_.size(); ++k) {
    const Place& p = at_[k];
    const MachineValues m = values(y, p);
    const Complex v(y[bus_at_ + 2 * p.bus], y[bus_at_ + 2 * p.bus + 1]);
    double mechanical = mechanical_pu_[k];
    if (p.governor != none) {
      const GovernorParams& g = case_.governor;
      const double valve = y[p.governor], turbine = y[p.governor + 1];
      out[p.governor] = (-m.speed_pu / droop_pu_[k] - valve) / g.valve_s;
      out[p.governor + 1] = (valve - turbine) / g.lag_s;
      mechanical += turbine + g.lead_s / g.lag_s * (valve - turbine);
    }
    const MachineRates r = machines_[k].rates(m, v, field(y, k), mechanical);
    out[p.first] = r.angle;
    out[p.first + 1] = r.speed;
    out[p.first + 2] = r.field;
    if (p.damper_d != none) out[p.damper_d] = r.damper_d;
    if (p.damper_q != none) out[p.damper_q] = r.damper_q;
    if (p.damper_q2 != none) out[p.damper_q2] = r.damper_q2;
    out[p.stator] = r.stator_d;
    out[p.stator + 1] = r.stator_q;
    out[p.stator + 2] = r.gap_d;
    out[p.stator + 3] = r.gap_q;
    const Complex i = machines_[k].current(m) * to_base_[k];
    out[bus_at_ + 2 * p.bus] += i.real();
    out[bus_at_ + 2 * p.bus + 1] += i.imag();
    exciter(y, k, std::abs(v), out);
  }
}

numerics::DaeShape MachineSystem::shape(double rtol) const { return {names_, typical_, differential_, rtol, 200000}; }

double MachineSystem::inertia_frac(std::size_t machine) const {
  double all = 0.0;
  for (std::size_t k = 0; k < machines_.size(); ++k) all += case_.machine.inertia_s[k] * case_.machine.rating_VA[k];
  return case_.machine.inertia_s[machine] * case_.machine.rating_VA[machine] / all;
}

SystemRun MachineSystem::run(std::span<const SiteSegment> waveform, double rtol) const {
  MachineSystem site(*this);
  numerics::Ida solver(shape(rtol));
  std::vector<double> y = rest_;
  SystemRun out;
  double now_s = 0.0;
  for (const SiteSegment& s : waveform) {
    site.set_site(s.load_W, s.load_var);
    try {
      solver.advance(site, y, s.duration_s, now_s);
    } catch (const SolverError& error) {
      throw SolverError(site.why_stopped(y, now_s, error.what()));
    }
    now_s += s.duration_s;
    out.steps += solver.steps();
    out.time_s.push_back(now_s);
    double mean_rad = 0.0;
    for (std::size_t k = 0; k < machines_.size(); ++k) mean_rad += inertia_frac(k) * y[angle_at(k)];
    for (std::size_t k = 0; k < machines_.size(); ++k) {
      out.frequency_Hz.push_back(case_.nominal_Hz * y[speed_at(k)]);
      out.angle_rad.push_back(y[angle_at(k)] - mean_rad);
    }
    out.voltage_pu.push_back(std::hypot(y[site_voltage_at()], y[site_voltage_at() + 1]));
    out.voltage_rad.push_back(std::atan2(y[site_voltage_at() + 1], y[site_voltage_at()]));
  }
  return out;
}

std::vector<SiteSegment> merge_edges(std::span<const SiteSegment> waveform, double window_s) {
  std::vector<SiteSegment> out;
  SiteSegment open;
  double energy_J = 0.0, reactive = 0.0;
  const auto close = [&] {
    if (open.duration_s > 0.0) out.push_back({open.duration_s, energy_J / open.duration_s, reactive / open.duration_s});
    open = {};
    energy_J = reactive = 0.0;
  };
  for (const SiteSegment& s : waveform) {
    if (s.duration_s >= window_s) close();
    open.duration_s += s.duration_s;
    energy_J += s.duration_s * s.load_W;
    reactive += s.duration_s * s.load_var;
    if (open.duration_s >= window_s) close();
  }
  close();
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
