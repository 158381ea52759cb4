#include "tidewatt/power/feeder.hpp"

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "catch.hpp"
#include "read_catalog_file.hpp"
#include "tidewatt/base/error.hpp"
#include "tidewatt/base/reader.hpp"
#include "wave.hpp"

using namespace tidewatt;
using namespace tidewatt::power;

namespace {
FeederParams site() {
  FeederParams p;
  p.level[0] = {1024, 0.03e6, 2.0, 150.0, 0.002, 0.0};
  p.level[1] = {64, 0.5e6, 0.0, 5000.0, 0.01, 0.0};
  p.level[2] = {12, 2.5e6, 3000.0, 20000.0, 0.0575, 0.005};
  p.level[3] = {2, 40e6, 25e3, 150e3, 0.1, 0.003};
  p.load_power_factor_frac = 0.98;
  p.auxiliary_power_factor_frac = 0.9;
  p.design_loading_frac = 0.8;
  return p;
}
}  // namespace

TEST_CASE("a single loaded level loses P0 + Pk (S/Sr)^2 and draws x (S/Sr)^2 of reactive power") {
  FeederParams p = site();
  for (auto& l : p.level) l.no_load_loss_W = l.load_loss_W = l.reactance_pu = l.magnetising_pu = 0.0;
  p.level[2] = {4, 2.5e6, 3000.0, 20000.0, 0.06, 0.005};
  p.load_power_factor_frac = 0.8;
  const auto at = Feeder(p).at(8e6, 0.0);  // S = 10 MVA, exactly the rating
  CHECK(at.loading_frac[2] == Approx(1.0).epsilon(1e-14));
  CHECK(at.connection_W() == Approx(8e6 + 4 * 23000.0).epsilon(1e-14));
  CHECK(at.connection_var() == Approx(6e6 + 10e6 * 0.065).epsilon(1e-14));
  const auto half = Feeder(p).at(4e6, 0.0);
  CHECK(half.loss_W[2] == Approx(4 * (3000.0 + 20000.0 / 4)).epsilon(1e-14));
}

TEST_CASE("without load only the iron is left, and auxiliaries pass only hall and site") {
  const FeederParams p = site();
  const auto idle = Feeder(p).at(0.0, 0.0);
  CHECK(idle.loss_W[0] == 1024 * 2.0);
  const auto none = Feeder(p).at(1e6, 0.0), aux = Feeder(p).at(1e6, 2e6);
  CHECK(aux.loss_W[0] == none.loss_W[0]);
  CHECK(aux.loss_W[1] == none.loss_W[1]);
  CHECK(aux.loss_W[2] > none.loss_W[2]);
}

TEST_CASE("power rises with load at every level, so extremes map to extremes") {
  const Feeder feeder(site());
  FeederPoint last = feeder.at(0.0, 1e6);
  for (double load_W = 1e5; load_W < 40e6; load_W += 1e5) {
    const auto now = feeder.at(load_W, 1e6);
    for (std::size_t i = 0; i < FeederParams::n_level; ++i) REQUIRE(now.level_W[i] - last.level_W[i] >= 1e5);
    last = now;
  }
}

