#include "fft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

using tidewatt::load, tidewatt::store;
/// Eight samples side by side, one vector where the processor has them so wide.
using Wide = double __attribute__((vector_size(64)));
TIDEWATT_INLINE void load(const double* from, Wide& to) { __builtin_memcpy(&to, from, sizeof to); }
TIDEWATT_INLINE void store(const Wide& from, double* to) { __builtin_memcpy(to, &from, sizeof from); }

/// Of one set of four samples, or of several sets side by side.
template <class T>
struct Twiddles {
  T c1, s1, c2, s2, c3, s3;
};

// Four samples, or packs of them side by side, `from` apart; the results lie `to` apart.
template <class T, class W>
TIDEWATT_INLINE void butterfly(const double* xr, const double* xi, std::size_t from, const Twiddles<W>& w, double* yr,
                               double* yi, std::size_t to) {
  T ar, ai, br, bi, cr, ci, dr, di;
  load(xr, ar), load(xi, ai);
  load(xr + from, br), load(xi + from, bi);
  load(xr + 2 * from, cr), load(xi + 2 * from, ci);
  load(xr + 3 * from, dr), load(xi + 3 * from, di);
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
  store(y1r, yr + to), store(y1i, yi + to);
  store(y2r, yr + 2 * to), store(y2i, yi + 2 * to);
  store(y3r, yr + 3 * to), store(y3i, yi + 3 * to);
}

TIDEWATT_INLINE Twiddles<double> twiddles_at(const UnitCircle& circle, std::size_t i) {
  const double *cos = circle.cos.data(), *sin = circle.sin.data();
  return {cos[i], sin[i], cos[2 * i], sin[2 * i], cos[3 * i], sin[3 * i]};
}

// y = x summed in fours: with l blocks of stride m, m growing by 4 each pass.
TIDEWATT_CLONES
void pass4(Split x, Split y, std::size_t n, std::size_t m, const UnitCircle& circle) {
  const std::size_t quarter = n / 4;
  const std::size_t l = quarter / m;
  for (std::size_t j = 0; j < l; ++j) {
    const auto w = twiddles_at(circle, j * m);
    const double *ar = x.re + j * m, *ai = x.im + j * m;
    double *yr = y.re + 4 * j * m, *yi = y.im + 4 * j * m;
    std::size_t k = 0;
    for (; k + 4 <= m; k += 4) butterfly<Pack4>(ar + k, ai + k, quarter, w, yr + k, yi + k, m);
    for (; k < m; ++k) butterfly<double>(ar + k, ai + k, quarter, w, yr + k, yi + k, m);
  }
}

// Four passes at once: what 256 samples become lies close together meanwhile, for eight such sets side by side. Each butterfly is one
// of those of single passes, so that the bits are theirs.
constexpr std::size_t rows = 256, lanes = 8;
struct alignas(64) Tile {
  std::array<double, rows * lanes> re, im;
};

/// The first passes' twiddle factors in the order of their use, eight sets side by side.
std::vector<double> first_twiddles(const UnitCircle& circle) {
  const std::size_t n = circle.cos.size(), C = n / rows;
  std::vector<double> out;
  out.reserve(2 * n);
  for (std::size_t c = 0; c < C; c += lanes)
    for (std::size_t m = 1; m < rows; m *= 4)
      for (std::size_t j = 0; j < rows / 4 / m; ++j)
        for (std::size_t times = 1; times <= 3; ++times)
          for (const auto* of : {&circle.cos, &circle.sin})
            for (std::size_t k = 0; k < lanes; ++k) out.push_back((*of)[times * (j * C + c + k) * m]);
  return out;
}

TIDEWATT_INLINE Twiddles<Wide> next_twiddles(const double* from) {
  Twiddles<Wide> w;
  load(from, w.c1), load(from + lanes, w.s1), load(from + 2 * lanes, w.c2), load(from + 3 * lanes, w.s2);
  load(from + 4 * lanes, w.c3), load(from + 5 * lanes, w.s3);
  return w;
}

