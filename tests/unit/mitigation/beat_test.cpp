#include "tidewatt/mitigation/beat.hpp"

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::mitigation;

TEST_CASE("a beat: ends at phase + k period, whoever is late catches up, and one that is too short is missed") {
  const BeatParams beat{2.0, 0.5};
  CHECK(beat_end(beat, 500 * ns_per_ms, ns_per_s) == 2500 * ns_per_ms);
  CHECK(beat_end(beat, 700 * ns_per_ms, ns_per_s) == 2500 * ns_per_ms);  // 0.2 s late: a shorter wait
  CHECK(beat_end(beat, 400 * ns_per_ms, ns_per_s) == 2500 * ns_per_ms);  // early
  CHECK(beat_end(beat, 700 * ns_per_ms, 19 * ns_per_s / 10) == 2600 * ns_per_ms);
  CHECK(beat_end(beat, 0, 3 * ns_per_s) == 3 * ns_per_s);
  Tick at = 1234567890;
  for (int i = 0; i < 10; ++i) at = beat_end(beat, at, 1800 * ns_per_ms);
  CHECK((at - 500 * ns_per_ms) % (2 * ns_per_s) == 0);
  CHECK_THROWS_AS(beat_end({0.0, 0.0}, 0, 1), InputError);
}
