#include "tidewatt/power/store.hpp"

#include "base/random.hpp"
#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::power;

namespace {
const StoreParams small{100.0, 1000.0, 0.9, 0.8, 0.1, 0.9, 0.5};
}

TEST_CASE("a store charges by its efficiency and stops exactly at its bound") {
  const Store store(small, "x");
  auto s = store.start();
  StoreMeters m;
  CHECK(store.exchange(s, 50.0, 2.0, m) == 50.0);
  CHECK(s.energy_J == Approx(500 + 50 * 2 * 0.9).epsilon(1e-15));
  CHECK(store.exchange(s, 100.0, 10.0, m) == Approx((900 - 590) / 0.9 / 10));
  CHECK(store.soc_frac(s) == Approx(0.9).epsilon(1e-15));
  CHECK(m.n_energy_limited == 1);
  CHECK(m.not_served_J.value() == Approx(1000 - 310 / 0.9));
  CHECK(store.exchange(s, -500.0, 1.0, m) == -100.0);
  CHECK(m.n_power_limited == 1);
  CHECK(store.available_W(s, 100.0) == Approx((s.energy_J - 100.0) * 0.8 / 100.0));
}

TEST_CASE("whatever is asked, the bounds hold, the books close and no loss can be left out") {
  const Store store(small, "x");
  auto s = store.start();
  StoreMeters m;
  for (std::uint64_t i = 0; i < 200'000; ++i)
    store.exchange(s, 300.0 * random::normal(3, random::Purpose::jitter, i), 0.4, m);
  CHECK(m.soc_low_frac >= 0.1 * (1 - 1e-12));
  CHECK(m.soc_high_frac <= 0.9 * (1 + 1e-12));
  CHECK(m.n_energy_limited > 100);
  CHECK(m.n_power_limited > 100);
  CHECK(m.closure(store.stored_J(s)) < 1e-12);
  auto broken = m;
  broken.charge_loss_J = {};
  CHECK(broken.closure(store.stored_J(s)) > 1e-3);
  broken = m;
  broken.discharge_loss_J = {};
  CHECK(broken.closure(store.stored_J(s)) > 1e-3);
}

TEST_CASE("an impossible store is refused with every finding") {
  try {
    Store({-1, 0, 2, 0, 0.5, 0.2, 0.9}, "x");
    FAIL("accepted");
  } catch (const InputError& e) {
    CHECK(e.findings().size() == 6);
  }
}
