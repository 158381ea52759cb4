#include "tidewatt/grid/bands.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "numerics/block.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr std::array<double, 2> quality{0.54119610014619698, 1.30656296487637653};  // of a fourth-order Butterworth

struct Biquad {
  double b0, b1, b2, a1, a2;
};

Biquad section(bool high_pass, double f_Hz, double q, double rate_Hz) {
  const double k = std::tan(pi * f_Hz / rate_Hz), norm = 1.0 / (1.0 + k / q + k * k);
  const double a1 = 2.0 * (k * k - 1.0) * norm, a2 = (1.0 - k / q + k * k) * norm;
  if (high_pass) return {norm, -2.0 * norm, norm, a1, a2};
  return {k * k * norm, 2.0 * k * k * norm, k * k * norm, a1, a2};
}

// Four sections in a row (direct form II transposed), n bands side by side; then Σ y² and the largest |y|.
template <class Row>
TIDEWATT_INLINE void run_bands(const double* c, double* state, const double* x, std::size_t count) {
  constexpr std::size_t n = sizeof(Row) / sizeof(double);
  Row q[20], m[10];
  for (std::size_t i = 0; i < 20; ++i) load(c + i * n, q[i]);
  for (std::size_t i = 0; i < 10; ++i) load(state + i * n, m[i]);
  for (std::size_t t = 0; t < count; ++t) {
    Row y;
    fill(x[t], y);
    for (int s = 0; s < 4; ++s) {
      const Row in = y;
      y = q[5 * s] * in + m[2 * s];
      m[2 * s] = (q[5 * s + 1] * in - q[5 * s + 3] * y) + m[2 * s + 1];
      m[2 * s + 1] = q[5 * s + 2] * in - q[5 * s + 4] * y;
    }
    Row size;
    magnitude(y, size);
    m[8] += y * y;
    raise(size, m[9]);
  }
  for (std::size_t i = 0; i < 10; ++i) store(m[i], state + i * n);
}

TIDEWATT_CLONES
void four_bands(const double* c, double* state, const double* x, std::size_t count) {
  run_bands<Pack4>(c, state, x, count);
}

TIDEWATT_CLONES
void eight_bands(const double* c, double* state, const double* x, std::size_t count) {
  run_bands<Pack8>(c, state, x, count);
}

constexpr std::size_t booked_samples = 512;

template <std::size_t merge>
TIDEWATT_INLINE void average(const double* W, double rest_W, double inverse, std::size_t n, double* out) {
  for (std::size_t i = 0; i < n; ++i) {
    double sum_W = W[i * merge] - rest_W;
    for (std::size_t k = 1; k < merge; ++k) sum_W += W[i * merge + k] - rest_W;
    out[i] = sum_W * inverse;
  }
}

/// Samples of `merge` bins each, 1, 2, 4 or 8.
TIDEWATT_CLONES
void average(const double* W, double rest_W, double inverse, std::size_t merge, std::size_t n, double* out) {
  if (merge == 1) return average<1>(W, rest_W, inverse, n, out);
  if (merge == 2) return average<2>(W, rest_W, inverse, n, out);
  if (merge == 4) return average<4>(W, rest_W, inverse, n, out);
  average<8>(W, rest_W, inverse, n, out);
}

double sinc(double x) { return x == 0.0 ? 1.0 : std::sin(pi * x) / (pi * x); }

}  // namespace

BandMeter::BandMeter(std::vector<std::pair<double, double>> edges_Hz) : edges_Hz_(std::move(edges_Hz)) {
  double highest_Hz = 0.0;
  for (const auto& [low, high] : edges_Hz_) {
    if (!(low >= 1e-3 && low < high && high <= 200.0))
      throw InputError("bands: 1 mHz <= low < high <= 200 Hz is needed");
    highest_Hz = std::max(highest_Hz, high);
  }
  if (edges_Hz_.empty() || edges_Hz_.size() > most_bands) throw InputError("bands: one to eight bands are needed");
  while (merge_ < 8 && sinc(highest_Hz * static_cast<double>(2 * merge_) * numerics::bin_s) > 0.96) merge_ *= 2;
  inverse_merge_ = 1.0 / static_cast<double>(merge_);
  n_lane_ = edges_Hz_.size() <= 4 ? 4 : most_bands;
  const double rate_Hz = 1.0 / (numerics::bin_s * static_cast<double>(merge_));
  for (std::size_t band = 0; band < edges_Hz_.size(); ++band)
    for (std::size_t s = 0; s < 4; ++s) {
      const bool high_pass = s < 2;
      const Biquad q =
          section(high_pass, high_pass ? edges_Hz_[band].first : edges_Hz_[band].second, quality[s % 2], rate_Hz);
      Section& to = section_[s];
      to.b0[band] = q.b0, to.b1[band] = q.b1, to.b2[band] = q.b2, to.a1[band] = q.a1, to.a2[band] = q.a2;
    }
}

BandMeter BandMeter::standard() { return BandMeter({{0.1, 1.0}, {1.0, 2.5}, {2.5, 7.0}, {7.0, 60.0}}); }

