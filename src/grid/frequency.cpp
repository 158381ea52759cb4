#include "tidewatt/grid/frequency.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numerics/block.hpp"
#include "numerics/linear_step.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/simd.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

using Row = std::array<double, 4>;  // coefficients of speed, governor, chest, reheater

// Each stage as a row over the states that exist: a stage with a time constant is its own state, one without is its
// input.
struct Chain {
  std::array<bool, 4> present{true, false, false, false};
  Row governor{}, chest{}, reheater{};
  Row governor_in{}, chest_in{}, reheater_in{};
  Row mechanical{};
};

Row stage(bool present, std::size_t index, const Row& in) {
  Row own{};
  own[index] = 1.0;
  return present ? own : in;
}

Chain chain_of(const FrequencyParams& p) {
  Chain c;
  c.present = {true, p.governor_s > 0.0, p.chest_s > 0.0, p.reheat_s > 0.0};
  c.governor_in[0] = -1.0 / p.droop_pu;
  c.governor = stage(c.present[1], 1, c.governor_in);
  c.chest_in = c.governor;
  c.chest = stage(c.present[2], 2, c.chest_in);
  c.reheater_in = c.chest;
  c.reheater = stage(c.present[3], 3, c.reheater_in);
  for (std::size_t i = 0; i < 4; ++i)
    c.mechanical[i] = p.high_pressure_frac * c.chest[i] + (1.0 - p.high_pressure_frac) * c.reheater[i];
  return c;
}

void check(const FrequencyParams& p) {
  std::vector<Finding> findings;
  const auto need = [&](bool ok, const char* key, const char* message) {
    if (!ok) findings.push_back({{}, key, message});
  };
  need(p.nominal_Hz > 0.0, "nominal_Hz", "must be positive");
  need(p.system_VA > 0.0, "system_GVA", "must be positive");
  need(p.inertia_s > 0.0, "inertia_s", "must be positive");
  need(p.droop_pu > 0.0, "droop_pu", "must be positive");
  need(p.damping_pu >= 0.0, "damping_pu", "must not be negative");
  need(p.governor_s >= 0.0 && p.chest_s >= 0.0 && p.reheat_s >= 0.0, "governor_s", "times must not be negative");
  need(p.high_pressure_frac >= 0.0 && p.high_pressure_frac <= 1.0, "high_pressure_frac", "must be in [0, 1]");
  if (!findings.empty()) throw InputError(std::move(findings));
}

}  // namespace

void FrequencyParams::fields(FieldVisitor& v) {
  v.number("nominal_Hz", nominal_Hz, {16, 60}, "nominal frequency");
  v.number("system_GVA", system_VA, {1e-3, 2000}, "rating of the synchronised machines");
  v.number("inertia_s", inertia_s, {0.1, 20}, "H on that rating");
  v.number("damping_pu", damping_pu, {0, 10}, "D: relative load change per relative frequency change");
  v.number("droop_pu", droop_pu, {0.005, 10}, "R of the whole system on its rating");
  v.number("governor_s", governor_s, {0, 20}, "governor time constant; 0: none");
  v.number("chest_s", chest_s, {0, 20}, "steam chest or turbine time constant; 0: none");
  v.number("reheat_s", reheat_s, {0, 60}, "reheater time constant; 0: none");
  v.number("high_pressure_frac", high_pressure_frac, {0, 1}, "fraction of turbine power before the reheater");
}

Frequency::Frequency(const FrequencyParams& params) : p_(params) {
  check(p_);
  const Chain c = chain_of(p_);
  const std::array<double, 4> tau_s{2.0 * p_.inertia_s, p_.governor_s, p_.chest_s, p_.reheat_s};
  const std::array<Row, 4> in{c.mechanical, c.governor_in, c.chest_in, c.reheater_in};
  std::vector<std::size_t> states;
  for (std::size_t i = 0; i < 4; ++i)
    if (c.present[i]) states.push_back(i);
  const std::size_t n = states.size();
  std::vector<double> A(n * n), B(n, 0.0);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) A[a * n + b] = in[states[a]][states[b]] / tau_s[states[a]];
    A[a * n + a] -= (states[a] == 0 ? p_.damping_pu : 1.0) / tau_s[states[a]];
  }
  B[0] = -1.0 / tau_s[0];
  const numerics::LinearStep step(A, B, n, 1, numerics::bin_s);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) E_[states[a] * 4 + states[b]] = step.E()[a * n + b];
    F_[states[a]] = step.F()[a];
  }
  mechanical_ = c.mechanical;
}

