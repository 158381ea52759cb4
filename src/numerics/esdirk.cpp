#include "esdirk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::numerics {
namespace {

constexpr double gamma_ratio = 0.25;

/// [stage][earlier stage]; the diagonal is γ but for the first stage, which is explicit.
constexpr double a[6][5] = {
    {},
    {1.0 / 4.0},
    {8611.0 / 62500.0, -1743.0 / 31250.0},
    {5012029.0 / 34652500.0, -654441.0 / 2922500.0, 174375.0 / 388108.0},
    {15267082809.0 / 155376265600.0, -71443401.0 / 120774400.0, 730878875.0 / 902184768.0, 2285395.0 / 8070912.0},
    {82889.0 / 524892.0, 0.0, 15625.0 / 83664.0, 69875.0 / 102672.0, -2260.0 / 8211.0}};
constexpr double c[6] = {0.0, 1.0 / 2.0, 83.0 / 250.0, 31.0 / 50.0, 17.0 / 20.0, 1.0};
/// Of the embedded result of order 3.
constexpr double b_low[6] = {4586570599.0 / 29645900160.0, 0.0,
                             178811875.0 / 945068544.0,    814220225.0 / 1159782912.0,
                             -3700637.0 / 11593932.0,      61727.0 / 225920.0};
double b_high(std::size_t i) { return i < 5 ? a[5][i] : gamma_ratio; }

constexpr double newton_share = 0.02;  ///< of the tolerance, that Newton leaves
constexpr double most_first_move =
    0.5;                             ///< tolerances: a larger one is looked at twice, since a kink may be on its way
constexpr double slow_newton = 0.2;  ///< above this rate of convergence the slope is taken anew
constexpr int most_corrections = 6;
constexpr double safety = 0.9, most_growth = 8.0, least_growth = 0.1;

bool all_finite(std::span<const double> v) {
  return std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); });
}

/// x^(1/4) for x > 0 with the same bits everywhere: square roots are exact.
double fourth_root(double x) { return std::sqrt(std::sqrt(x)); }

}  // namespace

Esdirk::Esdirk(OdeShape shape) : shape_(std::move(shape)), n_(shape_.names.size()), n_coupled_(shape_.n_coupled) {
  const bool sizes_fit = n_ > 0 && shape_.typical.size() == n_ && n_coupled_ <= n_ && shape_.max_steps > 0;
  const bool positive =
      std::all_of(shape_.typical.begin(), shape_.typical.end(), [](double x) { return x > 0.0 && std::isfinite(x); });
  if (!sizes_fit || !positive || !(shape_.rtol >= 1e-12 && shape_.rtol <= 1e-2))
    throw InputError("differential equations: names, typical sizes and tolerance do not fit together");
  for (auto* v : {&y_, &weight_, &stage_y_, &base_, &f_, &move_, &last_error_}) v->resize(n_);
  for (auto& k : k_) k.resize(n_);
  slope_.resize(n_coupled_ * n_);
  lu_.resize(n_coupled_ * n_coupled_);
  pivot_.resize(n_coupled_);
}

/// Fills the slope by difference quotients at `y_`. Meters are left out: f does not depend on them. The first stage's rates are those
/// where Newton left the last stage: many times further from `y_` than the quotients reach.
bool Esdirk::find_slope(const OdeSystem& system, double t_s) {
  std::copy(y_.begin(), y_.end(), stage_y_.begin());
  system.rhs(t_s, stage_y_, base_);
  for (std::size_t j = 0; j < n_coupled_; ++j) {
    const double size = std::max(std::abs(y_[j]), shape_.typical[j]);
    stage_y_[j] = y_[j] + 1.5e-8 * size;  // about the square root of the rounding unit
    const double per_step = 1.0 / (stage_y_[j] - y_[j]);
    system.rhs(t_s, stage_y_, f_);
    stage_y_[j] = y_[j];
    double* column = &slope_[j * n_];
    for (std::size_t i = 0; i < n_; ++i) column[i] = (f_[i] - base_[i]) * per_step;
    if (!all_finite({column, n_})) return false;
  }
  factored_s_ = 0.0;
  slope_is_new_ = true;
  return true;
}

