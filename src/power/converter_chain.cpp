#include "tidewatt/power/converter_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "numerics/block.hpp"
#include "numerics/linear_step.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::power {
namespace {
using numerics::bin_s;
constexpr double two_pi = 2.0 * std::numbers::pi;
constexpr std::size_t n_stage = ConverterChainParams::n_stage;

std::complex<double> stage_response(const ConverterStage& g, double f_Hz) {
  const std::complex<double> s(0.0, two_pi * f_Hz);
  const double w = two_pi * g.natural_Hz(), wc = two_pi * g.current_Hz;
  std::complex<double> G = 2.0 * g.damping_ratio * w + w * w / s;
  if (wc > 0.0) G *= wc / (s + wc);
  return G / (s + G);
}
}  // namespace

double ConverterStage::natural_Hz() const {
  const double z2 = 2.0 * damping_ratio * damping_ratio;
  return voltage_Hz / std::sqrt(z2 + std::sqrt(z2 * z2 + 1.0));
}

void ConverterStage::fields(FieldVisitor& v, std::string_view prefix) {
  const auto key = [&](std::string_view stem) { return fmt::format("{}_{}", prefix, stem); };
  v.number(key("voltage_Hz"), voltage_Hz, {0.1, 1000}, "bandwidth of the voltage loop: unit open-loop gain");
  v.number(key("damping_ratio"), damping_ratio, {0.05, 5}, "damping of the voltage loop");
  v.number(key("current_Hz"), current_Hz, {0, 10000}, "bandwidth of the current loop; 0: immediate");
  v.number(key("link_s"), link_s, {1e-4, 100}, "link capacitance in per unit: twice its energy over rated power");
}

void ConverterChainParams::fields(FieldVisitor& v) {
  v.number("rating_MW", rating_W, {1e-6, 1e5}, "rated power of the fleet that the chain stands for");
  for (std::size_t i = 0; i < n_stage; ++i) stage[i].fields(v, stage_names[i]);
  v.number("no_load_loss_frac", no_load_loss_frac, {0, 0.2},
           "loss of all stages without load, as a fraction of the rating");
  v.number("proportional_loss_frac", proportional_loss_frac, {0, 0.3},
           "loss proportional to the load, as a fraction of the rating");
  v.number("quadratic_loss_frac", quadratic_loss_frac, {0, 0.3},
           "loss proportional to the square of the load, as a fraction of the rating");
}

double ConverterChainMeters::closure(double stored_J) const {
  CompensatedSum gap = drawn_J;
  gap.add(-load_J.value());
  gap.add(-loss_J.value());
  gap.add(-stored_J);
  return drawn_J.value() != 0.0 ? std::abs(gap.value()) / std::abs(drawn_J.value()) : 0.0;
}

ConverterChain::ConverterChain(const ConverterChainParams& params) : p_(params) {
  std::vector<Finding> findings;
  if (!(p_.rating_W > 0.0)) findings.push_back({{}, "rating_MW", "must be positive"});
  for (std::size_t k = 0; k < n_stage; ++k) {
    const ConverterStage& g = p_.stage[k];
    const std::string name(ConverterChainParams::stage_names[k]);
    if (!(g.voltage_Hz > 0.0)) findings.push_back({{}, name + "_voltage_Hz", "must be positive"});
    if (!(g.link_s > 0.0)) findings.push_back({{}, name + "_link_s", "must be positive"});
    // Routh: s³ + ω_c s² + 2ζω ω_c s + ω² ω_c is stable where 2ζ ω_c > ω.
    if (!(g.damping_ratio > 0.0) || (g.current_Hz > 0.0 && 2.0 * g.damping_ratio * g.current_Hz <= g.natural_Hz()))
      findings.push_back({{}, name + "_damping_ratio", "the loop would be unstable: needs 2 ζ f_current > f_natural"});
    first_[k] = n_state_;
    n_state_ += g.current_Hz > 0.0 ? 3 : 2;
  }
  if (n_state_ + 1 > width)
    findings.push_back({{}, "current_Hz", "at most three of the four stages may have a current loop of their own"});
  if (!findings.empty()) throw InputError(std::move(findings));

  const std::size_t n = n_state_ + 1;
  std::vector<double> A(n * n, 0.0), B(n, 0.0);
  const auto at = [&](std::size_t i, std::size_t j) -> double& { return A[i * n + j]; };
  for (std::size_t k = 0; k <= n_stage; ++k) {  // what stage k − 1 draws enters −w of stage k, and the energy integral
    const std::size_t into = k < n_stage ? first_[k] : n_state_;
    const double sign = k < n_stage ? -1.0 : 1.0;
    if (k == 0) {
      B[into] += sign;
    } else {
      const ConverterStage& below = p_.stage[k - 1];
      const std::size_t w = first_[k - 1];
      if (below.current_Hz > 0.0) {
        at(into, w + 2) += sign;
      } else {
        at(into, w) -= sign * 2.0 * below.damping_ratio * two_pi * below.natural_Hz();
        at(into, w + 1) += sign;
      }
    }
    if (k == n_stage) break;
    const ConverterStage& g = p_.stage[k];
    const double om = two_pi * g.natural_Hz(), kp = 2.0 * g.damping_ratio * om, wc = two_pi * g.current_Hz;
    const std::size_t w = first_[k];
    at(w + 1, w) = -om * om;
    if (wc > 0.0) {
      at(w, w + 2) += 1.0;
      at(w + 2, w) = -wc * kp;
      at(w + 2, w + 1) = wc;
      at(w + 2, w + 2) = -wc;
    } else {
      at(w, w) -= kp;
      at(w, w + 1) += 1.0;
    }
  }
  const numerics::LinearStep exact(A, B, n, 1, bin_s);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) column_[j][i] = exact.E()[i * n + j];
  for (std::size_t i = 0; i < n; ++i) drive_[i] = exact.F()[i];
}

