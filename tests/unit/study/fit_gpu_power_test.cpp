#include "study/fit_gpu_power.hpp"

#include <cmath>

#include "base/random.hpp"
#include "catch.hpp"
#include "h100.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
GpuTelemetry warming(double from_K, double to_K) {
  GpuTelemetry t;
  for (int i = 0; i < 300; ++i) {
    const double T = from_K + (to_K - from_K) * i / 299.0;
    t.record.time_s.push_back(i);
    t.record.die_K.push_back(T);
    t.record.power_W.push_back(450.0 + 80.0 * std::exp(0.0115 * (T - 333.15)) +
                               random::normal(1, random::Purpose::jitter, static_cast<std::uint64_t>(i)));
    t.clock_Hz.push_back(i % 50 == 0 ? 1.2e9 : 1.5e9);
  }
  return t;
}
}  // namespace

TEST_CASE("leakage shows in how power creeps with temperature", "[study][fit_gpu_power]") {
  const auto type = h100_node_type();
  const PriorParameter watts{"leakage_W", 60, 140, true}, growth{"leakage_frac_per_K", 0.008, 0.015, true};
  // The record's 80 W are those at its clock; the entry's are those at the reference voltage.
  const double voltage_factor = type.gpu.leakage_voltage_factor(type.gpu.voltage(1.5e9).V);
  const auto fit = fit_leakage(leakage_record(warming(315, 345), type.gpu), watts, growth).fit;
  CHECK(fit.values[0].low < 80 / voltage_factor);
  CHECK(fit.values[0].high > 80 / voltage_factor);
  CHECK(fit.values[0].identified);
  // Over a tenth of a kelvin the creep drowns: both keep what was known before.
  const auto still = fit_leakage(leakage_record(warming(330, 330.1), type.gpu), watts, growth).fit;
  CHECK_FALSE(still.values[0].identified);
  CHECK(still.values[0].low == 60);
  CHECK_FALSE(still.values[1].identified);
  GpuTelemetry short_log = warming(315, 345);
  short_log.clock_Hz.clear();
  CHECK_THROWS_AS(leakage_record(short_log, type.gpu), InputError);
}

TEST_CASE("leakage is sought where the load is whole and no limit holds its power", "[study][fit_gpu_power]") {
  const auto type = h100_node_type();
  const PriorParameter watts{"leakage_W", 60, 140, true}, growth{"leakage_frac_per_K", 0.008, 0.015, true};
  // Between the samples lie others: of another load and at the limit, whose power does not follow the die.
  GpuTelemetry mixed = warming(315, 345);
  const GpuTelemetry clean = mixed;
  mixed.whole_load.assign(mixed.record.size(), true), mixed.limit_W.assign(mixed.record.size(), 700.0);
  for (int i = 0; i < 300; ++i) {
    mixed.record.time_s.push_back(300 + i), mixed.record.die_K.push_back(315 + 0.1 * i);
    mixed.record.power_W.push_back(i % 2 == 0 ? 450.0 + 0.4 * i : 698.0), mixed.clock_Hz.push_back(1.5e9);
    mixed.whole_load.push_back(i % 2 != 0), mixed.limit_W.push_back(700.0);
  }
  const auto at = [&](const GpuTelemetry& t) {
    return fit_leakage(leakage_record(t, type.gpu), watts, growth).fit.values[0].value;
  };
  CHECK(at(mixed) == at(clean));
  mixed.whole_load.clear(), mixed.limit_W.clear();
  CHECK_FALSE(at(mixed) == Approx(at(clean)).epsilon(0.05));
  mixed.limit_W.assign(mixed.record.size(), 400.0);  // a limit below all of it
  CHECK_THROWS_AS(leakage_record(mixed, type.gpu), InputError);
}

TEST_CASE("activity levels of a square wave at two clocks", "[study][fit_gpu_power]") {
  const auto type = h100_node_type();
  const auto& p = type.gpu.params();
  GpuTelemetry t;
  for (int i = 0; i < 400; ++i) {
    const bool on = i % 4 != 0;
    const double f = on ? (i % 3 ? 1.605e9 : 1.59e9) : 1.98e9, T = on ? 335.0 : 310.0, V = type.gpu.voltage(f).V;
    const double leak_W = p.leakage_W * type.gpu.leakage_voltage_factor(V) * type.gpu.leakage_temperature_factor(T);
    t.record.time_s.push_back(i);
    t.record.die_K.push_back(T);
    t.record.power_W.push_back(p.board_W + leak_W + (on ? 0.85 : 0.03) * type.gpu.dynamic_W(V, f));
    t.clock_Hz.push_back(f);
  }
  const auto a = activity_levels(t, type.gpu);
  CHECK(a.low == Approx(0.03).epsilon(1e-9));
  CHECK(a.high == Approx(0.85).epsilon(1e-9));
  CHECK(a.high_frac == Approx(0.75));
  CHECK(a.high_sigma < 1e-6);
  t.clock_Hz.clear();
  CHECK_THROWS_AS(activity_levels(t, type.gpu), InputError);
}

TEST_CASE("a node's overhead and ratio come back", "[study][fit_gpu_power]") {
  std::vector<double> gpu, node;
  for (int i = 0; i < 50; ++i) gpu.push_back(600.0 + 90.0 * i), node.push_back(1700.0 + 1.1 * gpu.back());
  const auto fit = fit_node_overhead(gpu, node);
  CHECK(fit["overhead_W"] == Approx(1700).epsilon(1e-6));
  CHECK(fit["ratio"] == Approx(1.1).epsilon(1e-6));
}
