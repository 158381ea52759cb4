#include "tidewatt/sim/look_up.hpp"

#include <cmath>

#include "catch.hpp"
#include "tidewatt/base/error.hpp"

using namespace tidewatt;
using namespace tidewatt::sim;

namespace {

Result sample() {
  Result r;
  r.summary = {{"n_gpu", std::int64_t{8}},
               {"pue", 1.25},
               {"throughput_swing_percent", Value{}},
               {"compliance", std::string("pass")},
               {"limiter_share", std::vector<std::pair<std::string, double>>{{"none", 0.25}, {"power", 0.75}}}};
  r.arrays.push_back({"/day/pcc_mean_W", {"time"}, {2}, std::vector<double>{1.0, 2.0}, "W", ""});
  r.arrays.push_back({"/day/job_state", {"time"}, {2}, std::vector<std::int64_t>{1, 2}, "1", ""});
  return r;
}

std::string why(const auto& call) {
  try {
    call();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("figures and arrays are found by name; what the run does not have is NaN, what nobody has is an error") {
  const auto r = sample();
  CHECK(figure(r, "n_gpu") == 8.0);
  CHECK(figure(r, "pue") == 1.25);
  CHECK(figure(r, "limiter_share.power") == 0.75);
  CHECK(std::isnan(figure(r, "throughput_swing_percent")));
  CHECK(values(r, "/day/pcc_mean_W").size() == 2);
  CHECK(values(r, "/day/pcc_mean_W").data() == std::get<std::vector<double>>(r.arrays[0].values).data());
  CHECK(why([&] { figure(r, "puee"); }).find("did you mean 'pue'") != std::string::npos);
  CHECK(why([&] { figure(r, "compliance"); }) != "");
  CHECK(why([&] { values(r, "/day/pcc_mean_MW"); }).find("'/day/pcc_mean_W'") != std::string::npos);
  CHECK(why([&] { values(r, "/day/job_state"); }) != "");
}
