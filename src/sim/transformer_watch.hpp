#pragma once
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidewatt/base/tick.hpp"
#include "tidewatt/power/feeder.hpp"
#include "tidewatt/power/transformer.hpp"
#include "tidewatt/sim/site_devices.hpp"

namespace TIDEWATT_NAMESPACE::sim {

/// Hot spot and ageing of the hall and site transformers, from macro step to macro step.
///
///     K² = (E_loss/Δt − n P_0)/(n P_k)    root mean square loading, from the feeder's own loss meter
///
/// so that iterations' swings heat as they do. Each level begins in the steady state of its first step's loading.
/// Assumptions: branches share evenly; ambient is the outdoor air; within a step the loading is constant (steps of 10 min
/// at most, winding time constants of 4 to 10 min).
class TransformerWatch {
 public:
  /// Of the whole site  @throws InputError
  TransformerWatch(const SiteDevices& devices, const power::FeederParams& sized);
  Tick now() const { return last_; }
  bool any() const { return levels_[0].model || levels_[1].model; }
  /// A step that ended at `end`. @param feeder meters since the start of the run  @param ambient_K mean of the step
  void step(Tick end, const power::FeederMeters& feeder, double ambient_K);

  struct Figures {
    std::string level;
    double hot_spot_max_K = 0.0, life_lost_s = 0.0, ageing_ratio = 0.0, above_limit_s = 0.0, loading_rms_max_frac = 0.0;
    Tick hottest = 0;  ///< end of the step
  };
  std::vector<Figures> figures() const;
  template <class A>
  void archive(A& a) {
    a(last_);
    for (auto& l : levels_)
      a(l.begun, l.hottest, l.loading_max_frac, l.loss_J, l.state.oil_K, l.state.gradient_fast_K,
        l.state.gradient_slow_K, l.meters.aged_s, l.meters.elapsed_s, l.meters.hottest_K, l.meters.above_limit_s);
  }

 private:
  struct Level {
    std::optional<power::Transformer> model;
    std::size_t index = 0;
    double no_load_W = 0.0, load_W = 0.0;  // of all branches at rating
    bool begun = false;
    Tick hottest = 0;
    double loading_max_frac = 0.0, loss_J = 0.0;
    power::TransformerState state;
    power::TransformerMeters meters;
  };
  std::array<Level, 2> levels_;
  Tick last_ = 0;
};

}  // namespace TIDEWATT_NAMESPACE::sim
