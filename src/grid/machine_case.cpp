#include "tidewatt/grid/machine_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

using List = std::pair<const char*, const std::vector<double>*>;

template <class Params>
void read_table(TableReader& parent, const char* key, Params& params, std::vector<Finding>& findings, Need need) {
  const Node* child = parent.child(key, need);
  if (!child) return;
  TableReader reader(*child, parent.path().empty() ? key : parent.path() + "." + key, findings);
  params.fields(reader);
  reader.finish();
}

}  // namespace

void BusParams::fields(FieldVisitor& v) {
  v.numbers("number", number, {0, 1e6}, "bus numbers, each once");
  v.numbers("load_MW", load_W, {-1e5, 1e5}, "active load");
  v.numbers("load_Mvar", load_var, {-1e5, 1e5}, "reactive load");
  v.numbers("shunt_Mvar", shunt_var, {-1e5, 1e5}, "capacitors at nominal voltage");
}

void LoadParams::fields(FieldVisitor& v) {
  v.number("active_power_frac", active_power_frac, {0, 1}, "share of constant active power");
  v.number("active_current_frac", active_current_frac, {0, 1}, "share of constant active current");
  v.number("reactive_power_frac", reactive_power_frac, {0, 1}, "share of constant reactive power");
  v.number("reactive_current_frac", reactive_current_frac, {0, 1}, "share of constant reactive current");
}

void BranchParams::fields(FieldVisitor& v) {
  v.numbers("from", from, {0, 1e6}, "bus numbers");
  v.numbers("to", to, {0, 1e6}, "bus numbers");
  v.numbers("r_pu", r_pu, {0, 10}, "series resistance on the case's base");
  v.numbers("x_pu", x_pu, {1e-6, 10}, "series reactance");
  v.numbers("b_pu", b_pu, {0, 100}, "charging susceptance of the whole line");
  v.numbers("tap_ratio", tap_ratio, {0.5, 2}, "voltage ratio at the from end, 1: line");
}

void MachineParams::fields(FieldVisitor& v) {
  v.numbers("bus", bus, {0, 1e6}, "bus numbers");
  v.numbers("rating_MVA", rating_VA, {1, 1e5}, "base of the machine's own values");
  v.numbers("power_MW", power_W, {-1e5, 1e5}, "dispatched active power");
  v.numbers("voltage_pu", voltage_pu, {0.8, 1.2}, "terminal voltage");
  v.numbers("inertia_s", inertia_s, {0.1, 1000}, "H");
  v.numbers("damping_pu", damping_pu, {0, 1000}, "D, torque per unit of speed");
  v.numbers("armature_pu", armature_pu, {0, 0.1}, "R_a");
  v.numbers("leakage_pu", leakage_pu, {1e-4, 2}, "X_l");
  v.numbers("d_pu", d_pu, {1e-3, 10}, "X_d");
  v.numbers("d_transient_pu", d_transient_pu, {1e-3, 5}, "X'_d");
  v.numbers("d_subtransient_pu", d_subtransient_pu, {0, 5}, "X''_d");
  v.numbers("q_pu", q_pu, {1e-3, 10}, "X_q");
  v.numbers("q_transient_pu", q_transient_pu, {0, 5}, "X'_q");
  v.numbers("q_subtransient_pu", q_subtransient_pu, {0, 5}, "X''_q");
  v.numbers("d_transient_s", d_transient_s, {0.1, 50}, "T'_d0");
  v.numbers("d_subtransient_s", d_subtransient_s, {0, 5}, "T''_d0; 0: no damper");
  v.numbers("q_transient_s", q_transient_s, {0, 50}, "T'_q0; 0: no such winding");
  v.numbers("q_subtransient_s", q_subtransient_s, {0, 5}, "T''_q0; 0: no such winding");
  v.number("saturation_pu", saturation_pu, {0, 1}, "A of the open-circuit curve; 0: none");
  v.number("saturation_slope", saturation_slope, {0, 30}, "B of the open-circuit curve");
  v.number("saturation_knee_pu", saturation_knee_pu, {0, 2}, "flux at which the exponential begins");
}

