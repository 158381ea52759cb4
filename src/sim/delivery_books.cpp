#include "tidewatt/sim/delivery.hpp"

namespace tidewatt::sim {
namespace {

void add_store(std::vector<BookLevel>& to, const char* name, const power::StoreMeters& m, double stored_J) {
  to.push_back({name, m.charged_J.value(), m.discharged_J.value() + m.charge_loss_J.value() + m.discharge_loss_J.value(), stored_J});
}

}  // namespace

double Delivery::stored_J() const {
  double J = 0.0;
  if (rack_) J += rack_->store().stored_J(rack_state_.store);
  if (chain_) J += chain_->stored_J(chain_state_);
  if (backup_) J += backup_->ups().battery().stored_J(backup_state_.ups.battery);
  if (ups_) J += ups_->battery().stored_J(ups_state_.battery);
  return J;
}

std::vector<BookLevel> Delivery::books(const power::FeederMeters& asked, double bus_J, double connection_J) const {
  std::vector<BookLevel> out;
  double row_in_J = asked.load_J.value();
  if (rack_) {
    out.push_back({"rack storage", rack_out_J_.value(), row_in_J, rack_meters_.charged_J.value() - rack_meters_.discharged_J.value()});
    add_store(out, "rack store", rack_meters_, rack_->store().stored_J(rack_state_.store));
    row_in_J = rack_out_J_.value();
  }
  if (chain_) {
    out.push_back({"converter load", chain_meters_.load_J.value(), row_in_J, 0.0});
    out.push_back({"converters", chain_meters_.drawn_J.value(), chain_meters_.load_J.value() + chain_meters_.loss_J.value(),
                   chain_->stored_J(chain_state_)});
    row_in_J = chain_meters_.drawn_J.value();
  }
  out.push_back({"rows", row_in_J_.value(), row_in_J, 0.0});
  if (const auto* u = ups()) {
    out.push_back({"row feeders", lower_.drawn_J.value(), lower_.load_J.value() + lower_.total_loss_J(), 0.0});
    out.push_back({"row load", lower_.load_J.value(), row_in_J_.value(), 0.0});
    out.push_back({"protected load", lower_.drawn_J.value() + asked.auxiliary_J.value(), u->served_J.value() + u->unserved_J.value(), 0.0});
    out.push_back({"supplies", u->drawn_J.value() + u->battery.discharged_J.value(),
                   u->served_J.value() + u->loss_J.value() + u->battery.charged_J.value(), 0.0});
    const auto& battery = backup_ ? backup_->ups().battery() : ups_->battery();
    add_store(out, "supply batteries", u->battery, battery.stored_J(backup_ ? backup_state_.ups.battery : ups_state_.battery));
    out.push_back({"supply input", u->drawn_J.value(), utility_J_.value() + (backup_ ? backup_meters_.generator_J.value() : 0.0), 0.0});
    out.push_back({"transformers", upper_.drawn_J.value(), upper_.load_J.value() + upper_.total_loss_J(), 0.0});
    out.push_back({"transformer load", upper_.load_J.value(), utility_J_.value(), 0.0});
    if (backup_) {
      const auto& g = backup_meters_.generator;
      out.push_back({"generators", g.mechanical_J.value() + g.joined_J.value(),
                     g.electrical_J.value() + g.damping_J.value() + g.left_J.value(),
                     backup_state_.generator.kinetic_J + backup_state_.generator.kinetic_carry_J});
      out.push_back({"generator bus", g.electrical_J.value(), backup_meters_.generator_J.value(), 0.0});
    }
  } else {
    out.push_back({"feeder", upper_.drawn_J.value(), upper_.load_J.value() + upper_.auxiliary_J.value() + upper_.total_loss_J(), 0.0});
    out.push_back({"feeder load", row_in_J_.value() + asked.auxiliary_J.value(),
                   upper_.load_J.value() + upper_.auxiliary_J.value() + dark_J_.value(), 0.0});
  }
  out.push_back({"site bus", bus_J_.value(), bus_J, 0.0});
  const auto& t = turbine_meters_;
  out.push_back({"connection", bus_J_.value(),
                 connection_J + parallel_J_.value() + island_J_.value() + t.unserved_J.value() + own_supply_J_.value(), 0.0});
  if (turbine_) {
    double kinetic_J = kinetic_J_;
    if (on_island_) kinetic_J += turbine_state_.kinetic_J + turbine_state_.kinetic_carry_J - kinetic_begin_J_;
    out.push_back({"turbines", t.mechanical_J.value() + t.joined_J.value(),
                   t.electrical_J.value() + t.damping_J.value() + t.left_J.value(), kinetic_J});
    out.push_back({"island", t.electrical_J.value(), island_J_.value(), 0.0});
  }
  return out;
}

}  // namespace tidewatt::sim
