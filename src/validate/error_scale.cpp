#include "error_scale.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>

#include "declared_key.hpp"
#include "evidence_runs.hpp"
#include "row_kind.hpp"
#include "tidewatt/base/error.hpp"

namespace TIDEWATT_NAMESPACE::validate {
namespace {

constexpr double wide_tolerance = 0.1;  // above it a rule fills in the plan, see bands.toml
constexpr double largest = 2.302585092994046;
constexpr double degrees = 4.0, centre_deviation = 0.05;  // see bands.toml
constexpr auto n_feature = static_cast<Eigen::Index>(std::tuple_size_v<Features>);
using Vector = Eigen::Matrix<double, n_feature, 1>;
using Matrix = Eigen::Matrix<double, n_feature, n_feature>;

enum Feature : std::uint8_t {
  any,
  other_software,
  by_rule,
  whole_run,
  node_power,
  inference,
  reliability,
  kernels,
  elsewhere,
  product,
  collective,
  at_rest
};

bool listed_in(const char* list, std::string_view row, bool exact) {
  static const Node file = evidence_file("bands.toml");
  const auto& ids = std::get<Node::Array>(member(file, list).value);
  return std::any_of(ids.begin(), ids.end(), [&](const Node& id) {
    const auto& text = std::get<std::string>(id.value);
    return exact ? text == row : is_below(text, row);
  });
}

Vector vector_of(const Features& f) { return Eigen::Map<const Vector>(f.data()); }
Features features_of(const Vector& v) {
  Features out;
  Eigen::Map<Vector>(out.data()) = v;
  return out;
}

/// Times and rates share a first centre; watts, failures and the rest have none in common with them.
Vector for_centre(const Features& of) {
  Vector z = vector_of(of);
  z(any) = 1.0 - of[node_power] - of[reliability] - of[elsewhere];
  return z;
}

/// ((e - m)/s)².
double squared(const SizedError& e, const Vector& beta, const Vector& gamma) {
  const double z = (e.error - for_centre(e.features).dot(gamma)) * std::exp(-vector_of(e.features).dot(beta));
  return z * z;
}

double cost(std::span<const SizedError> errors, const Vector& beta, const Vector& gamma) {
  double sum = 0.5 * (beta.squaredNorm() - beta(any) * beta(any)) +
               0.5 * gamma.squaredNorm() / (centre_deviation * centre_deviation);
  for (const auto& e : errors)
    sum += e.weight *
           (vector_of(e.features).dot(beta) + 0.5 * (degrees + 1.0) * std::log1p(squared(e, beta, gamma) / degrees));
  return sum;
}

Vector better_centre(std::span<const SizedError> errors, const Vector& beta, const Vector& gamma) {
  Matrix curvature = Matrix::Identity() / (centre_deviation * centre_deviation);
  Vector pull = Vector::Zero();
  for (const auto& e : errors) {
    const double s = std::exp(vector_of(e.features).dot(beta));
    const double weight = e.weight * (degrees + 1.0) / ((degrees + squared(e, beta, gamma)) * s * s);
    const Vector z = for_centre(e.features);
    curvature += weight * z * z.transpose();
    pull += weight * e.error * z;
  }
  return curvature.ldlt().solve(pull);
}

Vector better_spread(std::span<const SizedError> errors, const Vector& beta, const Vector& gamma) {
  Vector slope = beta;
  slope(any) = 0.0;
  Matrix curvature = Matrix::Identity();
  curvature(any, any) = 0.0;
  for (const auto& e : errors) {
    const Vector x = vector_of(e.features);
    const double q = squared(e, beta, gamma), reach = degrees + q;
    slope += e.weight * (1.0 - (degrees + 1.0) * q / reach) * x;
    curvature += e.weight * (degrees + 1.0) * 2.0 * q * degrees / (reach * reach) * x * x.transpose();
  }
  Vector step = curvature.ldlt().solve(slope);
  const double now = cost(errors, beta, gamma);
  while (step.norm() > 1e-14 && !(cost(errors, beta - step, gamma) <= now)) step *= 0.5;
  return beta - step;
}

}  // namespace

bool of_whole_run(std::string_view row) { return listed_in("whole_runs", row, true); }
bool is_at_rest(std::string_view row) { return listed_in("at_rest", row, false); }

ErrorClass error_class(std::string_view row, double tolerance, bool absolute) {
  const DeclaredKey* declared = declared_key(declared_keys(), row);
  ErrorClass out{declared != nullptr ? declared->area : "", "", {}};
  out.features[any] = 1.0;
  if (absolute) {
    out.name = "tolerance in its unit";
    return out;
  }
  const bool whole = of_whole_run(row);
  out.features[whole_run] = whole;
  if (out.area == "training time") {
    const bool rule = !whole && tolerance > wide_tolerance, other = !listed_in("software_of_the_fits", row, false);
    out.features[other_software] = other, out.features[by_rule] = rule;
    out.name = other ? "other software" : "software of the fits";
    if (rule) out.name += ", a rule or a short step";
  } else {
    const std::map<std::string, Feature> by_area = {{"node power", node_power},
                                                    {"inference", inference},
                                                    {"reliability", reliability},
                                                    {"single kernels", kernels}};
    const auto at = by_area.find(out.area);
    out.features[at == by_area.end() ? elsewhere : at->second] = 1.0;
    constexpr std::array<std::pair<const char*, Feature>, 3> quantities = {
        {{"products", product}, {"collectives", collective}, {"at_rest", at_rest}}};
    out.name = whole ? "" : out.area == "single kernels" ? "memory" : out.area == "node power" ? "at work" : "all";
    for (const auto& [list, feature] : quantities)
      if (listed_in(list, row, false)) out.features[feature] = 1.0, out.name = feature == at_rest ? "at rest" : list;
  }
  if (whole) out.name += out.name.empty() ? "whole runs" : ", whole runs";
  return out;
}

double sign_of(std::string_view unit) {
  return unit == "tokens/s" || unit == "TF" || unit == "TB/s" || unit == "GB/s" ? -1.0 : 1.0;
}

std::vector<SizedError> sized_errors(const std::vector<LedgerLine>& lines, std::string_view without_source) {
  std::map<std::string, double> rows_of;
  std::vector<const LedgerLine*> kept;
  for (const auto& line : lines) {
    if (line.absolute || line.source == without_source || !is_blind(line)) continue;
    if (band_line(lines, line.row) != &line) continue;
    kept.push_back(&line), rows_of[line.source] += 1.0;
  }
  std::vector<SizedError> out;
  out.reserve(kept.size());
  for (const LedgerLine* line : kept)
    out.push_back({error_class(line->row, line->tolerance, false).features,
                   sign_of(line->unit) * std::clamp(std::log1p(std::max(line->error, -0.99)), -largest, largest),
                   1.0 / std::sqrt(rows_of.at(line->source))});
  return out;
}

ErrorModel error_model(std::span<const SizedError> errors) {
  double sum = 0.0, weight = 0.0;
  for (const auto& e : errors) sum += e.weight * std::abs(e.error), weight += e.weight;
  if (!(sum > 0.0)) throw InputError("bands: no error above 0 to tell a spread from");
  Vector beta = Vector::Zero(), gamma = Vector::Zero();
  beta(any) = std::log(sum / weight);
  for (int i = 0; i < 500; ++i) {
    const Vector next_gamma = better_centre(errors, beta, gamma), next_beta = better_spread(errors, beta, next_gamma);
    const double moved = (next_beta - beta).norm() + (next_gamma - gamma).norm();
    beta = next_beta, gamma = next_gamma;
    if (moved < 1e-10) break;
  }
  return {features_of(beta), features_of(gamma)};
}

double spread_of(const ErrorModel& model, const Features& of) {
  return std::exp(vector_of(model.spread).dot(vector_of(of)));
}

double centre_of(const ErrorModel& model, const Features& of) { return vector_of(model.centre).dot(for_centre(of)); }

double error_cost(std::span<const SizedError> errors, const ErrorModel& model) {
  return cost(errors, vector_of(model.spread), vector_of(model.centre));
}

}  // namespace TIDEWATT_NAMESPACE::validate
