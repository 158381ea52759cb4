// Figures of a run against what they are figures of: the engine's clocks, the timeline's links, the supply in short steps.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "sim/iteration_view.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/sim/run.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

TEST_CASE("the clock's percentiles are order statistics of the GPUs' clocks, to a bin of their histogram") {
  auto scenario = tiny("", {"run.duration_h=0.1"});
  for (auto& h : scenario.halls) h.gpu.leakage_per_K = 0.0;  // clocks that do not move with temperature
  Engine engine(scenario, {1, {}});
  while (!engine.done()) engine.step();
  std::vector<double> clock_Hz(engine.clock_Hz().begin(), engine.clock_Hz().end());
  std::sort(clock_Hz.begin(), clock_Hz.end());
  const auto r = engine.finish();
  const double bin_Hz = (clock_Hz.back() - clock_Hz.front()) / 4096.0;
  REQUIRE(bin_Hz > 0.0);
  // 128 clocks: 5 % of 127 steps up stands 6.35 from the lowest.
  CHECK(reals(r, "/day/clock_p05_Hz").back() == Approx(clock_Hz[6]).margin(1.01 * bin_Hz));
  CHECK(reals(r, "/day/clock_p95_Hz").back() == Approx(clock_Hz[120]).margin(1.01 * bin_Hz));
}

TEST_CASE("thin air warms dies at the same inlet by what the sinks' convection gives up, and lightens the fans") {
  // One climate's pressure, 1,068 m above the sea, in place of the other's: all else is equal.
  const auto at = [](const char* climate, bool air) {
    auto s = tiny("", {"run.duration_h=0.5", "run.spread=false", "run.macro_step_s=30", "hall.a.recirculation_frac=0",
                       "hall.a.plant=prescribed_llama3_day", "hall.a.plant.min_degC=26", "hall.a.plant.max_degC=26",
                       "hall.a.clock_lock_MHz=1200", std::string("weather.climate=") + climate});
    s.run.air_density = air;
    for (auto& h : s.halls) {
      h.air.fan_min_frac = 0.999, h.fans.reset();  // fans at full speed: nothing answers the warmer dies
      h.gpu.leakage_per_K = 0.0;                   // nor do the watts
      h.air.preheat_mixing_ratio = 0.0;            // nor the rear row's air
    }
    return run(s);
  };
  const auto sea = at("portland_or", true), high = at("amarillo_tx", true);
  const double K = figure(high, "die_mean_degC") - figure(sea, "die_mean_degC");
  // Density: 12.1 % less; the sinks' 0.022 K/W grow by 10.8 % at some 500 W.
  CHECK(K > 0.6);
  CHECK(K < 2.0);
  CHECK(figure(high, "it_mean_MW") < figure(sea, "it_mean_MW"));
  CHECK(figure(at("amarillo_tx", false), "die_mean_degC") ==
        Approx(figure(at("portland_or", false), "die_mean_degC")).margin(1e-9));
}

TEST_CASE("a watt of link power is drawn while links are full, and at no other time") {
  const std::vector<std::string> locked = {"run.duration_h=0.1", "hall.a.clock_lock_MHz=1200"};
  const auto it_W = [&](double link_W) {
    auto set = locked;
    set.push_back("hall.a.gpu.power.link_W=" + std::to_string(link_W));
    return reals(run(tiny("", set)), "/day/it_W").back();
  };
  const auto scenario = tiny("", locked);
  const auto view = view_iteration(scenario, scenario.jobs.front());
  double full_link_s = 0.0;  // of all GPUs, per iteration
  for (std::size_t c = 0; c < view.timeline.classes.size(); ++c)
    for (const auto& segment : view.timeline.classes[c]) {
      const auto& kind = view.timeline.kinds[segment.kind];
      if (kind.reference_s() > 0.0)
        full_link_s += static_cast<double>(view.class_gpus[c]) * seconds(segment.duration) * kind.link_frac *
                       kind.link_s / kind.reference_s();
    }
  const double share = full_link_s / seconds(view.timeline.period) / 128.0;
  REQUIRE(share > 0.02);
  const double none_W = it_W(0.0), some_W = it_W(100.0), more_W = it_W(200.0);
  const double per_W = (some_W - none_W) / 128.0 / 100.0;
  // Converters, supplies and leakage that warms with it add a tenth or two.
  CHECK(per_W > 0.9 * share);
  CHECK(per_W < 1.3 * share);
  CHECK(more_W - some_W == Approx(some_W - none_W).epsilon(0.05));
}

