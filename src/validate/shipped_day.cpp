#include "shipped_day.hpp"

#include "sim/shipped_scenarios.hpp"

namespace TIDEWATT_NAMESPACE::validate {

sim::Scenario shipped_day(std::vector<std::string> set) {
  sim::LoadOptions options;
  options.set = std::move(set);
  const std::string name = "llama3_405b_day.toml";
  return sim::read_scenario(parse_toml(sim::shipped_scenario(name).value(), name), ".", options);
}

}  // namespace TIDEWATT_NAMESPACE::validate
