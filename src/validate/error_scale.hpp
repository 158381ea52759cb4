#pragma once
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ledger.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// What of a row, known before it is measured, may tell how wrong the model is: 1, then 0 or 1 for what bands.toml lists.
using Features = std::array<double, 12>;

/// Rows whose features are equal.
struct ErrorClass {
  std::string area;  ///< of evidence.toml
  std::string name;  ///< features in words
  Features features{};
};
/// @param tolerance as declared with the row  @param absolute whether it is in the row's unit
ErrorClass error_class(std::string_view row, double tolerance, bool absolute);

/// Whether bands.toml lists the row as a rate over a whole run, with its restarts and evaluations.
bool of_whole_run(std::string_view row);
/// Whether bands.toml lists it as watts of a chip or server at rest.
bool is_at_rest(std::string_view row);

/// -1 for a rate, so that positive errors of times and rates alike say that the model is slow; else 1. @returns dimensionless
double sign_of(std::string_view unit);

/// One error of a row in the ledger.
struct SizedError {
  Features features{};
  double error =
      0.0;  ///< sign_of ln(got/expected), at most ln 10 in size: what is predicted as nothing counts as a tenth
  double weight = 0.0;  ///< of its source's n rows each counts 1/√n, the source √n
};
/// Errors of blind rows whose tolerance is a fraction, each of its band_line, but for those of a source.
std::vector<SizedError> sized_errors(const std::vector<LedgerLine>& lines, std::string_view without_source);

/// Centre m and spread s of errors by features x. Errors are taken to have Student's distribution of ν = 4 degrees: a few that are
/// far off widen it little. With z as x, but 1 in its first place only for times and rates,
///
///     m = z·γ,  ln s = x·β;  minimise  Σ w (x·β + (ν+1)/2 ln(1 + (e - z·γ)²/(ν s²))) + ½ Σ_{k>0} β_k² + ½ Σ γ_k²/0.05²
///
/// so that a centre or a spread that few sources share moves little. In turn a step of γ, which weighs each error by
/// (ν+1)/(ν s² + (e - m)²), and Newton's step of β, in which the sum is convex; neither raises the sum.
struct ErrorModel {
  Features spread{}, centre{};  ///< β and γ
};
/// @throws InputError without errors
ErrorModel error_model(std::span<const SizedError> errors);
/// s for a row's features. @returns of ln(got/expected)
double spread_of(const ErrorModel& model, const Features& of);
/// m for a row's features. @returns of sign_of ln(got/expected)
double centre_of(const ErrorModel& model, const Features& of);
/// The sum that error_model makes least. @returns dimensionless
double error_cost(std::span<const SizedError> errors, const ErrorModel& model);

}  // namespace TIDEWATT_NAMESPACE::validate