TEST_CASE("a chunk equals its single values and its books close") {
  const Feeder feeder(site());
  const auto load_W = wave(200'003);
  std::vector<double> out_W(load_W.size()), out_var(load_W.size());
  FeederMeters m;
  feeder.through(load_W, 1.5e6, out_W, out_var, m);
  for (std::size_t i = 0; i < load_W.size(); i += 997) {
    const auto one = feeder.at(load_W[i], 1.5e6);
    REQUIRE(out_W[i] == one.connection_W());
    REQUIRE(out_var[i] == one.connection_var());
  }
  CHECK(m.closure() < 1e-14);
  CHECK(m.total_loss_J() > 0.005 * m.drawn_J.value());
  CHECK(m.auxiliary_J.value() == Approx(1.5e6 * 200.003).epsilon(1e-14));
  for (std::size_t i = 0; i < FeederParams::n_level; ++i) {
    FeederMeters broken = m;  // each loss term is needed
    broken.loss_J[i] = {};
    CHECK(broken.closure() > 1e-5);
  }
}

TEST_CASE("how the stream is cut does not change a bit of the waveform") {
  const Feeder feeder(site());
  const auto load_W = wave(5000);
  std::vector<double> a(5000), b(5000), qa(5000), qb(5000);
  FeederMeters ma, mb;
  feeder.through(load_W, 0.0, a, qa, ma);
  const std::span<const double> all(load_W);
  for (std::size_t i = 0; i < 5000; i += 100)
    feeder.through(all.subspan(i, 100), 0.0, std::span(b).subspan(i, 100), std::span(qb).subspan(i, 100), mb);
  CHECK(a == b);
  CHECK(qa == qb);
  CHECK(ma.drawn_J.value() == Approx(mb.drawn_J.value()).epsilon(1e-14));
  CHECK(ma.loading_max_frac == mb.loading_max_frac);
}

TEST_CASE("automatic branch counts keep the design loading at the design load") {
  FeederParams p = site();
  for (auto& l : p.level) l.n_branch = 0;
  CHECK_THROWS_AS(Feeder(p), InputError);
  const auto sized = p.sized(17e6, 2e6);
  const auto at = Feeder(sized).at(17e6, 2e6);
  for (std::size_t i = 0; i < FeederParams::n_level; ++i) {
    CHECK(at.loading_frac[i] <= 0.8);
    auto fewer = sized;
    if (--fewer.level[i].n_branch > 0) CHECK(Feeder(fewer).at(17e6, 2e6).loading_frac[i] > 0.8);
  }
}

TEST_CASE("the catalog's hall reads, sizes itself for 16,384 GPUs and loses one to three percent") {
  const std::string path = std::string(TIDEWATT_SOURCE_DIR) + "/catalog/feeder/hall_480V.toml";
  Node node = parse_toml_file(path);
  std::vector<Finding> findings;
  TableReader reader(node, "feeder", findings);
  FeederParams p;
  p.fields(reader);
  for (const char* other : {"schema", "kind", "name", "sources", "assumed"}) reader.child(other);
  reader.finish();
  for (const auto& f : findings) FAIL(f.text());
  const auto point = Feeder(p.sized(17.2e6, 1.5e6)).at(17.2e6, 1.5e6);
  const double lost_frac = 1.0 - 18.7e6 / point.connection_W();
  CHECK(lost_frac > 0.01);
  CHECK(lost_frac < 0.03);
  CHECK(point.connection_var() > 17.2e6 * 0.2);
}

TEST_CASE("a level is sized for what the levels below it lose, copper and iron") {
  FeederParams p = site();
  p.load_power_factor_frac = p.auxiliary_power_factor_frac = 1.0;
  p.design_loading_frac = 1.0;
  for (auto& l : p.level) l = {1, 100e6, 0.0, 0.0, 0.0, 0.0};
  p.level[0] = {1, 1e6, 1e5, 3e5, 0.0, 0.0};
  p.level[3] = {0, 0.5e6, 0.0, 0.0, 0.0, 0.0};
  // 1 MW at the rating: 1.4 MW arrive at units of 0.5 MVA. Without iron there would be 1.3, without copper 1.1.
  CHECK(p.sized(1e6, 0.0).level[3].n_branch == 3);
  p.level[3].rating_VA = 0.675e6;  // two units carry 1.35 MW
  CHECK(p.sized(1e6, 0.0).level[3].n_branch == 3);
  p.level[0].no_load_loss_W = 0.0;
  CHECK(p.sized(1e6, 0.0).level[3].n_branch == 2);
  p.level[3].rating_VA = 0.55e6;
  CHECK(p.sized(1e6, 0.0).level[3].n_branch == 3);
  p.level[0].load_loss_W = 0.0;
  CHECK(p.sized(1e6, 0.0).level[3].n_branch == 2);
}

namespace {
FeederParams hall() {
  FeederParams p;
  read_catalog_file("feeder/hall_480V.toml", p);
  return p;
}
}  // namespace

TEST_CASE("fitted transformers lose and magnetise to the load's scale, at 60 kW as at 20 MW", "[feeder]") {
  auto p = hall();
  const auto lost_frac = [&](double load_W, bool fitted) {
    p.fit_transformers = fitted;
    return Feeder(p.sized(1.2 * load_W, 0.12 * load_W)).at(load_W, 0.1 * load_W).connection_W() / (1.1 * load_W) - 1.0;
  };
  const auto factor = [&](double load_W) {
    p.fit_transformers = true;
    const auto at = Feeder(p.sized(1.2 * load_W, 0.12 * load_W)).at(load_W, 0.1 * load_W);
    return at.connection_W() / std::hypot(at.connection_W(), at.connection_var());
  };
  CHECK(lost_frac(60e3, false) > 0.4);  // 25 kW of a substation of 40 MVA, 2.5 of a hall's transformer
  for (const double load_W : {60e3, 500e3, 2e6, 20e6}) {
    INFO(load_W);
    CHECK(lost_frac(load_W, true) < 0.045);
    CHECK(lost_frac(load_W, true) > 0.01);
    CHECK(factor(load_W) > 0.93);
  }
  CHECK(lost_frac(20e6, true) == Approx(lost_frac(20e6, false)).epsilon(0.2));
}

TEST_CASE("a fitted transformer carries the design load at the design loading, and is the least that does",
          "[feeder]") {
  auto p = hall();
  p.fit_transformers = true;
  double before_VA = 0.0;
  for (double load_W = 20e3; load_W < 30e6; load_W *= 1.3) {
    const auto sized = p.sized(load_W, 0.1 * load_W);
    const auto at = Feeder(sized).at(load_W, 0.1 * load_W);
    for (std::size_t i = FeederParams::hall_level; i < FeederParams::n_level; ++i) {
      INFO(load_W << " W, " << FeederParams::level_names[i]);
      CHECK(at.loading_frac[i] <= p.design_loading_frac + 1e-9);
      CHECK(sized.level[i].rating_VA <= hall().level[i].rating_VA);
    }
    CHECK(sized.level[3].rating_VA >= before_VA);
    before_VA = sized.level[3].rating_VA;
    // Losses of rating^0.75: sixteen times the rating, eight times the watts.
    const double ratio = sized.level[3].rating_VA / hall().level[3].rating_VA;
    CHECK(sized.level[3].no_load_loss_W == Approx(hall().level[3].no_load_loss_W * std::pow(ratio, 0.75)));
    CHECK(sized.level[3].magnetising_pu == Approx(hall().level[3].magnetising_pu * std::pow(ratio, -0.25)));
  }
}

TEST_CASE("the rack level has the branches that it is given, unless the entry says how many", "[feeder]") {
  auto p = hall();
  CHECK(p.sized(1e6, 1e5, 40).level[0].n_branch == 40);
  CHECK(p.sized(1e6, 1e5).level[0].n_branch != 40);
  p.level[0].n_branch = 7;
  CHECK(p.sized(1e6, 1e5, 40).level[0].n_branch == 7);
}

TEST_CASE("the meter of squared loading is what copper loses: a peak of a millisecond does not count as an hour",
          "[feeder]") {
  const auto sized = hall().sized(1e6, 0.0, 30);
  const Feeder feeder(sized);
  std::vector<double> load_W(1000, 0.5e6), out(1000), var(1000);
  load_W[500] = 5e6;
  FeederMeters m;
  feeder.through(load_W, 0.0, out, var, m);
  for (std::size_t i = 0; i < FeederParams::n_level; ++i) {
    const auto& l = sized.level[i];
    const double n = static_cast<double>(l.n_branch);
    CHECK(m.loss_J[i].value() ==
          Approx(n * l.no_load_loss_W * 1.0 + n * l.load_loss_W * m.loading2_s[i].value()).epsilon(1e-12));
    const double mean_frac = std::sqrt(m.loading2_s[i].value() / 1.0);
    CHECK(mean_frac < 0.15 * m.loading_max_frac[i]);
    CHECK(mean_frac > feeder.at(0.5e6, 0.0).loading_frac[i]);
  }
}
