// The parts of the site's stream, each by itself.
#include "connection/stream_stages.hpp"

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::connection;

namespace {

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

/// 100 ms from `first_bin` on at one power.
grid::Bucket bucket(std::int64_t first_bin, double W) {
  grid::Bucket b;
  b.first_bin = first_bin;
  b.n_bin = 100;
  b.min_W = b.mean_W = b.max_W = W;
  return b;
}

StreamChunk chunk(std::size_t n, double W) {
  StreamChunk c;
  c.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    c.pcc_W[i] = W + static_cast<double>(i), c.bus_pu[i] = 1.0, c.deviation_Hz[i] = -0.01;
  return c;
}

}  // namespace

TEST_CASE("an order's meter counts energy above the limit and nothing outside the order", "[stages]") {
  OrderMeter m({{1000, 1200, 5e6, true}});
  CHECK(m.any());
  CHECK(m.next_edge(0) == 1000);
  CHECK(m.next_edge(1000) == 1200);
  CHECK(m.next_edge(1200) == none);
  CHECK(m.ceiling_W(1199) == 5e6);
  CHECK(std::isinf(m.ceiling_W(1200)));
  const std::vector<grid::Bucket> finest = {bucket(900, 9e6), bucket(1000, 6e6), bucket(1100, 4e6), bucket(1200, 9e6)};
  m.push_means(finest);
  CHECK(m.figures().s == Approx(0.2));
  CHECK(m.figures().mean_J == Approx(1e6));  // 6 MW and 4 MW, 0.1 s each
  CHECK(m.figures().over_J == Approx(1e5));  // 1 MW above for 0.1 s; below counts nothing
  CHECK(m.figures().most_over_W == Approx(1e6));
}

TEST_CASE("a span is energy over time, and begins anew when it is taken", "[stages]") {
  SpanMeter m;
  m.add(300.0, 100);
  m.add(100.0, 100);
  m.add_load(360.0);
  m.widen(500.0, 4000.0);
  const auto s = m.take();
  CHECK(s.mean_W == Approx(2000.0));  // 400 J in 0.2 s
  CHECK(s.load_mean_W == Approx(1800.0));
  CHECK(s.min_W == 500.0);
  CHECK(s.max_W == 4000.0);
  CHECK(m.take().J == 0.0);
}

TEST_CASE("a recorded window holds its own bins, whatever chunks they come in", "[stages]") {
  WindowRecorder whole({{"w", 50 * ns_per_ms, 250 * ns_per_ms}}, 60.0), parts = whole;
  CHECK(whole.next_edge(0) == 50);
  CHECK(whole.next_edge(50) == 250);
  CHECK(whole.open(0, 51));
  CHECK_FALSE(whole.open(250, 300));
  whole.push(0, chunk(300, 0.0));
  for (std::int64_t first = 0; first < 300; first += 60) parts.push(first, chunk(60, static_cast<double>(first)));
  std::vector<NamedArray> a, b;
  whole.add_arrays(a);
  parts.add_arrays(b);
  REQUIRE(a.size() == 5);
  const auto& W = std::get<std::vector<double>>(a[1].values);
  REQUIRE(W.size() == 200);
  CHECK(W.front() == 50.0);
  CHECK(W.back() == 249.0);
  CHECK(std::get<std::vector<double>>(a[4].values).front() == Approx(59.99));
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i].values == b[i].values);
}
