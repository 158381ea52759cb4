#pragma once
// Private to io: figures of a result for its text.
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tidewatt/sim/result.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// What one job of several did.
struct JobText {
  std::string name;
  double n_gpu, tokens_per_s, iteration_s;  ///< NaN: not known
};

using FigureList = std::vector<std::pair<std::string, double>>;

/// The figures of a result by key; absent or null figures are NaN, an empty text or an empty list.
class Figures {
 public:
  explicit Figures(const sim::Result& result) : result_(result) {}
  /// A number in the unit of its key; NaN where the run has none.
  double operator[](const char* key) const;
  bool has(const char* key) const;
  std::string text(const char* key) const;
  FigureList list(const char* key) const;
  /// A list of whole numbers; empty if there is none.
  std::span<const std::int64_t> whole(const char* key) const;
  /// An entry of a list; NaN if there is none.
  double of(const char* list, const char* name) const;
  /// Values of an array of numbers; empty if there is none.
  const std::vector<double>& array(const std::string& path) const;
  const std::vector<std::string>& texts(const std::string& path) const;
  /// The text of /provenance by its key; empty if there is none.
  std::string provenance(const char* key) const;
  /// The jobs; empty if the result does not list them.
  std::vector<JobText> jobs() const;
  /// Longest iteration of a job, s; NaN if none iterates.
  double longest_iteration_s() const;
  const sim::Result& result() const { return result_; }

 private:
  const sim::Value* find(const char* key) const;
  const sim::Result& result_;
};

/// Digits of a count: all of them.
constexpr int every_digit = 15;

/// A figure for a reader: `digits` significant ones, thousands apart; with `every_digit` a whole number.
std::string shown(double x, int digits = 3);

}  // namespace TIDEWATT_NAMESPACE::io
