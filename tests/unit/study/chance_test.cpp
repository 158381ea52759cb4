#include "study/chance.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "tidewatt/base/math.hpp"

using namespace tidewatt;
using study::ChancePart;
using study::combine;

namespace {

ChancePart part(const char* name, std::vector<double> logs) {
  ChancePart p;
  p.name = name;
  p.logs["pcc_mean_MW"] = std::move(logs);
  return p;
}

/// Quantiles of a normal distribution, evenly likely.
std::vector<double> normal(double mean, double sigma, int n) {
  std::vector<double> out;
  for (int i = 1; i <= n; ++i) {
    const double u = i / (n + 1.0);
    double z = 0.0;  // inverse by bisection of the error function
    for (double step = 8.0; step > 1e-12; step /= 2.0) z += 0.5 * std::erfc(-z / std::sqrt(2.0)) < u ? step : -step;
    out.push_back(mean + sigma * z);
  }
  return out;
}

}  // namespace

TEST_CASE("independent normal parts add as variances do") {
  const std::vector<ChancePart> parts = {part("inputs", normal(0.0, 0.03, 400)),
                                         part("weather", normal(0.01, 0.04, 400))};
  const auto f = combine("pcc_mean_MW", 10.0, parts);
  CHECK(std::log(f.p50 / 10.0) == Approx(0.01).margin(0.002));
  CHECK(std::log(f.p95 / f.p05) == Approx(2.0 * 1.645 * 0.05).epsilon(0.03));
  CHECK(f.parts.at("inputs").p95 == Approx(10.0 * std::exp(1.645 * 0.03)).epsilon(2e-3));
}

TEST_CASE("the interval does not follow the run's own value: a part with a median of its own moves it away") {
  const std::vector<ChancePart> parts = {part("fleet", normal(0.4, 0.05, 100))};
  const auto f = combine("pcc_mean_MW", 1.2, parts);
  CHECK(f.p05 > 1.2);
  CHECK(f.p50 == Approx(1.2 * std::exp(0.4)).epsilon(0.01));
  CHECK(f.parts.at("fleet").p50 == Approx(1.2 * std::exp(0.4)).epsilon(0.01));
}

TEST_CASE("more draws leave less open of the ends") {
  const auto error = [](int n) {
    const std::vector<ChancePart> parts = {part("inputs", normal(0.0, 0.1, n))};
    return combine("pcc_mean_MW", 1.0, parts).p95_error;
  };
  CHECK(error(32) / error(128) == Approx(2.0).epsilon(0.05));
}

TEST_CASE("without draws there is no interval, and a part without the key adds nothing") {
  const std::vector<ChancePart> none;
  CHECK(std::isnan(combine("pcc_mean_MW", 1.0, none).p05));
  const std::vector<ChancePart> one = {part("inputs", {0.1, 0.2}), ChancePart{}};
  CHECK(combine("pcc_mean_MW", 1.0, one).p95 <= std::exp(0.2) * 1.0000001);
  CHECK(std::isnan(combine("pue", 1.0, one).p05));
}

TEST_CASE("a mean is not above the highest value, and a PUE not below 1, whatever the error of a class of rows") {
  std::vector<ChancePart> parts = {part("model", normal(0.0, 0.2, 99))};
  parts.front().logs["pue"] = normal(0.0, 0.1, 99);
  parts.push_back(part("inputs", normal(0.0, 0.01, 99)));
  parts.back().logs["pcc_max_MW"] = normal(0.0, 0.02, 99);
  sim::Result run;
  run.summary = {{"pcc_mean_MW", 16.0}, {"pcc_max_MW", 19.0}, {"pue", 1.05}};
  const auto highest = combine("pcc_max_MW", 19.0, parts), open = combine("pcc_mean_MW", 16.0, parts),
             mean = combine("pcc_mean_MW", 16.0, parts, study::physical_bounds("pcc_mean_MW", run));
  CHECK(open.p95 > highest.p95);  // what the bound is for
  CHECK(mean.p95 <= highest.p95);
  CHECK(mean.p50 <= highest.p50);
  CHECK(mean.p05 == open.p05);  // the rest stays
  CHECK(combine("pue", 1.05, parts).p05 < 1.0);
  CHECK(combine("pue", 1.05, parts, study::physical_bounds("pue", run)).p05 == Approx(1.0));
}

TEST_CASE("parts are an object by name, with counts and half-widths") {
  study::Chance c;
  c.parts = {part("inputs", {-0.1, 0.1})};
  c.parts.front().n_draw = 2;
  c.figures.push_back(combine("pcc_mean_MW", 10.0, c.parts));
  const auto json = nlohmann::json::parse(study::chance_json(c));
  const auto& inputs = json["parts"]["inputs"];
  CHECK(inputs["n_draw"] == 2);
  CHECK(inputs["n_failed"] == 0);
  CHECK(inputs["pcc_mean_MW_half_width"].get<double>() ==
        Approx(0.5 * (inputs["pcc_mean_MW_p95"].get<double>() - inputs["pcc_mean_MW_p05"].get<double>())));
  sim::Result run;
  run.summary = {{"pcc_mean_MW", 10.0}, {"pue", 1.1}};
  // Beside a result: only figures that have an interval, and whose result it is.
  c.figures.push_back(combine("pue", 1.1, std::vector<ChancePart>{}));
  const auto file = nlohmann::json::parse(study::chance_file(c, run, "abc"));
  CHECK(file["payload_sha256"] == "abc");
  CHECK(file["figures"].size() == 1);
  CHECK(file["figures"]["pcc_mean_MW"]["p50"].get<double>() == c.figures.front().p50);
  CHECK(file["interval"]["parts"]["inputs"]["n_draw"] == 2);
  CHECK(file["text"].get<std::string>().find("mean power, MW") != std::string::npos);
  c.figures.pop_back();
  std::vector<std::pair<std::string, sim::Value>> summary = {{"pcc_mean_MW", 10.0}, {"pue", 1.1}};
  study::add_chance(c, summary);
  REQUIRE(summary.size() == 5);
  CHECK(summary[1].first == "pcc_mean_MW_p05");
  CHECK(summary[2].first == "pcc_mean_MW_p50");
  CHECK(summary[3].first == "pcc_mean_MW_p95");
}
