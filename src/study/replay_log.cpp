#include "replay_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/text.hpp"
#include "fit_poles.hpp"
#include "fit_words.hpp"
#include "replay_hall.hpp"
#include "replay_player.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/power/gpu.hpp"
#include "tidewatt/power/server.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using namespace log_replay;

/// A quantity between the readings, by straight lines; NaN cells are skipped.
double at_time(const std::vector<double>& time_s, const std::vector<double>& x, double at_s) {
  const auto next = static_cast<std::size_t>(std::lower_bound(time_s.begin(), time_s.end(), at_s) - time_s.begin());
  for (std::size_t i = std::min(next, x.size() - 1) + 1; i-- > 0;)
    if (std::isfinite(x[i])) return x[i];
  return std::numeric_limits<double>::quiet_NaN();
}

ReplayComparison compared(const std::string& of, const std::vector<double>& measured,
                          const std::vector<double>& predicted) {
  ReplayComparison c;
  c.of = of, c.n_sample = measured.size();
  const double n = static_cast<double>(measured.size());
  double square = 0.0, own = 0.0;
  for (std::size_t i = 0; i < measured.size(); ++i)
    c.measured_mean += measured[i] / n, c.predicted_mean += predicted[i] / n;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const double error = predicted[i] - measured[i];
    square += error * error;
    own += (measured[i] - c.measured_mean) * (measured[i] - c.measured_mean);
    if (std::abs(error) > std::abs(c.worst)) c.worst = error;
  }
  c.bias = c.predicted_mean - c.measured_mean, c.rms = std::sqrt(square / n), c.spread = std::sqrt(own / n);
  return c;
}

void compare_temperatures(const Slots& slots, const Played& played, double from_s, ReplayReport& report) {
  report.temperature.clear(), report.rows.clear();
  for (std::size_t g = 0; g < slots.gpu.size(); ++g) {
    const auto& r = slots.gpu[g].record;
    std::vector<double> measured, predicted;
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (r.time_s[i] < from_s + start_s) continue;
      measured.push_back(r.die_K[i] - zero_degC_K);
      predicted.push_back(played_at(played, played.die_K[g], r.time_s[i]) - zero_degC_K);
      const double W = std::isfinite(r.power_W[i]) ? r.power_W[i] : played_at(played, played.gpu_W[g], r.time_s[i]);
      report.rows.push_back({r.time_s[i], W, measured.back(), predicted.back(), g});
    }
    report.temperature.push_back(compared(slots.gpu[g].gpu, measured, predicted));
  }
}

/// Readings of one quantity against the replay of it; nothing where the log or the replay has none.
void compare_column(const std::string& of, const std::vector<double>& time_s, const std::vector<double>& column,
                    const Played& played, const std::vector<double>& replayed, double offset, double from_s,
                    std::vector<ReplayComparison>& to) {
  std::vector<double> measured, predicted;
  for (std::size_t i = 0; i < column.size(); ++i) {
    const double x = played_at(played, replayed, time_s[i]);
    if (!std::isfinite(column[i]) || !std::isfinite(x) || time_s[i] < from_s + start_s) continue;
    measured.push_back(column[i] - offset), predicted.push_back(x - offset);
  }
  if (!measured.empty()) to.push_back(compared(of, measured, predicted));
}

void compare_memory_and_power(const ReplayOptions& o, const Slots& slots, const SlotWatts& watts, const Played& played,
                              double from_s, ReplayReport& report) {
  bool memory_without_watts = false;
  const bool by_power = drive_by(o.drive) == DriveBy::power;
  for (std::size_t g = 0; g < slots.gpu.size(); ++g) {
    const auto& t = slots.gpu[g];
    compare_column(t.gpu, t.record.time_s, t.memory_K, played, played.memory_K[g], zero_degC_K, from_s, report.memory);
    if (!by_power)
      compare_column(t.gpu, t.record.time_s, t.record.power_W, played, played.gpu_W[g], 0.0, from_s, report.power);
    memory_without_watts |= !t.memory_K.empty() && !watts.drive(g).has_memory();
    if (const double share = watts.drive(g).assumed_frac(); share > 0.0)
      report.findings.push_back(fmt::format(
          "GPU {}: {:.0f} % of the readings {}", t.gpu, 100.0 * share,
          by_power ? ""
          : drive_by(o.drive) == DriveBy::activity
              ? "ask for the whole power limit at their clock and activity; the limit is taken"
              : "show the highest clock, where watts may be anything from waiting to the limit; the middle is taken"));
  }
  if (memory_without_watts)
    report.findings.emplace_back(
        "memory temperatures are not predicted: the log has neither memory_power_W nor dram_activity_frac");
}

