#include "tidewatt/catalog/fits.hpp"

#include "catch.hpp"
#include "tidewatt/catalog/rack.hpp"

using namespace tidewatt;
using catalog::Catalog;
using catalog::Hardware;

namespace {

/// All findings as one text.
std::string said(const Hardware& hardware) {
  std::string out;
  for (const Finding& f : catalog::misfits(Catalog(), hardware)) out += f.key + ": " + f.message + "\n";
  return out;
}

std::vector<std::string> names(const std::string& kind) {
  std::vector<std::string> out;
  for (const auto& [k, name] : Catalog().list())
    if (k == kind) out.push_back(name);
  return out;
}

Hardware with(std::string Hardware::* a, const std::string& x, std::string Hardware::* b, const std::string& y) {
  Hardware h;
  h.*a = x, h.*b = y;
  return h;
}

}  // namespace

TEST_CASE("what was built to stand together fits") {
  CHECK(said({"h100_sxm_700W", "dgx_h100", "", "dgx_h100_ndr", "crah_chilled_water", "hall_480V"}).empty());
  CHECK(said({"", "", "gb200_nvl72", "", "cdu_dry_cooler", "hall_480V_liquid_rack"}).empty());
  CHECK(said({"", "", "gb300_nvl72", "", "cdu_dry_cooler", "hall_480V_liquid_rack"}).empty());
  CHECK(said({"", "", "rubin_ultra_kyber", "", "cdu_dry_cooler", "hall_800V_dc"}).empty());
  for (const std::string& rack : names("rack")) {
    INFO(rack);
    CHECK(said({"", "", rack, "", "", ""}).empty());  // each rack holds what it counts
  }
}

TEST_CASE("a cold-plate GPU in an air server, and a sink in a plate server, are findings with what fits") {
  const std::string plate = said(with(&Hardware::gpu, "h100_sxm_700W_liquid", &Hardware::server, "dgx_h100"));
  CHECK_THAT(plate, Catch::Contains("server: h100_sxm_700W_liquid needs a cold plate") &&
                        Catch::Contains("what fits: ") && Catch::Contains("liquid"));
  CHECK_THAT(said(with(&Hardware::gpu, "h100_sxm_700W", &Hardware::server, "hgx_h100_liquid")),
             Catch::Contains("sink for air"));
}

TEST_CASE("supplies too small for their GPUs, and another maker's board, are findings") {
  CHECK_THAT(
      said(with(&Hardware::gpu, "rubin_ultra_3600W", &Hardware::server, "gb200_tray")),
      Catch::Contains("4 of rubin_ultra_3600W with host and fans need") && Catch::Contains("kW, the supplies of"));
  CHECK_THAT(said(with(&Hardware::gpu, "mi300x_750W", &Hardware::server, "dgx_h100")),
             Catch::Contains("the board of dgx_h100 takes h100_sxm_700W, not mi300x_750W; what fits: "));
  CHECK(said(with(&Hardware::gpu, "h100_sxm_700W", &Hardware::server, "hgx_h200")).empty());  // the same socket
}

TEST_CASE("air servers on a plant without an air path, and plates on one without a loop, are findings") {
  CHECK_THAT(said(with(&Hardware::server, "dgx_h100", &Hardware::plant, "frontier_like_tower")),
             Catch::Contains("100 % of its heat to air") && Catch::Contains("can take 5 %"));
  CHECK_THAT(said(with(&Hardware::server, "hgx_h100_liquid", &Hardware::plant, "crah_chilled_water")),
             Catch::Contains("no liquid loop"));
  CHECK_THAT(said(with(&Hardware::rack, "gb200_nvl72", &Hardware::plant, "outside_air_evaporative")),
             Catch::Contains("needs a liquid loop"));
}

