#include "shipped_day.hpp"

#include "catalog_in_use.hpp"
#include "sim/shipped_scenarios.hpp"

namespace TIDEWATT_NAMESPACE::validate {

sim::Scenario shipped_day(std::vector<std::string> set, const std::string& more) {
  sim::LoadOptions options;
  options.set = std::move(set);
  options.catalog_overlay = overlay_in_use();
  const std::string name = "llama3_405b_day.toml";
  return sim::read_scenario(parse_toml(sim::shipped_scenario(name).value() + more, name), ".", options);
}

}  // namespace TIDEWATT_NAMESPACE::validate
