#include "ride_record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "say.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Json = nlohmann::ordered_json;
using grid::RideAnswer;

constexpr std::size_t most_named = 4;

RideRecordBus judge_bus(const RideRecord& r, const io::RecordBus& bus, const grid::RideRule& rule,
                        std::span<const grid::LoadGroup> groups) {
  RideRecordBus out;
  const auto& v = bus.v_pu;
  out.lowest_pu = *std::min_element(v.begin(), v.end());
  out.below_s = 1e-3 * static_cast<double>(std::count_if(v.begin(), v.end(), [](double x) { return x < 0.9; }));
  out.answer = grid::judge_record(rule, groups, v, 1e-3);
  const auto lowest = [&](std::size_t i) { return *std::ranges::min_element(r.channels[i].v_pu); };
  for (const auto i : bus.channels)
    if (!r.channels[i].v_pu.empty()) out.channels.push_back(i);
  out.channel = *std::ranges::min_element(out.channels, {}, lowest);
  return out;
}

/// The verdict of the whole, and which bus decides.
void decide(RideRecord& r) {
  const auto badness = [](const RideRecordBus& b) {
    const int kind = b.answer.answer == RideAnswer::fail ? 0 : b.answer.answer == RideAnswer::not_judged ? 1 : 2;
    return std::pair(kind, b.lowest_pu);
  };
  if (!r.buses.empty()) {
    r.decides = static_cast<std::size_t>(std::ranges::min_element(r.buses, {}, badness) - r.buses.begin());
    r.answer = r.buses[*r.decides].answer;
    if (r.answer.answer == RideAnswer::fail) return;
  }
  std::vector<std::string> missing;
  for (const auto& c : r.channels)
    if (!c.why_not.empty() && (c.live || r.buses.empty())) missing.push_back(fmt::format("{}: {}", c.name, c.why_not));
  if (missing.empty()) return;
  if (const auto n = missing.size(); n > most_named) {
    missing.resize(most_named);
    missing.push_back(fmt::format("and {} more", n - most_named));
  }
  r.answer = {RideAnswer::not_judged,
              fmt::format("no usable reference ({}){}", fmt::join(missing, "; "),
                          r.buses.empty() ? "" : "; --channel NAME judges one of the others alone")};
}

std::string reference_text(const io::RecordVoltage& c) {
  return fmt::format("{:.4g} {}", c.reference, c.unit.empty() ? "(no unit in the record)" : c.unit);
}

std::vector<std::string> names(const RideRecord& r, const std::vector<std::size_t>& channels) {
  std::vector<std::string> out;
  out.reserve(channels.size());
  for (const auto i : channels) out.push_back(r.channels[i].name);
  return out;
}

}  // namespace

RideRecord ride_record(const std::string& file, const std::string& channel, const grid::RideRule& rule,
                       std::span<const grid::LoadGroup> groups) {
  auto record = io::read_comtrade(file);
  auto voltages = io::voltages_of(record, channel);
  RideRecord out{file, std::move(voltages.channels), {}, {}, {}, std::move(record.notes)};
  for (const auto& bus : voltages.buses)
    if (!bus.v_pu.empty()) out.buses.push_back(judge_bus(out, bus, rule, groups));
  decide(out);
  return out;
}

Json ride_record_json(const RideRecord& r) {
  const auto* bus = r.decides ? &r.buses[*r.decides] : nullptr;
  const auto* c = bus != nullptr ? &r.channels[bus->channel] : nullptr;
  Json o{{"file", r.file},
         {"channel", c != nullptr ? Json(c->name) : Json(nullptr)},
         {"reference", c != nullptr ? Json(reference_text(*c)) : Json(nullptr)},
         {"method", c != nullptr ? Json(c->method) : Json(nullptr)},
         {"lowest_pu", bus != nullptr ? Json(bus->lowest_pu) : Json(nullptr)},
         {"below_0.9_s", bus != nullptr ? Json(bus->below_s) : Json(nullptr)},
         {"verdict", grid::name(r.answer.answer)},
         {"why", r.answer.why},
         {"buses", Json::array()},
         {"not_judged", Json::array()},
         {"notes", r.notes}};
  for (const auto& b : r.buses)
    o["buses"].push_back({{"channels", names(r, b.channels)},
                          {"lowest_pu", b.lowest_pu},
                          {"below_0.9_s", b.below_s},
                          {"verdict", grid::name(b.answer.answer)},
                          {"why", b.answer.why}});
  for (const auto& v : r.channels)
    if (!v.why_not.empty()) o["not_judged"].push_back({{"channel", v.name}, {"why", v.why_not}});
  return o;
}

std::string ride_record_text(const RideRecord& r) {
  std::string text;
  if (r.decides) {
    const auto& b = r.buses[*r.decides];
    const auto& c = r.channels[b.channel];
    say(text, "record {}: {} is lowest with {:.3g} pu, {:.3g} s below 0.9 pu: {}; {}\n", r.file, c.name, b.lowest_pu,
        b.below_s, grid::name(r.answer.answer), r.answer.why);
    say(text, "  reference: {}; {}\n", reference_text(c), c.method);
  } else {
    say(text, "record {}: {}; {}\n", r.file, grid::name(r.answer.answer), r.answer.why);
  }
  for (const auto& b : r.buses)
    say(text, "  bus of {}: lowest {:.3g} pu, {:.3g} s below 0.9 pu: {}\n", fmt::join(names(r, b.channels), ", "),
        b.lowest_pu, b.below_s, grid::name(b.answer.answer));
  std::map<std::string, std::vector<std::string>> reasons;
  for (const auto& v : r.channels)
    if (!v.why_not.empty()) reasons[v.why_not].push_back(v.name);
  for (const auto& [why, channels] : reasons) say(text, "  not judged: {} ({})\n", fmt::join(channels, ", "), why);
  for (const auto& note : r.notes) say(text, "  note: {}\n", note);
  return text;
}

}  // namespace TIDEWATT_NAMESPACE::study
