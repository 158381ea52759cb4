#include "tidewatt/power/transformer.hpp"

#include <cmath>

#include "catch.hpp"
#include "read_catalog_file.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::power;

namespace {
TransformerParams unit() {
  TransformerParams p;
  read_catalog_file("transformer/transformer_oil_distribution.toml", p);
  return p;
}
TransformerParams large() {
  TransformerParams p;
  read_catalog_file("transformer/transformer_oil_substation.toml", p);
  return p;
}
}  // namespace

TEST_CASE("at rating the hot spot stands at ambient + both rises, and ages at 1 where the standard says") {
  for (const auto& p : {unit(), large()}) {
    const Transformer t(p);
    CHECK(t.hot_spot_K(t.steady(1.0), 293.15) == Approx(293.15 + p.oil_rise_K + p.hot_spot_rise_K).epsilon(1e-12));
    CHECK(t.ageing(383.0) == Approx(1.0).epsilon(1e-12));
    auto held = t.steady(0.9);
    TransformerMeters m;
    t.step(7200.0, 0.9, 293.15, held, m);
    CHECK(m.aged_s == Approx(7200.0 * t.ageing(t.hot_spot_K(t.steady(0.9), 293.15))).epsilon(1e-9));
    TransformerParams q = p;
    q.upgraded_paper = false;
    CHECK(Transformer(q).ageing(371.15 + 6.0) == Approx(2.0).epsilon(1e-12));
  }
}

TEST_CASE("a step of load follows the three exponentials and overshoots where k21 > 1") {
  const auto p = large();
  const Transformer t(p);
  auto s = t.steady(0.5);
  const auto from = s, to = t.steady(1.2);
  TransformerMeters m;
  double hottest = 0.0;
  for (int i = 1; i <= 240; ++i) {
    t.step(60.0, 1.2, 298.15, s, m);
    const double at = 60.0 * i;
    REQUIRE(s.oil_K == Approx(to.oil_K + (from.oil_K - to.oil_K) * std::exp(-at / (p.k11 * p.oil_s))).epsilon(1e-9));
    hottest = std::max(hottest, t.hot_spot_K(s, 298.15) - s.oil_K);
  }
  CHECK(hottest > 1.2 * (t.hot_spot_K(to, 0.0) - to.oil_K));  // the gradient rises above its end before the oil moves
  CHECK(m.elapsed_s == 14'400.0);
  CHECK(m.ageing_rate() > 1.0);
}

TEST_CASE("how long a step is does not matter for the temperatures, and little for the ageing") {
  const Transformer t(large());
  auto a = t.steady(0.4), b = a;
  TransformerMeters ma, mb;
  t.step(3600.0, 1.3, 303.15, a, ma);
  for (int i = 0; i < 3600; ++i) t.step(1.0, 1.3, 303.15, b, mb);
  CHECK(a.oil_K == Approx(b.oil_K).epsilon(1e-11));
  CHECK(ma.aged_s == Approx(mb.aged_s).epsilon(1e-4));
}

TEST_CASE("a transformer without a rise is refused") {
  auto bad = unit();
  bad.oil_rise_K = 0.0;
  CHECK_THROWS_AS(Transformer(bad), InputError);
}
