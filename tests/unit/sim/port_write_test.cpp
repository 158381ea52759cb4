// What a controller outside can set beside caps and locks: each write acts as physics says, is taken back by a release, and is told
// in the result.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "tidewatt/io/payload_hash.hpp"
#include "tidewatt/sim/port.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

double number(Engine& e, std::string_view port) { return std::get<double>(e.read(port)); }

/// Mean of a port of watts over the next `s` seconds.
double mean_W(Engine& e, const char* port, double s) {
  e.advance_to(e.time_s() + s);
  return number(e, port);
}

const std::vector<std::string> hour = {"run.duration_h=1"};
const std::vector<std::string> liquid = {"hall.a.gpu=h100_sxm_700W_liquid", "hall.a.server=hgx_h100_liquid",
                                         "hall.a.plant=cdu_dry_cooler"};
const std::vector<std::string> given = {"hall.a.plant=prescribed_llama3_day", "hall.a.plant.min_degC=22",
                                        "hall.a.plant.max_degC=22"};

std::vector<std::string> with(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct Answer {
  double supply_K, die_max_K, pcc_W;
};

/// A set point that moves by `by_K` at 1,500 s, and what stands 20 minutes later.
Answer after_set_point(const std::vector<std::string>& set, double by_K) {
  Engine e(tiny("", with(hour, set)));
  e.advance_to(1500.0);
  e.write("hall.a.supply_K", number(e, "hall.a.supply_K") + by_K);
  e.advance_to(2400.0);
  e.advance_to(2700.0);
  return {number(e, "hall.a.supply_K"), number(e, "hall.a.die_max_K"), number(e, "pcc_W")};
}

}  // namespace

TEST_CASE("a plant's supply follows its set point, and dies follow the supply", "[ports]") {
  for (const auto& plant : {given, liquid}) {
    const auto before = after_set_point(plant, 0.0), warmer = after_set_point(plant, 4.0);
    CHECK(warmer.supply_K - before.supply_K == Approx(4.0).margin(0.3));
    CHECK(warmer.die_max_K - before.die_max_K > 2.0);
  }
}

TEST_CASE("a moved set point gives the same answer with default and with 10 s steps", "[ports]") {
  const std::vector<std::string> fine = {"run.macro_step_s=10", "run.macro_step_max_s=10"};
  // Less recirculation, so that no node stands at the edge of its fans' PID term: how far that integrates turns on a tenth of a kelvin.
  const std::vector<std::string> outside_air = {"hall.a.recirculation_frac=0.02"};
  for (const auto& plant : {given, outside_air, liquid}) {
    const auto usual = after_set_point(plant, -3.0), exact = after_set_point(with(plant, fine), -3.0);
    CHECK(std::abs(usual.die_max_K - exact.die_max_K) < 0.05);
    CHECK(std::abs(usual.pcc_W / exact.pcc_W - 1.0) < 5e-4);
  }
}

TEST_CASE("asking for figures moves no clock: an iteration that passes in pieces leaves what a whole one would",
          "[ports]") {
  Engine e(tiny("", with(hour, given)));
  e.advance_to(2000.0);
  double low_K = 1e9, high_K = 0.0, low_Hz = 1e12, high_Hz = 0.0;
  for (int i = 1; i <= 60; ++i) {  // 5 s are 6.6 iterations: pieces of all lengths
    e.advance_to(2000.0 + 5.0 * i);
    const double die_K = number(e, "hall.a.die_max_K"), clock_Hz = number(e, "hall.a.clock_mean_Hz");
    low_K = std::min(low_K, die_K), high_K = std::max(high_K, die_K);
    low_Hz = std::min(low_Hz, clock_Hz), high_Hz = std::max(high_Hz, clock_Hz);
  }
  // Predicted from the power of a piece, clocks would be up to 2 % too high and dies 0.5 K too warm in the iteration after it.
  CHECK(high_K - low_K < 0.03);
  CHECK(high_Hz / low_Hz - 1.0 < 1e-4);
}

TEST_CASE("a cap that falls within an iteration slows what follows as it slows the iterations after half a minute",
          "[ports]") {
  Engine e(tiny("", with(hour, given)));
  for (const double cap_W : {250.0, 700.0, 300.0, 600.0, 250.0}) {
    e.advance_to(e.time_s() + 300.21);
    e.write("hall.a.cap_W", cap_W);
    double longest_s = 0.0;
    for (int i = 0; i < 20; ++i) {
      e.advance_to(e.time_s() + 0.3);
      longest_s = std::max(longest_s, number(e, "job.main.iteration_s"));
    }
    e.advance_to(e.time_s() + 30.0);
    CAPTURE(cap_W, e.time_s());
    // Dies are warmer at first, and leak more. Were means over an iteration of two paces over the length of one, dies would seem far
    // from what they are, and at their thermal limit.
    CHECK(longest_s < 1.3 * number(e, "job.main.iteration_s"));
  }
}

