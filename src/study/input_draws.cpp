#include "input_draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "base/calendar.hpp"
#include "base/node_number.hpp"
#include "input_draws_parts.hpp"
#include "sampling.hpp"
#include "sim/common_key.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

using detail::CommonInput, detail::Dimensions;

constexpr std::size_t most_tries = 8;  // candidates per draw that is asked for
constexpr double days_around = 30.0;   // by which the start is moved, at most [assumed]
constexpr std::uint64_t days_seed = 1;

const std::set<std::string> die_limits = {"hall.gpu.governor.thermal_target_degC", "hall.gpu.governor.slowdown_degC",
                                          "hall.gpu.governor.shutdown_degC"};

/// Dimensions of a model are multiples of what the usual ones are multiples of (heads, tiles, ranks): the grain is the largest divisor
/// that leaves at least sixteen steps.
double grain_of(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  std::int64_t grain = std::max<std::int64_t>(1, whole / 16);
  while (whole % grain != 0) --grain;
  return static_cast<double>(grain);
}

/// Values that the check names are rounded: periods that must be whole milliseconds. @returns whether any was
bool round_named(const InputError& e, InputDraw& draw) {
  bool any = false;
  for (const Finding& f : e.findings()) {
    const auto named = draw.find(f.key);
    if (named == draw.end() || named->second == std::round(named->second)) continue;
    named->second = std::round(named->second);
    any = true;
  }
  return any;
}

/// A list's items have one range: the list moves by one factor, as far as all items stay inside.
void hold_shape(CommonInput& list, const std::map<std::string, double>& values) {
  double least = 0.0, most = std::numeric_limits<double>::infinity();
  for (const auto& item : list.items) {
    const double now = values.at(item.key);
    if (!(now > 0.0)) return;  // each on its own
    least = std::max(least, item.low / now), most = std::min(most, item.high / now);
  }
  for (auto& item : list.items) item.low = values.at(item.key) * least, item.high = values.at(item.key) * most;
}

std::vector<CommonInput> common_inputs(const sim::Scenario& s, const std::set<std::string>& taken) {
  std::vector<CommonInput> out;
  std::map<std::tuple<std::string, double, double, double, std::string>, std::size_t> known;
  std::map<std::string, double> values;
  // Words come last: numbers have the same draws with and without them.
  std::vector<catalog::AssumedInput> inputs = s.assumed;
  std::stable_partition(inputs.begin(), inputs.end(), [](const auto& a) { return a.words.empty(); });
  for (const auto& a : inputs) {
    if (!(a.low < a.high) || taken.contains(a.key)) continue;
    // What moves by one place in its own range: a list's items, and the temperatures at which one GPU defends itself. These are
    // margins of one die to one limit, and drawn apart a GPU would switch off before it is slowed down.
    const std::string name = sim::common_key(a.key);
    const bool limit = die_limits.contains(name);
    const bool item = a.key.ends_with("]");
    const auto [at, added] = limit
                                 ? known.try_emplace({"die limits", 0.0, 0.0, 0.0, ""}, out.size())
                                 : known.try_emplace({name, item ? 0.0 : a.value, a.low, a.high, a.source}, out.size());
    if (added) out.emplace_back();
    out[at->second].items.push_back({a.key, a.low, a.high, a.values});
    values[a.key] = a.value;
  }
  for (CommonInput& c : out)
    if (c.items.front().key.ends_with("]")) hold_shape(c, values);
  return out;
}

/// Columns of a GPU's draws under the keys that they set: [key][draw].
std::map<std::string, std::vector<double>> gpu_rows(const sim::Scenario& s, const catalog::Catalog& catalog) {
  std::set<std::string> assumed;
  for (const auto& a : s.assumed) assumed.insert(a.key);
  std::map<std::string, std::vector<double>> out;
  for (const auto& h : s.halls) {
    const std::string entry = h.gpu_name + "_draws";
    if (h.gpu_name.empty() || !catalog.has("draws", entry)) continue;
    const Node stored = catalog.values("draws", entry);
    const Node* table = stored.find("values");
    if (table == nullptr) continue;
    for (const auto& [key, column] : std::get<Node::Table>(table->value)) {
      const std::string path = fmt::format("hall.{}.gpu.{}", h.hall.name, key);
      if (!assumed.contains(path)) continue;  // set by the scenario
      for (const Node& x : std::get<Node::Array>(column.value)) out[path].push_back(number_in(x).value());
    }
  }
  return out;
}

