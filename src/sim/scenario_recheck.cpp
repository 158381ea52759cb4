#include "scenario_recheck.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/node_number.hpp"
#include "base/set_item.hpp"
#include "base/table_writer.hpp"
#include "base/text.hpp"
#include "cooling/epw.hpp"
#include "cooling/weather_csv.hpp"
#include "scenario_check.hpp"
#include "scenario_site.hpp"
#include "site_weather.hpp"

namespace TIDEWATT_NAMESPACE::sim {

namespace {

/// Names of a table's numbers, and of its choices with their words.
class Values final : public FieldVisitor {
 public:
  std::set<std::string, std::less<>> real, whole, list;
  std::map<std::string, std::vector<std::string>> words;
  void number(std::string_view key, double&, Range, std::string_view, Need) override { real.emplace(key); }
  void integer(std::string_view key, std::int64_t&, Range, std::string_view, Need) override { whole.emplace(key); }
  void flag(std::string_view, bool&, std::string_view, Need) override {}
  void text(std::string_view, std::string&, std::string_view, Need) override {}
  void choice(std::string_view key, std::string&, std::span<const std::string_view> options, std::string_view,
              Need) override {
    words.try_emplace(std::string(key), options.begin(), options.end());
  }
  void numbers(std::string_view key, std::vector<double>&, Range, std::string_view, Need) override {
    list.emplace(key);
  }
  void texts(std::string_view, std::vector<std::string>&, std::string_view, Need) override {}
};

}  // namespace

std::optional<double> Recheck::take(const std::string& key) {
  const auto at = values_.find(key);
  if (at == values_.end()) return std::nullopt;
  const double value = at->second;
  values_.erase(at);
  return value;
}

bool Recheck::take_number(const std::string& key, bool whole, Node& node) {
  const auto value = take(key);
  if (value) node = whole ? Node(static_cast<std::int64_t>(std::llround(*value)), {}) : Node(*value, {});
  return value.has_value();
}

bool Recheck::take_word(const std::string& key, const std::vector<std::string>& words, Node& node) {
  const auto value = take(key);
  if (!value) return false;
  const bool is_place = *value >= 0.0 && *value < static_cast<double>(words.size()) && std::floor(*value) == *value;
  if (is_place)
    node = Node(words[static_cast<std::size_t>(*value)], {});
  else
    report(key, fmt::format("{:g} is no place in its list of words, 0 to {}", *value, words.size() - 1));
  return is_place;
}

void Recheck::note(const std::string& key, double value) {
  const auto at = watched_.find(key);
  if (at != watched_.end()) at->second = value;
}

void Recheck::table(const std::string& path, const Keys& keys, const Keys& defaults) {
  TableWriter written;
  detail::FieldLister now, unset;
  Values values;
  keys(written);
  keys(now);
  keys(values);
  defaults(unset);
  std::set<std::string> given;
  for (auto& [key, node] : std::get<Node::Table>(written.out.value)) {
    const std::string at = path + "." + key;
    const bool whole = values.whole.contains(key);
    if (whole) whole_.insert(at);
    if (whole || values.real.contains(key)) {
      note(at, number_in(node).value());
      if (take_number(at, whole, node)) given.insert(key);
    }
    if (const auto choice = values.words.find(key); choice != values.words.end()) {
      const auto& words = choice->second;
      if (watched_.contains(at)) words_[at] = words;
      const auto word = std::find(words.begin(), words.end(), std::get<std::string>(node.value));
      if (word != words.end()) note(at, static_cast<double>(word - words.begin()));
      if (take_word(at, words, node)) given.insert(key);
    }
    if (!values.list.contains(key)) continue;
    auto& items = std::get<Node::Array>(node.value);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string item = fmt::format("{}[{}]", at, i);
      note(item, number_in(items[i]).value());
      if (take_number(item, false, items[i])) given.insert(key);
    }
  }
  std::erase_if(std::get<Node::Table>(written.out.value), [&](const auto& item) {
    if (given.contains(item.first)) return false;
    const auto of_key = [&](const FieldInfo& f) { return f.key == item.first; };
    const auto a = std::find_if(now.out.begin(), now.out.end(), of_key),
               b = std::find_if(unset.out.begin(), unset.out.end(), of_key);
    return !a->required && b != unset.out.end() && a->value == b->value;
  });
  TableReader r(written.out, path, findings_);
  keys(r);
}

std::vector<std::string> Recheck::items(const std::string& list, const std::vector<std::string>& names) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < names.size(); ++i) {
    paths.push_back(fmt::format("{}.{}", list, is_name(names[i]) ? names[i] : std::to_string(i + 1)));
    if (std::find(paths.begin(), paths.end() - 1, paths.back()) != paths.end() - 1)
      report(paths.back(), "two items have this name");
    check_name(Node{names[i], {}}, paths.back() + ".name", findings_);
  }
  return paths;
}