TEST_CASE("macro steps stay short while the supply moves otherwise than expected, and grow where it does not") {
  // A job's start on chilled water: the loop answers for minutes.
  const auto r = run(tiny("", {"run.duration_h=1", "hall.a.plant=crah_chilled_water", "job.main.life.start_s=600"}));
  const auto &t = reals(r, "/day/time"), &inlet_K = reals(r, "/day/inlet_mean_K");
  const double base_s = tiny().run.macro_step_s;
  std::size_t before = 0, after = 0, late = 0;
  for (std::size_t i = 0; i + 1 < t.size(); ++i) {
    const bool grown = t[i + 1] - t[i] > 1.2 * base_s;
    if (t[i] < 600.0) before += grown;
    if (t[i] >= 600.0 && t[i + 1] <= 900.0 + base_s) after += grown;
    if (t[i] > 1100.0) late += grown;
  }
  CHECK(before > 2);
  CHECK(after == 0);
  CHECK(late > 1);
  const auto [lo, hi] = std::minmax_element(inlet_K.begin(), inlet_K.end());
  CHECK(*hi - *lo > 1.0);
}

TEST_CASE("a server breathes its share of the hot aisle: recirculation lifts the inlet above the supply") {
  for (const double share : {0.0, 0.1}) {
    const auto r = run(tiny("", {"run.duration_h=0.5", "hall.a.recirculation_frac=" + std::to_string(share),
                                 "hall.a.recirculation_sigma_ratio=0"}));
    const double inlet_K = reals(r, "/day/inlet_mean_K").back(), supply_K = reals(r, "/day/supply_K").back(),
                 hot_K = reals(r, "/day/hot_aisle_K").back();
    CHECK(inlet_K - supply_K == Approx(share * (hot_K - supply_K)).margin(0.25));
    CHECK(hot_K - supply_K > 8.0);
  }
}

TEST_CASE("pumps out: half of them move less liquid than the plates ask for, and dies warm") {
  const auto die_K = [](const std::string& event) {
    const auto r = run(tiny(event, {"hall.a.gpu=h100_sxm_700W_liquid", "hall.a.server=hgx_h100_liquid",
                                    "hall.a.plant=cdu_dry_cooler", "run.duration_h=0.3"}));
    return reals(r, "/day/die_mean_K").back();
  };
  const double whole_K = die_K("");
  const double half_K = die_K(
      "\n[[event]]\nname = \"parts\"\nkind = \"pump_out\"\nhall = \"a\"\nat_s = 300\nduration_s = 0\nout_frac = 0.7\n");
  CHECK(half_K - whole_K > 1.0);
}

TEST_CASE("what a hall's servers do does not depend on which hall stands first", "[halls]") {
  // Chips alike, a job in each hall, and supplies 40 K apart: the air's density differs by an eighth.
  const std::string folder = std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios";
  const std::string one = read_file(folder + "/tiny.toml", 1u << 20),
                    two = read_file(folder + "/two_halls.toml", 1u << 20);
  const std::string second_job = two.substr(two.find("[[job]]\nname = \"other\""));
  const auto hall = [](const std::string& name) {
    return "[[hall]]\nname = \"" + name +
           "\"\nn_gpu = 64\ngpu = \"h100_sxm_700W\"\nserver = \"grand_teton_h100\"\nplant = "
           "\"prescribed_llama3_day\"\n\n";
  };
  const auto hottest_K = [&](int first_degC) {
    LoadOptions o;
    o.set = {"run.duration_h=0.1", "run.spread=false", "run.macro_step_s=10", "run.macro_step_max_s=10",
             "job.main.plan.n_gpu=64"};
    for (const char* end : {"min", "max"}) {
      o.set.push_back(std::string("hall.first.plant.") + end + "_degC=" + std::to_string(first_degC));
      o.set.push_back(std::string("hall.second.plant.") + end + "_degC=5");
    }
    const std::string text = one.substr(0, one.find("[[hall]]")) + hall("first") + hall("second") +
                             one.substr(one.find("[[job]]")) + "\n" + second_job;
    Engine engine(read_scenario(parse_toml(text, "halls.toml"), folder, o));
    while (engine.time_s() < 300.0)
      engine.step();  // its own steps: a look at a time plays part of an iteration of either job
    return std::get<double>(engine.read("hall.second.die_max_now_K"));
  };
  CHECK(hottest_K(45) == Approx(hottest_K(5)).epsilon(1e-12));
}

