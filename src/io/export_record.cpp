#include "export_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <span>

#include "tidewatt/base/error.hpp"
#include "tidewatt/base/sum.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

/// A cut in whole samples of the window.
struct Range {
  std::size_t first = 0, count = 0, per_step = 1;
};

/// `s` as a whole number of samples; a negative number if it is none.
std::int64_t whole(double s, double step_s) {
  const double n = s / step_s;
  return std::isfinite(n) && std::abs(n - std::round(n)) < 1e-6 * std::max(1.0, std::abs(n)) ? std::llround(n) : -1;
}

Range range_of(const Waveform& w, const ExportCut& cut) {
  std::vector<Finding> findings;
  const auto n = static_cast<std::int64_t>(w.pcc_W.size());
  const double end_s = w.first_s + static_cast<double>(n) * w.step_s;
  const std::string window =
      fmt::format("window '{}' holds {:g} to {:g} s in steps of {:g} s", w.window, w.first_s, end_s, w.step_s);
  const std::int64_t first = cut.begin_s ? whole(*cut.begin_s - w.first_s, w.step_s) : 0;
  if (first < 0 || first >= n)
    findings.push_back(
        {{}, "begin", fmt::format("{:g} s is not a sample of the window; {}", cut.begin_s.value_or(0.0), window)});
  const std::int64_t count = cut.length_s ? whole(*cut.length_s, w.step_s) : n - first;
  if (findings.empty() && (count < 1 || first + count > n))
    findings.push_back({{}, "length", fmt::format("{:g} s does not fit; {}", cut.length_s.value_or(0.0), window)});
  const std::int64_t per_step = cut.step_s > 0.0 ? whole(cut.step_s, w.step_s) : 1;
  if (per_step < 1 || cut.step_s < 0.0)
    findings.push_back(
        {{}, "step", fmt::format("{:g} s is not a whole number of samples of {:g} s", cut.step_s, w.step_s)});
  else if (findings.empty() && count % per_step != 0)
    findings.push_back({{},
                        "step",
                        fmt::format("{:g} s is no whole number of steps of {:g} s; use --length {:g} or less",
                                    static_cast<double>(count) * w.step_s, cut.step_s,
                                    static_cast<double>(count / per_step * per_step) * w.step_s)});
  if (cut.peaks && per_step < 2) findings.push_back({{}, "peaks", "needs a --step of at least two samples"});
  if (!findings.empty()) throw InputError(std::move(findings));
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(count), static_cast<std::size_t>(per_step)};
}

std::vector<double> thin(std::span<const double> x, std::size_t per_step, bool peaks) {
  if (per_step == 1) return {x.begin(), x.end()};
  std::vector<double> out;
  for (std::size_t i = 0; i < x.size(); i += per_step) {
    const auto step = x.subspan(i, per_step);
    if (peaks) {
      const auto [low, high] = std::minmax_element(step.begin(), step.end());
      out.push_back(low < high ? *low : *high);
      out.push_back(low < high ? *high : *low);
    } else {
      CompensatedSum sum;
      for (const double v : step) sum.add(v);
      out.push_back(sum.value() / static_cast<double>(per_step));
    }
  }
  return out;
}

ExportChannel channel(const char* name, const char* unit, double scale, const std::vector<double>& all, const Range& r,
                      bool peaks) {
  const std::span<const double> part = std::span(all).subspan(r.first, r.count);
  for (std::size_t i = 0; i < part.size(); ++i)
    if (!std::isfinite(part[i]))
      throw InputError(fmt::format(
          "export: {} has no finite value at sample {}; cut the record with --begin and --length", name, r.first + i));
  ExportChannel out{name, unit, thin(part, r.per_step, peaks)};
  for (double& v : out.values) v *= scale;
  return out;
}

