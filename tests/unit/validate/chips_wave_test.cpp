#include "validate/chips_wave.hpp"

#include <algorithm>

#include "catch.hpp"

using namespace tidewatt;
using namespace tidewatt::validate;

TEST_CASE("a mean over a window of a square wave", "[validate][evidence]") {
  std::vector<double> W(2000);
  for (std::size_t i = 0; i < W.size(); ++i) W[i] = (i / 200) % 2 == 0 ? 900.0 : 100.0;  // on for 0.1 s
  CHECK(highest_mean_W(W, 0.1) == Approx(900.0));
  CHECK(highest_mean_W(W, 0.2) == Approx(500.0));
  CHECK(highest_mean_W(W, 0.4) == Approx(500.0));
}

TEST_CASE("the limiter's mean over a second holds a wave, and lets more through within it", "[validate][chips]") {
  const GpuCase gpu = gpu_case("b300_sxm_1100W");
  const auto W = wave_W(LabKernel::fitted(gpu), gpu, {500.0, 0.05, 41.0});
  CHECK(W.size() == 8000);
  CHECK(highest_mean_W(W, 1.0) < 500.0);
  CHECK(highest_mean_W(W, 0.02) > 600.0);
  CHECK(*std::min_element(W.begin(), W.end()) < 300.0);
}
