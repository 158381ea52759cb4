#include "transformer_watch.hpp"

#include <algorithm>
#include <cmath>

#include "tidewatt/base/tick.hpp"

namespace TIDEWATT_NAMESPACE::sim {

TransformerWatch::TransformerWatch(const SiteDevices& devices, const power::FeederParams& sized) {
  const std::array<const std::optional<power::TransformerParams>*, 2> params = {&devices.hall_transformer,
                                                                                &devices.site_transformer};
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (!*params[i]) continue;
    auto& l = levels_[i];
    l.model.emplace(**params[i]);
    l.index = power::FeederParams::hall_level + i;
    const auto& level = sized.level[l.index];
    const auto n = static_cast<double>(level.n_branch);
    l.no_load_W = n * level.no_load_loss_W;
    l.load_W = n * level.load_loss_W;
  }
}

void TransformerWatch::step(Tick end, const power::FeederMeters& feeder, double ambient_K) {
  const double s = seconds(end - last_);
  last_ = end;
  if (!(s > 0.0)) return;
  for (auto& l : levels_) {
    if (!l.model) continue;
    const double loss_J = feeder.loss_J[l.index].value();
    const double K = std::sqrt(std::max(0.0, ((loss_J - l.loss_J) / s - l.no_load_W) / l.load_W));
    l.loss_J = loss_J;
    if (!l.begun) l.state = l.model->steady(K);
    l.begun = true;
    const double before_K = l.meters.hottest_K;
    l.model->step(s, K, ambient_K, l.state, l.meters);
    if (l.meters.hottest_K > before_K) l.hottest = end;
    l.loading_max_frac = std::max(l.loading_max_frac, K);
  }
}

std::vector<TransformerWatch::Figures> TransformerWatch::figures() const {
  std::vector<Figures> out;
  for (const auto& l : levels_)
    if (l.model)
      out.push_back({std::string(power::FeederParams::level_names[l.index]), l.meters.hottest_K, l.meters.aged_s,
                     l.meters.ageing_rate(), l.meters.above_limit_s, l.loading_max_frac, l.hottest});
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::sim
