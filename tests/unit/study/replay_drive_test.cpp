#include "study/replay_drive.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "h100.hpp"
#include "study/replay_log.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/thermal/hbm_package.hpp"

using namespace tidewatt;
using namespace tidewatt::study;
using log_replay::DriveBy;
using log_replay::GpuDrive;

namespace {
const power::GpuModel& chip() {
  static const power::GpuModel model(h100_node_type().gpu.params());
  return model;
}

double model_W(double clock_Hz, double matrix, double dram, double die_K) {
  const auto& p = chip().params();
  const double V = chip().voltage(clock_Hz).V, memory = std::min(dram, 1.0 - matrix);
  const double activity = matrix + memory * p.memory_activity + (1.0 - matrix - memory) * p.wait_activity;
  return p.board_W + p.leakage_W * chip().leakage_voltage_factor(V) * chip().leakage_temperature_factor(die_K) +
         activity * chip().dynamic_W(V, clock_Hz) + dram * p.hbm_W;
}

GpuTelemetry readings(double clock_Hz, double matrix, double dram) {
  GpuTelemetry t;
  t.gpu = "0";
  for (int i = 0; i < 60; ++i) {
    t.record.time_s.push_back(i), t.record.power_W.push_back(std::nan("")), t.record.die_K.push_back(330.0);
    t.clock_Hz.push_back(clock_Hz), t.activity.push_back(matrix), t.dram_activity.push_back(dram);
  }
  return t;
}

GpuDrive drive(const GpuTelemetry& t, DriveBy by) {
  dvfs::GovernorParams governor{};
  governor.cap_margin_W = 8.0;
  return {t, by, 1.0, chip().params(), governor, 700.0};
}

struct File {
  std::string path =
      (std::filesystem::temp_directory_path() / ("tidewatt_drive_" + std::to_string(::getpid()) + ".csv")).string();
  /// Twenty minutes of eight GPUs at rest, then at work at 1,410 MHz; dies and memory are as a package at rest under those watts.
  explicit File(bool memory_watts) {
    std::ofstream out(path);
    out << "time_s,gpu,activity_frac,dram_activity_frac,clock_MHz,temperature_degC,memory_temperature_degC,power_W"
        << (memory_watts ? ",memory_power_W\n" : "\n");
    for (int t = 0; t <= 1200; t += 2)
      for (int gpu = 0; gpu < 8; ++gpu) {
        const double a = t < 600 ? 0.1 : 0.6, b = t < 600 ? 0.0 : 0.3;
        out << t << ',' << gpu << ',' << a << ',' << b << ",1410,55,80," << model_W(1.41e9, a, b, 328.15);
        if (memory_watts) out << ',' << 50.0 + 40.0 * b;
        out << '\n';
      }
  }
  ~File() { std::filesystem::remove(path); }
};
}  // namespace

TEST_CASE("activity and clock give the model's watts: switching, memory, waiting and leakage",
          "[study][replay_drive]") {
  const auto d = drive(readings(1.41e9, 0.6, 0.3), DriveBy::activity);
  CHECK(d.mean_W(10, 10.5, 330.0) == Approx(model_W(1.41e9, 0.6, 0.3, 330.0)).epsilon(1e-12));
  CHECK(d.mean_W(10, 10.5, 350.0) > d.mean_W(10, 10.5, 330.0) + 5.0);  // leakage follows the replayed die
  CHECK(d.memory_W(10, 10.5) == Approx(0.3 * chip().params().hbm_W));
  CHECK(d.assumed_frac() == 0.0);
  const auto without = drive(readings(1.41e9, 0.6, 0.0), DriveBy::activity);
  const auto& p = chip().params();
  const double V = chip().voltage(1.41e9).V;
  CHECK(d.mean_W(10, 10.5, 330.0) - without.mean_W(10, 10.5, 330.0) ==
        Approx(0.3 * p.hbm_W + 0.3 * (p.memory_activity - p.wait_activity) * chip().dynamic_W(V, 1.41e9)));
}

