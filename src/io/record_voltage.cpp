#include "record_voltage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "base/text.hpp"
#include "phase_name.hpp"
#include "record_bus.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

constexpr int cycle_points = 64, fewest_samples = 4;
constexpr double least_share = 0.8;        ///< of a wave's rms at the line frequency; harmonics of 60 % give 0.86
constexpr double most_off_frac = 0.15;     ///< of the line frequency: 50 and 60 Hz are told apart, islands are kept
constexpr double most_change_frac = 0.05;  ///< between the first two cycles
constexpr std::size_t reference_cycles = 2;

/// How a channel carries its voltage.
enum class Kind : std::uint8_t { none, wave, magnitude, per_unit };

/// Whether a unit is that of a voltage, with or without prefix.
bool is_volts(const std::string& unit) {
  std::string u;
  for (const char c : unit)
    if (c >= 'A' && c <= 'Z')
      u += static_cast<char>(c + 32);
    else if (c >= 'a' && c <= 'z')
      u += c;
  if (u.starts_with('k') || u.starts_with('m')) u.erase(0, 1);
  return u == "v" || u == "volt" || u == "volts" || u == "vrms" || u == "vac";
}

bool has_word(const std::string& name, std::initializer_list<std::string_view> words) {
  std::string lower = name;
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return std::any_of(words.begin(), words.end(), [&](auto w) { return lower.find(w) != std::string::npos; });
}

Kind kind_of(const ComtradeSeries& c, const PhaseName& name) {
  if (c.unit == "pu" || c.unit == "p.u.") {
    if (name.other && !name.voltage) return Kind::none;
    const bool alternates = std::any_of(c.values.begin(), c.values.end(), [](double v) { return v < -0.1; });
    return alternates ? Kind::wave : Kind::per_unit;
  }
  if (!is_volts(c.unit) && !(c.unit.empty() && name.voltage)) return Kind::none;
  return has_word(c.name, {"mag", "rms"}) || has_word(c.unit, {"rms"}) ? Kind::magnitude : Kind::wave;
}

/// Samples that are not missing, at rising times, with ∫v² up to each; between two of them v² runs straight.
struct Wave {
  std::vector<double> time_s, value, sum;

  Wave(const ComtradeRecord& r, const ComtradeSeries& c) {
    for (std::size_t i = 0; i < r.time_s.size(); ++i) {
      if (std::isnan(c.values[i]) || (!time_s.empty() && r.time_s[i] <= time_s.back())) continue;
      const double v2 = c.values[i] * c.values[i];
      sum.push_back(
          time_s.empty() ? 0.0 : sum.back() + 0.5 * (v2 + value.back() * value.back()) * (r.time_s[i] - time_s.back()));
      time_s.push_back(r.time_s[i]);
      value.push_back(c.values[i]);
    }
  }

  /// ∫v² up to `t`. @param at index from which to look for `t`, moved on; `t` may not fall from call to call
  double square_until(double t, std::size_t& at) const {
    while (at + 2 < time_s.size() && time_s[at + 1] <= t) ++at;
    const double dt = std::clamp(t, time_s.front(), time_s.back()) - time_s[at];
    const double first = value[at] * value[at], next = value[at + 1] * value[at + 1];
    return sum[at] + dt * (first + 0.5 * dt * (next - first) / (time_s[at + 1] - time_s[at]));
  }

  double at(double t) const {
    const auto right = std::lower_bound(time_s.begin(), time_s.end(), t);
    if (right == time_s.begin()) return value.front();
    if (right == time_s.end()) return value.back();
    const auto i = static_cast<std::size_t>(right - time_s.begin());
    return value[i - 1] + (value[i] - value[i - 1]) * (t - time_s[i - 1]) / (time_s[i] - time_s[i - 1]);
  }
};

/// One cycle of a wave: mean, rms without it, and the rms phasor at the line frequency.
struct Cycle {
  double mean = 0.0, ac = 0.0;
  std::complex<double> line;
  bool alternates() const { return ac > std::abs(mean) && std::abs(line) >= least_share * ac; }
  double rms() const { return std::hypot(mean, ac); }
};

/// @param n_cycle cycles in a row, as one
Cycle cycle_of(const Wave& w, double begin_s, double cycle_s, int n_cycle = 1) {
  Cycle out;
  double square = 0.0;
  const int n = cycle_points * n_cycle;
  for (int k = 0; k < n; ++k) {
    const double v = w.at(begin_s + k * cycle_s / cycle_points) / n;
    out.mean += v, square += v * v * n;
    out.line += std::numbers::sqrt2 * v * std::polar(1.0, -2.0 * std::numbers::pi * k / cycle_points);
  }
  out.ac = std::sqrt(std::max(0.0, square - out.mean * out.mean));
  return out;
}

bool alternates_at_some_time(const Wave& w, double cycle_s) {
  bool before = false;
  for (double t = 0.0; t + cycle_s <= w.time_s.back(); t += cycle_s) {
    const bool now = cycle_of(w, t, cycle_s).alternates();
    if (now && before) return true;
    before = now;
  }
  return false;
}

