#include "converter_unit.hpp"

#include <utility>

namespace TIDEWATT_NAMESPACE::grid {

using Complex = std::complex<double>;
constexpr std::size_t electrical_at = Regca1::n_state, plant_at = electrical_at + Reecb1::n_state;

ConverterUnit::ConverterUnit(const Regca1& converter, std::optional<Reecb1> electrical, std::optional<Repca1> plant)
    : converter_(converter), electrical_(std::move(electrical)), plant_(std::move(plant)) {}

std::vector<std::string> ConverterUnit::states() const {
  std::vector<std::string> out = {"active current", "reactive current", "converter voltage"};
  if (electrical_)
    out.insert(out.end(), {"control voltage", "control power", "power order", "reactive integral", "voltage integral",
                           "reactive lag"});
  if (plant_)
    out.insert(out.end(), {"plant voltage", "plant Q", "plant integral", "plant lead-lag", "plant P",
                           "plant P integral", "plant order", "plant angle"});
  return out;
}

void ConverterUnit::rest(Complex v, Complex power_pu, std::span<double> x) {
  power_pu_ = power_pu;
  converter_.rest(v, power_pu, x.first(Regca1::n_state));
  command_ = {x[0], x[1]};
  if (electrical_) electrical_->rest(std::abs(v), power_pu, x.subspan(electrical_at, Reecb1::n_state));
  if (plant_) plant_->rest(v, power_pu, x.subspan(plant_at, Repca1::n_state));
}

Complex ConverterUnit::current(std::span<const double> x, Complex v) const { return converter_.current(x, v); }

void ConverterUnit::rates(std::span<const double> x, Complex v, std::span<double> rate) const {
  const Complex power_pu = v * std::conj(current(x, v));
  Repca1::Orders orders{power_pu_.real(), power_pu_.imag()};
  if (plant_) {
    orders = plant_->orders(x.subspan(plant_at, Repca1::n_state), v, power_pu);
    plant_->rates(x.subspan(plant_at, Repca1::n_state), v, power_pu, rate.subspan(plant_at, Repca1::n_state));
  }
  Reecb1::Command command = command_;
  if (electrical_) {
    const Reecb1::Input in{std::abs(v), power_pu, orders.active_pu, orders.reactive_pu};
    command = electrical_->command(x.subspan(electrical_at, Reecb1::n_state), in);
    electrical_->rates(x.subspan(electrical_at, Reecb1::n_state), in, rate.subspan(electrical_at, Reecb1::n_state));
  }
  converter_.rates(x.first(Regca1::n_state), std::abs(v), command.active_pu, command.reactive_pu,
                   rate.first(Regca1::n_state));
}

void ConverterUnit::limits(std::span<StateLimit> out) const {
  if (electrical_) electrical_->limits(out.subspan(electrical_at, Reecb1::n_state));
  if (plant_) plant_->limits(out.subspan(plant_at, Repca1::n_state));
}

UnitReadout ConverterUnit::readout(std::span<const double> x, Complex v) const {
  return {0.0, std::arg(v), (v * std::conj(current(x, v))).real(), 0.0};
}

}  // namespace TIDEWATT_NAMESPACE::grid
