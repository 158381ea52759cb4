#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "chance.hpp"
#include "sim/figure_list.hpp"
#include "tidewatt/sim/look_up.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Json = nlohmann::ordered_json;

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(); }

/// The part that alone has the widest interval.
std::string widest(const FigureChance& f) {
  const auto most = std::max_element(f.parts.begin(), f.parts.end(), [](const auto& a, const auto& b) {
    return a.second.p95 - a.second.p05 < b.second.p95 - b.second.p05;
  });
  return most == f.parts.end() ? "" : most->first;
}

/// A table's cell, four significant digits.
std::string cell(double x) { return std::isfinite(x) ? fmt::format("{:.4g}", x) : "–"; }

}  // namespace

std::string chance_text(const Chance& c, const sim::Result& base, bool all) {
  std::string out;
  const bool any = std::any_of(c.figures.begin(), c.figures.end(), [](const auto& f) { return std::isfinite(f.p05); });
  if (any)
    out += fmt::format("{:<38} {:>10} {:>10} {:>10} {:>10}  {}\n", "Headlines with their chance", "this run", "median",
                       "5 %", "95 %", "mostly from");
  for (const auto& f : c.figures) {
    if (!std::isfinite(f.p05)) continue;
    const sim::Figure& h = *sim::find_figure(f.key);
    const std::string name = h.unit[0] == '\0' ? h.words : fmt::format("{}, {}", h.words, h.unit);
    out += fmt::format("  {:<36} {:>10} {:>10} {:>10} {:>10}  {}\n", name, cell(sim::figure(base, f.key)), cell(f.p50),
                       cell(f.p05), cell(f.p95), widest(f));
    const auto event = c.event_p50.find(f.key);
    if (event != c.event_p50.end())
      out += fmt::format("    set by events: median {} and largest {} over their instants within an iteration\n",
                         cell(event->second), cell(c.event_max.at(f.key)));
    if (const auto bound = c.bound.find(f.key); bound != c.bound.end())
      out += fmt::format("    were the edges of all jobs to meet: {}\n", cell(bound->second));
    if (!all) continue;
    for (const auto& [part, of] : f.parts)
      out += fmt::format("    {:<34} {:>10} {:>10} {:>10} {:>10}\n", part + " alone", "", cell(of.p50), cell(of.p05),
                         cell(of.p95));
  }
  if (any) {
    std::vector<std::string> draws;
    for (const auto& part : c.parts)
      if (part.n_draw > 0) draws.push_back(fmt::format("{} {}", part.name, part.n_draw));
    out += fmt::format(
        "  Draws: {}; inputs and weather on {} GPUs, {:.3g} h. This run is one fleet and one instant: plan with the "
        "interval.\n",
        fmt::join(draws, ", "), c.n_gpu, c.replayed_h);
  }
  for (const auto& f : c.figures)
    if (!f.note.empty()) out += fmt::format("  {}: no interval: {}\n", sim::find_figure(f.key)->words, f.note);
  for (const auto& part : c.parts) {
    if (part.n_failed > 0) out += fmt::format("  {}: {} draws failed\n", part.name, part.n_failed);
    if (all && !part.note.empty()) out += fmt::format("  {}: {}\n", part.name, part.note);
  }
  for (const auto& note : c.notes) out += "  note: " + note + "\n";
  return out;
}

std::string chance_json(const Chance& c) {
  std::int64_t n_draw = 0;
  for (const auto& part : c.parts) n_draw += part.n_draw;
  Json out{{"n_draw", n_draw},
           {"n_gpu", c.n_gpu},
           {"replayed_h", c.replayed_h},
           {"cpu_s", c.cpu_s},
           {"monte_carlo_error", Json::object()},
           {"parts", Json::object()},
           {"notes", c.notes}};
  for (const auto& f : c.figures) {
    out["monte_carlo_error"][f.key] = {
        {"p05", number(f.p05_error)}, {"p50", number(f.p50_error)}, {"p95", number(f.p95_error)}};
    if (!f.note.empty()) out["without"][f.key] = f.note;
  }
  for (const auto& [key, value] : c.bound) out["bound"][key] = number(value);
  for (const auto& part : c.parts) {
    Json& at = out["parts"][part.name] = {{"n_draw", part.n_draw}, {"n_failed", part.n_failed}, {"note", part.note}};
    for (const auto& f : c.figures) {
      if (const auto error = part.median_error.find(f.key); error != part.median_error.end())
        at["median_error"][f.key] = number(error->second);
      const auto ends = f.parts.find(part.name);
      if (ends == f.parts.end()) continue;
      const auto& [p05, p50, p95] = ends->second;
      at[f.key + "_p05"] = p05, at[f.key + "_p50"] = p50, at[f.key + "_p95"] = p95;
      at[f.key + "_half_width"] = 0.5 * (p95 - p05);
    }
  }
  return out.dump();
}

std::string chance_file(const Chance& c, const sim::Result& base, const std::string& payload_sha256) {
  Json figures = Json::object();
  for (const auto& f : c.figures) {
    if (!std::isfinite(f.p05)) continue;
    Json& at = figures[f.key] = {{"p05", f.p05}, {"p50", f.p50}, {"p95", f.p95}};
    if (const auto event = c.event_p50.find(f.key); event != c.event_p50.end())
      at["event_p50"] = number(event->second), at["event_max"] = number(c.event_max.at(f.key));
  }
  const Json out{{"payload_sha256", payload_sha256},
                 {"text", chance_text(c, base)},
                 {"figures", figures},
                 {"interval", Json::parse(chance_json(c))}};
  return out.dump(1) + "\n";
}

}  // namespace TIDEWATT_NAMESPACE::study
