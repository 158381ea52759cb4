#include "network_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "converter_unit.hpp"
#include "esac1a.hpp"
#include "gast.hpp"
#include "gencls.hpp"
#include "genrou.hpp"
#include "hygov.hpp"
#include "ieeest.hpp"
#include "ieeet1.hpp"
#include "sexs.hpp"
#include "tgov1.hpp"

namespace TIDEWATT_NAMESPACE::grid {
namespace {

constexpr std::array<std::string_view, 12> known = {"ESAC1A", "GAST",   "GENCLS", "GENROU", "HYGOV", "IEEEST",
                                                    "IEEET1", "REECB1", "REGCA1", "REPCA1", "SEXS",  "TGOV1"};

/// What the records of one generator gave.
struct Parts {
  std::unique_ptr<Rotor> rotor;
  std::unique_ptr<Exciter> exciter;
  std::unique_ptr<Governor> governor;
  std::unique_ptr<Stabiliser> stabiliser;
  std::optional<Regca1> converter;
  std::optional<Reecb1> electrical;
  std::optional<Repca1> plant;
  const DyrRecord* last = nullptr;
};

template <class Slot, class Make>
void fill(Slot& slot, DyrValues& values, std::string_view what, Make make) {
  if (slot) values.wrong(what, "the unit has one already");
  slot = make();
  values.finish();
}

void read(const PowerNetwork& n, const PowerNetwork::Generator& g, const DyrRecord& r, Parts& p,
          std::vector<Finding>& findings) {
  DyrValues v(r, findings);
  p.last = &r;
  const std::string& m = r.model;
  if (m == "GENROU")
    fill(p.rotor, v, "machine", [&] { return std::make_unique<Genrou>(v, g.source_pu.real(), n.nominal_Hz); });
  else if (m == "GENCLS")
    fill(p.rotor, v, "machine", [&] { return std::make_unique<Gencls>(v, g.source_pu, n.nominal_Hz); });
  else if (m == "SEXS")
    fill(p.exciter, v, "exciter", [&] { return std::make_unique<Sexs>(v); });
  else if (m == "ESAC1A")
    fill(p.exciter, v, "exciter", [&] { return std::make_unique<Esac1a>(v); });
  else if (m == "IEEET1")
    fill(p.exciter, v, "exciter", [&] { return std::make_unique<Ieeet1>(v); });
  else if (m == "TGOV1")
    fill(p.governor, v, "governor", [&] { return std::make_unique<Tgov1>(v); });
  else if (m == "GAST")
    fill(p.governor, v, "governor", [&] { return std::make_unique<Gast>(v); });
  else if (m == "HYGOV")
    fill(p.governor, v, "governor", [&] { return std::make_unique<Hygov>(v); });
  else if (m == "IEEEST")
    fill(p.stabiliser, v, "stabiliser", [&] { return std::make_unique<Ieeest>(v); });
  else if (m == "REGCA1")
    fill(p.converter, v, "converter", [&] { return Regca1(v); });
  else if (m == "REECB1")
    fill(p.electrical, v, "electrical control", [&] { return Reecb1(v); });
  else if (m == "REPCA1")
    fill(p.plant, v, "plant control", [&] { return Repca1(v, n.nominal_Hz); });
}

std::unique_ptr<GridUnit> unit_of(Parts& p, ShaftInput shaft, std::vector<Finding>& findings) {
  const auto wrong = [&](const char* message) {
    findings.push_back({p.last->place, fmt::format("unit {} at bus {}", p.last->id, p.last->bus), message});
  };
  if (p.converter) {
    if (p.rotor || p.exciter || p.governor || p.stabiliser) wrong("is a converter and has records of a machine too");
    if (p.plant && !p.electrical) wrong("has a plant control (REPCA1) without an electrical control (REECB1)");
    return std::make_unique<ConverterUnit>(*p.converter, p.electrical, p.plant);
  }
  if (!p.rotor)
    wrong("has no machine (GENROU, GENCLS) and no converter (REGCA1)");
  else if (p.stabiliser && !p.exciter)
    wrong("has a stabiliser and no exciter");
  else
    return std::make_unique<SynchronousUnit>(std::move(p.rotor), std::move(p.exciter), std::move(p.governor),
                                             std::move(p.stabiliser), shaft);
  return nullptr;
}

}  // namespace

std::vector<NetworkUnit> make_units(const PowerNetwork& n, const std::vector<DyrRecord>& records, ShaftInput shaft) {
  std::vector<Finding> findings;
  std::vector<Parts> parts(n.generator.size());
  for (const auto& r : records) {
    if (std::find(known.begin(), known.end(), r.model) == known.end()) {
      findings.push_back(
          {r.place, r.model,
           fmt::format("model of unit {} at bus {} is not known; known: {}", r.id, r.bus, fmt::join(known, ", "))});
      continue;
    }
    const auto at = std::find_if(n.generator.begin(), n.generator.end(),
                                 [&](const auto& g) { return n.bus[g.bus].number == r.bus && g.id == r.id; });
    if (at == n.generator.end())
      findings.push_back({r.place, r.model, fmt::format("the network has no unit {} at bus {}", r.id, r.bus)});
    else if (at->in_service)
      read(n, *at, r, parts[static_cast<std::size_t>(at - n.generator.begin())], findings);
  }
  std::vector<NetworkUnit> out;
  for (std::size_t g = 0; g < n.generator.size(); ++g) {
    if (!n.generator[g].in_service) continue;
    if (!parts[g].last)
      findings.push_back({n.generator[g].place, n.generator[g].name(n),
                          "has no dynamic model: give it a record, or take it out of service"});
    else if (auto model = unit_of(parts[g], shaft, findings))
      out.push_back({g, std::move(model)});
  }
  if (!findings.empty()) throw InputError(std::move(findings));
  return out;
}

}  // namespace TIDEWATT_NAMESPACE::grid
