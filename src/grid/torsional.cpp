#include "torsional.hpp"

#include <cmath>
#include <complex>

#include "numerics/block.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {
constexpr double two_pi = 6.283185307179586476925287;
}

TorsionalScreen::TorsionalScreen(std::vector<TorsionalMode> modes) : modes_(std::move(modes)) {
  for (const TorsionalMode& m : modes_) {
    if (!(m.frequency_Hz >= 0.5 && m.frequency_Hz <= 200.0 && m.damping_frac > 0.0 && m.damping_frac < 0.5))
      throw InputError("torsional modes: 0.5 to 200 Hz and a damping ratio between 0 and 0.5 are needed");
    const double w = two_pi * m.frequency_Hz;
    const std::complex<double> pole(-m.damping_frac * w, w * std::sqrt(1.0 - m.damping_frac * m.damping_frac));
    const std::complex<double> decay = std::exp(pole * numerics::bin_s), drive = (decay - 1.0) / pole;
    decay_re_.push_back(decay.real());
    decay_im_.push_back(decay.imag());
    drive_re_.push_back(drive.real());
    drive_im_.push_back(drive.imag());
    scale_.push_back(2.0 * m.damping_frac * w);
  }
  begin(0, 0.0);
  largest_.assign(modes_.size(), 0.0);
  at_bin_.assign(modes_.size(), -1);
}

void TorsionalScreen::begin(std::int64_t first_bin, double rest_W) {
  next_bin_ = first_bin;
  rest_W_ = rest_W;
  re_.assign(modes_.size(), 0.0);
  im_.assign(modes_.size(), 0.0);
}

void TorsionalScreen::push(std::span<const double> load_W) {
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    double re = re_[i], im = im_[i], top = largest_[i];
    const double a = decay_re_[i], b = decay_im_[i], c = drive_re_[i], d = drive_im_[i];
    std::int64_t at = -1;
    for (std::size_t k = 0; k < load_W.size(); ++k) {
      const double x = load_W[k] - rest_W_, next = (a * re - b * im) + c * x;
      im = (a * im + b * re) + d * x;
      re = next;
      const double size = re * re + im * im;
      if (size > top) top = size, at = static_cast<std::int64_t>(k);
    }
    re_[i] = re, im_[i] = im, largest_[i] = top;
    if (at >= 0) at_bin_[i] = next_bin_ + at;
  }
  next_bin_ += static_cast<std::int64_t>(load_W.size());
}

std::vector<TorsionalFinding> TorsionalScreen::findings() const {
  std::vector<TorsionalFinding> out;
  for (std::size_t i = 0; i < modes_.size(); ++i)
    out.push_back({modes_[i], scale_[i] * std::sqrt(largest_[i]), at_bin_[i]});
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