void ExciterParams::fields(FieldVisitor& v) {
  static constexpr std::array<std::string_view, 3> kinds{"manual", "static", "dc1a"};
  v.choice("kind", kind, kinds, "how the field is fed");
  v.number("gain_pu", gain_pu, {0, 2000}, "K_A", Need::optional);
  v.number("sensor_s", sensor_s, {0, 1}, "T_R", Need::optional);
  v.number("regulator_s", regulator_s, {0, 5}, "T_A", Need::optional);
  v.number("lead_s", lead_s, {0, 50}, "T_C", Need::optional);
  v.number("lag_s", lag_s, {0, 50}, "T_B", Need::optional);
  v.number("exciter_s", exciter_s, {0, 10}, "T_E", Need::optional);
  v.number("exciter_pu", exciter_pu, {-2, 2}, "K_E", Need::optional);
  v.number("saturation_pu", saturation_pu, {0, 1}, "A_E", Need::optional);
  v.number("saturation_slope", saturation_slope, {0, 5}, "B_E", Need::optional);
  v.number("feedback_pu", feedback_pu, {0, 1}, "K_F", Need::optional);
  v.number("feedback_s", feedback_s, {0, 10}, "T_F", Need::optional);
}

void GovernorParams::fields(FieldVisitor& v) {
  v.numbers("droop_pu", droop_pu, {0, 1}, "R of each machine; 0: constant mechanical power");
  v.number("valve_s", valve_s, {0.01, 20}, "T_1");
  v.number("lead_s", lead_s, {0, 20}, "T_2");
  v.number("lag_s", lag_s, {0.01, 60}, "T_3");
}

void MachineCase::fields(FieldVisitor& v) {
  v.number("base_MVA", base_VA, {1, 1e5}, "base of the network's per-unit values");
  v.number("nominal_Hz", nominal_Hz, {16, 60}, "nominal frequency");
  v.number("slack_bus", slack_bus, {0, 1e6}, "bus of the machine that balances the power flow");
}

std::size_t MachineCase::bus_index(double number) const {
  const auto at = std::find(bus.number.begin(), bus.number.end(), number);
  if (at == bus.number.end()) throw InputError(fmt::format("grid case: there is no bus {}", number));
  return static_cast<std::size_t>(at - bus.number.begin());
}

