#pragma once
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ledger.hpp"

namespace TIDEWATT_NAMESPACE::validate {

/// What of a row, known before it is measured, may tell how wrong the model is: 1, then 0 or 1 for what bands.toml lists.
using Features = std::array<double, 8>;

/// Rows whose features are equal.
struct ErrorClass {
  std::string area;  ///< of evidence.toml
  std::string name;  ///< features in words
  Features features{};
};
/// @param tolerance as declared with the row  @param absolute whether it is in the row's unit
ErrorClass error_class(std::string_view row, double tolerance, bool absolute);

/// One error of a row in the ledger.
struct SizedError {
  Features features{};
  double size = 0.0;    ///< |ln(got/expected)|, at most ln 10: what is predicted as nothing counts as a tenth
  double weight = 0.0;  ///< of its source's n rows each counts 1/√n, the source √n
};
/// First errors of blind rows whose tolerance is a fraction, but for those of a source.
std::vector<SizedError> sized_errors(const std::vector<LedgerLine>& lines, std::string_view without_source);

/// Mean size b of errors by features x: ln b = x·β. β is the most likely one for exponential sizes and a priori normal coefficients of
/// deviation 1 (all but the first, which is free), so that a feature shared by few sources moves b little:
///
///     minimise  Σ w (x·β + size · e^{−x·β}) + ½ Σ_{k>0} β_k²
///
/// The sum is convex; Newton's steps, halved where they overshoot. @throws InputError without errors
Features scale_coefficients(std::span<const SizedError> errors);
/// b for a row's features. @returns of |ln(got/expected)|
double scale_of(const Features& coefficients, const Features& of);

}  // namespace TIDEWATT_NAMESPACE::validate