FrequencyState Frequency::start(double load_W, std::int64_t first_bin) const { return {load_W, {}, first_bin}; }

double Frequency::initial_rocof_Hz_per_s(double step_W) const {
  return p_.nominal_Hz * std::abs(step_W) / (2.0 * p_.inertia_s * p_.system_VA);
}

namespace {

struct Chunk {
  const double* load_W;
  std::size_t n;
  double equilibrium_W, to_pu, damping_pu, nominal_Hz;
};

/// x ← E x + F u, one state per lane; `rate` is 2H |dω/dt|.
TIDEWATT_CLONES
void step_all(const Chunk& c, const double* E, const double* F, const double* mechanical, double* x,
              double* deviation_Hz, double* rate) {
  Pack4 column[4], in;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) column[j][i] = E[4 * i + j];
  load(F, in);
  const double m0 = mechanical[0], m1 = mechanical[1], m2 = mechanical[2], m3 = mechanical[3];
  double x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
  for (std::size_t k = 0; k < c.n; ++k) {
    const double u = (c.load_W[k] - c.equilibrium_W) * c.to_pu;
    rate[k] = std::abs(((m0 * x0 + m1 * x1) + (m2 * x2 + m3 * x3)) - u - c.damping_pu * x0);
    const Pack4 y = (column[0] * x0 + column[1] * x1) + (column[2] * x2 + column[3] * x3) + in * u;
    x0 = y[0], x1 = y[1], x2 = y[2], x3 = y[3];
    deviation_Hz[k] = c.nominal_Hz * x0;
  }
  x[0] = x0, x[1] = x1, x[2] = x2, x[3] = x3;
}

}  // namespace

void Frequency::block(std::span<const double> load_W, double* deviation_Hz, double* rate, FrequencyState& state) const {
  const Chunk chunk{load_W.data(),      load_W.size(), state.equilibrium_W,
                    1.0 / p_.system_VA, p_.damping_pu, p_.nominal_Hz};
  step_all(chunk, E_.data(), F_.data(), mechanical_.data(), state.deviation.data(), deviation_Hz, rate);
}

void Frequency::advance(std::span<const double> load_W, std::span<double> deviation_Hz, FrequencyState& state,
                        FrequencyMeters& meters) const {
  if (deviation_Hz.size() != load_W.size()) throw InputError("frequency: input and output chunks differ in length");
  std::array<double, numerics::block_size> rate;
  for (std::size_t at = 0; at < load_W.size(); at += numerics::block_size) {
    const std::size_t n = std::min(numerics::block_size, load_W.size() - at);
    const std::span<double> out = deviation_Hz.subspan(at, n);
    block(load_W.subspan(at, n), out.data(), rate.data(), state);
    const double lo = numerics::lane_min(out), hi = numerics::lane_max(out);
    if (lo < meters.lowest_Hz) {
      meters.lowest_Hz = lo;
      meters.lowest_bin = state.next_bin + (std::find(out.begin(), out.end(), lo) - out.begin());
    }
    if (hi > meters.highest_Hz) {
      meters.highest_Hz = hi;
      meters.highest_bin = state.next_bin + (std::find(out.begin(), out.end(), hi) - out.begin());
    }
    const double steepest = numerics::lane_max({rate.data(), n}) * p_.nominal_Hz / (2.0 * p_.inertia_s);
    meters.rocof_max_Hz_per_s = std::max(meters.rocof_max_Hz_per_s, steepest);
    meters.window.push(out);
    state.next_bin += static_cast<std::int64_t>(n);
  }
}

namespace {

constexpr std::size_t side_by_side = 4;

/// x ← E x + F u through `n` bins, for loads that lie `n` apart side by side: none waits for the others' last bin.
TIDEWATT_CLONES
void drive(const Chunk& c, const double* E, const double* F, double* x) {
  Pack4 column[4], in, state[side_by_side];
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) column[j][i] = E[4 * i + j];
  load(F, in);
  for (auto& s : state) s = Pack4{};
  for (std::size_t k = 0; k < c.n; ++k)
    for (std::size_t i = 0; i < side_by_side; ++i) {
      const double u = (c.load_W[i * c.n + k] - c.equilibrium_W) * c.to_pu;
      const Pack4 s = state[i];
      state[i] = (column[0] * s[0] + column[1] * s[1]) + (column[2] * s[2] + column[3] * s[3]) + in * u;
    }
  for (std::size_t i = 0; i < side_by_side; ++i) store(state[i], x + 4 * i);
}

