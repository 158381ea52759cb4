// A site that loses its power is dark: jobs fall, nothing is drawn, and figures agree with what can be calculated.
#include <cmath>

#include "catch.hpp"
#include "tidewatt/io/payload_hash.hpp"
#include "tiny.hpp"
#include "workload/job_state.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

const std::string ten_minutes = "run.duration_h=0.16666666666666666";

std::string event(const std::string& kind, double at_s, double duration_s) {
  return "\n[[event]]\nname = \"e\"\nkind = \"" + kind + "\"\nat_s = " + std::to_string(at_s) +
         "\nduration_s = " + std::to_string(duration_s) + "\n";
}

std::vector<std::pair<double, std::string>> events(const Result& r, const std::string& kind) {
  std::vector<std::pair<double, std::string>> out;
  std::vector<std::string> kinds, texts;
  for (const auto& a : r.arrays) {
    if (a.path == "/events/kind") kinds = std::get<std::vector<std::string>>(a.values);
    if (a.path == "/events/text") texts = std::get<std::vector<std::string>>(a.values);
  }
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] == kind) out.emplace_back(reals(r, "/events/time")[i], texts[i]);
  return out;
}

double of_job(const Result& r, const std::string& key) {
  for (const auto& [k, v] : r.jobs.front()) {
    if (k != key) continue;
    if (const auto* d = std::get_if<double>(&v)) return *d;
    return static_cast<double>(std::get<std::int64_t>(v));
  }
  throw std::runtime_error("no figure of the job " + key);
}

double in_state_s(const Result& r, workload::JobState state) {
  return reals(r, "/jobs/state_s")[static_cast<std::size_t>(state)];
}

double it_J(const Result& r) { return figure(r, "it_mean_MW") * 1e6 * figure(r, "simulated_s"); }
double pcc_J(const Result& r) { return figure(r, "pcc_mean_MW") * 1e6 * figure(r, "simulated_s"); }

/// Power at the connection in one recorded millisecond, W.
double recorded_W(const Result& r, double at_s) {
  const auto& time = reals(r, "/waveform_sample/time");
  for (std::size_t i = 0; i < time.size(); ++i)
    if (std::abs(time[i] - at_s) < 1e-4) return reals(r, "/waveform_sample/pcc_W")[i];
  throw std::runtime_error("not recorded");
}

/// Supplies with a battery of so many kilojoules per megawatt of rating, for a site without generators.
std::vector<std::string> supplies(double battery_kJ, std::vector<std::string> more = {}) {
  std::vector<std::string> set = {"site.ups.catalog=ups_double_conversion",
                                  "site.ups.rating_MW=0.2",
                                  "site.ups.n_unit=1",
                                  "site.ups.recharge_MW=0.001",
                                  "site.ups.battery_power_kW=220",
                                  "site.ups.battery_energy_kJ=" + std::to_string(battery_kJ)};
  set.insert(set.end(), more.begin(), more.end());
  return set;
}

const char* turbines =
    "\n[site.turbines]\ncatalog = \"gas_turbine_50MW\"\nn_unit = 2\nunit_MW = 0.15\ndispatch_MW = 0.1\nramp_MW_per_min "
    "= 0.1\n";

}  // namespace

TEST_CASE(
    "a black-out of 400 s in 600 s: tokens, energy, effective time, PUE and the restart are those that can be "
    "calculated",
    "[power]") {
  const auto r = run(tiny(event("utility_loss", 100, 400),
                          {ten_minutes, "record.window.sample.start_s=90", "record.window.sample.duration_s=500"}));
  // The parts before and after it, as runs of their own: the same 100 s, and 100 s that begin with 10 s of detection.
  const auto before = run(tiny("", {"run.duration_h=0.027777777777777776"}));
  const auto after = run(tiny("", {"run.duration_h=0.027777777777777776", "job.main.life.start_s=10"}));
  using workload::JobState;
  const double start_up_s = in_state_s(before, JobState::initialise) + in_state_s(before, JobState::load) +
                            in_state_s(before, JobState::warm_up);
  const double iteration_s = figure(before, "iteration_s"), per_iteration = 64.0 * 8192.0;
  const double first = std::floor((100.0 - 5.0 - start_up_s) / iteration_s),
               second = std::floor((100.0 - 10.0 - start_up_s) / iteration_s);
  CHECK(of_job(r, "tokens") == Approx((first + second) * per_iteration).margin(per_iteration));
  CHECK(of_job(r, "tokens") == Approx(of_job(before, "tokens") + of_job(after, "tokens")).margin(per_iteration));
  CHECK(of_job(r, "n_iterations_lost") == first);
  CHECK(it_J(r) == Approx(it_J(before) + it_J(after)).epsilon(0.005));
  // Nothing was saved: what counts is the iterating after the return, of all the time since the job got its GPUs.
  CHECK(figure(r, "effective_time_percent") ==
        Approx(100.0 * (100.0 - 10.0 - start_up_s) / (600.0 - 5.0)).epsilon(1e-9));
  CHECK(figure(r, "pue") == Approx((pcc_J(before) + pcc_J(after)) / (it_J(before) + it_J(after))).epsilon(0.02));
  CHECK(figure(r, "pue") > 1.0);
  CHECK(figure(r, "power_lost_s") == Approx(400.0).epsilon(1e-12));
  CHECK(figure(r, "unserved_MWh") == 0.0);
  CHECK(figure(r, "n_interruptions_power") == 1);
  CHECK(figure(r, "n_interruptions_unexpected") == 1);
  CHECK(figure(r, "energy_closure") <= 1e-11);
  // Dark to the millisecond.
  CHECK(recorded_W(r, 99.999) > 0.05e6);
  CHECK(recorded_W(r, 100.0) == 0.0);
  CHECK(recorded_W(r, 499.999) == 0.0);
  CHECK(recorded_W(r, 500.0) > 0.02e6);
  REQUIRE(events(r, "power_loss").size() == 1);
  CHECK(events(r, "power_loss").front().first == Approx(100.0).epsilon(1e-12));
  REQUIRE(events(r, "power_return").size() == 1);
  CHECK(events(r, "power_return").front().first == Approx(500.0).epsilon(1e-12));
  REQUIRE(events(r, "restart").size() == 1);
  CHECK(events(r, "restart").front().first == Approx(500.0 + 10.0 + start_up_s).margin(1e-6));
}

