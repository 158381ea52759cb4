#include "load_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "power_line.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

// Values of parts whose share is zero: they never act, and a program may still divide by them. As in public examples of
// the model [S].
constexpr std::array<double, 17> feeder = {0.0, 0.0,     0.0, 1.0,  0.0,  1.0, 1.0, 0.0, 0.9,
                                           1.1, 0.00625, 1.0, 1.04, 30.0, 5.0, 0.0, 0.0};
constexpr std::array<double, 20> motor = {3.0, 0.75,   0.03, 1.8,    0.19,   0.14, 0.2,    0.0026, 0.5,    2.0,
                                          0.0, 9999.0, 0.0,  9999.0, 9999.0, 0.0,  9999.0, 0.0,    9999.0, 9999.0};
constexpr std::array<double, 35> single_phase = {
    0.0667, 0.0, 0.025,  0.1, 1.0,  0.98, 0.0, 0.1, 0.1, 0.0, 0.0, 1.0, 6.0,   2.0, 12.0, 3.2, 11.0,  2.5,
    0.86,   0.0, 9999.0, 1.0, -3.3, 0.0,  0.0, 0.0, 0.0, 0.0, 0.7, 1.9, 0.025, 0.0, 0.0,  0.1, 9999.0};

double percentile(std::vector<double> x, double share) {
  const auto at = x.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(x.size() - 1));
  std::nth_element(x.begin(), at, x.end());
  return *at;
}

}  // namespace

std::string cmpldw_record(std::int64_t bus, const std::string& id, const CompositeLoad& load,
                          CompositeRevision revision) {
  constexpr std::array<double, 5> shares = {0.0, 0.0, 0.0, 0.0, 1.0};  // FmA … FmD, Fel
  constexpr std::array<double, 11> still = {1.0, 2.0, 0.0, 1.0, 1.0, 0.0,
                                            2.0, 0.0, 1.0, 1.0, 0.0};  // static part: impedance
  const std::array<double, 3> electronic = {load.PFel, load.Vd1, load.Vd2};
  std::vector<double> con = {load.MVA};
  const auto add = [&con](std::span<const double> values) {
    for (const double v : values) con.push_back(v);
  };
  add(feeder), add(shares), add(electronic), add(still);
  for (int k = 0; k < 3; ++k) add(motor);
  add(single_phase);
  if (revision == CompositeRevision::two) con.push_back(load.Frcel);
  std::string out = revision == CompositeRevision::two
                        ? fmt::format("{} 'USRLOD' '{:<2}' 'CMLDBLU2' 12 1 2 {} 27 146 48 0 0", bus, id, con.size())
                        : fmt::format("{} 'USRLOD' '{:<2}' 'CMLDBLU1' 12 1 0 {} 27 146 48", bus, id, con.size());
  for (const double v : con) out += fmt::format(" {:.6g}", v);
  return out + " /\n";
}

std::string linjbl_record(std::int64_t bus, const std::string& id, const RepeatingLoad& load) {
  return fmt::format("{} 'USRLOD' '{:<2}' 'LINJBL' 12 1 4 8 0 5 0 0 0 0 0 {:.6g} {:.6g} 0 {:.6g} 0 {} {:.6g} 0 /\n",
                     bus, id, load.begin_s, load.duty, load.Hz, load.n_period, load.peak_to_peak_MW);
}

RepeatingLoad repeating_load(std::span<const double> P_W, double step_s, double begin_s, double lowest_Hz) {
  const auto line = largest_line(power_spectrum(P_W, step_s), lowest_Hz);
  if (!(line.amplitude_W > 1e-6 * std::abs(P_W.empty() ? 1.0 : P_W.front())))
    throw InputError(
        fmt::format("linjbl: the record has no spectral line at or above {:.3g} Hz; choose a longer window or one in "
                    "which the job iterates",
                    line.lowest_Hz));
  const std::vector<double> x(P_W.begin(), P_W.end());
  const double middle_W = 0.5 * (percentile(x, 0.05) + percentile(x, 0.95));
  const double above = static_cast<double>(std::count_if(x.begin(), x.end(), [&](double W) { return W > middle_W; })) /
                       static_cast<double>(x.size());
  RepeatingLoad out;
  out.begin_s = begin_s;
  out.duty = std::clamp(above, 0.05, 0.95);
  out.Hz = line.frequency_Hz;
  out.n_period =
      std::max<std::int64_t>(1, std::llround(std::floor(static_cast<double>(x.size()) * step_s * line.frequency_Hz)));
  out.peak_to_peak_MW = 1e-6 * line.amplitude_W * std::numbers::pi / (2.0 * std::sin(std::numbers::pi * out.duty));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
