#include "io/summary_text.hpp"

#include <cmath>

#include "catch.hpp"

using namespace tidewatt;

namespace {

using Figures = std::vector<std::pair<std::string, sim::Value>>;
using List = std::vector<std::pair<std::string, double>>;

Figures day() {
  return {{"simulated_s", 86400.0},
          {"n_gpu", std::int64_t{16384}},
          {"iteration_s", 6.5432},
          {"tflops_per_gpu", 400.1},
          {"mfu_percent", 40.44},
          {"tokens_per_s_mean", 2564000.0},
          {"throughput_swing_percent", 1.234},
          {"throughput_min_hours", std::vector<std::int64_t>{15}},
          {"clock_mean_MHz", 1500.0},
          {"clock_slowest_MHz", 1425.0},
          {"clock_alone_MHz", 1480.0},
          {"slowest_behind_percent", 3.6},
          {"straggler_loss_percent", 2.2},
          {"die_max_degC", 81.5},
          {"die_mean_degC", 64.2},
          {"limiter_share", List{{"none", 0.0}, {"thermal", 0.021}, {"power", 0.979}}},
          {"it_mean_MW", 15.0},
          {"pcc_mean_MW", 15.75},
          {"pcc_max_MW", 17.6},
          {"pcc_min_MW", 5.9},
          {"pcc_step_1s_max_MW", 10.3},
          {"pcc_ramp_up_max_MW_per_s", 40.4},
          {"pcc_ramp_down_max_MW_per_s", 44.5},
          {"pcc_dominant_Hz", 0.4585},
          {"pcc_dominant_MW", 2.0},
          {"feeder_loading_max_percent", List{{"rack", 20.0}, {"site", 71.0}}},
          {"feeder_loading_mean_max_percent", List{{"rack", 18.0}, {"site", 60.0}}},
          {"freq_deviation_max_mHz", 1.48},
          {"volt_deviation_max_percent", 0.1},
          {"pue", 1.05},
          {"wue_L_per_kWh", 0.33},
          {"n_interruptions_unexpected", std::int64_t{1}},
          {"n_interruptions_planned", std::int64_t{0}},
          {"effective_time_percent", 97.0},
          {"smoothing_burn_MWh", sim::Value()},
          {"energy_closure", 2e-15}};
}

NamedArray column(std::string path, std::vector<double> v) {
  const std::uint64_t n = v.size();
  return {std::move(path), {"time"}, {n}, std::move(v), "1", ""};
}

/// A window of 20 s at 16 MW that falls to 6 MW at 10 s; a failure at `failure_s`; two spectral lines.
sim::Result result(double failure_s = 10.0, Figures changed = {}) {
  sim::Result r;
  r.summary = day();
  for (auto& [key, value] : changed)
    for (auto& [k, v] : r.summary)
      if (k == key) v = value;
  std::vector<double> time, power, frequency, amplitude;
  for (int i = 0; i < 20000; ++i) time.push_back(i * 1e-3), power.push_back(i < 10000 ? 16e6 : 6e6);
  for (int i = 0; i < 4000; ++i) {
    const double f = i / 65.536;
    frequency.push_back(f);
    amplitude.push_back(1e6 * (std::abs(f - 0.1528) < 0.01 ? 1.0 : 0.0) +
                        2e6 * (std::abs(f - 0.4585) < 0.01 ? 1.0 : 0.0));
  }
  r.arrays = {column("/waveform_sample/time", time),
              column("/waveform_sample/pcc_W", power),
              column("/spectrum/frequency_Hz", frequency),
              column("/spectrum/pcc_amplitude_W", amplitude),
              column("/events/time", {1.0, failure_s}),
              {"/events/kind", {"event"}, {2}, std::vector<std::string>{"checkpoint", "failure"}, "1", ""}};
  return r;
}

void has(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) CHECK_THAT(text, Catch::Contains(part));
}

}  // namespace

