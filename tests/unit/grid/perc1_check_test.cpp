#include "grid/perc1_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "base/random.hpp"
#include "catch.hpp"
#include "tidewatt/catalog/catalog.hpp"

using namespace tidewatt;
using namespace tidewatt::grid;

namespace {

constexpr std::uint64_t seed = 22;  // of the random sags

Perc1Site shipped(const std::string& name) {
  std::vector<Finding> findings;
  const auto parts =
      with_power(read_load_settings(catalog::Catalog().values("load_settings", name), name, findings), 100e6, 20e6);
  return perc1_site(parts);
}

/// Balanced sags of 0 to 0.95 pu and 20 ms to 3 s.
std::vector<Sag> random_sags(std::size_t n) {
  std::vector<Sag> out;
  for (std::uint64_t i = 0; i < n; ++i)
    out.push_back({0.95 * random::uniform(seed, random::Purpose::jitter, i, 0),
                   0.02 + 2.98 * random::uniform(seed, random::Purpose::jitter, i, 1)});
  return out;
}

/// A fixed share of the sags; TIDEWATT_SAGS=1000 plays them all.
std::size_t n_sag() {
  const char* n = std::getenv("TIDEWATT_SAGS");
  return n ? static_cast<std::size_t>(std::atoi(n)) : 50;
}

}  // namespace

TEST_CASE("random sags: records written beforehand follow each layout of supplies within the limits") {
  const auto sags = random_sags(n_sag());
  for (const char* name : {"ups_central", "ups_spread", "ups_mixed"}) {
    const auto check = check_perc1(shipped(name), sags);
    fmt::print("{}: {}\n", name, check.text());
    INFO(name << ": " << check.text());
    CHECK(check.unfit() == "");
    CHECK(static_cast<double>(check.n_within) >= 0.95 * static_cast<double>(check.n_clear));
    CHECK(static_cast<double>(check.n_near_equal) >= 0.90 * static_cast<double>(check.n_near));
    CHECK(check.n_apart == 0);
    CHECK(check.n_clear >= static_cast<std::int64_t>(sags.size() / 2));
    CHECK(check.worst_lost_frac <= 0.02);
    CHECK(check.worst_back_s <= 0.05);
  }
}

TEST_CASE("the check can fail: a wrong threshold, return, share or current limit is found by playing") {
  const auto sags = check_sags();
  CHECK(check_perc1(shipped("ups_central"), sags).unfit() == "");
  const auto unfit = [&](auto change) {
    auto site = shipped("ups_central");
    for (auto& r : site.records) change(r.params);
    return check_perc1(site, sags).unfit();
  };
  CHECK(unfit([](Perc1Params& p) { p.Vcease = 0.5; }).find("differ") != std::string::npos);
  CHECK(unfit([](Perc1Params& p) { p.Frecon = 0.63; }).find("differ") != std::string::npos);
  CHECK(unfit([](Perc1Params& p) { p.Trecon = 11.0; }).find("differ") != std::string::npos);
  CHECK(unfit([](Perc1Params& p) { p.Tramp = 17.0; }).find("differ") != std::string::npos);
  CHECK(unfit([](Perc1Params& p) { p.Tdelay = 0.5; }).find("differ") != std::string::npos);
}

TEST_CASE("places of a sag: clear, near a threshold or a timer, apart where a limit acts that no record holds") {
  Perc1Site site = shipped("ups_central");
  const auto place = [&](double level, double s) {
    const Sag sag[] = {{level, s}};
    return check_perc1(site, sag).sags[0].place;
  };
  CHECK(place(0.5, 0.3) == SagPlace::clear);
  CHECK(place(0.86, 0.3) == SagPlace::near);
  CHECK(place(0.5, 0.025) == SagPlace::near);
  LoadSettings itic;
  itic.group.power_W = 10e6;
  itic.group.voltage = {{0.8, 0.5, true, ""}, {0.7, 0.02, true, ""}};
  itic.group.returns = false;
  const LoadSettings parts[] = {itic};
  site = perc1_site(parts);
  CHECK(place(0.75, 1.0) == SagPlace::apart);
  CHECK(place(0.75, 0.3) == SagPlace::clear);
  CHECK(place(0.5, 1.0) == SagPlace::clear);
}

TEST_CASE("differences: a record that lags by a known share is off by it") {
  Perc1Site site = shipped("ups_central");
  for (auto& r : site.records) r.params.Fcease = 0.9;
  const Sag sag[] = {{0.3, 1.0}};
  const auto o = check_perc1(site, sag).sags[0];
  CHECK(o.lost_site_frac == Approx(1.0));
  CHECK(o.lost_record_frac == Approx(0.9));
  // A tenth of the load at 0.3 pu and 1.25 times its current.
  CHECK(o.during.largest == Approx(0.1 * 0.3 * 1.25).epsilon(1e-6));
  CHECK(o.during.mean == Approx(o.during.mean_abs));
  CHECK(o.before.largest < 1e-12);
}
