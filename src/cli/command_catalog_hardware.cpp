// Combinations: racks with their parts, supply chains with their stages, and whether entries fit.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "tidewatt/catalog/fits.hpp"
#include "tidewatt/catalog/rack.hpp"

namespace {

using tidewatt::catalog::Catalog;
using Json = nlohmann::ordered_json;

struct Arguments {
  std::string name, overlay;
  double load_W = 0.0, design_W = 0.0;
  bool json = false;
  tidewatt::catalog::Hardware hardware;
};

Json parts_of(const tidewatt::power::RackPower& p) {
  return {{"gpus_W", p.gpus_W},
          {"cpus_W", p.cpus_W},
          {"tray_other_W", p.tray_other_W},
          {"switch_trays_W", p.switch_trays_W},
          {"management_W", p.management_W},
          {"fans_W", p.fans_W},
          {"shelf_loss_W", p.shelf_loss_W},
          {"input_W", p.input_W()}};
}

void rack(const Arguments& a) {
  const Catalog catalog(a.overlay);
  const auto entry = tidewatt::catalog::read_rack(catalog, a.name);
  const auto spread = tidewatt::catalog::rack_spread(catalog, a.name);
  const Json low = parts_of(spread.low), high = parts_of(spread.high), nominal = parts_of(spread.nominal);
  if (a.json) {
    const Json out = {{"rack", a.name},
                      {"gpu", entry.gpu},
                      {"server", entry.server},
                      {"network", entry.network},
                      {"n_cabinet", entry.power.n_cabinet},
                      {"n_gpu", entry.power.n_gpu()},
                      {"nominal", nominal},
                      {"low", low},
                      {"high", high},
                      {"vendor_W", {entry.power.vendor_low_W, entry.power.vendor_high_W}}};
    fmt::print("{}\n", out.dump(1));
    return;
  }
  fmt::print("{}: {} GPUs in {} cabinet{}\n{:<16} {:>9} {:>9} {:>9}  kW\n", a.name, entry.power.n_gpu(),
             entry.power.n_cabinet, entry.power.n_cabinet > 1 ? "s" : "", "part", "low", "nominal", "high");
  for (const auto& [key, value] : nominal.items())
    fmt::print("{:<16} {:>9.2f} {:>9.2f} {:>9.2f}\n", key.substr(0, key.size() - 2), 1e-3 * low[key].get<double>(),
               1e-3 * value.get<double>(), 1e-3 * high[key].get<double>());
  fmt::print("vendors publish {:.0f} to {:.0f} kW\n", 1e-3 * entry.power.vendor_low_W,
             1e-3 * entry.power.vendor_high_W);
}

void chain(const Arguments& a) {
  const tidewatt::power::SupplyChain supply(tidewatt::catalog::read_supply_chain(Catalog(a.overlay), a.name),
                                            a.design_W > 0.0 ? a.design_W : a.load_W);
  const auto p = supply.at(a.load_W);
  if (a.json) {
    Json stages = Json::array();
    for (const auto& s : p.stages)
      stages.push_back({{"name", s.name},
                        {"n_unit", s.n_unit},
                        {"loading_frac", s.loading_frac},
                        {"loss_W", s.loss_W},
                        {"input_W", s.input_W},
                        {"output_W", s.output_W},
                        {"holdup_s", s.holdup_s}});
    const Json out = {{"chain", a.name},
                      {"load_W", p.load_W},
                      {"connection_W", p.connection_W},
                      {"loss_W", p.loss_W()},
                      {"closure", p.closure()},
                      {"efficiency_frac", p.efficiency_frac()},
                      {"stages", std::move(stages)}};
    fmt::print("{}\n", out.dump(1));
    return;
  }
  fmt::print("{:<26} {:>7} {:>9} {:>10} {:>9}\n", "stage", "units", "loading", "loss, kW", "hold-up");
  for (const auto& s : p.stages)
    fmt::print("{:<26} {:>7} {:>7.1f} % {:>10.2f} {:>9}\n", s.name, s.n_unit, 100.0 * s.loading_frac, 1e-3 * s.loss_W,
               s.holdup_s > 0.0 ? fmt::format("{:.3g} s", s.holdup_s) : "none");
  fmt::print("{:.1f} kW at the trays, {:.1f} kW at the connection: {:.2f} %\n", 1e-3 * p.load_W, 1e-3 * p.connection_W,
             100.0 * p.efficiency_frac());
}

void fits(const Arguments& a) {
  const auto findings = tidewatt::catalog::misfits(Catalog(a.overlay), a.hardware);
  if (a.json) {
    Json out = Json::array();
    for (const auto& f : findings) out.push_back({{"key", f.key}, {"message", f.message}});
    fmt::print("{}\n", Json{{"fits", findings.empty()}, {"findings", std::move(out)}}.dump(1));
    return;
  }
  if (!findings.empty()) throw tidewatt::InputError(findings);
  fmt::print("fits\n");
}

}  // namespace

void add_catalog_hardware(CLI::App& catalog) {
  auto a = std::make_shared<Arguments>();
  auto* r = catalog.add_subcommand("rack", "print a rack's parts and their sum, with its range over assumed inputs");
  r->add_option("name", a->name, "entry of kind rack")->required();
  r->callback([a] { rack(*a); });
  auto* s = catalog.add_subcommand("chain", "print losses of a supply chain from 34.5 kV to the trays, stage by stage");
  s->add_option("name", a->name, "entry of kind supply_chain")->required();
  s->add_option("--load-W", a->load_W, "power at the trays' inputs")->required()->check(CLI::PositiveNumber);
  s->add_option("--design-W", a->design_W, "power for which units are counted; default: the load")
      ->check(CLI::PositiveNumber);
  s->callback([a] { chain(*a); });
  auto* f = catalog.add_subcommand("fits", "check whether entries fit together; list entries that fit instead");
  auto& h = a->hardware;
  for (auto& [option, name] : {std::pair{"--gpu", &h.gpu},
                               {"--server", &h.server},
                               {"--rack", &h.rack},
                               {"--network", &h.network},
                               {"--plant", &h.plant},
                               {"--feeder", &h.feeder}})
    f->add_option(option, *name, "entry of this kind");
  f->callback([a] { fits(*a); });
  for (auto* each : {r, s, f}) {
    each->add_flag("--json", a->json, "print one JSON object");
    each->add_option("--catalog", a->overlay, "folder of catalog files that add to or replace the built-in ones")
        ->type_name("FOLDER");
  }
}