void BandMeter::begin(std::int64_t first_bin, double rest_W) {
  next_bin_ = first_bin;
  rest_W_ = rest_W;  // the filters have no gain at rest, so they respond only to the difference
  memory_ = {};
  n_partial_ = 0;
  partial_ = 0.0;
}

void BandMeter::push(std::span<const double> load_W) {
  std::array<double, booked_samples> merged;
  next_bin_ += static_cast<std::int64_t>(load_W.size());
  const auto merge = static_cast<std::size_t>(merge_);
  const auto begin_sample = [&](double W) {
    partial_ += W - rest_W_;
    if (++n_partial_ < merge_) return false;
    merged[0] = partial_ * inverse_merge_;
    partial_ = 0.0;
    n_partial_ = 0;
    return true;
  };
  while (!load_W.empty()) {
    std::size_t n = 1, taken = 1;
    if (n_partial_ == 0 && load_W.size() >= merge) {
      n = std::min(load_W.size() / merge, booked_samples - static_cast<std::size_t>(n_sample_) % booked_samples);
      taken = n * merge;
      average(load_W.data(), rest_W_, inverse_merge_, merge, n, merged.data());
    } else if (!begin_sample(load_W.front())) {
      n = 0;
    }
    load_W = load_W.subspan(taken);
    if (n == 0) continue;
    filter({merged.data(), n});
    // Few large sums instead of one small one per sample, at fixed places wherever chunks end.
    if (static_cast<std::size_t>(n_sample_) % booked_samples != 0) continue;
    for (std::size_t k = 0; k < edges_Hz_.size(); ++k) booked_[k].add(energy_[k]);
    energy_.fill(0.0);
  }
}

void BandMeter::filter(std::span<const double> x) {
  std::array<double, 20 * most_bands> coefficients;
  std::array<double, 10 * most_bands> state;
  std::size_t at = 0, of = 0;
  for (std::size_t s = 0; s < 4; ++s)
    for (const Lanes* l : {&section_[s].b0, &section_[s].b1, &section_[s].b2, &section_[s].a1, &section_[s].a2})
      for (std::size_t k = 0; k < n_lane_; ++k) coefficients[at++] = (*l)[k];
  for (const Lanes& m : memory_)
    for (std::size_t k = 0; k < n_lane_; ++k) state[of++] = m[k];
  for (const Lanes* l : {&energy_, &peak_})
    for (std::size_t k = 0; k < n_lane_; ++k) state[of++] = (*l)[k];
  if (n_lane_ == 4)
    four_bands(coefficients.data(), state.data(), x.data(), x.size());
  else
    eight_bands(coefficients.data(), state.data(), x.data(), x.size());
  of = 0;
  for (Lanes& m : memory_)
    for (std::size_t k = 0; k < n_lane_; ++k) m[k] = state[of++];
  for (Lanes* l : {&energy_, &peak_})
    for (std::size_t k = 0; k < n_lane_; ++k) (*l)[k] = state[of++];
  n_sample_ += static_cast<std::int64_t>(x.size());
}

double BandMeter::seconds() const { return static_cast<double>(n_sample_ * merge_) * numerics::bin_s; }

std::vector<Band> BandMeter::bands() const {
  std::vector<Band> out;
  const double h = static_cast<double>(merge_) * numerics::bin_s;
  for (std::size_t k = 0; k < edges_Hz_.size(); ++k) {
    const double energy = (booked_[k].value() + energy_[k]) * h, time = seconds();
    out.push_back(
        {edges_Hz_[k].first, edges_Hz_[k].second, energy, peak_[k], time > 0.0 ? std::sqrt(energy / time) : 0.0});
  }
  return out;
}

double BandMeter::gain(std::size_t band, double f_Hz) const {
  const double h = static_cast<double>(merge_) * numerics::bin_s;
  const std::complex<double> z = std::polar(1.0, -2.0 * pi * f_Hz * h);
  std::complex<double> out = sinc(f_Hz * h);
  for (const Section& q : section_)
    out *= (q.b0[band] + z * (q.b1[band] + z * q.b2[band])) / (1.0 + z * (q.a1[band] + z * q.a2[band]));
  return std::abs(out);
}

BandMeter::Snapshot BandMeter::snapshot() const {
  Snapshot s{next_bin_, {}};
  for (std::size_t k = 0; k < most_bands; ++k) s.energy[k] = booked_[k].value() + energy_[k];
  return s;
}

BandMeter::Share BandMeter::since(const Snapshot& before) const {
  Share s{next_bin_ - before.next_bin, {}};
  for (std::size_t k = 0; k < edges_Hz_.size(); ++k) s.energy[k] = booked_[k].value() + energy_[k] - before.energy[k];
  return s;
}

void BandMeter::repeat_bins(const Share& share, std::int64_t n_bin) {
  const double times = static_cast<double>(n_bin) / static_cast<double>(share.n_bin);
  for (std::size_t k = 0; k < edges_Hz_.size(); ++k) booked_[k].add(times * share.energy[k]);
  n_sample_ += n_bin / merge_;
  next_bin_ += n_bin;
}

}  // namespace TIDEWATT_NAMESPACE::grid
