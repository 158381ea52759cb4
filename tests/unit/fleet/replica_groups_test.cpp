#include "fleet/replica_groups.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "catch.hpp"
#include "llama_case.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;

namespace {

constexpr double apart_Hz = 8e6;

std::vector<double> every_MHz(std::size_t n) {
  std::vector<double> out(n);
  for (std::size_t r = 0; r < n; ++r) out[r] = 1.7e9 + 1e6 * static_cast<double>(r * 7 % n);
  return out;
}

}  // namespace

TEST_CASE("replicas are grouped by what their chips are rated for", "[fleet]") {
  const auto rated_Hz = every_MHz(32);
  const auto at_rest = group_replicas(rated_Hz, rated_Hz, 4, apart_Hz);
  for (std::size_t r = 0; r < rated_Hz.size(); ++r)
    CHECK(at_rest.of_replica[r] == static_cast<std::size_t>((rated_Hz[r] - 1.7e9) / 8e6));
  for (std::size_t g = 0; g < 4; ++g) CHECK(at_rest.slowest_Hz[g] == 1.7e9 + 8e6 * static_cast<double>(g));
  // All slower on a warm day; replicas of fast groups, warmer for it, by a little more: nobody changes places.
  auto now_Hz = rated_Hz;
  for (std::size_t r = 0; r < now_Hz.size(); ++r)
    now_Hz[r] -= 30e6 + 1e6 * static_cast<double>(at_rest.of_replica[r]) + 0.7e6 * static_cast<double>(r % 3);
  const auto warm = group_replicas(now_Hz, rated_Hz, 4, apart_Hz);
  CHECK(warm.of_replica == at_rest.of_replica);
  for (std::size_t g = 0; g < 4; ++g) {
    double slowest_Hz = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < now_Hz.size(); ++r)
      if (warm.of_replica[r] == g) slowest_Hz = std::min(slowest_Hz, now_Hz[r]);
    CHECK(warm.slowest_Hz[g] == slowest_Hz);
  }
}

TEST_CASE("a replica with a GPU that has become slow goes to the slow ones", "[fleet]") {
  const auto rated_Hz = every_MHz(32);
  const std::size_t fastest =
      static_cast<std::size_t>(std::max_element(rated_Hz.begin(), rated_Hz.end()) - rated_Hz.begin());
  auto now_Hz = rated_Hz;
  now_Hz[fastest] = 1.2e9;
  const auto groups = group_replicas(now_Hz, rated_Hz, 4, apart_Hz);
  CHECK(groups.of_replica[fastest] == 0);
  CHECK(groups.slowest_Hz[0] == 1.2e9);
  CHECK(groups.slowest_Hz[1] > 1.7e9);
  for (std::size_t g = 0; g < 4; ++g) CHECK(std::count(groups.of_replica.begin(), groups.of_replica.end(), g) == 8);
}

TEST_CASE("groups go by their pace, and replicas without a node lead none", "[fleet]") {
  const std::array rated_Hz = {1.70e9, 1.71e9, 1.72e9};
  const std::array now_Hz = {1.713e9, 1.711e9, std::numeric_limits<double>::infinity()};
  const auto groups = group_replicas(now_Hz, rated_Hz, 4, apart_Hz);
  CHECK(groups.slowest_Hz == std::vector{1.711e9, 1.713e9});
  CHECK(groups.of_replica == std::vector<std::size_t>{1, 0, 0});
}

TEST_CASE("a node is rated for its slowest GPU", "[fleet]") {
  LlamaCase llama;
  auto& fleet = llama.fleet;
  FleetTask task;
  task.node_class.assign(4, 0);
  task.class_window = {{.matrix_s = 1.0, .active_matrix_s = 1.0}};
  task.reference_Hz = llama.model.reference_clock_Hz();
  std::fill(fleet.chip.begin(), fleet.chip.end(), power::Chip{});
  std::fill(fleet.resistance_ratio.begin(), fleet.resistance_ratio.end(), 1.0);
  fleet.resistance_ratio[8 + 3] = 1.3;  // a poor contact
  fleet.chip[2 * 8].voltage_offset_V = 0.02;
  fleet.chip[3 * 8 + 7].leakage_ratio = 1.5;
  const auto Hz = rated_clocks_Hz(fleet, task, 650.0, task.reference_Hz);
  REQUIRE(Hz.size() == 4);
  for (std::size_t n = 1; n < 4; ++n) {
    CHECK(Hz[n] < Hz[0] - 1e6);
    CHECK(Hz[n] > 0.9 * Hz[0]);
  }
  // Leaky in front, in cooler air, is less slow than leaky behind.
  std::swap(fleet.chip[3 * 8 + 7], fleet.chip[3 * 8]);
  const auto front_Hz = rated_clocks_Hz(fleet, task, 650.0, task.reference_Hz);
  CHECK(front_Hz[3] > Hz[3]);
}
