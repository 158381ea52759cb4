#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "cap_study.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr std::array<const char*, 5> reason_words = {"none", "voltage_floor", "boards", "servers", "connection"};
constexpr std::array<const char*, n_boundary> boundary_words = {"boards", "servers", "connection"};

/// Of the fleet at the best cap, compared with the fleet at the limit.
template <class T>
double more_percent(const CapStudy& s, T CapPoint::* figure) {
  return 100.0 * (static_cast<double>(s.points[s.best].*figure) / static_cast<double>(s.points.front().*figure) - 1.0);
}

std::string why(const CapStudy& s) {
  const double servers_W = s.fixed_W[1] - s.fixed_W[0], connection_W = s.fixed_W[2] - s.fixed_W[1];
  switch (s.reason) {
    case KneeReason::none:
      return "it is the lowest cap of the range: the best one may lie below";
    case KneeReason::voltage_floor:
      return fmt::format(
          "below it the slowest GPU's voltage is at its floor of {:.0f} mV, so power falls no faster than the clock",
          1e3 * s.floor_V);
    case KneeReason::boards:
      return fmt::format("{:.0f} W of each board do not follow the cap (leakage, memory, idle time)", s.fixed_W[0]);
    case KneeReason::servers:
      return fmt::format(
          "around the boards, {:.0f} W per GPU do not follow the cap (hosts, switch trays, fans, conversion), and "
          "{:.0f} "
          "W of cooling and feeder",
          servers_W, connection_W);
    case KneeReason::connection:
      return fmt::format(
          "around the boards, {:.0f} W per GPU of cooling and feeder do not follow the cap, and {:.0f} W of hosts, "
          "switch "
          "trays, fans and conversion",
          connection_W, servers_W);
  }
  return "";
}

}  // namespace

std::string knee_text(const CapStudy& s) {
  const auto percent = [&](std::size_t i) { return 100.0 * s.points[i].cap_frac; };
  const auto& best = s.points[s.best];
  std::string out = fmt::format(
      "best cap: {:.0f} % ({:.0f} W), {} GPUs in {} racks behind {:.4g} MW, {:+.1f} % tokens against the limit\nwhy "
      "not lower: "
      "{}\n",
      percent(s.best), best.cap_W, best.n_gpu, best.n_rack, s.contract_W * 1e-6,
      more_percent(s, &CapPoint::fleet_tokens_per_s), why(s));
  out += fmt::format(
      "most tokens per joule of the boards at {:.0f} %, of the servers at {:.0f} %, at the connection at {:.0f} %; "
      "{:.0f} % of "
      "the iteration follows the clock\n",
      percent(s.best_at[0]), percent(s.best_at[1]), percent(s.best_at[2]), 100.0 * s.clock_bound_frac);
  return out;
}

std::string caps_text(const CapStudy& s) {
  std::string out = fmt::format("{:>5} {:>6} {:>11} {:>8} {:>9} {:>9} {:>6} {:>8} {:>7} {:>12}\n", "cap %", "W",
                                "tokens/s", "MW", "tokens/J", "slow MHz", "mV", "GPUs at", "racks", "tokens/s");
  out += fmt::format("{:>59} {:>5.4g} MW {:>7} {:>12}\n", "", s.contract_W * 1e-6, "", "of these");
  for (const auto& p : s.points)
    out += fmt::format("{:>5.0f} {:>6.0f} {:>11.0f} {:>8.3f} {:>9.4f} {:>9.0f} {:>6.0f} {:>8} {:>7} {:>12.0f}\n",
                       100.0 * p.cap_frac, p.cap_W, p.tokens_per_s, p.mean_W[2] * 1e-6,
                       p.tokens_per_J(PowerBoundary::connection), p.clock_slowest_Hz * 1e-6, 1e3 * p.voltage_V, p.n_gpu,
                       p.n_rack, p.fleet_tokens_per_s);
  return out + knee_text(s);
}

std::string caps_json(const CapStudy& s) {
  nlohmann::ordered_json object{{"contract_MW", s.contract_W * 1e-6},
                                {"best_cap_W", s.points[s.best].cap_W},
                                {"best_cap_percent", 100.0 * s.points[s.best].cap_frac},
                                {"n_gpu", s.points[s.best].n_gpu},
                                {"n_rack", s.points[s.best].n_rack},
                                {"more_tokens_percent", more_percent(s, &CapPoint::fleet_tokens_per_s)},
                                {"more_gpus_percent", more_percent(s, &CapPoint::n_gpu)},
                                {"knee", reason_words.at(static_cast<std::size_t>(s.reason))},
                                {"knee_text", knee_text(s)},
                                {"clock_bound_percent", 100.0 * s.clock_bound_frac}};
  for (std::size_t b = 0; b < n_boundary; ++b)
    object["boundaries"].push_back({{"name", boundary_words.at(b)},
                                    {"best_cap_percent", 100.0 * s.points[s.best_at[b]].cap_frac},
                                    {"W_per_gpu", s.gpu_W[b]},
                                    {"fixed_W_per_gpu", s.fixed_W[b]}});
  for (const auto& p : s.points)
    object["caps"].push_back({{"cap_percent", 100.0 * p.cap_frac},
                              {"cap_W", p.cap_W},
                              {"tokens_per_s", p.tokens_per_s},
                              {"boards_MW", p.mean_W[0] * 1e-6},
                              {"it_MW", p.mean_W[1] * 1e-6},
                              {"connection_MW", p.mean_W[2] * 1e-6},
                              {"tokens_per_J", p.tokens_per_J(PowerBoundary::connection)},
                              {"clock_slowest_MHz", p.clock_slowest_Hz * 1e-6},
                              {"voltage_mV", 1e3 * p.voltage_V},
                              {"limited_by_cap_percent", 100.0 * p.capped_frac},
                              {"n_gpu", p.n_gpu},
                              {"n_rack", p.n_rack},
                              {"fleet_tokens_per_s", p.fleet_tokens_per_s}});
  return object.dump();
}

}  // namespace TIDEWATT_NAMESPACE::study
