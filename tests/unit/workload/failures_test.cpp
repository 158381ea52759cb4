#include "tidewatt/workload/failures.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/base/reader.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

namespace {

FailureRates from_catalog(const std::string& name) {
  const std::string path = std::string(TIDEWATT_SOURCE_DIR) + "/catalog/failures/" + name + ".toml";
  Node node = parse_toml_file(path);
  std::vector<Finding> findings;
  TableReader reader(node, name, findings);
  FailureRates rates;
  rates.fields(reader);
  for (const auto& f : findings) UNSCOPED_INFO(f.text());
  REQUIRE(findings.empty());
  return rates;
}

constexpr Tick day = 86400 * ns_per_s;

}  // namespace

TEST_CASE("54 days of Llama 3: every cause's mean count over 200 seeds", "[workload][F1]") {
  const FailureRates rates = from_catalog("llama3_405b");
  const std::map<std::string, double> counts = {{"faulty_gpu", 148}, {"gpu_hbm", 72}, {"software_bug", 54},
                                                {"nic", 7},          {"cpu", 2},      {"planned_maintenance", 47}};
  std::map<std::string, double> sum;
  double unexpected = 0.0, planned = 0.0;
  constexpr double n_seed = 200;
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    for (const Failure& f : draw_failures(rates, seed, 2048, 0, 54 * day)) {
      sum[cause_name(rates, f)] += 1.0 / n_seed;
      (f.planned ? planned : unexpected) += 1.0 / n_seed;
    }
  const auto covered = [](double mean, double expected) {  // 99.7 % interval of a Poisson mean over 200 seeds
    return std::abs(mean - expected) <= 3.0 * std::sqrt(expected / n_seed);
  };
  INFO("unexpected " << unexpected << ", planned " << planned);
  CHECK(covered(unexpected, 419));
  CHECK(covered(planned, 47));
  for (std::size_t i = 0; i < rates.causes.size(); ++i) {
    INFO(rates.causes[i] << " " << sum[rates.causes[i]]);
    CHECK(covered(sum[rates.causes[i]], rates.rate_per_node_s[i] * 2048.0 * 54.0 * 86400.0));
  }
  for (const auto& [name, count] : counts) CHECK(covered(sum[name], count));
}

TEST_CASE("mean time to failure at scale", "[workload][F3][F6]") {
  CHECK(mean_time_to_failure_s(from_catalog("rsc1"), 2048) / 3600.0 == Approx(1.80).epsilon(0.03));
  const double memphis_h = mean_time_to_failure_s(from_catalog("llama3_405b"), 12500) / 3600.0;
  CHECK(memphis_h > 0.46 * 0.95);
  CHECK(memphis_h < 0.51 * 1.05);
  CHECK(std::isinf(mean_time_to_failure_s({}, 10)));
}

TEST_CASE("draws depend on seed and cause only", "[workload][failures]") {
  FailureRates two{{"a", "b"}, {1e-6, 2e-6}, {}, {}};
  const FailureRates one{{"b"}, {2e-6}, {}, {}};
  std::vector<Tick> only_b, of_two;
  for (const Failure& f : draw_failures(one, 7, 100, 0, 10 * day)) only_b.push_back(f.tick);
  for (const Failure& f : draw_failures(two, 7, 100, 0, 10 * day))
    if (f.cause == 1) of_two.push_back(f.tick);
  CHECK(only_b == of_two);
  std::vector<Tick> joined;
  for (const auto& [begin, end] : {std::pair{Tick{0}, 3 * day}, {3 * day, 10 * day}})
    for (const Failure& f : draw_failures(one, 7, 100, begin, end)) joined.push_back(f.tick);
  CHECK(joined == only_b);
  CHECK(draw_failures(one, 8, 100, 0, 10 * day).front().tick != only_b.front());
  const auto all = draw_failures(two, 7, 100, 0, 10 * day);
  for (std::size_t i = 1; i < all.size(); ++i)
    CHECK(std::tie(all[i - 1].tick, all[i - 1].cause, all[i - 1].node) <
          std::tie(all[i].tick, all[i].cause, all[i].node));
  for (const Failure& f : all) CHECK((f.node >= 0 && f.node < 100));
}