namespace {

/// Reads the weather file, and whether it has the run's days if `run.start` is a time.
void check_file(const Scenario& s, std::vector<std::string>& notes) {
  const auto& w = s.weather;
  try {
    local_time_of_day(s.run.start);
  } catch (const InputError&) {  // reported with the other keys of the run
    if (!w.epw.empty()) cooling::read_epw(w.epw);
    if (!w.csv.empty()) cooling::read_csv_weather(w.csv, w.altitude_m);
    return;
  }
  const auto weather = site_weather(s).weather;
  weather.at(to_tick(s.run.duration_s));
  for (const auto& note : weather.notes()) notes.push_back("weather: " + note);
}

}  // namespace

bool check_weather(const Scenario& s, bool files, bool altitude, std::vector<Finding>& findings,
                   std::vector<std::string>& notes) {
  const auto& w = s.weather;
  const auto report = [&](const char* key, std::string message) {
    findings.push_back({{}, std::string("weather") + key, std::move(message)});
  };
  if (altitude && w.csv.empty())
    report(".altitude_m", "belongs to a CSV file (csv) without pressures: an EPW file and a climate have their own");
  const bool file = !w.epw.empty() || !w.csv.empty();
  if (file && (w.day == WeatherDay::hot || is_year(w.day)))
    report(".day",
           fmt::format("'{}' is for climates; a file has dated (the date of run.start), typical, hot_clear and extreme",
                       word_of(w.day)));
  else if (files && file)
    try {
      check_file(s, notes);
    } catch (const InputError& e) {
      findings.insert(findings.end(), e.findings().begin(), e.findings().end());
    }
  if ((w.epw.empty() ? 0 : 1) + (w.csv.empty() ? 0 : 1) + (w.climate.empty() ? 0 : 1) != 1) {
    report("", "name one of an EPW file (epw), a CSV file (csv) and a catalog climate (climate)");
    return false;
  }
  if (!w.climate.empty() && (w.day == WeatherDay::hot_clear || w.day == WeatherDay::dated))
    report(".day", fmt::format("'{}' is for weather files; a climate has typical, hot and extreme, and years of them",
                               word_of(w.day)));
  return true;
}

void check_hours(const EconomicsParams& e, std::vector<Finding>& findings) {
  const auto hours = [&](const std::vector<double>& v, const char* key) {
    if (v.size() != 24 && findings.empty())
      findings.push_back({{}, key, fmt::format("{} values, 24 are needed: one per hour of the day", v.size())});
  };
  hours(e.tariff.price_USD_per_J, "economics.tariff.price_USD_per_MWh");
  hours(e.tariff.weekend_USD_per_J, "economics.tariff.weekend_USD_per_MWh");
  hours(e.footprint.carbon_kg_per_J, "economics.footprint.carbon_kg_per_MWh");
  hours(e.footprint.water_m3_per_J, "economics.footprint.water_L_per_kWh");
}

namespace {

template <class Items, class Name>
std::vector<std::string> paths_of(Recheck& c, const std::string& list, const Items& items, Name&& name) {
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const auto& item : items) names.push_back(name(item));
  return c.items(list, names);
}

void recheck_hall(Recheck& c, const std::string& path, HallSpec& h) {
  c.table(path, h.hall);
  c.table(path + ".gpu.power", h.gpu);
  c.table(path + ".gpu.governor", h.governor);
  c.table(path + ".gpu.sampling", h.sampling);
  c.table(path + ".gpu.spread", h.spread);
  c.table(path + ".gpu.memory", h.memory);
  c.table(path + ".gpu.package", h.package);
  c.table(path + ".gpu.compute", h.compute);
  c.table(path + ".server.power", h.server);
  c.table(path + ".server.air", h.air);
  c.table(path + ".server.position", h.position);
  c.table(path + ".server.protection", h.protection);
  if (h.rack) {
    c.table(path + ".rack.power", h.rack->power);
    c.table(path + ".rack.liquid", h.rack->loop);
  }
  if (h.liquid) {
    c.table(path + ".server.liquid.plate", h.liquid->plate);
    c.table(path + ".server.liquid", h.liquid->capture);
  }
  if (h.own_plant) return;  // the catalog's is not used
  if (h.plant_kind == PlantKind::prescribed_inlet) c.table(path + ".plant", h.prescribed);
  if (h.plant_kind == PlantKind::hydronic) c.table(path + ".plant", h.hydronic);
  if (h.plant_kind == PlantKind::outside_air) c.table(path + ".plant", h.outside_air);
}

void recheck_job(Recheck& c, const std::string& path, JobSpec& j) {
  c.table(path + ".model", j.model);
  c.table(path + ".network", j.network);
  c.table(path + ".plan", j.plan);
  c.table(path + ".life", j.life);
  c.table(path + ".failures", j.failures);
  c.table(path + ".placement", j.placement);
  c.table(path + ".curtailment", j.curtailment);
}

