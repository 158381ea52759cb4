#pragma once
#include <cstdint>
#include <memory>

#include "grid_unit.hpp"
#include "machine_parts.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// What a governor's output means for the shaft: power (the torque is P/(1 + ω)) or torque itself. Programs differ.
enum class ShaftInput : std::uint8_t { power, torque };

/// A synchronous machine with what controls it; without a governor its mechanical power is constant, without an exciter its
/// field voltage. States in this order: rotor, exciter, governor, stabiliser.
class SynchronousUnit final : public GridUnit {
 public:
  /// Controls may be absent (null).
  SynchronousUnit(std::unique_ptr<Rotor> rotor, std::unique_ptr<Exciter> exciter, std::unique_ptr<Governor> governor,
                  std::unique_ptr<Stabiliser> stabiliser, ShaftInput shaft);
  std::vector<std::string> states() const override;
  void rest(std::complex<double> v, std::complex<double> power_pu, std::span<double> x) override;
  std::complex<double> current(std::span<const double> x, std::complex<double> v) const override;
  void rates(std::span<const double> x, std::complex<double> v, std::span<double> rate) const override;
  void limits(std::span<StateLimit> out) const override;
  UnitReadout readout(std::span<const double> x, std::complex<double> v) const override;
  double inertia_s() const override { return rotor_->inertia_s(); }

 private:
  double field(std::span<const double> x, std::complex<double> v, ExciterInput& in) const;
  double mechanical(std::span<const double> x) const;
  template <class X>
  X exciter_part(X x) const {
    return x.subspan(n_rotor_, n_exciter_);
  }
  template <class X>
  X governor_part(X x) const {
    return x.subspan(n_rotor_ + n_exciter_, n_governor_);
  }
  template <class X>
  X stabiliser_part(X x) const {
    return x.subspan(n_rotor_ + n_exciter_ + n_governor_, n_stabiliser_);
  }

  std::unique_ptr<Rotor> rotor_;
  std::unique_ptr<Exciter> exciter_;
  std::unique_ptr<Governor> governor_;
  std::unique_ptr<Stabiliser> stabiliser_;
  ShaftInput shaft_;
  std::size_t n_rotor_ = 0, n_exciter_ = 0, n_governor_ = 0, n_stabiliser_ = 0;
  RotorRest rest_;
};

}  // namespace TIDEWATT_NAMESPACE::grid
