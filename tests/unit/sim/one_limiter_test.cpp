// One owner for what a board may draw: caps, orders, smoothing, ballast and halls with limits of their own, together.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tidewatt/sim/run.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

const std::string ballast =
    "\n[[mitigation]]\nname = \"b\"\nkind = \"ballast\"\ncatalog = \"ballast_firefly\"\n";  // for 630 W of 700 W
const std::string slow_falls =
    "\n[[mitigation]]\nname = \"s\"\nkind = \"gpu_smoothing\"\nfloor_ratio = 0.0\nramp_up_W_per_s = 700\n"
    "ramp_down_W_per_s = 50\nhysteresis_s = 0\n";
const std::string floor_60 =
    "\n[[mitigation]]\nname = \"s\"\nkind = \"gpu_smoothing\"\nfloor_ratio = 0.6\nramp_up_W_per_s = 2000\n"
    "ramp_down_W_per_s = 500\nhysteresis_s = 1\n";
const std::vector<std::string> six_minutes = {"run.duration_h=0.1"};

Result capped(const std::string& more, double cap_W, std::vector<std::string> set = six_minutes) {
  set.push_back(fmt::format("hall.a.cap_W={}", cap_W));
  return run(tiny(more, set));
}

double tokens_per_s(const Result& r) { return figure(r, "tokens_per_s_mean"); }

/// Time-weighted excess over the caps, W: every step within a thousandth of the cap is kept.
double over_W(const Result& r) { return figure(r, "cap_over_max_W") * figure(r, "cap_over_percent") / 100.0; }

}  // namespace

TEST_CASE("a lower cap gives fewer tokens, with ballast and smoothing as without, and is kept", "[limits]") {
  for (const auto& holds : {std::string(), ballast, slow_falls, floor_60, floor_60 + ballast}) {
    double before = 1e300;
    for (const double cap_W : {700.0, 640.0, 630.0, 600.0, 540.0, 510.0, 420.0}) {
      const auto r = capped(holds, cap_W);
      INFO(holds << cap_W);
      CHECK(tokens_per_s(r) <= 1.001 * before);
      CHECK(over_W(r) < 0.7e-3 * 700.0);
      before = tokens_per_s(r);
    }
  }
  // It collapsed to a quarter where the ballast's level lay above the cap.
  CHECK(tokens_per_s(capped(ballast, 600)) > 0.9 * tokens_per_s(capped("", 600)));
}

TEST_CASE("a level that gives way to the limit says so, one below it does not", "[limits]") {
  const auto says = [](const Result& r) {
    for (const auto& a : r.arrays)
      if (a.path == "/events/kind") {
        const auto& kinds = std::get<std::vector<std::string>>(a.values);
        return std::count(kinds.begin(), kinds.end(), "hold_gives_way");
      }
    return std::ptrdiff_t{-1};
  };
  CHECK(says(capped(ballast, 600)) == 1);
  CHECK(says(capped(ballast, 700)) == 0);
}

TEST_CASE("limits are kept where nobody waits, and while an order lowers them", "[limits]") {
  auto set = six_minutes;
  set.emplace_back("run.gating=false");
  for (const auto& holds : {ballast, slow_falls}) CHECK(over_W(capped(holds, 600, set)) < 0.7);
  const std::string order =
      "\n[[event]]\nname = \"o\"\nkind = \"curtailment\"\nby = \"cap\"\nat_s = 150\nduration_s = 150\nlimit_MW = 0.1\n";
  for (const auto& holds : {std::string(), ballast, slow_falls, floor_60})
    CHECK(over_W(capped(holds + order, 700)) < 0.7);
}

TEST_CASE("a job over halls with limits of their own keeps each, whichever hall comes first", "[limits]") {
  const auto two = [](const std::string& holds, double first_W, double second_W) {
    const std::string hall =
        "\n[[hall]]\nname = \"z\"\nn_gpu = 64\ngpu = {catalog = \"h100_sxm_700W\", compute = {host_gap_s = 0}}\n"
        "server = \"grand_teton_h100\"\nplant = \"outside_air_evaporative\"\nservers_per_rack = 2\nracks_per_row = 2\n"
        "recirculation_frac = 0.05\nrecirculation_sigma_ratio = 0.5\n";
    auto set = six_minutes;
    set.insert(set.end(),
               {"hall.a.n_gpu=64", fmt::format("hall.a.cap_W={}", first_W), fmt::format("hall.z.cap_W={}", second_W)});
    return run(tiny(hall + holds, set));
  };
  for (const auto& holds : {std::string(), ballast, slow_falls}) {
    const auto one = two(holds, 490, 350), other = two(holds, 350, 490);
    CHECK(over_W(one) < 0.7);
    CHECK(over_W(other) < 0.7);
    // Chips differ by their places, so the figures do by some percent; a quarter was lost where the tighter hall came second.
    CHECK(tokens_per_s(one) == Approx(tokens_per_s(other)).epsilon(0.05));
  }
}

TEST_CASE("GPUs of a hall without a cap keep their board's limit beside those of a hall at half of it", "[limits]") {
  const std::string hall =
      "\n[[hall]]\nname = \"z\"\nn_gpu = 64\ngpu = {catalog = \"h100_sxm_700W\", compute = {host_gap_s = 0}}\n"
      "server = \"grand_teton_h100\"\nplant = \"outside_air_evaporative\"\nservers_per_rack = 2\nracks_per_row = 2\n";
  auto set = six_minutes;
  set.insert(set.end(), {"hall.a.n_gpu=64", "hall.z.cap_W=350", "run.gating=false"});
  // 81 W in nearly all of the work, with clocks as under the tighter limit. Without gating all work lasts as long as at the mean clock, so
  // faster GPUs work for a larger share of it than alone: 2 % too much in a third of the time.
  CHECK(over_W(run(tiny(hall, set))) < 7.0);
}

TEST_CASE("ballast with a chip whose power may only rise slowly: the energy balance closes, and a pause takes place",
          "[limits]") {
  const std::string slow_rise =
      "\n[[mitigation]]\nname = \"s\"\nkind = \"gpu_smoothing\"\nfloor_ratio = 0.4\nramp_up_W_per_s = 200\n"
      "ramp_down_W_per_s = 3000\nhysteresis_s = 5\n";
  const auto r = run(tiny(slow_rise + ballast +
                              "\n[[event]]\nname = \"p\"\nkind = \"pause\"\njob = \"main\"\nat_s = 100\n"
                              "duration_s = 60\n",
                          six_minutes));
  CHECK(figure(r, "energy_closure") < 1e-11);
  CHECK(figure(r, "n_interruptions_planned") == 1);
}