TEST_CASE("every job has rows of its own, and those of a single job are the site's", "[job_series]") {
  const auto values = [](const Result& r, const std::string& path) {
    for (const auto& a : r.arrays)
      if (a.path == path) return a.values;
    throw std::runtime_error("no array " + path);
  };
  const auto alone = run(tiny());
  int n = 0;
  for (const auto& a : alone.arrays) {
    if (!a.path.starts_with("/job/main/")) continue;
    ++n;
    if (a.path.ends_with("/it_W") || a.path.ends_with("/tokens_per_s"))
      continue;  // the site's counts neighbours, or none
    const auto day = values(alone, "/day/" + a.path.substr(10));
    if (const auto* x = std::get_if<std::vector<double>>(&a.values)) {
      const auto& y = std::get<std::vector<double>>(day);
      REQUIRE(x->size() == y.size());
      for (std::size_t i = 0; i < x->size(); ++i) CHECK(((*x)[i] == y[i] || (std::isnan((*x)[i]) && std::isnan(y[i]))));
    } else {
      CHECK(a.values == day);
    }
  }
  CHECK(n == 22);
  // The second job begins later, and half of its GPUs stand in a hall with a lower cap.
  const std::string folder = std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios";
  const auto two = run(load_scenario(folder + "/two_halls.toml", {}));
  const auto state = [&](const std::string& job) {
    return std::get<std::vector<std::int64_t>>(values(two, "/job/" + job + "/job_state"));
  };
  CHECK(state("main").front() != state("other").front());
  CHECK(state("main").back() == state("other").back());
  const auto last = [&](const std::string& path) { return reals(two, path).back(); };
  CHECK(last("/job/main/clock_mean_Hz") > 1.01 * last("/job/other/clock_mean_Hz"));
  // The site's rows are of both: clocks are means over GPUs, the slowest is the slower one's, throughputs add up.
  const auto n_gpu = [&](std::size_t job) {
    return static_cast<double>(std::get<std::int64_t>(two.jobs[job][1].second));
  };
  CHECK(last("/day/clock_mean_Hz") ==
        Approx((n_gpu(0) * last("/job/main/clock_mean_Hz") + n_gpu(1) * last("/job/other/clock_mean_Hz")) /
               (n_gpu(0) + n_gpu(1)))
            .epsilon(1e-3));  // they iterate for nearly the same part of the step
  CHECK(last("/day/clock_slowest_Hz") ==
        std::min(last("/job/main/clock_slowest_Hz"), last("/job/other/clock_slowest_Hz")));
  CHECK(last("/day/throughput_tokens_per_s") ==
        Approx(last("/job/main/throughput_tokens_per_s") + last("/job/other/throughput_tokens_per_s")).epsilon(1e-12));
  CHECK(std::max(last("/job/main/die_max_K"), last("/job/other/die_max_K")) <= last("/day/die_max_K"));
  double tokens_per_s = 0.0;
  for (const auto& [key, v] : two.jobs[1])
    if (key == "tokens_per_s_mean") tokens_per_s = std::get<double>(v);
  CHECK(last("/job/other/throughput_tokens_per_s") == Approx(tokens_per_s).epsilon(0.05));
}

