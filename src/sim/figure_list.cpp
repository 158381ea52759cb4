#include "figure_list.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace TIDEWATT_NAMESPACE::sim {
namespace {

/// Ends of what the chance of a headline adds to the summary.
constexpr std::array<std::string_view, 5> interval_ends = {"_event_p50", "_event_max", "_p05", "_p50", "_p95"};

}  // namespace

std::span<const FigureTopic> figure_topics() {
  static const std::vector<FigureTopic> all = [] {
    std::vector<FigureTopic> out;
    for (const auto part : {detail::job_topics(), detail::power_topics(), detail::site_topics()})
      out.insert(out.end(), part.begin(), part.end());
    return out;
  }();
  return all;
}

const Figure* find_figure(std::string_view key) {
  for (const auto& topic : figure_topics())
    for (const auto& figure : topic.figures)
      if (figure.key == key) return &figure;
  for (const auto end : interval_ends)
    if (key.ends_with(end)) {
      const Figure* figure = find_figure(key.substr(0, key.size() - end.size()));
      return figure != nullptr && figure->traits.headline > 0 ? figure : nullptr;
    }
  return nullptr;
}

std::vector<const Figure*> headline_figures() {
  std::vector<const Figure*> out;
  for (const auto& topic : figure_topics())
    for (const auto& figure : topic.figures)
      if (figure.traits.headline > 0) out.push_back(&figure);
  std::ranges::sort(out, {}, [](const Figure* f) { return f->traits.headline; });
  return out;
}

std::string_view shown_unit(const Figure& figure) {
  return *figure.traits.shown_unit != '\0' ? figure.traits.shown_unit : figure.unit;
}

std::string_view file_unit(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> names = {
      {{"", "1"}, {share_unit, "1"}, {"%", "percent"}, {"°C", "degC"}, {"tokens/s", "1/s"}, {"TFLOP/s", "1e12 s-1"}}};
  const auto* at = std::ranges::find(names, unit, &std::pair<std::string_view, std::string_view>::first);
  return at != names.end() ? at->second : unit;
}

}  // namespace TIDEWATT_NAMESPACE::sim