/// Frequency of a wave by its rises through zero within its first five line cycles, Hz; 0: fewer than two.
double frequency_Hz(const Wave& w, double cycle_s) {
  double first = -1.0, last = -1.0;
  int n = 0;
  for (std::size_t i = 1; i < w.time_s.size() && w.time_s[i] <= 5.0 * cycle_s; ++i) {
    if (w.value[i - 1] >= 0.0 || w.value[i] < 0.0) continue;
    last = w.time_s[i] - w.value[i] * (w.time_s[i] - w.time_s[i - 1]) / (w.value[i] - w.value[i - 1]);
    first = n++ == 0 ? last : first;
  }
  return n > 1 ? (n - 1) / (last - first) : 0.0;
}

/// Why a wave of two cycles or more is no voltage of the line frequency there; empty: it is one.
std::string why_no_voltage(const Wave& w, double cycle_s) {
  const Cycle a = cycle_of(w, 0.0, cycle_s), b = cycle_of(w, cycle_s, cycle_s);
  if (!(a.rms() > 0.0 && b.rms() > 0.0)) return "no voltage in its first two cycles";
  if (std::abs(a.mean + b.mean) > a.ac + b.ac) return "dc in its first two cycles";
  const double share = (std::abs(a.line) + std::abs(b.line)) / (a.ac + b.ac);
  const double turn = std::arg(b.line / a.line) / (2.0 * std::numbers::pi);
  if (share >= least_share && std::abs(turn) <= most_off_frac) {
    const double change = b.rms() / a.rms() - 1.0;
    return std::abs(change) <= most_change_frac
               ? ""
               : fmt::format("no pre-fault part: it changes by {:.3g} % from its first cycle to its second",
                             100.0 * change);
  }
  const double f = frequency_Hz(w, cycle_s), n_cycle = std::round(reference_cycles * cycle_s * f);
  if (n_cycle >= 1.0 && n_cycle <= 20.0 && cycle_of(w, 0.0, 1.0 / f, static_cast<int>(n_cycle)).alternates())
    return fmt::format("its first two cycles have about {:.3g} Hz, the header says {:g} Hz", f, 1.0 / cycle_s);
  return fmt::format("noise: {:.0f} % of its first two cycles' rms is at {:g} Hz", 100.0 * share, 1.0 / cycle_s);
}

/// Why the first two cycles are no reference; empty: they are one.
std::string why_no_reference(const Wave& w, double cycle_s) {
  if (w.time_s.size() < 2 || w.time_s.back() < reference_cycles * cycle_s)
    return fmt::format("the record is shorter than the {} cycles of a reference", reference_cycles);
  for (std::size_t i = 1; i < w.time_s.size(); ++i)
    if (w.time_s[i] - w.time_s[i - 1] > cycle_s)
      return fmt::format("no samples from {:.4g} to {:.4g} s", w.time_s[i - 1], w.time_s[i]);
  const auto n = std::upper_bound(w.time_s.begin(), w.time_s.end(), reference_cycles * cycle_s) - w.time_s.begin();
  if (n < static_cast<std::ptrdiff_t>(reference_cycles * fewest_samples))
    return fmt::format("fewer than {} samples per cycle", fewest_samples);
  return why_no_voltage(w, cycle_s);
}

/// Over its mean up to the end of the reference's cycles.
void over_reference(RecordVoltage& v, double cycle_s) {
  const auto n = std::min(v.v_pu.size(), static_cast<std::size_t>(reference_cycles * cycle_s * 1e3) + 1);
  v.reference =
      std::accumulate(v.v_pu.begin(), v.v_pu.begin() + static_cast<std::ptrdiff_t>(n), 0.0) / static_cast<double>(n);
  for (double& x : v.v_pu) x /= v.reference;
}

/// Rms over the last cycle, each ms; the first cycle has the value of its end.
void read_wave(const ComtradeRecord& r, const ComtradeSeries& c, RecordVoltage& v) {
  const double cycle_s = 1.0 / r.line_Hz;
  const Wave w(r, c);
  v.method = fmt::format("rms over the last cycle, over the mean of the channel's first {} cycles", reference_cycles);
  v.why_not = why_no_reference(w, cycle_s);
  v.live = w.time_s.size() > 1 && (v.why_not.empty() || v.why_not.starts_with("its first two cycles have") ||
                                   alternates_at_some_time(w, cycle_s));
  if (!v.why_not.empty()) return;
  std::size_t begin = 0, end = 0;
  for (std::size_t ms = 0; static_cast<double>(ms) * 1e-3 <= r.time_s.back(); ++ms) {
    const double t = std::max(static_cast<double>(ms) * 1e-3, cycle_s);
    v.v_pu.push_back(std::sqrt(std::max(0.0, w.square_until(t, end) - w.square_until(t - cycle_s, begin)) / cycle_s));
  }
  over_reference(v, cycle_s);
}