TEST_CASE("the sentences say the figures of the run") {
  const auto text = io::summary_sentences(result());
  has(text,
      {"Over 24 h, 16,384 GPUs", "2.56 million tokens", "an iteration takes 6.54 s", "swings by 1.23 %",
       "begin at 15:00", "1,500 MHz", "falls to 1,425 MHz", "run at 1,480 MHz on average; the slowest is 3.6 % slower",
       "costs 2.2 % of the tokens", "the power limit 97.9 % and the temperature limit 2.10 %",
       "at 0.153 Hz with an amplitude of 1.00 MW", "harmonic 3: 2.00 MW at 0.459 Hz", "+40.4 and −44.5 MW/s",
       "1.48 mHz", "PUE 1.050", "the load falls to 6.00 MW, 10.0 MW below its lowest in the iteration before"});
  CHECK(text.find("nothing") == std::string::npos);
}

TEST_CASE("the change of load is measured at the event") {
  has(io::summary_sentences(result(7.0)),
      {"the load stays within what it was in the iteration before, 16.0 to 16.0 MW"});
  for (const double at_s : {5.0, 19.5, 100.0})  // an iteration takes 6.54 s
    has(io::summary_sentences(result(at_s)), {"no recorded window holds an iteration before and a second after it"});
  // A dip that the job has in every iteration is no effect of the event.
  auto r = result(13.0);
  auto& power = std::get<std::vector<double>>(r.arrays[1].values);
  for (std::size_t i = 0; i < power.size(); ++i) power[i] = i % 6540 < 500 ? 4e6 : 16e6;
  has(io::summary_sentences(r), {"stays within what it was in the iteration before, 4.00 to 16.0 MW"});
}

TEST_CASE("the largest spectral line is named for what it is") {
  has(io::summary_sentences(result(10.0, {{"pcc_dominant_Hz", 0.1534}, {"pcc_dominant_MW", 1.1}})),
      {"1.10 MW: the largest spectral line"});
  // The slope of something slower is no line.
  auto r = result();
  auto& amplitude = std::get<std::vector<double>>(r.arrays[3].values);
  for (std::size_t i = 0; i < 20; ++i) amplitude[i] = 3e6 / static_cast<double>(i + 1);
  has(io::summary_sentences(r), {"at 0.153 Hz, where no spectral line stands out. The largest"});
  has(io::summary_sentences(result(10.0, {{"pcc_dominant_Hz", 0.23}})), {"not one of its harmonics"});
}

namespace {

/// A day in steps of half an hour whose supply varies by 10 K and whose throughput swings by 1.234 %.
/// @param moves dies follow the supply  @param column which supply it is
sim::Result warm_day(bool moves = true, const char* column_name = "inlet_mean_K", double swing_K = 10.0,
                     Figures changed = {}) {
  auto r = result(10.0, std::move(changed));
  std::vector<double> time, supply, die, clock, rate;
  for (int i = 0; i < 48; ++i) {
    const double phase = std::sin(2.0 * 3.14159265 * i / 48.0), felt = moves ? phase : std::sin(1.7 * i);
    time.push_back(1800.0 * i);
    supply.push_back(295.0 + 0.5 * swing_K * phase);
    die.push_back(337.0 + 4.0 * felt);
    clock.push_back(1.43e9 * (1.0 - 0.007 * felt));
    rate.push_back(2.56e6 * (1.0 - 0.00617 * felt));
  }
  r.arrays.insert(r.arrays.end(), {column("/day/time", time), column(std::string("/day/") + column_name, supply),
                                   column("/day/die_mean_K", die), column("/day/clock_slowest_Hz", clock),
                                   column("/day/throughput_tokens_per_s", rate)});
  return r;
}

}  // namespace