TEST_CASE("the air's share of a server on plates is that at its GPUs' rating, not at the supplies'") {
  // 5.6 of 7.6 kW are the GPUs', 95 % of them in liquid: 28 % stays in air. The 45 degC plant's air loop is made for 15 %.
  CHECK_THAT(said(with(&Hardware::server, "hgx_h100_liquid", &Hardware::plant, "cdu_dry_cooler_45C")),
             Catch::Contains("hgx_h100_liquid gives 28 % of its heat to air, cdu_dry_cooler_45C can take") &&
                 Catch::Contains("what fits: cdu_dry_cooler"));
  CHECK(said(with(&Hardware::server, "hgx_h100_liquid", &Hardware::plant, "cdu_dry_cooler")).empty());
  CHECK(said(with(&Hardware::rack, "gb200_nvl72", &Hardware::plant, "cdu_dry_cooler_45C")).empty());
}

TEST_CASE("a rack on a branch too small, or on the wrong current, is a finding") {
  CHECK_THAT(said(with(&Hardware::rack, "gb300_nvl72", &Hardware::feeder, "hall_480V")),
             Catch::Contains("kVA, a rack's branch of hall_480V carries 35.0 kVA; what fits: hall_480V_liquid_rack"));
  CHECK_THAT(said(with(&Hardware::rack, "rubin_ultra_kyber", &Hardware::feeder, "hall_480V_liquid_rack")),
             Catch::Contains("takes direct current") && Catch::Contains("what fits: hall_800V_dc"));
  CHECK_THAT(said(with(&Hardware::rack, "gb200_nvl72", &Hardware::feeder, "hall_800V_dc")),
             Catch::Contains("takes alternating current"));
}

TEST_CASE("another network, server or GPU than a rack holds is a finding") {
  const std::string text = said({"b200_sxm_1000W_liquid", "hgx_b200_liquid", "gb200_nvl72", "dgx_b200_ndr", "", ""});
  CHECK_THAT(text, Catch::Contains("gpu: gb200_nvl72 holds gb200_1200W") &&
                       Catch::Contains("server: gb200_nvl72 holds gb200_tray") &&
                       Catch::Contains("network: gb200_nvl72 holds gb200_nvl72"));
  CHECK_THAT(said(with(&Hardware::server, "dgx_h100", &Hardware::network, "gb300_nvl72")),
             Catch::Contains("has 8 GPUs, a node of gb300_nvl72 has 4"));
}

TEST_CASE("too little flow for a rack's heat is a finding before any run") {
  const auto flow = [](double litres) {
    cooling::RackLoopParams loop = catalog::read_rack(Catalog(), "gb200_nvl72").loop;
    loop.flow_m3_per_s = litres * 1e-3 / 60.0;
    return loop.flow_m3_per_s >= cooling::rack_flow_needed_m3_per_s(loop, 115e3, 309.15);
  };
  CHECK(flow(130));
  CHECK_FALSE(flow(80));  // 21.7 K, above the limit of 20 K
}

TEST_CASE("every pair of the catalog is answered: it fits, or a reason and what fits instead") {
  const Catalog c;
  std::size_t n = 0, n_fit = 0;
  const auto ask = [&](std::string Hardware::* a, std::string Hardware::* b, const char* kind_a, const char* kind_b) {
    for (const std::string& x : names(kind_a))
      for (const std::string& y : names(kind_b)) {
        const auto findings = catalog::misfits(c, with(a, x, b, y));
        ++n, n_fit += findings.empty();
        for (const Finding& f : findings) {
          INFO(x << " " << y << ": " << f.message);
          CHECK((f.message.find("what fits: ") != std::string::npos || f.message.find("fits") != std::string::npos ||
                 f.message.find("holds") != std::string::npos));
        }
      }
  };
  ask(&Hardware::gpu, &Hardware::server, "gpu", "server");
  ask(&Hardware::server, &Hardware::network, "server", "network");
  ask(&Hardware::server, &Hardware::plant, "server", "plant");
  ask(&Hardware::rack, &Hardware::plant, "rack", "plant");
  ask(&Hardware::rack, &Hardware::feeder, "rack", "feeder");
  CHECK(n > 500);
  CHECK(n_fit > 50);
  CHECK(n_fit < n / 2);
}
