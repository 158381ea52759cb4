#include "scenario_site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>


namespace tidewatt::sim {
namespace {

bool empty(const Node& n) { return n.is_table() && std::get<Node::Table>(n.value).empty(); }

struct SiteReading {
  Reading& reading;
  TableReader& r;

  /// Visits the resolved entry that `key` names, if the site names one.
  template <class Visit>
  void device(const char* key, const char* kind, const char* doc, Visit&& visit, Need need = Need::optional) {
    const Node* spec = r.entry(key, kind, need, doc);
    if (!spec) return;
    const std::string path = std::string("site.") + key;
    const Node n = reading.catalog.resolve(*spec, kind, path, reading.findings, reading.assumed);
    if (empty(n)) return;
    TableReader t = reading.table(n, path);
    visit(t);
    t.finish();
  }
};

void read_devices(SiteReading& in, SiteDevices& d) {
  in.device("rack_storage", "rack_storage", "storage in the racks; left out: none", [&](TableReader& t) {
    d.rack_storage.emplace().fields(t);
    choose(t, "per", d.storage_per, "what one entry stands for; it is scaled with their number", Need::optional);
  });
  in.device("response", "converter_chain", "how the converters between grid and servers answer fast changes; left out: at once", [&](TableReader& t) { d.response.emplace().fields(t); });
  in.device("ups", "ups", "central uninterruptible supplies; left out: none", [&](TableReader& t) {
    d.ups.emplace().fields(t);
    t.integer("n_unit", d.n_ups, {0, 100000}, "supplies of this rating in parallel; 0: as many as the design load needs", Need::optional);
  });
  in.device("generators", "generator", "standby generators behind the supplies; left out: none", [&](TableReader& t) {
    d.generators.emplace().fields(t);
    power::BackupParams times;
    times.fields(t);
    d.start_after_s = times.start_after_s;
    d.utility_good_s = times.utility_good_s;
    d.transfer_gap_s = times.transfer_gap_s;
  });
  in.device("turbines", "generator", "the site's own turbines, in parallel with the grid; left out: none", [&](TableReader& t) {
    auto& turbines = d.turbines.emplace();
    turbines.generator.fields(t);
    t.number("dispatch_MW", turbines.dispatch_W, {0, 1e5}, "output in parallel with the grid");
  });
  in.device("ride_through", "ride_through", "voltages at which the load leaves the grid; left out: it stays", [&](TableReader& t) {
    if (const Node* curve = t.child("curve", Need::required, "voltage against time that the load endures")) {
      TableReader c = in.reading.table(*curve, "site.ride_through.curve");
      d.ride_through.emplace().fields(c);
      c.finish();
    }
  });
  in.device("hall_transformer", "transformer", "hot spot and ageing of a hall's transformer; left out: not followed", [&](TableReader& t) { d.hall_transformer.emplace().fields(t); });
  in.device("site_transformer", "transformer", "hot spot and ageing of the site's transformer; left out: not followed", [&](TableReader& t) { d.site_transformer.emplace().fields(t); });
  in.device("return_logic", "return_logic", "when the load comes back after it left; left out: when the voltage is good", [&](TableReader& t) { d.back.emplace().fields(t); });
}

void read_rule_sets(SiteReading& in, SiteDevices& d) {
  const Node* list = in.r.entry("rules", "rules", Need::optional, "rule set of the utility, or a list of them; the run is held against each");
  if (!list) return;
  std::vector<const Node*> sets;
  if (list->is_array())
    for (const auto& item : std::get<Node::Array>(list->value)) sets.push_back(&item);
  else
    sets.push_back(list);
  for (const Node* spec : sets) {
    const Node n = in.reading.catalog.resolve(*spec, "rules", "site.rules", in.reading.findings, in.reading.assumed);
    if (empty(n)) continue;
    const Node* name = spec->is_text() ? spec : spec->find("catalog");
    d.rules.push_back(grid::read_rules(n, name && name->is_text() ? std::get<std::string>(name->value) : "user", "site.rules", in.reading.findings));
  }
}

}  // namespace

void read_site(Reading& reading, const Node& given, Scenario& s, const std::function<void(TableReader&)>& more) {
  auto& findings = reading.findings;
  Node site = given;
  if (const Node* layout = given.find("delivery")) {
    // What stands beside the layout's name wins over the layout.
    const Node under = reading.catalog.resolve(*layout, "delivery", "site.delivery", findings, reading.assumed);
    std::erase_if(std::get<Node::Table>(site.value), [](const auto& item) { return item.first == "delivery"; });
    site = merge(under, site);
  }
  TableReader r = reading.table(site, "site");
  SiteReading in{reading, r};
  r.entry("delivery", "delivery", Need::optional, "layout of the power delivery: feeder, storage and supplies together; keys beside it win");
  auto& d = s.devices;
  in.device("feeder", "feeder", "transformers and cables between the halls and the connection", [&](TableReader& t) { s.feeder.fields(t); }, Need::required);
  if (site.find("feeder") == nullptr) return r.finish();
  read_devices(in, d);
  more(r);
  read_rule_sets(in, d);
  r.number("rules_from_s", d.rules_from_s, {0, 3.5e7}, "rules and grid figures look at the run from here on", Need::optional);
  r.number("rules_until_s", d.rules_until_s, {0, 3.5e7}, "until here; 0: the run's end", Need::optional);
  r.number("figure_spread_frac", d.figure_spread_frac, {0, 1}, "share of a figure that the model does not know: margins below it are undecided",
           Need::optional);
  r.finish();
  if (d.back && !d.ride_through) findings.push_back({given.place, "site.return_logic", "needs a ride_through curve"});
  if (d.generators && !d.ups)
    findings.push_back({given.place, "site.generators", "stand behind supplies (ups) that carry the load until they run"});
  if (d.ride_through && d.ups)
    findings.push_back({given.place, "site.ride_through", "a site with central supplies (ups) leaves the grid by their own window"});
}

void check_events(const Scenario& s, const Place& place, std::vector<Finding>& findings) {
  for (const auto& e : s.events) {
    const auto report = [&](const char* key, std::string message) { findings.push_back({place, fmt::format("event.{}.{}", e.name, key), std::move(message)}); };
    using enum EventKind;
    bool known = false;
    for (const auto& j : s.jobs) known = known || j.name == e.job;
    if (of_job(e.kind) && !known) report("job", fmt::format("no job named '{}'", e.job));
    if (e.kind != failure && e.kind != planned_stop && e.kind != power_brake && !of_plant(e.kind) && !(e.duration_s > 0.0)) report("duration_s", fmt::format("a {} needs its length", word_of(e.kind)));
    if (e.kind == power_brake && !e.hall.empty() && std::none_of(s.halls.begin(), s.halls.end(), [&](const auto& h) { return h.hall.name == e.hall; }))
      report("hall", fmt::format("no hall named '{}'", e.hall));
    if (e.kind == sag && !(e.voltage_ratio < 1.0)) report("voltage_ratio", "a sag needs its remaining voltage, below 1");
    if (e.kind == islanding && !s.devices.turbines) report("kind", "an island needs turbines on the site (site.turbines)");
    if (e.kind != curtailment) continue;
    if (!(e.limit_W > 0.0)) report("limit_MW", "an order needs its limit");
    if (e.by == OrderMeans::storage && !s.battery) report("by", "there is no site battery");
    if (e.notice_s > e.at_s) report("notice_s", "the order would have come before the run");
  }
}

}  // namespace tidewatt::sim
