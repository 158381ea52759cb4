#include "scenario_site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grid/load_settings.hpp"
#include "power/backup.hpp"
#include "scenario_recheck.hpp"

namespace TIDEWATT_NAMESPACE::sim {
namespace {

bool empty(const Node& n) { return n.is_table() && std::get<Node::Table>(n.value).empty(); }

/// The storage that a rack ships with has its rule from the entry of such capacitors, unless another is named.
Node with_own_entry(Node spec) {
  const Node* own = spec.is_table() ? spec.find("from_rack") : nullptr;
  const bool* on = own != nullptr ? std::get_if<bool>(&own->value) : nullptr;
  if (on != nullptr && *on && spec.find("catalog") == nullptr)
    spec.set("catalog", Node(std::string("gpu_capacitor_65J"), own->place));
  return spec;
}

struct SiteReading {
  Reading& reading;
  TableReader& r;

  /// Visits the resolved entry that `key` names, if the site names one.
  template <class Visit>
  void device(const char* key, const char* kind, const char* doc, Visit&& visit, Need need = Need::optional) {
    const Node* spec = r.entry(key, kind, need, doc);
    if (!spec) return;
    const std::string path = std::string("site.") + key;
    const Node n = reading.catalog.resolve(with_own_entry(*spec), kind, path, reading.findings, reading.assumed);
    if (empty(n)) return;
    TableReader t = reading.table(n, path);
    visit(t);
    t.finish();
  }
};

/// A device that a site may name: the kind of its catalog entry, where its parameters are, and their keys.
struct Device {
  const char *key, *kind, *doc;
  bool (*there)(const SiteDevices&);
  void (*add)(SiteDevices&);
  void (*keys)(SiteDevices&, FieldVisitor&);
};

void rack_storage_keys(SiteDevices& d, FieldVisitor& v) {
  d.rack_storage->fields(v);
  choose(v, "per", d.storage_per, "what one entry stands for; it is scaled with their number", Need::optional);
  v.flag(
      "from_rack", d.storage_from_rack,
      "the storage that the halls' racks ship with: its energy per GPU is their power.storage_J, not store_energy_kJ",
      Need::optional);
}

void ups_keys(SiteDevices& d, FieldVisitor& v) {
  d.ups->fields(v);
  v.integer("n_unit", d.n_ups, {0, 100000}, "supplies of this rating in parallel; 0: as many as the design load needs",
            Need::optional);
}

void generator_keys(SiteDevices& d, FieldVisitor& v) {
  d.generators->fields(v);
  power::BackupParams times;
  times.start_after_s = d.start_after_s;
  times.utility_good_s = d.utility_good_s;
  times.transfer_gap_s = d.transfer_gap_s;
  times.fields(v);
  d.start_after_s = times.start_after_s;
  d.utility_good_s = times.utility_good_s;
  d.transfer_gap_s = times.transfer_gap_s;
}

void turbine_keys(SiteDevices& d, FieldVisitor& v) {
  d.turbines->generator.fields(v);
  v.number("dispatch_MW", d.turbines->dispatch_W, {0, 1e5}, "output in parallel with the grid");
}

/// A device whose keys are those of one member.
template <auto member>
constexpr Device plain(const char* key, const char* kind, const char* doc) {
  return {key,
          kind,
          doc,
          [](const SiteDevices& d) { return (d.*member).has_value(); },
          [](SiteDevices& d) { (d.*member).emplace(); },
          [](SiteDevices& d, FieldVisitor& v) { (d.*member)->fields(v); }};
}

/// The same with further keys.
template <auto member>
constexpr Device with(void (*keys)(SiteDevices&, FieldVisitor&), const char* key, const char* kind, const char* doc) {
  Device out = {key,
                kind,
                doc,
                [](const SiteDevices& d) { return (d.*member).has_value(); },
                [](SiteDevices& d) { (d.*member).emplace(); },
                keys};
  return out;
}

constexpr std::array site_devices = {
    with<&SiteDevices::rack_storage>(rack_storage_keys, "rack_storage", "rack_storage",
                                     "storage in the racks; left out: none"),
    plain<&SiteDevices::response>("response", "converter_chain",
                                  "how the converters between grid and servers answer fast changes; left out: at once"),
    with<&SiteDevices::ups>(ups_keys, "ups", "ups", "central uninterruptible supplies; left out: none"),
    with<&SiteDevices::generators>(generator_keys, "generators", "generator",
                                   "standby generators behind the supplies; left out: none"),
    with<&SiteDevices::turbines>(turbine_keys, "turbines", "generator",
                                 "the site's own turbines, in parallel with the grid; left out: none"),
    plain<&SiteDevices::hall_transformer>("hall_transformer", "transformer",
                                          "hot spot and ageing of a hall's transformer; left out: not followed"),
    plain<&SiteDevices::site_transformer>("site_transformer", "transformer",
                                          "hot spot and ageing of the site's transformer; left out: not followed"),
};

void read_device(SiteReading& in, const Device& device, SiteDevices& d) {
  in.device(device.key, device.kind, device.doc, [&](TableReader& t) {
    device.add(d);
    device.keys(d, t);
  });
}

/// Settings by which the load leaves the grid and comes back.
void read_settings(SiteReading& in, const Node& site, SiteDevices& d) {
  const char* path = "site.load_settings";
  auto& findings = in.reading.findings;
  for (const char* old : {"ride_through", "return_logic"})
    if (const Node* node = site.find(old))
      findings.push_back({node->place, fmt::format("site.{}", old),
                          "is now part of site.load_settings: an entry of kind load_settings, or a table like one"});
  const Node* spec = in.r.entry("load_settings", "load_settings", Need::optional,
                                "settings by which the load leaves the grid and comes back; left out: it stays");
  if (!spec) return;
  const Node values = in.reading.catalog.resolve(*spec, "load_settings", path, findings, in.reading.assumed);
  if (empty(values)) return;
  const std::size_t before = findings.size();
  const auto settings = grid::read_load_settings(values, path, findings);
  if (in.reading.log) grid::log_load_settings(values, path, *in.reading.log);
  if (findings.size() > before) return;
  auto played = grid::played_settings(settings, path, findings);
  d.ride_through = std::move(played.curve), d.back = played.back;
}

/// What devices ask of one another.
void check_devices(const SiteDevices& d, std::vector<Finding>& findings) {
  if (d.back.has_value() != d.ride_through.has_value())
    findings.push_back({{}, "site.load_settings", "limits and a way back come together"});
  if (d.generators && !d.ups)
    findings.push_back({{}, "site.generators", "stand behind supplies (ups) that carry the load until they run"});
  if (d.ride_through && d.ups)
    findings.push_back(
        {{}, "site.load_settings", "a site with central supplies (ups) leaves the grid by their own window"});
}

void read_rule_sets(SiteReading& in, SiteDevices& d) {
  const Node* list = in.r.entry("rules", "rules", Need::optional,
                                "rule set of the utility, or a list of them; the run is held against each");
  if (!list) return;
  std::vector<const Node*> sets;
  if (list->is_array())
    for (const auto& item : std::get<Node::Array>(list->value)) sets.push_back(&item);
  else
    sets.push_back(list);
  std::vector<catalog::AssumedInput> of_rules;  // of the rule, not of the site
  for (const Node* spec : sets) {
    const Node n = in.reading.catalog.resolve(*spec, "rules", "site.rules", in.reading.findings, of_rules);
    if (empty(n)) continue;
    const Node* name = spec->is_text() ? spec : spec->find("catalog");
    d.rules.push_back(grid::read_rules(n, name && name->is_text() ? std::get<std::string>(name->value) : "user",
                                       "site.rules", in.reading.findings));
  }
}

}  // namespace

void read_site(Reading& reading, const Node& given, Scenario& s, const std::function<void(TableReader&)>& more) {
  auto& findings = reading.findings;
  Node site = given;
  if (const Node* layout = given.find("delivery")) {
    // Keys beside the layout's name override the layout.
    const Node under = reading.catalog.resolve(*layout, "delivery", "site.delivery", findings, reading.assumed);
    std::erase_if(std::get<Node::Table>(site.value), [](const auto& item) { return item.first == "delivery"; });
    site = merge(under, site);
  }
  TableReader r = reading.table(site, "site");
  SiteReading in{reading, r};
  r.entry("delivery", "delivery", Need::optional,
          "layout of the power delivery: feeder, storage and supplies together; keys beside it win");
  auto& d = s.devices;
  in.device(
      "feeder", "feeder", "transformers and cables between the halls and the connection",
      [&](TableReader& t) { s.feeder.fields(t); }, Need::required);
  if (site.find("feeder") == nullptr) return r.finish();
  for (const Device& device : site_devices) read_device(in, device, d);
  read_settings(in, site, d);
  more(r);
  read_rule_sets(in, d);
  d.fields(r);
  r.finish();
  check_devices(d, findings);
}

void recheck_site(Recheck& c, Scenario& s) {
  c.table("site.feeder", s.feeder);
  auto& d = s.devices;
  for (const Device& device : site_devices) {
    if (!device.there(d)) continue;
    SiteDevices unset;
    device.add(unset);
    const std::string path = fmt::format("site.{}", device.key);
    c.table(path, [&](FieldVisitor& v) { device.keys(d, v); }, [&](FieldVisitor& v) { device.keys(unset, v); });
  }
  c.table("site.load_settings", d.ride_through);
  c.table("site.load_settings", d.back);
  c.table("site", d);
  check_devices(d, c.findings());
}

void take_storage_of_racks(Scenario& s, std::vector<Finding>& findings) {
  auto& d = s.devices;
  if (!d.rack_storage || !d.storage_from_rack) return;
  constexpr const char* key = "site.rack_storage.from_rack";
  if (d.storage_per != StoragePer::gpu)
    findings.push_back({{}, "site.rack_storage.per", "with from_rack an entry stands for one GPU: \"gpu\""});
  double per_gpu_J = 0.0;
  for (const auto& h : s.halls) {
    const double own_J = h.rack ? h.rack->power.storage_J : 0.0;
    if (!(own_J > 0.0))
      findings.push_back({{},
                          key,
                          h.rack ? fmt::format("no storage is known of rack {} of hall '{}'", h.rack->name, h.hall.name)
                                 : fmt::format("hall '{}' names no rack", h.hall.name)});
    else if (per_gpu_J > 0.0 && own_J != per_gpu_J)
      findings.push_back(
          {{},
           key,
           fmt::format("racks with {:g} and {:g} J per GPU on one site: give site.rack_storage its energy", per_gpu_J,
                       own_J)});
    else
      per_gpu_J = own_J;
  }
  if (per_gpu_J > 0.0) d.rack_storage->store.energy_J = per_gpu_J;
}

void check_events(const Scenario& s, const Place& place, std::vector<Finding>& findings) {
  for (const auto& e : s.events) {
    const auto report = [&](const char* key, std::string message) {
      findings.push_back({place, fmt::format("event.{}.{}", e.name, key), std::move(message)});
    };
    using enum EventKind;
    bool known = false;
    for (const auto& j : s.jobs) known = known || j.name == e.job;
    if (of_job(e.kind) && !known) report("job", fmt::format("no job named '{}'", e.job));
    if (e.kind != failure && e.kind != planned_stop && e.kind != power_brake && !of_plant(e.kind) &&
        !(e.duration_s > 0.0))
      report("duration_s", fmt::format("a {} needs its length", word_of(e.kind)));
    if (e.kind == power_brake && !e.hall.empty() &&
        std::none_of(s.halls.begin(), s.halls.end(), [&](const auto& h) { return h.hall.name == e.hall; }))
      report("hall", fmt::format("no hall named '{}'", e.hall));
    if (e.kind == sag && !(e.voltage_ratio < 1.0))
      report("voltage_ratio", "a sag needs its remaining voltage, below 1");
    if (e.kind == islanding && !s.devices.turbines)
      report("kind", "an island needs turbines on the site (site.turbines)");
    if (e.kind != curtailment) continue;
    if (!(e.limit_W > 0.0)) report("limit_MW", "an order needs its limit");
    if (e.by == OrderMeans::storage && !s.battery) report("by", "there is no site battery");
    if (e.notice_s > e.at_s) report("notice_s", "the order would have come before the run");
  }
}

}  // namespace TIDEWATT_NAMESPACE::sim
