#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "input_effects.hpp"
#include "sim/common_key.hpp"
#include "sim/figure_list.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Json = nlohmann::ordered_json;

std::string words_of(const std::string& headline) {
  const sim::Figure* known = sim::find_figure(headline);
  return known == nullptr ? headline : known->words;
}

/// `12 → -1.9 %`, or why the value cannot be run.
std::string said(const InputEnd& end, const std::string& headline) {
  if (!end.refused.empty()) return end.value + " refused";
  const auto change = end.change_frac.find(headline);
  return change == end.change_frac.end() ? end.value : fmt::format("{}: {:+.2g} %", end.value, 100.0 * change->second);
}

}  // namespace

std::string effects_text(const InputEffects& effects) {
  const auto moving = std::count_if(effects.inputs.begin(), effects.inputs.end(),
                                    [](const auto& x) { return x.largest_frac >= sim::least_effect_frac; });
  std::string out = fmt::format(
      "Assumed inputs, each moved alone over its range ({} GPUs, {:.3g} h): {} of {} move a headline by {:g} % or "
      "more\n",
      effects.n_gpu, effects.replayed_h, moving, effects.inputs.size(), 100.0 * sim::least_effect_frac);
  for (const InputEffect& x : effects.inputs) {
    if (x.largest_frac < sim::least_effect_frac) continue;
    std::vector<std::string> ends;
    ends.reserve(x.ends.size());
    for (const InputEnd& end : x.ends) ends.push_back(said(end, x.headline));
    const std::string more = x.keys.size() > 1 ? fmt::format(" (and {} more)", x.keys.size() - 1) : "";
    out += fmt::format("  {:<52} {:<26} {}\n", x.keys.front() + more, words_of(x.headline), fmt::join(ends, ", "));
  }
  for (const auto& note : effects.notes) out += fmt::format("  note: {}\n", note);
  return out;
}

std::string effects_json(const InputEffects& effects) {
  const auto number = [](double x) { return std::isfinite(x) ? Json(x) : Json(); };
  Json out{{"n_gpu", effects.n_gpu},
           {"replayed_h", effects.replayed_h},
           {"least_effect_frac", sim::least_effect_frac},
           {"notes", effects.notes},
           {"effects", Json::array()}};
  for (const InputEffect& x : effects.inputs) {
    Json ends = Json::array();
    for (const InputEnd& end : x.ends) {
      Json one{{"value", end.value}, {"change_frac", Json::object()}};
      for (const auto& [key, change] : end.change_frac) one["change_frac"][key] = number(change);
      if (!end.refused.empty()) one["refused"] = end.refused;
      ends.push_back(std::move(one));
    }
    std::set<std::string> names;
    for (const auto& key : x.keys) names.insert(sim::common_key(key));
    out["effects"].push_back({{"keys", x.keys},
                              {"common_keys", names},
                              {"headline", x.headline},
                              {"largest_frac", number(x.largest_frac)},
                              {"ends", std::move(ends)}});
  }
  return out.dump();
}

}  // namespace TIDEWATT_NAMESPACE::study
