#include "sim/build_fleet.hpp"

#include <cmath>
#include <set>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::fleet;
using namespace tidewatt::sim;

namespace {
Scenario day(std::vector<std::string> set) {
  LoadOptions o;
  o.set = std::move(set);
  return load_scenario(std::string(TIDEWATT_SOURCE_DIR) + "/scenarios/llama3_405b_day.toml", o);
}
}  // namespace

TEST_CASE("racks and rows hold what the scenario says") {
  const auto s = day({});
  const auto f = build_fleet(s);
  CHECK(f.n_gpu() == 16384);
  CHECK(f.n_node() == 2048);
  CHECK(std::set(f.node_rack.begin(), f.node_rack.end()).size() == 1024);
  CHECK(std::set(f.node_row.begin(), f.node_row.end()).size() == 64);
  for (std::size_t n = 1; n < f.n_node(); ++n)
    CHECK((f.node_row[n] >= f.node_row[n - 1] && f.node_rack[n] >= f.node_rack[n - 1]));
}

TEST_CASE("chips are the same for the same seed, differ for another, and are nominal without spread") {
  const auto a = build_fleet(day({})), b = build_fleet(day({})), c = build_fleet(day({"run.seed=2"}));
  const auto flat = build_fleet(day({"run.spread=false"}));
  CHECK(a.chip[77].leakage_ratio == b.chip[77].leakage_ratio);
  CHECK(a.chip[77].leakage_ratio != c.chip[77].leakage_ratio);
  for (const auto& chip : flat.chip) CHECK((chip.leakage_ratio == 1.0 && chip.voltage_offset_V == 0.0));
  CHECK(flat.resistance_ratio[5] == 1.0);
}

TEST_CASE("GPUs of one node resemble each other as much as the server says, and everyone's spread stays",
          "[position]") {
  struct Spread {
    double correlation, sigma, neighbours;
  };
  const auto measured = [](const Fleet& f) {
    double xx = 0, xy = 0, across = 0;
    std::size_t n = 0;
    const auto z = [&](std::size_t node, std::size_t slot) { return std::log(f.resistance_ratio[node * 8 + slot]); };
    for (std::size_t node = 0; node + 1 < f.n_node(); ++node)
      for (std::size_t a = 0; a < 8; ++a) {
        xx += z(node, a) * z(node, a);
        xy += z(node, a) * z(node, (a + 3) % 8);
        across += z(node, a) * z(node + 1, a);
        ++n;
      }
    return Spread{xy / xx, std::sqrt(xx / static_cast<double>(n)), across / xx};
  };
  const auto loose = measured(build_fleet(day({}))),
             tied = measured(build_fleet(day({"hall.a.server.position.node_correlation_ratio=0.4"})));
  CHECK(loose.correlation == Approx(0.0).margin(0.03));
  CHECK(tied.correlation == Approx(0.4).margin(0.04));
  CHECK(tied.neighbours == Approx(0.0).margin(0.04));
  CHECK(tied.sigma == Approx(loose.sigma).epsilon(0.03));
  // Truncated at 2.8 sigma: 0.978 of 0.06.
  CHECK(loose.sigma == Approx(0.06 * 0.978).epsilon(0.02));
  const auto same = build_fleet(day({})), plain = build_fleet(day({"hall.a.server.position.node_correlation_ratio=0"}));
  CHECK(same.resistance_ratio == plain.resistance_ratio);
}

TEST_CASE("a slot keeps its ratio in every server, also where chips are nominal", "[position]") {
  const std::string slots = "hall.a.server.position.slot_resistance_ratio=[1, 1, 1, 1, 1, 1, 1, 1.2]";
  const auto plain = build_fleet(day({})), f = build_fleet(day({slots})),
             flat = build_fleet(day({slots, "run.spread=false"}));
  for (std::size_t n = 0; n < f.n_node(); ++n) {
    CHECK(f.resistance_ratio[n * 8 + 7] == Approx(1.2 * plain.resistance_ratio[n * 8 + 7]));
    CHECK(f.resistance_ratio[n * 8 + 6] == plain.resistance_ratio[n * 8 + 6]);
    CHECK(flat.resistance_ratio[n * 8 + 7] == 1.2);
  }
  CHECK_THROWS_WITH(day({"hall.a.server.position.slot_resistance_ratio=[1, 1.1]"}),
                    Catch::Contains("2 slots, but the server has 8 GPUs"));
  CHECK_THROWS_WITH(day({"hall.a.server.position.node_correlation_ratio=1.5"}),
                    Catch::Contains("node_correlation_ratio"));
}