void MachineCase::check() const {
  std::vector<Finding> findings;
  const auto same_length = [&](std::size_t n, std::vector<List> lists) {
    for (const auto& [key, list] : lists)
      if (list->size() != n) findings.push_back({{}, key, fmt::format("has {} values, expected {}", list->size(), n)});
  };
  const auto need = [&](bool ok, const char* key, std::string message) {
    if (!ok) findings.push_back({{}, key, std::move(message)});
  };
  const MachineParams& m = machine;
  same_length(bus.number.size(),
              {{"bus.load_MW", &bus.load_W}, {"bus.load_Mvar", &bus.load_var}, {"bus.shunt_Mvar", &bus.shunt_var}});
  same_length(branch.from.size(), {{"branch.to", &branch.to},
                                   {"branch.r_pu", &branch.r_pu},
                                   {"branch.x_pu", &branch.x_pu},
                                   {"branch.b_pu", &branch.b_pu},
                                   {"branch.tap_ratio", &branch.tap_ratio}});
  same_length(m.bus.size(), {{"machine.rating_MVA", &m.rating_VA},
                             {"machine.power_MW", &m.power_W},
                             {"machine.voltage_pu", &m.voltage_pu},
                             {"machine.inertia_s", &m.inertia_s},
                             {"machine.damping_pu", &m.damping_pu},
                             {"machine.armature_pu", &m.armature_pu},
                             {"machine.leakage_pu", &m.leakage_pu},
                             {"machine.d_pu", &m.d_pu},
                             {"machine.d_transient_pu", &m.d_transient_pu},
                             {"machine.d_subtransient_pu", &m.d_subtransient_pu},
                             {"machine.q_pu", &m.q_pu},
                             {"machine.q_transient_pu", &m.q_transient_pu},
                             {"machine.q_subtransient_pu", &m.q_subtransient_pu},
                             {"machine.d_transient_s", &m.d_transient_s},
                             {"machine.d_subtransient_s", &m.d_subtransient_s},
                             {"machine.q_transient_s", &m.q_transient_s},
                             {"machine.q_subtransient_s", &m.q_subtransient_s}});
  if (!governor.droop_pu.empty()) same_length(m.bus.size(), {{"governor.droop_pu", &governor.droop_pu}});
  need(base_VA > 0.0 && nominal_Hz > 0.0, "base_MVA", "base and frequency must be positive");
  need(!m.bus.empty(), "machine.bus", "a case needs a machine");
  need(std::find(m.bus.begin(), m.bus.end(), slack_bus) != m.bus.end(), "slack_bus", "has no machine");
  const auto known = [&](double n) { return std::find(bus.number.begin(), bus.number.end(), n) != bus.number.end(); };
  for (const auto* list : {&branch.from, &branch.to, &m.bus})
    for (const double n : *list) need(known(n), "bus.number", fmt::format("there is no bus {}", n));
  if (!findings.empty()) throw InputError(std::move(findings));
  for (std::size_t i = 0; i < m.bus.size(); ++i) {
    const double xl = m.leakage_pu[i];
    const bool d_ok = xl < m.d_transient_pu[i] && m.d_transient_pu[i] < m.d_pu[i];
    const bool d2_ok =
        m.d_subtransient_s[i] <= 0.0 || (xl < m.d_subtransient_pu[i] && m.d_subtransient_pu[i] < m.d_transient_pu[i]);
    need(d_ok && d2_ok, "machine.d_pu", fmt::format("machine at bus {}: X_l < X''_d < X'_d < X_d is needed", m.bus[i]));
    const double q1 = m.q_transient_s[i] > 0.0 ? m.q_transient_pu[i] : m.q_pu[i];
    const bool q1_ok = m.q_transient_s[i] <= 0.0 || (xl < q1 && q1 < m.q_pu[i]);
    const bool q2_ok = m.q_subtransient_s[i] <= 0.0 || (xl < m.q_subtransient_pu[i] && m.q_subtransient_pu[i] < q1);
    need(q1_ok && q2_ok && xl < m.q_pu[i], "machine.q_pu",
         fmt::format("machine at bus {}: X_l < X''_q < X'_q < X_q is needed", m.bus[i]));
  }
  if (exciter.kind != "manual")
    need(exciter.gain_pu > 0.0 && exciter.regulator_s > 0.0, "exciter.gain_pu",
         "gain and regulator_s must be positive");
  if (exciter.kind == "dc1a")
    need(exciter.exciter_s > 0.0 && exciter.feedback_s > 0.0, "exciter.exciter_s",
         "exciter_s and feedback_s must be positive");
  if (!findings.empty()) throw InputError(std::move(findings));
}

MachineCase read_machine_case(const Node& node, const std::string& path, std::vector<Finding>& findings) {
  MachineCase out;
  const std::size_t before = findings.size();
  TableReader reader(node, path, findings);
  out.fields(reader);
  read_table(reader, "bus", out.bus, findings, Need::required);
  read_table(reader, "load", out.load, findings, Need::required);
  read_table(reader, "branch", out.branch, findings, Need::required);
  read_table(reader, "machine", out.machine, findings, Need::required);
  read_table(reader, "exciter", out.exciter, findings, Need::required);
  read_table(reader, "governor", out.governor, findings, Need::optional);
  reader.finish();
  if (findings.size() == before) out.check();
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
