#include "tidewatt/mitigation/curtailment.hpp"

#include <vector>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::mitigation;

namespace {
const CurtailmentOrder order{10 * ns_per_s, 20 * ns_per_s, 60 * ns_per_s, 20e6};
CurtailmentMeans means() { return {2e6, 1e9, 15e6, 6e6, 1e6, 0.0}; }
}  // namespace

TEST_CASE("storage first, then caps, then a pause: by hand") {
  auto p = plan_curtailment(order, means(), 22e6);
  CHECK(p.storage_W == 2e6);
  CHECK(p.cap_W == 22e6);
  p = plan_curtailment(order, means(), 30e6);  // 10 MW: 2 from storage, 8 by caps over 8 s
  CHECK(p.cap_W == 22e6);
  CHECK(p.ramp_begin == 22 * ns_per_s);
  CHECK(p.late == 0);
  auto m = means();
  m.storage_J = 60e6;  // lasts for 1 MW
  CHECK(plan_curtailment(order, m, 22e6).storage_W == Approx(1e6));
  auto deep = order;
  deep.limit_W = 8e6;
  p = plan_curtailment(deep, means(), 30e6);
  CHECK(p.pause);
  CHECK(p.cap_W == 6e6);
  CHECK(p.storage_W == 0.0);
  CHECK(p.late == 4 * ns_per_s);  // 24 MW at 1 MW/s against 20 s of notice
  deep.limit_W = 3e6;
  p = plan_curtailment(deep, means(), 30e6);
  CHECK(p.storage_W == 2e6);
  CHECK(p.shortfall_W == Approx(1e6));
}

TEST_CASE("the stream obeys in time, in closed form, and its books close") {
  const Curtailment c(order, means(), 30e6);
  std::vector<double> load(120'000, 30e6), drawn(load.size());
  auto s = c.start(0);
  CurtailmentMeters m;
  c.step(load, drawn, s, m);
  CHECK(drawn[21'000] == 30e6);
  CHECK(drawn[26'000] == Approx(26e6).epsilon(1e-3));
  CHECK(drawn[60'000] == Approx(20e6));
  CHECK(drawn[95'000] == Approx(27e6).epsilon(1e-3));
  CHECK(drawn[110'000] == 30e6);
  CHECK(m.n_over == 0);
  CHECK(m.storage_J.value() == Approx(2e6 * 60));
  CHECK(m.held_back_J.value() == Approx(8e6 * 60 + 2 * 8e6 * 8 / 2).epsilon(1e-6));
  CHECK(m.closure() < 1e-13);
  auto broken = m;
  broken.storage_J = {};
  CHECK(broken.closure() > 1e-3);
}

TEST_CASE("an order without notice is obeyed late, and that is counted") {
  auto now = order;
  now.notice = 0;
  const Curtailment c(now, means(), 30e6);
  CHECK(c.plan().late == 8 * ns_per_s);
  std::vector<double> load(100'000, 30e6), drawn(load.size());
  auto s = c.start(0);
  CurtailmentMeters m;
  c.step(load, drawn, s, m);
  CHECK(m.n_over == Approx(8000).margin(2));
  CHECK(m.over_J.value() == Approx(8e6 * 8 / 2).epsilon(1e-3));
  CHECK_THROWS_AS(Curtailment({0, -1, 0, 1e6}, means(), 1e6), InputError);
}