TEST_CASE("means over milliseconds after a write or a step lie between the run's least and largest power", "[ports]") {
  Engine e(tiny("", with(hour, {"run.macro_step_s=60", "hall.a.plant=prescribed_llama3_day"})));
  // Sums that a step had with more looks on its way would be apart by what the whole step draws more or less.
  double least_W = 1e12, most_W = 0.0;
  const auto see = [&](double at_s) {
    e.advance_to(at_s);
    least_W = std::min(least_W, number(e, "pcc_W")), most_W = std::max(most_W, number(e, "pcc_W"));
  };
  for (int i = 1; i <= 12; ++i) {
    for (const double ahead_s : {100.003, 110.1, 141.258}) e.advance_to(220.0 * i + ahead_s);
    e.write("hall.a.cap_W", i % 2 == 0 ? 700.0 : 660.0);
    see(220.0 * i + 141.268);
  }
  for (int i = 47; i < 60; ++i) {  // across the ends of steps that were looked into
    for (const double ahead_s : {-20.0, -0.005}) e.advance_to(60.0 * i + ahead_s);
    see(60.0 * i + 0.005);
  }
  const auto result = e.finish();
  CHECK(least_W > 1e6 * figure(result, "pcc_min_MW"));
  CHECK(most_W < 1e6 * figure(result, "pcc_max_MW"));
}

