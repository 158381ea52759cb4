#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "groups.hpp"
#include "silicon.hpp"
#include "thermal_step.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

double mean_of(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}

BoardPower constant(double W) {
  return [W](double) { return W; };
}

}  // namespace

std::vector<Row> thermal_rows(const Context& context) {
  std::vector<Row> rows;
  const char* air_liquid = "arXiv 2507.16781";
  const GpuCase h100 = gpu_case("h100_sxm_700W");
  const auto t1 = steady_node(h100, server_case("grand_teton_h100"), constant(650.0), 22.0 + zero_degC_K);
  const auto [coldest, hottest] = std::minmax_element(t1.die_K.begin(), t1.die_K.end());
  const std::string fans = fmt::format("fans at {:.0f} %, in their controller's steps", 100 * t1.fan_frac);
  rows.push_back(within_absolute("T1/mean", "air-cooled 8xH100, 650 W, 22 degC inlet, mean of eight", "degC", 63,
                                 mean_of(t1.die_K) - zero_degC_K, 5, air_liquid, fans));
  const auto position = [&](const char* id, const char* what, double die_K) {
    // The published range holds positions and chips; a chip's own spread is no part of this row.
    Row r = within(id, what, "degC", 54, 72, die_K - zero_degC_K, 0.0, air_liquid);
    r.absolute = true, r.tolerance = 5.0;
    r.error = r.got < 54 ? r.got - 54 : r.got > 72 ? r.got - 72 : 0.0;
    r.verdict = std::abs(r.error) <= r.tolerance ? Verdict::pass : Verdict::fail;
    rows.push_back(r);
  };
  position("T1/coolest", "same, coolest of the eight positions", *coldest);
  position("T1/hottest", "same, hottest of the eight positions", *hottest);

  const auto t2 = steady_node(gpu_case("h100_sxm_700W_liquid"), server_case("hgx_h100_liquid"), constant(650.0),
                              25.0 + zero_degC_K);
  rows.push_back(within("T2", "liquid-cooled 8xH100, 650 W, liquid at 25 degC", "degC", 41, 50,
                        mean_of(t2.die_K) - zero_degC_K, 0.0, air_liquid, "the liquid's temperature is not published"));

  step_rows(rows);

  const GpuCase a100 = gpu_case("a100_sxm_400W");
  const ServerCase dgx = server_case("dgx_a100");
  const double idle_K = mean_of(steady_node(a100, dgx, constant(63.0), 20.0 + zero_degC_K).die_K);
  const double busy_K = mean_of(steady_node(a100, dgx, constant(404.0), 20.0 + zero_degC_K).die_K);
  rows.push_back(against("T4", "A100 fleet, GPU power from percentile 10 to 90 (63 to 404 W), rise of the core", "K",
                         31, busy_K - idle_K, 0.15, "Acme trace (2023)",
                         fmt::format("{:.4f} K/W", (busy_K - idle_K) / 341.0)));
  hourly_rows(context, rows);
  return rows;
}

}  // namespace TIDEWATT_NAMESPACE::validate
