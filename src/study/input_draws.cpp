#include "input_draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "sampling.hpp"
#include "sim/scenario_check.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr std::size_t most_tries = 8;  // candidates per draw that is asked for
constexpr double days_around = 30.0;   // by which the start is moved, at most [assumed]
constexpr std::uint64_t days_seed = 1;

double number_of(const Node& node) {
  if (const auto* whole = std::get_if<std::int64_t>(&node.value)) return static_cast<double>(*whole);
  return std::get<double>(node.value);
}

/// Inputs that move together, for they are one thing: value = place · (high − low) + low of each.
struct Common {
  struct Item {
    std::string key;
    double low = 0.0, high = 0.0;
  };
  std::vector<Item> items;
};

/// A key without the name of its hall or job, and without the number of a list's item: a curve is high or low as a whole.
std::string common_name(std::string key) {
  key = key.substr(0, key.find('['));
  const auto first = key.find('.');
  const std::string list = key.substr(0, first);
  if (list != "hall" && list != "job") return key;
  const auto second = key.find('.', first + 1);
  return second == std::string::npos ? key : list + key.substr(second);
}

/// A list's items have one range: the list moves by one factor, as far as all items stay inside.
void hold_shape(Common& list, const std::map<std::string, double>& values) {
  double least = 0.0, most = std::numeric_limits<double>::infinity();
  for (const auto& [key, low, high] : list.items) {
    if (!(values.at(key) > 0.0)) return;  // each on its own
    least = std::max(least, low / values.at(key)), most = std::min(most, high / values.at(key));
  }
  for (auto& [key, low, high] : list.items) low = values.at(key) * least, high = values.at(key) * most;
}

std::vector<Common> common_inputs(const sim::Scenario& s, const std::set<std::string>& taken) {
  std::vector<Common> out;
  std::map<std::tuple<std::string, double, double, double, std::string>, std::size_t> known;
  std::map<std::string, double> values;
  for (const auto& a : s.assumed) {
    if (!(a.low < a.high) || taken.contains(a.key)) continue;
    const bool item = a.key.ends_with("]");
    const auto [at, added] =
        known.try_emplace({common_name(a.key), item ? 0.0 : a.value, a.low, a.high, a.source}, out.size());
    if (added) out.emplace_back();
    out[at->second].items.push_back({a.key, a.low, a.high});
    values[a.key] = a.value;
  }
  for (Common& c : out)
    if (c.items.front().key.ends_with("]")) hold_shape(c, values);
  return out;
}

/// Whether a scenario with one other value passes the check.
bool accepts(const sim::Scenario& s, const std::string& key, double value) {
  try {
    sim::check(sim::with_values(s, {{key, value}}));
    return true;
  } catch (const InputError&) {
    return false;
  } catch (const RefusedError&) {
    return false;
  }
}

/// Inputs whose fraction alone is refused and whose whole number is not: a controller's period in whole milliseconds.
std::set<std::string> only_whole(const sim::Scenario& s, const std::vector<Common>& inputs) {
  std::set<std::string> out;
  for (const Common& c : inputs)
    for (const auto& [key, low, high] : c.items) {
      if (low != std::round(low) || high != std::round(high)) continue;
      const double between = low + 0.381966 * (high - low);
      if (!accepts(s, key, between) && accepts(s, key, std::round(between))) out.insert(key);
    }
  return out;
}

/// Whole numbers that most values of their range contradict: a model's width must split over its heads. They keep their value.
std::vector<std::string> hold_divisors(const sim::Scenario& s, std::vector<Common>& inputs) {
  constexpr std::array places = {0.1, 0.3, 0.5, 0.7, 0.9};
  const auto whole = sim::whole_numbers(s);
  std::vector<std::string> held;
  const auto contradicts = [&](const Common::Item& item) {
    if (!whole.contains(item.key)) return false;
    const auto n = std::count_if(places.begin(), places.end(), [&](double place) {
      return accepts(s, item.key, std::round(item.low + place * (item.high - item.low)));
    });
    return 2 * static_cast<std::size_t>(n) < places.size();
  };
  std::erase_if(inputs, [&](const Common& c) {
    if (std::none_of(c.items.begin(), c.items.end(), contradicts)) return false;
    for (const auto& item : c.items) held.push_back(item.key);
    return true;
  });
  return held;
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
      for (const Node& x : std::get<Node::Array>(column.value)) out[path].push_back(number_of(x));
    }
  }
  return out;
}

/// `YYYY-MM-DDThh:00:00`, some days later. @throws InputError for another form
std::string moved(const std::string& start, std::int64_t days) {
  using namespace std::chrono;
  const auto part = [&](std::size_t at, std::size_t n) {
    int value = 0;
    std::from_chars(start.data() + at, start.data() + at + n, value);
    return value;
  };
  const sys_days day{year{part(0, 4)} / part(5, 2) / part(8, 2)};
  const year_month_day to{day + std::chrono::days(days)};
  return fmt::format("{:04d}-{:02d}-{:02d}{}", static_cast<int>(to.year()), static_cast<unsigned>(to.month()),
                     static_cast<unsigned>(to.day()), start.substr(10));
}

}  // namespace

InputDraws input_draws(const ReducedFleet& fleet, const catalog::Catalog& catalog, std::size_t n, std::uint64_t seed) {
  const sim::Scenario& s = fleet.scenario;
  const auto rows = gpu_rows(s, catalog);
  std::set<std::string> taken;
  for (const auto& [key, column] : rows) taken.insert(key);
  auto inputs = common_inputs(s, taken);
  InputDraws out;
  out.held = hold_divisors(s, inputs);
  if (rows.empty() && inputs.empty()) return out;
  const auto whole = only_whole(s, inputs);
  // Rounds of n candidates: the first round is a whole hypercube where nothing is refused.
  for (std::size_t round = 0; round < most_tries && out.draws.size() < n; ++round) {
    const auto points = inputs.empty() ? UnitPoints(n) : latin_hypercube(n, inputs.size(), seed + 1000 * round);
    for (std::size_t i = 0; i < n && out.draws.size() < n; ++i) {
      InputDraw draw;
      for (const auto& [key, column] : rows) draw[key] = column[(seed - 1 + round * n + i) % column.size()];
      for (std::size_t d = 0; d < inputs.size(); ++d)
        for (const auto& [key, low, high] : inputs[d].items) {
          const double value = low + points[i][d] * (high - low);
          draw[key] =
              (fleet.with_share.contains(key) ? fleet.share : 1.0) * (whole.contains(key) ? std::round(value) : value);
        }
      try {
        sim::check(sim::with_values(s, draw));
        out.draws.push_back(std::move(draw));
      } catch (const InputError& e) {
        if (out.n_refused++ == 0) out.refusal = e.what();
      } catch (const RefusedError& e) {
        if (out.n_refused++ == 0) out.refusal = e.what();
      }
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