TEST_CASE("a checkpoint that a write divides leaves work to go on as after a whole one", "[ports]") {
  LoadOptions o;
  o.set = {"hall.a.n_gpu=1024", "job.main.plan.n_gpu=1024", "job.main.plan.global_batch_sequences=128",
           "run.duration_h=0.08"};
  Engine e(load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_smoothed.toml", o));
  double longest_s = 0.0, die_max_K = 0.0;
  bool divided = false;
  for (double t_s = 150.0; t_s < 260.0; t_s += 0.5) {
    e.advance_to(t_s);
    const bool saves = std::get<std::string>(e.read("job.main.state")) == "checkpoint";
    if (saves && !divided) e.write("outdoor_drybulb_K", 303.15);
    divided = divided || saves;
    if (divided && !saves) longest_s = std::max(longest_s, number(e, "job.main.iteration_s"));
    die_max_K = std::max(die_max_K, number(e, "hall.a.die_max_now_K"));
  }
  REQUIRE(divided);
  // A thermal limit from the watts of the checkpoint for dies of the work would slow hot GPUs by a third, and the others burn meanwhile.
  CHECK(longest_s < 1.05 * number(e, "job.main.iteration_s"));
  CHECK(die_max_K < 273.15 + 84.0);
}

TEST_CASE("given outdoor air replaces the weather until it is released", "[ports]") {
  Engine e(tiny("", hour)), never(tiny("", hour));
  e.advance_to(900.0);
  never.advance_to(900.0);
  const double own_K = number(e, "outdoor_drybulb_K");
  e.write("outdoor_drybulb_K", own_K - 15.0);
  CHECK(number(e, "outdoor_drybulb_K") == own_K - 15.0);
  CHECK(number(e, "outdoor_wetbulb_K") < number(never, "outdoor_wetbulb_K"));  // as much water in colder air
  e.advance_to(1800.0);
  never.advance_to(1800.0);
  const double colder_K = number(never, "hall.a.supply_K") - number(e, "hall.a.supply_K");
  CHECK(colder_K > 1.0);
  CHECK(number(e, "hall.a.die_max_K") < number(never, "hall.a.die_max_K") - 1.0);
  e.release("outdoor_drybulb_K");
  e.advance_to(3600.0);
  never.advance_to(3600.0);
  CHECK(number(e, "outdoor_drybulb_K") == number(never, "outdoor_drybulb_K"));
  CHECK(number(e, "hall.a.supply_K") ==
        Approx(number(never, "hall.a.supply_K")).margin(0.03 * colder_K));  // the hall's metal remembers
  CHECK(figure(e.finish(), "energy_closure") < 1e-11);
}

TEST_CASE("air below its dew point is saturated, and air cannot hold less than no water", "[ports]") {
  Engine e(tiny("", hour));
  e.advance_to(10.0);
  e.write("outdoor_drybulb_K", 263.15);
  CHECK(number(e, "outdoor_wetbulb_K") == Approx(263.15).margin(0.05));
  e.write("outdoor_wetbulb_K", 300.0);
  CHECK(number(e, "outdoor_wetbulb_K") == 263.15);
  e.write("outdoor_drybulb_K", 308.15);
  e.write("outdoor_wetbulb_K", 263.15);  // colder than any water gets in that air
  // Air without water: 1.006 kJ/kg K x (35 - 12.6) K evaporate 9.1 g/kg of 2,471 kJ/kg.
  CHECK(number(e, "outdoor_wetbulb_K") == Approx(273.15 + 12.6).margin(0.2));
  e.advance_to(120.0);
  CHECK(figure(e.finish(), "energy_closure") < 1e-11);
}

TEST_CASE("the battery takes the power that is asked for, and its books close", "[ports]") {
  Engine e(tiny(tiny_battery, {"run.duration_h=0.25"}));
  e.advance_to(300.0);
  const double before_J = number(e, "storage_J"), before_W = number(e, "pcc_W");
  for (const double W : {-50e3, 30e3}) {
    e.write("storage_W", W);
    e.advance_to(e.time_s() + 10.0);  // one control period and the converter's lag
    CHECK(mean_W(e, "storage_W", 60.0) == Approx(W).epsilon(1e-6));
  }
  CHECK(number(e, "storage_J") < before_J);
  CHECK(before_W > 0.0);
  e.release("storage_W");
  e.advance_to(800.0);
  CHECK(std::abs(mean_W(e, "storage_W", 60.0)) < 10e3);
  const auto r = e.finish();
  CHECK(figure(r, "energy_closure") < 1e-11);
}

TEST_CASE("an order from outside is met with caps until it is released", "[ports]") {
  Engine e(tiny("", hour));
  e.advance_to(900.0);
  const double free_W = mean_W(e, "pcc_W", 300.0);
  e.write("order_W", 0.8 * free_W);
  e.advance_to(2400.0);
  CHECK(mean_W(e, "pcc_W", 300.0) < 0.8 * free_W);
  e.release("order_W");
  e.advance_to(3200.0);
  CHECK(mean_W(e, "pcc_W", 300.0) == Approx(free_W).epsilon(0.01));
}

TEST_CASE("a price from outside is what energy costs from then on", "[ports]") {
  const char* money = "\n[economics]\ntariff = \"time_of_use_example\"\nfootprint = \"footprint_example\"\n";
  const auto energy_USD = [](const Result& r) {
    for (const auto& [key, value] : r.summary)
      if (key == "cost_USD")
        for (const auto& [part, USD] : std::get<std::vector<std::pair<std::string, double>>>(value))
          if (part == "energy") return USD;
    throw std::runtime_error("no cost");
  };
  Engine tariff(tiny(money, hour)), half(tiny(money, hour)), whole(tiny(money, hour));
  whole.write("price_USD_per_MWh", 360.0);
  half.advance_to(1800.0);
  const double first_J = number(half, "pcc_W") * 1800.0;
  half.write("price_USD_per_MWh", 0.0);
  CHECK(number(half, "price_USD_per_MWh") == 0.0);
  const double tariff_USD_per_J = number(tariff, "price_USD_per_MWh") / 3.6e9;
  const auto r = whole.finish();
  CHECK(energy_USD(r) == Approx(figure(r, "pcc_mean_MW") * 360.0).epsilon(1e-9));
  CHECK(energy_USD(half.finish()) == Approx(first_J * tariff_USD_per_J).epsilon(1e-6));
  CHECK(energy_USD(tariff.finish()) > 0.0);
}

TEST_CASE("voltage and frequency from outside are what the connection sees", "[ports]") {
  Engine e(tiny("", {"run.duration_h=0.1"}));
  e.advance_to(100.0);
  const double own_pu = number(e, "voltage_pu");
  e.write("voltage_pu", 0.97);
  e.write("frequency_Hz", 59.5);
  e.advance_to(130.0);
  CHECK(number(e, "voltage_pu") == 0.97);
  CHECK(number(e, "frequency_Hz") == 59.5);
  e.release("voltage_pu");
  e.release("frequency_Hz");
  e.advance_to(300.0);
  CHECK(number(e, "voltage_pu") == Approx(own_pu).epsilon(1e-3));
  CHECK(number(e, "frequency_Hz") == Approx(60.0).margin(0.01));
  const auto r = e.finish();
  CHECK(figure(r, "freq_deviation_max_mHz") == Approx(500.0));
}

TEST_CASE("a voltage from outside that the supplies cannot use ends the site's power once they are empty", "[ports]") {
  Engine e(tiny("", {"run.duration_h=0.05", "site.ups.catalog=ups_double_conversion", "site.ups.rating_MW=0.2",
                     "site.ups.n_unit=1", "site.ups.recharge_MW=0.001", "site.ups.battery_power_kW=220",
                     "site.ups.battery_energy_kJ=2000"}));
  e.advance_to(60.0);
  const double before_W = number(e, "pcc_now_W");
  e.write("voltage_pu", 0.5);
  e.advance_to(60.5);
  CHECK(number(e, "pcc_now_W") < 0.25 * before_W);  // the supplies feed the site; idle transformers draw what they lose
  e.advance_to(100.0);
  CHECK(mean_W(e, "job.main.it_W", 50.0) < 0.01 * before_W);
  const auto r = e.finish();
  CHECK(figure(r, "n_interruptions_power") == 1);
  CHECK(figure(r, "energy_closure") < 1e-11);
}

TEST_CASE("a paused job comes to the end of its iteration, stands, and starts again when it may", "[ports]") {
  Engine e(tiny("", {"run.duration_h=0.25"}));
  e.advance_to(200.123);
  REQUIRE(std::get<std::string>(e.read("job.main.state")) == "iterate");
  const double running_W = mean_W(e, "job.main.it_W", 60.0);
  e.write("job.main.paused", 1.0);
  e.advance_to(e.time_s() + 20.0);
  const double tokens = number(e, "job.main.tokens");
  CHECK(std::get<std::string>(e.read("job.main.state")) == "maintenance");
  CHECK(mean_W(e, "job.main.it_W", 200.0) < 0.5 * running_W);
  CHECK(number(e, "job.main.tokens") == Approx(tokens).epsilon(1e-11));  // a sum over parts of steps, rounded
  e.write("job.main.paused", 0.0);
  CHECK(std::get<std::string>(e.read("job.main.state")) == "initialise");
  e.advance_to(700.0);
  CHECK(std::get<std::string>(e.read("job.main.state")) == "iterate");
  CHECK(mean_W(e, "job.main.it_W", 60.0) == Approx(running_W).epsilon(0.02));
  CHECK(number(e, "job.main.tokens") > tokens);
  CHECK_THROWS_WITH(e.write("job.main.paused", 0.5), Catch::Contains("neither 0 nor 1"));
  const auto r = e.finish();
  CHECK(figure(r, "n_interruptions_planned") == 1);
  CHECK(figure(r, "energy_closure") < 1e-11);
}

TEST_CASE("a result says what was written to its engine; one that was not says nothing", "[ports]") {
  Engine e(tiny("", {"run.duration_h=0.1"}));
  e.advance_to(50.0);
  e.write("hall.a.cap_W", 600.0);
  e.write("hall.a.cap_W", 600.0);  // as it is
  e.advance_to(80.0);
  e.write("hall.a.cap_W", 500.0);
  const auto told = [](const Result& r) {
    for (const auto& [key, text] : r.provenance)
      if (key == "writes") return text;
    return std::string();
  };
  const auto r = e.finish();
  CHECK(told(r) == "hall.a.cap_W: 2 from 50 s to 80 s");
  std::size_t n = 0;
  for (const auto& a : r.arrays)
    if (a.path == "/events/kind")
      for (const auto& kind : std::get<std::vector<std::string>>(a.values)) n += kind == "write" ? 1u : 0u;
  CHECK(n == 2);
  CHECK(told(run(tiny("", {"run.duration_h=0.01"}))).empty());
}

TEST_CASE("a released port is as if it had not been written", "[ports]") {
  Engine e(tiny("", {"run.duration_h=0.1"}));
  for (const auto& p : e.ports()) {
    if (p.direction == Port::Direction::read) {
      CHECK_THROWS_WITH(e.release(p.name), Catch::Contains("read only"));
      continue;
    }
    e.release(p.name);  // was never written
    e.write(p.name, p.name.ends_with("paused") ? 1.0 : 0.5 * (p.low + p.high));
    e.release(p.name);
  }
  e.advance_to(120.0);
  Engine never(tiny("", {"run.duration_h=0.1"}));
  never.advance_to(120.0);
  CHECK(number(e, "hall.a.die_max_K") == Approx(number(never, "hall.a.die_max_K")).margin(0.5));
}

TEST_CASE("what was written outlives a save: another engine goes on to the same bits", "[ports]") {
  const std::string more = std::string(tiny_battery) +
                           "\n[economics]\ntariff = \"time_of_use_example\"\nfootprint = \"footprint_example\"\n";
  const auto s = tiny(more, {"run.duration_h=0.2"});
  const auto begin = [](Engine& e) {
    e.advance_to(100.0);
    e.write("hall.a.supply_K", 297.0);
    e.write("outdoor_wetbulb_K", 290.0);
    e.write("storage_W", -20e3);
    e.write("order_W", 90e3);
    e.write("voltage_pu", 0.98);
    e.write("frequency_Hz", 59.9);
    e.write("price_USD_per_MWh", 55.0);
    e.advance_to(200.0);
    e.write("job.main.paused", 1.0);
    e.advance_to(333.3);
  };
  const auto end = [](Engine& e) {
    e.advance_to(400.0);
    e.write("job.main.paused", 0.0);
    e.release("hall.a.supply_K");
    return io::payload_sha256(e.finish());
  };
  Engine whole(s), first(s), second(s);
  begin(whole);
  begin(first);
  second.restore(first.save());
  CHECK(end(second) == end(whole));
}
