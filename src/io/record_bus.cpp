#include "record_bus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

namespace TIDEWATT_NAMESPACE::io {
namespace {

constexpr double most_rise_ratio = 1.25;     ///< over the reference, for three cycles and at the end
constexpr double returned_frac = 0.1;        ///< of the reference: the end is as the begin
constexpr double least_sibling_ratio = 0.8;  ///< of the bus's highest phase before the fault
constexpr std::size_t lasting_cycles = 3;

std::string without_digits(std::string name) {
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; }, '#');
  return name;
}

/// Adds a channel to the last bus of that key that lacks its phase, else to a new one.
void add(std::vector<RecordBus>& buses, std::vector<std::string>& keys, const std::string& key, std::size_t channel,
         const std::vector<PhaseName>& names) {
  for (std::size_t b = buses.size(); b-- > 0;) {
    const bool there = std::any_of(buses[b].channels.begin(), buses[b].channels.end(), [&](std::size_t i) {
      return !names[channel].phase.empty() && names[i].phase == names[channel].phase;
    });
    if (keys[b] == key && !there) return buses[b].channels.push_back(channel);
  }
  buses.push_back({{channel}, {}});
  keys.push_back(key);
}

std::vector<RecordBus> by_key(const std::vector<std::size_t>& channels, const std::vector<PhaseName>& names,
                              bool digits) {
  std::vector<RecordBus> buses;
  std::vector<std::string> keys;
  for (const auto i : channels) add(buses, keys, digits ? names[i].bus : without_digits(names[i].bus), i, names);
  return buses;
}

double factor_V(const std::string& unit) {
  return unit.starts_with('k') || unit.starts_with('K') ? 1e3
         : unit.starts_with('M')                        ? 1e6
         : unit.starts_with('m')                        ? 1e-3
                                                        : 1.0;
}

/// Between phases, not from a phase to ground.
bool is_pair(const std::string& phase) { return phase.size() > 1 && phase != "L1" && phase != "L2" && phase != "L3"; }

/// How a channel in pu moved: the highest level that lasted, the lowest, and that of its end.
struct Course {
  double lasting = 1.0, lowest = 1.0, end = 1.0;
};

Course course_of(const std::vector<double>& v_pu, double cycle_s) {
  Course out;
  const auto n = static_cast<std::size_t>(std::lround(cycle_s * 1e3));
  for (std::size_t i = 0; i + lasting_cycles * n < v_pu.size(); i += n)
    out.lasting =
        std::max(out.lasting, *std::min_element(v_pu.begin() + static_cast<std::ptrdiff_t>(i),
                                                v_pu.begin() + static_cast<std::ptrdiff_t>(i + lasting_cycles * n)));
  out.lowest = *std::min_element(v_pu.begin(), v_pu.end());
  const auto last = static_cast<std::ptrdiff_t>(std::min(n, v_pu.size()));
  out.end = std::accumulate(v_pu.end() - last, v_pu.end(), 0.0) / static_cast<double>(last);
  return out;
}

}  // namespace

std::vector<RecordBus> group_buses(const std::vector<RecordVoltage>& channels, const std::vector<PhaseName>& names) {
  std::vector<std::size_t> all, alone;
  for (std::size_t i = 0; i < channels.size(); ++i)
    if (!names[i].neutral) all.push_back(i);
  std::vector<RecordBus> buses = by_key(all, names, true);
  for (const auto& bus : buses)
    if (bus.channels.size() == 1 && !names[bus.channels[0]].phase.empty()) alone.push_back(bus.channels[0]);
  std::erase_if(buses,
                [&](const RecordBus& b) { return b.channels.size() == 1 && !names[b.channels[0]].phase.empty(); });
  for (auto& bus : by_key(alone, names, false)) buses.push_back(std::move(bus));
  std::sort(buses.begin(), buses.end(), [](const auto& a, const auto& b) { return a.channels[0] < b.channels[0]; });
  return buses;
}

void finish_bus(RecordBus& bus, std::vector<RecordVoltage>& channels, const std::vector<PhaseName>& names,
                double line_Hz) {
  std::vector<Course> course(channels.size());
  const auto judged = [&](std::size_t i) { return channels[i].why_not.empty(); };
  for (const auto i : bus.channels)
    if (judged(i) && !channels[i].as_written) course[i] = course_of(channels[i].v_pu, 1.0 / line_Hz);
  const bool live =
      std::any_of(bus.channels.begin(), bus.channels.end(), [&](std::size_t i) { return channels[i].live; });
  // A phase that falls while others rise is a fault to ground behind a whole start.
  const bool falls = std::any_of(bus.channels.begin(), bus.channels.end(), [&](std::size_t i) {
    return judged(i) && course[i].lowest < 0.9 && course[i].lasting <= most_rise_ratio;
  });
  std::vector<std::pair<std::size_t, std::string>> refused;
  for (const auto i : bus.channels) {
    RecordVoltage& v = channels[i];
    const std::string& phase = names[i].phase;
    // Of a live bus a phase without voltage may be one that lacked it before the fault.
    if (!judged(i)) v.live = v.live || (live && !phase.empty());
    if (!judged(i) || v.as_written) continue;
    double highest = 0.0;
    for (const auto k : bus.channels)
      if (judged(k) && is_pair(names[k].phase) == is_pair(phase))
        highest = std::max(highest, channels[k].reference * factor_V(channels[k].unit));
    if (const double ratio = v.reference * factor_V(v.unit) / highest; ratio < least_sibling_ratio)
      refused.emplace_back(i, fmt::format("no pre-fault part: it begins at {:.3g} of the bus's highest phase", ratio));
    else if (course[i].lasting > most_rise_ratio && std::abs(course[i].end - 1.0) > returned_frac && !falls)
      refused.emplace_back(
          i, fmt::format("no pre-fault part: it rises to {:.3g} times the value it begins with", course[i].lasting));
  }
  for (auto& [i, why] : refused) channels[i].why_not = std::move(why), channels[i].v_pu.clear();
  for (const auto i : bus.channels) {
    const auto& v = channels[i].v_pu;
    if (!v.empty() && bus.v_pu.empty()) bus.v_pu = v;
    bus.v_pu.resize(std::min(bus.v_pu.size(), v.empty() ? bus.v_pu.size() : v.size()));
    for (std::size_t k = 0; !v.empty() && k < bus.v_pu.size(); ++k) bus.v_pu[k] = std::min(bus.v_pu[k], v[k]);
  }
}

}  // namespace TIDEWATT_NAMESPACE::io
