#include "workload/domain_spares.hpp"

#include <limits>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::workload;

namespace {

constexpr DomainLayout racks{3, 16, 2, 9};  // three racks at work, 16 of 18 trays each
constexpr Tick h = 3600 * ns_per_s, never_back = std::numeric_limits<Tick>::max();

}  // namespace

TEST_CASE("a tray is replaced in its own rack as long as that has spares", "[workload][racks]") {
  const DomainSpares spares(racks, 0);
  auto s = spares.begin();
  CHECK(spares.lose(s, FailedUnit::node, 17, 5 * h) == 1);  // of the second rack
  CHECK(spares.lose(s, FailedUnit::node, 20, 9 * h) == 1);
  CHECK(spares.refill(s, 1 * h) == 0);
  spares.lose(s, FailedUnit::node, 31, 7 * h);  // the third of that rack: none is left
  CHECK(spares.refill(s, 1 * h) == 1);
  CHECK(spares.next_back(s, 1 * h) == 5 * h);  // any of them that comes back ends the wait
  CHECK(spares.refill(s, 5 * h - 1) == 1);
  CHECK(spares.refill(s, 5 * h) == 0);
}

TEST_CASE("spare trays of one rack are of no use to another: without the limit to its own rack this would go on",
          "[workload][racks]") {
  const DomainSpares spares(racks, 0), none({3, 18, 0, 9}, 0);
  auto s = spares.begin();
  for (int i = 0; i < 3; ++i) spares.lose(s, FailedUnit::node, 0, never_back);
  CHECK(spares.refill(s, h) == 1);  // four spare trays wait in the other two racks
  CHECK(spares.next_back(s, h) == never_back);
  auto whole = none.begin();
  none.lose(whole, FailedUnit::node, 0, 2 * h);
  CHECK(none.refill(whole, h) == 1);
  CHECK(none.refill(whole, 2 * h) == 0);
}

TEST_CASE("a switch tray takes its whole domain, and only a spare domain replaces that", "[workload][racks]") {
  const DomainSpares one(racks, 1), no(racks, 0), many(racks, -1);
  for (const auto unit : {FailedUnit::switch_tray, FailedUnit::rack}) {
    auto s = one.begin();
    CHECK(one.lose(s, unit, 16, 12 * h) == 16);
    CHECK(one.refill(s, h) == 0);
    CHECK(s.in_place[1] == 3);
    // The next one finds no spare until the first is back; it serves in the place of the second.
    one.lose(s, unit, 0, 20 * h);
    CHECK(one.refill(s, 2 * h) == 1);
    CHECK(one.next_back(s, 2 * h) == 12 * h);
    CHECK(one.refill(s, 12 * h) == 0);
    CHECK(s.in_place[0] == 1);
    auto without = no.begin(), unlimited = many.begin();
    no.lose(without, unit, 16, 12 * h);
    CHECK(no.refill(without, h) == 1);
    for (int i = 0; i < 5; ++i) {
      many.lose(unlimited, unit, 16, never_back);
      CHECK(many.refill(unlimited, h) == 0);
    }
  }
}

TEST_CASE("a rack that lost too many trays serves again elsewhere once they are repaired", "[workload][racks]") {
  const DomainSpares spares(racks, 1);
  auto s = spares.begin();
  for (int i = 0; i < 3; ++i) spares.lose(s, FailedUnit::node, 5, 4 * h);
  CHECK(spares.refill(s, h) == 0);
  CHECK(s.in_place[0] == 3);
  spares.lose(s, FailedUnit::switch_tray, 40, 30 * h);
  CHECK(spares.refill(s, 3 * h) == 1);
  CHECK(spares.refill(s, 4 * h) == 0);
  CHECK(s.in_place[2] == 0);
}

TEST_CASE("jobs whose domain is one node have none of it", "[workload][racks]") {
  const DomainSpares nothing({}, -1);
  CHECK(!nothing.any());
  CHECK(nothing.begin() == DomainState{});
}
