#include "sim/order_tiers.hpp"

#include <algorithm>
#include <numeric>

#include "catch.hpp"
#include "sim/build_fleet.hpp"
#include "tidewatt/io/payload_hash.hpp"
#include "tidewatt/sim/run.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

/// A job like that of the tiny scenario on 32 GPUs.
std::string job(const std::string& name, const std::string& curtailment) {
  return "[[job]]\nname = \"" + name + "\"\nmodel = \"llama3_8b\"\nnetwork = \"llama3_roce\"\n" +
         R"([job.plan]
n_gpu = 32
tp = 8
pp = 4
virtual_stages = 2
micro_batch_sequences = 1
global_batch_sequences = 16
sequence_tokens = 8192
gradient_bytes = 4
sequence_parallel = true
fused_attention = true
dp_overlap = true
pp_overlap = true
tp_overlap_frac = 0.0
recompute = "none"
sharding = "fsdp"
rank_order = "tp-cp-pp-dp"
[job.life]
start_s = 5
initialise_base_s = 2
arrive_s = 0
load_per_gpu_GB_per_s = 2
storage_GB_per_s = 2000
warm_up_s = 2
checkpoint_interval_s = 0
checkpoint_base_s = 1
checkpoint_per_gpu_GB_per_s = 2
copy_link_frac = 0.02
detect_s = 10
replace_s = 10
planned_stop_s = 60
[job.curtailment]
)" + curtailment;
}

/// 64 GPUs of `main`, which may never be touched, 32 that may be capped and 32 that may be paused.
Scenario three_jobs(const std::string& more, std::vector<std::string> set = {},
                    const std::string& first = "may = \"cap\"\ntier = 1\n",
                    const std::string& second = "may = \"pause\"\ntier = 2\n") {
  set.insert(set.end(), {"job.main.plan.n_gpu=64", "job.main.plan.global_batch_sequences=32", "run.macro_step_s=10",
                         "run.macro_step_max_s=10", "job.main.curtailment.may=never"});
  return tiny(job("first", first) + job("second", second) + more, std::move(set));
}

std::string order(const char* limit_MW, const char* by = "tiers") {
  return std::string("[[event]]\nname = \"order\"\nkind = \"curtailment\"\nby = \"") + by +
         "\"\nat_s = 300\nnotice_s = 150\nduration_s = 200\nlimit_MW = " + limit_MW + "\n";
}

/// A site whose power is the sum of its jobs, each idle + share · swing; paused at once.
struct Site {
  OrderTiers& tiers;
  double swing_W[3] = {40e3, 20e3, 20e3}, idle_W = 10e3, other_W = 5e3, J[3] = {};
  Tick now = 0;
  std::vector<OrderTiers::Act> said = {};

  double job_W(std::size_t j) const { return tiers.paused(j) ? idle_W : idle_W + tiers.share(j) * swing_W[j]; }
  double W() const { return other_W + job_W(0) + job_W(1) + job_W(2); }
  /// @return the power of the step
  double step() {
    const double mean_W = W();
    now += 60 * ns_per_s;
    for (std::size_t j = 0; j < 3; ++j) tiers.measure(j, J[j] += 60.0 * job_W(j), now, false);
    for (auto& act : tiers.follow(now, mean_W)) said.push_back(std::move(act));
    return mean_W;
  }
};

struct Tiers {
  Scenario scenario;
  fleet::Fleet fleet = build_fleet(scenario);
  OrderTiers tiers{scenario, fleet, OrderMeans::tiers};
  Site site{tiers};
  explicit Tiers(Scenario s) : scenario(std::move(s)) {
    for (std::size_t j = 0; j < 3; ++j) tiers.set_idle(j, site.idle_W);
  }
};

const char* to_cap = "may = \"cap\"\ntier = 1\nlowest_cap_W = 420\n";  // 0.6 of 700 W

/// Mean of a job's rows whose macro step lies within a time.
double mean_of(const Result& r, const std::string& job, const char* what, double from_s, double until_s) {
  const auto& time = reals(r, "/job/" + job + "/time");
  const auto& x = reals(r, "/job/" + job + "/" + what);
  double sum = 0.0;
  int n = 0;
  for (std::size_t i = 0; i + 1 < time.size(); ++i)
    if (time[i] >= from_s && time[i + 1] <= until_s) sum += x[i], ++n;
  return sum / n;
}

const std::vector<std::string>& words(const Result& r, const std::string& path) {
  for (const auto& a : r.arrays)
    if (a.path == path) return std::get<std::vector<std::string>>(a.values);
  throw std::runtime_error("no array " + path);
}

