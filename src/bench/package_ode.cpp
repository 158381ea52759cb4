#include "package_ode.hpp"

namespace TIDEWATT_NAMESPACE::bench::detail {

PackageOde::PackageOde(const thermal::PackageParams& p, const PackageCase& packages)
    : p_(p), packages_(packages), n_(packages.blocks.size() * fleet::n_package_lane) {
  start_K_.resize(3 * n_);
  for (std::size_t g = 0; g < n_; ++g) {
    const auto& b = packages.blocks[g / fleet::n_package_lane];
    const std::size_t lane = g % fleet::n_package_lane;
    air_K_.push_back(b.air_K[lane]);
    sink_W_per_K_.push_back(b.modes->sink_air_W_per_K);
    r_.push_back(b.resistance_ratio[lane]);
    for (std::size_t i = 0; i < 3; ++i) start_K_[i * n_ + g] = b.store_K[i][lane] - b.air_K[lane];
  }
  fixed_rW_.resize(n_);
  leakage_rW_.resize(n_);
}

void PackageOde::set_kind(std::uint32_t kind) {
  const std::size_t n_kind = packages_.watts.size() / packages_.blocks.size();
  for (std::size_t g = 0; g < n_; ++g) {
    const auto& w = packages_.watts[g / fleet::n_package_lane * n_kind + kind];
    fixed_rW_[g] = r_[g] * w.fixed_W[g % fleet::n_package_lane];
    leakage_rW_[g] = r_[g] * w.leakage_W[g % fleet::n_package_lane] * packages_.law.temperature_factor(air_K_[g]);
  }
}

void PackageOde::start(double* y) const { std::copy(start_K_.begin(), start_K_.end(), y); }

TIDEWATT_CLONES
void PackageOde::rhs(const double* y, double* f) const {
  const double G01 = 1.0 / p_.die_base_K_per_W, G12 = 1.0 / p_.base_sink_K_per_W;
  const double C0 = 1.0 / p_.die_J_per_K, C1 = 1.0 / p_.base_J_per_K, C2 = 1.0 / p_.sink_J_per_K;
  const auto law = packages_.law;
  const double *fixed = fixed_rW_.data(), *leakage = leakage_rW_.data(), *sink = sink_W_per_K_.data();
  const std::size_t n = n_;
  const double *y0 = y, *y1 = y + n, *y2 = y + 2 * n;
  double *f0 = f, *f1 = f + n, *f2 = f + 2 * n;
  for (std::size_t g = 0; g < n; ++g) {
    const double rW = std::fma(leakage[g], law.rise_factor(y0[g]), fixed[g]);
    const double q01 = G01 * (y0[g] - y1[g]), q12 = G12 * (y1[g] - y2[g]);
    f0[g] = C0 * (rW - q01);
    f1[g] = C1 * (q01 - q12);
    f2[g] = C2 * (q12 - sink[g] * y2[g]);
  }
}

void PackageOde::jacobian(const double* y, sunindextype* column, sunindextype* row, double* value) const {
  const double G01 = 1.0 / p_.die_base_K_per_W, G12 = 1.0 / p_.base_sink_K_per_W;
  const double C0 = 1.0 / p_.die_J_per_K, C1 = 1.0 / p_.base_J_per_K, C2 = 1.0 / p_.sink_J_per_K;
  const auto n = static_cast<sunindextype>(n_);
  sunindextype at = 0;
  const auto put = [&](sunindextype r, double v) {
    row[at] = r;
    value[at++] = v;
  };
  for (sunindextype g = 0; g < n; ++g) {
    const auto u = static_cast<std::size_t>(g);
    column[g] = at;
    put(g, C0 * (packages_.law.slope_W_per_K(leakage_rW_[u]) * packages_.law.rise_factor(y[g]) - G01));
    put(n + g, C1 * G01);
  }
  for (sunindextype g = 0; g < n; ++g) {
    column[n + g] = at;
    put(g, C0 * G01);
    put(n + g, -C1 * (G01 + G12));
    put(2 * n + g, C2 * G12);
  }
  for (sunindextype g = 0; g < n; ++g) {
    column[2 * n + g] = at;
    put(n + g, C1 * G12);
    put(2 * n + g, -C2 * (G12 + sink_W_per_K_[static_cast<std::size_t>(g)]));
  }
  column[3 * n] = at;
}

}  // namespace TIDEWATT_NAMESPACE::bench::detail
