#include "connection/repeat_detector.hpp"

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::connection;

TEST_CASE("repetitions settle anew after a change, and go on behind a pause", "[stages]") {
  RepeatDetector d;
  const RepeatDetector::Shape steady{6 * ns_per_s, 4e6, 12e6}, other{6 * ns_per_s, 6e6, 14e6};
  CHECK_FALSE(d.begin(steady, 0));
  const auto settle = d.settle_bins(0, 12000, 6001);
  CHECK(settle > 20'000);  // the longest ramp that looks at single bins has passed twice
  d.keep({}, {});
  CHECK(d.knows());
  d.found();
  d.end(60'000);
  CHECK(d.begin(steady, 60'000));        // goes on as it was
  CHECK_FALSE(d.begin(steady, 70'000));  // not where the last one ended
  CHECK(d.is_pause(0.0, 3000));
  CHECK_FALSE(d.is_pause(0.0, 20'000));  // too long
  CHECK_FALSE(d.is_pause(1e6, 3000));    // not constant
  CHECK_FALSE(d.begin(other, 80'000));
  CHECK_FALSE(d.knows());
  CHECK(d.settle_bins(80'000, 12000, 6001) == settle);
}

TEST_CASE("a known unit waits for flicker alone, and ramps are shown more until they are clear of the pause",
          "[stages]") {
  RepeatDetector d;
  const RepeatDetector::Shape steady{6 * ns_per_s, 4e6, 12e6};
  d.begin(steady, 0);
  d.keep({}, {});
  CHECK(d.far_bin() == 20'000);
  d.end(60'000);
  d.pause(63'000);
  CHECK_FALSE(d.begin(steady, 63'000));
  CHECK(d.knows_unit());
  const auto wait = d.known_settle_bins(63'000);
  CHECK(wait > 2'000);
  CHECK(wait < 10'000);
  CHECK(d.known_settle_bins(80'000) == 0);
  CHECK(d.far_bin() == 83'000);
  LoadMeters::Share more;
  more.bands.n_bin = 6000;
  d.renew(more);
  CHECK(d.share().load.bands.n_bin == 6000);
}

TEST_CASE("one rest stands for a rest at another level, unless something was outside its limits in it", "[stages]") {
  const RepeatDetector::Shape low{ns_per_s, 0.0, 5e6}, high{ns_per_s, 0.0, 6e6}, wave{ns_per_s, 1e6, 6e6};
  GridMeters::Share calm;
  calm.n_bin = calm.load.bands.n_bin = 1000;
  calm.load.bands.energy.fill(1e3);  // what is left of the change before
  auto outside = calm;
  outside.bus.voltage.bins_below = 1000;
  for (const bool is_calm : {true, false}) {
    RepeatDetector d;
    d.begin(low, 0);
    d.keep({}, is_calm ? calm : outside);
    CHECK(d.knows_unit());
    CHECK(d.share().load.bands.energy.front() == 1e3);
    d.begin(high, 60'000);
    CHECK_FALSE(d.knows_unit());
    CHECK(d.knows() == is_calm);
    if (is_calm) CHECK(d.share().load.bands.energy.front() == 0.0);
    d.begin(wave, 120'000);
    CHECK_FALSE(d.knows());
    d.begin_anew();
    d.begin(high, 180'000);
    CHECK_FALSE(d.knows());
  }
}