void recheck_mitigations(Recheck& c, Scenario& s) {
  const auto path = [](const std::string& name, MitigationKind kind) {
    return fmt::format("mitigation.{}", name.empty() ? word_of(kind) : name);
  };
  const auto& names = s.mitigation_names;
  c.table(path(names.gpu_smoothing, MitigationKind::gpu_smoothing), s.gpu_smoothing);
  c.table(path(names.ballast, MitigationKind::ballast), s.ballast);
  c.table(path(names.battery, MitigationKind::site_battery), s.battery);
  c.table(path(names.battery, MitigationKind::site_battery) + ".wear", s.battery_wear);
  std::vector<std::string>
      seen;  // one mitigation may set the beats of several jobs: its own keys are those of the first
  for (auto& j : s.jobs) {
    if (!j.beat || std::find(seen.begin(), seen.end(), j.beat_name) != seen.end()) continue;
    c.table(j.beat_name.empty() ? fmt::format("job.{}.beat", j.name) : "mitigation." + j.beat_name, j.beat);
    if (!j.beat_name.empty()) seen.push_back(j.beat_name);
  }
}

/// All tables of a scenario, each under the path that its keys have in a file. @param files whether weather files are read again
void walk(Recheck& c, Scenario& s, std::vector<Finding>& findings, bool files) {
  c.table("run", s.run);
  const auto windows = paths_of(c, "record.window", s.windows, [](const WindowParams& w) { return w.name; });
  for (std::size_t i = 0; i < windows.size(); ++i) c.table(windows[i], s.windows[i]);
  c.table("weather", s.weather);
  std::vector<std::string> notes;  // said when the scenario was read
  if (check_weather(s, files, s.weather.altitude_m != 0.0, findings, notes) && !s.weather.climate.empty() && !s.climate)
    c.report("weather.climate", fmt::format("'{}' has not been read: load the scenario with it", s.weather.climate));
  c.table("weather.climate", s.climate);
  recheck_site(c, s);
  const auto neighbours = paths_of(c, "site.neighbour", s.neighbours, [](const NeighbourSpec& n) { return n.name; });
  for (std::size_t i = 0; i < neighbours.size(); ++i) recheck_neighbour(c, neighbours[i], s.neighbours[i]);
  c.table("grid.source", s.source);
  c.table("grid.frequency", s.frequency);
  recheck_grid_case(c, s);
  const auto halls = paths_of(c, "hall", s.halls, [](const HallSpec& h) { return h.hall.name; });
  for (std::size_t i = 0; i < halls.size(); ++i) recheck_hall(c, halls[i], s.halls[i]);
  const auto jobs = paths_of(c, "job", s.jobs, [](const JobSpec& j) { return j.name; });
  for (std::size_t i = 0; i < jobs.size(); ++i) recheck_job(c, jobs[i], s.jobs[i]);
  recheck_mitigations(c, s);
  if (s.economics) {
    c.table("economics.tariff", s.economics->tariff);
    c.table("economics.footprint", s.economics->footprint);
    c.table("economics", *s.economics);
    check_hours(*s.economics, findings);
  }
  const auto events = paths_of(c, "event", s.events, [](const EventParams& e) { return e.name; });
  for (std::size_t i = 0; i < events.size(); ++i) c.table(events[i], s.events[i]);
}

}  // namespace

std::vector<std::string> check(const Scenario& given) {
  Scenario s = given;
  s.notes.clear();
  std::vector<Finding> findings;
  Recheck c(findings);
  walk(c, s, findings, true);
  if (findings.empty()) check_scenario(s, {}, findings);
  if (!findings.empty()) throw InputError(std::move(findings));
  admit(s);
  return s.notes;
}

Scenario with_values(Scenario s, const std::map<std::string, double>& values) {
  std::vector<Finding> findings;
  Recheck c(findings, values);
  walk(c, s, findings, false);
  for (const auto& [key, value] : c.left()) c.report(key, "is no number or word of this scenario");
  if (!findings.empty()) throw InputError(std::move(findings));
  return s;
}

PresentValues values_at(const Scenario& given, const std::vector<std::string>& keys) {
  Scenario s = given;
  std::vector<Finding> findings;
  Recheck c(findings);
  for (const auto& key : keys) c.watch(key);
  walk(c, s, findings, false);
  return {c.watched(), c.words()};
}

std::set<std::string> whole_numbers(Scenario s) {
  std::vector<Finding> findings;
  Recheck c(findings);
  walk(c, s, findings, false);
  return c.whole();
}

std::map<std::string, double> item_values(const std::vector<std::string>& set, std::vector<Finding>& findings) {
  std::map<std::string, double> out;
  for (const auto& assignment : set) {
    const auto eq = assignment.find("]=");
    if (!sets_item(assignment)) continue;
    const std::string key = assignment.substr(0, eq + 1);
    double value = 0.0;
    if (parse_number(assignment.substr(eq + 2), value))
      out[key] = value;
    else
      findings.push_back({{"--set", 0, 0}, key, "expected a number"});
  }
  return out;
}

void set_items(const std::map<std::string, double>& items, Reading& reading, Scenario& s) {
  if (items.empty() || !reading.findings.empty()) return;
  try {
    s = with_values(std::move(s), items);
  } catch (const InputError& e) {
    for (const Finding& f : e.findings()) reading.findings.push_back({{"--set", 0, 0}, f.key, f.message});
  }
  std::erase_if(reading.assumed, [&](const auto& a) { return items.contains(a.key); });
}

}  // namespace TIDEWATT_NAMESPACE::sim
