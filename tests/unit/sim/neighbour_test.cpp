#include "tidewatt/sim/neighbour.hpp"

#include <algorithm>

#include "catch.hpp"
#include "tiny.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

const char* replay = R"(
[[site.neighbour]]
name = "next"
kind = "replay"
file = "neighbour.csv"
time_column = "t"
time_format = "s"
unit = "kW"
gap_s = 30
n_copy = 4
)";

/// Llama 3 8B on two GPUs per replica.
const char* service = R"(
[[site.neighbour]]
name = "chat"
kind = "inference"
hall = "a"
inlet_degC = 24
model = "llama3_8b"
network = "llama3_roce"
[site.neighbour.service]
peak_requests_per_s = 64
hour_frac = [0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0.5,0,0,0,0,0,0,0,0]
prompt_tokens = 1000
output_tokens = 300
tp = 2
n_replica = 64
max_batch = 64
step_overhead_ms = 1
)";

double total_s(const Result& r) { return figure(r, "simulated_s"); }

}  // namespace

TEST_CASE("a recorded neighbour adds its own energy, every joule and every peak, and nothing to the job") {
  const auto alone = run(tiny()), both = run(tiny(replay));
  // Four copies of 1 + 0.5 kW for 60 s but for 49 kW more during 2 ms, then of 3.25 kW for 40 s (the last sample as long
  // as the one before it); nothing afterwards.
  const double expected_J = 4.0 * (60.0 * 1500.0 + 0.002 * 49e3 + 40.0 * 3250.0);
  CHECK(reals(both, "/neighbours/load_J")[0] == Approx(expected_J).epsilon(1e-12));
  CHECK(reals(both, "/neighbours/max_W")[0] == Approx(4.0 * 50.5e3));
  CHECK(figure(both, "neighbours_mean_MW") == Approx(expected_J / total_s(both) * 1e-6).epsilon(1e-12));
  CHECK((figure(both, "it_mean_MW") - figure(alone, "it_mean_MW")) * 1e6 * total_s(both) ==
        Approx(expected_J).epsilon(1e-8));
  CHECK(figure(both, "energy_closure") <= 1e-11);
  CHECK(figure(both, "iteration_s") == figure(alone, "iteration_s"));
  CHECK(figure(both, "die_max_degC") == figure(alone, "die_max_degC"));
  // The 2 ms peak stands in the waveform: two bins at 40 s, and not the ones beside them.
  const auto &wave = reals(both, "/waveform_sample/pcc_W"), &before = reals(alone, "/waveform_sample/pcc_W");
  const auto more_W = [&](std::size_t ms) { return wave[10'000 + ms] - before[10'000 + ms]; };
  CHECK(more_W(0) > 4.0 * 50.5e3);
  CHECK(more_W(1) == Approx(more_W(0)).epsilon(0.01));
  CHECK(more_W(2) < 4.0 * 1.6e3);
  CHECK(reals(alone, "/hourly/it_J").size() == reals(both, "/hourly/it_J").size());
}

