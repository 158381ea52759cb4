#pragma once
#include "tidewatt/base/fields.hpp"
#include "tidewatt/base/version.hpp"
#include "tidewatt/cooling/cooling_plant.hpp"
#include "tidewatt/cooling/diurnal.hpp"

namespace TIDEWATT_NAMESPACE::cooling {

/// Inlet temperature as a given function of local time. A catalog entry of kind `prescribed_inlet`.
struct TIDEWATT_API PrescribedInletParams {
  double min_K = 0.0;   ///< coolest supply air of the day
  double max_K = 0.0;   ///< warmest supply air of the day
  double low_s = 0.0;   ///< local standard time of the coolest moment
  double high_s = 0.0;  ///< local standard time of the warmest moment
  void fields(FieldVisitor& v);
};

/// Supply air at `min + (max - min) f(local time)` with f the DiurnalShape; no fans, no water, no memory: what heat
/// enters leaves at once. Liquid, if servers need it, has the same temperature.
class TIDEWATT_API PrescribedInlet final : public CoolingPlant {
 public:
  /// @param local_at_start_ns local standard time of day at run time 0  @throws InputError if max < min
  PrescribedInlet(const PrescribedInletParams& params, Tick local_at_start_ns);
  std::size_t n_state() const override { return 0; }
  std::vector<std::string> state_names() const override { return {}; }
  bool follows_weather() const override { return true; }  // it has a course of its own
  std::unique_ptr<PlantWorkspace> make_workspace() const override { return std::make_unique<PlantWorkspace>(); }
  void initialise(std::span<double>, const PlantInput&, Tick) const override {}
  PlantStep advance(std::span<double> state, const PlantInput& input, Tick t0, Tick t1,
                    PlantWorkspace& workspace) const override;

 private:
  PrescribedInletParams params_;
  DiurnalShape shape_;
  Tick local_at_start_ns_;
};

}  // namespace TIDEWATT_NAMESPACE::cooling
