#include "connection/load_lane.hpp"

#include <numeric>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::connection;

namespace {

/// Steps of 1 and 3 W over a period of 2.5 ms.
LoadTemplate steps() {
  LoadTemplate t;
  t.period = 2'500'000;
  t.bin_J = {1e-3, 3e-3, 1.5e-3};  // the last bin is half as long
  t.min_W = 1.0;
  t.max_W = 3.0;
  return t;
}

double sum(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

}  // namespace

TEST_CASE("energy between two instants of a template is its integral") {
  CHECK(energy_between_J(steps(), 0, 2'500'000) == Approx(5.5e-3));
  CHECK(energy_between_J(steps(), 500'000, 1'500'000) == Approx(0.5e-3 + 1.5e-3));
  CHECK(energy_between_J(steps(), 2'250'000, 2'500'000) == Approx(0.75e-3));
  CHECK(repeated_energy_J(steps(), 2'000'000, 10'000'000) == Approx(4 * 5.5e-3));
}

TEST_CASE("a lane's repetitions and what follows them land on absolute bins with all their energy") {
  LoadLane lane;
  lane.append(steps(), 3, true);   // 7.5 ms
  lane.append(steps(), 1, false);  // 10 ms
  std::vector<double> bins(10, 0.0);
  lane.lay(0, 4 * ns_per_ms, std::span(bins).first(4));
  lane.lay(4 * ns_per_ms, 10 * ns_per_ms, std::span(bins).subspan(4));
  CHECK(sum(bins) == Approx(4 * 5.5e-3).epsilon(1e-14));
  CHECK(bins[0] == Approx(1e-3));
  CHECK(bins[2] == Approx(1.5e-3 + 0.5e-3));  // half a bin of the first repetition, half of the second
  CHECK(lane.at(8 * ns_per_ms).iterating == false);
  CHECK(lane.end() == 10 * ns_per_ms);
}