TEST_CASE("a cause of the swing is named only where the run's columns show it") {
  has(io::summary_sentences(warm_day()),
      {"Throughput follows the air at the servers' fronts: over its 10 K, dies become 8.0 K warmer and the slowest "
       "clock falls by 1.4 %",
       "leak more"});
  has(io::summary_sentences(warm_day(true, "liquid_supply_K")), {"follows the liquid at the cold plates", "leak more"});
  has(io::summary_sentences(warm_day(true, "inlet_mean_K", 10.0, {{"limiter_share", List{{"thermal", 1.0}}}})),
      {"less room below the temperature limit"});
  // Without columns, with dies that do not follow, with a supply that does not vary, under a limit that knows no temperature.
  for (const auto& r : {result(), warm_day(false), warm_day(true, "inlet_mean_K", 0.2),
                        warm_day(true, "inlet_mean_K", 10.0, {{"limiter_share", List{{"clock", 1.0}}}})}) {
    const auto text = io::summary_sentences(r);
    CHECK_THAT(text, !Catch::Contains("Throughput follows"));
    CHECK_THAT(text, !Catch::Contains("leak more"));
  }
  // A run without a swing, as one of ten minutes; a swing below its floor.
  CHECK_THAT(io::summary_sentences(warm_day(true, "inlet_mean_K", 10.0, {{"throughput_swing_percent", sim::Value()}})),
             !Catch::Contains("leak more"));
  has(io::summary_sentences(
          warm_day(true, "inlet_mean_K", 10.0,
                   {{"throughput_swing_percent", 0.01}, {"throughput_min_hours", std::vector<std::int64_t>{}}})),
      {"varies by 10 K, and throughput does not follow"});
}

TEST_CASE("a swing under an order is not put down to the weather") {
  auto r = warm_day();
  std::get<std::vector<std::string>>(r.arrays[5].values)[0] = "curtailment";
  const auto text = io::summary_sentences(r);
  has(text, {"moves the limits of the GPUs", "not the weather's alone"});
  CHECK_THAT(text, !Catch::Contains("leak more"));
}

TEST_CASE("an order is judged by metered means, and milliseconds stand beside them") {
  const auto said = [](List kept) {
    auto r = result();
    r.summary.emplace_back("order_kept", std::move(kept));
    return io::summary_sentences(r);
  };
  const List means = {{"most_over_MW", 0.424}, {"n_means_5min", 6.0}, {"n_over_5min", 0.0},
                      {"n_means_15min", 2.0},  {"n_over_15min", 0.0}, {"short_MW", 0.0}};
  has(said(means), {"is met: 0 of 6 means of 5 min and 0 of 2 means of 15 min are above it",
                    "Single milliseconds exceed it by up to 0.424 MW, which no meter counts"});
  auto over = means;
  over[2].second = 1.0, over[5].second = 0.3;
  has(said(over), {"is not met: 1 of 6 means of 5 min", "by up to 0.300 MW"});
  has(said({{"most_over_MW", -1.0}, {"n_means_5min", 0.0}, {"n_over_5min", 0.0}}), {"is not judged"});
}

TEST_CASE("MFU names the format of its peak, with bf16 beside a narrower one") {
  auto r = result();
  r.summary.emplace_back("utilisation_precision", "bf16");
  r.summary.emplace_back("mfu_bf16_percent", 40.44);
  has(io::summary_sentences(r), {"40.4 % MFU of the peak in bf16."});
  CHECK_THAT(io::summary_table(r), !Catch::Contains("of the bf16 peak"));
  r = result(10.0, {{"mfu_percent", 23.1}});
  r.summary.emplace_back("utilisation_precision", "nvfp4");
  r.summary.emplace_back("mfu_bf16_percent", 138.3);
  has(io::summary_text(r), {"23.1 % MFU of the peak in nvfp4 (138 % of the peak in bf16).", "MFU of the bf16 peak"});
}

TEST_CASE("several jobs are named with their own throughput, iteration and line") {
  auto r = result();
  r.jobs = {{{"name", "main"}, {"n_gpu", std::int64_t{128}}, {"tokens_per_s_mean", 0.7e6}, {"iteration_s", 0.5}},
            {{"name", "other"}, {"n_gpu", std::int64_t{64}}, {"tokens_per_s_mean", 0.4e6}, {"iteration_s", 2.0}}};
  const auto text = io::summary_sentences(r);
  has(text, {"2 jobs on 16,384 GPUs process 2.56 million tokens",
             "main 0.700 million on 128 GPUs with an iteration of 0.500 s", "other 0.400 million on 64 GPUs",
             "main at 2.00 Hz and other at 0.500 Hz"});
  CHECK_THAT(text, !Catch::Contains("an iteration takes"));
}

TEST_CASE("entries of lists are words with units") {
  auto r = result();
  r.summary.emplace_back("stops_failure", List{{"n", 1.0}, {"ramp_down_max_MW_per_s", 21.7}});
  has(io::summary_table(r), {"number 1, ramp down max 21.7 MW/s"});
}