TEST_CASE("what a durable checkpoint holds outlives the loss; the rest is lost", "[power]") {
  const auto r = run(tiny(event("utility_loss", 100, 60), {ten_minutes, "job.main.life.checkpoint_interval_s=30"}));
  CHECK(of_job(r, "n_iterations_lost") > 0);
  CHECK(of_job(r, "n_iterations_lost") <= std::ceil(31.0 / figure(r, "iteration_s")));
  CHECK(events(r, "restart").front().second.find("from iteration 0") == std::string::npos);
}

TEST_CASE("supplies without generators carry the site until they are empty, and take it back after their return time",
          "[power]") {
  const auto r = run(tiny(event("utility_loss", 60, 300), supplies(5000, {ten_minutes, "run.macro_step_s=60"})));
  REQUIRE(events(r, "power_loss").size() == 1);
  // By the battery's energy over what the site draws on it: between the mean of the job's work and all of it idle.
  const double lost_s = events(r, "power_loss").front().first;
  const double usable_J = 5e6 * 0.95 * 0.96;
  CHECK(lost_s > 60.0 + usable_J / 0.2e6);
  CHECK(lost_s < 60.0 + usable_J / 0.08e6);
  CHECK(figure(r, "ups_soc_end") < 0.3);
  // 10 s of good utility, then the load starts on it.
  REQUIRE(events(r, "power_return").size() == 1);
  CHECK(events(r, "power_return").front().first == Approx(370.0).margin(0.002));
  CHECK(figure(r, "power_lost_s") == Approx(370.0 - lost_s).margin(0.002));
  CHECK(figure(r, "ups_dropped") == 1);
  CHECK(figure(r, "unserved_MWh") * 3.6e9 < 500.0);  // at most a few milliseconds
  CHECK(figure(r, "energy_closure") <= 1e-11);
  CHECK(figure(r, "pue") > 1.0);
}

TEST_CASE("an island that trips is dark until the grid is back", "[power]") {
  const auto r = run(tiny(std::string(turbines) + event("islanding", 60, 120), {ten_minutes}));
  REQUIRE(events(r, "power_loss").size() == 1);
  const double lost_s = events(r, "power_loss").front().first;
  CHECK(lost_s > 62.0);  // out of its band for two seconds
  CHECK(lost_s < 180.0);
  CHECK(figure(r, "island_trips") == 1);
  CHECK(events(r, "power_return").front().first == Approx(180.0).epsilon(1e-12));
  CHECK(figure(r, "unserved_MWh") * 3.6e9 < 500.0);
  CHECK(figure(r, "n_interruptions_power") == 1);
  CHECK(figure(r, "energy_closure") <= 1e-11);
}

TEST_CASE("a tripped island is a dead source for the supplies behind it", "[power]") {
  const auto r = run(tiny(std::string(turbines) + event("islanding", 60, 60), supplies(200000, {ten_minutes})));
  CHECK(events(r, "power_loss").empty());
  CHECK(figure(r, "island_trips") == 1);
  CHECK(figure(r, "ups_soc_min") < 0.99);
  CHECK(figure(r, "n_interruptions_unexpected") == 0);
}

TEST_CASE("supplies overloaded from the first instant leave the site dark, whatever overloads them", "[power]") {
  const auto r = run(tiny("", {"site.delivery=layout_480V_ups_diesel", "hall.a.plant.controls_kW=15000"}));
  CHECK_FALSE(events(r, "power_loss").empty());
  CHECK(figure(r, "power_lost_s") > 0.0);
  const double pue = figure(r, "pue");
  CHECK((std::isnan(pue) || pue >= 1.0));  // 0.38, with the job at work on no power
  CHECK(figure(r, "energy_closure") < 1e-11);
}