/// When the log first says this of a job; −1: never.
double when(const Result& r, const char* kind, const char* entity) {
  const auto& kinds = words(r, "/events/kind");
  const auto& entities = words(r, "/events/entity");
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] == kind && entities[i] == entity) return reals(r, "/events/time")[i];
  return -1.0;
}

}  // namespace

TEST_CASE("a tier that suffices gives alone, and what was asked", "[tiers]") {
  Tiers t(three_jobs("", {}, to_cap));
  const double before_W = t.site.W();
  const double limit_W = before_W - 5e3;  // caps can give 8 kW
  t.tiers.set_outside(limit_W);
  for (int i = 0; i < 12; ++i) t.site.step();
  CHECK(t.site.W() <= limit_W);
  CHECK(t.site.W() >= 0.985 * limit_W);
  CHECK_FALSE(t.tiers.paused(2));  // the next tier is not asked: this fails if tiers are ignored
  CHECK(t.tiers.share(0) == 1.0);
  CHECK_FALSE(t.tiers.paused(0));
}

TEST_CASE("the next tier gives only after the one before has given all", "[tiers]") {
  Tiers t(three_jobs("", {}, to_cap));
  t.tiers.set_outside(t.site.W() - 15e3);  // 8 kW by caps, then 20 kW by the pause
  while (!t.tiers.paused(2)) {
    REQUIRE(t.site.now < 20 * 60 * ns_per_s);
    const bool all_given = t.tiers.share(1) * 700.0 <= 420.0 * (1.0 + 1e-12);
    t.site.step();
    if (t.tiers.paused(2)) CHECK(all_given);
  }
  std::vector<std::string> kinds;
  for (const auto& act : t.site.said) kinds.push_back(act.kind);
  CHECK(kinds == std::vector<std::string>{"order_cap", "order_lowest_cap", "order_pause"});
  // Caps of the tier before the pause stay as long as it lasts, though the pause alone would do.
  for (int i = 0; i < 5; ++i) t.site.step();
  CHECK(t.tiers.share(1) == Approx(0.6));
  // The order ends: all are released.
  t.tiers.set_outside(std::numeric_limits<double>::infinity());
  t.site.step();
  CHECK(t.tiers.share(1) == 1.0);
  CHECK_FALSE(t.tiers.paused(2));
  CHECK_FALSE(t.tiers.holds());
}

TEST_CASE("tiers the other way round: the pause suffices and no cap falls", "[tiers]") {
  Tiers t(three_jobs("", {}, "may = \"cap\"\ntier = 2\n", "may = \"pause\"\ntier = 1\n"));
  t.tiers.set_outside(t.site.W() - 15e3);
  for (int i = 0; i < 8; ++i) t.site.step();
  CHECK(t.tiers.paused(2));
  CHECK(t.tiers.share(1) == 1.0);
}

TEST_CASE("of two jobs of a tier that may pause, one pauses where it suffices", "[tiers]") {
  Tiers t(three_jobs("", {}, "may = \"pause\"\ntier = 1\n", "may = \"pause\"\ntier = 1\n"));
  t.tiers.set_outside(t.site.W() - 5e3);
  for (int i = 0; i < 4; ++i) t.site.step();
  CHECK(t.tiers.paused(1));
  CHECK_FALSE(t.tiers.paused(2));
}

TEST_CASE("an order beyond all tiers is short by a stated power, and a job that may never be touched is not",
          "[tiers]") {
  Tiers t(three_jobs("", {}, to_cap));
  const double limit_W = t.site.W() - 40e3;
  t.tiers.set_outside(limit_W);
  for (int i = 0; i < 12; ++i) t.site.step();
  CHECK(t.site.W() == Approx(limit_W + 12e3));  // 8 + 20 of 40 kW
  CHECK(t.tiers.share(0) == 1.0);
  CHECK_FALSE(t.tiers.paused(0));
  const auto& last = t.site.said.back();
  CHECK(last.kind == "order_short");
  CHECK(last.job == 3);  // the site
  CHECK_THAT(last.text, Catch::Contains("0.012 MW too much"));
  CHECK(std::count_if(t.site.said.begin(), t.site.said.end(), [](const auto& a) { return a.kind == "order_short"; }) ==
        1);
}

TEST_CASE("caps rise again when the load falls for another reason", "[tiers]") {
  Tiers t(three_jobs("", {}, to_cap));
  t.tiers.set_outside(t.site.W() - 5e3);
  for (int i = 0; i < 12; ++i) t.site.step();
  CHECK(t.tiers.share(1) < 0.8);
  t.site.swing_W[0] -= 20e3;
  for (int i = 0; i < 12; ++i) t.site.step();
  CHECK(t.tiers.share(1) == 1.0);
  CHECK(t.site.said.back().kind == "order_release");
}

