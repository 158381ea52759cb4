#include "summary_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "summary_waveform.hpp"

namespace TIDEWATT_NAMESPACE::io {
namespace {

/// An order is judged by the means that a settlement bills, as `tidewatt orders` does; milliseconds stand beside them.
std::string order_sentence(const Figures& f) {
  if (!f.has("order_kept")) return {};
  std::vector<std::string> means;
  double n = 0.0;
  for (const auto& [key, x] : f.list("order_kept")) {
    if (!key.starts_with("n_means_") || !(x > 0.0)) continue;
    const std::string length = key.substr(8, key.size() - 11);  // n_means_5min
    means.push_back(fmt::format("{:.0f} of {:.0f} means of {} min",
                                f.of("order_kept", ("n_over_" + length + "min").c_str()), x, length));
    n += x;
  }
  const double short_MW = f.of("order_kept", "short_MW"), over_MW = f.of("order_kept", "most_over_MW");
  std::string text = "The order to draw less is not judged: it holds no whole interval of 5 or 15 min";
  if (n > 0.0)
    text = short_MW > 0.0 ? fmt::format("The order to draw less is not met: {} are above it, by up to {} MW",
                                        listed(means), shown(short_MW))
                          : fmt::format("The order to draw less is met: {} are above it", listed(means));
  if (over_MW > 0.0)
    text += fmt::format(". Single milliseconds exceed it by up to {} MW, which no meter counts", shown(over_MW));
  return text + ".\n";
}

}  // namespace

std::string listed(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i)
    out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return out;
}

std::string_view phrase_of(sim::EventKind kind) {
  using enum sim::EventKind;
  switch (kind) {
    case failure:
      return "failure";
    case planned_stop:
      return "planned stop";
    case pause:
      return "pause";
    case power_brake:
      return "power brake";
    case sag:
      return "voltage sag";
    case utility_loss:
      return "loss of the utility";
    case islanding:
      return "islanding";
    case curtailment:
      return "curtailment";
    case fan_wall_out:
      return "failure of fan walls";
    case cdu_out:
      return "failure of coolant distribution units";
    case pump_out:
      return "failure of pumps";
    case rejection_out:
      return "failure of heat rejection";
    case chiller_out:
      return "failure of chillers";
    case filter_blocked:
      return "blocked filter of a rack";
  }
  return "event";
}

std::string event_sentences(const Figures& f) {
  std::string out;
  const auto& kind = f.texts("/events/kind");
  const auto& text = f.texts("/events/text");
  const auto& time = f.array("/events/time");
  std::map<std::string, std::vector<double>> when;
  for (std::size_t i = 0; i < std::min(kind.size(), time.size()); ++i)
    if (value_of<sim::EventKind>(kind[i]) && !(i < text.size() && text[i].starts_with("released")))
      when[kind[i]].push_back(time[i]);
  for (const auto& [k, at] : when) {
    const std::string what = at.size() == 1 ? std::string(phrase_of(*value_of<sim::EventKind>(k)))
                                            : fmt::format("the first of {} events of kind {}", at.size(), k);
    out += fmt::format("Event at {} s ({}): {}.\n", shown(at.front(), 6), what, effect_within_a_second(f, at.front()));
  }
  if (f["load_lost_MW"] > 0.0)
    out += fmt::format("The site drops {} MW of load; {} MWh are not served.\n", shown(f["load_lost_MW"]),
                       shown(f["unserved_MWh"]));
  return out + order_sentence(f);
}

}  // namespace TIDEWATT_NAMESPACE::io