/// Four sets of four rows.
TIDEWATT_INLINE void transpose(const double* from, double* to, std::size_t apart) {
  Pack4 a, b, c, d;
  load(from, a), load(from + lanes, b), load(from + 2 * lanes, c), load(from + 3 * lanes, d);
  const Pack4 ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7),
              cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  store(__builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5), to);
  store(__builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5), to + apart);
  store(__builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7), to + 2 * apart);
  store(__builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7), to + 3 * apart);
}

/// From one tile to the other, with twiddle factors of each set or of all.
template <class W>
TIDEWATT_INLINE void tile_pass(const Tile& x, Tile& y, std::size_t m, std::size_t j, const Twiddles<W>& w) {
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t from = (j * m + i) * lanes, to = (4 * j * m + i) * lanes;
    butterfly<Wide>(x.re.data() + from, x.im.data() + from, rows / 4 * lanes, w, y.re.data() + to, y.im.data() + to,
                    m * lanes);
  }
}

// The first passes; each set has twiddle factors of its own.
TIDEWATT_CLONES
void first_passes(Split x, Split y, std::size_t n, const double* twiddles) {
  const std::size_t n_set = n / rows;
  Tile a, b;
  for (std::size_t set = 0; set < n_set; set += lanes) {
    for (std::size_t j = 0; j < rows / 4; ++j, twiddles += 6 * lanes)
      butterfly<Wide>(x.re + j * n_set + set, x.im + j * n_set + set, n / 4, next_twiddles(twiddles),
                      a.re.data() + 4 * j * lanes, a.im.data() + 4 * j * lanes, lanes);
    Tile *from = &a, *to = &b;
    for (std::size_t m = 4; m < rows; m *= 4, std::swap(from, to))
      for (std::size_t j = 0; j < rows / 4 / m; ++j, twiddles += 6 * lanes)
        tile_pass(*from, *to, m, j, next_twiddles(twiddles));
    for (std::size_t i = 0; i < rows; i += 4) {
      for (std::size_t k = 0; k < lanes; k += 4) {
        transpose(from->re.data() + i * lanes + k, y.re + (set + k) * rows + i, rows);
        transpose(from->im.data() + i * lanes + k, y.im + (set + k) * rows + i, rows);
      }
    }
  }
}

// As many passes from stride m on; all sets of a block have the same twiddle factors.
TIDEWATT_CLONES
void more_passes(Split x, Split y, std::size_t n, std::size_t m, const UnitCircle& circle) {
  const std::size_t n_block = n / rows / m;
  Tile a, b;
  std::array<Twiddles<double>, rows / 3> factors;  // in the order of their use, close together
  for (std::size_t block = 0; block < n_block; ++block) {
    auto* next = factors.data();
    for (std::size_t in = 1; in < rows; in *= 4)
      for (std::size_t j = 0; j < rows / 4 / in; ++j) *next++ = twiddles_at(circle, (j * n_block + block) * in * m);
    for (std::size_t set = 0; set < m; set += lanes) {
      const auto* w = factors.data();
      for (std::size_t j = 0; j < rows / 4; ++j, ++w) {
        const std::size_t at = (j * n_block + block) * m + set;
        butterfly<Wide>(x.re + at, x.im + at, n / 4, *w, a.re.data() + 4 * j * lanes, a.im.data() + 4 * j * lanes,
                        lanes);
      }
      Tile *from = &a, *to = &b;
      for (std::size_t in = 4; in < rows / 4; in *= 4, std::swap(from, to))
        for (std::size_t j = 0; j < rows / 4 / in; ++j, ++w) tile_pass(*from, *to, in, j, *w);
      for (std::size_t i = 0; i < rows / 4; ++i) {
        const std::size_t out = (block * rows + i) * m + set;
        butterfly<Wide>(from->re.data() + i * lanes, from->im.data() + i * lanes, rows / 4 * lanes, *w, y.re + out,
                        y.im + out, rows / 4 * m);
      }
    }
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
  if (n >= rows * lanes) made->first = first_twiddles(*made);
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
  if (!circle_->first.empty()) {
    first_passes(from, to, n_, circle_->first.data());
    std::swap(from, to);
    for (m = rows; m * rows <= n_; m *= rows) {
      more_passes(from, to, n_, m, *circle_);
      std::swap(from, to);
    }
  }
  for (; m <= n_ / 4; m *= 4) {
    pass4(from, to, n_, m, *circle_);
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
