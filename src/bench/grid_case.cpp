#include "grid_case.hpp"

#include <algorithm>

#include "connection/site_stream.hpp"
#include "machine.hpp"
#include "timing.hpp"

namespace TIDEWATT_NAMESPACE::bench::detail {
namespace {

/// An iteration of 6.5 s with 97 edges between 60 and 140 MW: no whole number of milliseconds, no bin like the next.
connection::LoadTemplate iteration() {
  workload::Timeline t;
  t.classes.emplace_back();
  fleet::ClassPower power(1);
  constexpr Tick period = 6'543'210'987;
  constexpr int n_piece = 97;
  Tick at = 0;
  for (int i = 0; i < n_piece; ++i) {
    const Tick end = period * (i + 1) / n_piece;
    t.classes.front().push_back({end - at, static_cast<std::uint32_t>(i)});
    power.front().push_back(60e6 + 80e6 * static_cast<double>((i * 37) % n_piece) / n_piece);
    at = end;
  }
  t.kinds.resize(n_piece);
  t.period = period;
  return connection::make_load_template(t, power);
}

connection::SiteStream::Params site() {
  connection::SiteStream::Params p;
  for (auto& level : p.feeder.level) {
    level.n_branch = 4;
    level.rating_VA = 60e6;
    level.no_load_loss_W = 20e3;
    level.load_loss_W = 300e3;
    level.reactance_pu = 0.08;
  }
  p.source = {138e3, 5e9, 15, 1.02};
  p.frequency = {60, 60e9, 5, 1, 0.08, 0.2, 0.3, 7, 0.3};
  auto& b = p.battery.emplace();
  b.power_W = 60e6;
  b.energy_J = 60e6 * 3600;
  b.charge_efficiency_frac = b.discharge_efficiency_frac = 0.94;
  b.standby_W = 1e5;
  b.soc_min_frac = 0.1;
  b.soc_max_frac = 0.9;
  b.response_s = 0.03;
  b.control_period_s = 0.02;
  b.smoothing_s = 30;
  b.soc_gain_pu = 0.2;
  p.first_kept_level = 3;
  p.closed_form = false;
  return p;
}

}  // namespace

GridRate grid_rate(double simulated_s) {
  const auto load = iteration();
  connection::SiteStream stream(site(), 60e6, 5e6);
  const double start_s = thread_s();
  double early_MB = 0.0;
  Tick until = 0;
  while (seconds(until) < simulated_s) {
    const double s = seconds(until);
    const std::int64_t n = 60 * ns_per_s / load.period;
    stream.append(0, load, n, true);
    until += load.period * n;
    stream.flush(until / ns_per_ms * ns_per_ms, 5e6);
    if (s <= 0.1 * simulated_s) early_MB = max_rss_MB();
  }
  stream.finish();
  return {seconds(until) / std::max(1e-9, thread_s() - start_s), max_rss_MB() - early_MB};
}

}  // namespace TIDEWATT_NAMESPACE::bench::detail