std::string how(const ExportRecord& r, const ExportCut& cut, const Waveform& w) {
  if (cut.step_s <= w.step_s) return fmt::format("every sample: means over {:g} s, stamped with their begin", w.step_s);
  if (cut.peaks)
    return fmt::format(
        "smallest and largest sample of each {:g} s, in the order in which they occur, {:g} s apart; RMS and energy "
        "are not kept",
        cut.step_s, r.step_s);
  return fmt::format("means over {:g} s, stamped with their begin: energy is kept; peaks and RMS are not", cut.step_s);
}

}  // namespace

std::int64_t parse_start_us(const std::string& text) {
  namespace ch = std::chrono;
  int y = 0;
  unsigned m = 0, d = 0, H = 0, M = 0, S = 0;
  char between = 0;
  const int n = std::sscanf(text.c_str(), "%4d-%2u-%2u%c%2u:%2u:%2u", &y, &m, &d, &between, &H, &M, &S);
  const ch::year_month_day day{ch::year(y), ch::month(m), ch::day(d)};
  if (n != 7 || (between != 'T' && between != ' ') || !day.ok() || H > 23 || M > 59 || S > 59)
    throw InputError("result file: start_time '" + text + "' is no time such as 2024-07-20T14:00:00");
  return ch::duration_cast<ch::microseconds>(ch::sys_days(day).time_since_epoch() + ch::hours(H) + ch::minutes(M) +
                                             ch::seconds(S))
      .count();
}

std::string comtrade_stamp(std::int64_t unix_us) {
  namespace ch = std::chrono;
  const ch::sys_time<ch::microseconds> at{ch::microseconds(unix_us)};
  const auto midnight = ch::floor<ch::days>(at);
  const ch::year_month_day day{midnight};
  const ch::hh_mm_ss<ch::microseconds> time{at - midnight};
  return fmt::format("{:02}/{:02}/{:04},{:02}:{:02}:{:02}.{:06}", static_cast<unsigned>(day.day()),
                     static_cast<unsigned>(day.month()), static_cast<int>(day.year()), time.hours().count(),
                     time.minutes().count(), time.seconds().count(), time.subseconds().count());
}

ExportRecord make_export_record(const Waveform& w, const ResultOrigin& o, const ExportCut& cut) {
  const Range r = range_of(w, cut);
  ExportRecord out;
  out.stem = o.name + "_" + w.window;
  out.first_s = w.first_s + static_cast<double>(r.first) * w.step_s;
  out.step_s = w.step_s * static_cast<double>(r.per_step) * (cut.peaks ? 0.5 : 1.0);
  out.start_unix_us = parse_start_us(o.start_time) + std::llround(out.first_s * 1e6);
  out.channels = {channel("pcc_P", "MW", 1e-6, w.pcc_W, r, cut.peaks),
                  channel("pcc_Q", "Mvar", 1e-6, w.pcc_var, r, cut.peaks),
                  channel("bus_V", "pu", 1.0, w.bus_pu, r, cut.peaks),
                  channel("frequency", "Hz", 1.0, w.frequency_Hz, r, cut.peaks)};
  out.line_Hz = out.channels[3].values.front() > 55.0 ? 60.0 : 50.0;
  const double end_s = out.first_s + static_cast<double>(r.count) * w.step_s;
  const auto event = std::find_if(o.events.begin(), o.events.end(),
                                  [&](const auto& e) { return e.first >= out.first_s && e.first < end_s; });
  if (event != o.events.end()) out.trigger_s = event->first - out.first_s;
  out.station = o.name.substr(0, 64);
  std::replace_if(
      out.station.begin(), out.station.end(), [](char c) { return c == ',' || c == '\r' || c == '\n'; }, '_');
  out.provenance = {
      fmt::format("tidewatt {}, result {}, payload sha256 {}", o.version, o.name, o.payload_sha256),
      fmt::format("scenario sha256 {}", o.scenario_sha256),
      fmt::format("window {}: {:g} to {:g} s after {} (local standard time)", w.window, out.first_s, end_s,
                  o.start_time),
      fmt::format("trigger: {}", event != o.events.end() ? fmt::format("{} at {:g} s", event->second, event->first)
                                                         : std::string("none; the first sample")),
      how(out, cut, w)};
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::io