/// What some bins make of the state: x ← M x + g.
struct Map {
  std::array<double, 16> M{};
  std::array<double, 4> g{};
  std::array<double, 4> of(const std::array<double, 4>& x) const {
    auto y = g;
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) y[i] += M[4 * i + j] * x[j];
    return y;
  }
  Map after(const Map& first) const {
    Map out;
    out.g = of(first.g);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t j = 0; j < 4; ++j) out.M[4 * i + j] += M[4 * i + k] * first.M[4 * k + j];
    return out;
  }
  Map times(std::int64_t n) const {
    Map out, power = *this;
    for (std::size_t i = 0; i < 4; ++i) out.M[5 * i] = 1.0;
    for (; n > 0; n /= 2, power = power.after(power))
      if (n % 2 != 0) out = power.after(out);
    return out;
  }
};

}  // namespace

void Frequency::repeat(std::span<const double> load_W, std::int64_t times, FrequencyState& state) const {
  const std::size_t n = load_W.size() / side_by_side;
  std::array<double, 4 * side_by_side> driven;
  drive({load_W.data(), n, state.equilibrium_W, 1.0 / p_.system_VA, p_.damping_pu, p_.nominal_Hz}, E_.data(), F_.data(),
        driven.data());
  Map part{E_, {}}, once{E_, {}};
  part = part.times(static_cast<std::int64_t>(n)), once = once.times(0);
  for (std::size_t i = 0; i < side_by_side; ++i) {
    std::copy_n(driven.begin() + static_cast<std::ptrdiff_t>(4 * i), 4, part.g.begin());
    once = part.after(once);
  }
  for (const double W : load_W.subspan(n * side_by_side)) {
    Map bin{E_, F_};
    for (double& g : bin.g) g *= (W - state.equilibrium_W) / p_.system_VA;
    once = bin.after(once);
  }
  state.deviation = once.times(times).of(state.deviation);
  state.next_bin += times * static_cast<std::int64_t>(load_W.size());
}

double Frequency::rate_Hz_per_s(double load_W, const FrequencyState& state) const {
  double mechanical = 0.0;
  for (std::size_t i = 0; i < 4; ++i) mechanical += mechanical_[i] * state.deviation[i];
  const double u = (load_W - state.equilibrium_W) / p_.system_VA;
  return p_.nominal_Hz * (mechanical - u - p_.damping_pu * state.deviation[0]) / (2.0 * p_.inertia_s);
}

FrequencyTurn Frequency::first_turn(double step_W, double horizon_s) const {
  FrequencyState state = start(0.0);
  FrequencyMeters unused;
  const double h = numerics::bin_s;
  const std::array<double, 1> load{step_W};
  std::array<double, 1> now{};
  double f0 = 0.0, r0 = rate_Hz_per_s(step_W, state);
  for (std::int64_t bin = 0; static_cast<double>(bin) * h < horizon_s; ++bin) {
    advance(load, now, state, unused);
    const double f1 = now[0], r1 = rate_Hz_per_s(step_W, state);
    if (r0 * r1 <= 0.0 && r0 != 0.0) {
      // The slope of the cubic through both ends is a parabola; its root by bisection.
      const double m = (f1 - f0) / h;
      const auto slope = [&](double s) {
        return r0 + s * (6.0 * m - 4.0 * r0 - 2.0 * r1 + 3.0 * s * (r0 + r1 - 2.0 * m));
      };
      double lo = 0.0, hi = 1.0;
      for (int i = 0; i < 60; ++i) (slope(0.5 * (lo + hi)) * r0 > 0.0 ? lo : hi) = 0.5 * (lo + hi);
      const double s = 0.5 * (lo + hi);
      const double f = f0 + h * s * (r0 + s * (3.0 * m - 2.0 * r0 - r1 + s * (r0 + r1 - 2.0 * m)));
      return {(static_cast<double>(bin) + s) * h, f};
    }
    f0 = f1;
    r0 = r1;
  }
  throw RefusedError("frequency: it does not turn within the time asked for");
}

}  // namespace TIDEWATT_NAMESPACE::grid
