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
constexpr auto n_feature = static_cast<Eigen::Index>(std::tuple_size_v<Features>);
using Vector = Eigen::Matrix<double, n_feature, 1>;
using Matrix = Eigen::Matrix<double, n_feature, n_feature>;

enum Feature : std::uint8_t { any, other_software, by_rule, whole_run, node_power, inference, reliability, elsewhere };

bool listed_in(const char* list, std::string_view row, bool exact) {
  static const Node file = evidence_file("bands.toml");
  const auto& ids = std::get<Node::Array>(member(file, list).value);
  return std::any_of(ids.begin(), ids.end(), [&](const Node& id) {
    const auto& text = std::get<std::string>(id.value);
    return exact ? text == row : is_below(text, row);
  });
}

Vector vector_of(const Features& f) { return Eigen::Map<const Vector>(f.data()); }

double cost(std::span<const SizedError> errors, const Vector& beta) {
  double sum = 0.5 * (beta.squaredNorm() - beta(any) * beta(any));
  for (const auto& e : errors) {
    const double x = vector_of(e.features).dot(beta);
    sum += e.weight * (x + e.size * std::exp(-x));
  }
  return sum;
}

}  // namespace

ErrorClass error_class(std::string_view row, double tolerance, bool absolute) {
  const DeclaredKey* declared = declared_key(declared_keys(), row);
  ErrorClass out{declared != nullptr ? declared->area : "", "", {}};
  out.features[any] = 1.0;
  if (absolute) {
    out.name = "tolerance in its unit";
  } else if (out.area == "training time") {
    const bool whole = listed_in("whole_runs", row, true), rule = !whole && tolerance > wide_tolerance,
               other = !listed_in("software_of_the_fits", row, false);
    out.features[other_software] = other, out.features[whole_run] = whole, out.features[by_rule] = rule;
    out.name = other ? "other software" : "software of the fits";
    if (rule) out.name += ", a rule or a short step";
    if (whole) out.name += ", whole runs";
  } else {
    const std::map<std::string, Feature> by_area = {
        {"node power", node_power}, {"inference", inference}, {"reliability", reliability}};
    const auto at = by_area.find(out.area);
    out.features[at == by_area.end() ? elsewhere : at->second] = 1.0;
    out.name = "all";
  }
  return out;
}

std::vector<SizedError> sized_errors(const std::vector<LedgerLine>& lines, std::string_view without_source) {
  std::map<std::string, double> rows_of;
  std::vector<const LedgerLine*> kept;
  for (const auto& line : lines) {
    if (line.kind != "blind" || line.absolute || line.source == without_source) continue;
    if (first_line(lines, line.row) != &line) continue;
    kept.push_back(&line), rows_of[line.source] += 1.0;
  }
  std::vector<SizedError> out;
  out.reserve(kept.size());
  for (const LedgerLine* line : kept)
    out.push_back({error_class(line->row, line->tolerance, false).features,
                   std::min(largest, std::abs(std::log1p(std::max(line->error, -0.99)))),
                   1.0 / std::sqrt(rows_of.at(line->source))});
  return out;
}

Features scale_coefficients(std::span<const SizedError> errors) {
  double sum = 0.0, weight = 0.0;
  for (const auto& e : errors) sum += e.weight * e.size, weight += e.weight;
  if (!(sum > 0.0)) throw InputError("bands: no error above 0 to tell a scale from");
  Vector beta = Vector::Zero();
  beta(any) = std::log(sum / weight);
  for (int i = 0; i < 100; ++i) {
    Vector slope = beta;
    slope(any) = 0.0;
    Matrix curvature = Matrix::Identity();
    curvature(any, any) = 0.0;
    for (const auto& e : errors) {
      const Vector x = vector_of(e.features);
      const double q = e.size * std::exp(-x.dot(beta));
      slope += e.weight * (1.0 - q) * x;
      curvature += e.weight * q * x * x.transpose();
    }
    Vector step = curvature.ldlt().solve(slope);
    const double now = cost(errors, beta);
    while (step.norm() > 1e-14 && !(cost(errors, beta - step) <= now)) step *= 0.5;
    beta -= step;
    if (step.norm() < 1e-12) break;
  }
  Features out;
  Eigen::Map<Vector>(out.data()) = beta;
  return out;
}

double scale_of(const Features& coefficients, const Features& of) {
  return std::exp(vector_of(coefficients).dot(vector_of(of)));
}

}  // namespace TIDEWATT_NAMESPACE::validate