ChainResponse ConverterChain::response(double f_Hz) const {
  if (!(f_Hz > 0.0)) throw InputError("converter chain: a frequency must be positive");
  ChainResponse out{f_Hz, 1.0, 0.0};
  for (const auto& g : p_.stage) {
    const auto H = stage_response(g, f_Hz);
    out.magnitude *= std::sqrt(std::norm(H));
    out.phase_deg += std::atan2(H.imag(), H.real()) * (180.0 / std::numbers::pi);  // one stage stays above −180°
  }
  return out;
}

std::vector<ChainResponse> ConverterChain::response(std::span<const double> f_Hz) const {
  std::vector<ChainResponse> out;
  out.reserve(f_Hz.size());
  for (const double f : f_Hz) out.push_back(response(f));
  return out;
}

ChainResponse ConverterChain::peak(double low_Hz, double high_Hz) const {
  if (!(low_Hz > 0.0 && low_Hz < high_Hz)) throw InputError("converter chain: needs 0 < low < high");
  constexpr int n = 400;
  ChainResponse best = response(low_Hz);
  for (int i = 1; i <= n; ++i) {
    const auto here = response(low_Hz + (high_Hz - low_Hz) * i / n);
    if (here.magnitude > best.magnitude) best = here;
  }
  for (double d = (high_Hz - low_Hz) / n; d > 1e-6; d *= 0.5)
    for (const double f : {best.frequency_Hz - d, best.frequency_Hz + d})
      if (f > low_Hz && f < high_Hz && response(f).magnitude > best.magnitude) best = response(f);
  return best;
}

double ConverterChain::loss_W(double load_W) const {
  const double x = load_W / p_.rating_W;
  return p_.rating_W * (p_.no_load_loss_frac + x * (p_.proportional_loss_frac + x * p_.quadratic_loss_frac));
}

ConverterChainState ConverterChain::start(double load_W) const {
  ConverterChainState s;
  const double drawn_W = load_W + loss_W(load_W);
  for (std::size_t k = 0; k < n_stage; ++k) {
    s.x[first_[k] + 1] = drawn_W;
    if (p_.stage[k].current_Hz > 0.0) s.x[first_[k] + 2] = drawn_W;
  }
  return s;
}

double ConverterChain::stored_J(const ConverterChainState& s) const {
  double sum = 0.0;
  for (const std::size_t i : first_) sum += s.x[i];
  return sum;
}

void ConverterChain::step(std::span<const double> load_W, std::span<double> drawn_W, ConverterChainState& state,
                          ConverterChainMeters& m) const {
  if (drawn_W.size() != load_W.size()) throw InputError("converter chain: input and output chunks differ in length");
  std::array<double, width> x = state.x, y;
  std::array<double, n_stage> low{}, high{};
  for (std::size_t at = 0; at < load_W.size(); at += numerics::block_size) {
    const std::size_t n = std::min(numerics::block_size, load_W.size() - at);
    double load_J = 0.0, loss_J = 0.0, drawn_J = 0.0;
    for (std::size_t k = at; k < at + n; ++k) {
      const double lost_W = loss_W(load_W[k]), u = load_W[k] + lost_W;
      x[n_state_] = 0.0;  // the energy integral restarts in each bin
      for (std::size_t i = 0; i < width; ++i) y[i] = drive_[i] * u;
      for (std::size_t j = 0; j + 1 < width; ++j)
        for (std::size_t i = 0; i < width; ++i) y[i] += column_[j][i] * x[j];
      x = y;
      load_J += load_W[k] * bin_s;
      loss_J += lost_W * bin_s;
      drawn_J += x[n_state_];
      drawn_W[k] = x[n_state_] / bin_s;
      for (std::size_t i = 0; i < n_stage; ++i) {
        low[i] = std::min(low[i], x[first_[i]]);
        high[i] = std::max(high[i], x[first_[i]]);
      }
    }
    m.load_J.add(load_J);
    m.loss_J.add(loss_J);
    m.drawn_J.add(drawn_J);
  }
  x[n_state_] = 0.0;
  state.x = x;
  for (std::size_t i = 0; i < n_stage; ++i) {  // w = ½ C (v² − 1) P_r
    const double scale = 2.0 / (p_.stage[i].link_s * p_.rating_W);
    m.link_low_pu[i] = std::min(m.link_low_pu[i], std::sqrt(std::max(0.0, 1.0 + scale * low[i])));
    m.link_high_pu[i] = std::max(m.link_high_pu[i], std::sqrt(1.0 + scale * high[i]));
  }
}

}  // namespace TIDEWATT_NAMESPACE::power
