#include "evidence_spread.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "plan_power.hpp"
#include "silicon.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double inlet_K = 22.0 + zero_degC_K, immersed_die_K = 60.0 + zero_degC_K;  // as the other E2 rows
constexpr std::int64_t gpus_per_node = 8;

/// Chips of one type under their limit.
class CappedChips {
 public:
  CappedChips(const std::string& gpu, const dvfs::PhaseMix& mix) : gpu_(gpu_case(gpu)), model_(gpu_.power), mix_(mix) {}
  double cap_W() const { return dvfs::limit_W(gpu_.power.tdp_W, gpu_.governor); }
  const GpuCase& gpu() const { return gpu_; }
  power::Chip chip(std::uint64_t seed, std::uint64_t g) const { return power::draw_chip(gpu_.spread, seed, g); }
  /// @param gate_Hz clock of the slowest GPU that all wait for; 0: none
  double clock_Hz(const power::Chip& chip, double die_K, double gate_Hz) const {
    return dvfs::operating_point(model_, chip, mix_, gpu_.compute.reference_clock_Hz, gate_Hz,
                                 model_.leakage_temperature_factor(die_K), cap_W(), model_.clock_max_Hz(), 1.5e9)
        .clock_Hz;
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

double node_power_scatter_frac(const std::string& gpu, const std::string& server,
                               const workload::IterationModel& model) {
  const auto class_W = plan_power(gpu, server, model, 0.0, immersed_die_K).class_mean_W();
  const std::int64_t n_node = model.n_gpu() / gpus_per_node;
  std::vector<double> node_W(static_cast<std::size_t>(n_node), 0.0);
  double mean = 0.0, square = 0.0;
  for (std::int64_t rank = 0; rank < n_node * gpus_per_node; ++rank) {
    const std::int64_t c = model.replica_of_gpu(rank) * model.n_stage() + model.stage_of_gpu(rank);
    node_W[static_cast<std::size_t>(rank / gpus_per_node)] += class_W[static_cast<std::size_t>(c)] / gpus_per_node;
  }
  for (const double W : node_W) mean += W / static_cast<double>(n_node);
  for (const double W : node_W) square += (W - mean) * (W - mean) / static_cast<double>(n_node - 1);
  return std::sqrt(square) / mean;
}

}  // namespace TIDEWATT_NAMESPACE::validate
