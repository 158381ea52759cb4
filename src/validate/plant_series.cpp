#include "plant_series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::validate {

std::optional<PlantSeries> read_plant_series(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  PlantSeries series;
  for (const std::string& line : split(tidewatt::read_file(file.string(), 4u << 20), '\n')) {
    const auto begin = line.find("=["), end = line.rfind(']');
    if (begin == std::string::npos || end == std::string::npos) continue;
    std::vector<double>& values = series[line.substr(0, begin)];
    for (const std::string& word : split(std::string_view(line).substr(begin + 2, end - begin - 2), ',')) {
      double v = 0.0;
      if (!parse_number(trim(word), v)) throw InputError(file.filename().string() + ": '" + word + "' is not a number");
      values.push_back(v);
    }
  }
  return series;
}

double worst_of_range(const std::vector<double>& reference, const std::vector<double>& got,
                      const std::vector<bool>& take) {
  double lo = std::numeric_limits<double>::infinity(), hi = -lo, worst = 0.0;
  bool any = false;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    lo = std::min(lo, reference[i]), hi = std::max(hi, reference[i]);
    if (!take[i]) continue;
    worst = std::max(worst, std::abs(got[i] - reference[i]));
    any = true;
  }
  return any ? worst / (hi - lo) : std::numeric_limits<double>::quiet_NaN();  // NaN fails
}

}  // namespace TIDEWATT_NAMESPACE::validate