namespace {

/// Two jobs of 64 GPUs each: 8 nodes, 4 racks, 2 rows of two racks.
Scenario placed(const std::string& first, const std::string& second) {
  const std::string folder = std::string(TIDEWATT_SOURCE_DIR) + "/tests/scenarios";
  LoadOptions o;
  o.set = {"job.main.plan.n_gpu=64", "job.main.plan.pp=2", "hall.a.n_gpu=192"};
  for (const auto& item : {"job.main." + first, "job.other." + second})
    if (item.find('=') != std::string::npos) o.set.push_back(item);
  return load_scenario(folder + "/two_jobs.toml", o);
}

std::vector<std::uint32_t> numbers(const Fleet& f, std::size_t first, std::size_t n) {
  return {f.node_number.begin() + static_cast<std::ptrdiff_t>(first),
          f.node_number.begin() + static_cast<std::ptrdiff_t>(first + n)};
}

}  // namespace

TEST_CASE("without placement jobs stand one behind the other") {
  const auto f = build_fleet(placed("", ""));
  for (std::uint32_t n = 0; n < f.n_node(); ++n) CHECK(f.node_number[n] == n);
}

TEST_CASE("a placed job has the racks that it names, with the chips and the air that are there") {
  const auto plain = build_fleet(placed("", ""));
  const auto f = build_fleet(placed("placement.style=\"striped\"", "placement.first_rack=2"));
  // The second demands racks 2 to 5; of the others the striped one takes one of each row in turn: 0, 6, 8, 1.
  CHECK(numbers(f, 8, 8) == std::vector<std::uint32_t>{4, 5, 6, 7, 8, 9, 10, 11});
  std::set<std::uint32_t> rows;
  for (std::size_t n = 0; n < 8; ++n) rows.insert(f.node_row[n]);
  CHECK(rows.size() == 4);
  std::set<std::uint32_t> all(f.node_number.begin(), f.node_number.end());
  CHECK(all.size() == f.n_node());
  for (std::size_t n = 0; n < f.n_node(); ++n) {
    const std::size_t k = f.node_number[n];
    CHECK(f.node_rack[n] == plain.node_rack[k]);
    CHECK(f.node_recirculation[n] == plain.node_recirculation[k]);
    CHECK(f.chip[n * 8 + 3].leakage_ratio == plain.chip[k * 8 + 3].leakage_ratio);
    CHECK(f.resistance_ratio[n * 8 + 3] == plain.resistance_ratio[k * 8 + 3]);
  }
}

TEST_CASE("a placement that cannot be is refused with the racks it is about") {
  CHECK_THROWS_WITH(placed("placement.first_rack=0", "placement.first_rack=2"),
                    Catch::Contains("rack 2 already belongs to job main"));
  CHECK_THROWS_WITH(placed("placement.first_rack=99", ""), Catch::Contains("rack 99 is not one of 0 to 11"));
}

TEST_CASE("a fleet's draws can be had without the rest, for any seed, and be exchanged") {
  const std::vector<std::string> small = {"hall.a.n_gpu=512", "job.main.plan.n_gpu=512",
                                          "job.main.plan.global_batch_sequences=64"};
  const auto s = day(small);
  const auto order = placed_nodes(s);
  auto other = s;
  other.run.seed = 7;
  const auto built = build_fleet(other);
  auto draws = draw_fleet(s, 7, order);
  CHECK(draws.recirculation == built.node_recirculation);
  CHECK(draws.resistance_ratio == built.resistance_ratio);
  for (std::size_t g = 0; g < built.n_gpu(); ++g) {
    CHECK(draws.chip[g].leakage_ratio == built.chip[g].leakage_ratio);
    CHECK(draws.chip[g].voltage_offset_V == built.chip[g].voltage_offset_V);
  }
  draws.resistance_ratio[3] = 1.5;
  const auto given = build_fleet(s, &draws);
  CHECK(given.resistance_ratio[3] == 1.5);
  CHECK(given.chip[4].leakage_ratio == built.chip[4].leakage_ratio);
}