TEST_CASE("heat holds dies at their target and none below it, waits included") {
  // Dies follow the mean over whole iterations and the governor holds the mean over its window.
  const auto of = [](double target_degC) {
    return tiny("", {"run.duration_h=0.15", "hall.a.gpu.governor.slowdown_degC=120", "hall.a.server=dgx_h100",
                     "hall.a.gpu.governor.thermal_target_degC=" + std::to_string(target_degC)});
  };
  const auto held_at = [&](double target_degC) { return run(of(target_degC)); };
  const auto free = held_at(115.0);
  const double peak_degC = figure(free, "die_max_degC");
  // The limiter looks ahead: it may act from 4 K below on.
  const auto above = held_at(peak_degC + 5.0);
  CHECK(std::ranges::max(reals(above, "/day/limiter_thermal_frac")) == 0.0);
  CHECK(figure(above, "tokens_per_s_mean") == figure(free, "tokens_per_s_mean"));
  // Once warm; without the growth of a step before, or of waits with the rest, they stand a quarter of a kelvin off.
  constexpr double target_degC = 73.0;
  const auto below = held_at(target_degC);
  CHECK(reals(below, "/day/limiter_thermal_frac").back() > 0.4);
  CHECK(reals(below, "/day/die_max_K").back() == Approx(target_degC + 273.15).margin(0.05));
  // Nor does it take more than it must: with front rows at the full cap in the air of rear ones, clocks are 0.8 % lower.
  const auto edges = run(reference_of(of(target_degC)));
  CHECK(reals(edges, "/day/die_max_K").back() == Approx(target_degC + 273.15).margin(0.02));
  CHECK(reals(below, "/day/clock_mean_Hz").back() == Approx(reals(edges, "/day/clock_mean_Hz").back()).epsilon(1e-3));
}

TEST_CASE(
    "a small grid with reserves: a deadband lets frequency fall further, reserve and stages hold it, the summary says "
    "so") {
  const std::vector<std::string> island = {"grid.frequency.system_GVA=0.001"};  // of 1 MVA, for a site of 0.1 MW
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), island.begin(), island.end());
    return run(tiny("", more));
  };
  const std::vector<std::string> held = {"grid.reserves=three_stages", "grid.reserves.system_load_GW=0.0008",
                                         "grid.reserves.fast_MW=0.02"};
  auto idle = held, dead = held;
  for (const char* set :
       {"grid.reserves.fast_MW=0", "grid.reserves.shed_frac=[0, 0, 0]", "grid.reserves.governor_deadband_mHz=0"})
    idle.emplace_back(set);
  for (const char* set :
       {"grid.reserves.fast_MW=0", "grid.reserves.shed_frac=[0, 0, 0]", "grid.reserves.governor_deadband_mHz=36"})
    dead.emplace_back(set);
  const auto bare = with({}), same = with(idle), further = with(dead), acted = with(held);
  // Without anything that acts, the two models of the grid agree.
  CHECK(figure(same, "freq_deviation_max_mHz") == Approx(figure(bare, "freq_deviation_max_mHz")).epsilon(1e-4));
  CHECK(figure(further, "freq_deviation_max_mHz") > 1.01 * figure(bare, "freq_deviation_max_mHz"));
  CHECK(figure(acted, "freq_deviation_max_mHz") < figure(bare, "freq_deviation_max_mHz"));
  CHECK(figure(acted, "reserves_fast_from_s") > 5.0);  // the job starts after 5 s
  CHECK(std::any_of(acted.summary.begin(), acted.summary.end(),
                    [](const auto& kv) { return kv.first == "reserves_shed_MW"; }));
  CHECK(std::none_of(bare.summary.begin(), bare.summary.end(),
                     [](const auto& kv) { return kv.first == "reserves_shed_MW"; }));
  CHECK_THROWS_AS(tiny("", {"grid.reserves=three_stages", "grid.reserves.shed_below_Hz=[58, 59, 59.5]"}), InputError);
}
