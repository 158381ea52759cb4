#include "network_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.hpp"
#include "grid/psse_raw.hpp"
#include "io/read_waveform.hpp"
#include "stability_study.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {

grid::LoadShares load_shares(const std::string& key, const std::string& constant, std::vector<Finding>& findings) {
  if (constant == "impedance") return {0.0, 0.0};
  if (constant == "current") return {0.0, 1.0};
  if (constant == "power") return {1.0, 0.0};
  findings.push_back(
      {{},
       key,
       fmt::format("'{}' is not one of impedance, current, power{}", constant, key == "site" ? ", supplies" : "")});
  return {};
}

grid::ShaftInput shaft_input(const std::string& output, std::vector<Finding>& findings) {
  if (output != "power" && output != "torque")
    findings.push_back({{}, "shaft", fmt::format("'{}' is not one of power, torque", output)});
  return output == "torque" ? grid::ShaftInput::torque : grid::ShaftInput::power;
}

namespace {

void check(const NetworkOptions& o, std::vector<Finding>& findings) {
  const auto range = [&](const char* key, double value, double low, double high) {
    if (!(value >= low && value <= high))
      findings.push_back({{}, key, fmt::format("{:g} is outside of {:g} to {:g}", value, low, high)});
  };
  range("step_MW", o.step_W * 1e-6, -1e6, 1e6);
  range("ramp_s", o.ramp_s, 0.0, 3600.0);
  range("at_s", o.at_s, 0.1, 3600.0);
  range("length_s", o.length_s, 0.1, 3600.0);
  range("begin_s", o.begin_s, 0.0, 1e12);
  range("dispatch_s", o.dispatch_s, 0.1, 3600.0);
  range("time_step_s", o.time_step_s, 1e-4, 0.05);
  range("site_MW", o.site_W * 1e-6, 0.0, 1e6);
  range("rating_MW", o.rating_W * 1e-6, 0.0, 1e6);
  range("gain", o.gain_ratio, 0.01, 100.0);
  if (o.site == "supplies" && o.result.empty() && !(o.site_W > 0.0))
    findings.push_back({{}, "site_MW", "must be given with supplies: their load at rest"});
  if (o.site != "supplies" && (o.site_W > 0.0 || o.rating_W > 0.0))
    findings.push_back({{}, "site_MW, rating_MW", "need site = supplies"});
  const int events = (o.step_W != 0.0) + !o.trip.empty() + !o.result.empty();
  if (events != 1)
    findings.push_back({{}, "step_MW, trip, result", fmt::format("{} of them are given, expected one", events)});
  if (o.result.empty() && !(o.at_s + o.ramp_s < o.length_s))
    findings.push_back({{}, "length_s", "must be above at_s and ramp_s together"});
}

constexpr double merge_s = 0.02;

/// The waveform after its dispatched stretch, minus that stretch's mean; means over 20 ms, about a cycle.
std::vector<grid::SitePoint> waveform(const NetworkOptions& o, double& dispatch_W) {
  const auto w = io::read_waveform(o.result, o.window);
  const auto sample = [&](double s) { return static_cast<std::size_t>(std::lround(s / w.step_s)); };
  const std::size_t first = sample(o.begin_s), play = first + sample(o.dispatch_s);
  const std::size_t last = std::min(w.pcc_W.size(), play + sample(o.length_s)),
                    merge = std::max<std::size_t>(1, sample(merge_s));
  if (play + merge > w.pcc_W.size())
    throw InputError(fmt::format("network: begin_s and dispatch_s end behind the window's {:g} s",
                                 static_cast<double>(w.pcc_W.size()) * w.step_s));
  const auto at = [&](std::size_t i) { return w.pcc_W.begin() + static_cast<std::ptrdiff_t>(i); };
  dispatch_W = std::accumulate(at(first), at(play), 0.0) / static_cast<double>(play - first);
  return grid::site_points(std::span(w.pcc_W).subspan(play, last - play), w.step_s, merge_s, -dispatch_W);
}

/// The site's supplies, initially at the dispatched power unless a load is given.
grid::SiteSupplies supplies_of(const NetworkOptions& o, double dispatch_W) {
  std::vector<Finding> findings;
  grid::SiteSupplies out{read_supply_control(o.control, o.catalog_overlay, findings), o.rating_W,
                         o.site_W > 0.0 ? o.site_W : dispatch_W, 0.0, o.gain_ratio};
  if (!findings.empty()) throw InputError(std::move(findings));
  if (out.rating_W == 0.0) out.rating_W = out.load_W;
  return out;
}

grid::GridTrip trip_of(const NetworkOptions& o) {
  const std::size_t dash = o.trip.find('-');
  double bus = 0.0;
  if (dash == std::string::npos || !parse_number(o.trip.substr(0, dash), bus))
    throw InputError(fmt::format("network: trip '{}' is not BUS-ID, such as 102-SW", o.trip));
  return {o.at_s, static_cast<std::int64_t>(bus), 0, o.trip.substr(dash + 1)};
}

}  // namespace

NetworkRun play_network(const NetworkOptions& o) {
  std::vector<Finding> findings;
  check(o, findings);
  grid::LoadMotion motion;
  motion.active = motion.reactive = load_shares("loads", o.loads, findings);
  const bool supplies = o.site == "supplies";
  if (!supplies) motion.site = load_shares("site", o.site, findings);
  const auto shaft = shaft_input(o.shaft, findings);
  if (!findings.empty()) throw InputError(std::move(findings));
  auto network = grid::read_raw(o.raw);
  const auto records = grid::read_dyr(o.dyr);
  NetworkRun out;
  out.options = o;
  out.bus = o.bus != 0 ? network.bus[network.bus_index(o.bus)].number : network.largest_load_bus();
  for (const auto& b : network.bus) out.bus_number.push_back(b.number);
  std::vector<grid::SitePoint> site;
  std::vector<grid::GridTrip> trips;
  double length_s = o.length_s;
  if (!o.result.empty()) {
    site = waveform(o, out.dispatch_W);
    length_s = std::min(length_s, site.back().at_s);
  } else if (!o.trip.empty()) {
    trips.push_back(trip_of(o));
  } else {
    site = {{o.at_s, 0.0}, {o.at_s + o.ramp_s, o.step_W}};
  }
  auto system =
      supplies ? grid::GridSystem(std::move(network), records, out.bus, motion, shaft, supplies_of(o, out.dispatch_W))
               : grid::GridSystem(std::move(network), records, out.bus, motion, shaft);
  if (supplies) out.modes = grid::LinearGrid(system).modes();
  out.trace = grid::play(
      system, site, trips,
      {length_s, supplies ? std::min(o.time_step_s, 0.001) : o.time_step_s});  // loops of supplies take milliseconds
  out.has_answer = o.result.empty();
  if (out.has_answer) out.answer = grid::grid_answer(out.trace, o.at_s);
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