TEST_CASE("a swing whose worst hour begins the run is not put down to the weather") {
  auto r = warm_day();
  CHECK(io::summary_sentences(r).find("settle at the start") == std::string::npos);
  r.provenance = {{"start_time", "2024-07-20 15:00:00"}};
  const auto text = io::summary_sentences(r);
  has(text, {"settle at the start"});
  CHECK(text.find("leak more") == std::string::npos);
}

TEST_CASE("a feeder is overloaded by its mean; a peak of a millisecond above the rating is named as one") {
  const auto said = [](double mean, double peak) {
    return io::summary_sentences(
        result(10.0, {{"feeder_loading_max_percent", List{{"rack", 20.0}, {"site", peak}}},
                      {"feeder_loading_mean_max_percent", List{{"rack", 18.0}, {"site", mean}}}}));
  };
  has(said(330.0, 400.0), {"overloaded", "'site'", "330 %", "400 %", "over 15 min", "site.feeder.site_rating_MVA"});
  has(said(96.0, 122.0), {"'site'", "96.0 %", "over 15 min", "millisecond is 122 %"});
  CHECK_THAT(said(96.0, 122.0), !Catch::Contains("overloaded"));
  CHECK_THAT(said(80.0, 99.0), !Catch::Contains("site.feeder"));
}

TEST_CASE("a plant that an event diminished is not called too small") {
  auto r = result();
  r.summary.emplace_back("capacity_margin_min_percent", -12.5);
  has(io::summary_sentences(r), {"The cooling plant is too small: at worst, the load exceeds its capacity by 12.5 %"});
  std::get<std::vector<std::string>>(r.arrays[5].values)[0] = "fan_wall_out";
  const auto text = io::summary_sentences(r);
  has(text, {"does not suffice in this run, which has a failure of fan walls: at worst", "by 12.5 %"});
  CHECK_THAT(text, !Catch::Contains("too small"));
}

TEST_CASE("a figure without meaning is absent from sentences and table") {
  const sim::Value none;
  const auto r = result(10.0, {{"throughput_swing_percent", none},
                               {"throughput_min_hours", std::vector<std::int64_t>{}},
                               {"pcc_dominant_Hz", none},
                               {"clock_slowest_MHz", none},
                               {"clock_alone_MHz", none},
                               {"slowest_behind_percent", none},
                               {"straggler_loss_percent", none},
                               {"tokens_per_s_mean", none},
                               {"limiter_share", none}});
  const auto text = io::summary_text(r);
  for (const char* word : {"swing", "nan", "null", " – ", "slowest", "burned", "Limits on the clocks"}) {
    INFO(word);
    CHECK(text.find(word) == std::string::npos);
  }
  has(text, {"reaches an iteration"});
}

TEST_CASE("--all has every figure that the run has, and the defaults with their sources") {
  auto r = result();
  r.provenance = {{"defaults", "site.feeder = \"hall_480V\"  # definition: chosen example\n"}};
  const auto text = io::summary_all(r);
  for (const auto& [key, value] : r.summary)
    if (!std::holds_alternative<std::monostate>(value)) CHECK(text.find("\n" + key + " ") != std::string::npos);
  CHECK(text.find("smoothing_burn_MWh") == std::string::npos);
  has(text, {"site.feeder = \"hall_480V\"  # definition"});
  has(io::summary_sentences(r), {"1 default that"});
}

TEST_CASE("temperatures that fluids and servers do not take come first, and the margin names its part") {
  auto r = result();
  CHECK(io::summary_sentences(r).find("Over 24 h") == 0);
  r.summary.emplace_back("out_of_range",
                         std::string("supply air of hall a reaches 86 °C, servers start up to 35 °C, from 1800 s on"));
  r.summary.emplace_back("capacity_margin_min_percent", -2.0);
  r.summary.emplace_back("capacity_margin_part", std::string("chillers"));
  const auto text = io::summary_sentences(r);
  CHECK(text.find("Out of range: supply air of hall a reaches 86 °C") == 0);
  has(text, {"the load exceeds the capacity of its chillers by 2.00 %"});
}
