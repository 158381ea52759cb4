#include "evidence_spread.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "silicon.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double inlet_K = 22.0 + zero_degC_K, immersed_die_K = 60.0 + zero_degC_K;  // as the other E2 rows
constexpr std::size_t gpus_per_node = 8;

/// Chips of one type under their limit.
class CappedChips {
 public:
  CappedChips(const std::string& gpu, const dvfs::PhaseMix& mix) : gpu_(gpu_case(gpu)), model_(gpu_.power), mix_(mix) {}
  double cap_W() const { return gpu_.power.tdp_W - gpu_.governor.cap_margin_W; }
  const GpuCase& gpu() const { return gpu_; }
  power::Chip chip(std::uint64_t seed, std::uint64_t g) const { return power::draw_chip(gpu_.spread, seed, g); }
  /// @param gate_Hz clock of the slowest GPU that all wait for; 0: none
  double clock_Hz(const power::Chip& chip, double die_K, double gate_Hz) const {
    return dvfs::operating_point(model_, chip, mix_, gpu_.compute.reference_clock_Hz, gate_Hz,
                                 model_.leakage_temperature_factor(die_K), cap_W(), model_.clock_max_Hz(), 1.5e9)
        .clock_Hz;
  }
  double watts(const power::Chip& chip, double die_K, double clock_Hz, double gate_Hz) const {
    const auto p = dvfs::phase_power(model_, chip, mix_, gpu_.compute.reference_clock_Hz, clock_Hz, gate_Hz);
    return p.fixed_W + p.leakage_W * model_.leakage_temperature_factor(die_K);
  }

 private:
  GpuCase gpu_;
  power::GpuModel model_;
  dvfs::PhaseMix mix_;
};

dvfs::PhaseMix dense_gemm() {
  dvfs::PhaseMix mix;
  mix.matrix_s = mix.active_matrix_s = 1.0;
  return mix;
}

/// The mix of row D4: a large language model's training step.
dvfs::PhaseMix training_step() {
  dvfs::PhaseMix mix;
  mix.matrix_s = 0.80, mix.memory_s = 0.06, mix.link_s = 0.09, mix.wait_s = 0.05;
  mix.active_matrix_s = 0.95 * mix.matrix_s, mix.hbm_s = 0.3, mix.full_link_s = 0.05;
  return mix;
}

}  // namespace

double node_clock_range_frac(const std::string& gpu, const std::string& server) {
  constexpr std::uint64_t n_node = 1000;
  const CappedChips chips(gpu, dense_gemm());
  const double cap_W = chips.cap_W();
  const auto nominal = steady_node(chips.gpu(), server_case(server), [&](double) { return cap_W; }, inlet_K);
  double sum = 0.0;
  for (std::uint64_t node = 0; node < n_node; ++node) {
    double least = HUGE_VAL, most = 0.0;
    for (std::uint64_t slot = 0; slot < nominal.die_K.size(); ++slot) {
      const std::uint64_t g = node * nominal.die_K.size() + slot;
      const double ratio = power::draw_resistance_ratio(chips.gpu().spread, 1, g);
      const double die_K = inlet_K + ratio * (nominal.die_K[slot] - inlet_K);
      const double f = chips.clock_Hz(chips.chip(1, g), die_K, 0.0);
      least = std::min(least, f), most = std::max(most, f);
    }
    sum += (most - least) / most;
  }
  return sum / static_cast<double>(n_node);
}

double node_power_scatter_frac(const std::string& gpu, const std::string& server, std::size_t n_node) {
  constexpr std::uint64_t n_seed = 20;
  const CappedChips chips(gpu, training_step());
  const ServerCase node = server_case(server);
  double scatter = 0.0;
  for (std::uint64_t seed = 1; seed <= n_seed; ++seed) {
    double gate_Hz = HUGE_VAL;
    for (std::size_t g = 0; g < gpus_per_node * n_node; ++g)
      gate_Hz = std::min(gate_Hz, chips.clock_Hz(chips.chip(seed, g), immersed_die_K, 0.0));
    std::vector<double> ac_W;
    double mean = 0.0, square = 0.0;
    for (std::size_t n = 0; n < n_node; ++n) {
      double gpus_W = 0.0;
      for (std::size_t g = gpus_per_node * n; g < gpus_per_node * (n + 1); ++g) {
        const auto chip = chips.chip(seed, g);
        const double f = std::max(gate_Hz, chips.clock_Hz(chip, immersed_die_K, gate_Hz));
        gpus_W += chips.watts(chip, immersed_die_K, f, gate_Hz);
      }
      ac_W.push_back(power::server_power(node.power, gpus_W, 0.0, true).ac_W);
      mean += ac_W.back() / static_cast<double>(n_node);
    }
    for (const double W : ac_W) square += (W - mean) * (W - mean) / static_cast<double>(n_node - 1);
    scatter += std::sqrt(square) / mean / static_cast<double>(n_seed);
  }
  return scatter;
}

}  // namespace TIDEWATT_NAMESPACE::validate
