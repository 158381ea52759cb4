#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "run_interval.hpp"
#include "tidewatt/sim/look_up.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using Json = nlohmann::ordered_json;

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(); }

}  // namespace

std::string interval_text(const RunInterval& r, const sim::Result& base) {
  std::string out;
  if (r.n_draw > 0) {
    out += fmt::format("90 % intervals from {} replays on {} GPUs (", r.n_draw, r.n_gpu);
    for (const auto& part : r.parts)
      out += fmt::format("{}{}: {}", &part == &r.parts[0] ? "" : ", ", part.name, part.n_draw);
    out += "); ±: their own standard error\n";
  }
  for (const auto& f : r.figures)
    if (std::isfinite(f.p05))
      out += fmt::format("  {:<28} {:.4g}   {:.4g} ± {:.1g} to {:.4g} ± {:.1g}\n", f.key, sim::figure(base, f.key),
                         f.p05, f.p05_error, f.p95, f.p95_error);
  for (const auto& note : r.notes) out += "  note: " + note + "\n";
  return out;
}

std::string interval_json(const RunInterval& r) {
  Json out{{"n_draw", r.n_draw},
           {"n_gpu", r.n_gpu},
           {"replayed_h", r.replayed_h},
           {"cpu_s", r.cpu_s},
           {"monte_carlo_error", Json::object()},
           {"parts", Json::array()},
           {"notes", r.notes}};
  for (const auto& f : r.figures)
    out["monte_carlo_error"][f.key] = {{"p05", number(f.p05_error)}, {"p95", number(f.p95_error)}};
  for (const auto& part : r.parts) {
    Json& at = out["parts"].emplace_back(Json{{"name", part.name}, {"n_draw", part.n_draw}, {"note", part.note}});
    for (const auto& f : part.figures) {
      at[f.key + "_p05"] = number(f.p05);
      at[f.key + "_p95"] = number(f.p95);
    }
  }
  return out.dump();
}

}  // namespace TIDEWATT_NAMESPACE::study
