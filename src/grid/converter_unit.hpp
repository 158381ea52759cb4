#pragma once
#include <optional>

#include "grid_unit.hpp"
#include "reecb1.hpp"
#include "regca1.hpp"
#include "repca1.hpp"

namespace TIDEWATT_NAMESPACE::grid {

/// A converter (wind, solar, storage): REGCA1, with REECB1 and REPCA1 in front of it if it has them. Without electrical
/// control its current commands are constant, without plant control its power orders.
class ConverterUnit final : public GridUnit {
 public:
  /// `plant` needs `electrical` in front of it.
  ConverterUnit(const Regca1& converter, std::optional<Reecb1> electrical, std::optional<Repca1> plant);
  std::vector<std::string> states() const override;
  void rest(std::complex<double> v, std::complex<double> power_pu, std::span<double> x) override;
  std::complex<double> current(std::span<const double> x, std::complex<double> v) const override;
  void rates(std::span<const double> x, std::complex<double> v, std::span<double> rate) const override;
  void limits(std::span<StateLimit> out) const override;
  UnitReadout readout(std::span<const double> x, std::complex<double> v) const override;

 private:
  Regca1 converter_;
  std::optional<Reecb1> electrical_;
  std::optional<Repca1> plant_;
  std::complex<double> power_pu_;  // at rest
  Reecb1::Command command_;        // at rest
};

}  // namespace TIDEWATT_NAMESPACE::grid
