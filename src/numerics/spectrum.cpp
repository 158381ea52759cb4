#include "spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "block.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/simd.hpp"
#include "tidewatt/base/sum.hpp"

namespace TIDEWATT_NAMESPACE::numerics {
namespace {

constexpr double pi = 3.141592653589793238462643;

// sin(πδ)/(πδ) for |δ| <= 1, by its product-free Taylor series: deterministic, unlike a library sine.
double sinc_pi(double delta) {
  const double x2 = pi * pi * delta * delta;
  double s = 1.0;
  for (int i = 29; i >= 3; i -= 2) s = 1.0 - s * x2 / static_cast<double>(i * (i - 1));
  return s;
}

}  // namespace

double Spectrum::band_rms(double lo_Hz, double hi_Hz) const {
  CompensatedSum power;
  for (std::size_t k = 0; k < psd.size(); ++k) {
    const double f_Hz = static_cast<double>(k) * bin_Hz;
    if (f_Hz >= lo_Hz && f_Hz <= hi_Hz) power.add(psd[k] * bin_Hz);
  }
  return std::sqrt(power.value());
}

double Spectrum::amplitude(std::size_t k) const { return std::sqrt(3.0 * psd[k] * bin_Hz); }

Line Spectrum::largest(std::size_t first, std::size_t last) const {
  last = std::min(last, psd.size() < 2 ? 0 : psd.size() - 2);  // a neighbour on either side
  first = std::max<std::size_t>(first, 1);
  if (n_segment == 0 || first > last) return {};
  std::size_t k = 0;  // 0: none yet
  for (std::size_t i = first; i <= last; ++i)
    if (psd[i] > 0.0 && psd[i] >= psd[i - 1] && psd[i] >= psd[i + 1] && (k == 0 || psd[i] > psd[k])) k = i;
  if (k == 0) return {};
  const double side = psd[k + 1] >= psd[k - 1] ? 1.0 : -1.0;
  const double r = std::sqrt(std::max(psd[k + 1], psd[k - 1]) / psd[k]);
  const double delta = std::clamp((2.0 * r - 1.0) / (r + 1.0), 0.0, 0.5);
  const double peak = amplitude(k) * (1.0 - delta * delta) / sinc_pi(delta);
  return {(static_cast<double>(k) + side * delta) * bin_Hz, peak};
}

Line Spectrum::dominant(double f_min_Hz) const {
  if (psd.empty()) return {};
  return largest(static_cast<std::size_t>(std::ceil(std::max(f_min_Hz, 0.0) / bin_Hz)), psd.size());
}

namespace {

/// Hann's window on what is left without the mean.
TIDEWATT_CLONES
void weigh(const double* cos, const double* x, double mean, std::size_t n, double* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = (0.5 - 0.5 * cos[i]) * (x[i] - mean);
}

/// Of two real signals in one complex transform.
TIDEWATT_CLONES
void add_power(const double* re, const double* im, std::size_t n, double* power) {
  const double first = re[0] * re[0] + im[0] * im[0];
  power[0] += 0.5 * (first + first);
  for (std::size_t k = 1; k <= n / 2; ++k) {
    const std::size_t mirror = n - k;
    power[k] += 0.5 * ((re[k] * re[k] + im[k] * im[k]) + (re[mirror] * re[mirror] + im[mirror] * im[mirror]));
  }
}

}  // namespace

Welch::Welch(std::size_t segment, double rate_Hz)
    : n_(segment), rate_Hz_(rate_Hz), fft_(std::max<std::size_t>(segment, 8)) {
  if (segment < 16 || segment > (std::size_t{1} << 22) || !std::has_single_bit(segment))
    throw InputError(fmt::format("spectrum: segment of {} samples is not a power of two from 16 to 2^22", segment));
  if (!(rate_Hz > 0.0)) throw InputError("spectrum: the sampling rate must be positive");
  window_energy_ = 0.375 * static_cast<double>(n_);  // exact for the periodic Hann window
  buffer_.resize(n_ + n_ / 2);
  re_.resize(n_);
  im_.resize(n_);
  power_.assign(n_ / 2 + 1, 0.0);
}

void Welch::push(std::span<const double> x) {
  while (!x.empty()) {
    const std::size_t take = std::min(x.size(), buffer_.size() - filled_);
    std::copy_n(x.begin(), take, buffer_.begin() + static_cast<std::ptrdiff_t>(filled_));
    filled_ += take;
    x = x.subspan(take);
    if (filled_ == buffer_.size()) consume(true);
  }
}

void Welch::gap() {
  if (filled_ >= n_) consume(false);
  filled_ = 0;
}

void Welch::restart() {
  filled_ = n_segment_ = 0;
  std::fill(power_.begin(), power_.end(), 0.0);
}

void Welch::load(std::span<const double> segment, std::vector<double>& into) const {
  const double mean = lane_sum(segment) / static_cast<double>(n_);
  weigh(fft_.circle().cos.data(), segment.data(), mean, n_, into.data());
}

// Transforms the one or two segments in the buffer and keeps the overlap that the next segment begins with.
void Welch::consume(bool pair) {
  const std::span<const double> all(buffer_);
  load(all.first(n_), re_);
  if (pair)
    load(all.subspan(n_ / 2, n_), im_);
  else
    std::fill(im_.begin(), im_.end(), 0.0);
  fft_.transform(re_, im_);
  add_power(re_.data(), im_.data(), n_, power_.data());
  n_segment_ += pair ? 2 : 1;
  const std::size_t kept = filled_ - (pair ? n_ : n_ / 2);
  std::copy_n(buffer_.end() - static_cast<std::ptrdiff_t>(buffer_.size() - (pair ? n_ : n_ / 2)), kept,
              buffer_.begin());
  filled_ = kept;
}

Spectrum Welch::result() const {
  if (filled_ >= n_) {  // a completed segment still waits for its partner
    Welch last = *this;
    last.consume(false);
    last.filled_ = 0;
    return last.result();
  }
  Spectrum out;
  out.bin_Hz = rate_Hz_ / static_cast<double>(n_);
  out.n_segment = n_segment_;
  out.psd.assign(n_ / 2 + 1, 0.0);
  if (n_segment_ == 0) return out;
  const double scale = 2.0 / (rate_Hz_ * window_energy_ * static_cast<double>(n_segment_));
  for (std::size_t k = 0; k <= n_ / 2; ++k) out.psd[k] = scale * power_[k];
  out.psd.front() *= 0.5;
  out.psd.back() *= 0.5;
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::numerics
