#pragma once
// The scenarios that explain_swing() compares. Private to study.
#include "explain_swing.hpp"

namespace TIDEWATT_NAMESPACE::study::detail {

struct Variant {
  std::string name, how;
  sim::Scenario scenario;
};

/// Every cause switched off in turn. @param base gives the constant means of fans and coolant
std::vector<Variant> causes_of(const sim::Scenario& scenario, const sim::Result& base);
/// @param notes variants that could not be run, and why
std::vector<Variant> levers_of(const sim::Scenario& scenario, std::vector<std::string>& notes);

/// GPUs in training that are hottest, or could have the lowest clock, in the step with the warmest inlet.
std::vector<NamedGpu> worst_gpus(const sim::Result& r, bool hottest, std::size_t n_gpu);
/// Time mean of a column of /day, NaN left out.
double mean_over_time(const sim::Result& r, const std::string& column, double end_s);

}  // namespace TIDEWATT_NAMESPACE::study::detail