TEST_CASE("a recording begins when it is told, repeats or is off, and activity becomes power") {
  const std::string late = std::string(replay) + "begin_s = 62.5\n";
  const auto later = run(tiny(late));  // 112.5 s: the first 50 s of the recording
  CHECK(reals(later, "/neighbours/load_J")[0] == Approx(4.0 * (50.0 * 1500.0 + 0.002 * 49e3)).epsilon(1e-12));
  const auto off = run(tiny(late + "outside_W = 100\n"));
  CHECK(reals(off, "/neighbours/load_J")[0] - reals(later, "/neighbours/load_J")[0] ==
        Approx(4.0 * 62.5 * 100.0).epsilon(1e-9));
  const auto again = run(tiny(std::string(replay) + "repeat = true\n"));  // 100 s, then its first 12.5 s
  CHECK(reals(again, "/neighbours/load_J")[0] ==
        Approx(4.0 * (72.5 * 1500.0 + 0.002 * 49e3 + 40.0 * 3250.0)).epsilon(1e-12));
  const auto activity = run(tiny(R"(
[[site.neighbour]]
name = "next"
kind = "replay"
file = "neighbour.csv"
time_column = "t"
time_format = "s"
columns = ["fan_kW"]
unit = "frac"
gap_s = 30
empty_W = 1000
full_W = 3000
)"));
  CHECK(reals(activity, "/neighbours/load_J")[0] == Approx(60.0 * 2000.0 + 40.0 * 1500.0).epsilon(1e-12));
}

TEST_CASE("node power of an MLPerf result is read as it is published") {
  const auto r = run(tiny(R"(
[[site.neighbour]]
name = "next"
kind = "replay"
format = "mlperf"
file = "neighbour_mlperf.csv"
begin_s = 50
)"));
  CHECK(reals(r, "/neighbours/load_J")[0] == Approx(10.0 * (9000.0 + 18500.0 + 5000.0)).epsilon(1e-12));
  CHECK(figure(r, "energy_closure") <= 1e-11);
}

TEST_CASE(
    "an inference service draws more when more is asked, scatters less the more replicas it has, and keeps the books") {
  const auto idle = run(tiny(service, {"site.neighbour.chat.service.peak_requests_per_s=0"}));
  const auto busy = run(tiny(service));
  const double per_gpu_W = figure(busy, "neighbours_mean_MW") * 1e6 / 128.0;
  CHECK(figure(busy, "energy_closure") <= 1e-11);
  CHECK(figure(idle, "neighbours_mean_MW") < 0.7 * figure(busy, "neighbours_mean_MW"));
  CHECK(per_gpu_W > 150.0);  // of 700 W and a server's share
  CHECK(per_gpu_W < 1300.0);
  // One replica's swing, and that of 64 with phases of their own, over what each draws.
  const auto swing = [](const Result& r) {
    return reals(r, "/neighbours/max_W")[0] / (figure(r, "neighbours_mean_MW") * 1e6) - 1.0;
  };
  const auto one = run(
      tiny(service, {"site.neighbour.chat.service.n_replica=1", "site.neighbour.chat.service.peak_requests_per_s=1"}));
  CHECK(figure(one, "neighbours_mean_MW") * 64.0 == Approx(figure(busy, "neighbours_mean_MW")).epsilon(0.01));
  CHECK(swing(busy) < 0.5 * swing(one));
  CHECK(figure(run(tiny(service), {3, {}}), "pcc_max_MW") == figure(busy, "pcc_max_MW"));
}

TEST_CASE("a service follows the hours of the day") {
  // An hour at the peak, then 112.5 s at half of it.
  const auto r = run(tiny(service, {"run.start=\"2024-07-20T14:00:00\"", "run.duration_h=1.03125"}));
  const auto full = run(tiny(service));
  const double all_J = reals(r, "/neighbours/load_J")[0], full_W = figure(full, "neighbours_mean_MW") * 1e6;
  const double half_W = (all_J - 3600.0 * full_W) / 112.5;
  CHECK(half_W < 0.95 * full_W);
  CHECK(half_W > 0.3 * full_W);
  CHECK(figure(r, "energy_closure") <= 1e-11);
}

TEST_CASE("a neighbour without a sense is refused with its place") {
  const auto refused = [](const std::string& more, const char* text) {
    try {
      tiny(more);
    } catch (const InputError& e) {
      return std::string(e.what()).find(text) != std::string::npos;
    }
    return false;
  };
  CHECK(refused("[[site.neighbour]]\nname = \"n\"\nkind = \"replay\"\nformat = \"mlperf\"\n", "--recording"));
  CHECK(refused("[[site.neighbour]]\nname = \"n\"\nkind = \"replay\"\nformat = \"mlperf\"\nfile = \"../x.csv\"\n",
                "below the scenario's folder"));
  CHECK(refused("[[site.neighbour]]\nname = \"n\"\nkind = \"replay\"\nfile = \"neighbour.csv\"\n", "time_column"));
  std::string elsewhere = service;
  elsewhere.replace(elsewhere.find("hall = \"a\""), 10, "hall = \"b\"");
  CHECK(refused(elsewhere, "no hall named 'b'"));
  std::string small = service;
  small.replace(small.find("llama3_8b"), 9, "llama3_405b");
  CHECK(refused(small, "site.neighbour.chat.service"));
}
