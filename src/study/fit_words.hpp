#pragma once
#include <string>

#include "fit.hpp"

namespace TIDEWATT_NAMESPACE::study {

/// A fitted value with its interval and its findings, as a line.
std::string value_line(const FitValue& v);
/// The last part of a path.
std::string file_name(const std::string& path);
/// @throws InputError naming the key unless low ≤ value ≤ high
void check_range(const char* key, double value, double low, double high);

}  // namespace TIDEWATT_NAMESPACE::study
