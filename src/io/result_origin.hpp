#pragma once
#include <string>
#include <utility>
#include <vector>

#include "tidewatt/base/version.hpp"

namespace TIDEWATT_NAMESPACE::io {

/// Origin of a result, for exported files.
struct ResultOrigin {
  std::string name;                                    ///< of the result file, without folder and ending
  std::string version;                                 ///< of the program that made it
  std::string start_time;                              ///< of the run, local standard time
  std::string scenario;                                ///< its text
  std::string scenario_sha256;                         ///< of that text, 64 digits
  std::string payload_sha256;                          ///< of the result's arrays, 64 digits
  std::vector<std::pair<double, std::string>> events;  ///< s since the start of the run, what
};

/// @param path a result file  @throws InputError if it is none, or lacks what a result has
ResultOrigin read_result_origin(const std::string& path);

}  // namespace TIDEWATT_NAMESPACE::io