void Esdirk::factor(double gamma_s) {
  if (factored_s_ == gamma_s) return;
  const std::size_t n = n_coupled_;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) lu_[j * n + i] = -gamma_s * slope_[j * n_ + i];
    lu_[j * n + j] += 1.0;
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(lu_[k * n + i]) > std::abs(lu_[k * n + p])) p = i;
    pivot_[k] = p;
    if (p != k)
      for (std::size_t j = 0; j < n; ++j) std::swap(lu_[j * n + k], lu_[j * n + p]);
    const double inverse = 1.0 / lu_[k * n + k];
    lu_[k * n + k] = inverse;
    for (std::size_t i = k + 1; i < n; ++i) lu_[k * n + i] *= inverse;
    for (std::size_t j = k + 1; j < n; ++j) {
      const double times = lu_[j * n + k];
      if (times == 0.0) continue;
      for (std::size_t i = k + 1; i < n; ++i) lu_[j * n + i] -= times * lu_[k * n + i];
    }
  }
  factored_s_ = gamma_s;
}

void Esdirk::solve(std::span<double> x) const {
  const std::size_t n = n_coupled_;
  for (std::size_t k = 0; k < n; ++k) std::swap(x[k], x[pivot_[k]]);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) x[i] -= x[k] * lu_[k * n + i];
  for (std::size_t k = n; k-- > 0;) {
    x[k] *= lu_[k * n + k];
    for (std::size_t i = 0; i < k; ++i) x[i] -= x[k] * lu_[k * n + i];
  }
}

void Esdirk::set_weights() {
  for (std::size_t i = 0; i < n_; ++i) weight_[i] = 1.0 / (shape_.rtol * (std::abs(y_[i]) + shape_.typical[i]));
}

/// Root mean square of the first `n` values in units of their tolerance.
double Esdirk::norm(std::span<const double> x, std::size_t n) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += (x[i] * weight_[i]) * (x[i] * weight_[i]);
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, n)));
}

/// A rate λ = |J f| / |f| and a way to go A = |f| / λ, as if all decayed alike: the error of a step, about 1e-3 A (hλ)^4, is one tolerance.
double Esdirk::first_step_s(double duration_s) {
  const double moves = norm(k_[0], n_coupled_);
  std::fill(move_.begin(), move_.end(), 0.0);
  for (std::size_t j = 0; j < n_coupled_; ++j)
    for (std::size_t i = 0; i < n_coupled_; ++i) move_[i] += slope_[j * n_ + i] * k_[0][j];
  const double bends = norm(move_, n_coupled_);
  if (moves * duration_s <= 1.0 || bends <= 0.0) return duration_s;
  const double rate_per_s = bends / moves, way = moves / rate_per_s;
  return std::min(duration_s, fourth_root(1000.0 / way) / rate_per_s);
}

/// One implicit stage. @return whether Newton came to an end
bool Esdirk::stage(const OdeSystem& system, std::size_t i, double t_s, double h_s) {
  const double gamma_s = gamma_ratio * h_s;
  std::copy(y_.begin(), y_.end(), base_.begin());
  for (std::size_t j = 0; j < i; ++j) {
    const double times = h_s * a[i][j];
    if (times == 0.0) continue;
    for (std::size_t l = 0; l < n_; ++l) base_[l] += times * k_[j][l];
  }
  // Starts at the stage before it: rates of fast modes, carried on through a long step, would lead to states that no plant can be in.
  if (i == 1) std::copy(y_.begin(), y_.end(), stage_y_.begin());
  double last = 0.0;
  for (int n = 0; n < most_corrections; ++n) {
    system.rhs(t_s + c[i] * h_s, stage_y_, f_);
    if (!all_finite(f_)) return false;
    for (std::size_t l = 0; l < n_coupled_; ++l) move_[l] = base_[l] + gamma_s * f_[l] - stage_y_[l];
    solve(move_);
    const double size = norm(move_, n_coupled_);
    if (n > 0) rate_ = std::max(0.3 * rate_, size / last);
    if (n > 0 && rate_ > 0.9) return false;
    for (std::size_t l = 0; l < n_coupled_; ++l) stage_y_[l] += move_[l];
    if ((n > 0 || size <= most_first_move) && size * std::min(1.0, rate_ / (1.0 - rate_)) <= newton_share) break;
    if (n + 1 == most_corrections) return false;
    last = size;
  }
  // Rates of one and the same moment, so that sums which f keeps constant stay so whatever Newton left.
  system.rhs(t_s + c[i] * h_s, stage_y_, k_[i]);
  return all_finite(k_[i]);
}

/// Of the step's worst value, in tolerances. Both results damp fast modes, so that these ask for no shorter steps.
double Esdirk::error(double h_s) {
  std::fill(last_error_.begin(), last_error_.end(), 0.0);
  for (std::size_t i = 0; i < n_stage; ++i) {
    const double times = h_s * (b_high(i) - b_low[i]);
    for (std::size_t l = 0; l < n_; ++l) last_error_[l] += times * k_[i][l];
  }
  double worst = 0.0;
  for (std::size_t l = 0; l < n_; ++l) {
    const double e = std::abs(last_error_[l]) * weight_[l];
    worst = e <= worst ? worst : e;  // not a number, too
  }
  return worst;
}

