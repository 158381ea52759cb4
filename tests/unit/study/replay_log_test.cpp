#include "study/replay_log.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "h100.hpp"
#include "thermal/node_heat.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "tidewatt/catalog/catalog.hpp"
#include "tidewatt/power/server.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
template <class Params>
Params entry(const char* kind, const char* name, const char* table) {
  const Node node = catalog::Catalog().values(kind, name);
  std::vector<Finding> findings;
  Params p;
  TableReader r(table ? *node.find(table) : node, table ? table : kind, findings);
  p.fields(r);
  REQUIRE(findings.empty());
  return p;
}

struct Files {
  std::string gpus, node;
  ~Files() {
    std::filesystem::remove(gpus);
    std::filesystem::remove(node);
  }
};

/// Ten minutes of a dgx_h100 under bursts at 27 °C, stepped by the model itself at 0.1 s and read every second behind 1 s means.
/// @param scale of the packages' resistance: 1 for the catalog's own
Files measured(double scale, int n_gpu, bool clocks, double beyond_W = 0.0) {
  const auto folder = std::filesystem::temp_directory_path();
  Files f{(folder / ("tidewatt_replay_" + std::to_string(::getpid()) + ".csv")).string(),
          (folder / ("tidewatt_node_" + std::to_string(::getpid()) + ".csv")).string()};
  const auto package = entry<thermal::PackageParams>("gpu", "h100_sxm_700W", "package");
  const auto air = entry<thermal::ServerAirParams>("server", "dgx_h100", "air");
  const auto server = entry<power::ServerPowerParams>("server", "dgx_h100", "power");
  const auto type = h100_node_type();
  const auto& chip = type.gpu.params();
  const thermal::NodeHeat node(package, {3.0, 0.12, 0.3}, air, 8, 1190.0);
  auto state = node.cold(300.15);
  const std::vector<double> ratio(8, scale), none(8, 0.0), rest(8, 120.0);
  for (int i = 0; i < 3000; ++i) node.step(state, rest, none, ratio, 300.15, 1.0);
  std::ofstream gpus(f.gpus), nodes(f.node);
  gpus << "time_s,gpu,power_W,temperature_degC" << (clocks ? ",clock_MHz\n" : "\n");
  nodes << "time_s,node_W\n";
  for (int i = 0; i < 6000; ++i) {
    const bool busy = i > 300 && (i / 400) % 3 != 2;
    std::vector<double> W(8, 120.0);
    for (std::size_t g = 0; g < 8 && busy; ++g) W[g] = 600.0 + 10.0 * static_cast<double>(g);
    node.step(state, W, none, ratio, 300.15, 0.1);
    if (i % 10 != 9) continue;
    double sum = 0.0;
    for (const double w : W) sum += w;
    nodes << 0.1 * (i + 1) << ',' << power::server_power(server, sum, state.fan_frac, busy).ac_W << '\n';
    for (std::size_t g = 0; g < static_cast<std::size_t>(n_gpu); ++g) {
      const double T = state.store_K[g][thermal::die_store];
      gpus << 0.1 * (i + 1) << ',' << g << ',' << (i == 1609 ? W[g] + beyond_W : W[g]) << ',' << T - 273.15;
      if (clocks) {  // the clock at which an activity of 0.8 draws these watts
        double low = 4e8, high = 1.98e9;
        for (int k = 0; k < 50; ++k) {
          const double f_Hz = 0.5 * (low + high), V = type.gpu.voltage(f_Hz).V;
          const double P =
              chip.board_W +
              chip.leakage_W * type.gpu.leakage_voltage_factor(V) * type.gpu.leakage_temperature_factor(T) +
              0.8 * type.gpu.dynamic_W(V, f_Hz);
          (P < W[g] ? low : high) = f_Hz;
        }
        gpus << ',' << (busy ? low * 1e-6 : 345.0);
      }
      gpus << '\n';
    }
  }
  return f;
}

bool finds(const ReplayReport& r, const char* words) {
  return std::any_of(r.findings.begin(), r.findings.end(),
                     [&](const auto& f) { return f.find(words) != std::string::npos; });
}
}  // namespace

TEST_CASE("a log that the model itself made is predicted: dies, clocks and node watts", "[study][replay_log]") {
  const auto files = measured(1.0, 8, true);
  ReplayOptions o;
  o.file = files.gpus, o.server = "dgx_h100", o.node_log = files.node, o.inlet_degC = 27.0;
  const auto r = replay_log(o);
  REQUIRE(r.temperature.size() == 8);
  for (const auto& c : r.temperature) {
    INFO(c.of);
    CHECK(std::abs(c.bias) < 0.1);
    CHECK(c.rms < 0.35);
    CHECK(c.spread > 5.0);
  }
  CHECK(r.temperature[7].measured_mean >
        r.temperature[0].measured_mean + 3.0);  // the rear row breathes the front's heat
  REQUIRE(r.clock.size() == 8);
  for (const auto& c : r.clock) CHECK(c.rms < 4.0);
  REQUIRE(r.node);
  CHECK(std::abs(r.node->bias) < 0.005 * r.node->measured_mean);
  const auto json = nlohmann::json::parse(replay_json(r));
  CHECK(json["temperature"][0]["rms_K"].get<double>() == Approx(r.temperature[0].rms));
  CHECK(replay_csv(r).find("time_s,gpu,power_W,measured_degC,predicted_degC\n") == 0);
  CHECK(replay_text(r).find("node power") != std::string::npos);
}

TEST_CASE("a package that cools worse than the entry's shows as residuals of its size", "[study][replay_log]") {
  const auto files = measured(1.2, 8, false);
  ReplayOptions o;
  o.file = files.gpus, o.server = "dgx_h100", o.inlet_degC = 27.0;
  const auto r = replay_log(o);
  for (const auto& c : r.temperature) CHECK(c.bias < -1.0);
  CHECK(finds(r, "no clocks in the log"));
  CHECK(r.clock.empty());
}

TEST_CASE("missing columns, missing GPUs, powers beyond the cap and short logs are findings", "[study][replay_log]") {
  const auto files = measured(1.0, 3, false, 400.0);
  ReplayOptions o;
  o.file = files.gpus, o.server = "dgx_h100";
  const auto r = replay_log(o);
  CHECK(finds(r, "3 of 8 GPUs"));
  CHECK(finds(r, "beyond the cap, up to 1000 W of 700 W"));
  CHECK(finds(r, "no energy counter"));
  CHECK(finds(r, "no air temperature"));
  // Without an air temperature the mean agrees by choice, and the choice is near the truth.
  CHECK(r.inlet_degC == Approx(27.0).margin(1.0));
  o.cap_W = 1100.0;
  CHECK_FALSE(finds(replay_log(o), "beyond the cap"));
  o.server = "hgx_h100_liquid";
  CHECK_THROWS_AS(replay_log(o), InputError);
  o.server = "dgx_h100", o.host = "elsewhere";
  CHECK_THROWS_AS(replay_log(o), InputError);
}