/// Activity that makes the model draw a reading, all power beyond board and leakage counted as switching.
double activity_of(const power::GpuModel& gpu, double power_W, double die_K, double clock_Hz) {
  return gpu.activity_at(power_W, gpu.voltage(clock_Hz).V, clock_Hz, die_K);
}

/// The clock at which the model draws a reading with this activity; the highest where it draws less.
double clock_of(const power::GpuModel& gpu, double power_W, double die_K, double activity) {
  double low = gpu.clock_min_Hz(), high = gpu.clock_max_Hz();
  if (activity_of(gpu, power_W, die_K, high) >= activity) return high;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    (activity_of(gpu, power_W, die_K, middle) > activity ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

void compare_clocks(const Hardware& h, const Slots& slots, const Played& played, ReplayReport& report) {
  const power::GpuModel gpu(h.gpu);
  for (std::size_t g = 0; g < slots.gpu.size(); ++g) {
    const auto& t = slots.gpu[g];
    const auto& r = t.record;
    if (t.clock_Hz.size() != r.size()) continue;
    auto sorted = r.power_W;
    std::sort(sorted.begin(), sorted.end());
    const double load_W = 0.8 * sorted[sorted.size() * 9 / 10];
    std::vector<std::size_t> row;
    for (std::size_t i = 1; i + 1 < r.size(); ++i)  // inside a load: a mean over its edge belongs to no clock
      if (std::min({r.power_W[i - 1], r.power_W[i], r.power_W[i + 1]}) > load_W &&
          t.clock_Hz[i] >= gpu.clock_min_Hz() && t.clock_Hz[i] <= gpu.clock_max_Hz())
        row.push_back(i);
    if (row.size() < 40) {
      report.findings.push_back(fmt::format(
          "GPU {}: {} readings inside a load with a clock of the V/f table; clocks need 40", t.gpu, row.size()));
      continue;
    }
    const auto die_K = [&](std::size_t i) { return played_at(played, played.die_K[g], r.time_s[i]); };
    std::vector<double> activity, measured, predicted;
    for (std::size_t k = 0; k < row.size() / 2; ++k)
      activity.push_back(activity_of(gpu, r.power_W[row[k]], die_K(row[k]), t.clock_Hz[row[k]]));
    std::nth_element(activity.begin(), activity.begin() + static_cast<std::ptrdiff_t>(activity.size() / 2),
                     activity.end());
    for (std::size_t k = row.size() / 2; k < row.size(); ++k) {
      measured.push_back(t.clock_Hz[row[k]] * 1e-6);
      predicted.push_back(clock_of(gpu, r.power_W[row[k]], die_K(row[k]), activity[activity.size() / 2]) * 1e-6);
    }
    report.clock.push_back(compared(t.gpu, measured, predicted));
  }
}

void compare_node(const ReplayOptions& o, const Hardware& h, const Played& played, ReplayReport& report) {
  const TextTable table = read_table(o.node_log);
  if (table.header.size() < 2)
    throw InputError(fmt::format("{}: node power needs a time and a column of watts", table.file));
  std::vector<double> measured, predicted;
  for (const auto& row : table.rows) {
    const double at_s = table.time_s(row, 0), W = cell_number(row[1]);
    if (!std::isfinite(at_s) || !std::isfinite(W) || at_s < played.time_s.front() + start_s ||
        at_s > played.time_s.back())
      continue;
    const double gpu_W = played_at(played, played.gpu_sum_W, at_s);
    measured.push_back(W);
    predicted.push_back(
        power::server_power(h.server, gpu_W, played_at(played, played.fan_frac, at_s), is_busy(h, gpu_W)).ac_W);
  }
  if (measured.empty())
    throw InputError(fmt::format("{}: no reading lies within the log of the GPUs; are the clocks alike?", table.file));
  report.node = compared("node", measured, predicted);
}

void find_powers_beyond(const ReplayOptions& o, const Hardware& h, const Slots& slots, ReplayReport& report) {
  for (const auto& t : slots.gpu) {
    std::size_t beyond = 0;
    double worst_W = 0.0, of_W = 0.0;
    for (std::size_t i = 0; i < t.record.size(); ++i) {
      const double own_W =
          t.limit_W.size() == t.record.size() && std::isfinite(t.limit_W[i]) ? t.limit_W[i] : h.gpu.tdp_W;
      const double cap_W = dvfs::cap_in_force_W(o.cap_W, own_W);
      if (t.record.power_W[i] <= 1.02 * cap_W) continue;
      ++beyond;
      if (t.record.power_W[i] > worst_W) worst_W = t.record.power_W[i], of_W = cap_W;
    }
    if (beyond)
      report.findings.push_back(
          fmt::format("GPU {}: {} of {} readings lie more than 2 % beyond the cap, up to {:.0f} W of {:.0f} W", t.gpu,
                      beyond, t.record.size(), worst_W, of_W));
  }
}

/// The plant's air against the log's own reading of it.
void compare_inlet(const Slots& slots, double from_s, ReplayReport& report) {
  const auto& t = slots.gpu.front();
  std::vector<double> measured, predicted;
  auto row = report.hall->rows.begin();
  for (std::size_t i = 0; i < t.inlet_K.size(); ++i) {
    const double at_s = t.record.time_s[i];
    if (!std::isfinite(t.inlet_K[i]) || at_s < from_s + start_s) continue;
    while (row + 1 != report.hall->rows.end() && row->time_s < at_s) ++row;
    measured.push_back(t.inlet_K[i] - zero_degC_K),
        predicted.push_back(std::isfinite(row->liquid_degC) ? row->liquid_degC : row->supply_degC);
  }
  if (!measured.empty()) report.inlet = compared("inlet", measured, predicted);
}

void find_missing(const Hardware& h, const Slots& slots, bool by_power, ReplayReport& report) {
  const auto& t = slots.gpu.front();
  if (t.clock_Hz.empty()) report.findings.emplace_back("no clocks in the log (clock_MHz): none are compared");
  if (t.limit_W.empty()) report.findings.emplace_back("no power limit in the log (limit_W): the gpu's own is taken");
  if (t.energy_J.empty() && by_power)
    report.findings.emplace_back("no energy counter in the log (energy_J): power is what the readings' windows show");
  const double slow_s = package_poles(h.package, h.air.fan_min_frac).slow_s + h.air.fan_lag_s;
  if (report.span_s < 5.0 * slow_s)
    report.findings.push_back(
        fmt::format("the log lasts {:.0f} s; sinks and fans settle in {:.0f} s, so what was before the log still shows",
                    report.span_s, 5.0 * slow_s));
  for (const auto& g : slots.gpu) {
    double gap_s = 0.0;
    for (std::size_t i = 1; i < g.record.size(); ++i)
      gap_s = std::max(gap_s, g.record.time_s[i] - g.record.time_s[i - 1]);
    if (gap_s > 10.0)
      report.findings.push_back(fmt::format(
          "GPU {}: a gap of {:.0f} s; its power is taken as the mean of the readings around it", g.gpu, gap_s));
  }
}

}  // namespace

ReplayReport replay_log(const ReplayOptions& o) {
  check_range("power_window_s", o.power_window_s, 0.0, 30.0);
  if (o.inlet_degC) check_range("inlet_degC", *o.inlet_degC, -20.0, 60.0);
  const Hardware h = hardware_of(o);
  ReplayReport report;
  report.server = o.server, report.gpu = o.gpu, report.drive = o.drive, report.liquid = h.liquid.has_value();
  const auto n_slot = static_cast<std::size_t>(h.server.n_gpu);
  auto hosts = hosts_of(o, n_slot, report);
  if (o.hall.plant.empty()) hosts.resize(1);
  const Slots& slots = hosts.front();
  std::vector<SlotWatts> watts;
  double from_s = -1e300, to_s = 1e300;
  for (const auto& host : hosts) {
    watts.emplace_back(host, o, h);
    from_s = std::max(from_s, watts.back().begin_s()), to_s = std::min(to_s, watts.back().end_s());
  }
  if (!(to_s - from_s > 2.0 * start_s))
    throw InputError(
        fmt::format("the GPUs of the log share {:.3g} s; a replay needs {:g}", to_s - from_s, 2.0 * start_s));
  report.span_s = to_s - from_s;
  const bool by_power = drive_by(o.drive) == DriveBy::power;
  find_missing(h, slots, by_power, report);
  if (by_power)
    for (const auto& host : hosts) find_powers_beyond(o, h, host, report);

  const auto& inlets = slots.gpu.front().inlet_K;
  const bool column =
      !inlets.empty() && std::any_of(inlets.begin(), inlets.end(), [](double x) { return std::isfinite(x); });
  Played played;
  double inlet_K = o.inlet_degC.value_or(25.0) + zero_degC_K;
  const auto play_with = [&](const std::function<double(double)>& inlet) {
    played = play(h, slots, watts.front(), from_s, to_s, inlet);
    compare_temperatures(slots, played, from_s, report);
  };
  if (!o.hall.plant.empty()) {
    report.inlet_from = "the hall's plant";
    report.hall = play_hall(o, h, hosts, watts, from_s, to_s, played, report.findings);
    compare_temperatures(slots, played, from_s, report);
    inlet_K = report.hall->coolant_mean_degC + zero_degC_K;
    if (column) compare_inlet(slots, from_s, report);
  } else if (o.inlet_degC) {
    report.inlet_from = "given";
    play_with([&](double) { return inlet_K; });
  } else if (column) {
    report.inlet_from = "the log";
    double known_K = inlet_K;
    play_with([&](double at_s) {
      const double x = at_time(slots.gpu.front().record.time_s, inlets, at_s);
      return std::isfinite(x) ? known_K = x : known_K;
    });
    inlet_K = 0.0;
    std::size_t n = 0;
    for (const double x : inlets)
      if (std::isfinite(x)) inlet_K += x, ++n;
    inlet_K /= static_cast<double>(n);
  } else {
    report.inlet_from = "fitted to the mean of the dies";
    report.findings.emplace_back(
        "no air temperature (inlet_degC): the one that fits the mean of the dies is taken, so that only differences "
        "are predicted");
    for (int i = 0; i < 8; ++i) {  // fans answer to temperature: a few turns until the mean agrees
      play_with([&](double) { return inlet_K; });
      double bias = 0.0;
      for (const auto& c : report.temperature) bias += c.bias / static_cast<double>(report.temperature.size());
      if (std::abs(bias) < 0.01) break;
      inlet_K = std::clamp(inlet_K - bias, 253.15, 333.15);
    }
  }
  report.inlet_degC = inlet_K - zero_degC_K;
  for (const double f : played.fan_frac) report.fan_mean_frac += f / static_cast<double>(played.fan_frac.size());
  for (const double w : played.gpu_sum_W)
    report.gpu_mean_W += w / static_cast<double>(n_slot * played.gpu_sum_W.size());
  if (by_power) compare_clocks(h, slots, played, report);
  compare_memory_and_power(o, slots, watts.front(), played, from_s, report);
  if (!o.node_log.empty()) compare_node(o, h, played, report);
  return report;
}

}  // namespace TIDEWATT_NAMESPACE::study
