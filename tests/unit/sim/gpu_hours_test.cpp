#include "tidewatt/sim/gpu_hours.hpp"

#include <string>
#include <vector>

#include "catch.hpp"

using namespace tidewatt;

namespace {

constexpr std::int64_t minute_ns = 60'000'000'000;

std::vector<double> values(const sim::GpuHours& hours, const std::string& name) {
  for (const auto& a : hours.arrays())
    if (a.path == "/gpu_hours/" + name) return std::get<std::vector<double>>(a.values);
  throw std::runtime_error("no " + name);
}

}  // namespace

TEST_CASE("hourly means of GPUs weigh their steps by time and split those that span a full hour") {
  sim::GpuHours hours;
  const std::vector<double> warm{300, 310}, hot{330, 340}, slow{0.5}, fast{0.8}, low{0.75}, high{0.85};
  const auto add = [&](std::int64_t from, std::int64_t to, const auto& die, const auto& fan, const auto& upper,
                       double J) {
    hours.add({from * minute_ns, to * minute_ns, 0, 1, 2, die.data(), fan.data(), low.data(), upper.data(), J});
  };
  add(0, 30, warm, slow, low, 100.0);
  add(30, 90, hot, fast, high, 400.0);
  add(90, 120, hot, fast, low, 500.0);
  const auto K = values(hours, "die_K");
  REQUIRE(K.size() == 4);
  CHECK(K[0] == Approx(315));
  CHECK(K[1] == Approx(325));
  CHECK(K[2] == Approx(330));
  CHECK(values(hours, "fan_frac")[0] == Approx(0.65));
  CHECK(values(hours, "fan_moved_frac")[0] == Approx(0.3));
  CHECK(values(hours, "fan_moved_frac")[1] == Approx(0.0).margin(1e-12));
  CHECK(values(hours, "fan_cycled_s")[0] == Approx(1800));
  CHECK(values(hours, "fan_cycled_s")[1] == Approx(1800));
  CHECK(values(hours, "fan_J")[0] == Approx(100.0 + 150.0));
  CHECK(values(hours, "fan_J")[1] == Approx(150.0 + 100.0));
}
