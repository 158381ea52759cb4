#include "study/replay_hall.hpp"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "study/replay_log.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::study;

namespace {
/// Twenty minutes of two hosts with eight GPUs: 400 W, then 650 W; the second host 40 W less. Dies are readings of no matter.
struct Log {
  std::string path =
      (std::filesystem::temp_directory_path() / ("tidewatt_hall_" + std::to_string(::getpid()) + ".csv")).string();
  explicit Log(bool inlet = false) {
    std::ofstream out(path);
    out << "time_s,gpu,power_W,temperature_degC" << (inlet ? ",inlet_degC\n" : "\n");
    for (int t = 0; t <= 1200; t += 2)
      for (int host = 0; host < 2; ++host)
        for (int gpu = 0; gpu < 8; ++gpu) {
          out << t << ",n" << host << ':' << gpu << ',' << (t < 600 ? 400 : 650) - 40 * host << ",50";
          if (inlet) out << ",24";
          out << '\n';
        }
  }
  ~Log() { std::filesystem::remove(path); }
};

ReplayOptions hall(const Log& log, std::int64_t n_server, const char* plant = "outside_air_evaporative") {
  ReplayOptions o;
  o.file = log.path, o.server = "dgx_h100";
  o.hall.plant = plant, o.hall.n_server = n_server;
  return o;
}

bool finds(const ReplayReport& r, const char* words) {
  return std::any_of(r.findings.begin(), r.findings.end(),
                     [&](const auto& f) { return f.find(words) != std::string::npos; });
}
}  // namespace

TEST_CASE("measured watts heat a hall: energy balances, and the rest is drawn like the log", "[study][replay_hall]") {
  const Log log;
  const auto r = replay_log(hall(log, 500));
  REQUIRE(r.hall);
  const auto& h = *r.hall;
  CHECK(h.n_measured == 2);
  CHECK(h.n_drawn == 64);
  CHECK(h.closure_frac < 1e-6);
  // 64 draws between two hosts that differ by 8 · 40 W: half of each, within four standard deviations of a coin.
  const auto two = replay_log(hall(log, 2));
  REQUIRE(two.hall);
  CHECK(two.hall->n_drawn == 0);
  CHECK(h.it_mean_W == Approx(250.0 * two.hall->it_mean_W).epsilon(0.02));
  CHECK(h.pue > 1.01);
  CHECK(h.pue < 1.5);
  // Dies differ in the drawn packages: the hottest of 512 is hotter than the hottest of 16 equal ones.
  CHECK(h.die_max_degC > two.hall->die_max_degC + 1.0);
  CHECK(finds(r, "2 of 500 servers"));
  CHECK(finds(r, "clocks are taken as alike"));
  CHECK_FALSE(finds(r, "more hosts"));
  // The step of 250 W shows: in the servers' watts, then in the air behind them.
  const auto& rows = h.rows;
  REQUIRE(rows.size() == 120);
  CHECK(rows[70].it_W > 1.3 * rows[50].it_W);
  CHECK(rows.back().hot_aisle_degC > rows[50].hot_aisle_degC);
  CHECK(replay_hall_csv(r).find("time_s,it_W,plant_W") == 0);
  CHECK(replay_text(r).find("hall of 500 servers, 2 measured, 64 drawn") != std::string::npos);
  CHECK(replay_json(r).find("\"n_drawn\":64") != std::string::npos);
}

TEST_CASE("the plant's air is what the dies feel", "[study][replay_hall][long]") {
  const Log log(true);
  auto o = hall(log, 40);
  o.hall.climate = "phoenix_az", o.hall.year = "extreme", o.hall.hour = 15.0;
  const auto hot = replay_log(o);
  o.hall.climate = "portland_or", o.hall.year = "typical", o.hall.day = 15.0;
  const auto cold = replay_log(o);
  const double air_K = hot.hall->supply_mean_degC - cold.hall->supply_mean_degC;
  const double die_K = hot.temperature[0].predicted_mean - cold.temperature[0].predicted_mean;
  CHECK(air_K > 3.0);
  CHECK(die_K > 0.3 * air_K);  // faster fans take a part of it
  CHECK(die_K < air_K);
  REQUIRE(hot.inlet);
  CHECK(hot.inlet->measured_mean == Approx(24.0));
  CHECK(hot.inlet->predicted_mean == Approx(hot.hall->supply_mean_degC).margin(0.3));
  // The same draws again, other ones with another seed.
  CHECK(replay_log(o).hall->die_max_degC == cold.hall->die_max_degC);
  o.hall.seed = 2;
  CHECK(replay_log(o).hall->die_max_degC != cold.hall->die_max_degC);
}

TEST_CASE("a hall without room for the log's servers, or with a plant for liquid, is refused", "[study][replay_hall]") {
  const Log log;
  CHECK_THROWS_AS(replay_log(hall(log, 1)), InputError);
  CHECK_THROWS_AS(replay_log(hall(log, 10, "cdu_dry_cooler")), InputError);
  CHECK_THROWS_AS(replay_log(hall(log, 10, "prescribed_llama3_day")), InputError);
  auto o = hall(log, 10);
  o.hall.day = 400.0;
  CHECK_THROWS_AS(replay_log(o), InputError);
}

TEST_CASE("servers on cold plates heat liquid and air, and their dies follow the liquid", "[study][replay_hall]") {
  const Log log;
  auto o = hall(log, 40, "cdu_dry_cooler");
  o.server = "hgx_h100_liquid", o.gpu = "h100_sxm_700W_liquid";
  const auto r = replay_log(o);
  REQUIRE(r.hall);
  CHECK(r.hall->closure_frac < 1e-6);
  const auto& last = r.hall->rows.back();
  CHECK(last.liquid_degC > last.supply_degC);
  CHECK(r.inlet_degC == Approx(r.hall->coolant_mean_degC));
  // A die at rest: the liquid and the package's resistances; nothing of the fans.
  o.hall.plant.clear(), o.inlet_degC = 30.0;
  const auto warm = replay_log(o);
  o.inlet_degC = 20.0;
  const auto cool = replay_log(o);
  CHECK(warm.temperature[0].predicted_mean - cool.temperature[0].predicted_mean == Approx(10.0).margin(1e-6));
  CHECK(warm.temperature[7].predicted_mean ==
        Approx(warm.temperature[0].predicted_mean));  // no row breathes the other's heat
  CHECK(replay_text(warm).find("liquid 30.0") != std::string::npos);
  // A sink in air under a cold plate, and air servers at a plant for liquid, are refused.
  o.gpu = "h100_sxm_700W";
  CHECK_THROWS_AS(replay_log(o), InputError);
  auto air = hall(log, 40);
  air.server = "hgx_h100_liquid", air.gpu = "h100_sxm_700W_liquid";
  CHECK_THROWS_AS(replay_log(air), InputError);
}