TEST_CASE("watts from activity stay at the limit less its margin, and say so", "[study][replay_drive]") {
  auto t = readings(1.98e9, 1.0, 0.5);
  const auto d = drive(t, DriveBy::activity);
  CHECK(d.mean_W(10, 10.5, 330.0) == Approx(692.0));
  CHECK(d.assumed_frac() == 1.0);
  t.limit_W.assign(60, 500.0);  // the log's own limit wins
  CHECK(drive(t, DriveBy::activity).mean_W(10, 10.5, 330.0) == Approx(492.0));
  t.clock_Hz.clear();
  CHECK(drive(t, DriveBy::activity).mean_W(10, 10.5, 330.0) == Approx(492.0));
}

TEST_CASE("a clock below the highest tells the limit, at rest the rest, at the highest an assumption",
          "[study][replay_drive]") {
  CHECK(drive(readings(1.59e9, 0.0, 0.0), DriveBy::clock).mean_W(10, 10.5, 330.0) == Approx(692.0));
  const auto rest = drive(readings(chip().idle_clock_Hz(), 0.0, 0.0), DriveBy::clock);
  CHECK(rest.mean_W(10, 10.5, 300.0) < 110.0);
  CHECK(rest.assumed_frac() == 0.0);
  const auto top = drive(readings(1.98e9, 0.0, 0.0), DriveBy::clock);
  CHECK(top.mean_W(10, 10.5, 330.0) == Approx(0.5 * (692.0 + model_W(1.98e9, 0.0, 0.0, 330.0))));
  CHECK(top.assumed_frac() == 1.0);
  auto t = readings(1.59e9, 0.0, 0.0);
  t.clock_Hz.assign(60, std::nan(""));
  CHECK_THROWS_AS(drive(t, DriveBy::clock), InputError);
  t.activity.clear();
  CHECK_THROWS_AS(drive(t, DriveBy::activity), InputError);
  CHECK_THROWS_AS(log_replay::drive_by("watts"), InputError);
}

TEST_CASE("a log without watts heats a server by its activity, and its memory by what that draws",
          "[study][replay_drive]") {
  const File file(false);
  ReplayOptions o;
  o.file = file.path, o.server = "dgx_h100", o.drive = "activity", o.inlet_degC = 25.0;
  const auto r = replay_log(o);
  REQUIRE(r.power.size() == 8);
  // The file's watts belong to dies of 55 degC; hotter ones in the rear row leak more, and by leakage's curve the mean watts are not
  // those of the mean die.
  for (const std::size_t g : {std::size_t{0}, std::size_t{7}}) {
    double more_W = 0.0;
    std::size_t n = 0;
    for (const auto& row : r.rows)
      if (row.gpu == g)
        more_W += model_W(1.41e9, 0.6, 0.3, row.predicted_degC + 273.15) - model_W(1.41e9, 0.6, 0.3, 328.15), ++n;
    REQUIRE(n > 500);
    CHECK(r.power[g].bias == Approx(more_W / static_cast<double>(n)).margin(0.5));
  }
  CHECK(r.power[7].predicted_mean > r.power[0].predicted_mean + 3.0);
  REQUIRE(r.memory.size() == 8);
  // At the end: die + lead of the memory's own watts.
  const auto lead = thermal::memory_lead(h100_node_type().package, {3.0, 0.12, 0.3});
  const double own_W = 0.3 * chip().params().hbm_W;
  double die = 0.0, W = 0.0;
  for (const auto& row : r.rows)
    if (row.gpu == 0 && row.time_s > 1190.0) die = row.predicted_degC, W = row.power_W;
  const double memory = die + lead.die_K_per_W * (W - own_W) + lead.memory_K_per_W * own_W;
  CHECK(r.memory[0].predicted_mean < memory);
  CHECK(r.memory[0].predicted_mean + r.memory[0].worst < 200.0);
  // Other watts of the memory move it by the lead's difference; without any it is not predicted.
  const File logged(true);
  const auto with = replay_log(o);
  const double more_W = 0.5 * (50.0 + 62.0) - 0.5 * own_W;
  CHECK(with.memory[0].predicted_mean - r.memory[0].predicted_mean ==
        Approx((lead.memory_K_per_W - lead.die_K_per_W) * more_W).epsilon(0.02));
  CHECK(replay_text(r).find("memory temperature") != std::string::npos);
}
