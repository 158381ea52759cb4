#include "study/ride_plot.hpp"

#include "catch.hpp"

using namespace tidewatt;

namespace {
grid::RidePoint point(double level, double duration_s, double left_W) {
  grid::RidePoint p;
  p.level = level, p.duration_s = duration_s, p.left_W = left_W;
  return p;
}
}  // namespace

TEST_CASE("a ride-through plot has an area for each band that asks to stay or was not read, and a point for each sag") {
  grid::RideVerdict v;
  grid::BandAnswer deep, wide, unread, free;
  deep.band = {0.0, 0.5, true, false, grid::BandDuty::timed, 0.15};
  deep.points = {point(0.2, 0.1, 5e6), point(0.2, 0.15, 5e6)};
  wide.band = {0.9, 1.1, true, true, grid::BandDuty::continuous, 0.0};
  wide.points = {point(1.0, 60.0, 0.0)};
  unread.band = {0.5, 0.9, true, false, grid::BandDuty::not_read, 0.0};
  free.band = {1.1, 1.3, false, true, grid::BandDuty::may_trip, 0.0};
  v.voltage = {deep, unread, wide, free};
  const std::string svg = study::ride_plot(v, "my site");
  const auto count = [&](const std::string& word) {
    std::size_t n = 0;
    for (auto at = svg.find(word); at != std::string::npos; at = svg.find(word, at + 1)) ++n;
    return n;
  };
  CHECK(count("fill='#e4effa'") == 2);
  CHECK(count("fill='#f5efd8'") == 1);
  CHECK(count("fill='#D55E00'") == 3);  // two sags and the legend
  CHECK(count("fill='#009E73'") == 2);  // one sag and the legend
  CHECK(svg.find("my site") != std::string::npos);
}