TEST_CASE("a run keeps an order tier by tier, and every job's rows hold its energy", "[tiers]") {
  const std::vector<std::string> set = {"run.duration_h=0.16"};
  const auto free = run(three_jobs("", set));
  const double free_MW = mean_of(free, "main", "it_W", 100, 150) * 1e-6;
  REQUIRE(free_MW > 0.04);
  const auto site_MW = [](const Result& r) {
    for (const auto& [k, v] : r.summary)
      if (k == "order_kept") return std::get<std::vector<std::pair<std::string, double>>>(v).at(1).second;
    return std::nan("");
  };
  // A little: caps of `first` alone.
  const auto little = run(three_jobs(order("0.145"), set));
  CHECK(site_MW(little) < 0.145);
  CHECK(site_MW(little) > 0.141);
  CHECK(when(little, "order_cap", "first") >= 150.0);
  CHECK(when(little, "order_pause", "second") == -1.0);
  CHECK(when(little, "order_release", "first") == Approx(500.0));
  CHECK(mean_of(little, "first", "it_W", 320, 480) < 0.9 * mean_of(free, "first", "it_W", 320, 480));
  // More: then the pause of `second`.
  const auto more = run(three_jobs(order("0.125"), set));
  CHECK(when(more, "order_lowest_cap", "first") > 0.0);
  CHECK(when(more, "order_pause", "second") > when(more, "order_lowest_cap", "first"));
  CHECK(site_MW(more) < 0.125);
  CHECK(mean_of(more, "second", "tokens_per_s", 320, 480) == 0.0);
  CHECK(mean_of(more, "second", "tokens_per_s", 560, 570) > 0.0);  // it trains again
  // `main` only feels cooler air.
  for (const auto* r : {&little, &more})
    CHECK(mean_of(*r, "main", "it_W", 320, 480) == Approx(mean_of(free, "main", "it_W", 320, 480)).epsilon(0.01));
  // Conservation: all servers belong to jobs.
  for (const auto* r : {&free, &little, &more}) {
    double J = 0.0;
    for (const char* name : {"main", "first", "second"}) {
      const auto& time = reals(*r, std::string("/job/") + name + "/time");
      const auto& W = reals(*r, std::string("/job/") + name + "/it_W");
      for (std::size_t i = 0; i < time.size(); ++i) J += W[i] * ((i + 1 < time.size() ? time[i + 1] : 576.0) - time[i]);
    }
    CHECK(J == Approx(figure(*r, "it_mean_MW") * 1e6 * 576.0).epsilon(1e-6));
  }
}

TEST_CASE("a run resumed within an order by tiers ends with the same bits", "[tiers]") {
  const auto s = three_jobs(order("0.125"), {"run.duration_h=0.16"});
  Engine whole(s), first(s), second(s);
  while (first.time_s() < 340.0) first.step();
  second.restore(first.save());
  while (!whole.done()) whole.step();
  while (!second.done()) second.step();
  CHECK(io::payload_sha256(whole.finish()) == io::payload_sha256(second.finish()));
}

TEST_CASE("what jobs give up is checked with the orders", "[tiers]") {
  const auto refused = [](const std::string& more, const std::string& first, std::vector<std::string> set = {}) {
    try {
      three_jobs(more, std::move(set), first);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  CHECK(refused(order("0.1"), to_cap) == "accepted");
  CHECK_THAT(refused(order("0.1"), "may = \"caps\"\n"), Catch::Contains("may") && Catch::Contains("'cap'"));
  CHECK_THAT(refused(order("0.1"), "may = \"cap\"\ntier = 0\n"), Catch::Contains("job.first.curtailment.tier"));
  CHECK_THAT(refused(order("0.1"), "may = \"cap\"\ntire = 1\n"), Catch::Contains("tire") && Catch::Contains("tier"));
  CHECK_THAT(refused(order("0.1"), "may = \"cap\"\nlowest_cap_W = 100\n"),
             Catch::Contains("job.first.curtailment.lowest_cap_W") && Catch::Contains("200 to 700 W"));
  CHECK_THAT(refused(order("0.1"), "may = \"pause\"\nlowest_cap_W = 400\n"), Catch::Contains("is for may = 'cap'"));
  CHECK_THAT(refused(order("0.1", "cap"), to_cap), Catch::Contains("job 'main' may never be touched"));
  CHECK_THROWS_WITH(tiny(order("0.05")), Catch::Contains("no job says what it gives up"));
}
