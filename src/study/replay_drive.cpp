#include "replay_drive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dvfs/phase_law.hpp"
#include "fit_poles.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study::log_replay {
namespace {

constexpr double usual_die_K = 333.15;  // if only the share of readings at the limit is needed

/// Blank cells take the last value before them; those before the first take the first.
std::vector<double> filled(std::vector<double> x) {
  const auto first = std::find_if(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
  if (first == x.end()) return {};
  std::fill(x.begin(), first, *first);
  for (std::size_t i = 1; i < x.size(); ++i)
    if (!std::isfinite(x[i])) x[i] = x[i - 1];
  return x;
}

}  // namespace

DriveBy drive_by(const std::string& word) {
  if (word == "power") return DriveBy::power;
  if (word == "activity") return DriveBy::activity;
  if (word == "clock") return DriveBy::clock;
  throw InputError(Finding{{}, "drive", fmt::format("'{}' is none of power, activity, clock", word)});
}

power::WaveMeter wave_of(const GpuTelemetry& t, double window_s) {
  const auto drive = thermal_drive(t, window_s);
  double length_s = 0.0;
  for (const auto& p : drive.pieces) length_s += p.step_s;
  power::StepWave wave;
  wave.edge_s.push_back(t.record.time_s.back() - length_s);
  for (const auto& p : drive.pieces) {
    if (!(p.step_s > 1e-9)) continue;
    wave.edge_s.push_back(wave.edge_s.back() + p.step_s);
    wave.level_W.push_back(p.power_W);
  }
  return power::WaveMeter(std::move(wave));
}

GpuDrive::GpuDrive(const GpuTelemetry& t, DriveBy by, double window_s, const power::GpuPowerParams& gpu,
                   const dvfs::GovernorParams& governor, double cap_W)
    : by_(by), gpu_(gpu), time_s_(t.record.time_s), memory_W_(filled(t.memory_W)) {
  if (by == DriveBy::power) wave_.push_back(wave_of(t, window_s));
  read(t, governor, cap_W);
}

void GpuDrive::read(const GpuTelemetry& t, const dvfs::GovernorParams& governor, double cap_W) {
  const auto activity = filled(t.activity), dram = filled(t.dram_activity), limit = filled(t.limit_W),
             clock = filled(t.clock_Hz);
  const auto need = [&](const std::vector<double>& column, const char* what) {
    if (column.empty())
      throw InputError(
          Finding{{}, "drive", fmt::format("GPU {}: the log has no {}, which drives this replay", t.gpu, what)});
  };
  if (by_ == DriveBy::activity) need(activity, "activity_frac");
  if (by_ == DriveBy::clock) need(clock, "clock_MHz");
  for (std::size_t i = 0; i < time_s_.size(); ++i) {
    const auto cell = [&](const std::vector<double>& x, double none) { return x.empty() ? none : x[i]; };
    reading_.push_back({std::clamp(cell(activity, 0.0), 0.0, 1.0), std::clamp(cell(dram, 0.0), 0.0, 1.0),
                        cell(clock, 0.0), dvfs::limit_W(cell(limit, cap_W), governor)});
  }
  if (memory_W_.empty() && !dram.empty())
    for (const auto& r : reading_) memory_W_.push_back(gpu_.params().hbm_W * r.dram);
}

std::size_t GpuDrive::at(double time_s) const {
  const auto next = std::lower_bound(time_s_.begin(), time_s_.end(), time_s) - time_s_.begin();
  return std::min(static_cast<std::size_t>(next), time_s_.size() - 1);
}

double GpuDrive::at_clock_W(double clock_Hz, double activity, double dram, double die_K) const {
  const double f_Hz = std::clamp(clock_Hz, gpu_.clock_min_Hz(), gpu_.clock_max_Hz());
  return gpu_.state_W(gpu_.voltage(f_Hz).V, f_Hz, die_K, activity, dram);
}

double GpuDrive::limited_W(const Reading& r, double die_K) const {
  const dvfs::ActivityLaw of(gpu_.params());
  const double memory = std::min(r.dram, 1.0 - r.activity);
  const double activity = r.activity + of.memory_s(memory) + of.wait_s(1.0 - r.activity - memory);
  const double clock_Hz = r.clock_Hz > 0.0 ? r.clock_Hz : gpu_.clock_max_Hz();
  return std::min(r.limit_W, at_clock_W(clock_Hz, activity, r.dram, die_K));
}

double GpuDrive::of_clock_W(const Reading& r, double die_K) const {
  const double waiting_W = at_clock_W(r.clock_Hz, dvfs::ActivityLaw(gpu_.params()).wait_s(1.0), 0.0, die_K);
  if (r.clock_Hz <= gpu_.idle_clock_Hz() + power::GpuModel::bin_Hz) return at_clock_W(r.clock_Hz, 0.0, 0.0, die_K);
  if (r.clock_Hz < gpu_.clock_max_Hz() - power::GpuModel::bin_Hz) return r.limit_W;
  return 0.5 * (std::min(waiting_W, r.limit_W) + r.limit_W);
}

double GpuDrive::mean_W(double from_s, double to_s, double die_K) const {
  if (by_ == DriveBy::power) return std::max(0.0, wave_.front().mean_W(from_s, to_s));
  const auto& r = reading_[at(0.5 * (from_s + to_s))];
  return by_ == DriveBy::activity ? limited_W(r, die_K) : of_clock_W(r, die_K);
}

double GpuDrive::memory_W(double from_s, double to_s) const {
  return has_memory() ? memory_W_[at(0.5 * (from_s + to_s))] : std::numeric_limits<double>::quiet_NaN();
}

double GpuDrive::assumed_frac() const {
  const auto assumed = std::count_if(reading_.begin(), reading_.end(), [&](const Reading& r) {
    if (by_ == DriveBy::activity) return limited_W(r, usual_die_K) >= r.limit_W;
    return by_ == DriveBy::clock && r.clock_Hz >= gpu_.clock_max_Hz() - power::GpuModel::bin_Hz;
  });
  return static_cast<double>(assumed) / static_cast<double>(reading_.size());
}

}  // namespace TIDEWATT_NAMESPACE::study::log_replay
