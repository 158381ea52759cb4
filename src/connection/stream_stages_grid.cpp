// The grid behind the connection: its voltage, its frequency, its reserves.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "numerics/block.hpp"
#include "stream_stages.hpp"

namespace TIDEWATT_NAMESPACE::connection {

GridStage::GridStage(const grid::SourceParams& source, const grid::FrequencyParams& frequency,
                     const std::optional<grid::ReserveParams>& reserves, double rest_W, const power::FeederPoint& load)
    : source_(source),
      frequency_(frequency),
      nominal_Hz_(frequency.nominal_Hz),
      state_(frequency_.start(rest_W, 0)),
      initial_pu_(source_.voltage_pu(load.connection_W(), load.connection_var()).value_or(1.0)) {
  if (!reserves) return;
  reserves_.emplace(frequency, *reserves);
  reserve_state_ = reserves_->start(rest_W);
}

/// Bin by bin where something may act; rates at the begin of each bin, as without reserves.
void GridStage::through_reserves(std::int64_t first_bin, StreamChunk& chunk) {
  auto& m = frequency_meters_;
  for (std::size_t i = 0; i < chunk.pcc_W.size(); ++i) {
    m.rocof_max_Hz_per_s =
        std::max(m.rocof_max_Hz_per_s, std::abs(reserves_->rate_Hz_per_s(chunk.pcc_W[i], reserve_state_)));
    reserves_->advance(std::span(chunk.pcc_W).subspan(i, 1), std::span(chunk.deviation_Hz).subspan(i, 1),
                       reserve_state_);
    const double d = chunk.deviation_Hz[i];
    const auto bin = first_bin + static_cast<std::int64_t>(i);
    if (d < m.lowest_Hz) m.lowest_Hz = d, m.lowest_bin = bin;
    if (d > m.highest_Hz) m.highest_Hz = d, m.highest_bin = bin;
  }
  m.window.push(chunk.deviation_Hz);
  // Whoever looks at the state without reserves sees the same deviations.
  state_.deviation = reserve_state_.deviation;
  state_.next_bin = first_bin + static_cast<std::int64_t>(chunk.pcc_W.size());
}

void GridStage::through(std::int64_t first_bin, StreamChunk& chunk) {
  if (voltage_pu_) {
    std::fill(chunk.bus_pu.begin(), chunk.bus_pu.end(), *voltage_pu_);
    voltage_meters_.min_pu = std::min(voltage_meters_.min_pu, *voltage_pu_);
    voltage_meters_.max_pu = std::max(voltage_meters_.max_pu, *voltage_pu_);
  } else {
    source_.voltage_pu(chunk.pcc_W, chunk.pcc_var, chunk.bus_pu, voltage_meters_, first_bin);
  }
  if (!frequency_Hz_ && reserves_) return through_reserves(first_bin, chunk);
  if (!frequency_Hz_) return frequency_.advance(chunk.pcc_W, chunk.deviation_Hz, state_, frequency_meters_);
  const double deviation_Hz = *frequency_Hz_ - nominal_Hz_;
  std::fill(chunk.deviation_Hz.begin(), chunk.deviation_Hz.end(), deviation_Hz);
  frequency_meters_.lowest_Hz = std::min(frequency_meters_.lowest_Hz, deviation_Hz);
  frequency_meters_.highest_Hz = std::max(frequency_meters_.highest_Hz, deviation_Hz);
  frequency_meters_.window.push(chunk.deviation_Hz);
  // Once nobody says it any more, the grid is at rest under the load of that moment.
  state_ = frequency_.start(chunk.pcc_W.back(), first_bin + static_cast<std::int64_t>(chunk.pcc_W.size()));
  if (!reserves_) return;
  const double time_s = reserve_state_.time_s + static_cast<double>(chunk.pcc_W.size()) * numerics::bin_s;
  reserve_state_ = reserves_->start(chunk.pcc_W.back());
  reserve_state_.time_s = time_s;
}

void GridStage::see(std::int64_t bin, double pcc_W, double pcc_var) {
  if (voltage_pu_) return;
  double bus_pu = 0.0;
  source_.voltage_pu(std::span(&pcc_W, 1), std::span(&pcc_var, 1), std::span(&bus_pu, 1), voltage_meters_, bin);
}

void GridStage::skip(std::int64_t n_bin) {
  state_.next_bin += n_bin;
  frequency_meters_.window.skip(n_bin);
}

void GridStage::settle(std::span<const double> unit_W, std::int64_t n_bin) {
  const auto n = static_cast<std::int64_t>(unit_W.size()), next_bin = state_.next_bin;
  if (!frequency_Hz_) frequency_.repeat(unit_W, (n_bin + n / 2) / n, state_);
  state_.next_bin = next_bin;
  skip(n_bin);
}

bool GridStage::still(const grid::FrequencyState::Deviation& before) const {
  constexpr double share = 1e-2, rest_Hz = 1e-9;
  double moved = 0.0, size = 0.0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    moved = std::max(moved, std::abs(state_.deviation[i] - before[i]));
    size = std::max(size, std::abs(state_.deviation[i]));
  }
  return moved <= share * size + rest_Hz;
}

double GridStage::frequency_deviation_Hz() const {
  return std::max(frequency_meters_.highest_Hz, -frequency_meters_.lowest_Hz);
}

double GridStage::voltage_deviation_pu() const {
  return std::max(std::abs(voltage_meters_.max_pu - initial_pu_), std::abs(initial_pu_ - voltage_meters_.min_pu));
}

}  // namespace TIDEWATT_NAMESPACE::connection