TEST_CASE("an island that is overloaded many times over trips: no machine turns on below half speed", "[power]") {
  for (const char* unit_MW : {"0.02", "0.03", "0.05"}) {
    const auto r =
        run(tiny("\n[site.turbines]\ncatalog = \"gas_turbine_50MW\"\nn_unit = 2\nunit_MW = " + std::string(unit_MW) +
                     "\ndispatch_MW = 0.01\n" + event("islanding", 60, 40),
                 {"run.duration_h=0.05"}));
    CHECK_FALSE(events(r, "power_loss").empty());
    CHECK(figure(r, "energy_closure") < 1e-11);
  }
}

TEST_CASE("no power is lost where supplies and generators carry the site", "[power]") {
  const auto r =
      run(tiny(event("utility_loss", 40, 30), {"site.delivery=layout_480V_ups_diesel", "site.generators.n_unit=1"}));
  CHECK(events(r, "power_loss").empty());
  CHECK(figure(r, "power_lost_s") == 0.0);
  CHECK(figure(r, "n_interruptions_unexpected") == 0);
}

TEST_CASE("a loss of power has the same bits with any number of threads and through any checkpoint", "[power]") {
  const auto s = tiny(event("utility_loss", 60, 200),
                      supplies(5000, {ten_minutes, "run.macro_step_s=20", "run.macro_step_max_s=60"}));
  const auto hash = [&](std::size_t n_thread) {
    RunOptions o;
    o.n_thread = n_thread;
    return io::payload_sha256(run(s, o));
  };
  const auto one = hash(1);
  CHECK(hash(2) == one);
  CHECK(hash(5) == one);
  Engine whole(s);
  std::vector<std::string> saved;
  while (!whole.done()) {
    saved.push_back(whole.save());
    whole.step();
  }
  CHECK(io::payload_sha256(whole.finish()) == one);
  for (std::size_t i = 1; i < saved.size(); i += 3) {
    Engine later(s);
    later.restore(saved[i]);
    while (!later.done()) later.step();
    CHECK(io::payload_sha256(later.finish()) == one);
  }
}

TEST_CASE("smoothing, cold plates, a battery, a neighbour and a loss at 0 s or at the end: books close", "[power]") {
  const std::string smoothing =
      "\n[[mitigation]]\nname = \"s\"\nkind = \"gpu_smoothing\"\nfloor_ratio = 0.65\nramp_up_W_per_s = "
      "100\nramp_down_W_per_s = 100\nhysteresis_s = 10\n";
  const std::vector<std::string> liquid = {"hall.a.gpu=h100_sxm_700W_liquid", "hall.a.server=hgx_h100_liquid",
                                           "hall.a.plant=cdu_dry_cooler"};
  const std::string neighbour =
      "\n[[site.neighbour]]\nname = \"n\"\nkind = \"replay\"\nfile = \"neighbour.csv\"\nrepeat = true\n";
  for (const double at_s : {0.0, 50.0, 112.4})
    for (const auto& [more, set] :
         {std::pair{smoothing, std::vector<std::string>{}}, std::pair{std::string(tiny_battery), liquid},
          std::pair{std::string(turbines), liquid}}) {
      INFO(at_s << more);
      const auto r = run(tiny(more + event("utility_loss", at_s, 30), set));
      CHECK(figure(r, "energy_closure") <= 1e-11);
      CHECK(figure(r, "input_energy_error") <= 1e-12);
      CHECK(figure(r, "power_lost_s") == Approx(std::min(30.0, 112.5 - at_s)).margin(1e-9));
    }
}

TEST_CASE("a transformer is loaded by what it carries, with supplies behind it or without", "[power]") {
  const std::vector<std::string> watched = {"run.duration_h=0.1", "site.hall_transformer=transformer_oil_substation",
                                            "site.site_transformer=transformer_oil_substation"};
  const auto loading = [](const Result& r, const char* key) {
    for (const auto& [k, v] : r.summary)
      if (k == key) return std::get<std::vector<std::pair<std::string, double>>>(v);
    throw std::runtime_error(std::string("no figure ") + key);
  };
  const auto plain = run(tiny("", watched)), behind = run(tiny("", supplies(200000, watched)));
  for (const char* key : {"transformer_loading_rms_max", "feeder_loading_max_percent"}) {
    const auto a = loading(plain, key), b = loading(behind, key);
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      INFO(key << " " << a[i].first << " " << a[i].second << " " << b[i].second);
      CHECK(a[i].second > 0.0);
      // Supplies lose a tenth and swallow the reactive power.
      CHECK(b[i].second == Approx(a[i].second).epsilon(0.15));
    }
  }
  // A quarter of the rating, so four times the loading.
  const auto small =
      run(tiny("", {"run.duration_h=0.1", "site.feeder.site_n_branch=1", "site.feeder.site_rating_MVA=0.05"}));
  const auto large =
      run(tiny("", {"run.duration_h=0.1", "site.feeder.site_n_branch=1", "site.feeder.site_rating_MVA=0.2"}));
  CHECK(loading(small, "feeder_loading_max_percent").back().second ==
        Approx(4.0 * loading(large, "feeder_loading_max_percent").back().second).epsilon(0.02));
  CHECK(loading(small, "feeder_loading_max_percent").back().second > 100.0);
}
