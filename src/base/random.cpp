#include "random.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <span>

#include "tidewatt/base/math.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::random {
namespace {

TIDEWATT_INLINE double polynomial(std::span<const double> c, double x) {
  double p = 0.0;
  for (std::size_t i = c.size(); i-- > 0;) p = std::fma(p, x, c[i]);
  return p;
}

// Wichura (1988), algorithm AS 241, PPND16: rational approximations for the centre and the two tails.
constexpr double centre_num[] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                 1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                 3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr double centre_den[] = {1.0,
                                 4.2313330701600911252e1,
                                 6.8718700749205790830e2,
                                 5.3941960214247511077e3,
                                 2.1213794301586595867e4,
                                 3.9307895800092710610e4,
                                 2.8729085735721942674e4,
                                 5.2264952788528545610e3};
constexpr double near_num[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                               3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                               2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr double near_den[] = {1.0,
                               2.05319162663775882187e0,
                               1.67638483018380384940e0,
                               6.89767334985100004550e-1,
                               1.48103976427480074590e-1,
                               1.51986665636164571966e-2,
                               5.47593808499534494600e-4,
                               1.05075007164441684324e-9};
constexpr double far_num[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                              2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                              2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr double far_den[] = {1.0,
                              5.99832206555887937690e-1,
                              1.36929880922735805310e-1,
                              1.48753612908506148525e-2,
                              7.86869131145613259100e-4,
                              1.84631831751005468180e-5,
                              1.42151175831644588870e-7,
                              2.04426310338993978564e-15};

TIDEWATT_INLINE double quantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(centre_num, r) / polynomial(centre_den, r);
  }
  double r = std::sqrt(-math::log(q < 0 ? p : 1.0 - p));
  const double z = r <= 5.0 ? polynomial(near_num, r - 1.6) / polynomial(near_den, r - 1.6)
                            : polynomial(far_num, r - 5.0) / polynomial(far_den, r - 5.0);
  return q < 0 ? -z : z;
}

}  // namespace

std::array<std::uint64_t, 4> bits(std::uint64_t seed, Purpose purpose, std::uint64_t entity, std::uint64_t index) {
  r123::Philox4x64 generator;
  const r123::Philox4x64::ctr_type counter = {{index, entity, 0, 0}};
  const r123::Philox4x64::key_type key = {{seed, static_cast<std::uint64_t>(purpose)}};
  const auto r = generator(counter, key);
  return {r[0], r[1], r[2], r[3]};
}

double uniform(std::uint64_t seed, Purpose purpose, std::uint64_t entity, std::uint64_t index) {
  return (static_cast<double>(bits(seed, purpose, entity, index)[0] >> 11) + 0.5) * 0x1p-53;
}

TIDEWATT_CLONES
double normal_quantile(double p) { return quantile(p); }

double normal(std::uint64_t seed, Purpose purpose, std::uint64_t entity, std::uint64_t index) {
  return normal_quantile(uniform(seed, purpose, entity, index));
}

TIDEWATT_CLONES
double truncated_normal(std::uint64_t seed, Purpose purpose, std::uint64_t entity, double lo, double hi) {
  for (std::uint64_t i = 0;; ++i) {
    const double z = quantile(uniform(seed, purpose, entity, i));
    if (z >= lo && z <= hi) return z;
  }
}

double exponential(std::uint64_t seed, Purpose purpose, std::uint64_t entity, std::uint64_t index) {
  return -math::log(uniform(seed, purpose, entity, index));
}

}  // namespace TIDEWATT_NAMESPACE::random
