#pragma once
// The scenarios that explain_swing() compares. Private to study.
#include "explain_swing.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {

struct Variant {
  std::string name, how;
  sim::Scenario scenario;
};

/// Every link switched off in turn. @param base gives the means at which fans and coolant are held
std::vector<Variant> causes_of(const sim::Scenario& scenario, const sim::Result& base);
/// @param notes what could not be tried, and why
std::vector<Variant> levers_of(const sim::Scenario& scenario, std::vector<std::string>& notes);

/// Who trains and is hottest, or could hold the lowest clock, in the step with the warmest inlet.
std::vector<NamedGpu> worst_gpus(const sim::Result& r, bool hottest, std::size_t n_gpu);
/// Time mean of a column of /day, NaN left out.
double mean_over_time(const sim::Result& r, const std::string& column, double end_s);

}  // namespace TIDEWATT_NAMESPACE::study::detail
