#include "run_audit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace TIDEWATT_NAMESPACE::sim {

double closure(const AuditLevel& l, double floor_J) {
  const double through = std::max({std::abs(l.in_J), std::abs(l.out_J), std::abs(l.stored_J), floor_J, 1e-300});
  return std::abs(l.in_J - l.out_J - l.stored_J) / through;
}

double rounding_floor_J(const std::vector<AuditLevel>& levels) {
  double most_J = 0.0;
  for (const auto& l : levels) most_J = std::max({most_J, std::abs(l.in_J), std::abs(l.out_J)});
  return most_J * std::numeric_limits<double>::epsilon() / most_closure;
}

std::vector<AuditLevel> audit(const Simulation& run) {
  const auto& stream = run.connection->stream();
  const auto& m = run.state.meters;
  const auto& f = stream.feeder_meters();
  const auto& h = run.halls.books();
  std::vector<AuditLevel> levels = {
      {"package", m.gpu_in.value(), m.package_out.value(), m.package_stored.value()},
      {"server", m.ac_in.value(),
       m.gpu_in.value() + m.conversion_loss.value() + m.host.value() + m.fan.value() + m.psu_loss.value(), 0.0},
      // The waveform's energy against the servers' own meters: a lost or doubled edge shows here.
      {"site load", f.load_J.value(), m.ac_in.value() + neighbours_J(run), 0.0},
      {"cooling power", f.auxiliary_J.value(), h.electric.value(), 0.0},
      {"server heat",
       m.package_out.value() + m.conversion_loss.value() + m.host.value() + m.fan.value() + m.psu_loss.value(),
       m.air_out.value() + m.liquid_out.value(), 0.0},
      {"hall heat", m.air_out.value() + m.liquid_out.value(), h.heat_in.value(),
       run.halls.pending_heat_J(run.state.now)},
      {"hall", h.heat_in.value() + h.fan.value(), h.heat_out.value(), h.stored.value()},
  };
  // What the feeder hands to the site bus, to be joined by the battery.
  double fed_J = f.drawn_J.value();
  const auto* devices = stream.delivery();
  if (devices == nullptr)
    levels.push_back({"feeder", fed_J, f.load_J.value() + f.auxiliary_J.value() + f.total_loss_J(), 0.0});
  else
    fed_J = devices->fed_J();
  const double bus_J = devices != nullptr ? stream.bus_J() : stream.connection_J();
  if (devices != nullptr)
    for (auto& l : devices->books(f, bus_J, stream.connection_J()))
      levels.push_back({std::move(l.name), l.in_J, l.out_J, l.stored_J});
  if (const auto* battery = stream.battery()) {
    const auto& b = battery->meters();
    levels.push_back({"battery bus", bus_J, fed_J, b.charged_J.value() - b.discharged_J.value()});
    levels.push_back(
        {"battery", b.charged_J.value(),
         b.discharged_J.value() + b.charge_loss_J.value() + b.discharge_loss_J.value() + b.standby_J.value(),
         stream.battery_stored_J()});
  } else {
    levels.push_back({devices != nullptr ? "bus" : "connection", bus_J, fed_J, 0.0});
  }
  return levels;
}

double input_error(const Simulation& run) {
  const double scheduled_J = run.state.audit.J();
  return std::abs(run.state.meters.input_reference.value() - scheduled_J) / scheduled_J;
}

}  // namespace TIDEWATT_NAMESPACE::sim
