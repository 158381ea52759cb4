#include "sim/site_means.hpp"

#include <map>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

TEST_CASE("the finest means that a result keeps are those of an order, and none are no record") {
  std::map<std::string, NamedArray> kept;
  const auto keep = [&](const std::string& path, std::vector<double> values) {
    const std::uint64_t n = values.size();
    kept[path] = {path, {"time"}, {n}, std::move(values), "1", ""};
  };
  const auto means = [&] {
    return site_means([&](const std::string& path) {
      const auto at = kept.find(path);
      return at != kept.end() ? &at->second : nullptr;
    });
  };
  CHECK(means().record.mean_W.empty());
  keep("/pyramid_60s/time", {0.0, 60.0});
  keep("/pyramid_60s/pcc_mean_W", {1e6, 3e6});
  keep("/pyramid_60s/pcc_max_W", {2e6, 4e6});
  CHECK(means().record.step_s == 60.0);
  CHECK(means().record.over_W(0.0, 120.0) == Approx(2e6));
  CHECK(means().highest_W == std::vector<double>{2e6, 4e6});
  keep("/pyramid_10s/time", {0.0, 10.0});
  keep("/pyramid_10s/pcc_mean_W", {5e6, 5e6});
  CHECK(means().record.step_s == 10.0);
}
