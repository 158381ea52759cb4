#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tidewatt/base/error.hpp"
#include "tidewatt/io/export_playback.hpp"

namespace tidewatt::io {

std::string RideThroughBlock::text() const {
  return fmt::format(
      "VTRIP = {:.4f} ! pu, transfer below\nTTRIP = {:.4f} ! s, after which it transfers\nFTRIP = {:.4f} ! share that "
      "transfers\n"
      "VRET = {:.4f} ! pu, voltage counts as good above\nTRET = {:.4f} ! s of good voltage before the return\n"
      "TRAMP = {:.4f} ! s, straight return\nFBACK = {:.4f} ! share of the lost power that returns\n"
      "! fit: rms {:.3f} %, largest {:.3f} %, R2 {:.4f}\n",
      v_trip_pu, t_trip_s, f_trip_frac, v_return_pu, t_return_s, t_ramp_s, f_back_frac, 100 * rms_error_frac,
      100 * max_error_frac, r_squared);
}

std::vector<double> replay(const RideThroughBlock& b, double step_s, std::span<const double> v_pu) {
  std::vector<double> out(v_pu.size());
  double below_s = 0.0, good_s = 0.0, back_s = 0.0;
  bool tripped = false;
  for (std::size_t i = 0; i < v_pu.size(); ++i) {
    below_s = v_pu[i] < b.v_trip_pu ? below_s + step_s : 0.0;
    good_s = v_pu[i] > b.v_return_pu ? good_s + step_s : 0.0;
    if (below_s > b.t_trip_s - 0.5 * step_s && below_s > 0.0) {
      tripped = true;
      back_s = 0.0;
    }
    double lost = tripped ? b.f_trip_frac : 0.0;
    if (tripped && good_s > b.t_return_s + 0.5 * step_s) {
      back_s += step_s;
      const double share = b.t_ramp_s > 0.0 ? std::min(1.0, back_s / b.t_ramp_s) : 1.0;
      lost *= 1.0 - b.f_back_frac * share;
    }
    out[i] = 1.0 - lost;
  }
  return out;
}

RideThroughBlock fit_ride_through(double step_s, std::span<const double> v_pu, std::span<const double> p_W,
                                  double v_trip_pu, double v_return_pu) {
  if (v_pu.size() != p_W.size() || v_pu.empty() || !(step_s > 0.0))
    throw InputError("ride-through fit: records differ in length");
  const auto sag = std::find_if(v_pu.begin(), v_pu.end(), [&](double v) { return v < v_trip_pu; });
  if (sag == v_pu.end()) throw InputError("ride-through fit: the voltage never falls below v_trip_pu");
  const auto i0 = static_cast<std::size_t>(sag - v_pu.begin()), n = v_pu.size();
  const double before_W = p_W[i0 > 0 ? i0 - 1 : 0];
  if (!(before_W > 0.0)) throw InputError("ride-through fit: the power before the event must be positive");

  RideThroughBlock b;
  b.v_trip_pu = v_trip_pu;
  b.v_return_pu = v_return_pu;
  const auto low = static_cast<std::size_t>(std::min_element(p_W.begin() + static_cast<std::ptrdiff_t>(i0), p_W.end()) -
                                            p_W.begin());
  b.f_trip_frac = std::max(0.0, 1.0 - p_W[low] / before_W);
  const double lost_W = b.f_trip_frac * before_W;
  std::size_t fell = i0, good = i0;
  while (fell < low && p_W[fell] > before_W - 0.5 * lost_W) ++fell;
  b.t_trip_s = static_cast<double>(fell - i0) * step_s;
  while (good < n && v_pu[good] <= v_return_pu) ++good;  // the voltage is good from here
  // The return: between 10 % and 90 % of what comes back, extended to a straight line.
  const double end_W = p_W[n - 1], came_W = std::max(0.0, end_W - p_W[low]);
  b.f_back_frac = lost_W > 0.0 ? std::min(1.0, came_W / lost_W) : 0.0;
  if (came_W > 0.01 * lost_W && good < n) {
    std::size_t first = std::max(low, good), last = first;
    while (first < n && p_W[first] < p_W[low] + 0.1 * came_W) ++first;
    last = first;
    while (last < n && p_W[last] < p_W[low] + 0.9 * came_W) ++last;
    b.t_ramp_s = static_cast<double>(last - first) * step_s / 0.8;
    b.t_return_s = std::max(0.0, static_cast<double>(first - good) * step_s - 0.1 * b.t_ramp_s);
  }
  const auto own = replay(b, step_s, v_pu);
  double square = 0.0, mean = 0.0, spread = 0.0;
  for (const double p : p_W) mean += p / before_W / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double error = own[i] - p_W[i] / before_W, off = p_W[i] / before_W - mean;
    square += error * error;
    spread += off * off;
    b.max_error_frac = std::max(b.max_error_frac, std::abs(error));
  }
  b.rms_error_frac = std::sqrt(square / static_cast<double>(n));
  b.r_squared = spread > 0.0 ? 1.0 - square / spread : 0.0;
  return b;
}

}  // namespace tidewatt::io
