#include "site_means.hpp"

#include <fmt/format.h>

#include <array>

namespace TIDEWATT_NAMESPACE::sim {

SiteMeans site_means(const std::function<const NamedArray*(const std::string&)>& find) {
  struct Level {
    const char* name;
    double step_s;
  };
  constexpr std::array<Level, 3> levels = {{{"1s", 1.0}, {"10s", 10.0}, {"60s", 60.0}}};
  for (const Level& level : levels) {
    const auto numbers = [&](const char* what) {
      const auto* array = find(fmt::format("/pyramid_{}/{}", level.name, what));
      const auto* values = array ? std::get_if<std::vector<double>>(&array->values) : nullptr;
      return values ? *values : std::vector<double>();
    };
    const auto time = numbers("time");
    if (!time.empty()) return {{time.front(), level.step_s, numbers("pcc_mean_W")}, numbers("pcc_max_W")};
  }
  return {};
}

}  // namespace TIDEWATT_NAMESPACE::sim
