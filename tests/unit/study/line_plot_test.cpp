#include "study/line_plot.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using study::LinePlot;

namespace {
std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}
}  // namespace

TEST_CASE("a plot says its title, axes and lines; texts are escaped") {
  LinePlot p{"P < 10 MW", "time, s", "power, MW", {}, {}};
  CHECK_THROWS_AS(p.svg(), InputError);
  p.lines = {{"site & plant", {0, 1, 2}, {1, 5, 3}},
             {"", {0, 2}, {4, 4}, "#c33", true},
             {"points", {1}, {2}, "#000", false, true}};
  const std::string svg = p.svg();
  for (const char* words : {"P &lt; 10 MW", "time, s", "power, MW", "site &amp; plant", "stroke-dasharray", "<circle"})
    CHECK(svg.find(words) != std::string::npos);
  CHECK(count(svg, "<polyline") == 2);
  CHECK(svg.find("nan") == std::string::npos);
}

TEST_CASE("a line of many samples keeps its extremes in few points") {
  LinePlot p{"many", "s", "MW", {}, {}};
  study::PlotLine line{"P", {}, {}};
  for (int i = 0; i < 600'000; ++i)
    line.x.push_back(i * 1e-3), line.y.push_back(i == 123'456 ? 9.0 : std::sin(i * 1e-2));
  p.lines = {line};
  p.y_low = -1.0, p.y_high = 9.0;
  const std::string svg = p.svg();
  CHECK(svg.size() < 60'000);
  CHECK(svg.find(",52.0 ") != std::string::npos);  // the peak, at the top of the frame
}
