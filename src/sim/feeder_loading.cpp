#include "feeder_loading.hpp"

#include <algorithm>
#include <cmath>

namespace TIDEWATT_NAMESPACE::sim {

FeederLoading::PerLevel FeederLoading::open_frac() const {
  PerLevel out{};
  if (last_ <= begin_) return out;
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = std::sqrt(std::max(0.0, last_s_[i] - begin_s_[i]) / seconds(last_ - begin_));
  return out;
}

void FeederLoading::step(Tick end, const power::FeederMeters& feeder) {
  last_ = end;
  for (std::size_t i = 0; i < last_s_.size(); ++i) last_s_[i] = feeder.loading2_s[i].value();
  if (last_ - begin_ < window) return;
  const PerLevel frac = open_frac();
  for (std::size_t i = 0; i < frac.size(); ++i) largest_frac_[i] = std::max(largest_frac_[i], frac[i]);
  any_ = true;
  begin_ = last_;
  begin_s_ = last_s_;
}

std::array<double, power::FeederParams::n_level> FeederLoading::mean_max_frac() const {
  return any_ ? largest_frac_ : open_frac();
}

}  // namespace TIDEWATT_NAMESPACE::sim
