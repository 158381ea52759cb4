#include "grid_meters.hpp"

#include <algorithm>
#include <cmath>

namespace TIDEWATT_NAMESPACE::connection {

void GridMeters::push(std::int64_t first_bin, std::span<const double> pcc_W, std::span<const double> bus_pu,
                      std::span<const double> deviation_Hz) {
  const std::int64_t last = first_bin + static_cast<std::int64_t>(pcc_W.size());
  const std::int64_t begin = std::max(first_bin, p_.from_bin), end = std::min(last, p_.until_bin);
  if (begin >= end) return;
  const auto from = static_cast<std::size_t>(begin - first_bin), n = static_cast<std::size_t>(end - begin);
  const auto W = pcc_W.subspan(from, n), pu = bus_pu.subspan(from, n);
  if (!state_.begun) {
    state_.begun = true;
    state_.load.begin(begin, W.front());
    state_.bus.begin(begin, pu.front());
  }
  state_.load.push(W);
  state_.bus.push(begin, pu, deviation_Hz.subspan(from, n));
  state_.next_bin = end;
}

void GridMeters::push_means(std::span<const grid::Bucket> finest) {
  std::vector<double> mean_W;
  mean_W.reserve(finest.size());
  for (const auto& b : finest)
    if (b.first_bin >= p_.from_bin && b.first_bin + b.n_bin <= p_.until_bin) mean_W.push_back(b.mean_W);
  state_.load.push_means(mean_W);
}

void GridMeters::push_means(std::int64_t first_bin, std::span<const double> mean_W) {
  constexpr std::int64_t bucket = 100;
  const auto n = static_cast<std::int64_t>(mean_W.size());
  const auto reaches = [&](std::int64_t bin) { return std::clamp<std::int64_t>(bin, 0, n); };
  const std::int64_t begin = reaches((p_.from_bin - first_bin + bucket - 1) / bucket),
                     end = p_.until_bin >= first_bin + n * bucket ? n : reaches((p_.until_bin - first_bin) / bucket);
  if (begin < end)
    state_.load.push_means(mean_W.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
}

GridMeters::Mark GridMeters::mark() const {
  if (!state_.begun) return {};
  return {state_.next_bin, state_.load.mark(), state_.bus.mark()};
}

GridMeters::Share GridMeters::since(const Mark& m) const {
  if (!state_.begun || m.next_bin == 0 || state_.next_bin == m.next_bin || !state_.bus.same_window(m.bus)) return {};
  return {state_.next_bin - m.next_bin, state_.load.since(m.load), state_.bus.since(m.bus)};
}

bool GridMeters::can_repeat(const Share& share, std::int64_t first_bin, std::int64_t n_bin) const {
  if (first_bin + n_bin <= p_.from_bin || first_bin >= p_.until_bin) return true;
  return share.n_bin > 0 && state_.begun && first_bin + n_bin <= p_.until_bin;
}

GridMeters::Share GridMeters::Share::at_rest() const {
  Share out = *this;
  out.load.bands.energy.fill(0.0);
  out.load.cycles.classes.clear(), out.load.cycles.closed.clear();
  return out;
}

void GridMeters::push_swings(std::span<const double> pcc_W) {
  if (state_.begun && state_.next_bin < p_.until_bin) state_.load.push_swings(pcc_W);
}

void GridMeters::repeat(const Share& share, std::int64_t n_bin, double energy_J, std::size_t n_again,
                        std::int64_t n_shown) {
  if (!state_.begun || state_.next_bin >= p_.until_bin) return;
  state_.load.repeat(share.load, n_bin, energy_J, n_again, n_shown);
  state_.bus.repeat(share.bus, n_bin);
  state_.next_bin += n_bin;
}

void GridMeters::push_lines(std::span<const double> pcc_W) {
  if (state_.begun && state_.next_bin < p_.until_bin) state_.load.push_lines(pcc_W);
}

void GridMeters::gap_lines() {
  if (state_.begun && state_.next_bin < p_.until_bin) state_.load.gap_lines();
}

grid::WaveformFigures GridMeters::figures(double load_lost_W, std::int64_t load_lost_bin) const {
  grid::WaveformFigures f;
  if (!state_.begun) return f;
  state_.load.add_figures(f);
  state_.bus.add_figures(f);
  f.load_lost_W = figure_of(load_lost_W, load_lost_bin, p_.spread_frac);
  return f;
}

std::vector<grid::ComplianceReport> GridMeters::reports(double load_lost_W, std::int64_t load_lost_bin) const {
  const auto f = figures(load_lost_W, load_lost_bin);
  std::vector<grid::ComplianceReport> out;
  out.reserve(p_.rules.size());
  for (const auto& set : p_.rules) out.push_back(grid::evaluate(set, f));
  return out;
}

void GridMeters::add_arrays(std::vector<NamedArray>& arrays) const {
  state_.load.add_arrays(arrays);
  state_.bus.add_arrays(arrays);
}

}  // namespace TIDEWATT_NAMESPACE::connection
