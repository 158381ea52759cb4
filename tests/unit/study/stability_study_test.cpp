#include "study/stability_study.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::study;
using nlohmann::json;

namespace {

StabilityOptions site() {
  StabilityOptions o;
  o.load_W = 200e6;
  o.rating_W = 400e6;
  o.short_circuit_VA = 1200e6;
  o.gain_ratio = 3.0;
  return o;
}

}  // namespace

TEST_CASE("a site's answer: its modes, onset twice, and a trace; text, object and table agree") {
  const auto s = site_stability(site());
  const auto j = json::parse(stability_json(s));
  CHECK(j["short_circuit_ratio"].get<double>() == Approx(3.0));
  CHECK(j["stable"].get<bool>());
  CHECK(j["onset"]["load_MW"].get<double>() == Approx(j["onset_simulated"]["load_MW"].get<double>()).epsilon(0.02));
  CHECK(stability_text(s).find("stable: ") != std::string::npos);
  const std::string csv = stability_csv(s);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 3002);
  CHECK(stability_svg(s).find("<svg") == 0);
}

TEST_CASE("a load beyond the nose has no modes and says why") {
  auto o = site();
  o.load_W = 900e6;
  const auto s = site_stability(o);
  CHECK(s.modes.empty());
  CHECK(stability_text(s).find("no operating point: ") != std::string::npos);
  CHECK(json::parse(stability_json(s))["stable"].is_null());
}

TEST_CASE("map: more short-circuit power never lowers the onset, and every cell is in table and picture") {
  auto o = site();
  o.map = true;
  o.points = 5;
  o.ratio_from = 2.5;
  const auto s = site_stability(o);
  REQUIRE(s.cells.size() == 25);
  for (std::size_t c = 0; c < 25; ++c)
    if (c % 5 != 0) CHECK(s.cells[c].onset.load_W >= 0.999 * s.cells[c - 1].onset.load_W);
  const std::string csv = stability_map_csv(s);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 26);
  CHECK(json::parse(stability_json(s))["map"].size() == 25);
}

TEST_CASE("a fit gives its event back: at its own gain and short-circuit power the onset lies between the two loads",
          "[long]") {
  auto o = site();
  o.points = 10;
  o.gain_from = 2.4, o.gain_to = 4.0;
  o.fit_stable_W = 300e6, o.fit_unstable_W = 320e6, o.fit_Hz = 29.0, o.fit_within_Hz = 2.0;
  const auto s = site_stability(o);
  const auto fit = std::find_if(s.fits.begin(), s.fits.end(), [](const auto& f) { return f.fits; });
  REQUIRE(fit != s.fits.end());
  CHECK(fit->short_circuit_low_VA < fit->short_circuit_high_VA);
  o.gain_ratio = fit->gain_ratio;
  for (const auto& [MVA, load_W] :
       {std::pair(fit->short_circuit_low_VA, 300e6), std::pair(fit->short_circuit_high_VA, 320e6)}) {
    o.short_circuit_VA = MVA;
    o.fit_Hz = o.fit_stable_W = o.fit_unstable_W = 0.0;
    CHECK(site_stability(o).onset.load_W == Approx(load_W).epsilon(0.005));
  }
  CHECK(stability_text(s).find("a fit, not a prediction") != std::string::npos);
}

TEST_CASE("everything wrong with the stability options is said at once") {
  auto o = site();
  o.load_W = -1.0;
  o.gain_to = 0.1;
  o.fit_Hz = 23.0;
  try {
    site_stability(o);
    FAIL("accepted");
  } catch (const InputError& e) {
    CHECK(e.findings().size() == 3);
  }
  o = site();
  o.control = "psu_singel_phase";
  CHECK_THROWS_AS(site_stability(o), InputError);
}