TEST_CASE("bad or absurd rates are refused", "[workload][failures]") {
  CHECK_THROWS_AS(draw_failures({{"a"}, {}, {}, {}}, 1, 10, 0, day), InputError);
  CHECK_THROWS_AS(draw_failures({{"a"}, {-1.0}, {}, {}}, 1, 10, 0, day), InputError);
  CHECK_THROWS_AS(draw_failures({{"a"}, {1e-3}, {}, {}}, 1, 10, -1, day), InputError);
  CHECK_THROWS_AS(draw_failures({{"a"}, {1e6}, {}, {}}, 1, 1000000, 0, day), RefusedError);
  CHECK(draw_failures({{"a"}, {0.0}, {}, {}}, 1, 10, 0, day).empty());
}

TEST_CASE("optimum checkpoint interval against brute force", "[workload][F4]") {
  // Exponential failures, restart from the last checkpoint: a stretch of τ work and its save takes M (e^((τ+w)/M) - 1)
  // on average, so the time per useful second is that over τ.
  for (const auto& [w, m] : {std::pair{10.0, 10800.0}, {60.0, 10800.0}, {173.0, 6480.0}, {2.0, 1080.0}}) {
    double best = 0.0, least = std::numeric_limits<double>::infinity();
    for (double tau = 1.0; tau < m; tau += 1.0) {
      const double cost = m * (math::exp((tau + w) / m) - 1.0) / tau;
      if (cost < least) least = cost, best = tau;
    }
    CHECK(optimum_checkpoint_interval_s(w, m) == Approx(best).epsilon(0.1));
  }
  CHECK_THROWS_AS(optimum_checkpoint_interval_s(0.0, 100.0), InputError);
  CHECK_THROWS_AS(optimum_checkpoint_interval_s(300.0, 100.0), InputError);
}

TEST_CASE("racks: switch trays fail by their number, racks by theirs, and both name the first node of their domain",
          "[workload][racks]") {
  const FailureRates rates = from_catalog("gb200_nvl72");
  const DomainLayout domains{16, 16, 2, 9};
  std::map<FailedUnit, double> sum;
  constexpr double n_seed = 200;
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    for (const Failure& f : draw_failures(rates, seed, 256, 0, 360 * day, domains)) {
      if (f.planned) continue;
      sum[f.unit] += 1.0 / n_seed;
      if (f.unit == FailedUnit::node) continue;
      CHECK(f.node % 16 == 0);
      CHECK(f.node < 256);
      CHECK(f.repair > 0);
      CHECK(cause_name(rates, f) == (f.unit == FailedUnit::rack ? "shelf_busbar_or_liquid" : "switch_tray"));
    }
  double per_tray_day = 0.0;
  for (const double r : rates.rate_per_node_s) per_tray_day += 86400.0 * r;
  const std::map<FailedUnit, double> expected = {{FailedUnit::node, 256 * 360 * per_tray_day},
                                                 {FailedUnit::switch_tray, 16 * 9 * 360 * 2e-4},
                                                 {FailedUnit::rack, 16 * 360 * 5e-4}};
  double all = 0.0;
  for (const auto& [unit, n] : expected) {
    INFO(static_cast<int>(unit) << ": " << sum[unit] << " of " << n);
    CHECK(std::abs(sum[unit] - n) <= 3.0 * std::sqrt(n / n_seed));
    all += n;
  }
  CHECK(mean_time_to_failure_s(rates, 256, domains) == Approx(360.0 * 86400.0 / all).epsilon(1e-12));
}

TEST_CASE("racks: trays fail at the same times with and without their switch trays, which need domains to fail",
          "[workload][racks]") {
  const FailureRates rates = from_catalog("gb200_nvl72");
  std::vector<Tick> alone, together;
  for (const Failure& f : draw_failures(rates, 3, 256, 0, 360 * day)) {
    CHECK(f.unit == FailedUnit::node);
    alone.push_back(f.tick);
  }
  for (const Failure& f : draw_failures(rates, 3, 256, 0, 360 * day, {16, 16, 2, 9}))
    if (f.unit == FailedUnit::node) together.push_back(f.tick);
  CHECK(alone == together);
  FailureRates short_list = rates;
  short_list.switch_tray_repair_s.clear();
  CHECK_THROWS_AS(draw_failures(short_list, 1, 256, 0, day, {16, 16, 2, 9}), InputError);
}
