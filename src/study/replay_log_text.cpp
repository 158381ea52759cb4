#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "replay_log.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Json = nlohmann::ordered_json;

std::string lines(const char* title, const char* unit, const std::vector<ReplayComparison>& list) {
  if (list.empty()) return {};
  std::string out = fmt::format("{:<18} {:>8} {:>10} {:>10} {:>9} {:>9} {:>9} {:>9}\n", title, "samples", "measured",
                                "predicted", "bias", "rms", "worst", "spread");
  for (const auto& c : list)
    out += fmt::format("  {:<16} {:>8} {:>10.1f} {:>10.1f} {:>+9.2f} {:>9.2f} {:>+9.2f} {:>9.2f} {}\n", c.of,
                       c.n_sample, c.measured_mean, c.predicted_mean, c.bias, c.rms, c.worst, c.spread, unit);
  return out;
}

/// @param mean_unit, unit  ends of the keys: of means, and of differences
Json compared_json(const ReplayComparison& c, const char* mean_unit, const char* unit) {
  const auto key = [](const char* what, const char* in) { return fmt::format("{}_{}", what, in); };
  return {{"of", c.of},
          {"samples", c.n_sample},
          {key("measured_mean", mean_unit), c.measured_mean},
          {key("predicted_mean", mean_unit), c.predicted_mean},
          {key("bias", unit), c.bias},
          {key("rms", unit), c.rms},
          {key("worst", unit), c.worst},
          {key("measured_spread", unit), c.spread}};
}

}  // namespace

std::string replay_text(const ReplayReport& r) {
  std::string out =
      fmt::format("{}{} through {} with {}: {:.0f} s, {:.0f} W per GPU, air {:.1f} °C ({}), fans {:.0f} %\n",
                  r.host.empty() ? "" : r.host + " ", "replayed", r.server, r.gpu, r.span_s, r.gpu_mean_W, r.inlet_degC,
                  r.inlet_from, 100.0 * r.fan_mean_frac);
  out += lines("die temperature", "K", r.temperature);
  out += lines("clock, 2nd half", "MHz", r.clock);
  if (r.node) out += lines("node power", "W", {*r.node});
  out += "bias, rms and worst are predicted less measured; spread is the measured one's own standard deviation\n";
  for (const auto& f : r.findings) out += fmt::format("finding: {}\n", f);
  return out;
}

std::string replay_json(const ReplayReport& r) {
  Json out{{"server", r.server},
           {"gpu", r.gpu},
           {"host", r.host},
           {"span_s", r.span_s},
           {"gpu_mean_W", r.gpu_mean_W},
           {"inlet_degC", r.inlet_degC},
           {"inlet_from", r.inlet_from},
           {"fan_mean_frac", r.fan_mean_frac},
           {"findings", r.findings},
           {"temperature", Json::array()},
           {"clock", Json::array()}};
  for (const auto& c : r.temperature) out["temperature"].push_back(compared_json(c, "degC", "K"));
  for (const auto& c : r.clock) out["clock"].push_back(compared_json(c, "MHz", "MHz"));
  out["node"] = r.node ? compared_json(*r.node, "W", "W") : Json();
  return out.dump();
}

std::string replay_csv(const ReplayReport& r) {
  std::string out = "time_s,gpu,power_W,measured_degC,predicted_degC\n";
  for (const auto& x : r.rows)
    out += fmt::format("{:.3f},{},{:.7g},{:.6g},{:.6g}\n", x.time_s, r.temperature[x.gpu].of, x.power_W,
                       x.measured_degC, x.predicted_degC);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
