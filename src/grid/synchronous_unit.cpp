#include "synchronous_unit.hpp"

#include <utility>

namespace TIDEWATT_NAMESPACE::grid {

using Complex = std::complex<double>;

SynchronousUnit::SynchronousUnit(std::unique_ptr<Rotor> rotor, std::unique_ptr<Exciter> exciter,
                                 std::unique_ptr<Governor> governor, std::unique_ptr<Stabiliser> stabiliser,
                                 ShaftInput shaft)
    : rotor_(std::move(rotor)),
      exciter_(std::move(exciter)),
      governor_(std::move(governor)),
      stabiliser_(std::move(stabiliser)),
      shaft_(shaft) {
  n_rotor_ = rotor_->states().size();
  if (exciter_) n_exciter_ = exciter_->states().size();
  if (governor_) n_governor_ = governor_->states().size();
  if (stabiliser_) n_stabiliser_ = stabiliser_->states().size();
}

std::vector<std::string> SynchronousUnit::states() const {
  std::vector<std::string> out = rotor_->states();
  const auto add = [&](const std::vector<std::string>& more) { out.insert(out.end(), more.begin(), more.end()); };
  if (exciter_) add(exciter_->states());
  if (governor_) add(governor_->states());
  if (stabiliser_) add(stabiliser_->states());
  return out;
}

void SynchronousUnit::rest(Complex v, Complex power_pu, std::span<double> x) {
  rest_ = rotor_->rest(v, power_pu, x.first(n_rotor_));
  if (exciter_) exciter_->rest(rest_, std::abs(v), exciter_part(x));
  if (governor_) governor_->rest(rest_.mechanical_pu, governor_part(x));
  if (stabiliser_) stabiliser_->rest({0.0, power_pu.real(), std::abs(v)}, stabiliser_part(x));
}

Complex SynchronousUnit::current(std::span<const double> x, Complex v) const {
  return rotor_->current(x.first(n_rotor_), v);
}

double SynchronousUnit::field(std::span<const double> x, Complex v, ExciterInput& in) const {
  if (!exciter_) return rest_.field_pu;
  in.voltage_pu = std::abs(v);
  in.field_current_pu = rotor_->field_current_pu(x.first(n_rotor_), v);
  if (stabiliser_)
    in.stabiliser_pu =
        stabiliser_->signal_pu(stabiliser_part(x), {x[1], (v * std::conj(current(x, v))).real(), in.voltage_pu});
  return exciter_->field_pu(exciter_part(x), in);
}

double SynchronousUnit::mechanical(std::span<const double> x) const {
  return governor_ ? governor_->mechanical_pu(governor_part(x), x[1]) : rest_.mechanical_pu;
}

void SynchronousUnit::rates(std::span<const double> x, Complex v, std::span<double> rate) const {
  ExciterInput in;
  const double field_pu = field(x, v, in), power_pu = mechanical(x);
  const double torque_pu = shaft_ == ShaftInput::power ? power_pu / (1.0 + x[1]) : power_pu;
  rotor_->rates(x.first(n_rotor_), v, torque_pu, field_pu, rate.first(n_rotor_));
  if (exciter_) exciter_->rates(exciter_part(x), in, exciter_part(rate));
  if (governor_) governor_->rates(governor_part(x), x[1], governor_part(rate));
  if (stabiliser_)
    stabiliser_->rates(stabiliser_part(x), {x[1], (v * std::conj(current(x, v))).real(), std::abs(v)},
                       stabiliser_part(rate));
}

void SynchronousUnit::limits(std::span<StateLimit> out) const {
  if (exciter_) exciter_->limits(exciter_part(out));
  if (governor_) governor_->limits(governor_part(out));
}

UnitReadout SynchronousUnit::readout(std::span<const double> x, Complex v) const {
  ExciterInput in;
  return {x[1], x[0], mechanical(x), field(x, v, in)};
}

}  // namespace TIDEWATT_NAMESPACE::grid
