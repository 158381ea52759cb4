#include "chance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "draws.hpp"
#include "tidewatt/base/math.hpp"
#include "tidewatt/sim/look_up.hpp"

namespace TIDEWATT_NAMESPACE::study {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double z95 = 1.6448536269514722;  // standard normal, 95 %
constexpr std::size_t n_joint = 4096;
constexpr std::uint64_t joint_seed = 1;

/// The value at `u` of sorted values, type 6: the next draw is below it with probability u, as far as the values reach.
double at(const std::vector<double>& sorted, double u) {
  const auto n = static_cast<double>(sorted.size());
  const double place = std::clamp(u * (n + 1.0) - 1.0, 0.0, n - 1.0);
  const auto i = std::min(static_cast<std::size_t>(place), sorted.size() - 1), j = std::min(i + 1, sorted.size() - 1);
  return sorted[i] + (place - static_cast<double>(i)) * (sorted[j] - sorted[i]);
}

struct Moments {
  double of_mean = 0.0, variance = 0.0, of_variance = 0.0;  ///< variances of the mean, of the values, of the variance
};

Moments moments_of(const std::vector<double>& x, double median_error) {
  const auto n = static_cast<double>(x.size());
  if (x.size() < 2) return {};
  double mean = 0.0, variance = 0.0;
  for (const double v : x) mean += v / n;
  for (const double v : x) variance += (v - mean) * (v - mean) / (n - 1.0);
  const double of_mean = median_error >= 0.0 ? median_error * median_error : variance / n;
  return {of_mean, variance, 2.0 * variance * variance / (n - 1.0)};
}

/// The draws of the parts that move a figure, sorted.
struct MovingParts {
  std::vector<std::vector<double>> sorted;
  std::vector<std::uint64_t> number;  ///< of the part: of its random numbers
};

MovingParts moving_parts(const std::string& key, std::span<const ChancePart> parts) {
  MovingParts out;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto found = parts[p].logs.find(key);
    if (found == parts[p].logs.end() || found->second.empty()) continue;
    out.sorted.push_back(found->second), out.number.push_back(p);
    std::sort(out.sorted.back().begin(), out.sorted.back().end());
  }
  return out;
}

/// The i-th joint value, ln(K / K_run).
double joint_log(const MovingParts& parts, std::size_t i) {
  double out = 0.0;
  for (std::size_t p = 0; p < parts.sorted.size(); ++p)
    out += at(parts.sorted[p], random::uniform(joint_seed, draws::joint_parts, parts.number[p], i));
  return out;
}

}  // namespace

PhysicalBounds physical_bounds(const std::string& key, const sim::Result& base) {
  PhysicalBounds out;
  if (key == "pcc_mean_MW" || key == "pcc_step_1s_max_MW")
    out.upper_key = "pcc_max_MW", out.upper = sim::figure(base, out.upper_key);
  if (key == "pue") out.lower = 1.0;
  return out;
}

FigureChance combine(const std::string& key, double value, std::span<const ChancePart> parts,
                     const PhysicalBounds& bounds) {
  FigureChance out{key, nan, nan, nan, nan, nan, nan, {}, {}};
  if (!std::isfinite(value)) return out;
  const MovingParts moving = moving_parts(key, parts);
  if (moving.sorted.empty()) return out;
  Moments all;
  for (std::size_t m = 0; m < moving.sorted.size(); ++m) {
    const ChancePart& part = parts[moving.number[m]];
    const auto& sorted = moving.sorted[m];
    const auto of = [&](double u) { return value * math::exp(at(sorted, u)); };
    out.parts[part.name] = {of(0.05), of(0.5), of(0.95)};
    const auto error = part.median_error.find(key);
    const Moments of_part = moments_of(part.logs.at(key), error == part.median_error.end() ? -1.0 : error->second);
    all.of_mean += of_part.of_mean, all.variance += of_part.variance, all.of_variance += of_part.of_variance;
  }
  const bool has_upper = !bounds.upper_key.empty() && bounds.upper >= value && value > 0.0;
  const MovingParts upper = has_upper ? moving_parts(bounds.upper_key, parts) : MovingParts{};
  const double to_upper = has_upper ? std::log(bounds.upper / value) : 0.0;
  const double lowest = bounds.lower > 0.0 && value >= bounds.lower ? std::log(bounds.lower / value)
                                                                    : -std::numeric_limits<double>::infinity();
  std::vector<double> joint(n_joint, 0.0);
  for (std::size_t i = 0; i < n_joint; ++i) {
    joint[i] = std::max(joint_log(moving, i), lowest);
    if (has_upper) joint[i] = std::min(joint[i], to_upper + joint_log(upper, i));
  }
  std::sort(joint.begin(), joint.end());
  out.p05 = value * math::exp(at(joint, 0.05)), out.p50 = value * math::exp(at(joint, 0.5)),
  out.p95 = value * math::exp(at(joint, 0.95));
  const double s = std::sqrt(all.variance), of_s = s > 0.0 ? std::sqrt(all.of_variance) / (2.0 * s) : 0.0;
  const double end = std::sqrt(all.of_mean + z95 * z95 * of_s * of_s);
  out.p05_error = std::abs(out.p05) * end, out.p95_error = std::abs(out.p95) * end;
  out.p50_error = std::abs(out.p50) * std::sqrt(all.of_mean);
  return out;
}

void add_chance(const Chance& chance, std::vector<std::pair<std::string, sim::Value>>& summary) {
  const auto known = [](double x) { return std::isfinite(x) ? sim::Value(x) : sim::Value(); };
  for (const auto& f : chance.figures) {
    auto place = std::find_if(summary.begin(), summary.end(), [&](const auto& item) { return item.first == f.key; });
    if (place == summary.end()) continue;
    const auto behind = [&](const std::string& key, double x) { place = summary.insert(place + 1, {key, known(x)}); };
    behind(f.key + "_p05", f.p05), behind(f.key + "_p50", f.p50), behind(f.key + "_p95", f.p95);
    const auto event = chance.event_p50.find(f.key);
    if (event == chance.event_p50.end()) continue;
    behind(f.key + "_event_p50", event->second), behind(f.key + "_event_max", chance.event_max.at(f.key));
  }
}

}  // namespace TIDEWATT_NAMESPACE::study
