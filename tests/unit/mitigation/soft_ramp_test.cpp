#include "tidewatt/mitigation/soft_ramp.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::mitigation;

TEST_CASE("a soft start moves in equal steps no larger than allowed, on average at the rate") {
  const auto s = soft_ramp(10 * ns_per_s, 0.0, 1.0, 20e6, 1e6, 0.5e6);
  CHECK(s.size() == 40);
  CHECK(s.front().at == 10 * ns_per_s);
  CHECK(s.back().value == 1.0);
  CHECK(s[1].at - s[0].at == ns_per_s / 2);
  for (std::size_t i = 1; i < s.size(); ++i) CHECK((s[i].value - s[i - 1].value) * 20e6 <= 0.5e6 * (1 + 1e-12));
  CHECK(soft_ramp(0, 1.0, 0.0, 20e6, 1e6, 30e6).size() == 1);  // one step is enough
  CHECK(soft_ramp(0, 0.4, 0.4, 20e6, 1e6, 1e6).empty());
  CHECK_THROWS_AS(soft_ramp(0, 0, 1, 20e6, 0.0, 1e6), InputError);
}

TEST_CASE("a cap goes down and up on the same staircase") {
  const auto down = cap_ramp(0, 30e6, 24e6, 2e6, 1e6), up = cap_ramp(0, 24e6, 30e6, 2e6, 1e6);
  CHECK(down.size() == 6);
  CHECK(down.back().value == 24e6);
  CHECK(down.back().at == to_tick(2.5));
  CHECK(up.back().value == 30e6);
}

TEST_CASE("pre-cooling relieves C dT / (COP t), less what has not cooled yet") {
  const PrecoolParams p{293.15, 3.0, 1e9, 6.0, 600.0};
  const Tick event = 7200 * ns_per_s, duration = 3600 * ns_per_s;
  const auto long_lead = precool(p, event, duration, 3600 * ns_per_s);
  CHECK(long_lead.set_K.front().value == 290.15);
  CHECK(long_lead.set_K.back().at == event);
  const double part = (1 - std::exp(-6.0)) * (1 - std::exp(-6.0));
  CHECK(long_lead.relief_W == Approx(3e9 / 6.0 / 3600.0 * part).epsilon(1e-9));
  CHECK(precool(p, event, duration, 0).relief_W == 0.0);
}
