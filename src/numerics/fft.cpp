#include "fft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::numerics {
namespace {

constexpr double two_pi = 6.283185307179586476925287;

// Taylor series on 0 <= x <= π/4; the first term left out is below 1e-22.
UnitRoot first_octant(double x) {
  const double x2 = x * x;
  double c = 1.0, s = 1.0;
  for (int i = 22; i >= 2; i -= 2) c = 1.0 - c * x2 / static_cast<double>(i * (i - 1));
  for (int i = 23; i >= 3; i -= 2) s = 1.0 - s * x2 / static_cast<double>(i * (i - 1));
  return {c, s * x};
}

struct Split {
  double* re;
  double* im;
};

struct Twiddles {
  double c1, s1, c2, s2, c3, s3;
};

// Four samples, or packs of them side by side, a quarter of the length apart.
template <class T>
TIDEWATT_INLINE void butterfly(const double* xr, const double* xi, std::size_t quarter, const Twiddles& w, double* yr,
                               double* yi, std::size_t m) {
  T ar, ai, br, bi, cr, ci, dr, di;
  load(xr, ar), load(xi, ai);
  load(xr + quarter, br), load(xi + quarter, bi);
  load(xr + 2 * quarter, cr), load(xi + 2 * quarter, ci);
  load(xr + 3 * quarter, dr), load(xi + 3 * quarter, di);
  const T s02r = ar + cr, s02i = ai + ci, d02r = ar - cr, d02i = ai - ci;
  const T s13r = br + dr, s13i = bi + di, d13r = br - dr, d13i = bi - di;
  const T t1r = d02r + d13i, t1i = d02i - d13r;  // d02 − i d13
  const T t2r = s02r - s13r, t2i = s02i - s13i;
  const T t3r = d02r - d13i, t3i = d02i + d13r;  // d02 + i d13
  const T y0r = s02r + s13r, y0i = s02i + s13i;
  const T y1r = t1r * w.c1 + t1i * w.s1, y1i = t1i * w.c1 - t1r * w.s1;  // times e^(−iθ)
  const T y2r = t2r * w.c2 + t2i * w.s2, y2i = t2i * w.c2 - t2r * w.s2;
  const T y3r = t3r * w.c3 + t3i * w.s3, y3i = t3i * w.c3 - t3r * w.s3;
  store(y0r, yr), store(y0i, yi);
  store(y1r, yr + m), store(y1i, yi + m);
  store(y2r, yr + 2 * m), store(y2i, yi + 2 * m);
  store(y3r, yr + 3 * m), store(y3i, yi + 3 * m);
}

// y = x summed in fours: with l blocks of stride m, m growing by 4 each pass.
TIDEWATT_CLONES
void pass4(Split x, Split y, std::size_t n, std::size_t m, const double* cos, const double* sin) {
  const std::size_t quarter = n / 4;
  const std::size_t l = quarter / m;
  for (std::size_t j = 0; j < l; ++j) {
    const Twiddles w{cos[j * m], sin[j * m], cos[2 * j * m], sin[2 * j * m], cos[3 * j * m], sin[3 * j * m]};
    const double *ar = x.re + j * m, *ai = x.im + j * m;
    double *yr = y.re + 4 * j * m, *yi = y.im + 4 * j * m;
    std::size_t k = 0;
    for (; k + 4 <= m; k += 4) butterfly<Pack4>(ar + k, ai + k, quarter, w, yr + k, yi + k, m);
    for (; k < m; ++k) butterfly<double>(ar + k, ai + k, quarter, w, yr + k, yi + k, m);
  }
}

// The last pass when log2 n is odd: all twiddle factors are 1.
void pass2(Split x, Split y, std::size_t n) {
  const std::size_t half = n / 2;
  for (std::size_t k = 0; k < half; ++k) {
    y.re[k] = x.re[k] + x.re[k + half];
    y.im[k] = x.im[k] + x.im[k + half];
    y.re[k + half] = x.re[k] - x.re[k + half];
    y.im[k + half] = x.im[k] - x.im[k + half];
  }
}

}  // namespace

UnitRoot unit_root(std::size_t k, std::size_t n) {
  const std::size_t octant = 8 * k / n;  // the angle's octant, 0…7
  const std::size_t in_quadrant = k - (octant / 2) * (n / 4);
  const bool upper = octant % 2 == 1;  // mirror at 45°
  const std::size_t small = upper ? n / 4 - in_quadrant : in_quadrant;
  UnitRoot r = first_octant(two_pi * static_cast<double>(small) / static_cast<double>(n));
  if (upper) std::swap(r.cos, r.sin);
  switch (octant / 2) {
    case 1:
      return {-r.sin, r.cos};
    case 2:
      return {-r.cos, -r.sin};
    case 3:
      return {r.sin, -r.cos};
    default:
      return r;
  }
}

namespace {

/// The last length's circle is kept: one run after another needs the same, and making it costs more than a transform.
std::shared_ptr<const UnitCircle> circle_of(std::size_t n) {
  static std::mutex mutex;
  static std::shared_ptr<const UnitCircle> last;
  const std::scoped_lock lock(mutex);
  if (last && last->cos.size() == n) return last;
  auto made = std::make_shared<UnitCircle>();
  made->cos.resize(n);
  made->sin.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const UnitRoot r = unit_root(k, n);
    made->cos[k] = r.cos;
    made->sin[k] = r.sin;
  }
  last = made;
  return last;
}

}  // namespace

Fft::Fft(std::size_t n) : n_(n) {
  if (n < 8 || n > (std::size_t{1} << 24) || !std::has_single_bit(n))
    throw InputError(fmt::format("Fourier transform: length {} is not a power of two from 8 to 2^24", n));
  circle_ = circle_of(n);
  re_.resize(n);
  im_.resize(n);
}

void Fft::transform(std::span<double> re, std::span<double> im) {
  if (re.size() != n_ || im.size() != n_) throw InputError("Fourier transform: wrong number of samples");
  Split from{re.data(), im.data()};
  Split to{re_.data(), im_.data()};
  std::size_t m = 1;
  for (; m <= n_ / 4; m *= 4) {
    pass4(from, to, n_, m, circle_->cos.data(), circle_->sin.data());
    std::swap(from, to);
  }
  if (m == n_ / 2) {
    pass2(from, to, n_);
    std::swap(from, to);
  }
  if (from.re == re.data()) return;
  std::copy(re_.begin(), re_.end(), re.begin());
  std::copy(im_.begin(), im_.end(), im.begin());
}

}  // namespace TIDEWATT_NAMESPACE::numerics
