#include "sim/grid_case.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

const std::vector<std::string> on_ieee9 = {"grid.case=ieee9", "grid.case_bus=8", "grid.case_length_s=12"};

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string text_of(const Result& r, const std::string& key) {
  for (const auto& [k, v] : r.summary)
    if (k == key) return std::holds_alternative<std::string>(v) ? std::get<std::string>(v) : "null";
  return "absent";
}

}  // namespace

TEST_CASE("a run's own case gives what the machines answer to its recorded window, and leaves the run as it was") {
  const auto s = tiny("", on_ieee9);
  const auto with = run(s), without = run(tiny());
  const auto &W = reals(with, "/waveform_sample/pcc_W"), &before_W = reals(without, "/waveform_sample/pcc_W");
  CHECK(W == before_W);  // one way
  const auto direct = grid::machine_response(*s.grid_case->system, 8, std::span(W).first(12'000), 1e-3);
  double largest_Hz = 0.0;
  for (const auto& m : direct.machines) largest_Hz = std::max(largest_Hz, m.peak_to_peak_Hz);
  CHECK(figure(with, "grid_case_machine_swing_mHz") == Approx(1e3 * largest_Hz).epsilon(1e-12));
  CHECK(largest_Hz > 0.0);
  CHECK(text_of(with, "grid_case") == "ieee9, bus 8, 12 s from 30 s");
  CHECK(text_of(without, "grid_case") == "absent");
  CHECK(reals(with, "/grid_case/time").size() == reals(with, "/grid_case/bus_Hz").size());
  CHECK(reals(with, "/grid_case/machine_Hz").size() == 3 * reals(with, "/grid_case/time").size());
}

TEST_CASE("ten times the swing moves machines and bus ten times as far") {
  const auto s = tiny("", on_ieee9);
  const auto answer = [&](double scale) {
    std::vector<double> W, t;
    for (int i = 0; i < 60'000; ++i) t.push_back(30.0 + 1e-3 * i), W.push_back(scale * (i / 700 % 2 == 0 ? 1e5 : 2e5));
    const std::vector<NamedArray> arrays = {{"/waveform_sample/time", {"time"}, {60'000}, t, "s", ""},
                                            {"/waveform_sample/pcc_W", {"time"}, {60'000}, W, "W", ""}};
    return answer_of_grid_case(s, arrays).response;
  };
  const auto one = answer(1.0), ten = answer(10.0);
  for (std::size_t m = 0; m < 3; ++m)
    CHECK(ten.machines[m].peak_to_peak_Hz == Approx(10.0 * one.machines[m].peak_to_peak_Hz).epsilon(0.02));
  CHECK(ten.bus_highest_Hz - ten.bus_lowest_Hz ==
        Approx(10.0 * (one.bus_highest_Hz - one.bus_lowest_Hz)).epsilon(0.02));
  CHECK(ten.voltage_highest_pu - ten.voltage_lowest_pu ==
        Approx(10.0 * (one.voltage_highest_pu - one.voltage_lowest_pu)).epsilon(0.05));
}

TEST_CASE("the case's voltage goes through the site's own ride-through curve") {
  // Bus 8 of the case stands at 1.016 pu: a site that calls 1.005 too high leaves within the window, one that calls 1.2 high stays.
  const auto leaves = [](const char* high_pu) {
    auto set = on_ieee9;
    set.push_back(
        std::string("site.load_settings={group={servers={of=\"servers\",kind=\"supply\",share_frac=1,high_pu=[") +
        high_pu + "],high_after_s=[0.5]}}}");
    auto s = tiny("", set);
    std::vector<double> W(60'000, 1e5), t;
    for (int i = 0; i < 60'000; ++i) t.push_back(30.0 + 1e-3 * i);
    return answer_of_grid_case(s, {{"/waveform_sample/time", {"time"}, {60'000}, t, "s", ""},
                                   {"/waveform_sample/pcc_W", {"time"}, {60'000}, W, "W", ""}});
  };
  const auto tight = leaves("1.005"), fine = leaves("1.2");
  CHECK(tight.leaves_at_s == Approx(30.5).margin(0.05));
  CHECK(tight.leaves_why == "voltage high");
  CHECK(fine.leaves_at_s < 0.0);
}

TEST_CASE("a case that cannot be is refused with its place, its value and what there is") {
  CHECK(says(refusal({"grid.case=ieee8"}), "grid.case: no grid_case named 'ieee8'"));
  CHECK(says(refusal({"grid.case=ieee8"}), "tiny.toml"));
  CHECK(says(refusal({"grid.case=ieee9", "grid.case_bus=12"}), "has no bus 12; its buses: 1, 2, 3, 4, 5, 6, 7, 8, 9"));
  CHECK(says(refusal({"grid.case=ieee9", "grid.case_window=other"}), "no recorded window 'other'; there are: sample"));
  CHECK(says(refusal({"grid.case=ieee9", "grid.case_length_s=61"}), "more than the 60 s of window 'sample'"));
  CHECK(says(refusal({"grid.case=ieee9", "grid.case_begin_s=30"}), "more than the 60 s of window 'sample'"));
  CHECK(says(refusal({"grid.case=ieee9", "grid.frequency.nominal_Hz=50"}), "a system of 60 Hz"));
  CHECK(says(refusal({"grid.case_bus=5"}), "belongs to a power system of several machines"));
  CHECK(
      says(refusal({"grid.case=ieee9", "grid.case_bus=12", "grid.case_window=other"}), "12"));  // all findings at once
  CHECK(says(refusal({"grid.case=ieee9", "grid.case_bus=12", "grid.case_window=other"}), "other"));
}
