#include "study/fleet_scores.hpp"

#include <cmath>
#include <limits>
#include <set>

#include "catch.hpp"
#include "study_day.hpp"

using namespace tidewatt;
using namespace tidewatt::study::detail;

TEST_CASE("nodes of a pipeline stage are of one class, and all classes of a job are of one stock") {
  const auto places = node_places(study_day::of(1024, {}));
  CHECK(places.n_node() == 128);
  CHECK(places.n_class == 16);
  CHECK(places.of[3] == places.of[19]);
  CHECK(places.of[3] != places.of[4]);
  CHECK(std::set(places.stock.begin(), places.stock.end()).size() == 1);
}

TEST_CASE("a nominal chip in a server of nominal chips moves nothing but its air and its row do") {
  sim::FleetDraws draws{{0.05}, std::vector<power::Chip>(8), std::vector<double>(8, 1.0)};
  std::vector<Features> x(8);
  features_of(draws, 0, x);
  for (std::size_t k = 0; k < n_feature; ++k) CHECK(x[6][k] == (k == 5 ? 0.05 : k == 6 ? 1.0 : 0.0));
}

TEST_CASE("the response finds levels and slopes of what is linear in the features") {
  const auto scenario = study_day::of(1024, {});
  const auto places = node_places(scenario);
  const auto draws = sim::draw_fleet(scenario, 3, places.order);
  std::vector<double> y;
  std::vector<Features> x(8);
  for (std::size_t node = 0; node < places.n_node(); ++node) {
    features_of(draws, node, x);
    for (const auto& of_gpu : x)
      y.push_back(1500.0 + static_cast<double>(places.of[node]) - 18.0 * of_gpu[0] - 80.0 * of_gpu[2]);
  }
  y[17] = std::numeric_limits<double>::quiet_NaN();
  const Response found(places, draws, y, true);
  CHECK(found.level(5) - found.level(2) == Approx(3.0).margin(1e-3));
  for (std::size_t node = 0; node < places.n_node(); node += 9) {
    features_of(draws, node, x);
    if (node != 2) CHECK(found.at(places.of[node], x[1]) == Approx(y[node * 8 + 1]).margin(0.01));
  }
}

TEST_CASE("the score of a node is that of its slowest GPU and of its hottest die") {
  const auto scenario = study_day::of(1024, {});
  const auto places = node_places(scenario);
  const auto draws = sim::draw_fleet(scenario, 3, places.order);
  std::vector<double> slow, hot;
  for (const double r : draws.resistance_ratio)
    slow.push_back(1500.0 - 80.0 * std::log(r)), hot.push_back(350.0 + 30.0 * std::log(r));
  const FleetScores scores{Response(places, draws, slow, true), Response(places, draws, hot, false)};
  std::vector<Features> x(8);
  features_of(draws, 11, x);
  const auto score = score_of(scores, places.of[11], x);
  CHECK(score.own_Hz == Approx(*std::min_element(slow.begin() + 88, slow.begin() + 96)).margin(0.01));
  CHECK(score.die_K == Approx(*std::max_element(hot.begin() + 88, hot.begin() + 96)).margin(0.01));
}
