#include "io/figure_text.hpp"

#include <cmath>

#include "catch.hpp"

using namespace tidewatt;

namespace {

using List = std::vector<std::pair<std::string, double>>;

}  // namespace

TEST_CASE("a figure has its unit and digits, or the digits asked for") {
  CHECK(io::figure_text("pcc_max_MW", 15.7512) == "15.8 MW");
  CHECK(io::figure_text("pcc_max_MW", 15.7512, 5) == "15.751 MW");
  CHECK(io::figure_text("pue", 1.0504) == "1.050");
  CHECK(io::figure_text("clock_mean_MHz", 1500.4) == "1,500 MHz");
  CHECK(io::figure_text("pcc_max_MW_p95", 15.7512) == "15.8 MW");
  CHECK(io::figure_text("capacity_margin_min_percent", -2.0) == "−2.00 %");
  CHECK(io::figure_text("grid_case_rotor_deg", 0.25) == "0.250°");
}

TEST_CASE("large figures are shown in the unit for people") {
  CHECK(io::figure_text("tokens_per_s_mean", 1690123.0) == "1.69 million tokens/s");
  CHECK(io::figure_text("peak_FLOP_per_s", 989.4e12) == "989.4 TFLOP/s");
}

TEST_CASE("counts have all digits, and what is not known is a dash") {
  CHECK(io::figure_text("n_gpu", std::int64_t{16384}) == "16,384");
  CHECK(io::figure_text("rainflow_cycles", List{{"above_half", 12345.0}}) == "above half 12,345");
  CHECK(io::figure_text("pue", sim::Value()) == "–");
  CHECK(io::figure_text("pue", std::nan("")) == "–");
  CHECK(io::figure_text("throughput_min_hours", std::vector<std::int64_t>{}) == "–");
}

TEST_CASE("entries of lists have their own unit, or the figure's") {
  CHECK(io::figure_text("limiter_share", List{{"none", 0.0}, {"power", 0.979}, {"thermal", 0.021}, {"brake", 1e-4}}) ==
        "power 97.9 %, thermal 2.10 %");
  CHECK(io::figure_text("grid_case_most_driven", List{{"line_Hz", 0.5}, {"lasting_mHz", 2.0}}) ==
        "line 0.500 Hz, lasting 2.00 mHz");
  CHECK(io::figure_text("stops_failure", List{{"n", 1.0}, {"ramp_down_max_MW_per_s", 21.7}}) ==
        "number 1, ramp down max 21.7 MW/s");
  CHECK(io::figure_text("band_rms_MW", List{{"0.1-1Hz", 1.25}}) == "0.1-1Hz 1.25 MW");
  CHECK(io::figure_text("throughput_min_hours", std::vector<std::int64_t>{15, 16}) == "15, 16 h");
}