/// Tries a step; where it holds, `y_` and the first stage's rates are those of its end. @param grows by what the next may be longer
bool Esdirk::step(const OdeSystem& system, double t_s, double h_s, double& grows) {
  ++n_step_;
  factor(gamma_ratio * h_s);
  rate_ = std::max(rate_, 1e-3);
  for (std::size_t i = 1; i < n_stage; ++i)
    if (!stage(system, i, t_s, h_s)) {
      grows = slope_is_new_ ? 0.25 : 1.0;
      rate_ = 0.0;
      // From where the step began.
      if (!slope_is_new_ && !find_slope(system, t_s)) grows = 0.0;
      return false;
    }
  const double e = error(h_s);
  if (!std::isfinite(e)) return grows = least_growth, false;
  grows = std::clamp(safety / fourth_root(std::max(e, 1e-10)), least_growth, most_growth);
  if (!(e <= 1.0)) return false;
  for (std::size_t i = 0; i < n_stage; ++i) {
    const double times = h_s * b_high(i);
    for (std::size_t l = 0; l < n_; ++l) y_[l] += times * k_[i][l];
  }
  k_[0].swap(k_[n_stage - 1]);
  slope_is_new_ = false;
  return true;
}

void Esdirk::fail(const char* why, double reached_s, double duration_s, double time_s) const {
  std::vector<std::pair<double, std::size_t>> ranked;
  ranked.reserve(n_);
  for (std::size_t i = 0; i < n_; ++i) ranked.emplace_back(std::abs(last_error_[i]) * weight_[i], i);
  std::stable_sort(ranked.begin(), ranked.end(), std::greater<>());
  std::string worst;
  for (std::size_t k = 0; k < std::min<std::size_t>(3, n_); ++k)
    worst +=
        fmt::format("{}{} ({:.3g} tolerances)", k > 0 ? ", " : "", shape_.names[ranked[k].second], ranked[k].first);
  throw SolverError(fmt::format("at {:.6f} s: {} after {} steps, {:.6g} s into a step of {:.6g} s; worst: {}", time_s,
                                why, n_step_, reached_s, duration_s, worst));
}

void Esdirk::advance(const OdeSystem& system, std::span<double> y, double duration_s, double time_s) {
  if (y.size() != n_ || !(duration_s > 0.0) || !all_finite(y))
    throw SolverError(
        fmt::format("at {:.6f} s: a step needs {} finite values and a positive length, got {} values and {} s", time_s,
                    n_, y.size(), duration_s));
  std::copy(y.begin(), y.end(), y_.begin());
  std::fill(last_error_.begin(), last_error_.end(), 0.0);
  n_step_ = 0;
  rate_ = 0.0;
  set_weights();
  system.rhs(0.0, y_, k_[0]);
  if (!all_finite(k_[0]) || !find_slope(system, 0.0)) fail("the rates are not finite", 0.0, duration_s, time_s);
  double t_s = 0.0, h_s = first_step_s(duration_s);
  while (t_s < duration_s) {
    const double left_s = duration_s - t_s;
    // No rest that is much shorter than a step.
    double tried_s = h_s >= 0.99 * left_s ? left_s : h_s > 0.5 * left_s ? 0.5 * left_s : h_s;
    if (n_step_ >= shape_.max_steps || !(tried_s > 1e-12 * duration_s)) fail("too many steps", t_s, duration_s, time_s);
    double grows = 1.0;
    const bool holds = step(system, t_s, tried_s, grows);
    if (holds) {
      t_s = tried_s == left_s ? duration_s : t_s + tried_s;
      set_weights();
      if (rate_ > slow_newton && t_s < duration_s && !find_slope(system, t_s))
        fail("the rates are not finite", t_s, duration_s, time_s);
    }
    if (!holds && grows == 0.0) fail("the rates are not finite", t_s, duration_s, time_s);
    // A small change of length is not worth a new matrix.
    if (holds && grows > 1.0 && grows < 1.3) grows = 1.0;
    h_s = tried_s * (holds ? grows : std::min(1.0, grows));
  }
  if (!all_finite(y_)) fail("values are not finite", t_s, duration_s, time_s);
  std::copy(y_.begin(), y_.end(), y.begin());
}

}  // namespace TIDEWATT_NAMESPACE::numerics
