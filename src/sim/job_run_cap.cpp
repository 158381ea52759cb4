// Power caps that are not kept, as figures.
#include <algorithm>

#include "job_run.hpp"

namespace tidewatt::sim {
namespace {

constexpr double kept_ratio = 1.05;  ///< clocks follow predicted temperatures: the first iteration after a cold start misses the cap by up to 4 %

}  // namespace

/// The limiter holds means, so a step's mean power is what a cap is held against.
void JobRun::watch_caps(const Hands& hands) {
  const auto& fleet = hands.fleet;
  for (std::size_t n = first_node_; n < first_node_ + n_node_; ++n) {
    const double cap_W = hands.state.controls[fleet.node_hall[n]].cap_W, most_W = kept_ratio * cap_W;
    const double* mean_W = hands.state.mean_W.data() + n * fleet.n_gpu_per_node;
    std::size_t n_over = 0;
    double largest_W = 0.0;
    for (std::size_t g = 0; g < fleet.n_gpu_per_node; ++g) {
      n_over += mean_W[g] > most_W ? 1u : 0u;
      largest_W = std::max(largest_W, mean_W[g]);
    }
    if (n_over == 0) continue;
    figures_.cap_over_s += static_cast<double>(n_over) * last_step_s_;
    figures_.cap_over_W = std::max(figures_.cap_over_W, largest_W - cap_W);
  }
  figures_.worked_s += static_cast<double>(n_node_ * fleet.n_gpu_per_node) * last_step_s_;
}

}  // namespace tidewatt::sim