/// Why a draw cannot be built; empty: it can. Rounds what must be whole, and dimensions of a model ever more coarsely until they
/// divide as its plan asks: with the coarsest steps they are the usual ones.
std::string refused(const sim::Scenario& s, const Dimensions& dimensions, InputDraw& draw, sim::Scenario& built) {
  const InputDraw fine = draw;
  for (double coarser = 1.0;;) {
    std::string why;
    try {
      built = sim::with_values(s, draw);
      sim::check(built);
      return "";
    } catch (const InputError& e) {
      if (round_named(e, draw)) continue;
      why = e.what();
    } catch (const RefusedError& e) {
      why = e.what();
    }
    if (dimensions.empty() || coarser > 16.0) return why;
    coarser *= 2.0;
    for (const auto& [key, d] : dimensions) draw[key] = d.at(fine.at(key), coarser);
  }
}

}  // namespace

namespace detail {

Candidates::Candidates(const ReducedFleet& fleet, const catalog::Catalog& catalog)
    : fleet_(fleet), rows_(gpu_rows(fleet.scenario, catalog)) {
  std::set<std::string> taken;
  for (const auto& [key, column] : rows_) taken.insert(key);
  inputs_ = common_inputs(fleet.scenario, taken);
  for (const auto& a : fleet.scenario.assumed)
    if (a.key.find(".model.") != std::string::npos && a.words.empty() && a.value >= 1.0 && a.low < a.high)
      dimensions_[a.key] = {a.value, a.low, a.high, grain_of(a.value)};
}

void Candidates::put(const CommonInput& input, double place, InputDraw& draw) const {
  for (const auto& item : input.items) {
    const auto scale = fleet_.scaled.find(item.key);
    const auto d = dimensions_.find(item.key);
    const double value = d == dimensions_.end() ? item.at(place) : d->second.at(item.at(place), 1.0);
    draw[item.key] = (scale == fleet_.scaled.end() ? 1.0 : scale->second) * value;
  }
}

std::string Candidates::refused(InputDraw& draw, sim::Scenario& built) const {
  Dimensions drawn = dimensions_;
  std::erase_if(drawn, [&](const auto& d) { return !draw.contains(d.first); });
  return study::refused(fleet_.scenario, drawn, draw, built);
}

}  // namespace detail

namespace {

/// `YYYY-MM-DDThh:00:00`, some days later. @throws InputError for another form
std::string moved(const std::string& start, std::int64_t days) {
  const auto part = [&](std::size_t at, std::size_t n) {
    int value = 0;
    std::from_chars(start.data() + at, start.data() + at + n, value);
    return value;
  };
  return calendar::text_of(calendar::days_since_1970(part(0, 4), part(5, 2), part(8, 2)) + days) + start.substr(10);
}

}  // namespace

InputDraws input_draws(const ReducedFleet& fleet, const catalog::Catalog& catalog, std::size_t n, std::uint64_t seed,
                       bool keep) {
  const detail::Candidates candidates(fleet, catalog);
  const auto& rows = candidates.rows();
  const auto& inputs = candidates.inputs();
  InputDraws out;
  if (rows.empty() && inputs.empty()) return out;
  // Rounds of n candidates: the first round is a whole hypercube where nothing is refused.
  for (std::size_t round = 0; round < most_tries && out.draws.size() < n; ++round) {
    const auto points = inputs.empty() ? UnitPoints(n) : latin_hypercube(n, inputs.size(), seed + 1000 * round);
    for (std::size_t i = 0; i < n && out.draws.size() < n; ++i) {
      InputDraw draw;
      for (const auto& [key, column] : rows) draw[key] = column[(seed - 1 + round * n + i) % column.size()];
      for (std::size_t d = 0; d < inputs.size(); ++d) candidates.put(inputs[d], points[i][d], draw);
      sim::Scenario built;
      if (const std::string refusal = candidates.refused(draw, built); !refusal.empty()) {
        if (out.n_refused++ == 0) out.refusal = refusal;
        continue;
      }
      out.draws.push_back(std::move(draw));
      if (keep) out.scenarios.push_back(std::move(built));
    }
  }
  return out;
}

DayDraws day_draws(const sim::Scenario& s, std::size_t n) {
  const auto follows = [](const sim::HallSpec& h) { return h.plant_kind != sim::PlantKind::prescribed_inlet; };
  if (std::none_of(s.halls.begin(), s.halls.end(), follows)) return {{}, "the inlet is prescribed"};
  if (!s.weather.csv.empty()) return {{}, "the weather is measured"};
  if (s.weather.climate.empty() && s.weather.epw.empty()) return {{}, "there is no weather"};
  if (!s.weather.epw.empty() && s.weather.day != sim::WeatherDay::dated)
    return {{}, "the day of the weather file is asked for by name"};
  DayDraws out;
  for (const auto& point : sobol_points(n, 1, days_seed))  // evenly from the first on
    out.starts.push_back(moved(s.run.start, std::llround(days_around * (2.0 * point[0] - 1.0))));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::study
