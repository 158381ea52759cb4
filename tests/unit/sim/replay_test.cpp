#include "sim/replay.hpp"

#include <cmath>
#include <numeric>

#include "catch.hpp"
#include "tidewatt/sim/run.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::connection;
using namespace tidewatt::sim;

TEST_CASE("a trace of the fleet through other devices gives the bits of a run with them") {
  const auto bare = tiny();
  const auto with = tiny(tiny_battery, {"site.rack_storage.catalog=gpu_capacitor_65J"});
  LoadTrace trace;
  RunOptions options;
  options.trace = &trace;
  run(bare, options);
  const auto [replayed, power_as_recorded] = replay(with, trace);
  CHECK(power_as_recorded);
  const auto whole = run(with);
  CHECK(replayed.connection_J() / with.run.duration_s * 1e-6 == figure(whole, "pcc_mean_MW"));
  CHECK(replayed.max_W() * 1e-6 == figure(whole, "pcc_max_MW"));
  CHECK(replayed.battery()->meters().discharged_J.value() / 3.6e9 == figure(whole, "battery_discharged_MWh"));
}

TEST_CASE("supplies, generators, rack storage and a battery at once: a run whose books do not close would throw") {
  const auto s = tiny(std::string(tiny_battery) + R"(
[[event]]
name = "utility"
kind = "utility_loss"
at_s = 40
duration_s = 20
)",
                      {"site.delivery=layout_480V_ups_diesel", "site.generators.n_unit=1",
                       "site.rack_storage.catalog=gpu_capacitor_65J"});
  const auto r = run(s);
  CHECK(figure(r, "energy_closure") <= 1e-11);
  CHECK(figure(r, "unserved_MWh") == 0.0);
  CHECK(figure(r, "generator_MWh") > 0.0);
  CHECK(figure(r, "rack_storage_soc_min") >= -1e-12);
  CHECK(figure(r, "battery_soc_min") >= 0.1 - 1e-12);
}

TEST_CASE("a checkpoint in the middle of an outage goes on to the same bits") {
  const auto s = tiny(R"(
[[event]]
name = "utility"
kind = "utility_loss"
at_s = 40
duration_s = 50
)",
                      {"site.delivery=layout_480V_ups_diesel", "site.generators.n_unit=1", "run.macro_step_s=15"});
  Engine whole(s), first(s), second(s);
  while (first.time_s() < 60.0) first.step();
  const auto bytes = first.save();
  second.restore(bytes);
  while (!whole.done()) whole.step();
  while (!second.done()) second.step();
  const auto a = whole.finish(), b = second.finish();
  for (const char* key : {"pcc_mean_MW", "pcc_max_MW", "generator_MWh", "ups_soc_end", "ups_loss_MWh"})
    CHECK(figure(a, key) == figure(b, key));
}

TEST_CASE("an order is kept by caps, by a pause and by storage") {
  const auto order = [](const char* by) {
    return std::string("[[event]]\nname = \"order\"\nkind = \"curtailment\"\nby = \"") + by +
           "\"\nat_s = 300\nnotice_s = 200\nduration_s = 200\nlimit_MW = 0.11\n";
  };
  const std::vector<std::string> set = {"run.duration_h=0.16", "run.macro_step_s=10", "run.macro_step_max_s=10"};
  const auto kept = [&](const Scenario& s, std::size_t which) {
    const auto r = run(s);
    for (const auto& [k, v] : r.summary)
      if (k == "order_kept") return std::get<std::vector<std::pair<std::string, double>>>(v).at(which).second;
    return std::nan("");
  };
  CHECK(kept(tiny(order("pause"), set), 0) < 0.11);
  // A later pause of the job leaves the order as it is.
  CHECK(kept(tiny(order("pause") +
                      "[[event]]\nname = \"x\"\nkind = \"pause\"\njob = \"main\"\nat_s = 560\nduration_s = 9\n",
                  set),
             0) < 0.11);
  // Caps hold the mean, as it is metered, and take little more than was asked.
  const double mean_MW = kept(tiny(order("cap"), set), 1);
  CHECK(mean_MW < 0.11);
  CHECK(mean_MW > 0.107);
  CHECK(kept(tiny(order("storage") + tiny_battery, set), 1) < 0.1101);
}

TEST_CASE("a run settles an order by means of 5 and 15 minutes, whatever its milliseconds do") {
  const auto r = run(tiny(
      "[[event]]\nname = \"order\"\nkind = \"curtailment\"\nby = \"cap\"\nat_s = 600\nnotice_s = 300\nduration_s = "
      "900\nlimit_MW = 0.11\n",
      {"run.duration_h=0.5"}));
  const auto kept = [&](const std::string& entry) {
    for (const auto& [k, v] : r.summary)
      if (k == "order_kept")
        for (const auto& [name, x] : std::get<std::vector<std::pair<std::string, double>>>(v))
          if (name == entry) return x;
    return std::nan("");
  };
  CHECK(kept("most_over_MW") > 0.0);
  CHECK(kept("n_means_5min") == 3.0);
  CHECK(kept("n_over_5min") == 0.0);
  CHECK(kept("n_means_15min") == 0.0);  // 14:10 to 14:25 holds no whole quarter of an hour
  CHECK(kept("short_MW") == 0.0);
  const auto& mean_W = reals(r, "/pyramid_1s/pcc_mean_W");
  for (const std::ptrdiff_t from : {600, 900, 1200})
    CHECK(std::accumulate(mean_W.begin() + from, mean_W.begin() + from + 300, 0.0) / 300.0 < 0.11e6);
}

TEST_CASE("what a site asks of devices it does not have is said") {
  CHECK_THROWS_AS(tiny("[[event]]\nname = \"i\"\nkind = \"islanding\"\nat_s = 10\nduration_s = 10\n"), InputError);
  CHECK_THROWS_AS(tiny("", {"site.generators.catalog=standby_diesel_3MW"}), InputError);
  CHECK_THROWS_AS(tiny("", {"site.rules=nothing_like_this"}), InputError);
}
