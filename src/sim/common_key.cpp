#include "common_key.hpp"

#include <limits>

#include "base/embedded.hpp"
#include "base/node_number.hpp"
#include "tidewatt/base/node.hpp"

namespace TIDEWATT_NAMESPACE::sim {

std::string common_key(std::string key) {
  key = key.substr(0, key.find('['));
  const auto first = key.find('.');
  const std::string list = key.substr(0, first);
  if (list != "hall" && list != "job") return key;
  const auto second = key.find('.', first + 1);
  return second == std::string::npos ? key : list + key.substr(second);
}

double known_effect_frac(const std::string& key) {
  static const Node effects =
      *parse_toml(embedded::effect_files().front().text, "assumed_effects.toml").find("largest_frac");
  const Node* known = effects.find(common_key(key));
  return known == nullptr ? std::numeric_limits<double>::quiet_NaN() : number_in(*known).value();
}

}  // namespace TIDEWATT_NAMESPACE::sim