/// The last value that is not missing, each ms; the first known one before it.
void read_values(const ComtradeRecord& r, const ComtradeSeries& c, RecordVoltage& v) {
  const auto known = std::find_if(c.values.begin(), c.values.end(), [](double x) { return !std::isnan(x); });
  if (known == c.values.end()) {
    v.why_not = "no values";
    return;
  }
  double last = *known;
  std::size_t i = 0;
  const auto n_ms = static_cast<std::size_t>(std::floor(r.time_s.back() * 1e3 + 1e-6)) + 1;
  for (std::size_t ms = 0; ms < n_ms; ++ms) {
    const double t = 1e-3 * static_cast<double>(ms);
    while (i + 1 < r.time_s.size() && r.time_s[i + 1] <= t + 1e-9) ++i;
    v.v_pu.push_back(last = std::isnan(c.values[i]) ? last : c.values[i]);
  }
}

void read_magnitude(const ComtradeRecord& r, const ComtradeSeries& c, RecordVoltage& v) {
  const double cycle_s = 1.0 / r.line_Hz;
  v.method = fmt::format("values as written, over the mean of the channel's first {} cycles", reference_cycles);
  read_values(r, c, v);
  v.live = std::any_of(v.v_pu.begin(), v.v_pu.end(), [](double x) { return x > 0.0; });
  const auto n = static_cast<std::size_t>(reference_cycles * cycle_s * 1e3) + 1;
  if (v.why_not.empty() && v.v_pu.size() < n) v.why_not = "the record is shorter than the two cycles of a reference";
  if (v.why_not.empty()) {
    const auto [low, high] = std::minmax_element(v.v_pu.begin(), v.v_pu.begin() + static_cast<std::ptrdiff_t>(n));
    if (!(*low > 0.0))
      v.why_not = "no voltage in its first two cycles";
    else if (*high > (1.0 + most_change_frac) * *low)
      v.why_not = "no pre-fault part: it changes within its first two cycles";
  }
  if (v.why_not.empty())
    over_reference(v, cycle_s);
  else
    v.v_pu.clear();
}

RecordVoltage read_channel(const ComtradeRecord& r, const ComtradeSeries& c, Kind kind) {
  RecordVoltage v;
  v.name = c.name, v.unit = c.unit;
  if (kind != Kind::per_unit && !(r.line_Hz > 0.0))
    v.why_not = "the header gives no line frequency: write it into the .cfg", v.live = true;
  else if (kind == Kind::wave)
    read_wave(r, c, v);
  else if (kind == Kind::magnitude)
    read_magnitude(r, c, v);
  if (kind == Kind::per_unit) {
    v.method = "values as written", v.reference = 1.0, v.live = v.as_written = true;
    read_values(r, c, v);
  }
  return v;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// Position of the channel of that name or number. @throws InputError
std::size_t chosen(const ComtradeRecord& r, const std::string& only) {
  std::vector<std::string> names;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < r.channels.size(); ++i) {
    names.push_back(r.channels[i].name);
    if (same_word(names.back(), only)) found.push_back(i);
  }
  double number = 0.0;
  if (found.empty() && parse_number(only, number) && number >= 1.0 && number <= static_cast<double>(names.size()))
    found.push_back(static_cast<std::size_t>(number) - 1);
  if (found.size() == 1) return found.front();
  if (found.size() > 1)
    throw InputError(Finding{{},
                             "channel",
                             fmt::format("'{}' is the name of {} channels; give its number, {} or {}", only,
                                         found.size(), found[0] + 1, found[1] + 1)});
  throw InputError(
      Finding{{}, "channel", fmt::format("the record has no channel '{}'; it has {}", only, fmt::join(names, ", "))});
}

}  // namespace

RecordVoltages voltages_of(const ComtradeRecord& r, const std::string& only) {
  RecordVoltages out;
  std::vector<PhaseName> names;
  const std::size_t one = only.empty() ? 0 : chosen(r, only);
  for (std::size_t i = 0; i < r.channels.size(); ++i) {
    const auto& c = r.channels[i];
    if (!only.empty() && i != one) continue;
    PhaseName name = phase_name(c.name, c.phase);
    Kind kind = kind_of(c, name);
    if (!only.empty()) {
      name.neutral = false;
      if (kind == Kind::none && !c.unit.empty())
        throw InputError(
            Finding{{}, "channel", fmt::format("'{}' is in {}: no voltage (V, kV or pu)", c.name, c.unit)});
      if (kind == Kind::none) kind = Kind::wave;
    }
    if (kind == Kind::none) continue;
    RecordVoltage v = read_channel(r, c, kind);
    if (name.neutral) v.why_not = "a neutral or zero sequence, no phase", v.live = false, v.v_pu.clear();
    out.channels.push_back(std::move(v));
    names.push_back(std::move(name));
  }
  if (out.channels.empty()) {
    std::vector<std::string> all;
    all.reserve(r.channels.size());
    for (const auto& c : r.channels) all.push_back(fmt::format("{} [{}]", c.name, c.unit));
    throw InputError(
        fmt::format("the record holds no voltage (a channel in V, kV or pu); it has {}", fmt::join(all, ", ")));
  }
  out.buses = group_buses(out.channels, names);
  for (auto& bus : out.buses) finish_bus(bus, out.channels, names, r.line_Hz);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::io
