#include "connection/repeated_buckets.hpp"

#include <cmath>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::connection;

namespace {

ConnectionMeters meters() {
  return {GridMeters(GridMeterParams{}), PowerLevels(1, true), {}, OrderMeter({}), WindowRecorder({}, 60.0), {}};
}

std::vector<double> period() {
  std::vector<double> W(3210);
  for (std::size_t i = 0; i < W.size(); ++i) {
    const double x = static_cast<double>(i) / static_cast<double>(W.size());
    W[i] = 10e6 + 1e6 * std::sin(6.283185307179586 * x) + 1e5 * std::sin(30.0 * x);
  }
  return W;
}

std::vector<NamedArray> arrays(ConnectionMeters& m) {
  m.end();
  std::vector<NamedArray> out;
  m.levels.add_arrays(out);
  return out;
}

}  // namespace

TEST_CASE("repetitions have the means of their bins and the extremes of a bin more, booked at once or in parts") {
  const auto W = period();
  const Tick length = static_cast<Tick>(W.size()) * ns_per_ms;
  constexpr std::int64_t n_bin = 321'000;
  auto each = meters(), once = meters(), parts = meters();
  for (std::int64_t bin = 0; bin < n_bin; bin += static_cast<std::int64_t>(W.size())) each.levels.push(W);
  push_repeated(once, W, length, {0, n_bin, 0});
  for (std::int64_t bin = 0; bin < n_bin; bin += 5350) {  // a few extremes each, looked up one by one
    push_repeated(parts, W, length, {bin, 5350, bin * ns_per_ms % length});
    parts.push_means();
  }
  const auto a = arrays(each), b = arrays(once), c = arrays(parts);
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO(a[i].path);
    const auto &x = std::get<std::vector<double>>(a[i].values), &y = std::get<std::vector<double>>(b[i].values),
               &z = std::get<std::vector<double>>(c[i].values);
    REQUIRE(y.size() == x.size());
    REQUIRE(z.size() == x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double bin = a[i].path.find("mean") != std::string::npos ? 1e-12 : 5e-4;
      CHECK(y[k] == Approx(x[k]).epsilon(bin));
      CHECK(z[k] == Approx(x[k]).epsilon(bin));
    }
  }
}
